/*
 * effort_rank - what the marks of a sentence are worth, learnt
 *
 * A weight for each mark of effort_how.def, in thousandths of log odds; the
 * marks of a sentence add up, and of those that may tell how an effort ended
 * the one with most does.  Integers only.  The weights are made by
 * compactor/train.
 */
#ifndef COMPACTOR_EFFORT_RANK_H
#define COMPACTOR_EFFORT_RANK_H

#include <stdint.h>

#include "common/buf.h"

enum how_mark {
#define MARK(name, what) MARK_##name,
#include "compactor/effort_how.def"
	MARK_COUNT
};

struct how_marks {
	int of[MARK_COUNT];
};

struct effort_rank;

/* NULL when the file cannot be read or does not fit; one line in `why`. */
struct effort_rank *effort_rank_open(const char *path, struct buf *why)
    __attribute__((warn_unused_result));
void effort_rank_close(struct effort_rank **rank);

/* For tests. */
const char *how_mark_name(enum how_mark mark);
/* What they add up to; 0 where there are no weights. */
int64_t effort_rank_points(const struct effort_rank *rank,
    const struct how_marks *m);

#endif
