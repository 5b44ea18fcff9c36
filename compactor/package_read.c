/*
 * package_read - one package file, line by line
 */
#include <stdarg.h>
#include <stdlib.h>

#include "compactor/package_impl.h"

enum {
	REASON_MAX = 2048,
	NAME_MAX_BYTES = 40,
	THOUSAND = 1000,
	SURE = 800,		/* of a trigger that does not say */
	SURE_ENOUGH = 500,	/* of a package that does not say */
};

int
package_refuse(struct slice file, unsigned line, struct buf *why,
    const char *fmt, ...)
{
	struct buf reason;
	va_list ap;

	buf_init(&reason, REASON_MAX);
	va_start(ap, fmt);
	if (buf_vaddf(&reason, fmt, ap) < 0)
		buf_adds(&reason, "refused");
	va_end(ap);
	if (buf_addf(why, "%.*s:%u: %s", SLICE_ARG(file), line,
	    buf_cstr(&reason)) < 0)
		why->over = true;
	buf_release(&reason);
	return -1;
}

/* ---- words ---- */

static struct slice
trim(struct slice s)
{
	while (s.len > 0 && memchr(" \t\r", s.ptr[0], 3) != NULL)
		s = slice_of(s.ptr + 1, s.len - 1);
	while (s.len > 0 && memchr(" \t\r", s.ptr[s.len - 1], 3) != NULL)
		s.len--;
	return s;
}

/* Takes the first word off a line. */
struct slice
reader_take(struct slice *rest)
{
	struct slice word = trim(*rest);
	size_t len = 0;

	while (len < word.len && word.ptr[len] != ' ' && word.ptr[len] != '\t')
		len++;
	*rest = trim(slice_of(word.ptr + len, word.len - len));
	word.len = len;
	return word;
}

bool
reader_is_name(struct slice s)
{
	if (s.len == 0 || s.len > NAME_MAX_BYTES || s.ptr[0] < 'a' ||
	    s.ptr[0] > 'z')
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!((s.ptr[i] >= 'a' && s.ptr[i] <= 'z') ||
		    (s.ptr[i] >= '0' && s.ptr[i] <= '9') || s.ptr[i] == '_' ||
		    s.ptr[i] == '-'))
			return false;
	return true;
}

/* Grows an array of the arena by one zeroed item. */
void *
reader_grow(struct reader *r, void *items, size_t *count, size_t size)
{
	char *grown = items;

	/* Powers of two: what is there again is as large as what is used. */
	if ((*count & (*count - 1)) == 0) {
		grown = arena_array(r->arena, *count == 0 ? 1 : *count * 2,
		    size);
		if (*count > 0)
			memcpy(grown, items, *count * size);
	}
	(*count)++;
	return grown;
}

int
reader_number(struct reader *r, struct slice text, unsigned least,
    unsigned most, unsigned *out)
{
	unsigned n = 0;

	for (size_t i = 0; i < text.len && n <= most; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			n = most + 1;
		else
			n = n * 10 + (unsigned)(text.ptr[i] - '0');
	}
	if (text.len == 0 || n < least || n > most)
		return REFUSE(r, "a number from %u to %u was expected, not "
		    "'%.*s'", least, most, SLICE_ARG(text));
	*out = n;
	return 0;
}

/* ---- patterns ---- */

/* Patterns of one id: `id` is where it is kept, MATCH_NONE before the first. */
int
reader_pattern(struct reader *r, struct slice text, int *id)
{
	struct package_draft *d = r->out;
	struct package_pattern *p;

	if (text.len == 0)
		return REFUSE(r, "a pattern was expected");
	if (*id == MATCH_NONE)
		*id = d->n_ids++;
	d->patterns = reader_grow(r, d->patterns, &d->n_patterns,
	    sizeof(*d->patterns));
	p = &d->patterns[d->n_patterns - 1];
	*p = (struct package_pattern){ text, r->line, *id };
	return 0;
}

static int
read_definition(struct reader *r, struct slice rest, enum definition_kind kind)
{
	struct package_draft *d = r->out;
	struct slice name = reader_take(&rest), equals = reader_take(&rest);
	char mark = kind == DEFINE_class ? '%' : '@';

	if (name.len < 2 || name.ptr[0] != mark || !slice_is(equals, "=") ||
	    rest.len == 0)
		return REFUSE(r, "should be %s %cNAME = ...", kind ==
		    DEFINE_class ? "class" : "macro", mark);
	d->definitions = reader_grow(r, d->definitions, &d->n_definitions,
	    sizeof(*d->definitions));
	d->definitions[d->n_definitions - 1] = (struct package_definition){
		kind, slice_of(name.ptr + 1, name.len - 1), rest, r->line };
	return 0;
}

/* ---- triggers ---- */

static int
read_trigger(struct reader *r, struct slice rest, bool concludes)
{
	struct package *p = &r->out->package;
	struct slice name = reader_take(&rest);

	if (rest.len > 0 || (name.len > 0 && !reader_is_name(name)))
		return REFUSE(r, "a trigger has a name of one word, or none");
	p->triggers = reader_grow(r, p->triggers, &p->n_triggers,
	    sizeof(*p->triggers));
	p->triggers[p->n_triggers - 1] = (struct package_trigger){
		.name = name.len > 0 ? name :
		    concludes ? SLICE("concludes") : SLICE("opens"),
		.line = r->line, .concludes = concludes, .role = ROLE_user,
		.confidence = SURE, .match = MATCH_NONE, .unless = MATCH_NONE };
	r->inside = INSIDE_trigger;
	return 0;
}

static int
read_acts(struct reader *r, struct package_trigger *t, struct slice rest)
{
	enum act act;

	if (rest.len == 0)
		return REFUSE(r, "which acts? See classify/acts.def");
	while (rest.len > 0) {
		struct slice word = reader_take(&rest);

		if (act_parse(word, &act) < 0)
			return REFUSE(r, "no such act: '%.*s'",
			    SLICE_ARG(word));
		t->acts |= 1u << act;
	}
	return 0;
}

static int
read_flags(struct reader *r, struct package_trigger *t, struct slice rest)
{
	if (rest.len == 0)
		return REFUSE(r, "which flags? See classify/acts.def");
	while (rest.len > 0) {
		struct slice word = reader_take(&rest), name = word;
		bool bars = word.ptr[0] == '-';
		unsigned bit = 0;

		if (bars)
			name = slice_of(word.ptr + 1, word.len - 1);
		while (bit < 4 && !slice_is(name, act_flag_name(bit)))
			bit++;
		if (bit == 4)
			return REFUSE(r, "no such flag: '%.*s'",
			    SLICE_ARG(word));
		*(bars ? &t->bars : &t->flags) |= 1u << bit;
	}
	return 0;
}

int
reader_role(struct reader *r, struct slice word, enum package_role *out)
{
	if (slice_is(word, "user"))
		*out = ROLE_user;
	else if (slice_is(word, "assistant"))
		*out = ROLE_assistant;
	else if (slice_is(word, "any"))
		*out = ROLE_any;
	else
		return REFUSE(r, "a role is user, assistant or any, not "
		    "'%.*s'", SLICE_ARG(word));
	return 0;
}

static int
read_dated(struct reader *r, struct slice word, enum package_dated *out)
{
	if (slice_is(word, "any"))
		*out = DATED_any;
	else if (slice_is(word, "past"))
		*out = DATED_past;
	else if (slice_is(word, "future"))
		*out = DATED_future;
	else if (slice_is(word, "begun"))
		*out = DATED_begun;
	else
		return REFUSE(r, "dated past, future, begun or any, not "
		    "'%.*s'", SLICE_ARG(word));
	return 0;
}

static int
read_example(struct reader *r, struct slice text, bool yes)
{
	struct package_draft *d = r->out;

	if (text.len == 0)
		return REFUSE(r, "an example of nothing");
	d->examples = reader_grow(r, d->examples, &d->n_examples,
	    sizeof(*d->examples));
	d->examples[d->n_examples - 1] = (struct package_example){ text,
		r->line, d->package.n_triggers - 1, yes };
	return 0;
}

static int
read_of_trigger(struct reader *r, struct slice key, struct slice rest)
{
	struct package *p = &r->out->package;
	struct package_trigger *t = &p->triggers[p->n_triggers - 1];

	if (slice_is(key, "acts"))
		return read_acts(r, t, rest);
	if (slice_is(key, "flags"))
		return read_flags(r, t, rest);
	if (slice_is(key, "role"))
		return reader_role(r, rest, &t->role);
	if (slice_is(key, "dated"))
		return read_dated(r, rest, &t->dated);
	if (slice_is(key, "match"))
		return reader_pattern(r, rest, &t->match);
	if (slice_is(key, "unless"))
		return reader_pattern(r, rest, &t->unless);
	if (slice_is(key, "confidence"))
		return reader_number(r, rest, 1, THOUSAND, &t->confidence);
	if (slice_is(key, "yes") || slice_is(key, "no"))
		return read_example(r, rest, slice_is(key, "yes"));
	return REFUSE(r, "no such key word in a trigger: '%.*s'",
	    SLICE_ARG(key));
}

/* ---- the whole ---- */

static int
read_life(struct reader *r, struct slice word, enum package_life *out)
{
	for (int life = LIFE_effort; life <= LIFE_turn; life++)
		if (slice_is(word, package_life_name((enum package_life)life))) {
			*out = (enum package_life)life;
			return 0;
		}
	return REFUSE(r, "life is effort, answer or turn, not '%.*s'",
	    SLICE_ARG(word));
}

static int
read_package(struct reader *r, struct slice name)
{
	struct package *p = &r->out->package;

	if (r->named)
		return REFUSE(r, "a file is one package: '%.*s' is begun",
		    SLICE_ARG(p->name));
	if (!reader_is_name(name))
		return REFUSE(r, "a package has a name of small letters, "
		    "digits, '-' and '_', not '%.*s'", SLICE_ARG(name));
	p->name = name;
	r->named = true;
	return 0;
}

static int
read_text(struct reader *r, struct slice key, struct slice rest,
    struct slice *into)
{
	if (rest.len == 0)
		return REFUSE(r, "'%.*s' of nothing", SLICE_ARG(key));
	if (into->len > 0)
		return REFUSE(r, "'%.*s' is said twice", SLICE_ARG(key));
	*into = rest;
	return 0;
}

static int
read_head(struct reader *r, struct slice key, struct slice rest, bool *known)
{
	struct package *p = &r->out->package;
	struct {
		const char *key;
		struct slice *into;
	} texts[] = { { "version", &p->version }, { "about", &p->about },
		{ "summary", &p->summary }, { "resolution", &p->resolution },
		{ "subject", &p->subject }, { "expires", &p->expires },
		{ "filter", &p->filter } };

	*known = true;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (slice_is(key, texts[i].key))
			return read_text(r, key, rest, texts[i].into);
	if (slice_is(key, "life"))
		return read_life(r, rest, &p->life);
	if (slice_is(key, "class"))
		return read_definition(r, rest, DEFINE_class);
	if (slice_is(key, "macro"))
		return read_definition(r, rest, DEFINE_macro);
	if (slice_is(key, "opens") || slice_is(key, "concludes"))
		return read_trigger(r, rest, slice_is(key, "concludes"));
	if (slice_is(key, "field"))
		return reader_field(r, rest);
	*known = false;
	return 0;
}

static int
read_line(struct reader *r, struct slice line)
{
	bool indented = line.len > 0 && (line.ptr[0] == ' ' ||
	    line.ptr[0] == '\t');
	struct slice rest = trim(line), key;
	bool known = false;

	if (rest.len == 0 || rest.ptr[0] == '#')
		return 0;
	r->out->empty = false;
	key = reader_take(&rest);
	if (slice_is(key, "package") && !indented)
		return read_package(r, rest);
	if (!r->named)
		return REFUSE(r, "a package begins with 'package NAME'");
	if (indented && r->inside == INSIDE_trigger)
		return read_of_trigger(r, key, rest);
	if (indented && r->inside == INSIDE_field)
		return reader_of_field(r, key, rest);
	r->inside = INSIDE_none;
	if (read_head(r, key, rest, &known) < 0)
		return -1;
	if (known)
		return 0;
	if (slice_is(key, "confidence"))
		return reader_number(r, rest, 0, THOUSAND,
		    &r->out->package.confidence);
	return REFUSE(r, "no such key word: '%.*s'", SLICE_ARG(key));
}

int
package_read(struct arena *arena, const struct package_source *source,
    struct package_draft *out, struct buf *why)
{
	struct reader r = { .arena = arena, .out = out, .why = why,
		.file = arena_dup(arena, source->name) };
	struct slice text = arena_dup(arena, source->text);

	*out = (struct package_draft){ .empty = true, .text = text,
		.package = { .file = r.file, .shipped = source->shipped,
		    .confidence = SURE_ENOUGH } };
	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end != NULL ? (size_t)(end - text.ptr) : text.len;

		r.line++;
		if (read_line(&r, slice_of(text.ptr, len)) < 0)
			return -1;
		len += end != NULL;
		text = slice_of(text.ptr + len, text.len - len);
	}
	r.line = r.line > 0 ? r.line : 1;
	return out->empty ? 0 : package_check(arena, out, why);
}
