/*
 * row - one line of an answer: named cells in a fixed order
 *
 * Query code makes rows; who asked prints them, as JSON or as a table.  All
 * that a row points to lives in its arena or in the transaction it was read
 * from, until the next row is made.
 */
#ifndef STORE_ROW_H
#define STORE_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/msg.h"

enum cell_kind {
	CELL_NULL,
	CELL_TEXT,
	CELL_NUMBER,
	CELL_TIME,
	CELL_BOOL,
	CELL_JSON	/* text that is JSON already */
};

struct cell {
	const char *name;
	enum cell_kind kind;
	struct slice text;
	uint64_t number;	/* also a bool's */
	int64_t time;
};

struct row {
	struct arena *arena;
	struct cell *cells;
	size_t count, room;
};

void row_begin(struct row *row, struct arena *arena);
void row_null(struct row *row, const char *name);
void row_text(struct row *row, const char *name, struct slice text);
/* The same, but null when it is empty: an optional field. */
void row_maybe(struct row *row, const char *name, struct slice text);
void row_number(struct row *row, const char *name, uint64_t number);
void row_time(struct row *row, const char *name, int64_t ms);
void row_bool(struct row *row, const char *name, bool value);
void row_hex(struct row *row, const char *name, struct slice bytes);
void row_json(struct row *row, const char *name, struct slice json);
void row_strs(struct row *row, const char *name, const struct msg_strs *list);
/* Kept in thousandths, shown with three decimals, as people expect it. */
void row_thousandths(struct row *row, const char *name, uint64_t n);
/* One field of a message; what it does not have is false, [] or null. */
void row_field(struct row *row, const char *name,
    const struct msg_field *field, const void *msg);

const struct cell *row_cell(const struct row *row, const char *name);
/* For people: no quotes or brackets, nothing for null. */
void cell_print(struct buf *out, const struct cell *cell);
void cell_to_json(struct buf *out, const struct cell *cell);
void row_to_json(struct buf *out, const struct row *row);

#endif
