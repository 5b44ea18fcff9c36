/*
 * effort_late - what the answer shows to have been a problem
 *
 * "Memory of the worker grows until it is killed" could be told for its own
 * sake.  Where the other side answers with what to do about it, it opened an
 * effort.  Until then it waits as a draft beside the questions, one in a
 * thread, so that nothing is read from the log.
 */
#include "compactor/effort_late.h"

#include "compactor/effort_choose_impl.h"
#include "compactor/effort_words.h"
#include "compactor/kept.h"

enum {
	FIRST_TURNS = 3,	/* what a chat is begun for is said in these */
	ASKING_TURNS = 6,	/* that the other side asks before it proposes */
	WORDS_LEAST = 2,
	SURENESS = 600,
};

bool
effort_late_is(const struct msg_a_asked *asked)
{
	return asked->n_draft == 1 && slice_is(asked->draft[0].type, "effort");
}

/*
 * A chat is begun for something; later on, and in a room, it has to sound like
 * trouble.
 */
static bool
may_open(const struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_turn *is)
{
	bool first = s->c->envelope->room.len == 0 && t->number <= FIRST_TURNS &&
	    s->thread.n_works == 0;
	const struct msg_a_said *answered = effort_answered(s, t);

	if (!slice_is(t->role, "user") || t->does->machine ||
	    (answered != NULL && slice_is(answered->act, "question") &&
		!answered->more) ||
	    is->effort.len > 0 || is->why.len > 0 || is->artifacts.count > 0)
		return false;
	if (!slice_is(t->does->act, "inform") &&
	    !slice_is(t->does->act, "reject") &&
	    !slice_is(t->does->act, "request"))
		return false;
	return effort_word_count(t->does) >= WORDS_LEAST &&
	    (first || effort_sounds_bad(t));
}

/* In a chat, what was told first waits while the other side asks. */
static const struct msg_a_asked *
pending(const struct effort_state *s, const struct compact_turn *t)
{
	const struct msg_a_asked *asked;
	size_t i;

	if (s->c->envelope->room.len > 0 || s->thread.n_works > 0)
		return NULL;
	for (i = 0; i < s->thread.n_asked; i++) {
		asked = &s->thread.asked[i];
		if (effort_late_is(asked) &&
		    asked->turn + ASKING_TURNS >= t->number)
			return asked;
	}
	return NULL;
}

void
effort_late_note(struct effort_state *s, const struct compact_turn *t)
{
	const struct msg_a_turn *is = compact_a_turn(s->c, t->i);

	if (may_open(s, t, is) && pending(s, t) == NULL)
		kept_wait(s, t, SLICE("effort"), SURENESS);
}

/* The draft of the turn that this one answers. */
static const struct msg_a_asked *
answered_draft(const struct effort_state *s, const struct compact_turn *t)
{
	const struct msg_a_said *answered = effort_answered(s, t);
	const struct msg_a_asked *asked;
	size_t i;

	for (i = 0; answered != NULL && i < s->thread.n_asked; i++) {
		asked = &s->thread.asked[i];
		if (effort_late_is(asked) && asked->seq == answered->seq &&
		    asked->i == answered->i)
			return asked;
	}
	return NULL;
}

/* It, and in a chat what was asked since: they are turns of the effort now. */
static void
end_questions(struct effort_state *s, const struct msg_a_asked *was)
{
	struct msg_a_asked over, *list = s->thread.asked;
	size_t i, n = s->thread.n_asked;
	uint64_t turn = was->turn;
	bool room = s->c->envelope->room.len > 0;

	for (i = 0; i < n; i++) {
		if (list[i].turn != turn && (room || list[i].turn < turn))
			continue;
		over = list[i];
		over.has = 0;
		over.over = true;
		effort_state_tell(s, &over);
	}
}

struct slice
effort_late_open(struct effort_state *s, const struct compact_turn *t)
{
	const struct msg_a_asked *was = pending(s, t);
	struct msg_artifact *a;
	uint64_t turn;

	if (was == NULL)
		was = answered_draft(s, t);
	if (was == NULL || t->does->machine ||
	    (slice_is(t->role, "user") && slice_eq(was->user, t->user)) ||
	    (!effort_proposes(t) && !effort_is_report(t)))
		return SLICE_NONE;
	a = compact_new_drafted(s->c, SLICE("effort"), &was->draft[0]);
	compact_state(s->c, a, SLICE("open"), SLICE("open"), SLICE_NONE);
	artifact_add_turn(&a->turns, s->c->arena, was->turn);
	for (turn = was->turn + 1; a->room.len == 0 && turn < t->number;
	     turn++)
		artifact_add_turn(&a->turns, s->c->arena, turn);
	compact_tell(s->c, t->i, a->key);
	end_questions(s, was);
	return a->key;
}
