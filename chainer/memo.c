/*
 * memo - the rows of the chainer's tables that were used of late
 */
#include "chainer/memo.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <xxhash.h>

#include "chainer/fronts.h"
#include "chainer/sketch.h"
#include "common/xmalloc.h"

enum {
	SLOTS_LEAST = 1024,
	KINDS = 8,	/* of records: a few more than there are */
	MEMO_LINE = 64,	/* bytes that come nearer at once */
	KEEP_BYTES = 20 * 1024 * 1024,	/* of rows, whatever a batch's length */
	MERGED_BITS = 10,
};

/*
 * Where rows are found.  The hash stands beside the row, so that none is
 * looked at that is not meant: most are far from the processor.
 */
struct slot {
	uint64_t hash;		/* of the key; a chain's ref, stirred */
	struct row *row;	/* NULL: free */
};

struct places {
	struct slot *at;
	size_t n, cap;		/* a power of two, half of it free */
};

static struct {
	struct places chains, others;
	struct merged {
		uint64_t ref, into;
	} merged[1 << MERGED_BITS];
	size_t n_rows[TABLE_COUNT];
	struct row **changed;
	size_t n_changed, cap_changed;
	struct rows_copies kinds[KINDS];
	enum msg_id ids[KINDS];
	size_t n_kinds;
	size_t bytes;
	uint64_t now;		/* counts how often half of it was full */
	bool half;		/* since it last was */
	uint64_t follows;	/* the last entry whose changes are here … */
	bool flushed;		/* … and were given to the tables */
} memo;

/* ---- rows ---- */

static void
count_bytes(struct row *r)
{
	memo.bytes -= r->bytes;
	r->bytes = sizeof(*r) + r->key_len + r->kind->size +
	    rows_copy_bytes(&r->kept);
	if (r->table == TABLE_chains)
		r->bytes += SKETCH_BYTES;
	if (r->window != NULL)
		r->bytes += sizeof(*r->window);
	memo.bytes += r->bytes;
}

static void
drop_row(struct row *r)
{
	memo.n_rows[r->table]--;
	memo.bytes -= r->bytes;
	rows_copy_release(&r->kept);
	free(r->sketch);
	free(r->window);
	free(r);
}

static struct slot *
free_slot(const struct places *p, uint64_t hash)
{
	size_t i = hash & (p->cap - 1);

	while (p->at[i].row != NULL)
		i = (i + 1) & (p->cap - 1);
	return &p->at[i];
}

/* Those last used since then are placed anew, the others dropped. */
static void
place_again(struct places *p, size_t cap, uint64_t since)
{
	struct places old = *p;
	size_t i;

	if (cap == 0)
		return;
	*p = (struct places){ xcalloc(cap, sizeof(p->at[0])), 0, cap };
	for (i = 0; i < old.cap; i++)
		if (old.at[i].row == NULL)
			continue;
		else if (old.at[i].row->used < since)
			drop_row(old.at[i].row);
		else {
			*free_slot(p, old.at[i].hash) = old.at[i];
			p->n++;
		}
	free(old.at);
}

static void
place_row(struct places *p, uint64_t hash, struct row *r)
{
	if (2 * p->n >= p->cap)
		place_again(p, p->cap == 0 ? SLOTS_LEAST : 2 * p->cap, 0);
	*free_slot(p, hash) = (struct slot){ hash, r };
	p->n++;
}

/* Those last used before `since`; none of them is waiting to be written. */
static void
drop_before(uint64_t since)
{
	place_again(&memo.chains, memo.chains.cap, since);
	place_again(&memo.others, memo.others.cap, since);
}

/* Nothing points any more to strings that rows have left. */
static void
free_left(void)
{
	size_t i;

	for (i = 0; i < memo.n_kinds; i++)
		rows_copies_free_old(&memo.kinds[i]);
}

static void
drop_all(void)
{
	memo.n_changed = 0;
	drop_before(UINT64_MAX);
	memset(memo.merged, 0, sizeof(memo.merged));
	free_left();
	fronts_forget();
}

static void
note_use(struct row *r)
{
	if (r->used != memo.now)
		r->used = memo.now;
}

static uint64_t
hash_of(enum table_id table, struct slice key)
{
	return XXH3_64bits(key.ptr, key.len) + table;
}

static struct row *
find_row(uint64_t hash, enum table_id table, struct slice key)
{
	const struct places *p = &memo.others;
	struct row *r;
	size_t i;

	if (p->cap == 0)
		return NULL;
	for (i = hash & (p->cap - 1); (r = p->at[i].row) != NULL;
	     i = (i + 1) & (p->cap - 1))
		if (p->at[i].hash == hash && r->table == table &&
		    slice_eq(slice_of(r->key, r->key_len), key)) {
			note_use(r);
			return r;
		}
	return NULL;
}

struct row *
memo_known(enum table_id table, struct slice key)
{
	return memo.n_rows[table] == 0 ? NULL :
	    find_row(hash_of(table, key), table, key);
}

static struct rows_copies *
kind_of(enum msg_id id)
{
	size_t i;

	for (i = 0; i < memo.n_kinds; i++)
		if (memo.ids[i] == id)
			return &memo.kinds[i];
	assert(memo.n_kinds < KINDS);
	memo.ids[i] = id;
	rows_copies_init(&memo.kinds[i], id);
	memo.n_kinds++;
	return &memo.kinds[i];
}

static void
note_face(struct row *r)
{
	const struct msg_chain *c = r->kept.msg;

	if (r->table == TABLE_chains)
		r->face = (struct row_face){ c->last_extended, c->merged_into,
			chain_state(c) };
}

/* The scratch memory that decoding needs is not kept. */
static void
load(struct stage *st, struct row *r)
{
	struct slice key = slice_of(r->key, r->key_len), record;
	struct arena *arena = stage_arena(st);
	struct msg_error why;
	void *msg;

	if (!db_get(stage_tables(st), r->table, key, &record))
		return;
	msg = arena_alloc(arena, r->kind->size);
	record.ptr = rows_copy_text(&r->kept, record);
	if (msg_decode_as(record, arena, r->id, msg, &why) == 0) {
		rows_copy_put(r->kind, &r->kept, msg);
		note_face(r);
		return;
	}
	/* The same again, for the one who knows about damage. */
	rows_copy_release(&r->kept);
	(void)db_get_msg(stage_tables(st), r->table, key, r->id, arena, msg);
}

static struct row *
add_row(struct places *p, uint64_t hash, enum table_id table, enum msg_id id,
    struct slice key)
{
	struct row *r = xaligned(MEMO_LINE, sizeof(*r) + key.len);

	memset(r, 0, sizeof(*r));
	r->table = table;
	r->id = id;
	r->kind = kind_of(id);
	r->used = memo.now;
	r->key_len = key.len;
	memcpy(r->key, key.ptr, key.len);
	place_row(p, hash, r);
	memo.n_rows[table]++;
	return r;
}

static struct row *
read_row(struct stage *st, struct row *r)
{
	load(st, r);
	count_bytes(r);
	return r;
}

struct row *
memo_find(struct stage *st, enum table_id table, enum msg_id id,
    struct slice key)
{
	uint64_t hash = hash_of(table, key);
	struct row *r = find_row(hash, table, key);

	return r != NULL ? r : read_row(st, add_row(&memo.others, hash, table,
	    id, key));
}

/* A chain's ref has few bits of its own; none is lost. */
static uint64_t
stir(uint64_t ref)
{
	ref *= UINT64_C(0x9e3779b97f4a7c15);
	return ref ^ ref >> 32;
}

/* Only what is at hand; NULL: not here. */
static struct row *
find_chain(uint64_t hash)
{
	const struct places *p = &memo.chains;
	size_t i;

	if (p->cap == 0)
		return NULL;
	for (i = hash & (p->cap - 1); p->at[i].row != NULL;
	     i = (i + 1) & (p->cap - 1))
		if (p->at[i].hash == hash)
			return p->at[i].row;
	return NULL;
}

struct row *
memo_chain(struct stage *st, uint64_t ref)
{
	uint64_t hash = stir(ref);
	struct row *r = find_chain(hash);
	struct key k;

	if (r != NULL) {
		note_use(r);
		return r;
	}
	k = key_u64(ref);
	return read_row(st, add_row(&memo.chains, hash, TABLE_chains,
	    MSG_chain, key_slice(&k)));
}

static struct merged *
merged_place(uint64_t ref)
{
	return &memo.merged[stir(ref) & ((1 << MERGED_BITS) - 1)];
}

uint64_t
memo_merged(uint64_t ref)
{
	const struct merged *m = merged_place(ref);

	return m->ref == ref ? m->into : 0;
}

void
memo_note_merged(uint64_t ref, uint64_t into)
{
	*merged_place(ref) = (struct merged){ ref, into };
}

static void
approach(const void *at, size_t len)
{
	size_t i;

	for (i = 0; i < len; i += MEMO_LINE)
		__builtin_prefetch((const char *)at + i);
}

const struct row *
memo_approach(uint64_t ref)
{
	const struct row *r = find_chain(stir(ref));

	if (r != NULL)
		__builtin_prefetch(r);
	return r;
}

/* The letters are seldom looked at, nor is the record. */
void
memo_approach_sketch(const struct row *r)
{
	if (r->sketch != NULL)
		approach(r->sketch, offsetof(struct sketch, subject.at));
}

void
memo_put(struct row *r, const void *msg)
{
	rows_copy_put(r->kind, &r->kept, msg);
	note_face(r);
	count_bytes(r);
	if (r->dirty)
		return;
	r->dirty = true;
	if (memo.n_changed == memo.cap_changed) {
		memo.cap_changed = memo.cap_changed == 0 ? SLOTS_LEAST :
						   2 * memo.cap_changed;
		memo.changed = xrealloc(memo.changed,
		    memo.cap_changed * sizeof(memo.changed[0]));
	}
	memo.changed[memo.n_changed++] = r;
}

void
memo_keep_sketch(struct row *r, const struct sketch *sketch)
{
	if (sketch != NULL) {
		sketch_keep(&r->sketch, sketch);
		return;
	}
	free(r->sketch);
	r->sketch = NULL;
}

const struct sketch *
memo_sketch(struct row *r, struct arena *scratch)
{
	struct topic t;

	if (r->sketch == NULL) {
		t = chain_topic(r->kept.msg);
		sketch_keep(&r->sketch, sketch_topic(scratch, &t));
	}
	return r->sketch;
}

struct window *
memo_new_window(struct row *r)
{
	free(r->window);
	r->window = xmalloc(sizeof(*r->window));
	r->window->turns = 0;
	r->window->n = 0;
	count_bytes(r);
	return r->window;
}

/* ---- batches ---- */

static bool
is_followed(struct stage *st)
{
	struct msg_derived d;

	return db_get_msg(stage_tables(st), TABLE_chainer_derived,
	    SLICE("follows"), MSG_derived, stage_arena(st), &d) &&
	    d.seq == memo.follows;
}

void
memo_begin(struct stage *st)
{
	if (!memo.flushed || !is_followed(st))
		drop_all();
	memo.flushed = false;
}

/* Rows are all over memory: those to come are fetched meanwhile. */
static void
approach_changed(size_t i)
{
	enum { FAR = 8, NEAR = 4 };

	if (i + FAR < memo.n_changed)
		approach(memo.changed[i + FAR], sizeof(struct row));
	if (i + NEAR < memo.n_changed &&
	    memo.changed[i + NEAR]->kept.msg != NULL)
		approach(memo.changed[i + NEAR]->kept.msg,
		    memo.changed[i + NEAR]->kind->size);
}

void
memo_flush(struct stage *st)
{
	struct db_txn *txn = stage_tables(st);
	struct row *r;
	size_t i;

	fronts_flush(txn);
	for (i = 0; i < memo.n_changed; i++) {
		approach_changed(i);
		r = memo.changed[i];
		db_put_msg_later(txn, r->table, slice_of(r->key, r->key_len),
		    r->id, r->kept.msg);
		r->dirty = false;
	}
	memo.n_changed = 0;
	memo.flushed = true;
}

void
memo_follow(uint64_t seq)
{
	memo.follows = seq;
	memo.flushed = false;
}

void
memo_trim(struct stage *st)
{
	free_left();
	if (memo.bytes > KEEP_BYTES / 2 && !memo.half) {
		memo.half = true;
		memo.now++;
	}
	if (memo.bytes + fronts_bytes() <= KEEP_BYTES)
		return;
	memo_flush(st);
	/* What nobody asked for since it was half full, or else all. */
	drop_before(memo.now);
	if (memo.bytes > KEEP_BYTES / 2)
		drop_all();
	memo.half = false;
}

void
memo_release(void)
{
	drop_all();
	free(memo.chains.at);
	free(memo.others.at);
	free(memo.changed);
	memo.changed = NULL;
	memo.cap_changed = 0;
	memo.chains = memo.others = (struct places){ 0 };
	while (memo.n_kinds > 0)
		rows_copies_release(&memo.kinds[--memo.n_kinds]);
}
