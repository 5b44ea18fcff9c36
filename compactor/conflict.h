/*
 * conflict - artifacts of one subject that disagree name each other
 *
 * Neither is wrong by being older: both stay, and only a refinement or a
 * consolidation takes the place of another.  The subject is what the package
 * says it is, compared by its words, within the same user or room.
 */
#ifndef COMPACTOR_CONFLICT_H
#define COMPACTOR_CONFLICT_H

#include "compactor/compact.h"

/* After all else: looks at what this entry has made. */
void conflict_decide(struct compact *c);
void conflict_apply(struct compact *c);

/*
 * Two statements about the same: each says something that the other does not,
 * and they differ in a number, a name or a "not", or in little else than that.
 */
bool conflict_between(struct arena *arena, struct slice a, struct slice b);

#endif
