/*
 * kept - facts, events, reminders, decisions and notes
 */
#include "compactor/kept.h"

#include "common/text.h"
#include "compactor/effort_late.h"
#include "compactor/effort_words.h"
#include "compactor/package_decide.h"

enum {
	MOVED_ON = 800,		/* thousandths of a confidence */
	LIKEWISE = 650,		/* of what is asked in two words */
	LINES = 2,		/* in a room, that a question goes on for */
	DECIDED = 700,		/* less is a choice only where one is at hand */
};

static bool
is_user(const struct compact_turn *t)
{
	return slice_is(t->role, "user") && !t->does->machine;
}

/* ---- at once ---- */

static void
keep(struct compact *c, const struct compact_turn *t, const char *type,
    unsigned sure)
{
	struct msg_artifact *a = compact_new(c, slice_str(type));
	bool waits;

	a->chain = t->flows->chain;
	package_fill(c, a, t, PLACE_opening | PLACE_resolving, sure);
	artifact_add_turn(&a->turns, c->arena, t->number);
	/* A reminder is open until its time; what has been is what it is. */
	waits = (a->expires_at > c->ts && !package_is_past(c, t, type)) ||
	    (slice_is(a->type, "event") && effort_is_reminder(t));
	if (!waits)
		a->expires_at = 0;
	compact_state(c, a, waits ? SLICE("open") : SLICE("resolved"),
	    waits ? SLICE("open") : SLICE("kept"), SLICE_NONE);
	compact_tell(c, t->i, a->key);
}

bool
kept_is_aside(struct compact *c, const struct compact_turn *t)
{
	return is_user(t) && (effort_is_reminder(t) ||
		package_opens(c, t, "note") > 0);
}

/* ---- questions and answers ---- */

void
kept_wait(struct effort_state *s, const struct compact_turn *t,
    struct slice type, unsigned sure)
{
	struct msg_artifact *draft = arena_alloc(s->c->arena, sizeof(*draft));
	struct msg_a_asked asked = {
		.turn = t->number,
		.user = t->user,
		.seq = s->c->seq,
		.i = t->i,
		.draft = draft,
		.n_draft = 1,
	};

	*draft = (struct msg_artifact){
		.domain = s->c->envelope->domain,
		.type = type,
		.status = SLICE("open"),
		.thought_type = SLICE("original"),
		.thread = s->c->thread,
		.chain = t->flows->chain,
		.created_at = t->ts,
		.updated_at = t->ts,
		.user = t->user,
		.room = s->c->envelope->room,
	};
	package_fill(s->c, draft, t, PLACE_opening, sure);
	effort_state_tell(s, &asked);
}

/* Is it said in answer to the question? */
static bool
is_answer(const struct effort_state *s, const struct msg_a_asked *asked,
    const struct compact_turn *t)
{
	const struct msg_a_said *answered;

	if (t->does->machine || effort_is_idle_talk(t) ||
	    slice_is(t->does->act, "question"))
		return false;
	if (slice_is(t->role, "user") && slice_eq(t->user, asked->user))
		return false;
	if (!slice_is(t->role, "user") && !slice_is(t->role, "assistant"))
		return false;
	answered = effort_answered(s, t);
	/* In a room, what stands right behind it and answers nothing else. */
	if (answered == NULL)
		return t->number == asked->turn + 1;
	/* People ask over several lines. */
	if (s->c->envelope->room.len > 0 &&
	    slice_eq(answered->user, asked->user) &&
	    answered->number > asked->turn &&
	    answered->number <= asked->turn + LINES)
		return true;
	if ((answered->seq == asked->seq && answered->i == asked->i) ||
	    (asked->refused != 0 && answered->number == asked->refused))
		return true;
	/* Between tool calls an assistant speaks several times. */
	return slice_is(t->role, "assistant") && asked->answer != 0 &&
	    answered->number == asked->answer;
}

static void
answer(struct effort_state *s, const struct msg_a_asked *was,
    const struct compact_turn *t)
{
	struct msg_a_asked asked = *was;
	struct msg_artifact *draft;
	struct slice told;

	if (asked.n_draft != 1)
		return;
	draft = arena_alloc(s->c->arena, sizeof(*draft));
	*draft = asked.draft[0];
	draft->has = 0;
	asked.draft = draft;
	asked.answer = t->number;
	asked.has = 0;
	package_fill(s->c, draft, t, PLACE_resolving, 0);
	told = effort_unaddressed(s, draft->summary);
	if (told.len < draft->summary.len) {
		artifact_set_field(draft, s->c->arena, "statement", &told, 1);
		draft->summary = told;
		package_word(s->c, draft);
	}
	effort_state_tell(s, &asked);
}

enum verdict { WAITS, CONCLUDED, MOVES_ON, REFUSED };

/* In a room: is it said to the answer, or to the one who gave it? */
static bool
is_said_to(const struct effort_state *s, const struct msg_a_asked *asked,
    const struct compact_turn *t)
{
	const struct msg_a_said *answered = effort_answered(s, t);
	const struct msg_a_said *last = s->thread.last;
	size_t i;

	if (answered != NULL && answered->number == asked->answer)
		return true;
	if (answered == NULL || slice_eq(answered->user, t->user))
		return s->thread.n_last > 0 && last[0].number == asked->answer;
	for (i = 0; i < s->thread.n_last; i++)
		if (last[i].number == asked->answer)
			return slice_eq(last[i].user, answered->user);
	return false;
}

/* What the asker's turn says about the answer that stands before it. */
static enum verdict
judge(const struct effort_state *s, const struct msg_a_asked *asked,
    const struct compact_turn *t)
{
	bool room = s->c->envelope->room.len > 0;

	if (!is_user(t) || asked->answer == 0 ||
	    !slice_eq(t->user, asked->user) ||
	    (room && !is_said_to(s, asked, t)))
		return WAITS;
	if (slice_is(t->does->act, "reject"))
		return REFUSED;
	if (t->does->concludes || slice_is(t->does->act, "accept") ||
	    effort_is_thanks(t) || effort_has_thanks(t))
		return CONCLUDED;
	/* In a room others go on too: only the next question shows it. */
	return room && (!slice_is(t->does->act, "question") ||
		t->number != asked->answer + 1) ? WAITS : MOVES_ON;
}

static void
make_fact(struct compact *c, const struct msg_a_asked *asked, bool agreed)
{
	struct msg_artifact *a;

	if (asked->n_draft != 1 || asked->draft[0].summary.len == 0)
		return;
	a = compact_new_drafted(c, SLICE("fact"), &asked->draft[0]);
	if (!agreed)
		a->confidence = a->confidence * MOVED_ON / 1000;
	artifact_add_turn(&a->turns, c->arena, asked->turn);
	artifact_add_turn(&a->turns, c->arena, asked->answer);
	compact_state(c, a, SLICE("resolved"), SLICE("kept"), SLICE_NONE);
}

/* "How do I ...?", and then "works": the asker was at work on it. */
static bool
was_worked_on(const struct effort_state *s, const struct msg_a_asked *asked,
    const struct compact_turn *t)
{
	WORD_LIST(how, "how", "why");
	const struct msg_a_turn *is = compact_a_turn(s->c, t->i);
	struct msg_strs question;

	if (is->effort.len > 0 || is->why.len > 0 || asked->n_draft != 1 ||
	    slice_is(t->does->act, "question") || effort_mood(t).bad ||
	    !(effort_mood(t).well || (t->does->concludes &&
		effort_tells_outcome(t))))
		return false;
	question = artifact_field(&asked->draft[0], "question");
	return question.count > 0 && effort_asks_with(question.at[0], &how);
}

/* The question is what was to be reached, the answer how it was. */
static void
make_solved(struct effort_state *s, const struct msg_a_asked *asked,
    const struct compact_turn *t)
{
	const struct msg_artifact *draft = &asked->draft[0];
	struct msg_strs goal = artifact_field(draft, "question");
	struct msg_artifact *a = compact_new(s->c, SLICE("effort"));
	struct msg_a_turn *is = compact_a_turn(s->c, t->i);

	a->chain = draft->chain;
	a->user = draft->user;
	a->tags = draft->tags;
	a->created_at = draft->created_at;
	a->confidence = draft->confidence;
	artifact_set_field(a, s->c->arena, "goal", goal.at, 1);
	artifact_set_field(a, s->c->arena, "resolution", &draft->summary, 1);
	a->summary = goal.at[0];
	a->resolution = draft->summary;
	package_word(s->c, a);
	artifact_add_turn(&a->turns, s->c->arena, asked->turn);
	artifact_add_turn(&a->turns, s->c->arena, asked->answer);
	artifact_add_turn(&a->turns, s->c->arena, t->number);
	compact_state(s->c, a, SLICE("open"), SLICE("open"), SLICE_NONE);
	compact_state(s->c, a, SLICE("resolved"), SLICE("resolved"),
	    a->resolution);
	compact_tell(s->c, t->i, a->key);
	is->effort = a->key;
	is->why = SLICE("resolved");
}

static void
settle(struct effort_state *s, const struct msg_a_asked *was,
    const struct compact_turn *t, enum verdict verdict)
{
	struct msg_a_asked asked = *was;
	size_t before = s->c->n_changed;

	asked.has = 0;
	if (verdict == REFUSED) {
		asked.answer = 0;
		asked.refused = t->number;
	} else if (verdict == CONCLUDED && was_worked_on(s, was, t)) {
		make_solved(s, was, t);
		asked.over = true;
	} else {
		make_fact(s->c, was, verdict == CONCLUDED);
		if (s->c->n_changed > before)
			compact_tell(s->c, t->i,
			    compact_changed(s->c, before)->key);
		asked.over = true;
	}
	effort_state_tell(s, &asked);
}

static void
questions(struct effort_state *s, const struct compact_turn *t)
{
	struct msg_a_asked *list = s->thread.asked;
	size_t i, n = s->thread.n_asked;
	enum verdict verdict;

	/* Each change makes the state's list anew: this one stays as it was. */
	for (i = 0; i < n; i++) {
		if (effort_late_is(&list[i]))
			continue;
		verdict = judge(s, &list[i], t);
		if (verdict != WAITS)
			settle(s, &list[i], t, verdict);
		else if (is_answer(s, &list[i], t))
			answer(s, &list[i], t);
	}
}

void
kept_close(struct compact *c)
{
	struct effort_state s;
	struct msg_a_asked asked, *list;
	size_t i, n;

	effort_state_read_thread(&s, c, c->thread);
	list = s.thread.asked;
	n = s.thread.n_asked;
	for (i = 0; i < n; i++) {
		if (list[i].answer != 0 && !effort_late_is(&list[i]))
			make_fact(c, &list[i], false);
		asked = list[i];
		asked.has = 0;
		asked.over = true;
		effort_state_tell(&s, &asked);
	}
}

/* Has the turn before answered a question, and is it asked of another now? */
static bool
asks_likewise(const struct effort_state *s, const struct compact_turn *t)
{
	const struct msg_a_asked *asked = s->thread.asked;
	size_t i;

	if (s->thread.n_asked == 0 || s->thread.n_last == 0 || !is_user(t))
		return false;
	for (i = 0; i < s->thread.n_asked; i++)
		if (!effort_late_is(&asked[i]) && asked[i].answer != 0 &&
		    asked[i].answer == s->thread.last[0].number &&
		    slice_eq(asked[i].user, t->user))
			return effort_asks_likewise(t);
	return false;
}

/* ---- a turn ---- */

void
kept_decide(struct effort_state *s, const struct compact_turn *t,
    unsigned decides)
{
	const struct msg_a_turn *is = compact_a_turn(s->c, t->i);
	bool works = is->effort.len > 0, likewise = asks_likewise(s, t);
	unsigned sure;

	if (s->thread.n_asked > 0)
		questions(s, t);
	if (is_user(t) && decides >= DECIDED)
		keep(s->c, t, "decision", decides);
	if (!is_user(t) || effort_is_idle_talk(t))
		return;
	/* Of what happens within an effort the effort tells. */
	if (!works && (sure = package_opens(s->c, t, "event")) > 0)
		keep(s->c, t, "event", sure);
	else if (!works && (sure = package_opens(s->c, t, "note")) > 0)
		keep(s->c, t, "note", sure);
	else if ((!works || slice_is(is->why, "confirmed")) &&
	    t->does->n_claims > 0 &&
	    ((sure = package_opens(s->c, t, "fact")) > 0 || likewise))
		kept_wait(s, t, SLICE("fact"), sure > 0 ? sure : LIKEWISE);
}
