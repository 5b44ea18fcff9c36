/*
 * posting - a term's documents, packed
 *
 *   block   last document - the one before the block   varint
 *           bits a gap | bits a count << 5             1 byte
 *           128 gaps, each less one                    packed
 *           128 counts, each less one                  packed
 *   rest    gap less one, times two, plus (count > 1)  varint
 *           count                                      1 byte, if > 1
 *
 * The first gap counts from -1.  How many there are is the dictionary's to
 * say.  Counts are codes of four bits: exact up to eight, coarser above, where
 * a ranking no longer tells them apart.
 *
 * A reader trusts nothing: what leads outside its bytes ends the list.
 */
#ifndef STORE_POSTING_H
#define STORE_POSTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buf.h"

enum {
	POSTING_BLOCK = 128,
	POSTING_CODES = 16,
	POSTING_PADDING = 8,	/* readable bytes behind the last list */
};

/* A count's code, 1 to 15, and about the count again. */
unsigned posting_code(uint64_t count);
extern const float posting_count[POSTING_CODES];

/* Appends n postings, documents ascending. */
void posting_encode(struct buf *out, const uint32_t *docs,
    const uint8_t *codes, size_t n);

struct posting_reader {
	const unsigned char *at, *end;	/* POSTING_PADDING bytes lie behind */
	size_t left;
	int64_t doc;		/* the last one read */
	uint32_t limit;		/* documents there are */
};

void posting_open(struct posting_reader *r, struct slice bytes, size_t n,
    uint32_t limit);
/* The next ones, at most a block; 0 at the end. */
size_t posting_next(struct posting_reader *r, uint32_t docs[POSTING_BLOCK],
    uint8_t codes[POSTING_BLOCK]);

/* Numbers of seven bits a byte, the lowest first. */
void varint_put(struct buf *out, uint64_t n);
/* false: it does not end before `end`, or is too large. */
static inline bool
varint_get(const unsigned char **at, const unsigned char *end, uint64_t *out)
{
	uint64_t n = 0;
	unsigned shift;

	for (shift = 0; *at < end && shift < 63; shift += 7) {
		n |= (uint64_t)(**at & 0x7f) << shift;
		if ((*(*at)++ & 0x80) == 0) {
			*out = n;
			return true;
		}
	}
	return false;
}

#endif
