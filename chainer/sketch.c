/*
 * sketch - what comparing needs to know of a topic, found out once
 */
#include "chainer/sketch.h"

#include <stddef.h>
#include <xxhash.h>

#include "chainer/chain.h"
#include "common/text.h"
#include "common/xmalloc.h"

enum { LINE = 64 };	/* bytes of memory that come nearer at once */

uint64_t
sketch_hash(struct slice word)
{
	return XXH3_64bits(word.ptr, word.len);
}

static size_t
plain_letters(struct arena *arena, struct slice s, char out[FUZZY_BYTES])
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

void
letters_read(struct letters *l, struct arena *arena, struct slice s)
{
	uint32_t pair;
	size_t i;

	l->n = plain_letters(arena, s, l->at);
	l->pairs = (struct seen){ { 0 } };
	l->hidden = 0;
	for (i = 0; i + 1 < l->n; i++) {
		pair = letters_pair(l, i);
		l->hidden += seen_has(&l->pairs, pair);
		seen_add(&l->pairs, pair);
	}
}

static size_t
hashes_bytes(size_t n_keywords, size_t n_entities)
{
	return 2 * (n_keywords + n_entities) * sizeof(uint64_t);
}

/* A gist of its own and then the hashes stand behind the sketch. */
static size_t
bytes_of(size_t n_keywords, size_t n_entities)
{
	return sizeof(struct sketch) + sizeof(struct gist) +
	    hashes_bytes(n_keywords, n_entities);
}

/* All hashes, then all weights. */
static void
place_hashes(struct sketch *s, uint64_t *at, size_t n_keywords,
    size_t n_entities)
{
	s->keywords.n = n_keywords;
	s->entities.n = n_entities;
	s->keywords.at = at;
	s->entities.at = at + n_keywords;
	s->keywords.weights = s->entities.at + n_entities;
	s->entities.weights = s->keywords.weights + n_keywords;
}

static uint64_t
new_stamp(void)
{
	static uint64_t last;	/* for the process's life */

	return ++last;
}

static void
hash_list(const struct msg_strs *list, const struct msg_u64s *weights,
    struct hashes *out)
{
	size_t i;

	out->seen = (struct seen){ { 0 } };
	for (i = 0; i < list->count; i++) {
		out->at[i] = sketch_hash(list->at[i]);
		seen_add(&out->seen, out->at[i]);
		out->weights[i] = i < weights->count ? weights->at[i] : 0;
	}
}

const struct sketch *
sketch_topic(struct arena *arena, const struct topic *t)
{
	size_t k = t->keywords.count, e = t->entities.count;
	struct sketch *s = arena_room(arena, bytes_of(k, e));

	s->stamp = new_stamp();
	s->gist = (struct gist *)(s + 1);
	s->gist->stamp = 0;
	s->gist->of_text = false;
	s->change.since = 0;
	place_hashes(s, (uint64_t *)(s->gist + 1), k, e);
	s->weight = topic_weight(t);
	hash_list(&t->keywords, &t->weights, &s->keywords);
	hash_list(&t->entities, &t->entity_weights, &s->entities);
	letters_read(&s->subject, arena, t->subject);
	return s;
}

struct sketch *
sketch_again(struct arena *arena, const struct sketch *s, size_t n_keywords,
    size_t n_entities)
{
	struct sketch *again = arena_room(arena, sizeof(*again) +
	    hashes_bytes(n_keywords, n_entities));

	again->stamp = new_stamp();
	again->gist = s->gist;
	if (s->gist->stamp != s->stamp)
		again->change = s->change;
	else {
		again->change.since = s->stamp;
		again->change.n_come = again->change.n_gone = 0;
	}
	again->subject = s->subject;
	memset(&again->keywords.seen, 0, sizeof(again->keywords.seen));
	memset(&again->entities.seen, 0, sizeof(again->entities.seen));
	place_hashes(again, (uint64_t *)(again + 1), n_keywords, n_entities);
	return again;
}

static inline void
approach(const void *at, size_t len)
{
	size_t i;

	for (i = 0; i < len; i += LINE)
		__builtin_prefetch((const char *)at + i);
}

static inline void
approach_hashes(const struct hashes *h, const struct hashes *others)
{
	if (!seen_apart(&h->seen, &others->seen))
		approach(h->at, h->n * sizeof(h->at[0]));
}

void
sketch_approach(const struct sketch *s, const struct sketch *claim, bool meant)
{
	approach_hashes(&s->keywords, &claim->keywords);
	approach_hashes(&s->entities, &claim->entities);
	if (meant)
		approach(s->gist, offsetof(struct gist, sum));
}

void
change_add(struct change *c, uint64_t hash)
{
	if (c->since == 0)
		return;
	if (c->n_come < GIST_CHANGES)
		c->come[c->n_come++] = hash;
	else
		c->since = 0;
}

void
change_take_off(struct change *c, uint64_t hash)
{
	if (c->since == 0)
		return;
	if (c->n_gone < GIST_CHANGES)
		c->gone[c->n_gone++] = hash;
	else
		c->since = 0;
}

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* What a look asks of it is in the fewest lines of memory. */
static void *
room_for(struct sketch *kept, size_t bytes)
{
	return kept == NULL ? xaligned(LINE, bytes) : xrealloc(kept, bytes);
}

/* A copy has room for as much as a chain remembers: it grows once. */
void
sketch_keep(struct sketch **kept, const struct sketch *s)
{
	size_t k = s->keywords.n, e = s->entities.n;
	bool shares = *kept != NULL && s->gist == (*kept)->gist;
	struct gist *gist;

	if (*kept == NULL || k > CHAIN_KEYWORDS || e > CHAIN_ENTITIES)
		*kept = room_for(*kept, bytes_of(larger(k, CHAIN_KEYWORDS),
		    larger(e, CHAIN_ENTITIES)));
	gist = (struct gist *)(*kept + 1);
	/* One that nobody has asked for is empty. */
	if (!shares)
		memcpy(gist, s->gist, s->gist->stamp != 0 ? sizeof(*gist) :
		    offsetof(struct gist, at));
	memcpy(*kept, s, sizeof(*s));
	(*kept)->gist = gist;
	place_hashes(*kept, (uint64_t *)(gist + 1), k, e);
	memcpy((*kept)->keywords.at, s->keywords.at, hashes_bytes(k, e));
}
