/*
 * episode_words - an episode's summaries, for reading
 *
 *   micro   one to three sentences: what it was about and how it ended
 *   meso    a paragraph: when, who, and each thing that came of it
 *   macro   patterns: how many efforts and how they ended, what worked, what
 *           did not, which topics
 *
 * Extractive: the words are those of the artifacts and of the speakers.
 */
#ifndef COMPACTOR_EPISODE_WORDS_H
#define COMPACTOR_EPISODE_WORDS_H

#include "compactor/compact.h"

/* Fills micro, meso, macro and name of the episode from the digest. */
void episode_word(struct compact *c, const struct msg_episode_digest *d,
    struct msg_episode *e);

#endif
