/*
 * u-due - what is remembered of dues is never too late
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "compactor/due_times.h"
#include "tests/scratch_db.h"
#include "tests/tap.h"

static struct {
	char folder[64];
	struct db *db;
} t = { .folder = "/tmp/skein-u-due.XXXXXX" };

static struct key
stream_of(const char *user)
{
	return key_stream(SLICE("default"), slice_str(user), SLICE_NONE);
}

static void
test_times(void)
{
	struct due_times *d = due_times_open();
	struct key anna = stream_of("anna"), ben = stream_of("ben");
	struct key long_one = stream_of("somebody whose name is so long that "
	    "it is not worth being remembered at all");

	ok(!due_times_none(d, &anna, 0), "at first nothing is known");
	due_times_learn(d, &anna, 100);
	ok(due_times_none(d, &anna, 99), "nothing before the first");
	ok(!due_times_none(d, &anna, 100), "which is due at its time");
	ok(!due_times_none(d, &ben, 0), "of another stream nothing is known");
	due_times_put(d, &anna, 200);
	ok(due_times_none(d, &anna, 99), "a later one changes nothing");
	due_times_put(d, &anna, 50);
	ok(!due_times_none(d, &anna, 50), "an earlier one is the first now");
	due_times_learn(d, &anna, INT64_MAX);
	ok(due_times_none(d, &anna, INT64_MAX - 1), "none at all");
	due_times_put(d, &ben, 10);
	ok(!due_times_none(d, &ben, 5), "one that is put tells of no others");
	due_times_learn(d, &long_one, 100);
	ok(!due_times_none(d, &long_one, 1), "a long name is always looked up");
	due_times_put(NULL, &anna, 1);
	due_times_learn(NULL, &anna, 1);
	ok(!due_times_none(NULL, &anna, 0), "without a memory all is looked up");
	due_times_close(&d);
}

static void
commit_something(struct db_txn **txn)
{
	struct msg_place place = { .seq = 1 };
	struct key k = stream_of("anna");

	db_put_msg(*txn, TABLE_episode_streams, key_slice(&k), MSG_place,
	    &place);
	ok(db_commit(txn) == DB_DONE, "a batch is kept");
}

static void
test_batches(void)
{
	struct due_times *d = due_times_open();
	struct db_txn *txn = db_write(t.db);
	struct key anna = stream_of("anna");

	due_times_resume(d, txn);
	due_times_learn(d, &anna, 100);
	commit_something(&txn);
	txn = db_write(t.db);
	due_times_resume(d, txn);
	ok(due_times_none(d, &anna, 99), "what it has shown is still known");
	due_times_learn(d, &anna, 200);
	db_abort(&txn);
	txn = db_write(t.db);
	due_times_resume(d, txn);
	ok(!due_times_none(d, &anna, 0),
	    "what one has shown that was given up is not");
	db_abort(&txn);
	due_times_close(&d);
}

int
main(void)
{
	char *command;

	t.db = scratch_db(t.folder, ENV_compactor);
	test_times();
	test_batches();
	db_close(&t.db);
	command = xasprintf("rm -rf %s", t.folder);
	ok(system(command) == 0, "nothing is left");
	free(command);
	return done();
}
