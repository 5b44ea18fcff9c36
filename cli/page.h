/*
 * page - one thing of the store for people: its members, then its turns
 */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "store/query.h"

/* Turns go to `out`, as items of a JSON list or a line each. */
struct page_turns {
	struct buf *out;
	bool json, any;
};

/* The key and the title in a line, then a line for each member that is set. */
void page_members(struct buf *out, const struct row *row, const char *title);
/* A query_sink's row: data is a struct page_turns. */
void page_turn(void *data, const struct row *row);

#endif
