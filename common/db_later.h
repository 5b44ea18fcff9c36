/*
 * db_later - what is to be written to one table, in the order of its keys
 *
 * For db.c.  LMDB looks for the place of a key from the root down, unless it
 * is near that of the key before: what is written in order costs half.
 */
#ifndef COMMON_DB_LATER_H
#define COMMON_DB_LATER_H

#include "common/buf.h"

struct later;

struct later *later_open(void);
void later_close(struct later **l);
/* One more; its value is what is added to the buffer before the next call. */
struct buf *later_put(struct later *l, struct slice key);
void later_delete(struct later *l, struct slice key);
/* Whether anything is to be deleted. */
bool later_deletes(const struct later *l);
/* One that joins what the table has: see db_merge_msg_later. */
struct buf *later_merge(struct later *l, struct slice key,
    void (*merge)(void *msg, const void *there));
size_t later_bytes(const struct later *l);
/*
 * Each key once, as it was put or deleted last, in their order; how many.  What
 * joins another comes behind it.
 */
size_t later_sort(struct later *l);
struct later_row {
	struct slice key, value;
	bool deleted;
	void (*merge)(void *msg, const void *there);	/* or NULL */
};
/* Of those that were sorted; until anything is added or cleared. */
struct later_row later_row(const struct later *l, size_t i);
/* Forgets all. */
void later_clear(struct later *l);

#endif
