/*
 * effort - efforts open, go on, fail, are resolved and opened again
 */
#include "compactor/effort.h"

#include "common/when.h"
#include "compactor/due_times.h"
#include "compactor/effort_how.h"
#include "compactor/effort_late.h"
#include "compactor/effort_words.h"
#include "compactor/kept.h"
#include "compactor/package_decide.h"
#include "compactor/summary.h"
#include "compactor/tokens.h"

enum {
	RAISED_MOST = 5,	/* as a session begins; the others wait */
	PICKED = 700,		/* how sure a choice is that only names it */
};

static struct summary_turn
summary_turn(const struct compact_turn *t)
{
	return (struct summary_turn){ .text = t->text, .role = t->role,
		.does = t->does };
}

static void
add_to_field(struct msg_artifact *a, struct arena *arena, const char *name,
    struct slice value)
{
	struct msg_strs values = artifact_field(a, name);

	strs_add(&values, arena, value);
	artifact_set_field(a, arena, name, values.at, values.count);
}

/* ---- attempts ---- */

/*
 * What was tried, as a sub-effort with its outcome: its turns are the one that
 * proposed it and the one that told how it went.
 */
static void
keep_attempt(struct effort_state *s, const struct msg_a_work *w,
    struct msg_artifact *parent, const struct compact_turn *t, bool worked)
{
	struct arena *arena = s->c->arena;
	const struct summary_turn st = summary_turn(t);
	struct slice words = effort_unaddressed(s,
	    summary_resolution(arena, &st).text);
	struct msg_artifact *a = compact_new(s->c, SLICE("effort"));

	a->parent = parent->key;
	a->chain = parent->chain;
	a->created_at = w->trying_at;
	artifact_set_field(a, arena, "goal", &w->trying, 1);
	artifact_set_field(a, arena, "resolution", &words, words.len > 0);
	a->summary = w->trying;
	a->resolution = words;
	a->confidence = t->does->confidence;
	package_word(s->c, a);
	if (!worked)
		a->resolution = words.len == 0 ? SLICE("failed") :
		    arena_printf(arena, "failed: %.*s", SLICE_ARG(words));
	a->token_count = tokens_of(s->c->conf, summary_of(arena, a));
	if (w->trying_turn != 0)
		artifact_add_turn(&a->turns, arena, w->trying_turn);
	artifact_add_turn(&a->turns, arena, t->number);
	compact_state(s->c, a, SLICE("resolved"),
	    worked ? SLICE("resolved") : SLICE("failed"), words);
	strs_add(&parent->attempts, arena, a->key);
	add_to_field(parent, arena, "attempts", arena_printf(arena,
	    "%.*s: %s", SLICE_ARG(w->trying), worked ? "worked" : "failed"));
	compact_tell(s->c, t->i, a->key);
}

/* ---- what a turn does ---- */

static void
set(struct effort_state *s, const struct compact_turn *t, struct slice effort,
    const char *why)
{
	struct msg_a_turn *is = compact_a_turn(s->c, t->i);

	is->effort = effort;
	is->why = slice_str(why);
}

static void
go_on(struct effort_state *s, const struct compact_turn *t, struct slice key,
    const char *why)
{
	compact_join(s->c, key, t);
	set(s, t, key, why);
}

/*
 * The resolution is the sentence that resolved it, whoever said it and when;
 * see effort_how.h.
 */
static void
word_resolution(struct effort_state *s, const struct msg_a_work *w,
    struct msg_artifact *a, const struct compact_turn *t,
    const struct how_end *end)
{
	struct slice how;

	package_fill(s->c, a, t, PLACE_resolving, 0);
	how = w == NULL ? end->choice : effort_how(s, w, t, end);
	if (how.len == 0)
		how = effort_unaddressed(s, a->resolution);
	if (how.len == 0 || slice_eq(how, a->resolution))
		return;
	artifact_set_field(a, s->c->arena, "resolution", &how, 1);
	a->resolution = how;
	package_word(s->c, a);
}

static void
resolve(struct effort_state *s, const struct compact_turn *t,
    const struct effort_choice *c, bool decides)
{
	struct how_end end = { 0 };
	struct slice key = c->effort;
	struct msg_a_work *w = effort_work(s, key);
	struct msg_artifact *a = compact_change(s->c, key);

	if (a == NULL)
		return;
	compact_join(s->c, key, t);
	/* It may have ended in another thread meanwhile. */
	if (!slice_is(a->status, "open")) {
		set(s, t, key, "confirmed");
		return;
	}
	if (w != NULL && w->trying.len > 0 && !w->told && t->does->concludes)
		keep_attempt(s, w, a, t, true);
	end.choosing = c->chosen || effort_is_choice(a->summary);
	if (decides || c->chosen)
		end.choice = package_sentence(s->c, t, "decision");
	word_resolution(s, w, a, t, &end);
	compact_state(s->c, a, SLICE("resolved"), SLICE("resolved"),
	    a->resolution);
	compact_tell(s->c, t->i, key);
	set(s, t, key, "resolved");
}

/* In a chat: what was taken for its end was none if it is worked on. */
static void
reword(struct effort_state *s, const struct compact_turn *t, struct slice key)
{
	const struct msg_a_work *w = effort_work(s, key);
	struct msg_artifact *a = compact_change(s->c, key);
	struct slice how = SLICE_NONE;

	if (w != NULL && a != NULL && s->c->envelope->room.len == 0 &&
	    slice_is(a->status, "resolved"))
		how = effort_how_after(s, w, t);
	if (how.len == 0)
		return;
	artifact_set_field(a, s->c->arena, "resolution", &how, 1);
	a->resolution = how;
	package_word(s->c, a);
	compact_tell(s->c, t->i, key);
}

/* It is done, by what was reported or tried, and its owner goes on. */
static void
leave_done(struct effort_state *s, const struct compact_turn *t,
    struct slice key)
{
	const struct msg_a_work *w = effort_work(s, key);
	struct msg_artifact *a = compact_change(s->c, key);
	struct slice how;

	if (w == NULL || a == NULL)
		return;
	how = effort_how(s, w, NULL, NULL);
	artifact_set_field(a, s->c->arena, "resolution", &how, how.len > 0);
	a->resolution = how;
	package_word(s->c, a);
	compact_state(s->c, a, SLICE("resolved"), SLICE("resolved"), how);
	compact_tell(s->c, t->i, key);
}

static void
open_new(struct effort_state *s, const struct compact_turn *t, unsigned sure)
{
	struct msg_artifact *a = compact_new(s->c, SLICE("effort"));
	struct slice goal;

	a->chain = t->flows->chain;
	package_fill(s->c, a, t, PLACE_opening, sure);
	goal = effort_unaddressed(s, a->summary);
	if (goal.len < a->summary.len) {
		artifact_set_field(a, s->c->arena, "goal", &goal, 1);
		a->summary = goal;
		package_word(s->c, a);
	}
	compact_state(s->c, a, SLICE("open"), SLICE("open"), SLICE_NONE);
	artifact_add_turn(&a->turns, s->c->arena, t->number);
	compact_tell(s->c, t->i, a->key);
	set(s, t, a->key, "opened");
}

static void
reject(struct effort_state *s, const struct compact_turn *t, struct slice key)
{
	struct effort_try own = effort_tries(s->c->arena, t, false);
	struct msg_a_work *w = effort_work(s, key), told;
	struct msg_artifact *a;

	compact_join(s->c, key, t);
	/* A plain statement cannot fail, unless he has done what it said. */
	if (w == NULL || (own.text.len == 0 && w->report.len == 0 &&
		(w->trying.len == 0 || (w->told &&
		    (!effort_did(t) || w->n_hows == 0))))) {
		set(s, t, key, "rejected");
		return;
	}
	a = compact_change(s->c, key);
	if (a == NULL)
		return;
	/* "Tried X, no luck" tells all of it at once. */
	told = *w;
	if (own.text.len > 0) {
		told.trying = own.text;
		told.trying_turn = t->number;
		told.trying_at = t->ts;
	} else if (w->report.len > 0 &&
	    (w->trying.len == 0 || w->report_turn > w->trying_turn)) {
		told.trying = w->report;
		told.trying_turn = w->report_turn;
		told.trying_at = t->ts;
	} else if (w->told)
		told.trying = effort_how(s, w, NULL, NULL);
	keep_attempt(s, &told, a, t, false);
	compact_tell(s->c, t->i, key);
	set(s, t, key, "attempt");
}

static void
reopen(struct effort_state *s, const struct compact_turn *t, struct slice key)
{
	struct msg_artifact *a = compact_change(s->c, key);
	const struct summary_turn st = summary_turn(t);

	if (a == NULL)
		return;
	compact_join(s->c, key, t);
	a->resolution = SLICE_NONE;
	artifact_set_field(a, s->c->arena, "resolution", NULL, 0);
	package_word(s->c, a);
	compact_state(s->c, a, SLICE("open"), SLICE("reopened"),
	    summary_statement(s->c->arena, &st).text);
	compact_tell(s->c, t->i, key);
	set(s, t, key, "reopened");
}

void
effort_decide(struct effort_state *s, const struct compact_turn *t,
    struct effort_signs *signs)
{
	struct effort_choice c = effort_choose(s, t, signs);
	struct slice found;

	switch (c.move) {
	case EFFORT_NONE:
		found = effort_late_open(s, t);
		if (found.len > 0)
			go_on(s, t, found, "found");
		break;
	case EFFORT_ASIDE:
		set(s, t, SLICE_NONE, "aside");
		break;
	case EFFORT_OPEN:
		if (c.moved_on.len > 0)
			leave_done(s, t, c.moved_on);
		open_new(s, t, signs->opens > 0 ? signs->opens :
		    (unsigned)t->does->confidence);
		break;
	case EFFORT_GO_ON:
		go_on(s, t, c.effort, "continued");
		break;
	case EFFORT_RETURN:
		go_on(s, t, c.effort, "returned");
		break;
	case EFFORT_REJECT:
		reject(s, t, c.effort);
		break;
	case EFFORT_RESOLVE:
		resolve(s, t, &c, signs->decides > 0);
		if (c.chosen && signs->decides < PICKED)
			signs->decides = PICKED;
		break;
	case EFFORT_REOPEN:
		reopen(s, t, c.effort);
		break;
	case EFFORT_CONFIRM:
		go_on(s, t, c.effort, "confirmed");
		reword(s, t, c.effort);
		break;
	}
}

/* ---- commands ---- */

static void
close_one(struct compact *c, struct msg_artifact *a, struct slice text)
{
	if (text.len > 0) {
		artifact_set_field(a, c->arena, "resolution", &text, 1);
		a->resolution = text;
		package_word(c, a);
	}
	compact_state(c, a, SLICE("resolved"), SLICE("closed"), text);
}

static void
command_artifact(struct compact *c, struct slice name, bool closes,
    struct slice text)
{
	const struct msg_artifact *is = compact_find(c, name);
	struct msg_artifact *a;

	if (is == NULL) {
		compact_refuse(c, "", "not_found",
		    "there is no artifact \"%.*s\" in this domain: see skein "
		    "artifacts", SLICE_ARG(name));
		return;
	}
	c->section->result = is->key;
	if (slice_is(is->status, "open") != closes) {
		c->section->guidance = closes ? SLICE("it was closed already") :
						SLICE("it is open already");
		return;
	}
	a = compact_change(c, is->key);
	if (closes) {
		close_one(c, a, text);
		return;
	}
	a->resolution = SLICE_NONE;
	artifact_set_field(a, c->arena, "resolution", NULL, 0);
	package_word(c, a);
	compact_state(c, a, SLICE("open"), SLICE("reopened"), SLICE_NONE);
}

/* Closing a thread ends what was said to be done in it, and nothing else. */
static void
close_thread(struct compact *c, struct slice text)
{
	struct effort_state s;
	const struct msg_a_work *w;
	struct msg_artifact *a;
	size_t i;

	effort_state_read_thread(&s, c, c->thread);
	for (i = 0; i < s.thread.n_works; i++) {
		w = &s.thread.works[i];
		if (!effort_is_open(w) || (text.len == 0 && w->report.len == 0))
			continue;
		a = compact_change(c, w->key);
		if (a != NULL)
			close_one(c, a, text.len > 0 ? text : w->report);
	}
}

void
effort_command(struct compact *c)
{
	const struct msg *placed = &c->e->sections[STAGE_ingest];
	const struct msg_close *close = &c->e->entry.as->close;
	const struct msg_reopen *again = &c->e->entry.as->reopen;

	if (c->e->entry.id == MSG_reopen) {
		if (again->artifact.len > 0)
			command_artifact(c, again->artifact, false, SLICE_NONE);
		return;
	}
	if (close->artifact.len > 0)
		command_artifact(c, close->artifact, true, close->text);
	else if (placed->id == MSG_s_ingest && c->thread != 0 &&
	    placed->as->s_ingest.error.len == 0) {
		close_thread(c, close->text);
		kept_close(c);
	}
}

/* ---- idle ones ---- */

static bool
begins_session(const struct compact *c)
{
	const struct msg *wove = &c->e->sections[STAGE_chainer];
	const struct msg_s_chainer *h = &wove->as->s_chainer;
	size_t i;

	if (wove->id != MSG_s_chainer)
		return false;
	for (i = 0; i < h->n_sessions; i++)
		if (slice_is(h->sessions[i].event, "begun") ||
		    slice_is(h->sessions[i].event, "resumed"))
			return true;
	return false;
}

int64_t
effort_idle_at(const struct compact *c, const struct msg_artifact *a)
{
	const struct msg_a_state *last = a->n_history == 0 ? NULL :
	    &a->history[a->n_history - 1];
	int64_t at = a->updated_at;

	if (!slice_is(a->status, "open"))
		return INT64_MAX;
	if (last != NULL && slice_is(last->status, "raised") && last->at > at)
		at = last->at;
	return at + c->conf->effort_idle * WHEN_DAY_MS;
}

/* It was brought up, not worked on: its time stays. */
static void
raise_one(struct compact *c, const struct msg_artifact *idle)
{
	int64_t updated_at = idle->updated_at;
	struct msg_artifact *a = compact_change(c, idle->key);

	a->updated_at = updated_at;
	a->session_seq = c->seq;
	compact_state(c, a, SLICE("open"), SLICE("raised"), SLICE_NONE);
	strs_add(&c->section->raised, c->arena, a->key);
}

void
effort_raise(struct compact *c)
{
	const struct msg_a_stream *stream;
	const struct msg_artifact *a;
	int64_t first = INT64_MAX, at;
	struct effort_state s;
	size_t i;

	if (!begins_session(c) ||
	    due_times_none(c->idle_times, &c->stream, c->ts))
		return;
	s = (struct effort_state){ .c = c };
	stream = effort_stream(&s);
	for (i = 0; i < stream->n_open &&
	     c->section->raised.count < RAISED_MOST; i++) {
		a = compact_read(c, stream->open[i].key);
		if (a == NULL)
			continue;
		at = effort_idle_at(c, a);
		first = at < first ? at : first;
		if (c->ts >= at)
			raise_one(c, a);
	}
	if (c->ts < first)
		due_times_learn(c->idle_times, &c->stream, first);
}
