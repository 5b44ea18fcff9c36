/*
 * effort_take - a turn is taken into what is at hand in its thread
 */
#include "common/text.h"
#include "compactor/due_times.h"
#include "compactor/effort.h"
#include "compactor/effort_how.h"
#include "compactor/effort_late.h"
#include "compactor/effort_state.h"
#include "compactor/effort_words.h"

static void
learn_word(struct effort_state *s, struct msg_a_work *w, struct slice word)
{
	if (w->keywords.count < EFFORT_WORDS && !strs_has(&w->keywords, word))
		strs_add(&w->keywords, s->c->arena, word);
}

/* Light words ("get", "go") are everybody's. */
static void
learn_words(struct effort_state *s, struct msg_a_work *w,
    const struct msg_c_turn *does)
{
	enum { LIGHT = 2200 };
	const struct msg_c_claim *claim;
	size_t i, at;

	for (i = 0; i < does->n_claims; i++) {
		claim = &does->claims[i];
		for (at = 0; at < claim->n_entities; at++)
			if (!slice_is(claim->entities[at].kind, "date"))
				learn_word(s, w, claim->entities[at].normal);
		for (at = 0; at < claim->keywords.count; at++)
			if (at < claim->weights.count &&
			    claim->weights.at[at] >= LIGHT)
				learn_word(s, w, claim->keywords.at[at]);
	}
}

/* Of one that was found late the words are gone; its tags are left. */
static void
learn_tags(struct effort_state *s, struct msg_a_work *w)
{
	const struct msg_artifact *a = compact_read(s->c, w->key);
	size_t i;

	for (i = 0; a != NULL && i < a->tags.count; i++)
		learn_word(s, w, a->tags.at[i]);
}

static void
end_trying(struct msg_a_work *w)
{
	w->trying = SLICE_NONE;
	w->trying_turn = 0;
	w->trying_at = 0;
	w->suggested = w->told = false;
}

static void
end_work(struct msg_a_work *w)
{
	end_trying(w);
	w->report = SLICE_NONE;
	w->report_turn = 0;
	w->tokens = w->from = 0;
	w->recent.count = 0;
	w->n_lines = 0;
	w->n_hows = 0;
}

/* An artifact that a turn or a command has opened, ended or opened again. */
static void
see_artifact(struct effort_state *s, const struct msg_artifact *a)
{
	struct msg_a_work *w = effort_work(s, a->key);

	if (w == NULL || slice_eq(w->status, a->status))
		return;
	w->status = a->status;
	if (!effort_is_open(w))
		end_work(w);
}

static void
note_trying(struct effort_state *s, struct msg_a_work *w,
    const struct compact_turn *t)
{
	struct effort_try tried = effort_tries(s->c->arena, t,
	    effort_is_other(w, t));

	if (tried.text.len == 0)
		return;
	/* "Try once more", an answer to what was asked: nothing new. */
	if (w->trying.len > 0 && effort_is_other(w, t) &&
	    (tried.content == 0 || (tried.told && s->thread.n_last > 0 &&
		slice_is(s->thread.last[0].act, "question") &&
		s->thread.last[0].number != w->trying_turn)))
		return;
	w->trying = effort_unaddressed(s, tried.text);
	w->trying_turn = t->number;
	w->trying_at = t->ts;
	w->suggested = tried.suggested;
	w->told = tried.told;
}

static void
note_report(struct effort_state *s, struct msg_a_work *w,
    const struct compact_turn *t)
{
	struct slice report = effort_reports(s->c->arena, t);

	/* "Merged." says that it is done and not what. */
	if (w->report.len == 0 || effort_says_what(report))
		w->report = report;
	w->report_turn = t->number;
}

/* The claim that tells most, in the speaker's words. */
static bool
best_line(const struct compact_turn *t, struct msg_a_line *out)
{
	const struct msg_c_claim *claim;
	uint64_t sum;
	struct slice text;
	size_t i, at;

	*out = (struct msg_a_line){ .turn = t->number };
	for (i = 0; i < t->does->n_claims; i++) {
		claim = &t->does->claims[i];
		for (at = 0, sum = 0; at < claim->weights.count; at++)
			sum += claim->weights.at[at];
		if (sum <= out->content || claim->at > t->text.len ||
		    claim->len > t->text.len - claim->at)
			continue;
		text = slice_of(t->text.ptr + claim->at, claim->len);
		out->content = sum;
		out->text = slice_of(text.ptr,
		    text_cut(text, EFFORT_LINE_BYTES));
	}
	return out->text.len > 0;
}

/* The lines stay in the order of their turns; the emptiest makes room. */
static void
keep_line(struct effort_state *s, struct msg_a_work *w,
    const struct compact_turn *t)
{
	struct msg_a_line line, *lines;
	size_t i, least = 0;

	if (!best_line(t, &line))
		return;
	lines = arena_array(s->c->arena, w->n_lines + 1, sizeof(line));
	if (w->n_lines > 0)
		memcpy(lines, w->lines, w->n_lines * sizeof(line));
	lines[w->n_lines++] = line;
	w->lines = lines;
	if (w->n_lines <= EFFORT_LINES)
		return;
	for (i = 1; i < w->n_lines; i++)
		if (lines[i].content < lines[least].content)
			least = i;
	memmove(&lines[least], &lines[least + 1],
	    (w->n_lines - least - 1) * sizeof(line));
	w->n_lines--;
}

/* What is not in a checkpoint yet, and the latest of it turn by turn. */
static void
weigh_turn(struct effort_state *s, struct msg_a_work *w,
    const struct compact_turn *t, uint64_t tokens)
{
	size_t n = w->recent.count, drop = n == 2 * EFFORT_RECENT ? 2 : 0;
	uint64_t *recent = arena_array(s->c->arena, n + 2, sizeof(recent[0]));

	if (n > drop)
		memcpy(recent, w->recent.at + drop,
		    (n - drop) * sizeof(recent[0]));
	recent[n - drop] = t->number;
	recent[n - drop + 1] = tokens;
	w->recent = (struct msg_u64s){ recent, n - drop + 2 };
	if (w->tokens == 0)
		w->from = t->number;
	w->tokens += tokens;
	if (!t->does->machine)
		keep_line(s, w, t);
}

static void
take_effort(struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_turn *is)
{
	struct msg_a_work *w = effort_bring(s, is->effort);

	if (w == NULL)
		return;
	if (slice_is(is->why, "opened"))
		w->asked = !slice_is(t->does->act, "inform");
	if (slice_is(is->why, "found"))
		learn_tags(s, w);
	if (effort_why_ends(is->why)) {
		end_trying(w);
		w->report = SLICE_NONE;
		w->report_turn = 0;
		w->n_hows = 0;
	}
	if (effort_is_open(w)) {
		if (slice_is(t->role, "user") && !effort_is_other(w, t))
			learn_words(s, w, t->does);
		weigh_turn(s, w, t, is->tokens);
		if (!t->does->machine && effort_is_report(t))
			note_report(s, w, t);
		else if (!t->does->machine)
			note_trying(s, w, t);
		if (!t->does->machine && !slice_is(is->why, "opened") &&
		    !effort_why_ends(is->why))
			effort_how_note(s, w, t);
	}
	w->last = t->number;
}

static void
take_loose(struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_turn *is)
{
	if (s->thread.n_loose == 0) {
		s->thread.loose = arena_alloc(s->c->arena,
		    sizeof(s->thread.loose[0]));
		s->thread.n_loose = 1;
		s->thread.loose[0].status = SLICE("open");
	}
	weigh_turn(s, &s->thread.loose[0], t, is->tokens);
	s->thread.loose[0].last = t->number;
}

/*
 * The act model takes some of an assistant's answers for questions: those that
 * nothing but it calls one, and that ask nothing.
 */
static struct slice
act_of(const struct compact_turn *t)
{
	if (slice_is(t->role, "assistant") && t->does->rule.len == 0 &&
	    slice_is(t->does->act, "question") &&
	    memchr(t->text.ptr, '?', t->text.len) == NULL)
		return SLICE("inform");
	return t->does->act;
}

static void
push_said(struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_turn *is)
{
	size_t n = s->thread.n_last < EFFORT_LAST ? s->thread.n_last :
						    EFFORT_LAST - 1;
	struct msg_a_said *last = arena_array(s->c->arena, n + 1,
	    sizeof(last[0]));

	last[0] = (struct msg_a_said){
		.number = t->number,
		.seq = s->c->seq,
		.i = t->i,
		.user = t->user,
		.role = t->role,
		.act = act_of(t),
		.effort = is->effort,
		.aside = slice_is(is->why, "aside"),
		.more = slice_is(t->role, "assistant") &&
		    effort_asks_for_more(t),
		.confirms = effort_asks_to_confirm(t),
		.fails = slice_is(t->role, "assistant") &&
		    effort_tells_inability(t),
	};
	if (n > 0)
		memcpy(&last[1], s->thread.last, n * sizeof(last[0]));
	s->thread.last = last;
	s->thread.n_last = n + 1;
}

/* The turns and lines behind a checkpoint, beside those of before. */
static void
drop_until(struct effort_state *s, struct msg_a_work *w, uint64_t to)
{
	uint64_t *recent = arena_array(s->c->arena, w->recent.count,
	    sizeof(recent[0]));
	struct msg_a_line *lines = arena_array(s->c->arena, w->n_lines,
	    sizeof(lines[0]));
	size_t i, n;

	w->tokens = 0;
	for (i = n = 0; i < w->recent.count; i += 2)
		if (w->recent.at[i] > to) {
			recent[n++] = w->recent.at[i];
			recent[n++] = w->recent.at[i + 1];
			w->tokens += w->recent.at[i + 1];
		}
	w->recent = (struct msg_u64s){ recent, n };
	for (i = n = 0; i < w->n_lines; i++)
		if (w->lines[i].turn > to)
			lines[n++] = w->lines[i];
	w->lines = lines;
	w->n_lines = n;
}

/* Parts of works that went into a checkpoint. */
void
effort_state_checkpoint(struct effort_state *s, const struct msg_artifact *a)
{
	struct msg_a_work *w = a->parent.len > 0 ? effort_work(s, a->parent) :
	    s->thread.n_loose > 0 ? &s->thread.loose[0] : NULL;
	uint64_t to = a->turns.count > 0 ? a->turns.at[a->turns.count - 1] : 0;

	if (w == NULL || to < w->from)
		return;
	drop_until(s, w, to);
	w->from = to + 1;
}

void
effort_state_take(struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_turn *is)
{
	const struct msg_artifact *a;
	size_t i;

	for (i = 0; i < is->artifacts.count; i++) {
		a = compact_read(s->c, is->artifacts.at[i]);
		/* Deciding has seen a checkpoint already: no harm. */
		if (a != NULL && a->checkpoint)
			effort_state_checkpoint(s, a);
		else if (a != NULL)
			see_artifact(s, a);
	}
	if (is->effort.len > 0)
		take_effort(s, t, is);
	else
		take_loose(s, t, is);
	push_said(s, t, is);
	s->thread.turns++;
}

/* ---- what the rest of the section says ---- */

void
effort_state_ask(struct effort_state *s, const struct msg_a_asked *asked)
{
	struct msg_a_asked *list = arena_array(s->c->arena,
	    s->thread.n_asked + 1, sizeof(list[0]));
	bool late = effort_late_is(asked);
	size_t i, n = 0;

	if (!asked->over)
		list[n++] = *asked;
	for (i = 0; i < s->thread.n_asked && n < EFFORT_ASKED; i++)
		if ((s->thread.asked[i].seq != asked->seq ||
			s->thread.asked[i].i != asked->i) &&
		    !(late && effort_late_is(&s->thread.asked[i])))
			list[n++] = s->thread.asked[i];
	s->thread.asked = list;
	s->thread.n_asked = n;
}

void
effort_state_tell(struct effort_state *s, const struct msg_a_asked *asked)
{
	struct msg_s_compactor *section = s->c->section;
	struct msg_a_asked *list;
	size_t i, n = section->n_asked;

	effort_state_ask(s, asked);
	for (i = 0; i < n; i++)
		if (section->asked[i].seq == asked->seq &&
		    section->asked[i].i == asked->i)
			break;
	list = arena_array(s->c->arena, n + 1, sizeof(list[0]));
	if (n > 0)
		memcpy(list, section->asked, n * sizeof(list[0]));
	list[i] = *asked;
	if (asked->over)
		list[i].n_draft = 0;
	section->asked = list;
	section->n_asked = i < n ? n : n + 1;
}

/* The stream's list has the open efforts and no others. */
static void
take_open(struct effort_state *s, const struct msg_artifact *a)
{
	struct key k = key_stream(a->domain, a->user, a->room);
	struct msg_a_work *w = effort_work(s, a->key);
	struct msg_a_stream stream = { 0 };
	struct msg_a_open *list, is = {
		.key = a->key,
		.chain = a->chain,
		.thread = a->thread,
		.keywords = w == NULL ? a->tags : w->keywords,
		.owner = a->user,
	};
	bool open = slice_is(a->status, "open"), known = false;
	size_t i, n = 0;

	(void)compact_share(s->c, TABLE_effort_streams, &k, MSG_a_stream,
	    &stream);
	for (i = 0; i < stream.n_open; i++)
		known = known || slice_eq(stream.open[i].key, a->key);
	list = arena_array(s->c->arena, stream.n_open + 1, sizeof(list[0]));
	if (open && !known)
		list[n++] = is;
	for (i = 0; i < stream.n_open && n < EFFORT_STREAM; i++)
		if (!slice_eq(stream.open[i].key, a->key))
			list[n++] = stream.open[i];
		else if (open)
			list[n++] = is;
	stream = (struct msg_a_stream){ .open = list, .n_open = n };
	compact_put(s->c, TABLE_effort_streams, &k, MSG_a_stream, &stream);
	due_times_put(s->c->idle_times, &k, effort_idle_at(s->c, a));
}

void
effort_state_settle(struct effort_state *s)
{
	const struct msg_s_compactor *section = s->c->section;
	const struct msg_artifact *a;
	size_t i;

	for (i = 0; i < section->n_asked; i++)
		effort_state_ask(s, &section->asked[i]);
	for (i = 0; i < section->n_artifacts; i++) {
		a = &section->artifacts[i];
		if (!slice_is(a->type, "effort") || a->parent.len > 0)
			continue;
		see_artifact(s, a);
		take_open(s, a);
	}
}
