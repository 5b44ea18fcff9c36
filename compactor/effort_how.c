/*
 * effort_how - which sentence tells how an effort was resolved
 */
#include "compactor/effort_how.h"

#include <limits.h>

#include "compactor/effort_how_impl.h"
#include "compactor/effort_words.h"
#include "compactor/summary.h"

enum {
	HOW_MOST = 5,		/* that wait with an effort */
	HOW_SENTENCES = 40,	/* of a turn that are looked at */
	HOW_WORDS = 8,		/* of a sentence, for its echo */
	FEW_SENTENCES = 3,
};

/* Whose sentence it is: the contexts of the model. */
enum how_where { WHERE_report, WHERE_other, WHERE_end, WHERE_own };

static const char *const wheres[] = { "report", "other", "end", "own" };

const struct linear_spec how_spec = {
	.name = "how",
	.n_classes = 2,
	.n_contexts = sizeof(wheres) / sizeof(wheres[0]),
	.contexts = wheres,
};

/* Points for what the model makes of it; none where there is no model. */
static long
model_points(struct effort_state *s, const struct told *k)
{
	enum how_where where = k->other ?
	    (k->reports ? WHERE_report : WHERE_other) :
	    (k->ends ? WHERE_end : WHERE_own);
	int32_t lead[LINEAR_CLASSES];

	if (s->c->how == NULL)
		return 0;
	linear_read(s->c->how, k->text, where, lead);
	return lead[0] * HOW_words / 1000;
}

static long
at_most(size_t n, size_t most)
{
	return (long)(n < most ? n : most);
}

/* The words of the claims in a sentence. */
static void
find_words(struct arena *arena, const struct told *k, struct msg_strs *out)
{
	const struct msg_c_claim *claim;
	size_t i, at;

	for (i = 0; i < k->t->does->n_claims; i++) {
		claim = &k->t->does->claims[i];
		if (claim->at < k->s.at || claim->at >= k->s.at + k->s.len)
			continue;
		for (at = 0; at < claim->keywords.count &&
		     out->count < HOW_WORDS; at++)
			if (!strs_has(out, claim->keywords.at[at]))
				strs_add(out, arena, claim->keywords.at[at]);
	}
}

static void
find_all_words(struct arena *arena, const struct compact_turn *t,
    struct msg_strs *out)
{
	size_t i, at;

	for (i = 0; i < t->does->n_claims; i++)
		for (at = 0; at < t->does->claims[i].keywords.count; at++)
			strs_add(out, arena, t->does->claims[i].keywords.at[at]);
}

static size_t
in_common(const struct msg_strs *a, const struct msg_strs *b)
{
	size_t i, n = 0;

	for (i = 0; i < a->count; i++)
		n += strs_has(b, a->at[i]);
	return n;
}

/* One sentence as a candidate; false: it is none. */
static bool
weigh(struct effort_state *s, const struct msg_a_work *w, struct told *k,
    size_t i, struct msg_a_how *out)
{
	size_t n = sentence_count(k->t);
	long points;

	told_read(k, i);
	points = k->text.len == 0 ? 0 : told_kind(k);
	if (points == 0)
		return false;
	points += model_points(s, k);
	*out = (struct msg_a_how){ .turn = k->t->number };
	find_words(s->c->arena, k, &out->words);
	points += told_against(k, w) + HOW_content * at_most(k->content, 3) +
	    HOW_name * at_most(in_common(&w->keywords, &out->words), 2);
	/* A long turn tells the main thing first, a short one last. */
	if (n > FEW_SENTENCES)
		points += HOW_place * at_most(i / 2, 3);
	out->points = points;
	return true;
}

/* Of a long turn the first of the best, of a short one the last. */
static bool
is_better(const struct msg_a_how *a, const struct msg_a_how *best,
    const struct compact_turn *t)
{
	if (best->text.len == 0 || a->points != best->points)
		return best->text.len == 0 || a->points > best->points;
	return a->turn != best->turn || sentence_count(t) <= FEW_SENTENCES;
}

static struct slice
shorten(struct effort_state *s, const struct told *k)
{
	return effort_unaddressed(s, summary_shorten(s->c->arena, k->text,
	    k->other && !told_deed(k) ? CUT_asking : CUT_filler, LINE_WORDS));
}

/* "Back to that bug - I tried X": what the owner says was tried. */
static bool
tried_by_owner(struct effort_state *s, const struct told *k,
    struct msg_a_how *out)
{
	struct effort_try own = { 0 };

	if (!k->other && !k->ends)
		own = effort_tries(s->c->arena, k->t, false);
	if (own.text.len == 0)
		return false;
	*out = (struct msg_a_how){ .turn = k->t->number, .text = own.text,
		.points = HOW_own + HOW_content * at_most(own.content, 3) };
	find_all_words(s->c->arena, k->t, &out->words);
	return true;
}

/* The best sentence of a turn. */
static bool
best_of(struct effort_state *s, const struct msg_a_work *w, struct told *k,
    struct msg_a_how *best)
{
	size_t i, n = sentence_count(k->t);
	struct msg_a_how how;

	*best = (struct msg_a_how){ 0 };
	if (tried_by_owner(s, k, best))
		return true;
	for (i = 0; i < n && i < HOW_SENTENCES; i++) {
		if (!weigh(s, w, k, i, &how) || (best->text.len > 0 &&
			!is_better(&how, best, k->t)))
			continue;
		*best = how;
		best->text = shorten(s, k);
	}
	return best->text.len > 0;
}

/* The same; weighed once, for deciding and for applying. */
static struct msg_a_how
noted_best(struct effort_state *s, const struct msg_a_work *w, struct told *k)
{
	struct effort_notes *n = k->t->notes;
	struct msg_a_how how = { 0 };

	if (n != NULL && n->is_weighed && slice_eq(n->how_of, w->key))
		return n->how;
	(void)best_of(s, w, k, &how);
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
static void
pass_over(struct effort_state *s, struct msg_a_work *w,
    const struct compact_turn *t)
{
	struct msg_strs said = { NULL, 0 };
	bool asks = slice_is(t->does->act, "question");
	size_t i;

	if (effort_did(t))
		return;
	find_all_words(s->c->arena, t, &said);
	for (i = 0; said.count > 0 && i < w->n_hows; i++)
		if (!asks || in_common(&w->hows[i].words, &said) == 0)
			w->hows[i].points += HOW_passed;
}

void
effort_how_note(struct effort_state *s, struct msg_a_work *w,
    const struct compact_turn *t)
{
	struct told k = { .t = t, .other = effort_is_other(w, t),
		.reports = effort_is_report(t),
		.confirms = effort_asks_to_confirm(t),
		.answers = s->thread.n_last > 0 &&
		    slice_is(s->thread.last[0].act, "question") };
	struct msg_a_how how, *list;
	size_t i, least = 0, n = w->n_hows;

	if (!k.other && !effort_is_idle_talk(t))
		pass_over(s, w, t);
	how = noted_best(s, w, &k);
	if (how.text.len == 0 || how.points <= 0)
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

/* What a candidate is worth as the turn ends it. */
static long
worth(const struct msg_a_how *how, const struct msg_a_work *w, uint64_t end,
    const struct msg_strs *said)
{
	long points = how->points;
	size_t i, echo = 0;

	if (end > how->turn)
		points += HOW_age *
		    at_most((size_t)(end - how->turn - 1) / 2, 4);
	for (i = 0; i < how->words.count; i++)
		echo += strs_has(said, how->words.at[i]) &&
		    !strs_has(&w->keywords, how->words.at[i]);
	return points + HOW_echo * at_most(echo, 2);
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

struct slice
effort_how(struct effort_state *s, const struct msg_a_work *w,
    const struct compact_turn *t, const struct how_end *end)
{
	struct told k = { .t = t, .ends = true,
		.accepts = end != NULL && end->accepted };
	struct msg_strs said = { NULL, 0 };
	struct slice best = end != NULL ? end->choice : SLICE_NONE;
	struct msg_a_how last;
	long points, most = best.len == 0 ? LONG_MIN :
	    end->chosen ? HOW_choice : HOW_decided;
	size_t i;

	if (t != NULL)
		find_all_words(s->c->arena, t, &said);
	for (i = 0; i < w->n_hows; i++) {
		points = worth(&w->hows[i], w,
		    t != NULL ? t->number : w->last + 1, &said);
		if (points >= most) {
			most = points;
			best = w->hows[i].text;
		}
	}
	if (t == NULL)
		return best;
	k.other = effort_is_other(w, t);
	if (best_of(s, w, &k, &last) &&
	    last.points + (effort_did(t) && is_repeat(w, &last) ?
		HOW_repeat : 0) >= most)
		best = last.text;
	return best;
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
