/*
 * sift - whose words a turn's text is made of
 *
 * Lines are looked at first: fences, quotes, indented code, lines with the
 * shape of a log or a trace.  What is left is read byte by byte for what may
 * stand inside a line: code in backticks, long quotes, addresses, and tags of
 * machine text, which may run on over many lines.
 */
#include "classify/sift.h"

#include <assert.h>

#include "common/text.h"

enum {
	QUOTE_LONG_BYTES = 60,	/* a quote of others, not a quoted word */
	QUOTE_LONG_WORDS = 8,
	TAG_NAME_BYTES = 48,
	SCHEME_BYTES = 16,
};

struct sifter {
	struct arena *a;
	struct slice text;
	struct sift_span *spans;
	size_t count, cap;
	bool after_blank;	/* or at the start: code may be indented here */
	bool in_list;		/* so what is indented goes on with an item */
	bool in_diff;
	enum sift_kind last_line;
};

const char *
sift_kind_name(enum sift_kind kind)
{
	static const char *const names[] = {
		"own", "code", "quote", "tool", "machine", "url",
	};

	assert((size_t)kind < sizeof(names) / sizeof(*names));
	return names[kind];
}

static void
add_span(struct sifter *f, size_t at, size_t end, enum sift_kind kind,
    bool block)
{
	struct sift_span *last, *more;

	if (end == at)
		return;
	if (f->count > 0) {
		last = &f->spans[f->count - 1];
		assert(last->at + last->len == at);
		if (last->kind == kind && last->block == block &&
		    kind != SIFT_URL) {
			last->len += end - at;
			return;
		}
	}
	if (f->count == f->cap) {
		f->cap = f->cap == 0 ? 2 : f->cap * 2;
		more = arena_room(f->a, f->cap * sizeof(*more));
		if (f->count > 0)
			memcpy(more, f->spans, f->count * sizeof(*more));
		f->spans = more;
	}
	f->spans[f->count++] = (struct sift_span){ at, end - at, kind, block };
}

static int
byte_at(struct slice s, size_t i)
{
	return i < s.len ? (unsigned char)s.ptr[i] : 0;
}

static bool
is_alpha(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool
is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool
is_word_byte(int c)
{
	return is_alpha(c) || is_digit(c) || c >= 0x80;
}

static struct slice
sub(struct slice s, size_t from, size_t to)
{
	return slice_of(s.ptr + from, to - from);
}

static size_t
line_end(struct slice s, size_t at)
{
	const char *nl = memchr(s.ptr + at, '\n', s.len - at);

	return nl == NULL ? s.len : (size_t)(nl - s.ptr) + 1;
}

static struct slice
trim_line(struct slice line)
{
	while (line.len > 0 && (unsigned char)line.ptr[line.len - 1] <= ' ')
		line.len--;
	while (line.len > 0 && (line.ptr[0] == ' ' || line.ptr[0] == '\t')) {
		line.ptr++;
		line.len--;
	}
	return line;
}

static bool
ends_with(struct slice s, const char *end)
{
	size_t len = strlen(end);

	return s.len >= len && memcmp(s.ptr + s.len - len, end, len) == 0;
}

static bool
has(struct slice s, const char *what)
{
	return s.len > 0 && memmem(s.ptr, s.len, what, strlen(what)) != NULL;
}

static bool
starts_any(struct slice s, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (s.ptr[0] == list[i][0] && slice_starts(s, list[i]))
			return true;
	return false;
}

#define STARTS(s, list) \
	((s).len > 0 && starts_any(s, list, sizeof(list) / sizeof(*list)))

/*
 * What a line holds.  Most have no sign but those of prose, and most of what a
 * line can be needs another one.
 */
enum {
	LINE_sign = 1,		/* not of prose */
	LINE_inside = 2,	/* scan_line looks at it */
	LINE_w = 4, LINE_dot = 8,	/* it may have a www. if it has both */
};

static const uint8_t line_bytes[256] = {
	['"'] = LINE_sign | LINE_inside, ['<'] = LINE_sign | LINE_inside,
	[':'] = LINE_sign | LINE_inside, ['`'] = LINE_sign | LINE_inside,
	['#' ... '&'] = LINE_sign, ['(' ... '+'] = LINE_sign,
	['-'] = LINE_sign, ['/'] = LINE_sign, [';'] = LINE_sign,
	['=' ... '>'] = LINE_sign, ['@'] = LINE_sign,
	['[' ... '_'] = LINE_sign, ['{' ... '~'] = LINE_sign,
	['w'] = LINE_w, ['W'] = LINE_w, ['.'] = LINE_dot,
	[0xc2] = LINE_inside, [0xe2] = LINE_inside,
};

static unsigned
line_look(struct slice line)
{
	unsigned seen = 0;

	for (size_t i = 0; i < line.len; i++)
		seen |= line_bytes[(unsigned char)line.ptr[i]];
	return seen;
}

/* What a harness writes in a person's place after it has cut a dialogue. */
static bool
is_preamble(struct slice text)
{
	static const char *const preambles[] = {
		"This session is being continued from a previous conversation",
		"This conversation is being continued from",
		"This conversation is a continuation of",
		"The conversation so far has been summarized",
		"The previous conversation was summarized",
		"Here is a summary of the conversation so far",
		"Summary of the conversation so far",
		"Summary of the previous conversation",
		"[Conversation summary",
		"[Compacted conversation",
	};

	while (text.len > 0 && (unsigned char)text.ptr[0] <= ' ') {
		text.ptr++;
		text.len--;
	}
	/* None begins with a small letter, as many texts do. */
	return text.len > 0 && text.ptr[0] <= '[' && STARTS(text, preambles);
}

static bool
is_machine_name(struct slice name)
{
	static const char *const names[] = {
		"additional-context", "additional_context", "command-args",
		"command-contents", "command-message", "command-name",
		"environment_context", "environment_details", "hook-",
		"local-command-", "skein-", "system-", "system_",
		"task-notification", "user-prompt-submit-hook",
	};

	return text_is_word(name, "system") || STARTS(name, names) ||
	    ends_with(name, "-reminder") || ends_with(name, "_reminder");
}

static bool
is_tool_name(struct slice name)
{
	static const char *const names[] = {
		"bash-", "function_result", "function_call", "stderr",
		"stdout", "tool-output", "tool-result", "tool_call",
		"tool_output", "tool_response", "tool_result", "tool_use",
	};

	return STARTS(name, names);
}

struct tag {
	size_t end;		/* behind the '>' or, if there is none, the name */
	enum sift_kind kind;
	bool closing;
	bool alone;		/* <tag/> */
};

/* Is there a tag of machine text at `at`, where a '<' stands? */
static bool
tag_at(struct slice s, size_t at, struct tag *tag)
{
	struct slice name;
	size_t i = at + 1, limit;

	tag->closing = byte_at(s, i) == '/';
	i += tag->closing;
	name = slice_of(s.ptr + i, 0);
	while (i < s.len && name.len < TAG_NAME_BYTES &&
	    (is_alpha(s.ptr[i]) || is_digit(s.ptr[i]) || s.ptr[i] == '-' ||
	    s.ptr[i] == '_' || s.ptr[i] == ':')) {
		i++;
		name.len++;
	}
	if (name.len == 0)
		return false;
	if (is_machine_name(name))
		tag->kind = SIFT_MACHINE;
	else if (is_tool_name(name))
		tag->kind = SIFT_TOOL;
	else
		return false;
	/* Attributes, if any, stand on the same line and are not long. */
	limit = i + 512 < s.len ? i + 512 : s.len;
	tag->end = i;
	while (i < limit && s.ptr[i] != '>' && s.ptr[i] != '<' &&
	    s.ptr[i] != '\n')
		i++;
	if (i < limit && s.ptr[i] == '>')
		tag->end = i + 1;
	tag->alone = tag->end == i + 1 && s.ptr[i - 1] == '/';
	return true;
}

/*
 * The end of what the tag at `at` opens.  All tags of machine text count as
 * one family, so that a nested or a misspelt one cannot let the rest out as
 * somebody's words.  Unbalanced: behind the last one that closes, so that a
 * tag merely mentioned inside does not swallow the words after.  Never
 * closed: the end of the text.
 */
static size_t
tag_scope_end(struct slice s, size_t at, const struct tag *open)
{
	size_t pos = open->end, last_close = 0, depth = 1;
	const char *next;
	struct tag tag;

	if (open->closing || open->alone)
		return open->end;
	while ((next = memchr(s.ptr + pos, '<', s.len - pos)) != NULL) {
		pos = (size_t)(next - s.ptr);
		if (!tag_at(s, pos, &tag)) {
			pos++;
			continue;
		}
		pos = tag.end;
		if (tag.alone)
			continue;
		if (!tag.closing) {
			depth++;
			continue;
		}
		last_close = tag.end;
		if (--depth == 0)
			return tag.end;
	}
	assert(at < s.len);
	return last_close > 0 ? last_close : s.len;
}

/* One pass over a line keeps what it has looked for in vain. */
struct line_scan {
	size_t end;
	size_t own_from;
	size_t quote_until;	/* behind the short quote that is being read */
	bool no_tick[4];
	bool no_quote[4];
};

static void
flush_own(struct sifter *f, struct line_scan *l, size_t to)
{
	add_span(f, l->own_from, to, SIFT_OWN, false);
	l->own_from = to;
}

static size_t
tick_run(struct slice s, size_t at, size_t end)
{
	size_t i = at;

	while (i < end && s.ptr[i] == '`')
		i++;
	return i - at;
}

/* Behind the backticks that close the `count` ones before `at`, or 0. */
static size_t
tick_close(struct slice s, size_t at, size_t end, size_t count)
{
	const char *next;
	size_t run;

	while (at < end &&
	    (next = memchr(s.ptr + at, '`', end - at)) != NULL) {
		at = (size_t)(next - s.ptr);
		run = tick_run(s, at, end);
		if (run == count || (run >= 3 && count >= 3))
			return at + run;
		at += run;
	}
	return 0;
}

static size_t
scan_tick(struct sifter *f, struct line_scan *l, size_t i)
{
	size_t count = tick_run(f->text, i, l->end), close = 0;
	size_t class = count < 3 ? count : 3;

	if (!l->no_tick[class])
		close = tick_close(f->text, i + count, l->end, count);
	if (close == 0) {
		l->no_tick[class] = true;
		return i + count;
	}
	flush_own(f, l, i);
	add_span(f, i, close, SIFT_CODE, false);
	l->own_from = close;
	return close;
}

static bool
has_machine_tag(struct slice s, size_t from, size_t to)
{
	const char *next;
	struct tag tag;

	while (from < to &&
	    (next = memchr(s.ptr + from, '<', to - from)) != NULL) {
		from = (size_t)(next - s.ptr);
		if (tag_at(s, from, &tag))
			return true;
		from++;
	}
	return false;
}

static bool
is_long_quote(struct slice inner)
{
	size_t spaces = 0;

	if (inner.len < QUOTE_LONG_BYTES)
		return false;
	for (size_t i = 0; i < inner.len; i++)
		spaces += inner.ptr[i] == ' ';
	return spaces + 1 >= QUOTE_LONG_WORDS;
}

static const struct {
	const char *open, *close;
} quote_signs[] = {
	{ "\"", "\"" },
	{ "\xe2\x80\x9c", "\xe2\x80\x9d" },	/* “ ” */
	{ "\xe2\x80\x9e", "\xe2\x80\x9c" },	/* „ “ */
	{ "\xc2\xab", "\xc2\xbb" },		/* « » */
};

/* The first `sign` in s; reads no further than that, unlike memmem may. */
static const char *
find_sign(struct slice s, const char *sign)
{
	size_t len = strlen(sign), at = 0;
	const char *next;

	while (at + len <= s.len &&
	    (next = memchr(s.ptr + at, sign[0], s.len - len + 1 - at)) != NULL) {
		if (memcmp(next, sign, len) == 0)
			return next;
		at = (size_t)(next - s.ptr) + 1;
	}
	return NULL;
}

/* At a sign that may open a quote: where to go on. */
static size_t
scan_quote(struct sifter *f, struct line_scan *l, size_t i)
{
	struct slice rest = sub(f->text, i, l->end);
	const char *close;
	size_t kind, open_len, end;

	for (kind = 0; kind < 4; kind++)
		if (slice_starts(rest, quote_signs[kind].open))
			break;
	if (kind == 4 || l->no_quote[kind] || i < l->quote_until ||
	    (kind == 0 && i > 0 && is_word_byte(byte_at(f->text, i - 1))))
		return i + 1;
	open_len = strlen(quote_signs[kind].open);
	close = find_sign(sub(rest, open_len, rest.len),
	    quote_signs[kind].close);
	if (close == NULL) {
		l->no_quote[kind] = true;
		return i + 1;
	}
	end = (size_t)(close - f->text.ptr);
	if (!is_long_quote(sub(f->text, i + open_len, end)) ||
	    has_machine_tag(f->text, i, end)) {
		/* Those nested in it would be measured again and again. */
		l->quote_until = end + 1;
		return i + open_len;
	}
	end += strlen(quote_signs[kind].close);
	flush_own(f, l, i);
	add_span(f, i, end, SIFT_QUOTE, false);
	l->own_from = end;
	return end;
}

/* At the ':' of "://" or at the first letter of "www.". */
static size_t
scan_url(struct sifter *f, struct line_scan *l, size_t i)
{
	size_t start = i, len;

	if (f->text.ptr[i] == ':') {
		while (start > l->own_from && i - start < SCHEME_BYTES &&
		    (is_alpha(f->text.ptr[start - 1]) ||
		    is_digit(f->text.ptr[start - 1]) ||
		    f->text.ptr[start - 1] == '+'))
			start--;
	} else if (i > 0 && is_word_byte(byte_at(f->text, i - 1))) {
		return i + 1;
	}
	len = start == i && f->text.ptr[i] == ':' ? 0
	    : text_url_len(f->text, start);
	if (len == 0 || start + len > l->end || start + len <= i)
		return i + 1;
	flush_own(f, l, start);
	add_span(f, start, start + len, SIFT_URL, false);
	l->own_from = start + len;
	return start + len;
}

/*
 * A line that is not the speaker's own, in which a tag of machine text opens:
 * the tag and what it opens are taken out.
 */
static size_t
scan_tags(struct sifter *f, size_t at, size_t end, enum sift_kind kind)
{
	size_t i = at, from = at;
	const char *next;
	struct tag tag;

	while (i < end &&
	    (next = memchr(f->text.ptr + i, '<', end - i)) != NULL) {
		i = (size_t)(next - f->text.ptr);
		if (!tag_at(f->text, i, &tag)) {
			i++;
			continue;
		}
		add_span(f, from, i, kind, true);
		from = tag_scope_end(f->text, i, &tag);
		add_span(f, i, from, tag.kind, true);
		i = from;
	}
	if (from < end)
		add_span(f, from, end, kind, true);
	return from < end ? end : from;
}

/* The own words of one line; the end reached may lie beyond the line. */
static size_t
scan_line(struct sifter *f, size_t at, size_t end)
{
	struct line_scan l = { .end = end, .own_from = at };
	struct slice s = f->text;
	struct tag tag;
	size_t i = at, scope;

	while (i < end) {
		switch ((unsigned char)s.ptr[i]) {
		case '`':
			i = scan_tick(f, &l, i);
			break;
		case '"':
		case 0xe2:
		case 0xc2:
			i = scan_quote(f, &l, i);
			break;
		case '<':
			if (!tag_at(s, i, &tag)) {
				i++;
				break;
			}
			scope = tag_scope_end(s, i, &tag);
			flush_own(f, &l, i);
			add_span(f, i, scope, tag.kind, true);
			l.own_from = i = scope;
			if (i >= end)
				return i;
			break;
		case ':':
			if (byte_at(s, i + 1) == '/' && byte_at(s, i + 2) == '/')
				i = scan_url(f, &l, i);
			else
				i++;
			break;
		case 'w':
		case 'W':
			if (byte_at(s, i + 3) == '.')
				i = scan_url(f, &l, i);
			else
				i++;
			break;
		default:
			while (++i < end && !(line_bytes[(unsigned char)
			    s.ptr[i]] & (LINE_inside | LINE_w)))
				;
		}
	}
	flush_own(f, &l, end);
	return end;
}

/* The end of a fenced block that begins at the line, or 0. */
static size_t
fence_end(struct slice s, size_t at, struct slice line)
{
	struct slice inner = trim_line(line);
	size_t count = 0, indent = (size_t)(inner.ptr - line.ptr), pos, next;
	char sign = inner.len > 0 ? inner.ptr[0] : 0;

	if ((sign != '`' && sign != '~') || indent > 8)
		return 0;
	while (count < inner.len && inner.ptr[count] == sign)
		count++;
	if (count < 3 || (sign == '`' && inner.len > count &&
	    memchr(inner.ptr + count, '`', inner.len - count) != NULL))
		return 0;
	for (pos = at + line.len; pos < s.len; pos = next) {
		size_t run = 0;

		next = line_end(s, pos);
		inner = trim_line(sub(s, pos, next));
		while (run < inner.len && inner.ptr[run] == sign)
			run++;
		if (run >= count && run == inner.len)
			return next;
	}
	return s.len;
}

static bool
is_quote_line(struct slice line, struct slice inner)
{
	int next = byte_at(inner, 1);

	if (inner.len > 0 && inner.ptr[0] == '>' &&
	    inner.ptr - line.ptr <= 3)
		return next == 0 || next == ' ' || next == '>' ||
		    next == '"' || is_word_byte(next);
	/* What a mail program writes above the quote. */
	return slice_starts(inner, "On ") && ends_with(inner, " wrote:");
}

static size_t
digits_at(struct slice s, size_t at)
{
	size_t i = at;

	while (is_digit(byte_at(s, i)))
		i++;
	return i - at;
}

static bool
clock_at(struct slice s, size_t at)
{
	return digits_at(s, at) == 2 && byte_at(s, at + 2) == ':' &&
	    digits_at(s, at + 3) == 2 && byte_at(s, at + 5) == ':' &&
	    digits_at(s, at + 6) == 2;
}

/* 2023-05-05 10:30:00, [10:30:00], May  5 10:30:00 */
static bool
is_stamped(struct slice s)
{
	size_t i = byte_at(s, 0) == '[' || byte_at(s, 0) == '(';

	if (clock_at(s, i))
		return true;
	if (digits_at(s, i) == 4 && (byte_at(s, i + 4) == '-' ||
	    byte_at(s, i + 4) == '/') && digits_at(s, i + 5) == 2 &&
	    digits_at(s, i + 8) == 2)
		return clock_at(s, i + 11);
	return is_alpha(byte_at(s, 0)) && byte_at(s, 3) == ' ' &&
	    (byte_at(s, 4) == ' ' || is_digit(byte_at(s, 4))) &&
	    is_digit(byte_at(s, 5)) && byte_at(s, 6) == ' ' && clock_at(s, 7);
}

static bool
is_level_line(struct slice s)
{
	static const char *const levels[] = {
		"ERROR", "WARN", "WARNING", "INFO", "DEBUG", "TRACE", "FATAL",
		"CRITICAL", "NOTICE", "ERR!",
	};
	size_t bracket = byte_at(s, 0) == '[', i;
	int first = byte_at(s, bracket);

	if (first < 'A' || first > 'Z')
		return false;
	for (i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		size_t len = strlen(levels[i]);
		int after = byte_at(s, bracket + len);

		if (s.len <= bracket + len ||
		    memcmp(s.ptr + bracket, levels[i], len) != 0)
			continue;
		if (bracket ? after == ']' : after == ':' || after == '[' ||
		    (after == ' ' && (is_digit(byte_at(s, len + 1)) ||
		    byte_at(s, len + 1) == '[' || byte_at(s, len + 1) == ' ')))
			return true;
	}
	return false;
}

/* "TypeError: …", "java.io.IOException: …", "Error: …" */
static bool
is_exception_line(struct slice s)
{
	size_t i = 0;

	while (i < 80 && (is_word_byte(byte_at(s, i)) ||
	    byte_at(s, i) == '.' || byte_at(s, i) == '_'))
		i++;
	return i >= 5 && byte_at(s, i) == ':' &&
	    (byte_at(s, i + 1) == ' ' || byte_at(s, i + 1) == 0) &&
	    s.ptr[0] != 'e' && (ends_with(sub(s, 0, i), "Error") ||
	    ends_with(sub(s, 0, i), "Exception"));
}

/* "file.c:12:3: error: …", "main.go:7: …", "    at f (x.js:1:2)" */
static bool
is_place_line(struct slice s)
{
	size_t i = 0;

	if (slice_starts(s, "at "))
		return ends_with(s, ")") && has(s, "(") && has(s, ":");
	while (i < 160 && i < s.len && s.ptr[i] != ':' &&
	    (unsigned char)s.ptr[i] > ' ')
		i++;
	if (i < 3 || byte_at(s, i) != ':' || digits_at(s, i + 1) == 0 ||
	    memchr(s.ptr, '.', i) == NULL)
		return false;
	i += 1 + digits_at(s, i + 1);
	return byte_at(s, i) == ':';
}

static bool
is_prompt_line(struct slice s)
{
	size_t i = 0;

	/* "$ 40 a night" is money. */
	if ((slice_starts(s, "$ ") && s.len > 3 && !is_digit(s.ptr[2])) ||
	    slice_starts(s, ">>> ") ||
	    slice_starts(s, "C:\\>") || slice_starts(s, "PS C:\\"))
		return true;
	/* user@host:~$ command */
	while (i < 64 && byte_at(s, i) > ' ' && s.ptr[i] != '$' &&
	    s.ptr[i] != '#')
		i++;
	return i > 3 && (byte_at(s, i) == '$' || byte_at(s, i) == '#') &&
	    memchr(s.ptr, '@', i) != NULL && memchr(s.ptr, ':', i) != NULL;
}

static bool
is_tool_line(struct slice s, bool signs)
{
	static const char *const starts[] = {
		"Traceback (most recent call last)", "Caused by: ", "panic: ",
		"fatal: ", "make: ***", "make[", "E: ", "W: ", "diff --git ",
		"@@ -", "+++ ", "--- a/", "gcc: ", "ld: ", "error[E", "bash: ",
		"sh: ", "sudo: ", "Exit code: ", "#0  0x", "==ERROR",
	};
	static const char *const plain_starts[] = {
		"npm ERR!", "npm WARN", "Segmentation fault", "Process exited",
		"Command failed",
	};

	if (s.len < 3)
		return false;
	if (slice_starts(s, "thread '"))
		return has(s, "panicked");
	if (slice_starts(s, "goroutine "))
		return ends_with(s, "]:");
	if (slice_starts(s, "File \""))
		return has(s, ", line ");
	return STARTS(s, plain_starts) || is_level_line(s) || (signs &&
	    (STARTS(s, starts) || is_stamped(s) || is_exception_line(s) ||
	    is_place_line(s) || is_prompt_line(s)));
}

/* A statement of code that nobody has fenced. */
static bool
is_code_line(struct slice s)
{
	static const char *const starts[] = {
		"#include ", "#!/", "return ", "import ", "const ", "let ",
		"var ", "function ", "def ", "class ", "public ", "private ",
		"static ", "int ", "void ", "if (", "for (", "while (", "}",
	};
	char last = s.len > 0 ? s.ptr[s.len - 1] : 0;

	if (s.len == 0)
		return false;
	if (slice_starts(s, "#include <") || slice_starts(s, "#!/"))
		return true;
	if (s.ptr[0] == '}' || s.ptr[0] == ']')
		return s.len <= 3;
	if (s.ptr[0] == '{')
		return s.len == 1 || ((last == '}' || last == ',') &&
		    has(s, ":"));
	/* "key": value, */
	if (s.ptr[0] == '"' && has(s, "\": "))
		return last == ',' || last == '{' || last == '[' ||
		    last == '"' || is_digit(last);
	if (last == '{' || last == ';')
		return STARTS(s, starts) || has(s, "(") || has(s, " = ") ||
		    has(s, "->");
	if (last == ':' && s.len > 1 && s.ptr[s.len - 2] == ')')
		return slice_starts(s, "def ") || slice_starts(s, "class ");
	return false;
}

static bool
is_list_item(struct slice s)
{
	size_t n = digits_at(s, 0);

	if (s.len > 2 && (s.ptr[0] == '-' || s.ptr[0] == '*' ||
	    s.ptr[0] == '+') && s.ptr[1] == ' ')
		return true;
	return n > 0 && n < 4 && (byte_at(s, n) == '.' ||
	    byte_at(s, n) == ')') && byte_at(s, n + 1) == ' ';
}

static bool
is_indented(struct slice line)
{
	return line.len > 4 && (line.ptr[0] == '\t' ||
	    memcmp(line.ptr, "    ", 4) == 0);
}

/* Indented prose exists; code has signs that prose has not. */
static bool
looks_like_code(struct slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (strchr(";{}()=<>[]$|&\\_", s.ptr[i]) != NULL &&
		    s.ptr[i] != '\0')
			return true;
	return false;
}

static bool
is_hook_line(struct slice s)
{
	return (has(s, " hook ") && (has(s, " hook additional context:") ||
	    has(s, " hook success:") || has(s, " hook feedback:") ||
	    has(s, " hook blocking error:"))) ||
	    slice_starts(s, "[Request interrupted by user") ||
	    slice_starts(s, "Caveat: The messages below were generated by");
}

static enum sift_kind
line_kind(struct sifter *f, struct slice line, struct slice inner, bool signs)
{
	bool indented = line.len > 0 && (line.ptr[0] == ' ' ||
	    line.ptr[0] == '\t');

	if (f->in_diff && (line.ptr[0] == '+' || line.ptr[0] == '-' ||
	    line.ptr[0] == ' ' || line.ptr[0] == '@'))
		return SIFT_TOOL;
	if (is_tool_line(inner, signs))
		return SIFT_TOOL;
	if (signs && is_quote_line(line, inner))
		return SIFT_QUOTE;
	if (f->last_line == SIFT_TOOL && indented && !f->after_blank)
		return SIFT_TOOL;
	if (signs && is_hook_line(inner))
		return SIFT_MACHINE;
	if (signs && is_code_line(inner))
		return SIFT_CODE;
	if (is_indented(line) && !f->in_list && (f->last_line == SIFT_CODE ||
	    (f->after_blank && looks_like_code(inner))))
		return SIFT_CODE;
	return SIFT_OWN;
}

/* Takes the line at `at`, and what a fence or a tag in it opens. */
static size_t
sift_line(struct sifter *f, size_t at)
{
	size_t end = line_end(f->text, at), fence;
	struct slice line = sub(f->text, at, end), inner = trim_line(line);
	unsigned seen = line_look(inner);
	enum sift_kind kind;

	if (inner.len == 0) {
		add_span(f, at, end, SIFT_OWN, false);
		f->after_blank = true;
		f->in_diff = false;
		return end;
	}
	fence = seen & LINE_sign ? fence_end(f->text, at, line) : 0;
	if (fence > 0) {
		add_span(f, at, fence, SIFT_CODE, true);
		f->after_blank = false;
		return fence;
	}
	kind = line_kind(f, line, inner, seen & LINE_sign);
	f->in_diff = kind == SIFT_TOOL && (f->in_diff ||
	    slice_starts(inner, "@@ -"));
	f->last_line = kind;
	f->after_blank = false;
	if (kind != SIFT_OWN) {
		if (has_machine_tag(f->text, at, end))
			return scan_tags(f, at, end, kind);
		add_span(f, at, end, kind, true);
		return end;
	}
	if (is_list_item(inner))
		f->in_list = true;
	else if (!is_indented(line))
		f->in_list = false;
	if ((seen & LINE_inside) || ((seen & LINE_w) && (seen & LINE_dot)))
		return scan_line(f, at, end);
	add_span(f, at, end, SIFT_OWN, false);
	return end;
}

struct sifted
sift_text(struct arena *a, struct slice text, enum speaker speaker)
{
	struct sifter f = { .a = a, .text = text, .after_blank = true,
		.last_line = SIFT_OWN };
	size_t at = 0;

	if (speaker == SPEAKER_tool)
		add_span(&f, 0, text.len, SIFT_TOOL, true);
	else if (speaker == SPEAKER_system || is_preamble(text))
		add_span(&f, 0, text.len, SIFT_MACHINE, true);
	else
		while (at < text.len)
			at = sift_line(&f, at);
	return (struct sifted){ f.spans, f.count };
}

size_t
sift_find(const struct sifted *sifted, size_t at)
{
	size_t low = 0, high = sifted->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (sifted->spans[mid].at + sifted->spans[mid].len <= at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct slice
sift_own(struct arena *a, struct slice text, const struct sifted *sifted,
    size_t at, size_t len)
{
	size_t i = sift_find(sifted, at), end = at + len, used = 0, from, to;
	const struct sift_span *span;
	char *out;

	assert(end <= text.len);
	if (len == 0)
		return SLICE_NONE;
	span = &sifted->spans[i];
	if (span->kind == SIFT_OWN && span->at + span->len >= end)
		return sub(text, at, end);
	out = arena_alloc(a, len + 1);
	for (; i < sifted->count && sifted->spans[i].at < end; i++) {
		span = &sifted->spans[i];
		if (span->kind != SIFT_OWN) {
			out[used++] = ' ';
			continue;
		}
		from = span->at > at ? span->at : at;
		to = span->at + span->len < end ? span->at + span->len : end;
		memcpy(out + used, text.ptr + from, to - from);
		used += to - from;
	}
	return slice_of(out, used);
}
