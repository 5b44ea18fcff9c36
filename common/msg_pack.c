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
	unsigned width;		/* 1, 2, 4 or 8 bytes, as a power of 2 */

	if (n < 0x80) {
		*at = (char)n;
		return at + 1;
	}
	width = (n > UINT8_MAX) + (n > UINT16_MAX) + (n > UINT32_MAX);
	return write_head(at, (unsigned char)(0xcc + width), 1u << width, n);
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

struct items {
	char *at;
	size_t count;
};

static char *
put_list(struct packer *p, char *at, enum msg_id of, const struct items *list)
{
	const struct msg_spec *sub = msg_spec(of);
	size_t i;

	at = room(p, at, NUMBER_BYTES);
	if (at != NULL)
		at = write_array(at, list->count);
	for (i = 0; at != NULL && i < list->count; i++)
		at = put_message(p, at, sub, list->at + i * sub->size);
	return at;
}

/* There is room for a number. */
static inline char *
put_value(struct packer *p, char *at, const struct msg_code *c,
    const void *value)
{
	switch ((enum msg_type)c->type) {
	case TYPE_i64:
	case TYPE_time:
		if (*(const int64_t *)value < 0)
			return write_negative(at, *(const int64_t *)value);
		/* fall through */
	case TYPE_u64:
		return write_uint(at, *(const uint64_t *)value);
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
		return put_list(p, at, c->of, value);
	}
	return at;
}

/*
 * The fields to be written, as bits in their order: what msg_is_absent says,
 * but of all of them, and without a jump that nobody could foresee.
 */
static inline uint64_t
fields_there(const struct msg_spec *spec, const char *msg)
{
	uint64_t has, n, there = spec->always;
	const struct msg_sign *sign;

	for (sign = spec->wide; sign->there != 0; sign++) {
		memcpy(&n, msg + sign->there, sizeof(n));
		there |= (uint64_t)(n != 0) << sign->field;
	}
	for (sign = spec->flags; sign->there != 0; sign++) {
		n = *(const bool *)(msg + sign->there);
		there |= n << sign->field;
	}
	memcpy(&has, msg, sizeof(has));
	for (; has != 0; has &= has - 1)
		there |= UINT64_C(1) <<
		    (spec->order[__builtin_ctzll(has)] - 1);
	return there;
}

static inline char *
write_map(char *at, size_t count)
{
	if (count < 16) {
		*at = (char)(0x80 | count);
		return at + 1;
	}
	/* There are no more fields than tags: two bytes are enough. */
	return write_head(at, 0xde, 2, count);
}

static char *
put_message(struct packer *p, char *at, const struct msg_spec *spec,
    const char *msg)
{
	uint64_t there = fields_there(spec, msg);
	const struct msg_code *c;

	at = room(p, at, NUMBER_BYTES);
	if (at == NULL)
		return NULL;
	at = write_map(at, (size_t)__builtin_popcountll(there));
	for (; there != 0; there &= there - 1) {
		c = &spec->codes[__builtin_ctzll(there)];
		at = room(p, at, 1 + NUMBER_BYTES);
		if (at == NULL)
			return NULL;
		*at++ = (char)c->tag;	/* less than MSGTAG_LIMIT: a byte */
		at = put_value(p, at, c, msg + c->offset);
		if (at == NULL)
			return NULL;
	}
	return at;
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
