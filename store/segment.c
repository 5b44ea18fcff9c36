/*
 * segment - an immutable piece of the search index, read
 */
#include "store/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/xmalloc.h"
#include "store/bring.h"
#include "store/segment_impl.h"

struct segment {
	const unsigned char *bytes;
	size_t len;
	bool mapped;
	size_t brought;
	struct segment_header head;
	void *attached;
	void (*release)(void *);
};

/* ---- open and close ---- */

static bool
fits(uint64_t at, uint64_t len, uint64_t room)
{
	return at <= room && len <= room - at;
}

static bool
read_header(struct segment *s)
{
	static const char magic[8] = SEGMENT_MAGIC;
	struct segment_header *h = &s->head;

	if (s->len < sizeof(*h) + SEGMENT_PADDING)
		return false;
	memcpy(h, s->bytes, sizeof(*h));
	return memcmp(h->magic, magic, sizeof(magic)) == 0 &&
	    h->format == SEGMENT_FORMAT && h->length == s->len &&
	    h->first >= 1 && h->last >= h->first &&
	    h->n_domains <= s->len / sizeof(struct directory_entry) &&
	    fits(h->directory, h->n_domains * sizeof(struct directory_entry),
		s->len) && h->names <= s->len;
}

struct segment *
segment_map(const char *path)
{
	struct segment *s = xcalloc(1, sizeof(*s));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *at = MAP_FAILED;

	if (fd != -1 && fstat(fd, &st) == 0 && st.st_size > 0) {
		s->len = (size_t)st.st_size;
		at = mmap(NULL, s->len, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (fd != -1)
		close(fd);
	if (at == MAP_FAILED) {
		free(s);
		return NULL;
	}
	s->bytes = at;
	s->mapped = true;
	if (!read_header(s)) {
		segment_close(&s);
		errno = EINVAL;
	}
	return s;
}

struct segment *
segment_take(struct buf *bytes)
{
	struct segment *s = xcalloc(1, sizeof(*s));

	s->bytes = (const unsigned char *)bytes->ptr;
	s->len = bytes->len;
	buf_init(bytes, bytes->limit);
	if (!read_header(s))
		segment_close(&s);
	return s;
}

void
segment_close(struct segment **s)
{
	if (*s == NULL)
		return;
	if ((*s)->release != NULL)
		(*s)->release((*s)->attached);
	if ((*s)->mapped)
		munmap((void *)(uintptr_t)(*s)->bytes, (*s)->len);
	else
		free((void *)(uintptr_t)(*s)->bytes);
	free(*s);
	*s = NULL;
}

bool
segment_bring(struct segment *s)
{
	return s->mapped && bring(s->bytes, s->len, &s->brought);
}

void
segment_attach(struct segment *s, void *data, void (*release)(void *))
{
	s->attached = data;
	s->release = release;
}

void *
segment_attached(const struct segment *s)
{
	return s->attached;
}

uint64_t
segment_first(const struct segment *s)
{
	return s->head.first;
}

uint64_t
segment_last(const struct segment *s)
{
	return s->head.last;
}

struct slice
segment_slice(const struct segment *s)
{
	return slice_of((const char *)s->bytes, s->len);
}

uint64_t
segment_hash(const struct segment *s)
{
	return s->head.hash;
}

bool
segment_is_sound(const struct segment *s)
{
	return XXH3_64bits(s->bytes + sizeof(s->head),
	    s->len - sizeof(s->head)) == s->head.hash;
}

/* ---- domains ---- */

size_t
segment_domains(const struct segment *s)
{
	return s->head.n_domains;
}

static void
read_entry(const struct segment *s, size_t i, struct directory_entry *e)
{
	memcpy(e, s->bytes + s->head.directory + i * sizeof(*e), sizeof(*e));
}

struct slice
segment_domain(const struct segment *s, size_t i)
{
	struct directory_entry e;

	read_entry(s, i, &e);
	if (!fits(e.name, e.name_len, s->len - s->head.names))
		return SLICE_NONE;
	return slice_of((const char *)s->bytes + s->head.names + e.name,
	    e.name_len);
}

static bool
open_columns(struct section *x, const struct section_head *head,
    const unsigned char *at, uint64_t room)
{
	enum column c;

	for (c = 0; c < COLUMN_COUNT; c++) {
		if (head->columns[c].width > 8 || !fits(head->columns[c].at,
			head->n_docs * head->columns[c].width, room))
			return false;
		x->columns[c].base = head->columns[c].base;
		x->columns[c].width = (unsigned)head->columns[c].width;
		x->columns[c].at = at + head->columns[c].at;
	}
	return true;
}

static bool
open_strings(struct section *x, const struct section_head *head,
    const unsigned char *at, uint64_t room)
{
	uint64_t table = (head->n_strings + 1) * 4;

	if (head->n_strings >= UINT32_MAX / 8 ||
	    !fits(head->strings, table, room))
		return false;
	x->strings = at + head->strings;
	x->n_strings = (uint32_t)head->n_strings;
	x->string_bytes = slice_of((const char *)x->strings + table,
	    room - head->strings - table);
	return true;
}

bool
section_at(const struct segment *s, size_t i, struct section *x)
{
	const unsigned char *at;
	struct directory_entry e;
	struct section_head head;

	read_entry(s, i, &e);
	if (!fits(e.at, e.len, s->len - SEGMENT_PADDING) ||
	    e.len < sizeof(head))
		return false;
	at = s->bytes + e.at;
	memcpy(&head, at, sizeof(head));
	*x = (struct section){ .segment = s, .place = i };
	if (head.n_docs > SEGMENT_DOCS_MOST || head.n_docs > s->len ||
	    !fits(head.norms, head.n_docs, e.len) ||
	    !fits(head.blocks, head.blocks_len, e.len) ||
	    !fits(head.dict, head.dict_len, e.len) ||
	    !fits(head.postings, head.postings_len, e.len) ||
	    !open_columns(x, &head, at, e.len) ||
	    !open_strings(x, &head, at, e.len))
		return false;
	x->n_docs = (uint32_t)head.n_docs;
	x->n_terms = head.n_terms;
	memcpy(x->class_docs, head.class_docs, sizeof(x->class_docs));
	memcpy(x->class_length, head.class_length, sizeof(x->class_length));
	x->norms = at + head.norms;
	x->blocks = at + head.blocks;
	x->n_blocks = (uint32_t)(head.blocks_len / 4);
	x->dict = slice_of((const char *)at + head.dict, head.dict_len);
	x->postings = slice_of((const char *)at + head.postings,
	    head.postings_len);
	return true;
}

bool
section_open(const struct segment *s, struct slice domain, struct section *x)
{
	size_t low = 0, high = segment_domains(s), mid;
	int order;

	while (low < high) {
		mid = low + (high - low) / 2;
		order = slice_cmp(segment_domain(s, mid), domain);
		if (order == 0)
			return section_at(s, mid, x);
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

/* ---- documents ---- */

static uint32_t
read_u32(const unsigned char *at)
{
	uint32_t n;

	memcpy(&n, at, sizeof(n));
	return n;
}

struct slice
section_string(const struct section *x, int64_t place)
{
	uint32_t from, to;

	if (place < 0 || place >= x->n_strings)
		return SLICE_NONE;
	from = read_u32(x->strings + 4 * place);
	to = read_u32(x->strings + 4 * (place + 1));
	if (from > to || to > x->string_bytes.len)
		return SLICE_NONE;
	return slice_of(x->string_bytes.ptr + from, to - from);
}

int64_t
section_find_string(const struct section *x, struct slice s)
{
	int64_t low = 0, high = x->n_strings, mid;
	int order;

	while (low < high) {
		mid = low + (high - low) / 2;
		order = slice_cmp(section_string(x, mid), s);
		if (order == 0)
			return mid;
		if (order < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return -1;
}

uint32_t
section_seek(const struct section *x, uint64_t seq)
{
	uint32_t low = 0, high = x->n_docs, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if ((uint64_t)section_value(x, COLUMN_SEQ, mid) < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

bool
section_find(const struct section *x, uint64_t seq, enum search_kind kind,
    uint64_t i, uint32_t *doc)
{
	uint32_t d = section_seek(x, seq);

	for (; d < x->n_docs &&
	     (uint64_t)section_value(x, COLUMN_SEQ, d) == seq; d++)
		if ((uint64_t)section_value(x, COLUMN_KIND, d) == kind &&
		    (uint64_t)section_value(x, COLUMN_I, d) == i) {
			*doc = d;
			return true;
		}
	return false;
}

/* ---- the dictionary ---- */

/* At the beginning of a block; false: there is none, or it is damaged. */
static bool
enter_block(struct term_iterator *it, uint32_t block)
{
	const struct section *x = it->section;
	uint32_t at;

	if (block >= x->n_blocks)
		return false;
	at = read_u32(x->blocks + 4 * (size_t)block);
	if (at >= x->dict.len)
		return false;
	it->at = (const unsigned char *)x->dict.ptr + at;
	it->end = (const unsigned char *)x->dict.ptr + x->dict.len;
	it->block = block;
	it->in_block = 0;
	it->len = 0;
	return varint_get(&it->at, it->end, &it->offset);
}

static bool
read_term(struct term_iterator *it, struct section_term *out)
{
	const struct section *x = it->section;
	uint64_t shared, more, len;

	if (!varint_get(&it->at, it->end, &shared) || shared > it->len ||
	    !varint_get(&it->at, it->end, &more) ||
	    more > sizeof(it->term) - shared ||
	    more > (uint64_t)(it->end - it->at))
		return false;
	memcpy(it->term + shared, it->at, more);
	it->at += more;
	it->len = shared + more;
	if (!varint_get(&it->at, it->end, &out->df) ||
	    !varint_get(&it->at, it->end, &len) || out->df > x->n_docs ||
	    !fits(it->offset, len, x->postings.len))
		return false;
	out->term = slice_of(it->term, it->len);
	out->postings = slice_of(x->postings.ptr + it->offset, len);
	it->offset += len;
	it->in_block++;
	return true;
}

bool
terms_next(struct term_iterator *it, struct section_term *out)
{
	if (it->at == NULL)
		return false;
	if (it->in_block == DICT_BLOCK && !enter_block(it, it->block + 1))
		it->at = it->end = NULL;
	if (it->at == it->end)
		return false;
	if (read_term(it, out))
		return true;
	it->at = it->end = NULL;
	return false;
}

/* The last block whose first term is not after `term`. */
static bool
find_block(struct term_iterator *it, struct slice term)
{
	uint32_t low = 0, high = it->section->n_blocks, mid;
	struct section_term first;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (!enter_block(it, mid) || !read_term(it, &first))
			return false;
		if (slice_cmp(first.term, term) <= 0)
			low = mid + 1;
		else
			high = mid;
	}
	return enter_block(it, low > 0 ? low - 1 : 0);
}

void
terms_seek(struct term_iterator *it, const struct section *x,
    struct slice from)
{
	struct term_iterator back;
	struct section_term term;

	*it = (struct term_iterator){ .section = x };
	if (!find_block(it, from)) {
		it->at = it->end = NULL;
		return;
	}
	for (back = *it; terms_next(it, &term); back = *it)
		if (slice_cmp(term.term, from) >= 0) {
			*it = back;
			return;
		}
}

bool
section_term(const struct section *x, struct slice term,
    struct section_term *out)
{
	struct term_iterator it = { .section = x };
	int order;

	if (!find_block(&it, term))
		return false;
	while (it.in_block < DICT_BLOCK && it.at != it.end &&
	    read_term(&it, out)) {
		order = slice_cmp(out->term, term);
		if (order == 0) {
			out->term = term;
			return true;
		}
		if (order > 0)
			return false;
	}
	return false;
}
