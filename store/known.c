/*
 * known - what contexts say of artifacts, kept by what it is made of
 */
#include "store/known.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/when.h"
#include "common/xmalloc.h"
#include "compactor/compact.h"
#include "compactor/tokens.h"

enum {
	KNOWN_SLOTS = 2048,
	KNOWN_BYTES = 16 * 1024	/* of one; a larger one is made each time */
};

struct slot {
	uint64_t name;		/* of domain and key; 0: nothing is here */
	uint64_t row;		/* of the row as it was seen last */
	uint64_t content;	/* of what the line is made of */
	int64_t stale_at;	/* when it was or will be stale */
	bool stale;
	struct known_artifact a;	/* its strings are in `bytes` */
	struct buf bytes;
};

struct known {
	struct slot slots[KNOWN_SLOTS];
	uint64_t kept, made;
};

struct known *
known_open(void)
{
	struct known *known = xcalloc(1, sizeof(*known));
	size_t i;

	for (i = 0; i < KNOWN_SLOTS; i++)
		buf_init(&known->slots[i].bytes, KNOWN_BYTES);
	return known;
}

void
known_close(struct known **known)
{
	size_t i;

	if (*known == NULL)
		return;
	for (i = 0; i < KNOWN_SLOTS; i++)
		buf_release(&(*known)->slots[i].bytes);
	free(*known);
	*known = NULL;
}

void
known_count(struct known *known, uint64_t *kept, uint64_t *made)
{
	*kept = known->kept;
	*made = known->made;
	known->kept = known->made = 0;
}

/* ---- a line ---- */

void
known_put_day(struct buf *line, int64_t ms)
{
	char stamp[WHEN_TEXT_BYTES];

	when_format(ms, stamp);
	buf_add(line, stamp, 10);
}

/* INT64_MAX: it never is. */
static int64_t
stale_at(const struct known_view *view, const struct msg_artifact *a)
{
	int64_t days = view->conf->fact_stale_days;

	return slice_is(a->type, "fact") && days > 0 ?
	    a->updated_at + days * WHEN_DAY_MS : INT64_MAX;
}

void
known_put_marks(struct buf *line, const struct known_view *view,
    const struct msg_artifact *a)
{
	size_t i;

	if (a->refined_by.count > 0)
		buf_addf(line, " [superseded by %.*s]",
		    SLICE_ARG(a->refined_by.at[a->refined_by.count - 1]));
	for (i = 0; i < a->conflicts_with.count; i++)
		buf_addf(line, " [disagrees with %.*s]",
		    SLICE_ARG(a->conflicts_with.at[i]));
	if (view->now_ms > stale_at(view, a)) {
		buf_adds(line, " [stale: of ");
		known_put_day(line, a->updated_at);
		buf_addc(line, ']');
	}
}

static void
put_line(struct buf *line, const struct known_view *view,
    const struct msg_artifact *a)
{
	bool effort = slice_is(a->type, "effort");

	buf_addf(line, "- [%.*s%s%.*s ", SLICE_ARG(a->type),
	    effort ? " " : "", SLICE_ARG(effort ? a->status : SLICE_NONE));
	/* The last change of one that is superseded was that it became so. */
	known_put_day(line, (effort && slice_is(a->status, "open")) ||
	    a->refined_by.count > 0 ? a->created_at : a->updated_at);
	buf_adds(line, "] ");
	buf_addslice(line, a->summary);
	if (a->resolution.len > 0 && !slice_eq(a->resolution, a->summary)) {
		buf_adds(line, " => ");
		buf_addslice(line, a->resolution);
	}
	if (a->expires_at != 0) {
		buf_adds(line, slice_is(a->status, "expired") ?
		    " (overdue since " : " (due ");
		known_put_day(line, a->expires_at);
		buf_addc(line, ')');
	}
	known_put_marks(line, view, a);
	buf_addf(line, " (%.*s)", SLICE_ARG(a->key));
}

static void
make(const struct known_view *view, const struct msg_artifact *a,
    struct arena *arena, struct known_artifact *out)
{
	struct buf line;

	buf_init(&line, SIZE_MAX / 4);
	put_line(&line, view, a);
	*out = (struct known_artifact){ .key = a->key, .id = a->id,
		.line = arena_dup(arena, buf_slice(&line)),
		.refined_by = a->refined_by.count == 0 ? SLICE_NONE :
		    a->refined_by.at[a->refined_by.count - 1],
		.turns = a->turns, .updated_at = a->updated_at,
		.expires_at = a->expires_at,
		.thread = a->thread,
		.tokens = tokens_of(view->conf, buf_slice(&line)),
		.open = slice_is(a->status, "open"),
		.expired = slice_is(a->status, "expired"),
		.checkpoint = a->checkpoint, .part = a->parent.len > 0 };
	buf_release(&line);
}

/* ---- what is kept ---- */

/* Turns first, so that they lie aligned; then the strings. */
static void
keep(struct slot *slot, const struct known_artifact *a)
{
	const struct slice strings[] = { a->key, a->id, a->line,
		a->refined_by };
	size_t i;

	slot->a = *a;
	buf_clear(&slot->bytes);
	slot->bytes.over = false;
	if (a->turns.count > 0)
		buf_add(&slot->bytes, a->turns.at,
		    a->turns.count * sizeof(a->turns.at[0]));
	for (i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		buf_addslice(&slot->bytes, strings[i]);
	if (slot->bytes.over)
		slot->name = 0;
}

static void
give(const struct slot *slot, struct arena *arena, struct known_artifact *out)
{
	struct slice *strings[] = { &out->key, &out->id, &out->line,
		&out->refined_by };
	char *at = arena_room(arena, slot->bytes.len + 1);
	size_t i;

	*out = slot->a;
	if (slot->bytes.len > 0)
		memcpy(at, slot->bytes.ptr, slot->bytes.len);
	out->turns.at = (uint64_t *)(void *)at;
	at += out->turns.count * sizeof(out->turns.at[0]);
	for (i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		strings[i]->ptr = at;
		at += strings[i]->len;
	}
}

static uint64_t
hash_name(struct slice domain, struct slice key)
{
	return XXH3_64bits_withSeed(key.ptr, key.len,
	    XXH3_64bits(domain.ptr, domain.len)) | 1;
}

/* All of it but what changes by use alone. */
static uint64_t
hash_content(const struct msg_artifact *a)
{
	struct msg_artifact said = *a;
	uint64_t hash = 0;
	struct buf record;

	said.weight = said.uses = said.session_seq = 0;
	said.weight_at = 0;
	buf_init(&record, SIZE_MAX / 4);
	if (msg_encode(&record, MSG_artifact, &said) == 0)
		hash = XXH3_64bits(record.ptr, record.len);
	buf_release(&record);
	return hash;
}

static bool
read_row(const struct known_view *view, struct slice key, struct slice *row)
{
	uint64_t seq, n;
	struct key k;

	if (view->compactor == NULL || artifact_parse(key, &seq, &n) == -1)
		return false;
	k = key_u64(seq);
	key_add_u64(&k, n);
	return db_get(view->compactor, TABLE_artifacts, key_slice(&k), row);
}

static bool
is_fresh(const struct slot *slot, const struct known_view *view)
{
	return (view->now_ms > slot->stale_at) == slot->stale;
}

bool
known_get(struct known *known, const struct known_view *view,
    struct slice key, struct arena *arena, struct known_artifact *out)
{
	uint64_t name = hash_name(view->domain, key), seen, content;
	struct msg_artifact a;
	struct msg_error why;
	struct slot *slot;
	struct slice row;

	if (!read_row(view, key, &row))
		return false;
	slot = known == NULL ? NULL : &known->slots[name / 2 % KNOWN_SLOTS];
	seen = XXH3_64bits(row.ptr, row.len);
	if (slot != NULL && slot->name == name && slot->row == seen &&
	    is_fresh(slot, view)) {
		known->kept++;
		give(slot, arena, out);
		return true;
	}
	if (msg_decode_as(row, arena, MSG_artifact, &a, &why) == -1 ||
	    !slice_eq(a.domain, view->domain))
		return false;
	content = hash_content(&a);
	if (slot != NULL && slot->name == name && slot->content == content &&
	    is_fresh(slot, view)) {
		slot->row = seen;
		known->kept++;
		give(slot, arena, out);
		return true;
	}
	make(view, &a, arena, out);
	if (slot != NULL) {
		known->made++;
		*slot = (struct slot){ .name = name, .row = seen,
			.content = content, .stale_at = stale_at(view, &a),
			.stale = view->now_ms > stale_at(view, &a),
			.bytes = slot->bytes };
		keep(slot, out);
	}
	return true;
}
