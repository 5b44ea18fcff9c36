/*
 * merge - several segments as one
 *
 * The result is byte for byte what indexing all their entries at once would
 * have given.
 */
#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include "store/segment.h"

enum { MERGE_MOST = 16 };

/*
 * Segments of ranges that follow one another, at most MERGE_MOST.  -1: one of
 * them is damaged.
 */
int merge_segments(struct segment *const *from, size_t n, struct buf *out)
    __attribute__((warn_unused_result));

#endif
