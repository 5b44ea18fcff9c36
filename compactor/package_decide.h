/*
 * package_decide - packages at work on an entry
 *
 * The one place where packages meet the compactor.  The life cycle of efforts,
 * facts and events is not here; what begins one, what it holds and how it is
 * worded is.  All triggers of all packages are matched in one pass over a turn,
 * when somebody first asks; what they gave is kept for the entry.
 */
#ifndef COMPACTOR_PACKAGE_DECIDE_H
#define COMPACTOR_PACKAGE_DECIDE_H

#include "compactor/compact.h"
#include "compactor/package.h"

/*
 * How surely the turn begins, or ends, an artifact of the type: 0 to 1000; 0
 * where its package does not fire, is not there, or was refused.
 */
unsigned package_opens(struct compact *c, const struct compact_turn *t,
    const char *type);
unsigned package_concludes(struct compact *c, const struct compact_turn *t,
    const char *type);

/* Was it begun by a trigger that wants what has been? */
bool package_is_past(struct compact *c, const struct compact_turn *t,
    const char *type);
/* The sentence that begins one, shortened; of one that does not, the first. */
struct slice package_sentence(struct compact *c, const struct compact_turn *t,
    const char *type);

/*
 * Fills the fields that the artifact's package takes from a turn at that place
 * (enum package_place), then words summary, resolution, subject and
 * expires_at by its templates where their fields have values, adds tags, sets
 * package and token_count.  What a field has already is kept for text and
 * added to for lists; a resolving turn's replaces what an earlier one gave.
 * The opening sets the confidence to `sure`.  Without a package the summary is
 * the goal and the resolution the resolving sentence.
 */
void package_fill(struct compact *c, struct msg_artifact *a,
    const struct compact_turn *t, enum package_place place, unsigned sure);
/* Tags, tokens and templates again, after fields were set by hand. */
void package_word(struct compact *c, struct msg_artifact *a);

/*
 * Every package that is not one of the built-in names (effort, fact, event,
 * decision, note): users' own.  Called once an entry, after those.  Reads from
 * each turn's a_turn which effort it works on, and why: "opened", "attempt",
 * "resolved" are places, all else is work.
 */
void package_decide(struct compact *c);
/* The drafts of packages whose effort goes on, from the section. */
void package_apply(struct compact *c);

#endif
