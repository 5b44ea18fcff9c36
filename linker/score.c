/*
 * score - how much a thread looks like the continuation of an earlier one
 *
 *   keywords  the weight of the words in common, each by how rare it is in
 *             the stream, against what would be much for a thread this long
 *   entities  the same for names, dates and quantities; a thread that names
 *             nothing is judged by its keywords here as well
 *   topics    the share of its chains that the other thread is in, or the
 *             keywords' term where that says more: a chain may have ended
 *   recency   falls in a straight line from 1 to 0 over the window
 *
 * An opening that leans on what was said before ("Oh, and what is it on
 * Thursday?") has no words of its own to compare.  What it leaves out is taken
 * from the latest thread: each of the first three terms is raised towards full
 * by `lean`, the less the longer that thread is over, and the less the more
 * its user has said since that the other thread knows nothing of.
 */
#include "linker/score.h"

#include <assert.h>
#include <xxhash.h>

/*
 * Fitted on dialogues of data/train: see bench/eval-links.  Words are weighed
 * in thousandths of a nat, a rare one has about 10000.
 */
enum {
	KEYWORDS_BASE = 22000,	/* this much in common is much ... */
	KEYWORDS_SHARE = 150,	/* ... and this share of all it says */
	ENTITIES_BASE = 1250,
	ENTITIES_SHARE = 150,
	ENTITIES_LEAST = 900,	/* less than a name: it names nothing */
	TOPIC_CHAINS = 1900,	/* half of its chains are enough */
	TOPIC_KEYWORDS = 2000,
	LEAN_OWN = 30000,	/* own words that halve what it leans */
};

unsigned
score_rarity(uint64_t having, uint64_t threads)
{
	if (threads > SCORE_TYPICAL)
		having = having * SCORE_TYPICAL * 1000 / threads;
	else
		having *= 1000;
	return having <= 1000 ? SCORE_FULL :
				(unsigned)(2 * 1000 * 1000 / (1000 + having));
}

static unsigned
at_most_full(uint64_t n)
{
	return n > SCORE_FULL ? SCORE_FULL : (unsigned)n;
}

/* Its place, or where it would be put: a slot. */
static size_t
slot_of(const struct score_words *w, struct slice word)
{
	size_t at = XXH3_64bits(word.ptr, word.len) % sizeof(w->slots);

	while (w->slots[at] != 0 &&
	    !slice_eq(w->list->at[w->slots[at] - 1], word))
		at = (at + 1) % sizeof(w->slots);
	return at;
}

static void
fill_words(struct score_words *w, const struct msg_strs *list)
{
	size_t i;

	assert(list->count < sizeof(w->slots) / 2);
	w->list = list;
	for (i = 0; i < list->count; i++)
		w->slots[slot_of(w, list->at[i])] = (unsigned char)(i + 1);
}

struct score_self
score_prepare(const struct msg_link_thread *thread,
    const unsigned *keyword_rarity, const unsigned *entity_rarity)
{
	struct score_self self = { .thread = thread,
		.keyword_rarity = keyword_rarity,
		.entity_rarity = entity_rarity };

	fill_words(&self.keywords, &thread->keywords);
	fill_words(&self.entities, &thread->entities);
	fill_words(&self.chains, &thread->chains);
	return self;
}

/* Weights of all words, and of those in common, by rarity. */
struct overlap {
	uint64_t all, shared;
};

static struct overlap
overlap_of(const struct score_words *words, const struct msg_u64s *weights,
    const unsigned *rarity, const struct msg_strs *other)
{
	struct overlap o = { 0, 0 };
	size_t i, at;

	for (i = 0; i < weights->count; i++)
		o.all += weights->at[i] * rarity[i] / SCORE_FULL;
	for (i = 0; i < other->count; i++) {
		at = words->slots[slot_of(words, other->at[i])];
		if (at > 0 && at <= weights->count)
			o.shared += weights->at[at - 1] * rarity[at - 1] /
			    SCORE_FULL;
	}
	return o;
}

static unsigned
keyword_term(const struct score_self *self,
    const struct msg_link_thread *other)
{
	struct overlap o = overlap_of(&self->keywords,
	    &self->thread->weights, self->keyword_rarity, &other->keywords);

	return at_most_full(o.shared * SCORE_FULL /
	    (KEYWORDS_BASE + o.all * KEYWORDS_SHARE / 1000));
}

static unsigned
entity_term(const struct score_self *self,
    const struct msg_link_thread *other, unsigned keywords)
{
	const struct msg_u64s *weights = &self->thread->entity_weights;
	struct overlap o = overlap_of(&self->entities, weights,
	    self->entity_rarity, &other->entities);
	uint64_t named = 0;
	size_t i;

	for (i = 0; i < weights->count; i++)
		named += weights->at[i];
	if (named < ENTITIES_LEAST)
		return keywords;
	return at_most_full(o.shared * SCORE_FULL /
	    (ENTITIES_BASE + named * ENTITIES_SHARE / 1000));
}

static unsigned
topic_term(const struct score_self *self, const struct msg_link_thread *other,
    unsigned keywords)
{
	const struct msg_strs *chains = &self->thread->chains;
	unsigned words = at_most_full((uint64_t)keywords * TOPIC_KEYWORDS /
	    1000);
	uint64_t shared = 0;
	size_t i;

	for (i = 0; i < other->chains.count; i++)
		shared += self->chains.slots[slot_of(&self->chains,
		    other->chains.at[i])] != 0;
	if (shared > 0)
		shared = at_most_full(shared * TOPIC_CHAINS / chains->count);
	return shared > words ? (unsigned)shared : words;
}

static unsigned
recency_term(int64_t age_ms, int64_t window_ms)
{
	if (age_ms <= 0)
		return SCORE_FULL;
	if (age_ms >= window_ms)
		return 0;
	return (unsigned)((window_ms - age_ms) * SCORE_FULL / window_ms);
}

static unsigned
lean_of(const struct msg_link_thread *thread, const struct score *s)
{
	uint64_t lean = thread->lean * s->terms[SCORE_recency] / SCORE_FULL;
	uint64_t strange = thread->own_weight *
	    (SCORE_FULL - s->terms[SCORE_keyword]) / SCORE_FULL;

	return at_most_full(lean * LEAN_OWN / (LEAN_OWN + strange));
}

unsigned
score_value(const struct score_rules *rules, const unsigned *terms)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < SCORE_TERMS; i++)
		sum += (uint64_t)rules->weights[i] * terms[i];
	return at_most_full(sum / SCORE_FULL);
}

struct score
score_of(const struct score_rules *rules, const struct score_self *self,
    const struct msg_link_thread *candidate, int64_t age_ms,
    int64_t window_ms, bool latest)
{
	struct score s = { 0 };
	unsigned *t = s.terms;
	size_t i;

	t[SCORE_keyword] = keyword_term(self, candidate);
	t[SCORE_entity] = entity_term(self, candidate, t[SCORE_keyword]);
	t[SCORE_topic] = topic_term(self, candidate, t[SCORE_keyword]);
	t[SCORE_recency] = recency_term(age_ms, window_ms);
	if (latest)
		s.lean = lean_of(self->thread, &s);
	for (i = 0; i < SCORE_recency; i++)
		t[i] += s.lean * (SCORE_FULL - t[i]) / SCORE_FULL;
	s.value = score_value(rules, t);
	return s;
}
