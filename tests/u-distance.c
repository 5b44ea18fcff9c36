/*
 * u-distance - the terms of the topic distance, and both formulas
 */
#include "chainer/distance.h"
#include "common/when.h"
#include "tests/tap.h"

static struct topic
topic_of(const char *subject, struct slice *keywords, uint64_t *weights,
    size_t n, struct slice *entities, uint64_t *entity_weights, size_t n_e)
{
	return (struct topic){ slice_str(subject), { keywords, n },
		{ weights, n }, { entities, n_e }, { entity_weights, n_e },
		NULL };
}

static void
test_decay(void)
{
	unsigned last = 1000, now;
	int64_t h;
	bool falls = true;

	is_int(time_decay(0), 1000, "now");
	is_int(time_decay(-5000), 1000, "the future counts as now");
	is_int(time_decay(WHEN_DAY_MS), 368, "a day: 1/e");
	is_int(time_decay(12 * WHEN_HOUR_MS), 607, "half a day");
	is_int(time_decay(2 * WHEN_DAY_MS), 135, "two days");
	is_int(time_decay(30 * WHEN_DAY_MS), 0, "a month");
	is_int(time_decay(INT64_MAX), 0, "for ever");
	for (h = 0; h < 24 * 9 * 4; h++) {
		now = time_decay(h * WHEN_HOUR_MS / 4);
		falls = falls && now <= last;
		last = now;
	}
	ok(falls, "it only falls");
}

static void
test_fuzzy(void)
{
	unsigned half;

	is_int(fuzzy_match(SLICE("Kitchen sink"), SLICE("kitchen  SINK!")), 1000,
	    "case and signs do not count");
	is_int(fuzzy_match(SLICE("abc"), SLICE("xyz")), 0, "nothing in common");
	is_int(fuzzy_match(SLICE(""), SLICE("x")), 0, "nothing at all");
	is_int(fuzzy_match(SLICE("a"), SLICE("a")), 1000, "one letter");
	half = fuzzy_match(SLICE("login page"), SLICE("login error"));
	ok(half > 300 && half < 800, "partly alike: %u", half);
	is_int(half, fuzzy_match(SLICE("login error"), SLICE("login page")),
	    "the same both ways");
}

static void
test_seed(void)
{
	struct slice a[] = { SLICE("berlin"), SLICE("hotel") };
	struct slice b[] = { SLICE("hotel"), SLICE("train"), SLICE("berlin"),
		SLICE("night") };
	struct slice e[] = { SLICE("Berlin") };
	uint64_t w[] = { 9000, 7000, 7000, 7000 }, ew[] = { 1000 };
	struct topic claim = topic_of("hotel", a, w, 2, e, ew, 1);
	struct topic chain = topic_of("hotel", b, w, 4, e, ew, 1);
	struct topic none = topic_of("zzz", NULL, NULL, 0, NULL, NULL, 0);
	struct terms t;

	t = distance_terms(FORMULA_seed, &claim, &chain, 0);
	is_int(t.entity, 1000, "one entity in common");
	is_int(t.subject, 1000, "the same subject");
	is_int(t.keyword, 500, "two of four keywords: Jaccard");
	/* 300 + 300 + 100 + 200 */
	is_int(t.distance, 100, "the seed's sum");
	t = distance_terms(FORMULA_seed, &claim, &chain, WHEN_DAY_MS);
	is_int(t.distance, 227, "a day later");
	t = distance_terms(FORMULA_seed, &none, &chain, 30 * WHEN_DAY_MS);
	is_int(t.distance, 1000, "nothing in common");
	t = distance_terms(FORMULA_seed, &none, &chain, 0);
	distance_add(FORMULA_seed, &t, 1000, 400, 500);
	is_int(t.distance, 800, "it looks at neither adjacency nor cues");
}

static void
test_shipped(void)
{
	struct slice a[] = { SLICE("espresso"), SLICE("good") };
	struct slice b[] = { SLICE("espresso"), SLICE("machin") };
	struct slice c[] = { SLICE("good"), SLICE("book") };
	uint64_t w[] = { 11000, 5000 };
	struct topic claim = topic_of("espresso", a, w, 2, NULL, NULL, 0);
	struct topic rare = topic_of("machine", b, w, 2, NULL, NULL, 0);
	struct topic common = topic_of("book", c, w, 2, NULL, NULL, 0);
	struct terms t, u;

	t = distance_terms(FORMULA_shipped, &claim, &rare, 0);
	u = distance_terms(FORMULA_shipped, &claim, &common, 0);
	ok(t.keyword > u.keyword, "a rare word says more than a common one");
	ok(t.distance < u.distance, "and brings nearer");
	ok(t.keyword < 1000, "but one word is no proof");
	u = t;
	distance_add(FORMULA_shipped, &u, 1000, 0, 0);
	is_int((int)t.distance - (int)u.distance, 300, "the turn before");
	distance_add(FORMULA_shipped, &u, 0, 0, -2000);
	is_int(u.distance, 1000, "never past 1000");
	distance_add(FORMULA_shipped, &u, 1000, 0, 1000);
	is_int(u.distance, 0, "nor below 0");
	is_int(fresh_weight(&claim, &rare), 5000, "what is new to the chain");
	is_int(topics_alike(&claim, &claim, 0), 1000, "like itself");
	ok(topics_alike(&claim, &common, 0) < 500, "unlike another");
}

int
main(void)
{
	test_decay();
	test_fuzzy();
	test_seed();
	test_shipped();
	is_int(formula_named("seed"), FORMULA_seed, "by its name");
	is(formula_name(formula_named("shipped")), "shipped", "and back");
	return done();
}
