/*
 * trigger - all triggers of all packages, matched in one pass over a turn
 *
 * Acts, flags and times are classify's; of the triggers that they leave, the
 * patterns of all packages are looked for together in each sentence of the
 * speaker's own words; then what the matching ones must not have.
 */
#ifndef COMPACTOR_TRIGGER_H
#define COMPACTOR_TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "compactor/package.h"
#include "compactor/summary.h"

/* A turn as triggers and fields read it. */
struct trigger_turn {
	struct summary_turn said;
	int64_t ts;
	uint64_t number;	/* within its thread */
	struct slice user;
};

struct trigger_deed;
struct pattern_text;

/* What a turn sets off for one package. */
struct trigger_fire {
	unsigned opens, concludes;	/* 0 to 1000; 0: it does not */
	struct slice opened_by;		/* the triggers' names */
	struct slice concluded_by;
	size_t sentence;		/* where the opening one fired */
};

/* Lives in the arena. */
struct trigger_result {
	const struct trigger_turn *turn;
	struct summary_sentence *sentences;
	size_t n_sentences;
	struct trigger_fire *fires;	/* by place of the package */
	/* trigger.c's own */
	struct packages *set;
	struct arena *arena;
	struct trigger_deed *deeds;	/* of the turn, and of each sentence */
	struct trigger_deed *kinds;	/* of these, those that differ */
	size_t n_kinds;
	bool dated;			/* it names a date */
	struct pattern_text *words;	/* by sentence; none: not read yet */
	size_t id_words;		/* of a set of patterns */
	uint64_t *matched;		/* by sentence: the patterns found */
	uint64_t *anywhere;		/* all of these */
};

/* Not const: the automaton's cache is filled as texts need it. */
void triggers_match(struct packages *packages, struct arena *arena,
    const struct trigger_turn *turn, struct trigger_result *out);
/* Did the pattern match the sentence? */
bool trigger_matched(const struct trigger_result *r, int id, size_t sentence);
/* The time that a date's normal form spans; false: it is none. */
bool trigger_time(struct slice normal, int64_t *first, int64_t *last);

#endif
