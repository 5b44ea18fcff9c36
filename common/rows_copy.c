/*
 * rows_copy - a message with all that it points to, in memory of its own
 */
#include "common/rows_copy.h"

#include <stddef.h>
#include <stdlib.h>

#include "common/xmalloc.h"

enum { ROOM_LEAST = 512 };

/* A message's fields, those that are lists, and its tags always there. */
struct rows_plan {
	struct part {
		enum msg_type type;
		unsigned tag;
		size_t offset, count_offset, size;
		const struct rows_plan *of;	/* of a list of records */
	} *parts, *lists;
	size_t n_parts, n_lists;
	uint64_t required;
};

static struct rows_plan *
make_plan(struct rows_copies *all, enum msg_id id)
{
	const struct msg_spec *spec = msg_spec(id);
	struct rows_plan *p = all->plans[id];
	const struct msg_field *f;
	struct part *part;
	size_t i;

	if (p != NULL)
		return p;
	p = all->plans[id] = xcalloc(1, sizeof(*p));
	p->parts = xcalloc(spec->n_fields, sizeof(p->parts[0]));
	p->lists = xcalloc(spec->n_fields, sizeof(p->lists[0]));
	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		if (f->need == NEED_REQ)
			p->required |= UINT64_C(1) << f->tag;
		part = &p->parts[p->n_parts++];
		*part = (struct part){ .type = f->type, .tag = f->tag,
			.offset = f->offset, .count_offset = f->count_offset };
		if (f->type == TYPE_list) {
			part->of = make_plan(all, f->of);
			part->size = msg_spec(f->of)->size;
		}
		if (f->type == TYPE_strs || f->type == TYPE_u64s ||
		    f->type == TYPE_list)
			p->lists[p->n_lists++] = *part;
	}
	return p;
}

/* ---- what is put, copied ---- */

struct filling {
	struct rows_copies *all;
	struct rows_copy *copy;
	size_t lists;		/* bytes; more than there is room for: again */
	size_t text;		/* bytes of all strings that were looked at */
	bool full;		/* the new ones do not fit */
};

static void *
keep_list(struct filling *to, const void *from, size_t bytes)
{
	size_t at = to->lists;

	to->lists += (bytes + 7) & ~(size_t)7;
	if (bytes == 0 || to->lists > to->all->lists_cap)
		return NULL;
	return memcpy(to->all->lists + at, from, bytes);
}

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

static void
keep_strs(struct filling *to, struct msg_strs *list)
{
	size_t i;

	list->at = keep_list(to, list->at, list->count * sizeof(list->at[0]));
	for (i = 0; list->at != NULL && i < list->count; i++)
		keep_str(to, &list->at[i]);
}

static void keep_fields(struct filling *to, const struct rows_plan *p,
    char *msg, const char *old);

struct records {
	char *at;
	size_t count;
};

static struct records
read_records(const struct part *f, const char *msg)
{
	struct records r;

	memcpy(&r.at, msg + f->offset, sizeof(r.at));
	memcpy(&r.count, msg + f->count_offset, sizeof(r.count));
	if (r.at == NULL)
		r.count = 0;
	return r;
}

/*
 * Those that are as they were need no look inside.  A list mostly grows at one
 * end and is cut at the other: the old ones are passed in step, one may go.
 */
static void
keep_flat(struct filling *to, const struct part *f, struct records is,
    struct records was)
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

static bool
keep_records(struct filling *to, const struct part *f, char *msg,
    const char *old)
{
	struct records is = read_records(f, msg), was = { 0 };
	size_t i, count = is.count;

	is.at = keep_list(to, is.at, count * f->size);
	memcpy(msg + f->offset, &is.at, sizeof(is.at));
	if (is.at == NULL)
		return count > 0;
	if (old != NULL)
		was = read_records(f, old);
	if (f->of->n_lists == 0) {
		keep_flat(to, f, is, was);
		return true;
	}
	for (i = 0; i < count; i++)
		keep_fields(to, f->of, is.at + i * f->size,
		    i < was.count ? was.at + i * f->size : NULL);
	return true;
}

/* What a field points to becomes the copy's; true: it is not empty. */
static inline bool
keep_field(struct filling *to, const struct part *f, char *msg,
    const char *old)
{
	char *value = msg + f->offset;
	struct msg_u64s *numbers;

	switch (f->type) {
	case TYPE_u64:
	case TYPE_i64:
	case TYPE_time:
		return *(const uint64_t *)value != 0;
	case TYPE_bool:
		return *(const bool *)value;
	case TYPE_str:
	case TYPE_bin:
		keep_str(to, (struct slice *)value);
		return ((struct slice *)value)->len > 0;
	case TYPE_strs:
		keep_strs(to, (struct msg_strs *)value);
		return ((struct msg_strs *)value)->count > 0;
	case TYPE_u64s:
		numbers = (struct msg_u64s *)value;
		numbers->at = keep_list(to, numbers->at,
		    numbers->count * sizeof(numbers->at[0]));
		return numbers->count > 0;
	case TYPE_list:
		return keep_records(to, f, msg, old);
	}
	return false;
}

/* With the bits of what is there, as if it had been written and read. */
static void
keep_fields(struct filling *to, const struct rows_plan *p, char *msg,
    const char *old)
{
	const struct part *f, *end = p->parts + p->n_parts;
	uint64_t has;

	memcpy(&has, msg, sizeof(has));
	has |= p->required;
	for (f = p->parts; f < end; f++)
		has |= (uint64_t)keep_field(to, f, msg, old) << f->tag;
	memcpy(msg, &has, sizeof(has));
}

/* ---- what is got, copied out ---- */

/* The lists were moved as they are: so are those that point to them. */
static void
move_lists(const struct rows_plan *p, char *msg, ptrdiff_t by)
{
	const struct part *f, *end = p->lists + p->n_lists;
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

	for (i = 0; i < MSG_LIMIT; i++) {
		if (all->plans[i] == NULL)
			continue;
		free(all->plans[i]->parts);
		free(all->plans[i]->lists);
		free(all->plans[i]);
	}
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

char *
rows_copy_text(struct rows_copy *c, struct slice record)
{
	c->text_cap = 2 * record.len + ROOM_LEAST;
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

/*
 * The new one takes the place of the old one, whose blocks are for the next.
 * A block that is much too large for it stays for those that need it.
 */
static void
swap_in(struct rows_copies *all, struct rows_copy *c, size_t lists)
{
	struct rows_copy was = *c;

	c->msg = all->msg;
	all->msg = was.msg != NULL ? was.msg : xmalloc(all->size);
	c->lists_len = lists;
	if (all->lists_cap <= 4 * (lists + ROOM_LEAST)) {
		c->lists = all->lists;
		c->lists_cap = all->lists_cap;
		all->lists = was.lists;
		all->lists_cap = was.lists_cap;
		return;
	}
	if (lists > was.lists_cap) {
		free(c->lists);
		c->lists_cap = 2 * lists + ROOM_LEAST;
		c->lists = xmalloc(c->lists_cap);
	}
	if (lists > 0)
		memcpy(c->lists, all->lists, lists);
	move_lists(all->plan, c->msg, c->lists - all->lists);
}

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
		if (to.lists > all->lists_cap) {
			free(all->lists);
			all->lists_cap = 2 * to.lists + ROOM_LEAST;
			all->lists = xmalloc(all->lists_cap);
		}
		/* How much is in use is known when all was looked at. */
		if (to.full && old == NULL)
			new_text(all, c, 2 * to.text + ROOM_LEAST);
		if (to.full)
			old = NULL;
	}
	swap_in(all, c, to.lists);
}
