/*
 * scan - a text as folded words and the few signs that patterns look at
 */
#include "classify/scan.h"

#include "common/text.h"

enum { HASH_SEED = 2166136261u, HASH_STEP = 16777619u };

enum byte {
	B_skip,			/* quotes, stars, other signs */
	B_space, B_upper, B_word, B_digit, B_mark, B_comma, B_hyphen, B_high,
};

static const unsigned char bytes[256] = {
	[0 ... ' '] = B_space,
	['A' ... 'Z'] = B_upper,
	['a' ... 'z'] = B_word, ['_'] = B_word,
	['0' ... '9'] = B_digit,
	['?'] = B_mark, ['!'] = B_mark, ['.'] = B_mark,
	[','] = B_comma, [';'] = B_comma, [':'] = B_comma,
	['('] = B_comma, [')'] = B_comma, ['['] = B_comma, [']'] = B_comma,
	['-'] = B_hyphen,
	[0x7f] = B_space,
	[0x80 ... 0xff] = B_high,
};

static const struct {
	int32_t cp;
	enum scan_kind kind;
} signs[] = {
	{ 0x37e, SCAN_question }, { 0x55c, SCAN_bang },
	{ 0x55e, SCAN_question }, { 0x589, SCAN_stop },
	{ 0x60c, SCAN_comma }, { 0x61b, SCAN_comma },
	{ 0x61f, SCAN_question }, { 0x6d4, SCAN_stop },
	{ 0x964, SCAN_stop }, { 0x1362, SCAN_stop },
	{ 0x1367, SCAN_question }, { 0x1944, SCAN_bang },
	{ 0x1945, SCAN_question }, { 0x2013, SCAN_comma },
	{ 0x2014, SCAN_comma }, { 0x2015, SCAN_comma },
	{ 0x2026, SCAN_stop }, { 0x203c, SCAN_bang },
	{ 0x203d, SCAN_question }, { 0x2047, SCAN_question },
	{ 0x2048, SCAN_question }, { 0x2049, SCAN_question },
	{ 0x2753, SCAN_question }, { 0x2754, SCAN_question },
	{ 0x2cfa, SCAN_question }, { 0x2e2e, SCAN_question },
	{ 0x3001, SCAN_comma }, { 0x3002, SCAN_stop },
	{ 0xa60f, SCAN_question }, { 0xa6f7, SCAN_question },
	{ 0xfe56, SCAN_question }, { 0xfe57, SCAN_bang },
	{ 0xff01, SCAN_bang }, { 0xff0c, SCAN_comma },
	{ 0xff0e, SCAN_stop }, { 0xff1a, SCAN_comma },
	{ 0xff1b, SCAN_comma }, { 0xff1f, SCAN_question },
	{ 0xff61, SCAN_stop }, { 0x11143, SCAN_question },
	{ 0x1e95f, SCAN_question },
};

static uint32_t
hash_step(uint32_t hash, char c)
{
	return (hash ^ (unsigned char)c) * HASH_STEP;
}

uint32_t
scan_hash(struct slice word)
{
	uint32_t hash = HASH_SEED;

	for (size_t i = 0; i < word.len; i++)
		hash = hash_step(hash, word.ptr[i]);
	return hash;
}

void
scan_init(struct scan *s, struct slice text)
{
	s->text = text;
	s->pos = 0;
	s->kind = SCAN_end;
	s->hash = 0;
	s->len = 0;
	s->ascii = true;
}

static enum byte
byte_at(const struct scan *s, size_t at)
{
	return at < s->text.len ? bytes[(unsigned char)s->text.ptr[at]] : B_space;
}

static bool
is_wordly(enum byte b)
{
	return b == B_word || b == B_upper || b == B_digit;
}

/* A curly apostrophe is three bytes; 0 when there is none of either kind. */
static size_t
apostrophe_len(const struct scan *s, size_t at)
{
	const char *p = s->text.ptr + at;
	size_t left = s->text.len - at;

	if (left > 0 && *p == '\'')
		return 1;
	return left > 2 && memcmp(p, "\xe2\x80\x99", 3) == 0 ? 3 : 0;
}

static bool
is_picture(int32_t cp)
{
	return text_class(cp) == TEXT_PICTURE;
}

/* A letter of any script at `pos`: its length, 0 for none.  A mark belongs to
 * the letter before it and begins nothing. */
static size_t
letter_len(const struct scan *s, size_t pos, bool first)
{
	size_t after = pos;
	int32_t cp;

	if (!text_next(s->text, &after, &cp))
		return 0;
	switch (text_class(cp)) {
	case TEXT_LETTER:
	case TEXT_DIGIT:
	case TEXT_UNSPACED:
		return after - pos;
	case TEXT_MARK:
		return first ? 0 : after - pos;
	default:
		return 0;
	}
}

static void
word_begin(struct scan *s)
{
	s->len = 0;
	s->hash = HASH_SEED;
	s->ascii = true;
}

/* Past the maximum only the length goes on, to tell that it is. */
static void
word_add(struct scan *s, const char *ptr, size_t len)
{
	for (size_t i = 0; i < len; i++, s->len++) {
		if (s->len < SCAN_WORD_MAX)
			s->word[s->len] = ptr[i];
		s->hash = hash_step(s->hash, ptr[i]);
	}
}

/* What most words are made of, up to the first byte of another kind. */
static void
word_add_plain(struct scan *s)
{
	const char *text = s->text.ptr;
	size_t pos = s->pos, len = s->len;
	uint32_t hash = s->hash;

	for (; pos < s->text.len; pos++, len++) {
		enum byte b = bytes[(unsigned char)text[pos]];
		char c = (char)(text[pos] | (b == B_upper ? 0x20 : 0));

		if (!is_wordly(b))
			break;
		if (len < SCAN_WORD_MAX)
			s->word[len] = c;
		hash = hash_step(hash, c);
	}
	s->pos = pos;
	s->len = len;
	s->hash = hash;
}

/* Other scripts fold by Unicode; the arena lives only as long as this call. */
static void
word_fold(struct scan *s)
{
	struct arena a;
	struct slice folded;

	arena_init(&a);
	folded = text_fold(&a, slice_of(s->word, s->len));
	if (folded.len > SCAN_WORD_MAX)
		folded = SLICE_NONE;
	s->len = folded.len;
	if (folded.len > 0)
		memmove(s->word, folded.ptr, folded.len);
	arena_release(&a);
}

static void
word_finish(struct scan *s)
{
	if (s->len <= SCAN_WORD_MAX && s->ascii)
		return;
	if (s->len > SCAN_WORD_MAX)
		s->len = 0;
	else
		word_fold(s);
	s->hash = scan_hash(slice_of(s->word, s->len));
}

/* What may continue a word beside letters: "node.js", "don’t". */
static size_t
joint_len(const struct scan *s, size_t at)
{
	size_t len = apostrophe_len(s, at);

	if (len > 0)
		return is_wordly(byte_at(s, at + len)) ? len : 0;
	if (at < s->text.len && s->text.ptr[at] == '.' &&
	    (byte_at(s, at + 1) == B_word || byte_at(s, at + 1) == B_digit))
		return 1;
	return 0;
}

static enum scan_kind
scan_word(struct scan *s)
{
	const char *text = s->text.ptr;
	enum byte first = byte_at(s, s->pos);
	size_t len;

	word_begin(s);
	for (;;) {
		word_add_plain(s);
		if ((len = joint_len(s, s->pos)) > 0) {
			word_add(s, text[s->pos] == '.' ? "." : "'", 1);
			s->pos += len;
		} else if (byte_at(s, s->pos) == B_high &&
		    (len = letter_len(s, s->pos, s->len == 0)) > 0) {
			word_add(s, text + s->pos, len);
			s->pos += len;
			s->ascii = false;
		} else {
			break;
		}
	}
	/* An address is one unknown word, whatever signs it holds. */
	if (s->text.len - s->pos > 3 && memcmp(text + s->pos, "://", 3) == 0) {
		while (s->pos < s->text.len && byte_at(s, s->pos) != B_space)
			s->pos++;
		s->len = 0;
		s->hash = HASH_SEED;
	}
	word_finish(s);
	return first == B_digit ? SCAN_number : SCAN_word;
}

/* "?" in "a?b=c" and "!" in "!=" are no punctuation. */
static enum scan_kind
scan_mark(struct scan *s)
{
	enum scan_kind kind = SCAN_stop;
	bool sentence;

	while (byte_at(s, s->pos) == B_mark) {
		char c = s->text.ptr[s->pos++];

		if (c == '?')
			kind = SCAN_question;
		else if (c == '!' && kind != SCAN_question)
			kind = SCAN_bang;
	}
	sentence = !is_wordly(byte_at(s, s->pos)) &&
	    (s->pos >= s->text.len || s->text.ptr[s->pos] != '=');
	return sentence || byte_at(s, s->pos) == B_upper ? kind : SCAN_comma;
}

/* A sign or picture outside ASCII; SCAN_end means: nothing of interest. */
static enum scan_kind
scan_sign(struct scan *s)
{
	size_t begin = s->pos;
	int32_t cp;

	if (!text_next(s->text, &s->pos, &cp))
		return SCAN_end;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (signs[i].cp == cp)
			return signs[i].kind;
	if (!is_picture(cp) || (cp >= 0x1f3fb && cp <= 0x1f3ff))
		return SCAN_end;
	word_begin(s);		/* ASCII: a picture speaks no language */
	word_add(s, s->text.ptr + begin, s->pos - begin);
	return SCAN_word;
}

enum scan_kind
scan_next(struct scan *s)
{
	while (s->pos < s->text.len) {
		enum byte b = byte_at(s, s->pos);

		/* Words and what parts them come first: most bytes are these. */
		if (is_wordly(b))
			return s->kind = scan_word(s);
		if (b <= B_space) {
			s->pos++;
			continue;
		}
		switch (b) {
		case B_mark:
			return s->kind = scan_mark(s);
		case B_comma:
			s->pos++;
			return s->kind = SCAN_comma;
		case B_hyphen:
			s->pos++;
			if (s->pos > 1 && is_wordly(byte_at(s, s->pos - 2)) &&
			    is_wordly(byte_at(s, s->pos)))
				break;
			return s->kind = SCAN_comma;
		case B_high:
			if (letter_len(s, s->pos, true) > 0)
				return s->kind = scan_word(s);
			s->kind = scan_sign(s);
			if (s->kind != SCAN_end)
				return s->kind;
			break;
		default:
			break;
		}
	}
	return s->kind = SCAN_end;
}
