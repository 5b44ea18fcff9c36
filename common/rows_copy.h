/*
 * rows_copy - a message with all that it points to, in memory of its own
 *
 * For rows.c and whoever keeps rows in another way.  The strings are in one
 * block, the lists in another.  A message that is put mostly has the strings
 * that it was read with: those are in the block already and stay where they
 * are, and so do whole records of a list that are as they were.  New strings
 * are added behind them; when the block is full, those in use move to a new
 * one.  The lists go to a new block with every put.  Blocks that were left are
 * kept until the entry is done, because what was read before may still point
 * into them, and then used again.
 */
#ifndef COMMON_ROWS_COPY_H
#define COMMON_ROWS_COPY_H

#include "common/msg.h"

struct rows_plan;

struct rows_block {
	char *at;
	size_t cap;
};

enum { ROWS_SPARES = 8 };

/* What all copies of one kind of message share. */
struct rows_copies {
	struct rows_plan *plans[MSG_LIMIT];	/* of it and those in it */
	struct rows_plan *plan;
	size_t size;		/* of the message */
	void *msg;		/* where one that is put is made */
	struct rows_block *old;	/* that were left */
	size_t n_old, cap_old;
	struct rows_block spares[ROWS_SPARES];	/* nobody points to them */
	size_t n_spares;
};

struct rows_copy {
	void *msg;		/* NULL: nothing was put */
	char *lists, *text;
	size_t lists_len, lists_cap, text_len, text_cap;
	size_t text_added;	/* bytes, by the last put */
};

void rows_copies_init(struct rows_copies *all, enum msg_id id);
void rows_copies_release(struct rows_copies *all);
/* Nothing that was got points to blocks that were left. */
void rows_copies_free_old(struct rows_copies *all);

/* Room for the bytes of a record that will be decoded, as its strings. */
char *rows_copy_text(struct rows_copy *c, struct slice record);
/*
 * As it would be if it had been written and read.  `msg` may point to what the
 * copy has held so far, which is there until the blocks that were left are
 * freed.
 */
void rows_copy_put(struct rows_copies *all, struct rows_copy *c,
    const void *msg);
/* Its lists are copies in the arena. */
void rows_copy_get(const struct rows_copies *all, const struct rows_copy *c,
    struct arena *arena, void *out);
/*
 * Only lists of records that have lists are; the others are the copy's own: to
 * be replaced, never to be changed where they are.
 */
void rows_copy_share(const struct rows_copies *all, const struct rows_copy *c,
    struct arena *arena, void *out);
void rows_copy_release(struct rows_copy *c);
/* Of memory. */
static inline size_t
rows_copy_bytes(const struct rows_copy *c)
{
	return c->lists_cap + c->text_cap;
}

#endif
