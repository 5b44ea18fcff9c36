/*
 * rows - a table's records as they are in memory while they are in use
 *
 * A stage that reads and changes the same few records with every entry would
 * decode and encode each of them every time.  Here each is decoded once, and
 * encoded once a batch, when that is flushed: see begin and flush in
 * common/stage.h.  What is read and what is written are the same as without.
 *
 * Who reads or writes such a table in any other way (a cursor, db_get) does not
 * see what waits here.  Nothing is ever deleted from it.
 */
#ifndef COMMON_ROWS_H
#define COMMON_ROWS_H

#include "common/db.h"

struct rows;

struct rows *rows_open(enum table_id table, enum msg_id id);
/*
 * Where a record has another form in the table: `unpack` takes one that was
 * read to its form here, `pack` one that is written back.  What they make is
 * of the arena; they do not change what they are given points to.
 */
void rows_convert(struct rows *rows,
    void (*pack)(void *msg, struct arena *arena),
    void (*unpack)(void *msg, struct arena *arena));
void rows_close(struct rows **rows);
/* Forgets all: a batch begins. */
void rows_begin(struct rows *rows);
/*
 * Or, for who writes the table in this way only: forgets all that is not in the
 * table as of now, the beginning of `txn`.  What the batch before has flushed
 * need not be read again.
 */
void rows_resume(struct rows *rows, const struct db_txn *txn);
/* Writes all that was put, in the order of the keys. */
void rows_flush(struct rows *rows, struct db_txn *txn);

/*
 * A record as it is by now; false: there is none.  Its lists are copies in
 * the arena, to be changed at will; its strings are not, and live until the
 * arena is reset.  It is the entry's arena: a reset is how rows knows that
 * the entry is done.
 */
bool rows_get(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena, void *out);
/* The row itself, to be read until it is put again or the entry is done. */
const void *rows_peek(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena);
/* Copies all of it. */
void rows_put(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena, const void *msg);
/* The same where the key is not one number. */
bool rows_get_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena, void *out);
/*
 * With only those lists copied whose records have lists; the others are the
 * row's own, to be replaced but not to be changed where they are, and live as
 * long as its strings.
 */
bool rows_share_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena, void *out);
/* One that is likely to be read once: it is not kept for that. */
bool rows_look_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena, void *out);
void rows_put_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena, const void *msg);
/*
 * The row itself, to be changed where it is, as if it had been put: numbers
 * that are there, and the numbers of its lists; neither strings nor how long
 * lists are.  NULL: there is none.
 */
void *rows_edit_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena);

#endif
