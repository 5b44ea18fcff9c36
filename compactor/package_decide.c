/*
 * package_decide - packages at work on an entry
 */
#include "compactor/package_decide.h"

#include "compactor/fill.h"
#include "compactor/package_draft.h"
#include "compactor/refill.h"
#include "compactor/tokens.h"

enum {
	OPENING_TAGS = 4,	/* one is left for how it ended */
};

/* What the triggers gave on the entry's turns, each when first asked for. */
struct package_hits {
	struct trigger_turn *turns;
	struct trigger_result *results;	/* turn is NULL: not asked for yet */
};

const struct trigger_result *
package_result(struct compact *c, const struct compact_turn *t)
{
	size_t count = compact_turn_count(c);
	struct package_hits *hits = c->hits;

	if (hits == NULL) {
		hits = c->hits = arena_alloc(c->arena, sizeof(*hits));
		hits->turns = arena_array(c->arena, count,
		    sizeof(hits->turns[0]));
		hits->results = arena_array(c->arena, count,
		    sizeof(hits->results[0]));
	}
	if (hits->results[t->i].turn == NULL) {
		hits->turns[t->i] = (struct trigger_turn){
			.said = { .text = t->text, .role = t->role,
				.does = t->does },
			.ts = t->ts, .number = t->number, .user = t->user };
		triggers_match(c->packages, c->arena, &hits->turns[t->i],
		    &hits->results[t->i]);
		hits->turns[t->i].said.sentences =
		    hits->results[t->i].sentences;
		hits->turns[t->i].said.n_sentences =
		    hits->results[t->i].n_sentences;
	}
	return &hits->results[t->i];
}

const struct trigger_fire *
package_fire(struct compact *c, const struct compact_turn *t,
    const struct package *p)
{
	return &package_result(c, t)->fires[p - packages_at(c->packages, 0)];
}

unsigned
package_opens(struct compact *c, const struct compact_turn *t,
    const char *type)
{
	const struct package *p = packages_find(c->packages, slice_str(type));
	unsigned sure = p == NULL ? 0 : package_fire(c, t, p)->opens;

	return p != NULL && sure >= p->confidence ? sure : 0;
}

unsigned
package_concludes(struct compact *c, const struct compact_turn *t,
    const char *type)
{
	const struct package *p = packages_find(c->packages, slice_str(type));
	unsigned sure = p == NULL ? 0 : package_fire(c, t, p)->concludes;

	return p != NULL && sure >= p->confidence ? sure : 0;
}

bool
package_is_past(struct compact *c, const struct compact_turn *t,
    const char *type)
{
	const struct package *p = packages_find(c->packages, slice_str(type));
	struct slice name;

	if (p == NULL)
		return false;
	name = package_fire(c, t, p)->opened_by;
	for (size_t i = 0; i < p->n_triggers; i++)
		if (slice_eq(p->triggers[i].name, name))
			return p->triggers[i].dated == DATED_begun;
	return false;
}

struct slice
package_sentence(struct compact *c, const struct compact_turn *t,
    const char *type)
{
	const struct package *p = packages_find(c->packages, slice_str(type));
	const struct trigger_result *r = package_result(c, t);
	size_t i = p == NULL ? 0 : package_fire(c, t, p)->sentence;

	if (i >= r->n_sentences)
		return SLICE_NONE;
	return summary_shorten(c->arena, slice_of(t->text.ptr +
	    r->sentences[i].at, r->sentences[i].len), CUT_filler, LINE_WORDS);
}

/* ---- wording ---- */

void
package_count_tokens(struct compact *c, struct msg_artifact *a)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 4);
	buf_addslice(&text, a->summary);
	buf_addc(&text, '\n');
	buf_addslice(&text, a->resolution);
	for (size_t i = 0; i < a->tags.count; i++) {
		buf_addc(&text, ' ');
		buf_addslice(&text, a->tags.at[i]);
	}
	a->token_count = tokens_of(c->conf, buf_slice(&text));
	buf_release(&text);
}

void
package_word(struct compact *c, struct msg_artifact *a)
{
	const struct package *p = packages_find(c->packages, a->type);

	if (p != NULL) {
		fill_words(c->arena, p, a);
		a->package = arena_printf(c->arena, "%.*s%s%.*s",
		    SLICE_ARG(p->name), p->version.len > 0 ? " " : "",
		    SLICE_ARG(p->version));
	}
	package_count_tokens(c, a);
}

/* A type without a package, because its file was taken away or refused. */
static void
fill_plain(struct compact *c, struct msg_artifact *a,
    const struct summary_turn *said, unsigned places)
{
	if (a->summary.len == 0 && places & PLACE_opening)
		a->summary = summary_goal(c->arena, said).text;
	if (places & PLACE_resolving)
		a->resolution = summary_resolution(c->arena, said).text;
}

void
package_fill(struct compact *c, struct msg_artifact *a,
    const struct compact_turn *t, enum package_place place, unsigned sure)
{
	const struct package *p = packages_find(c->packages, a->type);
	const struct trigger_result *r = package_result(c, t);

	if (place & PLACE_opening && sure > 0)
		a->confidence = sure;
	if (p == NULL)
		fill_plain(c, a, &r->turn->said, place);
	else
		fill_fields(c->arena, p, r, package_fire(c, t, p), place, a);
	if (place & PLACE_opening)
		summary_tags(c->arena, &r->turn->said, OPENING_TAGS, &a->tags);
	if (place & PLACE_resolving)
		summary_tags(c->arena, &r->turn->said, TAGS_MOST, &a->tags);
	package_word(c, a);
}

/* ---- users' own, made at once ---- */

static void
finish(struct compact *c, const struct package *p, struct msg_artifact *a,
    const struct compact_turn *t)
{
	package_word(c, a);
	package_refill(c, p, a);
	package_word(c, a);
	compact_state(c, a, SLICE("resolved"), SLICE("kept"), SLICE_NONE);
	compact_tell(c, t->i, a->key);
}

static void
make_at_once(struct compact *c, const struct package *p,
    const struct compact_turn *t)
{
	const struct trigger_fire *fire = package_fire(c, t, p);
	struct msg_artifact try = { .type = p->name,
		.confidence = fire->opens };
	struct msg_artifact *a;

	if (fire->opens < p->confidence || fire->opens == 0)
		return;
	fill_fields(c->arena, p, package_result(c, t), fire, PLACE_all, &try);
	if (fill_missing(p, &try) != NULL)
		return;
	a = compact_new(c, p->name);
	a->chain = t->flows->chain;
	a->confidence = try.confidence;
	a->fields = try.fields;
	a->n_fields = try.n_fields;
	artifact_add_turn(&a->turns, c->arena, t->number);
	summary_tags(c->arena, &package_result(c, t)->turn->said, TAGS_MOST,
	    &a->tags);
	finish(c, p, a, t);
}

void
package_decide(struct compact *c)
{
	size_t turns = compact_turn_count(c);
	const struct package *p;

	if (!packages_more(c->packages))
		return;
	for (size_t i = 0; (p = packages_at(c->packages, i)) != NULL; i++) {
		if (p->built_in)
			continue;
		for (size_t k = 0; k < turns && p->life == LIFE_turn; k++) {
			struct compact_turn t = compact_turn(c, k);

			make_at_once(c, p, &t);
		}
	}
	drafts_decide(c);
}

void
package_apply(struct compact *c)
{
	drafts_apply(c);
}
