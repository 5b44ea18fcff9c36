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
 *
 * Who says that he comes back to something ("back to the bread knife") needs
 * fewer words in common; who says no more than that leans on the latest.
 */
#include "linker/score.h"

#include <assert.h>

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
	RETURNS_MORE = 1300,	/* what is shared by who returns counts so */
	RETURNS_LEAN = 900,
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

void
score_card_fill(struct score_card *card, const struct msg_link_thread *p,
    const struct profile_hashes *hashes)
{
	*card = (struct score_card){
		.last_activity_at = p->last_activity_at,
		.n_keywords = (unsigned)p->keywords.count,
		.n_entities = (unsigned)p->entities.count,
		.n_chains = (unsigned)p->chains.count,
		.hashes = *hashes,
	};
}

/* Where the word's place is, or would be put. */
static inline size_t
slot_of(const struct score_words *w, uint64_t hash)
{
	size_t at = hash % sizeof(w->slots), n;

	while ((n = w->slots[at]) != 0 && w->hashes[n - 1] != hash)
		at = (at + 1) % sizeof(w->slots);
	return at;
}

static void
fill_words(struct score_words *w, const uint64_t *hashes, size_t n)
{
	size_t i;

	assert(n < sizeof(w->slots) / 2);
	w->hashes = hashes;
	memset(w->slots, 0, sizeof(w->slots));
	for (i = 0; i < n; i++)
		w->slots[slot_of(w, hashes[i])] = (unsigned char)(i + 1);
}

/* What has no weight is worth nothing; all of it. */
static uint64_t
fill_worth(struct score_words *w, size_t n, const struct msg_u64s *weights,
    const unsigned *rarity)
{
	uint64_t all = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		w->worth[i] = i < weights->count ?
		    weights->at[i] * rarity[i] / SCORE_FULL : 0;
		all += w->worth[i];
	}
	return all;
}

void
score_prepare(struct score_self *self, const struct msg_link_thread *thread,
    const struct profile_hashes *hashes, const unsigned *keyword_rarity,
    const unsigned *entity_rarity)
{
	size_t i;

	self->thread = thread;
	fill_words(&self->keywords, hashes->keywords, thread->keywords.count);
	fill_words(&self->entities, hashes->entities, thread->entities.count);
	fill_words(&self->chains, hashes->chains, thread->chains.count);
	self->keywords_all = fill_worth(&self->keywords,
	    thread->keywords.count, &thread->weights, keyword_rarity);
	(void)fill_worth(&self->entities, thread->entities.count,
	    &thread->entity_weights, entity_rarity);
	for (i = 0; i < thread->chains.count; i++)
		self->chains.worth[i] = 1;
	self->named = 0;
	for (i = 0; i < thread->entity_weights.count; i++)
		self->named += thread->entity_weights.at[i];
	self->returns = false;
}

/* What the words in common are worth. */
static uint64_t
weigh_shared(const struct score_words *words, const uint64_t *others, size_t n)
{
	uint64_t shared = 0;
	size_t i, place;

	for (i = 0; i < n; i++) {
		place = words->slots[slot_of(words, others[i])];
		if (place > 0)
			shared += words->worth[place - 1];
	}
	return shared;
}

static unsigned
keyword_term(const struct score_self *self, const struct score_card *other)
{
	uint64_t shared = weigh_shared(&self->keywords,
	    other->hashes.keywords, other->n_keywords);

	return at_most_full(shared * SCORE_FULL /
	    (KEYWORDS_BASE + self->keywords_all * KEYWORDS_SHARE / 1000));
}

static unsigned
entity_term(const struct score_self *self, const struct score_card *other,
    unsigned keywords)
{
	uint64_t shared;

	if (self->named < ENTITIES_LEAST)
		return keywords;
	shared = weigh_shared(&self->entities, other->hashes.entities,
	    other->n_entities);
	return at_most_full(shared * SCORE_FULL /
	    (ENTITIES_BASE + self->named * ENTITIES_SHARE / 1000));
}

static unsigned
topic_term(const struct score_self *self, const struct score_card *other,
    unsigned keywords)
{
	unsigned words = at_most_full((uint64_t)keywords * TOPIC_KEYWORDS /
	    1000);
	uint64_t shared = weigh_shared(&self->chains, other->hashes.chains,
	    other->n_chains);

	if (shared > 0)
		shared = at_most_full(shared * TOPIC_CHAINS /
		    self->thread->chains.count);
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

/* Less by what is said that the other thread does not know. */
static uint64_t
lean_less(uint64_t lean, uint64_t said, const struct score *s)
{
	uint64_t strange = said * (SCORE_FULL - s->terms[SCORE_keyword]) /
	    SCORE_FULL;

	return lean * LEAN_OWN / (LEAN_OWN + strange);
}

static unsigned
lean_of(const struct score_self *self, const struct score *s)
{
	const struct msg_link_thread *thread = self->thread;
	unsigned recency = s->terms[SCORE_recency];
	uint64_t lean = lean_less(thread->lean * recency / SCORE_FULL,
	    thread->own_weight, s), back;

	back = self->returns ? lean_less((uint64_t)RETURNS_LEAN * recency /
	    SCORE_FULL, self->keywords_all, s) : 0;
	return at_most_full(lean > back ? lean : back);
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
    const struct score_card *candidate, int64_t age_ms, int64_t window_ms,
    bool latest)
{
	struct score s = { 0 };
	unsigned *t = s.terms;
	size_t i;

	t[SCORE_keyword] = keyword_term(self, candidate);
	t[SCORE_entity] = entity_term(self, candidate, t[SCORE_keyword]);
	t[SCORE_topic] = topic_term(self, candidate, t[SCORE_keyword]);
	t[SCORE_recency] = recency_term(age_ms, window_ms);
	for (i = 0; self->returns && i < SCORE_recency; i++)
		t[i] = at_most_full((uint64_t)t[i] * RETURNS_MORE / 1000);
	if (latest)
		s.lean = lean_of(self, &s);
	for (i = 0; i < SCORE_recency; i++)
		t[i] += s.lean * (SCORE_FULL - t[i]) / SCORE_FULL;
	s.value = score_value(rules, t);
	return s;
}
