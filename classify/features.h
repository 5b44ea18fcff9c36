/*
 * features - what the model looks at in a turn and in the turn before it
 *
 * Text becomes a short list of 32-bit keys: words, runs of two to four words,
 * pieces of words, punctuation, length, and how they meet the turn before.
 * Training and inference both call this one function, so they cannot see
 * different things.  Whatever it does differently changes the meaning of all
 * weights: then FEATURES_REVISION moves and old weights are refused.
 *
 * The look is bounded: of a long text the beginning and the end count.
 */
#ifndef CLASSIFY_FEATURES_H
#define CLASSIFY_FEATURES_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

enum {
	FEATURES_REVISION = 1,
	FEATURES_MAX = 2048,
	FEATURES_TOKENS = 256,
	FEATURES_BYTES = 768,		/* how much of a text is looked at */
	FEATURES_WORD_MAX = 20,		/* longer is no word but data */
};

/* Each group is summed on its own before the model joins them. */
enum feature_group {
	GROUP_words,
	GROUP_pieces,
	GROUP_prev,
	GROUP_pair,
	GROUP_COUNT
};

/*       name     group   what it is, as --why prints it */
#define FEATURE_KINDS(KIND)                                     \
	KIND(word,    words,  "word")                           \
	KIND(run,     words,  "words")                          \
	KIND(skip,    words,  "words with a gap")               \
	KIND(whole,   words,  "the whole text")                 \
	KIND(punct,   words,  "punctuation")                    \
	KIND(start,   words,  "sentence start")                 \
	KIND(shape,   words,  "shape")                          \
	KIND(piece,   pieces, "part of a word")                 \
	KIND(pword,   prev,   "word before")                    \
	KIND(prun,    prev,   "words before")                   \
	KIND(pshape,  prev,   "shape of the turn before")       \
	KIND(pair,    pair,   "with the turn before")

enum feature_kind {
#define KIND(name, group, what) FEATURE_##name,
	FEATURE_KINDS(KIND)
#undef KIND
	FEATURE_KINDS_COUNT
};

struct feature {
	uint32_t key;
	uint8_t kind;		/* enum feature_kind */
	uint8_t first;		/* token it begins at; of the text or, by kind, of prev */
	uint8_t count;		/* tokens it spans; for a piece, its byte offset */
	uint8_t detail;		/* which shape or pair; for a piece, its length */
};

/*
 * A normal form lies in the text itself, or in the tokens' `bytes`: it lives no
 * longer than either.  Keys need neither.
 */
struct token {
	uint32_t hash;
	char kind;		/* 'w' word, 'm' mark such as <url>, or the punctuation itself */
	uint8_t len;
	const char *text;
};

/* Counters stand first: they alone are cleared between texts. */
struct tokens {
	unsigned count, clean_count;
	unsigned letters;	/* of all normal forms */
	unsigned made;		/* of `bytes` */
	unsigned fillers, repeats, questions, sentences;
	char end;		/* last punctuation when it ends the text, else 0 */
	bool gap;		/* the middle was left out */
	struct token list[FEATURES_TOKENS];
	uint8_t clean[FEATURES_TOKENS];	/* words without fillers and repeats */
	/* What joins each of them to words before it; the text's edges, too. */
	uint32_t joints[FEATURES_TOKENS + 2];
	/* Where they are made they are no longer than the words, but for one. */
	char bytes[FEATURES_BYTES + FEATURES_WORD_MAX + 1];
};

struct features {
	struct feature list[FEATURES_MAX];
	unsigned count;
	struct tokens text, prev;
};

void features_extract(struct features *f, struct slice text, struct slice prev,
    bool prev_same_speaker);
/*
 * All but the kinds word, piece and pword, which a word gives wherever it
 * stands: one for each of text.clean and prev.clean.  False, and none, if
 * FEATURES_MAX could then keep other features out than features_extract does.
 */
bool features_but_words(struct features *f, struct slice text,
    struct slice prev, bool prev_same_speaker);
struct word_keys {
	uint32_t word, before;		/* of the text; of the turn before */
	uint32_t pieces[2 * FEATURES_WORD_MAX];
	unsigned n_pieces;
};
void feature_word_keys(const struct tokens *t, unsigned token,
    struct word_keys *out);
/* Those of the group `words` alone. */
void features_words(struct features *f, struct slice text);
/* Inline: asked for every feature of every text. */
static inline enum feature_group
feature_group(enum feature_kind kind)
{
	static const uint8_t groups[] = {
#define KIND(name, group, what) GROUP_##group,
		FEATURE_KINDS(KIND)
#undef KIND
	};

	return groups[kind];
}
/* Adds a few readable words: the kind and the text it stands for. */
void feature_describe(const struct features *f, const struct feature *one,
    struct buf *out);

#endif
