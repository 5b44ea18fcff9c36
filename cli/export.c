/*
 * export - the log as JSON lines that `skein send` takes again
 *
 * Each line is what its sender gave, and `ts` always.  An exchange is kept by
 * difference; its whole request is put together from its parents, and a reply
 * that was known already is found by its hash in ingest's tables.
 *
 * Left out, and said: ticks that ingest wrote by itself, what was forgotten,
 * and commands about it.  Keys in what is left are those that it will have in
 * a fresh home.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/export_given.h"
#include "cli/export_keys.h"
#include "cli/options.h"
#include "common/json.h"
#include "common/xmalloc.h"

enum { ENTRIES_A_VIEW = 256 };

struct export {
	struct cli *cli;
	struct db_txn *txn;
	struct db *ingest;	/* NULL until it is needed */
	struct arena arena;
	struct buf lines, record;
	struct slice domain;
	uint64_t from, to;
	struct export_keys keys;
	uint64_t ticks, forgotten, pointless, unreadable;
};

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
put_message(struct buf *out, const struct msg_xmessage *m, struct slice id)
{
	buf_addc(out, '{');
	if (id.len > 0) {
		buf_adds(out, "\"id\":");
		json_put_str(out, id);
		buf_addc(out, ',');
	}
	if (m->content.len > 0) {
		buf_add(out, m->content.ptr + 1, m->content.len - 1);
		return;
	}
	buf_adds(out, "\"role\":");
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

/*
 * A reply that an earlier call had already; NULL when there is none, or it
 * was forgotten.
 */
static const struct msg_xmessage *
find_reply(struct export *x, const struct msg_exchange *e)
{
	struct db_cursor *c;
	struct db_txn *txn;
	struct db_entry row;
	uint64_t seq = 0, i = 0;
	struct key k;
	struct msg m;

	if (x->ingest == NULL)
		x->ingest = cli_open(x->cli, ENV_ingest);
	if (x->ingest == NULL)
		return NULL;
	txn = db_read(x->ingest);
	c = db_cursor(txn, TABLE_nodes);
	key_init(&k);
	key_add_text(&k, e->domain);
	key_add_bytes(&k, e->reply_hash);
	if (db_seek(c, key_slice(&k), &row) && row.key.len == k.len + 16 &&
	    memcmp(row.key.ptr, k.bytes, k.len) == 0) {
		seq = key_read_u64(row.key, k.len);
		i = key_read_u64(row.key, k.len + 8);
	}
	db_abort(&txn);
	if (seq == 0 || !load(x, TABLE_log, seq, &m) ||
	    m.id != MSG_exchange || i >= m.as->exchange.n_added)
		return NULL;
	return &m.as->exchange.added[i];
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
put_exchange_fields(struct export *x, const struct msg_exchange *given,
    struct slice system_hash)
{
	const struct msg_field *ts = msg_field_tagged(msg_spec(MSG_exchange),
	    MSGTAG_exchange_ts);
	struct slice system;

	buf_adds(&x->lines, "{\"type\":\"exchange\"");
	put_text(&x->lines, "domain", given->domain);
	put_text(&x->lines, "id", given->id);
	buf_adds(&x->lines, ",\"ts\":");
	msg_json_value(&x->lines, ts, given);
	put_text(&x->lines, "user", given->user);
	put_text(&x->lines, "channel", given->channel);
	put_text(&x->lines, "room", given->room);
	put_text(&x->lines, "session", given->session);
	put_text(&x->lines, "model", given->model);
	put_text(&x->lines, "response_id", given->response_id);
	put_text(&x->lines, "previous_response_id",
	    given->previous_response_id);
	if (system_hash.len > 0 &&
	    db_get(x->txn, TABLE_systems, system_hash, &system))
		put_text(&x->lines, "system", system);
}

static int
put_exchange(struct export *x, uint64_t seq, const struct msg_exchange *e,
    const struct msg_exchange *given)
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
	else if (e->reply_hash.len > 0)
		reply = find_reply(x, e);
	put_exchange_fields(x, given, e->system_hash);
	buf_adds(&x->lines, ",\"messages\":[");
	for (i = 0; i < e->known; i++, comma = ",") {
		buf_adds(&x->lines, comma);
		put_message(&x->lines, known[i], SLICE_NONE);
	}
	for (i = 0; i < n; i++, comma = ",") {
		buf_adds(&x->lines, comma);
		put_message(&x->lines, &e->added[i], SLICE_NONE);
	}
	buf_adds(&x->lines, "],\"response\":");
	if (reply != NULL)
		put_message(&x->lines, reply, given->response_id.len == 0 ?
		    e->response_id : SLICE_NONE);
	else
		buf_adds(&x->lines, "null");
	buf_adds(&x->lines, "}\n");
	return 0;
}

/* ---- entries ---- */

/* What it named is not there any more: sent again it would be refused. */
static bool
is_done(const struct msg_forget *f)
{
	return !slice_is(f->what, "user") && !slice_is(f->what, "domain");
}

/* Whether it goes nowhere; `counted` when that is to be said. */
static bool
is_left_out(struct export *x, const struct msg *entry, bool counted)
{
	if (entry->id == MSG_none)
		x->unreadable += counted;
	else if (x->domain.len > 0 &&
	    !slice_eq(x->domain, entry->as->envelope.domain))
		;
	else if (entry->id == MSG_tombstone)
		x->forgotten += counted;
	else if (entry->id == MSG_forget && is_done(&entry->as->forget))
		x->pointless += counted;
	else if (entry->id == MSG_tick && entry->as->tick.user.len == 0 &&
	    entry->as->tick.room.len == 0)
		x->ticks += counted;
	else
		return false;
	return true;
}

static int
put_entry(struct export *x, uint64_t seq, const struct msg *entry)
{
	struct slice hash = SLICE_NONE;
	uint64_t thread = 0;
	struct msg section;
	union msg_any given;

	if (load(x, TABLE_s_ingest, seq, &section) &&
	    section.id == MSG_s_ingest) {
		hash = section.as->s_ingest.content_hash;
		thread = section.as->s_ingest.thread;
	}
	export_given(entry, hash, &x->record, &given);
	if (!export_keys_rename(&x->keys, entry->id, &given, thread,
		&x->arena)) {
		export_keys_leave_out(&x->keys, seq);
		x->pointless += seq >= x->from;
		return 0;
	}
	if (seq < x->from)
		return 0;
	if (entry->id == MSG_exchange)
		return put_exchange(x, seq, &entry->as->exchange,
		    &given.exchange);
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
			entry.id = MSG_none;
		if (is_left_out(x, &entry, *seq >= x->from))
			export_keys_leave_out(&x->keys, *seq);
		else
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
	if (x->pointless > 0)
		fprintf(stderr, "left out: %llu commands about what is left "
				"out\n", (unsigned long long)x->pointless);
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
	/* From the first, for the keys' sake. */
	for (seq = 1; rc == 0 && seq <= x->to;)
		rc = export_some(x, shared, &seq);
	say_left_out(x);
	db_close(&x->ingest);
	export_keys_release(&x->keys);
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
