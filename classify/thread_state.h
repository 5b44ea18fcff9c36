/*
 * thread_state - the little that classify remembers of a thread
 *
 * Pure: what was known, the turn that came, what is known now.  Where it is
 * kept, and the text of the turn before, is the stage's business.
 */
#ifndef CLASSIFY_THREAD_STATE_H
#define CLASSIFY_THREAD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "classify/acts.h"

enum { LEANING_SPANS = 3 };

/* All zero is a thread in which nothing was said. */
struct thread_state {
	bool begun;
	enum act prev_act;
	enum speaker prev_speaker;
	bool effort_open;
	bool solution_offered;
	/* How much was weighed: now, lately, for long; see thread_state.c. */
	int64_t leaning[LEANING_SPANS];
	/* Turns that say "we", that say "I", that another user than before had. */
	uint64_t together, alone, others;
	uint64_t rest;		/* turns for which more must be weighed */
};

/* `same` says whether the person who speaks now also spoke before. */
struct act_context thread_context(const struct thread_state *state,
    struct slice prev_text, enum speaker speaker, bool same);
/* Turns of tools and of the system change nothing. */
struct thread_state thread_state_after(struct thread_state state,
    enum speaker speaker, const struct act_verdict *verdict);

/* Whether several people speak here as people who do something together. */
bool thread_is_together(const struct thread_state *state);
/*
 * Whether what is said now can settle something: such people have weighed what
 * to do, much if something was settled just now.
 */
bool thread_was_weighed(const struct thread_state *state);

/* What a turn adds to that. */
struct weighing {
	int64_t leaning;	/* of its words: rules.h */
	bool together;		/* it says "we" */
	bool alone;		/* it says "I" */
	bool other;		/* another user spoke before */
};

void thread_weigh(struct thread_state *state, enum speaker speaker,
    struct weighing turn);

#endif
