/*
 * features_tokens - a text to the tokens that features are made of
 */
#include <endian.h>

#include "classify/features_impl.h"

enum {
	HEAD_SHARE = 2, TAIL_SHARE = 1,	/* how a look is divided on long texts */
	HEAD_TOKENS = 160,
	SPELLING_MAX = 6,		/* of what is typed for a longer word */
};

/* What people type, and the word they mean.  Sorted: it is halved. */
static const struct spelling {
	char typed[sizeof(uint64_t)];	/* and zeros: one number */
	const char *meant;
} spellings[] = {
	{ "abt", "about" }, { "bcoz", "because" }, { "bcuz", "because" },
	{ "cause", "because" }, { "cos", "because" }, { "coz", "because" },
	{ "cud", "could" }, { "cuz", "because" }, { "cya", "bye" },
	{ "dat", "that" }, { "didn", "didnt" }, { "dnt", "dont" },
	{ "doesn", "doesnt" }, { "gud", "good" }, { "hai", "hi" },
	{ "hii", "hi" }, { "hiya", "hi" }, { "hmm", "hm" }, { "hv", "have" },
	{ "jus", "just" }, { "k", "okay" }, { "kay", "okay" }, { "kk", "okay" },
	{ "kno", "know" }, { "mhm", "mmhmm" }, { "mhmm", "mmhmm" },
	{ "mmhm", "mmhmm" }, { "n", "and" }, { "nah", "nope" },
	{ "ok", "okay" }, { "okey", "okay" }, { "oki", "okay" },
	{ "okie", "okay" }, { "okk", "okay" }, { "pleas", "please" },
	{ "pls", "please" }, { "plse", "please" }, { "plz", "please" },
	{ "ppl", "people" }, { "r", "are" }, { "rly", "really" },
	{ "shud", "should" }, { "srry", "sorry" }, { "sry", "sorry" },
	{ "thanku", "thanks" }, { "thanx", "thanks" }, { "thnx", "thanks" },
	{ "tho", "though" }, { "thx", "thanks" }, { "tnx", "thanks" },
	{ "tx", "thanks" }, { "ty", "thanks" }, { "u", "you" },
	{ "uhuh", "uhhuh" }, { "ur", "your" }, { "wat", "what" },
	{ "wht", "what" }, { "wud", "would" }, { "ya", "yeah" },
	{ "yah", "yeah" }, { "yea", "yeah" }, { "yeh", "yeah" },
	{ "ys", "yes" }, { "yup", "yep" },
};

static const char *const fillers[] = { "uh", "um", "er", "erm", "ah", "eh" };
enum { FILLER_MAX = 3 };

enum {
	BYTE_space = 1,
	BYTE_word = 2,
	BYTE_digit = 4,
	BYTE_code = 8,
	BYTE_mark = 16,		/* with all of code: chunk_mark looks twice */
	BYTE_joint = 32,	/* does not end a word when another part follows */
	BYTE_filler = 64,	/* begins one */
};

/* Bytes of any other script count as letters: no wrong cut. */
static const uint8_t bytes[256] = {
	[' '] = BYTE_space, ['\t' ... '\r'] = BYTE_space,
	['0' ... '9'] = BYTE_word | BYTE_digit,
	['b' ... 'd'] = BYTE_word, ['f' ... 't'] = BYTE_word,
	['v' ... 'z'] = BYTE_word, ['A' ... 'Z'] = BYTE_word,
	['a'] = BYTE_word | BYTE_filler, ['e'] = BYTE_word | BYTE_filler,
	['u'] = BYTE_word | BYTE_filler,
	['\''] = BYTE_joint, ['-'] = BYTE_joint,
	[0x80 ... 0xff] = BYTE_word,
	['{'] = BYTE_code, ['}'] = BYTE_code, ['\\'] = BYTE_code,
	['='] = BYTE_code, ['<'] = BYTE_code, ['>'] = BYTE_code,
	['|'] = BYTE_code, ['$'] = BYTE_code, ['`'] = BYTE_code,
	['^'] = BYTE_code,
	[':'] = BYTE_mark, ['_'] = BYTE_mark | BYTE_joint, ['('] = BYTE_mark,
	['/'] = BYTE_mark, ['@'] = BYTE_mark,
};

static bool
is_space(unsigned char c)
{
	return bytes[c] & BYTE_space;
}

static bool
is_word(unsigned char c)
{
	return bytes[c] & BYTE_word;
}

static bool
is_digit(unsigned char c)
{
	return bytes[c] & BYTE_digit;
}

static bool
is_code(unsigned char c)
{
	return bytes[c] & BYTE_code;
}

static void
tokens_add_hashed(struct tokens *t, char kind, struct slice s, uint32_t hash,
    unsigned most)
{
	if (t->count < most)
		t->list[t->count++] = (struct token){ .hash = hash,
			.kind = kind, .len = (uint8_t)s.len, .text = s.ptr };
}

static void
tokens_add(struct tokens *t, char kind, struct slice s, unsigned most)
{
	tokens_add_hashed(t, kind, s, hash_bytes(s.ptr, s.len), most);
}

/*
 * The word that is meant by those letters, one to a byte, the last one lowest.
 * Halves the list without a branch: no processor could guess the way.
 */
static struct slice
spelling_of(struct slice word, uint64_t letters)
{
	const struct spelling *at = spellings;
	size_t left = sizeof(spellings) / sizeof(spellings[0]), half;
	uint64_t typed;

	if (word.len > SPELLING_MAX)
		return word;
	letters <<= 8 * (sizeof(letters) - word.len);
	for (; left > 1; left -= half) {
		half = left / 2;
		memcpy(&typed, at[half].typed, sizeof(typed));
		at += be64toh(typed) <= letters ? half : 0;
	}
	memcpy(&typed, at->typed, sizeof(typed));
	return be64toh(typed) == letters ? slice_str(at->meant) : word;
}

/* Length of U+2019 at p, which is how phones write the apostrophe. */
static size_t
curly_apostrophe(const char *p, const char *end)
{
	return end - p >= 3 && memcmp(p, "\xe2\x80\x99", 3) == 0 ? 3 : 0;
}

/*
 * A word's normal form: lower case, no apostrophe or hyphen inside, a run of
 * digits as one 0, a letter held down ("soooo") as one.
 */
static const char *
tokens_word(struct tokens *t, const char *p, const char *end, unsigned most)
{
	char *word = t->bytes + t->made;
	size_t len = 0, run = 0;
	uint64_t letters = 0;

	for (; p < end; p++) {
		unsigned char c = (unsigned char)*p;
		size_t curly;
		const char *after;

		/* What most letters are: small, and no repetition. */
		if (c >= 'a' && c <= 'z' && len <= FEATURES_WORD_MAX &&
		    (len == 0 || word[len - 1] != (char)c)) {
			word[len++] = (char)c;
			run = 1;
			continue;
		}
		curly = curly_apostrophe(p, end);
		after = p + (curly > 0 ? curly : 1);
		if (curly > 0 || c == '\'' || c == '-' || c == '_') {
			if (after < end && is_word((unsigned char)*after) &&
			    curly_apostrophe(after, end) == 0) {
				p = after - 1;
				continue;
			}
			if (curly > 0)
				p = after;
			break;
		}
		if (!is_word(c))
			break;
		if (c >= 'A' && c <= 'Z')
			c = (unsigned char)(c - 'A' + 'a');
		if (is_digit(c))
			c = '0';
		run = len > 0 && len <= FEATURES_WORD_MAX && word[len - 1] == (char)c ?
		    run + 1 : 1;
		if (c == '0' && run > 1)
			continue;
		if (run == 3 && c < 0x80 && len >= 2)
			len--;		/* the second of three goes again */
		if (run >= 3 && c < 0x80)
			continue;
		if (len <= FEATURES_WORD_MAX)
			word[len++] = (char)c;
	}
	if (len > FEATURES_WORD_MAX) {
		tokens_add(t, 'm', SLICE("<long>"), most);
	} else if (len > 0) {
		for (size_t i = 0; i < len; i++)
			letters = letters << 8 | (unsigned char)word[i];
		t->made += (unsigned)len;
		tokens_add(t, 'w', spelling_of(slice_of(word, len), letters),
		    most);
	}
	return p;
}

/*
 * What most words are: small letters, none twice running.  Such a word is its
 * own normal form, unless what stands behind it belongs to it.
 */
struct plain {
	struct slice word;
	uint32_t hash;		/* not mixed yet */
	uint64_t letters;	/* the last eight */
};

static struct plain
plain_at(const char *p, const char *end)
{
	struct plain one = { { p, 0 }, HASH_SEED, 0 };
	char before = '\0';

	for (; p < end && *p >= 'a' && *p <= 'z' && *p != before; p++) {
		before = *p;
		one.hash = hash_step(one.hash, before);
		one.letters = one.letters << 8 | (unsigned char)before;
	}
	one.word.len = (size_t)(p - one.word.ptr);
	return one;
}

static void
tokens_plain(struct tokens *t, const struct plain *one, unsigned most)
{
	struct slice normal = spelling_of(one->word, one->letters);

	if (one->word.len > FEATURES_WORD_MAX)
		tokens_add(t, 'm', SLICE("<long>"), most);
	else if (normal.ptr != one->word.ptr)
		tokens_add(t, 'w', normal, most);
	else
		tokens_add_hashed(t, 'w', normal, mix(one->hash), most);
}

/* A run of punctuation is one token, named by its strongest character. */
static const char *
tokens_punct(struct tokens *t, const char *p, const char *end, unsigned most)
{
	static const char order[] = "?!.,;:-\")(/";
	const char *start = p, *best = NULL;
	size_t len;

	while (p < end && !is_word((unsigned char)*p) && !is_space((unsigned char)*p))
		p++;
	len = (size_t)(p - start);
	/* The weakest stands for all that are not named. */
	for (best = order; best[1] != '\0'; best++)
		if (memchr(start, *best, len) != NULL)
			break;
	if (len >= 2 && len <= 3 && (start[0] == ':' || start[0] == ';') &&
	    (p[-1] == ')' || p[-1] == '('))
		tokens_add(t, 'm', p[-1] == ')' ? SLICE(":)") : SLICE(":("),
		    most);
	else if (*best == '.' && len >= 2)
		tokens_add(t, '-', SLICE("..."), most);
	else
		tokens_add(t, *best, slice_of(best, 1), most);
	return p;
}

/* Something from a machine: its words would only mislead. */
static const char *
chunk_mark(const char *p, const char *end)
{
	size_t len = (size_t)(end - p), slashes = 0, part = 0;

	if (len >= 4 && memcmp(p, "www.", 4) == 0)
		return "<url>";
	for (const char *q = p; q < end; q++) {
		if (end - q > 3 && memcmp(q, "://", 3) == 0)
			return "<url>";
		if (len >= 3 && is_code((unsigned char)*q))
			return "<code>";
		if (*q == '_' && part >= 2 && q + 1 < end &&
		    is_word((unsigned char)q[1]))
			return "<code>";
		if (q + 1 < end && ((*q == '(' && q[1] == ')') ||
		    (*q == ':' && q[1] == ':')) && q > p)
			return "<code>";
		slashes += *q == '/';
		part = is_word((unsigned char)*q) ? part + 1 : 0;
	}
	if (slashes >= 2 || (slashes == 1 && *p == '/' && len >= 3))
		return "<code>";
	if (*p == '@' && len >= 2)
		return "<name>";
	return NULL;
}

/* What stands between two spaces, and what kinds of bytes were seen in it. */
static void
tokens_chunk(struct tokens *t, const char *p, const char *end, unsigned seen,
    unsigned most)
{
	const char *mark = NULL, *stop;
	struct plain one;

	if ((seen & (BYTE_code | BYTE_mark)) != 0 || *p == 'w')
		mark = chunk_mark(p, end);
	if (mark != NULL) {
		tokens_add(t, 'm', slice_str(mark), most);
		return;
	}
	while (p < end) {
		one = plain_at(p, end);
		stop = p + one.word.len;
		if (stop > p && (stop == end || !(bytes[(unsigned char)*stop] &
		    (BYTE_word | BYTE_joint)))) {
			tokens_plain(t, &one, most);
			p = stop;
		} else if (is_word((unsigned char)*p)) {
			p = tokens_word(t, p, end, most);
		} else {
			p = tokens_punct(t, p, end, most);
		}
	}
}

static void
tokens_region(struct tokens *t, struct slice s, unsigned most)
{
	/* An empty slice may have no place at all. */
	const char *p = s.len > 0 ? s.ptr : "", *end = p + s.len, *stop;

	while (p < end && t->count < most) {
		struct plain one = plain_at(p, end);
		unsigned seen = 0;

		stop = p + one.word.len;
		if (stop == end || is_space((unsigned char)*stop)) {
			if (stop > p)
				tokens_plain(t, &one, most);
		} else {
			for (stop = p; stop < end &&
			    !is_space((unsigned char)*stop); stop++)
				seen |= bytes[(unsigned char)*stop];
			tokens_chunk(t, p, stop, seen, most);
		}
		p = stop < end ? stop + 1 : end;
	}
}

static bool
is_filler(struct slice word)
{
	if (word.len > FILLER_MAX ||
	    !(bytes[(unsigned char)word.ptr[0]] & BYTE_filler))
		return false;
	for (size_t i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++)
		if (slice_is(word, fillers[i]))
			return true;
	return false;
}

static void
tokens_clean(struct tokens *t)
{
	for (unsigned i = 0; i < t->count; i++) {
		const struct token *one = &t->list[i];
		char kind = one->kind;

		if (kind == 'w' && is_filler(token_text(t, i)))
			t->fillers++;
		else if ((kind == 'w' || kind == 'm') && t->clean_count > 0 &&
		    one->hash == t->list[t->clean[t->clean_count - 1]].hash)
			t->repeats++;
		else if (kind == 'w' || kind == 'm')
			t->clean[t->clean_count++] = (uint8_t)i;
		t->letters += one->len;
		t->questions += kind == '?';
		t->sentences += (kind == '?' || kind == '.' || kind == '!') &&
		    i + 1 < t->count;
	}
	t->joints[0] = to_join(EDGE_start);
	for (unsigned i = 0; i < t->clean_count; i++)
		t->joints[i + 1] = to_join(t->list[t->clean[i]].hash);
	t->joints[t->clean_count + 1] = to_join(EDGE_end);
	if (t->count > 0 && t->list[t->count - 1].kind != 'w' &&
	    t->list[t->count - 1].kind != 'm')
		t->end = t->list[t->count - 1].kind;
}

/* Of a long text: the beginning, a mark, and the end from a word's border. */
void
features_tokens(struct tokens *t, struct slice s, size_t look)
{
	size_t tail = look * TAIL_SHARE / (HEAD_SHARE + TAIL_SHARE), skip = 0;

	memset(t, 0, offsetof(struct tokens, list));
	if (s.len <= look) {
		tokens_region(t, s, FEATURES_TOKENS);
	} else {
		struct slice end = slice_of(s.ptr + s.len - tail, tail);

		tokens_region(t, slice_of(s.ptr, look - tail), HEAD_TOKENS);
		while (skip < tail && !is_space((unsigned char)end.ptr[skip]))
			skip++;
		if (skip == tail)
			skip = 0;
		t->gap = true;
		tokens_region(t, slice_of(end.ptr + skip, tail - skip),
		    FEATURES_TOKENS);
	}
	tokens_clean(t);
}
