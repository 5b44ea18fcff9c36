/*
 * vectors - what the documents of a segment are about, in numbers
 *
 * A vector per document, as embed.h makes it of the document's text; all of
 * one segment beside it in LEVEL-FIRST-HASH-MODEL.vec, MODEL being a hash of
 * the table's id: vectors of different tables never meet.  Like the segment,
 * the file follows from the log alone, but where an endpoint made it; it is
 * written whole and never changed.  Where it is missing, vectors are made in
 * memory, or words alone count.
 *
 *   header     magic, format, dims, model, domains, length, hash of the rest
 *   domains    n_docs and place of each, in the order of the segment's
 *   each       the sum of its vectors, then the vectors
 */
#ifndef STORE_VECTORS_H
#define STORE_VECTORS_H

#include "common/conf.h"
#include "common/db.h"
#include "store/embed.h"
#include "store/segment.h"
#include "store/vector_pool.h"

uint64_t vectors_model(const struct embed *embed);
/* The name beside a segment's, to be freed. */
char *vectors_path(const char *segment_path, uint64_t model);

/*
 * As the settings say: the shipped table, or an endpoint.  NULL: there is none,
 * or it is broken and was said.  `conf` must outlive it.
 */
struct embed *embed_open_set(const struct conf *conf);
struct segment_name;
/* Of whose piece a file of vectors is; false: it is none. */
bool vectors_name_parse(const char *name, struct segment_name *out,
    unsigned long long *model);

struct vectors;

/* Maps a file; NULL: it is not there, or not of this segment and table. */
struct vectors *vectors_map(const char *path, const struct segment *s,
    const struct embed *embed);
/* None yet: they are added domain by domain. */
struct vectors *vectors_new(size_t n_domains);
void vectors_free(struct vectors *v);
/* See bring.h; false: all of it was there. */
bool vectors_bring(struct vectors *v);
/* A domain's, n_docs times dims bytes, and their sum; NULL: not there. */
const int8_t *vectors_of(const struct vectors *v, size_t domain,
    const int64_t **sum);
/* Made in memory, of no file. */
bool vectors_are_made(const struct vectors *v);
bool vectors_is_sound(const struct vectors *v);

/* Vectors of documents that were made before, by entry, kind and place. */
struct vector_cache {
	uint64_t *keys;
	int8_t *vectors;
	size_t n;
};
void vector_cache_release(struct vector_cache *cache);

/*
 * Makes those of one domain from the log and keeps them with `v`.  `cache`
 * may be NULL.
 */
void vectors_make(struct vectors *v, const struct section *x,
    struct db_txn *shared, const struct embed *embed,
    struct vector_cache *cache);
/*
 * The same by what an endpoint has answered so far.  False: some are lacking,
 * which are nothing but zeroes: it may be called again.
 */
bool vectors_gather(struct vectors *v, const struct section *x,
    struct db_txn *shared, const struct embed *embed,
    struct vector_pool *pool);
/*
 * All of a segment as the bytes of a file.  Takes transactions of its own, and
 * none for long.  -1: an endpoint has none now; those that it had are in the
 * pool, which is NULL without an endpoint.
 */
int vectors_write(const struct segment *s, struct db *shared,
    const struct embed *embed, struct vector_pool *pool, struct buf *out)
    __attribute__((warn_unused_result));
/* The same of vectors of segments that `s` is the merge of. */
int vectors_join(const struct segment *s, struct segment *const *parts,
    struct vectors *const *from, size_t n, const struct embed *embed,
    struct buf *out) __attribute__((warn_unused_result));

#endif
