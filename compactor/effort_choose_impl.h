/*
 * effort_choose_impl - what speaks for an effort, for effort_choose,
 * effort_verdict and effort_room
 */
#ifndef COMPACTOR_EFFORT_CHOOSE_IMPL_H
#define COMPACTOR_EFFORT_CHOOSE_IMPL_H

#include "compactor/effort.h"
#include "compactor/stance.h"

/* The efforts that the three speak for; each may be NULL. */
struct voices {
	const struct msg_a_said *answered;
	struct msg_a_work *adjacent;	/* of the turn that this one answers */
	struct msg_a_work *chain;	/* with the chain of the turn */
	struct msg_a_work *alike;	/* open, with most words in common */
	uint64_t likeness;
	uint64_t near;			/* likeness of the adjacent one */
	struct msg_a_work *before;	/* over, with most words in common */
	uint64_t likeness_before;
	bool room;
	/* Of whose turn the model is asked, when first it is. */
	const struct effort_state *state;
	const struct compact_turn *turn;
	struct heard *heard;
};

/* What the model has said of a user's turn. */
struct heard {
	bool asked;
	struct stances says;
};

bool voices_is_owner(const struct msg_a_work *w, const struct compact_turn *t);
/* What the other side has said is done, and the owner had nothing against. */
bool voices_is_reported(const struct msg_a_work *w,
    const struct compact_turn *t);
/* Something was proposed or done, so that a turn can tell how it went. */
bool voices_is_offered(const struct msg_a_work *w,
    const struct compact_turn *t);
/*
 * What was asked for has just been given: an answer, a text, a command.  Among
 * people it is advice, and yet to be tried.
 */
bool voices_is_given(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v);
bool voices_answer_question(const struct voices *v);
/* "Yes, that is correct" ends nothing: it is about to begin. */
bool voices_confirm(const struct voices *v);
/* The owner tells of a problem after something was tried. */
bool voices_tell_outcome(const struct compact_turn *t,
    const struct msg_a_work *w);
/* What was proposed or done in the turn before has not helped. */
bool voices_tell_failure(const struct compact_turn *t,
    const struct msg_a_work *w, const struct voices *v);
/*
 * Thanks end what was reported as done, or given when it was asked for; "yes"
 * does not.  To a proposal they are no more than polite, unless they come with
 * what it did.  Praise is said of what has done it.
 */
bool voices_accept(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v);
/* Words that tell something: a request of its own has some. */
size_t effort_word_count(const struct msg_c_turn *does);

/* ---- effort_stance.c: what the model says, where it is sure ---- */

/* It begins something; it begins nothing, whatever a rule says. */
bool voices_sound_open(const struct voices *v);
bool voices_sound_shut(const struct voices *v);
/* All is well with the effort; all is not. */
bool voices_sound_well(const struct msg_a_work *w,
    const struct compact_turn *t, const struct voices *v);
bool voices_sound_unsure(const struct voices *v);
/* What was proposed or done did not help. */
bool voices_sound_bad(const struct msg_a_work *w,
    const struct compact_turn *t, const struct voices *v);

/* ---- effort_room.c ---- */

/* The latest open one of the speaker, but for one. */
struct msg_a_work *voices_latest_open(const struct effort_state *s,
    const struct compact_turn *t, const struct msg_a_work *but);
/* In a room: the only one that the speaker has brought, not long ago. */
bool room_is_recent(const struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_work *w);
/*
 * In a room, what another is told or told to do is not the speaker's effort,
 * nor is what he goes on to say where none of his is at hand.
 */
bool room_is_advice(const struct effort_state *s, const struct compact_turn *t,
    const struct voices *v);
/*
 * In a room, what is said to be wrong right after another has brought a
 * problem, to nobody and of nobody's own, is said of that problem.
 */
struct msg_a_work *room_remarked_on(const struct effort_state *s,
    const struct compact_turn *t, const struct effort_signs *signs,
    const struct voices *v);
/*
 * In a room, what answers nothing that is known goes on with what the turn
 * before is about, as long as that is another's.
 */
struct msg_a_work *room_talked_of(const struct effort_state *s,
    const struct compact_turn *t, const struct voices *v);
/* In a room whoever closes the talk may say it: the choice at hand, if any. */
struct msg_a_work *room_settled_in(const struct effort_state *s,
    const struct compact_turn *t, struct msg_a_work *w);

#endif
