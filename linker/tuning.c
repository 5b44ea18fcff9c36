/*
 * tuning - weights and threshold refitted on what decisions turned out to be
 */
#include "linker/tuning.h"

#include <stdlib.h>

enum {
	WEIGHT_STEP = 50,
	THRESHOLD_STEP = 10,
	THRESHOLD_LEAST = 300,
	THRESHOLD_MOST = 950,
	BUCKETS = SCORE_FULL / THRESHOLD_STEP + 1,
	MOVE_PRICE = 100,	/* thousandths moved for one more right */
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

/*
 * What rules make of a sample: the score of the thread they would choose, and
 * whether a link to it is known to be right.
 */
struct reading {
	unsigned score;
	bool good;
};

static struct reading
read_sample(const struct score_rules *rules, const struct tuning_sample *s)
{
	struct reading r = { score_value(rules, s->terms), s->related };
	unsigned score;
	size_t i;

	for (i = 0; i < s->n_others; i++) {
		score = score_value(rules, s->others[i]);
		if (score > r.score)
			r = (struct reading){ score, false };
	}
	return r;
}

struct tuning_rates
tuning_measure(const struct score_rules *rules,
    const struct tuning_sample *samples, size_t n, bool held_back)
{
	size_t all = 0, related = 0, bad_links = 0, missed = 0, i;
	struct reading r;

	for (i = 0; i < n; i++) {
		if (is_held_back(&samples[i]) != held_back)
			continue;
		r = read_sample(rules, &samples[i]);
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

/* A setting that was tried: how many it has right, how far it has moved. */
struct trial {
	struct score_rules rules;
	size_t right, wrong_links;
	unsigned moved;
};

/*
 * More right, but each has its price: few decisions move little, many much.
 * Then fewer wrong links; then nearer to what was.
 */
static bool
is_better(const struct trial *a, const struct trial *b)
{
	uint64_t worth_a = a->right * MOVE_PRICE + b->moved;
	uint64_t worth_b = b->right * MOVE_PRICE + a->moved;

	if (worth_a != worth_b)
		return worth_a > worth_b;
	if (a->wrong_links != b->wrong_links)
		return a->wrong_links < b->wrong_links;
	return a->moved < b->moved;
}

static unsigned
distance(const struct score_rules *a, const struct score_rules *b)
{
	unsigned sum = (unsigned)abs((int)a->threshold - (int)b->threshold);
	size_t i;

	for (i = 0; i < SCORE_TERMS; i++)
		sum += (unsigned)abs((int)a->weights[i] - (int)b->weights[i]);
	return sum;
}

/* Of those above each threshold: good links, bad ones, and unrelated ones. */
struct counts {
	size_t good[BUCKETS], bad[BUCKETS], unrelated[BUCKETS];
	size_t all_unrelated;
};

static void
count_scores(const struct score_rules *rules,
    const struct tuning_sample *samples, size_t n, struct counts *c)
{
	struct reading r;
	size_t i, at;

	*c = (struct counts){ 0 };
	for (i = 0; i < n; i++) {
		if (is_held_back(&samples[i]))
			continue;
		/* Above a threshold of at x step, and not above the next. */
		r = read_sample(rules, &samples[i]);
		at = r.score == 0 ? 0 : (r.score - 1) / THRESHOLD_STEP;
		c->good[at] += r.good;
		c->bad[at] += !r.good;
		c->unrelated[at] += !samples[i].related;
		c->all_unrelated += !samples[i].related;
	}
	for (i = BUCKETS - 1; i > 0; i--) {
		c->good[i - 1] += c->good[i];
		c->bad[i - 1] += c->bad[i];
		c->unrelated[i - 1] += c->unrelated[i];
	}
}

static void
try_thresholds(const struct score_rules *now, const struct score_rules *rules,
    const struct tuning_sample *samples, size_t n, struct trial *best)
{
	struct trial t = { .rules = *rules };
	struct counts c;
	unsigned at;

	count_scores(rules, samples, n, &c);
	for (at = THRESHOLD_LEAST; at <= THRESHOLD_MOST;
	     at += THRESHOLD_STEP) {
		t.rules.threshold = at;
		t.wrong_links = c.bad[at / THRESHOLD_STEP];
		t.right = c.good[at / THRESHOLD_STEP] + c.all_unrelated -
		    c.unrelated[at / THRESHOLD_STEP];
		t.moved = distance(now, &t.rules);
		if (is_better(&t, best))
			*best = t;
	}
}

/* What is in force, as a trial: it may lie beside the grid. */
static struct trial
trial_now(const struct score_rules *now, const struct tuning_sample *samples,
    size_t n)
{
	struct trial t = { .rules = *now };
	struct reading r;
	size_t i;

	for (i = 0; i < n; i++) {
		if (is_held_back(&samples[i]))
			continue;
		r = read_sample(now, &samples[i]);
		if (r.score > now->threshold) {
			t.right += r.good;
			t.wrong_links += !r.good;
		} else
			t.right += !samples[i].related;
	}
	return t;
}

static struct trial
search(const struct score_rules *now, const struct tuning_sample *samples,
    size_t n)
{
	struct trial best = trial_now(now, samples, n);
	struct score_rules r;
	unsigned a, b, c;

	for (a = 0; a <= SCORE_FULL; a += WEIGHT_STEP)
		for (b = 0; a + b <= SCORE_FULL; b += WEIGHT_STEP)
			for (c = 0; a + b + c <= SCORE_FULL;
			     c += WEIGHT_STEP) {
				r = (struct score_rules){ { a, b, c,
				    SCORE_FULL - a - b - c }, 0 };
				try_thresholds(now, &r, samples, n, &best);
			}
	return best;
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
	struct trial best, was = trial_now(now, samples, n);
	struct tuning_rates after;
	size_t i;

	*out = (struct tuning_result){ .rules = *now, .samples = n };
	for (i = 0; i < n; i++)
		out->held_back += is_held_back(&samples[i]);
	out->before = out->after = tuning_measure(now, samples, n, true);
	count_disagreements(samples, n, out);
	if (n < TUNING_LEAST)
		return;
	best = search(now, samples, n);
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
