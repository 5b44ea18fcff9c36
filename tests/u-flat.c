/*
 * u-flat - the flat JSON reader says what the JSON library says, or nothing
 */
#include <jansson.h>
#include <stdio.h>

#include "common/msg.h"
#include "tests/tap.h"

/* Ways to write what is right and flat: the fast reader must take them. */
static const char *const taken[] = {
	"{\"text\":\"hello\"}",
	" { \"text\" : \"hello\" , \"user\" : \"u\" } \r\n",
	"{\"type\":\"turn\",\"text\":\"a\",\"ts\":1700000000000}",
	"{\"text\":\"a\",\"type\":\"turn\",\"ts\":\"2025-11-05T10:00:00Z\"}",
	"{\"text\":\"a\",\"ts\":0}",
	"{\"text\":\"a\",\"ts\":-1}",
	"{\"text\":\"tab\\t nl\\n quote\\\" back\\\\ slash\\/ \\b\\f\\r\"}",
	"{\"text\":\"\\u0041\\u00e9\\u20ac\\ud83d\\ude00 end\"}",
	"{\"text\":\"h\xc3\xa9llo \xe2\x82\xac \xf0\x9f\x98\x80 and more text\"}",
	"{\"text\":\"h\xc3\xa9\\n\xe2\x82\xac\\u00e9\xf0\x9f\x98\x80\"}",
	"{\"text\":\"a\",\"user\":null,\"channel\":\"web\"}",
	"{\"text\":\"\"}",
	"{\"text\":\"seven77\\\"\"}",
	"{\"text\":\"eight888\",\"inactivity_timeout_minutes\":45}",
	"{\"type\":\"memory\",\"text\":\"the sky\",\"refines\":\"a1.0\"}",
	"{\"type\":\"rename\",\"thread\":\"x\",\"name\":\"y\"}",
	"{\"type\":\"session_end\",\"session\":\"s\"}",
	"{\"text\":\"0123456789abcdef0123456789abcdef0123456789\\u0020\"}",
};

/* Wrong, or not flat: it must leave them. */
static const char *const left[] = {
	"", "{", "{}", "[]", "null", "\"text\"", "{\"text\":\"a\"", "{\"text\"}",
	"{\"text\":\"a\",}", "{\"text\":\"a\"}x", "{\"text\":\"a\" \"b\":1}",
	"{\"text\":1}", "{\"text\":true}", "{\"text\":null}", "{\"user\":\"u\"}",
	"{\"text\":\"a\",\"text\":\"b\"}", "{\"text\":\"a\",\"text\":null}",
	"{\"text\":\"a\",\"live\":true}", "{\"text\":\"a\",\"typo\":1}",
	"{\"text\":\"a\",\"ts\":1.5}", "{\"text\":\"a\",\"ts\":1e3}",
	"{\"text\":\"a\",\"ts\":01}", "{\"text\":\"a\",\"ts\":-}",
	"{\"text\":\"a\",\"ts\":12345678901234567890}",
	"{\"text\":\"a\",\"ts\":\"yesterday\"}",
	"{\"text\":\"a\nb\"}", "{\"text\":\"a\\x\"}", "{\"text\":\"a\\\"}",
	"{\"text\":\"\\u00\"}", "{\"text\":\"\\ud83d\"}",
	"{\"text\":\"\\ud83dx\"}", "{\"text\":\"\\ud83d\\u0041\"}",
	"{\"text\":\"\\ude00\"}", "{\"text\":\"\\u0000\"}",
	"{\"text\":\"\\n\x01\"}", "{\"text\":\"bad \xff byte\"}",
	"{\"text\":\"cut \xe2\x82\"}", "{\"text\":\"\\n\xc3\"}",
	"{\"type\":\"exchange\",\"id\":\"x\"}", "{\"type\":\"tombstone\"}",
	"{\"type\":\"nothing\",\"text\":\"a\"}", "{\"type\":1,\"text\":\"a\"}",
	"{\"type\":\"turn\",\"type\":\"turn\",\"text\":\"a\"}",
	"{\"type\":\"memory\",\"text\":\"a\",\"consolidates\":[\"a\",\"b\"]}",
	"{\"text\":\"a\",\"ts\":tru}", "{\"text\":nul", "{\"\":1,\"text\":\"a\"}",
	"{text:\"a\"}", "{'text':'a'}", "{\"text\":\"a\"}{\"text\":\"b\"}",
};

static struct arena arena;

static bool
read_flat(struct slice text, struct buf *record)
{
	union msg_any entry;
	enum msg_id id;

	buf_clear(record);
	return msg_from_flat_json(text, &arena, &id, &entry) &&
	    msg_encode(record, id, &entry) == 0;
}

static bool
read_tree(struct slice text, struct buf *record)
{
	json_t *json = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES,
	    NULL);
	const char *type = json_string_value(json_object_get(json, "type"));
	const struct msg_spec *spec = type == NULL ? msg_spec(MSG_turn) :
	    msg_spec_named(slice_str(type));
	union msg_any entry;
	struct msg_error why;
	bool good;

	buf_clear(record);
	good = json_is_object(json) && spec != NULL &&
	    msg_from_json(json, &arena, spec->id, &entry, true, &why) == 0 &&
	    msg_encode(record, spec->id, &entry) == 0;
	json_decref(json);
	return good;
}

/* Every cut and every changed byte of what is right: the same, or left. */
static size_t
count_disagreements(const char *text, struct buf *flat, struct buf *tree)
{
	static const char odd[] = "\"\\{}[],: \x01\xff" "0a";
	struct slice all = slice_str(text), part;
	size_t i, k, wrong = 0;
	char *copy;

	for (i = 0; i <= all.len; i++) {
		/* A copy of its own, so that a read past its end is seen. */
		part = arena_dup(&arena, slice_of(all.ptr, i));
		if (read_flat(part, flat) && (!read_tree(part, tree) ||
			!slice_eq(buf_slice(flat), buf_slice(tree))))
			wrong++;
		for (k = 0; i < all.len && k < sizeof(odd) - 1; k++) {
			copy = arena_cstr(&arena, all);
			copy[i] = odd[k];
			part = slice_of(copy, all.len);
			if (read_flat(part, flat) && (!read_tree(part, tree) ||
				!slice_eq(buf_slice(flat), buf_slice(tree))))
				wrong++;
		}
	}
	return wrong;
}

int
main(void)
{
	struct buf flat, tree;
	size_t i;

	arena_init(&arena);
	buf_init(&flat, 1 << 20);
	buf_init(&tree, 1 << 20);
	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
		ok(read_flat(slice_str(taken[i]), &flat), "takes case %zu", i);
		ok(read_tree(slice_str(taken[i]), &tree) &&
		    slice_eq(buf_slice(&flat), buf_slice(&tree)),
		    "and reads it as the library does");
		is_int((long long)count_disagreements(taken[i], &flat, &tree),
		    0, "no cut or changed byte of it is read otherwise");
		arena_reset(&arena);
	}
	for (i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		ok(!read_flat(slice_str(left[i]), &flat), "leaves case %zu", i);
	buf_release(&flat);
	buf_release(&tree);
	arena_release(&arena);
	return done();
}
