/*
 * text_shape - what a string's own bytes tell of it: an address, a date, a
 * version, a code
 */
#include "common/text_impl.h"

static bool
is_url_byte(int c)
{
	return c > ' ' && c != '"' && c != '<' && c != '>' && c != '`' &&
	    c != '|' && c != '{' && c != '}' && c != 0x7f && c != '\\';
}

/* To the end of the address; brackets close only what they opened. */
static size_t
url_end(struct slice s, size_t from)
{
	size_t pos = from, next = from;
	int round = 0, square = 0;
	int32_t cp;

	while (next_char(s, &next, &cp)) {
		if (cp < 0x80 ? !is_url_byte(cp)
		    : class_of(cp) != TEXT_LETTER &&
		    class_of(cp) != TEXT_MARK)
			break;
		round += (cp == '(') - (cp == ')');
		square += (cp == '[') - (cp == ']');
		if (round < 0 || square < 0)
			break;
		pos = next;
	}
	while (pos > from && byte_at(s, pos - 1) < 0x80 &&
	    strchr(".,;:!?'*_", byte_at(s, pos - 1)) != NULL)
		pos--;
	return pos;
}

/* "scheme://" or "www." at `at`; the end of the address, or 0. */
static size_t
url_at(struct slice s, size_t at)
{
	size_t i = at, end;

	if (at + 4 < s.len && text_is_word(sub(s, at, at + 4), "www.") &&
	    ascii_alnum(byte_at(s, at + 4)))
		return url_end(s, at + 4);
	while (i < at + 16 && (ascii_alnum(byte_at(s, i)) ||
	    byte_at(s, i) == '+' || byte_at(s, i) == '-'))
		i++;
	if (i < at + 2 || byte_at(s, i) != ':' || byte_at(s, i + 1) != '/' ||
	    byte_at(s, i + 2) != '/')
		return 0;
	end = url_end(s, i + 3);
	return end > i + 3 ? end : 0;
}

size_t
text_url_len(struct slice s, size_t at)
{
	size_t end = url_at(s, at);

	return end == 0 ? 0 : end - at;
}

size_t
text_find_last(struct slice s, char c)
{
	const char *at = s.len > 0 ? memrchr(s.ptr, c, s.len) : NULL;

	return at == NULL ? s.len : (size_t)(at - s.ptr);
}

struct slice
text_last_part(struct slice s, char separator)
{
	size_t at = text_find_last(s, separator);

	return at == s.len ? s : sub(s, at + 1, s.len);
}

/* d/m/y, y-m-d, d.m.y: three groups of digits, one sign between them. */
static bool
is_date_shape(struct slice s)
{
	size_t a = digits_len(s, 0), b, c;
	int sign = byte_at(s, a);

	if (a == 0 || (sign != '-' && sign != '/' && sign != '.'))
		return false;
	b = digits_len(s, a + 1);
	if (b < 1 || b > 2 || byte_at(s, a + 1 + b) != sign)
		return false;
	c = digits_len(s, a + b + 2);
	if (a + b + c + 2 != s.len)
		return false;
	if (a == 4)
		return c >= 1 && c <= 2;
	if (sign == '.' && c != 4)
		return false;
	return a <= 2 && (c == 2 || c == 4);
}

/* 10:30, 10:30:15, 10:30:15.250, 10:30pm */
static bool
is_clock_shape(struct slice s)
{
	size_t i = digits_len(s, 0);
	unsigned groups = 1;

	if (i < 1 || i > 2)
		return false;
	while (byte_at(s, i) == ':' && digits_len(s, i + 1) == 2) {
		i += 3;
		groups++;
	}
	if (groups < 2 || groups > 3)
		return false;
	if (byte_at(s, i) == '.' && digits_len(s, i + 1) > 0)
		i += 1 + digits_len(s, i + 1);
	return i == s.len || text_is_word(sub(s, i, s.len), "am") ||
	    text_is_word(sub(s, i, s.len), "pm");
}

bool
text_is_when(struct slice s)
{
	if (!ascii_digit(byte_at(s, 0)))
		return false;
	if (is_date_shape(s) || is_clock_shape(s))
		return true;
	/* An RFC 3339 instant; '+' and ':' are joiners, so it is one run. */
	return s.len >= 16 && s.ptr[10] == 'T' &&
	    is_date_shape(sub(s, 0, 10)) && is_clock_shape(sub(s, 11, 16));
}

/* v2, v1.2, 1.2.3, 1.2.3-rc1; "1.2" alone is a number, 10.0.0.1 an address. */
bool
text_is_version(struct slice s)
{
	size_t i = byte_at(s, 0) == 'v' || byte_at(s, 0) == 'V', start = i, n;
	unsigned groups = 0;

	while ((n = digits_len(s, i)) > 0) {
		groups++;
		i += n;
		if (byte_at(s, i) != '.' || (!ascii_digit(byte_at(s, i + 1)) &&
		    !(byte_at(s, i + 1) == 'x' && groups > 0)))
			break;
		i++;
	}
	if (groups == 0 || (start == 0 && groups < 3))
		return start == 0 && groups == 2 && i < s.len &&
		    (s.ptr[i] == '-' || s.ptr[i] == '+') &&
		    ascii_letter(byte_at(s, i + 1));
	if (byte_at(s, i) == 'x')
		i++;
	if (i == s.len)
		return start > 0 || groups == 3;
	/* A suffix: -rc1, +build, b2 */
	if (s.ptr[i] == '-' || s.ptr[i] == '+')
		return ascii_alnum(byte_at(s, i + 1));
	return ascii_letter(s.ptr[i]) && s.len - i <= 4 && start == 0;
}

bool
text_is_ip_address(struct slice s)
{
	size_t i = 0, n;

	for (unsigned group = 0; group < 4; group++) {
		n = digits_len(s, i);
		if (n < 1 || n > 3)
			return false;
		i += n;
		if (group < 3 && byte_at(s, i++) != '.')
			return false;
	}
	/* A port or a prefix length may follow. */
	if (byte_at(s, i) == ':' || byte_at(s, i) == '/')
		i += 1 + digits_len(s, i + 1);
	return i == s.len;
}

/* ORA-00942, CVE-2021-44228 */
bool
text_is_hyphen_code(struct slice s)
{
	size_t i = 0;

	while (ascii_upper(byte_at(s, i)))
		i++;
	if (i < 2 || i > 5 || byte_at(s, i) != '-')
		return false;
	for (; i < s.len; i++)
		if (!ascii_digit(s.ptr[i]) && s.ptr[i] != '-')
			return false;
	return ascii_digit(s.ptr[s.len - 1]) && s.len >= 7;
}

/* E0382, TS2345, LNK2019: a known prefix and three to six digits. */
bool
text_is_error_code(struct slice s)
{
	size_t i = 0, n;

	while (ascii_upper(byte_at(s, i)))
		i++;
	n = digits_len(s, i);
	return i > 0 && n >= 3 && n <= 7 && i + n == s.len &&
	    text_is_code_prefix(sub(s, 0, i));
}

bool
text_is_hex(struct slice s, unsigned digits)
{
	if (s.len > 2 && s.ptr[0] == '0' && (s.ptr[1] == 'x' ||
	    s.ptr[1] == 'X'))
		return true;
	/* A commit: long enough, and both digits and letters. */
	if (s.len < 7 || s.len > 64 || digits < 2 || digits == s.len)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (!ascii_digit(s.ptr[i]) && !(s.ptr[i] >= 'a' &&
		    s.ptr[i] <= 'f'))
			return false;
	return true;
}

/* e.g, U.S, a.m: single letters with dots between. */
bool
text_is_abbreviation(struct slice s)
{
	if (s.len < 3 || s.len % 2 == 0)
		return false;
	for (size_t i = 0; i < s.len; i++)
		if (i % 2 == 0 ? !ascii_letter(s.ptr[i]) : s.ptr[i] != '.')
			return false;
	return true;
}

bool
text_is_flag(struct slice s)
{
	if (byte_at(s, 0) != '-' || s.len < 2)
		return false;
	if (s.ptr[1] == '-')
		return ascii_letter(byte_at(s, 2));
	return ascii_letter(s.ptr[1]) && s.len <= 3;
}

bool
text_has_extension(struct slice s)
{
	size_t dot = text_find_last(s, '.');

	return dot < s.len && dot > 0 && s.ptr[dot - 1] != '.' &&
	    text_is_extension(sub(s, dot + 1, s.len));
}

size_t
text_path_len(struct slice path)
{
	size_t len = path.len;

	for (;;) {
		size_t at = len;

		while (at > 0 && ascii_digit(path.ptr[at - 1]))
			at--;
		if (at == len || at < 2 || path.ptr[at - 1] != ':')
			return len;
		len = at - 1;
	}
}

size_t
text_number_len(struct slice number)
{
	size_t len = number.len;

	while (len > 0 && !ascii_digit(number.ptr[len - 1]))
		len--;
	return len;
}
