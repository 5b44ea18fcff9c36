/*
 * score - how much a thread looks like the continuation of an earlier one
 *
 * Pure, and whole numbers throughout: terms, weights and scores are
 * thousandths, so that the same log gives the same links on every machine.
 *
 *	score = keywords x 0.3 + entities x 0.3 + topics x 0.2 + recency x 0.2
 *
 * The four weights and the threshold are settings, and tuning moves them.
 * What each term counts is said at score_of, and in docs/LINKING.md.
 */
#ifndef LINKER_SCORE_H
#define LINKER_SCORE_H

#include <stdbool.h>
#include <stdint.h>

#include "common/msg.h"
#include "linker/profile.h"

enum score_term {
	SCORE_keyword,
	SCORE_entity,
	SCORE_topic,
	SCORE_recency,
	SCORE_TERMS
};

enum {
	SCORE_FULL = 1000,
	SCORE_TYPICAL = 12,	/* threads of a day: see score_rarity */
	SCORE_NAME = 1000,	/* weight of a name among entities */
	SCORE_NUMBER = 300,	/* of a date or a quantity: many share them */
};

struct score_rules {
	unsigned weights[SCORE_TERMS];
	unsigned threshold;	/* a score above it says: link */
};

/* What a thread is compared by. */
struct score_card {
	int64_t last_activity_at;
	unsigned n_keywords, n_entities, n_chains;
	struct profile_hashes hashes;
};

/*
 * The words of a list and what each is worth.  A slot has one more than the
 * place of a word, or 0: few are taken, and most looks end at once.
 */
struct score_words {
	const uint64_t *hashes;
	uint64_t worth[PROFILE_KEYWORDS];
	unsigned char slots[256];
};

/*
 * The thread that is looked at, with what its words are worth.  It is compared
 * with many: its words are found by hash.
 */
struct score_self {
	const struct msg_link_thread *thread;
	struct score_words keywords, entities, chains;
	uint64_t keywords_all;		/* their weight, by rarity */
	uint64_t named;			/* the entities' weight */
	bool returns;			/* its user says so */
};

struct score {
	unsigned terms[SCORE_TERMS];
	unsigned lean;		/* what of it came from an elliptic opening */
	unsigned value;
};

/*
 * How much a word tells that `having` of a stream's `threads` earlier threads
 * have: full for one that a single thread has, less for what is in many.  Of
 * a long history only the proportion counts, as if it were a day's.
 */
unsigned score_rarity(uint64_t having, uint64_t threads);

void score_card_fill(struct score_card *card,
    const struct msg_link_thread *thread,
    const struct profile_hashes *hashes);
/*
 * With how rare each keyword and each entity is.  The thread and its hashes
 * must live as long as the result.
 */
void score_prepare(struct score_self *self,
    const struct msg_link_thread *thread,
    const struct profile_hashes *hashes, const unsigned *keyword_rarity,
    const unsigned *entity_rarity);
/*
 * `age_ms` lies between the candidate's end and the thread's beginning;
 * `latest` says that no other thread of the stream lies between.
 */
struct score score_of(const struct score_rules *rules,
    const struct score_self *self, const struct score_card *candidate,
    int64_t age_ms, int64_t window_ms, bool latest);
unsigned score_value(const struct score_rules *rules, const unsigned *terms);

#endif
