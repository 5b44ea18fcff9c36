/*
 * memo - the rows of the chainer's tables that the batch under way has touched
 */
#include "chainer/memo.h"

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
} memo;

void
memo_begin(struct stage *st)
{
	(void)st;
	arena_reset(&memo.arena);
	memset(memo.buckets, 0, sizeof(memo.buckets));
	memo.changed = NULL;
	memo.record.limit = SIZE_MAX / 4;
}

void
memo_release(void)
{
	memo_begin(NULL);
	arena_release(&memo.arena);
	buf_release(&memo.record);
}

struct arena *
memo_arena(void)
{
	return &memo.arena;
}

void
memo_flush(struct stage *st)
{
	struct row *r;

	for (r = memo.changed; r != NULL; r = r->after) {
		db_put(stage_tables(st), r->table, r->key, r->record);
		r->dirty = false;
	}
	memo.changed = NULL;
}

void
memo_trim(struct stage *st)
{
	if (memo.arena.total <= KEEP_BYTES)
		return;
	memo_flush(st);
	memo_begin(st);
}

static struct row *
find(enum table_id table, struct slice key, bool *there)
{
	size_t bucket = (XXH3_64bits(key.ptr, key.len) + table) % BUCKETS;
	struct row *r;

	for (r = memo.buckets[bucket]; r != NULL; r = r->next)
		if (r->table == table && slice_eq(r->key, key)) {
			*there = true;
			return r;
		}
	r = arena_alloc(&memo.arena, sizeof(*r));
	r->table = table;
	r->key = arena_dup(&memo.arena, key);
	r->next = memo.buckets[bucket];
	memo.buckets[bucket] = r;
	*there = false;
	return r;
}

struct row *
memo_find(struct stage *st, enum table_id table, struct slice key)
{
	struct slice record;
	struct row *r;
	bool there;

	r = find(table, key, &there);
	/* A copy, because what a read gives dies with the next write. */
	if (!there && db_get(stage_tables(st), table, key, &record))
		r->record = arena_dup(&memo.arena, record);
	return r;
}

bool
memo_read(struct stage *st, struct row *r, enum msg_id id, void *out)
{
	size_t size = msg_spec(id)->size;
	struct msg_error why;
	void *msg;

	if (r->record.len == 0)
		return false;
	if (r->msg == NULL) {
		msg = arena_alloc(&memo.arena, size);
		/* If not, the same again, for the one who knows about damage. */
		if (msg_decode_as(r->record, &memo.arena, id, msg, &why) ==
		    -1 && !db_get_msg(stage_tables(st), r->table, r->key, id,
		    &memo.arena, msg))
			return false;
		r->msg = msg;
	}
	memcpy(out, r->msg, size);
	return true;
}

void
memo_put(struct stage *st, enum table_id table, struct slice key,
    enum msg_id id, const void *msg)
{
	struct row *r;
	bool there;

	(void)st;
	buf_clear(&memo.record);
	if (msg_encode(&memo.record, id, msg) == -1)
		fatalx(EX_RETRY, "a record is larger than memory allows");
	r = find(table, key, &there);
	r->record = arena_dup(&memo.arena, buf_slice(&memo.record));
	r->msg = NULL;
	r->sketch = NULL;
	if (r->dirty)
		return;
	r->dirty = true;
	r->after = memo.changed;
	memo.changed = r;
}
