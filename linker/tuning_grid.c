/*
 * tuning_grid - the best weights and threshold of all on the grid
 *
 * All weights of the grid are tried on all samples: that is most of what a
 * tuning costs.  Weights are counted in steps here, and a step from the last
 * weight to another moves each sum by the difference of two terms; all
 * thresholds of a setting are read off the samples counted by their sums.
 * What cannot be better any more is not tried: that is most, where the weights
 * in force are near to the best there are.
 */
#include "linker/tuning_grid.h"

#include <assert.h>
#include <stdlib.h>

#include "common/xmalloc.h"

enum {
	WEIGHT_STEP = 50,
	STEPS = SCORE_FULL / WEIGHT_STEP,
	THRESHOLD_STEP = 10,
	THRESHOLD_LEAST = 300,
	THRESHOLD_MOST = 950,
	BUCKETS = SCORE_FULL / THRESHOLD_STEP + 1,
	MOVE_PRICE = 100,	/* thousandths moved for one more right */
	RIGHT = 1 << 16,	/* in a count: one more right above it ... */
	WRONG_LINK = 1,		/* ... or one more wrong link */
	SUM_UNIT = 4,		/* borders of buckets are multiples of it */
};

/*
 * One thread of a decision; a score is its sum / STEPS.  What a step to each of
 * the first three weights adds may be less than nothing: it wraps around.
 */
struct line {
	unsigned sum;		/* with a third weight of none */
	unsigned none;		/* with none of the first three */
	unsigned first, second, third;
};

/* A decision that some weights would make for another thread. */
struct contest {
	struct line lines[1 + TUNING_OTHERS];
	size_t n;
	int gain[2];		/* of a link to the thread, and to another */
};

struct grid {
	struct line plain[TUNING_WINDOW];
	int gain[TUNING_WINDOW];	/* of a link, as a count */
	size_t n_plain;
	struct contest contests[TUNING_WINDOW];
	size_t n_contests;
	size_t unrelated;	/* right, where there is no link at all */
	size_t most;		/* right, of whatever setting */
	unsigned char bucket[STEPS * SCORE_FULL / SUM_UNIT + 1];
	int counts[BUCKETS];
};

/* ---- which of two ---- */

/*
 * More right, but each has its price: few decisions move little, many much.
 * Then fewer wrong links; then nearer to what was.
 */
static bool
is_better(const struct tuning_trial *a, const struct tuning_trial *b)
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
	unsigned sum = 0;
	size_t i;

	for (i = 0; i < SCORE_TERMS; i++)
		sum += (unsigned)abs((int)a->weights[i] - (int)b->weights[i]);
	return sum;
}

struct tuning_trial
tuning_try(const struct score_rules *now, const struct tuning_sample *samples,
    size_t n)
{
	struct tuning_trial t = { .rules = *now };
	struct tuning_reading r;
	size_t i;

	for (i = 0; i < n; i++) {
		if (tuning_holds_back(samples[i].number))
			continue;
		r = tuning_read(now, &samples[i]);
		if (r.score > now->threshold) {
			t.right += r.good;
			t.wrong_links += !r.good;
		} else
			t.right += !samples[i].related;
	}
	return t;
}

/* ---- the samples ---- */

/* What a link is worth against none. */
static int
gain_of(bool related, bool good)
{
	if (good)
		return RIGHT;
	return related ? WRONG_LINK : WRONG_LINK - RIGHT;
}

/* A thread that is better in no term is never chosen instead. */
static bool
is_rival(const unsigned *terms, const unsigned *other)
{
	size_t i;

	for (i = 0; i < SCORE_TERMS; i++)
		if (other[i] > terms[i])
			return true;
	return false;
}

static unsigned
term(const unsigned *terms, enum score_term i)
{
	return terms[i] > SCORE_FULL ? SCORE_FULL : terms[i];
}

static struct line
make_line(const unsigned *terms)
{
	unsigned last = term(terms, SCORE_recency);

	return (struct line){ .none = STEPS * last,
		.first = term(terms, SCORE_keyword) - last,
		.second = term(terms, SCORE_entity) - last,
		.third = term(terms, SCORE_topic) - last };
}

static void
add_sample(struct grid *g, const struct tuning_sample *s)
{
	struct contest *c = &g->contests[g->n_contests];
	size_t i;

	*c = (struct contest){ .n = 1, .gain = { gain_of(s->related, s->related),
	    gain_of(s->related, false) } };
	c->lines[0] = make_line(s->terms);
	for (i = 0; i < s->n_others; i++)
		if (is_rival(s->terms, s->others[i]))
			c->lines[c->n++] = make_line(s->others[i]);
	g->unrelated += !s->related;
	if (c->n > 1) {
		g->n_contests++;
		return;
	}
	g->gain[g->n_plain] = c->gain[0];
	g->plain[g->n_plain++] = c->lines[0];
}

/* A score of the first is never less than one of the second. */
static bool
is_as_high(const unsigned *a, const unsigned *b)
{
	unsigned i;

	for (i = 0; i < SCORE_TERMS; i++)
		if (term(a, i) < term(b, i))
			return false;
	return true;
}

/* No threshold is between them: one of the two is wrong. */
static bool
is_at_odds(const struct tuning_sample *related,
    const struct tuning_sample *unrelated)
{
	size_t i;

	if (is_as_high(unrelated->terms, related->terms))
		return true;
	for (i = 0; i < unrelated->n_others; i++)
		if (is_as_high(unrelated->others[i], related->terms))
			return true;
	return false;
}

/* At least one of each pair that is at odds is wrong, if none is in two. */
static size_t
count_odds(const struct tuning_sample *samples, size_t n)
{
	bool paired[TUNING_WINDOW] = { false };
	size_t i, k, odds = 0;

	for (i = 0; i < n; i++) {
		if (!samples[i].related || tuning_holds_back(samples[i].number))
			continue;
		for (k = 0; k < n; k++)
			if (!samples[k].related && !paired[k] &&
			    !tuning_holds_back(samples[k].number) &&
			    is_at_odds(&samples[i], &samples[k]))
				break;
		if (k < n) {
			paired[k] = true;
			odds++;
		}
	}
	return odds;
}

static struct grid *
make_grid(const struct tuning_sample *samples, size_t n)
{
	struct grid *g = xcalloc(1, sizeof(*g));
	unsigned score;
	size_t i;

	assert(n <= TUNING_WINDOW);
	for (i = 0; i < n; i++)
		if (!tuning_holds_back(samples[i].number))
			add_sample(g, &samples[i]);
	g->most = g->n_plain + g->n_contests - count_odds(samples, n);
	/* Above a threshold of bucket x step, and not above the next. */
	for (i = 0; i < sizeof(g->bucket); i++) {
		score = (unsigned)i * SUM_UNIT / STEPS;
		g->bucket[i] = score == 0 ? 0 :
		    (unsigned char)((score - 1) / THRESHOLD_STEP);
	}
	return g;
}

/* ---- trying ---- */

static inline void
place_line(struct line *l, unsigned a, unsigned b)
{
	l->sum = l->none + a * l->first + b * l->second;
}

/* All are under the first two weights from here on. */
static void
place_lines(struct grid *g, unsigned a, unsigned b)
{
	size_t i, k;

	for (i = 0; i < g->n_plain; i++)
		place_line(&g->plain[i], a, b);
	for (i = 0; i < g->n_contests; i++)
		for (k = 0; k < g->contests[i].n; k++)
			place_line(&g->contests[i].lines[k], a, b);
}

static inline unsigned
line_sum(const struct line *l, unsigned c)
{
	return l->sum + c * l->third;
}

static void
count_contest(struct grid *g, const struct contest *t, unsigned c)
{
	unsigned best = line_sum(&t->lines[0], c), sum;
	unsigned better = best - best % STEPS + STEPS;	/* a higher score */
	bool other = false;
	size_t i;

	for (i = 1; i < t->n; i++) {
		sum = line_sum(&t->lines[i], c);
		if (sum >= better) {
			best = sum;
			better = best - best % STEPS + STEPS;
			other = true;
		}
	}
	g->counts[g->bucket[best / SUM_UNIT]] += t->gain[other];
}

/* Of each bucket and those above it, under a setting. */
static void
count_links(struct grid *g, unsigned c)
{
	size_t i;

	memset(g->counts, 0, sizeof(g->counts));
	for (i = 0; i < g->n_plain; i++)
		g->counts[g->bucket[line_sum(&g->plain[i], c) / SUM_UNIT]] +=
		    g->gain[i];
	for (i = 0; i < g->n_contests; i++)
		count_contest(g, &g->contests[i], c);
	for (i = BUCKETS - 1; i > 0; i--)
		g->counts[i - 1] += g->counts[i];
}

/* With as many right as can be, and the threshold unmoved, still worse. */
static bool
is_hopeless(const struct grid *g, unsigned moved,
    const struct tuning_trial *best)
{
	return g->most * MOVE_PRICE + best->moved <
	    best->right * MOVE_PRICE + moved;
}

static void
try_thresholds(struct grid *g, const struct score_rules *now, unsigned c,
    const struct score_rules *rules, struct tuning_trial *best)
{
	struct tuning_trial t = { .rules = *rules };
	unsigned weights = distance(now, rules), at;
	int count;

	count_links(g, c);
	for (at = THRESHOLD_LEAST; at <= THRESHOLD_MOST;
	     at += THRESHOLD_STEP) {
		count = g->counts[at / THRESHOLD_STEP];
		t.rules.threshold = at;
		t.wrong_links = (size_t)(count & (RIGHT - 1));
		t.right = g->unrelated + (size_t)((count -
		    (int)t.wrong_links) / RIGHT);
		t.moved = weights + (unsigned)abs((int)now->threshold -
		    (int)at);
		if (is_better(&t, best))
			*best = t;
	}
}

/* The settings that have the first two weights in common. */
static void
try_row(struct grid *g, const struct score_rules *now, unsigned a, unsigned b,
    struct tuning_trial *best)
{
	struct score_rules r;
	bool placed = false;
	unsigned c;

	for (c = 0; a + b + c <= STEPS; c++) {
		r = (struct score_rules){ { a * WEIGHT_STEP, b * WEIGHT_STEP,
		    c * WEIGHT_STEP, (STEPS - a - b - c) * WEIGHT_STEP }, 0 };
		if (is_hopeless(g, distance(now, &r), best))
			continue;
		if (!placed)
			place_lines(g, a, b);
		placed = true;
		try_thresholds(g, now, c, &r, best);
	}
}

struct tuning_trial
tuning_search(const struct score_rules *now,
    const struct tuning_sample *samples, size_t n)
{
	struct tuning_trial best = tuning_try(now, samples, n);
	struct grid *g = make_grid(samples, n);
	unsigned a, b;

	for (a = 0; a <= STEPS; a++)
		for (b = 0; a + b <= STEPS; b++)
			try_row(g, now, a, b, &best);
	free(g);
	return best;
}
