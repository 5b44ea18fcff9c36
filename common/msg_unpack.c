/*
 * msg_unpack - bytes to records, straight
 */
#include "common/msg_pack.h"

#include <endian.h>

/*
 * Each read_* gives the place behind what it has read, NULL where that is not
 * what it reads.  The place is handed on and not kept in the reader: there the
 * next one would have to wait for it to be written.
 */
struct reader {
	const unsigned char *end;
	struct arena *arena;
	const bool *unread;	/* records by their kind, or NULL */
};

typedef const unsigned char *place;

/* `width` (1 to 8) bytes as a number, the highest first. */
static inline place
read_number(const struct reader *r, place at, unsigned width, uint64_t *out)
{
	uint64_t n = 0;

	if ((size_t)(r->end - at) >= sizeof(n)) {
		memcpy(&n, at, sizeof(n));
		*out = be64toh(n) >> (64 - 8 * width);
		return at + width;
	}
	if ((size_t)(r->end - at) < width)
		return NULL;
	while (width-- > 0)
		n = n << 8 | *at++;
	*out = n;
	return at;
}

static inline place
read_uint(const struct reader *r, place at, uint64_t *out)
{
	unsigned c;

	if (at == r->end)
		return NULL;
	c = *at++;
	if (c < 0x80) {
		*out = c;
		return at;
	}
	return c < 0xcc || c > 0xcf ? NULL :
	    read_number(r, at, 1u << (c - 0xcc), out);
}

static place
read_int(const struct reader *r, place at, int64_t *out)
{
	uint64_t n;
	unsigned c, bits;

	if (at == r->end)
		return NULL;
	c = *at;
	if (c >= 0xe0) {
		*out = (int64_t)(signed char)c;
		return at + 1;
	}
	if (c >= 0xd0 && c <= 0xd3) {
		bits = 8u << (c - 0xd0);
		at = read_number(r, at + 1, bits / 8, &n);
		/* Carries the sign of the shorter form along. */
		if (at != NULL)
			*out = (int64_t)(n << (64 - bits)) >> (64 - bits);
		return at;
	}
	at = read_uint(r, at, &n);
	if (at == NULL || n > INT64_MAX)
		return NULL;
	*out = (int64_t)n;
	return at;
}

static inline place
read_bytes(const struct reader *r, place at, uint64_t len, struct slice *out)
{
	if ((uint64_t)(r->end - at) < len)
		return NULL;
	*out = slice_of(len > 0 ? (const char *)at : "", (size_t)len);
	return at + len;
}

/* What begins with `first` has a length of one byte, then of two and four. */
static place
read_long(const struct reader *r, place at, unsigned first, struct slice *out)
{
	unsigned c = *at;
	uint64_t len;

	if (c < first || c > first + 2)
		return NULL;
	at = read_number(r, at + 1, 1u << (c - first), &len);
	return at == NULL ? NULL : read_bytes(r, at, len, out);
}

static inline place
read_str(const struct reader *r, place at, struct slice *out)
{
	if (at == r->end)
		return NULL;
	if ((*at & 0xe0) != 0xa0)
		return read_long(r, at, 0xd9, out);
	return read_bytes(r, at + 1, *at & 0x1f, out);
}

static place
read_bin(const struct reader *r, place at, struct slice *out)
{
	return at == r->end ? NULL : read_long(r, at, 0xc4, out);
}

/* A count can be no larger than the bytes that are left. */
static inline place
read_count(const struct reader *r, place at, unsigned fixed, unsigned wide,
    size_t *out)
{
	uint64_t n;
	unsigned c;

	if (at == r->end)
		return NULL;
	c = *at++;
	if ((c & 0xf0) == fixed)
		n = c & 0x0f;
	else if (c != wide && c != wide + 1)
		return NULL;
	else if ((at = read_number(r, at, c == wide ? 2 : 4, &n)) == NULL)
		return NULL;
	*out = (size_t)n;
	return n <= (uint64_t)(r->end - at) ? at : NULL;
}

static place
read_strs(const struct reader *r, place at, struct msg_strs *out)
{
	size_t i;

	at = read_count(r, at, 0x90, 0xdc, &out->count);
	if (at == NULL)
		return NULL;
	/* Each takes a byte of the record at least: the product is no risk. */
	out->at = arena_room(r->arena, out->count * sizeof(out->at[0]));
	for (i = 0; at != NULL && i < out->count; i++)
		at = read_str(r, at, &out->at[i]);
	return at;
}

static place
read_u64s(const struct reader *r, place at, struct msg_u64s *out)
{
	size_t i, count;

	at = read_count(r, at, 0x90, 0xdc, &count);
	if (at == NULL)
		return NULL;
	out->count = count;
	out->at = arena_room(r->arena, count * sizeof(out->at[0]));
	for (i = 0; at != NULL && i < count; i++)
		at = read_uint(r, at, &out->at[i]);
	return at;
}

/* The bytes of a value behind its first, or how many values it holds. */
static place
pass_head(const struct reader *r, place at, unsigned c, uint64_t *inside)
{
	static const unsigned char widths[] = { 4, 8, 1, 2, 4, 8, 1, 2, 4, 8 };
	uint64_t len = 0;

	if (c >= 0xca && c <= 0xd3)
		len = widths[c - 0xca];
	else if ((c >= 0xc4 && c <= 0xc6) || (c >= 0xd9 && c <= 0xdb)) {
		at = read_number(r, at, 1u << (c - (c < 0xc8 ? 0xc4 : 0xd9)),
		    &len);
	} else if (c >= 0xdc) {
		at = read_number(r, at, c % 2 == 0 ? 2 : 4, inside);
		if (c >= 0xde)
			*inside *= 2;
	} else if (c != 0xc0 && c != 0xc2 && c != 0xc3)
		return NULL;	/* an extension, or nothing: none is written */
	return at == NULL || len > (uint64_t)(r->end - at) ? NULL : at + len;
}

/* One value, with all that is in it. */
static place
pass_value(const struct reader *r, place at)
{
	uint64_t left = 1, inside;
	unsigned c;

	for (; left > 0; left--) {
		if (at == r->end)
			return NULL;
		c = *at++;
		inside = 0;
		if (c < 0x80 || c >= 0xe0)
			continue;
		if (c < 0x90)
			inside = 2 * (c & 0x0f);
		else if (c < 0xa0)
			inside = c & 0x0f;
		else if (c >= 0xc0)
			at = pass_head(r, at, c, &inside);
		else
			at = (c & 0x1f) > r->end - at ? NULL : at + (c & 0x1f);
		if (at == NULL)
			return NULL;
		left += inside;
	}
	return at;
}

static place read_message(const struct reader *r, place at,
    const struct msg_spec *spec, unsigned last, void *out);

struct items {
	char *at;
	size_t count;
};

static place
read_list(const struct reader *r, place at, enum msg_id of, struct items *out)
{
	const struct msg_spec *sub = msg_spec(of);
	size_t i, count;

	if (r->unread != NULL && r->unread[of])
		return pass_value(r, at);
	at = read_count(r, at, 0x90, 0xdc, &count);
	if (at == NULL)
		return NULL;
	out->count = count;
	out->at = arena_array(r->arena, count, sub->size);
	for (i = 0; at != NULL && i < count; i++)
		at = read_message(r, at, sub, MSGTAG_LIMIT - 1,
		    out->at + i * sub->size);
	return at;
}

static inline place
read_value(const struct reader *r, place at, const struct msg_code *c,
    void *value)
{
	switch ((enum msg_type)c->type) {
	case TYPE_u64:
		return read_uint(r, at, value);
	case TYPE_i64:
	case TYPE_time:
		return read_int(r, at, value);
	case TYPE_bool:
		if (at == r->end || (*at & 0xfe) != 0xc2)
			return NULL;
		*(bool *)value = *at == 0xc3;
		return at + 1;
	case TYPE_str:
		return read_str(r, at, value);
	case TYPE_bin:
		return read_bin(r, at, value);
	case TYPE_strs:
		return read_strs(r, at, value);
	case TYPE_u64s:
		return read_u64s(r, at, value);
	case TYPE_list:
		return read_list(r, at, c->of, value);
	}
	return NULL;
}

/*
 * Into zeroed memory.  Behind a field beyond `last` nothing is looked at: the
 * end of the record is then the place.
 */
static place
read_message(const struct reader *r, place at, const struct msg_spec *spec,
    unsigned last, void *out)
{
	uint64_t has = 0, required = spec->required;
	const struct msg_code *c;
	size_t i, count;
	unsigned tag;

	at = read_count(r, at, 0x80, 0xde, &count);
	for (i = 0; at != NULL && i < count; i++) {
		if (at == r->end)
			return NULL;
		tag = *at;
		/* One that takes more than a byte is none of ours. */
		if (tag >= MSGTAG_LIMIT)
			return NULL;
		if (tag > last) {
			at = r->end;
			break;
		}
		if (spec->order[tag] == 0)
			return NULL;
		c = &spec->codes[spec->order[tag] - 1];
		at = read_value(r, at + 1, c, (char *)out + c->offset);
		has |= UINT64_C(1) << tag;
	}
	memcpy(out, &has, sizeof(has));
	return (has & required) == required ? at : NULL;
}

bool
unpack_record(struct slice record, struct arena *arena, struct msg_want want,
    enum msg_id *id, union msg_any *out)
{
	unsigned last = want.last > 0 ? want.last : MSGTAG_LIMIT - 1;
	place at = (place)record.ptr;
	struct reader r = { at + record.len, arena, want.unread };
	const struct msg_spec *spec;
	uint64_t number;

	if (record.len < 4 || at[0] != 0x93 || at[1] != MSG_PROTOCOL)
		return false;
	at = read_uint(&r, at + 2, &number);
	if (at == NULL || number >= MSG_LIMIT)
		return false;
	spec = msg_spec((unsigned)number);
	if (spec == NULL || (*id != MSG_none && *id != spec->id))
		return false;
	*id = spec->id;
	return read_message(&r, at, spec, last, out) == r.end;
}
