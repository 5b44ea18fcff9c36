/*
 * trigger - all triggers of all packages, matched in one pass over a turn
 *
 * Each sentence of the speaker's own words is read once by one automaton that
 * has every pattern of every package; acts, flags and times are classify's.
 * What was found serves triggers and fields alike.
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

/* A pattern that matched a sentence. */
struct trigger_match {
	int id;
	size_t sentence;
};

struct trigger_deed;

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
	struct trigger_match *matches;
	size_t n_matches;
	struct trigger_fire *fires;	/* by place of the package */
	/* trigger.c's own: of the turn, and of each sentence */
	struct trigger_deed *deeds;
	uint64_t matched[4];		/* patterns, by their id's last bits */
};

/* Not const: the automaton's cache is filled as texts need it. */
void triggers_match(struct packages *packages, struct arena *arena,
    const struct trigger_turn *turn, struct trigger_result *out);
/* Did the pattern match the sentence? */
bool trigger_matched(const struct trigger_result *r, int id, size_t sentence);
/* The time that a date's normal form spans; false: it is none. */
bool trigger_time(struct slice normal, int64_t *first, int64_t *last);

#endif
