/*
 * thread_state - the little that classify remembers of a thread
 *
 *	opens ──► effort open ──► solution offered ──► concluded (none open)
 *	               ▲                │
 *	               └── rejected ────┘
 */
#include "classify/thread_state.h"

/*
 * A decision among people is a firm word after some weighing by several of
 * them.  What was weighed counts half after twelve turns.  Who decides together
 * says "we": people who help one another weigh as much and settle nothing.
 * After a long debate, half of which is forgotten in a hundred turns, plainer
 * words settle things.  What is said at once after such a word belongs to it.
 */
enum {
	WEIGHT = 1000,
	KEPT_OF_1000 = 944,	/* a turn later; the twelfth power is a half */
	MUCH = 2500,
	MUCH_OF_OTHERS = 1000,
	LONG_KEPT_OF_1000 = 993,	/* the hundredth power is a half */
	SOME_TOGETHER = 1500,
	LONG_TOGETHER = 5000,
	LONG = 20000,
	REST_TURNS = 2,
};

struct act_context
thread_context(const struct thread_state *state, struct slice prev_text,
    enum speaker speaker, bool same)
{
	return (struct act_context){
		.prev_text = state->begun ? prev_text : SLICE_NONE,
		.prev_act = state->prev_act,
		.prev_same_speaker = state->begun && same,
		.prev_speaker = state->prev_speaker,
		.speaker = speaker,
		.effort_open = state->effort_open,
		.solution_offered = state->solution_offered,
	};
}

/* A statement or a proposal of the other side may be the solution. */
static bool
offers(enum act act)
{
	return act == ACT_inform || act == ACT_request || act == ACT_commit;
}

struct thread_state
thread_state_after(struct thread_state state, enum speaker speaker,
    const struct act_verdict *verdict)
{
	unsigned flags = verdict->flags;

	if (speaker != SPEAKER_user && speaker != SPEAKER_assistant)
		return state;
	state.begun = true;
	state.prev_act = verdict->act;
	state.prev_speaker = speaker;
	if (flags & FLAG_decides)
		state.rest = REST_TURNS;
	else if (state.rest > 0)
		state.rest--;
	if (speaker == SPEAKER_assistant)
		state.solution_offered |= offers(verdict->act);
	if (flags & FLAG_concludes)
		state.effort_open = state.solution_offered = false;
	if (speaker == SPEAKER_assistant)
		return state;
	if (verdict->act == ACT_reject)
		state.solution_offered = false;
	if (flags & (FLAG_opens | FLAG_returns)) {
		state.effort_open = true;
		state.solution_offered = false;
	}
	return state;
}

bool
thread_was_weighed(const struct thread_state *state, bool same)
{
	uint64_t others = state->weighed;

	if (same)
		others -= state->weighed_alone;
	return state->weighed >= MUCH && others >= MUCH_OF_OTHERS &&
	    state->together >= SOME_TOGETHER && state->rest == 0;
}

bool
thread_was_debated(const struct thread_state *state, bool same)
{
	return thread_was_weighed(state, same) &&
	    state->weighed_long >= LONG && state->together >= LONG_TOGETHER;
}

void
thread_weigh(struct thread_state *state, enum speaker speaker,
    struct weighing turn)
{
	state->weighed_long = state->weighed_long * LONG_KEPT_OF_1000 / 1000;
	state->together = state->together * LONG_KEPT_OF_1000 / 1000;
	state->weighed = state->weighed * KEPT_OF_1000 / 1000;
	state->weighed_alone = state->weighed_alone * KEPT_OF_1000 / 1000;
	if (!turn.weighs || speaker != SPEAKER_user)
		return;
	state->weighed += WEIGHT;
	state->weighed_long += WEIGHT;
	state->weighed_alone = WEIGHT + (turn.same ? state->weighed_alone : 0);
	if (turn.together)
		state->together += WEIGHT;
}
