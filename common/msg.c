/*
 * msg - the msgpack codec over the field tables of messages.def
 *
 * Only the files of msg know msgpack.
 */
#include "common/msg.h"

#include <stdarg.h>
#include <stdio.h>

#include "common/msg_object.h"
#include "common/msg_pack.h"

static uint64_t unknown_tags;

bool
msg_is_entry(enum msg_id id)
{
	return id > MSG_envelope && id <= MSG_tombstone && id != MSG_xmessage;
}

bool
msg_has_tag(const void *msg, unsigned tag)
{
	uint64_t has;

	memcpy(&has, msg, sizeof(has));
	return (has >> tag & 1) != 0;
}

uint64_t
msg_unknown_tags(void)
{
	return unknown_tags;
}

void
msg_fail(struct msg_error *why, const char *fmt, ...)
{
	va_list ap;

	why->fault = FAULT_FORM;
	va_start(ap, fmt);
	vsnprintf(why->text, sizeof(why->text), fmt, ap);
	va_end(ap);
}

/* ---- encoding ---- */

static const void *
at(const void *msg, size_t offset)
{
	return (const char *)msg + offset;
}

int
msg_encode(struct buf *out, enum msg_id id, const void *msg)
{
	pack_record(out, id, msg);
	return out->over ? -1 : 0;
}

/* ---- decoding ---- */

static int unpack_fields(const msgpack_object *map, struct arena *arena,
    const struct msg_spec *spec, void *out, struct msg_error *why);

struct slice
msg_object_slice(const msgpack_object *o)
{
	/* An empty one has no place in msgpack-c; ours always has. */
	if (o->type == MSGPACK_OBJECT_STR)
		return slice_of(o->via.str.size > 0 ? o->via.str.ptr : "",
		    o->via.str.size);
	return slice_of(o->via.bin.size > 0 ? o->via.bin.ptr : "",
	    o->via.bin.size);
}

static int
wrong_type(const struct msg_spec *spec, const struct msg_field *f,
    struct msg_error *why)
{
	msg_fail(why, "%s.%s: wrong type", spec->name, f->name);
	why->fault = FAULT_TYPE;
	return -1;
}

static int
unpack_strs(const msgpack_object *o, struct arena *arena, struct msg_strs *out)
{
	size_t i;

	out->count = o->via.array.size;
	out->at = arena_array(arena, out->count, sizeof(out->at[0]));
	for (i = 0; i < out->count; i++) {
		if (o->via.array.ptr[i].type != MSGPACK_OBJECT_STR)
			return -1;
		out->at[i] = msg_object_slice(&o->via.array.ptr[i]);
	}
	return 0;
}

static int
unpack_u64s(const msgpack_object *o, struct arena *arena, struct msg_u64s *out)
{
	size_t i;

	out->count = o->via.array.size;
	out->at = arena_array(arena, out->count, sizeof(out->at[0]));
	for (i = 0; i < out->count; i++) {
		if (o->via.array.ptr[i].type != MSGPACK_OBJECT_POSITIVE_INTEGER)
			return -1;
		out->at[i] = o->via.array.ptr[i].via.u64;
	}
	return 0;
}

static int
unpack_list(const msgpack_object *o, struct arena *arena,
    const struct msg_field *f, void *msg, struct msg_error *why)
{
	const struct msg_spec *sub = msg_spec(f->of);
	size_t i, count = o->via.array.size;
	char *items = arena_array(arena, count, sub->size);

	for (i = 0; i < count; i++)
		if (unpack_fields(&o->via.array.ptr[i], arena, sub,
			items + i * sub->size, why) == -1)
			return -1;
	*(char **)at(msg, f->offset) = items;
	*(size_t *)at(msg, f->count_offset) = count;
	return 0;
}

static int
unpack_integer(const msgpack_object *o, const struct msg_field *f, void *value)
{
	if (o->type == MSGPACK_OBJECT_POSITIVE_INTEGER) {
		if (f->type != TYPE_u64 && o->via.u64 > INT64_MAX)
			return -1;
		*(uint64_t *)value = o->via.u64;
		return 0;
	}
	if (o->type != MSGPACK_OBJECT_NEGATIVE_INTEGER || f->type == TYPE_u64)
		return -1;
	*(int64_t *)value = o->via.i64;
	return 0;
}

static int
unpack_value(const msgpack_object *o, struct arena *arena,
    const struct msg_spec *spec, const struct msg_field *f, void *msg,
    struct msg_error *why)
{
	void *value = (char *)msg + f->offset;
	bool good = false;

	switch (f->type) {
	case TYPE_u64:
	case TYPE_i64:
	case TYPE_time:
		good = unpack_integer(o, f, value) == 0;
		break;
	case TYPE_bool:
		good = o->type == MSGPACK_OBJECT_BOOLEAN;
		if (good)
			*(bool *)value = o->via.boolean;
		break;
	case TYPE_str:
	case TYPE_bin:
		good = o->type == (f->type == TYPE_str ? MSGPACK_OBJECT_STR :
							 MSGPACK_OBJECT_BIN);
		if (good)
			*(struct slice *)value = msg_object_slice(o);
		break;
	case TYPE_strs:
		good = o->type == MSGPACK_OBJECT_ARRAY &&
		    unpack_strs(o, arena, value) == 0;
		break;
	case TYPE_u64s:
		good = o->type == MSGPACK_OBJECT_ARRAY &&
		    unpack_u64s(o, arena, value) == 0;
		break;
	case TYPE_list:
		if (o->type != MSGPACK_OBJECT_ARRAY)
			break;
		return unpack_list(o, arena, f, msg, why);
	}
	return good ? 0 : wrong_type(spec, f, why);
}

static int
check_required(const struct msg_spec *spec, const void *msg,
    struct msg_error *why)
{
	size_t i;

	for (i = 0; i < spec->n_fields; i++) {
		if (spec->fields[i].need != NEED_REQ ||
		    msg_has_tag(msg, spec->fields[i].tag))
			continue;
		msg_fail(why, "%s.%s: missing", spec->name,
		    spec->fields[i].name);
		why->fault = FAULT_MISSING;
		return -1;
	}
	return 0;
}

static int
unpack_fields(const msgpack_object *map, struct arena *arena,
    const struct msg_spec *spec, void *out, struct msg_error *why)
{
	const struct msg_field *f;
	const msgpack_object_kv *kv;
	uint64_t has = 0;
	uint32_t i;

	if (map->type != MSGPACK_OBJECT_MAP) {
		msg_fail(why, "%s: fields are not a map", spec->name);
		return -1;
	}
	for (i = 0; i < map->via.map.size; i++) {
		kv = &map->via.map.ptr[i];
		if (kv->key.type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
			msg_fail(why, "%s: a tag is not a number", spec->name);
			return -1;
		}
		f = kv->key.via.u64 >= MSGTAG_LIMIT ? NULL :
		    msg_field_tagged(spec, (unsigned)kv->key.via.u64);
		if (f == NULL) {
			unknown_tags++;
			continue;
		}
		if (unpack_value(&kv->val, arena, spec, f, out, why) == -1)
			return -1;
		has |= UINT64_C(1) << f->tag;
	}
	memcpy(out, &has, sizeof(has));
	return check_required(spec, out, why);
}

/* Checks the header of an unpacked record; its spec, or NULL. */
static const struct msg_spec *
check_header(const msgpack_object *o, struct msg_error *why)
{
	const struct msg_spec *spec;

	if (o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size != 3 ||
	    o->via.array.ptr[0].type != MSGPACK_OBJECT_POSITIVE_INTEGER ||
	    o->via.array.ptr[1].type != MSGPACK_OBJECT_POSITIVE_INTEGER) {
		msg_fail(why, "not a record");
		return NULL;
	}
	if (o->via.array.ptr[0].via.u64 != MSG_PROTOCOL) {
		msg_fail(why, "protocol %llu, this program speaks %d",
		    (unsigned long long)o->via.array.ptr[0].via.u64,
		    MSG_PROTOCOL);
		return NULL;
	}
	spec = o->via.array.ptr[1].via.u64 >= MSG_LIMIT ? NULL :
	    msg_spec((unsigned)o->via.array.ptr[1].via.u64);
	if (spec == NULL)
		msg_fail(why, "unknown message id %llu",
		    (unsigned long long)o->via.array.ptr[1].via.u64);
	return spec;
}

/*
 * msgpack-c makes room for as many items as a header promises before it has
 * seen one, so ten bytes could ask for gigabytes.  An item takes a byte at
 * least: whether each 32-bit count is within what is left.
 */
static bool
counts_fit(struct slice bytes)
{
	/* By first byte from 0xc0: bytes of a length, and bytes besides. */
	static const unsigned char length[32] = { [4] = 1, [5] = 2, [6] = 4,
		[7] = 1, [8] = 2, [9] = 4, [25] = 1, [26] = 2, [27] = 4 };
	static const unsigned char besides[32] = { [7] = 1, [8] = 1, [9] = 1,
		[10] = 4, [11] = 8, [12] = 1, [13] = 2, [14] = 4, [15] = 8,
		[16] = 1, [17] = 2, [18] = 4, [19] = 8, [20] = 2, [21] = 3,
		[22] = 5, [23] = 9, [24] = 17, [28] = 2, [30] = 2 };
	const unsigned char *at = (const unsigned char *)bytes.ptr;
	const unsigned char *end = at + bytes.len;
	size_t n, skip;
	unsigned c, i, width;

	while (at < end) {
		c = *at++;
		skip = (c & 0xe0) == 0xa0 ? c & 0x1f : 0;
		width = c == 0xdd || c == 0xdf ? 4 : 0;
		if (c >= 0xc0 && c < 0xe0) {
			width += length[c - 0xc0];
			skip = besides[c - 0xc0];
		}
		if (width > (size_t)(end - at))
			return true;	/* cut short, which unpacking finds */
		for (n = 0, i = 0; i < width; i++)
			n = n << 8 | *at++;
		if (c == 0xdd || c == 0xdf) {
			if (n << (c == 0xdf) > (size_t)(end - at))
				return false;
			continue;
		}
		if (n > (size_t)(end - at) || skip + n > (size_t)(end - at))
			return true;
		at += skip + n;
	}
	return true;
}

static bool
has_large_counts(struct slice bytes)
{
	return memchr(bytes.ptr, 0xdd, bytes.len) != NULL ||
	    memchr(bytes.ptr, 0xdf, bytes.len) != NULL;
}

/*
 * One zone serves all decoding: its objects are only read while a call lasts,
 * what is kept goes into the caller's arena.
 */
static msgpack_zone *
scratch_zone(void)
{
	static msgpack_zone zone;
	static bool made;

	if (!made && !(made = msgpack_zone_init(&zone, 8192)))
		return NULL;
	msgpack_zone_clear(&zone);
	return &zone;
}

int
msg_unpack_object(struct slice bytes, msgpack_object *out,
    struct msg_error *why)
{
	msgpack_zone *zone = scratch_zone();
	msgpack_unpack_return rc = MSGPACK_UNPACK_NOMEM_ERROR;
	size_t used = 0;

	if (bytes.len > 0 && has_large_counts(bytes) && !counts_fit(bytes))
		rc = MSGPACK_UNPACK_CONTINUE;
	else if (zone != NULL && bytes.len > 0)
		rc = msgpack_unpack(bytes.ptr, bytes.len, &used, zone, out);
	if (rc == MSGPACK_UNPACK_SUCCESS && used == bytes.len)
		return 0;
	if (bytes.len == 0 || rc == MSGPACK_UNPACK_CONTINUE)
		msg_fail(why, "msgpack is cut short");
	else if (rc == MSGPACK_UNPACK_EXTRA_BYTES ||
	    rc == MSGPACK_UNPACK_SUCCESS)
		msg_fail(why, "bytes after the end of the msgpack");
	else if (rc == MSGPACK_UNPACK_NOMEM_ERROR)
		msg_fail(why, "msgpack is nested too deep or too large");
	else
		msg_fail(why, "not msgpack");
	return -1;
}

int
msg_decode(struct slice record, struct arena *arena, struct msg *out,
    struct msg_error *why)
{
	return msg_decode_part(record, arena, (struct msg_want){ 0 }, out,
	    why);
}

int
msg_decode_part(struct slice record, struct arena *arena,
    struct msg_want want, struct msg *out, struct msg_error *why)
{
	const struct msg_spec *spec;
	enum msg_id id = MSG_none;
	msgpack_object o;
	void *msg;

	/* The whole union, so that ->as may be asked for the envelope. */
	msg = arena_array(arena, 1, sizeof(union msg_any));
	if (unpack_record(record, arena, want, &id, msg)) {
		*out = (struct msg){ id, msg };
		return 0;
	}
	if (msg_unpack_object(record, &o, why) == -1)
		return -1;
	spec = check_header(&o, why);
	if (spec == NULL)
		return -1;
	memset(msg, 0, sizeof(union msg_any));
	if (unpack_fields(&o.via.array.ptr[2], arena, spec, msg, why) == -1)
		return -1;
	*out = (struct msg){ spec->id, msg };
	return 0;
}

int
msg_decode_as(struct slice record, struct arena *arena, enum msg_id id,
    void *out, struct msg_error *why)
{
	const struct msg_spec *spec;
	enum msg_id want = id;
	msgpack_object o;

	memset(out, 0, msg_spec(id)->size);
	if (unpack_record(record, arena, (struct msg_want){ 0 }, &want,
		out))
		return 0;
	if (msg_unpack_object(record, &o, why) == -1)
		return -1;
	spec = check_header(&o, why);
	if (spec == NULL)
		return -1;
	if (spec->id != id) {
		msg_fail(why, "a %s where a %s belongs", spec->name,
		    msg_spec(id)->name);
		return -1;
	}
	memset(out, 0, spec->size);
	return unpack_fields(&o.via.array.ptr[2], arena, spec, out, why);
}
