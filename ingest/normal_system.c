/*
 * normal_system - the system text of a call, and the part of it that lasts
 */
#include "ingest/normal_impl.h"

#include <sodium.h>

/* Lines that change from call to call and say nothing of the conversation. */
static bool
is_volatile(struct slice line)
{
	static const char *const starts[] = { "x-anthropic-billing-header:",
		"Today's date", "Current date", "Current time", "Today is ",
		"The current date", "The current time", "The time is",
		"The date is", "It is now ", "Date:", "Time:", "Timestamp:",
		"Current branch:", "gitStatus:" };
	size_t i;

	line = trim_start(line);
	for (i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (line.len >= strlen(starts[i]) &&
		    strncasecmp(line.ptr, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* Headings whose lines change likewise, down to the next empty one. */
static bool
is_volatile_heading(struct slice line)
{
	line = trim_start(line);
	return slice_is(line, "Status:") || slice_is(line, "Recent commits:");
}

/* Whether one of the marks, separated by '|', stands in the text. */
static bool
has_mark(struct slice text, const char *marks)
{
	const char *end = marks + strcspn(marks, "|");

	for (;; marks = end + 1, end = marks + strcspn(marks, "|")) {
		if (end > marks && memmem(text.ptr, text.len, marks,
			(size_t)(end - marks)) != NULL)
			return true;
		if (*end == '\0')
			return false;
	}
}

static void
add_system(struct buf *text, json_t *system)
{
	json_t *block;
	size_t i;

	if (json_is_string(system)) {
		if (text->len > 0)
			buf_addc(text, '\n');
		buf_addslice(text, str_of(system));
	} else if (json_is_object(system)) {
		add_system(text, json_object_get(system, "text"));
	} else {
		json_array_foreach(system, i, block)
			add_system(text, block);
	}
}

void
normal_system(struct slice text, struct buf *out)
{
	const char *end = text.ptr + text.len, *line = text.ptr, *newline;
	bool below = false;	/* a heading whose lines do not count */
	struct slice s;

	while (line != NULL && line < end) {
		newline = memchr(line, '\n', (size_t)(end - line));
		s = slice_of(line,
		    (size_t)((newline != NULL ? newline : end) - line));
		s = trim_end(s);
		below = s.len > 0 && (below || is_volatile_heading(s));
		if (s.len > 0 && !below && !is_volatile(s)) {
			buf_addslice(out, s);
			buf_addc(out, '\n');
		}
		line = newline != NULL ? newline + 1 : NULL;
	}
}

static void
hash_system(struct slice text, char out[PREFIX_HASH_BYTES])
{
	struct buf stable;

	buf_init(&stable, SIZE_MAX / 4);
	normal_system(text, &stable);
	crypto_generichash((unsigned char *)out, PREFIX_HASH_BYTES,
	    (const unsigned char *)stable.ptr, stable.len, NULL, 0);
	buf_release(&stable);
}

static bool
is_system(json_t *message)
{
	struct slice role = str_at(message, "role");

	return slice_is(role, "system") || slice_is(role, "developer");
}

/* The system field, then the system messages that open the request. */
size_t
normal_read_system(const struct conf *conf, json_t *exchange, struct arena *arena,
    struct normal_exchange *out)
{
	json_t *messages = json_object_get(exchange, "messages");
	size_t first = 0, count = json_array_size(messages);
	struct buf text;

	buf_init(&text, SIZE_MAX / 4);
	add_system(&text, json_object_get(exchange, "system"));
	while (first + 1 < count && is_system(json_array_get(messages, first)))
		add_system(&text, json_object_get(
		    json_array_get(messages, first++), "content"));
	out->system = arena_dup(arena, buf_slice(&text));
	out->summary_system = has_mark(out->system, conf->summary_systems);
	hash_system(out->system, out->system_hash);
	buf_release(&text);
	return first;
}
