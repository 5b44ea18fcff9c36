/*
 * u-msg-rows - lines of JSON as msgpack: the same as by way of a tree
 */
#include <jansson.h>

#include "common/msg.h"
#include "common/msg_rows.h"
#include "tests/tap.h"

/* Packed and read back it must be what jansson reads. */
static void
same(const char *line, const char *what)
{
	struct msg_error why;
	struct buf out;
	json_t *rows = NULL, *want = json_loads(line, JSON_DECODE_ANY, NULL);

	buf_init(&out, SIZE_MAX / 4);
	if (msg_rows_pack(slice_str(line), &out) == 0)
		rows = msg_msgpack_to_json(buf_slice(&out), &why);
	ok(rows != NULL && json_array_size(rows) == 1 &&
	    json_equal(json_array_get(rows, 0), want), "%s", what);
	json_decref(rows);
	json_decref(want);
	buf_release(&out);
}

static void
refused(const char *line, const char *what)
{
	struct buf out;

	buf_init(&out, SIZE_MAX / 4);
	ok(msg_rows_pack(slice_str(line), &out) == -1, "%s", what);
	buf_release(&out);
}

static void
test_values(void)
{
	same("{}", "an empty map");
	same("{\"a\":1,\"b\":[true,false,null,{\"c\":[]}]}", "what is nested");
	same("[0,127,128,65536,4294967296,-1,-40000,9223372036854775807]",
	    "whole numbers of all widths");
	same("[0.5,-1.25e3,3.0]", "fractions");
	same(" { \"a\" : [ 1 , 2 ] } ", "spaces between");
	same("[\"\",\"a\\n\\t\\\"\\\\\\/\\b\\f\\r\",\"\\u00e4\\u20ac\","
	     "\"\\ud83d\\ude00 x\"]", "escapes");
	same("[\"0123456789012345678901234567890123456789\"]",
	    "a string of more than 31 bytes");
}

static void
test_long(void)
{
	struct buf line;
	size_t i;

	buf_init(&line, SIZE_MAX / 4);
	buf_adds(&line, "{\"text\":\"");
	for (i = 0; i < 70000; i++)
		buf_adds(&line, i % 100 == 0 ? "\\n" : "ab");
	buf_adds(&line, "\"}");
	same(buf_cstr(&line), "a string of more than 64 KB");
	buf_clear(&line);
	for (i = 0; i < 70000; i++)
		buf_adds(&line, i == 0 ? "[1" : ",1");
	buf_adds(&line, "]");
	same(buf_cstr(&line), "an array of more than 65,535");
	buf_clear(&line);
	for (i = 0; i < 100; i++)
		buf_addc(&line, '[');
	refused(buf_cstr(&line), "what is nested without end is refused");
	buf_release(&line);
}

static void
test_lines(void)
{
	struct msg_error why;
	struct buf out;
	json_t *rows = NULL;

	buf_init(&out, SIZE_MAX / 4);
	ok(msg_rows_pack(SLICE("{\"a\":1}\n\n{\"a\":2}\n"), &out) == 0 &&
	    (rows = msg_msgpack_to_json(buf_slice(&out), &why)) != NULL &&
	    json_array_size(rows) == 2, "a row a line, empty ones left out");
	json_decref(rows);
	buf_clear(&out);
	ok(msg_rows_pack(SLICE(""), &out) == 0 &&
	    (rows = msg_msgpack_to_json(buf_slice(&out), &why)) != NULL &&
	    json_array_size(rows) == 0, "nothing is no rows");
	json_decref(rows);
	buf_release(&out);
}

int
main(void)
{
	test_values();
	test_long();
	test_lines();
	refused("{\"a\":}", "a member without a value");
	refused("{\"a\" 1}", "without a colon");
	refused("[1,]", "a comma too many");
	refused("[\"a", "a string without an end");
	refused("[\"\\x\"]", "an escape that is none");
	refused("[\"\\ud83d\"]", "half a pair");
	refused("[1", "an array without an end");
	refused("plain words", "no JSON at all");
	return done();
}
