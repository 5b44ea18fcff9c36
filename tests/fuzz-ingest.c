/*
 * fuzz-ingest - any bytes as an entry
 *
 * A libFuzzer target.  Whatever a client sends, ingest takes it or refuses it
 * in words; what it takes has a record that reads back, and is the same entry
 * when it is sent again.
 */
#include <assert.h>
#include <stdlib.h>

#include "common/text.h"
#include "ingest/accept.h"
#include "ingest/normal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	struct conf conf;
	struct arena arena;
	struct buf record;
	bool ready;
} fuzz;

static void
start(void)
{
	if (fuzz.ready)
		return;
	conf_init(&fuzz.conf, "/nowhere");
	arena_init(&fuzz.arena);
	buf_init(&fuzz.record, SIZE_MAX / 4);
	fuzz.ready = true;
}

static void
check_refusal(const struct refusal *refusal)
{
	assert(refusal->code != NULL && refusal->code[0] != '\0');
	assert(refusal->why.text[0] != '\0');
	assert(text_valid_utf8(slice_str(refusal->why.text), NULL));
}

static void
check_record(const struct accepted *a)
{
	struct msg_error why;
	struct msg back;
	int rc;

	assert(msg_is_entry(a->type));
	assert(a->entry->envelope.domain.len > 0);
	buf_clear(&fuzz.record);
	rc = msg_encode(&fuzz.record, a->type, a->entry);
	assert(rc == 0);
	rc = msg_decode(buf_slice(&fuzz.record), &fuzz.arena, &back, &why);
	assert(rc == 0 && back.id == a->type);
}

static void
check_exchange(struct accepted *a)
{
	struct normal_exchange x;
	struct refusal refusal;
	size_t i;

	if (normal_read(&fuzz.conf, a->json, &fuzz.arena, &x, &refusal) == -1) {
		check_refusal(&refusal);
		return;
	}
	assert(x.n_messages > 0);
	accept_hash_exchange(a, &x);
	for (i = 0; i < x.n_messages; i++)
		assert(x.messages[i].role.len > 0 &&
		    text_valid_utf8(x.messages[i].text, NULL) &&
		    text_valid_utf8(x.messages[i].content, NULL));
}

/* Two arrivals of the same bytes, hours apart. */
static void
check_hash(struct slice body, const struct accepted *first)
{
	struct refusal refusal;
	struct accepted again;
	struct slice id;
	int rc;

	rc = accept_entry(&fuzz.conf, body, INT64_C(1762340000000), &fuzz.arena,
	    &again, &id, &refusal);
	assert(rc == 0 && memcmp(first->content_hash, again.content_hash,
	    CONTENT_HASH_BYTES) == 0);
	accept_release(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct slice body = slice_of((const char *)data, size), id;
	struct refusal refusal;
	struct accepted a;

	start();
	if (accept_entry(&fuzz.conf, body, INT64_C(1762336800000), &fuzz.arena,
		&a, &id, &refusal) == 0) {
		check_record(&a);
		check_hash(body, &a);
		if (a.type == MSG_exchange)
			check_exchange(&a);
	} else
		check_refusal(&refusal);
	accept_release(&a);
	arena_reset(&fuzz.arena);
	return 0;
}
