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

/* All zero is a thread in which nothing was said. */
struct thread_state {
	bool begun;
	enum act prev_act;
	enum speaker prev_speaker;
	bool effort_open;
	bool solution_offered;
	/*
	 * How much people have weighed lately what could be done, in thousandths
	 * of a turn, and how much of it the one who did so last.
	 */
	uint64_t weighed, weighed_alone;
	/* The same over a longer time, and how much of it said "we". */
	uint64_t weighed_long, together;
	uint64_t rest;		/* turns until something can be settled again */
};

/* `same` says whether the person who speaks now also spoke before. */
struct act_context thread_context(const struct thread_state *state,
    struct slice prev_text, enum speaker speaker, bool same);
/* Turns of tools and of the system change nothing. */
struct thread_state thread_state_after(struct thread_state state,
    enum speaker speaker, const struct act_verdict *verdict);

/*
 * Whether what is said now can settle something: others than the speaker have
 * weighed it, as something they do together, and nothing was settled just now.
 * `same` says whether the speaker is who did so last.
 */
bool thread_was_weighed(const struct thread_state *state, bool same);
/* Whether that has gone on for so long that less firm words settle it. */
bool thread_was_debated(const struct thread_state *state, bool same);

/* What a turn adds to that. */
struct weighing {
	bool weighs;		/* what could be done */
	bool together;		/* it says "we" */
	bool same;		/* the speaker is who weighed last */
};

void thread_weigh(struct thread_state *state, enum speaker speaker,
    struct weighing turn);

#endif
