/*
 * forget - entries become tombstones, and all that came of them is made again
 *
 * A wish to forget is an entry.  It is journaled like any other, with a row in
 * `forgets` that says that it is not carried out yet; it is carried out before
 * its sender hears of it, in one transaction: what is to be forgotten becomes
 * tombstones, sections of the later stages are dropped, every own table gets a
 * new epoch and is made again from the log as it then stands.  A death before
 * that transaction leaves the row, and the next start carries it out.
 *
 * Numbering stays whole.  Where a thread goes on without what was forgotten,
 * the tombstone keeps the place: thread, number, time.  Where nothing of the
 * thread is left, the tombstone keeps its domain and its time.
 */
#ifndef INGEST_FORGET_H
#define INGEST_FORGET_H

#include "common/stage_impl.h"
#include "ingest/accept.h"

/* Whether there is anything of that name to forget; -1 with the refusal. */
int forget_check(struct stage *st, uint64_t seq,
    const struct msg_forget *wish, struct refusal *refusal);
/* The row of a wish that was just journaled. */
void forget_journal(struct stage *st, uint64_t seq);
/*
 * Carries out all wishes that wait; no batch may be open.  false: there was no
 * room, some wait still.
 */
bool forget_carry_out(struct stage *st);

#endif
