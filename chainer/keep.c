/*
 * keep - a message with all that it points to, in memory of its own
 */
#include "chainer/keep.h"

#include <stdlib.h>

#include "common/xmalloc.h"

enum { ROOM_LEAST = 256 };

struct keeping {
	struct keep *k;
	size_t lists;		/* bytes; more than there is room for: again */
	size_t text;		/* bytes of all strings */
	bool full;		/* the new ones do not fit */
};

static void *
keep_list(struct keeping *to, const void *from, size_t bytes)
{
	size_t at = to->lists;

	to->lists += (bytes + 7) & ~(size_t)7;
	if (bytes == 0 || to->lists > to->k->other_cap)
		return NULL;
	return memcpy(to->k->other + at, from, bytes);
}

static inline void
keep_str(struct keeping *to, struct slice *s)
{
	struct keep *k = to->k;

	to->text += s->len;
	if (s->ptr >= k->text && s->ptr < k->text + k->text_len)
		return;
	if (s->len == 0) {
		s->ptr = "";
		return;
	}
	if (s->len > k->text_cap - k->text_len) {
		to->full = true;
		return;
	}
	memcpy(k->text + k->text_len, s->ptr, s->len);
	s->ptr = k->text + k->text_len;
	k->text_len += s->len;
}

static void
keep_strs(struct keeping *to, struct msg_strs *list)
{
	size_t i;

	list->at = keep_list(to, list->at, list->count * sizeof(list->at[0]));
	for (i = 0; list->at != NULL && i < list->count; i++)
		keep_str(to, &list->at[i]);
}

static void keep_fields(struct keeping *to, const struct msg_spec *spec,
    char *msg);

static bool
keep_messages(struct keeping *to, const struct msg_field *f, char *msg)
{
	const struct msg_spec *of = msg_spec(f->of);
	size_t i, count;
	char *items;

	memcpy(&items, msg + f->offset, sizeof(items));
	memcpy(&count, msg + f->count_offset, sizeof(count));
	items = keep_list(to, items, count * of->size);
	memcpy(msg + f->offset, &items, sizeof(items));
	for (i = 0; items != NULL && i < count; i++)
		keep_fields(to, of, items + i * of->size);
	return count > 0;
}

/* true: it is not empty. */
static inline bool
keep_field(struct keeping *to, const struct msg_field *f, char *msg)
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
		return keep_messages(to, f, msg);
	}
	return false;
}

/* With the bits of what is there, as if it had been written and read. */
static void
keep_fields(struct keeping *to, const struct msg_spec *spec, char *msg)
{
	const struct msg_field *f, *end = spec->fields + spec->n_fields;
	uint64_t has;
	bool there;

	memcpy(&has, msg, sizeof(has));
	for (f = spec->fields; f < end; f++) {
		there = keep_field(to, f, msg);
		has |= (uint64_t)(there || f->need == NEED_REQ) << f->tag;
	}
	memcpy(msg, &has, sizeof(has));
}

static void
leave(struct left *left, char *block)
{
	if (block == NULL)
		return;
	if (left->n == left->cap) {
		left->cap = left->cap == 0 ? 16 : 2 * left->cap;
		left->at = xrealloc(left->at, left->cap * sizeof(left->at[0]));
	}
	left->at[left->n++] = block;
}

static void
new_text(struct keep *k, size_t cap, struct left *left)
{
	leave(left, k->text);
	k->text = xmalloc(cap);
	k->text_cap = cap;
	k->text_len = 0;
}

/* Lists change places: what is kept may be made of what was kept before. */
static void
swap_lists(struct keep *k)
{
	char *lists = k->lists;
	size_t cap = k->lists_cap;

	k->lists = k->other;
	k->lists_cap = k->other_cap;
	k->other = lists;
	k->other_cap = cap;
}

void
keep_msg(struct keep *k, enum msg_id id, const void *msg, struct left *left)
{
	const struct msg_spec *spec = msg_spec(id);
	size_t text_len = k->text_len;
	struct keeping to;

	if (k->msg == NULL)
		k->msg = xmalloc(spec->size);
	for (;; k->text_len = text_len) {
		to = (struct keeping){ .k = k };
		memcpy(k->msg, msg, spec->size);
		keep_fields(&to, spec, k->msg);
		if (!to.full && to.lists <= k->other_cap)
			break;
		if (to.lists > k->other_cap) {
			free(k->other);
			k->other_cap = to.lists + to.lists / 4 + ROOM_LEAST;
			k->other = xmalloc(k->other_cap);
		}
		if (to.full) {
			new_text(k, to.text + to.text / 2 + ROOM_LEAST, left);
			text_len = 0;
		}
	}
	swap_lists(k);
}

int
keep_record(struct keep *k, enum msg_id id, struct slice record,
    struct arena *scratch, struct left *left)
{
	void *msg = arena_alloc(scratch, msg_spec(id)->size);
	struct msg_error why;

	new_text(k, record.len + record.len / 2 + ROOM_LEAST, left);
	memcpy(k->text, record.ptr, record.len);
	k->text_len = record.len;
	if (msg_decode_as(slice_of(k->text, record.len), scratch, id, msg,
		&why) == -1)
		return -1;
	keep_msg(k, id, msg, left);
	return 0;
}

size_t
keep_bytes(const struct keep *k)
{
	return k->lists_cap + k->other_cap + k->text_cap;
}

void
keep_release(struct keep *k)
{
	free(k->msg);
	free(k->lists);
	free(k->other);
	free(k->text);
	*k = (struct keep){ 0 };
}

void
left_clear(struct left *left)
{
	while (left->n > 0)
		free(left->at[--left->n]);
}

void
left_release(struct left *left)
{
	left_clear(left);
	free(left->at);
	*left = (struct left){ 0 };
}
