/*
 * text_tokens - a text as words, numbers, signs and compounds
 *
 * Tokens are found in two steps.  At the start of a run of word characters
 * and joining signs the run is measured once and looked at as a whole: an
 * address, a path, a date, an identifier.  If it is none of these, it is cut
 * into plain words, numbers and signs.
 */
#include "common/text_impl.h"

#include <assert.h>
#include <endian.h>
#include <utf8proc.h>

const char *
text_kind_name(enum text_kind kind)
{
	static const char *const names[] = {
		"word", "number", "when", "version", "identifier", "path",
		"url", "email", "mention", "error", "punct", "emoji", "cjk",
	};

	assert((size_t)kind < sizeof(names) / sizeof(*names));
	return names[kind];
}

void
text_tokens_init(struct text_tokens *t, struct slice text)
{
	*t = (struct text_tokens){ .text = text };
}

struct slice
text_token_slice(const struct text_tokens *t, const struct text_token *token)
{
	return slice_of(t->text.ptr + token->at, token->len);
}

static bool
ends_with(struct slice s, const char *end)
{
	size_t len = strlen(end);

	return s.len > len && memcmp(s.ptr + s.len - len, end, len) == 0;
}

/* What is known of a plain word once it is read. */
struct word {
	size_t end;
	unsigned letters, digits, uppers, humps;
	bool numeric;		/* a digit first, and only digits or . , so far */
	bool wide;
};

static enum text_kind
word_kind(struct slice s, const struct word *w)
{
	if (w->letters == 0)
		return TEXT_NUMBER;
	if (w->wide)
		return TEXT_WORD;
	if (ascii_digit(s.ptr[0])) {
		size_t n = text_number_len(s);
		struct slice unit = sub(s, n, s.len);

		if (digits_len(s, 0) > 0 && n + w->letters == s.len &&
		    text_is_unit(unit))
			return digits_len(s, 0) == n && n <= 2 &&
			    (text_is_word(unit, "am") ||
			    text_is_word(unit, "pm")) ? TEXT_WHEN
			    : TEXT_NUMBER;
		if (s.len > 2 && text_is_hex(s, w->digits))
			return s.ptr[1] == 'x' || s.ptr[1] == 'X' ? TEXT_ERROR
			    : TEXT_IDENTIFIER;
		return TEXT_WORD;
	}
	if (w->digits > 0 && (s.ptr[0] == 'v' || s.ptr[0] == 'V') &&
	    text_is_version(s))
		return TEXT_VERSION;
	if (w->digits >= 3 && text_is_error_code(s))
		return TEXT_ERROR;
	if (w->digits >= 2 && text_is_hex(s, w->digits))
		return TEXT_IDENTIFIER;
	if (w->uppers >= 3 && w->uppers == s.len && text_is_errno(s))
		return TEXT_ERROR;
	if (w->humps > 0)
		return ends_with(s, "Error") || ends_with(s, "Exception")
		    ? TEXT_ERROR : TEXT_IDENTIFIER;
	return TEXT_WORD;
}

/* Does the sign at `pos` go on with the word?  `next` is behind the sign. */
static bool
joins_word(struct slice s, const struct word *w, int32_t cp, size_t next)
{
	if (is_apostrophe(cp)) {
		int32_t after;

		return w->letters > 0 && next_char(s, &next, &after) &&
		    class_of(after) == TEXT_LETTER;
	}
	return (cp == '.' || cp == ',') && w->numeric &&
	    ascii_digit(byte_at(s, next)) && ascii_digit(byte_at(s, next - 2));
}

static struct word
word_measure(struct slice s, size_t at)
{
	struct word w = { .end = at };
	bool lower_before = false;
	size_t pos = at;
	int32_t cp;

	w.numeric = ascii_digit(byte_at(s, at));
	while (next_char(s, &pos, &cp)) {
		enum text_class class = class_of(cp);

		if (class == TEXT_LETTER) {
			w.letters++;
			w.numeric = false;
		} else if (class == TEXT_DIGIT) {
			w.digits++;
		} else if (class != TEXT_MARK && !joins_word(s, &w, cp, pos)) {
			break;
		}
		w.wide = w.wide || (cp >= 0x80 && !is_apostrophe(cp));
		w.uppers += ascii_upper(cp);
		w.humps += lower_before && ascii_upper(cp);
		lower_before = cp >= 'a' && cp <= 'z';
		w.end = pos;
	}
	return w;
}

/* "HTTP 401": the number belongs to the name. */
static size_t
http_status_end(struct slice s, size_t at, size_t end)
{
	if (end - at != 4 || memcmp(s.ptr + at, "HTTP", 4) != 0 ||
	    byte_at(s, end) != ' ' || digits_len(s, end + 1) != 3 ||
	    byte_at(s, end + 1) < '1' || byte_at(s, end + 1) > '5' ||
	    ascii_letter(byte_at(s, end + 4)))
		return 0;
	return end + 4;
}

static bool
is_call(struct slice s, size_t end)
{
	return byte_at(s, end) == '(' && byte_at(s, end + 1) == ')';
}

static void
take_word(struct text_tokens *t, struct text_token *token)
{
	struct slice s = t->text;
	struct word w = word_measure(s, t->pos);
	size_t status = http_status_end(s, t->pos, w.end);

	token->at = t->pos;
	token->kind = word_kind(sub(s, t->pos, w.end), &w);
	if (status > 0) {
		token->kind = TEXT_ERROR;
		w.end = status;
	} else if (token->kind == TEXT_NUMBER && byte_at(s, w.end) == '%') {
		w.end++;
	} else if (token->kind == TEXT_WORD && is_call(s, w.end)) {
		token->kind = TEXT_IDENTIFIER;
	} else if (token->kind == TEXT_WORD && w.end - t->pos <= 2 &&
	    w.letters > 0 && !w.wide) {
		/* C++, C#, F# */
		if (byte_at(s, w.end) == '+' && byte_at(s, w.end + 1) == '+')
			w.end += 2;
		else if (byte_at(s, w.end) == '#' && w.end - t->pos == 1)
			w.end++;
	}
	token->len = w.end - t->pos;
	t->pos = w.end;
}

static size_t
marks_end(struct slice s, size_t at)
{
	size_t pos = at;
	int32_t cp;

	while (next_char(s, &pos, &cp) && class_of(cp) == TEXT_MARK)
		at = pos;
	return at;
}

/* A picture with its selectors, skin tones and joined pictures; a flag. */
static size_t
picture_end(struct slice s, size_t at)
{
	size_t end = at, pos = at;
	bool joined = true, flag = false;
	int32_t cp;

	while (next_char(s, &pos, &cp)) {
		bool letter = cp >= 0x1f1e6 && cp <= 0x1f1ff;

		if (cp == 0x200d)
			joined = true;
		else if (flag && letter)
			flag = false;
		else if (joined && class_of(cp) == TEXT_PICTURE) {
			joined = false;
			flag = letter;
		} else if (class_of(cp) != TEXT_MARK &&
		    !(cp >= 0x1f3fb && cp <= 0x1f3ff))
			break;
		end = pos;
	}
	return end;
}

/* :-) ;) :D =( <3 and their kin; the length, or 0. */
static size_t
emoticon_len(struct slice s, size_t at)
{
	size_t i = at + 1;

	if (at > 0 && ascii_alnum(byte_at(s, at - 1)))
		return 0;
	if (s.ptr[at] == '<')
		return byte_at(s, i) == '3' && !ascii_alnum(byte_at(s, i + 1))
		    ? 2 : 0;
	if (strchr(":;=", s.ptr[at]) == NULL || s.ptr[at] == '\0')
		return 0;
	if (byte_at(s, i) == '-' || byte_at(s, i) == '\'')
		i++;
	if (byte_at(s, i) == 0 ||
	    strchr(")(DPpOo|/\\3*]", byte_at(s, i)) == NULL ||
	    ascii_alnum(byte_at(s, i + 1)) ||
	    (byte_at(s, i) == '/' && byte_at(s, i + 1) == '/'))
		return 0;
	return i + 1 - at;
}

static void
take_sign(struct text_tokens *t, struct text_token *token, size_t next)
{
	struct slice s = t->text;
	size_t len = emoticon_len(s, t->pos), one = next - t->pos;

	*token = (struct text_token){ t->pos, one, TEXT_PUNCT };
	if (len > 0) {
		token->kind = TEXT_EMOJI;
		token->len = len;
	} else if (strchr("([{)]}\"", s.ptr[t->pos]) == NULL) {
		while (token->at + token->len + one <= s.len &&
		    memcmp(s.ptr + t->pos, s.ptr + t->pos + token->len,
		    one) == 0)
			token->len += one;
	}
	t->pos += token->len;
}

/* -5, +3, $5, €20: a sign that belongs to the number after it. */
static bool
take_signed(struct text_tokens *t, struct text_token *token, int32_t cp,
    size_t next)
{
	size_t at = t->pos;
	bool currency = cp == '$' || (cp >= 0x80 &&
	    utf8proc_category(cp) == UTF8PROC_CATEGORY_SC);

	if (!currency && cp != '-' && cp != '+')
		return false;
	if (!ascii_digit(byte_at(t->text, next)))
		return false;
	if (!currency && at > 0 && byte_at(t->text, at - 1) > ' ' &&
	    byte_at(t->text, at - 1) != '(')
		return false;
	t->pos = next;
	take_word(t, token);
	token->len += token->at - at;
	token->at = at;
	return true;
}

static bool
take_compound(struct text_tokens *t, struct text_token *token)
{
	struct slice s = t->text;
	size_t end = t->pos + text_url_len(s, t->pos);
	enum text_kind kind = TEXT_URL;
	struct text_run run;

	if (end == t->pos) {
		run = text_run_measure(s, t->pos);
		t->plain_until = run.end;
		if (!run.joined)
			return false;
		end = text_run_trim(s, t->pos, run.end);
		if (end < run.end)
			/* The signs cut off must not count for the rest. */
			run = text_run_measure(sub(s, 0, end), t->pos);
		if (!run.joined)
			return false;
		kind = text_run_kind(sub(s, t->pos, end), &run,
		    is_call(s, end));
		if (kind == TEXT_PUNCT)
			return false;
	}
	*token = (struct text_token){ t->pos, end - t->pos, kind };
	t->pos = end;
	return true;
}

static bool
starts_compound(int32_t cp)
{
	return cp == '/' || cp == '~' || cp == '.' || cp == '@' || cp == '_' ||
	    cp == '#' || cp == '$' || cp == '-' || cp == '\\';
}

/* Where the small letters from `at` on end, eight bytes at a time. */
static size_t
small_end(struct slice s, size_t at)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t eight, low, small;

	for (; at < s.len && s.len - at >= sizeof(eight); at += sizeof(eight)) {
		memcpy(&eight, s.ptr + at, sizeof(eight));
		eight = le64toh(eight);
		low = eight & 0x7f * ones;
		/* A byte's top bit: at least 'a', not past 'z', and ASCII. */
		small = (low + (0x80 - 'a') * ones) &
		    ~(low + (0x80 - 'z' - 1) * ones) & ~eight & 0x80 * ones;
		if (small != 0x80 * ones)
			return at + (size_t)__builtin_ctzll(small ^
			    0x80 * ones) / 8;
	}
	while (at < s.len && s.ptr[at] >= 'a' && s.ptr[at] <= 'z')
		at++;
	return at;
}

/*
 * The end of a small-letter word with a border behind it, or 0.  Most words
 * of most texts are such, and need not be measured twice to be known.
 */
static size_t
common_word_end(struct slice s, size_t at)
{
	size_t i = small_end(s, at + 1);
	int c = byte_at(s, i);

	if (c <= ' ' || c == ',' || c == '!' || c == '?' || c == ';' ||
	    c == ')' || (c == '.' && byte_at(s, i + 1) <= ' '))
		return i;
	return 0;
}

/* The same of a number that is only digits. */
static size_t
common_number_end(struct slice s, size_t at)
{
	size_t i = at + digits_len(s, at);
	int c = byte_at(s, i);

	if (c <= ' ' || c == '!' || c == '?' || c == ';' || c == ')' ||
	    ((c == '.' || c == ',') && byte_at(s, i + 1) <= ' '))
		return i;
	return 0;
}

/* One of these at `pos`, which is most of any text. */
static bool
take_common(struct text_tokens *t, struct text_token *token, int32_t cp)
{
	bool digit = ascii_digit(cp);
	size_t end;

	if (!digit && !ascii_letter(cp))
		return false;
	end = digit ? common_number_end(t->text, t->pos) :
	    common_word_end(t->text, t->pos);
	if (end == 0)
		return false;
	*token = (struct text_token){ t->pos, end - t->pos,
		digit ? TEXT_NUMBER : TEXT_WORD };
	t->pos = end;
	return true;
}

/* A sign with nothing behind it is no more than itself. */
static bool
may_be_compound(const struct text_tokens *t, enum text_class class, int32_t cp,
    size_t next)
{
	if (t->pos < t->plain_until)
		return false;
	return class != TEXT_SIGN ||
	    (starts_compound(cp) && byte_at(t->text, next) > ' ');
}

bool
text_tokens_next(struct text_tokens *t, struct text_token *token)
{
	enum text_class class;
	size_t next;
	int32_t cp;

	for (;;) {
		next = t->pos;
		if (!next_char(t->text, &next, &cp))
			return false;
		class = class_of(cp);
		if (class != TEXT_SPACE && class != TEXT_MARK)
			break;
		t->pos = next;
	}
	if (take_common(t, token, cp))
		return true;
	if (class == TEXT_PICTURE) {
		next = picture_end(t->text, t->pos);
		*token = (struct text_token){ t->pos, next - t->pos,
			TEXT_EMOJI };
		t->pos = next;
		return true;
	}
	if (class == TEXT_UNSPACED) {
		next = marks_end(t->text, next);
		*token = (struct text_token){ t->pos, next - t->pos, TEXT_CJK };
		t->pos = next;
		return true;
	}
	if (may_be_compound(t, class, cp, next) && take_compound(t, token))
		return true;
	if (class == TEXT_SIGN) {
		if (!take_signed(t, token, cp, next))
			take_sign(t, token, next);
		return true;
	}
	take_word(t, token);
	return true;
}
