/*
 * search_score - from a query to ranked candidates
 *
 * Every document that has a word of the query gets its exact word score; a
 * posting costs a few nanoseconds, so nothing is left out to be fast.
 * search_choose.c takes the best of those that pass the filters.
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "store/search_impl.h"
#include "store/wish.h"

/* ---- sources ---- */

static void
add_source(struct search *s, const struct segment *segment,
    struct slice domain, uint32_t *base)
{
	struct source *source;

	if (s->n_sources == s->sources_room) {
		s->sources_room = s->sources_room == 0 ? 32 :
						 s->sources_room * 2;
		s->sources = xrealloc(s->sources, s->sources_room *
		    sizeof(s->sources[0]));
	}
	source = &s->sources[s->n_sources];
	*source = (struct source){ .base = *base };
	if (!section_open(segment, domain, &source->x) ||
	    source->x.n_docs == 0 ||
	    source->x.n_docs > UINT32_MAX - TOUCH_BLOCK - *base)
		return;
	*base += source->x.n_docs;
	s->n_sources++;
}

static uint32_t
open_sources(struct run *r)
{
	struct search *s = r->s;
	uint32_t base = 0;
	size_t i;

	s->n_sources = 0;
	for (i = 0; i < s->n_pieces; i++)
		add_source(s, s->pieces[i].segment, r->q->domain, &base);
	for (i = 0; i < s->tail.n_pieces; i++)
		add_source(s, s->tail.pieces[i], r->q->domain, &base);
	return base;
}

static void
make_room(struct search *s, uint32_t docs)
{
	size_t blocks = docs / TOUCH_BLOCK + 1;

	if (docs <= s->docs_room)
		return;
	free(s->scores);
	free(s->touched);
	free(s->must);
	free(s->speaks);
	free(s->taken);
	free(s->near);
	s->must = s->speaks = NULL;
	s->near = NULL;
	s->docs_room = blocks * TOUCH_BLOCK;
	s->scores = xcalloc(s->docs_room, sizeof(s->scores[0]));
	s->touched = xcalloc(blocks, sizeof(s->touched[0]));
	s->taken = xcalloc(blocks, sizeof(s->taken[0]));
}

static void
measure_field(struct run *r)
{
	uint64_t docs[CLASS_COUNT] = { 0 }, length[CLASS_COUNT] = { 0 };
	const struct section *x;
	int64_t ts, later = INT64_MAX;
	size_t i;
	int c;

	for (i = r->s->n_sources; i-- > 0;) {
		r->s->sources[i].later_ms = later;
		ts = r->s->sources[i].x.columns[COLUMN_TS].base;
		later = ts < later ? ts : later;
	}
	r->now_ms = INT64_MIN;
	for (i = 0; i < r->s->n_sources; i++) {
		x = &r->s->sources[i].x;
		r->field.n_docs += x->n_docs;
		for (c = 0; c < CLASS_COUNT; c++) {
			docs[c] += x->class_docs[c];
			length[c] += x->class_length[c];
		}
		ts = section_value(x, COLUMN_TS, x->n_docs - 1);
		r->now_ms = ts > r->now_ms ? ts : r->now_ms;
	}
	for (c = 0; c < CLASS_COUNT; c++)
		r->field.mean[c] = docs[c] == 0 ? 0.0 :
		    (double)length[c] / (double)docs[c];
	if (r->q->now_ms != 0)
		r->now_ms = r->q->now_ms;
	if (r->now_ms > r->q->as_of_ms)
		r->now_ms = r->q->as_of_ms;
}

/* ---- scores ---- */

struct scorer {
	struct run *r;
	float damping[256];		/* by norm */
};

static void
prepare_scorer(struct scorer *sc, struct run *r)
{
	enum document_class class;
	bool asks_back = wish_asks_back(r->q->text);
	unsigned norm;
	double length;

	sc->r = r;
	for (norm = 0; norm < 256; norm++) {
		class = norm_class((uint8_t)norm);
		length = norm_length((uint8_t)norm);
		sc->damping[norm] = (float)rank_damping(&r->field, class,
		    length);
		r->role[norm] = (float)rank_role(class, length,
		    asks_back);
	}
}

/* A date is there or not; a word counts by how often, in how much text. */
static void
score_postings(struct scorer *sc, struct source *source,
    const struct section_term *term, const struct query_term *t, float idf)
{
	float *scores = sc->r->s->scores + source->base;
	uint64_t *touched = sc->r->s->touched;
	const uint8_t *norms = source->x.norms;
	uint32_t docs[POSTING_BLOCK];
	uint8_t codes[POSTING_BLOCK];
	struct posting_reader reader;
	uint32_t doc;
	size_t i, n;
	float count;

	posting_open(&reader, term->postings, term->df, source->x.n_docs);
	while ((n = posting_next(&reader, docs, codes)) > 0) {
		for (i = 0; i < n; i++) {
			count = posting_count[codes[i]];
			scores[docs[i]] += t->date ? idf : idf * count /
			    (count + sc->damping[norms[docs[i]]]);
			doc = source->base + docs[i];
			touched[doc / TOUCH_BLOCK] |= UINT64_C(1) <<
			    doc % TOUCH_BLOCK;
		}
		for (i = 0; t->must && i < n; i++)
			sc->r->s->must[source->base + docs[i]]++;
	}
}

/*
 * All that a beginning of a word stands for in one source, however many: in
 * how many documents.  Scored where an idf is given.
 */
static uint64_t
take_begun(struct scorer *sc, struct source *source,
    const struct query_term *t, float idf)
{
	struct slice prefix = t->term;
	struct section_term found;
	struct term_iterator it;
	uint64_t df = 0;
	size_t cut;

	/* An ending may have been cut inside it: educat* stands for educ. */
	for (cut = 1; cut <= PREFIX_CUT && prefix.len >= cut + PREFIX_STEM;
	     cut++) {
		if (!section_term(&source->x, slice_of(prefix.ptr,
			prefix.len - cut), &found))
			continue;
		df += found.df;
		if (idf > 0.0f)
			score_postings(sc, source, &found, t, idf);
	}
	terms_seek(&it, &source->x, prefix);
	while (terms_next(&it, &found) && found.term.len >= prefix.len &&
	    memcmp(found.term.ptr, prefix.ptr, prefix.len) == 0) {
		df += found.df;
		if (idf > 0.0f)
			score_postings(sc, source, &found, t, idf);
	}
	return df;
}

/* Where the sources have a term (df 0: not); in how many documents. */
static uint64_t
find_term(struct scorer *sc, const struct query_term *t,
    struct section_term *found)
{
	struct search *s = sc->r->s;
	uint64_t df = 0;
	size_t i;

	for (i = 0; i < s->n_sources; i++) {
		if (t->prefix) {
			df += take_begun(sc, &s->sources[i], t, 0.0f);
			continue;
		}
		if (!section_term(&s->sources[i].x, t->term, &found[i]))
			found[i].df = 0;
		df += found[i].df;
	}
	return df;
}

static void
score_term(struct scorer *sc, struct query_term *t)
{
	struct run *r = sc->r;
	struct search *s = r->s;
	struct section_term *found = xmalloc((s->n_sources + 1) *
	    sizeof(found[0]));
	uint64_t df = find_term(sc, t, found);
	float idf;
	size_t i;

	/* An identifier is indexed whole: econnrefused is no form of a word. */
	if (df == 0 && t->whole.len > 0) {
		t->term = t->whole;
		df = find_term(sc, t, found);
	}
	if (df > r->field.n_docs)
		df = r->field.n_docs;
	idf = (float)(rank_idf(&r->field, df) *
	    (t->date ? 1.0 : rank_scale()) *
	    (t->name ? rank_name_share() : 1.0));
	for (i = 0; df > 0 && i < s->n_sources; i++) {
		if (t->prefix)
			(void)take_begun(sc, &s->sources[i], t, idf);
		else if (found[i].df > 0)
			score_postings(sc, &s->sources[i], &found[i], t, idf);
	}
	free(found);
}

/* Counts up `flags` for the documents of a term; how many there are. */
static uint64_t
flag_term(struct run *r, struct slice term, uint8_t *flags)
{
	uint32_t docs[POSTING_BLOCK];
	uint8_t codes[POSTING_BLOCK];
	struct posting_reader reader;
	struct section_term found;
	struct source *source;
	uint64_t total = 0;
	size_t i, k, n;

	for (i = 0; i < r->s->n_sources; i++) {
		source = &r->s->sources[i];
		if (!section_term(&source->x, term, &found))
			continue;
		total += found.df;
		posting_open(&reader, found.postings, found.df,
		    source->x.n_docs);
		while ((n = posting_next(&reader, docs, codes)) > 0)
			for (k = 0; k < n; k++)
				flags[source->base + docs[k]]++;
	}
	return total;
}

static bool
is_speaker(struct run *r, struct slice term)
{
	struct section_term found;
	size_t i;

	for (i = 0; i < r->s->n_sources; i++)
		if (section_term(&r->s->sources[i].x, term, &found))
			return true;
	return false;
}

/* A word of the query that is a speaker's name asks for that speaker. */
static void
find_speakers(struct run *r)
{
	const struct token *tokens;
	struct query_word *w;
	struct slice term;
	size_t i, k, n;

	for (i = 0; i < r->parsed.n_words; i++) {
		w = &r->parsed.words[i];
		term = index_speaker_term(r->arena, w->folded);
		if (w->folded.len < 2 || !is_speaker(r, term))
			continue;
		if (!r->speakers) {
			free(r->s->speaks);
			r->s->speaks = xcalloc(r->s->docs_room, 1);
		}
		r->speakers = true;
		(void)flag_term(r, term, r->s->speaks);
		w->name = true;
		n = tokenise_for(r->s->tokeniser, w->folded, TOKENS_OF_QUERY,
		    &tokens);
		for (k = 0; n > 0 && k < r->parsed.n_terms; k++)
			if (slice_eq(r->parsed.terms[k].term, tokens[0].term))
				r->parsed.terms[k].name = true;
	}
}

static void
score_all(struct run *r)
{
	struct scorer *sc = xmalloc(sizeof(*sc));
	size_t i;

	r->parsed.must += r->q->tag.len > 0;
	if (r->parsed.must > 0) {
		free(r->s->must);
		r->s->must = xcalloc(r->s->docs_room, 1);
	}
	/* A tag counts as a condition, not as a word. */
	if (r->q->tag.len > 0)
		(void)flag_term(r, index_tag_term(r->arena, r->q->tag),
		    r->s->must);
	find_speakers(r);
	prepare_scorer(sc, r);
	for (i = 0; i < r->parsed.n_terms; i++)
		score_term(sc, &r->parsed.terms[i]);
	free(sc);
}

void
score_clear(struct run *r)
{
	struct search *s = r->s;
	size_t block;

	for (block = 0; block < s->docs_room / TOUCH_BLOCK; block++)
		if (s->touched[block] != 0) {
			memset(s->scores + block * TOUCH_BLOCK, 0,
			    TOUCH_BLOCK * sizeof(s->scores[0]));
			s->touched[block] = 0;
		}
}

/* ---- the whole ---- */

void
score_words(struct run *r)
{
	uint32_t n_docs = open_sources(r);

	make_room(r->s, n_docs);
	measure_field(r);
	filter_sources(r);
	score_all(r);
}

void
score_rank(struct run *r)
{
	/* A phrase is there or not: whoever has it is found. */
	bool may_pad = r->q->padded || r->parsed.n_phrases > 0;
	struct search_why why;
	struct candidate *c;
	size_t i;

	filter_kinds(r);
	choose_scored(r);
	dense_run(r);
	choose_finalists(r);
	look_around(r);
	r->ranked = arena_room(r->arena, (r->n_candidates + 1) *
	    sizeof(r->ranked[0]));
	r->ranking = arena_room(r->arena, (r->n_candidates + 1) *
	    sizeof(r->ranking[0]));
	for (i = 0; i < r->n_candidates; i++) {
		c = &r->candidates[i];
		if (may_pad || rank_is_found(&c->facts))
			c->score = rank_score(&c->facts, &why);
		r->ranking[i] = (struct ranking){ c->score, c->doc,
			(uint32_t)i };
	}
	ranking_begin(r);
}

void
score_drop(struct run *r)
{
	free(r->scored);
	free(r->candidates);
	r->scored = NULL;
	r->candidates = NULL;
	r->ranked = NULL;
	r->ranking = NULL;
	r->n_scored = r->n_candidates = r->n_ranked = r->n_ranking = 0;
}
