/*
 * cache - answers that still hold
 *
 * An answer holds until something is said or done in its domain, or the store
 * is made again, and for CACHE_HOLDS_MS at most: how long ago something was,
 * what weighs how much and which vectors are there changes with time and use,
 * without anything being said.  Kept are the latest CACHE_ANSWERS, in memory
 * that is bounded.
 *
 * A state is taken before a question is handed out, and its answer is kept
 * under it: what has changed in its domain meanwhile makes it an old one.
 */
#ifndef QUERY_CACHE_H
#define QUERY_CACHE_H

#include "common/db.h"

struct cache;

struct cache *cache_open(void);
void cache_close(struct cache **cache);

enum { CACHE_HOLDS_MS = 60000 };

struct cache_state {
	uint64_t seq, forgotten;
	int64_t at_ms;		/* steady */
};

/*
 * Follows the log up to the store's cursor as of the transaction, which is
 * what it gives.
 */
uint64_t cache_follow(struct cache *cache, struct db_txn *shared);
/* Something was said or done in a domain; cache_follow tells of all. */
void cache_change(struct cache *cache, struct slice domain, uint64_t seq);
/* As of the last cache_follow. */
struct cache_state cache_state(const struct cache *cache);
/* What was asked, whoever asked it; false: such an answer is not kept. */
bool cache_words(const struct msg_ask *ask, struct buf *out)
    __attribute__((warn_unused_result));
/* The answer to what was asked with the same words; false: there is none. */
bool cache_find(struct cache *cache, const struct cache_state *now,
    struct slice asked, struct slice *answer, struct slice *used);
/*
 * The domain is what the answer is about, by who made it: words alone do not
 * tell.  `used` is what is to be told again each time the answer is given.
 */
void cache_keep(struct cache *cache, const struct cache_state *state,
    struct slice domain, struct slice asked, struct slice answer,
    struct slice used);

#endif
