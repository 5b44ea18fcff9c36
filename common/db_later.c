/*
 * db_later - what is to be written to one table, in the order of its keys
 */
#include "common/db_later.h"

#include <endian.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/xmalloc.h"

enum {
	KEPT_PUTS = 16384,	/* memory for more is given back */
	KEPT_BYTES = 4 * 1024 * 1024,
};

/* In the bytes: the key, the value, the next one's key. */
struct put {
	size_t at, key_len;
	bool deleted;
	void (*merge)(void *msg, const void *there);
};

/* A put in the order that is wanted. */
struct place {
	uint64_t head;		/* of the key, behind what all have in common */
	size_t put;
};

struct later {
	struct buf bytes;
	struct put *puts;
	struct place *places;	/* twice as many: sorting needs as many again */
	size_t n, cap;
	bool deletes;		/* some of them */
};

struct later *
later_open(void)
{
	struct later *l = xcalloc(1, sizeof(*l));

	buf_init(&l->bytes, SIZE_MAX / 4);
	return l;
}

static void
release(struct later *l)
{
	buf_release(&l->bytes);
	free(l->puts);
	free(l->places);
	l->puts = NULL;
	l->places = NULL;
	l->cap = 0;
}

void
later_close(struct later **l)
{
	if (*l == NULL)
		return;
	release(*l);
	free(*l);
	*l = NULL;
}

void
later_clear(struct later *l)
{
	if (l->cap > KEPT_PUTS || l->bytes.cap > KEPT_BYTES)
		release(l);
	buf_clear(&l->bytes);
	l->n = 0;
	l->deletes = false;
}

size_t
later_bytes(const struct later *l)
{
	return l->bytes.len;
}

static struct put *
add(struct later *l, struct slice key)
{
	struct put *p;

	if (l->n == l->cap) {
		l->cap = l->cap == 0 ? 64 : 2 * l->cap;
		l->puts = xrealloc(l->puts, l->cap * sizeof(l->puts[0]));
		l->places = xrealloc(l->places,
		    2 * l->cap * sizeof(l->places[0]));
	}
	p = &l->puts[l->n++];
	*p = (struct put){ .at = l->bytes.len, .key_len = key.len };
	if (buf_addslice(&l->bytes, key) == -1)
		fatalx(EX_RETRY, "a batch is larger than memory allows");
	return p;
}

struct buf *
later_put(struct later *l, struct slice key)
{
	(void)add(l, key);
	return &l->bytes;
}

void
later_delete(struct later *l, struct slice key)
{
	add(l, key)->deleted = true;
	l->deletes = true;
}

bool
later_deletes(const struct later *l)
{
	return l->deletes;
}

struct buf *
later_merge(struct later *l, struct slice key,
    void (*merge)(void *msg, const void *there))
{
	add(l, key)->merge = merge;
	return &l->bytes;
}

/* ---- their order ---- */

static struct slice
key_of(const struct later *l, size_t put)
{
	const struct put *p = &l->puts[put];

	return slice_of(l->bytes.ptr + p->at, p->key_len);
}

/* How many bytes all keys begin with. */
static size_t
in_common(const struct later *l)
{
	struct slice first = key_of(l, 0), key;
	size_t i, n = first.len;

	for (i = 1; i < l->n; i++) {
		key = key_of(l, i);
		if (n > key.len)
			n = key.len;
		while (n > 0 && memcmp(first.ptr, key.ptr, n) != 0)
			n--;
	}
	return n;
}

/* The next eight bytes as a number, which is in the order of the bytes. */
static uint64_t
head_of(struct slice key, size_t from)
{
	uint64_t head = 0;
	size_t rest = key.len - from;

	if (rest >= sizeof(head))
		memcpy(&head, key.ptr + from, sizeof(head));
	else
		memcpy(&head, key.ptr + from, rest);
	return be64toh(head);
}

static bool
is_behind_equal(const struct later *l, size_t a, size_t b)
{
	return slice_cmp(key_of(l, a), key_of(l, b)) > 0;
}

static inline bool
is_behind(const struct later *l, struct place a, struct place b)
{
	return a.head > b.head ||
	    (a.head == b.head && is_behind_equal(l, a.put, b.put));
}

/* Two runs that are in order, as one; of equal ones the first comes first. */
static void
merge_runs(const struct later *l, const struct place *a, const struct place *b,
    const struct place *end, struct place *out)
{
	const struct place *mid = b;
	bool behind;

	while (a < mid && b < end) {
		behind = is_behind(l, *a, *b);
		*out++ = behind ? *b : *a;
		a += !behind;
		b += behind;
	}
	while (a < mid)
		*out++ = *a++;
	while (b < end)
		*out++ = *b++;
}

static bool
is_sorted(const struct later *l)
{
	size_t i;

	for (i = 1; i < l->n; i++)
		if (is_behind(l, l->places[i - 1], l->places[i]))
			return false;
	return true;
}

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* By merging: what was put first stays first, of which qsort knows nothing. */
static void
sort_places(struct later *l)
{
	struct place *from = l->places, *to = from + l->cap, *hold;
	size_t at, mid, end, run;

	for (run = 1; run < l->n; run *= 2) {
		for (at = 0; at < l->n; at = end) {
			mid = least(at + run, l->n);
			end = least(mid + run, l->n);
			merge_runs(l, from + at, from + mid, from + end,
			    to + at);
		}
		hold = from;
		from = to;
		to = hold;
	}
	if (from != l->places)
		memcpy(l->places, from, l->n * sizeof(from[0]));
}

size_t
later_sort(struct later *l)
{
	size_t i, n = 0, common;

	if (l->n == 0)
		return 0;
	common = in_common(l);
	for (i = 0; i < l->n; i++)
		l->places[i] = (struct place){ head_of(key_of(l, i), common),
			i };
	if (!is_sorted(l))
		sort_places(l);
	for (i = 0; i < l->n; i++) {
		if (n > 0 && l->puts[l->places[i].put].merge == NULL &&
		    l->places[n - 1].head == l->places[i].head &&
		    slice_eq(key_of(l, l->places[n - 1].put),
			key_of(l, l->places[i].put)))
			n--;
		l->places[n++] = l->places[i];
	}
	return n;
}

struct later_row
later_row(const struct later *l, size_t i)
{
	size_t put = l->places[i].put;
	struct slice key = key_of(l, put);
	size_t at = l->puts[put].at + key.len;
	size_t end = put + 1 < l->n ? l->puts[put + 1].at : l->bytes.len;

	return (struct later_row){ key,
		slice_of(l->bytes.ptr + at, end - at),
		l->puts[put].deleted, l->puts[put].merge };
}
