/*
 * model - the small trained model behind the rules
 *
 * For each group of features (features.h) the embeddings of those the model
 * knows are summed and divided by the square root of their number; the groups
 * side by side go through one hidden layer to a score for each act:
 *
 *	text, prev -> keys -> rows of int8 -> x[group][dim] -> hidden -> acts
 *
 * The weights file, all numbers little-endian:
 *
 *	 0  "skeinact"
 *	 8  u32 version, u32 FEATURES_REVISION
 *	16  u32 acts, u32 groups, u32 dim, u32 hidden, u32 rows
 *	36  u32 length of the body
 *	40  u64 FNV-1a of bytes 0..39 and of the body
 *	48  body:
 *	    u32 key[rows]				ascending
 *	    i8  embedding[rows][dim]
 *	    i8  first[hidden][groups * dim]
 *	    i32 first_bias[hidden], i32 first_scale[hidden]
 *	    i8  second[acts][hidden]
 *	    i32 second_bias[acts], i32 second_scale[acts]
 *
 * x is in 1/32 of an embedding unit; a hidden unit is (sum + bias) * scale >>
 * 24, from 0 to 32767; an act's score is (sum + bias) * scale >> 24, in 1/1024
 * of a unit of log odds.
 */
#include "classify/model.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "classify/features.h"
#include "common/log.h"
#include "common/widest.h"
#include "common/xmalloc.h"

enum {
	MODEL_VERSION = 1,
	MODEL_DIM = 64,
	MODEL_HIDDEN = 64,
	MODEL_WIDTH = GROUP_COUNT * MODEL_DIM,
	ROWS_MAX = 1 << 20,
	HEADER_BYTES = 48,
	BIAS_MAX = 1 << 29,
	SCALE_MAX = 1 << 22,
	SHELF_BITS = 14, SHELF_PLACES = 8, LINE_BYTES = 64,
	PART_ROWS = 256,
	KNOWN_PAIRS = 1024,		/* a power of two */
	ROOT_BITS = 12, X_BITS = 5,	/* 128 n / sqrt(n) << 12 fits 32 bits */
	SCORE_BITS = 10, SCORE_MAX = 1 << 20,
	EXP_STEPS = 128,		/* steps of the table to a unit */
	EXP_ENTRIES = 12 * EXP_STEPS,
};

/*
 * The keys with the same top bits, in no more than half a line of memory:
 * most features are not known, and one look should do to see that.  In front
 * of them is the row of the first; that of another follows from its place.
 * Where there are more than seven keys, NO_ROW is in front, then the rows of
 * the first and of the one behind the last.
 */
typedef uint32_t eight __attribute__((vector_size(32)));
typedef uint64_t pairs __attribute__((vector_size(32)));
struct shelf {
	union {
		uint32_t one[SHELF_PLACES];
		eight all;
	};
};
enum { NO_ROW = -1, SHELF_FIRST = 1, SHELF_END = 2 };

/*
 * What a word gives wherever it stands, as it was made the last time: people
 * use the same words again and again, and their pieces are most features.
 */
struct word {
	int16_t pieces[MODEL_DIM];	/* their rows, summed */
	int32_t row, before;		/* of the word; in the turn before */
	uint8_t n_pieces;		/* known ones */
	uint8_t len;			/* 0: a free place */
	char text[FEATURES_WORD_MAX];
} __attribute__((aligned(LINE_BYTES)));

struct model {
	uint32_t rows;
	uint32_t *keys;
	int8_t *embedding;		/* a row a line, one in front unused */
	struct shelf *shelves;
	struct word (*words)[2];	/* KNOWN_PAIRS, by hash */
	int8_t first[MODEL_HIDDEN][MODEL_WIDTH]
	    __attribute__((aligned(LINE_BYTES)));
	int32_t first_bias[MODEL_HIDDEN], first_scale[MODEL_HIDDEN];
	int16_t second[ACT_COUNT][MODEL_HIDDEN];
	int32_t second_bias[ACT_COUNT], second_scale[ACT_COUNT];
	int32_t root[FEATURES_MAX + 1];	/* 2^ROOT_BITS / sqrt(n) */
	uint32_t exp[EXP_ENTRIES];	/* 2^31 e^(-i / EXP_STEPS) */
};

_Static_assert(-3 >> 1 == -2, "right shifts must round towards minus infinity");

/* What one text gives on its way through. */
struct pass {
	struct features features;
	bool by_word;			/* words and pieces are not among them */
	int32_t row[FEATURES_MAX];	/* NO_ROW: not known */
	unsigned known[GROUP_COUNT];
	int16_t x[MODEL_WIDTH];
	int16_t hidden[MODEL_HIDDEN];
	int32_t score[ACT_COUNT];	/* 1 / 2^SCORE_BITS */
};

/* ---- the weights file */

static uint32_t
get_u32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	    (uint32_t)p[3] << 24;
}

static int32_t
get_i32(const unsigned char *p)
{
	uint32_t u = get_u32(p);

	return u <= INT32_MAX ? (int32_t)u : -(int32_t)(UINT32_MAX - u) - 1;
}

static int8_t
get_i8(const unsigned char *p)
{
	return (int8_t)(*p < 128 ? *p : *p - 256);
}

static uint64_t
checksum(uint64_t h, const unsigned char *p, size_t len)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * 1099511628211u;
	return h;
}

static size_t
body_bytes(uint32_t rows)
{
	return (size_t)rows * (4 + MODEL_DIM) +
	    MODEL_HIDDEN * (MODEL_WIDTH + 8) + ACT_COUNT * (MODEL_HIDDEN + 8);
}

static int
check_header(const unsigned char *p, size_t len, struct buf *why)
{
	static const struct { unsigned at, want; const char *what; } fields[] = {
		{ 8, MODEL_VERSION, "version" },
		{ 12, FEATURES_REVISION, "feature revision" },
		{ 16, ACT_COUNT, "number of acts" },
		{ 20, GROUP_COUNT, "number of groups" },
		{ 24, MODEL_DIM, "embedding width" },
		{ 28, MODEL_HIDDEN, "hidden width" },
	};
	uint32_t rows;
	uint64_t want;

	if (len < HEADER_BYTES || memcmp(p, "skeinact", 8) != 0) {
		buf_adds(why, "not a weights file");
		return -1;
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (get_u32(p + fields[i].at) != fields[i].want) {
			buf_addf(why, "%s is %u, this build wants %u",
			    fields[i].what, get_u32(p + fields[i].at),
			    fields[i].want);
			return -1;
		}
	rows = get_u32(p + 32);
	if (rows == 0 || rows > ROWS_MAX || get_u32(p + 36) != body_bytes(rows)) {
		buf_adds(why, "sizes in the header do not agree");
		return -1;
	}
	if (len - HEADER_BYTES != body_bytes(rows)) {
		buf_addf(why, "has %zu bytes, should have %zu", len,
		    HEADER_BYTES + body_bytes(rows));
		return -1;
	}
	want = get_u32(p + 40) | (uint64_t)get_u32(p + 44) << 32;
	if (checksum(checksum(14695981039346656037u, p, 40), p + HEADER_BYTES,
	    body_bytes(rows)) != want) {
		buf_adds(why, "checksum does not match, the file is damaged");
		return -1;
	}
	return 0;
}

static const unsigned char *
load_i32(int32_t *to, size_t count, const unsigned char *p)
{
	for (size_t i = 0; i < count; i++, p += 4)
		to[i] = get_i32(p);
	return p;
}

static const unsigned char *
load_i8(int16_t *to, size_t count, const unsigned char *p)
{
	for (size_t i = 0; i < count; i++)
		to[i] = get_i8(p++);
	return p;
}

/* int8_t is two's complement, as the file is. */
static const unsigned char *
copy_i8(int8_t *to, size_t count, const unsigned char *p)
{
	memcpy(to, p, count);
	return p + count;
}

static bool
within(const int32_t *v, size_t count, int32_t low, int32_t high)
{
	for (size_t i = 0; i < count; i++)
		if (v[i] < low || v[i] > high)
			return false;
	return true;
}

/*
 * Sums fit in 32 bits because weights are bytes and x is 16 bits wide; a bias
 * or scale out of bounds would break that, whatever the checksum says.
 */
static int
check_ranges(const struct model *m, struct buf *why)
{
	for (uint32_t i = 1; i < m->rows; i++)
		if (m->keys[i] <= m->keys[i - 1]) {
			buf_adds(why, "keys are not in order");
			return -1;
		}
	if (!within(m->first_bias, MODEL_HIDDEN, -BIAS_MAX, BIAS_MAX) ||
	    !within(m->first_scale, MODEL_HIDDEN, 0, SCALE_MAX) ||
	    !within(m->second_bias, ACT_COUNT, -BIAS_MAX, BIAS_MAX) ||
	    !within(m->second_scale, ACT_COUNT, 0, SCALE_MAX)) {
		buf_adds(why, "a weight is out of range");
		return -1;
	}
	return 0;
}

/* Room that begins with a line of memory. */
static void *
aligned(size_t bytes)
{
	void *room = aligned_alloc(LINE_BYTES,
	    (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);

	if (room == NULL)
		fatalx(EX_RETRY, "no memory for the weights");
	return room;
}

static int
load_body(struct model *m, const unsigned char *p, struct buf *why)
{
	m->keys = xmalloc(m->rows * sizeof(*m->keys));
	for (uint32_t i = 0; i < m->rows; i++, p += 4)
		m->keys[i] = get_u32(p);
	m->embedding = (int8_t *)aligned(((size_t)m->rows + 1) * MODEL_DIM) +
	    MODEL_DIM;
	p = copy_i8(m->embedding, (size_t)m->rows * MODEL_DIM, p);
	p = copy_i8(m->first[0], MODEL_HIDDEN * MODEL_WIDTH, p);
	p = load_i32(m->first_bias, MODEL_HIDDEN, p);
	p = load_i32(m->first_scale, MODEL_HIDDEN, p);
	p = load_i8(m->second[0], ACT_COUNT * MODEL_HIDDEN, p);
	p = load_i32(m->second_bias, ACT_COUNT, p);
	load_i32(m->second_scale, ACT_COUNT, p);
	return check_ranges(m, why);
}

/* floor(sqrt(n)), bit by bit: no floating point anywhere in this file. */
static uint64_t
integer_root(uint64_t n)
{
	uint64_t root = 0;

	for (uint64_t bit = (uint64_t)1 << 31; bit > 0; bit >>= 1)
		if ((root | bit) * (root | bit) <= n)
			root |= bit;
	return root;
}

static void
make_shelves(struct model *m)
{
	uint32_t top, first = 0, end, i;

	m->shelves = aligned(sizeof(*m->shelves) << SHELF_BITS);
	for (top = 0; top < 1 << SHELF_BITS; top++, first = end) {
		uint32_t *place = m->shelves[top].one;

		for (end = first; end < m->rows &&
		    m->keys[end] >> (32 - SHELF_BITS) == top; end++)
			;
		/* Where no key is, one that does not belong here. */
		for (i = 1; i < SHELF_PLACES; i++)
			place[i] = first + i <= end ? m->keys[first + i - 1] :
			    ~top << (32 - SHELF_BITS);
		place[0] = first;
		if (end - first < SHELF_PLACES)
			continue;
		place[0] = (uint32_t)NO_ROW;
		place[SHELF_FIRST] = first;
		place[SHELF_END] = end;
	}
}

static void
make_tables(struct model *m)
{
	/* e^(-1/128) in 32 bits after the point */
	const uint64_t step = 4261543595u;

	for (uint32_t n = 1; n <= FEATURES_MAX; n++)
		m->root[n] = (int32_t)integer_root(
		    ((uint64_t)1 << (2 * ROOT_BITS)) / n);
	m->exp[0] = (uint32_t)1 << 31;
	for (size_t i = 1; i < EXP_ENTRIES; i++)
		m->exp[i] = (uint32_t)(m->exp[i - 1] * step >> 32);
	make_shelves(m);
	m->words = aligned(sizeof(*m->words) * KNOWN_PAIRS);
	for (size_t i = 0; i < KNOWN_PAIRS; i++)
		m->words[i][0].len = m->words[i][1].len = 0;
}

static int
read_all(int fd, unsigned char *to, size_t len)
{
	size_t have = 0;

	while (have < len) {
		ssize_t n = read(fd, to + have, len - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		have += (size_t)n;
	}
	return 0;
}

static unsigned char *
read_file(const char *path, size_t *len, struct buf *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	unsigned char *bytes = NULL;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		buf_addf(why, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode) || st.st_size <= 0 ||
	    (uint64_t)st.st_size > HEADER_BYTES + body_bytes(ROWS_MAX)) {
		buf_addf(why, "%s: not a weights file", path);
	} else {
		*len = (size_t)st.st_size;
		bytes = xmalloc(*len);
		if (read_all(fd, bytes, *len) < 0) {
			buf_addf(why, "%s: cannot be read whole", path);
			free(bytes);
			bytes = NULL;
		}
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

struct model *
model_open(const char *path, struct buf *why)
{
	size_t len;
	unsigned char *bytes = read_file(path, &len, why);
	struct model *m = NULL;

	if (bytes == NULL)
		return NULL;
	buf_addf(why, "%s: ", path);
	if (check_header(bytes, len, why) == 0) {
		m = aligned(sizeof(*m));
		memset(m, 0, sizeof(*m));
		m->rows = get_u32(bytes + 32);
		if (load_body(m, bytes + HEADER_BYTES, why) < 0)
			model_close(&m);
	}
	free(bytes);
	if (m != NULL) {
		make_tables(m);
		buf_clear(why);
	}
	return m;
}

void
model_close(struct model **m)
{
	if (*m == NULL)
		return;
	free((*m)->keys);
	if ((*m)->embedding != NULL)
		free((*m)->embedding - MODEL_DIM);
	free((*m)->shelves);
	free((*m)->words);
	free(*m);
	*m = NULL;
}

/* ---- from text to scores */

/* A full shelf is rare: its keys are in order. */
static int32_t
search_row(const struct model *m, const struct shelf *s, uint32_t key)
{
	uint32_t row = s->one[SHELF_FIRST], end = s->one[SHELF_END];

	while (row < end && m->keys[row] < key)
		row++;
	return row < end && m->keys[row] == key ? (int32_t)row : NO_ROW;
}

/*
 * Without a branch that depends on the key, as no processor could guess it:
 * the place of the key among the eight is the sum of all places that hold it.
 */
static inline __attribute__((always_inline)) int32_t
find_row(const struct model *m, uint32_t key)
{
	static const eight places = { 0, 1, 2, 3, 4, 5, 6, 7 };
	const struct shelf *s = &m->shelves[key >> (32 - SHELF_BITS)];
	pairs held = (pairs)((eight)(s->all == key) & places);
	uint64_t sum = held[0] + held[1] + held[2] + held[3];
	uint32_t place = (uint32_t)(sum + (sum >> 32));

	if (s->one[0] == (uint32_t)NO_ROW)
		return search_row(m, s, key);
	/* All bits of NO_ROW are set. */
	return (int32_t)((s->one[0] + place - 1) | -(uint32_t)(place == 0));
}

/* Sixteen numbers that are added at once, where the machine can. */
typedef int16_t lanes __attribute__((vector_size(32)));
typedef int8_t narrow __attribute__((vector_size(16)));
typedef int32_t wide __attribute__((vector_size(64)));
enum { LANES = sizeof(lanes) / sizeof(int16_t), BLOCKS = MODEL_DIM / LANES };

/*
 * Bytes are summed in 16 bits, twice as fast as in 32, and moved on before they
 * could overflow: PART_ROWS bytes of -128 just fit.
 */
struct sum {
	lanes part[BLOCKS];
	unsigned rows;			/* in the part */
	int32_t all[MODEL_DIM];
};

static inline __attribute__((always_inline)) void
sum_move(struct sum *s)
{
	for (size_t k = 0; k < BLOCKS; k++) {
		wide all;

		memcpy(&all, s->all + k * LANES, sizeof(all));
		all += __builtin_convertvector(s->part[k], wide);
		memcpy(s->all + k * LANES, &all, sizeof(all));
		s->part[k] = (lanes){ 0 };
	}
	s->rows = 0;
}

static inline __attribute__((always_inline)) void
sum_rows(struct sum *s, const struct model *m, const int32_t *rows,
    unsigned count)
{
	lanes part[BLOCKS];
	narrow some;

	for (unsigned i = 0; i < count;) {
		unsigned end = count - i < PART_ROWS - s->rows ? count :
		    i + PART_ROWS - s->rows;

		memcpy(part, s->part, sizeof(part));
		s->rows += end - i;
		for (; i < end; i++) {
			const int8_t *row = m->embedding +
			    (size_t)rows[i] * MODEL_DIM;
#pragma GCC unroll 4
			for (size_t k = 0; k < BLOCKS; k++) {
				memcpy(&some, row + k * LANES, sizeof(some));
				part[k] += __builtin_convertvector(some, lanes);
			}
		}
		memcpy(s->part, part, sizeof(part));
		if (s->rows == PART_ROWS)
			sum_move(s);
	}
}

WIDEST static void
make_word(const struct model *m, const struct tokens *t, unsigned token,
    struct word *w)
{
	const struct token *one = &t->list[token];
	struct word_keys keys;
	int32_t rows[sizeof(keys.pieces) / sizeof(keys.pieces[0])];
	struct sum sum = { 0 };

	feature_word_keys(t, token, &keys);
	w->row = find_row(m, keys.word);
	w->before = find_row(m, keys.before);
	w->n_pieces = 0;
	for (unsigned i = 0; i < keys.n_pieces; i++) {
		rows[w->n_pieces] = find_row(m, keys.pieces[i]);
		w->n_pieces += rows[w->n_pieces] != NO_ROW;
	}
	sum_rows(&sum, m, rows, w->n_pieces);
	memcpy(w->pieces, sum.part, sizeof(w->pieces));
	w->len = one->len;
	memcpy(w->text, one->text, one->len);
}

static inline bool
is_word(const struct word *w, const struct token *one)
{
	return w->len == one->len && memcmp(w->text, one->text, w->len) == 0;
}

/* A word among those known: the one made last stands first of two. */
static inline const struct word *
find_word(const struct model *m, const struct tokens *t, unsigned token)
{
	const struct token *one = &t->list[token];
	struct word *w = m->words[one->hash & (KNOWN_PAIRS - 1)];

	if (!is_word(w, one) && !is_word(++w, one)) {
		*w = w[-1];
		make_word(m, t, token, --w);
	}
	return w;
}

/* The rows of known features, group by group. */
struct found {
	int32_t rows[GROUP_COUNT][FEATURES_MAX];
	int32_t *end[GROUP_COUNT];
	unsigned n_pieces;		/* those of words, which come summed */
};

static inline __attribute__((always_inline)) void
found_add(struct found *f, const struct model *m, unsigned group, int32_t row)
{
	/* It comes while the others are looked for; any will do. */
	__builtin_prefetch(m->embedding + (ptrdiff_t)row * MODEL_DIM);
	*f->end[group] = row;
	f->end[group] += row >= 0;
}

static inline __attribute__((always_inline)) void
find_features(const struct model *m, struct pass *p, struct found *f)
{
	for (unsigned i = 0; i < p->features.count; i++) {
		const struct feature *one = &p->features.list[i];

		p->row[i] = find_row(m, one->key);
		found_add(f, m, feature_group(one->kind), p->row[i]);
	}
}

/* What the words give by themselves; the pieces come summed. */
static inline __attribute__((always_inline)) void
find_words(const struct model *m, const struct features *features,
    struct found *f, struct sum *pieces)
{
	const struct tokens *text = &features->text, *prev = &features->prev;
	lanes some;

	for (unsigned i = 0; i < prev->clean_count; i++)
		found_add(f, m, GROUP_prev,
		    find_word(m, prev, prev->clean[i])->before);
	for (unsigned i = 0; i < text->clean_count; i++) {
		const struct word *w = find_word(m, text, text->clean[i]);

		found_add(f, m, GROUP_words, w->row);
		f->n_pieces += w->n_pieces;
		if (pieces->rows + w->n_pieces > PART_ROWS)
			sum_move(pieces);
		pieces->rows += w->n_pieces;
		for (size_t k = 0; k < BLOCKS; k++) {
			memcpy(&some, w->pieces + k * LANES, sizeof(some));
			pieces->part[k] += some;
		}
	}
}

WIDEST static void
sum_groups(const struct model *m, struct pass *p)
{
	struct sum sums[GROUP_COUNT] = { 0 };
	struct found f;

	for (size_t g = 0; g < GROUP_COUNT; g++)
		f.end[g] = f.rows[g];
	f.n_pieces = 0;
	find_features(m, p, &f);
	if (p->by_word)
		find_words(m, &p->features, &f, &sums[GROUP_pieces]);
	for (size_t g = 0; g < GROUP_COUNT; g++) {
		unsigned count = (unsigned)(f.end[g] - f.rows[g]);
		int16_t *x = p->x + g * MODEL_DIM;
		int32_t root;

		p->known[g] = count + (g == GROUP_pieces ? f.n_pieces : 0);
		root = m->root[p->known[g]];
		sum_rows(&sums[g], m, f.rows[g], count);
		sum_move(&sums[g]);
		for (size_t d = 0; d < MODEL_DIM; d++) {
			int32_t v = sums[g].all[d] * root >>
			    (ROOT_BITS - X_BITS);

			v = v > INT16_MAX ? INT16_MAX : v;
			x[d] = (int16_t)(v < -INT16_MAX ? -INT16_MAX : v);
		}
	}
}

/* Four hidden units at once: x is read once for all. */
static inline __attribute__((always_inline)) void
dot_four(const int8_t (*restrict w)[MODEL_WIDTH], const int16_t *restrict x,
    int32_t out[4])
{
	int32_t a = 0, b = 0, c = 0, d = 0;

	for (size_t i = 0; i < MODEL_WIDTH; i++) {
		a += (int32_t)w[0][i] * x[i];
		b += (int32_t)w[1][i] * x[i];
		c += (int32_t)w[2][i] * x[i];
		d += (int32_t)w[3][i] * x[i];
	}
	out[0] = a;
	out[1] = b;
	out[2] = c;
	out[3] = d;
}

/* One factor is never beyond a byte, the widths are small: all sums fit. */
WIDEST static void
run_layers(const struct model *m, struct pass *p)
{
	int32_t sum[MODEL_HIDDEN];

	for (size_t h = 0; h < MODEL_HIDDEN; h += 4)
		dot_four(m->first + h, p->x, sum + h);
	for (size_t h = 0; h < MODEL_HIDDEN; h++) {
		int32_t above = sum[h] + m->first_bias[h];
		uint64_t v = above > 0 ? (uint32_t)above : 0;

		v = v * (uint32_t)m->first_scale[h] >> 24;
		p->hidden[h] = (int16_t)(v < INT16_MAX ? v : INT16_MAX);
	}
	for (size_t a = 0; a < ACT_COUNT; a++) {
		int32_t all = 0;
		int64_t v;

		for (size_t h = 0; h < MODEL_HIDDEN; h++)
			all += (int32_t)m->second[a][h] * p->hidden[h];
		v = ((int64_t)all + m->second_bias[a]) *
		    m->second_scale[a] >> 24;
		v = v < -SCORE_MAX ? -SCORE_MAX : v;
		p->score[a] = (int32_t)(v > SCORE_MAX ? SCORE_MAX : v);
	}
}

static void
run(const struct model *m, struct slice text, const struct act_context *ctx,
    bool by_word, struct pass *p)
{
	struct slice prev = ctx != NULL ? ctx->prev_text : SLICE_NONE;
	bool same = ctx != NULL && ctx->prev_same_speaker;

	p->by_word = by_word &&
	    features_but_words(&p->features, text, prev, same);
	if (!p->by_word)
		features_extract(&p->features, text, prev, same);
	sum_groups(m, p);
	run_layers(m, p);
}

void
model_score(const struct model *m, struct slice text,
    const struct act_context *ctx, int scores[ACT_COUNT])
{
	struct pass p;
	uint64_t part[ACT_COUNT], total = 0;
	int32_t top;

	run(m, text, ctx, true, &p);
	top = p.score[0];
	for (size_t a = 1; a < ACT_COUNT; a++)
		top = p.score[a] > top ? p.score[a] : top;
	for (size_t a = 0; a < ACT_COUNT; a++) {
		size_t below = (size_t)(top - p.score[a]) * EXP_STEPS >>
		    SCORE_BITS;

		part[a] = below < EXP_ENTRIES ? m->exp[below] : 0;
		total += part[a];
	}
	for (size_t a = 0; a < ACT_COUNT; a++)
		scores[a] = (int)((part[a] * 1000 + total / 2) / total);
}

enum act
model_best(const int scores[ACT_COUNT])
{
	int best = 0;

	for (int a = 1; a < ACT_COUNT; a++)
		if (scores[a] > scores[best])
			best = a;
	return (enum act)best;
}

/* ---- why */

struct share {
	int64_t weight;		/* thousandths */
	unsigned feature;
};

/*
 * The net is piecewise linear: with the hidden units that are on held fixed,
 * each x has a slope, and an embedding's share of the score is exact.  Slopes
 * are in 2^-24 score units per unit of x.
 */
static void
slopes(const struct model *m, const struct pass *p, enum act act,
    int64_t slope[MODEL_WIDTH])
{
	memset(slope, 0, MODEL_WIDTH * sizeof(*slope));
	for (size_t h = 0; h < MODEL_HIDDEN; h++) {
		int64_t mean = 0, out;

		if (p->hidden[h] == 0)
			continue;
		for (size_t a = 0; a < ACT_COUNT; a++)
			mean += (int64_t)m->second[a][h] * m->second_scale[a];
		out = (int64_t)m->second[act][h] * m->second_scale[act] -
		    mean / ACT_COUNT;
		/* Two factors have 24 bits after the point: one goes here. */
		for (size_t d = 0; d < MODEL_WIDTH; d++)
			slope[d] += out * m->first[h][d] * m->first_scale[h] >> 24;
	}
}

static int
share_order(const void *a, const void *b)
{
	const struct share *x = a, *y = b;
	int64_t wx = x->weight < 0 ? -x->weight : x->weight;
	int64_t wy = y->weight < 0 ? -y->weight : y->weight;

	if (wx != wy)
		return wx < wy ? 1 : -1;
	return (x->feature > y->feature) - (x->feature < y->feature);
}

static int64_t
share_of(const struct model *m, const struct pass *p, unsigned feature,
    const int64_t slope[MODEL_WIDTH])
{
	unsigned group = feature_group(p->features.list[feature].kind);
	const int8_t *row = m->embedding + (size_t)p->row[feature] * MODEL_DIM;
	int64_t sum = 0;

	for (size_t d = 0; d < MODEL_DIM; d++)
		sum += row[d] * (slope[group * MODEL_DIM + d] >> 8);
	return ((sum * m->root[p->known[group]] >> (ROOT_BITS - X_BITS)) *
	    1000) >> (16 + SCORE_BITS);
}

void
model_explain(const struct model *m, struct slice text,
    const struct act_context *ctx, unsigned most, struct buf *out)
{
	struct pass p;
	struct share shares[FEATURES_MAX];
	int64_t slope[MODEL_WIDTH];
	enum act best;
	unsigned count = 0;

	run(m, text, ctx, false, &p);
	best = model_best(p.score);
	slopes(m, &p, best, slope);
	for (unsigned i = 0; i < p.features.count; i++)
		if (p.row[i] >= 0)
			shares[count++] = (struct share){
				share_of(m, &p, i, slope), i };
	qsort(shares, count, sizeof(shares[0]), share_order);
	for (unsigned i = 0; i < count && i < most; i++) {
		buf_addf(out, "%+lld ", (long long)shares[i].weight);
		feature_describe(&p.features,
		    &p.features.list[shares[i].feature], out);
		buf_addc(out, '\n');
	}
}
