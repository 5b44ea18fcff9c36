/*
 * u-chain - how a chain grows, what wording says, which chain is chosen
 */
#include "chainer/chain.h"
#include "chainer/cues.h"
#include "chainer/fronts.h"
#include "chainer/sketch.h"
#include "tests/tap.h"

static struct arena arena;

static const struct chain_rules rules = { FORMULA_shipped, 610, 650, 700,
	450 };

static struct topic
one_word(const char *word)
{
	struct slice *w = arena_alloc(&arena, sizeof(*w));
	uint64_t *n = arena_alloc(&arena, sizeof(*n));

	*w = slice_str(word);
	*n = 9000;
	return (struct topic){ *w, { w, 1 }, { n, 1 }, { 0 }, { 0 },
		NULL };
}

static struct msg_chain
chain_of(uint64_t ref, const char *topic, const char *state)
{
	struct topic t = one_word(topic);
	struct msg_chain c = { .ref = ref, .topic = slice_str(topic),
		.state = slice_str(state) };

	chain_learn(&c, &arena, &t, NULL);
	return c;
}

/* ---- names and growth ---- */

static void
test_names(void)
{
	uint64_t ref;

	is(arena_cstr(&arena, chain_name(&arena, chain_ref(12, 3))), "c12.3",
	    "a chain's name");
	ok(chain_parse(SLICE("c12.3"), &ref) == 0 && ref == chain_ref(12, 3),
	    "and back");
	ok(chain_parse(SLICE("c12"), &ref) == -1, "without a number");
	ok(chain_parse(SLICE("t12.3"), &ref) == -1, "of something else");
	ok(chain_parse(SLICE("c12.3x"), &ref) == -1, "with more behind");
	ok(chain_parse(SLICE("c1.99999999"), &ref) == -1, "too large");
	ok(chain_parse(SLICE("c."), &ref) == -1, "of nothing");
}

static void
test_growth(void)
{
	struct msg_chain c = { .ref = 1 };
	char names[400][16];
	struct topic t;
	uint64_t first;
	size_t i;

	t = one_word("first");
	chain_learn(&c, &arena, &t, NULL);
	first = c.weights.at[0];
	for (i = 0; i < 400; i++) {
		snprintf(names[i], sizeof(names[i]), "w%zu", i % 100);
		t = one_word(names[i]);
		chain_learn(&c, &arena, &t, NULL);
	}
	is_int((long long)c.keywords.count, CHAIN_KEYWORDS,
	    "keywords stay bounded");
	is(arena_cstr(&arena, c.keywords.at[0]), "w99", "the latest is heaviest");
	for (i = 0; i < c.keywords.count; i++)
		if (slice_is(c.keywords.at[i], "first"))
			break;
	ok(i == c.keywords.count, "what is not said again is forgotten");
	for (i = 0; i < 50; i++)
		chain_learn(&c, &arena, &t, NULL);
	ok(c.weights.at[0] <= first * 4, "what is said often has its limit");
	for (i = 1; i <= 20; i++)
		chain_touch_thread(&c, &arena, i);
	chain_touch_thread(&c, &arena, 20);
	is_int((long long)c.threads.count, CHAIN_THREADS, "threads too");
	is_int((long long)c.n_threads, 20, "but they are counted");
}

/* With sketches a chain learns the same, and has its own at the end. */
static void
test_sketches(void)
{
	struct msg_chain a = { .topic = SLICE("A Trip to Rome") }, b = a;
	struct topic t = chain_topic(&a), claim;
	const struct sketch *known = sketch_topic(&arena, &t), *again;
	bool same = true, drawn = true;
	size_t i, n;

	for (n = 0; n < 200; n++) {
		claim = one_word(arena_cstr(&arena, arena_printf(&arena,
		    "word%zu", n * 7 % 45)));
		claim.entities = claim.keywords;
		claim.weights.at[0] = 100 + n * 37 % 900;
		claim.entity_weights = claim.weights;
		(void)chain_learn(&a, &arena, &claim, NULL);
		claim.sketch = sketch_topic(&arena, &claim);
		known = chain_learn(&b, &arena, &claim, known);
		same = same && a.keywords.count == b.keywords.count &&
		    a.entities.count == b.entities.count;
		for (i = 0; same && i < a.keywords.count; i++)
			same = slice_eq(a.keywords.at[i], b.keywords.at[i]) &&
			    a.weights.at[i] == b.weights.at[i];
		t = chain_topic(&b);
		again = sketch_topic(&arena, &t);
		drawn = drawn && again->weight == known->weight &&
		    memcmp(&again->subject, &known->subject,
		    offsetof(struct letters, at) + again->subject.n) == 0 &&
		    memcmp(&again->keywords.seen, &known->keywords.seen,
			sizeof(again->keywords.seen)) == 0 &&
		    memcmp(again->keywords.at, known->keywords.at,
			b.keywords.count * sizeof(uint64_t)) == 0 &&
		    memcmp(again->entities.at, known->entities.at,
			b.entities.count * sizeof(uint64_t)) == 0 &&
		    memcmp(again->keywords.weights, known->keywords.weights,
			b.keywords.count * sizeof(uint64_t)) == 0 &&
		    memcmp(again->entities.weights, known->entities.weights,
			b.entities.count * sizeof(uint64_t)) == 0;
	}
	ok(same, "a chain learns the same with its sketch and without");
	ok(drawn, "and its sketch is as if it were drawn anew");
}

static void
test_front(void)
{
	struct msg_u64s list = { 0 };

	is_int((long long)refs_to_front(&list, &arena, 1, 2), 0, "room");
	is_int((long long)refs_to_front(&list, &arena, 2, 2), 0, "still room");
	is_int((long long)refs_to_front(&list, &arena, 1, 2), 0, "there already");
	is_int((long long)refs_to_front(&list, &arena, 3, 2), 2, "one falls off");
	is_int((long long)list.at[0], 3, "the latest first");
}

/* ---- wording ---- */

static struct cues
cues(const char *text)
{
	return cues_of(&arena, slice_str(text));
}

static void
test_cues(void)
{
	ok(cues("how do I open it?").leans, "it leans");
	ok(cues("what about winter?").leans, "what about");
	ok(cues("Ok, and the other one?").leans, "after fillers");
	ok(!cues("Is it safe to eat eggs?").leans, "an it that is nothing");
	ok(!cues("I need a birthday present for my dad, he turns 70").leans,
	    "he is somebody in the sentence itself");
	ok(cues("By the way, my fan is loud").shifts, "by the way");
	ok(!cues("which way is north").shifts, "not any way");
	ok(cues("back to the budget").returns, "back to");
	ok(cues("thanks, bye").closing, "thanks");
	ok(cues("Anything else?").closing, "anything else");
	is_int((long long)cues("").words, 0, "nothing said");
	ok(!cues("\xff\xfe it").shifts, "bytes that are no text");
}

/* ---- the choice ---- */

static struct candidate
candidate(const struct msg_chain *c, unsigned distance, unsigned keyword,
    bool adjacent)
{
	return (struct candidate){ c, c->ref, chain_state(c), adjacent, true,
		{ .distance = distance, .keyword = keyword }, NULL };
}

static void
test_choice(void)
{
	struct msg_chain a = chain_of(10, "alpha", "active");
	struct msg_chain b = chain_of(20, "beta", "active");
	struct msg_chain d = chain_of(30, "delta", "dormant");
	struct msg_chain e = chain_of(40, "epsilon", "concluded");
	struct topic claim = one_word("alpha");
	struct chain_signs signs = { 0 }, returns = { .returns = true };
	struct chain_signs assistant = { .assistant = true };
	struct candidate c[2];
	struct choice x;

	c[0] = candidate(&a, 609, 0, true);
	ok(choose_active(&rules, &signs, &claim, c, 1, &arena, &x) &&
	    x.kind == KIND_extend && x.to->chain == &a, "near: extend");
	c[0] = candidate(&a, 610, 50, true);
	ok(choose_active(&rules, &signs, &claim, c, 1, &arena, &x) &&
	    x.kind == KIND_branch, "at the first threshold: branch");
	is(arena_cstr(&arena, x.reason),
	    "Branched from \"alpha\" due to topic shift", "the seed's reason");
	c[0] = candidate(&a, 610, 0, true);
	ok(!choose_active(&rules, &signs, &claim, c, 1, &arena, &x),
	    "but not without a word in common");
	c[0] = candidate(&a, 650, 50, true);
	ok(!choose_active(&rules, &signs, &claim, c, 1, &arena, &x),
	    "at the second: look further");
	c[0] = candidate(&d, 699, 50, false);
	ok(!choose_active(&rules, &signs, &claim, c, 1, &arena, &x),
	    "a dormant one is not active");
	ok(choose_dormant(&rules, &signs, &claim, c, 1, &arena, &x) &&
	    x.kind == KIND_extend && x.revives, "near enough: revived");
	ok(slice_starts(x.reason, "Revived chain about \"delta\""), "it says so");
	c[0] = candidate(&d, 700, 50, false);
	ok(!choose_dormant(&rules, &signs, &claim, c, 1, &arena, &x),
	    "not near enough: let it sleep");
	c[0] = candidate(&e, 650, 50, false);
	ok(!choose_dormant(&rules, &signs, &claim, c, 1, &arena, &x),
	    "a concluded one stays concluded");
	ok(choose_dormant(&rules, &returns, &claim, c, 1, &arena, &x) &&
	    x.revives, "until a turn returns to it");
	c[0] = candidate(&e, 500, 0, true);
	ok(choose_active(&rules, &assistant, &claim, c, 1, &arena, &x) &&
	    x.kind == KIND_extend && !x.revives,
	    "talk at its end does not take it up again");
	c[0] = candidate(&e, 500, 50, true);
	signs.asks = true;
	ok(choose_active(&rules, &signs, &claim, c, 1, &arena, &x) &&
	    x.kind == KIND_branch, "a new question about it branches off");
	signs.asks = false;
	c[0] = candidate(&a, 500, 0, true);
	c[1] = candidate(&b, 600, 600, false);
	ok(choose_active(&rules, &signs, &claim, c, 2, &arena, &x) &&
	    x.to->chain == &b, "its words lead away from the turn before");
	choose_new(&claim, &arena, &x);
	is(arena_cstr(&arena, x.reason), "New topic: \"alpha\"", "a new one");
}

static void
test_merge(void)
{
	struct msg_chain a = chain_of(10, "same", "active");
	struct msg_chain b = chain_of(20, "same", "active");
	struct msg_chain z = chain_of(30, "other", "active");
	struct topic claim = one_word("same");
	struct chain_signs signs = { .inside = true };
	struct candidate c[2] = { candidate(&a, 200, 900, true),
		candidate(&b, 300, 900, false) };
	struct chain_rules never = rules;
	struct choice x;

	ok(choose_active(&rules, &signs, &claim, c, 2, &arena, &x) &&
	    x.tied != NULL && x.tied->chain == &b, "one claim ties two alike");
	never.merge_below = 0;
	ok(choose_active(&never, &signs, &claim, c, 2, &arena, &x) &&
	    x.tied == NULL, "unless it is turned off");
	c[1] = candidate(&z, 300, 900, false);
	ok(choose_active(&rules, &signs, &claim, c, 2, &arena, &x) &&
	    x.tied == NULL, "not two that have nothing in common");
	chain_take_in(&a, &arena, NULL, &z, NULL);
	is_int((long long)a.keywords.count, 2, "what is merged brings its words");
}

/* What waits for the index comes before what it has. */
static void
test_index(void)
{
	uint64_t old[] = { 7, 3, 5 };
	struct msg_chain_refs refs = { .chains = { old, 3 } };
	uint64_t i;

	fronts_join(SLICE("word"), &refs);
	is_int((long long)refs.chains.count, 3, "nothing waits");
	fronts_add(SLICE("word"), 4);
	fronts_add(SLICE("word"), 3);
	fronts_add(SLICE("word"), 3);
	fronts_add(SLICE("words"), 9);
	fronts_join(SLICE("word"), &refs);
	ok(refs.chains.count == 4 && refs.chains.at[0] == 3 &&
	    refs.chains.at[1] == 4 && refs.chains.at[2] == 7 &&
	    refs.chains.at[3] == 5, "the latest first, none twice");
	for (i = 0; i < 10000; i++)
		fronts_add(SLICE("word"), 100 + i % 20);
	for (i = 0; i < 10000; i++)
		fronts_add(slice_of((const char *)&i, sizeof(i)), i + 1);
	ok(fronts_bytes() > 10000 * sizeof(i), "all are here");
	refs = (struct msg_chain_refs){ .chains = { old, 3 } };
	fronts_join(SLICE("word"), &refs);
	ok(refs.chains.count == WORK_POSTINGS && refs.chains.at[0] == 119 &&
	    refs.chains.at[15] == 104, "and no more than a row has room for");
	i = 5000;
	refs = (struct msg_chain_refs){ 0 };
	fronts_join(slice_of((const char *)&i, sizeof(i)), &refs);
	ok(refs.chains.count == 1 && refs.chains.at[0] == 5001, "among many");
	fronts_forget();
	is_int((long long)fronts_bytes(), 0, "forgotten");
}

static void
test_sort(void)
{
	struct msg_chain a = { .ref = 1 }, b = { .ref = 2 }, d = { .ref = 3 };
	struct candidate c[3] = { candidate(&a, 500, 0, false),
		candidate(&b, 300, 0, false), candidate(&d, 500, 0, false) };

	candidates_sort(c, 3);
	ok(c[0].chain == &b && c[1].chain == &a && c[2].chain == &d,
	    "nearest first, equal ones as they came");
}

int
main(void)
{
	arena_init(&arena);
	test_names();
	test_growth();
	test_sketches();
	test_front();
	test_cues();
	test_choice();
	test_merge();
	test_index();
	test_sort();
	arena_release(&arena);
	return done();
}
