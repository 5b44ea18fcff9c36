/*
 * word_index - where in a list of words those with a first letter stand
 */
#include "compactor/word_index.h"

#include <string.h>

#include "common/xmalloc.h"

enum { BUCKETS = 1024 };

static void
add_length(struct word_index *x, unsigned letter, size_t len)
{
	x->lengths[letter] |= UINT32_C(1)
	    << (len < INDEX_LONG ? len : INDEX_LONG);
}

/* They are sorted by bytes: what is before the letter comes before it. */
static void
fill_phrases(struct word_index *x, const char *const *list, size_t count)
{
	unsigned char first;
	unsigned l;
	size_t i;

	x->first_lens = xcalloc(count + 1, sizeof(x->first_lens[0]));
	for (i = 0; i < count; i++) {
		first = (unsigned char)list[i][0];
		x->first_lens[i] = (size_t)(strchrnul(list[i], ' ') - list[i]);
		add_length(x, word_index_letter(list[i][0]),
		    x->first_lens[i]);
		for (l = 1; l <= INDEX_LETTERS; l++)
			x->from[l] = (uint16_t)(x->from[l] +
			    (first < 'a' + l - 1));
	}
}

/* A place for one that is not known yet; the others of its bucket follow. */
static struct word_index *
add(const char *const *list, struct word_index **bucket)
{
	struct word_index *x = xcalloc(1, sizeof(*x));

	x->list = list;
	x->next = *bucket;
	*bucket = x;
	return x;
}

static inline struct word_index *
find(const char *const *list, struct word_index **bucket)
{
	struct word_index *x = *bucket;

	while (x != NULL && x->list != list)
		x = x->next;
	return x;
}

/* For the process's life, as the lists are: there are no threads. */
static inline struct word_index **
bucket_of(const char *const *list)
{
	static struct word_index *known[BUCKETS];

	return &known[(uintptr_t)list / 16 % BUCKETS];
}

const struct word_index *
word_index_of_phrases(const char *const *list, size_t count)
{
	struct word_index **bucket = bucket_of(list), *x = find(list, bucket);

	if (x != NULL)
		return x;
	x = add(list, bucket);
	fill_phrases(x, list, count);
	return x;
}
