/*
 * session - work periods: begun by a turn, over by command or by silence
 *
 * A turn belongs to the session that it names, else to the stream's own, which
 * begins with the first turn after a silence.  A session that is over has a
 * summary: what was concluded, what is open, which chains were touched.
 */
#ifndef CHAINER_SESSION_H
#define CHAINER_SESSION_H

#include "chainer/weave.h"

/* Dormancy checks and silent sessions whose time has come, a bounded number. */
void time_decide(struct weave *v);
/* The session of the entry's turns, begun or resumed if need be. */
void session_decide(struct weave *v);
/* The entry says that a session is over. */
void session_end_decide(struct weave *v);
/* All of the above, and what the entry's turns did in their session. */
void time_apply(struct weave *v);
void session_apply(struct weave *v);

#endif
