/*
 * segment_write - put a segment together, domain by domain, term by term
 */
#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

#include "common/xmalloc.h"
#include "store/segment.h"
#include "store/segment_impl.h"

/* ---- norms ---- */

enum { NORM_EXACT = 32, NORM_CODES = 64 };

/* Exact below 32, then four steps to an octave. */
static uint64_t
norm_floor(unsigned code)
{
	static const uint64_t quarter[] = { 32, 38, 45, 54 };

	if (code < NORM_EXACT)
		return code;
	return quarter[(code - NORM_EXACT) % 4] << (code - NORM_EXACT) / 4;
}

uint8_t
norm_of(enum document_class class, uint64_t length)
{
	unsigned code = length < NORM_EXACT ? (unsigned)length : NORM_EXACT;

	while (code + 1 < NORM_CODES && norm_floor(code + 1) <= length)
		code++;
	return (uint8_t)((unsigned)class << 6 | code);
}

float
norm_length(uint8_t norm)
{
	unsigned code = norm & (NORM_CODES - 1);

	if (code < NORM_EXACT)
		return (float)code;
	return (float)(norm_floor(code) + norm_floor(code + 1)) / 2;
}

/* ---- turns of a thread ---- */

struct link {
	int64_t thread;
	uint32_t doc;
};

static int
compare_links(const void *a, const void *b)
{
	const struct link *x = a, *y = b;

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

static bool
is_one_sitting(const struct segment_docs *docs, uint32_t a, uint32_t b)
{
	const int64_t *ts = docs->columns[COLUMN_TS];

	return docs->columns[COLUMN_SESSION][a] ==
	    docs->columns[COLUMN_SESSION][b] &&
	    ts[b] - ts[a] <= SEGMENT_SITTING_MS &&
	    ts[a] - ts[b] <= SEGMENT_SITTING_MS;
}

void
segment_link_turns(struct segment_docs *docs)
{
	struct link *links = xmalloc((docs->n + 1) * sizeof(links[0]));
	int64_t *stretch = docs->columns[COLUMN_STRETCH];
	uint32_t i, n = 0, gap;

	for (i = 0; i < docs->n; i++) {
		docs->columns[COLUMN_PREV][i] = 0;
		docs->columns[COLUMN_NEXT][i] = 0;
		stretch[i] = 0;
		if (docs->columns[COLUMN_KIND][i] == SEARCH_TURN)
			links[n++] = (struct link){
				docs->columns[COLUMN_THREAD][i], i };
	}
	qsort(links, n, sizeof(links[0]), compare_links);
	for (i = 1; i < n; i++)
		if (links[i].thread == links[i - 1].thread) {
			gap = links[i].doc - links[i - 1].doc;
			docs->columns[COLUMN_PREV][links[i].doc] = gap;
			docs->columns[COLUMN_NEXT][links[i - 1].doc] = gap;
			if (is_one_sitting(docs, links[i - 1].doc,
				links[i].doc))
				stretch[links[i].doc] = gap +
				    stretch[links[i - 1].doc];
		}
	free(links);
}

/* ---- parts of a section ---- */

static void
put_u64(struct buf *out, uint64_t n)
{
	buf_add(out, &n, sizeof(n));
}

static void
put_u32(struct buf *out, uint64_t n)
{
	uint32_t small = (uint32_t)n;

	assert(n <= UINT32_MAX);
	buf_add(out, &small, sizeof(small));
}

/* Appends a column's values; its base and width go into the head. */
static void
put_column(struct segment_writer *w, const int64_t *values, uint32_t n,
    struct section_head *head, enum column c)
{
	int64_t least = n > 0 ? values[0] : 0, most = least;
	uint64_t range, v;
	unsigned width = 0;
	uint32_t i;
	char *at;

	for (i = 1; i < n; i++) {
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	range = (uint64_t)most - (uint64_t)least;
	while (width < 8 && range >> (8 * width) != 0)
		width++;
	head->columns[c].base = least;
	head->columns[c].width = width;
	head->columns[c].at = w->out->len - w->start;
	if (width == 0)
		return;
	/* Each is written whole: the next one covers what is too much of it. */
	buf_reserve(w->out, w->out->len + (size_t)n * width + sizeof(v));
	at = w->out->ptr + w->out->len;
	for (i = 0; i < n; i++, at += width) {
		v = (uint64_t)values[i] - (uint64_t)least;
		memcpy(at, &v, sizeof(v));
	}
	w->out->len += (size_t)n * width;
}

static void
put_strings(struct segment_writer *w, const struct segment_docs *docs,
    struct section_head *head)
{
	size_t i, at = 0;

	head->strings = w->out->len - w->start;
	head->n_strings = docs->n_strings;
	for (i = 0; i <= docs->n_strings; i++) {
		put_u32(w->out, at);
		at += i < docs->n_strings ? docs->strings[i].len : 0;
	}
	for (i = 0; i < docs->n_strings; i++)
		buf_addslice(w->out, docs->strings[i]);
}

static void
count_classes(const struct segment_docs *docs, struct section_head *head)
{
	enum document_class class;
	uint32_t i;

	for (i = 0; i < docs->n; i++) {
		class = norm_class(docs->norms[i]);
		head->class_docs[class]++;
		head->class_length[class] +=
		    (uint64_t)docs->columns[COLUMN_LENGTH][i];
	}
}

/* ---- the writer ---- */

void
writer_begin(struct segment_writer *w, struct buf *out, uint64_t first,
    uint64_t last)
{
	struct segment_header h = { 0 };

	*w = (struct segment_writer){ .out = out, .first = first,
		.last = last };
	assert(out->len == 0);
	buf_init(&w->dict, SIZE_MAX / 4);
	buf_init(&w->blocks, SIZE_MAX / 4);
	buf_init(&w->postings, SIZE_MAX / 4);
	buf_init(&w->names, SIZE_MAX / 4);
	buf_init(&w->directory, SIZE_MAX / 4);
	buf_add(out, &h, sizeof(h));
}

/* Places are kept a multiple of eight. */
static void
align(struct buf *out)
{
	static const char nothing[8];

	buf_add(out, nothing, (8 - out->len % 8) % 8);
}

void
writer_domain(struct segment_writer *w)
{
	struct section_head head = { 0 };

	align(w->out);
	w->start = w->out->len;
	buf_add(w->out, &head, sizeof(head));
	buf_clear(&w->dict);
	buf_clear(&w->blocks);
	buf_clear(&w->postings);
	w->n_terms = 0;
}

void
writer_term(struct segment_writer *w, struct slice term, const uint32_t *docs,
    const uint8_t *codes, size_t n)
{
	size_t shared = 0, before = w->postings.len;

	assert(term.len < sizeof(w->last_term) && n > 0);
	if (w->n_terms % DICT_BLOCK == 0) {
		put_u32(&w->blocks, w->dict.len);
		varint_put(&w->dict, w->postings.len);
	} else
		while (shared < term.len && shared < w->last_len &&
		    term.ptr[shared] == w->last_term[shared])
			shared++;
	posting_encode(&w->postings, docs, codes, n);
	varint_put(&w->dict, shared);
	varint_put(&w->dict, term.len - shared);
	buf_add(&w->dict, term.ptr + shared, term.len - shared);
	varint_put(&w->dict, n);
	varint_put(&w->dict, w->postings.len - before);
	memcpy(w->last_term, term.ptr, term.len);
	w->last_len = term.len;
	w->n_terms++;
}

static void
put_part(struct segment_writer *w, const struct buf *part, uint64_t *at,
    uint64_t *len)
{
	align(w->out);
	*at = w->out->len - w->start;
	*len = part->len;
	buf_add(w->out, part->ptr, part->len);
}

void
writer_domain_end(struct segment_writer *w, const struct segment_docs *docs)
{
	struct section_head head = { .n_docs = docs->n,
		.n_terms = w->n_terms };
	enum column c;

	for (c = 0; c < COLUMN_COUNT; c++)
		put_column(w, docs->columns[c], docs->n, &head, c);
	head.norms = w->out->len - w->start;
	buf_add(w->out, docs->norms, docs->n);
	align(w->out);
	put_strings(w, docs, &head);
	put_part(w, &w->blocks, &head.blocks, &head.blocks_len);
	put_part(w, &w->dict, &head.dict, &head.dict_len);
	put_part(w, &w->postings, &head.postings, &head.postings_len);
	count_classes(docs, &head);
	memcpy(w->out->ptr + w->start, &head, sizeof(head));
	put_u64(&w->directory, w->names.len);
	put_u64(&w->directory, docs->domain.len);
	put_u64(&w->directory, w->start);
	put_u64(&w->directory, w->out->len - w->start);
	buf_addslice(&w->names, docs->domain);
	w->n_domains++;
}

void
writer_end(struct segment_writer *w)
{
	static const char padding[SEGMENT_PADDING];
	struct segment_header h = { .magic = SEGMENT_MAGIC,
		.format = SEGMENT_FORMAT, .first = w->first, .last = w->last,
		.n_domains = w->n_domains };

	align(w->out);
	h.directory = w->out->len;
	if (w->directory.len > 0)
		buf_add(w->out, w->directory.ptr, w->directory.len);
	h.names = w->out->len;
	if (w->names.len > 0)
		buf_add(w->out, w->names.ptr, w->names.len);
	buf_add(w->out, padding, sizeof(padding));
	h.length = w->out->len;
	h.hash = XXH3_64bits(w->out->ptr + sizeof(h),
	    w->out->len - sizeof(h));
	memcpy(w->out->ptr, &h, sizeof(h));
	buf_release(&w->dict);
	buf_release(&w->blocks);
	buf_release(&w->postings);
	buf_release(&w->names);
	buf_release(&w->directory);
}
