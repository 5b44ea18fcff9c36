/*
 * keep - a message with all that it points to, in memory of its own
 *
 * What is kept again mostly has the strings that it had before: those stay
 * where they are, new ones go behind them.  So keeping costs what has changed,
 * not what there is.
 */
#ifndef CHAINER_KEEP_H
#define CHAINER_KEEP_H

#include "common/msg.h"

struct keep {
	void *msg;		/* NULL: nothing is kept */
	char *lists, *other;	/* of the message; for the next one */
	size_t lists_cap, other_cap;
	char *text;
	size_t text_len, text_cap;
};

/* Blocks of strings that were left, and may still be pointed to. */
struct left {
	char **at;
	size_t n, cap;
};

/*
 * A copy of `msg`, as it would be if it were encoded and decoded.  What the
 * message before it points to stays readable until the next one but one, its
 * strings until `left` is cleared.
 */
void keep_msg(struct keep *k, enum msg_id id, const void *msg,
    struct left *left);
/* A record, decoded; -1: it cannot be. */
int keep_record(struct keep *k, enum msg_id id, struct slice record,
    struct arena *scratch, struct left *left)
    __attribute__((warn_unused_result));
size_t keep_bytes(const struct keep *k);
void keep_release(struct keep *k);
void left_clear(struct left *left);
void left_release(struct left *left);

#endif
