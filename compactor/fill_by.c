/*
 * fill_by - each way to take something from a turn
 */
#include "classify/entities.h"
#include "classify/sift.h"
#include "compactor/compact.h"
#include "compactor/fill.h"

enum {
	STEP_WORDS = 20,
	ERROR_WORDS = 20,
	LINE_BYTES = 400,	/* of a line of a log */
	SHORT_ANSWER = 3,	/* content: less is understood by its question */
};

/* What one way works on. */
struct taking {
	struct arena *arena;
	const struct trigger_result *turn;
	const struct trigger_fire *fire;
	const struct package_by *by;
	const struct msg_artifact *artifact;
	size_t most;
	struct msg_strs out;
};

static void
give(struct taking *k, struct slice value)
{
	if (value.len > 0 && k->out.count < k->most &&
	    !strs_has(&k->out, value))
		strs_add(&k->out, k->arena, value);
}

static struct slice
sentence_text(const struct taking *k, size_t i)
{
	return slice_of(k->turn->turn->said.text.ptr +
	    k->turn->sentences[i].at, k->turn->sentences[i].len);
}

static struct slice
entity_text(const struct taking *k, const struct msg_c_entity *e)
{
	struct slice text = k->turn->turn->said.text;

	if (e->at >= text.len || e->len > text.len - e->at)
		return SLICE_NONE;
	return slice_of(text.ptr + e->at, e->len);
}

static void
by_goal(struct taking *k)
{
	give(k, summary_goal(k->arena, &k->turn->turn->said).text);
}

static void
by_resolution(struct taking *k)
{
	give(k, summary_resolution(k->arena, &k->turn->turn->said).text);
}

static void
by_statement(struct taking *k)
{
	give(k, summary_statement(k->arena, &k->turn->turn->said).text);
}

static void
by_sentence(struct taking *k)
{
	if (k->fire->sentence < k->turn->n_sentences)
		give(k, summary_shorten(k->arena,
		    sentence_text(k, k->fire->sentence), CUT_filler,
		    LINE_WORDS));
}

static void
by_answer(struct taking *k)
{
	struct summary_line line = summary_statement(k->arena,
	    &k->turn->turn->said);
	struct msg_strs question = artifact_field(k->artifact, "question");

	if (line.content < SHORT_ANSWER && question.count > 0 &&
	    line.text.len > 0)
		line.text = arena_printf(k->arena, "%.*s %.*s",
		    SLICE_ARG(question.at[0]), SLICE_ARG(line.text));
	give(k, line.text);
}

static void
by_question(struct taking *k)
{
	give(k, summary_question(k->arena, &k->turn->turn->said).text);
}

static void
by_subject(struct taking *k)
{
	const struct summary_turn *said = &k->turn->turn->said;
	struct summary_line line = summary_question(k->arena, said);

	if (line.text.len == 0)
		line = summary_statement(k->arena, said);
	for (size_t i = 0; i < said->does->n_claims; i++)
		if (said->does->claims[i].at >= line.at &&
		    said->does->claims[i].at < line.at + line.len)
			give(k, said->does->claims[i].subject);
}

static void
by_entities(struct taking *k)
{
	const struct msg_c_turn *does = k->turn->turn->said.does;

	for (size_t i = 0; i < does->n_claims; i++)
		for (size_t n = 0; n < does->claims[i].n_entities; n++) {
			const struct msg_c_entity *e =
			    &does->claims[i].entities[n];

			for (int kind = 0; kind < ENTITY_KINDS; kind++)
				if (k->by->kinds & 1u << kind && slice_is(
				    e->kind, entity_kind_name(
				    (enum entity_kind)kind)))
					give(k, entity_text(k, e));
		}
}

/* An address or a file that the turn refers to, else who speaks. */
static void
by_source(struct taking *k)
{
	static const struct package_by named = { WAY_entities,
		1u << ENTITY_URL, MATCH_NONE };
	const struct package_by *by = k->by;
	const struct trigger_turn *t = k->turn->turn;

	k->by = &named;
	by_entities(k);
	k->by = by;
	if (k->out.count == 0)
		give(k, slice_is(t->said.role, "user") && t->user.len > 0 ?
		    t->user : t->said.role);
}

static void
by_confidence(struct taking *k)
{
	uint64_t sure = k->artifact->confidence;

	give(k, arena_printf(k->arena, "%llu.%03llu",
	    (unsigned long long)sure / 1000, (unsigned long long)sure % 1000));
}

static void
by_claims(struct taking *k)
{
	const struct trigger_turn *t = k->turn->turn;

	for (size_t i = 0; i < t->said.does->n_claims; i++) {
		const struct msg_c_claim *c = &t->said.does->claims[i];

		if (c->at < t->said.text.len &&
		    c->len <= t->said.text.len - c->at)
			give(k, summary_shorten(k->arena, slice_of(
			    t->said.text.ptr + c->at, c->len), CUT_filler,
			    LINE_WORDS));
	}
}

/* ---- lines ---- */

static bool
next_line(struct slice text, size_t *at, struct slice *line)
{
	const char *end;

	if (*at >= text.len)
		return false;
	end = memchr(text.ptr + *at, '\n', text.len - *at);
	line->ptr = text.ptr + *at;
	line->len = end != NULL ? (size_t)(end - line->ptr) : text.len - *at;
	*at += line->len + 1;
	while (line->len > 0 && (line->ptr[0] == ' ' || line->ptr[0] == '\t'))
		*line = slice_of(line->ptr + 1, line->len - 1);
	return true;
}

/* How long "1. ", "2) ", "- " at the begin of a line is; 0: no item. */
static size_t
item_mark(struct slice line)
{
	size_t n = 0;

	while (n < line.len && n < 3 && line.ptr[n] >= '0' &&
	    line.ptr[n] <= '9')
		n++;
	if (n > 0 && n + 1 < line.len &&
	    (line.ptr[n] == '.' || line.ptr[n] == ')') &&
	    line.ptr[n + 1] == ' ')
		return n + 2;
	if (line.len > 2 && (line.ptr[0] == '-' || line.ptr[0] == '*') &&
	    line.ptr[1] == ' ')
		return 2;
	return 0;
}

static void
by_steps(struct taking *k)
{
	struct slice line;
	bool code = false;
	size_t at = 0, mark;

	while (next_line(k->turn->turn->said.text, &at, &line)) {
		if (slice_starts(line, "```")) {
			code = !code;
			continue;
		}
		mark = code ? 0 : item_mark(line);
		if (mark > 0)
			give(k, summary_shorten(k->arena,
			    slice_of(line.ptr + mark, line.len - mark),
			    CUT_filler, STEP_WORDS));
	}
}

/* As programs tell an error. */
static bool
is_error_line(struct slice line)
{
	static const char *const marks[] = { "Error", "error:", "ERROR",
		"Exception", "exception", "Traceback", "panic", "fatal",
		"FATAL", "Fatal", "FAILED", "failed", "Segmentation fault",
		"undefined reference", "not found", "denied", "refused",
		"cannot", "Cannot" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (memmem(line.ptr, line.len, marks[i],
		    strlen(marks[i])) != NULL)
			return true;
	return false;
}

/* The last such line of what was pasted: before it stands how it came. */
static struct slice
pasted_error(const struct taking *k)
{
	struct slice text = k->turn->turn->said.text, found = SLICE_NONE, line;
	struct sifted sifted = sift_text(k->arena, text, SPEAKER_user);

	for (size_t i = 0; i < sifted.count; i++) {
		const struct sift_span *span = &sifted.spans[i];
		struct slice part = slice_of(text.ptr + span->at, span->len);
		size_t at = 0;

		if (!span->block || span->kind == SIFT_OWN ||
		    span->kind == SIFT_MACHINE)
			continue;
		while (next_line(part, &at, &line))
			if (line.len <= LINE_BYTES && is_error_line(line) &&
			    !slice_starts(line, "Traceback"))
				found = line;
	}
	return found;
}

static bool
names_error(const struct taking *k, size_t sentence)
{
	const struct summary_sentence *s = &k->turn->sentences[sentence];
	const struct msg_c_turn *does = k->turn->turn->said.does;

	for (size_t i = 0; i < does->n_claims; i++)
		for (size_t n = 0; n < does->claims[i].n_entities; n++) {
			const struct msg_c_entity *e =
			    &does->claims[i].entities[n];

			if (slice_is(e->kind, "error") && e->at >= s->at &&
			    e->at < s->at + s->len)
				return true;
		}
	return false;
}

static void
by_error(struct taking *k)
{
	size_t n = k->turn->n_sentences, best = n;
	struct slice pasted = pasted_error(k);

	if (pasted.len > 0) {
		give(k, summary_shorten(k->arena, pasted, CUT_filler,
		    ERROR_WORDS));
		return;
	}
	for (size_t i = 0; i < n && best == n; i++)
		if (names_error(k, i))
			best = i;
	for (size_t i = 0; i < n && best == n; i++)
		if (summary_tells_problem(k->arena, sentence_text(k, i)))
			best = i;
	/* In words that no list has: the sentence that set it off. */
	if (best == n && k->fire->opens > 0)
		best = k->fire->sentence;
	if (best < n)
		give(k, summary_shorten(k->arena, sentence_text(k, best),
		    CUT_asking, ERROR_WORDS));
}

static void
by_time(struct taking *k)
{
	const struct msg_c_turn *does = k->turn->turn->said.does;
	int64_t first, last;

	for (size_t i = 0; i < does->n_claims; i++)
		for (size_t n = 0; n < does->claims[i].n_entities; n++) {
			const struct msg_c_entity *e =
			    &does->claims[i].entities[n];

			if (slice_is(e->kind, "date") &&
			    trigger_time(e->normal, &first, &last))
				give(k, e->normal);
		}
}

static void
by_turns(struct taking *k)
{
	give(k, arena_printf(k->arena, "%llu",
	    (unsigned long long)k->turn->turn->number));
}

static void
by_match(struct taking *k)
{
	for (size_t i = 0; i < k->turn->n_sentences; i++)
		if (trigger_matched(k->turn, k->by->match, i))
			give(k, summary_shorten(k->arena, sentence_text(k, i),
			    CUT_filler, LINE_WORDS));
}

struct msg_strs
fill_by(struct arena *arena, const struct package_by *by,
    const struct trigger_result *turn, const struct trigger_fire *fire,
    const struct msg_artifact *artifact, size_t most)
{
	static void (*const ways[WAY_COUNT])(struct taking *) = {
#define WAY(name, what) [WAY_##name] = by_##name,
		PACKAGE_WAYS(WAY)
#undef WAY
	};
	struct taking k = { .arena = arena, .turn = turn, .fire = fire,
		.by = by, .artifact = artifact, .most = most };

	ways[by->way](&k);
	return k.out;
}
