/*
 * effort_choose - which effort a turn is about, and what it does to it
 *
 * Three things speak: whom the turn answers, the chain its words went to, and
 * the words that it has in common with each effort at hand.
 */
#include "compactor/effort_choose_impl.h"
#include "compactor/effort_how.h"
#include "compactor/effort_words.h"

enum {
	LIKE = 2500,		/* thousandths: one word that tells something */
	VERY_LIKE = 5000,	/* two, or a name */
	SURE = 600,		/* of a request that no rule has told */
};

static struct voices
hear(const struct effort_state *s, const struct compact_turn *t,
    struct heard *heard)
{
	struct voices v = { .answered = effort_answered(s, t),
		.room = s->c->envelope->room.len > 0,
		.state = s, .turn = t, .heard = heard };
	struct msg_a_work *w;
	uint64_t like;
	size_t i;

	if (v.answered != NULL)
		v.adjacent = effort_work(s, v.answered->effort);
	for (i = 0; i < s->thread.n_works; i++) {
		w = &s->thread.works[i];
		if (t->flows->chain.len > 0 &&
		    slice_eq(w->chain, t->flows->chain) &&
		    (v.chain == NULL ||
			(!effort_is_open(v.chain) && effort_is_open(w))))
			v.chain = w;
		like = effort_likeness(&w->keywords, t->does);
		if (!effort_is_open(w)) {
			if (like > v.likeness_before) {
				v.likeness_before = like;
				v.before = w;
			}
			continue;
		}
		if (w == v.adjacent)
			v.near = like;
		if (like > v.likeness) {
			v.likeness = like;
			v.alike = w;
		}
	}
	return v;
}

static struct effort_choice
choice(enum effort_move move, const struct msg_a_work *w)
{
	return (struct effort_choice){ .move = move,
		.effort = w == NULL ? SLICE_NONE : w->key };
}

/*
 * The one it goes on with, where nothing in it says otherwise.  In a room
 * everybody uses the same words: there they do not speak.
 */
static struct msg_a_work *
going_on(const struct voices *v)
{
	if (effort_is_open(v->adjacent)) {
		if (!v->room && v->likeness >= VERY_LIKE && v->near == 0)
			return v->alike;
		return v->adjacent;
	}
	if (effort_is_open(v->chain))
		return v->chain;
	return !v->room && v->likeness >= LIKE ? v->alike : NULL;
}

/* ---- from other threads of the same stream ---- */

static struct slice
open_elsewhere(struct effort_state *s, const struct compact_turn *t)
{
	const struct msg_a_stream *stream = effort_stream(s);
	const struct msg_a_open *o;
	struct slice best = SLICE_NONE;
	uint64_t like, most = LIKE - 1;
	size_t i;

	for (i = 0; i < stream->n_open; i++) {
		o = &stream->open[i];
		if (o->thread == s->c->thread)
			continue;
		if (t->flows->chain.len > 0 &&
		    slice_eq(o->chain, t->flows->chain))
			return o->key;
		like = effort_likeness(&o->keywords, t->does);
		if (like > most) {
			most = like;
			best = o->key;
		}
	}
	return best;
}

/* An implicit thread ends with silence, and what was open in it goes on. */
static bool
is_implicit(const struct effort_state *s)
{
	const struct msg *placed = &s->c->e->sections[STAGE_ingest];

	return placed->id == MSG_s_ingest &&
	    !placed->as->s_ingest.explicit_channel;
}

/* ---- what a turn can do ---- */

/* "Back to that bug": by its words, else the one before the last. */
static struct effort_choice
choose_return(struct effort_state *s, const struct compact_turn *t,
    const struct voices *v)
{
	struct effort_choice c = { .move = EFFORT_RETURN };
	struct msg_a_work *w = v->likeness >= LIKE ? v->alike : NULL;

	if (w == NULL && effort_is_open(v->chain))
		w = v->chain;
	if (w == NULL)
		w = voices_latest_open(s, t, v->adjacent);
	if (w == NULL && effort_is_open(v->adjacent))
		w = v->adjacent;
	if (w != NULL)
		return choice(EFFORT_RETURN, w);
	c.effort = open_elsewhere(s, t);
	if (c.effort.len > 0)
		return c;
	if (v->chain != NULL && voices_is_owner(v->chain, t))
		return choice(EFFORT_REOPEN, v->chain);
	return choice(EFFORT_NONE, NULL);
}

static struct effort_choice
choose_end(struct effort_state *s, const struct compact_turn *t,
    const struct voices *v)
{
	struct effort_choice c = { .move = EFFORT_RESOLVE };
	struct msg_a_work *w = going_on(v);

	if (w != NULL && voices_is_owner(w, t))
		return choice(EFFORT_RESOLVE, w);
	/* Said of what was resolved a moment ago, it says it once more. */
	if (v->adjacent != NULL && voices_is_owner(v->adjacent, t))
		return choice(EFFORT_CONFIRM, v->adjacent);
	if (v->chain != NULL && voices_is_owner(v->chain, t) &&
	    v->chain->last + 2 >= t->number)
		return choice(EFFORT_CONFIRM, v->chain);
	w = voices_latest_open(s, t, NULL);
	if (w != NULL && (v->room ? room_is_recent(s, t, w) :
		v->answered != NULL && !v->answered->aside))
		return choice(EFFORT_RESOLVE, w);
	if (s->thread.n_works == 0 && is_implicit(s))
		c.effort = open_elsewhere(s, t);
	return c.effort.len > 0 ? c : choice(EFFORT_NONE, NULL);
}

/*
 * What answers a question is a step of what the question is about, but for
 * "anything else?".  A problem told in answer to what was proposed is how that
 * went.  A request in the same chain is a step as well, unless all its words
 * are new.
 */
static bool
is_step(const struct voices *v, const struct compact_turn *t)
{
	if (!effort_is_open(v->adjacent) || effort_shifts(t))
		return false;
	if (voices_answer_question(v) && !v->answered->more)
		return true;
	if (slice_is(t->does->act, "inform"))
		return v->chain == v->adjacent ||
		    !slice_is(v->answered->role, "user");
	return v->chain == v->adjacent &&
	    (v->near > 0 || effort_word_count(t->does) < 2);
}

/* Nothing is open: what fails again is what ended, and none but that. */
static struct msg_a_work *
failing_again(const struct effort_state *s, const struct compact_turn *t,
    const struct voices *v)
{
	struct msg_a_work *w = v->adjacent;

	if (going_on(v) != NULL || !effort_fails_again(t))
		return NULL;
	if (voices_is_owner(v->chain, t))
		return v->chain;
	if (w == NULL && !v->room && s->thread.n_works > 0)
		w = &s->thread.works[0];
	return voices_is_owner(w, t) && (effort_word_count(t->does) < 2 ||
		effort_likeness(&w->keywords, t->does) >= LIKE) ? w : NULL;
}

/*
 * What is wrong with something that was worked on before the one at hand, and
 * has nothing of that; a plain request is one of its own.
 */
static bool
points_elsewhere(const struct compact_turn *t, const struct voices *v)
{
	const struct msg_a_work *w = v->likeness >= VERY_LIKE ? v->alike :
	    v->likeness_before >= VERY_LIKE ? v->before : NULL;

	return !v->room && w != NULL && w != v->adjacent &&
	    v->adjacent != NULL && v->near == 0 && voices_is_owner(w, t) &&
	    slice_is(t->does->act, "request") && !effort_asks_plainly(t) &&
	    !t->does->opens;
}

/* "Anything else?": it is what is asked for in answer. */
static bool
asks_for_another(const struct compact_turn *t, const struct voices *v)
{
	if (v->answered == NULL || !v->answered->more)
		return false;
	return slice_is(t->does->act, "request") || effort_asks_leave(t) ?
	    effort_word_count(t->does) > 0 :
	    slice_is(t->does->act, "inform") &&
		effort_word_count(t->does) > 1 && !effort_mood(t).praise;
}

static struct effort_choice
choose_open(const struct compact_turn *t, const struct voices *v)
{
	struct effort_choice c = { .move = EFFORT_OPEN };

	if (voices_tell_failure(t, v->adjacent, v) ||
	    (effort_is_open(v->adjacent) && voices_is_owner(v->adjacent, t) &&
		effort_tried_in_vain(t)))
		return choice(EFFORT_REJECT, v->adjacent);
	/* What is wrong right after the report came of what was done. */
	if (voices_is_reported(v->adjacent, t) && v->chain == v->adjacent &&
	    v->answered->number == v->adjacent->report_turn &&
	    slice_is(t->does->act, "inform") && !effort_shifts(t))
		return choice(EFFORT_REJECT, v->adjacent);
	/* It is slow again: so it was not done. */
	if (v->near >= LIKE && voices_is_owner(v->adjacent, t) &&
	    effort_fails_again(t))
		return choice(EFFORT_REJECT, v->adjacent);
	if (v->near >= VERY_LIKE && !effort_shifts(t) &&
	    !effort_asks_plainly(t) && !t->does->opens &&
	    voices_is_reported(v->adjacent, t))
		return choice(EFFORT_GO_ON, v->adjacent);
	if (voices_is_reported(v->adjacent, t) && v->chain == v->adjacent &&
	    !effort_shifts(t) && effort_points_back(t))
		return choice(EFFORT_GO_ON, v->adjacent);
	/* "Fix that bug too": of what the report speaks of. */
	if (voices_is_reported(v->adjacent, t) && !v->room &&
	    v->answered->number == v->adjacent->report_turn &&
	    !effort_shifts(t) && !effort_asks_next(t) &&
	    effort_how_is_echoed(v->adjacent, t))
		return choice(EFFORT_GO_ON, v->adjacent);
	if (voices_is_reported(v->adjacent, t) ||
	    (asks_for_another(t, v) && voices_is_offered(v->adjacent, t))) {
		c.moved_on = v->adjacent->key;
		return c;
	}
	if (is_step(v, t))
		return choice(voices_tell_outcome(t, v->adjacent) ? EFFORT_REJECT :
		    EFFORT_GO_ON, v->adjacent);
	return c;
}

static bool
is_offer(const struct voices *v)
{
	return v->answered != NULL && slice_is(v->answered->act, "commit");
}

static struct effort_choice
choose_reject(const struct compact_turn *t, const struct voices *v)
{
	struct msg_a_work *w = going_on(v);

	if (w != NULL) {
		/* "No" to "Anything else?", where all is done. */
		if (voices_is_offered(w, t) && !effort_still_fails(t) &&
		    voices_answer_question(v) && v->answered->more &&
		    !v->answered->fails)
			return choice(EFFORT_RESOLVE, w);
		/* "Nah, leave it. Looks good, merged" */
		if (voices_answer_question(v) && voices_accept(w, t, v))
			return choice(EFFORT_RESOLVE, w);
		/* "No" to a question or an offer is no failed attempt. */
		if (!voices_is_owner(w, t) || ((voices_answer_question(v) ||
			is_offer(v)) && !effort_still_fails(t)))
			return choice(EFFORT_GO_ON, w);
		return choice(EFFORT_REJECT, w);
	}
	if (!effort_still_fails(t))
		return choice(EFFORT_NONE, NULL);
	w = v->chain != NULL ? v->chain : v->adjacent;
	return voices_is_owner(w, t) ? choice(EFFORT_REOPEN, w) :
				choice(EFFORT_NONE, NULL);
}

/* A new matter beside the effort: its chain is new, its words are others. */
static bool
is_aside(const struct effort_state *s, const struct compact_turn *t,
    const struct voices *v)
{
	const struct msg *wove = &s->c->e->sections[STAGE_chainer];
	const struct msg_s_chainer *h;
	size_t i;

	if (wove->id != MSG_s_chainer || v->likeness > 0 ||
	    t->does->n_claims == 0 || (voices_answer_question(v) &&
		!slice_is(t->does->act, "question")))
		return false;
	h = &wove->as->s_chainer;
	for (i = 0; i < h->n_updates; i++)
		if (h->updates[i].turn == t->i &&
		    slice_is(h->updates[i].kind, "create") &&
		    slice_eq(h->updates[i].chain, t->flows->chain))
			return true;
	return false;
}

/* "Can it be remembered?", after a report: more is wanted of it. */
static bool
wants_more(const struct compact_turn *t, const struct voices *v)
{
	WORD_LIST(it, "it", "the", "this", "that", "they", "these", "those");

	return voices_is_reported(v->adjacent, t) && !v->room &&
	    v->answered->number == v->adjacent->report_turn &&
	    !effort_shifts(t) && effort_asks_can(t, &it);
}

static struct effort_choice
choose_owner(struct effort_state *s, const struct compact_turn *t,
    const struct effort_signs *signs, const struct voices *v)
{
	struct msg_a_work *w = going_on(v);

	if (w == NULL && effort_is_idle_talk(t))
		return choice(EFFORT_NONE, NULL);
	if (w == NULL && v->room) {
		w = room_talked_of(s, t, v);
		if (w != NULL && !voices_is_owner(w, t))
			return choice(EFFORT_GO_ON, w);
	}
	if (w == NULL && s->thread.n_works == 0 && is_implicit(s) &&
	    t->number == 1 && t->flows->chain.len > 0) {
		struct effort_choice c = { .move = EFFORT_RETURN,
			.effort = open_elsewhere(s, t) };

		return c.effort.len > 0 ? c : choice(EFFORT_NONE, NULL);
	}
	if (w == NULL)
		return choice(EFFORT_NONE, NULL);
	if (voices_is_reported(w, t) && v->near < LIKE &&
	    t->does->n_claims > 0 && effort_asks_next(t))
		return (struct effort_choice){ .move = EFFORT_OPEN,
			.moved_on = w->key };
	if (voices_accept(w, t, v) || voices_sound_well(w, t, v))
		return choice(EFFORT_RESOLVE, w);
	if (voices_tell_failure(t, w, v) || voices_sound_bad(w, t, v) ||
	    (voices_is_owner(w, t) && effort_tried_in_vain(t)) ||
	    (w != v->adjacent && voices_is_offered(w, t) &&
		effort_still_so(t)))
		return choice(EFFORT_REJECT, w);
	/* "Next" and "go on" go on. */
	if (voices_is_reported(w, t) && w->report_turn == w->last &&
	    slice_is(t->does->act, "request") &&
	    effort_word_count(t->does) > 1 && t->does->confidence >= SURE)
		return (struct effort_choice){ .move = EFFORT_OPEN,
			.moved_on = w->key };
	if (wants_more(t, v))
		return choice(EFFORT_GO_ON, w);
	if (is_aside(s, t, v) || (signs->dated > 0 &&
		signs->decides == 0 && !slice_is(t->does->act, "commit") &&
		!voices_answer_question(v) && (effort_shifts(t) ||
		    effort_likeness(&w->keywords, t->does) == 0)))
		return choice(EFFORT_ASIDE, NULL);
	return choice(EFFORT_GO_ON, w);
}

/* An assistant follows; it neither opens nor ends. */
static struct effort_choice
choose_other(const struct compact_turn *t, const struct voices *v)
{
	struct msg_a_work *w = going_on(v);

	if (w != NULL)
		return choice(EFFORT_GO_ON, w);
	/* What is said right after the end is about it still. */
	if (v->adjacent != NULL && !effort_is_idle_talk(t) &&
	    !effort_asks_for_more(t) && v->adjacent->last + 1 == t->number)
		return choice(EFFORT_CONFIRM, v->adjacent);
	return choice(EFFORT_NONE, NULL);
}

/*
 * In a chat, a plain request where nothing is being worked on, and an error
 * that is named there.
 */
static bool
is_plain_opening(const struct compact_turn *t, const struct voices *v)
{
	if (v->room || effort_is_open(v->adjacent) ||
	    voices_answer_question(v))
		return false;
	if (slice_is(t->does->act, "request"))
		return effort_asks_plainly(t) &&
		    effort_word_count(t->does) > 1;
	return !slice_is(t->does->act, "question") &&
	    (effort_names_error(t) || effort_asks_task(t));
}

/* Beside what the package's words say: that, and what the model is sure of. */
static bool
opens(const struct effort_state *s, const struct compact_turn *t,
    const struct effort_signs *signs, const struct voices *v)
{
	if (effort_word_count(t->does) == 0 || room_is_advice(s, t, v))
		return false;
	if (signs->opens > 0 || asks_for_another(t, v))
		return !voices_sound_shut(v);
	if (t->does->concludes)
		return false;
	/* Where another's is talked of, words alone begin no other. */
	return is_plain_opening(t, v) ||
	    ((!v->room || room_talked_of(s, t, v) == NULL) &&
		voices_sound_open(v));
}

/* The package's own words need something that they can be about. */
static bool
concludes(const struct effort_state *s, const struct compact_turn *t,
    const struct effort_signs *signs, const struct voices *v)
{
	struct effort_mood mood;
	struct msg_a_work *w;

	if (signs->concludes == 0 || voices_confirm(v))
		return false;
	if (t->does->concludes)
		return effort_concludes(t) && !effort_mocks(t);
	w = going_on(v);
	if (voices_is_offered(w, t))
		return true;
	/* What was wrong is named and said to be well; among others, after
	 * they have spoken. */
	if (w == NULL && v->room)
		w = voices_latest_open(s, t, NULL);
	return voices_is_owner(w, t) &&
	    (effort_likeness(&w->keywords, t->does) >= LIKE ||
		(v->room && room_is_recent(s, t, w) &&
		    (mood = effort_mood(t), mood.well ||
			(!slice_eq(s->thread.last[0].user, t->user) &&
			    (mood.praise || !mood.used)))));
}

/*
 * The choice that an effort was for is made; or what was asked for is chosen
 * with a yes.
 */
static struct effort_choice
choose_chosen(const struct effort_state *s, const struct compact_turn *t,
    const struct effort_signs *signs, const struct voices *v)
{
	struct effort_choice none = { .move = EFFORT_NONE }, c;
	struct msg_a_work *w = going_on(v);
	const struct msg_artifact *a;

	if (v->room && signs->decides > 0)
		w = room_settled_in(s, t, w);
	if (w == NULL || (!v->room && !voices_is_owner(w, t)) ||
	    (signs->decides == 0 && (!effort_picks(t) ||
		!voices_is_owner(w, t) ||
		effort_likeness(&w->keywords, t->does) < LIKE)))
		return none;
	c = choice(EFFORT_RESOLVE, w);
	a = compact_read(s->c, w->key);
	c.chosen = a != NULL && effort_is_choice(a->summary);
	if (c.chosen || (signs->decides > 0 && a != NULL && w->asked &&
		voices_is_owner(w, t) && (v->room || voices_is_offered(w, t)) &&
		(effort_agrees(t) || !effort_wants_deed(a->summary)))) {
		c.chosen = c.chosen || effort_is_choice(w->trying);
		return c;
	}
	return none;
}

struct effort_choice
effort_choose(struct effort_state *s, const struct compact_turn *t,
    const struct effort_signs *signs)
{
	struct heard heard = { 0 };
	struct voices v = hear(s, t, &heard);
	struct effort_choice end;
	struct msg_a_work *w;

	if (t->does->machine || !(slice_is(t->role, "user") ||
		slice_is(t->role, "assistant")))
		return effort_is_open(v.adjacent) ?
		    choice(EFFORT_GO_ON, v.adjacent) :
		    choice(EFFORT_NONE, NULL);
	if (slice_is(t->role, "assistant"))
		return choose_other(t, &v);
	if (signs->aside)
		return choice(EFFORT_ASIDE, NULL);
	if (t->does->returns && !signs->concludes)
		return choose_return(s, t, &v);
	end = choose_chosen(s, t, signs, &v);
	if (end.move != EFFORT_NONE)
		return end;
	if (concludes(s, t, signs, &v)) {
		end = choose_end(s, t, &v);
		if (end.move != EFFORT_RESOLVE ||
		    (!signs->opens && !effort_asks_next(t)))
			return end;
		return (struct effort_choice){ .move = EFFORT_OPEN,
			.moved_on = end.effort };
	}
	if (slice_is(t->does->act, "reject"))
		return choose_reject(t, &v);
	if ((w = failing_again(s, t, &v)) != NULL)
		return choice(EFFORT_REOPEN, w);
	if ((w = room_remarked_on(s, t, signs, &v)) != NULL)
		return choice(EFFORT_GO_ON, w);
	if (points_elsewhere(t, &v))
		return v.likeness >= VERY_LIKE ? choice(EFFORT_GO_ON, v.alike) :
						 choice(EFFORT_REOPEN, v.before);
	if (opens(s, t, signs, &v))
		return choose_open(t, &v);
	return choose_owner(s, t, signs, &v);
}
