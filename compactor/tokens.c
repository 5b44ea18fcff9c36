/*
 * tokens - how many tokens a text needs in a model's context
 */
#include "compactor/tokens.h"

#include <endian.h>
#include <stdbool.h>

#include "common/text.h"

/* All rates are thousandths of a token. */
enum {
	TOKEN = 1000,
	WORD_LETTERS = 8,	/* a Latin word of so many is one token */
	WORD_MORE = 180,	/* each letter beyond them */
	ACCENT = 150,		/* a letter outside ASCII, besides */
	DIGITS = 3,		/* of a number, to one token */
	SIGN = 700,
	SIGN_AGAIN = 120,	/* the same sign right after itself */
	NEWLINE = 600,
	INDENT = 700,		/* two spaces or more, or tabs */
	PICTURE = 1800,
	UNKNOWN = 600,		/* a letter of a script without a rate */
	MARK = 300,
	/* Encoded bytes: keys, hashes, base64.  2.1 bytes are one token. */
	CODED_LEAST = 20,
	CODED_BYTE = 476,
	FACTOR_MAX = 10000,
};

struct script {
	int32_t first, last;
	unsigned rate;		/* of one letter */
	bool word;		/* a word is at least one token */
};

static const struct script scripts[] = {
	{ 0x0370, 0x03ff, 400, true },		/* Greek */
	{ 0x0400, 0x052f, 270, true },		/* Cyrillic */
	{ 0x0530, 0x058f, 500, true },		/* Armenian */
	{ 0x0590, 0x05ff, 420, true },		/* Hebrew */
	{ 0x0600, 0x077f, 370, true },		/* Arabic */
	{ 0x0900, 0x0dff, 330, true },		/* Indic */
	{ 0x0e00, 0x0eff, 430, false },		/* Thai, Lao */
	{ 0x1e00, 0x1eff, 350, true },		/* Latin, Vietnamese */
	{ 0x3040, 0x30ff, 880, false },		/* kana */
	{ 0x3400, 0x9fff, 830, false },		/* Han */
	{ 0xac00, 0xd7af, 740, false },		/* Hangul */
	{ 0xf900, 0xfaff, 830, false },
	{ 0x20000, 0x323af, 1500, false },
};

static const struct script *
script_of(int32_t cp)
{
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++)
		if (cp >= scripts[i].first && cp <= scripts[i].last)
			return &scripts[i];
	return NULL;
}

static inline bool
is_lower(int32_t cp)
{
	return cp >= 'a' && cp <= 'z';
}

static inline bool
is_upper(int32_t cp)
{
	return cp >= 'A' && cp <= 'Z';
}

static bool
is_digit(int32_t cp)
{
	return cp >= '0' && cp <= '9';
}

/* Letters, digits, '+', '/', '=': by bits of what is below 128. */
static bool
is_coded_at(struct slice text, size_t at)
{
	static const uint64_t coded[2] = {
		UINT64_C(0x3ff) << '0' | UINT64_C(1) << '+' |
		    UINT64_C(1) << '/' | UINT64_C(1) << '=',
		UINT64_C(0x3ffffff) << ('A' - 64) |
		    UINT64_C(0x3ffffff) << ('a' - 64),
	};
	unsigned char c = (unsigned char)text.ptr[at];

	return c < 0x80 && (coded[c / 64] >> c % 64 & 1) != 0;
}

/*
 * The length of a run of encoded bytes at `at`, or 0.  A word or a path has no
 * digits between its letters again and again, and no capitals inside.
 */
static size_t
coded_len(struct slice text, size_t at)
{
	size_t end = at, changes = 0, slashes = 0;

	/* Most runs are a word: one look ahead tells. */
	if (text.len - at < CODED_LEAST || !is_coded_at(text, at + 5) ||
	    !is_coded_at(text, at + 10) ||
	    !is_coded_at(text, at + CODED_LEAST - 1))
		return 0;
	while (end < text.len && is_coded_at(text, end))
		end++;
	if (end - at < CODED_LEAST)
		return 0;
	for (size_t i = at; i < end; i++) {
		unsigned char c = (unsigned char)text.ptr[i];
		unsigned char before = (unsigned char)text.ptr[i > at ? i - 1 :
		    i];

		slashes += c == '/';
		changes += is_digit(c) != is_digit(before) ||
		    (is_lower(before) && is_upper(c));
	}
	if (slashes * 12 > end - at)
		return 0;
	return changes * 6 >= end - at ? end - at : 0;
}

/*
 * One pass.  `word` is what the letters of the word under way cost so far; a
 * capital after a small letter begins a word, as in camelCase.
 */
struct count {
	uint64_t sum;
	size_t letters;		/* of the word under way */
	uint64_t word;
	bool whole;		/* it is one token at least */
	size_t digits;
	size_t spaces;
	int32_t before;
};

static void
end_word(struct count *c)
{
	if (c->letters > 0)
		c->sum += c->whole && c->word < TOKEN ? TOKEN : c->word;
	c->letters = 0;
	c->word = 0;
	c->whole = false;
}

static void
end_runs(struct count *c)
{
	end_word(c);
	if (c->digits > 0)
		c->sum += (c->digits + DIGITS - 1) / DIGITS * TOKEN;
	if (c->spaces > 1)
		c->sum += INDENT;
	c->digits = c->spaces = 0;
}

static void
add_letter(struct count *c, int32_t cp)
{
	const struct script *script = cp < 0x370 ? NULL : script_of(cp);

	if (c->digits > 0 || c->spaces > 0)
		end_runs(c);
	c->letters++;
	if (cp < 0x370) {
		c->whole = true;
		c->word += cp >= 0x80 ? ACCENT : 0;
		c->word += c->letters == 1 ? TOKEN :
		    c->letters > WORD_LETTERS ? WORD_MORE : 0;
	} else {
		c->whole |= script != NULL && script->word;
		c->word += script != NULL ? script->rate : UNKNOWN;
	}
}

static void
add_space(struct count *c, int32_t cp)
{
	if (cp == '\n') {
		c->spaces = 0;		/* at the end of a line they are free */
		end_runs(c);
		c->sum += c->before == '\n' ? SIGN_AGAIN : NEWLINE;
	} else if (cp != '\r') {
		if (c->spaces == 0)
			end_runs(c);
		c->spaces += cp == '\t' ? 2 : 1;
	}
}

static void
add(struct count *c, int32_t cp)
{
	switch (text_class(cp)) {
	case TEXT_SPACE:
		add_space(c, cp);
		break;
	case TEXT_LETTER:
	case TEXT_UNSPACED:
		add_letter(c, cp);
		break;
	case TEXT_DIGIT:
		if (c->digits == 0)
			end_runs(c);
		c->digits++;
		break;
	case TEXT_MARK:
		c->sum += script_of(cp) != NULL ? script_of(cp)->rate : MARK;
		break;
	case TEXT_PICTURE:
		end_runs(c);
		c->sum += PICTURE;
		break;
	case TEXT_SIGN:
		end_runs(c);
		c->sum += cp == c->before ? SIGN_AGAIN : SIGN;
		break;
	}
}

/*
 * Letters of ASCII up to the next capital, all at once: most text is those.
 * They are counted as add_letter would, one by one.
 */
static size_t
add_letters(struct count *c, struct slice text, size_t at)
{
	size_t end = at + 1, had = c->letters;

	if (c->digits > 0 || c->spaces > 0 ||
	    (is_lower(c->before) && is_upper(text.ptr[at]))) {
		end_runs(c);
		had = 0;
	}
	/* One capital after another goes on with the word. */
	while (end < text.len && is_upper(text.ptr[end - 1]) &&
	    is_upper(text.ptr[end]))
		end++;
	while (end < text.len && is_lower(text.ptr[end]))
		end++;
	c->letters = had + end - at;
	c->whole = true;
	c->word += had == 0 ? TOKEN : 0;
	if (c->letters > WORD_LETTERS)
		c->word += WORD_MORE * (c->letters -
		    (had > WORD_LETTERS ? had : WORD_LETTERS));
	c->before = text.ptr[end - 1];
	return end;
}

/* How many small letters there are from `at` on, eight at a time. */
static size_t
small_letters(struct slice text, size_t at)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t bytes, low, small;
	size_t end = at;

	if (text.len - at >= sizeof(bytes)) {
		memcpy(&bytes, text.ptr + at, sizeof(bytes));
		bytes = le64toh(bytes);
		low = bytes & 0x7f * ones;
		/* A byte's top bit: at least 'a', not past 'z', and ASCII. */
		small = (low + (0x80 - 'a') * ones) &
		    ~(low + (0x7f - 'z') * ones) & ~bytes & 0x80 * ones;
		if (small != 0x80 * ones)
			return (size_t)__builtin_ctzll(small ^ 0x80 * ones) / 8;
		end += sizeof(bytes);
	}
	while (end < text.len && is_lower(text.ptr[end]))
		end++;
	return end - at;
}

/*
 * Small words with a space behind, after what has ended: the same once more,
 * for what nearly all text is.  They are too short to be encoded bytes.
 */
static size_t
add_words(struct count *c, struct slice text, size_t at)
{
	size_t end, len;

	while (c->letters == 0 && c->digits == 0 && c->spaces <= 1) {
		len = small_letters(text, at);
		end = at + len;
		if (end == text.len || text.ptr[end] != ' ' || len == 0 ||
		    len >= CODED_LEAST)
			break;
		c->sum += TOKEN;
		if (len > WORD_LETTERS)
			c->sum += WORD_MORE * (len - WORD_LETTERS);
		c->spaces = 1;
		c->before = ' ';
		at = end + 1;
	}
	return at;
}

uint64_t
tokens_estimate(struct slice text)
{
	struct count c = { 0 };
	size_t at = add_words(&c, text, 0), coded;
	bool begins = true;	/* encoded bytes may begin here */
	int32_t cp;

	while (at < text.len) {
		cp = (unsigned char)text.ptr[at];
		coded = begins && cp != ' ' ? coded_len(text, at) : 0;
		begins = cp >= 0x80 || !is_coded_at(text, at);
		if (coded > 0) {
			end_runs(&c);
			c.sum += coded * CODED_BYTE;
			at += coded;
			c.before = (unsigned char)text.ptr[at - 1];
			continue;
		}
		if (is_lower(cp) || is_upper(cp)) {
			at = add_letters(&c, text, at);
			continue;
		}
		if (cp < 0x80)
			at++;
		else if (!text_next(text, &at, &cp))
			break;
		if (cp == ' ')
			add_space(&c, cp);
		else
			add(&c, cp);
		c.before = cp;
		if (cp == ' ')
			at = add_words(&c, text, at);
	}
	end_runs(&c);
	return (c.sum + TOKEN - 1) / TOKEN;
}

/* ---- calibration ---- */

static char
small(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool
begins_with(struct slice s, struct slice name)
{
	if (name.len > s.len)
		return false;
	for (size_t i = 0; i < name.len; i++)
		if (small(s.ptr[i]) != small(name.ptr[i]))
			return false;
	return true;
}

static int
read_factor(struct slice digits, uint64_t *out)
{
	uint64_t n = 0;

	if (digits.len == 0 || digits.len > 5)
		return -1;
	for (size_t i = 0; i < digits.len; i++) {
		if (digits.ptr[i] < '0' || digits.ptr[i] > '9')
			return -1;
		n = n * 10 + (uint64_t)(digits.ptr[i] - '0');
	}
	*out = n;
	return n > 0 && n <= FACTOR_MAX ? 0 : -1;
}

static int
refuse(struct slice item, struct buf *why)
{
	if (buf_addf(why, "token_calibration: '%.*s' should be MODEL=N, N from "
	    "1 to %d thousandths", SLICE_ARG(item), FACTOR_MAX) < 0)
		why->over = true;
	return -1;
}

int
tokens_factor(struct slice list, struct slice model, uint64_t *factor,
    struct buf *why)
{
	size_t longest = 0, at = 0;

	*factor = TOKEN;
	while (at < list.len) {
		size_t end = at;
		const char *equals;
		struct slice item, name;
		uint64_t n;

		while (end < list.len && list.ptr[end] != ' ')
			end++;
		item = slice_of(list.ptr + at, end - at);
		at = end + 1;
		if (item.len == 0)
			continue;
		equals = memchr(item.ptr, '=', item.len);
		if (equals == NULL || equals == item.ptr)
			return refuse(item, why);
		name = slice_of(item.ptr, (size_t)(equals - item.ptr));
		if (read_factor(slice_of(equals + 1,
		    item.len - name.len - 1), &n) < 0)
			return refuse(item, why);
		if (name.len > longest && begins_with(model, name)) {
			longest = name.len;
			*factor = n;
		}
	}
	return 0;
}

int
tokens_check(const struct conf *conf, struct buf *why)
{
	uint64_t factor;

	return tokens_factor(slice_str(conf->token_calibration),
	    slice_str(conf->token_model), &factor, why);
}

uint64_t
tokens_scaled(const struct conf *conf, uint64_t estimate)
{
	uint64_t factor = TOKEN;
	struct buf why;

	if (conf->token_calibration[0] == '\0')
		return estimate;
	buf_init(&why, 256);
	if (tokens_factor(slice_str(conf->token_calibration),
	    slice_str(conf->token_model), &factor, &why) < 0)
		factor = TOKEN;		/* refused at start */
	buf_release(&why);
	return (estimate * factor + TOKEN - 1) / TOKEN;
}

uint64_t
tokens_of(const struct conf *conf, struct slice text)
{
	return tokens_scaled(conf, tokens_estimate(text));
}
