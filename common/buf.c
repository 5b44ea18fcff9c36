/*
 * buf - borrowed slices, growable buffers, arenas
 */
#include "common/buf.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/xmalloc.h"

struct slice
slice_str(const char *cstr)
{
	return cstr == NULL ? SLICE_NONE : slice_of(cstr, strlen(cstr));
}

size_t
slice_digits(struct slice s, size_t at, uint64_t *out)
{
	enum { DIGITS_MOST = 18 };
	size_t i = at;

	*out = 0;
	for (; i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9'; i++) {
		if (i - at == DIGITS_MOST) {
			*out = 0;
			return 0;
		}
		*out = *out * 10 + (uint64_t)(s.ptr[i] - '0');
	}
	return i - at;
}

int
slice_cmp(struct slice a, struct slice b)
{
	size_t shorter = a.len < b.len ? a.len : b.len;
	int order = shorter == 0 ? 0 : memcmp(a.ptr, b.ptr, shorter);

	if (order != 0)
		return order;
	return (a.len > b.len) - (a.len < b.len);
}

void
buf_init(struct buf *b, size_t limit_bytes)
{
	*b = (struct buf){ .limit = limit_bytes };
}

void
buf_release(struct buf *b)
{
	free(b->ptr);
	buf_init(b, b->limit);
}

void
buf_clear(struct buf *b)
{
	b->len = 0;
	b->over = false;
	if (b->ptr != NULL)
		b->ptr[0] = '\0';
}

void
buf_reserve(struct buf *b, size_t bytes)
{
	size_t cap = b->cap < 64 ? 64 : b->cap;

	if (bytes < b->cap)
		return;
	while (cap <= bytes)
		cap *= 2;
	b->ptr = xrealloc(b->ptr, cap);
	b->cap = cap;
}

char *
buf_room(struct buf *b, size_t more)
{
	if (b->over || more > b->limit || b->len > b->limit - more) {
		b->over = true;
		return NULL;
	}
	buf_reserve(b, b->len + more);
	return b->ptr + b->len;
}

int
buf_add_slow(struct buf *b, const void *ptr, size_t len)
{
	char *room = buf_room(b, len);

	if (room == NULL)
		return -1;
	if (len > 0)
		memcpy(room, ptr, len);
	b->len += len;
	b->ptr[b->len] = '\0';
	return 0;
}

int
buf_adds(struct buf *b, const char *cstr)
{
	return buf_add(b, cstr, strlen(cstr));
}

int
buf_addslice(struct buf *b, struct slice s)
{
	return buf_add(b, s.ptr, s.len);
}

int
buf_addc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

char *
digits_before(char *end, uint64_t n)
{
	do
		*--end = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	return end;
}

int
buf_addu(struct buf *b, uint64_t n)
{
	char digits[DIGITS_U64], *at;

	at = digits_before(digits + sizeof(digits), n);
	return buf_add(b, at, (size_t)(digits + sizeof(digits) - at));
}

/* What is printed is mostly short: then once is enough. */
enum { FEW_BYTES = 256 };

int
buf_read(struct buf *b, int fd)
{
	enum { READ_BYTES = 64 * 1024 };
	ssize_t len;
	char *room;

	do {
		room = buf_room(b, READ_BYTES);
		if (room == NULL) {
			errno = EFBIG;
			return -1;
		}
		len = read(fd, room, READ_BYTES);
		b->len += len > 0 ? (size_t)len : 0;
	} while (len > 0 || (len == -1 && errno == EINTR));
	b->ptr[b->len] = '\0';
	return len == 0 ? 0 : -1;
}

int
buf_read_file(struct buf *b, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc, saved;

	if (fd == -1)
		return -1;
	rc = buf_read(b, fd);
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

int
buf_vaddf(struct buf *b, const char *fmt, va_list ap)
{
	char few[FEW_BYTES], *room;
	va_list again;
	int len;

	va_copy(again, ap);
	len = vsnprintf(few, sizeof(few), fmt, again);
	va_end(again);
	assert(len >= 0);
	room = buf_room(b, (size_t)len);
	if (room == NULL)
		return -1;
	if ((size_t)len < sizeof(few))
		memcpy(room, few, (size_t)len + 1);
	else
		vsnprintf(room, (size_t)len + 1, fmt, ap);
	b->len += (size_t)len;
	return 0;
}

int
buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = buf_vaddf(b, fmt, ap);
	va_end(ap);
	return rc;
}

struct slice
buf_slice(const struct buf *b)
{
	return slice_of(b->ptr, b->len);
}

const char *
buf_cstr(const struct buf *b)
{
	return b->ptr == NULL ? "" : b->ptr;
}

struct arena_block {
	struct arena_block *next;
	size_t size;
	max_align_t data[];
};

enum { ARENA_BLOCK_BYTES = 16 * 1024, ARENA_KEEP_BYTES = 1024 * 1024 };

void
arena_init(struct arena *a)
{
	*a = (struct arena){ 0 };
}

static void
arena_drop_tail(struct arena *a, struct arena_block *keep)
{
	struct arena_block *block, *next;

	for (block = a->head; block != NULL; block = next) {
		next = block->next;
		if (block != keep)
			free(block);
	}
}

void
arena_reset(struct arena *a)
{
	struct arena_block *keep = a->head;

	a->resets++;
	/* One huge message must not pin its memory for the process's life. */
	if (keep != NULL && keep->size > ARENA_KEEP_BYTES)
		keep = NULL;
	arena_drop_tail(a, keep);
	a->head = keep;
	a->at = a->end = NULL;
	a->total = 0;
	if (keep != NULL) {
		keep->next = NULL;
		a->at = (char *)keep->data;
		a->end = a->at + keep->size;
		a->total = keep->size;
	}
}

void
arena_release(struct arena *a)
{
	arena_drop_tail(a, NULL);
	arena_init(a);
}

/* A new block, as the head has no room for it. */
void *
arena_room_slow(struct arena *a, size_t len)
{
	struct arena_block *block;
	size_t size;

	assert(len < SIZE_MAX / 2);
	/* Doubling keeps the number of blocks logarithmic. */
	size = a->total < ARENA_BLOCK_BYTES ? ARENA_BLOCK_BYTES : a->total;
	if (size < len + _Alignof(max_align_t))
		size = len + _Alignof(max_align_t);
	block = xmalloc(sizeof(*block) + size);
	block->next = a->head;
	block->size = size;
	a->head = block;
	a->at = (char *)block->data;
	a->end = a->at + size;
	a->total += size;
	return arena_room(a, len);
}

void *
arena_array(struct arena *a, size_t count, size_t size)
{
	size_t len;

	if (__builtin_mul_overflow(count, size, &len))
		len = SIZE_MAX;
	return arena_alloc(a, len);
}

struct slice
arena_dup(struct arena *a, struct slice s)
{
	char *copy = arena_cstr(a, s);

	return slice_of(copy, s.len);
}

char *
arena_cstr(struct arena *a, struct slice s)
{
	char *copy = arena_room(a, s.len + 1);

	if (s.len > 0)
		memcpy(copy, s.ptr, s.len);
	copy[s.len] = '\0';
	return copy;
}

struct slice
arena_printf(struct arena *a, const char *fmt, ...)
{
	char few[FEW_BYTES], *at;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(few, sizeof(few), fmt, ap);
	va_end(ap);
	assert(len >= 0);
	at = arena_alloc(a, (size_t)len + 1);
	if ((size_t)len < sizeof(few)) {
		memcpy(at, few, (size_t)len);
		return slice_of(at, (size_t)len);
	}
	va_start(ap, fmt);
	vsnprintf(at, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return slice_of(at, (size_t)len);
}
