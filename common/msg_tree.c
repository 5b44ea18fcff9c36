/*
 * msg_tree - msgpack that is no record, as a JSON tree and back
 *
 * For entries that come as msgpack maps, and for clients that send them.
 */
#include <jansson.h>
#include <stdlib.h>

#include "common/msg_object.h"
#include "common/text.h"
#include "common/xmalloc.h"

static json_t *to_json(const msgpack_object *o, struct msg_error *why);

static int
add_member(json_t *out, const char *key, const msgpack_object *o,
    struct msg_error *why)
{
	json_t *value;

	if (json_object_get(out, key) != NULL) {
		msg_fail(why, "a member is there twice: %.60s", key);
		return -1;
	}
	value = to_json(o, why);
	if (value == NULL)
		return -1;
	if (json_object_set_new(out, key, value) == 0)
		return 0;
	msg_fail(why, "a member's name is not UTF-8");
	return -1;
}

static json_t *
map_to_json(const msgpack_object *o, struct msg_error *why)
{
	json_t *out = json_object();
	const msgpack_object_kv *kv;
	char *key;
	uint32_t i;
	int rc;

	for (i = 0; i < o->via.map.size; i++) {
		kv = &o->via.map.ptr[i];
		if (kv->key.type != MSGPACK_OBJECT_STR ||
		    text_has_nul(msg_object_slice(&kv->key))) {
			msg_fail(why, "a member's name is not a string");
			json_decref(out);
			return NULL;
		}
		key = xasprintf("%.*s", SLICE_ARG(msg_object_slice(&kv->key)));
		rc = add_member(out, key, &kv->val, why);
		free(key);
		if (rc == -1) {
			json_decref(out);
			return NULL;
		}
	}
	return out;
}

static json_t *
array_to_json(const msgpack_object *o, struct msg_error *why)
{
	json_t *out = json_array(), *value;
	uint32_t i;

	for (i = 0; i < o->via.array.size; i++) {
		value = to_json(&o->via.array.ptr[i], why);
		if (value == NULL) {
			json_decref(out);
			return NULL;
		}
		json_array_append_new(out, value);
	}
	return out;
}

static json_t *
to_json(const msgpack_object *o, struct msg_error *why)
{
	json_t *out = NULL;

	switch (o->type) {
	case MSGPACK_OBJECT_NIL:
		return json_null();
	case MSGPACK_OBJECT_BOOLEAN:
		return json_boolean(o->via.boolean);
	case MSGPACK_OBJECT_POSITIVE_INTEGER:
		if (o->via.u64 <= INT64_MAX)
			return json_integer((json_int_t)o->via.u64);
		msg_fail(why, "an integer is past 2^63");
		return NULL;
	case MSGPACK_OBJECT_NEGATIVE_INTEGER:
		return json_integer(o->via.i64);
	case MSGPACK_OBJECT_FLOAT32:
	case MSGPACK_OBJECT_FLOAT64:
		out = json_real(o->via.f64);
		break;
	case MSGPACK_OBJECT_STR:
		if (text_has_nul(msg_object_slice(o))) {
			msg_fail(why, "a string has a NUL byte");
			return NULL;
		}
		out = json_stringn(msg_object_slice(o).ptr, msg_object_slice(o).len);
		break;
	case MSGPACK_OBJECT_ARRAY:
		return array_to_json(o, why);
	case MSGPACK_OBJECT_MAP:
		return map_to_json(o, why);
	default:
		break;
	}
	if (out == NULL)
		msg_fail(why, "a value is not UTF-8, not finite or binary");
	return out;
}

json_t *
msg_msgpack_to_json(struct slice bytes, struct msg_error *why)
{
	msgpack_object o;

	if (msg_unpack_object(bytes, &o, why) == -1)
		return NULL;
	return to_json(&o, why);
}

/* ---- JSON to msgpack ---- */

static int
write_buf(void *data, const char *ptr, size_t len)
{
	return buf_add(data, ptr, len);
}

static void
pack_json_str(msgpack_packer *pk, struct slice s)
{
	msgpack_pack_str(pk, s.len);
	msgpack_pack_str_body(pk, s.ptr, s.len);
}

static void
pack_json(msgpack_packer *pk, json_t *json)
{
	const char *name;
	json_t *value;
	size_t i;

	switch (json_typeof(json)) {
	case JSON_OBJECT:
		msgpack_pack_map(pk, json_object_size(json));
		json_object_foreach (json, name, value) {
			pack_json_str(pk, slice_str(name));
			pack_json(pk, value);
		}
		break;
	case JSON_ARRAY:
		msgpack_pack_array(pk, json_array_size(json));
		json_array_foreach (json, i, value)
			pack_json(pk, value);
		break;
	case JSON_STRING:
		pack_json_str(pk, slice_of(json_string_value(json),
		    json_string_length(json)));
		break;
	case JSON_INTEGER:
		msgpack_pack_int64(pk, json_integer_value(json));
		break;
	case JSON_REAL:
		msgpack_pack_double(pk, json_real_value(json));
		break;
	case JSON_TRUE:
		msgpack_pack_true(pk);
		break;
	case JSON_FALSE:
		msgpack_pack_false(pk);
		break;
	case JSON_NULL:
		msgpack_pack_nil(pk);
		break;
	}
}

int
msg_json_to_msgpack(json_t *json, struct buf *out)
{
	msgpack_packer pk;

	msgpack_packer_init(&pk, out, write_buf);
	pack_json(&pk, json);
	return out->over ? -1 : 0;
}
