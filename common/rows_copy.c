/*
 * rows_copy - a message with all that it points to, in memory of its own
 */
#include "common/rows_copy.h"

#include <stddef.h>
#include <stdlib.h>

#include "common/xmalloc.h"

enum { ROOM_LEAST = 64 };

struct list {
	enum msg_type type;
	unsigned tag;
	bool flat;		/* nothing in it has a list */
	size_t offset, count_offset, size;
	const struct rows_plan *of;	/* of records */
};

/* Where in a message what stands, and its tags that are always there. */
struct rows_plan {
	struct place {
		unsigned tag, offset;
	} *numbers, *flags, *strings;
	struct list *lists;
	size_t n_numbers, n_flags, n_strings, n_lists;
	uint64_t required;
};

static struct rows_plan *make_plan(struct rows_copies *all, enum msg_id id);

static void
plan_field(struct rows_copies *all, struct rows_plan *p,
    const struct msg_field *f)
{
	struct place at = { f->tag, (unsigned)f->offset };
	struct list list = { .type = f->type, .tag = f->tag, .flat = true,
		.offset = f->offset, .count_offset = f->count_offset };

	if (f->need == NEED_REQ)
		p->required |= UINT64_C(1) << f->tag;
	switch (f->type) {
	case TYPE_u64:
	case TYPE_i64:
	case TYPE_time:
		p->numbers[p->n_numbers++] = at;
		return;
	case TYPE_bool:
		p->flags[p->n_flags++] = at;
		return;
	case TYPE_str:
	case TYPE_bin:
		p->strings[p->n_strings++] = at;
		return;
	case TYPE_list:
		list.of = make_plan(all, f->of);
		list.flat = list.of->n_lists == 0;
		list.size = msg_spec(f->of)->size;
		break;
	case TYPE_strs:
		list.size = sizeof(struct slice);
		list.count_offset = f->offset +
		    offsetof(struct msg_strs, count);
		break;
	case TYPE_u64s:
		list.size = sizeof(uint64_t);
		list.count_offset = f->offset +
		    offsetof(struct msg_u64s, count);
	}
	p->lists[p->n_lists++] = list;
}

static struct rows_plan *
make_plan(struct rows_copies *all, enum msg_id id)
{
	const struct msg_spec *spec = msg_spec(id);
	struct rows_plan *p = all->plans[id];
	size_t i;

	if (p != NULL)
		return p;
	p = all->plans[id] = xcalloc(1, sizeof(*p));
	p->numbers = xcalloc(spec->n_fields, sizeof(p->numbers[0]));
	p->flags = xcalloc(spec->n_fields, sizeof(p->flags[0]));
	p->strings = xcalloc(spec->n_fields, sizeof(p->strings[0]));
	p->lists = xcalloc(spec->n_fields, sizeof(p->lists[0]));
	for (i = 0; i < spec->n_fields; i++)
		plan_field(all, p, &spec->fields[i]);
	return p;
}

static void
free_plan(struct rows_plan *p)
{
	free(p->numbers);
	free(p->flags);
	free(p->strings);
	free(p->lists);
	free(p);
}

/* ---- what is put, copied ---- */

struct filling {
	struct rows_copy *copy;
	struct rows_block block;	/* for the lists */
	size_t lists;		/* bytes; more than there is room for: again */
	bool afresh;		/* all strings are to be moved */
	bool full;		/* the new ones do not fit */
};

/* One look for both ends: what is before the block is far behind it. */
static inline bool
is_within(const char *at, const char *block, size_t len)
{
	return (uintptr_t)at - (uintptr_t)block < len;
}

static inline void
keep_str(struct filling *to, struct slice *s)
{
	struct rows_copy *c = to->copy;

	if (is_within(s->ptr, c->text, c->text_len))
		return;
	if (s->len == 0) {
		s->ptr = "";
		return;
	}
	if (s->len > c->text_cap - c->text_len) {
		to->full = true;
		return;
	}
	memcpy(c->text + c->text_len, s->ptr, s->len);
	s->ptr = c->text + c->text_len;
	c->text_len += s->len;
}

static void keep_fields(struct filling *to, const struct rows_plan *p,
    char *msg, const char *old);

struct items {
	char *at;
	size_t count;
};

static inline struct items
read_items(const struct list *f, const char *msg)
{
	struct items r;

	memcpy(&r.at, msg + f->offset, sizeof(r.at));
	memcpy(&r.count, msg + f->count_offset, sizeof(r.count));
	return r;
}

/* Those that are there already, at its beginning, stay as they are. */
static void
keep_strs(struct filling *to, struct items is, struct items was)
{
	struct slice *list = (struct slice *)is.at;
	size_t i = 0;

	if (was.count > 0 && was.count <= is.count &&
	    memcmp(is.at, was.at, was.count * sizeof(list[0])) == 0)
		i = was.count;
	for (; i < is.count; i++)
		keep_str(to, &list[i]);
}

/*
 * Records that are as they were need no look inside.  A list mostly grows at
 * one end and is cut at the other: the old ones are passed in step, one may go.
 */
static void
keep_flat(struct filling *to, const struct list *f, struct items is,
    struct items was)
{
	const char *old = was.at, *old_end = was.at + was.count * f->size;
	char *item = is.at, *end = is.at + is.count * f->size;
	size_t size = f->size, left;

	for (; item < end; item += size) {
		if (old < old_end && memcmp(item, old, size) == 0) {
			/* Where one is, the others mostly follow. */
			left = (size_t)(end - item);
			if (left > (size_t)(old_end - old))
				left = (size_t)(old_end - old);
			if (memcmp(item, old, left) == 0) {
				item += left - size;
				old += left;
			} else
				old += size;
		} else if (old_end - old > (ptrdiff_t)size &&
		    memcmp(item, old + size, size) == 0)
			old += 2 * size;
		else
			keep_fields(to, f->of, item, NULL);
	}
}

/* The old record with the same name, its first string; NULL: there is none. */
static const char *
find_old(const struct list *f, const char *item, struct items was)
{
	size_t i, name;

	if (f->of->n_strings == 0)
		return NULL;
	name = f->of->strings[0].offset;
	for (i = 0; i < was.count; i++)
		if (memcmp(item + name, was.at + i * f->size + name,
			sizeof(struct slice)) == 0)
			return was.at + i * f->size;
	return NULL;
}

/* A list of the copy's own, with nothing in it that is not. */
static inline bool
is_kept(const struct filling *to, const struct list *f, const char *items)
{
	return f->type == TYPE_u64s || (!to->afresh && f->flat &&
	    is_within(items, to->copy->lists, to->copy->lists_len));
}

/* As many items in the new block, or NULL: they do not fit. */
static char *
place_items(struct filling *to, const struct list *f, struct items is)
{
	size_t at = to->lists, bytes = is.count * f->size;

	to->lists += (bytes + 7) & ~(size_t)7;
	return to->lists > to->block.cap ? NULL :
	    memcpy(to->block.at + at, is.at, bytes);
}

/* Of a record that is as it was only the lists change their place. */
static void
move_fields(struct filling *to, const struct rows_plan *p, char *msg)
{
	const struct list *f, *last;
	struct items is;
	size_t i;

	for (f = p->lists, last = f + p->n_lists; f < last; f++) {
		is = read_items(f, msg);
		if (is.count == 0)
			continue;
		is.at = place_items(to, f, is);
		memcpy(msg + f->offset, &is.at, sizeof(is.at));
		if (f->flat || is.at == NULL)
			continue;
		for (i = 0; i < is.count; i++)
			move_fields(to, f->of, is.at + i * f->size);
	}
}

/* Records that have lists. */
static void
keep_deep(struct filling *to, const struct list *f, struct items is,
    struct items was)
{
	char *item = is.at, *end = is.at + is.count * f->size;
	const char *old;

	for (; item < end; item += f->size) {
		old = find_old(f, item, was);
		if (old != NULL && memcmp(item, old, f->size) == 0)
			move_fields(to, f->of, item);
		else
			keep_fields(to, f->of, item, old);
	}
}

/* What the list points to becomes the copy's; true: it is not empty. */
static bool
keep_items(struct filling *to, const struct list *f, char *msg,
    const char *old)
{
	struct items is = read_items(f, msg), was = { 0 };
	bool kept = is_kept(to, f, is.at);

	if (is.count == 0) {
		is.at = NULL;
		memcpy(msg + f->offset, &is.at, sizeof(is.at));
		return false;
	}
	is.at = place_items(to, f, is);
	memcpy(msg + f->offset, &is.at, sizeof(is.at));
	if (is.at == NULL || kept)
		return true;
	if (old != NULL)
		was = read_items(f, old);
	if (f->type == TYPE_strs)
		keep_strs(to, is, was);
	else if (f->flat)
		keep_flat(to, f, is, was);
	else
		keep_deep(to, f, is, was);
	return true;
}

/* With the bits of what is there, as if it had been written and read. */
static void
keep_fields(struct filling *to, const struct rows_plan *p, char *msg,
    const char *old)
{
	const struct place *at, *end;
	const struct list *f, *last;
	struct slice *s;
	uint64_t has, n;

	memcpy(&has, msg, sizeof(has));
	has |= p->required;
	for (at = p->numbers, end = at + p->n_numbers; at < end; at++) {
		memcpy(&n, msg + at->offset, sizeof(n));
		has |= (uint64_t)(n != 0) << at->tag;
	}
	for (at = p->flags, end = at + p->n_flags; at < end; at++)
		has |= (uint64_t)*(bool *)(msg + at->offset) << at->tag;
	for (at = p->strings, end = at + p->n_strings; at < end; at++) {
		s = (struct slice *)(msg + at->offset);
		has |= (uint64_t)(s->len > 0) << at->tag;
		keep_str(to, s);
	}
	for (f = p->lists, last = f + p->n_lists; f < last; f++)
		has |= (uint64_t)keep_items(to, f, msg, old) << f->tag;
	memcpy(msg, &has, sizeof(has));
}

/* ---- what is got, copied out ---- */

/* The lists were moved as they are: so are those that point to them. */
static void
move_lists(const struct rows_plan *p, char *msg, ptrdiff_t by)
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
		if (f->flat)
			continue;
		memcpy(&count, msg + f->count_offset, sizeof(count));
		for (i = 0; i < count; i++)
			move_lists(f->of, items + i * f->size, by);
	}
}

void
rows_copy_get(const struct rows_copies *all, const struct rows_copy *c,
    struct arena *arena, void *out)
{
	char *lists;

	memcpy(out, c->msg, all->size);
	if (c->lists_len == 0)
		return;
	lists = arena_room(arena, c->lists_len);
	memcpy(lists, c->lists, c->lists_len);
	move_lists(all->plan, out, lists - c->lists);
}

/* Records whose own lists may be replaced become the arena's. */
static void
part_lists(const struct rows_plan *p, char *msg, struct arena *arena)
{
	const struct list *f, *end = p->lists + p->n_lists;
	struct items is;
	char *copy;
	size_t i;

	for (f = p->lists; f < end; f++) {
		if (f->flat)
			continue;
		is = read_items(f, msg);
		if (is.count == 0)
			continue;
		copy = arena_room(arena, is.count * f->size);
		memcpy(copy, is.at, is.count * f->size);
		memcpy(msg + f->offset, &copy, sizeof(copy));
		for (i = 0; i < is.count; i++)
			part_lists(f->of, copy + i * f->size, arena);
	}
}

void
rows_copy_share(const struct rows_copies *all, const struct rows_copy *c,
    struct arena *arena, void *out)
{
	memcpy(out, c->msg, all->size);
	part_lists(all->plan, out, arena);
}

/* ---- blocks ---- */

void
rows_copies_init(struct rows_copies *all, enum msg_id id)
{
	*all = (struct rows_copies){ .size = msg_spec(id)->size };
	all->plan = make_plan(all, id);
	all->msg = xmalloc(all->size);
}

void
rows_copies_free_old(struct rows_copies *all)
{
	while (all->n_old > 0)
		if (all->n_spares < ROWS_SPARES)
			all->spares[all->n_spares++] = all->old[--all->n_old];
		else
			free(all->old[--all->n_old].at);
}

void
rows_copies_release(struct rows_copies *all)
{
	size_t i;

	for (i = 0; i < MSG_LIMIT; i++)
		if (all->plans[i] != NULL)
			free_plan(all->plans[i]);
	rows_copies_free_old(all);
	while (all->n_spares > 0)
		free(all->spares[--all->n_spares].at);
	free(all->old);
	free(all->msg);
	*all = (struct rows_copies){ 0 };
}

void
rows_copy_release(struct rows_copy *c)
{
	free(c->text);
	free(c->lists);
	free(c->msg);
	*c = (struct rows_copy){ 0 };
}

/* Half as much again: what grows will not stop at once. */
static size_t
room_for(size_t bytes)
{
	return bytes + bytes / 2 + ROOM_LEAST;
}

char *
rows_copy_text(struct rows_copy *c, struct slice record)
{
	c->text_cap = room_for(record.len);
	c->text = xmalloc(c->text_cap);
	c->text_len = record.len;
	return memcpy(c->text, record.ptr, record.len);
}

/* Until the entry is done, because what was got may point into it. */
static void
leave_block(struct rows_copies *all, char *at, size_t cap)
{
	if (at == NULL)
		return;
	if (all->n_old == all->cap_old) {
		all->cap_old = all->cap_old == 0 ? 16 : 2 * all->cap_old;
		all->old = xrealloc(all->old,
		    all->cap_old * sizeof(all->old[0]));
	}
	all->old[all->n_old++] = (struct rows_block){ at, cap };
}

/* A spare one that is neither too small nor far too large, or a new one. */
static struct rows_block
take_block(struct rows_copies *all, size_t least)
{
	struct rows_block *spare, block = { NULL, room_for(least) };
	size_t i;

	for (i = all->n_spares; i > 0; i--) {
		spare = &all->spares[i - 1];
		if (spare->cap < least || spare->cap / 3 > block.cap)
			continue;
		block = *spare;
		*spare = all->spares[--all->n_spares];
		return block;
	}
	/* They fit nobody: make room for those that will. */
	if (all->n_spares == ROWS_SPARES)
		free(all->spares[--all->n_spares].at);
	block.at = xmalloc(block.cap);
	return block;
}

/* ---- putting ---- */

struct needs {
	size_t text, lists;	/* bytes */
};

/* What strings and lists need that are all new. */
static void
measure(const struct rows_plan *p, const char *msg, struct needs *out)
{
	const struct list *f, *last;
	const struct slice *s;
	struct items is;
	size_t i;

	for (i = 0; i < p->n_strings; i++) {
		s = (const struct slice *)(msg + p->strings[i].offset);
		out->text += s->len;
	}
	for (f = p->lists, last = f + p->n_lists; f < last; f++) {
		is = read_items(f, msg);
		out->lists += (is.count * f->size + 7) & ~(size_t)7;
		s = (const struct slice *)is.at;
		for (i = 0; f->type == TYPE_strs && i < is.count; i++)
			out->text += s[i].len;
		for (i = 0; f->type == TYPE_list && i < is.count; i++)
			measure(f->of, is.at + i * f->size, out);
	}
}

/* One that was full will be again: more room than it needs at first. */
static void
new_text(struct rows_copies *all, struct rows_copy *c, size_t bytes)
{
	struct rows_block block = take_block(all,
	    c->text == NULL ? bytes : 2 * bytes);

	leave_block(all, c->text, c->text_cap);
	c->text = block.at;
	c->text_cap = block.cap;
	c->text_len = 0;
}

/* All of it anew: what is already in the block of strings stays there. */
static void
make_room(struct rows_copies *all, struct filling *to, const void *msg)
{
	struct rows_copy *c = to->copy;
	struct needs needs = { 0, 0 };

	measure(all->plan, msg, &needs);
	if (needs.lists > to->block.cap) {
		leave_block(all, to->block.at, to->block.cap);
		to->block = take_block(all, needs.lists);
	}
	if (to->full || (c->text == NULL && needs.text > 0))
		new_text(all, c, needs.text);
	to->afresh = to->full || c->msg == NULL;
	to->full = false;
	to->lists = 0;
}

/*
 * The new message and its lists are made beside the old ones, which are still
 * read, and then take their place.
 */
void
rows_copy_put(struct rows_copies *all, struct rows_copy *c, const void *msg)
{
	struct filling to = { .copy = c };
	size_t text_len = c->text_len;

	/* What would be full on the way is made anew at once. */
	to.full = c->text_cap - c->text_len < c->text_added;
	if (c->msg == NULL || to.full)
		make_room(all, &to, msg);
	else if (c->lists_len > 0)
		to.block = take_block(all, c->lists_len);
	for (;;) {
		memcpy(all->msg, msg, all->size);
		keep_fields(&to, all->plan, all->msg,
		    to.afresh ? NULL : c->msg);
		if (!to.full && to.lists <= to.block.cap)
			break;
		make_room(all, &to, msg);
	}
	if (!to.afresh)
		c->text_added = c->text_len - text_len;
	leave_block(all, c->lists, c->lists_cap);
	c->lists = to.block.at;
	c->lists_cap = to.block.cap;
	c->lists_len = to.lists;
	if (c->msg == NULL)
		c->msg = xmalloc(all->size);
	memcpy(c->msg, all->msg, all->size);
}
