/*
 * json - writing JSON by hand; reading it is jansson's
 */
#include "common/json.h"

#include "common/text.h"

static void
put_escaped(struct buf *out, unsigned char c)
{
	switch (c) {
	case '"':
		buf_adds(out, "\\\"");
		break;
	case '\\':
		buf_adds(out, "\\\\");
		break;
	case '\n':
		buf_adds(out, "\\n");
		break;
	case '\r':
		buf_adds(out, "\\r");
		break;
	case '\t':
		buf_adds(out, "\\t");
		break;
	default:
		buf_addf(out, "\\u%04x", c);
	}
}

/* Adds s, which is valid UTF-8, in runs between the bytes to be escaped. */
static void
put_valid(struct buf *out, struct slice s)
{
	size_t i, from = 0;
	unsigned char c;

	for (i = 0; i < s.len; i++) {
		c = (unsigned char)s.ptr[i];
		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		buf_add(out, s.ptr + from, i - from);
		put_escaped(out, c);
		from = i + 1;
	}
	if (from < s.len)
		buf_add(out, s.ptr + from, s.len - from);
}

void
json_put_str(struct buf *out, struct slice s)
{
	size_t bad;

	buf_addc(out, '"');
	while (s.len > 0 && !text_valid_utf8(s, &bad)) {
		put_valid(out, slice_of(s.ptr, bad));
		buf_adds(out, "\xef\xbf\xbd");
		s = slice_of(s.ptr + bad + 1, s.len - bad - 1);
	}
	put_valid(out, s);
	buf_addc(out, '"');
}

void
json_put_hex(struct buf *out, struct slice bytes)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	buf_addc(out, '"');
	for (i = 0; i < bytes.len; i++) {
		buf_addc(out, digits[(unsigned char)bytes.ptr[i] >> 4]);
		buf_addc(out, digits[bytes.ptr[i] & 15]);
	}
	buf_addc(out, '"');
}
