/*
 * segment_impl - the bytes of a segment, for who writes and who reads them
 */
#ifndef STORE_SEGMENT_IMPL_H
#define STORE_SEGMENT_IMPL_H

#include "store/segment.h"

#define SEGMENT_MAGIC { 's', 'k', 'e', 'i', 'n', 's', 'e', 'g' }

enum {
	DICT_BLOCK = 16,
	/* A read of eight bytes at the last value stays inside the file. */
	SEGMENT_PADDING = 16,
};

struct segment_header {
	char magic[8];
	uint64_t format;
	uint64_t first, last;
	uint64_t n_domains;
	uint64_t directory, names;	/* places in the file */
	uint64_t length;
	uint64_t hash;			/* XXH3 of all behind the header */
};

/* Of a domain's section; places count from its beginning. */
struct section_head {
	uint64_t n_docs, n_terms;
	uint64_t class_docs[CLASS_COUNT], class_length[CLASS_COUNT];
	uint64_t norms;
	uint64_t strings, n_strings;
	uint64_t blocks, blocks_len;
	uint64_t dict, dict_len;
	uint64_t postings, postings_len;
	struct {
		int64_t base;
		uint64_t width, at;
	} columns[COLUMN_COUNT];
};

/* A domain in the directory; names count from the header's place. */
struct directory_entry {
	uint64_t name, name_len;
	uint64_t at, len;
};

#endif
