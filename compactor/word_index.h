/*
 * word_index - where in a list of words those with a first letter stand
 *
 * Lists of words are asked for every word of every turn, and mostly have none
 * that begins with its letter and is as long.  So what letters and lengths
 * there are is gathered once for each list and kept, by the list's address:
 * only lists that are constant and static may be asked for.
 */
#ifndef COMPACTOR_WORD_INDEX_H
#define COMPACTOR_WORD_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	INDEX_LETTERS = 27,	/* what is no letter, then a to z */
	INDEX_LONG = 31,	/* bytes; longer ones are as long as that */
};

struct word_index {
	const void *list;
	struct word_index *next;
	/* Of each letter: bit n is set if there is a word of n bytes. */
	uint32_t lengths[INDEX_LETTERS];
	/* Those with a letter are from the one place up to the next. */
	uint16_t from[INDEX_LETTERS + 1];
	size_t *first_lens;	/* of phrases: of each one's first word */
};

/*
 * Of a list of phrases by their first words, which are sorted; the places are
 * those of the list.
 */
const struct word_index *word_index_of_phrases(const char *const *list,
    size_t count);

/* The place of a first letter, small or large, among the letters. */
static inline unsigned
word_index_letter(char first)
{
	unsigned n = ((unsigned char)first | 0x20u) - 'a';

	return n < 26 ? n + 1 : 0;
}

static inline bool
word_index_may_have(const struct word_index *x, unsigned letter, size_t len)
{
	return (x->lengths[letter] >> (len < INDEX_LONG ? len : INDEX_LONG) &
	    1) != 0;
}

#endif
