/*
 * trigger - all triggers of all packages, matched in one pass over a turn
 */
#include "compactor/trigger.h"

#include "common/when.h"
#include "compactor/package_impl.h"

/* A sentence as the patterns read it, when first asked for. */
static struct pattern_text
words_of(const struct trigger_result *r, size_t i)
{
	const struct summary_sentence *s = &r->sentences[i];
	struct pattern_hits hits;

	if (r->words[i].count == 0)
		r->words[i] = patterns_keep(patterns_read(r->set->patterns,
		    slice_of(r->turn->said.text.ptr + s->at, s->len), &hits),
		    r->arena);
	return r->words[i];
}

static uint64_t *
no_ids(const struct trigger_result *r)
{
	uint64_t *wanted = r->set->wanted;

	memset(wanted, 0, r->id_words * sizeof(*wanted));
	return wanted;
}

bool
trigger_matched(const struct trigger_result *r, int id, size_t sentence)
{
	uint64_t *wanted = no_ids(r);

	pattern_id_add(wanted, (unsigned)id);
	return pattern_id_in(patterns_find(r->set->patterns,
	    words_of(r, sentence), wanted), (unsigned)id);
}

/* Looks for the wanted patterns in all sentences. */
static void
find(struct trigger_result *r, const uint64_t *wanted)
{
	for (size_t i = 0; i < r->n_sentences; i++) {
		const uint64_t *found = patterns_find(r->set->patterns,
		    words_of(r, i), wanted);

		for (size_t k = 0; k < r->id_words; k++) {
			r->matched[i * r->id_words + k] |= found[k];
			r->anywhere[k] |= found[k];
		}
	}
}

/* Of what was looked for; a trigger without a pattern asks for nothing. */
static bool
has_match(const struct trigger_result *r, const struct package_trigger *p,
    size_t sentence)
{
	return p->match == MATCH_NONE || pattern_id_in(r->matched +
	    sentence * r->id_words, (unsigned)p->match);
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

static bool
names_date(const struct msg_c_turn *does)
{
	for (size_t i = 0; i < does->n_claims; i++)
		for (size_t k = 0; k < does->claims[i].n_entities; k++)
			if (slice_is(does->claims[i].entities[k].kind, "date"))
				return true;
	return false;
}

/* Sentences mostly do what the turn does: each kind of deed once. */
static void
add_kind(struct trigger_result *r, const struct trigger_deed *d)
{
	for (size_t i = 0; i < r->n_kinds; i++)
		if (r->kinds[i].act == d->act && r->kinds[i].flags == d->flags)
			return;
	if (d->is)
		r->kinds[r->n_kinds++] = *d;
}

/* The turn's first.  What a debate came to is kept only where words say it. */
static void
read_deeds(struct arena *arena, struct trigger_result *r)
{
	const struct msg_c_turn *t = r->turn->said.does;
	const struct msg_c_sentence *s;

	r->dated = names_date(t);
	r->deeds = arena_array(arena, 2 * (1 + r->n_sentences),
	    sizeof(*r->deeds));
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
	r->kinds = r->deeds + 1 + r->n_sentences;
	for (size_t i = 0; i <= r->n_sentences; i++)
		add_kind(r, &r->deeds[i]);
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

	if (p->unless != MATCH_NONE &&
	    pattern_id_in(r->anywhere, (unsigned)p->unless))
		return -1;
	for (size_t i = 0; i < r->n_sentences; i++)
		if (has_match(r, p, i) &&
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
		if (sentence_does(r, p, i) && has_match(r, p, i))
			return i;
	return first;
}

/* ---- few triggers can fire on a turn: only for them it is searched ---- */

enum {
	PLANS = 64,
	PLAN_KINDS = 3,		/* of deeds; of turns with more none is kept */
	KIND_BITS = 16,
	FLAG_BITS = 4,
};
_Static_assert(ACT_COUNT <= KIND_BITS - FLAG_BITS, "an act is a bit");

struct candidate {
	const struct package_trigger *trigger;
	size_t package;
};

/* What to look for in turns that do the same. */
struct trigger_plan {
	uint64_t key;			/* what they do; 0: none is kept */
	struct candidate *list;
	size_t count;
	uint64_t *wanted;		/* the patterns that would match */
};

/* As far as what somebody does by saying it tells. */
static bool
may_fire(const struct trigger_result *r, const struct package_trigger *p)
{
	if (p->dated != DATED_not && !r->dated)
		return false;
	for (size_t i = 0; i < r->n_kinds; i++)
		if (does_it(p, &r->kinds[i]))
			return true;
	return false;
}

/* It fires wherever it may. */
static bool
is_plain(const struct package_trigger *p)
{
	return p->match == MATCH_NONE && p->unless == MATCH_NONE &&
	    p->dated == DATED_not;
}

/* A package's; none that is less sure than one that fires anyway. */
static size_t
candidates_of(const struct trigger_result *r, size_t package,
    struct candidate *out)
{
	const struct package *p = &r->set->list[package];
	enum package_role role = role_of(r->turn->said.role);
	unsigned sure[2] = { 0, 0 };
	size_t i, n = 0, kept = 0;

	for (i = 0; i < p->n_triggers; i++) {
		const struct package_trigger *t = &p->triggers[i];

		if ((role & t->role) == 0 || !may_fire(r, t))
			continue;
		out[n++] = (struct candidate){ t, package };
		if (is_plain(t) && t->confidence > sure[t->concludes])
			sure[t->concludes] = t->confidence;
	}
	for (i = 0; i < n; i++)
		if (out[i].trigger->confidence >=
		    sure[out[i].trigger->concludes])
			out[kept++] = out[i];
	return kept;
}

static void
plan_make(const struct trigger_result *r, struct trigger_plan *plan)
{
	struct packages *set = r->set;

	if (plan->list == NULL) {
		plan->list = arena_array(&set->arena, set->n_triggers,
		    sizeof(*plan->list));
		plan->wanted = arena_array(&set->arena, r->id_words,
		    sizeof(*plan->wanted));
	}
	plan->count = 0;
	for (size_t i = 0; i < set->count; i++)
		plan->count += candidates_of(r, i, plan->list + plan->count);
	memset(plan->wanted, 0, r->id_words * sizeof(*plan->wanted));
	for (size_t i = 0; i < plan->count; i++)
		if (plan->list[i].trigger->match != MATCH_NONE)
			pattern_id_add(plan->wanted,
			    (unsigned)plan->list[i].trigger->match);
}

/* All that candidates hang on; 0: too much of it. */
static uint64_t
plan_key(const struct trigger_result *r)
{
	uint64_t key = 0;

	if (r->n_kinds > PLAN_KINDS)
		return 0;
	for (size_t i = 0; i < r->n_kinds; i++)
		key = key << KIND_BITS | r->kinds[i].act << FLAG_BITS |
		    r->kinds[i].flags;
	key = key << 2 | role_of(r->turn->said.role);
	return (key << 1 | r->dated) << 2 | r->n_kinds;
}

static const struct trigger_plan *
plan_of(const struct trigger_result *r)
{
	struct packages *set = r->set;
	uint64_t key = plan_key(r);
	struct trigger_plan *plan;

	if (set->plans == NULL)
		set->plans = arena_array(&set->arena, PLANS,
		    sizeof(*set->plans));
	plan = &set->plans[key * UINT64_C(0x9e3779b97f4a7c15) / (UINT64_MAX /
	    PLANS + 1)];
	if (key == 0 || plan->key != key)
		plan_make(r, plan);
	plan->key = key;
	return plan;
}

static bool
matches(const struct trigger_result *r, const struct package_trigger *p)
{
	return p->match == MATCH_NONE ||
	    pattern_id_in(r->anywhere, (unsigned)p->match);
}

/* What those that match must not have. */
static void
find_unless(struct trigger_result *r, const struct trigger_plan *plan)
{
	uint64_t *wanted = no_ids(r);
	bool any = false;

	for (size_t i = 0; i < plan->count; i++) {
		const struct package_trigger *t = plan->list[i].trigger;

		if (t->unless == MATCH_NONE || !matches(r, t))
			continue;
		pattern_id_add(wanted, (unsigned)t->unless);
		any = true;
	}
	if (any)
		find(r, wanted);
}

static void
fire(const struct trigger_result *r, const struct package_trigger *t,
    struct trigger_fire *out)
{
	unsigned *sure = t->concludes ? &out->concludes : &out->opens;
	int at;

	if (t->confidence <= *sure || !matches(r, t))
		return;
	at = fires_at(r, t);
	if (at < 0)
		return;
	*sure = t->confidence;
	*(t->concludes ? &out->concluded_by : &out->opened_by) = t->name;
	if (!t->concludes)
		out->sentence = best_sentence(r, t, (size_t)at);
}

static void
fire_all(struct arena *arena, struct trigger_result *r)
{
	const struct trigger_plan *plan;

	read_deeds(arena, r);
	plan = plan_of(r);
	if (r->set->patterns != NULL) {
		find(r, plan->wanted);
		find_unless(r, plan);
	}
	for (size_t i = 0; i < plan->count; i++)
		fire(r, plan->list[i].trigger,
		    &r->fires[plan->list[i].package]);
}

void
triggers_match(struct packages *set, struct arena *arena,
    const struct trigger_turn *turn, struct trigger_result *out)
{
	*out = (struct trigger_result){ .turn = turn, .set = set,
		.arena = arena };
	out->n_sentences = summary_sentences(arena, &turn->said,
	    &out->sentences);
	out->fires = arena_array(arena, set->count, sizeof(*out->fires));
	out->words = arena_array(arena, out->n_sentences,
	    sizeof(*out->words));
	if (set->patterns != NULL)
		out->id_words = patterns_id_words(set->patterns);
	out->matched = arena_array(arena, (out->n_sentences + 1) *
	    out->id_words, sizeof(*out->matched));
	out->anywhere = out->matched + out->n_sentences * out->id_words;
	if (!turn->said.does->machine && out->n_sentences > 0)
		fire_all(arena, out);
}
