/*
 * skill - when X, did Y, worked: what a thread shows for the next time
 *
 * Drawn when an episode is compacted, from the efforts that were resolved in
 * it and the attempts that failed.  The same situation with the same action
 * and outcome is one skill of that user or room, with as much evidence as
 * there are episodes that show it; it is recognised by likeness of both,
 * through the index of compactor/similar.h.
 */
#ifndef COMPACTOR_SKILL_H
#define COMPACTOR_SKILL_H

#include "compactor/compact.h"

enum {
	SKILL_ALIKE = 600,	/* situation and action at least, thousandths */
	SKILL_COMPARED = 8,
	SKILL_PLACES = 16,	/* artifacts and episodes named, the latest */
};

/*
 * What the changed artifacts of a thread show, into the section; the keys are
 * added to `keys`.
 */
void skill_decide(struct compact *c, const struct msg_episode_digest *d,
    struct slice episode, struct msg_strs *keys);
void skill_apply(struct compact *c);
/* One of this section, or of the table; false: there is none. */
bool skill_read(struct compact *c, struct slice key, struct msg_skill *out);

#endif
