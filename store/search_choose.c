/*
 * search_choose - the best documents by their own words
 *
 * Those of them that pass the filters, in a heap; they go on to search_near.c.
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "store/search_impl.h"

enum { CHOSEN = 300 };

/* The later document wins a tie. */
static bool
is_worse(const struct scored *a, const struct scored *b)
{
	if (a->key < b->key)
		return true;
	return !(a->key > b->key) && a->doc < b->doc;
}

static void
sink(struct heap *h)
{
	size_t at = 0, child;
	struct scored held;

	while ((child = 2 * at + 1) < h->n) {
		if (child + 1 < h->n &&
		    is_worse(&h->at[child + 1], &h->at[child]))
			child++;
		if (!is_worse(&h->at[child], &h->at[at]))
			break;
		held = h->at[at];
		h->at[at] = h->at[child];
		h->at[child] = held;
		at = child;
	}
}

void
heap_offer(struct heap *h, const struct scored *c)
{
	size_t at, parent;
	struct scored held;

	if (h->n == h->most) {
		h->at[0] = *c;
		sink(h);
		return;
	}
	h->at[h->n] = *c;
	for (at = h->n++; at > 0; at = parent) {
		parent = (at - 1) / 2;
		if (!is_worse(&h->at[at], &h->at[parent]))
			break;
		held = h->at[at];
		h->at[at] = h->at[parent];
		h->at[parent] = held;
	}
}

/* The documents of a block with a score that lie from `first` to before end. */
static uint64_t
touched_in(const struct search *s, uint32_t block, uint32_t first,
    uint32_t end)
{
	uint32_t base = block * TOUCH_BLOCK;
	uint64_t bits = s->touched[block];

	if (base < first)
		bits &= UINT64_MAX << (first - base);
	if (end - base < TOUCH_BLOCK)
		bits &= (UINT64_C(1) << (end - base)) - 1;
	return bits;
}

static void
choose_one(struct run *r, struct heap *h, uint32_t place, uint32_t doc)
{
	const struct source *source = &r->s->sources[place];
	struct scored c = { .source = place, .doc = doc };
	float least = h->n == h->most ? (float)h->at[0].key : 0.0f;
	float score = r->s->scores[doc];

	if (score > r->most_terms)
		r->most_terms = score;
	if (score <= least || source->skip)
		return;		/* a role takes away, and never adds */
	c.key = score * r->role[source->x.norms[doc - source->base]];
	if (c.key > least && passes(r, source, doc - source->base))
		heap_offer(h, &c);
}

static void
choose_in(struct run *r, struct heap *h, uint32_t place)
{
	const struct source *source = &r->s->sources[place];
	uint32_t first = source->base, end = first + source->x.n_docs;
	uint32_t block, last = (end - 1) / TOUCH_BLOCK;
	uint64_t bits;

	for (block = first / TOUCH_BLOCK; block <= last; block++)
		for (bits = touched_in(r->s, block, first, end); bits != 0;
		     bits &= bits - 1)
			choose_one(r, h, place, block * TOUCH_BLOCK +
			    (uint32_t)__builtin_ctzll(bits));
}

/* Phrases are looked for in the text, so many must be at hand. */
enum { CHOSEN_PHRASE = 20000 };

size_t
at_least(size_t n, uint64_t limit)
{
	return limit * 2 > n ? (size_t)limit * 2 : n;
}

/* A phrase of stop words has no term to be found by: the newest are read. */
static void
choose_newest(struct run *r, struct heap *h)
{
	const struct source *source;
	uint32_t i, d;

	for (i = (uint32_t)r->s->n_sources; i-- > 0;) {
		source = &r->s->sources[i];
		for (d = source->x.n_docs; !source->skip && d-- > 0;)
			if (h->n < h->most && passes(r, source, d))
				h->at[h->n++] = (struct scored){
					.doc = source->base + d, .source = i };
	}
}

void
choose_scored(struct run *r)
{
	struct heap h = { .most = r->parsed.n_phrases > 0 ?
		CHOSEN_PHRASE : at_least(CHOSEN, r->q->limit) };
	uint32_t i;

	h.at = xmalloc(h.most * sizeof(h.at[0]));
	if (r->parsed.n_terms == 0 && r->parsed.n_phrases > 0)
		choose_newest(r, &h);
	/* The newest first: they win ties. */
	for (i = (uint32_t)r->s->n_sources; i-- > 0;)
		choose_in(r, &h, i);
	r->scored = h.at;
	r->n_scored = h.n;
}
