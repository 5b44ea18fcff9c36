/*
 * material - turns of a conversation, for a model to read
 */
#ifndef ASSESS_MATERIAL_H
#define ASSESS_MATERIAL_H

#include "store/query.h"

/* Turns of a thread by number: first, last, first, last ..., each inclusive. */
struct span {
	const uint64_t *at;
	size_t count;
};

/*
 * Adds a JSON array of {"role","text"}: of the turns in the ranges the latest
 * that fit into `most_bytes`, in order.  Long ones are shortened and end in an
 * ellipsis.
 */
void material_turns(struct query *q, uint64_t thread, struct span ranges,
    size_t most_bytes, struct buf *out);
/* One turn as such an object. */
void material_turn(struct slice role, struct slice text, struct buf *out);
/* The role and text of a turn in an entry; false: there is no such turn. */
bool material_said(const struct msg *entry, uint64_t i, struct slice *role,
    struct slice *text);

#endif
