/*
 * fronts - chains that come before those the index has of a word
 *
 * To put a chain under a word needs no look at what is there: the latest come
 * first.  So what is put waits here, packed tightly, and is joined with the
 * table's row once a batch, when that is written.
 */
#ifndef CHAINER_FRONTS_H
#define CHAINER_FRONTS_H

#include "chainer/work.h"

/* The chain comes before all others under the key. */
void fronts_add(struct slice key, uint64_t ref);
/*
 * All that is under a key: what waits, before `there`, which the table has.
 * The list lives until the next call.
 */
void fronts_join(struct slice key, struct msg_chain_refs *there);
/* To the table. */
void fronts_flush(struct db_txn *txn);
/* The batch was given up, or the process ends. */
void fronts_forget(void);
size_t fronts_bytes(void);

#endif
