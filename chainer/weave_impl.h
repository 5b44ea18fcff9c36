/*
 * weave_impl - what the files of weave share
 */
#ifndef CHAINER_WEAVE_IMPL_H
#define CHAINER_WEAVE_IMPL_H

#include "chainer/cues.h"
#include "chainer/weave.h"

enum {
	WEAVE_LOOKED_UP = 16,	/* candidates that the index gives */
	WEAVE_CANDIDATES = 1 + WORK_TALK_RECENT + WORK_RECENT +
	    WEAVE_LOOKED_UP,
};

/* One turn on its way. */
struct weave_turn {
	size_t i;
	struct slice user, role, text, id, reply_to;
	const struct msg_c_turn *c;
	struct cues cues;
	bool several;		/* people speak here: who answers whom */
	struct window_view heard;
	struct reply_message now;
	struct msg_said before;	/* the turn that it follows */
	bool follows;
	const struct msg_chain *adjacent;	/* its chain, or NULL */
	uint64_t chain;		/* of its main claim; 0: none */
	struct msg_h_turn *out;
};

/* The chains that a claim may belong to. */
struct weave_field {
	struct candidate c[WEAVE_CANDIDATES];
	int64_t age[WEAVE_CANDIDATES];	/* of those yet to be weighed */
	size_t n;
	uint64_t asked[2 * WEAVE_CANDIDATES];	/* and what it led to */
	size_t n_asked;
	uint64_t seen;		/* a bit for each: what has none was not asked */
};

static inline bool
weave_is_people(const struct weave_turn *t)
{
	return !slice_is(t->role, "assistant") && !slice_is(t->role, "tool");
}

static inline bool
weave_is_asking(struct slice act)
{
	return slice_is(act, "question") || slice_is(act, "request");
}

/* weave_before.c: what a turn follows, and what later ones hear of it */
void weave_listen(struct weave *v, struct weave_turn *t);
void weave_find_before(struct weave *v, struct weave_turn *t);
/* The turn is now part of the talk, in the chain that was found for it. */
void weave_speak(struct weave *v, struct weave_turn *t);

/* weave_claim.c: the chain of each claim, or of a turn without any */
struct topic weave_topic(struct arena *arena, const struct msg_c_claim *claim);
void weave_claim(struct weave *v, struct weave_turn *t, size_t nth);
void weave_short(struct weave *v, struct weave_turn *t);

/* weave_course.c: where the talk of one user goes; false: it does not say */
bool weave_course(struct weave *v, struct weave_turn *t,
    const struct topic *claim, const struct chain_signs *signs,
    struct weave_field *f, struct choice *out);
void weave_look_further(struct weave *v, const struct weave_turn *t,
    const struct topic *claim, const struct chain_signs *signs,
    struct weave_field *f);

/* weave_step.c: steps in the lives of chains, noted in the section */
struct msg_h_update *weave_add_update(struct weave *v, enum chain_kind kind,
    uint64_t ref, size_t turn, struct slice reason);
void weave_note_chain(struct weave *v, struct weave_turn *t, uint64_t ref);
/* Carries a choice out, for a claim or, nth SIZE_MAX, for a turn without. */
void weave_take_step(struct weave *v, struct weave_turn *t,
    const struct choice *choice, const struct topic *claim, size_t nth,
    const struct weave_field *f);
void weave_conclude(struct weave *v, size_t turn, uint64_t ref,
    struct slice how);

#endif
