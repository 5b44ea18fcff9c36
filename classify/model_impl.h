/*
 * model_impl - what the files of model share; nobody else includes this
 *
 *	model_file.c   the weights
 *	model.c        from text to scores
 *	model_why.c    and back, for people
 */
#ifndef CLASSIFY_MODEL_IMPL_H
#define CLASSIFY_MODEL_IMPL_H

#include "classify/features.h"
#include "classify/model.h"

enum {
	MODEL_DIM = 64,
	MODEL_HIDDEN = 64,
	MODEL_WIDTH = GROUP_COUNT * MODEL_DIM,
	SHELF_BITS = 14, SHELF_PLACES = 8, LINE_BYTES = 64,
	KNOWN_PAIRS = 4096,		/* a power of two */
	ROOT_BITS = 12, X_BITS = 5,	/* 128 n / sqrt(n) << 12 fits 32 bits */
	SCORE_BITS = 10,
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
struct model_word {
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
	struct model_word (*words)[2];	/* KNOWN_PAIRS, by hash */
	int8_t first[MODEL_HIDDEN][MODEL_WIDTH]
	    __attribute__((aligned(LINE_BYTES)));
	int32_t first_bias[MODEL_HIDDEN], first_scale[MODEL_HIDDEN];
	int16_t second[ACT_COUNT][MODEL_HIDDEN];
	int32_t second_bias[ACT_COUNT], second_scale[ACT_COUNT];
	int32_t root[FEATURES_MAX + 1];	/* 2^ROOT_BITS / sqrt(n) */
	uint32_t exp[EXP_ENTRIES];	/* 2^31 e^(-i / EXP_STEPS) */
};

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

/*
 * The whole way of a text.  With `by_word` what words give by themselves is not
 * looked up again but taken as it was the last time, and is in no list.
 */
void model_run(const struct model *m, struct slice text,
    const struct act_context *ctx, bool by_word, struct pass *p);

#endif
