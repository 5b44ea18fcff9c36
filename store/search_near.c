/*
 * search_near - the best documents by what they are themselves
 *
 * In a dialogue the answer to what was asked often has none of its words: the
 * turns beside the best come along.  search_around.c looks at what is around
 * them all.
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
	uint64_t whose;		/* run and document: others' are old */
	double score;
};

static void
own_facts(const struct run *r, struct place p, int32_t near,
    struct rank_own *own)
{
	const struct source *source = &r->s->sources[p.source];

	*own = (struct rank_own){
		.terms = r->most_terms > 0.0f ?
		    r->s->scores[p.doc] / r->most_terms : 0.0,
		.speaker = r->speakers && r->s->speaks[p.doc] > 0,
		.role = r->role[source->x.norms[p.doc - source->base]] *
		    rank_wish((unsigned)place_value(r, p, COLUMN_WISH)),
	};
	own->dense = dense_of(r, p.source, near, &own->alike);
}

static uint64_t
own_name(const struct run *r, uint32_t doc)
{
	return r->s->runs << 32 | doc;
}

static struct own_slot *
own_slot(const struct run *r, uint32_t doc)
{
	return &r->s->owns[doc * 2654435761u % OWN_SLOTS];
}

static double
own_score(const struct run *r, struct place p, int32_t near)
{
	struct own_slot *slot = own_slot(r, p.doc);
	struct rank_own own;

	own_facts(r, p, near, &own);
	*slot = (struct own_slot){ own_name(r, p.doc), rank_own(&own) };
	return slot->score;
}

double
own_score_beside(const struct run *r, struct place p)
{
	return own_is_known(r, p.doc) ? own_slot(r, p.doc)->score :
	    own_score(r, p, dense_near(r, p.source, p.doc));
}

bool
own_is_known(const struct run *r, uint32_t doc)
{
	return own_slot(r, doc)->whose == own_name(r, doc);
}

/* ---- on its way while others are looked at ---- */

enum { AHEAD = 8 };

void
approach_own(const struct run *r, struct place p)
{
	const struct source *source = &r->s->sources[p.source];

	__builtin_prefetch(r->s->scores + p.doc);
	__builtin_prefetch(source->x.norms + (p.doc - source->base));
	approach_value(r, p, COLUMN_WISH);
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
		if (take(r, mark_doc(r->scored[i].mark)))
			r->scored[kept++] = r->scored[i];
	r->n_scored = kept;
}

static void
untake(struct run *r)
{
	size_t i;

	for (i = 0; i < r->n_scored; i++)
		r->s->taken[mark_doc(r->scored[i].mark) / TOUCH_BLOCK] = 0;
}

static struct place
place_of(const struct scored *c)
{
	return (struct place){ mark_doc(c->mark), c->source };
}

static void
mark_by_own(struct run *r)
{
	struct scored *c;
	size_t i;

	for (i = 0; i < r->n_scored; i++) {
		c = &r->scored[i];
		if (i + AHEAD < r->n_scored)
			approach_own(r, place_of(&c[AHEAD]));
		c->mark = mark_of((float)own_score(r, place_of(c), c->near),
		    mark_doc(c->mark));
	}
}

/* ---- neighbours ---- */

/* A turn by entry and place, wherever it lies. */
static bool
find_turn(const struct run *r, uint64_t seq, uint64_t i, struct place *out)
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
		*out = (struct place){ source->base + d, (uint32_t)k };
		return true;
	}
	return false;
}

/* The turn `step` (1 or -1) from a turn in its thread, in another source. */
static bool
find_neighbour(const struct run *r, struct place from, int step,
    struct place *out)
{
	uint64_t turn = (uint64_t)place_value(r, from, COLUMN_TURN) +
	    (uint64_t)(int64_t)step;
	struct msg_place p;
	struct key k;

	if (r->view->ingest == NULL || turn == 0)
		return false;
	k = key_pair((uint64_t)place_value(r, from, COLUMN_THREAD), turn);
	return db_get_msg(r->view->ingest, TABLE_thread_turns, key_slice(&k),
	    MSG_place, r->arena, &p) && find_turn(r, p.seq, p.i, out);
}

bool
turn_beside(const struct run *r, struct place from, int step, struct place *out)
{
	const struct source *source = &r->s->sources[from.source];
	int64_t gap = place_value(r, from,
	    step < 0 ? COLUMN_PREV : COLUMN_NEXT);
	uint32_t d = from.doc - source->base;

	if (gap == 0)
		return find_neighbour(r, from, step, out);
	if (gap < 0 || (step < 0 ? gap > d : gap >= source->x.n_docs - d))
		return false;
	*out = (struct place){ step < 0 ? from.doc - (uint32_t)gap :
		from.doc + (uint32_t)gap, from.source };
	return true;
}

/* The turns beside the best, where they are none of them. */
static void
add_beside(struct run *r, size_t best)
{
	const struct source *source;
	struct place from, p;
	size_t i;
	int step;

	for (i = 0; i < best; i++) {
		from = place_of(&r->scored[i]);
		if (place_value(r, from, COLUMN_KIND) != SEARCH_TURN)
			continue;
		for (step = -1; step <= 1; step += 2) {
			if (!turn_beside(r, from, step, &p))
				continue;
			source = &r->s->sources[p.source];
			if (!source->skip && passes(r, source, p.doc -
				source->base) && take(r, p.doc))
				r->scored[r->n_scored++] = (struct scored){
					.mark = p.doc, .source = p.source,
					.near = dense_near(r, p.source,
					    p.doc) };
		}
	}
}

/*
 * The best by themselves, and the turns beside the best of these: in a
 * dialogue the answer to what was asked often has none of its words.
 */
void
choose_finalists(struct run *r)
{
	size_t i, most = r->parsed.n_phrases > 0 ? r->n_scored :
	    at_least(FINALISTS, r->q->limit), best = BESIDE;
	struct candidate *c;

	if (r->s->owns == NULL)
		r->s->owns = xcalloc(OWN_SLOTS, sizeof(r->s->owns[0]));
	r->s->runs++;
	drop_doubles(r);
	mark_by_own(r);
	untake(r);
	if (r->n_scored > most) {
		select_best(r->scored, r->n_scored, most);
		r->n_scored = most;
	}
	if (r->n_scored > best)
		select_best(r->scored, r->n_scored, best);
	else
		best = r->n_scored;
	drop_doubles(r);
	r->scored = xrealloc(r->scored, (r->n_scored + 2 * BESIDE + 1) *
	    sizeof(r->scored[0]));
	if (r->parsed.n_phrases == 0)
		add_beside(r, best);
	untake(r);
	r->n_candidates = r->n_scored;
	r->candidates = xcalloc(r->n_candidates + 1,
	    sizeof(r->candidates[0]));
	for (i = 0; i < r->n_candidates; i++) {
		c = &r->candidates[i];
		c->doc = mark_doc(r->scored[i].mark);
		c->source = r->scored[i].source;
		own_facts(r, place_of(&r->scored[i]), r->scored[i].near,
		    &c->facts.own);
		c->own = rank_own(&c->facts.own);
	}
}
