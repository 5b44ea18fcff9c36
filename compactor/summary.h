/*
 * summary - the shortest faithful form of what was said
 *
 * Extractive: everything is the speaker's own words, with greetings,
 * politeness, filler, markup, code and machine text cut away, and shortened at
 * the border of a clause where it is long.  Pure functions of a turn's text and
 * of what classify said of it; results live in the arena or in the text.
 */
#ifndef COMPACTOR_SUMMARY_H
#define COMPACTOR_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/msg.h"

enum {
	GOAL_WORDS = 18,
	LINE_WORDS = 26,	/* of a resolution, a statement */
	TAGS_MOST = 5,
};

/* A turn, as the functions below read it. */
struct summary_turn {
	struct slice text;
	struct slice role;
	const struct msg_c_turn *does;
	/* As summary_sentences has found them; NULL: it was not asked yet. */
	struct summary_sentence *sentences;
	size_t n_sentences;
};

/* A sentence, shortened, and how much it says. */
struct summary_line {
	struct slice text;	/* empty: there is none */
	unsigned content;	/* words that tell the topic; "it works" has 0 */
	size_t at, len;		/* the sentence in the turn's text */
};

/*
 * What is to be reached, or what is wrong: "Debug the 401 error", "Getting a
 * 401 error".  Of the sentence that opens, asks or tells the problem.
 */
struct summary_line summary_goal(struct arena *a,
    const struct summary_turn *t);
/*
 * The sentence that resolves: what was found or done, what was booked, what
 * the answer is.  "That fixed it, thanks!" has content 0: who wants to know how
 * looks at the turn before.
 */
struct summary_line summary_resolution(struct arena *a,
    const struct summary_turn *t);
/* The sentence that says most: for facts, events, notes. */
struct summary_line summary_statement(struct arena *a,
    const struct summary_turn *t);
/* The question that is asked, as one; empty: there is none. */
struct summary_line summary_question(struct arena *a,
    const struct summary_turn *t);

enum summary_cut {
	CUT_filler,		/* interjections, greetings, thanks */
	CUT_asking,		/* also "can you please", "I want to" */
};
/* One sentence of `most` words at most, begun with a capital. */
struct slice summary_shorten(struct arena *a, struct slice sentence,
    enum summary_cut cut, size_t most);

struct phrase_word;
/* The same of one whose words are read already, phrase_words's. */
struct slice summary_shorten_words(struct arena *a, struct slice sentence,
    struct phrase_word *words, size_t count, enum summary_cut cut,
    size_t most);

struct summary_sentence {
	size_t at, len;
	const struct msg_c_sentence *does;	/* NULL: as the turn does */
};
/* The sentences of the speaker's own words. */
size_t summary_sentences(struct arena *a, const struct summary_turn *t,
    struct summary_sentence **out);
/* A stem that tells that something works, or is wanted, and not what. */
bool summary_is_empty(struct slice stem);
/* Does it tell that something is wrong? */
bool summary_tells_problem(struct arena *a, struct slice sentence);
/* How much of the topic is told between at and at + len. */
unsigned summary_content(const struct msg_c_turn *does, size_t at, size_t len);

/*
 * Adds words that tell the topic: names and things first, then the heaviest
 * keywords as they are written, small.  None twice, no more than `most` in
 * all.
 */
void summary_tags(struct arena *a, const struct summary_turn *t, size_t most,
    struct msg_strs *tags);

/* For tests: a phrase that is not in its place in its list, or NULL. */
const char *summary_unsorted(void);
const char *summary_shorten_unsorted(void);

/* "2026-11-15" */
struct slice summary_date(struct arena *a, int64_t ts_ms);
/* "2026-11-15 [effort] Goal => resolution", as a context has it. */
struct slice summary_of(struct arena *a, const struct msg_artifact *artifact);

#endif
