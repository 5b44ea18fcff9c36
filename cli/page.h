/*
 * page - one thing of the store for people: its members, then its turns
 */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/cli.h"
#include "store/query.h"

/* Turns go to `out`, as items of a JSON list or a line each. */
struct page_turns {
	struct buf *out;
	bool json, any;
};

/* The key and the title in a line, then a line for each member that is set. */
void page_members(struct buf *out, const struct row *row, const char *title);
/* That, or the JSON object whose head it is: the caller closes it. */
void page_begin(struct buf *out, bool json, const char *kind,
    const char *title, const struct row *row);
/* A query_sink's row: data is a struct page_turns. */
void page_turn(void *data, const struct row *row);
/* The own turns of these threads, one thread after the other, with a head. */
void page_thread_turns(const struct cli *cli, struct query *q,
    const struct msg_u64s *linked, bool json, struct buf *out);

#endif
