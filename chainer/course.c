/*
 * course - whether a user goes on, begins something, or returns to something
 */
#include "chainer/course.h"

#include "chainer/weave_impl.h"

enum {
	ONE = 1000,
	BRIEF = 4,
	SCANT = 2,
	LENGTH_WORDS = 10,	/* so many are one unit of length */
	LENGTH_MOST = 3 * ONE,
	CONTENT_WORDS = 3,
	CONTENT_MOST = 2 * ONE,
	FRESH_WEIGHT = 10000,
	FRESH_MOST = 4 * ONE,
	RANK_MOST = 4,
	MANY_CHAINS = 4,
	CLAIMS_READ = 4,
};

/* ---- the turn's topic ---- */

static void
add_words(struct msg_strs *words, struct msg_u64s *weights,
    const struct msg_strs *more, const struct msg_u64s *more_weights)
{
	size_t i, k;

	for (i = 0; i < more->count && i < more_weights->count; i++) {
		for (k = 0; k < words->count; k++)
			if (slice_eq(words->at[k], more->at[i]))
				break;
		if (k < words->count)
			continue;
		words->at[k] = more->at[i];
		weights->at[k] = more_weights->at[i];
		words->count = weights->count = k + 1;
	}
}

static void
make_room(struct arena *arena, struct msg_strs *words,
    struct msg_u64s *weights, size_t n)
{
	words->at = arena_room(arena, n * sizeof(words->at[0]));
	weights->at = arena_room(arena, n * sizeof(weights->at[0]));
}

struct topic
course_topic(struct arena *arena, const struct msg_c_turn *c)
{
	struct topic parts[CLAIMS_READ], all = { 0 };
	size_t i, n_words = 0, n_names = 0;
	size_t n = c->n_claims < CLAIMS_READ ? c->n_claims : CLAIMS_READ;

	for (i = 0; i < n; i++) {
		parts[i] = weave_topic(arena, &c->claims[i]);
		n_words += parts[i].keywords.count;
		n_names += parts[i].entities.count;
	}
	if (n == 0)
		return all;
	if (n == 1)
		return parts[0];
	all.subject = parts[0].subject;
	make_room(arena, &all.keywords, &all.weights, n_words);
	make_room(arena, &all.entities, &all.entity_weights, n_names);
	for (i = 0; i < n; i++) {
		add_words(&all.keywords, &all.weights, &parts[i].keywords,
		    &parts[i].weights);
		add_words(&all.entities, &all.entity_weights,
		    &parts[i].entities, &parts[i].entity_weights);
	}
	return all;
}

struct slice
course_text(const struct msg_c_turn *c, struct slice text)
{
	if (c->n_claims != 1 || c->claims[0].at + c->claims[0].len > text.len)
		return text;
	return slice_of(text.ptr + c->claims[0].at, c->claims[0].len);
}

void
course_weigh(struct course_turn *t, const struct topic *topic,
    const struct topic *chains, size_t n)
{
	size_t i, k;

	t->content = topic->keywords.count;
	t->weight = t->fresh = 0;
	for (i = 0; i < topic->keywords.count && i < topic->weights.count;
	     i++) {
		t->weight += topic->weights.at[i];
		for (k = 0; k < n && !topic_knows(&chains[k], topic, i); k++)
			;
		if (k == n)
			t->fresh += topic->weights.at[i];
	}
}

bool
course_asks(struct slice text)
{
	while (text.len > 0 && strchr(" \t\r\n\"')", text.ptr[text.len - 1]) !=
	    NULL)
		text.len--;
	return text.len > 0 && text.ptr[text.len - 1] == '?';
}

/* ---- terms ---- */

static int32_t
at_most(uint64_t value, int32_t most)
{
	return value > (uint64_t)most ? most : (int32_t)value;
}

static int32_t
yes(bool is)
{
	return is ? ONE : 0;
}

void
course_common(const struct course_turn *t, size_t n, int32_t x[COURSE_TERMS])
{
	struct slice act = t->c->act;
	bool asks = weave_is_asking(act);

	x[COURSE_always] = ONE;
	x[COURSE_asked] = yes(t->asked);
	x[COURSE_prompted] = yes(t->prompted);
	x[COURSE_answers] = yes(t->prompted && !asks);
	x[COURSE_closed] = yes(t->closed);
	x[COURSE_question] = yes(slice_is(act, "question"));
	x[COURSE_request] = yes(slice_is(act, "request"));
	x[COURSE_inform] = yes(slice_is(act, "inform"));
	x[COURSE_replies] = yes(slice_is(act, "accept") ||
	    slice_is(act, "reject") || slice_is(act, "commit"));
	x[COURSE_phatic] = yes(slice_is(act, "none") ||
	    slice_is(act, "greeting"));
	x[COURSE_concludes] = yes(t->c->concludes);
	x[COURSE_opens] = yes(t->c->opens);
	x[COURSE_returns] = yes(t->c->returns || t->cues.returns);
	x[COURSE_leans] = yes(t->cues.leans);
	x[COURSE_shifts] = yes(t->cues.shifts);
	x[COURSE_yes_no] = yes(t->cues.yes_no);
	x[COURSE_closing] = yes(t->cues.closing);
	x[COURSE_brief] = yes(t->cues.words <= BRIEF);
	x[COURSE_scant] = yes(t->cues.words <= SCANT);
	x[COURSE_length] = at_most(t->cues.words * ONE / LENGTH_WORDS,
	    LENGTH_MOST);
	x[COURSE_content] = at_most(t->content * ONE / CONTENT_WORDS,
	    CONTENT_MOST);
	x[COURSE_fresh] = at_most(t->fresh * ONE / FRESH_WEIGHT, FRESH_MOST);
	x[COURSE_fresh_share] = t->weight == 0 ? 0 :
	    (int32_t)(t->fresh * ONE / t->weight);
	x[COURSE_turned] = yes(t->turned);
	x[COURSE_one_chain] = yes(n == 1);
	x[COURSE_two_chains] = yes(n == 2);
	x[COURSE_many_chains] = yes(n >= MANY_CHAINS);
	x[COURSE_paused] = yes(t->paused);
}

/* The best of all but the k-th, from the `from`-th on; 0: there is none. */
static int32_t
best_other(const int32_t *of, size_t n, size_t from, size_t k)
{
	int32_t best = INT32_MIN, one;
	size_t i;

	/* Which is the best cannot be foreseen: no branch depends on it. */
	for (i = from; i < n; i++) {
		one = i == k ? INT32_MIN : of[i];
		best = one > best ? one : best;
	}
	return best == INT32_MIN ? 0 : best;
}

/* Four terms of a measure: so much; and against the others, where any are. */
static void
chain_terms(const int32_t *of, size_t n, size_t k, int32_t *x)
{
	if (k == n) {
		x[0] = best_other(of, n, 0, n);
		x[2] = of[0];
		return;
	}
	x[0] = of[k];
	if (n > 1)
		x[1] = of[k] - best_other(of, n, 0, k);
	if (k > 0)
		x[2] = of[k] - of[0];
	if (k > 0 && n > 2)
		x[3] = of[k] - best_other(of, n, 1, k);
}

void
course_terms(const struct course_chain *chains, size_t n, size_t k,
    int32_t terms[COURSE_TERMS])
{
	int32_t keyword[COURSE_CHAINS], entity[COURSE_CHAINS];
	int32_t meaning[COURSE_CHAINS];
	size_t i = 0;

	do {
		keyword[i] = chains[i].keyword;
		entity[i] = chains[i].entity;
		meaning[i] = chains[i].meaning;
	} while (++i < n);
	memset(&terms[COURSE_COMMON], 0,
	    (COURSE_TERMS - COURSE_COMMON) * sizeof(terms[0]));
	chain_terms(keyword, n, k, &terms[COURSE_keyword]);
	chain_terms(entity, n, k, &terms[COURSE_entity]);
	chain_terms(meaning, n, k, &terms[COURSE_meaning]);
	if (k > 0 && k < n)
		terms[COURSE_rank] = ONE * (chains[k].rank > RANK_MOST ?
		    RANK_MOST : chains[k].rank);
}
