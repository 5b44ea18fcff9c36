/*
 * fill - the fields of an artifact, as its package says, and how it is worded
 */
#include "compactor/fill.h"

#include "compactor/compact.h"

enum { TEXT_MAX = 64 * 1024 };

/* ---- values ---- */

/* The first number in a text: "about 3.5 GB" gives 3.5. */
static struct slice
number_in(struct slice s)
{
	size_t from = 0, end;

	while (from < s.len && (s.ptr[from] < '0' || s.ptr[from] > '9'))
		from++;
	for (end = from; end < s.len && ((s.ptr[end] >= '0' &&
	     s.ptr[end] <= '9') || s.ptr[end] == '.'); )
		end++;
	while (end > from && s.ptr[end - 1] == '.')
		end--;
	return slice_of(s.ptr + from, end - from);
}

/* What the field's type makes of a value; empty: it is none. */
static struct slice
typed(const struct package_field *f, struct slice value)
{
	int64_t first, last;

	if (f->type == TYPE_of_number)
		return number_in(value);
	if (f->type == TYPE_of_time && !trigger_time(value, &first, &last))
		return SLICE_NONE;
	return value;
}

static bool
wants(const struct package_field *f, const struct trigger_turn *t,
    unsigned places)
{
	unsigned role = slice_is(t->said.role, "assistant") ? ROLE_assistant :
	    slice_is(t->said.role, "user") ? ROLE_user : 0;

	return (f->role & role) != 0 &&
	    (f->places == 0 || (f->places & places) != 0);
}

static void
fill_field(struct arena *arena, const struct package_field *f,
    const struct trigger_result *turn, const struct trigger_fire *fire,
    unsigned places, struct msg_artifact *a)
{
	const char *name = arena_cstr(arena, f->name);
	struct msg_strs old = artifact_field(a, name), values = { NULL, 0 };
	struct msg_strs given = { NULL, 0 };
	bool adds = f->type == TYPE_of_list || f->type == TYPE_of_turns;

	if (adds)
		values = old;
	else if (old.count > 0 && !(places & PLACE_resolving &&
	    f->places & PLACE_resolving))
		return;
	for (size_t i = 0; i < f->n_by && given.count == 0; i++)
		given = fill_by(arena, &f->by[i], turn, fire, a, f->most);
	for (size_t i = 0; i < given.count && values.count < f->most; i++) {
		struct slice value = typed(f, given.at[i]);

		if (value.len > 0 && !strs_has(&values, value))
			strs_add(&values, arena, value);
	}
	if (given.count > 0 && values.count > 0)
		artifact_set_field(a, arena, name, values.at, values.count);
}

void
fill_fields(struct arena *arena, const struct package *p,
    const struct trigger_result *turn, const struct trigger_fire *fire,
    unsigned places, struct msg_artifact *a)
{
	for (size_t i = 0; i < p->n_fields; i++)
		if (wants(&p->fields[i], turn->turn, places))
			fill_field(arena, &p->fields[i], turn, fire, places, a);
}

const struct package_field *
fill_missing(const struct package *p, const struct msg_artifact *a)
{
	for (size_t i = 0; i < p->n_fields; i++) {
		bool there = false;

		for (size_t k = 0; k < a->n_fields; k++)
			there |= slice_eq(a->fields[k].name,
			    p->fields[i].name) && a->fields[k].values.count > 0;
		if (p->fields[i].required && !there)
			return &p->fields[i];
	}
	return NULL;
}

/* ---- templates ---- */

static struct msg_strs
values_of(const struct msg_artifact *a, struct slice name)
{
	for (size_t i = 0; i < a->n_fields; i++)
		if (slice_eq(a->fields[i].name, name))
			return a->fields[i].values;
	return (struct msg_strs){ NULL, 0 };
}

/* One {field}; false where it has no value. */
static bool
put_field(struct buf *out, const struct msg_artifact *a, struct slice name)
{
	struct msg_strs values = values_of(a, name);

	for (size_t i = 0; i < values.count; i++) {
		buf_adds(out, i > 0 ? "; " : "");
		buf_addslice(out, values.at[i]);
	}
	return values.count > 0;
}

/*
 * [ pieces ] whose field is empty are left out; where one outside of them is,
 * there is nothing to be said yet.
 */
static struct slice
word(struct arena *arena, struct slice template, const struct msg_artifact *a)
{
	struct slice s = SLICE_NONE;
	size_t piece = 0;
	bool inside = false, full = true, whole = true;
	struct buf out;

	buf_init(&out, TEXT_MAX);
	for (size_t i = 0; i < template.len && whole; i++) {
		char c = template.ptr[i];

		if (c == '[') {
			inside = full = true;
			piece = out.len;
		} else if (c == ']') {
			if (!full)
				out.len = piece;
			inside = false;
		} else if (c == '{') {
			size_t end = i;

			while (template.ptr[end] != '}')
				end++;
			if (!put_field(&out, a, slice_of(template.ptr + i + 1,
			    end - i - 1)))
				*(inside ? &full : &whole) = false;
			i = end;
		} else
			buf_addc(&out, c);
	}
	if (whole && !out.over)
		s = arena_dup(arena, buf_slice(&out));
	buf_release(&out);
	return s;
}

static void
put_words(struct arena *arena, struct slice template,
    const struct msg_artifact *a, struct slice *into)
{
	struct slice s = word(arena, template, a);

	if (template.len > 0 && s.len > 0)
		*into = s;
}

void
fill_words(struct arena *arena, const struct package *p,
    struct msg_artifact *a)
{
	struct slice expires = word(arena, p->expires, a);
	int64_t first, last;

	put_words(arena, p->summary, a, &a->summary);
	put_words(arena, p->resolution, a, &a->resolution);
	put_words(arena, p->subject, a, &a->subject);
	if (expires.len > 0 && trigger_time(expires, &first, &last))
		a->expires_at = last;
}
