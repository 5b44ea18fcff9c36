/*
 * msg_flat - a flat JSON object straight into a message
 *
 * What clients send most is an object of strings, numbers and booleans.  It is
 * read in one pass, without a tree, and strings without escapes stay where
 * they are.  Whatever is not so simple, or wrong, is left to msg_from_json:
 * this reader never refuses, it only says that it is not for it.
 */
#include <utf8proc.h>

#include "common/msg.h"
#include "common/text.h"
#include "common/when.h"

enum { MEMBERS = 32, DIGITS = 18 };

enum member_kind { MEMBER_NULL, MEMBER_BOOL, MEMBER_INTEGER, MEMBER_STRING };

struct member {
	struct slice name;
	enum member_kind kind;
	struct slice string;
	int64_t integer;	/* also of a boolean */
};

struct reader {
	const char *at, *end;
	struct arena *arena;	/* strings that had escapes */
};

/* ---- strings ---- */

#define EACH(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Marks in each byte's highest bit: it ends the plain part of a string. */
static uint64_t
stops(uint64_t eight)
{
	uint64_t quote = eight ^ EACH('"'), escape = eight ^ EACH('\\');
	uint64_t low = (eight - EACH(0x20)) & ~eight;

	quote = (quote - EACH(1)) & ~quote;
	escape = (escape - EACH(1)) & ~escape;
	return (quote | escape | low | eight) & EACH(0x80);
}

/* The first byte from `at` that is '"', '\\', a control or not ASCII. */
static const char *
skip_plain(const char *at, const char *end)
{
	uint64_t eight;

	for (; end - at >= 8; at += 8) {
		memcpy(&eight, at, sizeof(eight));
		if (stops(eight) != 0)
			break;
	}
	while (at < end && *at != '"' && *at != '\\' &&
	    (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80)
		at++;
	return at;
}

static bool
read_hex4(struct reader *r, uint32_t *out)
{
	uint32_t n = 0;
	int i;
	char c;

	if (r->end - r->at < 4)
		return false;
	for (i = 0; i < 4; i++) {
		c = *r->at++;
		if (c >= '0' && c <= '9')
			n = n << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			n = n << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return false;
	}
	*out = n;
	return true;
}

/* After "\u": a character, of two halves where it needs them. */
static bool
read_unicode(struct reader *r, char **out)
{
	uint32_t c, low;

	if (!read_hex4(r, &c) || c == 0)
		return false;
	if (c >= 0xd800 && c < 0xe000) {
		if (c >= 0xdc00 || r->end - r->at < 2 || r->at[0] != '\\' ||
		    r->at[1] != 'u')
			return false;
		r->at += 2;
		if (!read_hex4(r, &low) || low < 0xdc00 || low >= 0xe000)
			return false;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	*out += utf8proc_encode_char((utf8proc_int32_t)c,
	    (utf8proc_uint8_t *)*out);
	return true;
}

static bool
read_escape(struct reader *r, char **out)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *which;

	if (++r->at == r->end)
		return false;
	if (*r->at == 'u') {
		r->at++;
		return read_unicode(r, out);
	}
	which = *r->at == '\0' ? NULL : strchr(from, *r->at);
	if (which == NULL)
		return false;
	*(*out)++ = to[which - from];
	r->at++;
	return true;
}

/* The rest of a string that has escapes; `begin` is where it began. */
static bool
read_escaped(struct reader *r, const char *begin, struct slice *out)
{
	/* No escape is shorter than what it stands for. */
	const char *close = r->at, *plain = begin;
	char *copy, *to;

	while (close < r->end && *close != '"')
		close += *close == '\\' ? 2 : 1;
	if (close >= r->end)
		return false;
	copy = to = arena_alloc(r->arena, (size_t)(close - begin));
	for (;;) {
		memcpy(to, plain, (size_t)(r->at - plain));
		to += r->at - plain;
		if (*r->at == '"')
			break;
		if ((unsigned char)*r->at < 0x20 || (*r->at == '\\' &&
			!read_escape(r, &to)))
			return false;
		plain = r->at;
		r->at = skip_plain(r->at, r->end);
		if (r->at < r->end && (unsigned char)*r->at >= 0x80)
			r->at++;
		if (r->at == r->end)
			return false;
	}
	*out = slice_of(copy, (size_t)(to - copy));
	return true;
}

/* At the opening quote; behind the closing one when true. */
static bool
read_string(struct reader *r, struct slice *out)
{
	const char *begin = ++r->at;
	bool ascii = true;

	for (;;) {
		r->at = skip_plain(r->at, r->end);
		if (r->at == r->end || (unsigned char)*r->at < 0x20)
			return false;
		if (*r->at == '"' || *r->at == '\\')
			break;
		ascii = false;
		r->at++;
	}
	*out = slice_of(begin, (size_t)(r->at - begin));
	if (*r->at == '\\' && !read_escaped(r, begin, out))
		return false;
	r->at++;
	return (ascii && out->ptr == begin) || text_valid_utf8(*out, NULL);
}

/* ---- members ---- */

static void
skip_space(struct reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' ||
		*r->at == '\n' || *r->at == '\r'))
		r->at++;
}

static bool
skip_char(struct reader *r, char c)
{
	skip_space(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static bool
skip_word(struct reader *r, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(r->end - r->at) < len || memcmp(r->at, word, len) != 0)
		return false;
	r->at += len;
	return true;
}

/* A whole number; what is longer or has a fraction is not for us. */
static bool
read_integer(struct reader *r, int64_t *out)
{
	bool minus = *r->at == '-';
	const char *digits = r->at += minus;
	int64_t n = 0;

	while (r->at < r->end && *r->at >= '0' && *r->at <= '9' &&
	    r->at - digits < DIGITS)
		n = n * 10 + (*r->at++ - '0');
	if (r->at == digits || (*digits == '0' && r->at - digits > 1))
		return false;
	*out = minus ? -n : n;
	skip_space(r);
	return r->at < r->end && (*r->at == ',' || *r->at == '}');
}

static bool
read_value(struct reader *r, struct member *m)
{
	skip_space(r);
	if (r->at == r->end)
		return false;
	switch (*r->at) {
	case '"':
		m->kind = MEMBER_STRING;
		return read_string(r, &m->string);
	case 't':
	case 'f':
		m->kind = MEMBER_BOOL;
		m->integer = *r->at == 't';
		return skip_word(r, m->integer ? "true" : "false");
	case 'n':
		m->kind = MEMBER_NULL;
		return skip_word(r, "null");
	default:
		m->kind = MEMBER_INTEGER;
		return read_integer(r, &m->integer);
	}
}

/* The members of the object; how many, or 0: not for us. */
static size_t
read_members(struct reader *r, struct member *members)
{
	size_t n = 0;

	if (!skip_char(r, '{'))
		return 0;
	do {
		skip_space(r);
		if (n == MEMBERS || r->at == r->end || *r->at != '"' ||
		    !read_string(r, &members[n].name) || !skip_char(r, ':') ||
		    !read_value(r, &members[n]))
			return 0;
		n++;
	} while (skip_char(r, ','));
	if (!skip_char(r, '}'))
		return 0;
	skip_space(r);
	return r->at == r->end ? n : 0;
}

/* ---- fields ---- */

static bool
set_field(const struct msg_field *f, const struct member *m, void *value)
{
	switch (f->type) {
	case TYPE_str:
		*(struct slice *)value = m->string;
		return m->kind == MEMBER_STRING;
	case TYPE_u64:
		*(uint64_t *)value = (uint64_t)m->integer;
		return m->kind == MEMBER_INTEGER && m->integer >= 0;
	case TYPE_i64:
		*(int64_t *)value = m->integer;
		return m->kind == MEMBER_INTEGER;
	case TYPE_bool:
		*(bool *)value = m->integer != 0;
		return m->kind == MEMBER_BOOL;
	case TYPE_time:
		*(int64_t *)value = m->integer;
		return m->kind == MEMBER_INTEGER || (m->kind == MEMBER_STRING &&
		    when_parse(m->string, value) == 0);
	default:
		return false;
	}
}

/* Whether all members fit fields of their own, and none is missing. */
static bool
set_fields(const struct msg_spec *spec, const struct member *members, size_t n,
    void *out)
{
	uint64_t seen = 0, has = 0, bit;
	const struct msg_field *f;
	size_t i;

	memset(out, 0, spec->size);
	for (i = 0; i < n; i++) {
		if (slice_is(members[i].name, "type"))
			continue;
		f = msg_field_named(spec, members[i].name);
		bit = f == NULL ? 0 : UINT64_C(1) << f->tag;
		if (f == NULL || f->need == NEED_INT || (seen & bit) != 0)
			return false;
		seen |= bit;
		if (members[i].kind == MEMBER_NULL)
			continue;
		if (!set_field(f, &members[i], (char *)out + f->offset))
			return false;
		has |= bit;
	}
	memcpy(out, &has, sizeof(has));
	for (i = 0; i < spec->n_fields; i++)
		if (spec->fields[i].need == NEED_REQ &&
		    (has >> spec->fields[i].tag & 1) == 0)
			return false;
	return true;
}

/* The kind of entry that the members are of; a turn where they do not say. */
static const struct msg_spec *
find_spec(const struct member *members, size_t n)
{
	const struct msg_spec *spec = msg_spec(MSG_turn);
	bool said = false;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!slice_is(members[i].name, "type"))
			continue;
		if (said || members[i].kind != MEMBER_STRING)
			return NULL;
		said = true;
		spec = msg_spec_named(members[i].string);
	}
	return spec;
}

bool
msg_from_flat_json(struct slice text, struct arena *arena, enum msg_id *id,
    union msg_any *out)
{
	struct reader r = { text.ptr, text.ptr + text.len, arena };
	struct member members[MEMBERS];
	const struct msg_spec *spec;
	size_t n = read_members(&r, members);

	spec = n == 0 ? NULL : find_spec(members, n);
	if (spec == NULL || !msg_is_entry(spec->id) ||
	    spec->id == MSG_exchange || spec->id == MSG_tombstone)
		return false;
	*id = spec->id;
	return set_fields(spec, members, n, out);
}
