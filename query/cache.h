/*
 * cache - answers that still hold
 *
 * An answer holds until something is said or done in its domain, or the store
 * is made again.  That time passes or that artifacts were used changes no
 * answer.  Kept are the latest CACHE_ANSWERS, in memory that is bounded.
 */
#ifndef QUERY_CACHE_H
#define QUERY_CACHE_H

#include "common/db.h"

struct cache;

struct cache *cache_open(void);
void cache_close(struct cache **cache);

/*
 * Follows the log up to the store's cursor as of the transaction.  To be
 * called before cache_find, and before what cache_keep keeps is made.
 */
void cache_follow(struct cache *cache, struct db_txn *shared);
/* The answer to what was asked with the same words; false: there is none. */
bool cache_find(struct cache *cache, struct slice domain, struct slice asked,
    struct slice *answer, struct slice *used);
/* `used` is what is to be told again each time the answer is given. */
void cache_keep(struct cache *cache, struct slice domain, struct slice asked,
    struct slice answer, struct slice used);

#endif
