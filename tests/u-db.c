/*
 * u-db - environments, tables, sticky errors, growth, cursors, keys
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/db.h"
#include "common/xmalloc.h"
#include "tests/tap.h"

enum { MIB = 1 << 20 };

static struct test {
	const char *program;
	char folder[64];
	char *dir;
	struct db_options options;
} t = {
	.folder = "/tmp/skein-u-db.XXXXXX",
	.options = { .map_bytes = MIB, .map_limit = 64 * MIB,
	    .max_readers = 32 },
};

static struct db *
open_db(void)
{
	struct db_error why;
	struct db *db;

	if (db_open(&db, t.dir, ENV_shared, &t.options, &why) == -1) {
		printf("Bail out! %s\n", why.text);
		exit(1);
	}
	return db;
}

static void
put_u64(struct db_txn *txn, uint64_t n, struct slice value)
{
	struct key k = key_u64(n);

	db_put(txn, TABLE_log, key_slice(&k), value);
}

static void
commit(struct db_txn **txn, enum db_result want, const char *what)
{
	is_int(db_commit(txn), want, what);
	ok(*txn == NULL, "and the transaction is gone");
}

/* ---- opening ---- */

static void
test_open(void)
{
	struct db_options read_only = t.options;
	struct db_error why;
	struct db *db = NULL;
	char *path;
	FILE *file;

	read_only.read_only = true;
	ok(db_open(&db, t.dir, ENV_shared, &read_only, &why) == -1 &&
	    why.absent && !why.damaged, "absent: %s", why.text);
	ok(db == NULL, "nothing was opened");
	db = open_db();
	is(db_dir(db), t.dir, "made where it was asked for");
	db_close(&db);
	ok(db == NULL, "closing forgets the pointer");
	db_close(&db);
	is_int(db_open(&db, t.dir, ENV_shared, &read_only, &why), 0,
	    "for reading, once it is there");
	db_close(&db);
	is_int(db_wipe(t.dir), 0, "wiped");
	is_int(db_wipe(t.dir), 0, "wiping nothing is no mistake");

	path = xasprintf("%s/data.mdb", t.dir);
	file = fopen(path, "w");
	if (file == NULL || fprintf(file, "%10000s", "no LMDB") < 0 ||
	    fclose(file) == EOF)
		abort();
	ok(db_open(&db, t.dir, ENV_shared, &t.options, &why) == -1 &&
	    why.damaged && !why.absent, "damaged: %s", why.text);
	free(path);
	db_wipe(t.dir);
}

/* Cut short behind LMDB's back: an error now, not a SIGBUS later. */
static void
test_cut_file(void)
{
	struct db *db = open_db();
	struct db_txn *txn = db_write(db);
	struct db_error why;
	char *path, big[9000] = "";
	uint64_t i;

	for (i = 0; i < 40; i++)
		put_u64(txn, i, slice_of(big, sizeof(big)));
	commit(&txn, DB_DONE, "some pages");
	db_close(&db);
	path = xasprintf("%s/data.mdb", t.dir);
	is_int(truncate(path, 5 * 4096), 0, "the file is cut");
	ok(db_open(&db, t.dir, ENV_shared, &t.options, &why) == -1 &&
	    why.damaged, "which opening finds: %s", why.text);
	free(path);
	db_wipe(t.dir);
}

/* ---- tables ---- */

static void
test_values(void)
{
	struct db *db = open_db();
	struct db_txn *txn = db_write(db);
	struct slice got;
	struct key k = key_u64(5);

	ok(!db_get(txn, TABLE_log, key_slice(&k), &got), "not there");
	is_int(db_state(txn), DB_DONE, "which is no error");
	put_u64(txn, 5, SLICE("five"));
	ok(db_get(txn, TABLE_log, key_slice(&k), &got) && slice_is(got, "five"),
	    "there within the transaction");
	put_u64(txn, 5, SLICE("FIVE"));
	db_delete(txn, TABLE_log, SLICE("12345678"));
	is_int(db_state(txn), DB_DONE, "deleting what is not there is no error");
	is_int(db_count(txn, TABLE_log), 1, "counted");
	commit(&txn, DB_DONE, "kept");

	txn = db_write(db);
	put_u64(txn, 6, SLICE("six"));
	db_abort(&txn);
	txn = db_read(db);
	ok(db_get(txn, TABLE_log, key_slice(&k), &got) && slice_is(got, "FIVE"),
	    "the later of two");
	is_int(db_count(txn, TABLE_log), 1, "what was given up is not there");
	is_int(db_count(txn, TABLE_systems), 0, "tables are apart");
	db_abort(&txn);

	txn = db_write(db);
	db_delete(txn, TABLE_log, key_slice(&k));
	commit(&txn, DB_DONE, "deleted");
	txn = db_write(db);
	put_u64(txn, 1, SLICE("a"));
	put_u64(txn, 2, SLICE(""));
	db_clear(txn, TABLE_log);
	is_int(db_count(txn, TABLE_log), 0, "cleared");
	db_abort(&txn);
	db_close(&db);
}

static void
test_messages(void)
{
	struct db *db = open_db();
	struct db_txn *txn = db_write(db);
	struct msg_cursor in = { .seq = 7, .epoch = 2 }, out;
	struct arena arena;

	arena_init(&arena);
	db_put_msg(txn, TABLE_cursors, SLICE("x"), MSG_cursor, &in);
	ok(db_get_msg(txn, TABLE_cursors, SLICE("x"), MSG_cursor, &arena,
	    &out) && out.seq == 7 && out.epoch == 2, "a message in and out");
	ok(!db_get_msg(txn, TABLE_cursors, SLICE("y"), MSG_cursor, &arena,
	    &out) && db_state(txn) == DB_DONE, "one that is not there");
	db_put(txn, TABLE_cursors, SLICE("z"), SLICE("nonsense"));
	if (freopen("/dev/null", "w", stderr) == NULL)
		abort();
	ok(!db_get_msg(txn, TABLE_cursors, SLICE("z"), MSG_cursor, &arena,
	    &out), "a value that is no message");
	is_int(db_state(txn), DB_BROKEN, "is damage");
	commit(&txn, DB_BROKEN, "and nothing is kept");
	arena_release(&arena);
	db_close(&db);
}

static void
test_sticky(void)
{
	struct db *db = open_db();
	struct db_txn *txn;
	struct db_cursor *c;
	struct db_entry e;
	struct slice got;
	struct key k = key_u64(1);
	char long_key[600] = "x";

	txn = db_write(db);
	put_u64(txn, 1, SLICE("one"));
	commit(&txn, DB_DONE, "one row");
	is(db_reason(db), "no failure", "no failure so far");

	txn = db_write(db);
	put_u64(txn, 2, SLICE("two"));
	db_put(txn, TABLE_systems, slice_of(long_key, sizeof(long_key)),
	    SLICE("too long a key"));
	is_int(db_state(txn), DB_BROKEN, "an error is remembered");
	ok(!db_get(txn, TABLE_log, key_slice(&k), &got), "reads find nothing");
	is_int(db_count(txn, TABLE_log), 0, "counts are none");
	c = db_cursor(txn, TABLE_log);
	ok(!db_first(c, &e) && !db_last(c, &e) && !db_next(c, &e) &&
	    !db_seek(c, key_slice(&k), &e) &&
	    !db_seek_back(c, key_slice(&k), &e), "cursors find nothing");
	put_u64(txn, 3, SLICE("three"));
	db_delete(txn, TABLE_log, key_slice(&k));
	db_clear(txn, TABLE_log);
	commit(&txn, DB_BROKEN, "commit says it");
	ok(strcmp(db_reason(db), "no failure") != 0, "with the reason: %s",
	    db_reason(db));
	txn = db_read(db);
	is_int(db_count(txn, TABLE_log), 1, "and nothing half done is kept");
	db_abort(&txn);
	db_close(&db);
	db_wipe(t.dir);
}

static void
test_append(void)
{
	struct db *db = open_db();
	struct db_txn *txn = db_write(db);
	struct key k = key_u64(2);

	db_append(txn, TABLE_log, key_slice(&k), SLICE("2"));
	k = key_u64(300);
	db_append(txn, TABLE_log, key_slice(&k), SLICE("300"));
	commit(&txn, DB_DONE, "appended in order");
	txn = db_write(db);
	k = key_u64(299);
	db_append(txn, TABLE_log, key_slice(&k), SLICE("299"));
	commit(&txn, DB_BROKEN, "out of order is an error");
	txn = db_write(db);
	k = key_u64(300);
	db_append(txn, TABLE_log, key_slice(&k), SLICE("again"));
	commit(&txn, DB_BROKEN, "and so is the same key twice");
	txn = db_read(db);
	is_int(db_count(txn, TABLE_log), 2, "neither is there");
	db_abort(&txn);
	db_close(&db);
	db_wipe(t.dir);
}

static void
put_later(struct db_txn *txn, uint64_t at, uint64_t seq)
{
	struct msg_cursor c = { .seq = seq };
	struct key k = key_u64(at);

	db_put_msg_later(txn, TABLE_log, key_slice(&k), MSG_cursor, &c);
}

/* What the row of `at` says; 0: there is none. */
static uint64_t
seq_at(struct db_txn *txn, uint64_t at)
{
	struct msg_cursor c = { 0 };
	struct key k = key_u64(at);
	struct arena arena;

	arena_init(&arena);
	if (!db_get_msg(txn, TABLE_log, key_slice(&k), MSG_cursor, &arena, &c))
		c.seq = 0;
	arena_release(&arena);
	return c.seq;
}

static void
test_later(void)
{
	struct db *db = open_db();
	struct db_txn *txn = db_write(db);
	struct key k = key_u64(13);
	struct db_cursor *c;
	struct db_entry e;
	uint64_t i, wrong = 0;

	for (i = 0; i < 1000; i++)
		put_later(txn, i * 7919 % 1000, 1 + i);
	put_later(txn, 13, 5000);
	is_int(seq_at(txn, 13), 5000, "who reads sees what was put last");
	is_int(db_count(txn, TABLE_log), 1000, "and all of it is there");
	db_delete_later(txn, TABLE_log, key_slice(&k));
	put_later(txn, 14, 5001);
	commit(&txn, DB_DONE, "what waits is written with the rest");

	txn = db_write(db);
	for (i = 0; i < 1000; i++)
		if (i * 7919 % 1000 != 13 && i * 7919 % 1000 != 14)
			wrong += seq_at(txn, i * 7919 % 1000) != 1 + i;
	is_int(wrong, 0, "each row is its own");
	is_int(seq_at(txn, 13), 0, "a deletion that waited was done");
	is_int(seq_at(txn, 14), 5001, "and a put over an older row");
	db_delete_later(txn, TABLE_log, key_slice(&k));
	put_later(txn, 13, 5002);
	put_later(txn, 5000, 1);
	c = db_cursor(txn, TABLE_log);
	ok(db_last(c, &e) && key_read_u64(e.key, 0) == 5000,
	    "a cursor sees what waited");
	is_int(seq_at(txn, 13), 5002, "put again after it was deleted");
	put_later(txn, 6000, 1);
	db_abort(&txn);
	txn = db_read(db);
	is_int(db_count(txn, TABLE_log), 999, "given up: nothing is kept");
	db_abort(&txn);
	db_close(&db);
	db_wipe(t.dir);
}

static void
append(struct db_txn *txn, uint64_t from, uint64_t to)
{
	struct slice value = slice_of(t.folder, sizeof(t.folder));
	struct key k;

	for (; from < to; from++) {
		k = key_u64(from);
		db_append(txn, TABLE_log, key_slice(&k), value);
	}
}

/* The end of a table is not where it was once another way was used. */
static void
test_append_between(void)
{
	struct db *db = open_db();
	struct db_txn *txn = db_write(db);
	struct key k = key_u64(3999);
	struct db_cursor *c;
	struct db_entry e;
	uint64_t n = 0, wrong = 0;

	append(txn, 0, 1000);
	put_u64(txn, 1000, SLICE("put"));
	append(txn, 1001, 2000);
	put_later(txn, 2000, 1);
	append(txn, 2001, 4000);
	db_delete(txn, TABLE_log, key_slice(&k));
	append(txn, 3999, 5000);
	c = db_cursor(txn, TABLE_log);
	while (n == 0 ? db_first(c, &e) : db_next(c, &e))
		wrong += key_read_u64(e.key, 0) != n++;
	is_int((long long)wrong, 0, "appended in order, whatever came between");
	is_int((long long)n, 5000, "all of them");
	db_clear(txn, TABLE_log);
	append(txn, 7, 10);
	is_int((long long)db_count(txn, TABLE_log), 3, "also to an empty table");
	commit(&txn, DB_DONE, "and kept");
	db_close(&db);
	db_wipe(t.dir);
}

static void
add_seq(void *msg, const void *there)
{
	((struct msg_cursor *)msg)->seq +=
	    ((const struct msg_cursor *)there)->seq;
}

static void
merge_later(struct db_txn *txn, uint64_t at, uint64_t seq)
{
	struct msg_cursor c = { .seq = seq };
	struct key k = key_u64(at);

	db_merge_msg_later(txn, TABLE_log, key_slice(&k), MSG_cursor, &c,
	    add_seq);
}

static void
test_later_merged(void)
{
	struct db *db = open_db();
	struct db_txn *txn = db_write(db);
	struct key k = key_u64(3);

	put_later(txn, 1, 10);
	merge_later(txn, 1, 5);
	merge_later(txn, 2, 7);
	merge_later(txn, 2, 8);
	merge_later(txn, 2, 9);
	put_later(txn, 3, 1);
	commit(&txn, DB_DONE, "what is merged is written with the rest");
	txn = db_write(db);
	is_int(seq_at(txn, 1), 15, "joined to what was put before");
	is_int(seq_at(txn, 2), 24, "or merged before");
	merge_later(txn, 1, 100);
	merge_later(txn, 2, 100);
	put_later(txn, 2, 4);
	db_delete_later(txn, TABLE_log, key_slice(&k));
	merge_later(txn, 3, 50);
	is_int(seq_at(txn, 1), 115, "or what the table had");
	is_int(seq_at(txn, 2), 4, "a put is the last word");
	is_int(seq_at(txn, 3), 50, "what is gone is not joined");
	db_put(txn, TABLE_log, key_slice(&k), SLICE("\x93 garbled"));
	merge_later(txn, 3, 1);
	commit(&txn, DB_BROKEN, "nor what cannot be read");
	db_close(&db);
	db_wipe(t.dir);
}

/* Names of many lengths, of which some are the beginnings of others. */
static void
test_later_names(void)
{
	struct db *db = open_db();
	struct db_txn *txn = db_write(db);
	char name[32] = "common beginning ";
	size_t len = strlen(name), i, n = 0;
	struct msg_cursor row = { 0 };
	struct db_cursor *c;
	struct db_entry e;
	bool there;

	for (i = 0; i < 400; i++) {
		memset(name + len, 'a' + (int)(i * 7 % 20), 1 + i % 12);
		row.seq = i;
		db_put_msg_later(txn, TABLE_cursors,
		    slice_of(name, len + 1 + i % 12), MSG_cursor, &row);
	}
	db_put_msg_later(txn, TABLE_cursors, slice_of(name, len), MSG_cursor,
	    &row);
	c = db_cursor(txn, TABLE_cursors);
	for (there = db_first(c, &e); there; there = db_next(c, &e))
		n++;
	is_int(n, 60 + 1, "each of a few dozen names once");
	db_abort(&txn);
	db_close(&db);
	db_wipe(t.dir);
}

static void
test_later_full(void)
{
	struct db_options small = t.options, was = t.options;
	struct msg_s_chainer section = { .formula = SLICE("x") };
	struct db *db;
	struct db_txn *txn;
	struct key k;
	uint64_t i;

	small.map_limit = small.map_bytes;
	t.options = small;
	db = open_db();
	t.options = was;
	txn = db_write(db);
	for (i = 0; i < 100000; i++) {
		k = key_u64(i);
		db_put_msg_later(txn, TABLE_log, key_slice(&k),
		    MSG_s_chainer, &section);
	}
	commit(&txn, DB_FULL, "no room for what waited is said");
	txn = db_read(db);
	is_int(db_count(txn, TABLE_log), 0, "and none of it is kept");
	db_abort(&txn);
	db_close(&db);
	db_wipe(t.dir);
}

/* ---- cursors ---- */

static uint64_t
number(const struct db_entry *e)
{
	return key_read_u64(e->key, 0);
}

static void
test_cursors(void)
{
	struct db *db = open_db();
	struct db_txn *txn = db_write(db);
	struct db_cursor *c = db_cursor(txn, TABLE_log), *other;
	struct db_entry e;
	struct key k = key_u64(20);

	ok(!db_first(c, &e) && !db_last(c, &e) && !db_next(c, &e) &&
	    !db_prev(c, &e) && !db_seek(c, key_slice(&k), &e) &&
	    !db_seek_back(c, key_slice(&k), &e), "an empty table has no rows");
	put_u64(txn, 10, SLICE("a"));
	put_u64(txn, 20, SLICE("b"));
	put_u64(txn, 30, SLICE("c"));
	commit(&txn, DB_DONE, "a cursor left open goes with its transaction");

	txn = db_read(db);
	c = db_cursor(txn, TABLE_log);
	other = db_cursor(txn, TABLE_log);
	ok(db_next(c, &e) && number(&e) == 10, "a fresh cursor begins");
	ok(db_next(c, &e) && number(&e) == 20, "goes on");
	ok(db_next(c, &e) && number(&e) == 30 && slice_is(e.value, "c"),
	    "to the last");
	ok(!db_next(c, &e), "and ends");
	ok(db_prev(c, &e) && number(&e) == 20, "back");
	ok(db_first(c, &e) && number(&e) == 10 && !db_prev(c, &e), "first");
	ok(db_last(c, &e) && number(&e) == 30, "last");
	ok(db_seek(c, key_slice(&k), &e) && number(&e) == 20, "seek: equal");
	k = key_u64(21);
	ok(db_seek(c, key_slice(&k), &e) && number(&e) == 30, "seek: after");
	ok(db_seek_back(c, key_slice(&k), &e) && number(&e) == 20,
	    "seek back: before");
	k = key_u64(31);
	ok(!db_seek(c, key_slice(&k), &e), "seek: past the end");
	ok(db_seek_back(c, key_slice(&k), &e) && number(&e) == 30,
	    "seek back: from past the end");
	k = key_u64(30);
	ok(db_seek_back(c, key_slice(&k), &e) && number(&e) == 30,
	    "seek back: equal");
	k = key_u64(9);
	ok(!db_seek_back(c, key_slice(&k), &e), "seek back: before the first");
	is_int(db_state(txn), DB_DONE, "none of this is an error");
	ok(db_first(other, &e) && number(&e) == 10, "cursors are apart");
	db_cursor_close(&c);
	ok(c == NULL && db_next(other, &e) && number(&e) == 20,
	    "one closed, the other goes on");
	db_abort(&txn);
	db_close(&db);
	db_wipe(t.dir);
}

/* ---- room ---- */

/* 100 rows of 64 KiB; how the transaction ended. */
static enum db_result
fill(struct db *db, uint64_t from)
{
	static const char big[64 * 1024];
	struct db_txn *txn = db_write(db);
	uint64_t i;

	for (i = 0; i < 100; i++)
		put_u64(txn, from + i, slice_of(big, sizeof(big)));
	return db_commit(&txn);
}

static void
test_growth(void)
{
	struct db *db = open_db();
	struct db_txn *txn;
	struct db_room room;
	int grown = 0;

	is_int(fill(db, 1), DB_FULL, "a map of a megabyte is full");
	ok(strstr(db_reason(db), "MAPFULL") != NULL ||
	    strstr(db_reason(db), "mapsize") != NULL, "reason: %s",
	    db_reason(db));
	while (fill(db, 1) == DB_FULL && db_grow(db))
		grown++;
	is_int(grown, 3, "it doubles until the rows have room");
	txn = db_read(db);
	is_int(db_count(txn, TABLE_log), 100, "all of them, once");
	db_abort(&txn);
	is_int(db_room(db, &room), 0, "room can be asked");
	ok(room.map_bytes == 8 * MIB && room.map_limit == 64 * MIB &&
	    room.used_bytes > 6 * MIB && room.used_bytes <= 8 * MIB &&
	    room.disk_free_bytes > 0, "and is right");
	txn = db_write(db);
	db_clear(txn, TABLE_log);
	commit(&txn, DB_DONE, "emptied");
	txn = db_write(db);
	put_u64(txn, 1, SLICE("x"));
	commit(&txn, DB_DONE, "a commit later");
	ok(db_free_bytes(db) > 5 * MIB, "its pages are free");
	db_close(&db);
	db = open_db();
	is_int(db_room(db, &room), 0, "opened again, asked for a megabyte");
	ok(room.map_bytes >= 1 * MIB, "the map is not smaller than its content");
	txn = db_read(db);
	is_int(db_count(txn, TABLE_log), 1, "and can be read");
	db_abort(&txn);
	db_close(&db);
	db_wipe(t.dir);
}

static void
test_limit(void)
{
	struct db *db;
	struct db_txn *txn;

	t.options.map_limit = 3 * MIB;
	db = open_db();
	while (fill(db, 1) == DB_FULL && db_grow(db))
		;
	ok(!db_grow(db), "no further than the limit");
	is_int(fill(db, 1), DB_FULL, "a store at its limit stays full");
	txn = db_write(db);
	put_u64(txn, 1, SLICE("small"));
	commit(&txn, DB_DONE, "but is sound: what fits is taken");
	db_close(&db);
	db_wipe(t.dir);
	t.options.map_limit = 64 * MIB;
}

/*
 * This program again, as another process: LMDB may not be used across a fork.
 * Its status, as of wait(2).
 */
static int
elsewhere(const char *what)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execl(t.program, t.program, what, t.dir, (char *)NULL);
		_exit(127);
	}
	if (pid == -1 || waitpid(pid, &status, 0) != pid)
		abort();
	return status;
}

static int
be_elsewhere(const char *what)
{
	struct db *db = open_db();

	if (strcmp(what, "die") == 0) {
		(void)db_read(db);
		kill(getpid(), SIGKILL);
	}
	while (fill(db, 1) == DB_FULL && db_grow(db))
		;
	db_close(&db);
	return 0;
}

static void
test_resized(void)
{
	struct db_options read_only = t.options;
	struct db *db = open_db();
	struct db_txn *txn;
	struct db_room room;
	struct db_error why;
	struct slice got;
	struct key k = key_u64(100);

	read_only.read_only = true;
	is_int(elsewhere("grow"), 0, "another process grows the map");
	txn = db_read(db);
	ok(db_get(txn, TABLE_log, key_slice(&k), &got) && got.len == 65536,
	    "a reader follows");
	db_abort(&txn);
	ok(db_room(db, &room) == 0 && room.map_bytes >= 8 * MIB,
	    "and knows the new size");
	txn = db_write(db);
	put_u64(txn, 1000, SLICE("mine"));
	commit(&txn, DB_DONE, "a writer too");
	ok(!db_grow(db), "which was not full, and so does not grow");
	is_int(fill(db, 2000), DB_FULL, "until it is");
	ok(db_grow(db) && db_room(db, &room) == 0 &&
	    room.map_bytes >= 16 * MIB, "and growing starts from there");
	db_close(&db);
	is_int(db_open(&db, t.dir, ENV_shared, &read_only, &why), 0,
	    "one that only reads");
	txn = db_read(db);
	is_int(db_count(txn, TABLE_log), 101, "finds all");
	db_abort(&txn);
	db_close(&db);
	db_wipe(t.dir);
}

static void
test_copy(void)
{
	struct db *db = open_db(), *copy;
	struct db_txn *txn = db_write(db);
	struct db_error why;
	char *dir = xasprintf("%s/copy", t.folder), *home;

	put_u64(txn, 1, SLICE("one"));
	commit(&txn, DB_DONE, "one row");
	is_int(db_sync(db), 0, "flushed");
	ok(db_copy(db, dir, &why) == -1 && why.text[0] != '\0',
	    "no folder to copy to: %s", why.text);
	is_int(mkdir(dir, 0700), 0, "a folder");
	is_int(db_copy(db, dir, &why), 0, "copied while open");
	home = t.dir;
	t.dir = dir;
	copy = open_db();
	txn = db_read(copy);
	is_int(db_count(txn, TABLE_log), 1, "the copy has the row");
	db_abort(&txn);
	db_close(&copy);
	db_wipe(dir);
	rmdir(dir);
	free(dir);
	t.dir = home;
	db_close(&db);
	db_wipe(t.dir);
}

/* A reader that died is found and its slot given back. */
static void
test_readers(void)
{
	struct db *db = open_db();
	struct buf list;

	is_int(elsewhere("die"), SIGKILL, "a process dies while it reads");
	is_int(db_reap_readers(db), 1, "its slot is found");
	db_close(&db);
	elsewhere("die");
	db = open_db();
	buf_init(&list, 10000);
	db_list_readers(db, &list);
	ok(list.len > 0, "readers are listed");
	is_int(db_reap_readers(db), 0, "a dead one went at opening");
	buf_release(&list);
	db_close(&db);
	db_wipe(t.dir);
}

/* ---- keys ---- */

static void
test_keys(void)
{
	static const uint64_t u[] = { 0, 1, 255, 256, 65535, 1ull << 32,
		INT64_MAX, 1ull << 63, UINT64_MAX };
	static const int64_t s[] = { INT64_MIN, -1000000, -256, -1, 0, 1, 256,
		INT64_MAX };
	struct key a, b;
	bool good = true;
	size_t i;

	for (i = 0; i + 1 < sizeof(u) / sizeof(u[0]); i++) {
		a = key_u64(u[i]);
		b = key_u64(u[i + 1]);
		good = good && slice_cmp(key_slice(&a), key_slice(&b)) < 0 &&
		    key_read_u64(key_slice(&a), 0) == u[i];
	}
	ok(good, "numbers are in order as bytes");
	for (i = 0; i + 1 < sizeof(s) / sizeof(s[0]); i++) {
		key_init(&a);
		key_init(&b);
		key_add_i64(&a, s[i]);
		key_add_i64(&b, s[i + 1]);
		good = good && slice_cmp(key_slice(&a), key_slice(&b)) < 0;
	}
	ok(good, "also across the sign");
	key_init(&a);
	key_init(&b);
	key_add_text(&a, SLICE("a"));
	key_add_text(&a, SLICE("z"));
	key_add_text(&b, SLICE("aa"));
	key_add_text(&b, SLICE("b"));
	ok(slice_cmp(key_slice(&a), key_slice(&b)) < 0,
	    "parts sort part by part");
	is_int(a.len, 4, "each with a NUL");
	key_add_bytes(&a, SLICE_NONE);
	is_int(a.len, 4, "nothing adds nothing");
	key_add_u64(&a, 7);
	is_int(key_read_u64(key_slice(&a), 4), 7, "a number inside a key");
}

static void
test_specs(void)
{
	const struct table_spec *s;
	size_t i, k;
	bool good;

	for (i = 0; i < TABLE_COUNT; i++) {
		s = table_spec(i);
		for (good = true, k = 0; k < i; k++)
			good = good &&
			    strcmp(table_spec(k)->name, s->name) != 0;
		good = good && env_name(s->env) != NULL && s->what[0] != '\0' &&
		    (strcmp(s->value, "any") == 0 ||
			strcmp(s->value, "text") == 0 ||
			msg_spec_named(slice_str(s->value)) != NULL);
		ok(good, "table %s: one name, a known value", s->name);
	}
}

int
main(int argc, char **argv)
{
	t.program = argv[0];
	if (argc == 3) {
		t.dir = argv[2];
		return be_elsewhere(argv[1]);
	}
	if (mkdtemp(t.folder) == NULL)
		abort();
	t.dir = xasprintf("%s/env", t.folder);
	test_open();
	test_cut_file();
	test_values();
	test_messages();
	test_sticky();
	test_append();
	test_later();
	test_append_between();
	test_later_merged();
	test_later_names();
	test_later_full();
	test_cursors();
	test_growth();
	test_limit();
	test_resized();
	test_copy();
	test_readers();
	test_keys();
	test_specs();
	db_wipe(t.dir);
	rmdir(t.dir);
	rmdir(t.folder);
	free(t.dir);
	return done();
}
