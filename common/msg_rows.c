/*
 * msg_rows - lines of JSON as an array of msgpack maps, straight
 *
 * How many there are of something is known at its end, so maps and arrays
 * have a head of full width, whose number is written last.
 */
#include "common/msg_rows.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <utf8proc.h>

#include "common/msg_pack.h"

enum { DEPTH_MOST = 64, NUMBER_BYTES = 64 };

struct rows {
	const char *at, *end;
	struct buf *out;
	struct buf plain;	/* a string without its escapes */
	unsigned depth;
};

/* ---- writing ---- */

static void
put_bytes(struct buf *out, unsigned char first, const void *bytes, size_t len)
{
	buf_addc(out, (char)first);
	buf_add(out, bytes, len);
}

/* The place of the head, for close_head. */
static size_t
open_head(struct buf *out, unsigned char first)
{
	put_bytes(out, first, "\0\0\0\0", 4);
	return out->len;
}

static void
close_head(struct buf *out, size_t place, uint32_t count)
{
	uint32_t n = htobe32(count);

	if (!out->over)
		memcpy(out->ptr + place - sizeof(n), &n, sizeof(n));
}

/* ---- strings ---- */

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static int
take_hex(struct rows *r, int32_t *cp)
{
	int i, digit;

	for (*cp = 0, i = 0; i < 4; i++) {
		if (r->at == r->end || (digit = hex_value(*r->at++)) == -1)
			return -1;
		*cp = *cp * 16 + digit;
	}
	return 0;
}

static int
take_unicode(struct rows *r)
{
	utf8proc_uint8_t bytes[4];
	int32_t cp, low;

	if (take_hex(r, &cp) == -1)
		return -1;
	if (cp >= 0xd800 && cp < 0xdc00) {
		if (r->end - r->at < 2 || *r->at++ != '\\' ||
		    *r->at++ != 'u' || take_hex(r, &low) == -1 ||
		    low < 0xdc00 || low > 0xdfff)
			return -1;
		cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
	} else if (cp >= 0xdc00 && cp <= 0xdfff) {
		return -1;
	}
	buf_add(&r->plain, bytes, (size_t)utf8proc_encode_char(cp, bytes));
	return 0;
}

static int
take_escape(struct rows *r)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *which;

	r->at++;
	if (r->at == r->end)
		return -1;
	if (*r->at == 'u') {
		r->at++;
		return take_unicode(r);
	}
	which = memchr(from, *r->at++, sizeof(from) - 1);
	if (which == NULL)
		return -1;
	buf_addc(&r->plain, to[which - from]);
	return 0;
}

static void
pack_text(struct buf *out, struct slice s)
{
	uint32_t wide = htobe32((uint32_t)s.len);
	unsigned char narrow = (unsigned char)s.len;

	if (s.len < 32)
		buf_addc(out, (char)(0xa0 | narrow));
	else if (s.len <= UINT8_MAX)
		put_bytes(out, 0xd9, &narrow, 1);
	else
		put_bytes(out, 0xdb, &wide, 4);
	buf_addslice(out, s);
}

static int
take_string(struct rows *r)
{
	const char *from = ++r->at;

	while (r->at < r->end && *r->at != '"' && *r->at != '\\')
		r->at++;
	if (r->at < r->end && *r->at == '"') {
		pack_text(r->out, slice_of(from, (size_t)(r->at++ - from)));
		return 0;
	}
	buf_clear(&r->plain);
	while (r->at < r->end) {
		buf_add(&r->plain, from, (size_t)(r->at - from));
		if (*r->at == '"') {
			r->at++;
			pack_text(r->out, buf_slice(&r->plain));
			return 0;
		}
		if (take_escape(r) == -1)
			return -1;
		for (from = r->at; r->at < r->end && *r->at != '"' &&
		     *r->at != '\\'; r->at++)
			;
	}
	return -1;
}

/* ---- numbers and words ---- */

static int
take_number(struct rows *r)
{
	char digits[NUMBER_BYTES], *end;
	size_t len = 0;
	bool real = false;
	uint64_t bits;
	long long n;
	double d;

	for (; r->at < r->end && memchr("+-.0123456789eE", *r->at, 15) != NULL;
	     r->at++) {
		if (len + 1 >= sizeof(digits))
			return -1;
		real = real || memchr(".eE", *r->at, 3) != NULL;
		digits[len++] = *r->at;
	}
	digits[len] = '\0';
	errno = 0;
	n = real ? 0 : strtoll(digits, &end, 10);
	d = real ? strtod(digits, &end) : 0.0;
	if (len == 0 || *end != '\0' || errno != 0)
		return -1;
	memcpy(&bits, &d, sizeof(bits));
	if (!real && n >= 0) {
		pack_uint(r->out, (uint64_t)n);
		return 0;
	}
	bits = htobe64(real ? bits : (uint64_t)n);
	put_bytes(r->out, real ? 0xcb : 0xd3, &bits, sizeof(bits));
	return 0;
}

static int
take_word(struct rows *r)
{
	static const struct {
		const char *word;
		unsigned char byte;
	} words[] = { { "null", 0xc0 }, { "false", 0xc2 }, { "true", 0xc3 } };
	size_t i, len;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		len = strlen(words[i].word);
		if ((size_t)(r->end - r->at) >= len &&
		    memcmp(r->at, words[i].word, len) == 0) {
			r->at += len;
			buf_addc(r->out, (char)words[i].byte);
			return 0;
		}
	}
	return take_number(r);
}

/* ---- values ---- */

static void
skip_space(struct rows *r)
{
	while (r->at < r->end && memchr(" \t\r\n", *r->at, 4) != NULL)
		r->at++;
}

/* Whether the next sign is this one; it is taken. */
static bool
take_sign(struct rows *r, char sign)
{
	skip_space(r);
	if (r->at == r->end || *r->at != sign)
		return false;
	r->at++;
	return true;
}

static int take_value(struct rows *r);

static int
take_member(struct rows *r)
{
	skip_space(r);
	if (r->at == r->end || *r->at != '"' || take_string(r) == -1 ||
	    !take_sign(r, ':'))
		return -1;
	return take_value(r);
}

/* A map or an array, behind its first bracket. */
static int
take_all(struct rows *r, char closing)
{
	size_t place = open_head(r->out, closing == '}' ? 0xdf : 0xdd);
	uint32_t n = 0;

	if (!take_sign(r, closing))
		for (;;) {
			if ((closing == '}' ? take_member(r) :
				take_value(r)) == -1)
				return -1;
			n++;
			if (take_sign(r, closing))
				break;
			if (!take_sign(r, ','))
				return -1;
		}
	close_head(r->out, place, n);
	return 0;
}

static int
take_value(struct rows *r)
{
	int rc;

	if (r->depth == DEPTH_MOST)
		return -1;
	r->depth++;
	if (take_sign(r, '{'))
		rc = take_all(r, '}');
	else if (take_sign(r, '['))
		rc = take_all(r, ']');
	else if (r->at < r->end && *r->at == '"')
		rc = take_string(r);
	else
		rc = take_word(r);
	r->depth--;
	return rc;
}

int
msg_rows_pack(struct slice lines, struct buf *out)
{
	struct rows r = { .at = lines.ptr, .end = lines.ptr + lines.len,
		.out = out };
	size_t place = open_head(out, 0xdd);
	uint32_t n = 0;
	int rc = 0;

	buf_init(&r.plain, SIZE_MAX / 4);
	for (skip_space(&r); rc == 0 && r.at < r.end; skip_space(&r)) {
		rc = take_value(&r);
		n++;
	}
	close_head(out, place, n);
	buf_release(&r.plain);
	return rc == -1 || out->over ? -1 : 0;
}
