/*
 * search_around - what is around the best documents
 *
 * A turn is looked at with those before and after it and with the best of its
 * sitting.
 */
#include "store/search_impl.h"

/* Candidates for which the next is on its way while one is looked at. */
enum { AHEAD = 8, AHEAD_BESIDE = 3 };

/* What tells who is beside it. */
static void
approach_turn(const struct run *r, struct place p)
{
	approach_value(r, p, COLUMN_PREV);
	approach_value(r, p, COLUMN_NEXT);
	approach_value(r, p, COLUMN_TS);
	approach_value(r, p, COLUMN_SESSION);
}

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
		    !turn_beside(r, at, -1, &before) ||
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
	    !turn_beside(r, from, step, &p))
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
		    own_is_known(r, at[i].doc))
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
