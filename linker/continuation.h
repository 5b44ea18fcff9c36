/*
 * continuation - a conversation that goes on from a summary of itself
 *
 * When a conversation is too long, its client asks for a summary and begins
 * anew with it: the first user message bears a mark ("continuation_marks") and
 * then the summary, somewhat rewritten.  The call whose reply that summary is
 * is the parent.  A mark alone proves nothing, and neither does a core of a
 * few words.
 */
#ifndef LINKER_CONTINUATION_H
#define LINKER_CONTINUATION_H

#include "linker/exchange.h"

/* Says in the call's place whether it bears a mark, and where its core is. */
void continuation_read(struct exchange *ex);
/* The reply of the domain, in the window, that its core is most like. */
void continuation_match(struct exchange *ex, struct msg_call *c,
    struct match *best);
/* What `by` is worth to c as the summary it goes on from. */
struct match continuation_worth(struct exchange *ex, struct msg_call *c,
    struct msg_call *by);
/* Later continuations that this call's reply may be the summary of. */
void continuation_later(struct exchange *ex,
    void (*offer)(struct exchange *ex, struct msg_call *c,
	const struct match *m));
void continuation_index(struct exchange *ex);

#endif
