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
	struct list list = { .type = f->type, .tag = f->tag,
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
	struct rows_copies *all;
	struct rows_copy *copy;
	size_t lists;		/* bytes; more than there is room for: again */
	size_t text;		/* bytes of all strings that were looked at */
	bool full;		/* the new ones do not fit */
};

static inline void
keep_str(struct filling *to, struct slice *s)
{
	struct rows_copy *c = to->copy;

	to->text += s->len;
	if (s->ptr >= c->text && s->ptr < c->text + c->text_len)
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
	size_t i, at = 0;
	char *item;

	for (i = 0; i < is.count; i++) {
		item = is.at + i * f->size;
		if (at < was.count &&
		    memcmp(item, was.at + at * f->size, f->size) == 0)
			at++;
		else if (at + 1 < was.count &&
		    memcmp(item, was.at + (at + 1) * f->size, f->size) == 0)
			at += 2;
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

/* What the list points to becomes the copy's; true: it is not empty. */
static bool
keep_items(struct filling *to, const struct list *f, char *msg,
    const char *old)
{
	struct items is = read_items(f, msg), was = { 0 };
	size_t i, at = to->lists, bytes = is.count * f->size;
	char *place = NULL;

	to->lists += (bytes + 7) & ~(size_t)7;
	if (bytes > 0 && to->lists <= to->all->lists_cap)
		place = memcpy(to->all->lists + at, is.at, bytes);
	memcpy(msg + f->offset, &place, sizeof(place));
	if (place == NULL)
		return bytes > 0;
	is.at = place;
	if (old != NULL)
		was = read_items(f, old);
	if (f->type == TYPE_strs)
		keep_strs(to, is, was);
	else if (f->type == TYPE_list && f->of->n_lists == 0)
		keep_flat(to, f, is, was);
	else if (f->type == TYPE_list)
		for (i = 0; i < is.count; i++)
			keep_fields(to, f->of, is.at + i * f->size,
			    find_old(f, is.at + i * f->size, was));
	return true;
}

/* With the bits of what is there, as if it had been written and read. */
static void
keep_fields(struct filling *to, const struct rows_plan *p, char *msg,
    const char *old)
{
	struct slice *s;
	uint64_t has, n;
	size_t i;

	memcpy(&has, msg, sizeof(has));
	has |= p->required;
	for (i = 0; i < p->n_numbers; i++) {
		memcpy(&n, msg + p->numbers[i].offset, sizeof(n));
		has |= (uint64_t)(n != 0) << p->numbers[i].tag;
	}
	for (i = 0; i < p->n_flags; i++)
		has |= (uint64_t)*(bool *)(msg + p->flags[i].offset) <<
		    p->flags[i].tag;
	for (i = 0; i < p->n_strings; i++) {
		s = (struct slice *)(msg + p->strings[i].offset);
		keep_str(to, s);
		has |= (uint64_t)(s->len > 0) << p->strings[i].tag;
	}
	for (i = 0; i < p->n_lists; i++)
		has |= (uint64_t)keep_items(to, &p->lists[i], msg, old) <<
		    p->lists[i].tag;
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
		if (f->of == NULL || f->of->n_lists == 0)
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
		free(all->old[--all->n_old]);
}

void
rows_copies_release(struct rows_copies *all)
{
	size_t i;

	for (i = 0; i < MSG_LIMIT; i++)
		if (all->plans[i] != NULL)
			free_plan(all->plans[i]);
	rows_copies_free_old(all);
	free(all->old);
	free(all->lists);
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

static void
new_text(struct rows_copies *all, struct rows_copy *c, size_t cap)
{
	if (c->text != NULL) {
		if (all->n_old == all->cap_old) {
			all->cap_old = all->cap_old == 0 ? 16 :
							   2 * all->cap_old;
			all->old = xrealloc(all->old,
			    all->cap_old * sizeof(all->old[0]));
		}
		all->old[all->n_old++] = c->text;
	}
	c->text = xmalloc(cap);
	c->text_cap = cap;
	c->text_len = 0;
}

static void
new_lists(char **lists, size_t *cap, size_t least)
{
	free(*lists);
	*cap = room_for(least);
	*lists = xmalloc(*cap);
}

/*
 * The new message and its lists are made beside the old ones, which are still
 * read, and then take their place.
 */
void
rows_copy_put(struct rows_copies *all, struct rows_copy *c, const void *msg)
{
	const void *old = c->msg;
	struct filling to;

	for (;;) {
		to = (struct filling){ .all = all, .copy = c };
		memcpy(all->msg, msg, all->size);
		keep_fields(&to, all->plan, all->msg, old);
		if (!to.full && to.lists <= all->lists_cap)
			break;
		if (to.lists > all->lists_cap)
			new_lists(&all->lists, &all->lists_cap, to.lists);
		/* How much is in use is known when all was looked at. */
		if (to.full && old == NULL)
			new_text(all, c, room_for(to.text));
		if (to.full)
			old = NULL;
	}
	if (to.lists > c->lists_cap)
		new_lists(&c->lists, &c->lists_cap, to.lists);
	c->lists_len = to.lists;
	if (to.lists > 0) {
		memcpy(c->lists, all->lists, to.lists);
		move_lists(all->plan, all->msg, c->lists - all->lists);
	}
	if (c->msg == NULL)
		c->msg = xmalloc(all->size);
	memcpy(c->msg, all->msg, all->size);
}
