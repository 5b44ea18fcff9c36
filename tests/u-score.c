/*
 * u-score - the score that links threads: its terms, what leans, what is kept
 */
#include "linker/outcome.h"
#include "linker/profile.h"
#include "linker/score.h"
#include "tests/tap.h"

#define HOUR INT64_C(3600000)
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct score_rules seed = { { 300, 300, 200, 200 }, 700 };
static struct arena arena;

/* A thread with these words, each of the weight of a rare one. */
static struct msg_link_thread
thread_of(const char *const *words, size_t n, const char *name)
{
	struct msg_link_thread p = { .key = 1 };
	size_t i;

	p.keywords.at = arena_array(&arena, n + 1, sizeof(struct slice));
	p.weights.at = arena_array(&arena, n + 1, sizeof(uint64_t));
	for (i = 0; i < n; i++) {
		p.keywords.at[i] = slice_str(words[i]);
		p.weights.at[i] = 10000;
	}
	p.keywords.count = p.weights.count = n;
	if (name != NULL) {
		p.entities.at = arena_alloc(&arena, sizeof(struct slice));
		p.entities.at[0] = slice_str(name);
		p.entity_weights.at = arena_alloc(&arena, sizeof(uint64_t));
		p.entity_weights.at[0] = SCORE_NAME;
		p.entities.count = p.entity_weights.count = 1;
	}
	return p;
}

static struct score
compare(const struct msg_link_thread *p, const struct msg_link_thread *other,
    int64_t age, bool latest)
{
	unsigned rare[64];
	struct profile_hashes own, others;
	struct score_card card;
	struct score_self self;
	size_t i;

	for (i = 0; i < COUNT(rare); i++)
		rare[i] = SCORE_FULL;
	profile_hash_all(p, &own);
	profile_hash_all(other, &others);
	score_card_fill(&card, other, &others);
	score_prepare(&self, p, &own, rare, rare);
	return score_of(&seed, &self, &card, age, 24 * HOUR, latest);
}

static void
test_terms(void)
{
	static const char *const a[] = { "bread", "knife", "whetston",
		"sharpen" };
	static const char *const b[] = { "weather", "york", "sunni", "cloud" };
	struct msg_link_thread p = thread_of(a, 4, "Solingen");
	struct msg_link_thread same = thread_of(a, 4, "Solingen");
	struct msg_link_thread other = thread_of(b, 4, "Boston");
	struct msg_link_thread nameless = thread_of(a, 4, NULL);
	struct score s = compare(&p, &same, HOUR, false);
	unsigned terms[SCORE_TERMS] = { 1000, 500, 250, 0 };

	is_int(s.terms[SCORE_keyword], 1000, "all words in common are much");
	ok(s.terms[SCORE_entity] > 650, "and so is the one name");
	is_int(s.terms[SCORE_topic], 1000, "keywords say the topic as well");
	is_int(s.terms[SCORE_recency], 958, "an hour of twenty-four ago");
	ok(s.value > seed.threshold, "all in all they are linked");
	is_int(s.value, score_value(&seed, s.terms), "the value is the sum");
	s = compare(&p, &other, HOUR, false);
	is_int(s.terms[SCORE_keyword] + s.terms[SCORE_entity] +
	    s.terms[SCORE_topic], 0, "nothing in common is nothing");
	ok(s.value <= 200, "recency alone links nothing");
	s = compare(&nameless, &same, HOUR, false);
	is_int(s.terms[SCORE_entity], s.terms[SCORE_keyword],
	    "who names nothing is judged by his keywords");
	is_int(score_value(&seed, terms), 500, "0.3 + 0.15 + 0.05");
	is_int(compare(&p, &same, 0, false).terms[SCORE_recency], 1000, "now");
	is_int(compare(&p, &same, 24 * HOUR, false).terms[SCORE_recency], 0,
	    "at the window's end");
	is_int(compare(&p, &same, 90 * HOUR, false).terms[SCORE_recency], 0,
	    "and behind it");
	is_int(compare(&p, &same, -HOUR, false).terms[SCORE_recency], 1000,
	    "the future counts as now");
}

static void
test_chains(void)
{
	struct slice mine[] = { SLICE("c1.0"), SLICE("c9.0") };
	struct slice theirs[] = { SLICE("c1.0"), SLICE("c2.0") };
	struct msg_link_thread p = { .chains = { mine, 2 } };
	struct msg_link_thread other = { .chains = { theirs, 2 } };

	is_int(compare(&p, &other, HOUR, false).terms[SCORE_topic], 950,
	    "half of the chains in common is nearly the same topic");
	other.chains.count = 0;
	is_int(compare(&p, &other, HOUR, false).terms[SCORE_topic], 0,
	    "none is none");
}

static void
test_rarity(void)
{
	is_int(score_rarity(1, 10), 1000, "a word of one other thread is rare");
	is_int(score_rarity(0, 0), 1000, "and a new one");
	is_int(score_rarity(3, 10), 500, "one of three less");
	ok(score_rarity(10, 10) < 200, "one of all says little");
	is_int(score_rarity(100, 1200), 1000,
	    "of a long history the proportion counts");
}

static unsigned
lean(const char *text, unsigned long long weight)
{
	struct wording w = wording_of(&arena, slice_str(text));

	return wording_lean(&w, weight);
}

static void
test_lean(void)
{
	struct msg_link_thread p = { .lean = 1000 }, other = { .key = 1 };
	struct score s;

	is_int(lean("Oh, and what is it on Thursday?", 0), 1000,
	    "an elliptic question that points back leans most");
	ok(lean("What about Boston?", 9000) > 650, "what about");
	ok(lean("And for how long?", 3000) > 650, "and for");
	ok(lean("Does it still work?", 2000) > 600, "it alone, in a few words");
	is_int(lean("How do I bake sourdough bread?", 30000), 0,
	    "a whole question leans on nothing");
	is_int(lean("Is it going to rain?", 0), 0, "this it means nothing");
	is_int(lean("And then I told my sister that her old car would need "
	    "new brakes before the long trip", 0), 0, "nor does a story lean");
	is_int(lean("And the whetstone for the Solingen bread knife?", 40000),
	    0, "nor one with words enough of its own");
	s = compare(&p, &other, HOUR * 2 / 3, true);
	ok(s.value > 880 && s.lean > 900, "it links to the latest thread");
	s = compare(&p, &other, HOUR * 2 / 3, false);
	is_int(s.lean, 0, "and to no other");
	s = compare(&p, &other, 20 * HOUR, true);
	ok(s.value <= seed.threshold, "not after most of a day");
	p.own_weight = 60000;
	s = compare(&p, &other, HOUR * 2 / 3, true);
	ok(s.value <= seed.threshold,
	    "nor when much was said since that is strange to it");
}

static struct msg_c_turn
claim_of(struct msg_c_claim *claim, struct slice *words, uint64_t *weights,
    size_t n)
{
	*claim = (struct msg_c_claim){ .subject = SLICE("x"),
		.keywords = { words, n }, .weights = { weights, n } };
	return (struct msg_c_turn){ .act = SLICE("inform"), .claims = claim,
		.n_claims = 1 };
}

static void
test_profile(void)
{
	enum { MANY = 200 };
	struct slice words[MANY], name;
	uint64_t weights[MANY];
	struct msg_c_claim claim;
	struct msg_c_turn c;
	struct msg_link_thread p = { .key = 1 };
	struct profile_turn t = { .role = SLICE("user"), .ts = 1000 };
	struct profile_hashes hashes, all;
	size_t i;
	bool sorted = true, in_step = true;

	for (i = 0; i < MANY; i++) {
		words[i] = arena_printf(&arena, "word%zu", i);
		weights[i] = 1000 + (i * 37) % MANY;
	}
	c = claim_of(&claim, words, weights, MANY);
	t.c = &c;
	name = SLICE("a rather long text");
	t.text = name;
	for (i = 0; i < 20; i++) {
		t.ts += 1000;
		(void)profile_learn(&p, &arena, &t, &hashes);
	}
	is_int(p.keywords.count, PROFILE_KEYWORDS, "keywords are bounded");
	for (i = 1; i < p.weights.count; i++)
		sorted = sorted && p.weights.at[i - 1] >= p.weights.at[i];
	ok(sorted && p.weights.at[0] == 1199, "the heaviest are kept, first");
	profile_hash_all(&p, &all);
	for (i = 0; i < p.keywords.count; i++)
		in_step = in_step && hashes.keywords[i] == all.keywords[i];
	ok(in_step, "their hashes with them");
	is_int(p.said.count, PROFILE_SAID, "so are the turns");
	is_int(p.turns, 20, "which are counted");
	is_int(p.created_at, 2000, "it began with the first");
	is_int(p.last_activity_at, 21000, "and ends with the last");
	is(arena_cstr(&arena, p.opening), "a rather long text", "its opening");
	ok(profile_knows(&p, &t), "it knows its own words");
	t.text = profile_cut(&arena, SLICE("äöü"), 4);
	is(arena_cstr(&arena, t.text), "...", "no character is cut in two");
}

static void
test_fresh(void)
{
	static const char *const before[] = { "bread", "knife", "stone" };
	struct msg_link_thread p = thread_of(before, COUNT(before), "Anna");
	struct slice words[] = { SLICE("shed"), SLICE("stone"), SLICE("bread"),
		SLICE("larch"), SLICE("knife") };
	uint64_t weights[] = { 15000, 14000, 13000, 12000, 11000 };
	struct msg_c_entity anna = { .normal = SLICE("Anna") };
	struct profile_hashes hashes, all;
	struct msg_c_claim claim;
	struct msg_c_turn c = claim_of(&claim, words, weights, COUNT(words));
	struct profile_turn t = { .role = SLICE("user"), .ts = 1000, .c = &c };
	struct profile_fresh fresh;

	claim.entities = &anna;
	claim.n_entities = 1;
	profile_hash_all(&p, &hashes);
	p.turns = 1;
	fresh = profile_learn(&p, &arena, &t, &hashes);
	is(arena_cstr(&arena, p.keywords.at[3]), "larch", "by their weight");
	is_int(fresh.keywords, 1 << 0 | 1 << 3,
	    "new words are told from those that moved");
	is_int(fresh.entities, 0, "a name that stays is not");
	profile_hash_all(&p, &all);
	ok(memcmp(hashes.keywords, all.keywords, 5 * sizeof(uint64_t)) == 0 &&
	    hashes.entities[0] == all.entities[0], "hashes move with them");
	fresh = profile_learn(&p, &arena, &t, &hashes);
	is_int(fresh.keywords, 0, "nor anything, unchanged");
	p = (struct msg_link_thread){ .key = 2 };
	fresh = profile_learn(&p, &arena, &t, &hashes);
	ok(fresh.keywords == 0x1f && fresh.entities == 1,
	    "all is new to a thread that begins");
	t.role = SLICE("tool");
	is_int(profile_learn(&p, &arena, &t, &hashes).keywords, 0,
	    "a tool adds nothing");
}

/* Words that fall off a full list and come again in the same turn. */
static void
test_fresh_full(void)
{
	struct slice words[PROFILE_KEYWORDS + 1];
	uint64_t weights[PROFILE_KEYWORDS + 1];
	struct msg_c_claim claim;
	struct msg_c_turn c;
	struct msg_link_thread p = { .key = 1 };
	struct profile_turn t = { .role = SLICE("user"), .ts = 1000, .c = &c };
	struct profile_hashes hashes;
	struct profile_fresh fresh;
	size_t i;

	for (i = 0; i < PROFILE_KEYWORDS; i++) {
		words[i] = arena_printf(&arena, "word%zu", i);
		weights[i] = 1000 - i;
	}
	c = claim_of(&claim, words, weights, PROFILE_KEYWORDS);
	(void)profile_learn(&p, &arena, &t, &hashes);
	words[0] = SLICE("heavy");
	words[1] = SLICE("word47");
	weights[0] = 5000;
	weights[1] = 4000;
	c = claim_of(&claim, words, weights, 2);
	fresh = profile_learn(&p, &arena, &t, &hashes);
	is(arena_cstr(&arena, p.keywords.at[1]), "word47", "it came again");
	is_int(fresh.keywords, 1, "and is no new one");
	is_int(p.keywords.count, PROFILE_KEYWORDS, "the list is as full");
}

int
main(void)
{
	arena_init(&arena);
	test_terms();
	test_chains();
	test_rarity();
	test_lean();
	test_profile();
	test_fresh();
	test_fresh_full();
	arena_release(&arena);
	return done();
}
