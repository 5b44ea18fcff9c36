/*
 * sketch - what comparing needs to know of a topic, found out once
 *
 * Hashes of its words, its subject's letters, and its gist.  Where both have
 * the same 64 bits it is the same word, as in the index: the letters are far
 * from the processor.  All else that a sketch says is exact, or only spares a
 * comparison that would have failed.
 */
#ifndef CHAINER_SKETCH_H
#define CHAINER_SKETCH_H

#include "chainer/chain.h"

enum { FUZZY_BYTES = 160, SEEN_WORDS = 4, GIST_DIMS = 128 };
enum { GIST_CHANGES = 8 };

/* A bit for each hash: what has none was not seen. */
struct seen {
	uint64_t bits[SEEN_WORDS];
};

/* A list's words by their hashes, and what each weighs, in its order. */
struct hashes {
	uint64_t *at, *weights;
	size_t n;
	struct seen seen;
};

struct letters {
	size_t n;
	size_t hidden;		/* pairs that share their bit with another */
	struct seen pairs;
	char at[FUZZY_BYTES];
};

/* What the keywords mean together, or a text; see meaning.h. */
struct gist {
	uint64_t stamp;		/* of the words it was made of; 0: not yet */
	bool of_text;
	int length;		/* 0: it means nothing that is known */
	int16_t at[GIST_DIMS];
	int32_t sum[GIST_DIMS];	/* of which `at` is the direction */
};

/*
 * The hashes of words that came and went since a gist was made: to add and to
 * take off these few gives the same as to make it anew.
 */
struct change {
	uint64_t since;		/* the stamp of then; 0: more than can be told */
	size_t n_come, n_gone;
	uint64_t come[GIST_CHANGES], gone[GIST_CHANGES];
};

struct sketch {
	uint64_t stamp;		/* no other list of keywords has it */
	struct gist *gist;	/* found when it is first asked for */
	struct hashes keywords, entities;
	uint64_t weight;	/* of all keywords */
	struct letters subject;
	struct change change;
};

enum {
	/* Of one that is kept, with a gist and a chain's hashes and weights. */
	SKETCH_BYTES = sizeof(struct sketch) + sizeof(struct gist) +
	    2 * (CHAIN_KEYWORDS + CHAIN_ENTITIES) * sizeof(uint64_t),
};

static inline uint64_t
topic_weight(const struct topic *t)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < t->keywords.count && i < t->weights.count; i++)
		sum += t->weights.at[i];
	return sum;
}

static inline void
seen_add(struct seen *seen, uint64_t hash)
{
	seen->bits[hash / 64 % SEEN_WORDS] |= UINT64_C(1) << hash % 64;
}

static inline bool
seen_has(const struct seen *seen, uint64_t hash)
{
	return seen->bits[hash / 64 % SEEN_WORDS] >> hash % 64 & 1;
}

static inline bool
seen_apart(const struct seen *a, const struct seen *b)
{
	uint64_t both = 0;
	size_t i;

	for (i = 0; i < SEEN_WORDS; i++)
		both |= a->bits[i] & b->bits[i];
	return both == 0;
}

/* How many bits both have: best asked where the machine counts (COUNTING). */
static inline size_t
seen_both(const struct seen *a, const struct seen *b)
{
	size_t i, n = 0;

	for (i = 0; i < SEEN_WORDS; i++)
		n += (size_t)__builtin_popcountll(a->bits[i] & b->bits[i]);
	return n;
}

uint64_t sketch_hash(struct slice word);
/*
 * It will be compared with a claim: what that takes comes nearer meanwhile;
 * the gist where meanings are compared.
 */
void sketch_approach(const struct sketch *s, const struct sketch *claim,
    bool meant);
/* Letters and digits, folded, one space between words. */
void letters_read(struct letters *l, struct arena *arena, struct slice s);
/* The hash of two letters that follow one another. */
static inline uint32_t
letters_pair(const struct letters *l, size_t i)
{
	return (unsigned char)l->at[i] * 31u +
	    (unsigned char)l->at[i + 1] * 7u;
}

/*
 * One of the same subject, with room for as many other words, whose changes
 * are to be told.  They share a gist: it is that of whom it was last asked for.
 */
struct sketch *sketch_again(struct arena *arena, const struct sketch *s,
    size_t n_keywords, size_t n_entities);
void change_add(struct change *c, uint64_t hash);
void change_take_off(struct change *c, uint64_t hash);
/* Puts a copy in *kept's place, which is NULL or such a copy: free it. */
void sketch_keep(struct sketch **kept, const struct sketch *s);

#endif
