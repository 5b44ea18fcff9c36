/*
 * msg_json - the records of messages.def as JSON and as lines for people
 */
#include <jansson.h>
#include <stdio.h>

#include "common/json.h"
#include "common/msg.h"
#include "common/text.h"
#include "common/when.h"

/* ---- out ---- */

static const void *
at(const void *msg, size_t offset)
{
	return (const char *)msg + offset;
}

static void
put_strs(struct buf *out, const struct msg_strs *strs)
{
	size_t i;

	buf_addc(out, '[');
	for (i = 0; i < strs->count; i++) {
		if (i > 0)
			buf_addc(out, ',');
		json_put_str(out, strs->at[i]);
	}
	buf_addc(out, ']');
}

static void
put_u64s(struct buf *out, const struct msg_u64s *u64s)
{
	size_t i;

	buf_addc(out, '[');
	for (i = 0; i < u64s->count; i++)
		buf_addf(out, "%s%llu", i > 0 ? "," : "",
		    (unsigned long long)u64s->at[i]);
	buf_addc(out, ']');
}

static void
put_list(struct buf *out, const struct msg_field *f, const void *msg)
{
	const struct msg_spec *sub = msg_spec(f->of);
	const char *items = *(char *const *)at(msg, f->offset);
	size_t i, count = *(const size_t *)at(msg, f->count_offset);

	buf_addc(out, '[');
	for (i = 0; i < count; i++) {
		if (i > 0)
			buf_addc(out, ',');
		msg_to_json(out, f->of, items + i * sub->size, false);
	}
	buf_addc(out, ']');
}

static void
put_time(struct buf *out, int64_t ms)
{
	char stamp[WHEN_TEXT_BYTES];

	if (ms < WHEN_MIN_MS || ms > WHEN_MAX_MS) {
		buf_addf(out, "%lld", (long long)ms);
		return;
	}
	when_format(ms, stamp);
	buf_addf(out, "\"%s\"", stamp);
}

void
msg_json_value(struct buf *out, const struct msg_field *f, const void *msg)
{
	const void *value = at(msg, f->offset);

	switch (f->type) {
	case TYPE_u64:
		buf_addf(out, "%llu",
		    (unsigned long long)*(const uint64_t *)value);
		break;
	case TYPE_i64:
		buf_addf(out, "%lld", (long long)*(const int64_t *)value);
		break;
	case TYPE_time:
		put_time(out, *(const int64_t *)value);
		break;
	case TYPE_bool:
		buf_adds(out, *(const bool *)value ? "true" : "false");
		break;
	case TYPE_str:
		json_put_str(out, *(const struct slice *)value);
		break;
	case TYPE_bin:
		json_put_hex(out, *(const struct slice *)value);
		break;
	case TYPE_strs:
		put_strs(out, value);
		break;
	case TYPE_u64s:
		put_u64s(out, value);
		break;
	case TYPE_list:
		put_list(out, f, msg);
		break;
	}
}

void
msg_json_members(struct buf *out, enum msg_id id, const void *msg, bool nulls)
{
	const struct msg_spec *spec = msg_spec(id);
	const struct msg_field *f;
	const char *comma = "";
	size_t i;

	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		if (msg_is_absent(f, msg) && !nulls)
			continue;
		buf_addf(out, "%s\"%s\":", comma, f->name);
		comma = ",";
		if (msg_is_absent(f, msg))
			buf_adds(out, "null");
		else
			msg_json_value(out, f, msg);
	}
}

void
msg_to_json(struct buf *out, enum msg_id id, const void *msg, bool nulls)
{
	buf_addc(out, '{');
	msg_json_members(out, id, msg, nulls);
	buf_addc(out, '}');
}

void
msg_print(struct buf *out, enum msg_id id, const void *msg)
{
	enum { SHOWN_BYTES = 160 };
	const struct msg_spec *spec = msg_spec(id);
	const struct msg_field *f;
	struct buf value;
	size_t i;

	buf_adds(out, spec->name);
	buf_init(&value, SIZE_MAX / 4);
	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		if (msg_is_absent(f, msg))
			continue;
		buf_clear(&value);
		msg_json_value(&value, f, msg);
		if (value.len <= SHOWN_BYTES)
			buf_addf(out, " %s=%s", f->name, buf_cstr(&value));
		else
			buf_addf(out, " %s=%.*s...(%zu bytes)", f->name,
			    (int)text_cut(buf_slice(&value), SHOWN_BYTES),
			    buf_cstr(&value), value.len);
	}
	buf_release(&value);
}

/* ---- in ---- */

static const char *const type_names[] = {
	[TYPE_u64] = "a whole number from 0 up",
	[TYPE_i64] = "a whole number",
	[TYPE_time] = "a time: RFC 3339, or milliseconds since 1970",
	[TYPE_bool] = "true or false",
	[TYPE_str] = "a string",
	[TYPE_bin] = "hex digits",
	[TYPE_strs] = "an array of strings",
	[TYPE_u64s] = "an array of whole numbers",
	[TYPE_list] = "an array of objects",
};

static struct slice
json_slice(const json_t *json)
{
	return slice_of(json_string_value(json), json_string_length(json));
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

static int
read_hex(const json_t *json, struct arena *arena, struct slice *out)
{
	struct slice s = json_slice(json);
	char *bytes;
	size_t i;

	if (!json_is_string(json) || s.len % 2 != 0)
		return -1;
	bytes = arena_alloc(arena, s.len / 2);
	for (i = 0; i < s.len; i += 2) {
		if (hex_digit(s.ptr[i]) == -1 || hex_digit(s.ptr[i + 1]) == -1)
			return -1;
		bytes[i / 2] = (char)(hex_digit(s.ptr[i]) << 4 |
		    hex_digit(s.ptr[i + 1]));
	}
	*out = slice_of(bytes, s.len / 2);
	return 0;
}

static int
read_time(const json_t *json, int64_t *out)
{
	if (json_is_integer(json)) {
		*out = json_integer_value(json);
		return 0;
	}
	return json_is_string(json) ? when_parse(json_slice(json), out) : -1;
}

static int
read_strs(const json_t *json, struct arena *arena, struct msg_strs *out)
{
	size_t i;

	if (!json_is_array(json))
		return -1;
	out->count = json_array_size(json);
	out->at = arena_array(arena, out->count, sizeof(out->at[0]));
	for (i = 0; i < out->count; i++) {
		if (!json_is_string(json_array_get(json, i)))
			return -1;
		out->at[i] = json_slice(json_array_get(json, i));
	}
	return 0;
}

static int
read_u64s(const json_t *json, struct arena *arena, struct msg_u64s *out)
{
	const json_t *item;
	size_t i;

	if (!json_is_array(json))
		return -1;
	out->count = json_array_size(json);
	out->at = arena_array(arena, out->count, sizeof(out->at[0]));
	for (i = 0; i < out->count; i++) {
		item = json_array_get(json, i);
		if (!json_is_integer(item) || json_integer_value(item) < 0)
			return -1;
		out->at[i] = (uint64_t)json_integer_value(item);
	}
	return 0;
}

static int
read_scalar(const json_t *json, struct arena *arena, const struct msg_field *f,
    void *value)
{
	switch (f->type) {
	case TYPE_u64:
		if (!json_is_integer(json) || json_integer_value(json) < 0)
			return -1;
		*(uint64_t *)value = (uint64_t)json_integer_value(json);
		return 0;
	case TYPE_i64:
		if (!json_is_integer(json))
			return -1;
		*(int64_t *)value = json_integer_value(json);
		return 0;
	case TYPE_time:
		return read_time(json, value);
	case TYPE_bool:
		if (!json_is_boolean(json))
			return -1;
		*(bool *)value = json_is_true(json);
		return 0;
	case TYPE_str:
		if (!json_is_string(json))
			return -1;
		*(struct slice *)value = json_slice(json);
		return 0;
	case TYPE_bin:
		return read_hex(json, arena, value);
	case TYPE_strs:
		return read_strs(json, arena, value);
	case TYPE_u64s:
		return read_u64s(json, arena, value);
	case TYPE_list:
		break;
	}
	return -1;
}

static int
read_list(json_t *json, struct arena *arena, const struct msg_field *f,
    void *msg, bool outside, struct msg_error *why)
{
	const struct msg_spec *sub = msg_spec(f->of);
	size_t i, count = json_array_size(json);
	char *items = arena_array(arena, count, sub->size);

	for (i = 0; i < count; i++)
		if (msg_from_json(json_array_get(json, i), arena, f->of,
			items + i * sub->size, outside, why) == -1)
			return -1;
	*(char **)at(msg, f->offset) = items;
	*(size_t *)at(msg, f->count_offset) = count;
	return 0;
}

static int
read_field(json_t *json, struct arena *arena, const struct msg_spec *spec,
    const struct msg_field *f, void *out, bool outside, struct msg_error *why)
{
	if (f->need == NEED_INT && outside) {
		msg_fail(why, "%s: is set by skein, not by a sender", f->name);
		why->fault = FAULT_OURS;
		return -1;
	}
	if (f->type == TYPE_list && json_is_array(json))
		return read_list(json, arena, f, out, outside, why);
	if (read_scalar(json, arena, f, (char *)out + f->offset) == 0)
		return 0;
	if (outside)
		msg_fail(why, "%s: must be %s", f->name, type_names[f->type]);
	else
		msg_fail(why, "%s.%s: must be %s", spec->name, f->name,
		    type_names[f->type]);
	why->fault = FAULT_TYPE;
	return -1;
}

int
msg_from_json(json_t *json, struct arena *arena, enum msg_id id, void *out,
    bool outside, struct msg_error *why)
{
	const struct msg_spec *spec = msg_spec(id);
	const struct msg_field *f;
	uint64_t has = 0;
	json_t *value;
	size_t i;

	if (!json_is_object(json)) {
		msg_fail(why, "%s: must be a JSON object", spec->name);
		why->fault = FAULT_TYPE;
		return -1;
	}
	memset(out, 0, spec->size);
	for (i = 0; i < spec->n_fields; i++) {
		f = &spec->fields[i];
		value = json_object_get(json, f->name);
		if (value == NULL || json_is_null(value)) {
			if (f->need != NEED_REQ)
				continue;
			msg_fail(why, "%s: is missing", f->name);
			why->fault = FAULT_MISSING;
			return -1;
		}
		if (read_field(value, arena, spec, f, out, outside, why) == -1)
			return -1;
		has |= UINT64_C(1) << f->tag;
	}
	memcpy(out, &has, sizeof(has));
	return 0;
}

size_t
msg_json_unknown(json_t *json, enum msg_id id, struct slice *names,
    size_t most)
{
	const struct msg_spec *spec = msg_spec(id);
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach(json, name, value) {
		if (strcmp(name, "type") == 0 ||
		    msg_field_named(spec, slice_str(name)) != NULL)
			continue;
		if (n < most)
			names[n] = slice_str(name);
		n++;
	}
	return n;
}
