/*
 * episode - the primary episode of every thread: what compaction makes of it
 *
 * A thread has its episode from its first turn on, with a name.  It is
 * compacted, each time whole, into micro (one to three sentences), meso (a
 * paragraph) and macro (patterns), and skills are drawn from what was
 * resolved and what failed, when
 *
 *   ended    a new thread of the same user or room begins, or its timeout has
 *            passed without a turn
 *   size     another episode_turns turns have come
 *   age      its oldest turn that is not in the summaries is episode_age old
 *   closed   it was closed by command
 *
 * and something has come since the last time.  Turns stay where they are.
 *
 * Compaction never reads the thread again: a bounded digest of it is kept, see
 * compactor/episode_digest.h.  Threads that may have ended are found by the
 * time at which that is to be looked at; a tick looks for the live streams of
 * its domain, every other entry for its own stream.
 */
#ifndef COMPACTOR_EPISODE_H
#define COMPACTOR_EPISODE_H

#include "compactor/compact.h"

enum {
	EPISODE_DUE_MOST = 16,	/* threads looked at by one entry */
};

/* Called last: it sees the artifacts of this section. */
void episode_decide(struct compact *c);
void episode_apply(struct compact *c);

#endif
