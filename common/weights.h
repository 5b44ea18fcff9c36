/*
 * weights - learnt weights, from a file of lines
 *
 * A file is text: a head line, lines of what has a name, lines of what has a
 * number (the hash of a word), each with its weights in thousandths.
 */
#ifndef COMMON_WEIGHTS_H
#define COMMON_WEIGHTS_H

#include <stdint.h>

#include "common/buf.h"

/*
 * Takes a line, counted from 1.  The head line sets how many the file has.
 * -1: it does not fit.
 */
typedef int weights_take(void *into, size_t number, const char *line,
    size_t *lines);

/* -1: it cannot be read or does not fit; one line in `why`. */
int weights_load(const char *path, weights_take *take, void *into,
    struct buf *why) __attribute__((warn_unused_result));

/* A line that begins with `name`, and `n` weights of up to `most`. */
int weights_named(const char *line, const char *name, size_t n, long most,
    int32_t *of);

/* Numbers with `per_key` weights each. */
struct weights;

struct weights *weights_open(size_t keys, size_t per_key);
void weights_close(struct weights **w);
/* Takes a line of a number, in hex, that is not there yet. */
int weights_add(struct weights *w, const char *line, long most);
/* NULL: it has none. */
const int32_t *weights_find(const struct weights *w, uint32_t key);
/* Brings sums over `known` keys to one scale: many do not shout down few. */
void weights_scale(int64_t *sums, size_t n, size_t known);

#endif
