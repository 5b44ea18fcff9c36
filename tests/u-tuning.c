/*
 * u-tuning - weights and threshold refitted on outcomes: exact, held back
 */
#include <stdlib.h>

#include "linker/tuning_grid.h"
#include "tests/tap.h"

enum { N = 200 };

static const struct score_rules seed = { { 300, 300, 200, 200 }, 700 };
static struct arena arena;

/* Numbers that look random and are the same everywhere. */
static unsigned
next(unsigned *state)
{
	*state = *state * 1103515245u + 12345u;
	return *state >> 16 & 0x7fff;
}

/* What is related shows in one term; the others are noise. */
static void
make(struct tuning_sample *s, size_t n, enum score_term telling, bool lie)
{
	unsigned state = 1;
	size_t i, k;

	for (i = 0; i < n; i++) {
		s[i] = (struct tuning_sample){ .number = i + 1 };
		for (k = 0; k < SCORE_TERMS; k++)
			s[i].terms[k] = next(&state) % 1001;
		s[i].related = s[i].terms[telling] > 600;
		if (lie && tuning_holds_back(s[i].number))
			s[i].related = !s[i].related;
	}
}

static void
test_fit(void)
{
	struct tuning_sample s[N];
	struct tuning_result r, again;
	char *reason;

	make(s, N, SCORE_entity, false);
	tuning_fit(&seed, s, N, &r);
	ok(r.kept, "better values are kept");
	ok(r.rules.weights[SCORE_entity] >= 600,
	    "the term that tells gets the weight");
	is_int(r.rules.weights[0] + r.rules.weights[1] + r.rules.weights[2] +
	    r.rules.weights[3], 1000, "the weights are a whole");
	ok(r.after.accuracy > r.before.accuracy && r.after.accuracy > 900,
	    "accuracy on held-back decisions rose: %u to %u",
	    r.before.accuracy, r.after.accuracy);
	ok(r.held_back > N / 6 && r.held_back < N / 3,
	    "about a fourth was held back: %zu", r.held_back);
	reason = arena_cstr(&arena, tuning_reason(&arena, &r));
	ok(strncmp(reason, "False positive rate was ", 24) == 0, "%s", reason);
	tuning_fit(&seed, s, N, &again);
	ok(memcmp(&r.rules, &again.rules, sizeof(r.rules)) == 0,
	    "the same decisions give the same values");
	tuning_fit(&r.rules, s, N, &again);
	ok(!again.kept || again.after.accuracy >= r.after.accuracy,
	    "and again nothing gets worse");
}

static void
test_refusals(void)
{
	struct tuning_sample s[N];
	struct tuning_result r;
	size_t i;

	make(s, N, SCORE_entity, true);
	tuning_fit(&seed, s, N, &r);
	ok(!r.kept && memcmp(&r.rules, &seed, sizeof(seed)) == 0,
	    "what is worse on held-back decisions is not kept");
	ok(r.after.accuracy < r.before.accuracy, "and the record says why");
	make(s, N, SCORE_entity, false);
	tuning_fit(&seed, s, TUNING_LEAST - 1, &r);
	ok(!r.kept, "a few decisions tell nothing");
	for (i = 0; i < N; i++)
		s[i].related = score_value(&seed, s[i].terms) > seed.threshold;
	tuning_fit(&seed, s, N, &r);
	ok(!r.kept, "what is right already stays");
	tuning_fit(&seed, s, 0, &r);
	ok(!r.kept, "nothing is nothing");
}

static void
test_rates(void)
{
	struct tuning_sample s[4] = {
		{ .terms = { 1000, 1000, 1000, 1000 }, .related = true },
		{ .terms = { 1000, 1000, 1000, 1000 }, .related = false },
		{ .terms = { 0 }, .related = true },
		{ .terms = { 0 }, .related = false } };
	struct tuning_rates rates;
	uint64_t number = 0;
	size_t i;

	for (i = 0; i < 4; i++)
		do
			s[i].number = ++number;
		while (!tuning_holds_back(number));
	rates = tuning_measure(&seed, s, 4, true);
	is_int(rates.accuracy, 500, "two of four are right");
	is_int(rates.false_positives, 500, "one of two strangers was linked");
	is_int(rates.false_negatives, 500, "one of two friends was not");
	rates = tuning_measure(&seed, s, 4, false);
	is_int(rates.accuracy, 0, "and of none nothing is said");
}

static void
test_signals(void)
{
	struct slice words[] = { SLICE("the same city"), SLICE("seen once") };
	struct msg_strs both = { words, 2 }, one = { words, 1 };
	struct tuning_sample s[] = {
		{ .judged = true, .related = true, .model_related = true,
		    .signals = &both },
		{ .judged = true, .related = true, .model_related = true,
		    .signals = &one },
		{ .judged = true, .related = true, .score_related = true,
		    .terms = { 900, 900, 0, 0 } },
		{ .judged = true, .related = true, .score_related = true,
		    .terms = { 100, 900, 0, 0 } },
		{ .judged = true, .related = true, .score_related = true,
		    .model_related = true, .signals = &both } };
	struct msg_strs got = tuning_signals(&arena, s,
	    sizeof(s) / sizeof(s[0]));
	struct tuning_result r;

	is_int(got.count, 2, "what was missed at least twice");
	ok(got.count == 2 && slice_is(got.at[0], "the same city") &&
	    slice_is(got.at[1], "the same names"),
	    "by the score, and by the model");
	tuning_fit(&seed, s, sizeof(s) / sizeof(s[0]), &r);
	is_int(r.disagreements, 4, "they differed four times");
	is_int(r.model_right, 2, "the model was right in two");
}

/* A weight that would prefer threads nobody judged is no gain. */
static void
test_others(void)
{
	struct tuning_sample s[N];
	struct tuning_result r;
	size_t i;

	make(s, N, SCORE_entity, false);
	for (i = 0; i < N; i++) {
		s[i].others[0][SCORE_entity] = SCORE_FULL;
		s[i].n_others = 1;
	}
	tuning_fit(&seed, s, N, &r);
	ok(r.rules.weights[SCORE_entity] < 600,
	    "a term that leads elsewhere gets less");
}

/* ---- the search ---- */

/* As the header has it: all weights, all thresholds, one after the other. */
static struct score_rules
search_plainly(const struct tuning_sample *s, size_t n, size_t *most)
{
	struct score_rules r, best = seed;
	int64_t worth, best_worth = INT64_MIN;
	unsigned a, b, c, moved, best_moved = 0;
	size_t i, right, wrong, best_wrong = 0;
	struct tuning_reading reading;

	for (a = 0; a <= 1000; a += 50)
	for (b = 0; a + b <= 1000; b += 50)
	for (c = 0; a + b + c <= 1000; c += 50)
	for (r = (struct score_rules){ { a, b, c, 1000 - a - b - c }, 300 };
	     r.threshold <= 950; r.threshold += 10) {
		moved = (unsigned)abs((int)r.threshold - (int)seed.threshold);
		for (i = 0; i < SCORE_TERMS; i++)
			moved += (unsigned)abs((int)r.weights[i] -
			    (int)seed.weights[i]);
		for (i = right = wrong = 0; i < n; i++) {
			if (tuning_holds_back(s[i].number))
				continue;
			reading = tuning_read(&r, &s[i]);
			if (reading.score > r.threshold) {
				right += reading.good;
				wrong += !reading.good;
			} else
				right += !s[i].related;
		}
		worth = (int64_t)right * 100 - (int64_t)moved;
		if (worth > best_worth || (worth == best_worth &&
			(wrong < best_wrong || (wrong == best_wrong &&
			    moved < best_moved)))) {
			best = r;
			best_worth = worth;
			best_wrong = wrong;
			best_moved = moved;
			*most = right;
		}
	}
	return best;
}

static void
test_search(void)
{
	enum { FEW = 120 };
	struct tuning_sample s[FEW];
	struct tuning_trial found;
	struct score_rules plain;
	unsigned round, state;
	size_t i, k, m, right = 0;

	for (round = 1; round < 4; round++) {
		state = 100 + round;
		make(s, FEW, (enum score_term)(round % SCORE_TERMS), false);
		for (i = 0; i < FEW; i++) {
			s[i].number = i * (round + 1) + 1;
			s[i].n_others = i % (TUNING_OTHERS + 1);
			for (k = 0; k < s[i].n_others; k++)
				for (m = 0; m < SCORE_TERMS; m++)
					s[i].others[k][m] = next(&state) %
					    (k == 0 ? 1001 : 300);
		}
		found = tuning_search(&seed, s, FEW);
		plain = search_plainly(s, FEW, &right);
		ok(memcmp(&found.rules, &plain, sizeof(plain)) == 0 &&
		    found.right == right, "the search finds what a plain one "
		    "finds: %u %u %u %u above %u, %zu right",
		    plain.weights[0], plain.weights[1], plain.weights[2],
		    plain.weights[3], plain.threshold, right);
	}
}

int
main(void)
{
	arena_init(&arena);
	test_fit();
	test_refusals();
	test_rates();
	test_signals();
	test_others();
	test_search();
	arena_release(&arena);
	return done();
}
