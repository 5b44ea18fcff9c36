/*
 * check - what is wrong with the store, if anything
 *
 * One pass over each table, in one reading transaction per environment.  Own
 * tables are opened before the shared ones, so that on a running pipeline they
 * may be behind the sections they follow, never ahead: they are then checked
 * up to where they are.
 */
#include "cli/check.h"

#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/options.h"
#include "common/json.h"
#include "common/stage_impl.h"

/* ---- saying ---- */

static uint64_t
count_kind(struct check *c, const char *kind)
{
	size_t i;

	for (i = 0; i < CHECK_KINDS; i++) {
		if (c->kinds[i].kind == NULL)
			c->kinds[i].kind = kind;
		if (strcmp(c->kinds[i].kind, kind) == 0)
			return ++c->kinds[i].count;
	}
	return 1;
}

static void
say(const struct check *c, const char *member, const char *kind,
    const char *words)
{
	struct buf out;

	buf_init(&out, SIZE_MAX / 4);
	if (!c->cli->json) {
		printf("%s: %s\n", kind, words);
	} else {
		buf_addf(&out, "{\"%s\":\"%s\",\"message\":", member, kind);
		json_put_str(&out, slice_str(words));
		buf_addc(&out, '}');
		puts(buf_cstr(&out));
	}
	buf_release(&out);
}

void
check_finding(struct check *c, const char *kind, const char *fmt, ...)
{
	struct buf words;
	va_list ap;

	c->findings++;
	if (count_kind(c, kind) > CHECK_SHOWN)
		return;
	buf_init(&words, SIZE_MAX / 4);
	va_start(ap, fmt);
	buf_vaddf(&words, fmt, ap);
	va_end(ap);
	say(c, "check", kind, buf_cstr(&words));
	buf_release(&words);
}

void
check_note(struct check *c, const char *fmt, ...)
{
	struct buf words;
	va_list ap;

	buf_init(&words, SIZE_MAX / 4);
	va_start(ap, fmt);
	buf_vaddf(&words, fmt, ap);
	va_end(ap);
	say(c, "note", "note", buf_cstr(&words));
	buf_release(&words);
}

static void
say_unshown(const struct check *c)
{
	struct buf words;
	size_t i;

	buf_init(&words, 256);
	for (i = 0; i < CHECK_KINDS && c->kinds[i].kind != NULL; i++) {
		if (c->kinds[i].count <= CHECK_SHOWN)
			continue;
		buf_clear(&words);
		buf_addf(&words, "and %llu more",
		    (unsigned long long)c->kinds[i].count - CHECK_SHOWN);
		say(c, "check", c->kinds[i].kind, buf_cstr(&words));
	}
	buf_release(&words);
}

/* ---- records ---- */

static struct db_txn *
txn_of(const struct check *c, enum table_id table)
{
	return c->txns[table_spec(table)->env];
}

const char *
check_key(struct check *c, enum table_id table, struct slice key)
{
	struct slice words = SLICE_NONE;
	struct buf out;
	size_t i;

	if (key.len == 8 && table_spec(table)->key != KEY_text)
		words = arena_printf(&c->arena, "%llu",
		    (unsigned long long)key_read_u64(key, 0));
	else if (table == TABLE_thread_turns && key.len == 16)
		words = arena_printf(&c->arena, "t%llu turn %llu",
		    (unsigned long long)key_read_u64(key, 0),
		    (unsigned long long)key_read_u64(key, 8));
	else {
		buf_init(&out, 2048);
		for (i = 0; i < key.len; i++) {
			if (key.ptr[i] >= 0x20 && key.ptr[i] < 0x7f)
				buf_addc(&out, key.ptr[i]);
			else
				buf_addf(&out, "\\%02x",
				    (unsigned char)key.ptr[i]);
		}
		words = arena_dup(&c->arena, buf_slice(&out));
		buf_release(&out);
	}
	return arena_cstr(&c->arena, words);
}

/* Sums over entries mean nothing when one of them was left out. */
static void
note_hole(struct check *c, enum table_id table)
{
	if (table == TABLE_log || table == TABLE_s_ingest)
		c->partial = true;
}

bool
check_decode(struct check *c, enum table_id table, const struct db_entry *e,
    struct msg *out)
{
	const struct table_spec *spec = table_spec(table);
	struct msg_error why;

	if (msg_decode(e->value, &c->arena, out, &why) == -1) {
		note_hole(c, table);
		check_finding(c, "record", "%s %s: cannot be read: %s",
		    spec->name, check_key(c, table, e->key), why.text);
		return false;
	}
	if (strcmp(spec->value, "any") == 0 ||
	    strcmp(spec->value, msg_spec(out->id)->name) == 0)
		return true;
	check_finding(c, "record", "%s %s: is a %s, not a %s", spec->name,
	    check_key(c, table, e->key), msg_spec(out->id)->name, spec->value);
	return false;
}

bool
check_get(struct check *c, enum table_id table, struct slice key,
    enum msg_id id, void *out)
{
	struct msg_error why;
	struct slice value;

	/* What is bad is said once, where its table is read through. */
	return db_get(txn_of(c, table), table, key, &value) &&
	    msg_decode_as(value, &c->arena, id, out, &why) == 0;
}

bool
check_has(struct check *c, enum table_id table, struct slice key)
{
	struct slice value;

	return db_get(txn_of(c, table), table, key, &value);
}

struct db_cursor *
check_rows(struct check *c, enum table_id table)
{
	return db_cursor(txn_of(c, table), table);
}

/* ---- opening ---- */

static void
open_all(struct check *c)
{
	struct db_error why;
	enum env_id env;

	for (env = ENV_COUNT; env-- > 0;) {
		if (env == ENV_shared) {
			c->dbs[env] = cli_open(c->cli, env);
			continue;
		}
		c->dbs[env] = cli_try_open(c->cli, env, &why);
		if (c->dbs[env] == NULL && !why.absent)
			check_finding(c, "tables", "%s", why.text);
	}
	if (c->dbs[ENV_shared] == NULL)
		return;
	/* The shared one last: the others are then never ahead of it. */
	for (env = ENV_COUNT; env-- > 0;)
		if (c->dbs[env] != NULL)
			c->txns[env] = db_read(c->dbs[env]);
}

/* A page that LMDB could not read ends a transaction's answers. */
static void
check_states(struct check *c)
{
	enum env_id env;

	for (env = 0; env < ENV_COUNT; env++)
		if (c->txns[env] != NULL && db_state(c->txns[env]) != DB_DONE)
			check_finding(c, "tables", "%s: %s",
			    db_dir(c->dbs[env]), db_reason(c->dbs[env]));
}

static void
close_all(struct check *c)
{
	enum env_id env;

	for (env = 0; env < ENV_COUNT; env++) {
		db_abort(&c->txns[env]);
		db_close(&c->dbs[env]);
	}
}

/* ---- the store as a whole ---- */

static void
check_meta(struct check *c)
{
	struct msg_meta meta;

	if (!check_get(c, TABLE_meta, SLICE("store"), MSG_meta, &meta)) {
		check_finding(c, "meta", "the store does not say what it is");
		return;
	}
	if (meta.store_id.len != 16)
		check_finding(c, "meta", "the store's id has %zu bytes, not "
		    "16", meta.store_id.len);
	c->store_id = arena_dup(&c->kept, meta.store_id);
}

static void
check_cursors(struct check *c)
{
	enum stage_id id;

	for (id = 0; id < STAGE_COUNT; id++) {
		if (!check_get(c, TABLE_cursors, slice_str(stage_name(id)),
			MSG_cursor, &c->cursors[id]))
			c->cursors[id] = (struct msg_cursor){ 0 };
		if (id > 0 && c->cursors[id].seq > c->cursors[id - 1].seq)
			check_finding(c, "cursors", "%s stands at %llu, past "
			    "%s at %llu", stage_name(id),
			    (unsigned long long)c->cursors[id].seq,
			    stage_name(id - 1),
			    (unsigned long long)c->cursors[id - 1].seq);
	}
}

/* ---- own tables follow their sections ---- */

static bool
check_derived(struct check *c, enum env_id env, enum table_id table,
    enum stage_id stage)
{
	struct msg_derived d;

	if (c->txns[env] == NULL) {
		if (c->cursors[stage].seq > 0 && env != ENV_probe)
			check_note(c, "%s's own tables are not there; it makes "
			    "them when it starts", stage_name(stage));
		return false;
	}
	if (!check_get(c, table, SLICE("follows"), MSG_derived, &d) ||
	    !slice_eq(d.store_id, c->store_id) ||
	    d.schema != TABLES_SCHEMA || d.epoch != c->cursors[stage].epoch) {
		check_note(c, "%s's own tables belong to another state of the "
		    "store; it makes them again when it starts",
		    env_name(env));
		return false;
	}
	if (d.seq > c->cursors[stage].seq) {
		check_finding(c, "derived", "%s's own tables are at %llu, past "
		    "its cursor %llu", env_name(env),
		    (unsigned long long)d.seq,
		    (unsigned long long)c->cursors[stage].seq);
		return false;
	}
	if (d.seq < c->cursors[stage].seq)
		check_note(c, "%s's own tables are at %llu of %llu",
		    env_name(env), (unsigned long long)d.seq,
		    (unsigned long long)c->cursors[stage].seq);
	if (env == ENV_ingest)
		c->applied = d.seq;
	return true;
}

static void
check_all_derived(struct check *c)
{
	c->tables = check_derived(c, ENV_ingest, TABLE_ingest_derived,
	    STAGE_ingest);
#define STAGE(name, what)                                                  \
	if (STAGE_##name != STAGE_ingest)                                  \
		c->follows[STAGE_##name] = check_derived(c, ENV_##name,    \
		    TABLE_##name##_derived, STAGE_##name);
#include "common/stages.def"
	if (c->txns[ENV_probe] != NULL)
		(void)check_derived(c, ENV_probe, TABLE_probe_derived,
		    STAGE_chainer);
}

/* ---- tables by seq ---- */

/* Looks at one record; NULL: it did not decode. */
typedef void check_record(struct check *c, enum table_id table, uint64_t seq,
    const struct msg *m);

/* Exactly 1 to `upto`, nothing beyond. */
static void
check_gapless(struct check *c, enum table_id table, uint64_t upto,
    check_record *each)
{
	const char *name = table_spec(table)->name;
	struct db_cursor *rows = check_rows(c, table);
	uint64_t seq, last = 0;
	struct db_entry e;
	struct msg m;

	while (db_next(rows, &e)) {
		if (e.key.len != 8) {
			check_finding(c, "key", "%s: a key of %zu bytes", name,
			    e.key.len);
			continue;
		}
		seq = key_read_u64(e.key, 0);
		if (seq > upto) {
			check_finding(c, "beyond", "%s has %llu, past the "
			    "cursor %llu", name, (unsigned long long)seq,
			    (unsigned long long)upto);
		} else if (seq != last + 1) {
			note_hole(c, table);
			check_finding(c, "gap", "%s: %llu follows %llu", name,
			    (unsigned long long)seq,
			    (unsigned long long)last);
		}
		last = seq;
		if (check_decode(c, table, &e, &m) && seq <= upto)
			each(c, table, seq, &m);
		arena_reset(&c->arena);
	}
	if (last < upto) {
		note_hole(c, table);
		check_finding(c, "gap", "%s ends at %llu, the cursor is %llu",
		    name, (unsigned long long)last, (unsigned long long)upto);
	}
	db_cursor_close(&rows);
}

static void
each_arrival(struct check *c, enum table_id table, uint64_t seq,
    const struct msg *m)
{
	(void)c;
	(void)table;
	(void)seq;
	(void)m;
}

static enum stage_id
stage_of(enum table_id table)
{
	enum stage_id id;

	for (id = 0; id < STAGE_COUNT - 1; id++)
		if (stage_section_table(id) == table)
			break;
	return id;
}

static void
each_section(struct check *c, enum table_id table, uint64_t seq,
    const struct msg *m)
{
	const char *stage = stage_name(stage_of(table));
	struct key k = key_u64(seq);

	if (m->id != MSG_s_none || !m->as->s_none.rejected)
		return;
	key_add_text(&k, slice_str(stage));
	if (!check_has(c, TABLE_rejects, key_slice(&k)))
		check_finding(c, "rejects", "%s rejected %llu, but rejects has "
		    "no row for it", stage, (unsigned long long)seq);
}

static void
check_parent(struct check *c, uint64_t seq, const struct msg_exchange *x)
{
	struct key k = key_u64(x->parent_seq);
	struct msg_exchange parent;

	if (x->parent_seq == 0) {
		if (x->known > 0)
			check_finding(c, "parent", "entry %llu continues %llu "
			    "messages, but names none",
			    (unsigned long long)seq,
			    (unsigned long long)x->known);
		return;
	}
	if (x->parent_seq >= seq) {
		check_finding(c, "parent", "entry %llu continues %llu, which "
		    "is not earlier", (unsigned long long)seq,
		    (unsigned long long)x->parent_seq);
		return;
	}
	if (!check_get(c, TABLE_log, key_slice(&k), MSG_exchange, &parent) ||
	    x->parent_i >= parent.n_added ||
	    parent.known + x->parent_i + 1 != x->known)
		check_finding(c, "parent", "entry %llu continues message "
		    "%llu.%llu, which is not there",
		    (unsigned long long)seq,
		    (unsigned long long)x->parent_seq,
		    (unsigned long long)x->parent_i);
}

/* A call without system text has the hash of nothing, and no row. */
static void
check_system(struct check *c, uint64_t seq, struct slice hash)
{
	unsigned char none[16];

	crypto_generichash(none, sizeof(none), NULL, 0, NULL, 0);
	if (hash.len == 0 ||
	    slice_eq(hash, slice_of((char *)none, sizeof(none))) ||
	    check_has(c, TABLE_systems, hash))
		return;
	check_finding(c, "systems", "entry %llu: its system text is not there",
	    (unsigned long long)seq);
}

static void
each_entry(struct check *c, enum table_id table, uint64_t seq,
    const struct msg *m)
{
	struct key k = key_u64(seq);
	struct msg_s_ingest section;

	(void)table;
	if (!msg_is_entry(m->id)) {
		check_finding(c, "record", "log %llu: a %s is no entry",
		    (unsigned long long)seq, msg_spec(m->id)->name);
		return;
	}
	if (m->as->envelope.domain.len == 0)
		check_finding(c, "record", "log %llu: has no domain",
		    (unsigned long long)seq);
	if (m->id == MSG_exchange) {
		check_parent(c, seq, &m->as->exchange);
		check_system(c, seq, m->as->exchange.system_hash);
	}
	if (!check_get(c, TABLE_s_ingest, key_slice(&k), MSG_s_ingest,
		&section))
		return;		/* s_ingest's own pass says so */
	if (c->tables && seq <= c->applied)
		check_place(c, seq, m, &section);
}

/* ---- other tables ---- */

static void
check_rejects(struct check *c)
{
	struct db_cursor *rows = check_rows(c, TABLE_rejects);
	struct msg_s_none section;
	struct db_entry e;
	enum stage_id id;
	struct key k;
	struct msg m;

	while (db_next(rows, &e)) {
		arena_reset(&c->arena);
		if (!check_decode(c, TABLE_rejects, &e, &m))
			continue;
		k = key_u64(m.as->reject.seq);
		if (stage_named(m.as->reject.stage, &id) == 0 &&
		    check_get(c, stage_section_table(id), key_slice(&k),
			MSG_s_none, &section) && section.rejected)
			continue;
		check_finding(c, "rejects", "a row says that %.*s rejected "
		    "%llu, its section does not",
		    SLICE_ARG(m.as->reject.stage),
		    (unsigned long long)m.as->reject.seq);
	}
	db_cursor_close(&rows);
}

/* Every record of a table that no other pass reads. */
static void
check_records(struct check *c, enum table_id table)
{
	struct db_cursor *rows = check_rows(c, table);
	bool text = strcmp(table_spec(table)->value, "text") == 0;
	struct db_entry e;
	struct msg m;

	while (!text && db_next(rows, &e)) {
		(void)check_decode(c, table, &e, &m);
		arena_reset(&c->arena);
	}
	db_cursor_close(&rows);
}

static void
check_rest(struct check *c)
{
	size_t i;

	for (i = 0; i < TABLE_COUNT; i++) {
		if (c->txns[table_spec(i)->env] == NULL ||
		    i == TABLE_log || i == TABLE_arrivals ||
		    i == TABLE_rejects ||
		    (i >= TABLE_s_ingest && i <= TABLE_s_store))
			continue;
		check_records(c, i);
	}
}

/* ---- the verb ---- */

static void
check_store(struct check *c, bool deep)
{
	enum stage_id id;

	check_meta(c);
	check_cursors(c);
	check_all_derived(c);
	check_gapless(c, TABLE_log, c->cursors[STAGE_ingest].seq, each_entry);
	check_gapless(c, TABLE_arrivals, c->cursors[STAGE_ingest].seq,
	    each_arrival);
	for (id = 0; id < STAGE_COUNT; id++)
		check_gapless(c, stage_section_table(id), c->cursors[id].seq,
		    each_section);
	check_rejects(c);
	check_rest(c);
	if (c->tables)
		check_ingest_tables(c);
	check_states(c);
	if (c->follows[STAGE_store])
		check_index(c, deep);
	if (deep)
		check_deep(c);
}

static void
say_result(const struct check *c, int64_t took_ms)
{
	unsigned long long entries = c->cursors[STAGE_ingest].seq;

	say_unshown(c);
	if (c->cli->json)
		printf("{\"ok\":%s,\"findings\":%llu,\"entries\":%llu,"
		       "\"turns\":%llu,\"threads\":%llu,\"took_ms\":%lld}\n",
		    c->findings == 0 ? "true" : "false",
		    (unsigned long long)c->findings, entries,
		    (unsigned long long)c->turns,
		    (unsigned long long)c->begun, (long long)took_ms);
	else if (c->findings == 0)
		printf("sound: %llu entries, %llu turns, %llu threads, "
		       "looked at in %.1f s\n", entries,
		    (unsigned long long)c->turns,
		    (unsigned long long)c->begun, (double)took_ms / 1000);
	else
		printf("%llu findings\n", (unsigned long long)c->findings);
}

int
verb_check(struct cli *cli, int argc, char **argv)
{
	struct check c = { .cli = cli };
	bool deep = false, forgotten = false;
	struct slice text = SLICE_NONE;
	uint64_t after = 0;
	const struct option_spec specs[] = {
		{ "deep", OPTION_FLAG, &deep, NULL },
		{ "forgotten", OPTION_FLAG, &forgotten, NULL },
		{ "text", OPTION_TEXT, &text, NULL },
		{ "after", OPTION_NUMBER, &after, NULL },
		{ 0 } };
	int64_t began_ms = wall_ms();
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc > 1)
		return cli_usage(cli, "'%s' is not understood: 'skein check "
		    "[--deep] [--forgotten [--text T]]'", argv[1]);
	if (text.len > 0 && !forgotten)
		return cli_usage(cli, "--text is for --forgotten");
	if (after > 0 && cli_wait_store(cli, after) == -1)
		return 1;
	if (sodium_init() == -1)
		return cli_fail(cli, "libsodium cannot start");
	arena_init(&c.arena);
	arena_init(&c.kept);
	open_all(&c);
	rc = c.txns[ENV_shared] == NULL;
	if (rc == 0)
		check_store(&c, deep);
	if (rc == 0 && forgotten)
		check_forgotten(&c, text);
	close_all(&c);
	if (rc == 0)
		say_result(&c, wall_ms() - began_ms);
	arena_release(&c.arena);
	arena_release(&c.kept);
	return rc != 0 || c.findings > 0 ? 1 : 0;
}
