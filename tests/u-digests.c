/*
 * u-digests - digests in memory are those of the table, whatever was given up
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "compactor/digests.h"
#include "compactor/episode_digest.h"
#include "tests/scratch_db.h"
#include "tests/tap.h"

enum { THREAD = 7 };

static struct {
	char folder[64];
	struct db *db;
	struct arena arena;	/* the entry's */
} t = { .folder = "/tmp/skein-u-digests.XXXXXX" };

static void
change(struct digests *g, struct db_txn *txn, const char *artifact)
{
	struct msg_episode_digest *d = digests_get(g, txn, THREAD, &t.arena);

	if (d == NULL) {
		d = digests_add(g, txn, THREAD, &t.arena);
		d->domain = SLICE("default");
	}
	d->turns++;
	digest_take_artifact(d, digests_arena(g), slice_str(artifact));
	digests_change(g, THREAD);
	arena_reset(&t.arena);
}

static void
is_as(struct digests *g, uint64_t turns, size_t artifacts, const char *what)
{
	struct db_txn *txn = db_write(t.db);
	const struct msg_episode_digest *d;

	digests_resume(g, txn);
	d = digests_get(g, txn, THREAD, &t.arena);
	ok(d != NULL && d->turns == turns && d->artifacts.count == artifacts,
	    "%s", what);
	db_abort(&txn);
}

static void
test_batches(void)
{
	struct digests *g = digests_open(), *other = digests_open();
	struct db_txn *txn = db_write(t.db);

	digests_resume(g, txn);
	ok(digests_get(g, txn, THREAD, &t.arena) == NULL, "at first none");
	change(g, txn, "a1.0");
	change(g, txn, "a2.0");
	digests_flush(g, txn);
	ok(db_commit(&txn) == DB_DONE, "a batch is kept");
	is_as(g, 2, 2, "what it has changed is");
	is_as(other, 2, 2, "also for who reads the table");
	txn = db_write(t.db);
	digests_resume(g, txn);
	change(g, txn, "a3.0");
	db_abort(&txn);
	is_as(g, 2, 2, "what was given up is forgotten");
	txn = db_write(t.db);
	digests_resume(g, txn);
	change(g, txn, "a4.0");
	digests_flush(g, txn);
	db_abort(&txn);
	is_as(g, 2, 2, "even if it was written");
	digests_close(&g);
	g = digests_open();
	txn = db_write(t.db);
	digests_resume(g, txn);
	scratch_fill(txn, TABLE_episode_streams);
	ok(digests_get(g, txn, THREAD, &t.arena) == NULL,
	    "a batch that has failed finds none");
	db_abort(&txn);
	is_as(g, 2, 2, "the next one does");
	digests_close(&g);
	digests_close(&other);
}

int
main(void)
{
	char *command;

	arena_init(&t.arena);
	t.db = scratch_db(t.folder, ENV_compactor);
	test_batches();
	db_close(&t.db);
	arena_release(&t.arena);
	command = xasprintf("rm -rf %s", t.folder);
	ok(system(command) == 0, "nothing is left");
	free(command);
	return done();
}
