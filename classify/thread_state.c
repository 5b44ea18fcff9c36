/*
 * thread_state - the little that classify remembers of a thread
 *
 *	opens ──► effort open ──► solution offered ──► concluded (none open)
 *	               ▲                │
 *	               └── rejected ────┘
 */
#include "classify/thread_state.h"

/*
 * Where people come to a decision they weigh what could be done; elsewhere in
 * the same meeting they tell, show and arrange.  No single turn shows it well,
 * the words of many do: three averages over the turns, half of which is
 * forgotten after 5, 20 and 80 of them, are added up.  A turn of no leaning
 * counts PLAIN, so that a thread must last a while before it weighs anything.
 * Just after something was settled more is asked for, and less with each turn,
 * so that one long debate does not speak for all that is said; but never more
 * than SURELY.  The numbers are those of classify/train/leaning-words.
 */
enum {
	TURN = 1000,
	PLAIN = 2,
	LEANING_MOST = 40,	/* of one turn, however long it is */
	WEIGHED = 11105,
	JUST_SETTLED = 22170,
	SURELY = 16860,
	REST_TURNS = 20,
};

static const int64_t kept_of_1000[LEANING_SPANS] = { 871, 966, 991 };

/*
 * Who decides together says "we", and not much less often than "I": people who
 * help one another weigh as much and settle nothing.
 */
enum {
	SAID_KEPT_OF_1000 = 993,	/* the hundredth power is a half */
	SAID_WE = 7000,			/* about one turn in twenty */
	I_FOR_WE = 3,
	OTHERS_KEPT_OF_1000 = 966,	/* the twentieth power is a half */
	SOME_OTHERS = 3000,		/* about one turn in ten */
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

static int64_t
leaning_of(const struct thread_state *state)
{
	int64_t sum = 0;

	for (int i = 0; i < LEANING_SPANS; i++)
		sum += state->leaning[i] * (1000 - kept_of_1000[i]) / 1000;
	return sum;
}

bool
thread_is_together(const struct thread_state *state)
{
	return state->together >= SAID_WE &&
	    state->together * I_FOR_WE >= state->alone &&
	    state->others >= SOME_OTHERS;
}

bool
thread_was_weighed(const struct thread_state *state)
{
	int64_t more = (JUST_SETTLED - WEIGHED) * (int64_t)state->rest;
	int64_t asked = WEIGHED + more / REST_TURNS;

	return thread_is_together(state) &&
	    leaning_of(state) >= (asked < SURELY ? asked : SURELY);
}

static uint64_t
count_turn(uint64_t before, uint64_t kept_of_thousand, bool counts)
{
	return before * kept_of_thousand / 1000 + (counts ? TURN : 0);
}

/* What an assistant says only lets time go by. */
void
thread_weigh(struct thread_state *state, enum speaker speaker,
    struct weighing turn)
{
	bool user = speaker == SPEAKER_user;
	int64_t leaning = turn.leaning;

	if (leaning > LEANING_MOST)
		leaning = LEANING_MOST;
	else if (leaning < -LEANING_MOST)
		leaning = -LEANING_MOST;
	for (int i = 0; i < LEANING_SPANS; i++) {
		state->leaning[i] = state->leaning[i] * kept_of_1000[i] / 1000;
		if (user)
			state->leaning[i] += (leaning + PLAIN) * TURN;
	}
	state->together = count_turn(state->together, SAID_KEPT_OF_1000,
	    user && turn.together);
	state->alone = count_turn(state->alone, SAID_KEPT_OF_1000,
	    user && turn.alone);
	state->others = count_turn(state->others, OTHERS_KEPT_OF_1000,
	    user && turn.other);
}
