/*
 * word_lists - which lists of words a word is in
 *
 * A hundred lists are asked for the words of every turn, and mostly have none
 * of them.  So a word is looked up once, among the words of all lists, and what
 * is found there has a bit for each list; a list of phrases has those of their
 * first words, and the words of a phrase are compared by where they were found.
 *
 * A list is known from when it is first asked for: what was looked up before
 * that says nothing of it.
 */
#ifndef COMPACTOR_WORD_LISTS_H
#define COMPACTOR_WORD_LISTS_H

#include "common/buf.h"

enum {
	LISTS_MOST = 256,	/* of the program's, and one that is none */
	PHRASE_MOST = 6,	/* words of a phrase */
};

/* The lists that a word is in: a bit for each, by its number. */
struct word_in {
	uint64_t lists[LISTS_MOST / 64];
};

/* Its words, as they are found; behind the last is NULL. */
struct phrase {
	const struct word_in *words[PHRASE_MOST + 1];
};

struct word_list {
	const char *const *words;	/* small; the last is NULL */
	size_t count;			/* of them, without it */
	bool has_phrases;
	unsigned number;		/* from 1; 0: it is not known yet */
	struct phrase *phrases;		/* ordered by their first words */
};

#define WORD_LIST_OF(name, phrases, ...)                                 \
	static const char *const name##_words[] = { __VA_ARGS__, NULL }; \
	static struct word_list name = {                                 \
		.words = name##_words,                                   \
		.count = sizeof(name##_words) / sizeof(name##_words[0]) - 1, \
		.has_phrases = phrases,                                  \
	}
/* "doesn't" in a list of words stands for "doesnt" too. */
#define WORD_LIST(name, ...) WORD_LIST_OF(name, false, __VA_ARGS__)
#define PHRASE_LIST(name, ...) WORD_LIST_OF(name, true, __VA_ARGS__)

/* Gives it a number. */
unsigned word_list_know(struct word_list *list);
/* How many lists are known. */
unsigned word_lists_known(void);
/*
 * The lists that it is in, of those that are known; never NULL.  The same
 * place for the same word, and one for all that are in no list.
 */
const struct word_in *word_find(struct slice word);
/* Those of the list's phrases that begin with a word; NULL: there is none. */
const struct phrase *phrases_with(const struct word_list *list,
    const struct word_in *first, size_t *count);

/* Its number, also when it is asked for the first time. */
static inline unsigned
word_list_number(struct word_list *list)
{
	return list->number != 0 ? list->number : word_list_know(list);
}

static inline bool
word_in_list(const struct word_in *in, unsigned number)
{
	return (in->lists[number / 64] >> number % 64 & 1) != 0;
}

static inline bool
word_one_of(struct slice word, struct word_list *list)
{
	unsigned number = word_list_number(list);

	return word_in_list(word_find(word), number);
}

/* Adds the lists that another word is in. */
static inline void
word_in_add(struct word_in *sum, const struct word_in *in)
{
	size_t i;

	for (i = 0; i < LISTS_MOST / 64; i++)
		sum->lists[i] |= in->lists[i];
}

#endif
