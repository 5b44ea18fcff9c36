/*
 * word_lists - which lists of words a word is in
 *
 * A table of all words, by a look at four bytes of them: how long it is and its
 * first, middle and last letter tell nearly all of them apart.
 */
#include "compactor/word_lists.h"

#include <assert.h>

#include "common/xmalloc.h"

enum {
	SLOT_BITS = 12,
	LISTED_MOST = 1 << (SLOT_BITS - 1),
	WORD_LONG = 255,	/* bytes; no list has a longer one */
};

struct listed {
	struct slice word;
	uint32_t look;
	struct word_in in;
};

/* The lists are the program's own: that they fit is seen when it is tested. */
struct all_words {
	uint16_t slots[1 << SLOT_BITS];	/* places of words; 0: there is none */
	struct listed words[LISTED_MOST];	/* the first is no word */
	unsigned n_words, n_lists;
};

/* For the process's life, as the lists are: there are no threads. */
static struct all_words *
all_words(void)
{
	static struct all_words all;

	return &all;
}

/* Large and small letters look the same. */
static uint32_t
look_of(struct slice word)
{
	const unsigned char *p = (const unsigned char *)word.ptr;

	return (p[0] | 0x20u) | (p[word.len / 2] | 0x20u) << 8 |
	    (p[word.len - 1] | 0x20u) << 16 | (uint32_t)word.len << 24;
}

static bool
is_same(struct slice word, struct slice small)
{
	size_t i;

	for (i = 0; i < word.len; i++)
		if ((word.ptr[i] >= 'A' && word.ptr[i] <= 'Z' ?
			word.ptr[i] + 32 : word.ptr[i]) != small.ptr[i])
			return false;
	return true;
}

/* Where the word is, or may be put. */
static uint16_t *
slot_of(struct all_words *all, struct slice word, uint32_t look)
{
	uint32_t at = look * UINT32_C(0x9e3779b1) >> (32 - SLOT_BITS);
	const struct listed *is;

	for (;; at = (at + 1) % (1 << SLOT_BITS)) {
		is = &all->words[all->slots[at]];
		if (all->slots[at] == 0 || (is->look == look &&
			is_same(word, is->word)))
			return &all->slots[at];
	}
}

const struct word_in *
word_find(struct slice word)
{
	struct all_words *all = all_words();

	if (word.len == 0 || word.len > WORD_LONG)
		return &all->words[0].in;
	return &all->words[*slot_of(all, word, look_of(word))].in;
}

unsigned
word_lists_known(void)
{
	return all_words()->n_lists;
}

/* ---- a list becomes known ---- */

static void
add_word(struct all_words *all, struct slice word, unsigned number)
{
	struct listed *is;
	uint16_t *slot;
	char *own;

	assert(word.len > 0 && word.len <= WORD_LONG);
	slot = slot_of(all, word, look_of(word));
	is = &all->words[*slot];
	if (*slot == 0) {
		assert(all->n_words + 1 < LISTED_MOST);
		*slot = (uint16_t)++all->n_words;
		is = &all->words[*slot];
		own = xmalloc(word.len);
		memcpy(own, word.ptr, word.len);
		is->word = slice_of(own, word.len);
		is->look = look_of(word);
	}
	is->in.lists[number / 64] |= UINT64_C(1) << number % 64;
}

/* "doesnt": many type it so. */
static void
add_negation(struct all_words *all, struct slice word, unsigned number)
{
	char typed[WORD_LONG];

	assert(word.len <= WORD_LONG);
	if (word.len <= 3 ||
	    memcmp(word.ptr + word.len - 3, "n't", 3) != 0)
		return;
	memcpy(typed, word.ptr, word.len - 2);
	typed[word.len - 2] = 't';
	add_word(all, slice_of(typed, word.len - 1), number);
}

unsigned
word_list_know(struct word_list *list)
{
	struct all_words *all = all_words();
	const char *const *at;

	assert(all->n_lists + 1 < LISTS_MOST);
	list->number = ++all->n_lists;
	for (at = list->words; *at != NULL; at++)
		if (list->phrases)
			add_word(all, slice_of(*at, strcspn(*at, " ")),
			    list->number);
		else {
			add_word(all, slice_str(*at), list->number);
			add_negation(all, slice_str(*at), list->number);
		}
	return list->number;
}
