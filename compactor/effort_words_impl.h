/*
 * effort_words_impl - words and sentences, for effort_words and effort_outcome
 */
#ifndef COMPACTOR_EFFORT_WORDS_IMPL_H
#define COMPACTOR_EFFORT_WORDS_IMPL_H

#include "compactor/compact.h"

enum {
	FIRST_WORDS = 14,	/* of a sentence: who does what stands there */
};

/* The first words of a sentence. */
struct words {
	struct slice at[FIRST_WORDS];
	size_t count;
};

void words_read(struct slice text, struct words *out);
/* Of a list that ends with NULL. */
bool word_one_of(struct slice word, const char *const *words);
/* As classify has it; a turn of one sentence does what the turn does. */
struct msg_c_sentence turn_sentence(const struct compact_turn *t, size_t i);

#endif
