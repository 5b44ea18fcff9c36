/*
 * linear - a small model: words of a text add up to scores
 *
 * Integers only: the same text gives the same scores on every machine.  The
 * weights are made by compactor/train.
 */
#ifndef COMPACTOR_LINEAR_H
#define COMPACTOR_LINEAR_H

#include "common/buf.h"

enum { LINEAR_CLASSES = 8, LINEAR_CONTEXTS = 8 };	/* at most */

struct linear_spec {
	const char *name;
	size_t n_classes, n_contexts;
	const char *const *contexts;	/* their names */
};

struct linear;

/* NULL when the file cannot be read or does not fit; one line in `why`. */
struct linear *linear_open(const struct linear_spec *spec, const char *path,
    struct buf *why) __attribute__((warn_unused_result));
void linear_close(struct linear **m);
/*
 * Models that are asked of the same texts: what one has read of a text the
 * other need not read again.  Either may be NULL.
 */
void linear_join(struct linear *m, struct linear *other);

/*
 * How much speaks for each class, in thousandths of log odds against the best
 * of the others: above 0 for one of them at most.
 */
void linear_read(struct linear *m, struct slice text, size_t context,
    int32_t *lead);

#endif
