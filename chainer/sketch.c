/*
 * sketch - what comparing needs to know of a topic, found out once
 */
#include "chainer/sketch.h"

#include <xxhash.h>

#include "chainer/chain.h"
#include "common/text.h"
#include "common/xmalloc.h"

uint32_t
sketch_hash(struct slice word)
{
	return (uint32_t)XXH3_64bits(word.ptr, word.len);
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
	size_t i;

	l->n = plain_letters(arena, s, l->at);
	l->pairs = (struct seen){ { 0 } };
	l->hidden = 0;
	for (i = 0; i + 1 < l->n; i++)
		seen_add(&l->pairs, letters_pair(l, i));
	if (l->n > 1)
		l->hidden = l->n - 1 - seen_both(&l->pairs, &l->pairs);
}

/* The gist and the hashes stand behind the sketch. */
static size_t
bytes_of(size_t n_keywords, size_t n_entities)
{
	return sizeof(struct sketch) + sizeof(struct gist) +
	    (n_keywords + n_entities) * sizeof(uint32_t);
}

static void
place_hashes(struct sketch *s, size_t n_keywords, size_t n_entities)
{
	s->n_keywords = n_keywords;
	s->n_entities = n_entities;
	s->keywords.at = (uint32_t *)(s + 1);
	s->entities.at = s->keywords.at + n_keywords;
	s->gist = (struct gist *)(s->entities.at + n_entities);
}

static void
hash_list(const struct msg_strs *list, struct hashes *out)
{
	size_t i;

	out->seen = (struct seen){ { 0 } };
	for (i = 0; i < list->count; i++) {
		out->at[i] = sketch_hash(list->at[i]);
		seen_add(&out->seen, out->at[i]);
	}
}

const struct sketch *
sketch_topic(struct arena *arena, const struct topic *t)
{
	size_t k = t->keywords.count, e = t->entities.count;
	struct sketch *s = arena_room(arena, bytes_of(k, e));

	place_hashes(s, k, e);
	s->gist->found = false;
	s->weight = topic_weight(t);
	hash_list(&t->keywords, &s->keywords);
	hash_list(&t->entities, &s->entities);
	letters_read(&s->subject, arena, t->subject);
	return s;
}

struct sketch *
sketch_again(struct arena *arena, const struct sketch *s, size_t n_keywords,
    size_t n_entities)
{
	struct sketch *again = arena_room(arena,
	    bytes_of(n_keywords, n_entities));

	again->subject = s->subject;
	memset(&again->keywords.seen, 0, sizeof(again->keywords.seen));
	memset(&again->entities.seen, 0, sizeof(again->entities.seen));
	place_hashes(again, n_keywords, n_entities);
	again->gist->found = false;
	return again;
}

static size_t
larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* A copy has room for as much as a chain remembers: it grows once. */
void
sketch_keep(struct sketch **kept, const struct sketch *s)
{
	size_t k = s->n_keywords, e = s->n_entities;
	size_t bytes = bytes_of(k, e);

	if (*kept == NULL || k > CHAIN_KEYWORDS || e > CHAIN_ENTITIES)
		*kept = xrealloc(*kept, bytes_of(larger(k, CHAIN_KEYWORDS),
		    larger(e, CHAIN_ENTITIES)));
	/* A gist that nobody has asked for is empty. */
	memcpy(*kept, s, s->gist->found ? bytes :
	    bytes - sizeof(s->gist->at));
	place_hashes(*kept, k, e);
}
