/*
 * search_near - the best documents, and what is around them
 *
 * In a dialogue the answer to what was asked often has none of its words: a
 * turn is looked at with those before and after it and with the best of its
 * sitting.
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "store/search_impl.h"
#include "store/wish.h"

enum {
	FINALISTS = 160,	/* by all that they are themselves */
	BESIDE = 80,		/* of these, whose neighbours come along */
};

/* ---- a document by itself ---- */

/* Many are asked for several times, as neighbours: they are remembered. */
enum { OWN_SLOTS = 1 << 13 };
struct own_slot {
	uint64_t run;		/* whose it is: others' are old */
	uint32_t doc;
	struct rank_own own;
	double score;
};

static void
own_facts(const struct run *r, uint32_t place, uint32_t doc,
    struct rank_own *own)
{
	const struct source *source = &r->s->sources[place];
	uint32_t d = doc - source->base;

	*own = (struct rank_own){
		.terms = r->most_terms > 0.0f ?
		    r->s->scores[doc] / r->most_terms : 0.0,
		.speaker = r->speakers && r->s->speaks[doc] > 0,
		.role = r->role[source->x.norms[d]] * rank_wish((unsigned)
		    section_value(&source->x, COLUMN_WISH, d)),
	};
	own->dense = dense_of(r, source, d, &own->alike);
}

/* Until the next one is asked for. */
static const struct own_slot *
own_of(const struct run *r, uint32_t place, uint32_t doc)
{
	struct own_slot *slot = &r->s->owns[doc * 2654435761u % OWN_SLOTS];

	if (slot->run != r->s->runs || slot->doc != doc) {
		slot->run = r->s->runs;
		slot->doc = doc;
		own_facts(r, place, doc, &slot->own);
		slot->score = rank_own(&slot->own);
	}
	return slot;
}

static double
own_score(const struct run *r, uint32_t place, uint32_t doc)
{
	return own_of(r, place, doc)->score;
}

/* The best first, the later one on a tie. */
static int
compare_keys(const void *a, const void *b)
{
	const struct scored *x = a, *y = b;

	if (x->key > y->key || x->key < y->key)
		return x->key > y->key ? -1 : 1;
	return x->doc > y->doc ? -1 : x->doc < y->doc;
}

/* Each is there once, whatever it was chosen by: false the second time. */
static bool
take(struct run *r, uint32_t doc)
{
	uint64_t *bits = &r->s->taken[doc / TOUCH_BLOCK];
	uint64_t bit = UINT64_C(1) << doc % TOUCH_BLOCK;

	if ((*bits & bit) != 0)
		return false;
	*bits |= bit;
	return true;
}

static void
drop_doubles(struct run *r)
{
	size_t i, kept = 0;

	for (i = 0; i < r->n_scored; i++)
		if (take(r, r->scored[i].doc))
			r->scored[kept++] = r->scored[i];
	r->n_scored = kept;
}

static void
untake(struct run *r, size_t from, size_t end)
{
	size_t i;

	for (i = from; i < end; i++)
		r->s->taken[r->scored[i].doc / TOUCH_BLOCK] = 0;
}

static void
sort_by_own(struct run *r)
{
	size_t i;

	for (i = 0; i < r->n_scored; i++)
		r->scored[i].key = (float)own_score(r, r->scored[i].source,
		    r->scored[i].doc);
	qsort(r->scored, r->n_scored, sizeof(r->scored[0]), compare_keys);
}

/* ---- neighbours ---- */

/* A turn by entry and place, wherever it lies. */
static bool
find_turn(const struct run *r, uint64_t seq, uint64_t i,
    struct candidate *out)
{
	const struct source *source;
	uint32_t d;
	size_t k;

	for (k = 0; k < r->s->n_sources; k++) {
		source = &r->s->sources[k];
		if (seq < segment_first(source->x.segment) ||
		    seq > segment_last(source->x.segment))
			continue;
		if (!section_find(&source->x, seq, SEARCH_TURN, i, &d))
			return false;
		*out = (struct candidate){ .doc = source->base + d,
			.source = (uint32_t)k };
		return true;
	}
	return false;
}

/* The turn `step` (1 or -1) from a turn in its thread. */
static bool
neighbour(const struct run *r, const struct candidate *c, int step,
    struct candidate *out)
{
	int64_t gap = candidate_value(r, c,
	    step < 0 ? COLUMN_PREV : COLUMN_NEXT);
	const struct source *source = &r->s->sources[c->source];
	uint32_t d = c->doc - source->base;
	uint64_t turn;
	struct msg_place p;
	struct key k;

	if (gap != 0) {
		if (gap < 0 || (step < 0 ? gap > d :
			gap >= source->x.n_docs - d))
			return false;
		*out = (struct candidate){ .source = c->source,
			.doc = step < 0 ? c->doc - (uint32_t)gap :
					  c->doc + (uint32_t)gap };
		return true;
	}
	turn = (uint64_t)candidate_value(r, c, COLUMN_TURN) +
	    (uint64_t)(int64_t)step;
	if (r->view->ingest == NULL || turn == 0)
		return false;
	k = key_u64((uint64_t)candidate_value(r, c, COLUMN_THREAD));
	key_add_u64(&k, turn);
	return db_get_msg(r->view->ingest, TABLE_thread_turns, key_slice(&k),
	    MSG_place, r->arena, &p) && find_turn(r, p.seq, p.i, out);
}

/*
 * The best by themselves, and the turns beside the best of these: in a
 * dialogue the answer to what was asked often has none of its words.
 */
void
choose_finalists(struct run *r)
{
	size_t i, n, most = r->parsed.n_phrases > 0 ? r->n_scored :
	    at_least(FINALISTS, r->q->limit);
	const struct source *source;
	struct candidate from, c;
	int step;

	if (r->s->owns == NULL)
		r->s->owns = xcalloc(OWN_SLOTS, sizeof(r->s->owns[0]));
	r->s->runs++;
	drop_doubles(r);
	sort_by_own(r);
	untake(r, 0, r->n_scored);
	n = r->n_scored < most ? r->n_scored : most;
	r->n_scored = n;
	drop_doubles(r);
	r->scored = xrealloc(r->scored, (n + 2 * BESIDE + 1) *
	    sizeof(r->scored[0]));
	for (i = 0; i < n && i < BESIDE && r->parsed.n_phrases == 0; i++)
		for (step = -1; step <= 1; step += 2) {
			from = (struct candidate){ .doc = r->scored[i].doc,
				.source = r->scored[i].source };
			if (candidate_value(r, &from, COLUMN_KIND) !=
				SEARCH_TURN || !neighbour(r, &from, step, &c))
				continue;
			source = &r->s->sources[c.source];
			if (!source->skip && passes(r, source,
				c.doc - source->base) && take(r, c.doc))
				r->scored[r->n_scored++] = (struct scored){
					.doc = c.doc, .source = c.source };
		}
	untake(r, 0, r->n_scored);
	r->n_candidates = r->n_scored;
	r->candidates = xcalloc(r->n_candidates + 1,
	    sizeof(r->candidates[0]));
	for (i = 0; i < r->n_candidates; i++) {
		r->candidates[i].doc = r->scored[i].doc;
		r->candidates[i].source = r->scored[i].source;
	}
}

/* ---- surroundings ---- */

static bool
is_one_sitting(const struct run *r, const struct candidate *a,
    const struct candidate *b)
{
	int64_t gap = candidate_value(r, a, COLUMN_TS) -
	    candidate_value(r, b, COLUMN_TS);

	if (gap > SEGMENT_SITTING_MS || gap < -SEGMENT_SITTING_MS)
		return false;
	/* In one piece equal strings have one place. */
	if (a->source == b->source)
		return candidate_value(r, a, COLUMN_SESSION) ==
		    candidate_value(r, b, COLUMN_SESSION);
	return slice_eq(candidate_string(r, a, COLUMN_SESSION),
	    candidate_string(r, b, COLUMN_SESSION));
}

/* The first turn of a sitting, over the borders of segments. */
static uint32_t
sitting_of(const struct run *r, const struct candidate *c)
{
	struct candidate at = *c, before;
	int64_t back;

	for (;;) {
		back = candidate_value(r, &at, COLUMN_STRETCH);
		if (back < 0 || back > at.doc -
		    r->s->sources[at.source].base)
			return at.doc;
		at.doc -= (uint32_t)back;
		if (candidate_value(r, &at, COLUMN_PREV) != 0 ||
		    !neighbour(r, &at, -1, &before) ||
		    before.doc >= at.doc || !is_one_sitting(r, &at, &before))
			return at.doc;
		at = before;
	}
}

/* The turn `step` away and the one behind it, if they are of the sitting. */
static void
look_beside(const struct run *r, const struct candidate *c, int step,
    double *one, double *two)
{
	struct candidate near, far;

	if (!neighbour(r, c, step, &near) || !is_one_sitting(r, c, &near))
		return;
	*one = own_score(r, near.source, near.doc);
	if (neighbour(r, &near, step, &far) &&
	    is_one_sitting(r, &near, &far))
		*two = own_score(r, far.source, far.doc);
}

/* The best of a sitting, by its first turn. */
struct sitting_slot {
	uint32_t sitting;
	bool there;
	double best;
};

static struct sitting_slot *
sitting_slot(struct sitting_slot *slots, size_t mask, uint32_t sitting)
{
	size_t at = sitting * 2654435761u & mask;

	while (slots[at].there && slots[at].sitting != sitting)
		at = (at + 1) & mask;
	slots[at].there = true;
	slots[at].sitting = sitting;
	return &slots[at];
}

static void
share_sittings(struct run *r)
{
	struct sitting_slot *slots, *slot;
	size_t i, room = 64;

	while (room < 2 * r->n_candidates)
		room *= 2;
	slots = arena_array(r->arena, room, sizeof(slots[0]));
	for (i = 0; i < r->n_candidates; i++) {
		slot = sitting_slot(slots, room - 1, r->candidates[i].sitting);
		if (r->candidates[i].own > slot->best)
			slot->best = r->candidates[i].own;
	}
	for (i = 0; i < r->n_candidates; i++)
		r->candidates[i].facts.sitting = sitting_slot(slots, room - 1,
		    r->candidates[i].sitting)->best;
}

void
look_around(struct run *r)
{
	const struct own_slot *own;
	struct candidate *c;
	int64_t ts;
	size_t i;

	for (i = 0; i < r->n_candidates; i++) {
		c = &r->candidates[i];
		own = own_of(r, c->source, c->doc);
		c->facts.own = own->own;
		c->own = own->score;
		c->facts.alone = candidate_value(r, c, COLUMN_KIND) !=
		    SEARCH_TURN;
		c->sitting = c->facts.alone ? c->doc : sitting_of(r, c);
		ts = candidate_value(r, c, COLUMN_TS);
		c->facts.age_ms = ts < r->now_ms ? r->now_ms - ts : 0;
		if (c->facts.alone)
			continue;
		look_beside(r, c, -1, &c->facts.before, &c->facts.before2);
		look_beside(r, c, 1, &c->facts.after, &c->facts.after2);
	}
	share_sittings(r);
}
