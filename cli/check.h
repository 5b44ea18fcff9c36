/*
 * check - what the files of `skein check` share
 *
 * Findings are what is wrong; notes are what could not be looked at, or is
 * behind and will follow.  A record that does not decode is one finding: what
 * depends on it is then not looked at.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "cli/cli.h"

enum { CHECK_KINDS = 64, CHECK_SHOWN = 20 };

struct check {
	struct cli *cli;
	struct db *dbs[ENV_COUNT];	/* NULL: not there */
	struct db_txn *txns[ENV_COUNT];
	struct arena arena;		/* one record */
	struct arena kept;		/* the whole check */
	struct slice store_id;
	struct msg_cursor cursors[STAGE_COUNT];

	bool tables;		/* ingest's tables are there and follow */
	bool follows[STAGE_COUNT];	/* those of the other stages */
	uint64_t applied;	/* up to this entry */
	bool partial;		/* an entry or its section was not readable */
	/* Counted over the entries up to it. */
	uint64_t turns, ids, nodes, streamed, begun;

	struct {
		const char *kind;
		uint64_t count;
	} kinds[CHECK_KINDS];
	uint64_t findings;
};

/* check_record.c: saying what was found, reading what is looked at. */
void check_finding(struct check *c, const char *kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void check_note(struct check *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Of each kind CHECK_SHOWN findings are said: how many more there were. */
void check_say_unshown(const struct check *c);
/* Sums over entries mean nothing when one of them was left out. */
void check_note_hole(struct check *c, enum table_id table);

/* A record of a table, decoded; false if it is not there, or bad and said. */
bool check_get(struct check *c, enum table_id table, struct slice key,
    enum msg_id id, void *out);
bool check_has(struct check *c, enum table_id table, struct slice key);
/* The cursor of a table, in its environment's transaction. */
struct db_cursor *check_rows(struct check *c, enum table_id table);
/* "12", "12 3" or "text": a key in words, for findings. */
const char *check_key(struct check *c, enum table_id table, struct slice key);
bool check_decode(struct check *c, enum table_id table,
    const struct db_entry *e, struct msg *out);

/* check_log.c: what has a row for each entry, and rejects. */
void check_log(struct check *c);

/* check_ingest.c: one entry against ingest's tables, then the tables alone. */
void check_place(struct check *c, uint64_t seq, const struct msg *entry,
    const struct msg_s_ingest *s);
void check_ingest_tables(struct check *c);

/* check_index.c: the search index's files; deep: made again from the log. */
void check_index(struct check *c, bool deep);

/* check_deep.c: ingest's tables made again beside the real ones. */
void check_deep(struct check *c);

/*
 * check_forgotten.c: nothing is left of tombstones, nor of the given text; "-"
 * takes each line of standard input.
 */
void check_forgotten(struct check *c, struct slice text);

#endif
