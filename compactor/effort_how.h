/*
 * effort_how - which sentence tells how an effort was resolved
 *
 * Every sentence of an effort's own turns since something last failed is
 * weighed by what is seen of it (effort_how.def: it says what was done, what
 * was wrong, what to do) and by its words; what these are worth is learnt
 * (effort_rank.h, how.model).  The best of each turn waits with the effort;
 * when it ends they are weighed against the words of the turn that ends it.
 */
#ifndef COMPACTOR_EFFORT_HOW_H
#define COMPACTOR_EFFORT_HOW_H

#include "compactor/effort_state.h"
#include "compactor/linear.h"

/* Of compactor/data/how.model: whether a sentence tells how, by its words. */
extern const struct linear_spec how_spec;

/* How a turn ends an effort. */
struct how_end {
	struct slice choice;	/* its sentence that makes a choice, if any */
	bool choosing;		/* the effort was for a choice */
};

/* Keeps what the turn says, where it is among the best. */
void effort_how_note(struct effort_state *s, struct msg_a_work *w,
    const struct compact_turn *t);
/*
 * The best sentence; empty: there is none.  Without a turn and how that ends
 * it, of what was said before.
 */
struct slice effort_how(struct effort_state *s, const struct msg_a_work *w,
    const struct compact_turn *t, const struct how_end *end);
/*
 * The sentence of a turn after the end that says what was done or is to do, or
 * of the owner's what was wrong: then it was not over.  Empty: there is none.
 */
struct slice effort_how_after(struct effort_state *s,
    const struct msg_a_work *w, const struct compact_turn *t);
/* Does a turn have a word of what was said to be done or to do? */
bool effort_how_is_echoed(const struct msg_a_work *w,
    const struct compact_turn *t);

#endif
