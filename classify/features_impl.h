/*
 * features_impl - what the files of features share; nobody else includes this
 *
 *	features_tokens.c   a text to tokens
 *	features.c          tokens to features
 *	features_why.c      features to words, for people
 */
#ifndef CLASSIFY_FEATURES_IMPL_H
#define CLASSIFY_FEATURES_IMPL_H

#include "classify/features.h"

/* Which shape or pair a feature tells: its `detail`. */
enum shape { SHAPE_length, SHAPE_end, SHAPE_questions, SHAPE_fillers,
	SHAPE_repeats, SHAPE_sentences, SHAPE_gap, SHAPE_none };

enum pair { PAIR_same, PAIR_same_whole, PAIR_same_end, PAIR_same_start,
	PAIR_same_length, PAIR_end_whole, PAIR_end_start, PAIR_start_whole,
	PAIR_start_start, PAIR_last_whole, PAIR_length_whole, PAIR_whole_whole,
	PAIR_overlap, PAIR_echo };

/* What stands before the first word of a text and behind the last. */
enum { EDGE_start = 0x5bd1e995, EDGE_end = 0x1b873593 };

static inline uint32_t
mix(uint32_t h)
{
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	h *= 0xc2b2ae35u;
	return h ^ h >> 16;
}

/* Joining is half done with what follows alone, which is often the same. */
static inline uint32_t
to_join(uint32_t more)
{
	return mix(more + 0x7f4a7c15u);
}

static inline uint32_t
join_made(uint32_t h, uint32_t made)
{
	return (h << 5 | h >> 27) * 0x9e3779b1u ^ made;
}

static inline uint32_t
join(uint32_t h, uint32_t more)
{
	return join_made(h, to_join(more));
}

enum { HASH_SEED = 2166136261u };

static inline uint32_t
hash_step(uint32_t h, char c)
{
	return (h ^ (unsigned char)c) * 16777619u;
}

static inline uint32_t
hash_bytes(const char *ptr, size_t len)
{
	uint32_t h = HASH_SEED;

	for (size_t i = 0; i < len; i++)
		h = hash_step(h, ptr[i]);
	return mix(h);
}

static inline struct slice
token_text(const struct tokens *t, unsigned i)
{
	return slice_of(t->list[i].text, t->list[i].len);
}

/* Of a text longer than `look` its beginning and its end. */
void features_tokens(struct tokens *t, struct slice s, size_t look);

#endif
