/*
 * answer - from what an endpoint sent to an answer that stages can trust
 *
 * Pure.  A reply is a chat completion; its text must be one JSON object of
 * exactly the members that were asked for, each of its type and in its range.
 * Fences of code and thoughts before it are taken off, as many models cannot
 * leave them; nothing else is mended.  What comes out holds nothing but those
 * members, written anew.
 */
#ifndef ASSESS_ANSWER_H
#define ASSESS_ANSWER_H

#include "assess/question.h"

struct answer {
	struct buf json;	/* the members, for the entry */
	struct buf model;	/* who answered, by its own word; may be empty */
	uint64_t tokens;	/* what it cost, 0: not said */
	char why[160];		/* what is wrong with it */
};

void answer_init(struct answer *a);
void answer_release(struct answer *a);
/* 0, or -1 with `why`; tokens are read in both cases. */
int answer_read(struct answer *a, struct slice body, const struct asking *to)
    __attribute__((warn_unused_result));

#endif
