/*
 * kept - facts, events, reminders, decisions and notes
 *
 * A question becomes a fact when it was answered and its asker has concluded:
 * with thanks or assent, or by going on without a word against it (in a room
 * only by thanks or assent in reply to the answer: there silence means
 * nothing).  Until then it waits as a draft, which is listed nowhere.  A
 * decision's conclusion is the turn that decides.  Events, reminders and notes
 * are kept at once; a reminder expires, on the time of entries, ticks too.
 */
#ifndef COMPACTOR_KEPT_H
#define COMPACTOR_KEPT_H

#include "compactor/effort_state.h"

/* A reminder or a note: it stands beside the effort that goes on. */
bool kept_is_aside(struct compact *c, const struct compact_turn *t);
/* A draft of that type, which waits for what is answered to the turn. */
void kept_wait(struct effort_state *s, const struct compact_turn *t,
    struct slice type, unsigned sure);
/* What a turn leaves, once it is known how it stands to efforts. */
void kept_decide(struct effort_state *s, const struct compact_turn *t,
    unsigned decides);
/* A thread was closed: what was answered in it is concluded. */
void kept_close(struct compact *c);

/* Reminders whose time has come: of the stream; by a tick, of all live ones. */
void kept_expire(struct compact *c);
/* The reminders of the section, into the tables of what is due. */
void kept_apply(struct compact *c);

#endif
