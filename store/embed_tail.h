/*
 * embed_tail - an endpoint's vectors of the entries behind the last border
 *
 * They have no piece yet, so their vectors are kept in the pool until there is
 * one.
 */
#ifndef STORE_EMBED_TAIL_H
#define STORE_EMBED_TAIL_H

#include "common/db.h"
#include "store/vector_pool.h"

/* How far it has come; begin with zeroes. */
struct embed_tail {
	uint64_t border, upto;
	bool begun;
};

/*
 * Up to the store's cursor.  When a border was passed, what no longer lies
 * behind it goes out of the pool.  -1: the endpoint has failed, and it is to be
 * called again later.
 */
int embed_tail_follow(struct embed_tail *t, struct db *shared,
    const struct embed *embed, struct vector_pool *pool, uint64_t border,
    const struct msg_cursor *cursor) __attribute__((warn_unused_result));

#endif
