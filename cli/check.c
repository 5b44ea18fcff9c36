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
#include <stdio.h>

#include "cli/options.h"
#include "common/clock.h"
#include "common/stage.h"

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
	    d.schema != env_schema(env) || d.epoch != c->cursors[stage].epoch) {
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

/* ---- other tables ---- */

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
	check_meta(c);
	check_cursors(c);
	check_all_derived(c);
	check_log(c);
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

	check_say_unshown(c);
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
	int64_t began_ms = steady_ms();
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
		say_result(&c, steady_ms() - began_ms);
	arena_release(&c.arena);
	arena_release(&c.kept);
	return rc != 0 || c.findings > 0 ? 1 : 0;
}
