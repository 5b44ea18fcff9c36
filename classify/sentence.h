/*
 * sentence - where the sentences of a turn begin and end
 *
 * Only the speaker's own words make sentences.  Inline code and addresses may
 * stand inside one; blocks of code, quotes and machine text end it.  Works
 * without capitals, and where there is no punctuation a line is a sentence.
 */
#ifndef CLASSIFY_SENTENCE_H
#define CLASSIFY_SENTENCE_H

#include <stddef.h>

#include "classify/sift.h"
#include "common/buf.h"

/* What comes after the last one is joined to it: nothing is dropped. */
enum { SENTENCE_MAX = 256 };

/* Into the text, trimmed, never empty, in order, without overlap. */
struct sentence {
	size_t at;
	size_t len;
};

size_t sentences_of(struct arena *a, struct slice text,
    const struct sifted *sifted, struct sentence **out);

#endif
