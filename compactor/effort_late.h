/*
 * effort_late - what the answer shows to have been a problem
 */
#ifndef COMPACTOR_EFFORT_LATE_H
#define COMPACTOR_EFFORT_LATE_H

#include "compactor/effort_state.h"

/* Is what waits no question, but what may prove to be an effort? */
bool effort_late_is(const struct msg_a_asked *asked);
/* A turn that belongs to nothing and may prove to have opened one. */
void effort_late_note(struct effort_state *s, const struct compact_turn *t);
/*
 * The effort that the turn which this one answers has opened, because this one
 * says what to do about it: its key, or nothing.
 */
struct slice effort_late_open(struct effort_state *s,
    const struct compact_turn *t);

#endif
