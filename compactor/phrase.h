/*
 * phrase - the words of a sentence as they are written, and lists of phrases
 *
 * A lighter cut than tokens: what stands between spaces is a word, with the
 * signs around it set apart, so that a shortened sentence can be put together
 * again as it was.
 */
#ifndef COMPACTOR_PHRASE_H
#define COMPACTOR_PHRASE_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buf.h"
#include "compactor/word_lists.h"

enum { PHRASE_WORDS = 400 };	/* of a sentence; what is behind is not read */

struct phrase_word {
	struct slice written;	/* with its signs, of the sentence */
	struct slice folded;	/* without them, small; may be empty */
	const struct word_in *in;	/* the lists it is in */
	unsigned known;		/* lists, when it was looked up */
	bool sign;		/* a comma, a dot, ... stands right behind it */
	bool clause;		/* one that ends a clause */
};

size_t phrase_words(struct arena *a, struct slice sentence,
    struct phrase_word **out);

/* ---- lists of phrases of one or several words, sorted word by word ---- */

/*
 * How many words from the `at`-th on are one of the phrases, the longest; 0 if
 * none.
 */
size_t phrase_at(const struct phrase_word *words, size_t count, size_t at,
    struct word_list *phrases);
/* The same for the words before `end`. */
size_t phrase_before(const struct phrase_word *words, size_t from, size_t end,
    struct word_list *phrases);
/* Is a phrase anywhere among the words? */
bool phrase_in(const struct phrase_word *words, size_t count,
    struct word_list *phrases);
/* The first phrase that is not in its place; NULL: they are sorted. */
const char *phrase_unsorted(const struct word_list *phrases);

#endif
