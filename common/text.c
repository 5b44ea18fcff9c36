/*
 * text - UTF-8, classes of characters, folding
 */
#include "common/text_impl.h"

#include <assert.h>
#include <utf8proc.h>

bool
text_has_nul(struct slice s)
{
	return s.len > 0 && memchr(s.ptr, '\0', s.len) != NULL;
}

/* Length of the sequence at p, 0 if it is not valid. */
static size_t
sequence_len(const unsigned char *p, size_t left, int32_t *cp)
{
	static const int32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t need;
	int32_t c;

	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] < 0xe0) {
		need = 2;
		c = p[0] & 0x1f;
	} else if (p[0] >= 0xe0 && p[0] < 0xf0) {
		need = 3;
		c = p[0] & 0x0f;
	} else if (p[0] >= 0xf0 && p[0] < 0xf5) {
		need = 4;
		c = p[0] & 0x07;
	} else {
		return 0;
	}
	if (left < need)
		return 0;
	for (size_t i = 1; i < need; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[need] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*cp = c;
	return need;
}

/* How many whole words of plain ASCII there are: most text is nothing else. */
static size_t
ascii_len(const unsigned char *p, size_t left)
{
	uint64_t eight;
	size_t n;

	for (n = 0; left - n >= sizeof(eight); n += sizeof(eight)) {
		memcpy(&eight, p + n, sizeof(eight));
		if ((eight & UINT64_C(0x8080808080808080)) != 0)
			break;
	}
	return n;
}

bool
text_valid_utf8(struct slice s, size_t *bad_at)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t pos = 0, len;
	int32_t cp;

	while (pos < s.len) {
		pos += ascii_len(p + pos, s.len - pos);
		if (pos == s.len)
			break;
		len = sequence_len(p + pos, s.len - pos, &cp);
		if (len == 0) {
			if (bad_at != NULL)
				*bad_at = pos;
			return false;
		}
		pos += len;
	}
	return true;
}

bool
text_next_wide(struct slice s, size_t *pos, int32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	size_t len = sequence_len(p + *pos, s.len - *pos, cp);

	if (len == 0) {
		*cp = TEXT_BAD;
		len = 1;
	}
	*pos += len;
	return true;
}

bool
text_next(struct slice s, size_t *pos, int32_t *cp)
{
	return next_char(s, pos, cp);
}

size_t
text_cut(struct slice s, size_t len)
{
	size_t back;

	if (len >= s.len)
		return s.len;
	/* A sequence is at most four bytes: look no further back than that. */
	for (back = 0; back < 4 && back <= len; back++)
		if (((unsigned char)s.ptr[len - back] & 0xc0) != 0x80)
			return len - back;
	return len;
}

struct range {
	int32_t first;
	int32_t last;
};

static bool
in_ranges(int32_t cp, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cp <= ranges[i].last)
			return cp >= ranges[i].first;
	return false;
}

#define IN(cp, ranges) in_ranges(cp, ranges, sizeof(ranges) / sizeof(*ranges))

static bool
is_unspaced(int32_t cp)
{
	static const struct range ranges[] = {
		{ 0x0e00, 0x0eff },	/* Thai, Lao */
		{ 0x1000, 0x109f },	/* Myanmar */
		{ 0x1780, 0x17ff },	/* Khmer */
		{ 0x2e80, 0x2fdf },	/* radicals */
		{ 0x3005, 0x3007 },
		{ 0x3021, 0x3029 },
		{ 0x3031, 0x3035 },
		{ 0x3038, 0x309a },	/* Hiragana */
		{ 0x309d, 0x30fa },	/* Katakana */
		{ 0x30fc, 0x312f },	/* the long mark; Bopomofo */
		{ 0x31a0, 0x31bf },
		{ 0x31f0, 0x31ff },
		{ 0x3400, 0x4dbf },
		{ 0x4e00, 0x9fff },
		{ 0xf900, 0xfaff },
		{ 0xff66, 0xff9f },	/* half-width Katakana */
		{ 0x20000, 0x3ffff },
	};

	return cp >= 0x0e00 && IN(cp, ranges);
}

static bool
is_picture(int32_t cp)
{
	static const struct range ranges[] = {
		{ 0x231a, 0x231b },
		{ 0x23e9, 0x23f3 },
		{ 0x25fb, 0x25fe },
		{ 0x2600, 0x27bf },
		{ 0x2b05, 0x2b07 },
		{ 0x2b1b, 0x2b1c },
		{ 0x2b50, 0x2b55 },
		{ 0x1f000, 0x1f0ff },
		{ 0x1f18e, 0x1f19a },
		{ 0x1f1e6, 0x1f1ff },
		{ 0x1f200, 0x1fbff },
	};

	return cp >= 0x231a && IN(cp, ranges);
}

enum text_class
text_wide_class(int32_t cp)
{
	if (is_picture(cp))
		return TEXT_PICTURE;
	switch (utf8proc_category(cp)) {
	case UTF8PROC_CATEGORY_LU:
	case UTF8PROC_CATEGORY_LL:
	case UTF8PROC_CATEGORY_LT:
	case UTF8PROC_CATEGORY_LM:
	case UTF8PROC_CATEGORY_LO:
	case UTF8PROC_CATEGORY_NL:
		return is_unspaced(cp) ? TEXT_UNSPACED : TEXT_LETTER;
	case UTF8PROC_CATEGORY_MN:
	case UTF8PROC_CATEGORY_MC:
	case UTF8PROC_CATEGORY_ME:
	case UTF8PROC_CATEGORY_CF:
		return TEXT_MARK;
	case UTF8PROC_CATEGORY_ND:
	case UTF8PROC_CATEGORY_NO:
		return TEXT_DIGIT;
	case UTF8PROC_CATEGORY_ZS:
	case UTF8PROC_CATEGORY_ZL:
	case UTF8PROC_CATEGORY_ZP:
	case UTF8PROC_CATEGORY_CC:
		return TEXT_SPACE;
	default:
		return TEXT_SIGN;
	}
}

enum text_class
text_class(int32_t cp)
{
	return class_of(cp);
}

bool
text_is_upper(int32_t cp)
{
	if (cp < 0x80)
		return ascii_upper(cp);
	return utf8proc_category(cp) == UTF8PROC_CATEGORY_LU ||
	    utf8proc_category(cp) == UTF8PROC_CATEGORY_LT;
}

/* ---- eight bytes of ASCII at once ---- */

static const uint64_t each_byte = UINT64_C(0x0101010101010101);

/* 0x20 for each capital, which is what makes it small. */
static inline uint64_t
capitals(uint64_t bytes)
{
	uint64_t from = bytes + each_byte * (0x80 - 'A');
	uint64_t behind = bytes + each_byte * (0x7f - 'Z');

	return (from & ~behind & each_byte * 0x80) >> 2;
}

bool
text_is_ascii(struct slice s)
{
	uint64_t bytes, all = 0;
	size_t i = 0;

	for (; s.len - i >= sizeof(bytes); i += sizeof(bytes)) {
		memcpy(&bytes, s.ptr + i, sizeof(bytes));
		all |= bytes;
	}
	for (; i < s.len; i++)
		all |= (unsigned char)s.ptr[i];
	return (all & each_byte * 0x80) == 0;
}

static bool
has_capital(struct slice s)
{
	uint64_t bytes, all = 0;
	size_t i = 0;

	for (; s.len - i >= sizeof(bytes); i += sizeof(bytes)) {
		memcpy(&bytes, s.ptr + i, sizeof(bytes));
		all |= capitals(bytes);
	}
	for (; i < s.len; i++)
		all |= ascii_upper(s.ptr[i]);
	return all != 0;
}

static struct slice
fold_ascii(struct arena *a, struct slice s)
{
	uint64_t bytes;
	size_t i = 0;
	char *out;

	if (!has_capital(s))
		return s;
	out = arena_cstr(a, s);
	for (; s.len - i >= sizeof(bytes); i += sizeof(bytes)) {
		memcpy(&bytes, out + i, sizeof(bytes));
		bytes += capitals(bytes);
		memcpy(out + i, &bytes, sizeof(bytes));
	}
	for (; i < s.len; i++)
		if (ascii_upper(out[i]))
			out[i] += 'a' - 'A';
	return slice_of(out, s.len);
}

enum { FOLD_PIECE = 128, FOLD_GROWTH = 18 };

/*
 * Folds at most FOLD_PIECE bytes.  Putting combining marks in order is
 * quadratic in utf8proc, so no piece may be long.
 */
static size_t
fold_piece(struct slice s, char *out)
{
	int32_t points[FOLD_PIECE * FOLD_GROWTH + 1];
	utf8proc_option_t options = UTF8PROC_STABLE | UTF8PROC_COMPAT |
	    UTF8PROC_COMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE;
	utf8proc_ssize_t count = 0, more, len;
	size_t pos = 0;
	int32_t cp;

	while (next_char(s, &pos, &cp)) {
		int last_class = 0;

		if (cp == 0x2018 || is_apostrophe(cp))
			cp = '\'';
		more = utf8proc_decompose_char(cp, points + count,
		    FOLD_GROWTH, options, &last_class);
		assert(more >= 0 && more <= FOLD_GROWTH);
		count += more;
	}
	for (utf8proc_ssize_t i = 1; i < count; i++) {
		utf8proc_ssize_t j = i;
		int32_t mark = points[i];
		int class = utf8proc_get_property(mark)->combining_class;

		while (class > 0 && j > 0 && utf8proc_get_property(
		    points[j - 1])->combining_class > class) {
			points[j] = points[j - 1];
			j--;
		}
		points[j] = mark;
	}
	len = utf8proc_reencode(points, count, options);
	assert(len >= 0);
	memcpy(out, points, (size_t)len);
	return (size_t)len;
}

struct slice
text_fold(struct arena *a, struct slice s)
{
	struct slice piece, rest = s;
	char *out, *at;

	if (text_is_ascii(s))
		return fold_ascii(a, s);
	/* The longest compatibility expansion is elevenfold in bytes. */
	out = at = arena_alloc(a, s.len * 11 + FOLD_GROWTH * 4);
	while (rest.len > 0) {
		piece = slice_of(rest.ptr, text_cut(rest, FOLD_PIECE));
		at += fold_piece(piece, at);
		rest = slice_of(rest.ptr + piece.len, rest.len - piece.len);
	}
	return slice_of(out, (size_t)(at - out));
}

bool
text_is_word(struct slice s, const char *lower)
{
	size_t i;

	for (i = 0; i < s.len && lower[i] != '\0'; i++)
		if ((ascii_upper(s.ptr[i]) ? s.ptr[i] + 32 : s.ptr[i]) !=
		    lower[i])
			return false;
	return i == s.len && lower[i] == '\0';
}
