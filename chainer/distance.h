/*
 * distance - how far a claim is from a chain
 *
 * Pure, and whole numbers throughout: every term and the distance itself are
 * thousandths, so that the same log gives the same chains on every machine.
 * The distance runs from 0, the same topic, to 1000, nothing in common.
 *
 * Two formulas:
 *   seed     300 for each entity in common, 300 x fuzzy subject, 200 x Jaccard
 *            of the keywords, 200 x decay over 24 hours
 *   shipped  keywords and entities weighed by how rare they are, what the
 *            words mean, and the conversation itself: the turn before, the
 *            speaker, the wording
 */
#ifndef CHAINER_DISTANCE_H
#define CHAINER_DISTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/msg.h"

enum formula { FORMULA_shipped, FORMULA_seed };

/* A setting's word; anything but "seed" is the shipped one. */
enum formula formula_named(const char *name);
const char *formula_name(enum formula formula);

struct sketch;		/* see sketch.h */

/* What a claim or a chain is about.  Weights go with the list before them. */
struct topic {
	struct slice subject;
	struct msg_strs keywords;
	struct msg_u64s weights;
	struct msg_strs entities;
	struct msg_u64s entity_weights;
	const struct sketch *sketch;	/* NULL: compared the long way */
};

const struct sketch *sketch_topic(struct arena *arena, const struct topic *t);

struct terms {
	unsigned entity;	/* seed: 1000 for each in common */
	unsigned subject;
	unsigned keyword;
	unsigned recency;
	unsigned adjacency;
	int meaning;		/* as meaning.h has it; 0: not asked */
	int cue;
	int course;		/* its score, where course.h compared them */
	unsigned distance;
};

/*
 * The terms of words and time; then what the conversation adds, which may
 * depend on them: `adjacency` 0 to 1000, `meaning` and `cue` -1000 to 1000.
 * The seed's formula looks at none of them.
 */
struct terms distance_terms(enum formula formula, const struct topic *claim,
    const struct topic *chain, int64_t age_ms);
void distance_add(enum formula formula, struct terms *terms,
    unsigned adjacency, int meaning, int cue);
/* What the words alone say of it, without time, place and wording. */
unsigned distance_words(const struct terms *terms);

/* Dice over pairs of letters, case folded. */
unsigned fuzzy_match(struct slice a, struct slice b);
/* e to the power of -age / 24 h; the future counts as now. */
unsigned time_decay(int64_t age_ms);
/* Whether it has the i-th keyword of another. */
bool topic_knows(const struct topic *t, const struct topic *of, size_t i);
/* The weight of the claim's words that the chain does not know. */
uint64_t fresh_weight(const struct topic *claim, const struct topic *chain);
/*
 * How much of the weight of either is in both; 0 where it is surely less than
 * `least`.  For what chains have learned: no word may stand twice in a list.
 */
unsigned topics_alike(const struct topic *a, const struct topic *b,
    unsigned least);

#endif
