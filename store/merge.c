/*
 * merge - several segments as one
 */
#include "store/merge.h"

#include <assert.h>
#include <stdlib.h>

#include "common/xmalloc.h"

/* One domain of all the segments that have it. */
struct parts {
	struct section sections[MERGE_MOST];
	uint32_t base[MERGE_MOST];	/* its first document in the whole */
	size_t n;
	uint32_t n_docs;
};

/* ---- domains ---- */

static int
compare_slices(const void *a, const void *b)
{
	const struct slice *x = a, *y = b;

	return slice_cmp(*x, *y);
}

static size_t
unique(struct slice *list, size_t n)
{
	size_t i, kept = 0;

	qsort(list, n, sizeof(list[0]), compare_slices);
	for (i = 0; i < n; i++)
		if (kept == 0 || !slice_eq(list[kept - 1], list[i]))
			list[kept++] = list[i];
	return kept;
}

static struct slice *
all_domains(struct segment *const *from, size_t n, size_t *out)
{
	struct slice *names;
	size_t i, k, total = 0;

	for (i = 0; i < n; i++)
		total += segment_domains(from[i]);
	names = xmalloc((total + 1) * sizeof(names[0]));
	total = 0;
	for (i = 0; i < n; i++)
		for (k = 0; k < segment_domains(from[i]); k++)
			names[total++] = segment_domain(from[i], k);
	*out = unique(names, total);
	return names;
}

static int
open_parts(struct segment *const *from, size_t n, struct slice domain,
    struct parts *p)
{
	size_t i;

	*p = (struct parts){ 0 };
	for (i = 0; i < n; i++) {
		if (!section_open(from[i], domain, &p->sections[p->n]))
			continue;
		if (p->sections[p->n].n_docs > SEGMENT_DOCS_MOST - p->n_docs)
			return -1;
		p->base[p->n] = p->n_docs;
		p->n_docs += p->sections[p->n++].n_docs;
	}
	return 0;
}

/* ---- terms ---- */

struct merging {
	struct term_iterator it;
	struct section_term term;
	bool there;
};

/* A term's postings of one part, behind those before it. */
static int
take_postings(const struct parts *p, size_t part,
    const struct section_term *term, uint32_t *docs, uint8_t *codes,
    size_t *at)
{
	uint32_t block[POSTING_BLOCK];
	uint8_t counts[POSTING_BLOCK];
	struct posting_reader r;
	size_t i, n, taken = 0;

	posting_open(&r, term->postings, term->df, p->sections[part].n_docs);
	while ((n = posting_next(&r, block, counts)) > 0) {
		for (i = 0; i < n; i++) {
			docs[*at] = block[i] + p->base[part];
			codes[(*at)++] = counts[i];
		}
		taken += n;
	}
	return taken == term->df ? 0 : -1;
}

static int
merge_terms(struct segment_writer *w, const struct parts *p)
{
	struct merging *m = xcalloc(p->n, sizeof(m[0]));
	uint32_t *docs = xmalloc((p->n_docs + 1) * sizeof(docs[0]));
	uint8_t *codes = xmalloc(p->n_docs + 1);
	size_t i, n, least;
	char term[256];
	struct slice now;
	int rc = 0;

	for (i = 0; i < p->n; i++) {
		terms_seek(&m[i].it, &p->sections[i], SLICE_NONE);
		m[i].there = terms_next(&m[i].it, &m[i].term);
	}
	while (rc == 0) {
		for (i = 0, least = p->n; i < p->n; i++)
			if (m[i].there && (least == p->n || slice_cmp(
				m[i].term.term, m[least].term.term) < 0))
				least = i;
		if (least == p->n)
			break;
		now = slice_of(term, m[least].term.term.len);
		memcpy(term, m[least].term.term.ptr, now.len);
		for (i = least, n = 0; i < p->n && rc == 0; i++) {
			if (!m[i].there || !slice_eq(m[i].term.term, now))
				continue;
			rc = take_postings(p, i, &m[i].term, docs, codes, &n);
			m[i].there = terms_next(&m[i].it, &m[i].term);
		}
		if (rc == 0)
			writer_term(w, now, docs, codes, n);
	}
	free(codes);
	free(docs);
	free(m);
	return rc;
}

/* ---- documents ---- */

/* The strings of all parts, and where each part's are among them. */
static void
merge_strings(const struct parts *p, struct segment_docs *out,
    int64_t **maps, struct arena *arena)
{
	struct slice *all, *found;
	size_t i, k, n = 0;

	for (i = 0; i < p->n; i++)
		n += p->sections[i].n_strings;
	all = arena_array(arena, n + 1, sizeof(all[0]));
	for (i = 0, n = 0; i < p->n; i++)
		for (k = 0; k < p->sections[i].n_strings; k++)
			all[n++] = section_string(&p->sections[i],
			    (int64_t)k);
	out->n_strings = unique(all, n);
	out->strings = all;
	for (i = 0; i < p->n; i++) {
		maps[i] = arena_array(arena, p->sections[i].n_strings + 1,
		    sizeof(maps[i][0]));
		for (k = 0; k < p->sections[i].n_strings; k++) {
			struct slice s = section_string(&p->sections[i],
			    (int64_t)k);

			found = bsearch(&s, all, out->n_strings,
			    sizeof(all[0]), compare_slices);
			maps[i][k] = found - all;
		}
	}
}

static int
merge_docs(const struct parts *p, struct slice domain, struct arena *arena,
    struct segment_docs *out)
{
	int64_t *maps[MERGE_MOST], v;
	const struct section *x;
	enum column c;
	uint32_t d;
	size_t i;

	*out = (struct segment_docs){ .domain = domain, .n = p->n_docs };
	merge_strings(p, out, maps, arena);
	out->norms = arena_array(arena, p->n_docs, 1);
	for (i = 0; i < p->n; i++)
		memcpy(out->norms + p->base[i], p->sections[i].norms,
		    p->sections[i].n_docs);
	for (c = 0; c < COLUMN_COUNT; c++) {
		out->columns[c] = arena_array(arena, p->n_docs,
		    sizeof(out->columns[c][0]));
		for (i = 0; i < p->n; i++) {
			x = &p->sections[i];
			for (d = 0; d < x->n_docs; d++) {
				v = section_value(x, c, d);
				if (c >= COLUMN_FIRST_STRING &&
				    (v < 0 || v >= x->n_strings))
					return -1;
				out->columns[c][p->base[i] + d] =
				    c >= COLUMN_FIRST_STRING ? maps[i][v] : v;
			}
		}
	}
	segment_link_turns(out);
	return 0;
}

static int
merge_domain(struct segment *const *from, size_t n, struct slice domain,
    struct segment_writer *w)
{
	struct segment_docs docs;
	struct arena arena;
	struct parts p;
	int rc;

	if (open_parts(from, n, domain, &p) == -1 || p.n == 0)
		return -1;
	arena_init(&arena);
	writer_domain(w);
	rc = merge_terms(w, &p);
	if (rc == 0)
		rc = merge_docs(&p, domain, &arena, &docs);
	if (rc == 0)
		writer_domain_end(w, &docs);
	arena_release(&arena);
	return rc;
}

int
merge_segments(struct segment *const *from, size_t n, struct buf *out)
{
	struct segment_writer w;
	struct slice *domains;
	size_t i, n_domains;
	int rc = 0;

	assert(n > 0 && n <= MERGE_MOST);
	for (i = 0; i < n; i++)
		if (!segment_is_sound(from[i]) || (i > 0 &&
			segment_last(from[i - 1]) + 1 !=
			    segment_first(from[i])))
			return -1;
	domains = all_domains(from, n, &n_domains);
	writer_begin(&w, out, segment_first(from[0]),
	    segment_last(from[n - 1]));
	for (i = 0; i < n_domains && rc == 0; i++)
		rc = merge_domain(from, n, domains[i], &w);
	writer_end(&w);
	free(domains);
	return rc;
}
