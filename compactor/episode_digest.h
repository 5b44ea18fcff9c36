/*
 * episode_digest - the little of a thread that its compaction is made of
 *
 * Pure: a digest and a turn in, the digest out.  Every list is bounded; what
 * is said most, what tells most and what came last stay.
 */
#ifndef COMPACTOR_EPISODE_DIGEST_H
#define COMPACTOR_EPISODE_DIGEST_H

#include "compactor/compact.h"

enum {
	DIGEST_KEYWORDS = 16,
	DIGEST_ENTITIES = 8,
	DIGEST_PEOPLE = 6,
	DIGEST_ARTIFACTS = 32,
	DIGEST_LINES = 6,
	DIGEST_LINE_BYTES = 240,
	DIGEST_NAME_WORDS = 10,
};

/* Takes a turn in; true: it gave the thread its name. */
bool digest_take(struct msg_episode_digest *d, struct arena *arena,
    const struct compact_turn *t);
/* An artifact of the thread is new or has changed. */
void digest_take_artifact(struct msg_episode_digest *d, struct arena *arena,
    struct slice key);
/* All of it is in the summaries now. */
void digest_compacted(struct msg_episode_digest *d);

#endif
