/*
 * effort_how - which sentence tells how an effort was resolved
 */
#include "compactor/effort_how.h"

#include "compactor/effort_how_impl.h"
#include "compactor/effort_words.h"
#include "compactor/summary.h"

enum {
	HOW_MOST = 6,		/* that wait with an effort */
	HOW_WORDS = 8,		/* of a sentence, for its echo */
};

/* Whose sentence it is, is a mark. */
static const char *const wheres[] = { "any" };

const struct linear_spec how_spec = {
	.name = "how",
	.n_classes = 2,
	.n_contexts = sizeof(wheres) / sizeof(wheres[0]),
	.contexts = wheres,
};

int64_t
how_points(struct effort_state *s, const struct told *k,
    const struct how_marks *m)
{
	int32_t lead[LINEAR_CLASSES] = { 0 };

	/* Weights of words without those of marks say little. */
	if (s->c->rank != NULL && s->c->how != NULL)
		linear_read(s->c->how, k->text, 0, lead);
	return effort_rank_points(s->c->rank, m) + lead[0];
}

/* ---- words ---- */

/* The words of the claims in a sentence. */
static void
find_words(struct arena *arena, const struct told *k, struct msg_strs *out)
{
	const struct msg_c_claim *claim;
	size_t i, at;

	out->at = arena_array(arena, HOW_WORDS, sizeof(out->at[0]));
	for (i = 0; i < k->t->does->n_claims; i++) {
		claim = &k->t->does->claims[i];
		if (claim->at < k->s.at || claim->at >= k->s.at + k->s.len)
			continue;
		for (at = 0; at < claim->keywords.count &&
		     out->count < HOW_WORDS; at++)
			if (!strs_has(out, claim->keywords.at[at]))
				out->at[out->count++] = claim->keywords.at[at];
	}
}

void
how_words(struct arena *arena, const struct compact_turn *t,
    struct msg_strs *out)
{
	const struct msg_c_turn *does = t->does;
	size_t i, at, n = 0;

	for (i = 0; i < does->n_claims; i++)
		n += does->claims[i].keywords.count;
	out->at = arena_array(arena, n, sizeof(out->at[0]));
	for (i = 0; i < does->n_claims; i++)
		for (at = 0; at < does->claims[i].keywords.count; at++)
			out->at[out->count++] = does->claims[i].keywords.at[at];
}

static size_t
in_common(const struct msg_strs *a, const struct msg_strs *b)
{
	uint64_t bits = effort_word_bits(b);
	size_t i, n = 0;

	for (i = 0; i < a->count; i++)
		n += (bits & effort_word_bit(a->at[i])) != 0 &&
		    strs_has(b, a->at[i]);
	return n;
}

/* ---- a sentence ---- */

bool
how_weigh(struct effort_state *s, const struct msg_a_work *w,
    const struct told *k, struct msg_a_how *out, struct how_marks *m)
{
	if (!told_may(k))
		return false;
	told_marks(k, w, m);
	*out = (struct msg_a_how){ .turn = k->t->number };
	find_words(s->c->arena, k, &out->words);
	m->of[MARK_name] = at_most(in_common(&w->keywords, &out->words), 2);
	return true;
}

bool
how_weigh_tried(struct effort_state *s, const struct told *k,
    struct msg_a_how *out, struct how_marks *m)
{
	struct effort_try own = { 0 };

	if (!k->other && !k->ends)
		own = effort_tries(s->c->arena, k->t, false);
	if (own.text.len == 0)
		return false;
	*m = (struct how_marks){ { 0 } };
	m->of[MARK_way] = m->of[MARK_tried] = 1;
	m->of[MARK_content] = at_most(own.content, 4);
	*out = (struct msg_a_how){ .turn = k->t->number, .text = own.text };
	how_words(s->c->arena, k->t, &out->words);
	return true;
}

struct slice
how_text(struct effort_state *s, const struct told *k, size_t i)
{
	struct msg_c_sentence said = turn_sentence(k->t, i);
	bool deed = (k->deeds >> i & 1) != 0;

	return effort_unaddressed(s, turn_shorten(k->t, s->c->arena,
	    sentence_text(k->t, &said), k->other && !k->ends && !deed ?
	    CUT_asking : CUT_filler));
}

/* ---- a turn on the way ---- */

/* Those that `may` be it, or NULL: all; of what is worth as much, the last. */
static void
take_best(struct effort_state *s, const struct msg_a_work *w, struct told *k,
    bool (*may)(const struct told *, const struct how_marks *),
    struct msg_a_how *best)
{
	size_t i, at, n = at = told_count(k);
	struct msg_a_how how;
	struct how_marks m;

	for (i = 0; i < n; i++) {
		told_read(k, i);
		if (!how_weigh(s, w, k, &how, &m) ||
		    (may != NULL && !may(k, &m)))
			continue;
		how.points = how_points(s, k, &m);
		if (at < n && how.points < best->points)
			continue;
		*best = how;
		at = i;
	}
	if (at < n)
		best->text = how_text(s, k, at);
}

/* What the owner says that he tried comes before all sentences. */
static struct msg_a_how
best_on_way(struct effort_state *s, const struct msg_a_work *w,
    struct told *k)
{
	struct msg_a_how best = { 0 };
	struct how_marks m;

	if (how_weigh_tried(s, k, &best, &m))
		best.points = effort_rank_points(s->c->rank, &m);
	else
		take_best(s, w, k, NULL, &best);
	return best;
}

/* The same; weighed once, for deciding and for applying. */
static struct msg_a_how
noted_best(struct effort_state *s, const struct msg_a_work *w,
    const struct compact_turn *t)
{
	struct effort_notes *n = t->notes;
	struct msg_a_how how;
	struct words room;
	struct told k;

	if (n != NULL && n->is_weighed && slice_eq(n->how_of, w->key))
		return n->how;
	told_on_way(&k, s, w, t, &room);
	how = best_on_way(s, w, &k);
	if (n != NULL) {
		n->is_weighed = true;
		n->how_of = arena_dup(n->arena, w->key);
		n->how = how;
	}
	return how;
}

/*
 * The owner goes on to something: what was said before was not all of it,
 * unless he asks about it or has done it.
 */
bool
how_is_passed(const struct msg_a_how *how, const struct compact_turn *t,
    const struct msg_strs *said)
{
	return said->count > 0 && !effort_did(t) &&
	    (!slice_is(t->does->act, "question") ||
		in_common(&how->words, said) == 0);
}

static void
pass_over(struct effort_state *s, struct msg_a_work *w,
    const struct compact_turn *t)
{
	const struct how_marks passed = { .of[MARK_passed] = 1 };
	int64_t points = effort_rank_points(s->c->rank, &passed);
	struct msg_strs said = { NULL, 0 };
	size_t i;

	how_words(s->c->arena, t, &said);
	for (i = 0; i < w->n_hows; i++)
		if (how_is_passed(&w->hows[i], t, &said))
			w->hows[i].points += points;
}

void
effort_how_note(struct effort_state *s, struct msg_a_work *w,
    const struct compact_turn *t)
{
	struct msg_a_how how, *list;
	size_t i, least = 0, n = w->n_hows;

	if (!effort_is_other(w, t) && !effort_is_idle_talk(t))
		pass_over(s, w, t);
	how = noted_best(s, w, t);
	if (how.text.len == 0)
		return;
	list = arena_array(s->c->arena, n + 1, sizeof(list[0]));
	if (n > 0)
		memcpy(list, w->hows, n * sizeof(list[0]));
	list[n++] = how;
	for (i = 1; i < n; i++)
		if (list[i].points < list[least].points)
			least = i;
	if (n > HOW_MOST) {
		memmove(&list[least], &list[least + 1],
		    (n - least - 1) * sizeof(list[0]));
		n--;
	}
	w->hows = list;
	w->n_hows = n;
}

/* ---- as it ends ---- */

/* How many turns of those that told something are later. */
static size_t
later_turns(const struct msg_a_work *w, uint64_t turn)
{
	uint64_t seen = 0;
	size_t i, n = 0;

	for (i = 0; i < w->n_hows; i++)
		if (w->hows[i].turn > turn && w->hows[i].turn != seen) {
			seen = w->hows[i].turn;
			n++;
		}
	return n;
}

void
how_mark_end(const struct msg_a_work *w, const struct msg_a_how *how,
    uint64_t end, const struct msg_strs *said, struct how_marks *m)
{
	size_t i, echo = 0, later = later_turns(w, how->turn);

	m->of[MARK_latest] = later == 0;
	m->of[MARK_second] = later == 1;
	if (end > how->turn)
		m->of[MARK_age] = at_most((size_t)(end - how->turn - 1) / 2, 4);
	for (i = 0; i < how->words.count; i++)
		echo += strs_has(said, how->words.at[i]) &&
		    !strs_has(&w->keywords, how->words.at[i]);
	m->of[MARK_echo] = at_most(echo, 2);
}

/* Is all of it in what was said before, or in the goal? */
static bool
is_repeat(const struct msg_a_work *w, const struct msg_a_how *last)
{
	size_t i, n, echo = 0, new = 0;

	for (i = 0; i < last->words.count; i++) {
		bool said = false;

		for (n = 0; n < w->n_hows && !said; n++)
			said = strs_has(&w->hows[n].words, last->words.at[i]);
		echo += said;
		new += !said && !strs_has(&w->keywords, last->words.at[i]);
	}
	return echo > 0 && new == 0;
}

void
how_mark_last(const struct msg_a_work *w, const struct told *k,
    const struct msg_a_how *how, const struct how_end *end,
    struct how_marks *m)
{
	m->of[MARK_repeat] = effort_did(k->t) && is_repeat(w, how);
	if (end != NULL && end->choice.len > 0 &&
	    slice_eq(how->text, end->choice))
		m->of[end->choosing ? MARK_chosen : MARK_decided] = 1;
}

/* Of the ending turn's sentences the best, if it is better. */
static void
take_better(struct effort_state *s, const struct msg_a_work *w,
    const struct compact_turn *t, const struct how_end *end,
    struct msg_a_how *best)
{
	struct msg_a_how how;
	struct how_marks m;
	struct words room;
	struct told k;
	size_t i, n;

	told_at_end(&k, w, t, end, &room);
	n = told_count(&k);
	for (i = 0; i < n; i++) {
		told_read(&k, i);
		if (!how_weigh(s, w, &k, &how, &m))
			continue;
		how.text = how_text(s, &k, i);
		how_mark_last(w, &k, &how, end, &m);
		how.points = how_points(s, &k, &m);
		if (best->text.len == 0 || how.points >= best->points)
			*best = how;
	}
}

struct slice
effort_how(struct effort_state *s, const struct msg_a_work *w,
    const struct compact_turn *t, const struct how_end *end)
{
	struct msg_a_how best = { 0 };
	struct msg_strs said = { NULL, 0 };
	struct how_marks m;
	int64_t points;
	size_t i;

	if (t != NULL)
		how_words(s->c->arena, t, &said);
	for (i = 0; i < w->n_hows; i++) {
		m = (struct how_marks){ { 0 } };
		how_mark_end(w, &w->hows[i], t != NULL ? t->number :
		    w->last + 1, &said, &m);
		points = w->hows[i].points +
		    effort_rank_points(s->c->rank, &m);
		if (best.text.len == 0 || points >= best.points) {
			best = w->hows[i];
			best.points = points;
		}
	}
	if (t != NULL)
		take_better(s, w, t, end, &best);
	return best.text;
}

/* Courtesy, plans and what to look at come after an end that is one. */
static bool
goes_on(const struct told *k, const struct how_marks *m)
{
	enum { WORDS_LEAST = 2 };
	static const enum how_mark never[] = { MARK_offer, MARK_plan,
		MARK_will, MARK_recap, MARK_look, MARK_hint, MARK_aside,
		MARK_if_so, MARK_proof, MARK_empty, MARK_heading };
	size_t i;

	if (m->of[MARK_content] < WORDS_LEAST)
		return false;
	for (i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		if (m->of[never[i]] != 0)
			return false;
	if (!k->other)
		return m->of[MARK_own_was] || m->of[MARK_own_did];
	return m->of[MARK_deed] || m->of[MARK_bids] || m->of[MARK_came] ||
	    m->of[MARK_gives] || m->of[MARK_now];
}

struct slice
effort_how_after(struct effort_state *s, const struct msg_a_work *w,
    const struct compact_turn *t)
{
	struct msg_a_how best = { 0 };
	struct words room;
	struct told k;

	if (effort_is_other(w, t))
		told_on_way(&k, s, w, t, &room);
	else
		told_at_end(&k, w, t, NULL, &room);
	take_best(s, w, &k, goes_on, &best);
	return best.text;
}

bool
effort_how_is_echoed(const struct msg_a_work *w, const struct compact_turn *t)
{
	const struct msg_c_claim *claim;
	size_t i, at, n;

	for (i = 0; i < t->does->n_claims; i++) {
		claim = &t->does->claims[i];
		for (at = 0; at < claim->keywords.count; at++)
			for (n = 0; n < w->n_hows; n++)
				if (strs_has(&w->hows[n].words,
					claim->keywords.at[at]))
					return true;
	}
	return false;
}
