/*
 * u-rows - records kept in memory for a batch are as those in the table
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/rows.h"
#include "common/xmalloc.h"
#include "tests/scratch_db.h"
#include "tests/tap.h"

static struct {
	char folder[64];
	struct db *db;
	struct arena arena;
} t = { .folder = "/tmp/skein-u-rows.XXXXXX" };

/* A record with lists in lists, that grows with n. */
static struct msg_a_thread
thread_of(uint64_t n)
{
	struct msg_a_thread a = { .turns = n, .n_works = 2 };
	size_t i;

	a.works = arena_array(&t.arena, 2, sizeof(a.works[0]));
	for (i = 0; i < 2; i++) {
		a.works[i].key = arena_printf(&t.arena, "a%llu.%zu",
		    (unsigned long long)n, i);
		a.works[i].status = SLICE("open");
		a.works[i].keywords.count = n % 50;
		a.works[i].keywords.at = arena_array(&t.arena, n % 50,
		    sizeof(struct slice));
		for (size_t k = 0; k < n % 50; k++)
			a.works[i].keywords.at[k] = arena_printf(&t.arena,
			    "word %zu of %llu", k, (unsigned long long)n);
	}
	return a;
}

static bool
same(const struct msg_a_thread *a, const struct msg_a_thread *b)
{
	struct buf x, y;
	bool equal;

	buf_init(&x, SIZE_MAX / 4);
	buf_init(&y, SIZE_MAX / 4);
	equal = msg_encode(&x, MSG_a_thread, a) == 0 &&
	    msg_encode(&y, MSG_a_thread, b) == 0 &&
	    slice_eq(buf_slice(&x), buf_slice(&y));
	buf_release(&x);
	buf_release(&y);
	return equal;
}

static bool
in_table(struct db_txn *txn, uint64_t key, struct msg_a_thread *out)
{
	struct key k = key_u64(key);

	return db_get_msg(txn, TABLE_effort_threads, key_slice(&k),
	    MSG_a_thread, &t.arena, out);
}

static void
test_batch(void)
{
	struct rows *rows = rows_open(TABLE_effort_threads, MSG_a_thread);
	struct db_txn *txn = db_write(t.db);
	struct msg_a_thread a, want;
	uint64_t i;
	bool right = true;

	ok(!rows_get(rows, txn, 7, &t.arena, &a), "there is none at first");
	for (i = 1; i <= 3000; i++) {	/* more than are kept at once */
		want = thread_of(i);
		rows_put(rows, txn, i, &t.arena, &want);
		right = right && rows_get(rows, txn, i, &t.arena, &a) &&
		    same(&a, &want);
		arena_reset(&t.arena);
	}
	ok(right, "what is put is what is got");
	ok(!in_table(txn, 3000, &a), "and waits for the batch's end");
	rows_flush(rows, txn);
	for (i = 1; i <= 3000; i++) {
		want = thread_of(i);
		right = right && in_table(txn, i, &a) && same(&a, &want);
		arena_reset(&t.arena);
	}
	ok(right, "a flush writes them all");
	rows_begin(rows);
	ok(rows_get(rows, txn, 49, &t.arena, &a), "they are read again");
	want = thread_of(49);
	ok(same(&a, &want), "as they were");
	ok(db_commit(&txn) == DB_DONE, "it is kept");
	rows_close(&rows);
	arena_reset(&t.arena);
}

/* What was got is the caller's: changing it changes nothing here. */
static void
test_copies(void)
{
	struct rows *rows = rows_open(TABLE_effort_threads, MSG_a_thread);
	struct db_txn *txn = db_write(t.db);
	struct msg_a_thread a, b, want = thread_of(30);
	struct slice kept;

	ok(rows_get(rows, txn, 30, &t.arena, &a), "a record");
	kept = a.works[1].keywords.at[3];
	a.works[0].keywords.at[0] = SLICE("another");
	a.works[1].keywords.count = 0;
	ok(rows_get(rows, txn, 30, &t.arena, &b) && same(&b, &want),
	    "a change to what was got is not in the row");
	want = thread_of(49);
	rows_put(rows, txn, 30, &t.arena, &want);
	ok(slice_is(kept, "word 3 of 30"),
	    "strings live on while the entry does");
	rows_begin(rows);
	want = thread_of(30);
	ok(rows_get(rows, txn, 30, &t.arena, &b) && same(&b, &want),
	    "a batch that is not flushed leaves nothing");
	db_abort(&txn);
	rows_close(&rows);
	arena_reset(&t.arena);
}

/* A field that was there and is zero now is as after writing and reading. */
static void
test_presence(void)
{
	struct rows *rows = rows_open(TABLE_effort_threads, MSG_a_thread);
	struct db_txn *txn = db_write(t.db);
	struct msg_a_thread a = thread_of(2), b;

	a.works[0].trying_turn = 5;
	rows_put(rows, txn, 1, &t.arena, &a);
	ok(rows_get(rows, txn, 1, &t.arena, &a) && msg_has_tag(&a.works[0],
	    MSGTAG_a_work_trying_turn), "what is there is marked as there");
	rows_flush(rows, txn);
	ok(in_table(txn, 1, &b) && b.works[0].has == a.works[0].has,
	    "as a reader of the table finds it");
	db_abort(&txn);
	rows_close(&rows);
}

static bool
has(struct rows *rows, struct db_txn *txn, struct slice key)
{
	struct msg_a_stream a;

	return rows_get_at(rows, txn, key, &t.arena, &a);
}

static bool
reads(struct rows *rows, struct db_txn *txn, struct slice key,
    struct slice owner)
{
	struct msg_a_stream a;

	return rows_look_at(rows, txn, key, &t.arena, &a) && a.n_open == 1 &&
	    slice_eq(a.open[0].owner, owner);
}

/* Keys of any bytes; what is only looked at is as in the table too. */
static void
test_keys(void)
{
	struct rows *rows = rows_open(TABLE_effort_streams, MSG_a_stream);
	struct msg_a_open open = { .key = SLICE("a1.0"),
		.owner = SLICE("anna") };
	struct msg_a_stream a = { .open = &open, .n_open = 1 };
	struct db_txn *txn = db_write(t.db);

	ok(!has(rows, txn, SLICE("one")), "no such key");
	rows_put_at(rows, txn, SLICE("one"), &t.arena, &a);
	ok(reads(rows, txn, SLICE("one"), SLICE("anna")), "now there is");
	ok(!has(rows, txn, SLICE("on")), "and none that it begins with");
	rows_flush(rows, txn);
	rows_begin(rows);
	ok(reads(rows, txn, SLICE("one"), SLICE("anna")),
	    "it can be looked at in the table");
	open.owner = SLICE("ben");
	rows_put_at(rows, txn, SLICE("one"), &t.arena, &a);
	ok(reads(rows, txn, SLICE("one"), SLICE("ben")),
	    "and where it was put since");
	db_abort(&txn);
	rows_close(&rows);
	arena_reset(&t.arena);
}

/* A list that is shifted, cut and changed in place stays what was put. */
static void
test_lists(void)
{
	struct rows *rows = rows_open(TABLE_effort_threads, MSG_a_thread);
	struct db_txn *txn = db_write(t.db);
	struct msg_a_thread a = { 0 }, b;
	struct msg_a_said last[8];
	uint64_t i, k;
	bool right = true;

	for (i = 1; i <= 200; i++) {
		if (!rows_get(rows, txn, 5, &t.arena, &a))
			a = (struct msg_a_thread){ 0 };
		for (k = 0; k < 7 && k < a.n_last; k++)
			last[k + 1] = a.last[k];
		last[0] = (struct msg_a_said){ .number = i, .seq = i,
			.user = arena_printf(&t.arena, "user %llu",
			    (unsigned long long)i) };
		if (i % 5 == 0 && a.n_last > 3)
			last[3].user = SLICE("another");
		a = (struct msg_a_thread){ .turns = i, .last = last,
			.n_last = a.n_last < 8 ? a.n_last + 1 : 8 };
		if (i % 7 == 0)
			a.n_last = 2;
		rows_put(rows, txn, 5, &t.arena, &a);
		right = right && rows_get(rows, txn, 5, &t.arena, &b) &&
		    same(&a, &b);
		arena_reset(&t.arena);
	}
	ok(right, "what was put, however its lists have changed");
	rows_flush(rows, txn);
	ok(rows_get(rows, txn, 5, &t.arena, &a) && in_table(txn, 5, &b) &&
	    same(&a, &b), "and so it is written");
	db_abort(&txn);
	rows_close(&rows);
	arena_reset(&t.arena);
}

/* What was kept need not be read again; what was given up is forgotten. */
static void
test_resume(void)
{
	struct rows *rows = rows_open(TABLE_effort_threads, MSG_a_thread);
	struct msg_a_thread a = thread_of(11), b = thread_of(12), got;
	struct db_txn *txn = db_write(t.db);
	struct key k = key_u64(900);

	rows_resume(rows, txn);
	rows_put(rows, txn, 900, &t.arena, &a);
	rows_flush(rows, txn);
	ok(db_commit(&txn) == DB_DONE, "a batch is kept");
	txn = db_write(t.db);
	rows_resume(rows, txn);
	db_put_msg(txn, TABLE_effort_threads, key_slice(&k), MSG_a_thread, &b);
	ok(rows_get(rows, txn, 900, &t.arena, &got) && same(&got, &a),
	    "the next has its rows without reading them");
	rows_put(rows, txn, 900, &t.arena, &b);
	rows_flush(rows, txn);
	db_abort(&txn);
	txn = db_write(t.db);
	rows_resume(rows, txn);
	ok(rows_get(rows, txn, 900, &t.arena, &got) && same(&got, &a),
	    "nothing is left of one that was given up");
	db_abort(&txn);
	txn = db_write(t.db);
	db_put_msg(txn, TABLE_effort_threads, key_slice(&k), MSG_a_thread, &b);
	ok(db_commit(&txn) == DB_DONE, "somebody else writes");
	txn = db_write(t.db);
	db_put_msg(txn, TABLE_effort_threads, key_slice(&k), MSG_a_thread, &b);
	ok(db_commit(&txn) == DB_DONE, "and again");
	txn = db_write(t.db);
	rows_resume(rows, txn);
	ok(rows_get(rows, txn, 900, &t.arena, &got) && same(&got, &b),
	    "and is not missed");
	db_abort(&txn);
	rows_close(&rows);
	arena_reset(&t.arena);
}

/* A batch that has failed finds nothing; the next one must not believe it. */
static void
test_failed(void)
{
	struct rows *rows = rows_open(TABLE_effort_threads, MSG_a_thread);
	struct msg_a_thread a = thread_of(13), got;
	struct db_txn *txn = db_write(t.db);
	struct key k = key_u64(950);

	db_put_msg(txn, TABLE_effort_threads, key_slice(&k), MSG_a_thread, &a);
	ok(db_commit(&txn) == DB_DONE, "there is a row");
	txn = db_write(t.db);
	rows_resume(rows, txn);
	scratch_fill(txn, TABLE_effort_threads);
	ok(!rows_get(rows, txn, 950, &t.arena, &got),
	    "a batch that has failed finds none");
	db_abort(&txn);
	txn = db_write(t.db);
	rows_resume(rows, txn);
	ok(rows_get(rows, txn, 950, &t.arena, &got) && same(&got, &a),
	    "the next one does");
	db_abort(&txn);
	rows_close(&rows);
	arena_reset(&t.arena);
}

/* Of too many, those that the last batch has used stay. */
static void
test_trim(void)
{
	struct rows *rows = rows_open(TABLE_effort_threads, MSG_a_thread);
	struct msg_a_thread a = thread_of(5), b = thread_of(6), got;
	struct db_txn *txn = db_write(t.db);
	struct key k = key_u64(10001);
	uint64_t i;

	rows_resume(rows, txn);
	for (i = 10000; i < 11500; i++) {
		rows_put(rows, txn, i, &t.arena, &a);
		rows_flush(rows, txn);
	}
	ok(db_commit(&txn) == DB_DONE, "a batch of many");
	txn = db_write(t.db);
	rows_resume(rows, txn);
	ok(rows_get(rows, txn, 10000, &t.arena, &got), "of which one is used");
	rows_put(rows, txn, 9000, &t.arena, &a);
	rows_flush(rows, txn);
	ok(db_commit(&txn) == DB_DONE, "in the next");
	txn = db_write(t.db);
	rows_resume(rows, txn);
	/* Behind its back, to tell what is read from what is there still. */
	db_put_msg(txn, TABLE_effort_threads, key_slice(&k), MSG_a_thread, &b);
	k = key_u64(10000);
	db_put_msg(txn, TABLE_effort_threads, key_slice(&k), MSG_a_thread, &b);
	ok(rows_get(rows, txn, 10000, &t.arena, &got) && same(&got, &a),
	    "that one stays");
	ok(rows_get(rows, txn, 10001, &t.arena, &got) && same(&got, &b),
	    "another is read again");
	db_abort(&txn);
	rows_close(&rows);
	arena_reset(&t.arena);
}

static void
test_edit(void)
{
	struct rows *rows = rows_open(TABLE_effort_threads, MSG_a_thread);
	struct db_txn *txn = db_write(t.db);
	struct msg_a_thread a = thread_of(7), *row, got;
	struct key k = key_u64(5000);

	ok(rows_edit_at(rows, txn, key_slice(&k), &t.arena) == NULL,
	    "what is not there cannot be changed");
	rows_put(rows, txn, 5000, &t.arena, &a);
	rows_flush(rows, txn);
	arena_reset(&t.arena);
	row = rows_edit_at(rows, txn, key_slice(&k), &t.arena);
	ok(row != NULL && row->turns == 7, "a row itself");
	row->turns = 8;
	ok(rows_get(rows, txn, 5000, &t.arena, &got) && got.turns == 8,
	    "is changed for all who read it");
	rows_flush(rows, txn);
	ok(in_table(txn, 5000, &got) && got.turns == 8 && got.n_works == 2,
	    "and in the table when the batch ends");
	db_abort(&txn);
	rows_close(&rows);
	arena_reset(&t.arena);
}

int
main(void)
{
	char *command;

	t.db = scratch_db(t.folder, ENV_compactor);
	arena_init(&t.arena);
	test_batch();
	test_copies();
	test_presence();
	test_keys();
	test_lists();
	test_resume();
	test_failed();
	test_trim();
	test_edit();
	arena_release(&t.arena);
	db_close(&t.db);
	command = xasprintf("rm -rf %s", t.folder);
	ok(system(command) == 0, "nothing is left");
	free(command);
	return done();
}
