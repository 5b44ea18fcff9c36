/*
 * little - numbers of files that are little-endian on every machine
 */
#ifndef COMMON_LITTLE_H
#define COMMON_LITTLE_H

#include <stdint.h>

static inline uint32_t
little_u32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	    (uint32_t)p[3] << 24;
}

static inline uint64_t
little_u64(const unsigned char *p)
{
	return (uint64_t)little_u32(p) | (uint64_t)little_u32(p + 4) << 32;
}

#endif
