/*
 * stance - what a user's turn does to the work at hand, by a small model
 *
 * Rules know the wordings that were thought of; people have others.  A linear
 * model over the words of the turn, and over what the turn answers, says how
 * much speaks for each of six stances.  It is asked where the rules are silent
 * and where they would act on little.  The weights are
 * compactor/data/stance.model.
 */
#ifndef COMPACTOR_STANCE_H
#define COMPACTOR_STANCE_H

#include "compactor/linear.h"

/*        name    what the turn does */
#define STANCES(STANCE)                                             \
	STANCE(opens, "asks for something, or tells a problem")     \
	STANCE(well,  "says that it is as it should be")            \
	STANCE(bad,   "says that it did not help, or is not wanted") \
	STANCE(on,    "goes on: answers, adds, asks back, waits")   \
	STANCE(none,  "has nothing to do with any work")            \
	STANCE(asks,  "only wants to know something")

enum stance {
#define STANCE(name, what) STANCE_##name,
	STANCES(STANCE)
#undef STANCE
	STANCE_COUNT
};

/* What the turn answers. */
#define STANCE_AFTERS(AFTER)                          \
	AFTER(none)	/* nothing, or nothing recent */ \
	AFTER(ask)	/* a question */               \
	AFTER(report)	/* something is said to be done */ \
	AFTER(propose)	/* something to be tried, or told */ \
	AFTER(self)	/* the speaker's own turn */

enum stance_after {
#define AFTER(name) AFTER_##name,
	STANCE_AFTERS(AFTER)
#undef AFTER
	AFTER_COUNT
};

extern const struct linear_spec stance_spec;

/* See linear_read. */
struct stances {
	int32_t lead[STANCE_COUNT];
};

struct stances stance_read(struct linear *m, struct slice text,
    enum stance_after after);

#endif
