/*
 * injected - blocks of a text that skein or a client put in
 */
#include "common/injected.h"

#include <stdbool.h>

/* Where a block of our own or of a client begins: its tag's name. */
static bool
find_injected(struct slice text, size_t from, size_t *at, struct slice *name)
{
	static const char *const tags[] = { "<skein-", "<system-reminder" };
	const char *found = NULL, *tag;
	size_t i, end;

	if (memchr(text.ptr + from, '<', text.len - from) == NULL)
		return false;	/* most texts */
	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		tag = memmem(text.ptr + from, text.len - from, tags[i],
		    strlen(tags[i]));
		if (tag != NULL && (found == NULL || tag < found))
			found = tag;
	}
	if (found == NULL)
		return false;
	*at = (size_t)(found - text.ptr);
	for (end = *at + 1; end < text.len && text.ptr[end] != '>' &&
	     text.ptr[end] != ' ' && text.ptr[end] != '\n'; end++)
		;
	*name = slice_of(text.ptr + *at + 1, end - *at - 1);
	return true;
}

/* Behind the block's closing tag; the end of the text where there is none. */
static size_t
injected_end(struct slice text, size_t from, struct slice name)
{
	const char *at = text.ptr + from, *end = text.ptr + text.len;

	while ((at = memmem(at, (size_t)(end - at), "</", 2)) != NULL) {
		at += 2;
		if ((size_t)(end - at) > name.len &&
		    memcmp(at, name.ptr, name.len) == 0 && at[name.len] == '>')
			return (size_t)(at - text.ptr) + name.len + 1;
	}
	return text.len;
}

static bool
is_blank(char c)
{
	return c == '\n' || c == ' ';
}

struct slice
injected_strip(struct slice text, struct arena *arena)
{
	size_t from = 0, at, len = 0;
	struct slice name;
	char *out = NULL;

	while (from < text.len && find_injected(text, from, &at, &name)) {
		if (out == NULL)
			out = arena_alloc(arena, text.len);
		memcpy(out + len, text.ptr + from, at - from);
		len += at - from;
		from = injected_end(text, at, name);
	}
	if (out == NULL)
		return text;
	memcpy(out + len, text.ptr + from, text.len - from);
	len += text.len - from;
	while (len > 0 && is_blank(out[len - 1]))
		len--;
	for (from = 0; from < len && is_blank(out[from]); from++)
		;
	return slice_of(out + from, len - from);
}
