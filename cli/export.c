/*
 * export - the log as JSON lines that `skein send` takes again
 *
 * Each line is what its sender gave.  The log does not say which fields were
 * given and which were filled in, but ingest keeps a hash of what was given:
 * the fields that may have been filled in are left out in all combinations
 * until the hash fits.  Only `ts` is always written.  An exchange is kept by
 * difference; its whole request is put together from its parents.
 *
 * Left out, and said: ticks that ingest wrote by itself, and what was
 * forgotten.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "common/json.h"
#include "common/xmalloc.h"

enum { ENTRIES_A_VIEW = 256 };

struct export {
	struct cli *cli;
	struct db_txn *txn;
	struct arena arena;
	struct buf lines, record;
	struct slice domain;
	uint64_t from, to;
	uint64_t ticks, forgotten, unreadable;
};

/* ---- what the sender gave ---- */

/* Fields that ingest may have filled in, as bits of a combination. */
enum {
	FILLED_domain = 1,
	FILLED_user = 2,
	FILLED_ts = 4,
	FILLED_role = 8,
	FILLED_kind = 16,
	FILLED_ALL = 31
};

static void
leave_out(union msg_any *e, unsigned filled)
{
	const struct { unsigned bit, tag; struct slice *field; } strings[] = {
		{ FILLED_domain, MSGTAG_envelope_domain, &e->envelope.domain },
		{ FILLED_user, MSGTAG_envelope_user, &e->envelope.user },
		{ FILLED_role, MSGTAG_turn_role, &e->turn.role },
		{ FILLED_kind, MSGTAG_turn_kind, &e->turn.kind },
	};
	size_t i;

	for (i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		if ((filled & strings[i].bit) == 0)
			continue;
		*strings[i].field = SLICE_NONE;
		e->envelope.has &= ~(UINT64_C(1) << strings[i].tag);
	}
	if (filled & FILLED_ts) {
		e->envelope.ts = 0;
		e->envelope.has &= ~(UINT64_C(1) << MSGTAG_envelope_ts);
	}
}

/* Those whose value is the one that ingest would fill in. */
static unsigned
may_be_filled(enum msg_id type, const union msg_any *e)
{
	unsigned filled = FILLED_ts;

	if (slice_is(e->envelope.domain, "default"))
		filled |= FILLED_domain;
	if (slice_is(e->envelope.user, "default"))
		filled |= FILLED_user;
	if (type != MSG_turn)
		return filled;
	if (slice_is(e->turn.role, "user"))
		filled |= FILLED_role;
	if (slice_is(e->turn.kind, e->turn.thread.len > 0 ? "explicit" :
							    "implicit"))
		filled |= FILLED_kind;
	return filled;
}

static bool
has_hash(struct export *x, enum msg_id type, const union msg_any *e,
    struct slice hash)
{
	XXH128_canonical_t digest;

	buf_clear(&x->record);
	if (msg_encode(&x->record, type, e) == -1)
		return false;
	XXH128_canonicalFromHash(&digest,
	    XXH3_128bits(x->record.ptr, x->record.len));
	return slice_eq(hash, slice_of((char *)digest.digest,
	    sizeof(digest.digest)));
}

/* Sets *out to what was given; in full when no combination fits. */
static void
find_given(struct export *x, const struct msg *entry, struct slice hash,
    union msg_any *out)
{
	union msg_any whole = { 0 };
	unsigned filled, may;

	memcpy(&whole, entry->as, msg_spec(entry->id)->size);
	whole.envelope.live = false;
	whole.envelope.has &= ~(UINT64_C(1) << MSGTAG_envelope_live);
	may = may_be_filled(entry->id, &whole);
	for (filled = FILLED_ALL; hash.len > 0; filled--) {
		*out = whole;
		if ((filled & ~may) == 0) {
			leave_out(out, filled);
			if (has_hash(x, entry->id, out, hash)) {
				*out = whole;
				leave_out(out, filled & ~FILLED_ts);
				return;
			}
		}
		if (filled == 0)
			break;
	}
	*out = whole;
}

/* ---- exchanges ---- */

static bool
load(struct export *x, enum table_id table, uint64_t seq, struct msg *out)
{
	struct key k = key_u64(seq);
	struct msg_error why;
	struct slice record;

	return db_get(x->txn, table, key_slice(&k), &record) &&
	    msg_decode(record, &x->arena, out, &why) == 0;
}

static void
put_message(struct buf *out, const struct msg_xmessage *m)
{
	if (m->content.len > 0) {
		buf_addslice(out, m->content);
		return;
	}
	buf_adds(out, "{\"role\":");
	json_put_str(out, m->role);
	buf_adds(out, ",\"content\":");
	json_put_str(out, m->text);
	buf_addc(out, '}');
}

/*
 * The known messages of a request, the last first: each entry holds some, and
 * names the one before its first.  false: the way back is broken.
 */
static bool
find_known(struct export *x, const struct msg_exchange *e,
    const struct msg_xmessage **out)
{
	uint64_t seq = e->parent_seq, i = e->parent_i, depth = e->known;
	const struct msg_exchange *parent;
	struct msg m;

	while (depth > 0) {
		if (!load(x, TABLE_log, seq, &m) || m.id != MSG_exchange)
			return false;
		parent = &m.as->exchange;
		if (i >= parent->n_added || parent->known + i + 1 != depth)
			return false;
		for (i++; i > 0; i--)
			out[--depth] = &parent->added[i - 1];
		seq = parent->parent_seq;
		i = parent->parent_i;
	}
	return true;
}

static void
put_text(struct buf *out, const char *name, struct slice value)
{
	if (value.len == 0)
		return;
	buf_addf(out, ",\"%s\":", name);
	json_put_str(out, value);
}

static void
put_exchange_fields(struct export *x, const struct msg_exchange *e)
{
	const struct msg_field *ts = msg_field_tagged(msg_spec(MSG_exchange),
	    MSGTAG_exchange_ts);
	struct slice system;

	buf_adds(&x->lines, "{\"type\":\"exchange\"");
	put_text(&x->lines, "domain", e->domain);
	put_text(&x->lines, "id", e->id);
	buf_adds(&x->lines, ",\"ts\":");
	msg_json_value(&x->lines, ts, e);
	put_text(&x->lines, "user", e->user);
	put_text(&x->lines, "channel", e->channel);
	put_text(&x->lines, "room", e->room);
	put_text(&x->lines, "session", e->session);
	put_text(&x->lines, "model", e->model);
	put_text(&x->lines, "response_id", e->response_id);
	put_text(&x->lines, "previous_response_id", e->previous_response_id);
	if (e->system_hash.len > 0 &&
	    db_get(x->txn, TABLE_systems, e->system_hash, &system))
		put_text(&x->lines, "system", system);
}

static int
put_exchange(struct export *x, uint64_t seq, const struct msg_exchange *e)
{
	const struct msg_xmessage **known, *reply = NULL;
	size_t i, n = e->n_added;
	const char *comma = "";

	known = arena_array(&x->arena, e->known + 1, sizeof(known[0]));
	if (!find_known(x, e, known))
		return cli_fail(x->cli, "entry %llu: a message it continues "
		    "is not there: see 'skein check'",
		    (unsigned long long)seq);
	if (n > 0 && e->added[n - 1].reply)
		reply = &e->added[--n];
	put_exchange_fields(x, e);
	buf_adds(&x->lines, ",\"messages\":[");
	for (i = 0; i < e->known; i++, comma = ",") {
		buf_adds(&x->lines, comma);
		put_message(&x->lines, known[i]);
	}
	for (i = 0; i < n; i++, comma = ",") {
		buf_adds(&x->lines, comma);
		put_message(&x->lines, &e->added[i]);
	}
	buf_adds(&x->lines, "],\"response\":");
	if (reply != NULL)
		put_message(&x->lines, reply);
	else
		buf_adds(&x->lines, "null");
	buf_adds(&x->lines, "}\n");
	return 0;
}

/* ---- entries ---- */

static int
put_entry(struct export *x, uint64_t seq, const struct msg *entry)
{
	struct slice hash = SLICE_NONE;
	struct msg section;
	union msg_any given;

	if (entry->id == MSG_tombstone) {
		x->forgotten++;
		return 0;
	}
	if (entry->id == MSG_tick && entry->as->tick.user.len == 0 &&
	    entry->as->tick.room.len == 0) {
		x->ticks++;
		return 0;
	}
	if (entry->id == MSG_exchange)
		return put_exchange(x, seq, &entry->as->exchange);
	if (load(x, TABLE_s_ingest, seq, &section) &&
	    section.id == MSG_s_ingest)
		hash = section.as->s_ingest.content_hash;
	find_given(x, entry, hash, &given);
	buf_addf(&x->lines, "{\"type\":\"%s\",", msg_spec(entry->id)->name);
	msg_json_members(&x->lines, entry->id, &given, false);
	if (x->lines.ptr[x->lines.len - 1] == ',')
		x->lines.len--;
	buf_adds(&x->lines, "}\n");
	return 0;
}

/* Some entries in one view; what they give is written when it is closed. */
static int
export_some(struct export *x, struct db *shared, uint64_t *seq)
{
	uint64_t until = *seq + ENTRIES_A_VIEW;
	struct msg entry;
	int rc = 0;

	x->txn = db_read(shared);
	for (; rc == 0 && *seq <= x->to && *seq < until; ++*seq) {
		if (!load(x, TABLE_log, *seq, &entry) ||
		    !msg_is_entry(entry.id))
			x->unreadable++;
		else if (x->domain.len == 0 ||
		    slice_eq(x->domain, entry.as->envelope.domain))
			rc = put_entry(x, *seq, &entry);
		arena_reset(&x->arena);
	}
	db_abort(&x->txn);
	if (x->lines.len > 0 &&
	    fwrite(x->lines.ptr, 1, x->lines.len, stdout) != x->lines.len)
		rc = cli_fail(x->cli, "standard output: %s", strerror(errno));
	buf_clear(&x->lines);
	return rc;
}

static void
say_left_out(const struct export *x)
{
	if (x->ticks > 0)
		fprintf(stderr, "left out: %llu ticks that ingest wrote by "
				"itself\n", (unsigned long long)x->ticks);
	if (x->forgotten > 0)
		fprintf(stderr, "left out: %llu forgotten entries\n",
		    (unsigned long long)x->forgotten);
	if (x->unreadable > 0)
		fprintf(stderr, "left out: %llu entries that cannot be read: "
				"see 'skein check'\n",
		    (unsigned long long)x->unreadable);
}

static int
export_log(struct export *x, struct db *shared)
{
	uint64_t seq, head = cli_cursor(shared, STAGE_ingest);
	int rc = 0;

	if (x->to == 0 || x->to > head)
		x->to = head;
	arena_init(&x->arena);
	buf_init(&x->lines, SIZE_MAX / 4);
	buf_init(&x->record, SIZE_MAX / 4);
	for (seq = x->from; rc == 0 && seq <= x->to;)
		rc = export_some(x, shared, &seq);
	say_left_out(x);
	arena_release(&x->arena);
	buf_release(&x->lines);
	buf_release(&x->record);
	return rc != 0 ? rc : x->unreadable > 0 ? 1 : 0;
}

int
verb_export(struct cli *cli, int argc, char **argv)
{
	struct export x = { .cli = cli, .from = 1 };
	uint64_t after = 0;
	const struct option_spec specs[] = {
		{ "domain", OPTION_TEXT, &x.domain, NULL },
		{ "from", OPTION_NUMBER, &x.from, NULL },
		{ "to", OPTION_NUMBER, &x.to, NULL },
		{ "after", OPTION_NUMBER, &after, NULL },
		{ 0 } };
	struct db *shared;
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc > 1)
		return cli_usage(cli, "'%s' is not understood: the log goes "
		    "to standard output", argv[1]);
	if (x.from == 0)
		x.from = 1;
	if (after > 0 && cli_wait_store(cli, after) == -1)
		return 1;
	shared = cli_open(cli, ENV_shared);
	if (shared == NULL)
		return 1;
	rc = export_log(&x, shared);
	db_close(&shared);
	return rc;
}
