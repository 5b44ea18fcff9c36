/*
 * package_check - what only a whole package file shows, and its patterns
 */
#include <stdlib.h>

#include "compactor/package_impl.h"

enum { REASON_MAX = 1024 };

/* ---- patterns ---- */

static bool
is_name_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* "%problem" becomes "%problem_3". */
static struct slice
own_names(struct arena *arena, struct slice text, size_t suffix)
{
	struct buf out;
	struct slice s;
	bool inside = false;

	buf_init(&out, SIZE_MAX / 4);
	for (size_t i = 0; i < text.len; i++) {
		if (inside && !is_name_byte(text.ptr[i])) {
			buf_addf(&out, "_%zu", suffix);
			inside = false;
		}
		inside |= (text.ptr[i] == '%' || text.ptr[i] == '@') &&
		    i + 1 < text.len && is_name_byte(text.ptr[i + 1]);
		buf_addc(&out, text.ptr[i]);
		/* The mark itself is no part of the name. */
		if (inside && (text.ptr[i] == '%' || text.ptr[i] == '@'))
			buf_addc(&out, text.ptr[++i]);
	}
	if (inside)
		buf_addf(&out, "_%zu", suffix);
	s = arena_dup(arena, buf_slice(&out));
	buf_release(&out);
	return s;
}

static int
compile_definition(struct arena *arena, const struct package_definition *d,
    struct patterns *set, size_t suffix, struct buf *reason)
{
	struct slice name = arena_printf(arena, "%.*s_%zu", SLICE_ARG(d->name),
	    suffix);
	struct slice body = own_names(arena, d->body, suffix);

	return d->kind == DEFINE_class ?
	    patterns_class(set, name, body, reason) :
	    patterns_macro(set, name, body, reason);
}

int
package_compile(struct arena *arena, const struct package_draft *draft,
    struct patterns *set, int base, size_t suffix, struct buf *why)
{
	struct slice file = draft->package.file;
	unsigned line = 0;
	struct buf reason;
	int rc = 0;

	buf_init(&reason, REASON_MAX);
	for (size_t i = 0; i < draft->n_definitions && rc == 0; i++) {
		line = draft->definitions[i].line;
		rc = compile_definition(arena, &draft->definitions[i], set,
		    suffix, &reason);
	}
	for (size_t i = 0; i < draft->n_patterns && rc == 0; i++) {
		const struct package_pattern *p = &draft->patterns[i];

		line = p->line;
		rc = patterns_add(set, own_names(arena, p->text, suffix),
		    (unsigned)(base + p->id), LANG_neither, &reason);
	}
	if (rc < 0)
		package_refuse(file, line, why, "%s", buf_cstr(&reason));
	buf_release(&reason);
	return rc;
}

/* ---- examples ---- */

/* Is the pattern in the text?  It alone is looked for. */
static bool
has_id(struct patterns *set, struct arena *arena, struct pattern_text text,
    int id)
{
	uint64_t *wanted;

	if (id == MATCH_NONE)
		return false;
	wanted = arena_array(arena, patterns_id_words(set), sizeof(*wanted));
	pattern_id_add(wanted, (unsigned)id);
	return pattern_id_in(patterns_find(set, text, wanted), (unsigned)id);
}

static int
check_example(struct arena *arena, const struct package_draft *d,
    struct patterns *set, const struct package_example *x, struct buf *why)
{
	const struct package_trigger *t = &d->package.triggers[x->trigger];
	struct pattern_hits hits;
	struct pattern_text text;
	bool fires;

	if (t->match == MATCH_NONE && t->unless == MATCH_NONE)
		return package_refuse(d->package.file, x->line, why,
		    "an example for a trigger without patterns");
	text = patterns_read(set, x->text, &hits);
	fires = (t->match == MATCH_NONE ||
	    has_id(set, arena, text, t->match)) &&
	    !has_id(set, arena, text, t->unless);
	if (fires == x->yes)
		return 0;
	return package_refuse(d->package.file, x->line, why,
	    "trigger '%.*s' %s its example '%.*s'", SLICE_ARG(t->name), fires ?
	    "matches, and must not," : "does not match", SLICE_ARG(x->text));
}

/* Alone in a set of its own: a broken file leaves nothing in the real one. */
static int
check_patterns(struct arena *arena, const struct package_draft *d,
    struct buf *why)
{
	struct patterns *set = patterns_new();
	struct buf reason;
	int rc = package_compile(arena, d, set, 0, 0, why);

	buf_init(&reason, REASON_MAX);
	if (rc == 0 && d->n_patterns > 0) {
		rc = patterns_compile(set, &reason);
		if (rc < 0)
			package_refuse(d->package.file, 1, why, "%s",
			    buf_cstr(&reason));
		for (size_t i = 0; i < d->n_examples && rc == 0; i++)
			rc = check_example(arena, d, set,
			    &d->examples[i], why);
	} else if (rc == 0 && d->n_examples > 0)
		rc = check_example(arena, d, set, &d->examples[0], why);
	buf_release(&reason);
	patterns_free(&set);
	return rc;
}

/* ---- templates ---- */

/* Templates are slices of the file: their line is counted. */
static unsigned
line_of(const struct package_draft *d, struct slice text)
{
	unsigned line = 1;

	for (const char *p = d->text.ptr; p < text.ptr; p++)
		line += *p == '\n';
	return line;
}

static int
check_template(const struct package_draft *d, struct slice text,
    struct buf *why)
{
	const struct package *p = &d->package;
	int depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		const char *end;
		struct slice name;

		depth += text.ptr[i] == '[';
		depth -= text.ptr[i] == ']';
		if (depth < 0 || depth > 1)
			break;
		if (text.ptr[i] != '{')
			continue;
		end = memchr(text.ptr + i, '}', text.len - i);
		if (end == NULL)
			return package_refuse(p->file, line_of(d, text), why,
			    "'{' without '}' in '%.*s'", SLICE_ARG(text));
		name = slice_of(text.ptr + i + 1,
		    (size_t)(end - text.ptr) - i - 1);
		if (package_field(p, name) == NULL)
			return package_refuse(p->file, line_of(d, text), why,
			    "no such field: '%.*s'", SLICE_ARG(name));
		i += name.len + 1;
	}
	if (depth != 0)
		return package_refuse(p->file, line_of(d, text), why,
		    "brackets do not match in '%.*s'", SLICE_ARG(text));
	return 0;
}

/* ---- the whole ---- */

static int
check_triggers(const struct package *p, struct buf *why)
{
	bool opens = false;

	for (size_t i = 0; i < p->n_triggers; i++) {
		const struct package_trigger *t = &p->triggers[i];

		opens |= !t->concludes;
		if (t->acts == 0 && t->flags == 0 && t->match == MATCH_NONE &&
		    t->dated == DATED_not)
			return package_refuse(p->file, t->line, why,
			    "trigger '%.*s' fires on everything: it needs "
			    "acts, flags, dated or match", SLICE_ARG(t->name));
		if (t->concludes && p->life == LIFE_turn)
			return package_refuse(p->file, t->line, why,
			    "what is made at once (life turn) has no end");
	}
	if (!opens)
		return package_refuse(p->file, 1, why, "package '%.*s' has no "
		    "trigger: 'opens', and under it acts, flags or match",
		    SLICE_ARG(p->name));
	return 0;
}

static int
check_fields(const struct package *p, struct buf *why)
{
	if (p->n_fields == 0)
		return package_refuse(p->file, 1, why,
		    "package '%.*s' has no field", SLICE_ARG(p->name));
	for (size_t i = 0; i < p->n_fields; i++)
		if (p->fields[i].n_by == 0)
			return package_refuse(p->file, p->fields[i].line, why,
			    "field '%.*s' does not say how it is filled: 'by', "
			    "and a way", SLICE_ARG(p->fields[i].name));
	return 0;
}

static int
check_expires(const struct package_draft *d, struct buf *why)
{
	struct slice text = d->package.expires;
	const struct package_field *f = text.len < 3 ? NULL : package_field(
	    &d->package, slice_of(text.ptr + 1, text.len - 2));

	if (text.len == 0 || (f != NULL && f->type == TYPE_of_time))
		return 0;
	return package_refuse(d->package.file, line_of(d, text), why,
	    "expires {FIELD}, a field of type time, not '%.*s'",
	    SLICE_ARG(text));
}

int
package_check(struct arena *arena, const struct package_draft *d,
    struct buf *why)
{
	const struct package *p = &d->package;

	if (p->summary.len == 0)
		return package_refuse(p->file, 1, why, "package '%.*s' has no "
		    "summary: 'summary', and {field} for a field's value",
		    SLICE_ARG(p->name));
	if (check_triggers(p, why) < 0 || check_fields(p, why) < 0 ||
	    check_template(d, p->summary, why) < 0 ||
	    check_template(d, p->resolution, why) < 0 ||
	    check_template(d, p->subject, why) < 0 ||
	    check_expires(d, why) < 0)
		return -1;
	return check_patterns(arena, d, why);
}
