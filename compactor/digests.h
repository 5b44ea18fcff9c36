/*
 * digests - the digests of threads at work, changed where they are
 *
 * Every turn changes its thread's digest a little: a number here, a word there.
 * So those at work stay in memory as they are, with lists that have room, and
 * are packed and written once a batch; see begin and flush in common/stage.h.
 * TABLE_episode_digests is read and written in no other way by its stage.
 */
#ifndef COMPACTOR_DIGESTS_H
#define COMPACTOR_DIGESTS_H

#include "common/db.h"

struct digests;

struct digests *digests_open(void);
void digests_close(struct digests **digests);
/* A batch begins: forgets what is not in the table as of now. */
void digests_resume(struct digests *digests, const struct db_txn *txn);
/* Writes those that were changed. */
void digests_flush(struct digests *digests, struct db_txn *txn);

/*
 * A thread's; NULL: it has none.  To be read, and with its strings good until
 * the entry is done, which is when `arena`, the entry's, is reset.
 */
struct msg_episode_digest *digests_get(struct digests *digests,
    struct db_txn *txn, uint64_t thread, const struct arena *arena);
/* The thread has one from now on. */
struct msg_episode_digest *digests_add(struct digests *digests,
    struct db_txn *txn, uint64_t thread, const struct arena *arena);
/* One that was got or added may be changed from now on, and will be written. */
void digests_change(struct digests *digests, uint64_t thread);
/* Where all that is put into one must be. */
struct arena *digests_arena(struct digests *digests);

#endif
