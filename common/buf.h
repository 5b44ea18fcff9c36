/*
 * buf - borrowed slices, growable buffers, arenas
 *
 * A slice is always borrowed: it never owns its bytes, and whoever hands one
 * out says how long they live.  A buf owns its bytes, grows as needed and has
 * a mandatory limit, so that nothing fed from outside can grow for ever.  An
 * arena hands out memory that is given back all at once.
 */
#ifndef COMMON_BUF_H
#define COMMON_BUF_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct slice {
	const char *ptr;
	size_t len;
};

#define SLICE(literal) ((struct slice){ "" literal, sizeof(literal) - 1 })
#define SLICE_NONE ((struct slice){ NULL, 0 })
/* For printf's "%.*s". */
#define SLICE_ARG(s) (int)(s).len, (s).len > 0 ? (s).ptr : ""

struct slice slice_str(const char *cstr);	/* NULL gives SLICE_NONE */
/*
 * Inline: every look through a list of words is made of these, and a literal's
 * length is known when it is compiled.
 */
static inline struct slice
slice_of(const char *ptr, size_t len)
{
	return (struct slice){ ptr, len };
}

static inline bool
slice_eq(struct slice a, struct slice b)
{
	return a.len == b.len &&
	    (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

static inline bool
slice_is(struct slice a, const char *cstr)
{
	/* Two that are both known only now mostly differ at once. */
	if (!__builtin_constant_p(*cstr) && cstr != NULL && a.len > 0 &&
	    a.ptr[0] != cstr[0])
		return false;
	return slice_eq(a, slice_of(cstr, cstr == NULL ? 0 : strlen(cstr)));
}

static inline bool
slice_starts(struct slice s, const char *prefix)
{
	size_t len;

	if (!__builtin_constant_p(*prefix) && *prefix != '\0' &&
	    (s.len == 0 || s.ptr[0] != *prefix))
		return false;
	len = strlen(prefix);
	return s.len >= len && memcmp(s.ptr, prefix, len) == 0;
}

/*
 * The number that the digits from s.ptr[at] on are: how many there are.  0 when
 * there is none, or more than 18: no number of ours is that large.
 */
size_t slice_digits(struct slice s, size_t at, uint64_t *out);
/* Writes a number in front of `end`, and says where it now begins. */
enum { DIGITS_U64 = 20 };	/* at most */
char *digits_before(char *end, uint64_t n);

/* Bytewise order, shorter first on a tie: the order LMDB keeps keys in. */
int slice_cmp(struct slice a, struct slice b);

/*
 * Invariants: ptr is NULL only while nothing was ever added; ptr[len] is NUL
 * after any buf_add*; len never passes limit.  An addition that would pass the
 * limit adds nothing, sets `over`, and returns -1; `over` stays set, so a
 * caller may build a whole text and ask once at the end.
 */
struct buf {
	char *ptr;
	size_t len;
	size_t cap;
	size_t limit;
	bool over;
};

void buf_init(struct buf *b, size_t limit_bytes);
void buf_release(struct buf *b);
void buf_clear(struct buf *b);			/* keeps the memory */
/* Room for `more` bytes beyond len, or NULL past the limit. */
char *buf_room(struct buf *b, size_t more);
/*
 * Memory for so many bytes in all and a NUL, whatever the limit: for who writes
 * there before it is known how much that will be, and then looks to the limit.
 */
void buf_reserve(struct buf *b, size_t bytes);
int buf_add_slow(struct buf *b, const void *ptr, size_t len);
int buf_adds(struct buf *b, const char *cstr);
int buf_addslice(struct buf *b, struct slice s);
int buf_addc(struct buf *b, char c);
int buf_addu(struct buf *b, uint64_t n);	/* in decimal */
int buf_addf(struct buf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int buf_vaddf(struct buf *b, const char *fmt, va_list ap);
/* Inline: records are built of many small additions. */
static inline int
buf_add(struct buf *b, const void *ptr, size_t len)
{
	if (b->over || len >= b->cap - b->len || len > b->limit - b->len)
		return buf_add_slow(b, ptr, len);
	if (len > 0)
		memcpy(b->ptr + b->len, ptr, len);
	b->len += len;
	b->ptr[b->len] = '\0';
	return 0;
}

/* Appends all that can be read; -1 with errno, EFBIG past the limit. */
int buf_read(struct buf *b, int fd) __attribute__((warn_unused_result));
int buf_read_file(struct buf *b, const char *path)
    __attribute__((warn_unused_result));

struct slice buf_slice(const struct buf *b);	/* until the next change */
const char *buf_cstr(const struct buf *b);	/* never NULL */

/*
 * Memory with one lifespan.  Nothing is freed alone; arena_reset gives all of
 * it back for reuse and keeps at most one block, arena_release frees it.
 */
struct arena_block;
struct arena {
	struct arena_block *head;
	char *at, *end;		/* what is left of head */
	size_t total;		/* over all blocks, for those who watch */
	uint64_t resets;	/* what was kept from before the last is gone */
};

void arena_init(struct arena *a);
void arena_reset(struct arena *a);
void arena_release(struct arena *a);
void *arena_room_slow(struct arena *a, size_t len);
/* Not zeroed: to be filled. */
static inline void *
arena_room(struct arena *a, size_t len)
{
	size_t align = _Alignof(max_align_t);
	size_t need = (len + (len == 0) + align - 1) & ~(align - 1);
	void *at = a->at;

	/* Less than `len` where it has passed the largest size. */
	if (need < len || need > (size_t)(a->end - a->at))
		return arena_room_slow(a, len);
	a->at += need;
	return at;
}
static inline void *
arena_alloc(struct arena *a, size_t len)	/* zeroed, aligned */
{
	return memset(arena_room(a, len), 0, len);
}
void *arena_array(struct arena *a, size_t count, size_t size);
struct slice arena_dup(struct arena *a, struct slice s);
char *arena_cstr(struct arena *a, struct slice s);
struct slice arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), nonnull(2)));

#endif
