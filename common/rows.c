/*
 * rows - a table's records as they are in memory for the length of a batch
 *
 * A row has its strings in one block and its lists in another.  A record that
 * is put mostly has the strings that it was read with: those are in the block
 * already and stay where they are.  New ones are added behind them; when the
 * block is full, those in use move to a new one, and the old one is kept until
 * the entry is done, because what was read before may still point into it.
 */
#include "common/rows.h"

#include <stdlib.h>

#include "common/xmalloc.h"

enum {
	BUCKETS = 1024,
	ROWS_MOST = 2048,	/* more are written and forgotten */
	ROOM_LEAST = 512,
};

struct row {
	struct row *next;	/* of the bucket */
	uint64_t key;
	bool dirty;
	void *msg;
	char *lists, *text;
	size_t lists_len, lists_cap, text_len, text_cap;
};

struct rows {
	enum table_id table;
	enum msg_id id;
	const struct msg_spec *spec;
	struct row *buckets[BUCKETS];
	size_t n_rows, n_dirty;
	uint64_t resets;	/* of the arena, as of the last call */
	char **old;		/* blocks of strings that were left */
	size_t n_old, cap_old;
};

/* ---- copying ---- */

/* Where the lists and, of a row's own copy, the strings of a record go. */
struct space {
	char *at;
	size_t len, cap;	/* len passes cap where it does not fit */
	struct row *row;	/* NULL: the strings stay where they are */
	size_t text;		/* bytes of all strings */
	bool full;		/* the strings do not fit */
};

static void *
copy_list(struct space *to, const void *from, size_t bytes)
{
	size_t at = to->len;

	to->len += (bytes + 7) & ~(size_t)7;
	if (bytes == 0 || to->len > to->cap)
		return NULL;
	return memcpy(to->at + at, from, bytes);
}

static void
copy_str(struct space *to, struct slice *s)
{
	struct row *r = to->row;

	if (s->len == 0) {
		s->ptr = "";
		return;
	}
	to->text += s->len;
	if (s->ptr >= r->text && s->ptr < r->text + r->text_len)
		return;
	if (s->len > r->text_cap - r->text_len) {
		to->full = true;
		return;
	}
	memcpy(r->text + r->text_len, s->ptr, s->len);
	s->ptr = r->text + r->text_len;
	r->text_len += s->len;
}

static void
copy_strs(struct space *to, struct msg_strs *list)
{
	size_t i;

	list->at = copy_list(to, list->at, list->count * sizeof(list->at[0]));
	if (to->row == NULL || list->at == NULL)
		return;
	for (i = 0; i < list->count; i++)
		copy_str(to, &list->at[i]);
}

static void copy_fields(struct space *to, const struct msg_spec *spec,
    void *msg);

static void
copy_records(struct space *to, const struct msg_field *f, char *msg)
{
	const struct msg_spec *sub = msg_spec(f->of);
	size_t i, count;
	char *items;

	memcpy(&items, msg + f->offset, sizeof(items));
	memcpy(&count, msg + f->count_offset, sizeof(count));
	items = copy_list(to, items, count * sub->size);
	memcpy(msg + f->offset, &items, sizeof(items));
	for (i = 0; items != NULL && i < count; i++)
		copy_fields(to, sub, items + i * sub->size);
}

/*
 * What a struct that was copied as it is points to.  A row's own copy has the
 * bits of what is there, as if it had been written and read.
 */
static void
copy_fields(struct space *to, const struct msg_spec *spec, void *msg)
{
	const struct msg_field *f, *end = spec->fields + spec->n_fields;
	struct msg_u64s *numbers;
	uint64_t has = 0;
	void *value;

	for (f = spec->fields; f < end; f++) {
		value = (char *)msg + f->offset;
		if (to->row != NULL && !msg_is_absent(f, msg))
			has |= UINT64_C(1) << f->tag;
		switch (f->type) {
		case TYPE_str:
		case TYPE_bin:
			if (to->row != NULL)
				copy_str(to, value);
			break;
		case TYPE_strs:
			copy_strs(to, value);
			break;
		case TYPE_u64s:
			numbers = value;
			numbers->at = copy_list(to, numbers->at,
			    numbers->count * sizeof(numbers->at[0]));
			break;
		case TYPE_list:
			copy_records(to, f, msg);
			break;
		default:
			break;
		}
	}
	if (to->row != NULL)
		memcpy(msg, &has, sizeof(has));
}

/* ---- rows ---- */

struct rows *
rows_open(enum table_id table, enum msg_id id)
{
	struct rows *rows = xcalloc(1, sizeof(*rows));

	rows->table = table;
	rows->id = id;
	rows->spec = msg_spec(id);
	return rows;
}

static void
free_old(struct rows *rows)
{
	while (rows->n_old > 0)
		free(rows->old[--rows->n_old]);
}

void
rows_begin(struct rows *rows)
{
	struct row *r, *next;
	size_t i;

	for (i = 0; rows->n_rows > 0 && i < BUCKETS; i++) {
		for (r = rows->buckets[i]; r != NULL; r = next) {
			next = r->next;
			free(r->text);
			free(r->lists);
			free(r->msg);
			free(r);
			rows->n_rows--;
		}
		rows->buckets[i] = NULL;
	}
	rows->n_dirty = 0;
	free_old(rows);
}

void
rows_close(struct rows **rows)
{
	if (*rows == NULL)
		return;
	rows_begin(*rows);
	free((*rows)->old);
	free(*rows);
	*rows = NULL;
}

static int
by_key(const void *a, const void *b)
{
	uint64_t x = (*(struct row *const *)a)->key;
	uint64_t y = (*(struct row *const *)b)->key;

	return (x > y) - (x < y);
}

void
rows_flush(struct rows *rows, struct db_txn *txn)
{
	struct row **dirty, *r;
	size_t i, n = 0;
	struct key k;

	if (rows->n_dirty == 0)
		return;
	dirty = xcalloc(rows->n_dirty, sizeof(dirty[0]));
	for (i = 0; i < BUCKETS; i++)
		for (r = rows->buckets[i]; r != NULL; r = r->next)
			if (r->dirty)
				dirty[n++] = r;
	qsort(dirty, n, sizeof(dirty[0]), by_key);
	for (i = 0; i < n; i++) {
		k = key_u64(dirty[i]->key);
		db_put_msg(txn, rows->table, key_slice(&k), rows->id,
		    dirty[i]->msg);
		dirty[i]->dirty = false;
	}
	free(dirty);
	rows->n_dirty = 0;
}

/* An entry begins: nothing of the one before is pointed to any more. */
static void
turn_to(struct rows *rows, struct db_txn *txn, const struct arena *arena)
{
	if (rows->resets == arena->resets)
		return;
	rows->resets = arena->resets;
	free_old(rows);
	if (rows->n_rows <= ROWS_MOST)
		return;
	rows_flush(rows, txn);
	rows_begin(rows);
}

static struct row *
find_row(const struct rows *rows, uint64_t key)
{
	struct row *r;

	for (r = rows->buckets[key % BUCKETS]; r != NULL; r = r->next)
		if (r->key == key)
			return r;
	return NULL;
}

static struct row *
add_row(struct rows *rows, uint64_t key)
{
	struct row *r = xcalloc(1, sizeof(*r));

	r->key = key;
	r->msg = xcalloc(1, rows->spec->size);
	r->next = rows->buckets[key % BUCKETS];
	rows->buckets[key % BUCKETS] = r;
	rows->n_rows++;
	return r;
}

static void
new_text(struct rows *rows, struct row *r, size_t cap)
{
	if (r->text != NULL) {
		if (rows->n_old == rows->cap_old) {
			rows->cap_old = rows->cap_old == 0 ? 16 :
							     2 * rows->cap_old;
			rows->old = xrealloc(rows->old,
			    rows->cap_old * sizeof(rows->old[0]));
		}
		rows->old[rows->n_old++] = r->text;
	}
	r->text = xmalloc(cap);
	r->text_cap = cap;
	r->text_len = 0;
}

static void
fill_row(struct rows *rows, struct row *r, const void *msg)
{
	struct space to;

	for (;;) {
		to = (struct space){ .at = r->lists, .cap = r->lists_cap,
			.row = r };
		memcpy(r->msg, msg, rows->spec->size);
		copy_fields(&to, rows->spec, r->msg);
		if (!to.full && to.len <= to.cap)
			break;
		if (to.len > to.cap) {
			free(r->lists);
			r->lists_cap = 2 * to.len + ROOM_LEAST;
			r->lists = xmalloc(r->lists_cap);
		}
		if (to.full)
			new_text(rows, r, 2 * to.text + ROOM_LEAST);
	}
	r->lists_len = to.len;
}

/* The record's bytes become the row's strings. */
static struct row *
load_row(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena)
{
	union msg_any *msg = arena_alloc(arena, sizeof(*msg));
	struct key k = key_u64(key);
	struct msg_error why;
	struct slice record;
	struct row *r;

	if (!db_get(txn, rows->table, key_slice(&k), &record))
		return NULL;
	r = add_row(rows, key);
	new_text(rows, r, 2 * record.len + ROOM_LEAST);
	memcpy(r->text, record.ptr, record.len);
	r->text_len = record.len;
	if (msg_decode_as(slice_of(r->text, record.len), arena, rows->id, msg,
		&why) == 0) {
		fill_row(rows, r, msg);
		return r;
	}
	/* The same again, for the one who knows what to do about damage. */
	(void)db_get_msg(txn, rows->table, key_slice(&k), rows->id, arena,
	    msg);
	return NULL;
}

bool
rows_get(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena, void *out)
{
	struct space to = { 0 };
	struct row *r;

	turn_to(rows, txn, arena);
	r = find_row(rows, key);
	if (r == NULL)
		r = load_row(rows, txn, key, arena);
	if (r == NULL)
		return false;
	to.cap = r->lists_len;
	to.at = arena_alloc(arena, to.cap);
	memcpy(out, r->msg, rows->spec->size);
	copy_fields(&to, rows->spec, out);
	return true;
}

void
rows_put(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena, const void *msg)
{
	struct row *r;

	turn_to(rows, txn, arena);
	r = find_row(rows, key);
	if (r == NULL)
		r = add_row(rows, key);
	fill_row(rows, r, msg);
	rows->n_dirty += !r->dirty;
	r->dirty = true;
}
