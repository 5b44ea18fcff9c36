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
	uint64_t whose;		/* run and document: others' are old */
	double score;
};

/* Where it lies among the sources. */
struct place {
	uint32_t doc, source;
};

static int64_t
place_value(const struct run *r, struct place p, enum column column)
{
	const struct source *source = &r->s->sources[p.source];

	return section_value(&source->x, column, p.doc - source->base);
}

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

static double
own_score_beside(const struct run *r, struct place p)
{
	const struct own_slot *slot = own_slot(r, p.doc);

	return slot->whose == own_name(r, p.doc) ? slot->score :
	    own_score(r, p, dense_near(r, p.source, p.doc));
}

/* ---- on its way while others are looked at ---- */

enum { AHEAD = 8, AHEAD_BESIDE = 3 };

static void
approach_value(const struct run *r, struct place p, enum column column)
{
	const struct source *source = &r->s->sources[p.source];

	__builtin_prefetch(source->x.columns[column].at +
	    (size_t)(p.doc - source->base) * source->x.columns[column].width);
}

/* For own_facts. */
static void
approach_own(const struct run *r, struct place p)
{
	const struct source *source = &r->s->sources[p.source];

	__builtin_prefetch(r->s->scores + p.doc);
	__builtin_prefetch(source->x.norms + (p.doc - source->base));
	approach_value(r, p, COLUMN_WISH);
}

/* For what is beside it. */
static void
approach_turn(const struct run *r, struct place p)
{
	approach_value(r, p, COLUMN_PREV);
	approach_value(r, p, COLUMN_NEXT);
	approach_value(r, p, COLUMN_TS);
	approach_value(r, p, COLUMN_SESSION);
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

static bool
neighbour(const struct run *r, struct place from, int step, struct place *out)
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
			if (!neighbour(r, from, step, &p))
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

/* ---- surroundings ---- */

static bool
is_one_sitting(const struct run *r, struct place a, struct place b)
{
	int64_t gap = place_value(r, a, COLUMN_TS) -
	    place_value(r, b, COLUMN_TS);

	if (gap > SEGMENT_SITTING_MS || gap < -SEGMENT_SITTING_MS)
		return false;
	/* In one piece equal strings have one place. */
	if (a.source == b.source)
		return place_value(r, a, COLUMN_SESSION) ==
		    place_value(r, b, COLUMN_SESSION);
	return slice_eq(section_string(&r->s->sources[a.source].x,
	    place_value(r, a, COLUMN_SESSION)),
	    section_string(&r->s->sources[b.source].x,
	    place_value(r, b, COLUMN_SESSION)));
}

/* The first turn of a sitting, over the borders of segments. */
static uint32_t
sitting_of(const struct run *r, struct place at)
{
	struct place before;
	int64_t back;

	for (;;) {
		back = place_value(r, at, COLUMN_STRETCH);
		if (back < 0 || back > at.doc -
		    r->s->sources[at.source].base)
			return at.doc;
		at.doc -= (uint32_t)back;
		if (place_value(r, at, COLUMN_PREV) != 0 ||
		    !neighbour(r, at, -1, &before) ||
		    before.doc >= at.doc || !is_one_sitting(r, at, before))
			return at.doc;
		at = before;
	}
}

/*
 * A turn that its source has none behind has one in a later source, if at all:
 * where those begin long after it, none is of its sitting.
 */
static bool
is_last(const struct run *r, struct place p)
{
	int64_t later = r->s->sources[p.source].later_ms;

	return place_value(r, p, COLUMN_NEXT) == 0 && (later == INT64_MAX ||
	    later - SEGMENT_SITTING_MS > place_value(r, p, COLUMN_TS));
}

static const struct place NOWHERE = { UINT32_MAX, UINT32_MAX };

/* The turn `step` away, which may be of the sitting: stays tells. */
static struct place
beside(const struct run *r, struct place from, int step)
{
	struct place p;

	if (from.doc == NOWHERE.doc || (step > 0 && is_last(r, from)) ||
	    !neighbour(r, from, step, &p))
		return NOWHERE;
	approach_turn(r, p);
	return p;
}

static struct place
stays(const struct run *r, struct place from, struct place p)
{
	return p.doc != NOWHERE.doc && is_one_sitting(r, from, p) ? p :
								   NOWHERE;
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

/* The turns beside a candidate, from two before to two after it. */
enum { BEFORE, BEFORE2, AFTER, AFTER2, AROUND };
struct around {
	struct place at[AROUND];
};

static struct place
place_of_candidate(const struct candidate *c)
{
	return (struct place){ c->doc, c->source };
}

static void
approach_candidate(const struct run *r, const struct candidate *c)
{
	approach_turn(r, place_of_candidate(c));
	approach_value(r, place_of_candidate(c), COLUMN_KIND);
	approach_value(r, place_of_candidate(c), COLUMN_STRETCH);
}

/* Where its sitting begins in this source, for sitting_of. */
static void
approach_sitting(const struct run *r, struct place p)
{
	int64_t back = place_value(r, p, COLUMN_STRETCH);

	if (back < 0 || back > p.doc - r->s->sources[p.source].base)
		return;
	p.doc -= (uint32_t)back;
	approach_value(r, p, COLUMN_PREV);
	approach_value(r, p, COLUMN_TURN);
}

static void
look_near(struct run *r, struct around *around)
{
	struct candidate *c;
	struct place p;
	int64_t ts;
	size_t i;

	for (i = 0; i < r->n_candidates; i++) {
		c = &r->candidates[i];
		if (i + AHEAD < r->n_candidates)
			approach_candidate(r, &c[AHEAD]);
		ts = candidate_value(r, c, COLUMN_TS);
		c->facts.age_ms = ts < r->now_ms ? r->now_ms - ts : 0;
		c->facts.alone = candidate_value(r, c, COLUMN_KIND) !=
		    SEARCH_TURN;
		p = c->facts.alone ? NOWHERE : place_of_candidate(c);
		around[i].at[BEFORE] = beside(r, p, -1);
		around[i].at[AFTER] = beside(r, p, 1);
		if (!c->facts.alone)
			approach_sitting(r, p);
	}
}

static void
look_far(struct run *r, struct around *around)
{
	struct candidate *c;
	struct place p, *at;
	size_t i;

	for (i = 0; i < r->n_candidates; i++) {
		c = &r->candidates[i];
		p = place_of_candidate(c);
		at = around[i].at;
		c->sitting = c->facts.alone ? c->doc : sitting_of(r, p);
		at[BEFORE] = stays(r, p, at[BEFORE]);
		at[AFTER] = stays(r, p, at[AFTER]);
		at[BEFORE2] = beside(r, at[BEFORE], -1);
		at[AFTER2] = beside(r, at[AFTER], 1);
	}
}

static void
approach_around(const struct run *r, struct place *at)
{
	int i;

	at[BEFORE2] = stays(r, at[BEFORE], at[BEFORE2]);
	at[AFTER2] = stays(r, at[AFTER], at[AFTER2]);
	for (i = 0; i < AROUND; i++) {
		if (at[i].doc == NOWHERE.doc ||
		    own_slot(r, at[i].doc)->whose == own_name(r, at[i].doc))
			continue;
		approach_own(r, at[i]);
		dense_approach(r, at[i].source, at[i].doc);
	}
}

static double
own_around(const struct run *r, struct place p)
{
	return p.doc == NOWHERE.doc ? 0.0 : own_score_beside(r, p);
}

/*
 * In several goes: what the next one reads is then on its way, for all of
 * them, instead of being waited for each time.
 */
void
look_around(struct run *r)
{
	struct around *around = arena_room(r->arena, (r->n_candidates + 1) *
	    sizeof(around[0]));
	struct rank_facts *facts;
	const struct place *at;
	size_t i;

	look_near(r, around);
	look_far(r, around);
	for (i = 0; i < r->n_candidates + AHEAD_BESIDE; i++) {
		if (i < r->n_candidates)
			approach_around(r, around[i].at);
		if (i < AHEAD_BESIDE)
			continue;
		facts = &r->candidates[i - AHEAD_BESIDE].facts;
		at = around[i - AHEAD_BESIDE].at;
		facts->before = own_around(r, at[BEFORE]);
		facts->before2 = own_around(r, at[BEFORE2]);
		facts->after = own_around(r, at[AFTER]);
		facts->after2 = own_around(r, at[AFTER2]);
	}
	share_sittings(r);
}
