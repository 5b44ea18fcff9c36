/*
 * links - a linking decision or a cross-thread episode whole, for `show`
 */
#ifndef CLI_LINKS_H
#define CLI_LINKS_H

#include "cli/cli.h"
#include "store/query.h"

struct links_show {
	struct query *q;
	struct slice name;
	bool json, turns;
	struct buf *out;
};

/* false: there is no such thing in the query's domain. */
bool links_show(const struct cli *cli, const struct links_show *s);
/* What an entry decided about its thread and earlier ones, for --why. */
void links_why(struct query *q, uint64_t seq, struct buf *out);

#endif
