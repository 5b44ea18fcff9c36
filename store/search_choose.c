/*
 * search_choose - the best documents by their own words, and the best of all
 *
 * Those of them that pass the filters, in a heap; they go on to search_near.c.
 * When all is known of them, the candidates come out of another in their order.
 */
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "common/xmalloc.h"
#include "store/search_impl.h"

enum { CHOSEN = 300 };

/* The hole at the top goes down to where the last one fits. */
static void
sink(struct heap *h, const struct scored *c)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < h->n) {
		child += child + 1 < h->n &&
		    h->at[child + 1].mark < h->at[child].mark;
		if (h->at[child].mark >= c->mark)
			break;
		h->at[at] = h->at[child];
		at = child;
	}
	h->at[at] = *c;
}

void
heap_offer(struct heap *h, const struct scored *c)
{
	size_t at, parent;

	if (h->n == h->most) {
		sink(h, c);
		return;
	}
	for (at = h->n++; at > 0; at = parent) {
		parent = (at - 1) / 2;
		if (c->mark >= h->at[parent].mark)
			break;
		h->at[at] = h->at[parent];
	}
	h->at[at] = *c;
}

/* What a document must be above to be let in. */
static float
least_of(const struct heap *h)
{
	return h->n == h->most ? mark_key(h->at[0].mark) : 0.0f;
}

void
select_best(struct scored *at, size_t n, size_t best)
{
	size_t low = 0, high = n, i, k;
	struct scored held;
	uint64_t pivot;

	/* The best of all lie before `low`, none of them from `high` on. */
	while (high - low > 1 && best > low && best < high) {
		pivot = at[low + (high - low) / 2].mark;
		for (i = low, k = high - 1;; i++, k--) {
			while (at[i].mark > pivot)
				i++;
			while (at[k].mark < pivot)
				k--;
			if (i >= k)
				break;
			held = at[i];
			at[i] = at[k];
			at[k] = held;
		}
		/* Marks differ: the pivot lies at i or before it. */
		if (best <= i)
			high = i;
		else
			low = i;
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
	uint32_t d = doc - source->base;
	uint8_t norm = source->x.norms[d];
	float least = least_of(h), key = r->s->scores[doc];
	struct scored c = { .source = place };

	if (key > r->most_terms)
		r->most_terms = key;
	/* A role takes away, and never adds. */
	if (key <= least || source->skip ||
	    (r->classes >> norm_class(norm) & 1) == 0)
		return;
	key *= r->role[norm];
	if (key > least && passes(r, source, d)) {
		c.mark = mark_of(key, doc);
		heap_offer(h, &c);
	}
}

/* The largest score of a block; none is negative. */
static float
most_in(const float *scores)
{
	float most = 0.0f;
	size_t i;
#ifdef __SSE2__
	__m128 four = _mm_setzero_ps();

	for (i = 0; i < TOUCH_BLOCK; i += 4)
		four = _mm_max_ps(four, _mm_loadu_ps(scores + i));
	four = _mm_max_ps(four, _mm_movehl_ps(four, four));
	four = _mm_max_ss(four, _mm_shuffle_ps(four, four, 1));
	most = _mm_cvtss_f32(four);
#else
	for (i = 0; i < TOUCH_BLOCK; i++)
		most = scores[i] > most ? scores[i] : most;
#endif
	return most;
}

/*
 * Whether a block has nothing that is good enough.  One look at all of it tells
 * that sooner than one at each of many.
 */
static bool
is_poor(const struct run *r, const struct heap *h, uint32_t block,
    uint64_t bits)
{
	enum { MANY = 12 };

	return __builtin_popcountll(bits) >= MANY && h->n == h->most &&
	    most_in(r->s->scores + (size_t)block * TOUCH_BLOCK) <= least_of(h);
}

static void
choose_in(struct run *r, struct heap *h, uint32_t place)
{
	const struct source *source = &r->s->sources[place];
	uint32_t first = source->base, end = first + source->x.n_docs;
	uint32_t block, last = (end - 1) / TOUCH_BLOCK;
	uint64_t bits;

	for (block = first / TOUCH_BLOCK; block <= last; block++) {
		bits = touched_in(r->s, block, first, end);
		if (bits == 0 || is_poor(r, h, block, bits))
			continue;
		for (; bits != 0; bits &= bits - 1)
			choose_one(r, h, place, block * TOUCH_BLOCK +
			    (uint32_t)__builtin_ctzll(bits));
	}
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
					.mark = mark_of(0.0f, source->base + d),
					.source = i };
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

/* ---- candidates in their order ---- */

/* The later one on a tie. */
static bool
is_before(const struct ranking *a, const struct ranking *b)
{
	return a->score > b->score ||
	    (!(a->score < b->score) && a->doc > b->doc);
}

/* Puts one where `at` is, whose places below are in order. */
static void
settle(struct run *r, size_t at, struct ranking c)
{
	struct ranking *heap = r->ranking;
	size_t child;

	while ((child = 2 * at + 1) < r->n_ranking) {
		child += child + 1 < r->n_ranking &&
		    is_before(&heap[child + 1], &heap[child]);
		if (!is_before(&heap[child], &c))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = c;
}

void
ranking_begin(struct run *r)
{
	size_t i;

	r->n_ranking = r->n_candidates;
	for (i = r->n_candidates / 2; i-- > 0;)
		settle(r, i, r->ranking[i]);
}

/* Few of them are ever looked at, so only these are brought in order. */
const struct candidate *
score_ranked(struct run *r, size_t i)
{
	while (r->n_ranked <= i) {
		r->ranked[r->n_ranked++] = &r->candidates[r->ranking[0].at];
		r->n_ranking--;
		settle(r, 0, r->ranking[r->n_ranking]);
	}
	return r->ranked[i];
}
