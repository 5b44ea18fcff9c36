/*
 * root - the square root of a whole number, rounded down
 */
#ifndef COMMON_ROOT_H
#define COMMON_ROOT_H

#include <stdint.h>

static inline uint32_t
root_of(uint64_t n)
{
	uint64_t root = 0, bit;

	for (bit = UINT64_C(1) << 31; bit > 0; bit >>= 1)
		if ((root | bit) * (root | bit) <= n)
			root |= bit;
	return (uint32_t)root;
}

#endif
