/*
 * package_draft - what users' packages gather until an effort or answer ends
 */
#include "compactor/package_draft.h"

#include "compactor/effort_late.h"

#include "compactor/fill.h"
#include "compactor/package_decide.h"
#include "compactor/refill.h"

enum { NAME_BYTES = 64 };	/* of an effort or a question: two numbers */

static bool
gathers(const struct package *p, enum package_life life)
{
	return p->life == life && !p->built_in;
}

static bool
any_gathers(const struct compact *c, enum package_life life)
{
	const struct package *p;

	for (size_t i = 0; (p = packages_at(c->packages, i)) != NULL; i++)
		if (gathers(p, life))
			return true;
	return false;
}

/* ---- the section's list ---- */

static struct key
drafts_key(const struct compact *c, struct slice of)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, c->envelope->domain);
	key_add_text(&k, of);
	return k;
}

/* As they stand now, to be changed: they will be in the section. */
static struct msg_a_drafts *
drafts_of(struct compact *c, struct slice of, bool make)
{
	struct msg_s_compactor *s = c->section;
	struct msg_a_drafts *list, found = { 0 };
	struct key k = drafts_key(c, of);

	for (size_t i = 0; i < s->n_drafts; i++)
		if (slice_eq(s->drafts[i].of, of))
			return &s->drafts[i];
	if (!compact_get(c, TABLE_drafts, &k, MSG_a_drafts, &found) && !make)
		return NULL;
	found.of = of;
	found.has = 0;
	list = arena_array(c->arena, s->n_drafts + 1, sizeof(*list));
	if (s->n_drafts > 0)
		memcpy(list, s->drafts, s->n_drafts * sizeof(*list));
	list[s->n_drafts] = found;
	s->drafts = list;
	return &s->drafts[s->n_drafts++];
}

static struct msg_a_draft *
draft_of(struct compact *c, struct msg_a_drafts *all, const struct package *p)
{
	struct msg_a_draft *list;

	for (size_t i = 0; i < all->n_drafts; i++)
		if (slice_eq(all->drafts[i].package, p->name))
			return &all->drafts[i];
	list = arena_array(c->arena, all->n_drafts + 1, sizeof(*list));
	if (all->n_drafts > 0)
		memcpy(list, all->drafts, all->n_drafts * sizeof(*list));
	list[all->n_drafts] = (struct msg_a_draft){ .package = p->name,
		.draft = arena_alloc(c->arena, sizeof(struct msg_artifact)),
		.n_draft = 1 };
	list[all->n_drafts].draft[0] = (struct msg_artifact){
		.type = p->name, .domain = c->envelope->domain,
		.status = SLICE("open"), .thought_type = SLICE("original"),
		.created_at = c->ts, .updated_at = c->ts, .weight_at = c->ts };
	all->drafts = list;
	return &all->drafts[all->n_drafts++];
}

/* ---- gathering ---- */

static void
gather(struct compact *c, struct msg_a_drafts *all, const struct package *p,
    const struct compact_turn *t, unsigned places)
{
	const struct trigger_result *r = package_result(c, t);
	const struct trigger_fire *fire = package_fire(c, t, p);
	struct msg_a_draft *d = draft_of(c, all, p);
	struct msg_artifact *a = &d->draft[0];

	if (fire->opens >= p->confidence && fire->opens > d->sure) {
		d->sure = fire->opens;
		/* What sets it off is its opening, wherever it stands. */
		places |= PLACE_opening;
	}
	a->confidence = d->sure;
	fill_fields(c->arena, p, r, fire, places, a);
	if (places & (PLACE_opening | PLACE_resolving))
		summary_tags(c->arena, &r->turn->said, TAGS_MOST, &a->tags);
	a->updated_at = c->ts;
}

static void
gather_all(struct compact *c, struct slice of, enum package_life life,
    const struct compact_turn *t, unsigned places)
{
	struct msg_a_drafts *all = drafts_of(c, of,
	    (places & PLACE_opening) != 0);
	const struct package *p;

	for (size_t i = 0; all != NULL &&
	     (p = packages_at(c->packages, i)) != NULL; i++)
		if (gathers(p, life))
			gather(c, all, p, t, places);
}

static unsigned
place_of(struct slice why)
{
	if (slice_is(why, "opened"))
		return PLACE_opening;
	if (slice_is(why, "attempt") || slice_is(why, "rejected"))
		return PLACE_attempt;
	if (slice_is(why, "resolved"))
		return PLACE_resolving;
	return PLACE_work;
}

/* ---- ending ---- */

/* The effort knows best how it ended: a thank-you tells nothing. */
static void
take_resolution(struct compact *c, const struct package *p,
    const struct msg_artifact *of, struct msg_artifact *a)
{
	for (size_t i = 0; i < p->n_fields; i++) {
		const struct package_field *f = &p->fields[i];

		if (of->resolution.len > 0 && f->type == TYPE_of_text &&
		    f->places & PLACE_resolving &&
		    f->by[0].way == WAY_resolution)
			artifact_set_field(a, c->arena, arena_cstr(c->arena,
			    f->name), &of->resolution, 1);
	}
}

static struct msg_artifact *
make(struct compact *c, const struct package *p, struct msg_a_draft *d,
    const struct msg_artifact *of)
{
	const struct msg_artifact *draft = &d->draft[0];
	struct msg_artifact *a = d->made.len > 0 ?
	    compact_change(c, d->made) : NULL;

	if (a == NULL)
		a = compact_new(c, p->name);
	a->fields = draft->fields;
	a->n_fields = draft->n_fields;
	a->tags = draft->tags;
	a->confidence = d->sure;
	a->created_at = draft->created_at;
	a->chain = of->chain;
	a->thread = of->thread;
	a->turns = of->turns;
	a->elsewhere = of->elsewhere;
	a->user = of->user;
	a->room = of->room;
	package_word(c, a);
	package_refill(c, p, a);
	package_word(c, a);
	d->made = a->key;
	return a;
}

/* The turn of this entry that resolved it, if one did. */
static bool
resolving_turn(struct compact *c, struct slice effort,
    struct compact_turn *out)
{
	for (size_t i = compact_turn_count(c); i-- > 0; ) {
		const struct msg_a_turn *is = compact_a_turn(c, i);

		if (slice_eq(is->effort, effort) &&
		    slice_is(is->why, "resolved")) {
			*out = compact_turn(c, i);
			return true;
		}
	}
	return false;
}

static bool
has_concluding(const struct package *p)
{
	for (size_t i = 0; i < p->n_triggers; i++)
		if (p->triggers[i].concludes)
			return true;
	return false;
}

static void
end_one(struct compact *c, struct msg_a_draft *d,
    const struct msg_artifact *of)
{
	const struct package *p = packages_find(c->packages, d->package);
	struct compact_turn t;
	bool by_turn = resolving_turn(c, of->key, &t);
	struct msg_artifact *a;

	if (p == NULL || d->sure == 0 || d->n_draft != 1 ||
	    (by_turn && has_concluding(p) &&
	    package_fire(c, &t, p)->concludes < p->confidence))
		return;
	take_resolution(c, p, of, &d->draft[0]);
	if (fill_missing(p, &d->draft[0]) != NULL)
		return;
	a = make(c, p, d, of);
	compact_state(c, a, SLICE("resolved"), SLICE("resolved"),
	    a->resolution);
	if (by_turn)
		compact_tell(c, t.i, a->key);
}

/* Is it an effort that this entry has ended? */
static bool
is_ended_effort(const struct compact *c, const struct msg_artifact *a)
{
	return slice_is(a->type, "effort") && slice_is(a->status, "resolved") &&
	    a->parent.len == 0 && !a->checkpoint && a->n_history > 0 &&
	    a->history[a->n_history - 1].seq == c->seq;
}

static void
decide_efforts(struct compact *c)
{
	size_t turns = compact_turn_count(c);
	const struct msg_artifact *a;
	struct msg_a_drafts *all;

	for (size_t i = 0; i < turns; i++) {
		struct msg_a_turn *is = compact_a_turn(c, i);
		struct compact_turn t = compact_turn(c, i);

		if (is->effort.len > 0)
			gather_all(c, is->effort, LIFE_effort, &t,
			    place_of(is->why));
	}
	/* What is made here comes behind: it is no effort. */
	for (size_t i = 0; (a = compact_changed(c, i)) != NULL; i++) {
		all = is_ended_effort(c, a) ? drafts_of(c, a->key, false) :
		    NULL;
		for (size_t k = 0; all != NULL && k < all->n_drafts; k++)
			end_one(c, &all->drafts[k], a);
	}
}

/* ---- questions ---- */

static struct slice
question_name(struct compact *c, const struct msg_a_asked *asked)
{
	return arena_printf(c->arena, "q%llu.%llu",
	    (unsigned long long)asked->seq, (unsigned long long)asked->i);
}

static const struct msg_artifact *
fact_of(struct compact *c, const struct msg_a_asked *asked)
{
	struct msg_artifact *a;

	for (size_t i = 0; (a = compact_changed(c, i)) != NULL; i++)
		if (slice_is(a->type, "fact") && a->turns.count >= 2 &&
		    a->turns.at[0] <= asked->turn &&
		    a->turns.at[a->turns.count - 1] >= asked->answer &&
		    a->made_by == c->seq)
			return a;
	return NULL;
}

static void
decide_question(struct compact *c, const struct msg_a_asked *asked)
{
	struct slice name = question_name(c, asked);
	const struct msg_artifact *fact;
	struct msg_a_drafts *all;

	for (size_t i = 0; i < compact_turn_count(c); i++) {
		struct compact_turn t = compact_turn(c, i);

		if (asked->seq == c->seq && asked->i == i)
			gather_all(c, name, LIFE_answer, &t, PLACE_opening);
		else if (asked->answer == t.number)
			gather_all(c, name, LIFE_answer, &t, PLACE_resolving);
	}
	all = asked->over ? drafts_of(c, name, false) : NULL;
	if (all == NULL)
		return;
	fact = fact_of(c, asked);
	for (size_t k = 0; fact != NULL && k < all->n_drafts; k++)
		end_one(c, &all->drafts[k], fact);
	all->n_drafts = 0;
}

void
drafts_decide(struct compact *c)
{
	if (any_gathers(c, LIFE_effort))
		decide_efforts(c);
	if (any_gathers(c, LIFE_answer))
		for (size_t i = 0; i < c->section->n_asked; i++)
			if (!effort_late_is(&c->section->asked[i]))
				decide_question(c, &c->section->asked[i]);
}

void
drafts_apply(struct compact *c)
{
	const struct msg_s_compactor *s = c->section;

	for (size_t i = 0; i < s->n_drafts; i++) {
		struct key k;

		/* A section may have come from elsewhere: no name, no row. */
		if (s->drafts[i].of.len == 0 ||
		    s->drafts[i].of.len > NAME_BYTES)
			continue;
		k = drafts_key(c, s->drafts[i].of);
		if (s->drafts[i].n_drafts == 0)
			db_delete(stage_tables(c->st), TABLE_drafts,
			    key_slice(&k));
		else
			db_put_msg(stage_tables(c->st), TABLE_drafts,
			    key_slice(&k), MSG_a_drafts, &s->drafts[i]);
	}
}
