/*
 * episode_words - an episode's summaries, for reading
 */
#include "compactor/episode_words.h"

#include "common/text.h"
#include "compactor/episode_digest.h"
#include "compactor/skill.h"
#include "compactor/summary.h"

enum {
	MICRO_WORDS = 16,	/* of one thing in a micro summary */
	MICRO_OTHERS = 2,	/* things named beside the main one */
	MESO_WORDS = 24,
	MESO_THINGS = 10,	/* the latest */
	MESO_LINES = 4,
	MACRO_SKILLS = 4,
	MACRO_TOPICS = 8,
	NAME_WORDS = 10,
};

/* What an episode's summaries are written from. */
struct story {
	struct compact *c;
	const struct msg_episode_digest *d;
	const struct msg_artifact *things[DIGEST_ARTIFACTS];	/* in order */
	size_t n;
	const struct msg_artifact *main;	/* NULL: no effort */
	struct buf out;
};

/* ---- reading ---- */

static uint64_t
turns_of(const struct msg_artifact *a)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i + 1 < a->turns.count; i += 2)
		n += a->turns.at[i + 1] - a->turns.at[i] + 1;
	return n;
}

static bool
is_effort(const struct msg_artifact *a)
{
	return slice_is(a->type, "effort");
}

static bool
is_open(const struct msg_artifact *a)
{
	return slice_is(a->status, "open");
}

/* Attempts and checkpoints are told with their effort, if at all. */
static void
read_things(struct story *s)
{
	const struct msg_artifact *a;
	size_t i;

	for (i = 0; i < s->d->artifacts.count &&
	     s->n < DIGEST_ARTIFACTS; i++) {
		a = compact_read(s->c, s->d->artifacts.at[i]);
		if (a == NULL || a->parent.len > 0 || a->checkpoint ||
		    a->summary.len == 0)
			continue;
		s->things[s->n++] = a;
		if (is_effort(a) && (s->main == NULL ||
			turns_of(a) > turns_of(s->main)))
			s->main = a;
	}
}

/* ---- writing ---- */

/* A piece of a sentence: shortened, without the stop at its end. */
static void
put(struct story *s, struct slice text, size_t words)
{
	struct slice t = summary_shorten(s->c->arena, text, CUT_filler, words);

	while (t.len > 0 && (t.ptr[t.len - 1] == '.' ||
		t.ptr[t.len - 1] == ' ' || t.ptr[t.len - 1] == '!'))
		t.len--;
	buf_addslice(&s->out, t);
}

/* The same inside a sentence: no capital, unless it is a name's. */
static void
put_inside(struct story *s, struct slice text, size_t words)
{
	size_t at = s->out.len;
	char *p;

	put(s, text, words);
	p = s->out.ptr + at;
	if (s->out.len > at + 1 && p[0] >= 'A' && p[0] <= 'Z' &&
	    p[1] >= 'a' && p[1] <= 'z')
		p[0] = (char)(p[0] - 'A' + 'a');
}

/* Ends a sentence, unless it ends already. */
static void
stop(struct story *s)
{
	static const char *const ends[] = { ".", "?", "…" };
	size_t i, len;

	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		len = strlen(ends[i]);
		if (s->out.len >= len && memcmp(s->out.ptr + s->out.len - len,
			ends[i], len) == 0)
			break;
	}
	buf_adds(&s->out, i < sizeof(ends) / sizeof(ends[0]) ? " " : ". ");
}

static struct slice
taken(struct story *s)
{
	struct slice text;

	while (s->out.len > 0 && s->out.ptr[s->out.len - 1] == ' ')
		s->out.len--;
	text = arena_dup(s->c->arena, buf_slice(&s->out));
	buf_clear(&s->out);
	return text;
}

static void
put_dates(struct story *s)
{
	struct slice from = summary_date(s->c->arena, s->d->first_at);
	struct slice to = summary_date(s->c->arena, s->d->last_at);

	buf_addslice(&s->out, from);
	if (!slice_eq(from, to)) {
		buf_adds(&s->out, " to ");
		buf_addslice(&s->out, to);
	}
}

/* "Goal; resolved: how", "Goal; still open" */
static void
put_thing(struct story *s, const struct msg_artifact *a, size_t words)
{
	put(s, a->summary, words);
	if (is_effort(a) && is_open(a))
		buf_adds(&s->out, "; still open");
	if (a->resolution.len > 0 && !is_open(a)) {
		buf_adds(&s->out, is_effort(a) ? "; resolved: " : "; ");
		put_inside(s, a->resolution, words);
	}
}

/* ---- the three ---- */

static void
put_others(struct story *s)
{
	size_t i, named = 0, others = s->n - (s->main != NULL);

	/* The first thing is told already where there is no effort. */
	if (s->main == NULL)
		others--;
	for (i = 0; i < s->n && named < MICRO_OTHERS; i++) {
		if (s->things[i] == s->main || (s->main == NULL && i == 0))
			continue;
		buf_adds(&s->out, named++ == 0 ? "Also: " : "; ");
		put_thing(s, s->things[i], MICRO_WORDS);
	}
	if (others > named)
		buf_addf(&s->out, "; and %zu more", others - named);
	if (named > 0)
		stop(s);
}

/* Of a thread that nothing came of: how it began, and what tells most. */
static void
put_talk(struct story *s)
{
	const struct msg_episode_digest *d = s->d;
	const struct msg_episode_line *most = NULL;
	size_t i;

	if (d->name.len > 0) {
		put(s, d->name, MICRO_WORDS);
		stop(s);
	}
	/* The first turn's would say the name again. */
	for (i = 0; i < d->n_lines; i++)
		if ((d->lines[i].turn > 1 || d->name.len == 0) &&
		    (most == NULL || d->lines[i].content > most->content))
			most = &d->lines[i];
	if (most != NULL) {
		put(s, most->text, MESO_WORDS);
		stop(s);
	}
	if (most == NULL && d->name.len == 0)
		buf_addf(&s->out, "%llu turn%s without a topic.",
		    (unsigned long long)d->turns, d->turns == 1 ? "" : "s");
}

static struct slice
micro(struct story *s)
{
	const struct msg_artifact *first = s->main != NULL ? s->main :
	    s->n > 0 ? s->things[0] : NULL;

	put_dates(s);
	buf_adds(&s->out, ": ");
	if (first != NULL) {
		put_thing(s, first, MICRO_WORDS);
		stop(s);
		put_others(s);
		return taken(s);
	}
	put_talk(s);
	return taken(s);
}

static void
put_failed(struct story *s, const struct msg_artifact *a)
{
	const struct msg_artifact *attempt;
	size_t i, n = 0;

	for (i = 0; i < a->attempts.count; i++) {
		attempt = compact_read(s->c, a->attempts.at[i]);
		if (attempt == NULL || attempt->n_history == 0 ||
		    !slice_is(attempt->history[attempt->n_history - 1].status,
			"failed"))
			continue;
		buf_adds(&s->out, n++ == 0 ? " (did not help: " : "; ");
		put_inside(s, attempt->summary, MICRO_WORDS);
	}
	buf_adds(&s->out, n > 0 ? ")" : "");
}

/* "Effort", "Decision": the type, as a word that begins a sentence. */
static void
put_type(struct story *s, const struct msg_artifact *a)
{
	size_t at = s->out.len;

	buf_addslice(&s->out, a->type);
	if (s->out.ptr[at] >= 'a' && s->out.ptr[at] <= 'z')
		s->out.ptr[at] = (char)(s->out.ptr[at] - 'a' + 'A');
	buf_adds(&s->out, ": ");
}

static struct slice
meso(struct story *s)
{
	const struct msg_episode_digest *d = s->d;
	size_t i, from = s->n > MESO_THINGS ? s->n - MESO_THINGS : 0;

	put_dates(s);
	buf_addf(&s->out, ", %llu turn%s", (unsigned long long)d->turns,
	    d->turns == 1 ? "" : "s");
	for (i = 0; i < d->people.count; i++) {
		buf_adds(&s->out, i == 0 ? " of " :
		    i + 1 < d->people.count ? ", " : " and ");
		buf_addslice(&s->out, d->people.at[i]);
	}
	stop(s);
	if (from > 0)
		buf_addf(&s->out, "%zu earlier things came of it. ", from);
	for (i = from; i < s->n; i++) {
		put_type(s, s->things[i]);
		put_thing(s, s->things[i], MESO_WORDS);
		put_failed(s, s->things[i]);
		stop(s);
	}
	for (i = 0; i < d->n_lines && s->n < 2 && i < MESO_LINES; i++) {
		put(s, d->lines[i].text, MESO_WORDS);
		stop(s);
	}
	return taken(s);
}

static void
put_counts(struct story *s)
{
	size_t i, efforts = 0, open = 0, kept = 0;

	for (i = 0; i < s->n; i++) {
		efforts += is_effort(s->things[i]);
		open += is_effort(s->things[i]) && is_open(s->things[i]);
		kept += !is_effort(s->things[i]);
	}
	if (efforts > 0)
		buf_addf(&s->out, "%zu effort%s: %zu resolved, %zu open. ",
		    efforts, efforts == 1 ? "" : "s", efforts - open, open);
	if (kept > 0)
		buf_addf(&s->out, "%zu other thing%s kept. ", kept,
		    kept == 1 ? "" : "s");
}

static void
put_skills(struct story *s, const struct msg_strs *keys, bool worked)
{
	struct msg_skill skill;
	size_t i, n = 0;

	for (i = 0; i < keys->count && n < MACRO_SKILLS; i++) {
		if (!skill_read(s->c, keys->at[i], &skill) ||
		    skill.worked != worked)
			continue;
		buf_adds(&s->out, n++ > 0 ? "; when " : worked ?
		    "Worked: when " : "Did not work: when ");
		put_inside(s, skill.when, MICRO_WORDS);
		buf_adds(&s->out, ": ");
		put_inside(s, skill.did, MICRO_WORDS);
		if (skill.evidence > 1)
			buf_addf(&s->out, " (seen in %llu episodes)",
			    (unsigned long long)skill.evidence);
	}
	if (n > 0)
		stop(s);
}

static void
put_topics(struct story *s)
{
	struct msg_strs topics = { 0 };
	size_t i, k;

	for (i = 0; i < s->n && topics.count < MACRO_TOPICS; i++)
		for (k = 0; k < s->things[i]->tags.count &&
		     topics.count < MACRO_TOPICS; k++)
			if (!strs_has(&topics, s->things[i]->tags.at[k]))
				strs_add(&topics, s->c->arena,
				    s->things[i]->tags.at[k]);
	for (i = 0; i < s->d->entities.count &&
	     topics.count < MACRO_TOPICS; i++)
		if (!strs_has(&topics, s->d->entities.at[i]))
			strs_add(&topics, s->c->arena, s->d->entities.at[i]);
	for (i = 0; i < topics.count; i++) {
		buf_adds(&s->out, i == 0 ? "Topics: " : ", ");
		buf_addslice(&s->out, topics.at[i]);
	}
	if (topics.count > 0)
		stop(s);
}

static struct slice
macro(struct story *s, const struct msg_episode *e)
{
	put_counts(s);
	put_skills(s, &e->skills, true);
	put_skills(s, &e->skills, false);
	put_topics(s);
	return taken(s);
}

void
episode_word(struct compact *c, const struct msg_episode_digest *d,
    struct msg_episode *e)
{
	struct story s = { .c = c, .d = d };

	buf_init(&s.out, SIZE_MAX / 4);
	read_things(&s);
	e->name = d->name;
	if (s.main != NULL)
		e->name = summary_shorten(c->arena, s.main->summary,
		    CUT_filler, NAME_WORDS);
	e->micro = micro(&s);
	e->meso = meso(&s);
	e->macro = macro(&s, e);
	buf_release(&s.out);
}
