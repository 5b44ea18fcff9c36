/*
 * features - what the model looks at in a turn and in the turn before it
 *
 * Two streams are read.  The raw one keeps punctuation and fillers, as they
 * carry much ("right?" is not "right.").  The clean one has only words, without
 * fillers and without a word said twice running, so that typed chat without
 * punctuation and a stammered sentence look alike.
 */
#include "classify/features.h"

#include "classify/features_impl.h"

enum {
	PREV_BYTES = 384,
	WHOLE_MAX = 5,			/* texts this short are known as a whole */
	PIECE_MIN = 3, PIECE_MAX = 4,
};

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
	unsigned shared = 0, most = at_most(b->clean_count, 64);

	/* Different words have different joints. */
	for (unsigned i = 1; i <= a->clean_count && i <= 32; i++) {
		bool found = false;

		for (unsigned k = 1; k <= most; k++)
			found |= a->joints[i] == b->joints[k];
		shared += found;
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

static void
read_both(struct features *f, struct slice text, struct slice prev)
{
	f->count = 0;
	features_tokens(&f->text, text, FEATURES_BYTES);
	features_tokens(&f->prev, prev, PREV_BYTES);
}

/* In this order: where they are too many, the last are left out. */
static void
emit_all(struct features *f, bool prev_same_speaker, bool words)
{
	emit_shape(f, FEATURE_shape, &f->text);
	emit_punct(f);
	emit_pairs(f, prev_same_speaker);
	emit_shape(f, FEATURE_pshape, &f->prev);
	if (words)
		emit_prev_words(f);
	emit_prev_runs(f);
	if (words)
		emit_words(f, true);
	emit_runs(f);
}

void
features_extract(struct features *f, struct slice text, struct slice prev,
    bool prev_same_speaker)
{
	read_both(f, text, prev);
	emit_all(f, prev_same_speaker, true);
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
	read_both(f, text, prev);
	if (may_overflow(&f->text, &f->prev))
		return false;
	emit_all(f, prev_same_speaker, false);
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
	features_tokens(&f->text, text, FEATURES_BYTES);
	emit_shape(f, FEATURE_shape, &f->text);
	emit_punct(f);
	emit_words(f, false);
	emit_runs(f);
}
