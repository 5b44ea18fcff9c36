/*
 * rank - what makes a document a good answer, in numbers
 *
 * Pure arithmetic on what was found out about a document; search_score.c
 * finds it out.  How the numbers were found is in docs/EVALUATION.md.
 */
#ifndef STORE_RANK_H
#define STORE_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "store/document.h"
#include "store/search.h"

/* What is known of the collection that a query is asked in. */
struct rank_field {
	uint64_t n_docs;
	double mean[CLASS_COUNT];	/* length, by class */
};

/* How much a word that is in df documents tells. */
double rank_idf(const struct rank_field *f, uint64_t df);
/*
 * A word's score in a document is idf × n / (n + damping), n being how often
 * it is there, times rank_scale().
 */
double rank_damping(const struct rank_field *f, enum document_class class,
    double length);
double rank_scale(void);
/* A speaker's name tells less as a word: it is asked for as a speaker. */
double rank_name_share(void);
/*
 * Long answers would drown what people say of themselves, unless the question
 * is about them.
 */
double rank_role(enum document_class class, double length, bool asks_back);
/* What a standing instruction or a preference counts for; see wish.h. */
double rank_wish(unsigned wish);

/* A document by itself. */
struct rank_own {
	double terms;		/* its word score to the largest, 0..1 */
	double dense;		/* its likeness to the largest, 0..1 */
	double alike;		/* its likeness as such, -1..1 */
	bool speaker;		/* the query names who speaks */
	double role;
};
double rank_own(const struct rank_own *own);

/* And what is around it: scores of theirs, 0 where there is none. */
struct rank_facts {
	struct rank_own own;
	double before, after, before2, after2;
	double sitting;		/* the best of it, this one included */
	bool alone;		/* no turn: nothing is around it */
	double together;	/* of the query's words, those that stand in
				   it as they stand in the query, 0..1 */
	int64_t age_ms;
	uint64_t weight;	/* thousandths; 0: it has none */
};
/* Whether there is anything to say for it: a word, likeness, a neighbour. */
bool rank_is_found(const struct rank_facts *f);
double rank_score(const struct rank_facts *f, struct search_why *why);
/* Brings a score to 0..1, in the same order. */
double rank_unit(double score);

/* Lineage: the newer statement before the one it refines. */
double rank_superseded(double unit);
double rank_refinement(double unit);

#endif
