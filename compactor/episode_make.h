/*
 * episode_make - a primary episode, made of a thread's digest
 */
#ifndef COMPACTOR_EPISODE_MAKE_H
#define COMPACTOR_EPISODE_MAKE_H

#include "compactor/compact.h"

enum { EPISODE_SKILLS = 32 };	/* named in an episode, the latest */

/* "p12" */
struct slice episode_key(struct arena *arena, uint64_t thread);
/* What is told of it before it is compacted, and what does not change. */
struct msg_episode episode_outline(struct arena *arena, uint64_t thread,
    const struct msg_episode_digest *d);
/*
 * Into the section, whole, with its skills; what compacted it is `trigger`.
 * Sorts the digest's words.
 */
void episode_make(struct compact *c, uint64_t thread,
    struct msg_episode_digest *d, const char *trigger);

#endif
