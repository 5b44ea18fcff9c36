/*
 * distance - how far a claim is from a chain
 */
#include "chainer/distance.h"

#include "common/text.h"
#include "common/when.h"

enum { ONE = 1000 };

/* The shipped formula's weights, in thousandths of the score. */
enum {
	WEIGHT_KEYWORD = 500,
	WEIGHT_ENTITY = 350,
	WEIGHT_SUBJECT = 100,
	WEIGHT_RECENCY = 100,
	WEIGHT_ADJACENCY = 300,
	/* Weight of words a claim is thought to have beside those it has:
	 * one shared word out of one is no proof. */
	KEYWORD_DOUBT = 6000,
	ENTITY_DOUBT = 500,
};

/* The seed's. */
enum {
	SEED_ENTITY = 300,
	SEED_SUBJECT = 300,
	SEED_KEYWORD = 200,
	SEED_RECENCY = 200,
};

enum formula
formula_named(const char *name)
{
	return strcmp(name, "seed") == 0 ? FORMULA_seed : FORMULA_shipped;
}

const char *
formula_name(enum formula formula)
{
	return formula == FORMULA_seed ? "seed" : "shipped";
}

/* ---- time ---- */

unsigned
time_decay(int64_t age_ms)
{
	/* A million e^-d for days, 1000 e^(-h/24) for hours of a day. */
	static const uint64_t days[] = { 1000000, 367879, 135335, 49787, 18316,
		6738, 2479, 912 };
	static const unsigned hours[] = { 1000, 959, 920, 882, 846, 812, 779,
		747, 717, 687, 659, 632, 607, 582, 558, 535, 513, 492, 472, 453,
		435, 417, 400, 384, 368 };
	int64_t day, hour, rest;
	unsigned low, high;

	if (age_ms <= 0)
		return ONE;
	day = age_ms / WHEN_DAY_MS;
	if (day >= (int64_t)(sizeof(days) / sizeof(days[0])))
		return 0;
	hour = age_ms % WHEN_DAY_MS / WHEN_HOUR_MS;
	rest = age_ms % WHEN_HOUR_MS;
	high = hours[hour];
	low = hours[hour + 1];
	high -= (unsigned)((high - low) * rest / WHEN_HOUR_MS);
	return (unsigned)((days[day] * high + 500000) / 1000000);
}

/* ---- words ---- */

enum { FUZZY_BYTES = 160 };

/* Letters and digits, folded, one space between words; how many bytes. */
static size_t
fuzzy_text(struct arena *arena, struct slice s, char out[FUZZY_BYTES])
{
	struct slice f = text_fold(arena, s);
	size_t i, n = 0;
	unsigned char c;

	for (i = 0; i < f.len && n < FUZZY_BYTES; i++) {
		c = (unsigned char)f.ptr[i];
		if (c >= 0x80 || (c >= 'a' && c <= 'z') ||
		    (c >= '0' && c <= '9'))
			out[n++] = (char)c;
		else if (n > 0 && out[n - 1] != ' ')
			out[n++] = ' ';
	}
	while (n > 0 && out[n - 1] == ' ')
		n--;
	return n;
}

unsigned
fuzzy_match(struct slice a, struct slice b)
{
	char x[FUZZY_BYTES], y[FUZZY_BYTES];
	bool used[FUZZY_BYTES] = { false };
	struct arena arena;
	size_t nx, ny, i, k, same = 0;

	arena_init(&arena);
	nx = fuzzy_text(&arena, a, x);
	ny = fuzzy_text(&arena, b, y);
	arena_release(&arena);
	if (nx < 2 || ny < 2)
		return nx == ny && nx > 0 && x[0] == y[0] ? ONE : 0;
	for (i = 0; i + 1 < nx; i++)
		for (k = 0; k + 1 < ny; k++)
			if (!used[k] && x[i] == y[k] && x[i + 1] == y[k + 1]) {
				used[k] = true;
				same++;
				break;
			}
	return (unsigned)(2 * same * ONE / (nx + ny - 2));
}

static bool
holds(const struct msg_strs *list, struct slice word, size_t *at)
{
	for (*at = 0; *at < list->count; ++*at)
		if (slice_eq(list->at[*at], word))
			return true;
	return false;
}

static size_t
in_common(const struct msg_strs *a, const struct msg_strs *b)
{
	size_t i, at, n = 0;

	for (i = 0; i < a->count; i++)
		n += holds(b, a->at[i], &at);
	return n;
}

static uint64_t
weight_at(const struct msg_u64s *weights, size_t i)
{
	return i < weights->count ? weights->at[i] : 0;
}

/*
 * The share of the claim's weight that the chain knows.  A chain's weight says
 * how much of the chain a word is: a word it has all but forgotten counts less.
 */
static unsigned
weighed_share(const struct msg_strs *claim, const struct msg_u64s *weights,
    const struct msg_strs *chain, const struct msg_u64s *chain_weights,
    uint64_t doubt)
{
	uint64_t all = 0, shared = 0, w, known;
	size_t i, at;

	for (i = 0; i < claim->count; i++) {
		w = weight_at(weights, i);
		all += w;
		if (!holds(chain, claim->at[i], &at))
			continue;
		known = weight_at(chain_weights, at);
		shared += known >= w / 2 ? w : 2 * known;
	}
	return all == 0 ? 0 : (unsigned)(shared * ONE / (all + doubt));
}

static unsigned
at_most_one(uint64_t n)
{
	return n > ONE ? ONE : (unsigned)n;
}

static unsigned
jaccard(const struct msg_strs *a, const struct msg_strs *b)
{
	size_t both = in_common(a, b), all = a->count + b->count - both;

	return all == 0 ? 0 : (unsigned)(both * ONE / all);
}

unsigned
topics_alike(const struct topic *a, const struct topic *b)
{
	unsigned x = weighed_share(&a->keywords, &a->weights, &b->keywords,
	    &b->weights, 0);
	unsigned y = weighed_share(&b->keywords, &b->weights, &a->keywords,
	    &a->weights, 0);

	return x < y ? x : y;
}

uint64_t
fresh_weight(const struct topic *claim, const struct topic *chain)
{
	uint64_t fresh = 0;
	size_t i, at;

	for (i = 0; i < claim->keywords.count; i++)
		if (!holds(&chain->keywords, claim->keywords.at[i], &at))
			fresh += weight_at(&claim->weights, i);
	return fresh;
}

/* ---- the formulas ---- */

static unsigned
seed_distance(const struct terms *t)
{
	return ONE - at_most_one(((uint64_t)t->entity * SEED_ENTITY +
	    (uint64_t)t->subject * SEED_SUBJECT +
	    (uint64_t)t->keyword * SEED_KEYWORD +
	    (uint64_t)t->recency * SEED_RECENCY) / ONE);
}

static unsigned
shipped_distance(const struct terms *t)
{
	int64_t score = ((int64_t)t->entity * WEIGHT_ENTITY +
	    (int64_t)t->subject * WEIGHT_SUBJECT +
	    (int64_t)t->keyword * WEIGHT_KEYWORD +
	    (int64_t)t->recency * WEIGHT_RECENCY +
	    (int64_t)t->adjacency * WEIGHT_ADJACENCY) / ONE + t->cue;

	return ONE - at_most_one(score < 0 ? 0 : (uint64_t)score);
}

struct terms
distance_terms(enum formula formula, const struct topic *claim,
    const struct topic *chain, int64_t age_ms)
{
	struct terms t = { .recency = time_decay(age_ms),
		.subject = fuzzy_match(claim->subject, chain->subject) };

	if (formula == FORMULA_seed) {
		t.entity = (unsigned)(in_common(&claim->entities,
		    &chain->entities) * ONE);
		t.keyword = jaccard(&claim->keywords, &chain->keywords);
		t.distance = seed_distance(&t);
		return t;
	}
	/* Any two texts share some pairs of letters. */
	t.subject = t.subject > 400 ? (t.subject - 400) * 10 / 6 : 0;
	t.entity = weighed_share(&claim->entities, &claim->entity_weights,
	    &chain->entities, &chain->entity_weights, ENTITY_DOUBT);
	t.keyword = weighed_share(&claim->keywords, &claim->weights,
	    &chain->keywords, &chain->weights, KEYWORD_DOUBT);
	t.distance = shipped_distance(&t);
	return t;
}

void
distance_add(enum formula formula, struct terms *t, unsigned adjacency,
    int cue)
{
	if (formula == FORMULA_seed)
		return;
	t->adjacency = adjacency;
	t->cue = cue;
	t->distance = shipped_distance(t);
}

unsigned
distance_words(const struct terms *t)
{
	return ONE - at_most_one(((uint64_t)t->entity * WEIGHT_ENTITY +
	    (uint64_t)t->subject * WEIGHT_SUBJECT +
	    (uint64_t)t->keyword * WEIGHT_KEYWORD) / ONE);
}
