/*
 * fuzz-codec - any bytes as a record
 *
 * A libFuzzer target.  What decodes must encode, decode to the same bytes
 * again, print as one line and give JSON that a parser takes.
 */
#include <assert.h>
#include <jansson.h>
#include <stdlib.h>

#include "common/msg.h"
#include "common/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	struct arena arena;
	struct buf first, again, text;
	bool ready;
} fuzz;

static void
start(void)
{
	if (fuzz.ready)
		return;
	arena_init(&fuzz.arena);
	buf_init(&fuzz.first, SIZE_MAX / 4);
	buf_init(&fuzz.again, SIZE_MAX / 4);
	buf_init(&fuzz.text, SIZE_MAX / 4);
	fuzz.ready = true;
}

static void
encode(struct buf *out, const struct msg *m)
{
	int rc;

	buf_clear(out);
	rc = msg_encode(out, m->id, m->as);
	assert(rc == 0);
}

/* Encoding is a normal form: one round settles it. */
static void
check_round_trip(const struct msg *m)
{
	struct msg_error why;
	struct msg back;
	int rc;

	encode(&fuzz.first, m);
	rc = msg_decode(buf_slice(&fuzz.first), &fuzz.arena, &back, &why);
	assert(rc == 0 && back.id == m->id);
	encode(&fuzz.again, &back);
	assert(slice_eq(buf_slice(&fuzz.first), buf_slice(&fuzz.again)));
}

static void
check_json(const struct msg *m, bool nulls)
{
	json_t *json;

	buf_clear(&fuzz.text);
	msg_to_json(&fuzz.text, m->id, m->as, nulls);
	assert(text_valid_utf8(buf_slice(&fuzz.text), NULL));
	/* Numbers past 2^63 are right JSON, and too large for jansson. */
	json = json_loadb(fuzz.text.ptr, fuzz.text.len,
	    JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL,
	    NULL);
	assert(json != NULL);
	json_decref(json);
}

static void
check_line(const struct msg *m)
{
	buf_clear(&fuzz.text);
	msg_print(&fuzz.text, m->id, m->as);
	assert(text_valid_utf8(buf_slice(&fuzz.text), NULL));
	assert(memchr(fuzz.text.ptr, '\n', fuzz.text.len) == NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice bytes = slice_of((const char *)data, size);
	struct msg_error why;
	struct msg m;
	json_t *json;

	start();
	if (msg_decode(bytes, &fuzz.arena, &m, &why) == 0) {
		check_round_trip(&m);
		check_json(&m, false);
		check_json(&m, true);
		check_line(&m);
	} else
		assert(why.text[0] != '\0');
	json = msg_msgpack_to_json(bytes, &why);
	json_decref(json);
	arena_reset(&fuzz.arena);
	return 0;
}
