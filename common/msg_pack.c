/*
 * msg_pack - records to bytes, straight
 */
#include "common/msg_pack.h"

#include <endian.h>

enum { NUMBER_BYTES = 9 };	/* the most that a number or a head takes */

/*
 * Each put_* gives the place behind what it has written, NULL once the
 * buffer's limit was passed.  As in msg_unpack, the place is handed on.
 */
struct packer {
	struct buf *out;
	char *end;		/* of the room that there is */
};

/* `len` bytes were written; -1: more than the buffer may hold. */
static int
check_limit(struct buf *out, size_t len)
{
	if (len > out->limit)
		out->over = true;
	return out->over ? -1 : 0;
}

static char *
more_room(struct packer *p, size_t len, size_t bytes)
{
	struct buf *out = p->out;

	if (check_limit(out, len) == -1)
		return NULL;
	buf_reserve(out, len + bytes);
	p->end = out->ptr + out->cap - 1;
	return out->ptr + len;
}

/* What was written is the buffer's. */
static void
close_packer(const struct packer *p, const char *at)
{
	struct buf *out = p->out;

	if (at != NULL && check_limit(out, (size_t)(at - out->ptr)) == 0)
		out->len = (size_t)(at - out->ptr);
	if (out->ptr != NULL)
		out->ptr[out->len] = '\0';
}

/* Where the next `bytes` can be written. */
static inline char *
room(struct packer *p, char *at, size_t bytes)
{
	if ((size_t)(p->end - at) < bytes)
		return more_room(p, (size_t)(at - p->out->ptr), bytes);
	return at;
}

/*
 * A first byte, then `width` (1 to 8) bytes of a number, the highest first.
 * As all write_*, where there is room.
 */
static inline char *
write_head(char *at, unsigned char first, unsigned width, uint64_t n)
{
	*at = (char)first;
	n = htobe64(n << (64 - 8 * width));
	memcpy(at + 1, &n, sizeof(n));
	return at + 1 + width;
}

static inline char *
write_uint(char *at, uint64_t n)
{
	if (n < 0x80) {
		*at = (char)n;
		return at + 1;
	}
	if (n <= UINT8_MAX)
		return write_head(at, 0xcc, 1, n);
	if (n <= UINT16_MAX)
		return write_head(at, 0xcd, 2, n);
	if (n <= UINT32_MAX)
		return write_head(at, 0xce, 4, n);
	return write_head(at, 0xcf, 8, n);
}

static char *
write_negative(char *at, int64_t n)
{
	if (n >= -32) {
		*at = (char)n;
		return at + 1;
	}
	if (n >= INT8_MIN)
		return write_head(at, 0xd0, 1, (uint64_t)n);
	if (n >= INT16_MIN)
		return write_head(at, 0xd1, 2, (uint64_t)n);
	if (n >= INT32_MIN)
		return write_head(at, 0xd2, 4, (uint64_t)n);
	return write_head(at, 0xd3, 8, (uint64_t)n);
}

/* A length of one byte after `first`, of two and four after the next ones. */
static char *
write_length(char *at, unsigned char first, size_t len)
{
	if (len <= UINT8_MAX)
		return write_head(at, first, 1, len);
	if (len <= UINT16_MAX)
		return write_head(at, first + 1, 2, len);
	return write_head(at, first + 2, 4, len);
}

static inline char *
write_array(char *at, size_t count)
{
	if (count < 16) {
		*at = (char)(0x90 | count);
		return at + 1;
	}
	if (count <= UINT16_MAX)
		return write_head(at, 0xdc, 2, count);
	return write_head(at, 0xdd, 4, count);
}

static inline char *
put_str(struct packer *p, char *at, struct slice s)
{
	at = room(p, at, NUMBER_BYTES + s.len);
	if (at == NULL)
		return NULL;
	if (s.len < 32)
		*at++ = (char)(0xa0 | s.len);
	else
		at = write_length(at, 0xd9, s.len);
	if (s.len > 0)
		memcpy(at, s.ptr, s.len);
	return at + s.len;
}

static char *
put_bin(struct packer *p, char *at, struct slice s)
{
	at = room(p, at, NUMBER_BYTES + s.len);
	if (at == NULL)
		return NULL;
	at = write_length(at, 0xc4, s.len);
	if (s.len > 0)
		memcpy(at, s.ptr, s.len);
	return at + s.len;
}

static char *
put_strs(struct packer *p, char *at, const struct msg_strs *list)
{
	size_t i;

	at = room(p, at, NUMBER_BYTES);
	if (at != NULL)
		at = write_array(at, list->count);
	for (i = 0; at != NULL && i < list->count; i++)
		at = put_str(p, at, list->at[i]);
	return at;
}

static char *
put_u64s(struct packer *p, char *at, const struct msg_u64s *list)
{
	size_t i;

	/* No list that is in memory is so long that this overflows. */
	at = room(p, at, (1 + list->count) * NUMBER_BYTES);
	if (at == NULL)
		return NULL;
	at = write_array(at, list->count);
	for (i = 0; i < list->count; i++)
		at = write_uint(at, list->at[i]);
	return at;
}

static char *put_message(struct packer *p, char *at,
    const struct msg_spec *spec, const char *msg);

static char *
put_list(struct packer *p, char *at, const struct msg_field *f,
    const char *msg)
{
	const struct msg_spec *sub = msg_spec(f->of);
	const char *items = *(char *const *)(msg + f->offset);
	size_t i, count = *(const size_t *)(msg + f->count_offset);

	at = room(p, at, NUMBER_BYTES);
	if (at != NULL)
		at = write_array(at, count);
	for (i = 0; at != NULL && i < count; i++)
		at = put_message(p, at, sub, items + i * sub->size);
	return at;
}

/* There is room for a number. */
static inline char *
put_value(struct packer *p, char *at, const struct msg_field *f,
    const char *msg)
{
	const void *value = msg + f->offset;
	int64_t n;

	switch (f->type) {
	case TYPE_u64:
		return write_uint(at, *(const uint64_t *)value);
	case TYPE_i64:
	case TYPE_time:
		n = *(const int64_t *)value;
		return n < 0 ? write_negative(at, n) :
			       write_uint(at, (uint64_t)n);
	case TYPE_bool:
		*at = (char)(*(const bool *)value ? 0xc3 : 0xc2);
		return at + 1;
	case TYPE_str:
		return put_str(p, at, *(const struct slice *)value);
	case TYPE_bin:
		return put_bin(p, at, *(const struct slice *)value);
	case TYPE_strs:
		return put_strs(p, at, value);
	case TYPE_u64s:
		return put_u64s(p, at, value);
	case TYPE_list:
		return put_list(p, at, f, msg);
	}
	return at;
}

/*
 * The count before the fields that were written since `from`: of a few it is
 * the byte that was left for it, else they make way.
 */
static char *
put_count(struct packer *p, char *at, size_t from, size_t count)
{
	enum { WIDE = 2 };
	char *first;

	if (count < 16) {
		p->out->ptr[from] = (char)(0x80 | count);
		return at;
	}
	at = room(p, at, WIDE);
	if (at == NULL)
		return NULL;
	first = p->out->ptr + from;
	memmove(first + 1 + WIDE, first + 1, (size_t)(at - first) - 1);
	first[0] = (char)0xde;
	first[1] = (char)(count >> 8);
	first[2] = (char)count;
	return at + WIDE;
}

static char *
put_message(struct packer *p, char *at, const struct msg_spec *spec,
    const char *msg)
{
	const struct msg_field *f, *end = spec->fields + spec->n_fields;
	size_t from, count = 0;

	at = room(p, at, 1);
	if (at == NULL)
		return NULL;
	from = (size_t)(at++ - p->out->ptr);
	for (f = spec->fields; f < end; f++) {
		if (msg_is_absent(f, msg))
			continue;
		at = room(p, at, 1 + NUMBER_BYTES);
		if (at == NULL)
			return NULL;
		*at++ = (char)f->tag;	/* less than MSGTAG_LIMIT: a byte */
		at = put_value(p, at, f, msg);
		if (at == NULL)
			return NULL;
		count++;
	}
	return put_count(p, at, from, count);
}

void
pack_record(struct buf *out, enum msg_id id, const void *msg)
{
	struct packer p = { .out = out };
	char *at = more_room(&p, out->len, 1 + 2 * NUMBER_BYTES);

	if (at == NULL)
		return;
	at = write_array(at, 3);
	at = write_uint(at, MSG_PROTOCOL);
	at = write_uint(at, id);
	close_packer(&p, put_message(&p, at, msg_spec(id), msg));
}

void
pack_uint(struct buf *out, uint64_t n)
{
	struct packer p = { .out = out };
	char *at = more_room(&p, out->len, NUMBER_BYTES);

	close_packer(&p, at == NULL ? NULL : write_uint(at, n));
}
