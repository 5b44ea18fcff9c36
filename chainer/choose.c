/*
 * choose - which chain a claim belongs to
 *
 * The nearest active chain below chain_continue goes on; below chain_branch a
 * chain branches off it; else the nearest dormant one below chain_revive is
 * revived; else a chain begins.  So no claim is left without one.
 */
#include "chainer/chain.h"

/* What signs are worth, in thousandths of the score. */
enum {
	CUE_ASSISTANT = 400,
	CUE_INSIDE = 250,
	CUE_ANSWERS = 200,
	CUE_LEANS = 200,
	CUE_REPLIES = 150,
	CUE_BRIEF = 100,
	CUE_THIN = 150,		/* at most, by how little is new */
	CUE_FULL = -150,	/* at most, by how much is */
	CUE_ASKED = 75,
	CUE_YES_NO = 60,
	CUE_ASKS = -150,
	CUE_OPENS = -100,
	CUE_NAMES = -100,
	CUE_SHIFTS = -300,
	CUE_RETURNS_FROM = -250,
	CUE_RETURNS_TO = 200,
	CUE_AFTER_END = -100,
	CUE_ASSISTANT_AWAY = -200,
	/* Where meanings are compared: here, and elsewhere in the talk. */
	CUE_MEANT = 40,
	CUE_MEANT_TALK = 100,
	CUE_MEANT_ASKS = -50,
	CUE_MEANT_BRIEF = 80,
	CUE_MEANT_KNOWN = -50,	/* its meaning has counted them */
	CUE_MEANT_SHIFTS = -100,
	/* Words that lead away from the turn before: at least, and so many more. */
	AWAY_WORDS = 150,
	AWAY_MORE = 100,
	AWAY_BRIEF = 250,
	/* Weight of new words, where thin ends and full begins, per thousandth. */
	THIN_BELOW = 25000,
	THIN_STEP = 80,
	FULL_ABOVE = 18000,
	FULL_STEP = 100,
	/* Where meanings are compared every new word counts against it. */
	FRESH_MOST = 40000,
	FRESH_STEP = 125,
	FRESH_ASKS_STEP = 333,
	FRESH_LEANS_STEP = 250,
	MEANT_ENOUGH = 200,
	/* Two chains become one only if they are this much alike. */
	ALIKE_ENOUGH = 200,
	ALIKE_GROWN = 750,
	WORDS_IN_REASON = 3,
};

#define NAME(word) { word, sizeof(word) - 1 }
static const struct slice kind_names[] = { [KIND_extend] = NAME("extend"),
	[KIND_create] = NAME("create"),
	[KIND_branch] = NAME("branch"),
	[KIND_merge] = NAME("merge"),
	[KIND_conclude] = NAME("conclude") };

struct slice
chain_kind_name(enum chain_kind kind)
{
	return kind_names[kind];
}

int
chain_kind_parse(struct slice name, enum chain_kind *out)
{
	enum chain_kind k;

	for (k = KIND_extend; k <= KIND_conclude; k++)
		if (slice_eq(name, kind_names[k])) {
			*out = k;
			return 0;
		}
	return -1;
}

static int
thin_cue(uint64_t fresh)
{
	uint64_t cue = fresh >= THIN_BELOW ? 0 :
					     (THIN_BELOW - fresh) / THIN_STEP;

	return cue > CUE_THIN ? CUE_THIN : (int)cue;
}

static int
full_cue(uint64_t fresh)
{
	uint64_t cue = fresh <= FULL_ABOVE ? 0 :
					     (fresh - FULL_ABOVE) / FULL_STEP;

	return cue > -CUE_FULL ? CUE_FULL : -(int)cue;
}

static bool
has_words(const struct candidate *c)
{
	return c->terms.keyword > 0 || c->terms.entity > 0;
}

/* These make up for what the meaning, seldom 0, adds to any chain. */
static int
meant_cue(const struct chain_signs *s, const struct candidate *c,
    uint64_t fresh)
{
	int new = (int)(fresh > FRESH_MOST ? FRESH_MOST : fresh);

	if (!s->meant || s->inside)
		return 0;
	if (!c->adjacent)
		return (!c->here ? 0 : CUE_MEANT_TALK +
		    (s->brief ? CUE_MEANT_BRIEF : 0)) +
		    (s->asks ? CUE_MEANT_ASKS : 0);
	return CUE_MEANT + (s->brief ? CUE_MEANT_BRIEF : 0) +
	    (s->shifts ? CUE_MEANT_SHIFTS : 0) +
	    (has_words(c) ? CUE_MEANT_KNOWN : 0) - new / FRESH_STEP -
	    (s->asks ? new / FRESH_ASKS_STEP : 0) -
	    (s->leans ? new / FRESH_LEANS_STEP : 0);
}

int
chain_cue(const struct chain_signs *s, const struct candidate *c,
    uint64_t fresh)
{
	int cue = meant_cue(s, c, fresh);

	if (!c->adjacent)
		return cue + (s->returns ? CUE_RETURNS_TO : 0) +
		    (s->assistant ? CUE_ASSISTANT_AWAY : 0);
	if (s->assistant)
		return CUE_ASSISTANT;
	cue += s->inside ? CUE_INSIDE : 0;
	cue += s->leans ? CUE_LEANS : 0;
	cue += s->answers ? CUE_ANSWERS : 0;
	cue += s->replies ? CUE_REPLIES : 0;
	cue += s->brief && !s->opens ? CUE_BRIEF : 0;
	cue += s->asks && !s->opens ? thin_cue(fresh) : 0;
	/* Much is said, and none of it was ever heard here. */
	cue += has_words(c) || s->asks || s->answers || s->leans ? 0 :
							 full_cue(fresh);
	cue += s->asks && !s->leans ? CUE_ASKS : 0;
	cue += s->asks && s->asked ? CUE_ASKED : 0;
	cue += s->asks && s->yes_no ? CUE_YES_NO : 0;
	cue += s->opens && !s->leans ? CUE_OPENS : 0;
	cue += s->asks && s->names && !has_words(c) ? CUE_NAMES : 0;
	cue += s->shifts ? CUE_SHIFTS : 0;
	cue += s->returns ? CUE_RETURNS_FROM : 0;
	cue += s->after_end && !s->inside ? CUE_AFTER_END : 0;
	return cue;
}

void
candidates_sort(struct candidate *c, size_t n)
{
	struct candidate hold;
	size_t i, k;

	/* A few dozen at most, and stable: insertion. */
	for (i = 1; i < n; i++) {
		if (c[i - 1].terms.distance <= c[i].terms.distance)
			continue;
		hold = c[i];
		for (k = i; k > 0 &&
		     c[k - 1].terms.distance > hold.terms.distance; k--)
			c[k] = c[k - 1];
		c[k] = hold;
	}
}

/* ---- reasons ---- */

/* All of them, one after the other. */
static struct slice
string_together(struct arena *arena, const struct slice *parts, size_t n)
{
	size_t i, len = 0;
	char *out, *at;

	for (i = 0; i < n; i++)
		len += parts[i].len;
	out = at = arena_room(arena, len + 1);
	for (i = 0; i < n; at += parts[i++].len)
		if (parts[i].len > 0)
			memcpy(at, parts[i].ptr, parts[i].len);
	*at = '\0';
	return slice_of(out, len);
}

/* As printf has it, which ends a text at a NUL. */
static struct slice
shown(struct slice s)
{
	return slice_of(s.ptr, s.len == 0 ? 0 : strnlen(s.ptr, s.len));
}

struct slice
chain_quote(struct arena *arena, const char *before, struct slice quoted,
    const char *after)
{
	const struct slice parts[] = { slice_str(before), SLICE(" \""),
		shown(quoted), SLICE("\""), slice_str(after) };

	return string_together(arena, parts, sizeof(parts) / sizeof(parts[0]));
}

/* … "their trip" (in common: flight, berlin) */
static struct slice
reason(struct arena *arena, const char *words, const struct topic *claim,
    const struct candidate *c)
{
	struct topic chain = chain_topic(c->chain);
	struct slice parts[5 + 2 * WORDS_IN_REASON] = { slice_str(words),
		SLICE(" \""), shown(chain.subject), SLICE("\"") };
	size_t i, n = 4;

	chain.sketch = c->sketch;
	for (i = 0; i < claim->keywords.count && n < 4 + 2 * WORDS_IN_REASON;
	     i++) {
		if (!topic_knows(&chain, claim, i))
			continue;
		parts[n] = n == 4 ? SLICE(" (in common: ") : SLICE(", ");
		parts[n + 1] = claim->keywords.at[i];
		n += 2;
	}
	if (n > 4)
		parts[n++] = SLICE(")");
	return string_together(arena, parts, n);
}

/* ---- the choice ---- */

static unsigned
words_score(const struct candidate *c)
{
	return 1000 - distance_words(&c->terms);
}

/* One claim near to both, and both about much the same. */
static bool
ties(const struct chain_rules *rules, const struct candidate *a,
    const struct candidate *b)
{
	struct topic x, y;
	unsigned least;

	if (rules->merge_below == 0 || a->state != CHAIN_active ||
	    b->state != CHAIN_active || !has_words(a) || !has_words(b))
		return false;
	x = chain_topic(a->chain);
	y = chain_topic(b->chain);
	x.sketch = a->sketch;
	y.sketch = b->sketch;
	least = distance_words(&a->terms) < rules->merge_below &&
	    distance_words(&b->terms) < rules->merge_below ? ALIKE_ENOUGH :
							     ALIKE_GROWN;
	return topics_alike(&x, &y, least) >= least;
}

/* Talk after the end belongs to it, but does not take it up again. */
static bool
lingers(const struct chain_signs *signs, const struct candidate *c)
{
	return c->adjacent && !signs->opens && !signs->shifts &&
	    (signs->assistant || (!signs->asks && (signs->brief ||
		signs->replies || signs->inside || signs->after_end)));
}

static const struct candidate *
nearest_active(const struct candidate *c, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (c[i].state == CHAIN_active)
			return &c[i];
	return NULL;
}

/* The nearest other one that the claim makes one with it, or NULL. */
static const struct candidate *
tied_to(const struct chain_rules *rules, const struct candidate *to,
    const struct candidate *c, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (&c[i] != to && ties(rules, to, &c[i]))
			return &c[i];
	return NULL;
}

/*
 * A user who speaks of what another chain of the talk is about, and not of
 * what the turn before is about, has gone over to it, whether it is said or
 * not.  NULL: no.
 */
static const struct candidate *
drawn_away(const struct chain_rules *rules, const struct chain_signs *signs,
    const struct candidate *c, size_t n)
{
	const struct candidate *away = NULL;
	unsigned here = 0;
	size_t i;

	if (rules->formula != FORMULA_shipped || signs->assistant ||
	    signs->inside)
		return NULL;
	for (i = 0; i < n; i++)
		if (c[i].adjacent)
			here = words_score(&c[i]);
		else if (c[i].here && c[i].state == CHAIN_active &&
		    (away == NULL ||
		    words_score(&c[i]) > words_score(away)))
			away = &c[i];
	if (away == NULL || words_score(away) < here + AWAY_MORE ||
	    words_score(away) < (signs->brief ? AWAY_BRIEF : AWAY_WORDS))
		return NULL;
	return away;
}

/* false: it is no matter of the concluded one. */
static bool
choose_concluded(const struct chain_rules *rules,
    const struct chain_signs *signs, const struct topic *claim,
    const struct candidate *c, struct arena *arena, struct choice *out)
{
	if (signs->returns && c->terms.distance < rules->revive_below &&
	    has_words(c)) {
		*out = (struct choice){ KIND_extend, c, NULL, true,
			reason(arena, "Returned to the concluded", claim,
			    c) };
		return true;
	}
	if (lingers(signs, c)) {
		*out = (struct choice){ KIND_extend, c, NULL, false,
			reason(arena, "Talk at the end of the concluded", claim,
			    c) };
		return true;
	}
	if (has_words(c) && c->terms.distance < rules->continue_below) {
		*out = (struct choice){ KIND_branch, c, NULL, false,
			reason(arena, "Branched from the concluded", claim,
			    c) };
		return true;
	}
	return false;
}

bool
choose_active(const struct chain_rules *rules, const struct chain_signs *signs,
    const struct topic *claim, const struct candidate *c, size_t n,
    struct arena *arena, struct choice *out)
{
	const struct candidate *best, *away;
	size_t i;

	away = drawn_away(rules, signs, c, n);
	if (away != NULL) {
		*out = (struct choice){ KIND_extend, away,
			tied_to(rules, away, c, n), false,
			reason(arena, "Takes up", claim, away) };
		return true;
	}
	/* What was just concluded comes before what goes on elsewhere. */
	for (i = 0; i < n; i++)
		if (c[i].state == CHAIN_concluded &&
		    (c[i].adjacent || i == 0) &&
		    choose_concluded(rules, signs, claim, &c[i], arena, out))
			return true;
	best = nearest_active(c, n);
	if (best == NULL)
		return false;
	if (best->terms.distance < rules->continue_below) {
		*out = (struct choice){ KIND_extend, best,
			tied_to(rules, best, c, n), false,
			reason(arena, best->adjacent ? "Goes on with" :
			    "Takes up", claim, best) };
		return true;
	}
	if (best->terms.distance >= rules->branch_below ||
	    (rules->formula == FORMULA_shipped && !has_words(best)))
		return false;
	*out = (struct choice){ KIND_branch, best, NULL, false,
		chain_quote(arena, "Branched from", best->chain->topic,
		    " due to topic shift") };
	return true;
}

/* What slept in this talk may be meant without a word of it. */
static bool
is_meant(const struct candidate *c)
{
	return c->here && c->terms.meaning >= MEANT_ENOUGH;
}

bool
choose_dormant(const struct chain_rules *rules,
    const struct chain_signs *signs, const struct topic *claim,
    const struct candidate *c, size_t n, struct arena *arena,
    struct choice *out)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (c[i].terms.distance >= rules->revive_below)
			return false;
		if (rules->formula == FORMULA_shipped && !has_words(&c[i]) &&
		    !c[i].adjacent && !is_meant(&c[i]))
			continue;
		if (c[i].state == CHAIN_concluded && !signs->returns)
			continue;
		if (c[i].state == CHAIN_merged ||
		    (c[i].state == CHAIN_active &&
			c[i].terms.distance >= rules->continue_below))
			continue;
		*out = (struct choice){ KIND_extend, &c[i], NULL,
			c[i].state != CHAIN_active,
			reason(arena, c[i].state == CHAIN_active ? "Takes up" :
			    c[i].state == CHAIN_concluded ?
			    "Returned to the concluded" :
			    "Revived chain about", claim, &c[i]) };
		return true;
	}
	return false;
}

/* ---- where the course is known ---- */

void
choose_course(const struct chain_rules *rules,
    const struct chain_signs *signs, const struct topic *claim,
    const struct candidate *to, const struct candidate *c, size_t n,
    struct arena *arena, struct choice *out)
{
	bool over = to->state == CHAIN_concluded;
	bool stays = over && lingers(signs, to);
	const char *words = stays ? "Talk at the end of the concluded" :
	    over ? "Returned to the concluded" :
	    to->state == CHAIN_dormant ? "Revived chain about" :
	    to->adjacent ? "Goes on with" : "Takes up";

	/* What was settled is left alone by who only asks more about it. */
	if (over && !stays && to->adjacent && !signs->returns)
		*out = (struct choice){ KIND_branch, to, NULL, false,
			reason(arena, "Branched from the concluded", claim,
			    to) };
	else
		*out = (struct choice){ KIND_extend, to,
			tied_to(rules, to, c, n),
			to->state != CHAIN_active && !stays,
			reason(arena, words, claim, to) };
}

bool
choose_branch(const struct chain_rules *rules, const struct candidate *c,
    size_t n, struct arena *arena, struct choice *out)
{
	size_t i;

	for (i = 0; i < n && c[i].terms.distance < rules->branch_below; i++)
		if (c[i].here && has_words(&c[i]) &&
		    c[i].state != CHAIN_merged) {
			*out = (struct choice){ KIND_branch, &c[i], NULL,
				false, chain_quote(arena, "Branched from",
				    c[i].chain->topic,
				    " due to topic shift") };
			return true;
		}
	return false;
}

void
choose_new(const struct topic *claim, struct arena *arena, struct choice *out)
{
	*out = (struct choice){ .kind = KIND_create,
		.reason = chain_quote(arena, "New topic:", claim->subject,
		    "") };
}
