/*
 * rules - what a sentence does, as a readable file of patterns says
 */
#include "classify/rules.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "classify/pattern.h"
#include "classify/scan.h"
#include "common/xmalloc.h"

enum {
	FILE_MAX = 4 << 20,
	REASON_MAX = 2048,
	PRIORITY_MAX = 1000,
	WHEN_MAX = 6,
	LEANING_MAX = 9,
	ANSWER_MAX = 200,	/* bytes of an answer that names an option */
	OFFER_MAX = 2000,	/* bytes of the turn before that are looked at */
};

enum condition {
#define CONDITION(name, what) COND_##name,
	RULE_CONDITIONS(CONDITION)
#undef CONDITION
	COND_COUNT
};

static const char *const condition_names[COND_COUNT] = {
#define CONDITION(name, what) [COND_##name] = #name,
	RULE_CONDITIONS(CONDITION)
#undef CONDITION
};

/* A line of a rule that is looked at only when all files are read. */
enum line_kind { LINE_match, LINE_unless, LINE_needs, LINE_yes, LINE_no };

struct line {
	enum line_kind kind;
	unsigned number;
	struct slice text;
};

struct when {
	unsigned yes, no;		/* bits of enum condition */
};

struct test {				/* a rule or a guard */
	struct rule_info info;
	bool is_guard, dropped;
	struct line *lines;
	size_t line_count, line_room;
	struct when when[WHEN_MAX];
	size_t when_count;
	unsigned *unless, *needs;	/* numbers of guards */
	size_t unless_count, needs_count;
};

struct rules {
	struct arena arena;
	struct patterns *patterns;
	struct test *tests;
	size_t count, room;
	const struct rule_info **fired;
	unsigned *guard_seen;		/* by test: number of the last match */
	unsigned match;
};

struct loader {
	struct rules *rules;
	struct slice file;
	size_t file_first;		/* tests before it are other files' */
	unsigned line;
	struct test *open;		/* the rule or guard being read */
	struct buf *why;
};

__attribute__((format(printf, 2, 3))) static int
refuse(const struct loader *l, const char *fmt, ...)
{
	struct buf reason;
	va_list ap;

	buf_init(&reason, REASON_MAX);
	va_start(ap, fmt);
	if (buf_vaddf(&reason, fmt, ap) < 0)
		buf_adds(&reason, "refused");
	va_end(ap);
	if (buf_addf(l->why, "%.*s:%u: %s", SLICE_ARG(l->file), l->line,
	    buf_cstr(&reason)) < 0)
		l->why->over = true;
	buf_release(&reason);
	return -1;
}

/* Runs a definition of the pattern set and gives its reason a place. */
static int
refuse_if(const struct loader *l, int rc, struct buf *reason)
{
	if (rc < 0)
		rc = refuse(l, "%s", buf_cstr(reason));
	buf_release(reason);
	return rc;
}

static struct slice
trim(struct slice s)
{
	while (s.len > 0 && strchr(" \t\r", s.ptr[0]) != NULL) {
		s.ptr++;
		s.len--;
	}
	while (s.len > 0 && strchr(" \t\r", s.ptr[s.len - 1]) != NULL)
		s.len--;
	return s;
}

/* Takes the first word off a line. */
static struct slice
take(struct slice *rest)
{
	struct slice word;
	size_t len = 0;

	*rest = trim(*rest);
	while (len < rest->len && strchr(" \t", rest->ptr[len]) == NULL)
		len++;
	word = slice_of(rest->ptr, len);
	*rest = trim(slice_of(rest->ptr + len, rest->len - len));
	return word;
}

static struct test *
test_find(struct rules *r, struct slice name)
{
	for (size_t i = 0; i < r->count; i++)
		if (!r->tests[i].dropped &&
		    slice_eq(r->tests[i].info.name, name))
			return &r->tests[i];
	return NULL;
}

static int
read_number(const struct loader *l, struct slice text, long min, long max,
    long *out)
{
	char digits[16], *end;

	if (text.len == 0 || text.len >= sizeof(digits))
		return refuse(l, "a number was expected");
	memcpy(digits, text.ptr, text.len);
	digits[text.len] = '\0';
	errno = 0;
	*out = strtol(digits, &end, 10);
	if (errno != 0 || *end != '\0' || *out < min || *out > max)
		return refuse(l, "a number from %ld to %ld was expected, not "
		    "'%s'", min, max, digits);
	return 0;
}

static int
read_begin(struct loader *l, struct slice rest, bool is_guard)
{
	struct rules *r = l->rules;
	struct slice name = take(&rest);
	struct test *old;

	if (name.len == 0 || rest.len > 0)
		return refuse(l, "a %s has a name of one word",
		    is_guard ? "guard" : "rule");
	old = test_find(r, name);
	if (old != NULL && (size_t)(old - r->tests) >= l->file_first)
		return refuse(l, "'%.*s' is defined twice, first in line %u",
		    SLICE_ARG(name), old->info.line);
	if (old != NULL)
		old->dropped = true;
	if (r->count == r->room) {
		r->room = r->room == 0 ? 64 : r->room * 2;
		r->tests = xrealloc(r->tests, r->room * sizeof(*r->tests));
	}
	l->open = &r->tests[r->count++];
	*l->open = (struct test){
		.info = {
			.name = arena_dup(&r->arena, name),
			.file = l->file, .line = l->line, .priority = 500,
		},
		.is_guard = is_guard,
	};
	return 0;
}

static int
read_drop(struct loader *l, struct slice rest)
{
	struct test *old = test_find(l->rules, rest);

	if (old == NULL)
		return refuse(l, "nothing to drop is named '%.*s'",
		    SLICE_ARG(rest));
	old->dropped = true;
	return 0;
}

static int
read_named(struct loader *l, struct slice rest, char mark,
    int (*define)(struct patterns *, struct slice, struct slice, struct buf *))
{
	struct slice name = take(&rest), equals = take(&rest);
	struct buf reason;

	if (name.len < 2 || name.ptr[0] != mark || !slice_is(equals, "="))
		return refuse(l, "%cNAME = … was expected", mark);
	name.ptr++;
	name.len--;
	buf_init(&reason, REASON_MAX);
	return refuse_if(l, define(l->rules->patterns, name, rest, &reason),
	    &reason);
}

static int
read_words(struct loader *l, struct slice rest, enum pattern_lang lang)
{
	struct buf reason;

	buf_init(&reason, REASON_MAX);
	return refuse_if(l, patterns_words(l->rules->patterns, lang, rest,
	    &reason), &reason);
}

static int
read_apart(struct loader *l, struct slice rest)
{
	struct buf reason;

	buf_init(&reason, REASON_MAX);
	return refuse_if(l, patterns_apart(l->rules->patterns, rest, &reason),
	    &reason);
}

static int
read_leaning(struct loader *l, struct slice rest)
{
	struct slice first = take(&rest);
	struct buf reason;
	long number;

	if (read_number(l, first, -LEANING_MAX, LEANING_MAX, &number) < 0)
		return -1;
	buf_init(&reason, REASON_MAX);
	return refuse_if(l, patterns_leaning(l->rules->patterns, (int)number,
	    rest, &reason), &reason);
}

static int
read_flags(struct loader *l, struct slice rest)
{
	while (rest.len > 0) {
		struct slice name = take(&rest);
		bool bar = name.len > 0 && name.ptr[0] == '-';
		unsigned bit;

		if (bar)
			name = slice_of(name.ptr + 1, name.len - 1);
		for (bit = 0; act_flag_name(bit) != NULL; bit++)
			if (slice_is(name, act_flag_name(bit)))
				break;
		if (act_flag_name(bit) == NULL)
			return refuse(l, "no such flag: '%.*s'",
			    SLICE_ARG(name));
		*(bar ? &l->open->info.bars : &l->open->info.flags) |= 1u << bit;
	}
	return 0;
}

static bool
is_condition(struct slice word, const char *name)
{
	size_t i;

	for (i = 0; i < word.len && name[i] != '\0'; i++)
		if (word.ptr[i] != (name[i] == '_' ? '-' : name[i]))
			return false;
	return i == word.len && name[i] == '\0';
}

static int
read_when(struct loader *l, struct slice rest)
{
	struct when w = { 0, 0 };

	if (l->open->when_count == WHEN_MAX)
		return refuse(l, "more than %d 'when' lines", WHEN_MAX);
	while (rest.len > 0) {
		struct slice word = take(&rest);
		bool no = slice_starts(word, "not-");
		int c;

		if (no)
			word = slice_of(word.ptr + 4, word.len - 4);
		for (c = 0; c < COND_COUNT; c++)
			if (is_condition(word, condition_names[c]))
				break;
		if (c == COND_COUNT)
			return refuse(l, "no such condition: '%.*s'",
			    SLICE_ARG(word));
		*(no ? &w.no : &w.yes) |= 1u << c;
	}
	l->open->info.by_debate |= (w.yes & 1u << COND_weighed) != 0;
	l->open->when[l->open->when_count++] = w;
	return 0;
}

static void
keep_line(struct loader *l, enum line_kind kind, struct slice text)
{
	struct test *t = l->open;

	if (t->line_count == t->line_room) {
		t->line_room = t->line_room == 0 ? 8 : t->line_room * 2;
		t->lines = xrealloc(t->lines,
		    t->line_room * sizeof(*t->lines));
	}
	t->lines[t->line_count++] = (struct line){ kind, l->line, text };
}

static int
read_act(struct loader *l, struct slice rest)
{
	if (act_parse(rest, &l->open->info.act) < 0)
		return refuse(l, "no such act: '%.*s'", SLICE_ARG(rest));
	l->open->info.has_act = true;
	return 0;
}

/* "confidence 950" or "confidence 950 room 600". */
static int
read_confidence(struct loader *l, struct slice rest)
{
	struct slice first = take(&rest), word = take(&rest);
	long number;

	if (read_number(l, first, 1, 1000, &number) < 0)
		return -1;
	l->open->info.confidence = (unsigned)number;
	if (word.len > 0 && !slice_is(word, "room"))
		return refuse(l, "'room' was expected, not '%.*s'",
		    SLICE_ARG(word));
	if (word.len > 0 && read_number(l, rest, 1, 1000, &number) < 0)
		return -1;
	l->open->info.room_confidence = (unsigned)number;
	return 0;
}

static int
read_of_rule(struct loader *l, struct slice key, struct slice rest)
{
	long number;

	if (slice_is(key, "act"))
		return read_act(l, rest);
	if (slice_is(key, "flags"))
		return read_flags(l, rest);
	if (slice_is(key, "when"))
		return read_when(l, rest);
	if (slice_is(key, "confidence"))
		return read_confidence(l, rest);
	if (slice_is(key, "priority")) {
		if (read_number(l, rest, 0, PRIORITY_MAX, &number) < 0)
			return -1;
		l->open->info.priority = (int)number;
		return 0;
	}
	if (slice_is(key, "together") && rest.len == 0) {
		l->open->info.together = true;
		return 0;
	}
	if (slice_is(key, "alone") && rest.len == 0) {
		l->open->info.alone = true;
		return 0;
	}
	if (slice_is(key, "language")) {
		if (!slice_is(rest, "any"))
			return refuse(l, "language can only be any");
		l->open->info.any_language = true;
		return 0;
	}
	return refuse(l, "no such key word: '%.*s'", SLICE_ARG(key));
}

static int
read_of_test(struct loader *l, struct slice key, struct slice rest)
{
	static const char *const kinds[] = {
		[LINE_match] = "match", [LINE_unless] = "unless",
		[LINE_needs] = "needs", [LINE_yes] = "yes", [LINE_no] = "no",
	};

	if (l->open == NULL)
		return refuse(l, "'%.*s' stands outside a rule",
		    SLICE_ARG(key));
	for (int k = LINE_match; k <= LINE_no; k++)
		if (slice_is(key, kinds[k])) {
			if (l->open->is_guard && k != LINE_match)
				return refuse(l, "a guard has only matches");
			if (rest.len == 0)
				return refuse(l, "'%s' of nothing", kinds[k]);
			keep_line(l, (enum line_kind)k, rest);
			return 0;
		}
	if (l->open->is_guard)
		return refuse(l, "a guard has only matches");
	return read_of_rule(l, key, rest);
}

static int
read_line(struct loader *l, struct slice line)
{
	struct slice rest = trim(line), key;

	if (rest.len == 0 || rest.ptr[0] == '#')
		return 0;
	key = take(&rest);
	if (slice_is(key, "rule"))
		return read_begin(l, rest, false);
	if (slice_is(key, "guard"))
		return read_begin(l, rest, true);
	if (slice_is(key, "drop"))
		return read_drop(l, rest);
	if (slice_is(key, "class"))
		return read_named(l, rest, '%', patterns_class);
	if (slice_is(key, "macro"))
		return read_named(l, rest, '@', patterns_macro);
	if (slice_is(key, "apart"))
		return read_apart(l, rest);
	if (slice_is(key, "leaning"))
		return read_leaning(l, rest);
	if (slice_is(key, "english"))
		return read_words(l, rest, LANG_english);
	if (slice_is(key, "foreign"))
		return read_words(l, rest, LANG_foreign);
	if (slice_is(key, "shared"))
		return read_words(l, rest, LANG_neither);
	return read_of_test(l, key, rest);
}

static int
read_source(struct rules *r, const struct rules_source *source,
    struct buf *why)
{
	struct loader l = {
		.rules = r, .why = why, .file_first = r->count,
		.file = arena_dup(&r->arena, source->name),
	};
	struct slice text = arena_dup(&r->arena, source->text);

	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;

		l.line++;
		if (read_line(&l, slice_of(text.ptr, len)) < 0)
			return -1;
		len += end != NULL;
		text = slice_of(text.ptr + len, text.len - len);
	}
	return 0;
}

/*
 * All files are read: names to numbers, patterns to the automaton.
 */

static int
resolve_guards(struct loader *l, struct test *t, const struct line *line)
{
	bool unless = line->kind == LINE_unless;
	unsigned **list = unless ? &t->unless : &t->needs;
	size_t *count = unless ? &t->unless_count : &t->needs_count;
	struct slice rest = line->text;

	while (rest.len > 0) {
		struct slice name = take(&rest);
		struct test *guard = test_find(l->rules, name);

		if (guard == NULL || !guard->is_guard)
			return refuse(l, "no such guard: '%.*s'",
			    SLICE_ARG(name));
		*list = xrealloc(*list, (*count + 1) * sizeof(**list));
		(*list)[(*count)++] = (unsigned)(guard - l->rules->tests);
	}
	return 0;
}

static int
resolve_match(struct loader *l, struct test *t, const struct line *line)
{
	enum pattern_lang lang =
	    t->info.any_language ? LANG_neither : LANG_english;
	unsigned id = (unsigned)(t - l->rules->tests);
	struct buf reason;

	buf_init(&reason, REASON_MAX);
	return refuse_if(l, patterns_add(l->rules->patterns, line->text, id,
	    lang, &reason), &reason);
}

static int
resolve_test(struct rules *r, struct test *t, struct buf *why)
{
	struct loader l = { .rules = r, .file = t->info.file, .why = why };
	unsigned seen = 0;

	for (size_t i = 0; i < t->line_count; i++) {
		const struct line *line = &t->lines[i];

		l.line = line->number;
		seen |= 1u << line->kind;
		if ((line->kind == LINE_unless || line->kind == LINE_needs) &&
		    resolve_guards(&l, t, line) < 0)
			return -1;
		if (line->kind == LINE_match && resolve_match(&l, t, line) < 0)
			return -1;
	}
	l.line = t->info.line;
	if (!(seen & 1u << LINE_match))
		return refuse(&l, "'%.*s' matches nothing",
		    SLICE_ARG(t->info.name));
	if (t->is_guard)
		return 0;
	if (!(seen & 1u << LINE_yes) || !(seen & 1u << LINE_no))
		return refuse(&l, "rule '%.*s' needs an example that matches "
		    "(yes) and one that does not (no)",
		    SLICE_ARG(t->info.name));
	if (!t->info.has_act && t->info.flags == 0 && t->info.bars == 0 &&
	    !t->info.together && !t->info.alone)
		return refuse(&l, "rule '%.*s' has neither act nor flags",
		    SLICE_ARG(t->info.name));
	if (t->info.has_act && t->info.confidence == 0)
		return refuse(&l, "rule '%.*s' has no confidence",
		    SLICE_ARG(t->info.name));
	return 0;
}

/*
 * Applying.
 */

/* What rules are tried on. */
struct said {
	struct slice sentence;
	struct slice before;		/* the turn before */
	unsigned conditions;
	bool option_seen;
};

static bool
is_article(const struct scan *s)
{
	struct slice word = slice_of(s->word, s->len);

	return slice_is(word, "the") || slice_is(word, "a") ||
	    slice_is(word, "an") || slice_is(word, "with");
}

static bool
has_word(struct slice text, const struct scan *word)
{
	struct scan s;

	scan_init(&s, text);
	while (scan_next(&s) != SCAN_end)
		if (s.kind <= SCAN_number && s.hash == word->hash &&
		    s.len == word->len && memcmp(s.word, word->word, s.len) == 0)
			return true;
	return false;
}

/*
 * "Postgres or MySQL?" offers what stands beside the "or"; an answer that has
 * one of these words and not the other names it.
 */
static bool
names_option(struct slice sentence, struct slice before)
{
	struct scan s, last;
	bool after_or = false, left, right;

	if (sentence.len > ANSWER_MAX)
		return false;
	if (before.len > OFFER_MAX)
		before = slice_of(before.ptr + before.len - OFFER_MAX,
		    OFFER_MAX);
	scan_init(&s, before);
	last = s;
	while (scan_next(&s) != SCAN_end) {
		if (s.kind > SCAN_number || s.len == 0)
			continue;
		if (s.len == 2 && memcmp(s.word, "or", 2) == 0 &&
		    last.len > 0) {
			after_or = true;
			continue;
		}
		if (after_or && !is_article(&s)) {
			left = has_word(sentence, &last);
			right = has_word(sentence, &s);
			if (left != right)
				return true;
			after_or = false;
		}
		if (!after_or)
			last = s;
	}
	return false;
}

static unsigned
conditions_of(const struct act_context *c)
{
	bool first = c->prev_text.len == 0;
	bool assistant = c->speaker == SPEAKER_assistant;
	bool after_assistant = !first && c->prev_speaker == SPEAKER_assistant;
	unsigned bits = 0;

#define ON(name, is) (bits |= (unsigned)(is) << COND_##name)
	ON(user, c->speaker == SPEAKER_user);
	ON(assistant, assistant);
	ON(first, first);
	ON(same_speaker, !first && c->prev_same_speaker);
	ON(after_user, !first && c->prev_speaker == SPEAKER_user);
	ON(after_assistant, after_assistant);
	ON(chat, assistant || after_assistant);
	ON(after_question, !first && c->prev_act == ACT_question);
	ON(after_request, !first && c->prev_act == ACT_request);
	ON(after_offer, !first && c->prev_act == ACT_commit);
	ON(effort_open, c->effort_open);
	ON(solution_offered, c->solution_offered);
	ON(together, c->together);
	ON(weighed, c->weighed);
#undef ON
	return bits;
}

/* Looked up only when a rule asks: it reads the turn before. */
static void
see_option(struct said *said)
{
	if (said->option_seen)
		return;
	said->option_seen = true;
	if (names_option(said->sentence, said->before))
		said->conditions |= 1u << COND_names_option;
}

static bool
when_holds(const struct when *w, struct said *said)
{
	const unsigned option = 1u << COND_names_option;

	if (((said->conditions | option) & w->yes) != w->yes ||
	    (said->conditions & ~option & w->no) != 0)
		return false;
	if ((w->yes | w->no) & option)
		see_option(said);
	return (said->conditions & w->yes) == w->yes &&
	    (said->conditions & w->no) == 0;
}

static bool
test_allows(const struct rules *r, const struct test *t, struct said *said)
{
	bool allowed = t->when_count == 0;

	for (size_t i = 0; i < t->when_count && !allowed; i++)
		allowed = when_holds(&t->when[i], said);
	for (size_t i = 0; i < t->unless_count && allowed; i++)
		allowed = r->guard_seen[t->unless[i]] != r->match;
	for (size_t i = 0; i < t->needs_count && allowed; i++)
		allowed = r->guard_seen[t->needs[i]] == r->match;
	return allowed;
}

/* On a tie the earlier in the file. */
static bool
is_better(const struct rule_info *a, const struct rule_info *b)
{
	if (b == NULL || a->priority != b->priority)
		return b == NULL || a->priority > b->priority;
	if (a->confidence != b->confidence)
		return a->confidence > b->confidence;
	return a < b;
}

static void
verdict_add(struct rules_verdict *v, const struct rule_info *info)
{
	if (info->has_act && is_better(info, v->decided))
		v->decided = info;
	v->together |= info->together;
	v->alone |= info->alone;
	for (unsigned bit = 0; bit < 4; bit++)
		if ((info->flags & 1u << bit) != 0 &&
		    is_better(info, v->flagged[bit]))
			v->flagged[bit] = info;
}

/*
 * Words that several languages share prove nothing: "no funciona" is not
 * English, "no" alone may be.
 */
static bool
is_english(const struct pattern_hits *hits)
{
	if (hits->unknown == 0 && hits->foreign == 0)
		return true;
	return hits->english >= 1 && hits->english >= 2 * hits->foreign &&
	    hits->english * 5 >= hits->words;
}

static void
apply(struct rules *r, struct said *said, struct rules_verdict *out)
{
	struct pattern_hits hits;
	unsigned bars = 0;

	patterns_match(r->patterns, said->sentence, &hits);
	*out = (struct rules_verdict){
		.fired = r->fired, .english = is_english(&hits),
		.foreign = hits.foreign > hits.english ||
		    hits.strange * 2 > hits.words,
		.words = hits.words,
		.leaning = is_english(&hits) ? hits.leaning : 0,
		.room = (said->conditions & 1u << COND_after_user) &&
		    (said->conditions & 1u << COND_user),
	};
	if (++r->match == 0) {
		memset(r->guard_seen, 0, r->count * sizeof(*r->guard_seen));
		r->match = 1;
	}
	for (size_t i = 0; i < hits.count; i++)
		if (r->tests[hits.ids[i]].is_guard)
			r->guard_seen[hits.ids[i]] = r->match;
	for (size_t i = 0; i < hits.count; i++) {
		const struct test *t = &r->tests[hits.ids[i]];

		if (t->is_guard || !(out->english || t->info.any_language) ||
		    !test_allows(r, t, said))
			continue;
		r->fired[out->fired_count++] = &t->info;
		bars |= t->info.bars;
		verdict_add(out, &t->info);
	}
	for (unsigned bit = 0; bit < 4; bit++) {
		if (bars & 1u << bit)
			out->flagged[bit] = NULL;
		if (out->flagged[bit] != NULL)
			out->flags |= 1u << bit;
	}
}

void
rules_apply(struct rules *r, struct slice sentence,
    const struct act_context *context, struct rules_verdict *out)
{
	struct said said = {
		.sentence = sentence, .before = context->prev_text,
		.conditions = conditions_of(context),
	};

	apply(r, &said, out);
}

static int
check_examples(struct rules *r, const struct test *t, struct buf *why)
{
	struct loader l = { .rules = r, .file = t->info.file, .why = why };
	for (size_t i = 0; i < t->line_count; i++) {
		const struct line *line = &t->lines[i];
		struct said said = {
			.sentence = line->text, .option_seen = true,
			.conditions = t->when_count > 0 ? t->when[0].yes : 0,
		};
		struct rules_verdict v;
		bool fired = false;

		if (line->kind != LINE_yes && line->kind != LINE_no)
			continue;
		apply(r, &said, &v);
		for (size_t k = 0; k < v.fired_count; k++)
			fired |= v.fired[k] == &t->info;
		l.line = line->number;
		if (fired != (line->kind == LINE_yes))
			return refuse(&l, "rule '%.*s' %s its example '%.*s'",
			    SLICE_ARG(t->info.name), fired ?
			    "matches, and must not," : "does not match",
			    SLICE_ARG(line->text));
	}
	return 0;
}

static int
resolve(struct rules *r, struct buf *why)
{
	for (size_t i = 0; i < r->count; i++)
		if (!r->tests[i].dropped &&
		    resolve_test(r, &r->tests[i], why) < 0)
			return -1;
	if (patterns_compile(r->patterns, why) < 0)
		return -1;
	r->fired = xcalloc(r->count + 1, sizeof(*r->fired));
	r->guard_seen = xcalloc(r->count + 1, sizeof(*r->guard_seen));
	for (size_t i = 0; i < r->count; i++)
		if (!r->tests[i].dropped &&
		    check_examples(r, &r->tests[i], why) < 0)
			return -1;
	return 0;
}

struct rules *
rules_parse(const struct rules_source *sources, size_t count, struct buf *why)
{
	struct rules *r = xcalloc(1, sizeof(*r));
	int rc = 0;

	arena_init(&r->arena);
	r->patterns = patterns_new();
	for (size_t i = 0; i < count && rc == 0; i++)
		rc = read_source(r, &sources[i], why);
	if (rc == 0)
		rc = resolve(r, why);
	if (rc < 0)
		rules_close(&r);
	return r;
}

static int
read_file(const char *path, struct buf *out, struct buf *why)
{
	if (buf_read_file(out, path) == 0)
		return 0;
	if (buf_addf(why, "%s: %s", path, strerror(errno)) < 0)
		why->over = true;
	return -1;
}

struct rules *
rules_open(const char *const *paths, size_t count, struct buf *why)
{
	struct rules_source *sources = xcalloc(count + 1, sizeof(*sources));
	struct buf *texts = xcalloc(count + 1, sizeof(*texts));
	struct rules *r = NULL;
	size_t read = 0;

	for (; read < count; read++) {
		buf_init(&texts[read], FILE_MAX);
		if (read_file(paths[read], &texts[read], why) < 0)
			break;
		sources[read].name = slice_str(paths[read]);
		sources[read].text = buf_slice(&texts[read]);
	}
	if (read == count)
		r = rules_parse(sources, count, why);
	for (size_t i = 0; i < count; i++)
		buf_release(&texts[i]);
	free(texts);
	free(sources);
	return r;
}

void
rules_close(struct rules **pr)
{
	struct rules *r = *pr;

	if (r == NULL)
		return;
	patterns_free(&r->patterns);
	for (size_t i = 0; i < r->count; i++) {
		free(r->tests[i].lines);
		free(r->tests[i].unless);
		free(r->tests[i].needs);
	}
	free(r->tests);
	free(r->fired);
	free(r->guard_seen);
	arena_release(&r->arena);
	free(r);
	*pr = NULL;
}

size_t
rules_count(const struct rules *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->count; i++)
		n += !r->tests[i].dropped && !r->tests[i].is_guard;
	return n;
}

void
rules_stats(const struct rules *r, struct pattern_stats *out)
{
	patterns_stats(r->patterns, out);
}
