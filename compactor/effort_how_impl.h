/*
 * effort_how_impl - a sentence and what it does, for effort_how
 */
#ifndef COMPACTOR_EFFORT_HOW_IMPL_H
#define COMPACTOR_EFFORT_HOW_IMPL_H

#include "compactor/effort_state.h"
#include "compactor/effort_words_impl.h"

enum {
#define HOW(name, points, what) HOW_##name = points,
#include "compactor/effort_how.def"
};

/* A sentence of a turn, and whose. */
struct told {
	const struct compact_turn *t;
	struct msg_c_sentence s;
	struct slice text;
	const struct words *w;
	struct words room;	/* for them */
	size_t first;		/* of its words: what leads to it is passed */
	bool other;		/* it is not the owner's */
	bool ends;		/* it is in the turn that ends the effort */
	bool accepts;		/* and ends it by praise or thanks */
	bool reports;		/* in one that says it is done */
	bool answers;		/* in one that answers a question */
	bool confirms;		/* in one that asks whether it is right */
	unsigned content;
};

/* The i-th of the turn's; `k` says whose turn it is. */
void told_read(struct told *k, size_t i);
/* Points by its kind; 0: it tells nothing of how. */
long told_kind(const struct told *k);
/* Points, less than 0, for what it has beside. */
long told_against(const struct told *k, const struct msg_a_work *w);
/* It says what somebody has done. */
bool told_deed(const struct told *k);

#endif
