/*
 * features - what the model looks at in a turn and in the turn before it
 *
 * Two streams are read.  The raw one keeps punctuation and fillers, as they
 * carry much ("right?" is not "right.").  The clean one has only words, without
 * fillers and without a word said twice running, so that typed chat without
 * punctuation and a stammered sentence look alike.
 */
#include "classify/features.h"

#include <assert.h>
#include <endian.h>

enum {
	PREV_BYTES = 384,
	HEAD_SHARE = 2, TAIL_SHARE = 1,	/* how a look is divided on long texts */
	HEAD_TOKENS = 160,
	SPELLING_MAX = 6,		/* of what is typed for a longer word */
	WHOLE_MAX = 5,			/* texts this short are known as a whole */
	PIECE_MIN = 3, PIECE_MAX = 4,
};

enum shape { SHAPE_length, SHAPE_end, SHAPE_questions, SHAPE_fillers,
	SHAPE_repeats, SHAPE_sentences, SHAPE_gap, SHAPE_none };

enum pair { PAIR_same, PAIR_same_whole, PAIR_same_end, PAIR_same_start,
	PAIR_same_length, PAIR_end_whole, PAIR_end_start, PAIR_start_whole,
	PAIR_start_start, PAIR_last_whole, PAIR_length_whole, PAIR_whole_whole,
	PAIR_overlap, PAIR_echo };

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

static uint32_t
mix(uint32_t h)
{
	h ^= h >> 16;
	h *= 0x85ebca6bu;
	h ^= h >> 13;
	h *= 0xc2b2ae35u;
	return h ^ h >> 16;
}

/* Joining is half done with what follows alone, which is often the same. */
static uint32_t
to_join(uint32_t more)
{
	return mix(more + 0x7f4a7c15u);
}

static uint32_t
join_made(uint32_t h, uint32_t made)
{
	return (h << 5 | h >> 27) * 0x9e3779b1u ^ made;
}

static uint32_t
join(uint32_t h, uint32_t more)
{
	return join_made(h, to_join(more));
}

enum { HASH_SEED = 2166136261u };

static uint32_t
hash_step(uint32_t h, char c)
{
	return (h ^ (unsigned char)c) * 16777619u;
}

static uint32_t
hash_bytes(const char *ptr, size_t len)
{
	uint32_t h = HASH_SEED;

	for (size_t i = 0; i < len; i++)
		h = hash_step(h, ptr[i]);
	return mix(h);
}

/* ---- text to tokens */

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

static struct slice
token_text(const struct tokens *t, unsigned i)
{
	return slice_of(t->list[i].text, t->list[i].len);
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

enum { EDGE_start = 0x5bd1e995, EDGE_end = 0x1b873593 };

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
static void
tokens_of(struct tokens *t, struct slice s, size_t look)
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

/* ---- tokens to features */

/* Inline: of a kind that is known where it is called, half is done there. */
static inline __attribute__((always_inline)) uint32_t
key_of(enum feature_kind kind, uint32_t hash, unsigned detail)
{
	return mix(join(hash, (uint32_t)kind << 8 | detail));
}

static inline __attribute__((always_inline)) void
emit(struct features *f, enum feature_kind kind, uint32_t hash, unsigned first,
    unsigned count, unsigned detail)
{
	if (f->count < FEATURES_MAX)
		f->list[f->count++] = (struct feature){
			.key = key_of(kind, hash, detail),
			.kind = (uint8_t)kind, .first = (uint8_t)first,
			.count = (uint8_t)count, .detail = (uint8_t)detail };
}

/* The clean word at i, or the edge of the text. */
static uint32_t
clean_hash(const struct tokens *t, int i)
{
	if (i < 0)
		return EDGE_start;
	if (i >= (int)t->clean_count)
		return EDGE_end;
	return t->list[t->clean[i]].hash;
}

static unsigned
clean_at(const struct tokens *t, int i)
{
	return i >= 0 && i < (int)t->clean_count ? t->clean[i] : 0;
}

/* Clean words i to i + n - 1; the first and the last may be the edges. */
static inline __attribute__((always_inline)) void
emit_run(struct features *f, enum feature_kind kind, const struct tokens *t,
    int i, int n)
{
	uint32_t h = (uint32_t)n;
	int last = i + n - 1, first = i < 0 ? 0 : i;

#pragma GCC unroll 4
	for (int k = i; k <= last; k++)
		h = join_made(h, t->joints[k + 1]);
	if (last >= (int)t->clean_count)
		last = (int)t->clean_count - 1;
	emit(f, kind, h, clean_at(t, first),
	    clean_at(t, last) - clean_at(t, first) + 1, (unsigned)n);
}

/* A word with its edges; 0 where it is too short for pieces, or no word. */
static size_t
word_edged(const struct tokens *t, unsigned token,
    char edged[FEATURES_WORD_MAX + 2])
{
	struct slice word = token_text(t, token);

	if (word.len < PIECE_MIN || t->list[token].kind != 'w')
		return 0;
	edged[0] = '^';
	memcpy(edged + 1, word.ptr, word.len);
	edged[word.len + 1] = '$';
	return word.len + 2;
}

static void
emit_pieces(struct features *f, const struct tokens *t, unsigned token)
{
	char edged[FEATURES_WORD_MAX + 2];
	size_t len = word_edged(t, token, edged);

	for (size_t n = PIECE_MIN; n <= PIECE_MAX; n++)
		for (size_t i = 0; i + n <= len; i++)
			emit(f, FEATURE_piece, hash_bytes(edged + i, n), token,
			    (unsigned)i, (unsigned)n);
}

static void
emit_words(struct features *f, bool pieces)
{
	const struct tokens *t = &f->text;

	for (int i = 0; i < (int)t->clean_count; i++) {
		emit(f, FEATURE_word, clean_hash(t, i), clean_at(t, i), 1, 0);
		if (pieces)
			emit_pieces(f, t, clean_at(t, i));
	}
}

static void
emit_runs(struct features *f)
{
	const struct tokens *t = &f->text;
	int n = (int)t->clean_count;

	for (int i = -1; i < n; i++) {
		emit_run(f, FEATURE_run, t, i, 2);
		if (i + 2 <= n)
			emit_run(f, FEATURE_run, t, i, 3);
		if (i + 2 < n)
			emit(f, FEATURE_skip, join_made(clean_hash(t, i),
			    t->joints[i + 3]), clean_at(t, i < 0 ? 0 : i),
			    clean_at(t, i + 2) - clean_at(t, i < 0 ? 0 : i) + 1,
			    i < 0);
	}
	if (n >= 3)
		emit_run(f, FEATURE_run, t, -1, 4);
}

static uint32_t
whole_hash(const struct tokens *t)
{
	uint32_t h = t->clean_count;

	for (unsigned i = 0; i < t->clean_count; i++)
		h = join_made(h, t->joints[i + 1]);
	return h;
}

static void
emit_punct(struct features *f)
{
	const struct tokens *t = &f->text;
	uint32_t raw = t->count;
	bool start = false;

	for (unsigned i = 0; i <= t->count; i++) {
		uint32_t here = i < t->count ? t->list[i].hash : EDGE_end;
		uint32_t before = i > 0 ? t->list[i - 1].hash : EDGE_start;
		bool word = i < t->count && t->list[i].kind == 'w';

		if (i < t->count)
			raw = join(raw, here);
		if (!word || i == 0 || t->list[i - 1].kind != 'w')
			emit(f, FEATURE_punct, join(before, here),
			    i > 0 ? i - 1 : 0, i > 0 && i < t->count ? 2 : 1, 0);
		if (start && word) {
			emit(f, FEATURE_start, here, i, 1, 0);
			if (i + 1 < t->count)
				emit(f, FEATURE_start, join(here,
				    t->list[i + 1].hash), i, 2, 1);
			start = false;
		}
		if (i < t->count && (t->list[i].kind == '.' ||
		    t->list[i].kind == '?' || t->list[i].kind == '!'))
			start = true;
	}
	if (t->count <= WHOLE_MAX && t->count > 0)
		emit(f, FEATURE_whole, raw, 0, t->count, 1);
	if (t->clean_count <= WHOLE_MAX && t->clean_count > 0)
		emit(f, FEATURE_whole, whole_hash(t), 0, t->count, 0);
}

/* 0 1 2 3 4 5-6 7-9 10-14 15-24 25-49 50+ */
static unsigned
bucket(unsigned n)
{
	static const uint8_t floors[] = { 1, 2, 3, 4, 5, 7, 10, 15, 25, 50 };
	unsigned b = 0;

	while (b < sizeof(floors) && n >= floors[b])
		b++;
	return b;
}

static unsigned
at_most(unsigned n, unsigned most)
{
	return n < most ? n : most;
}

static void
emit_shape(struct features *f, enum feature_kind kind, const struct tokens *t)
{
	unsigned end = (unsigned char)t->end;

	if (t->count == 0) {
		emit(f, kind, 0, 0, 0, SHAPE_none);
		return;
	}
	emit(f, kind, bucket(t->clean_count), 0, 0, SHAPE_length);
	emit(f, kind, end, 0, 0, SHAPE_end);
	emit(f, kind, at_most(t->questions, 2), 0, 0, SHAPE_questions);
	emit(f, kind, at_most(t->sentences, 3), 0, 0, SHAPE_sentences);
	if (t->fillers > 0)
		emit(f, kind, at_most(t->fillers, 3), 0, 0, SHAPE_fillers);
	if (t->repeats > 0)
		emit(f, kind, at_most(t->repeats, 3), 0, 0, SHAPE_repeats);
	if (t->gap)
		emit(f, kind, 1, 0, 0, SHAPE_gap);
}

static void
emit_prev_words(struct features *f)
{
	const struct tokens *t = &f->prev;

	for (int i = 0; i < (int)t->clean_count; i++)
		emit(f, FEATURE_pword, clean_hash(t, i), clean_at(t, i), 1, 0);
}

static void
emit_prev_runs(struct features *f)
{
	const struct tokens *t = &f->prev;
	int n = (int)t->clean_count;

	for (int i = -1; i < n && n > 0; i++)
		emit_run(f, FEATURE_prun, t, i, 2);
	if (n >= 2)
		emit_run(f, FEATURE_prun, t, -1, 3);
	if (n > 0 && n <= WHOLE_MAX)
		emit(f, FEATURE_prun, whole_hash(t), 0, t->count, 0);
}

static void
emit_pair(struct features *f, enum pair which, uint32_t a, uint32_t b)
{
	emit(f, FEATURE_pair, join(a, b), 0, 0, which);
}

/* How many of the text's words the turn before had too. */
static unsigned
shared_words(const struct tokens *a, const struct tokens *b)
{
	unsigned shared = 0;

	for (unsigned i = 0; i < a->clean_count && i < 32; i++)
		for (unsigned k = 0; k < b->clean_count && k < 64; k++)
			if (a->list[a->clean[i]].hash ==
			    b->list[b->clean[k]].hash) {
				shared++;
				break;
			}
	return shared;
}

static void
emit_pairs(struct features *f, bool same)
{
	const struct tokens *t = &f->text, *p = &f->prev;
	uint32_t speaker = p->count == 0 ? 2 : same;
	uint32_t start = join(clean_hash(t, 0), clean_hash(t, 1));
	uint32_t pend = (unsigned char)p->end | speaker << 8;
	bool brief = t->clean_count <= WHOLE_MAX;
	uint32_t whole = brief ? whole_hash(t) : 0;
	unsigned shared;

	emit_pair(f, PAIR_same, speaker, 0);
	emit_pair(f, PAIR_same_end, speaker, (unsigned char)t->end);
	emit_pair(f, PAIR_same_start, speaker, clean_hash(t, 0));
	emit_pair(f, PAIR_same_length, speaker, bucket(t->clean_count));
	emit_pair(f, PAIR_end_start, pend, start);
	emit_pair(f, PAIR_end_start, pend, clean_hash(t, 0));
	if (brief)
		emit_pair(f, PAIR_same_whole, speaker, whole);
	if (p->count == 0)
		return;
	emit_pair(f, PAIR_start_start, clean_hash(p, 0), clean_hash(t, 0));
	if (brief) {
		emit_pair(f, PAIR_end_whole, pend, whole);
		emit_pair(f, PAIR_start_whole, join(clean_hash(p, 0), speaker),
		    whole);
		emit_pair(f, PAIR_start_whole, join(clean_hash(p, 0),
		    clean_hash(p, 1)), whole);
		emit_pair(f, PAIR_last_whole,
		    clean_hash(p, (int)p->clean_count - 1), whole);
		emit_pair(f, PAIR_length_whole,
		    bucket(p->clean_count) | speaker << 8, whole);
		if (p->clean_count <= WHOLE_MAX)
			emit_pair(f, PAIR_whole_whole, whole_hash(p), whole);
	}
	shared = shared_words(t, p);
	emit_pair(f, PAIR_overlap, at_most(shared, 4) | speaker << 8,
	    bucket(t->clean_count));
	if (shared == t->clean_count && shared > 0)
		emit_pair(f, PAIR_echo, speaker, (unsigned char)t->end);
}

void
features_extract(struct features *f, struct slice text, struct slice prev,
    bool prev_same_speaker)
{
	f->count = 0;
	tokens_of(&f->text, text, FEATURES_BYTES);
	tokens_of(&f->prev, prev, PREV_BYTES);
	emit_shape(f, FEATURE_shape, &f->text);
	emit_punct(f);
	emit_pairs(f, prev_same_speaker);
	emit_shape(f, FEATURE_pshape, &f->prev);
	emit_prev_words(f);
	emit_prev_runs(f);
	emit_words(f, true);
	emit_runs(f);
}

/* May FEATURES_MAX keep some of them out?  Each term is a bound of its own. */
static bool
may_overflow(const struct tokens *text, const struct tokens *prev)
{
	return 2 * text->letters + 8 * text->count + 2 * prev->count >
	    FEATURES_MAX - 64;
}

bool
features_but_words(struct features *f, struct slice text, struct slice prev,
    bool prev_same_speaker)
{
	f->count = 0;
	tokens_of(&f->text, text, FEATURES_BYTES);
	tokens_of(&f->prev, prev, PREV_BYTES);
	if (may_overflow(&f->text, &f->prev))
		return false;
	emit_shape(f, FEATURE_shape, &f->text);
	emit_punct(f);
	emit_pairs(f, prev_same_speaker);
	emit_shape(f, FEATURE_pshape, &f->prev);
	emit_prev_runs(f);
	emit_runs(f);
	return true;
}

void
feature_word_keys(const struct tokens *t, unsigned token, struct word_keys *out)
{
	char edged[FEATURES_WORD_MAX + 2];
	size_t len = word_edged(t, token, edged);

	out->word = key_of(FEATURE_word, t->list[token].hash, 0);
	out->before = key_of(FEATURE_pword, t->list[token].hash, 0);
	out->n_pieces = 0;
	for (size_t n = PIECE_MIN; n <= PIECE_MAX; n++)
		for (size_t i = 0; i + n <= len; i++)
			out->pieces[out->n_pieces++] = key_of(FEATURE_piece,
			    hash_bytes(edged + i, n), (unsigned)n);
}

void
features_words(struct features *f, struct slice text)
{
	f->count = 0;
	tokens_of(&f->text, text, FEATURES_BYTES);
	emit_shape(f, FEATURE_shape, &f->text);
	emit_punct(f);
	emit_words(f, false);
	emit_runs(f);
}

/* ---- features to words, for people */

static void
describe_tokens(const struct tokens *t, unsigned first, unsigned count,
    struct buf *out)
{
	buf_adds(out, " \"");
	for (unsigned i = first; i < first + count && i < t->count; i++) {
		if (i > first)
			buf_addc(out, ' ');
		buf_addslice(out, token_text(t, i));
	}
	buf_addc(out, '"');
}

static void
describe_shape(const struct tokens *t, enum shape shape, struct buf *out)
{
	switch (shape) {
	case SHAPE_length:
		buf_addf(out, " about %u words", t->clean_count);
		break;
	case SHAPE_end:
		if (t->end == '\0')
			buf_adds(out, " no punctuation at the end");
		else
			buf_addf(out, " ends in %c", t->end);
		break;
	case SHAPE_questions:
		buf_addf(out, " question marks: %u", t->questions);
		break;
	case SHAPE_fillers:
		buf_addf(out, " hesitations: %u", t->fillers);
		break;
	case SHAPE_repeats:
		buf_addf(out, " repeated words: %u", t->repeats);
		break;
	case SHAPE_sentences:
		buf_addf(out, " sentences before the last: %u", t->sentences);
		break;
	case SHAPE_gap:
		buf_adds(out, " long");
		break;
	case SHAPE_none:
		buf_adds(out, " nothing");
		break;
	}
}

static void
describe_pair(enum pair which, struct buf *out)
{
	static const char *const what[] = {
		[PAIR_same] = "who spoke before",
		[PAIR_same_whole] = "who spoke before, the whole text",
		[PAIR_same_end] = "who spoke before, end of the text",
		[PAIR_same_start] = "who spoke before, first word",
		[PAIR_same_length] = "who spoke before, length",
		[PAIR_end_whole] = "its end, the whole text",
		[PAIR_end_start] = "its end, first words",
		[PAIR_start_whole] = "its first words, the whole text",
		[PAIR_start_start] = "both first words",
		[PAIR_last_whole] = "its last word, the whole text",
		[PAIR_length_whole] = "its length, the whole text",
		[PAIR_whole_whole] = "both whole texts",
		[PAIR_overlap] = "words in common",
		[PAIR_echo] = "all words in common",
	};

	buf_addf(out, ": %s", what[which]);
}

void
feature_describe(const struct features *f, const struct feature *one,
    struct buf *out)
{
	static const char *const what[] = {
#define KIND(name, group, words) words,
		FEATURE_KINDS(KIND)
#undef KIND
	};

	assert(one->kind < FEATURE_KINDS_COUNT);
	buf_adds(out, what[one->kind]);
	switch ((enum feature_kind)one->kind) {
	case FEATURE_shape:
		describe_shape(&f->text, one->detail, out);
		break;
	case FEATURE_pshape:
		describe_shape(&f->prev, one->detail, out);
		break;
	case FEATURE_pair:
		describe_pair(one->detail, out);
		break;
	case FEATURE_pword:
	case FEATURE_prun:
		describe_tokens(&f->prev, one->first, one->count, out);
		break;
	case FEATURE_piece:
		describe_tokens(&f->text, one->first, 1, out);
		buf_addf(out, " at %u, %u letters", one->count, one->detail);
		break;
	default:
		describe_tokens(&f->text, one->first, one->count, out);
	}
}
