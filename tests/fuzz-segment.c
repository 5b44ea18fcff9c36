/*
 * fuzz-segment - any bytes as a segment
 *
 * A libFuzzer target: build with -fsanitize=fuzzer,address,undefined.  The
 * body's hash is set right, so that merging looks at it too.  Checks what a
 * search relies on: whatever the bytes, documents stay in bounds.
 */
#include <assert.h>
#include <stdlib.h>
#include <xxhash.h>

#include "store/merge.h"
#include "store/segment_impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t
walk_postings(const struct section *x, const struct section_term *term)
{
	uint32_t docs[POSTING_BLOCK];
	uint8_t codes[POSTING_BLOCK];
	struct posting_reader r;
	uint64_t sum = 0;
	size_t i, n;

	posting_open(&r, term->postings, term->df, x->n_docs);
	while ((n = posting_next(&r, docs, codes)) > 0)
		for (i = 0; i < n; i++) {
			assert(docs[i] < x->n_docs);
			assert(codes[i] > 0 && codes[i] <= POSTING_CODES);
			sum += x->norms[docs[i]];
		}
	return sum;
}

static uint64_t
walk_section(const struct section *x)
{
	struct section_term term;
	struct term_iterator it;
	uint64_t sum = 0, terms = 0;
	enum column c;
	uint32_t d;

	terms_seek(&it, x, SLICE_NONE);
	while (terms_next(&it, &term) && terms++ < 10000)
		sum += walk_postings(x, &term);
	for (d = 0; d < x->n_docs && d < 10000; d++)
		for (c = 0; c < COLUMN_COUNT; c++)
			sum += (uint64_t)section_value(x, c, d) +
			    section_string(x, section_value(x, c, d)).len;
	sum += section_term(x, SLICE("paint"), &term);
	sum += section_seek(x, 7) + (uint64_t)section_find_string(x,
	    SLICE("user"));
	return sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct segment_header h;
	struct segment *s;
	struct section x;
	struct buf bytes, merged;
	size_t i;

	buf_init(&bytes, SIZE_MAX / 4);
	buf_add(&bytes, data, size);
	if (size >= sizeof(h)) {
		memcpy(&h, bytes.ptr, sizeof(h));
		h.hash = XXH3_64bits(bytes.ptr + sizeof(h),
		    size - sizeof(h));
		h.length = size;
		memcpy(bytes.ptr, &h, sizeof(h));
	}
	s = segment_take(&bytes);
	if (s == NULL)
		return 0;
	for (i = 0; i < segment_domains(s) && i < 100; i++) {
		(void)segment_domain(s, i);
		if (section_at(s, i, &x))
			(void)walk_section(&x);
	}
	buf_init(&merged, SIZE_MAX / 4);
	if (segment_domains(s) < 100)
		(void)merge_segments(&s, 1, &merged);
	buf_release(&merged);
	segment_close(&s);
	return 0;
}
