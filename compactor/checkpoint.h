/*
 * checkpoint - a thread that grows without an end is compacted all the same
 *
 * Before the turns of a thread that no artifact stands for need more tokens
 * than the setting allows, the oldest of them become a checkpoint: an artifact
 * that holds what they said, with their numbers.  Nothing is closed by it; the
 * effort goes on, and its latest turns stay as they are.  Turns that belong to
 * no effort get one of their own.
 */
#ifndef COMPACTOR_CHECKPOINT_H
#define COMPACTOR_CHECKPOINT_H

#include "compactor/effort_state.h"

/* Before the turn is taken in, whose tokens the section has. */
void checkpoint_decide(struct effort_state *s, const struct compact_turn *t);

#endif
