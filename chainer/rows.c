/*
 * rows - the rows of the chainer's tables that the batch under way has touched
 */
#include "chainer/rows.h"

#include <xxhash.h>

#include "common/log.h"

enum {
	BUCKETS = 4096,
	KEEP_BYTES = 8 * 1024 * 1024,	/* of rows, whatever a batch's length */
};

static struct {
	struct arena arena;		/* rows, records and what they hold */
	struct row *buckets[BUCKETS];
	struct row *changed;
	struct buf record;		/* the one being encoded */
} rows;

void
rows_begin(struct stage *st)
{
	(void)st;
	arena_reset(&rows.arena);
	memset(rows.buckets, 0, sizeof(rows.buckets));
	rows.changed = NULL;
	rows.record.limit = SIZE_MAX / 4;
}

void
rows_release(void)
{
	rows_begin(NULL);
	arena_release(&rows.arena);
	buf_release(&rows.record);
}

struct arena *
rows_arena(void)
{
	return &rows.arena;
}

void
rows_flush(struct stage *st)
{
	struct row *r;

	for (r = rows.changed; r != NULL; r = r->after) {
		db_put(stage_tables(st), r->table, r->key, r->record);
		r->dirty = false;
	}
	rows.changed = NULL;
}

void
rows_trim(struct stage *st)
{
	if (rows.arena.total <= KEEP_BYTES)
		return;
	rows_flush(st);
	rows_begin(st);
}

static struct row *
find(enum table_id table, struct slice key, bool *there)
{
	size_t bucket = (XXH3_64bits(key.ptr, key.len) + table) % BUCKETS;
	struct row *r;

	for (r = rows.buckets[bucket]; r != NULL; r = r->next)
		if (r->table == table && slice_eq(r->key, key)) {
			*there = true;
			return r;
		}
	r = arena_alloc(&rows.arena, sizeof(*r));
	r->table = table;
	r->key = arena_dup(&rows.arena, key);
	r->next = rows.buckets[bucket];
	rows.buckets[bucket] = r;
	*there = false;
	return r;
}

struct row *
rows_find(struct stage *st, enum table_id table, struct slice key)
{
	struct slice record;
	struct row *r;
	bool there;

	r = find(table, key, &there);
	/* A copy, because what a read gives dies with the next write. */
	if (!there && db_get(stage_tables(st), table, key, &record))
		r->record = arena_dup(&rows.arena, record);
	return r;
}

bool
rows_read(struct stage *st, struct row *r, enum msg_id id, void *out)
{
	size_t size = msg_spec(id)->size;
	struct msg_error why;
	void *msg;

	if (r->record.len == 0)
		return false;
	if (r->msg == NULL) {
		msg = arena_alloc(&rows.arena, size);
		/* If not, the same again, for the one who knows about damage. */
		if (msg_decode_as(r->record, &rows.arena, id, msg, &why) ==
		    -1 && !db_get_msg(stage_tables(st), r->table, r->key, id,
		    &rows.arena, msg))
			return false;
		r->msg = msg;
	}
	memcpy(out, r->msg, size);
	return true;
}

void
rows_put(struct stage *st, enum table_id table, struct slice key,
    enum msg_id id, const void *msg)
{
	struct row *r;
	bool there;

	(void)st;
	buf_clear(&rows.record);
	if (msg_encode(&rows.record, id, msg) == -1)
		fatalx(EX_RETRY, "a record is larger than memory allows");
	r = find(table, key, &there);
	r->record = arena_dup(&rows.arena, buf_slice(&rows.record));
	r->msg = NULL;
	r->sketch = NULL;
	if (r->dirty)
		return;
	r->dirty = true;
	r->after = rows.changed;
	rows.changed = r;
}
