/*
 * model - the small trained model behind the rules
 *
 * For each group of features (features.h) the embeddings of those the model
 * knows are summed and divided by the square root of their number; the groups
 * side by side go through one hidden layer to a score for each act:
 *
 *	text, prev -> keys -> rows of int8 -> x[group][dim] -> hidden -> acts
 *
 * x is in 1/32 of an embedding unit; a hidden unit is (sum + bias) * scale >>
 * 24, from 0 to 32767; an act's score is (sum + bias) * scale >> 24, in 1/1024
 * of a unit of log odds.
 */
#include "classify/model.h"

#include "classify/model_impl.h"
#include "common/widest.h"

enum {
	PART_ROWS = 256,
	SCORE_MAX = 1 << 20,
};

_Static_assert(-3 >> 1 == -2, "right shifts must round towards minus infinity");

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
    struct model_word *w)
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
is_word(const struct model_word *w, const struct token *one)
{
	return w->len == one->len && memcmp(w->text, one->text, w->len) == 0;
}

/* A word among those known: the one made last stands first of two. */
static inline const struct model_word *
find_word(const struct model *m, const struct tokens *t, unsigned token)
{
	const struct token *one = &t->list[token];
	struct model_word *w = m->words[one->hash & (KNOWN_PAIRS - 1)];

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
		const struct model_word *w = find_word(m, text, text->clean[i]);

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

/* In steps that are each a few instructions for all units. */
static inline __attribute__((always_inline)) void
scale_hidden(const struct model *m, const int32_t sum[MODEL_HIDDEN],
    int16_t hidden[MODEL_HIDDEN])
{
	uint32_t unit[MODEL_HIDDEN];

	for (size_t h = 0; h < MODEL_HIDDEN; h++) {
		int32_t v = sum[h] + m->first_bias[h];

		unit[h] = (uint32_t)(v > 0 ? v : 0);
	}
	for (size_t h = 0; h < MODEL_HIDDEN; h++)
		unit[h] = (uint32_t)((uint64_t)unit[h] *
		    (uint32_t)m->first_scale[h] >> 24);
	for (size_t h = 0; h < MODEL_HIDDEN; h++)
		hidden[h] = (int16_t)(unit[h] < INT16_MAX ? unit[h] : INT16_MAX);
}

/* One factor is never beyond a byte, the widths are small: all sums fit. */
WIDEST static void
run_layers(const struct model *m, struct pass *p)
{
	int32_t sum[MODEL_HIDDEN];

	for (size_t h = 0; h < MODEL_HIDDEN; h += 4)
		dot_four(m->first + h, p->x, sum + h);
	scale_hidden(m, sum, p->hidden);
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

void
model_run(const struct model *m, struct slice text,
    const struct act_context *ctx, bool by_word, struct pass *p)
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

	model_run(m, text, ctx, true, &p);
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
