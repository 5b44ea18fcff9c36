/*
 * embed_round - a sum of rows, brought to a length and to bytes
 */
#include "store/embed_round.h"

#include <stdlib.h>

#include "common/root.h"
#include "store/embed.h"

enum {
	UNIT_BITS = 20,			/* the largest value, brought to */
	PART_BITS = 40
};

/*
 * a / b, where the quotient is small and `part` is 2^PART_BITS / b: dividing
 * takes long, and each vector has hundreds to divide by the same.
 */
static uint64_t
divide(uint64_t a, uint64_t b, uint64_t part)
{
	uint64_t q = a * part >> PART_BITS;

	/* What `part` lacks is never worth more than one. */
	return q + (a - q * b >= b);
}

bool
embed_round(int32_t *values, size_t dims, int8_t *out)
{
	uint64_t most = 0, square = 0, length, part, v;
	unsigned up = 0, down = 0;

	for (size_t i = 0; i < dims; i++) {
		v = (uint64_t)labs(values[i]);
		most = v > most ? v : most;
	}
	if (most == 0)
		return false;
	while (most << up < (uint64_t)1 << (UNIT_BITS - 1))
		up++;
	while (most >> down >= (uint64_t)1 << UNIT_BITS)
		down++;
	for (size_t i = 0; i < dims; i++) {
		v = (uint64_t)labs(values[i]) << up >> down;
		square += v * v;
		values[i] = values[i] < 0 ? -(int32_t)v : (int32_t)v;
	}
	length = root_of(square);
	part = ((uint64_t)1 << PART_BITS) / (2 * length);
	for (size_t i = 0; i < dims; i++) {
		v = divide((uint64_t)labs(values[i]) * 2 * EMBED_LENGTH +
		    length, 2 * length, part);
		v = v > 127 ? 127 : v;
		out[i] = (int8_t)(values[i] < 0 ? -(int)v : (int)v);
	}
	return true;
}
