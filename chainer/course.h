/*
 * course - whether a user goes on, begins something, or returns to something
 *
 * For the talk of one user with an assistant.  A turn's wording and what it
 * follows say much about that, and the words it has in common with the talk's
 * chains say the rest, but only against each other: topics of one field all
 * share words.  So all possible courses compete: to go on with the chain at
 * hand, to return to each other one, to begin a new one.  Each has a score,
 * the sum of its terms (course.def) and of the turn's words with the weights
 * of a model; the best wins.
 *
 * Whole numbers: terms are thousandths, scores thousandths of log odds.  The
 * weights are made by chainer/train.
 */
#ifndef CHAINER_COURSE_H
#define CHAINER_COURSE_H

#include "chainer/chain.h"
#include "chainer/cues.h"

enum course { COURSE_on, COURSE_new, COURSE_return, COURSES };

enum course_term {
#define TERM(name, what) COURSE_##name,
#include "chainer/course.def"
	COURSE_TERMS
};

enum { COURSE_CHAINS = 16, COURSE_WORDS = 96, COURSE_SAID = 4 };

/* The turn, and what was before it. */
struct course_turn {
	const struct msg_c_turn *c;
	struct cues cues;
	bool asked;	/* the assistant has asked something */
	bool prompted;	/* with its last words */
	bool closed;	/* the turn before sounded like an end */
	bool turned;	/* the user has just come to the chain at hand */
	bool paused;	/* some time has passed */
	size_t content;	/* how many keywords it has */
	uint64_t weight, fresh;	/* of all, and of those no chain knows */
};

/* What it has to do with a chain; the chain at hand is the first one. */
struct course_chain {
	int keyword, entity, meaning;	/* thousandths */
	int rank;			/* how many were spoken of since */
};

/* The whole turn's topic: a claim's, or the first few in one. */
struct topic course_topic(struct arena *arena, const struct msg_c_turn *c);
/* The part of the turn that makes it. */
struct slice course_text(const struct msg_c_turn *c, struct slice text);
/* Weighs the topic's words: all of them, and those none of the chains knows. */
void course_weigh(struct course_turn *t, const struct topic *topic,
    const struct topic *chains, size_t n);
/* Whether it ends in a question. */
bool course_asks(struct slice text);
/*
 * Those terms that all courses of a turn have in common, up to COURSE_COMMON;
 * and the others, of the k-th of n chains; k is n: of a new one.
 */
enum { COURSE_COMMON = COURSE_keyword };
void course_common(const struct course_turn *t, size_t n,
    int32_t terms[COURSE_TERMS]);
void course_terms(const struct course_chain *chains, size_t n, size_t k,
    int32_t terms[COURSE_TERMS]);
/* The words of a text, as the model knows them; how many. */
size_t course_words(struct slice text, uint32_t words[COURSE_WORDS]);

struct course_model;

/* NULL when the file cannot be read or does not fit; one line in `why`. */
struct course_model *course_open(const char *path, struct buf *why)
    __attribute__((warn_unused_result));
void course_close(struct course_model **m);

struct course_verdict {
	size_t to;		/* a chain; the number of chains: a new one */
	int lead;		/* over the next best */
	int scores[COURSE_CHAINS + 1];
	/* What spoke most for it, against the next best. */
	const char *said[COURSE_SAID];
	size_t n_said;
};

/*
 * At least one chain, at most COURSE_CHAINS; `known` is added to what speaks
 * for each of them, against a new one.
 */
void course_choose(const struct course_model *m, const struct course_turn *t,
    struct slice text, const struct course_chain *chains, size_t n, int known,
    struct course_verdict *out);

#endif
