/*
 * effort_choose - which effort a turn is about, and what it does to it
 *
 * Three things speak: whom the turn answers, the chain its words went to, and
 * the words that it has in common with each effort at hand.
 */
#include "compactor/effort.h"
#include "compactor/effort_words.h"

enum {
	LIKE = 2500,		/* thousandths: one word that tells something */
	VERY_LIKE = 5000,	/* two, or a name */
	SURE = 600,		/* of a request that no rule has told */
};

/* The efforts that the three speak for; each may be NULL. */
struct voices {
	const struct msg_a_said *answered;
	struct msg_a_work *adjacent;	/* of the turn that this one answers */
	struct msg_a_work *chain;	/* with the chain of the turn */
	struct msg_a_work *alike;	/* open, with most words in common */
	uint64_t likeness;
	uint64_t near;			/* likeness of the adjacent one */
	bool room;
};

static bool
is_owner(const struct msg_a_work *w, const struct compact_turn *t)
{
	return w != NULL && slice_is(t->role, "user") && !effort_is_other(w, t);
}

static struct voices
hear(const struct effort_state *s, const struct compact_turn *t)
{
	struct voices v = { .answered = effort_answered(s, t),
		.room = s->c->envelope->room.len > 0 };
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
		if (!effort_is_open(w))
			continue;
		like = effort_likeness(&w->keywords, t->does);
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

/* The latest open one of the speaker, but for one. */
static struct msg_a_work *
latest_open(const struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_work *but)
{
	struct msg_a_work *w;
	size_t i;

	for (i = 0; i < s->thread.n_works; i++) {
		w = &s->thread.works[i];
		if (w != but && effort_is_open(w) && is_owner(w, t))
			return w;
	}
	return NULL;
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
		w = latest_open(s, t, v->adjacent);
	if (w == NULL && effort_is_open(v->adjacent))
		w = v->adjacent;
	if (w != NULL)
		return choice(EFFORT_RETURN, w);
	c.effort = open_elsewhere(s, t);
	if (c.effort.len > 0)
		return c;
	if (v->chain != NULL && is_owner(v->chain, t))
		return choice(EFFORT_REOPEN, v->chain);
	return choice(EFFORT_NONE, NULL);
}

static struct effort_choice
choose_end(struct effort_state *s, const struct compact_turn *t,
    const struct voices *v)
{
	struct effort_choice c = { .move = EFFORT_RESOLVE };
	struct msg_a_work *w = going_on(v);

	if (w != NULL && is_owner(w, t))
		return choice(EFFORT_RESOLVE, w);
	/* Said of what was resolved a moment ago, it says it once more. */
	if (v->adjacent != NULL && is_owner(v->adjacent, t))
		return choice(EFFORT_CONFIRM, v->adjacent);
	if (v->chain != NULL && is_owner(v->chain, t) &&
	    v->chain->last + 2 >= t->number)
		return choice(EFFORT_CONFIRM, v->chain);
	w = latest_open(s, t, NULL);
	if (w != NULL && v->answered != NULL && !v->answered->aside &&
	    s->c->envelope->room.len == 0)
		return choice(EFFORT_RESOLVE, w);
	if (s->thread.n_works == 0 && is_implicit(s))
		c.effort = open_elsewhere(s, t);
	return c.effort.len > 0 ? c : choice(EFFORT_NONE, NULL);
}

/* What the other side has said is done, and the owner had nothing against. */
static bool
is_reported(const struct msg_a_work *w, const struct compact_turn *t)
{
	return effort_is_open(w) && is_owner(w, t) && w->report.len > 0;
}

static bool
answers_question(const struct voices *v)
{
	return v->answered != NULL && slice_is(v->answered->act, "question");
}

/* "Yes, that is correct" ends nothing: it is about to begin. */
static bool
confirms(const struct voices *v)
{
	return v->answered != NULL && v->answered->confirms;
}

/* Something was proposed or done, so that a turn can tell how it went. */
static bool
is_offered(const struct msg_a_work *w, const struct compact_turn *t)
{
	return effort_is_open(w) && is_owner(w, t) &&
	    (w->report.len > 0 || w->trying.len > 0);
}

/*
 * What was asked for has just been given: an answer, a text, a command.  Among
 * people it is advice, and yet to be tried.
 */
static bool
is_given(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v)
{
	return is_offered(w, t) && w->asked && !v->room &&
	    v->answered != NULL &&
	    !slice_is(v->answered->act, "question") &&
	    !slice_is(v->answered->act, "commit") &&
	    (v->answered->number == w->trying_turn ||
		v->answered->number == w->report_turn);
}

/* Words that tell something: a request of its own has some. */
static size_t
word_count(const struct msg_c_turn *does)
{
	enum { LIGHT = 2200 };
	size_t i, at, n = 0;

	for (i = 0; i < does->n_claims; i++)
		for (at = 0; at < does->claims[i].weights.count; at++)
			n += does->claims[i].weights.at[at] >= LIGHT;
	return n;
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
	if (answers_question(v) && !v->answered->more)
		return true;
	if (slice_is(t->does->act, "inform"))
		return v->chain == v->adjacent ||
		    !slice_is(v->answered->role, "user");
	return v->chain == v->adjacent &&
	    (v->near > 0 || word_count(t->does) < 2);
}

/* Nothing is open: what fails again is what ended, and none but that. */
static struct msg_a_work *
failing_again(const struct effort_state *s, const struct compact_turn *t,
    const struct voices *v)
{
	struct msg_a_work *w = v->adjacent;

	if (going_on(v) != NULL || !effort_fails_again(t))
		return NULL;
	if (is_owner(v->chain, t))
		return v->chain;
	if (w == NULL && !v->room && s->thread.n_works > 0)
		w = &s->thread.works[0];
	return is_owner(w, t) && (word_count(t->does) < 2 ||
		effort_likeness(&w->keywords, t->does) >= LIKE) ? w : NULL;
}

/* In a room, what another is told to do is not the speaker's effort. */
static bool
is_advice(const struct compact_turn *t, const struct voices *v)
{
	return v->room && slice_is(t->does->act, "request") &&
	    v->answered != NULL && !slice_eq(v->answered->user, t->user) &&
	    !effort_speaks_of_self(t);
}

/* The owner tells of a problem after something was tried. */
static bool
tells_outcome(const struct compact_turn *t, const struct msg_a_work *w)
{
	return slice_is(t->does->act, "inform") && w->trying.len > 0 &&
	    is_owner(w, t);
}

/* What was proposed or done in the turn before has not helped. */
static bool
tells_failure(const struct compact_turn *t, const struct msg_a_work *w,
    const struct voices *v)
{
	if (!is_offered(w, t) || v->answered == NULL || effort_shifts(t) ||
	    slice_is(t->does->act, "accept") ||
	    slice_is(t->does->act, "commit"))
		return false;
	if (v->answered->number != w->report_turn &&
	    (v->answered->number != w->trying_turn ||
		(answers_question(v) && !w->suggested)))
		return false;
	return effort_tells_failure(t);
}

static struct effort_choice
choose_open(const struct compact_turn *t, const struct voices *v)
{
	struct effort_choice c = { .move = EFFORT_OPEN };

	if (tells_failure(t, v->adjacent, v))
		return choice(EFFORT_REJECT, v->adjacent);
	if (is_reported(v->adjacent, t)) {
		c.moved_on = v->adjacent->key;
		return c;
	}
	if (is_step(v, t))
		return choice(tells_outcome(t, v->adjacent) ? EFFORT_REJECT :
		    EFFORT_GO_ON, v->adjacent);
	return c;
}

static struct effort_choice
choose_reject(const struct compact_turn *t, const struct voices *v)
{
	struct msg_a_work *w = going_on(v);

	if (w != NULL) {
		/* "No" to "Anything else?", where all is done. */
		if (is_reported(w, t) && !effort_still_fails(t) &&
		    answers_question(v))
			return choice(EFFORT_RESOLVE, w);
		/* A bare "no" to a question says nothing about an attempt. */
		if (!is_owner(w, t) || (answers_question(v) &&
			!effort_still_fails(t)))
			return choice(EFFORT_GO_ON, w);
		return choice(EFFORT_REJECT, w);
	}
	if (!effort_still_fails(t))
		return choice(EFFORT_NONE, NULL);
	w = v->chain != NULL ? v->chain : v->adjacent;
	return is_owner(w, t) ? choice(EFFORT_REOPEN, w) :
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
	    t->does->n_claims == 0 || (answers_question(v) &&
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

/*
 * Thanks end what was reported as done, or given when it was asked for; "yes"
 * does not.  To a proposal they are no more than polite, unless they come with
 * what it did.  Praise is said of what has done it.
 */
static bool
is_accepted(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v)
{
	if (!is_offered(w, t) || confirms(v))
		return false;
	if (is_reported(w, t) && (effort_is_thanks(t) ||
		(!answers_question(v) && w->report_turn == w->last &&
		    (slice_is(t->does->act, "accept") || effort_is_praise(t)))))
		return true;
	if (is_given(w, t, v) && effort_is_thanks(t))
		return true;
	return (effort_is_praise(t) && !answers_question(v)) ||
	    effort_thanks_for_outcome(t);
}

static struct effort_choice
choose_owner(struct effort_state *s, const struct compact_turn *t,
    const struct voices *v)
{
	struct msg_a_work *w = going_on(v);

	if (w == NULL && effort_is_idle_talk(t))
		return choice(EFFORT_NONE, NULL);
	if (w == NULL && s->thread.n_works == 0 && is_implicit(s) &&
	    t->number == 1 && t->flows->chain.len > 0) {
		struct effort_choice c = { .move = EFFORT_RETURN,
			.effort = open_elsewhere(s, t) };

		return c.effort.len > 0 ? c : choice(EFFORT_NONE, NULL);
	}
	if (w == NULL)
		return choice(EFFORT_NONE, NULL);
	if (is_accepted(w, t, v))
		return choice(EFFORT_RESOLVE, w);
	if (tells_failure(t, w, v))
		return choice(EFFORT_REJECT, w);
	if (is_reported(w, t) && w->report_turn == w->last &&
	    slice_is(t->does->act, "request") && t->does->n_claims > 0 &&
	    t->does->confidence >= SURE)
		return (struct effort_choice){ .move = EFFORT_OPEN,
			.moved_on = w->key };
	if (is_aside(s, t, v))
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
	    v->adjacent->last + 1 == t->number)
		return choice(EFFORT_CONFIRM, v->adjacent);
	return choice(EFFORT_NONE, NULL);
}

/*
 * Beside what the package's words say: in a chat, a plain request where nothing
 * is being worked on, and an error that is named there.
 */
static bool
opens(const struct compact_turn *t, const struct effort_signs *signs,
    const struct voices *v)
{
	if (word_count(t->does) == 0 || is_advice(t, v))
		return false;
	if (signs->opens > 0)
		return true;
	if (v->room || effort_is_open(v->adjacent) || t->does->concludes ||
	    answers_question(v))
		return false;
	return slice_is(t->does->act, "request") ?
	    effort_asks_plainly(t) && word_count(t->does) > 1 :
	    !slice_is(t->does->act, "question") && effort_names_error(t);
}

/* The package's own words need something that they can be about. */
static bool
concludes(const struct compact_turn *t, const struct effort_signs *signs,
    const struct voices *v)
{
	if (signs->concludes == 0 || confirms(v))
		return false;
	return t->does->concludes ? effort_concludes(t) :
				    is_offered(going_on(v), t);
}

struct effort_choice
effort_choose(struct effort_state *s, const struct compact_turn *t,
    const struct effort_signs *signs)
{
	struct voices v = hear(s, t);
	struct effort_choice end;
	struct msg_a_work *again;

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
	if (concludes(t, signs, &v)) {
		end = choose_end(s, t, &v);
		if (!signs->opens || end.move != EFFORT_RESOLVE)
			return end;
		return (struct effort_choice){ .move = EFFORT_OPEN,
			.moved_on = end.effort };
	}
	if (slice_is(t->does->act, "reject"))
		return choose_reject(t, &v);
	again = failing_again(s, t, &v);
	if (again != NULL)
		return choice(EFFORT_REOPEN, again);
	if (opens(t, signs, &v))
		return choose_open(t, &v);
	return choose_owner(s, t, &v);
}
