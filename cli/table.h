/*
 * table - rows for people: columns aligned, long cells shortened and marked
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/cli.h"
#include "store/row.h"

/* A column: the row's cell, and its title; NULL ends the list. */
struct table_column {
	const char *cell;
	const char *title;
	bool right;	/* aligned to the right: a number */
};

struct table {
	const struct cli *cli;
	const struct table_column *columns;
	size_t n_columns;
	struct buf bytes;	/* all cells, one after the other */
	size_t *ends;		/* of each cell in bytes */
	size_t n_cells, room;
};

void table_init(struct table *t, const struct cli *cli,
    const struct table_column *columns);
void table_add(struct table *t, const struct row *row);
/* Prints, and forgets the rows.  The last column takes what room is left. */
void table_print(struct table *t);
void table_release(struct table *t);

#endif
