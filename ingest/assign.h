/*
 * assign - which thread an implicit turn belongs to
 *
 * Pure.  One rule for turns in order and for late ones, on the entries' time:
 * a turn belongs to the thread whose span, widened by that thread's timeout,
 * covers it.  Exactly the timeout continues; more than it begins a new thread.
 * Where two cover it, the earlier one takes it: a turn continues what was
 * said before it.
 *
 *        |== before ==|          |== after ==|
 *   -----+------------+----------+-----------+-----> ts
 *                     |<-timeout->
 *                        ^ to before
 *                                ^ past before's reach, but after's start
 *                                  is within reach: to after
 */
#ifndef INGEST_ASSIGN_H
#define INGEST_ASSIGN_H

#include <stdbool.h>
#include <stdint.h>

struct assign_span {
	uint64_t thread;	/* 0: there is none */
	int64_t start, end;
	int64_t timeout_ms;
	bool closed;		/* takes no more turns */
};

enum assign_why {
	ASSIGN_FIRST,		/* the stream's first thread */
	ASSIGN_CONTINUES,
	ASSIGN_LATE,		/* into a thread that has gone on since */
	ASSIGN_INACTIVE,	/* new: too long after the one before */
	ASSIGN_CLOSED		/* new: the one before was closed */
};

/* Whether `before` takes a turn at ts, whatever comes after. */
bool assign_reaches(int64_t ts, const struct assign_span *before);
/*
 * `before` is the last span that starts at or before ts, `after` the next.
 * The thread, or 0 for a new one.
 */
uint64_t assign_thread(int64_t ts, const struct assign_span *before,
    const struct assign_span *after, enum assign_why *why);
const char *assign_words(enum assign_why why);

#endif
