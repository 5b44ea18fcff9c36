/*
 * rows - a table's records as they are in memory while they are in use
 */
#include "common/rows.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/rows_copy.h"
#include "common/xmalloc.h"

enum {
	BUCKETS = 4096,
	ROWS_MOST = 2048,	/* more are written and forgotten */
	ROWS_KEPT = 1024,	/* of more, those of the last batch stay */
};

struct row {
	struct row *next;	/* of the bucket */
	struct row *next_dirty;
	uint64_t hash;
	uint64_t used;		/* in which batch, counted here */
	bool dirty;
	struct rows_copy copy;	/* of nothing: there is no such record */
	size_t key_len;
	char key[];
};

struct rows {
	enum table_id table;
	enum msg_id id;
	struct rows_copies copies;
	void (*pack)(void *msg, struct arena *arena);
	void (*unpack)(void *msg, struct arena *arena);
	struct arena packing;
	struct row *buckets[BUCKETS];
	struct row *dirty;	/* those that were put */
	size_t n_rows;
	uint64_t resets;	/* of the arena, as of the last call */
	uint64_t batch;		/* the transaction that the rows are of */
	uint64_t batches;	/* that have begun so far */
};

struct rows *
rows_open(enum table_id table, enum msg_id id)
{
	struct rows *rows = xcalloc(1, sizeof(*rows));

	rows->table = table;
	rows->id = id;
	rows_copies_init(&rows->copies, id);
	return rows;
}

void
rows_convert(struct rows *rows, void (*pack)(void *msg, struct arena *arena),
    void (*unpack)(void *msg, struct arena *arena))
{
	rows->pack = pack;
	rows->unpack = unpack;
}

static void
free_row(struct rows *rows, struct row *r)
{
	rows_copy_release(&r->copy);
	free(r);
	rows->n_rows--;
}

/* Those last used before that batch. */
static void
drop_before(struct rows *rows, uint64_t batch)
{
	struct row *r, **at;
	size_t i;

	for (i = 0; rows->n_rows > 0 && i < BUCKETS; i++)
		for (at = &rows->buckets[i]; (r = *at) != NULL; )
			if (r->used < batch) {
				*at = r->next;
				free_row(rows, r);
			} else
				at = &r->next;
}

void
rows_begin(struct rows *rows)
{
	drop_before(rows, UINT64_MAX);
	rows->dirty = NULL;
	rows_copies_free_old(&rows->copies);
}

/*
 * A transaction that was given up leaves its number to the next one; so the
 * number tells whether what was flushed has been kept, and whether anybody has
 * written since.  Nor does what was only read outlive it: one that has failed
 * finds nothing any more, and its rows would say that there are none.
 */
void
rows_resume(struct rows *rows, const struct db_txn *txn)
{
	uint64_t batch = db_txn_id(txn);

	if (batch != rows->batch + 1 || rows->dirty != NULL)
		rows_begin(rows);
	else if (rows->n_rows > ROWS_KEPT)
		drop_before(rows, rows->batches);
	rows->batches++;
	rows->batch = batch;
}

void
rows_close(struct rows **rows)
{
	if (*rows == NULL)
		return;
	rows_begin(*rows);
	rows_copies_release(&(*rows)->copies);
	arena_release(&(*rows)->packing);
	free(*rows);
	*rows = NULL;
}

static struct slice
row_key(const struct row *r)
{
	return slice_of(r->key, r->key_len);
}

static void
write_row(struct rows *rows, struct db_txn *txn, struct row *r)
{
	void *msg = r->copy.msg;

	if (rows->pack != NULL) {
		msg = arena_alloc(&rows->packing, rows->copies.size);
		memcpy(msg, r->copy.msg, rows->copies.size);
		rows->pack(msg, &rows->packing);
	}
	db_put_msg_later(txn, rows->table, row_key(r), rows->id, msg);
	arena_reset(&rows->packing);
	r->dirty = false;
}

void
rows_flush(struct rows *rows, struct db_txn *txn)
{
	struct row *r;

	for (r = rows->dirty; r != NULL; r = r->next_dirty)
		write_row(rows, txn, r);
	rows->dirty = NULL;
}

/* An entry begins: nothing of the one before is pointed to any more. */
static void
turn_to(struct rows *rows, struct db_txn *txn, const struct arena *arena)
{
	if (rows->resets == arena->resets)
		return;
	rows->resets = arena->resets;
	rows_copies_free_old(&rows->copies);
	if (rows->n_rows <= ROWS_MOST)
		return;
	rows_flush(rows, txn);
	rows_begin(rows);
}

static struct row *
find_row(const struct rows *rows, struct slice key, uint64_t hash)
{
	struct row *r;

	for (r = rows->buckets[hash % BUCKETS]; r != NULL; r = r->next)
		if (r->hash == hash && slice_eq(row_key(r), key)) {
			r->used = rows->batches;
			return r;
		}
	return NULL;
}

static struct row *
add_row(struct rows *rows, struct slice key, uint64_t hash)
{
	struct row *r = xcalloc(1, sizeof(*r) + key.len);

	memcpy(r->key, key.ptr, key.len);
	r->key_len = key.len;
	r->hash = hash;
	r->used = rows->batches;
	r->next = rows->buckets[hash % BUCKETS];
	rows->buckets[hash % BUCKETS] = r;
	rows->n_rows++;
	return r;
}

/* False: it is damaged. */
static bool
decode(struct rows *rows, struct db_txn *txn, struct slice key,
    struct slice record, struct arena *arena, void *out)
{
	struct msg_error why;

	if (msg_decode_as(record, arena, rows->id, out, &why) == 0)
		return true;
	/* Again, for the one who knows what to do about damage. */
	(void)db_get_msg(txn, rows->table, key, rows->id, arena, out);
	return false;
}

/* The record's bytes become the row's strings. */
static void
load_row(struct rows *rows, struct db_txn *txn, struct row *r,
    struct arena *arena)
{
	void *msg = arena_alloc(arena, rows->copies.size);
	struct slice record;
	char *text;

	if (!db_get(txn, rows->table, row_key(r), &record))
		return;
	text = rows_copy_text(&r->copy, record);
	if (!decode(rows, txn, row_key(r), slice_of(text, record.len), arena,
		msg)) {
		rows_copy_release(&r->copy);
		return;
	}
	if (rows->unpack != NULL)
		rows->unpack(msg, arena);
	rows_copy_put(&rows->copies, &r->copy, msg);
}

/* Never NULL; but it may be one that says there is none. */
static struct row *
get_row(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena)
{
	uint64_t hash = XXH3_64bits(key.ptr, key.len);
	struct row *r;

	turn_to(rows, txn, arena);
	r = find_row(rows, key, hash);
	if (r == NULL) {
		r = add_row(rows, key, hash);
		load_row(rows, txn, r, arena);
	}
	return r;
}

bool
rows_get_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena, void *out)
{
	const struct row *r = get_row(rows, txn, key, arena);

	if (r->copy.msg == NULL)
		return false;
	rows_copy_get(&rows->copies, &r->copy, arena, out);
	return true;
}

bool
rows_share_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena, void *out)
{
	const struct row *r = get_row(rows, txn, key, arena);

	if (r->copy.msg == NULL)
		return false;
	rows_copy_share(&rows->copies, &r->copy, arena, out);
	return true;
}

const void *
rows_peek(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena)
{
	struct key k = key_u64(key);

	return get_row(rows, txn, key_slice(&k), arena)->copy.msg;
}

bool
rows_look_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena, void *out)
{
	struct row *r = find_row(rows, key, XXH3_64bits(key.ptr, key.len));
	struct slice record;

	if (r != NULL)
		return rows_get_at(rows, txn, key, arena, out);
	if (!db_get(txn, rows->table, key, &record) ||
	    !decode(rows, txn, key, arena_dup(arena, record), arena, out))
		return false;
	if (rows->unpack != NULL)
		rows->unpack(out, arena);
	return true;
}

static void
mark_dirty(struct rows *rows, struct row *r)
{
	if (r->dirty)
		return;
	r->dirty = true;
	r->next_dirty = rows->dirty;
	rows->dirty = r;
}

void *
rows_edit_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena)
{
	struct row *r = get_row(rows, txn, key, arena);

	if (r->copy.msg != NULL)
		mark_dirty(rows, r);
	return r->copy.msg;
}

void
rows_put_at(struct rows *rows, struct db_txn *txn, struct slice key,
    struct arena *arena, const void *msg)
{
	uint64_t hash = XXH3_64bits(key.ptr, key.len);
	struct row *r;

	turn_to(rows, txn, arena);
	r = find_row(rows, key, hash);
	if (r == NULL)
		r = add_row(rows, key, hash);
	rows_copy_put(&rows->copies, &r->copy, msg);
	mark_dirty(rows, r);
}

bool
rows_get(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena, void *out)
{
	struct key k = key_u64(key);

	return rows_get_at(rows, txn, key_slice(&k), arena, out);
}

void
rows_put(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena, const void *msg)
{
	struct key k = key_u64(key);

	rows_put_at(rows, txn, key_slice(&k), arena, msg);
}
