/*
 * due_times - when the next thing of a stream is due, as far as it is known
 *
 * Every entry asks whether something of its stream is due by now, twice, and
 * mostly nothing is.  What a look into the table has shown is remembered: the
 * time before which there is nothing.  It is never too late: who puts a due
 * into the table says so here; who takes one out need not.
 */
#ifndef COMPACTOR_DUE_TIMES_H
#define COMPACTOR_DUE_TIMES_H

#include "common/db.h"

struct due_times;

struct due_times *due_times_open(void);
void due_times_close(struct due_times **d);
/* A batch begins: forgets what was learnt from one that was given up. */
void due_times_resume(struct due_times *d, const struct db_txn *txn);

/* There is surely nothing of the stream up to ts.  d may be NULL. */
bool due_times_none(const struct due_times *d, const struct key *stream,
    int64_t ts);
/* The table was looked at: the first there is, or INT64_MAX. */
void due_times_learn(struct due_times *d, const struct key *stream,
    int64_t first);
void due_times_put(struct due_times *d, const struct key *stream, int64_t at);

#endif
