/*
 * distance - how far a claim is from a chain
 */
#include "chainer/distance.h"

#include "chainer/sketch.h"
#include "common/when.h"
#include "common/widest.h"

enum { ONE = 1000 };

/* The shipped formula's weights, in thousandths of the score. */
enum {
	WEIGHT_KEYWORD = 500,
	WEIGHT_ENTITY = 350,
	WEIGHT_SUBJECT = 100,
	WEIGHT_RECENCY = 100,
	WEIGHT_ADJACENCY = 300,
	WEIGHT_MEANING = 1000,
	/* Below, words merely differ; above, it is surely the same topic. */
	MEANING_LEAST = -50,
	MEANING_MOST = 400,
	SUBJECT_CHANCE = 400,
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
	enum { HOUR_MS = (uint32_t)WHEN_HOUR_MS };
	/* A million e^-d for days, 1000 e^(-h/24) for hours of a day. */
	static const uint32_t days[] = { 1000000, 367879, 135335, 49787, 18316,
		6738, 2479, 912 };
	static const uint32_t hours[] = { 1000, 959, 920, 882, 846, 812, 779,
		747, 717, 687, 659, 632, 607, 582, 558, 535, 513, 492, 472, 453,
		435, 417, 400, 384, 368 };
	uint32_t hour, rest, low, high;
	int64_t day;

	if (age_ms <= 0)
		return ONE;
	day = age_ms / WHEN_DAY_MS;
	if (day >= (int64_t)(sizeof(days) / sizeof(days[0])))
		return 0;
	/* From here on 32 bits are enough, and divided sooner. */
	rest = (uint32_t)(age_ms - day * WHEN_DAY_MS);
	hour = rest / HOUR_MS;
	rest -= hour * HOUR_MS;
	high = hours[hour];
	low = hours[hour + 1];
	high -= (high - low) * rest / HOUR_MS;
	return (days[day] * high + 500000) / 1000000;
}

/* ---- letters ---- */

static unsigned
match_letters(const struct letters *x, const struct letters *y)
{
	bool used[FUZZY_BYTES];
	size_t i, k, same = 0;

	if (x->n < 2 || y->n < 2)
		return x->n == y->n && x->n > 0 && x->at[0] == y->at[0] ? ONE :
									  0;
	memset(used, 0, y->n);
	for (i = 0; i + 1 < x->n; i++) {
		if (!seen_has(&y->pairs, letters_pair(x, i)))
			continue;
		for (k = 0; k + 1 < y->n; k++)
			if (x->at[i] == y->at[k] && !used[k] &&
			    x->at[i + 1] == y->at[k + 1]) {
				used[k] = true;
				same++;
				break;
			}
	}
	return (unsigned)(2 * same * ONE / (x->n + y->n - 2));
}

unsigned
fuzzy_match(struct slice a, struct slice b)
{
	struct letters x, y;
	struct arena arena;

	arena_init(&arena);
	letters_read(&x, &arena, a);
	letters_read(&y, &arena, b);
	arena_release(&arena);
	return match_letters(&x, &y);
}

/*
 * The match of the subjects, or 0 where it is surely no more than `enough`:
 * two share no more pairs than bits, but for those that a bit hides.
 */
static inline unsigned
match_subjects(const struct topic *a, const struct topic *b, unsigned enough)
{
	const struct letters *x, *y;

	if (a->sketch == NULL || b->sketch == NULL)
		return fuzzy_match(a->subject, b->subject);
	x = &a->sketch->subject;
	y = &b->sketch->subject;
	if (enough > 0 && x->n > 1 && y->n > 1 &&
	    2 * ONE * (seen_both(&x->pairs, &y->pairs) + x->hidden) <=
	    enough * (x->n + y->n - 2))
		return 0;
	return match_letters(x, y);
}

/* ---- words in common ---- */

/* A list as it is compared: hashes NULL where there is no sketch. */
struct words {
	const struct msg_strs *list;
	const struct msg_u64s *weights;
	const struct hashes *hashes;
};

static struct words
keywords_of(const struct topic *t)
{
	return (struct words){ &t->keywords, &t->weights,
		t->sketch == NULL ? NULL : &t->sketch->keywords };
}

static struct words
entities_of(const struct topic *t)
{
	return (struct words){ &t->entities, &t->entity_weights,
		t->sketch == NULL ? NULL : &t->sketch->entities };
}

static size_t
count_of(struct words w)
{
	return w.hashes != NULL ? w.hashes->n : w.list->count;
}

static uint64_t
weight_at(struct words w, size_t i)
{
	if (w.hashes != NULL)
		return w.hashes->weights[i];
	return i < w.weights->count ? w.weights->at[i] : 0;
}

/* They surely have none in common. */
static inline bool
are_strange(struct words a, struct words b)
{
	return a.hashes != NULL && b.hashes != NULL &&
	    seen_apart(&a.hashes->seen, &b.hashes->seen);
}

static bool
find_word(const struct msg_strs *list, struct slice word, size_t *at)
{
	for (*at = 0; *at < list->count; ++*at)
		if (slice_eq(list->at[*at], word))
			return true;
	return false;
}

static bool
find_hashed(const uint64_t *hashes, size_t n, uint64_t hash, size_t *at)
{
	for (*at = 0; *at < n; ++*at)
		if (hashes[*at] == hash)
			return true;
	return false;
}

/* Whether the list has the i-th word of another, and where. */
static inline bool
holds(struct words in, struct words of, size_t i, size_t *at)
{
	if (in.hashes == NULL || of.hashes == NULL)
		return find_word(in.list, of.list->at[i], at);
	return seen_has(&in.hashes->seen, of.hashes->at[i]) &&
	    find_hashed(in.hashes->at, in.hashes->n, of.hashes->at[i], at);
}

bool
topic_knows(const struct topic *t, const struct topic *of, size_t i)
{
	size_t at;

	return holds(keywords_of(t), keywords_of(of), i, &at);
}

static size_t
in_common(struct words a, struct words b)
{
	size_t i, at, n = 0;

	for (i = 0; i < count_of(a); i++)
		n += holds(b, a, i, &at);
	return n;
}

static uint64_t
known_of(uint64_t w, uint64_t known)
{
	return known >= w / 2 ? w : 2 * known;
}

static uint64_t
weight_of(const struct topic *t)
{
	return t->sketch == NULL ? topic_weight(t) : t->sketch->weight;
}

/*
 * The share of the claim's weight that the chain knows.  A chain's weight says
 * how much of the chain a word is: a word it has all but forgotten counts less.
 */
static unsigned
weighed_share(struct words claim, struct words chain, uint64_t doubt)
{
	uint64_t all = 0, shared = 0, w;
	size_t i, at;

	for (i = 0; i < count_of(claim); i++) {
		w = weight_at(claim, i);
		all += w;
		if (holds(chain, claim, i, &at))
			shared += known_of(w, weight_at(chain, at));
	}
	return all == 0 ? 0 : (unsigned)(shared * ONE / (all + doubt));
}

/* Most have nothing in common: that is seen at once. */
static inline unsigned
known_share(struct words claim, struct words chain, uint64_t doubt)
{
	return are_strange(claim, chain) ? 0 :
	    weighed_share(claim, chain, doubt);
}

static unsigned
at_most_one(uint64_t n)
{
	return n > ONE ? ONE : (unsigned)n;
}

static unsigned
jaccard(struct words a, struct words b)
{
	size_t both = in_common(a, b);
	size_t all = count_of(a) + count_of(b) - both;

	return all == 0 ? 0 : (unsigned)(both * ONE / all);
}

unsigned
topics_alike(const struct topic *a, const struct topic *b, unsigned least)
{
	struct words x = keywords_of(a), y = keywords_of(b);
	uint64_t all_a = weight_of(a), all_b = weight_of(b);
	uint64_t in_a = 0, in_b = 0, v, w, rest = all_a;
	size_t i, at;

	if (all_a == 0 || all_b == 0 || are_strange(x, y))
		return 0;
	for (i = 0; i < count_of(x); i++) {
		v = weight_at(x, i);
		if (!holds(y, x, i, &at)) {
			/* No more than the rest can be in both. */
			rest -= v;
			if (rest * ONE < least * all_a)
				return 0;
			continue;
		}
		w = weight_at(y, at);
		in_a += known_of(v, w);
		in_b += known_of(w, v);
	}
	in_a = in_a * ONE / all_a;
	in_b = in_b * ONE / all_b;
	return (unsigned)(in_a < in_b ? in_a : in_b);
}

uint64_t
fresh_weight(const struct topic *claim, const struct topic *chain)
{
	struct words in = keywords_of(chain), of = keywords_of(claim);
	uint64_t fresh = 0;
	size_t i, at;

	if (are_strange(in, of))
		return weight_of(claim);
	for (i = 0; i < count_of(of); i++)
		if (!holds(in, of, i, &at))
			fresh += weight_at(of, i);
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

static int64_t
meant(int meaning)
{
	return meaning < MEANING_LEAST ? MEANING_LEAST :
	    meaning > MEANING_MOST ? MEANING_MOST : meaning;
}

static unsigned
shipped_distance(const struct terms *t)
{
	int64_t score = ((int64_t)t->entity * WEIGHT_ENTITY +
	    (int64_t)t->subject * WEIGHT_SUBJECT +
	    (int64_t)t->keyword * WEIGHT_KEYWORD +
	    (int64_t)t->recency * WEIGHT_RECENCY +
	    (int64_t)t->adjacency * WEIGHT_ADJACENCY +
	    meant(t->meaning) * WEIGHT_MEANING) / ONE + t->cue;

	return ONE - at_most_one(score < 0 ? 0 : (uint64_t)score);
}

COUNTING struct terms
distance_terms(enum formula formula, const struct topic *claim,
    const struct topic *chain, int64_t age_ms)
{
	struct terms t = { .recency = time_decay(age_ms) };

	if (formula == FORMULA_seed) {
		t.subject = match_subjects(claim, chain, 0);
		t.entity = (unsigned)(in_common(entities_of(claim),
		    entities_of(chain)) * ONE);
		t.keyword = jaccard(keywords_of(claim), keywords_of(chain));
		t.distance = seed_distance(&t);
		return t;
	}
	/* Any two texts share some pairs of letters. */
	t.subject = match_subjects(claim, chain, SUBJECT_CHANCE);
	t.subject = t.subject > SUBJECT_CHANCE ?
	    (t.subject - SUBJECT_CHANCE) * 10 / 6 : 0;
	t.entity = known_share(entities_of(claim), entities_of(chain),
	    ENTITY_DOUBT);
	t.keyword = known_share(keywords_of(claim), keywords_of(chain),
	    KEYWORD_DOUBT);
	t.distance = shipped_distance(&t);
	return t;
}

void
distance_add(enum formula formula, struct terms *t, unsigned adjacency,
    int meaning, int cue)
{
	if (formula == FORMULA_seed)
		return;
	t->adjacency = adjacency;
	t->meaning = meaning;
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
