/*
 * msg_pack - records to bytes and back, straight
 */
#include "common/msg_pack.h"

#include <endian.h>

/* ---- writing ---- */

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
	unsigned char bytes[9];

	bytes[0] = first;
	n = htobe64(n << (64 - 8 * width));
	memcpy(bytes + 1, &n, sizeof(n));
	buf_add(out, bytes, width + 1);
}

void
pack_uint(struct buf *out, uint64_t n)
{
	if (n < 0x80)
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

static inline void
pack_value(struct buf *out, const struct msg_field *f, const void *msg)
{
	const void *value = at(msg, f->offset);
	const struct msg_strs *strs = value;
	const struct msg_u64s *u64s = value;
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
		pack_array(out, u64s->count);
		for (i = 0; i < u64s->count; i++)
			pack_uint(out, u64s->at[i]);
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
		pack_uint(out, spec->fields[i].tag);
		pack_value(out, &spec->fields[i], msg);
	}
}

/* ---- reading ---- */

struct reader {
	const unsigned char *at, *end;
	struct arena *arena;
};

/* `width` (1 to 8) bytes as a number, the highest first. */
static bool
read_number(struct reader *r, unsigned width, uint64_t *out)
{
	uint64_t n = 0;

	if ((size_t)(r->end - r->at) >= sizeof(n)) {
		memcpy(&n, r->at, sizeof(n));
		*out = be64toh(n) >> (64 - 8 * width);
		r->at += width;
		return true;
	}
	if ((size_t)(r->end - r->at) < width)
		return false;
	while (width-- > 0)
		n = n << 8 | *r->at++;
	*out = n;
	return true;
}

static bool
read_wide_uint(struct reader *r, uint64_t *out)
{
	unsigned c;

	if (r->at == r->end)
		return false;
	c = *r->at++;
	return c >= 0xcc && c <= 0xcf && read_number(r, 1u << (c - 0xcc), out);
}

static inline bool
read_uint(struct reader *r, uint64_t *out)
{
	if (r->at == r->end || *r->at >= 0x80)
		return read_wide_uint(r, out);
	*out = *r->at++;
	return true;
}

static bool
read_int(struct reader *r, int64_t *out)
{
	uint64_t n;
	unsigned c, bits;

	if (r->at == r->end)
		return false;
	c = *r->at;
	if (c >= 0xe0) {
		r->at++;
		*out = (int64_t)(signed char)c;
		return true;
	}
	if (c >= 0xd0 && c <= 0xd3) {
		r->at++;
		bits = 8u << (c - 0xd0);
		if (!read_number(r, bits / 8, &n))
			return false;
		/* Carries the sign of the shorter form along. */
		*out = (int64_t)(n << (64 - bits)) >> (64 - bits);
		return true;
	}
	if (!read_uint(r, &n) || n > INT64_MAX)
		return false;
	*out = (int64_t)n;
	return true;
}

static inline bool
read_bytes(struct reader *r, uint64_t len, struct slice *out)
{
	if ((uint64_t)(r->end - r->at) < len)
		return false;
	*out = slice_of(len > 0 ? (const char *)r->at : "", (size_t)len);
	r->at += len;
	return true;
}

static bool
read_long_str(struct reader *r, struct slice *out)
{
	uint64_t len;
	unsigned c;

	if (r->at == r->end)
		return false;
	c = *r->at++;
	return c >= 0xd9 && c <= 0xdb &&
	    read_number(r, 1u << (c - 0xd9), &len) && read_bytes(r, len, out);
}

static inline bool
read_str(struct reader *r, struct slice *out)
{
	if (r->at == r->end || (*r->at & 0xe0) != 0xa0)
		return read_long_str(r, out);
	return read_bytes(r, *r->at++ & 0x1f, out);
}

static bool
read_bin(struct reader *r, struct slice *out)
{
	uint64_t len;
	unsigned c;

	if (r->at == r->end)
		return false;
	c = *r->at++;
	return c >= 0xc4 && c <= 0xc6 &&
	    read_number(r, 1u << (c - 0xc4), &len) && read_bytes(r, len, out);
}

/* A count can be no larger than the bytes that are left. */
static inline bool
read_count(struct reader *r, unsigned fixed, unsigned wide, size_t *out)
{
	uint64_t n;
	unsigned c;

	if (r->at == r->end)
		return false;
	c = *r->at++;
	if ((c & 0xf0) == fixed)
		n = c & 0x0f;
	else if ((c != wide && c != wide + 1) ||
	    !read_number(r, c == wide ? 2 : 4, &n))
		return false;
	*out = (size_t)n;
	return n <= (uint64_t)(r->end - r->at);
}

static bool
read_strs(struct reader *r, struct msg_strs *out)
{
	size_t i;

	if (!read_count(r, 0x90, 0xdc, &out->count))
		return false;
	out->at = arena_array(r->arena, out->count, sizeof(out->at[0]));
	for (i = 0; i < out->count; i++)
		if (!read_str(r, &out->at[i]))
			return false;
	return true;
}

static bool
read_u64s(struct reader *r, struct msg_u64s *out)
{
	size_t i;

	if (!read_count(r, 0x90, 0xdc, &out->count))
		return false;
	out->at = arena_array(r->arena, out->count, sizeof(out->at[0]));
	for (i = 0; i < out->count; i++)
		if (!read_uint(r, &out->at[i]))
			return false;
	return true;
}

static bool read_message(struct reader *r, const struct msg_spec *spec,
    void *out);

static bool
read_list(struct reader *r, const struct msg_field *f, void *msg)
{
	const struct msg_spec *sub = msg_spec(f->of);
	size_t i, count;
	char *items;

	if (!read_count(r, 0x90, 0xdc, &count))
		return false;
	items = arena_array(r->arena, count, sub->size);
	for (i = 0; i < count; i++)
		if (!read_message(r, sub, items + i * sub->size))
			return false;
	memcpy((char *)msg + f->offset, &items, sizeof(items));
	memcpy((char *)msg + f->count_offset, &count, sizeof(count));
	return true;
}

static inline bool
read_value(struct reader *r, const struct msg_field *f, void *msg)
{
	void *value = (char *)msg + f->offset;

	switch (f->type) {
	case TYPE_u64:
		return read_uint(r, value);
	case TYPE_i64:
	case TYPE_time:
		return read_int(r, value);
	case TYPE_bool:
		if (r->at == r->end || (*r->at & 0xfe) != 0xc2)
			return false;
		*(bool *)value = *r->at++ == 0xc3;
		return true;
	case TYPE_str:
		return read_str(r, value);
	case TYPE_bin:
		return read_bin(r, value);
	case TYPE_strs:
		return read_strs(r, value);
	case TYPE_u64s:
		return read_u64s(r, value);
	case TYPE_list:
		return read_list(r, f, msg);
	}
	return false;
}

/* The tags that must be there, as bits. */
static uint64_t
required_tags(const struct msg_spec *spec)
{
	static uint64_t required[MSG_LIMIT];
	static bool known[MSG_LIMIT];
	size_t i;

	if (!known[spec->id]) {
		for (i = 0; i < spec->n_fields; i++)
			if (spec->fields[i].need == NEED_REQ)
				required[spec->id] |= UINT64_C(1)
				    << spec->fields[i].tag;
		known[spec->id] = true;
	}
	return required[spec->id];
}

/* Into zeroed memory. */
static bool
read_message(struct reader *r, const struct msg_spec *spec, void *out)
{
	uint64_t has = 0, tag, required = required_tags(spec);
	const struct msg_field *f;
	size_t i, count;

	if (!read_count(r, 0x80, 0xde, &count))
		return false;
	for (i = 0; i < count; i++) {
		if (!read_uint(r, &tag) || tag >= MSGTAG_LIMIT)
			return false;
		f = msg_field_tagged(spec, (unsigned)tag);
		if (f == NULL || !read_value(r, f, out))
			return false;
		has |= UINT64_C(1) << tag;
	}
	memcpy(out, &has, sizeof(has));
	return (has & required) == required;
}

bool
unpack_record(struct slice record, struct arena *arena, enum msg_id *id,
    union msg_any *out)
{
	struct reader r = { (const unsigned char *)record.ptr,
		(const unsigned char *)record.ptr + record.len, arena };
	const struct msg_spec *spec;
	uint64_t number;

	if (record.len < 4 || *r.at++ != 0x93 || *r.at++ != MSG_PROTOCOL ||
	    !read_uint(&r, &number) || number >= MSG_LIMIT)
		return false;
	spec = msg_spec((unsigned)number);
	if (spec == NULL || (*id != MSG_none && *id != spec->id))
		return false;
	*id = spec->id;
	return read_message(&r, spec, out) && r.at == r.end;
}
