/*
 * word_lists - which lists of words a word is in
 *
 * A table of all words, by their first and last eight bytes: that is all of
 * nearly every word, and two comparisons.
 */
#include "compactor/word_lists.h"

#include <assert.h>
#include <stdlib.h>

#include "common/xmalloc.h"

enum {
	SLOT_BITS = 12,
	LISTED_MOST = 1 << (SLOT_BITS - 1),
	ENDS_BYTES = 16,
};

/* All bytes of a short word, once or twice; how long it is goes with them. */
struct ends {
	uint64_t first, last;
};

struct listed {
	struct word_in in;
	struct ends ends;
	struct slice word;
};

/* The lists are the program's own: that they fit is seen when it is tested. */
struct all_words {
	uint16_t slots[1 << SLOT_BITS];	/* places of words; 0: there is none */
	/* The first is no word.  Each has a line of the cache. */
	_Alignas(64) struct listed words[LISTED_MOST];
	unsigned n_words, n_lists;
};

/* For the process's life, as the lists are: there are no threads. */
static struct all_words *
all_words(void)
{
	static struct all_words all;

	return &all;
}

/* ---- looking up ---- */

/* Each of eight bytes that is a capital of ASCII becomes small. */
static inline uint64_t
small(uint64_t bytes)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t low = bytes & 0x7f * ones;
	uint64_t is_capital = (low + (0x80 - 'A') * ones) &
	    ~(low + (0x7f - 'Z') * ones) & ~bytes & 0x80 * ones;

	return bytes | is_capital >> 2;
}

static inline struct ends
ends_of(struct slice word)
{
	const unsigned char *p = (const unsigned char *)word.ptr;
	struct ends e = { 0, 0 };
	uint32_t first, last;

	if (word.len >= sizeof(e.first)) {
		memcpy(&e.first, p, sizeof(e.first));
		memcpy(&e.last, p + word.len - sizeof(e.last), sizeof(e.last));
		e.last = small(e.last);
	} else if (word.len >= sizeof(first)) {
		memcpy(&first, p, sizeof(first));
		memcpy(&last, p + word.len - sizeof(last), sizeof(last));
		e.first = first | (uint64_t)last << 32;
	} else if (word.len > 0)
		e.first = p[0] | (uint64_t)p[word.len / 2] << 8 |
		    (uint64_t)p[word.len - 1] << 16;
	e.first = small(e.first);
	return e;
}

/* What is between the ends of a long one. */
static bool
is_same_between(struct slice word, struct slice listed)
{
	size_t i;

	for (i = 0; i < word.len; i++)
		if ((word.ptr[i] >= 'A' && word.ptr[i] <= 'Z' ?
			word.ptr[i] + 32 : word.ptr[i]) != listed.ptr[i])
			return false;
	return true;
}

static inline bool
is_same(const struct listed *is, struct slice word, struct ends e)
{
	return is->ends.first == e.first && is->ends.last == e.last &&
	    is->word.len == word.len && (word.len <= ENDS_BYTES ||
		is_same_between(word, is->word));
}

/* Where the word is, or may be put. */
static inline uint16_t *
slot_of(struct all_words *all, struct slice word, struct ends e)
{
	uint64_t hash = (e.first ^ (e.last + word.len) *
	    UINT64_C(0xd6e8feb86659fd93)) * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = hash >> (64 - SLOT_BITS);

	while (all->slots[at] != 0 &&
	    !is_same(&all->words[all->slots[at]], word, e))
		at = (at + 1) % (1 << SLOT_BITS);
	return &all->slots[at];
}

const struct word_in *
word_find(struct slice word)
{
	struct all_words *all = all_words();

	return &all->words[*slot_of(all, word, ends_of(word))].in;
}

const struct phrase *
phrases_with(const struct word_list *list, const struct word_in *first,
    size_t *count)
{
	size_t low = 0, high = list->count, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (list->phrases[middle].words[0] < first)
			low = middle + 1;
		else
			high = middle;
	}
	for (high = low; high < list->count &&
	     list->phrases[high].words[0] == first; high++)
		;
	*count = high - low;
	return high > low ? &list->phrases[low] : NULL;
}

unsigned
word_lists_known(void)
{
	return all_words()->n_lists;
}

/* ---- a list becomes known ---- */

static struct listed *
add_word(struct all_words *all, struct slice word)
{
	uint16_t *slot = slot_of(all, word, ends_of(word));
	struct listed *is = &all->words[*slot];
	char *own;

	if (*slot != 0)
		return is;
	assert(all->n_words + 1 < LISTED_MOST);
	own = xmalloc(word.len);
	memcpy(own, word.ptr, word.len);
	*slot = (uint16_t)++all->n_words;
	is = &all->words[*slot];
	is->word = slice_of(own, word.len);
	is->ends = ends_of(word);
	return is;
}

static void
set_list(struct listed *is, unsigned number)
{
	is->in.lists[number / 64] |= UINT64_C(1) << number % 64;
}

/* "doesnt": many type it so. */
static void
add_negation(struct all_words *all, struct slice word, unsigned number)
{
	char *typed;

	if (word.len <= 3 ||
	    memcmp(word.ptr + word.len - 3, "n't", 3) != 0)
		return;
	typed = xmalloc(word.len - 1);
	memcpy(typed, word.ptr, word.len - 2);
	typed[word.len - 2] = 't';
	set_list(add_word(all, slice_of(typed, word.len - 1)), number);
	free(typed);
}

static struct phrase
phrase_of(struct all_words *all, const char *text, unsigned number)
{
	struct phrase p = { { NULL } };
	struct listed *is;
	size_t n = 0, len;

	for (; *text != '\0'; text += len + (text[len] == ' ')) {
		assert(n < PHRASE_MOST);
		len = strcspn(text, " ");
		is = add_word(all, slice_of(text, len));
		if (n == 0)
			set_list(is, number);
		p.words[n++] = &is->in;
	}
	return p;
}

static int
phrase_cmp(const void *a, const void *b)
{
	const struct phrase *x = a, *y = b;

	return x->words[0] < y->words[0] ? -1 : x->words[0] > y->words[0];
}

unsigned
word_list_know(struct word_list *list)
{
	struct all_words *all = all_words();
	size_t i;

	assert(all->n_lists + 1 < LISTS_MOST);
	list->number = ++all->n_lists;
	if (list->has_phrases)
		list->phrases = xcalloc(list->count,
		    sizeof(list->phrases[0]));
	for (i = 0; i < list->count; i++)
		if (list->has_phrases)
			list->phrases[i] = phrase_of(all, list->words[i],
			    list->number);
		else {
			set_list(add_word(all, slice_str(list->words[i])),
			    list->number);
			add_negation(all, slice_str(list->words[i]),
			    list->number);
		}
	if (list->has_phrases)
		qsort(list->phrases, list->count, sizeof(list->phrases[0]),
		    phrase_cmp);
	return list->number;
}
