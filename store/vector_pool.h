/*
 * vector_pool - an endpoint's vectors that are in no piece's file yet
 *
 *   header   magic, format, dims, model, epoch
 *   record   hash of the text, hash of the vector, the vector
 *
 * HOME/db/segments/pool-MODEL.vec.  skein-merge adds what the endpoint answers,
 * at once: of the entries behind the last border, and of a piece until it has
 * all its vectors, so that nothing is asked for twice when the endpoint fails
 * in between.  Who searches reads it.  What is in a piece's file by now goes
 * out of it, and all of it where the store was made again: an epoch is over
 * when something is forgotten.
 */
#ifndef STORE_VECTOR_POOL_H
#define STORE_VECTOR_POOL_H

#include "store/embed.h"

struct vector_pool;

struct vector_pool *vector_pool_open(const char *dir,
    const struct embed *embed);
void vector_pool_close(struct vector_pool **p);
/* Reads what was added since. */
void vector_pool_look(struct vector_pool *p, uint64_t epoch);
/* Another number after each look that found something new. */
uint64_t vector_pool_version(const struct vector_pool *p);
/* Until the next look, addition or trim; NULL: it is not there. */
const int8_t *vector_pool_find(struct vector_pool *p, struct slice text);

/* For the one who writes, after a look: n vectors behind each other. */
int vector_pool_add(struct vector_pool *p, const struct slice *texts,
    size_t n, const int8_t *vectors) __attribute__((warn_unused_result));
/* At most EMBED_MANY vectors: those it has, and the rest asked for and kept. */
int vector_pool_ask(struct vector_pool *p, const struct embed *embed,
    const struct slice *texts, size_t n, int8_t *out)
    __attribute__((warn_unused_result));
/*
 * Keeps those alone that were found or added since it was begun.  A file of
 * another epoch goes when it is begun.
 */
void vector_pool_begin(struct vector_pool *p);
int vector_pool_trim(struct vector_pool *p)
    __attribute__((warn_unused_result));

/* Whether a file is a pool, and of which model. */
bool vector_pool_name_parse(const char *name, unsigned long long *model);

#endif
