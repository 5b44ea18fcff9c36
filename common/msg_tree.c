/*
 * msg_tree - msgpack that is no record, as a JSON tree
 *
 * For entries that come as msgpack maps.
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
