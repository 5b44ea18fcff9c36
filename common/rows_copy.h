/*
 * rows_copy - a message with all that it points to, in memory of its own
 *
 * For rows.c and whoever keeps rows in another way.  The strings are in one block, the lists in another.  A message
 * that is put mostly has the strings that it was read with: those are in the
 * block already and stay where they are, and so do whole records of a list
 * that are as they were.  New strings are added behind them; when the block is
 * full, those in use move to a new one, and the old one is kept until the entry
 * is done, because what was read before may still point into it.
 */
#ifndef COMMON_ROWS_COPY_H
#define COMMON_ROWS_COPY_H

#include "common/msg.h"

struct rows_plan;

/* What all copies of one kind of message share. */
struct rows_copies {
	struct rows_plan *plans[MSG_LIMIT];	/* of it and those in it */
	struct rows_plan *plan;
	size_t size;		/* of the message */
	/* Where one that is put is made: */
	void *msg;
	char *lists;
	size_t lists_cap;
	char **old;		/* blocks of strings that were left */
	size_t n_old, cap_old;
};

struct rows_copy {
	void *msg;		/* NULL: nothing was put */
	char *lists, *text;
	size_t lists_len, lists_cap, text_len, text_cap;
};

void rows_copies_init(struct rows_copies *all, enum msg_id id);
void rows_copies_release(struct rows_copies *all);
/* Nothing that was got points to strings that were left. */
void rows_copies_free_old(struct rows_copies *all);

/* Room for the bytes of a record that will be decoded, as its strings. */
char *rows_copy_text(struct rows_copy *c, struct slice record);
/*
 * As it would be if it had been written and read.  `msg` may point to what the
 * copy has held so far: to its lists until this returns, to its strings until
 * those that were left are freed.
 */
void rows_copy_put(struct rows_copies *all, struct rows_copy *c,
    const void *msg);
/* Its lists are copies in the arena. */
void rows_copy_get(const struct rows_copies *all, const struct rows_copy *c,
    struct arena *arena, void *out);
void rows_copy_release(struct rows_copy *c);
/* Of memory. */
static inline size_t
rows_copy_bytes(const struct rows_copy *c)
{
	return c->lists_cap + c->text_cap;
}

#endif
