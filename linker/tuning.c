/*
 * tuning - weights and threshold refitted on what decisions turned out to be
 */
#include "linker/tuning.h"

#include <stdlib.h>

#include "linker/tuning_grid.h"

enum {
	STRONG = 700,		/* a term that speaks for a link */
	WEAK = 200,		/* and one that speaks against it */
};

/* By a mixed number: decisions may alternate in a rhythm of their own. */
bool
tuning_holds_back(uint64_t number)
{
	return ((number * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % TUNING_HOLD ==
	    0;
}

static bool
is_held_back(const struct tuning_sample *s)
{
	return tuning_holds_back(s->number);
}

static unsigned
rate(size_t part, size_t whole)
{
	return whole == 0 ? 0 : (unsigned)((part * 1000 + whole / 2) / whole);
}

struct tuning_reading
tuning_read(const struct score_rules *rules, const struct tuning_sample *s)
{
	struct tuning_reading r = { score_value(rules, s->terms), s->related };
	unsigned score;
	size_t i;

	for (i = 0; i < s->n_others; i++) {
		score = score_value(rules, s->others[i]);
		if (score > r.score)
			r = (struct tuning_reading){ score, false };
	}
	return r;
}

struct tuning_rates
tuning_measure(const struct score_rules *rules,
    const struct tuning_sample *samples, size_t n, bool held_back)
{
	size_t all = 0, related = 0, bad_links = 0, missed = 0, i;
	struct tuning_reading r;

	for (i = 0; i < n; i++) {
		if (is_held_back(&samples[i]) != held_back)
			continue;
		r = tuning_read(rules, &samples[i]);
		all++;
		related += samples[i].related;
		if (r.score > rules->threshold)
			bad_links += !r.good;
		else
			missed += samples[i].related;
	}
	return (struct tuning_rates){ rate(all - bad_links - missed, all),
		rate(bad_links, all - related > bad_links ? all - related :
							    bad_links),
		rate(missed, related) };
}

static void
count_disagreements(const struct tuning_sample *samples, size_t n,
    struct tuning_result *out)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!samples[i].judged ||
		    samples[i].model_related == samples[i].score_related)
			continue;
		out->disagreements++;
		out->model_right +=
		    samples[i].model_related == samples[i].related;
	}
}

void
tuning_fit(const struct score_rules *now, const struct tuning_sample *samples,
    size_t n, struct tuning_result *out)
{
	struct tuning_trial best, was = tuning_try(now, samples, n);
	struct tuning_rates after;
	size_t i;

	*out = (struct tuning_result){ .rules = *now, .samples = n };
	for (i = 0; i < n; i++)
		out->held_back += is_held_back(&samples[i]);
	out->before = out->after = tuning_measure(now, samples, n, true);
	count_disagreements(samples, n, out);
	if (n < TUNING_LEAST)
		return;
	best = tuning_search(now, samples, n);
	if (best.right <= was.right)
		return;
	after = tuning_measure(&best.rules, samples, n, true);
	out->after = after;
	if (after.accuracy < out->before.accuracy)
		return;
	out->rules = best.rules;
	out->kept = true;
}

struct slice
tuning_reason(struct arena *arena, const struct tuning_result *r)
{
	if (r->samples < TUNING_LEAST)
		return arena_printf(arena, "Too few known outcomes: %zu, %d "
		    "are needed", r->samples, TUNING_LEAST);
	if (r->kept)
		return arena_printf(arena, "False positive rate was %u.%u%%, "
		    "is %u.%u%%; false negative rate was %u.%u%%, is %u.%u%%",
		    r->before.false_positives / 10,
		    r->before.false_positives % 10,
		    r->after.false_positives / 10,
		    r->after.false_positives % 10,
		    r->before.false_negatives / 10,
		    r->before.false_negatives % 10,
		    r->after.false_negatives / 10,
		    r->after.false_negatives % 10);
	if (r->after.accuracy < r->before.accuracy)
		return arena_printf(arena, "Not kept: accuracy on held-back "
		    "decisions would fall from %u.%u%% to %u.%u%%",
		    r->before.accuracy / 10, r->before.accuracy % 10,
		    r->after.accuracy / 10, r->after.accuracy % 10);
	return SLICE("Nothing better was found");
}

/* ---- signals ---- */

struct signal {
	struct slice text;
	size_t seen;
};

static size_t
add_signal(struct signal *all, size_t n, size_t most, struct slice text)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (slice_eq(all[i].text, text)) {
			all[i].seen++;
			return n;
		}
	if (n < most && text.len > 0)
		all[n++] = (struct signal){ text, 1 };
	return n;
}

/* What the score saw and the model did not. */
static size_t
add_terms(struct signal *all, size_t n, size_t most,
    const struct tuning_sample *s)
{
	static const char *const strong[SCORE_TERMS] = { "words in common",
		"the same names", "the same topic", "little time between" };
	static const char *const weak[SCORE_TERMS] = { "no words in common",
		"other names", "another topic", "much time between" };
	size_t i;

	for (i = 0; i < SCORE_TERMS; i++) {
		if (s->score_related && s->terms[i] >= STRONG)
			n = add_signal(all, n, most, slice_str(strong[i]));
		if (!s->score_related && s->terms[i] <= WEAK)
			n = add_signal(all, n, most, slice_str(weak[i]));
	}
	return n;
}

static int
by_frequency(const void *left, const void *right)
{
	const struct signal *a = left, *b = right;

	if (a->seen != b->seen)
		return a->seen < b->seen ? 1 : -1;
	return slice_cmp(a->text, b->text);
}

struct msg_strs
tuning_signals(struct arena *arena, const struct tuning_sample *samples,
    size_t n)
{
	enum { MOST = 512 };
	struct signal *all = arena_array(arena, MOST, sizeof(*all));
	struct msg_strs out = { 0 };
	size_t count = 0, i, k;

	for (i = 0; i < n; i++) {
		if (!samples[i].judged ||
		    samples[i].model_related == samples[i].score_related)
			continue;
		if (samples[i].score_related == samples[i].related)
			count = add_terms(all, count, MOST, &samples[i]);
		for (k = 0; samples[i].model_related == samples[i].related &&
		     samples[i].signals != NULL &&
		     k < samples[i].signals->count; k++)
			count = add_signal(all, count, MOST,
			    samples[i].signals->at[k]);
	}
	qsort(all, count, sizeof(*all), by_frequency);
	out.at = arena_array(arena, TUNING_SIGNALS, sizeof(*out.at));
	for (i = 0; i < count && out.count < TUNING_SIGNALS; i++)
		if (all[i].seen >= TUNING_REPEATS)
			out.at[out.count++] = all[i].text;
	return out;
}
