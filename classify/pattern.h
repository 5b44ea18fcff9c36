/*
 * pattern - many word patterns, matched in one pass over a text
 *
 * Patterns are regular expressions over words instead of characters:
 *
 *	word		that word, whatever its case; with an apostrophe it also
 *			matches without ("don't", "dont"), unless set apart
 *	word~		its regular forms too: fix fixes fixed fixing
 *	word*		every word that begins so
 *	%class		any word of a class defined before
 *	-word -%class	one word that is not this, not of that class
 *	<num> <word>	any number; any word or number
 *	(a b|c)		alternatives	[a b|c]	the same, or nothing
 *	..3  ...	a gap of up to three words; of any length
 *	^  $		begin and end of the sentence; an unknown word and a
 *			comma before the begin are a name that is spoken to
 *	? ! .  ,	punctuation that must be there; a comma (dash, colon,
 *			semicolon) not asked for is passed over
 *	@macro		a piece of pattern defined before
 *
 * The text is read once.  Each id has an automaton over classes of words; it is
 * walked only where the text has a word that its patterns cannot do without,
 * and a word steps those that are under way and wakes those it can begin, so
 * the cost follows from what the text touches and not from the number of
 * patterns.  Deterministic states are made when a text first needs
 * them and kept in bounded caches; what is found never depends on them.  Not
 * for several threads at once.
 */
#ifndef CLASSIFY_PATTERN_H
#define CLASSIFY_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buf.h"

enum pattern_lang { LANG_neither = 0, LANG_english = 1, LANG_foreign = 2 };

struct patterns;

/* What one text had in it.  ids are borrowed until the next match. */
struct pattern_hits {
	const unsigned *ids;		/* each once, ascending */
	size_t count;
	unsigned words;			/* numbers not counted */
	unsigned english, foreign;	/* words known to be that */
	unsigned unknown;		/* words that no pattern and no list has */
	unsigned strange;		/* words with letters outside ASCII */
	int leaning;			/* what its words lean to, summed */
};

struct patterns *patterns_new(void);
void patterns_free(struct patterns **set);

/*
 * Definitions, before patterns_compile.  Each returns 0, or -1 with the reason
 * added to `why`.  Nothing given is kept by reference.
 */
int patterns_class(struct patterns *set, struct slice name, struct slice body,
    struct buf *why);
int patterns_macro(struct patterns *set, struct slice name, struct slice body,
    struct buf *why);
int patterns_apart(struct patterns *set, struct slice words, struct buf *why);
int patterns_words(struct patterns *set, enum pattern_lang lang,
    struct slice words, struct buf *why);
/*
 * What each of these words adds to a text's leaning, each time it is said.  It
 * is no more known than without, in patterns and as to its language.
 */
int patterns_leaning(struct patterns *set, int leaning, struct slice words,
    struct buf *why);
/* The id is what a match reports; several patterns may share one. */
int patterns_add(struct patterns *set, struct slice source, unsigned id,
    enum pattern_lang lang, struct buf *why);

int patterns_compile(struct patterns *set, struct buf *why);
void patterns_match(struct patterns *set, struct slice text,
    struct pattern_hits *out);

/*
 * The same in two steps, for who asks about a text more than once, or about
 * some ids only: the others then cost nothing.  A set of ids is a bit for each,
 * in patterns_id_words 64-bit words.
 */
struct pattern_text {
	const uint32_t *words;		/* as the patterns number them */
	size_t count;
};

size_t patterns_id_words(const struct patterns *set);
/* Good until the next is read; of the hits, all but ids. */
struct pattern_text patterns_read(struct patterns *set, struct slice text,
    struct pattern_hits *out);
struct pattern_text patterns_keep(struct pattern_text text,
    struct arena *arena);
/* Those of the wanted that the text has; good until the next match. */
const uint64_t *patterns_find(struct patterns *set, struct pattern_text text,
    const uint64_t *wanted);

static inline bool
pattern_id_in(const uint64_t *ids, unsigned id)
{
	return ids[id / 64] >> (id % 64) & 1;
}

static inline void
pattern_id_add(uint64_t *ids, unsigned id)
{
	ids[id / 64] |= UINT64_C(1) << (id % 64);
}

/* For those who watch: summed over all automata. */
struct pattern_stats {
	size_t groups, nodes, words, symbols, states, made, flushes;
};
void patterns_stats(const struct patterns *set, struct pattern_stats *out);

#endif
