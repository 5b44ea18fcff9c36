/*
 * episode_digest - the little of a thread that its compaction is made of
 *
 * Pure: a digest and a turn in, the digest out.  Every list is bounded; what
 * is said most, what tells most and what came last stay.
 *
 * In the table its lists are packed into one string, item after item:
 *
 *	kind, 1 byte | number, 4 | number, 4 | length, 2 | text
 *
 * numbers big-endian; kinds are p(eople), k(eywords: weight), e(ntities:
 * weight), a(rtifacts), c(hanged), l(ines: turn, content).
 */
#ifndef COMPACTOR_EPISODE_DIGEST_H
#define COMPACTOR_EPISODE_DIGEST_H

#include "compactor/compact.h"

enum {
	DIGEST_KEYWORDS = 12,
	DIGEST_ENTITIES = 6,
	DIGEST_PEOPLE = 4,
	DIGEST_ARTIFACTS = 32,
	DIGEST_LINES = 4,
	DIGEST_LINE_BYTES = 240,
	DIGEST_NAME_WORDS = 10,
	DIGEST_NAMED_BY = 20,	/* turns: who says nothing by then never will */
};

/*
 * The lists are changed where they are: copies of them, with room, so that this
 * may be done.  An empty digest needs none.
 */
void digest_own(struct msg_episode_digest *d, struct arena *own);
/*
 * Takes a turn in; true: it gave the thread its name.  What the digest keeps
 * is in `own`; `arena` is for what is needed on the way.
 */
bool digest_take(struct msg_episode_digest *d, struct arena *own,
    struct arena *arena, const struct compact_turn *t);
/* An artifact of the thread is new or has changed. */
void digest_take_artifact(struct msg_episode_digest *d, struct arena *own,
    struct slice key);
/* Its words, the heaviest first. */
void digest_sort(struct msg_episode_digest *d);
/* Into one string and back; what cannot be read is left out. */
void digest_pack(struct msg_episode_digest *d, struct arena *arena);
void digest_unpack(struct msg_episode_digest *d, struct arena *arena);
/* All of it is in the summaries now. */
void digest_compacted(struct msg_episode_digest *d);

#endif
