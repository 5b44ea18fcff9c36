/*
 * tap_where - which frames are wanted: FIELD=VALUE and FIELD~PART
 *
 * A field is one of the entry's, or of any section's; STAGE.FIELD is that of
 * one section; type is the entry's type.  Several conditions must all hold.
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "monitor/tap.h"

/* A misspelt field would match nothing for ever: say so at once. */
static bool
is_field(const char *name)
{
	const struct msg_spec *spec;
	unsigned id;
	size_t i;

	if (strcmp(name, "type") == 0)
		return true;
	for (id = 0; id < MSG_LIMIT; id++) {
		spec = msg_spec(id);
		for (i = 0; spec != NULL && i < spec->n_fields; i++)
			if (strcmp(spec->fields[i].name, name) == 0)
				return true;
	}
	return false;
}

int
tap_where_add(struct tap_where *w, const char *text, struct msg_error *why)
{
	size_t len = strcspn(text, "=~"), skip = 0;
	const char *dot = memchr(text, '.', len);
	struct tap_term term = { .stage = -1 };
	enum stage_id stage;

	if (len == 0 || text[len] == '\0') {
		msg_fail(why, "'%s' is not FIELD=VALUE or FIELD~PART", text);
		return -1;
	}
	if (dot != NULL) {
		if (stage_named(slice_of(text, (size_t)(dot - text)),
			&stage) == -1) {
			msg_fail(why, "'%.*s' is no stage",
			    (int)(dot - text), text);
			return -1;
		}
		term.stage = (int)stage;
		skip = (size_t)(dot + 1 - text);
	}
	term.part = text[len] == '~';
	term.field = xasprintf("%.*s", (int)(len - skip), text + skip);
	if (!is_field(term.field)) {
		msg_fail(why, "nothing has a field '%s'", term.field);
		free(term.field);
		return -1;
	}
	term.value = xstrdup(text + len + 1);
	w->terms = xrealloc(w->terms, (w->count + 1) * sizeof(w->terms[0]));
	w->terms[w->count++] = term;
	return 0;
}

void
tap_where_release(struct tap_where *w)
{
	size_t i;

	for (i = 0; i < w->count; i++) {
		free(w->terms[i].field);
		free(w->terms[i].value);
	}
	free(w->terms);
	*w = (struct tap_where){ 0 };
}

static bool
text_matches(const struct tap_term *t, struct slice text)
{
	struct slice value = slice_str(t->value);

	if (!t->part)
		return slice_eq(text, value);
	return value.len == 0 || (text.len > 0 &&
	    memmem(text.ptr, text.len, value.ptr, value.len) != NULL);
}

/* Whatever is no text is compared as its JSON shows it, without quotes. */
static bool
json_matches(const struct tap_term *t, const struct msg_field *field,
    const void *msg)
{
	struct slice text;
	struct buf json;
	bool matches;

	buf_init(&json, SIZE_MAX / 4);
	msg_json_value(&json, field, msg);
	text = buf_slice(&json);
	if (text.len >= 2 && text.ptr[0] == '"')
		text = slice_of(text.ptr + 1, text.len - 2);
	matches = text_matches(t, text);
	buf_release(&json);
	return matches;
}

static bool
field_matches(const struct tap_term *t, const struct msg_field *field,
    const void *msg)
{
	const void *value = (const char *)msg + field->offset;
	const struct msg_strs *strs = value;
	size_t i;

	if (field->type == TYPE_str)
		return text_matches(t, *(const struct slice *)value);
	if (field->type != TYPE_strs)
		return json_matches(t, field, msg);
	for (i = 0; i < strs->count; i++)
		if (text_matches(t, strs->at[i]))
			return true;
	return false;
}

static bool
msg_matches(const struct tap_term *t, const struct msg *m)
{
	const struct msg_spec *spec = msg_spec(m->id);
	size_t i;

	for (i = 0; i < spec->n_fields; i++)
		if (strcmp(spec->fields[i].name, t->field) == 0)
			return !msg_is_absent(&spec->fields[i], m->as) &&
			    field_matches(t, &spec->fields[i], m->as);
	return false;
}

static bool
term_matches(const struct tap_term *t, const struct tap_frame *f)
{
	int id;

	if (t->stage == -1) {
		if (strcmp(t->field, "type") == 0 && text_matches(t,
			slice_str(msg_spec(f->record.id)->name)))
			return true;
		if (msg_matches(t, &f->record))
			return true;
	}
	for (id = 0; id < STAGE_COUNT; id++)
		if ((t->stage == -1 || t->stage == id) &&
		    f->sections[id].id != MSG_none &&
		    msg_matches(t, &f->sections[id]))
			return true;
	return false;
}

bool
tap_where_matches(const struct tap_where *w, const struct tap_frame *f)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (!term_matches(&w->terms[i], f))
			return false;
	return true;
}
