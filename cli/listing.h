/*
 * listing - what all list verbs do alike: their common options, and printing
 *
 * Rows become a table for people or a JSON object a line.  JSON is written out
 * only while no transaction is open, so that a reader who stops reading does
 * not hold old pages for ever.
 */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "cli/cli.h"
#include "cli/table.h"
#include "store/query.h"

struct listing {
	struct cli *cli;
	struct slice domain;
	uint64_t after;
	bool limited;		/* --limit was given */
	struct table table;
	struct buf lines;
	uint64_t rows;
};

/* After the options were read: no operands, a sensible limit; 0, or 2. */
int listing_check(struct listing *l, int argc, char **argv, uint64_t *limit)
    __attribute__((warn_unused_result));
/* The thread that was named, if one was: 0, or 1 after saying there is none. */
int listing_thread(struct listing *l, struct db *shared, struct db *ingest,
    struct slice name, uint64_t *out) __attribute__((warn_unused_result));
int listing_no_thread(const struct listing *l, struct slice name);

void listing_begin(struct listing *l, const struct table_column *columns);
struct query_sink listing_sink(struct listing *l);
void listing_row(struct listing *l, const struct row *row);
/* Prints what is there; with `said` also that there is nothing, or more. */
void listing_end(struct listing *l, bool said, bool more);

#endif
