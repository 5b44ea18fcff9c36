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

#include <stddef.h>
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

/* A message's fields that are lists, and its tags that are always there. */
struct plan {
	const struct msg_spec *spec;
	struct list {
		enum msg_type type;
		size_t offset, count_offset;
		struct plan *of;	/* of records that have lists; or NULL */
		size_t size;
	} *lists;
	size_t n_lists;
	uint64_t required;
};

struct rows {
	enum table_id table;
	enum msg_id id;
	struct plan *plans[MSG_LIMIT];	/* of the record and those in it */
	struct plan *plan;
	void (*pack)(void *msg, struct arena *arena);
	void (*unpack)(void *msg, struct arena *arena);
	struct arena packing;
	struct row *buckets[BUCKETS];
	size_t n_rows, n_dirty;
	uint64_t resets;	/* of the arena, as of the last call */
	char **old;		/* blocks of strings that were left */
	size_t n_old, cap_old;
};

static struct plan *
make_plan(struct rows *rows, enum msg_id id)
{
	const struct msg_spec *spec = msg_spec(id);
	struct plan *p = rows->plans[id];
	const struct msg_field *f;
	size_t i;

	if (p != NULL)
		return p;
	p = rows->plans[id] = xcalloc(1, sizeof(*p));
	p->spec = spec;
	p->lists = xcalloc(spec->n_fields, sizeof(p->lists[0]));
	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		if (f->need == NEED_REQ)
			p->required |= UINT64_C(1) << f->tag;
		if (f->type != TYPE_strs && f->type != TYPE_u64s &&
		    f->type != TYPE_list)
			continue;
		p->lists[p->n_lists] = (struct list){ .type = f->type,
			.offset = f->offset, .count_offset = f->count_offset };
		if (f->type == TYPE_list) {
			p->lists[p->n_lists].of = make_plan(rows, f->of);
			p->lists[p->n_lists].size = msg_spec(f->of)->size;
		}
		p->n_lists++;
	}
	return p;
}

/* ---- what is put, copied into its row ---- */

struct filling {
	struct rows *rows;
	struct row *row;
	size_t lists;		/* bytes; more than there is room for: again */
	size_t text;		/* bytes of all strings */
	bool full;		/* the new ones do not fit */
};

static void *
keep_list(struct filling *to, const void *from, size_t bytes)
{
	size_t at = to->lists;

	to->lists += (bytes + 7) & ~(size_t)7;
	if (bytes == 0 || to->lists > to->row->lists_cap)
		return NULL;
	return memcpy(to->row->lists + at, from, bytes);
}

static inline void
keep_str(struct filling *to, struct slice *s)
{
	struct row *r = to->row;

	to->text += s->len;
	if (s->ptr >= r->text && s->ptr < r->text + r->text_len)
		return;
	if (s->len == 0) {
		s->ptr = "";
		return;
	}
	if (s->len > r->text_cap - r->text_len) {
		to->full = true;
		return;
	}
	memcpy(r->text + r->text_len, s->ptr, s->len);
	s->ptr = r->text + r->text_len;
	r->text_len += s->len;
}

static void
keep_strs(struct filling *to, struct msg_strs *list)
{
	size_t i;

	list->at = keep_list(to, list->at, list->count * sizeof(list->at[0]));
	for (i = 0; list->at != NULL && i < list->count; i++)
		keep_str(to, &list->at[i]);
}

static void keep_fields(struct filling *to, const struct plan *p, char *msg);

static void
keep_records(struct filling *to, const struct msg_field *f, char *msg)
{
	const struct plan *of = to->rows->plans[f->of];
	size_t i, count, size = of->spec->size;
	char *items;

	memcpy(&items, msg + f->offset, sizeof(items));
	memcpy(&count, msg + f->count_offset, sizeof(count));
	items = keep_list(to, items, count * size);
	memcpy(msg + f->offset, &items, sizeof(items));
	for (i = 0; items != NULL && i < count; i++)
		keep_fields(to, of, items + i * size);
}

/* What a field points to becomes the row's. */
static inline void
keep_field(struct filling *to, const struct msg_field *f, char *msg)
{
	char *value = msg + f->offset;
	struct msg_u64s *numbers;

	switch (f->type) {
	case TYPE_str:
	case TYPE_bin:
		keep_str(to, (struct slice *)value);
		break;
	case TYPE_strs:
		keep_strs(to, (struct msg_strs *)value);
		break;
	case TYPE_u64s:
		numbers = (struct msg_u64s *)value;
		numbers->at = keep_list(to, numbers->at,
		    numbers->count * sizeof(numbers->at[0]));
		break;
	case TYPE_list:
		keep_records(to, f, msg);
		break;
	case TYPE_u64:
	case TYPE_i64:
	case TYPE_time:
	case TYPE_bool:
		break;
	}
}

/* With the bits of what is there, as if it had been written and read. */
static void
keep_fields(struct filling *to, const struct plan *p, char *msg)
{
	const struct msg_field *f, *end = p->spec->fields + p->spec->n_fields;
	uint64_t has;

	memcpy(&has, msg, sizeof(has));
	has |= p->required;
	for (f = p->spec->fields; f < end; f++) {
		has |= (uint64_t)!msg_is_zero(f, msg) << f->tag;
		if (f->type > TYPE_bool)
			keep_field(to, f, msg);
	}
	memcpy(msg, &has, sizeof(has));
}

/* ---- what is got, copied out of its row ---- */

/* The lists were moved as they are: so are those that point to them. */
static void
move_lists(const struct plan *p, char *msg, ptrdiff_t by)
{
	const struct list *f, *end = p->lists + p->n_lists;
	size_t i, count;
	char *items;

	for (f = p->lists; f < end; f++) {
		memcpy(&items, msg + f->offset, sizeof(items));
		if (items == NULL)
			continue;
		items += by;
		memcpy(msg + f->offset, &items, sizeof(items));
		if (f->of == NULL || f->of->n_lists == 0)
			continue;
		memcpy(&count, msg + f->count_offset, sizeof(count));
		for (i = 0; i < count; i++)
			move_lists(f->of, items + i * f->size, by);
	}
}

/* ---- rows ---- */

struct rows *
rows_open(enum table_id table, enum msg_id id)
{
	struct rows *rows = xcalloc(1, sizeof(*rows));

	rows->table = table;
	rows->id = id;
	rows->plan = make_plan(rows, id);
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
	size_t i;

	if (*rows == NULL)
		return;
	rows_begin(*rows);
	for (i = 0; i < MSG_LIMIT; i++) {
		if ((*rows)->plans[i] == NULL)
			continue;
		free((*rows)->plans[i]->lists);
		free((*rows)->plans[i]);
	}
	arena_release(&(*rows)->packing);
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

static void
write_row(struct rows *rows, struct db_txn *txn, struct row *r)
{
	struct key k = key_u64(r->key);
	void *msg = r->msg;

	if (rows->pack != NULL) {
		msg = arena_alloc(&rows->packing, rows->plan->spec->size);
		memcpy(msg, r->msg, rows->plan->spec->size);
		rows->pack(msg, &rows->packing);
	}
	db_put_msg(txn, rows->table, key_slice(&k), rows->id, msg);
	arena_reset(&rows->packing);
	r->dirty = false;
}

void
rows_flush(struct rows *rows, struct db_txn *txn)
{
	struct row **dirty, *r;
	size_t i, n = 0;

	if (rows->n_dirty == 0)
		return;
	dirty = xcalloc(rows->n_dirty, sizeof(dirty[0]));
	for (i = 0; i < BUCKETS; i++)
		for (r = rows->buckets[i]; r != NULL; r = r->next)
			if (r->dirty)
				dirty[n++] = r;
	qsort(dirty, n, sizeof(dirty[0]), by_key);
	for (i = 0; i < n; i++)
		write_row(rows, txn, dirty[i]);
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
	r->msg = xcalloc(1, rows->plan->spec->size);
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
	struct filling to;

	for (;;) {
		to = (struct filling){ .rows = rows, .row = r };
		memcpy(r->msg, msg, rows->plan->spec->size);
		keep_fields(&to, rows->plan, r->msg);
		if (!to.full && to.lists <= r->lists_cap)
			break;
		if (to.lists > r->lists_cap) {
			free(r->lists);
			r->lists_cap = 2 * to.lists + ROOM_LEAST;
			r->lists = xmalloc(r->lists_cap);
		}
		if (to.full)
			new_text(rows, r, 2 * to.text + ROOM_LEAST);
	}
	r->lists_len = to.lists;
}

/* The record's bytes become the row's strings. */
static struct row *
load_row(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena)
{
	void *msg = arena_alloc(arena, rows->plan->spec->size);
	struct key k = key_u64(key);
	struct msg_error why;
	struct slice record;
	struct row *r;
	size_t room;
	char *text;

	if (!db_get(txn, rows->table, key_slice(&k), &record))
		return NULL;
	room = 2 * record.len + ROOM_LEAST;
	text = xmalloc(room);
	memcpy(text, record.ptr, record.len);
	if (msg_decode_as(slice_of(text, record.len), arena, rows->id, msg,
		&why) == -1) {
		free(text);
		/* Again, for the one who knows what to do about damage. */
		(void)db_get_msg(txn, rows->table, key_slice(&k), rows->id,
		    arena, msg);
		return NULL;
	}
	if (rows->unpack != NULL)
		rows->unpack(msg, arena);
	r = add_row(rows, key);
	r->text = text;
	r->text_len = record.len;
	r->text_cap = room;
	fill_row(rows, r, msg);
	return r;
}

static struct row *
get_row(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena)
{
	struct row *r;

	turn_to(rows, txn, arena);
	r = find_row(rows, key);
	return r != NULL ? r : load_row(rows, txn, key, arena);
}

const void *
rows_peek(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena)
{
	const struct row *r = get_row(rows, txn, key, arena);

	return r != NULL ? r->msg : NULL;
}

bool
rows_get(struct rows *rows, struct db_txn *txn, uint64_t key,
    struct arena *arena, void *out)
{
	struct row *r = get_row(rows, txn, key, arena);
	char *lists;

	if (r == NULL)
		return false;
	memcpy(out, r->msg, rows->plan->spec->size);
	if (r->lists_len == 0)
		return true;
	lists = arena_room(arena, r->lists_len);
	memcpy(lists, r->lists, r->lists_len);
	move_lists(rows->plan, out, lists - r->lists);
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
