/*
 * search_impl - what the files of search share
 */
#ifndef STORE_SEARCH_IMPL_H
#define STORE_SEARCH_IMPL_H

#include "store/embed.h"
#include "store/rank.h"
#include "store/search.h"
#include "store/segments.h"
#include "store/tail.h"
#include "store/vectors.h"

struct own_slot;

/* A file of the index that is mapped, or a piece made in its stead. */
struct search_piece {
	struct segment *segment;
	unsigned level;
	uint64_t first, hash;
};

/* One domain of one piece, during a run. */
struct source {
	struct section x;
	uint32_t base;		/* its first document among all sources' */
	bool skip;		/* no document of it can pass the filters */
	bool wants;		/* some string of `places` is wanted */
	int64_t later_ms;	/* no source behind it has an earlier time */
	const int8_t *vectors;	/* NULL: it has none */
	const int64_t *sum;	/* of them */
	int64_t places[COLUMN_COUNT];	/* wanted strings; -1: any */
};

struct search {
	const struct conf *conf;
	char *dir;
	struct tokeniser *tokeniser;
	struct embed *embed;		/* NULL: words alone */
	struct vector_pool *pool;	/* of an endpoint; else NULL */
	bool lacking;		/* an endpoint's vectors, in a run of late */
	struct segment_list list;
	struct search_piece *pieces;
	size_t n_pieces, pieces_room;
	struct {			/* what the pieces were chosen by */
		uint64_t rows, last_hash, epoch;
		int64_t dir_s, dir_ns;
		bool valid;
	} seen;
	struct tail tail;
	uint64_t upto;
	uint64_t applied;	/* the store's own tables hold so much */
	/* One run; the memory is kept. */
	struct source *sources;
	size_t n_sources, sources_room;
	float *scores;			/* zero between runs */
	uint64_t *touched;		/* a bit a document that has a score */
	uint8_t *must;			/* conditions met, where there are any */
	uint8_t *speaks;		/* is said by whom the query names */
	uint64_t *taken;		/* a bit a document that was chosen */
	int32_t *near;			/* likeness, where all were looked at */
	size_t docs_room;
	struct own_slot *owns;		/* what own_score has found out */
	uint64_t runs;
	struct vector_cache cache;	/* of the tail's documents */
};

enum { TOUCH_BLOCK = 64 };	/* documents, a word of bits */

/* ---- search_query.c ---- */

struct query_term {
	struct slice term;
	struct slice whole;	/* the word, where the term is its stem only */
	bool prefix;
	bool must;		/* of a phrase */
	bool date;		/* of when a turn was said: there or not */
	bool name;		/* of a speaker */
};

/* How many letters of a beginning an ending may take, and what is left. */
enum { PREFIX_CUT = 3, PREFIX_STEM = 4 };

/* A word as it stands in the query; it may be a speaker's name. */
struct query_word {
	size_t at, len;
	struct slice folded;
	struct slice plain;	/* as tokenise_plain gives it, a space behind */
	bool name;		/* of a speaker of the domain */
	bool tells;		/* it is no stop word, nor frames a question */
};

struct parsed {
	struct query_term *terms;
	size_t n_terms;
	struct slice *phrases;	/* as tokenise_plain gives them */
	size_t n_phrases;
	unsigned must;		/* conditions a document must meet */
	struct query_word *words;
	size_t n_words;
};

int parse_query(struct search *s, const struct search_query *q,
    struct arena *arena, struct parsed *out, struct buf *why);

/* ---- search_score.c ---- */

/*
 * A document that may become a candidate, and what it was chosen by.  A mark is
 * a number that is not negative, as the bits of a float, above the document:
 * one comparison tells the better, and the later one on a tie.
 */
struct scored {
	uint64_t mark;
	uint32_t source;
	int32_t near;		/* likeness, where that was looked at */
};

static inline uint64_t
mark_of(float key, uint32_t doc)
{
	uint32_t bits;

	memcpy(&bits, &key, sizeof(bits));
	return (uint64_t)bits << 32 | doc;
}

static inline float
mark_key(uint64_t mark)
{
	uint32_t bits = (uint32_t)(mark >> 32);
	float key;

	memcpy(&key, &bits, sizeof(key));
	return key;
}

/* Among all sources'. */
static inline uint32_t
mark_doc(uint64_t mark)
{
	return (uint32_t)mark;
}

struct candidate {
	uint32_t doc, source;	/* as above */
	uint32_t sitting;	/* its first turn, likewise */
	double own;
	struct rank_facts facts;
	double score;
};

/* A candidate in its order; small, as they are moved about. */
struct ranking {
	double score;
	uint32_t doc, at;
};

/* A thread, and up to which of its turns. */
struct stretch {
	uint64_t thread, turns;
};

struct run {
	struct search *s;
	const struct search_view *view;
	const struct search_query *q;
	struct arena *arena;
	struct parsed parsed;
	struct rank_field field;
	float role[256];	/* by norm */
	float most_terms;	/* the largest word score */
	unsigned kinds;		/* that are looked at: SEARCH_IN(kind) | ... */
	unsigned classes;	/* theirs, a bit each */
	bool timed;		/* the query says when */
	struct stretch *shared;	/* history that the thread has from others */
	size_t n_shared;
	bool speakers;		/* the query names some */
	struct {
		bool asked;		/* the rest has been found out */
		bool on, scanned;
		int8_t query[EMBED_DIMS_MAX];
		double mean, most;	/* likeness over the domain */
	} dense;
	int64_t now_ms;
	struct scored *scored;
	size_t n_scored;
	struct candidate *candidates;
	size_t n_candidates;
	struct ranking *ranking;	/* a heap of those not asked for yet */
	size_t n_ranking;
	struct candidate **ranked;	/* the best, as far as asked for */
	size_t n_ranked;
};

/* ---- search_filter.c ---- */

/* What the sources have of the strings that are asked for. */
void filter_sources(struct run *r);
/* What is looked at, and the classes that it is of. */
void filter_kinds(struct run *r);
/* The threads whose history the one that is asked for shares. */
void filter_history(struct run *r);
/* Whether a document of a source passes the query's filters. */
bool passes(const struct run *r, const struct source *source, uint32_t doc);
/* And whether the whole of it does, which is known of a hit. */
bool passes_whole(const struct run *r, const struct search_hit *hit);

/* ---- search_score.c ---- */

/* Sources of the domain, filters, scores by words. */
void score_words(struct run *r);
/* Candidates of the query's kinds. */
void score_rank(struct run *r);
/* Gives the candidates back; others may be ranked then. */
void score_drop(struct run *r);
/* Makes memory ready for the next run. */
void score_clear(struct run *r);

/* ---- search_choose.c ---- */

/* The best by their mark, the worst of them on top. */
struct heap {
	struct scored *at;
	size_t n, most;
};
void heap_offer(struct heap *h, const struct scored *c);
/* Brings the best to the front, in no order. */
void select_best(struct scored *at, size_t n, size_t best);
/* Enough for a limit, and n at least. */
size_t at_least(size_t n, uint64_t limit);
/* Into r->scored. */
void choose_scored(struct run *r);
/* What is in r->ranking can be asked for in its order. */
void ranking_begin(struct run *r);
/* The one of i better ones; there must be so many. */
const struct candidate *score_ranked(struct run *r, size_t i);

/* ---- search_near.c ---- */

/* Out of what was chosen, by what each is itself. */
void choose_finalists(struct run *r);

/* Where a document lies. */
struct place {
	uint32_t doc, source;
};

static inline int64_t
place_value(const struct run *r, struct place p, enum column column)
{
	const struct source *source = &r->s->sources[p.source];

	return section_value(&source->x, column, p.doc - source->base);
}

/* It is asked for soon. */
static inline void
approach_value(const struct run *r, struct place p, enum column column)
{
	const struct source *source = &r->s->sources[p.source];

	__builtin_prefetch(source->x.columns[column].at +
	    (size_t)(p.doc - source->base) * source->x.columns[column].width);
}

/* The turn `step` (1 or -1) from a turn in its thread. */
bool turn_beside(const struct run *r, struct place from, int step,
    struct place *out);
/* A document's score by itself, in a run after choose_finalists. */
double own_score_beside(const struct run *r, struct place p);
/* It was asked for before. */
bool own_is_known(const struct run *r, uint32_t doc);
/* It is asked for soon. */
void approach_own(const struct run *r, struct place p);

/* ---- search_around.c ---- */

/* What is around each candidate. */
void look_around(struct run *r);

static inline int64_t
candidate_value(const struct run *r, const struct candidate *c,
    enum column column)
{
	const struct source *source = &r->s->sources[c->source];

	return section_value(&source->x, column, c->doc - source->base);
}

static inline struct slice
candidate_string(const struct run *r, const struct candidate *c,
    enum column column)
{
	return section_string(&r->s->sources[c->source].x,
	    candidate_value(r, c, column));
}

/* ---- search_dense.c ---- */

/* Likeness to the query of the sources' documents; the most alike are added. */
void dense_run(struct run *r);
/* Likeness as whole numbers give it; 0 where none is known. */
int32_t dense_near(const struct run *r, uint32_t place, uint32_t doc);
/* Its vector is asked for soon. */
void dense_approach(const struct run *r, uint32_t place, uint32_t doc);
/* 0 to 1, 1 being the most alike document there is; *alike: as such. */
double dense_of(const struct run *r, uint32_t place, int32_t near,
    double *alike);

/* ---- search_together.c ---- */

/*
 * How much of the query stands in a text as it stands in the query, 0 to 1;
 * `plain` is the text as tokenise_plain gives it.
 */
double together_of(const struct run *r, struct slice plain);
/* Of how many candidates that is to be looked at; 0: of none. */
size_t together_look(const struct run *r);

/* ---- search_hit.c ---- */

/* Hits out of the candidates. */
void hits_of(struct run *r, struct search_result *out);

#endif
