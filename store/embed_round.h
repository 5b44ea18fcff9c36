/*
 * embed_round - a sum of rows, brought to a length and to bytes
 */
#ifndef STORE_EMBED_ROUND_H
#define STORE_EMBED_ROUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * `out` has about EMBED_LENGTH; `values` serve as room on the way.  False:
 * all of them are 0, and nothing was written.
 */
bool embed_round(int32_t *values, size_t dims, int8_t *out);

#endif
