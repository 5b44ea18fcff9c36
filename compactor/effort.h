/*
 * effort - efforts open, go on, fail, are resolved and opened again
 *
 *	             returns, reopen, it fails again
 *	        ┌──────────────────────────────────────┐
 *	        ▼                                      │
 *	opens ─► open ── concludes, close ─────────► resolved
 *	        │  ▲
 *	        │  └── rejected: it goes on; what was tried is kept as
 *	        │      a sub-effort that failed
 *	        └── goes on with each turn that follows it
 *
 * An effort is its owner's, who opened it.  What the other side (an assistant,
 * the others in a room) proposes is an attempt until the owner says how it
 * went.  Only the owner ends an effort: with words that conclude; with thanks,
 * praise or a "no, that's all" after the other side has said that it is done;
 * or by going on to something else after that.
 */
#ifndef COMPACTOR_EFFORT_H
#define COMPACTOR_EFFORT_H

#include "compactor/effort_state.h"

/* ---- choosing: which effort a turn is about; pure but for the stream ---- */

enum effort_move {
	EFFORT_NONE,		/* it belongs to none */
	EFFORT_ASIDE,		/* and leaves the one that goes on */
	EFFORT_OPEN,		/* it opens one */
	EFFORT_GO_ON,
	EFFORT_RETURN,		/* to one that another stood before */
	EFFORT_REJECT,		/* what was tried failed */
	EFFORT_RESOLVE,
	EFFORT_REOPEN,
	EFFORT_CONFIRM,		/* it was resolved already */
};

struct effort_choice {
	enum effort_move move;
	struct slice effort;	/* its key; empty for a new one or none */
	struct slice moved_on;	/* an effort that is left as done */
	bool chosen;		/* it ends with the choice that it was for */
};

/* How surely a turn opens, or concludes, an effort: 0 to 1000. */
struct effort_signs {
	unsigned opens, concludes;
	unsigned decides;	/* how surely it makes a choice */
	unsigned dated;		/* and tells what happened or is to come */
	bool aside;		/* a reminder, a note: beside what goes on */
};

struct effort_choice effort_choose(struct effort_state *s,
    const struct compact_turn *t, const struct effort_signs *signs);

/* ---- deciding ---- */

/*
 * A turn of the entry, and how it stands to efforts; why is set, tokens not.
 * A choice that only the effort shows to be one is added to the signs.
 */
void effort_decide(struct effort_state *s, const struct compact_turn *t,
    struct effort_signs *signs);
/* close and reopen, of an effort or of a thread. */
void effort_command(struct compact *c);
/* Idle ones, where the entry begins a session. */
void effort_raise(struct compact *c);
/*
 * From when on it will have been neither touched nor brought up for as long as
 * the setting says; INT64_MAX: it is not open.
 */
int64_t effort_idle_at(const struct compact *c, const struct msg_artifact *a);

#endif
