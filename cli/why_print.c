/*
 * why_print - why a turn was classified as it was: a page, and JSON
 */
#include "cli/why.h"

#include "classify/model.h"
#include "classify/rules.h"
#include "common/json.h"
#include "common/when.h"

enum { EXCERPT_BYTES = 60, PAGE_BYTES = 2000 };

static const struct {
	const char *name;
	size_t offset;
} flags[] = {
#define FLAG(bit, flag, what) \
	[bit] = { #flag, offsetof(struct msg_c_turn, flag) },
#include "classify/acts.def"
};
enum { FLAG_COUNT = sizeof(flags) / sizeof(flags[0]) };

static bool
has_flag(const struct msg_c_turn *turn, size_t bit)
{
	return *(const bool *)((const char *)turn + flags[bit].offset);
}

static struct slice
part_of(struct slice text, uint64_t at, uint64_t len)
{
	if (at > text.len || len > text.len - at)
		return SLICE_NONE;
	return slice_of(text.ptr + at, len);
}

/* At most `most` bytes, whole characters. */
static struct slice
beginning(struct slice s, size_t most)
{
	if (s.len > most) {
		s.len = most;
		while (s.len > 0 && (s.ptr[s.len] & 0xc0) == 0x80)
			s.len--;
	}
	return s;
}

static const char *
base_name(const struct rule_info *rule)
{
	size_t i = rule->file.len;

	while (i > 0 && rule->file.ptr[i - 1] != '/')
		i--;
	return rule->file.ptr + i;
}

/* ---- for people ---- */

static void
print_thousandths(struct buf *out, uint64_t n)
{
	buf_addf(out, "%llu.%03llu", (unsigned long long)n / 1000,
	    (unsigned long long)n % 1000);
}

/* A text's lines, indented; control bytes do not reach the terminal. */
static void
print_text(struct buf *out, struct slice text)
{
	struct slice shown = beginning(text, PAGE_BYTES);
	size_t i;

	buf_adds(out, "    ");
	for (i = 0; i < shown.len; i++) {
		if (shown.ptr[i] == '\n')
			buf_adds(out, "\n    ");
		else if ((unsigned char)shown.ptr[i] >= 0x20 ||
		    shown.ptr[i] == '\t')
			buf_addc(out, shown.ptr[i]);
		else
			buf_addc(out, ' ');
	}
	if (shown.len < text.len)
		buf_addf(out, "…\n    (%zu bytes in all)", text.len);
	buf_addc(out, '\n');
}

/* On one line, in quotes. */
static void
print_excerpt(struct buf *out, struct slice text)
{
	struct slice shown = beginning(text, EXCERPT_BYTES);
	size_t i;

	buf_addc(out, '"');
	for (i = 0; i < shown.len; i++)
		buf_addc(out, (unsigned char)shown.ptr[i] < 0x20 ? ' ' :
								   shown.ptr[i]);
	buf_adds(out, shown.len < text.len ? "…\"" : "\"");
}

static void
print_rule(struct buf *out, const struct rule_info *rule)
{
	buf_addf(out, "rule %.*s (%s:%u)", SLICE_ARG(rule->name),
	    base_name(rule), rule->line);
}

static void
print_verdict(struct buf *out, const struct msg_c_turn *turn,
    const struct rule_info *by)
{
	buf_addf(out, "%.*s, ", SLICE_ARG(turn->act));
	print_thousandths(out, turn->confidence);
	if (slice_is(turn->level, "none")) {
		buf_adds(out, ", a guess: nothing decided");
	} else if (by != NULL && slice_eq(by->name, turn->rule)) {
		buf_adds(out, ", decided by ");
		print_rule(out, by);
	} else {
		buf_addf(out, ", decided by %.*s", SLICE_ARG(turn->level));
		if (turn->rule.len > 0)
			buf_addf(out, " %.*s", SLICE_ARG(turn->rule));
	}
}

static void
print_act(const struct why *w, struct buf *out)
{
	const struct rule_info *by = w->reading.turn.whole.by;

	buf_adds(out, "\nAct        ");
	if (w->revised != NULL) {
		print_verdict(out, w->revised, NULL);
		buf_addf(out, " (entry %llu)\n  at first ",
		    (unsigned long long)w->revised_by);
	}
	print_verdict(out, w->stored, by);
	buf_addc(out, '\n');
	if (by != NULL && !slice_eq(by->name, w->stored->rule)) {
		buf_adds(out, "           less sure and not followed: ");
		print_rule(out, by);
		buf_addf(out, ", %s ", act_name(by->act));
		print_thousandths(out, by->confidence);
		if (by->room_confidence != by->confidence) {
			buf_adds(out, " (among people ");
			print_thousandths(out, by->room_confidence);
			buf_addc(out, ')');
		}
		buf_addc(out, '\n');
	}
	if (w->stored->asks)
		buf_adds(out, "           uncertain: a question for assess\n");
	if (w->stored->machine)
		buf_adds(out, "           none of it is the speaker's own words\n");
	if (w->differs)
		buf_adds(out, "           today's rules and weights say otherwise:"
		    " 'skein rebuild --from classify'\n");
	if (w->engine == NULL)
		buf_addf(out, "           cannot be read again: %s\n",
		    buf_cstr(&w->trouble));
}

static void
print_flags(const struct why *w, struct buf *out)
{
	const struct rule_info *by;
	bool any = false;

	for (size_t bit = 0; bit < FLAG_COUNT; bit++) {
		if (!has_flag(w->stored, bit))
			continue;
		by = w->reading.turn.whole.flag_by[bit];
		buf_addf(out, "%s%-11s", any ? "           " : "Flags      ",
		    flags[bit].name);
		if (by != NULL)
			print_rule(out, by);
		buf_addc(out, '\n');
		any = true;
	}
	if (!any)
		buf_adds(out, "Flags      none\n");
}

static void
print_before(const struct why *w, struct buf *out)
{
	buf_adds(out, "Before     ");
	if (w->talk.role.len == 0) {
		buf_adds(out, "nothing was said\n");
		return;
	}
	buf_addf(out, "%.*s, %.*s: ", SLICE_ARG(w->talk.role),
	    SLICE_ARG(w->talk.act));
	print_excerpt(out, w->talk.text);
	buf_adds(out, w->talk.effort_open ? "; an effort is open" : "");
	buf_adds(out, w->talk.solution_offered ? "; a solution was offered\n" :
						 "\n");
}

static void
print_model(const struct why *w, struct buf *out)
{
	const char *line = buf_cstr(&w->features), *end;

	if (w->features.len == 0)
		return;
	buf_adds(out, "Model      ");
	for (int a = 0; a < ACT_COUNT; a++) {
		buf_addf(out, "%s%s ", a == 0 ? "" : a == 4 ? "\n           " :
							       "  ",
		    act_name(a));
		print_thousandths(out, (uint64_t)w->scores[a]);
	}
	buf_addf(out, "\n           for %s, in thousandths of log odds:\n",
	    act_name(model_best(w->scores)));
	for (; *line != '\0'; line = end + 1) {
		end = strchr(line, '\n');
		buf_addf(out, "           %.*s\n", (int)(end - line), line);
	}
}

static void
print_sentences(const struct why *w, struct buf *out)
{
	const struct msg_c_sentence *s;

	if (w->stored->n_sentences == 0)
		return;
	buf_adds(out, "\nSentences\n");
	for (size_t i = 0; i < w->stored->n_sentences; i++) {
		s = &w->stored->sentences[i];
		buf_addf(out, "  %-9.*s", SLICE_ARG(s->act));
		print_thousandths(out, s->confidence);
		buf_addf(out, " %-6.*s", SLICE_ARG(s->level));
		print_excerpt(out, part_of(w->text, s->at, s->len));
		buf_addf(out, "%s%.*s%s%s%s%s\n", s->rule.len > 0 ? " " : "",
		    SLICE_ARG(s->rule), s->concludes ? " concludes" : "",
		    s->decides ? " decides" : "", s->opens ? " opens" : "",
		    s->returns ? " returns" : "");
	}
}

static void
print_claim(const struct why *w, const struct msg_c_claim *c, struct buf *out)
{
	size_t k;

	buf_addf(out, "  %.*s: ", SLICE_ARG(c->subject));
	print_excerpt(out, part_of(w->text, c->at, c->len));
	for (k = 0; k < c->n_entities; k++)
		buf_addf(out, "%s%.*s %.*s", k == 0 ? "\n    names  " : ", ",
		    SLICE_ARG(c->entities[k].kind),
		    SLICE_ARG(c->entities[k].normal));
	for (k = 0; k < c->keywords.count && k < c->weights.count; k++) {
		buf_addf(out, "%s%.*s ", k == 0 ? "\n    words  " : ", ",
		    SLICE_ARG(c->keywords.at[k]));
		print_thousandths(out, c->weights.at[k]);
	}
	buf_addc(out, '\n');
}

static void
print_aside(const struct why *w, struct buf *out)
{
	const struct sift_span *span;
	bool any = false;

	for (size_t i = 0; i < w->reading.sifted.count; i++) {
		span = &w->reading.sifted.spans[i];
		if (span->kind == SIFT_OWN)
			continue;
		buf_addf(out, "%s  %-8s", any ? "" : "\nSet aside\n",
		    sift_kind_name(span->kind));
		print_excerpt(out, part_of(w->text, span->at, span->len));
		buf_addc(out, '\n');
		any = true;
	}
}

void
why_print(const struct why *w, struct buf *out)
{
	const struct msg_envelope *env = &w->e.entry.as->envelope;
	const struct msg *placed = &w->e.sections[STAGE_ingest];
	struct slice thread = query_thread_name(w->q,
	    placed->as->s_ingest.thread);
	char stamp[WHEN_TEXT_BYTES];

	when_format(env->ts, stamp);
	buf_addf(out, "%llu.%llu  %s  %.*s%s%.*s  thread %.*s (%.*s)\n",
	    (unsigned long long)w->seq, (unsigned long long)w->i, stamp,
	    SLICE_ARG(w->role), env->user.len > 0 ? " " : "",
	    SLICE_ARG(env->user), SLICE_ARG(thread),
	    SLICE_ARG(placed->as->s_ingest.why));
	print_text(out, w->text);
	print_act(w, out);
	print_flags(w, out);
	print_before(w, out);
	print_model(w, out);
	print_sentences(w, out);
	if (w->stored->n_claims > 0)
		buf_adds(out, "\nClaims\n");
	for (size_t i = 0; i < w->stored->n_claims; i++)
		print_claim(w, &w->stored->claims[i], out);
	print_aside(w, out);
}

/* ---- JSON ---- */

static void
put_text(struct buf *out, const char *name, struct slice text)
{
	buf_addf(out, "%s\"%s\":", out->ptr[out->len - 1] == '{' ? "" : ",",
	    name);
	json_put_str(out, text);
}

static void
put_thousandths(struct buf *out, const char *name, uint64_t n)
{
	buf_addf(out, "%s\"%s\":", out->ptr[out->len - 1] == '{' ? "" : ",",
	    name);
	print_thousandths(out, n);
}

static void
put_rule(struct buf *out, const char *name, const struct rule_info *rule)
{
	buf_addf(out, "%s\"%s\":", out->ptr[out->len - 1] == '{' ? "" : ",",
	    name);
	if (rule == NULL) {
		buf_adds(out, "null");
		return;
	}
	buf_addc(out, '{');
	put_text(out, "name", rule->name);
	put_text(out, "file", slice_str(base_name(rule)));
	buf_addf(out, ",\"line\":%u", rule->line);
	put_thousandths(out, "confidence", rule->confidence);
	buf_addc(out, '}');
}

static void
put_verdict(struct buf *out, const struct msg_c_turn *turn)
{
	put_text(out, "act", turn->act);
	put_thousandths(out, "confidence", turn->confidence);
	put_text(out, "level", turn->level);
}

static void
put_flags(const struct why *w, struct buf *out)
{
	buf_adds(out, ",\"flags\":{");
	for (size_t bit = 0; bit < FLAG_COUNT; bit++)
		if (has_flag(w->stored, bit))
			put_rule(out, flags[bit].name,
			    w->reading.turn.whole.flag_by[bit]);
	buf_addc(out, '}');
}

static void
put_model(const struct why *w, struct buf *out)
{
	const char *line = buf_cstr(&w->features), *end;

	if (w->features.len == 0)
		return;
	buf_adds(out, ",\"scores\":{");
	for (int a = 0; a < ACT_COUNT; a++)
		put_thousandths(out, act_name(a), (uint64_t)w->scores[a]);
	buf_adds(out, "},\"features\":[");
	for (; *line != '\0'; line = end + 1) {
		end = strchr(line, '\n');
		if (line != buf_cstr(&w->features))
			buf_addc(out, ',');
		json_put_str(out, slice_of(line, (size_t)(end - line)));
	}
	buf_addc(out, ']');
}

static void
put_before(const struct why *w, struct buf *out)
{
	buf_adds(out, ",\"before\":");
	if (w->talk.role.len == 0) {
		buf_adds(out, "null");
		return;
	}
	buf_addc(out, '{');
	put_text(out, "role", w->talk.role);
	put_text(out, "act", w->talk.act);
	put_text(out, "text", w->talk.text);
	buf_addf(out, ",\"effort_open\":%s,\"solution_offered\":%s}",
	    w->talk.effort_open ? "true" : "false",
	    w->talk.solution_offered ? "true" : "false");
}

/* A list of the turn's row: texts stand beside places. */
static void
put_cell(struct buf *out, const struct row *row, const char *name)
{
	const struct cell *cell = row_cell(row, name);

	buf_addf(out, ",\"%s\":", name);
	if (cell == NULL)
		buf_adds(out, "[]");
	else
		cell_to_json(out, cell);
}

static void
put_aside(const struct why *w, struct buf *out)
{
	const struct sift_span *span;
	bool any = false;

	buf_adds(out, ",\"set_aside\":[");
	for (size_t i = 0; i < w->reading.sifted.count; i++) {
		span = &w->reading.sifted.spans[i];
		if (span->kind == SIFT_OWN)
			continue;
		buf_addf(out, "%s{\"kind\":\"%s\",\"at\":%zu,\"len\":%zu",
		    any ? "," : "", sift_kind_name(span->kind), span->at,
		    span->len);
		put_text(out, "text", part_of(w->text, span->at, span->len));
		buf_addc(out, '}');
		any = true;
	}
	buf_addc(out, ']');
}

void
why_to_json(const struct why *w, struct buf *out)
{
	struct row row;

	buf_addc(out, '{');
	put_verdict(out, w->revised != NULL ? w->revised : w->stored);
	if (w->revised != NULL) {
		buf_addf(out, ",\"revised_by\":%llu,\"original\":{",
		    (unsigned long long)w->revised_by);
		put_verdict(out, w->stored);
		buf_addc(out, '}');
	}
	buf_addf(out, ",\"asks\":%s,\"machine\":%s,\"differs\":%s",
	    w->stored->asks ? "true" : "false",
	    w->stored->machine ? "true" : "false",
	    w->differs ? "true" : "false");
	put_rule(out, "rule", w->reading.turn.whole.by);
	put_flags(w, out);
	put_before(w, out);
	put_model(w, out);
	if (query_turn_row(w->q, w->seq, w->i, &row)) {
		put_cell(out, &row, "sentences");
		put_cell(out, &row, "claims");
	}
	put_aside(w, out);
	if (w->engine == NULL)
		put_text(out, "trouble", buf_slice(&w->trouble));
	buf_addc(out, '}');
}
