/*
 * msg_pack - records to bytes, straight
 */
#include "common/msg_pack.h"

#include <endian.h>

enum { NUMBER_BYTES = 9 };	/* the most that a number takes */

/* Most of a record's numbers, heads and tags are one byte. */
static inline void
put_byte(struct buf *out, unsigned char c)
{
	if (out->over || out->len + 1 >= out->cap || out->len >= out->limit) {
		buf_add(out, &c, 1);
		return;
	}
	out->ptr[out->len++] = (char)c;
	out->ptr[out->len] = '\0';
}

/* A first byte, then `width` (1 to 8) bytes of a number, the highest first. */
static void
put_head(struct buf *out, unsigned char first, unsigned width, uint64_t n)
{
	unsigned char bytes[NUMBER_BYTES];

	bytes[0] = first;
	n = htobe64(n << (64 - 8 * width));
	memcpy(bytes + 1, &n, sizeof(n));
	buf_add(out, bytes, width + 1);
}

/* As put_head, where there is room for NUMBER_BYTES; the place behind it. */
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

/* Where the next `bytes` can be written straight, or NULL. */
static inline char *
open_room(const struct buf *out, size_t bytes)
{
	if (out->over || bytes >= out->cap - out->len ||
	    bytes > out->limit - out->len)
		return NULL;
	return out->ptr + out->len;
}

static inline void
close_room(struct buf *out, char *end)
{
	*end = '\0';
	out->len = (size_t)(end - out->ptr);
}

void
pack_uint(struct buf *out, uint64_t n)
{
	char *room = open_room(out, NUMBER_BYTES);

	if (room != NULL)
		close_room(out, write_uint(room, n));
	else if (n < 0x80)
		put_byte(out, (unsigned char)n);
	else if (n <= UINT8_MAX)
		put_head(out, 0xcc, 1, n);
	else if (n <= UINT16_MAX)
		put_head(out, 0xcd, 2, n);
	else if (n <= UINT32_MAX)
		put_head(out, 0xce, 4, n);
	else
		put_head(out, 0xcf, 8, n);
}

static void
pack_int(struct buf *out, int64_t n)
{
	if (n >= 0)
		pack_uint(out, (uint64_t)n);
	else if (n >= -32)
		put_byte(out, (unsigned char)n);
	else if (n >= INT8_MIN)
		put_head(out, 0xd0, 1, (uint64_t)n);
	else if (n >= INT16_MIN)
		put_head(out, 0xd1, 2, (uint64_t)n);
	else if (n >= INT32_MIN)
		put_head(out, 0xd2, 4, (uint64_t)n);
	else
		put_head(out, 0xd3, 8, (uint64_t)n);
}

static void
pack_str(struct buf *out, struct slice s)
{
	char *room = s.len < 32 ? open_room(out, 1 + s.len) : NULL;

	if (room != NULL) {
		*room = (char)(0xa0 | s.len);
		if (s.len > 0)
			memcpy(room + 1, s.ptr, s.len);
		close_room(out, room + 1 + s.len);
		return;
	}
	if (s.len < 32)
		put_byte(out, (unsigned char)(0xa0 | s.len));
	else if (s.len <= UINT8_MAX)
		put_head(out, 0xd9, 1, s.len);
	else if (s.len <= UINT16_MAX)
		put_head(out, 0xda, 2, s.len);
	else
		put_head(out, 0xdb, 4, s.len);
	buf_add(out, s.ptr, s.len);
}

static void
pack_bin(struct buf *out, struct slice s)
{
	if (s.len <= UINT8_MAX)
		put_head(out, 0xc4, 1, s.len);
	else if (s.len <= UINT16_MAX)
		put_head(out, 0xc5, 2, s.len);
	else
		put_head(out, 0xc6, 4, s.len);
	buf_add(out, s.ptr, s.len);
}

void
pack_array(struct buf *out, size_t count)
{
	if (count < 16)
		put_byte(out, (unsigned char)(0x90 | count));
	else if (count <= UINT16_MAX)
		put_head(out, 0xdc, 2, count);
	else
		put_head(out, 0xdd, 4, count);
}

static const void *
at(const void *msg, size_t offset)
{
	return (const char *)msg + offset;
}

static void
pack_list(struct buf *out, const struct msg_field *f, const void *msg)
{
	const struct msg_spec *sub = msg_spec(f->of);
	const char *items = *(char *const *)at(msg, f->offset);
	size_t i, count = *(const size_t *)at(msg, f->count_offset);

	pack_array(out, count);
	for (i = 0; i < count; i++)
		pack_message(out, sub, items + i * sub->size);
}

static void
pack_u64s(struct buf *out, const struct msg_u64s *list)
{
	char *room;
	size_t i;

	pack_array(out, list->count);
	/* No list that is in memory is so long that this overflows. */
	room = open_room(out, list->count * NUMBER_BYTES);
	for (i = 0; room != NULL && i < list->count; i++)
		room = write_uint(room, list->at[i]);
	if (room != NULL)
		close_room(out, room);
	for (; i < list->count; i++)
		pack_uint(out, list->at[i]);
}

/* The tag of a field and, of most, its value; true: the value is there too. */
static inline bool
pack_short(struct buf *out, const struct msg_field *f, const void *msg)
{
	const void *value = at(msg, f->offset);
	char *room = open_room(out, 2 * NUMBER_BYTES);

	if (room == NULL) {
		pack_uint(out, f->tag);
		return false;
	}
	room = write_uint(room, f->tag);
	if (f->type == TYPE_u64)
		room = write_uint(room, *(const uint64_t *)value);
	else if (f->type == TYPE_bool)
		*room++ = (char)(*(const bool *)value ? 0xc3 : 0xc2);
	close_room(out, room);
	return f->type == TYPE_u64 || f->type == TYPE_bool;
}

static inline void
pack_value(struct buf *out, const struct msg_field *f, const void *msg)
{
	const void *value = at(msg, f->offset);
	const struct msg_strs *strs = value;
	size_t i;

	switch (f->type) {
	case TYPE_u64:
		pack_uint(out, *(const uint64_t *)value);
		break;
	case TYPE_i64:
	case TYPE_time:
		pack_int(out, *(const int64_t *)value);
		break;
	case TYPE_bool:
		put_byte(out, *(const bool *)value ? 0xc3 : 0xc2);
		break;
	case TYPE_str:
		pack_str(out, *(const struct slice *)value);
		break;
	case TYPE_bin:
		pack_bin(out, *(const struct slice *)value);
		break;
	case TYPE_strs:
		pack_array(out, strs->count);
		for (i = 0; i < strs->count; i++)
			pack_str(out, strs->at[i]);
		break;
	case TYPE_u64s:
		pack_u64s(out, value);
		break;
	case TYPE_list:
		pack_list(out, f, msg);
		break;
	}
}

void
pack_message(struct buf *out, const struct msg_spec *spec, const void *msg)
{
	uint64_t written = 0;
	size_t i, count = 0;

	for (i = 0; i < spec->n_fields; i++) {
		if (msg_is_absent(&spec->fields[i], msg))
			continue;
		written |= UINT64_C(1) << i;
		count++;
	}
	if (count < 16)
		put_byte(out, (unsigned char)(0x80 | count));
	else
		put_head(out, 0xde, 2, count);
	for (i = 0; written != 0; i++, written >>= 1) {
		if ((written & 1) == 0)
			continue;
		if (!pack_short(out, &spec->fields[i], msg))
			pack_value(out, &spec->fields[i], msg);
	}
}
