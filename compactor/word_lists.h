/*
 * word_lists - which lists of words a word is in
 *
 * A hundred lists are asked for the words of every turn, and mostly have none
 * of them.  So a word is looked up once, among the words of all lists, and what
 * is found there has a bit for each list.
 *
 * A list is known from when it is first asked for: what was looked up before
 * that says nothing of it.
 */
#ifndef COMPACTOR_WORD_LISTS_H
#define COMPACTOR_WORD_LISTS_H

#include "common/buf.h"

enum { LISTS_MOST = 256 };	/* of the program's, and one that is none */

/* The lists that a word is in: a bit for each, by its number. */
struct word_in {
	uint64_t lists[LISTS_MOST / 64];
};

struct word_list {
	const char *const *words;	/* small; the last is NULL */
	bool phrases;			/* known by the first word of each */
	unsigned number;		/* from 1; 0: it is not known yet */
};

/* "doesn't" in a list stands for "doesnt" too. */
#define WORD_LIST(name, ...)                                             \
	static const char *const name##_words[] = { __VA_ARGS__, NULL }; \
	static struct word_list name = { .words = name##_words }
#define PHRASE_LIST(name, ...)                                           \
	static const char *const name##_words[] = { __VA_ARGS__, NULL }; \
	static struct word_list name = { .words = name##_words,          \
		.phrases = true }

/* Gives it a number. */
unsigned word_list_know(struct word_list *list);
/* How many lists are known. */
unsigned word_lists_known(void);
/* The lists that it is in, of those that are known; never NULL. */
const struct word_in *word_find(struct slice word);

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

/* Adds the lists that another word is in. */
static inline void
word_in_add(struct word_in *sum, const struct word_in *in)
{
	size_t i;

	for (i = 0; i < LISTS_MOST / 64; i++)
		sum->lists[i] |= in->lists[i];
}

#endif
