/*
 * u-tuning - weights and threshold refitted on outcomes: exact, held back
 */
#include "linker/tuning.h"
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

int
main(void)
{
	arena_init(&arena);
	test_fit();
	test_refusals();
	test_rates();
	test_signals();
	test_others();
	arena_release(&arena);
	return done();
}
