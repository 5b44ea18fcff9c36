/*
 * embed_rows - rows of a table, each so many times, added up
 */
#ifndef STORE_EMBED_ROWS_H
#define STORE_EMBED_ROWS_H

#include <stddef.h>
#include <stdint.h>

struct embed_row {
	const int8_t *at;
	int32_t scale;		/* no more than 15 bits */
};

/*
 * Their first `dims` numbers, whole sixteens, to what is in `sum`.  There are
 * an even number of them: who has not fills up with a row of no scale.
 */
void embed_rows_add(const struct embed_row *rows, size_t n, size_t dims,
    int32_t *sum);

#endif
