/*
 * trigger - all triggers of all packages, matched in one pass over a turn
 */
#include "compactor/trigger.h"

#include "common/when.h"
#include "compactor/package_impl.h"

static void
add_match(struct trigger_result *r, struct arena *arena, size_t *room, int id,
    size_t sentence)
{
	struct trigger_match *grown;

	if (r->n_matches == *room) {
		*room = *room == 0 ? 16 : *room * 2;
		grown = arena_array(arena, *room, sizeof(*grown));
		if (r->n_matches > 0)
			memcpy(grown, r->matches, r->n_matches *
			    sizeof(*grown));
		r->matches = grown;
	}
	r->matches[r->n_matches++] = (struct trigger_match){ id, sentence };
	r->matched[(unsigned)id / 64 % 4] |= UINT64_C(1) << (unsigned)id % 64;
}

static void
read_sentences(struct packages *set, struct arena *arena,
    struct trigger_result *r)
{
	struct slice text = r->turn->said.text;
	struct pattern_hits hits;
	size_t room = 0;

	for (size_t i = 0; i < r->n_sentences && set->patterns != NULL; i++) {
		patterns_match(set->patterns, slice_of(text.ptr +
		    r->sentences[i].at, r->sentences[i].len), &hits);
		for (size_t k = 0; k < hits.count; k++)
			add_match(r, arena, &room, (int)hits.ids[k], i);
	}
}

bool
trigger_matched(const struct trigger_result *r, int id, size_t sentence)
{
	for (size_t i = 0; i < r->n_matches; i++)
		if (r->matches[i].id == id && r->matches[i].sentence == sentence)
			return true;
	return false;
}

/* Most patterns match nothing: a bit tells. */
static inline bool
may_match(const struct trigger_result *r, int id)
{
	return (r->matched[(unsigned)id / 64 % 4] >> (unsigned)id % 64 & 1) !=
	    0;
}

static bool
matched_anywhere(const struct trigger_result *r, int id)
{
	for (size_t i = 0; i < r->n_matches; i++)
		if (r->matches[i].id == id)
			return true;
	return false;
}

/* "2026-11-15", "2026-11-15T10:30", "2026-11", "2026": the begin. */
static bool
time_first(struct slice normal, int64_t *ms)
{
	char text[WHEN_TEXT_BYTES];
	const char *rest = normal.len == 4 ? "-01-01" :
	    normal.len == 7 ? "-01" : normal.len == 16 ? ":00Z" : "";

	if (normal.len + strlen(rest) >= sizeof(text))
		return false;
	memcpy(text, normal.ptr, normal.len);
	memcpy(text + normal.len, rest, strlen(rest) + 1);
	return when_parse(slice_str(text), ms) == 0;
}

/* And the end: of the minute none, of the day, the month, the year its own. */
static int64_t
time_last(struct slice normal, int64_t first)
{
	struct when_date date = when_date(when_day_of(first));
	int months = normal.len == 4 ? 12 : normal.len == 7 ? 1 : 0;

	if (normal.len == 16)
		return first;
	if (months > 0)
		return when_days(when_add_months(date, months)) *
		    WHEN_DAY_MS - 1;
	return first + WHEN_DAY_MS - 1;
}

bool
trigger_time(struct slice normal, int64_t *first, int64_t *last)
{
	const char *slash = memchr(normal.ptr, '/', normal.len);
	struct slice from = normal, to = normal;
	int64_t end;

	if (slash != NULL) {
		from.len = (size_t)(slash - normal.ptr);
		to = slice_of(slash + 1, normal.len - from.len - 1);
	}
	if (!time_first(from, first) || !time_first(to, &end))
		return false;
	*last = time_last(to, end);
	return true;
}

static bool
is_when(int64_t first, int64_t last, int64_t now, enum package_dated want)
{
	if (want == DATED_begun)
		return first <= now && last > now;
	return want == DATED_any || (last > now) == (want == DATED_future);
}

/* Does a claim between at and at + len name such a time? */
static bool
is_dated(const struct trigger_turn *t, size_t at, size_t len,
    enum package_dated want)
{
	const struct msg_c_turn *does = t->said.does;
	int64_t first, last;

	for (size_t i = 0; i < does->n_claims; i++) {
		const struct msg_c_claim *c = &does->claims[i];

		if (c->at < at || c->at >= at + len)
			continue;
		for (size_t k = 0; k < c->n_entities; k++)
			if (slice_is(c->entities[k].kind, "date") &&
			    trigger_time(c->entities[k].normal, &first,
			    &last) && is_when(first, last, t->ts, want))
				return true;
	}
	return false;
}

/* What somebody does by saying it, as triggers ask for it. */
struct trigger_deed {
	unsigned act;		/* its bit; 0: no act that there is */
	unsigned flags;
	bool is;		/* classify has said so */
};

static unsigned
act_bit(struct slice act)
{
	enum act a;

	return act_parse(act, &a) < 0 ? 0 : 1u << a;
}

static unsigned
flags_of(bool concludes, bool decides, bool opens, bool returns)
{
	return (concludes ? FLAG_concludes : 0u) |
	    (decides ? FLAG_decides : 0u) | (opens ? FLAG_opens : 0u) |
	    (returns ? FLAG_returns : 0u);
}

/* The turn's first.  What a debate came to is kept only where words say it. */
static void
read_deeds(struct arena *arena, struct trigger_result *r)
{
	const struct msg_c_turn *t = r->turn->said.does;
	const struct msg_c_sentence *s;

	r->deeds = arena_array(arena, 1 + r->n_sentences, sizeof(*r->deeds));
	r->deeds[0] = (struct trigger_deed){ act_bit(t->act),
		flags_of(t->concludes, t->decides && !t->debated, t->opens,
		    t->returns), true };
	for (size_t i = 0; i < r->n_sentences; i++)
		if ((s = r->sentences[i].does) != NULL)
			r->deeds[1 + i] = (struct trigger_deed){
				act_bit(s->act),
				flags_of(s->concludes,
				    s->decides && !t->debated, s->opens,
				    s->returns), true };
}

static bool
does_it(const struct package_trigger *p, const struct trigger_deed *d)
{
	return d->is && (p->acts == 0 || (p->acts & d->act) != 0) &&
	    (d->flags & p->flags) == p->flags && (d->flags & p->bars) == 0;
}

/* The sentence itself does it; or it is all there is of the turn. */
static bool
sentence_does(const struct trigger_result *r, const struct package_trigger *p,
    size_t i)
{
	return does_it(p, &r->deeds[1 + i]);
}

static enum package_role
role_of(struct slice role)
{
	return slice_is(role, "assistant") ? ROLE_assistant :
	    slice_is(role, "user") ? ROLE_user : 0;
}

/* Where a trigger fires: the sentence, or -1. */
static int
fires_at(const struct trigger_result *r, const struct package_trigger *p)
{
	const struct trigger_turn *t = r->turn;
	bool whole = does_it(p, &r->deeds[0]);

	if (p->match != MATCH_NONE && !may_match(r, p->match))
		return -1;
	if (p->unless != MATCH_NONE && may_match(r, p->unless) &&
	    matched_anywhere(r, p->unless))
		return -1;
	for (size_t i = 0; i < r->n_sentences; i++)
		if ((p->match == MATCH_NONE ||
		    trigger_matched(r, p->match, i)) &&
		    (whole || sentence_does(r, p, i)) &&
		    (p->dated == DATED_not || is_dated(t, r->sentences[i].at,
			r->sentences[i].len, p->dated)))
			return (int)i;
	return -1;
}

/* Of a turn that does it as a whole: the sentence that does it itself. */
static size_t
best_sentence(const struct trigger_result *r, const struct package_trigger *p,
    size_t first)
{
	for (size_t i = first; i < r->n_sentences; i++)
		if (sentence_does(r, p, i) && (p->match == MATCH_NONE ||
		    trigger_matched(r, p->match, i)))
			return i;
	return first;
}

static void
fire(const struct trigger_result *r, const struct package *p,
    enum package_role role, struct trigger_fire *out)
{
	for (size_t i = 0; i < p->n_triggers; i++) {
		const struct package_trigger *t = &p->triggers[i];
		unsigned *sure = t->concludes ? &out->concludes : &out->opens;
		int at;

		if (t->confidence <= *sure || (role & t->role) == 0)
			continue;
		at = fires_at(r, t);
		if (at < 0)
			continue;
		*sure = t->confidence;
		*(t->concludes ? &out->concluded_by : &out->opened_by) =
		    t->name;
		if (!t->concludes)
			out->sentence = best_sentence(r, t, (size_t)at);
	}
}

void
triggers_match(struct packages *set, struct arena *arena,
    const struct trigger_turn *turn, struct trigger_result *out)
{
	enum package_role role = role_of(turn->said.role);

	*out = (struct trigger_result){ .turn = turn };
	out->n_sentences = summary_sentences(arena, &turn->said,
	    &out->sentences);
	out->fires = arena_array(arena, set->count, sizeof(*out->fires));
	read_sentences(set, arena, out);
	if (turn->said.does->machine)
		return;
	read_deeds(arena, out);
	for (size_t i = 0; i < set->count; i++)
		fire(out, &set->list[i], role, &out->fires[i]);
}
