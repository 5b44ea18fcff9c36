/*
 * search_together - words that stand in a text as they stand in the query
 *
 * The index knows which words a text has, not where; stop words it does not
 * know at all.  So the texts of the best are read, and those come up that have
 * "out of memory" and not only a memory.  A name stands anywhere: it tells who
 * is asked for.
 */
#include "store/search_impl.h"

enum {
	WORDS_MOST = 6,	/* of a query; more is a text, not a phrase */
	LOOK = 40,		/* texts that are read */
	LOOK_FEW = 160,		/* where one word tells, and stop words the rest */
};

static bool
is_pair(const struct parsed *p, size_t i)
{
	return i + 1 < p->n_words && !p->words[i].name &&
	    !p->words[i + 1].name;
}

size_t
together_look(const struct run *r)
{
	const struct parsed *p = &r->parsed;
	size_t i, tell = 0, pairs = 0;

	/* Who fills a budget takes them all. */
	if (r->q->padded)
		return 0;
	for (i = 0; i < p->n_words; i++) {
		tell += p->words[i].tells && !p->words[i].name;
		pairs += is_pair(p, i) &&
		    (p->words[i].tells || p->words[i + 1].tells);
	}
	if (pairs == 0 || p->n_words > WORDS_MOST || p->n_phrases > 0)
		return 0;
	return tell == 1 && p->n_words <= 4 ? LOOK_FEW : LOOK;
}

/* The last word up to which the words from i on stand in the text. */
static size_t
run_end(const struct run *r, struct slice plain, size_t i, struct buf *words)
{
	const struct parsed *p = &r->parsed;
	size_t end = i;

	buf_clear(words);
	buf_addc(words, ' ');
	buf_addslice(words, p->words[i].plain);
	while (is_pair(p, end)) {
		buf_addslice(words, p->words[end + 1].plain);
		if (memmem(plain.ptr, plain.len, words->ptr,
			words->len) == NULL)
			break;
		end++;
	}
	return end;
}

double
together_of(const struct run *r, struct slice plain)
{
	const struct parsed *p = &r->parsed;
	size_t i, end, k, all = 0, found = 0;
	struct buf words;
	bool tells;

	buf_init(&words, SIZE_MAX / 4);
	for (i = 0; i < p->n_words; i = end + 1) {
		end = run_end(r, plain, i, &words);
		for (tells = false, k = i; k <= end; k++)
			tells = tells || p->words[k].tells;
		found += tells ? end - i : 0;
	}
	for (i = 0; i < p->n_words; i++)
		all += is_pair(p, i);
	buf_release(&words);
	return all == 0 ? 0.0 : (double)found / (double)all;
}
