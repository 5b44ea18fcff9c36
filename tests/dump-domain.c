/*
 * dump-domain - what a store says of one domain, whatever else is in it
 *
 *   dump-domain [--home DIR] DOMAIN
 *
 * One line per entry: the entry and what ingest and the test stage said of it,
 * then one per thread.  Every seq is replaced by the entry's number within its
 * domain, so that two stores can be compared in which clients of different
 * domains took turns differently.  The store must be at rest.
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/stage.h"
#include "common/xmalloc.h"

static struct {
	struct conf conf;
	struct slice domain;
	uint64_t *numbers;	/* by seq; 0: another domain's */
	uint64_t last;
	struct arena arena;
	struct buf line;
} dump;

/* References never cross a domain: one that does prints as 0. */
static uint64_t
number_of(uint64_t seq)
{
	return seq <= dump.last ? dump.numbers[seq] : 0;
}

static void
renumber(struct msg *m)
{
	union msg_any *as = (union msg_any *)(uintptr_t)m->as;

	switch (m->id) {
	case MSG_exchange:
		as->exchange.parent_seq = number_of(as->exchange.parent_seq);
		break;
	case MSG_s_ingest:
		as->s_ingest.thread = number_of(as->s_ingest.thread);
		as->s_ingest.parent_thread =
		    number_of(as->s_ingest.parent_thread);
		break;
	case MSG_s_probe:
		as->s_probe.previous = number_of(as->s_probe.previous);
		break;
	case MSG_thread:
		as->thread.key = number_of(as->thread.key);
		as->thread.parent = number_of(as->thread.parent);
		as->thread.last_seq = number_of(as->thread.last_seq);
		break;
	default:
		break;
	}
}

static void
print_record(struct slice record)
{
	struct msg_error why;
	struct msg m;

	if (msg_decode(record, &dump.arena, &m, &why) == -1)
		fatalx(1, "%s", why.text);
	renumber(&m);
	buf_addc(&dump.line, ' ');
	msg_to_json(&dump.line, m.id, m.as, false);
}

static bool
is_ours(struct slice record)
{
	struct msg_error why;
	struct msg m;

	if (msg_decode(record, &dump.arena, &m, &why) == -1 ||
	    !msg_is_entry(m.id))
		fatalx(1, "the log holds what is no entry");
	return slice_eq(m.as->envelope.domain, dump.domain);
}

static void
number_entries(struct db_txn *txn)
{
	struct db_cursor *c = db_cursor(txn, TABLE_log);
	struct db_entry e;
	uint64_t count = 0;

	if (db_last(c, &e))
		dump.last = key_read_u64(e.key, 0);
	dump.numbers = xcalloc(dump.last + 1, sizeof(dump.numbers[0]));
	db_cursor_close(&c);
	c = db_cursor(txn, TABLE_log);
	while (db_next(c, &e)) {
		if (is_ours(e.value))
			dump.numbers[key_read_u64(e.key, 0)] = ++count;
		arena_reset(&dump.arena);
	}
	db_cursor_close(&c);
}

static void
print_entries(struct db_txn *txn)
{
	static const enum table_id tables[] = { TABLE_log, TABLE_s_ingest,
		TABLE_s_chainer };
	struct slice record;
	struct key k;
	uint64_t seq;
	size_t i;

	for (seq = 1; seq <= dump.last; seq++) {
		if (dump.numbers[seq] == 0)
			continue;
		k = key_u64(seq);
		buf_clear(&dump.line);
		for (i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
			if (db_get(txn, tables[i], key_slice(&k), &record))
				print_record(record);
		printf("%llu%s\n", (unsigned long long)dump.numbers[seq],
		    buf_cstr(&dump.line));
		arena_reset(&dump.arena);
	}
}

static void
print_threads(struct db_txn *txn)
{
	struct db_cursor *c = db_cursor(txn, TABLE_threads);
	struct db_entry e;

	while (db_next(c, &e)) {
		if (number_of(key_read_u64(e.key, 0)) == 0)
			continue;
		buf_clear(&dump.line);
		print_record(e.value);
		printf("thread%s\n", buf_cstr(&dump.line));
		arena_reset(&dump.arena);
	}
}

static struct db_txn *
open_env(struct db **db, enum env_id env)
{
	struct db_options options = stage_db_options(&dump.conf);
	char *dir = conf_path(&dump.conf, "db/%s", env_name(env));
	struct db_error why;

	options.read_only = true;
	if (db_open(db, dir, env, &options, &why) == -1)
		fatalx(1, "%s", why.text);
	free(dir);
	return db_read(*db);
}

int
main(int argc, char **argv)
{
	struct db *shared, *own;
	struct db_txn *log, *tables;

	log_open("dump-domain", LOG_WARN);
	conf_load(&dump.conf, &argc, argv, 2);
	if (argc != 2)
		fatalx(2, "usage: dump-domain [--home DIR] DOMAIN");
	dump.domain = slice_str(argv[1]);
	arena_init(&dump.arena);
	buf_init(&dump.line, SIZE_MAX / 4);
	log = open_env(&shared, ENV_shared);
	tables = open_env(&own, ENV_ingest);
	number_entries(log);
	print_entries(log);
	print_threads(tables);
	db_abort(&log);
	db_abort(&tables);
	db_close(&shared);
	db_close(&own);
	free(dump.numbers);
	arena_release(&dump.arena);
	buf_release(&dump.line);
	conf_release(&dump.conf);
	return fflush(stdout) == EOF;
}
