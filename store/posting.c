/*
 * posting - a term's documents, packed
 */
#include "store/posting.h"

#include <assert.h>

const float posting_count[POSTING_CODES] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12,
	16, 22, 32, 48, 80 };

unsigned
posting_code(uint64_t count)
{
	unsigned code = 1;

	if (count <= 8)
		return (unsigned)count;
	for (code = 8; code + 1 < POSTING_CODES &&
	     (uint64_t)posting_count[code + 1] <= count; code++)
		;
	return code;
}

void
varint_put(struct buf *out, uint64_t n)
{
	unsigned char bytes[10];
	size_t len = 0;

	for (; n >= 0x80; n >>= 7)
		bytes[len++] = (unsigned char)(n | 0x80);
	bytes[len++] = (unsigned char)n;
	buf_add(out, bytes, len);
}

static unsigned
bits_of(uint32_t n)
{
	return n == 0 ? 0 : 32 - (unsigned)__builtin_clz(n);
}

/* 128 values of `bits` each: always a whole number of bytes. */
static void
pack(struct buf *out, const uint32_t *values, unsigned bits)
{
	unsigned char bytes[POSTING_BLOCK * 4 + 8] = { 0 };
	size_t i, bit = 0;
	uint64_t word;

	for (i = 0; i < POSTING_BLOCK && bits > 0; i++, bit += bits) {
		memcpy(&word, bytes + bit / 8, sizeof(word));
		word |= (uint64_t)values[i] << (bit % 8);
		memcpy(bytes + bit / 8, &word, sizeof(word));
	}
	buf_add(out, bytes, (size_t)POSTING_BLOCK / 8 * bits);
}

static inline uint32_t
unpack_one(const unsigned char *bytes, size_t bit, uint32_t mask)
{
	uint64_t word;

	memcpy(&word, bytes + bit / 8, sizeof(word));
	return (uint32_t)(word >> (bit % 8)) & mask;
}

static void
encode_block(struct buf *out, const uint32_t *docs, const uint8_t *codes,
    int64_t before)
{
	uint32_t gaps[POSTING_BLOCK], counts[POSTING_BLOCK];
	uint32_t any_gap = 0, any_count = 0;
	unsigned gap_bits, count_bits;
	int64_t last = before;
	size_t i;

	for (i = 0; i < POSTING_BLOCK; i++) {
		gaps[i] = (uint32_t)(docs[i] - last - 1);
		counts[i] = codes[i] - 1u;
		any_gap |= gaps[i];
		any_count |= counts[i];
		last = docs[i];
	}
	gap_bits = bits_of(any_gap);
	count_bits = bits_of(any_count);
	assert(gap_bits < 32 && count_bits <= 4);
	varint_put(out, (uint64_t)(last - before));
	buf_addc(out, (char)(gap_bits | count_bits << 5));
	pack(out, gaps, gap_bits);
	pack(out, counts, count_bits);
}

void
posting_encode(struct buf *out, const uint32_t *docs, const uint8_t *codes,
    size_t n)
{
	int64_t before = -1;
	size_t i = 0;

	for (; n - i >= POSTING_BLOCK; i += POSTING_BLOCK) {
		encode_block(out, docs + i, codes + i, before);
		before = docs[i + POSTING_BLOCK - 1];
	}
	for (; i < n; i++) {
		varint_put(out, (uint64_t)(docs[i] - before - 1) * 2 +
		    (codes[i] > 1));
		if (codes[i] > 1)
			buf_addc(out, (char)codes[i]);
		before = docs[i];
	}
}

void
posting_open(struct posting_reader *r, struct slice bytes, size_t n,
    uint32_t limit)
{
	r->at = (const unsigned char *)bytes.ptr;
	r->end = r->at + bytes.len;
	r->left = n;
	r->doc = -1;
	r->limit = limit;
}

/* Gaps this small cannot add up to a number that is small again. */
enum { SAFE_GAP_BITS = 24 };

static bool
is_ascending(const uint32_t *docs)
{
	size_t i;

	for (i = 1; i < POSTING_BLOCK; i++)
		if (docs[i] <= docs[i - 1])
			return false;
	return true;
}

static size_t
next_block(struct posting_reader *r, uint32_t *docs, uint8_t *codes)
{
	unsigned gap_bits, count_bits;
	uint32_t gap_mask, doc;
	uint64_t span;
	size_t i;

	if (!varint_get(&r->at, r->end, &span) || r->at >= r->end)
		return 0;
	gap_bits = *r->at & 31;
	count_bits = *r->at++ >> 5;
	if (count_bits > 4 || (size_t)(r->end - r->at) <
	    (size_t)POSTING_BLOCK / 8 * (gap_bits + count_bits))
		return 0;
	gap_mask = (UINT32_C(1) << gap_bits) - 1;
	doc = (uint32_t)(r->doc + 1);
	for (i = 0; i < POSTING_BLOCK; i++) {
		doc += unpack_one(r->at, i * gap_bits, gap_mask);
		docs[i] = doc++;
	}
	/* Ascending and the last one in bounds: then all of them are. */
	if (span > r->limit || docs[i - 1] >= r->limit ||
	    (int64_t)docs[i - 1] != r->doc + (int64_t)span ||
	    (gap_bits > SAFE_GAP_BITS && !is_ascending(docs)))
		return 0;
	r->doc = docs[i - 1];
	r->at += POSTING_BLOCK / 8 * gap_bits;
	for (i = 0; i < POSTING_BLOCK; i++)
		codes[i] = (uint8_t)(unpack_one(r->at, i * count_bits,
		    (1u << count_bits) - 1) + 1);
	r->at += POSTING_BLOCK / 8 * count_bits;
	return POSTING_BLOCK;
}

static size_t
next_rest(struct posting_reader *r, uint32_t *docs, uint8_t *codes)
{
	uint64_t n;
	size_t i;

	for (i = 0; i < r->left; i++) {
		if (!varint_get(&r->at, r->end, &n) || n / 2 >= r->limit ||
		    r->doc + 1 + (int64_t)(n / 2) >= r->limit)
			break;
		codes[i] = 1;
		if (n % 2 == 1) {
			if (r->at >= r->end || *r->at == 0 ||
			    *r->at >= POSTING_CODES)
				break;
			codes[i] = *r->at++;
		}
		r->doc += 1 + (int64_t)(n / 2);
		docs[i] = (uint32_t)r->doc;
	}
	return i;
}

size_t
posting_next(struct posting_reader *r, uint32_t docs[POSTING_BLOCK],
    uint8_t codes[POSTING_BLOCK])
{
	size_t n;

	if (r->left >= POSTING_BLOCK)
		n = next_block(r, docs, codes);
	else
		n = next_rest(r, docs, codes);
	r->left = n == 0 || r->left < POSTING_BLOCK ? 0 : r->left - n;
	return n;
}
