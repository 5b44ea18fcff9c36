/*
 * tuning - weights and threshold refitted on what decisions turned out to be
 *
 * Pure and exact: all weights in steps of a twentieth and all thresholds in
 * steps of a hundredth are tried, so the same decisions give the same values
 * on every machine.  A fourth of the decisions is held back; what was found is
 * kept only if it is better on the others and no worse on these.  Values near
 * to those in force are preferred, so that a few outcomes move little.
 */
#ifndef LINKER_TUNING_H
#define LINKER_TUNING_H

#include "linker/score.h"

enum {
	TUNING_WINDOW = 400,	/* the latest decisions that are looked at */
	TUNING_LEAST = 20,	/* fewer with an outcome tell nothing */
	TUNING_HOLD = 4,	/* one of so many is held back */
	TUNING_OTHERS = 3,	/* threads that lost to the one decided on */
	TUNING_SIGNALS = 8,	/* that a prompt names */
	TUNING_REPEATS = 2,	/* a signal counts when it was seen so often */
};

struct tuning_sample {
	unsigned terms[SCORE_TERMS];
	/* Whether one of these is related nobody said: to link it is no gain. */
	unsigned others[TUNING_OTHERS][SCORE_TERMS];
	size_t n_others;
	bool related;		/* what was right, known by now */
	uint64_t number;	/* of the decision */
	/* A model's verdict, where there was one. */
	bool judged, model_related, score_related;
	const struct msg_strs *signals;
};

/* In thousandths; a rate of none is 0. */
struct tuning_rates {
	unsigned accuracy, false_positives, false_negatives;
};

struct tuning_result {
	struct score_rules rules;	/* those found; as before if not kept */
	bool kept;
	size_t samples, held_back;
	struct tuning_rates before, after;	/* on the held-back ones */
	size_t disagreements, model_right;
};

/*
 * What rules make of a sample: the score of the thread they would choose, and
 * whether a link to it is known to be right.
 */
struct tuning_reading {
	unsigned score;
	bool good;
};

bool tuning_holds_back(uint64_t number);
struct tuning_reading tuning_read(const struct score_rules *rules,
    const struct tuning_sample *sample);
struct tuning_rates tuning_measure(const struct score_rules *rules,
    const struct tuning_sample *samples, size_t n, bool held_back);
/* Of at most TUNING_WINDOW samples. */
void tuning_fit(const struct score_rules *now,
    const struct tuning_sample *samples, size_t n, struct tuning_result *out);
/* The record's reason, in words. */
struct slice tuning_reason(struct arena *arena,
    const struct tuning_result *result);
/*
 * What the score or the model missed where the other was right: the model's
 * own words, and the terms of the score by name; the most frequent first.
 */
struct msg_strs tuning_signals(struct arena *arena,
    const struct tuning_sample *samples, size_t n);

#endif
