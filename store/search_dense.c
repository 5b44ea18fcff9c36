/*
 * search_dense - how alike the query and the documents are
 *
 * Small domains are looked at whole; in larger ones the words choose whom to
 * look at.  A likeness counts from the domain's mean upwards: how alike any
 * two of its texts are says nothing.  Where no document has a word of the
 * query, nothing but likeness speaks, and something is always the most alike:
 * then words that the table does not have whole do not count, and a document
 * is found from least_alone on only.
 */
#include <math.h>
#include <stdlib.h>

#include "common/xmalloc.h"
#include "store/search_impl.h"

enum {
	SCAN_MOST = 50000,	/* documents that are all looked at */
	MAKE_MOST = 2 * SEGMENT_SPAN,	/* vectors made while somebody waits */
	DENSE_CANDIDATES = 300,
	AHEAD = 6,		/* documents whose vectors are fetched before */
	CACHE_LINE = 64,
};

/*
 * The more there are, the more alike is the one that is so by chance.  Of the
 * training sets, sentences about something else than a short query and with no
 * word in common: the most alike of n is above this for one query in ten, be n
 * 8, 30, 100, 300 or 1,000 (0.25, 0.31, 0.36, 0.40, 0.45).  From there on it
 * stays, or nothing would be found in a large domain.
 */
static float
least_alone(uint64_t n_docs)
{
	static const double base = 0.17, doubled = 0.028, most = 0.45;

	return (float)fmin(most, base + doubled * log2((double)n_docs + 1.0));
}

/* ---- vectors ---- */

static void
release(void *vectors)
{
	vectors_free(vectors);
}

/*
 * A segment's vectors: the file's, else an empty set to make them into.  An
 * endpoint's of a piece come later, as a file: NULL, and it is looked for
 * again.
 */
static struct vectors *
open_vectors(struct search *s, struct segment *segment)
{
	struct vectors *v = segment_attached(segment);
	bool piece = false;
	char *path, *file;
	size_t i;

	if (v != NULL)
		return v;
	for (i = 0; i < s->n_pieces && v == NULL; i++) {
		if (s->pieces[i].segment != segment)
			continue;
		piece = true;
		file = segment_path(s->dir, s->pieces[i].level,
		    s->pieces[i].first, s->pieces[i].hash);
		path = vectors_path(file, vectors_model(s->embed));
		v = vectors_map(path, segment, s->embed);
		free(path);
		free(file);
	}
	if (v == NULL && piece && embed_is_remote(s->embed)) {
		s->lacking = true;
		return NULL;
	}
	if (v == NULL)
		v = vectors_new(segment_domains(segment));
	segment_attach(segment, v, release);
	return v;
}

static void
find_vectors(struct run *r, struct source *source)
{
	struct segment *segment = (struct segment *)(uintptr_t)
	    source->x.segment;
	struct vectors *v = open_vectors(r->s, segment);

	source->vectors = NULL;
	if (v == NULL)
		return;		/* then words alone count here */
	source->vectors = vectors_of(v, source->x.place, &source->sum);
	if (source->x.n_docs > MAKE_MOST)
		return;		/* then words alone count here */
	if (embed_is_remote(r->s->embed)) {
		if (vectors_are_made(v) && !vectors_gather(v, &source->x,
			r->view->shared, r->s->embed, r->s->pool))
			r->s->lacking = true;
		source->vectors = vectors_of(v, source->x.place,
		    &source->sum);
		return;
	}
	if (source->vectors != NULL)
		return;
	vectors_make(v, &source->x, r->view->shared, r->s->embed,
	    &r->s->cache);
	source->vectors = vectors_of(v, source->x.place, &source->sum);
}

/* ---- the query ---- */

/* No document has a word of the query. */
static bool
is_alone(const struct run *r)
{
	return r->most_terms <= 0.0f;
}

/* Without the speakers' names: who speaks is asked elsewhere. */
static bool
embed_query(struct run *r)
{
	char *text = arena_cstr(r->arena, r->q->text);
	const struct query_word *w;
	size_t i;

	for (i = 0; i < r->parsed.n_words; i++) {
		w = &r->parsed.words[i];
		if (w->name)
			memset(text + w->at, ' ', w->len);
	}
	return (is_alone(r) ? embed_words : embed_text)(r->s->embed,
	    slice_of(text, r->q->text.len), r->dense.query);
}

static double
likeness(int32_t near)
{
	return (double)near / EMBED_NORM;
}

int32_t
dense_near(const struct run *r, uint32_t place, uint32_t doc)
{
	const struct source *source = &r->s->sources[place];
	size_t dims;

	if (!r->dense.on || source->vectors == NULL)
		return 0;
	if (r->dense.scanned)
		return r->s->near[doc];
	dims = embed_dims(r->s->embed);
	return embed_cosine(r->dense.query, source->vectors +
	    (size_t)(doc - source->base) * dims, dims);
}

void
dense_approach(const struct run *r, uint32_t place, uint32_t doc)
{
	const struct source *source = &r->s->sources[place];
	size_t at, dims;
	const int8_t *row;

	if (!r->dense.on || r->dense.scanned || source->vectors == NULL)
		return;
	dims = embed_dims(r->s->embed);
	row = source->vectors + (size_t)(doc - source->base) * dims;
	for (at = 0; at < dims; at += CACHE_LINE)
		__builtin_prefetch(row + at);
}

/* ---- the domain ---- */

static void
measure_mean(struct run *r)
{
	size_t i, k, dims = embed_dims(r->s->embed);
	const struct source *source;
	double total = 0.0, n = 0.0;

	for (i = 0; i < r->s->n_sources; i++) {
		source = &r->s->sources[i];
		if (source->vectors == NULL)
			continue;
		for (k = 0; k < dims; k++)
			total += (double)r->dense.query[k] *
			    (double)source->sum[k];
		n += source->x.n_docs;
	}
	r->dense.mean = n > 0.0 ? total / n / EMBED_NORM : 0.0;
}

static void
note_most(struct run *r, double c)
{
	if (c > r->dense.most)
		r->dense.most = c;
}

/* The more alike of whole numbers is never less alike as a float. */
static void
scan(struct run *r, uint32_t place, struct heap *h)
{
	const struct source *source = &r->s->sources[place];
	struct scored c = { .source = place };
	float key, least = is_alone(r) ? least_alone(r->field.n_docs) :
				      0.0f;
	const int32_t *near = r->s->near + source->base;
	int32_t most = INT32_MIN, full = 0;	/* it must be above */
	uint32_t d;

	for (d = 0; d < source->x.n_docs; d++) {
		most = near[d] > most ? near[d] : most;
		if (near[d] <= full || (r->classes >>
			norm_class(source->x.norms[d]) & 1) == 0)
			continue;
		key = (float)likeness(near[d]);
		if (key > (h->n == h->most ? mark_key(h->at[0].mark) :
			least) && !source->skip && passes(r, source, d)) {
			c.near = near[d];
			c.mark = mark_of(key, source->base + d);
			heap_offer(h, &c);
		}
		if (h->n == h->most)
			full = h->at[0].near;
	}
	note_most(r, (float)likeness(most));
}

/* Once, however many kinds are asked for. */
static void
measure_all(struct run *r)
{
	size_t i, dims = embed_dims(r->s->embed);
	const struct source *source;

	if (r->s->near == NULL)
		r->s->near = xmalloc(r->s->docs_room *
		    sizeof(r->s->near[0]));
	for (i = 0; i < r->s->n_sources; i++) {
		source = &r->s->sources[i];
		if (source->vectors != NULL)
			embed_cosines(r->dense.query, source->vectors,
			    source->x.n_docs, dims,
			    r->s->near + source->base);
	}
	r->dense.scanned = true;
}

static void
scan_all(struct run *r)
{
	struct heap h = { .most = DENSE_CANDIDATES };
	uint32_t i;

	h.at = xmalloc(h.most * sizeof(h.at[0]));
	for (i = 0; i < r->s->n_sources; i++)
		if (r->s->sources[i].vectors != NULL)
			scan(r, i, &h);
	/* A phrase must be there whatever a text is about. */
	if (r->parsed.n_phrases == 0 && h.n > 0) {
		r->scored = xrealloc(r->scored, (r->n_scored + h.n) *
		    sizeof(r->scored[0]));
		memcpy(r->scored + r->n_scored, h.at,
		    h.n * sizeof(h.at[0]));
		r->n_scored += h.n;
	}
	free(h.at);
}

/* What likeness needs to know of the query and of the domain. */
static void
ask_dense(struct run *r)
{
	size_t i;

	r->dense.asked = true;
	if (r->s->embed == NULL || r->q->lexical)
		return;
	if (!embed_query(r)) {
		r->s->lacking = r->s->lacking || embed_is_remote(r->s->embed);
		return;
	}
	r->dense.on = true;
	if (r->s->pool != NULL)
		vector_pool_look(r->s->pool, r->s->seen.epoch);
	for (i = 0; i < r->s->n_sources; i++)
		find_vectors(r, &r->s->sources[i]);
	measure_mean(r);
}

/*
 * The documents that words chose lie all over the vectors: that of one is on
 * its way while others are compared.
 */
void
dense_run(struct run *r)
{
	struct scored *c;
	size_t i;

	if (!r->dense.asked)
		ask_dense(r);
	if (!r->dense.on)
		return;
	r->dense.most = r->dense.mean;
	if (r->field.n_docs <= SCAN_MOST && !r->dense.scanned)
		measure_all(r);
	for (i = 0; i < r->n_scored; i++) {
		c = &r->scored[i];
		if (i + AHEAD < r->n_scored)
			dense_approach(r, c[AHEAD].source,
			    mark_doc(c[AHEAD].mark));
		c->near = dense_near(r, c->source, mark_doc(c->mark));
		if (!r->dense.scanned && r->s->sources[c->source].vectors !=
		    NULL)
			note_most(r, likeness(c->near));
	}
	if (r->dense.scanned)
		scan_all(r);
}

double
dense_of(const struct run *r, uint32_t place, int32_t near, double *alike)
{
	double above;

	*alike = 0.0;
	if (!r->dense.on || r->s->sources[place].vectors == NULL)
		return 0.0;
	*alike = likeness(near);
	if (r->dense.most <= r->dense.mean)
		return 0.0;
	above = *alike - r->dense.mean;
	return above <= 0.0 ? 0.0 : above >= r->dense.most - r->dense.mean ?
	    1.0 : above / (r->dense.most - r->dense.mean);
}
