/*
 * u-accept - what an entry must be, and what is said of one that is not
 */
#include <stdlib.h>

#include "common/text.h"
#include "common/when.h"
#include "common/xmalloc.h"
#include "ingest/accept.h"
#include "ingest/normal.h"
#include "tests/tap.h"

/* 2025-11-05T10:00:00Z: when every entry of this test arrives. */
#define ARRIVAL INT64_C(1762336800000)

static struct test {
	struct conf conf;
	struct arena arena;
	struct accepted got;
	struct refusal refusal;
	struct slice id;
	char *body;
} t;

static int
accept_bytes(struct slice body)
{
	accept_release(&t.got);
	arena_reset(&t.arena);
	t.refusal = (struct refusal){ .code = "accepted" };
	/* Memory of its own length, so that reading past it is seen. */
	free(t.body);
	t.body = xmalloc(body.len + (body.len == 0));
	memcpy(t.body, body.ptr, body.len);
	return accept_entry(&t.conf, slice_of(t.body, body.len), ARRIVAL,
	    &t.arena, &t.got, &t.id, &t.refusal);
}

static void
refused(struct slice body, const char *code, const char *message)
{
	int rc = accept_bytes(body);
	bool good = rc == -1 && strcmp(t.refusal.code, code) == 0 &&
	    strstr(t.refusal.why.text, message) != NULL &&
	    text_valid_utf8(slice_str(t.refusal.why.text), NULL);

	ok(good, "%.*s: %s", (int)text_cut(body, 70), body.ptr, message);
	if (!good)
		printf("#   got: %s: %s\n", t.refusal.code,
		    t.refusal.why.text);
}

static void
refused_text(const char *body, const char *code, const char *message)
{
	refused(slice_str(body), code, message);
}

static const struct msg_turn *
accepted_turn(const char *body)
{
	int rc = accept_bytes(slice_str(body));

	ok(rc == 0 && t.got.type == MSG_turn, "%.70s", body);
	if (rc == -1) {
		printf("#   got: %s: %s\n", t.refusal.code,
		    t.refusal.why.text);
		exit(1);
	}
	return &t.got.entry->turn;
}

/* ---- good ones ---- */

static void
test_turn(void)
{
	const struct msg_turn *turn = accepted_turn("{\"text\":\"hi\"}");

	ok(slice_is(turn->text, "hi") && slice_is(turn->domain, "default") &&
	    slice_is(turn->user, "default") && slice_is(turn->role, "user") &&
	    slice_is(turn->kind, "implicit") && turn->ts == ARRIVAL,
	    "what is missing is filled in");
	turn = accepted_turn("{\"type\":\"turn\",\"text\":\"x\","
	    "\"thread\":\"T\",\"ts\":\"2025-11-05T09:00:00+01:00\","
	    "\"role\":\"assistant\",\"id\":\"i\",\"domain\":\"d\"}");
	ok(slice_is(turn->kind, "explicit"), "a thread makes it explicit");
	is_int(turn->ts, ARRIVAL - 2 * WHEN_HOUR_MS, "RFC 3339 with an offset");
	ok(slice_is(t.id, "i"), "the id is handed on");
	turn = accepted_turn("{\"text\":\"x\",\"ts\":1762336800001}");
	is_int(turn->ts, ARRIVAL + 1, "milliseconds");
	turn = accepted_turn("{\"text\":\"x\",\"ts\":0}");
	is_int(turn->ts, 0, "the first moment of 1970 is a time like others");
	(void)accepted_turn("{\"text\":\"x\",\"user\":null,\"nonsense\":[1]}");
	(void)accepted_turn(" \n{\"text\" : \"\\u00e9\\ud83d\\ude00\"}\r\n");
	(void)accepted_turn("{\"text\":\"x\",\"kind\":\"explicit\","
	    "\"session\":\"s\"}");
	turn = accepted_turn("{\"text\":\"x\",\"inactivity_timeout_minutes\":5}");
	is_int(turn->inactivity_timeout_minutes, 5, "a timeout of its own");
}

/* Said, some of them and not too long; a turn with them is the same turn. */
static void
test_ignored(void)
{
	char plain[CONTENT_HASH_BYTES];

	accepted_turn("{\"text\":\"a\"}");
	is_int(t.got.ignored.count, 0, "nothing is ignored");
	memcpy(plain, t.got.content_hash, sizeof(plain));
	accepted_turn("{\"text\":\"a\",\"type\":\"turn\",\"thred\":1}");
	ok(t.got.ignored.count == 1 && slice_is(t.got.ignored.at[0], "thred"),
	    "a misspelt member is named");
	ok(memcmp(plain, t.got.content_hash, sizeof(plain)) == 0,
	    "the content is the same");
	accepted_turn("{\"text\":\"a\",\"b\":1,\"c\":1,\"d\":1,\"e\":1,"
		      "\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1}");
	is_int(t.got.ignored.count, 8, "not all of many");
	accepted_turn("{\"text\":\"a\",\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
		      "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\":1}");
	is_int(t.got.ignored.at[0].len, 60, "nor all of a long one");
	is_int(accept_bytes(SLICE("{\"type\":\"exchange\",\"top_p\":1,"
	    "\"messages\":[{\"role\":\"user\",\"content\":\"a\"}]}")), 0,
	    "an exchange with its API's own members");
	is_int(t.got.ignored.count, 0, "of which nothing is said");
}

static void
test_types(void)
{
	static const char *const good[] = {
		"{\"type\":\"memory\",\"text\":\"x\"}",
		"{\"type\":\"memory\",\"text\":\"x\",\"refines\":\"a\"}",
		"{\"type\":\"memory\",\"text\":\"x\","
		"\"consolidates\":[\"a\",\"b\"]}",
		"{\"type\":\"fork\",\"thread\":\"T\"}",
		"{\"type\":\"close\",\"thread\":\"T\"}",
		"{\"type\":\"close\",\"artifact\":\"A\"}",
		"{\"type\":\"reopen\",\"thread\":\"T\"}",
		"{\"type\":\"rename\",\"thread\":\"T\",\"name\":\"n\"}",
		"{\"type\":\"attach\",\"thread\":\"T\",\"artifacts\":[\"A\"]}",
		"{\"type\":\"feedback\",\"link\":\"L\",\"verdict\":\"right\"}",
		"{\"type\":\"forget\",\"what\":\"domain\"}",
		"{\"type\":\"forget\",\"what\":\"user\",\"target\":\"u\"}",
		"{\"type\":\"session_end\",\"session\":\"s\"}",
		"{\"type\":\"tuning_undo\"}",
		"{\"type\":\"used\",\"artifacts\":[\"A\"]}",
		"{\"type\":\"answer\",\"question\":\"q\",\"answer\":\"{}\"}",
		"{\"type\":\"tick\",\"user\":\"u\"}",
		"{\"type\":\"exchange\",\"messages\":[]}",
	};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(accept_bytes(slice_str(good[i])) == 0, "%s", good[i]);
}

/* ---- not JSON ---- */

static void
test_form(void)
{
	struct buf deep;
	int i;

	refused_text("", "bad_json", "the entry is empty");
	refused_text("nonsense", "bad_json", "not JSON at byte");
	refused_text("{\"text\":\"x\"", "bad_json", "not JSON at byte");
	refused_text("{\"text\":\"x\"} {}", "bad_json", "not JSON at byte");
	refused_text("{\"text\":\"x\",}", "bad_json", "not JSON at byte");
	refused_text("{'text':'x'}", "bad_json", "not JSON at byte");
	refused_text("{\"text\":\"x\ny\"}", "bad_json", "not JSON at byte");
	refused_text("{\"text\":\"\\ud800\"}", "bad_json", "not JSON at byte");
	refused_text("{\"text\":\"\\udc00x\"}", "bad_json", "not JSON at byte");
	refused_text("{\"text\":\"\\q\"}", "bad_json", "not JSON at byte");
	refused_text("{\"text\":\"a\",\"text\":\"b\"}", "bad_json",
	    "a member is there twice: duplicate object key near '\"text\"'");
	refused_text("{\"text\":\"x\",\"ts\":1e999}", "bad_json", "not JSON");
	refused_text("{\"text\":\"x\",\"ts\":99999999999999999999}", "bad_json",
	    "too big integer");
	refused_text("{\"text\":NaN}", "bad_json", "not JSON at byte");
	refused_text("\xef\xbb\xbf{\"text\":\"x\"}", "bad_json", "not JSON");
	refused_text("{\"text\":\"a\\u0000b\"}", "nul", "text has no NUL");
	refused(SLICE("{\"text\":\"a\0b\"}"), "bad_json", "not JSON at byte");
	refused(SLICE("\0"), "bad_json", "not JSON at byte");
	refused_text("{\"text\":\"\xff\"}", "bad_utf8", "byte 9 is not UTF-8");
	refused_text("{\"text\":\"\xc0\x80\"}", "bad_utf8", "byte 9 is not");
	refused_text("{\"text\":\"\xed\xa0\x80\"}", "bad_utf8", "byte 9 is not");
	buf_init(&deep, 1 << 20);
	for (i = 0; i < 65; i++)
		buf_addc(&deep, '[');
	refused(buf_slice(&deep), "too_deep", "max_depth = 64");
	for (i = 0; i < 200000; i++)
		buf_adds(&deep, "{\"");
	refused(buf_slice(&deep), "too_deep", "max_depth = 64");
	buf_release(&deep);
}

static void
test_shape(void)
{
	refused_text("[]", "bad_type", "an entry is a JSON object");
	refused_text("[{\"text\":\"x\"}]", "bad_type", "is a JSON object");
	refused_text("{\"type\":7,\"text\":\"x\"}", "bad_type",
	    "type: must be a string");
	refused_text("{\"type\":\"nonsense\"}", "unknown_type",
	    "type: 'nonsense' is no entry");
	refused_text("{\"type\":\"\"}", "unknown_type", "type: '' is no entry");
	refused_text("{\"type\":\"envelope\"}", "unknown_type", "'envelope'");
	refused_text("{\"type\":\"xmessage\"}", "unknown_type", "'xmessage'");
	refused_text("{\"type\":\"tombstone\"}", "unknown_type", "'tombstone'");
	refused_text("{\"type\":\"s_ingest\"}", "unknown_type", "'s_ingest'");
	refused_text("{\"type\":\"post\"}", "unknown_type", "'post'");
	refused_text("{\"type\":\"日日日日日日日日日日日日日日日日日日日日日\"}",
	    "unknown_type", "日' is no entry");
}

/* ---- wrong fields ---- */

static void
test_fields(void)
{
	refused_text("{}", "missing", "text: is missing");
	refused_text("{\"text\":null}", "missing", "text: is missing");
	refused_text("{\"text\":\"\"}", "bad_value", "text: is empty");
	refused_text("{\"text\":5}", "bad_type", "text: must be a string");
	refused_text("{\"text\":[\"x\"]}", "bad_type", "text: must be a string");
	refused_text("{\"text\":\"x\",\"user\":1}", "bad_type",
	    "user: must be a string");
	refused_text("{\"text\":\"x\",\"user\":\"\"}", "bad_value",
	    "user: is empty");
	refused_text("{\"text\":\"x\",\"user\":\"a\\tb\"}", "bad_value",
	    "user: has a control character");
	refused_text("{\"text\":\"x\",\"thread\":\"a\\u007f\"}", "bad_value",
	    "thread: has a control character");
	refused_text("{\"text\":\"x\",\"id\":7}", "bad_type", "id: must be a");
	refused_text("{\"text\":\"x\",\"live\":true}", "bad_value",
	    "live: is set by skein, not by a sender");
	refused_text("{\"type\":\"exchange\",\"known\":1,\"messages\":[]}",
	    "bad_value", "known: is set by skein, not by a sender");
	refused_text("{\"text\":\"x\",\"role\":\"boss\"}", "bad_value",
	    "role: 'boss' is not one of user, assistant, system, tool");
	refused_text("{\"text\":\"x\",\"kind\":\"loud\"}", "bad_value",
	    "kind: 'loud' is not one of explicit, implicit");
	refused_text("{\"text\":\"x\",\"kind\":\"implicit\",\"thread\":\"T\"}",
	    "bad_value", "kind: is implicit, but a thread is given");
	refused_text("{\"text\":\"x\",\"kind\":\"explicit\"}", "missing",
	    "thread: is missing: an explicit turn names its thread");
	refused_text("{\"text\":\"x\",\"inactivity_timeout_minutes\":0}",
	    "bad_value", "inactivity_timeout_minutes: must be 1 to 525600");
	refused_text("{\"text\":\"x\",\"inactivity_timeout_minutes\":525601}",
	    "bad_value", "inactivity_timeout_minutes: must be 1 to 525600");
	refused_text("{\"text\":\"x\",\"inactivity_timeout_minutes\":\"5\"}",
	    "bad_type", "must be a whole number from 0 up");
	refused_text("{\"text\":\"x\",\"inactivity_timeout_minutes\":-1}",
	    "bad_type", "must be a whole number from 0 up");
}

static void
test_time(void)
{
	refused_text("{\"text\":\"x\",\"ts\":-1}", "bad_time",
	    "ts: is before 1970");
	refused_text("{\"text\":\"x\",\"ts\":\"1969-12-31T23:59:59Z\"}",
	    "bad_time", "ts: is before 1970");
	refused_text("{\"text\":\"x\",\"ts\":9223372036854775807}", "bad_time",
	    "the latest taken now is 2025-11-07T10:00:00Z");
	refused_text("{\"text\":\"x\",\"ts\":\"9999-12-31T23:59:59Z\"}",
	    "bad_time", "ts: is too far ahead");
	refused_text("{\"text\":\"x\",\"ts\":\"2025-02-30T00:00:00Z\"}",
	    "bad_type", "ts: must be a time: RFC 3339");
	refused_text("{\"text\":\"x\",\"ts\":\"2025-11-05T25:00:00Z\"}",
	    "bad_type", "ts: must be a time");
	refused_text("{\"text\":\"x\",\"ts\":\"yesterday\"}", "bad_type",
	    "ts: must be a time");
	refused_text("{\"text\":\"x\",\"ts\":\"\"}", "bad_type",
	    "ts: must be a time");
	refused_text("{\"text\":\"x\",\"ts\":1762336800.5}", "bad_type",
	    "ts: must be a time");
	refused_text("{\"text\":\"x\",\"ts\":true}", "bad_type",
	    "ts: must be a time");
	ok(accept_bytes(SLICE("{\"text\":\"x\",\"ts\":1762509600000}")) == 0,
	    "exactly max_future ahead");
	refused_text("{\"text\":\"x\",\"ts\":1762509600001}", "bad_time",
	    "ts: is too far ahead");
}

static void
test_sizes(void)
{
	struct buf b;
	int i;

	buf_init(&b, 64 << 20);
	buf_addf(&b, "{\"text\":\"x\",\"user\":\"%0201d\"}", 0);
	refused(buf_slice(&b), "too_large",
	    "user: 201 bytes, at most max_name = 200");
	buf_clear(&b);
	buf_addf(&b, "{\"text\":\"x\",\"user\":\"%0200d\"}", 0);
	is_int(accept_bytes(buf_slice(&b)), 0, "a name of 200 bytes");
	buf_clear(&b);
	buf_addf(&b, "{\"type\":\"rename\",\"thread\":\"T\",\"name\":\"%0201d\"}",
	    0);
	refused(buf_slice(&b), "too_large", "name: 201 bytes");
	buf_clear(&b);
	buf_addf(&b, "{\"text\":\"%01048577d\"}", 0);
	refused(buf_slice(&b), "too_large",
	    "text: 1048577 bytes, at most max_text = 1024 KiB");
	buf_clear(&b);
	buf_addf(&b, "{\"text\":\"%01048576d\"}", 0);
	is_int(accept_bytes(buf_slice(&b)), 0, "a text of a mebibyte");
	buf_clear(&b);
	buf_addf(&b, "{\"text\":\"x\",\"y\":\"%016777216d\"}", 0);
	refused(buf_slice(&b), "too_large",
	    "an entry has at most max_entry = 16384 KiB");
	buf_clear(&b);
	buf_adds(&b, "{\"type\":\"used\",\"artifacts\":[\"a\"");
	for (i = 0; i < 1000; i++)
		buf_adds(&b, ",\"a\"");
	buf_adds(&b, "]}");
	refused(buf_slice(&b), "bad_value",
	    "artifacts: has 1001 items, must have 1 to max_list = 1000");
	buf_release(&b);
}

static void
test_commands(void)
{
	refused_text("{\"type\":\"memory\",\"text\":\"x\",\"refines\":\"a\","
	    "\"consolidates\":[\"a\",\"b\"]}", "MUTUAL_EXCLUSION",
	    "refines, consolidates: only one of the two may be given");
	refused_text("{\"type\":\"memory\",\"text\":\"x\","
	    "\"consolidates\":[\"a\"]}", "MIN_CONSOLIDATION",
	    "consolidates: needs at least two different ids");
	refused_text("{\"type\":\"memory\",\"text\":\"x\","
	    "\"consolidates\":[\"a\",\"a\"]}", "MIN_CONSOLIDATION",
	    "consolidates: needs at least two different ids");
	refused_text("{\"type\":\"memory\",\"text\":\"x\","
	    "\"consolidates\":[]}", "MIN_CONSOLIDATION",
	    "consolidates: has 0 items");
	refused_text("{\"type\":\"memory\",\"text\":\"x\","
	    "\"consolidates\":[\"a\",7]}", "bad_type",
	    "consolidates: must be an array of strings");
	refused_text("{\"type\":\"memory\",\"text\":\"x\","
	    "\"consolidates\":[\"a\",\"\"]}", "VALIDATION_ERROR",
	    "consolidates: is empty");
	refused_text("{\"type\":\"memory\",\"text\":\"x\",\"refines\":\"\"}",
	    "VALIDATION_ERROR", "refines: is empty");
	refused_text("{\"type\":\"fork\"}", "missing", "thread: is missing");
	refused_text("{\"type\":\"close\"}", "missing",
	    "thread, artifact: exactly one is needed");
	refused_text("{\"type\":\"close\",\"thread\":\"T\",\"artifact\":\"A\"}",
	    "missing", "thread, artifact: exactly one is needed");
	refused_text("{\"type\":\"reopen\"}", "missing", "exactly one");
	refused_text("{\"type\":\"rename\",\"thread\":\"T\"}", "missing",
	    "name: is missing");
	refused_text("{\"type\":\"attach\",\"thread\":\"T\"}", "missing",
	    "artifacts: is missing");
	refused_text("{\"type\":\"feedback\",\"link\":\"L\","
	    "\"verdict\":\"maybe\"}", "bad_value",
	    "verdict: 'maybe' is not one of right, wrong");
	refused_text("{\"type\":\"forget\",\"what\":\"world\"}", "bad_value",
	    "what: 'world' is not one of user, thread");
	refused_text("{\"type\":\"forget\",\"what\":\"user\"}", "missing",
	    "target: is missing: which user?");
	refused_text("{\"type\":\"session_end\"}", "missing",
	    "session: is missing");
	refused_text("{\"type\":\"answer\",\"question\":\"q\"}", "missing",
	    "answer: is missing");
	refused_text("{\"type\":\"tick\"}", "missing", "user: is missing");
}

/* ---- msgpack ---- */

static void
test_msgpack(void)
{
	is_int(accept_bytes(SLICE("\x81\xa4text\xa2hi")), 0, "a msgpack map");
	ok(slice_is(t.got.entry->turn.text, "hi"), "read like JSON");
	refused(SLICE("\x81\xa4text"), "bad_msgpack", "cut short");
	refused(SLICE("\x81\xa4text\xa1x\x00"), "bad_msgpack", "after the end");
	refused(SLICE("\x81\xa4text\xc1"), "bad_msgpack", "not msgpack");
	refused(SLICE("\x81\x01\xa1x"), "bad_msgpack", "name is not a string");
	refused(SLICE("\x81\xa4text\xa1\xff"), "bad_msgpack", "not UTF-8");
	refused(SLICE("\x81\xa4text\xa3" "a\0b"), "bad_msgpack", "NUL byte");
	refused(SLICE("\x81\xa4text\xc4\x01x"), "bad_msgpack", "binary");
	refused(SLICE("\x82\xa4text\xa1x\xa4text\xa1y"), "bad_msgpack",
	    "a member is there twice: text");
	refused(SLICE("\x81\xa4text\x05"), "bad_type", "text: must be a string");
	refused(SLICE("\x80"), "missing", "text: is missing");
	refused(SLICE("\xdf\xff\xff\xff\xff"), "bad_msgpack", "cut short");
}

/* A record made by msg_encode, as skein's own clients send it. */
static void
test_records(void)
{
	struct msg_turn turn = { .text = SLICE("hi"), .id = SLICE("i") };
	struct msg_tombstone stone = { .was = 2 };
	struct msg_place place = { .seq = 1 };
	struct buf b;

	buf_init(&b, 1 << 22);
	(void)!msg_encode(&b, MSG_turn, &turn);
	is_int(accept_bytes(buf_slice(&b)), 0, "a record");
	ok(t.got.type == MSG_turn && slice_is(t.got.entry->turn.kind,
	    "implicit"), "is filled in like JSON");
	refused(slice_of(b.ptr, b.len - 1), "bad_msgpack", "cut short");
	refused(SLICE("\x93\x01\x02\x80"), "missing", "turn.text: missing");
	refused(SLICE("\x93\x01\x02\x81\x13\x05"), "bad_type",
	    "turn.text: wrong type");
	refused(SLICE("\x93\x09\x02\x80"), "bad_msgpack", "protocol 9");
	refused(SLICE("\x93\x01\x7f\x80"), "bad_msgpack", "unknown message id");
	refused(SLICE("\x93\x01\x02\x81\x13\xa1\xff"), "bad_utf8",
	    "text: is not UTF-8");
	refused(SLICE("\x93\x01\x02\x81\x13\xa3" "a\0b"), "nul",
	    "text: has a NUL byte");
	refused(SLICE("\x93\x01\x02\x82\x13\xa1x\x08\xc3"), "bad_value",
	    "live: is set by skein");
	refused(SLICE("\x93\x01\x02\x82\x13\xa1x\x08\xc2"), "bad_value",
	    "live: is set by skein");
	buf_clear(&b);
	(void)!msg_encode(&b, MSG_tombstone, &stone);
	refused(buf_slice(&b), "unknown_type", "a tombstone cannot be sent");
	buf_clear(&b);
	(void)!msg_encode(&b, MSG_place, &place);
	refused(buf_slice(&b), "unknown_type", "a place cannot be sent");
	buf_release(&b);
}

/* ---- the content hash ---- */

static void
hash(const char *body, char out[CONTENT_HASH_BYTES])
{
	struct normal_exchange x;

	if (accept_bytes(slice_str(body)) == -1)
		printf("# %s: %s\n", body, t.refusal.why.text);
	else if (t.got.type == MSG_exchange) {
		if (normal_read(&t.conf, t.got.json, &t.arena, &x,
			&t.refusal) == -1)
			printf("# %s: %s\n", body, t.refusal.why.text);
		else
			accept_hash_exchange(&t.got, &x);
	}
	memcpy(out, t.got.content_hash, CONTENT_HASH_BYTES);
}

static void
compare(const char *a, const char *b, bool same, const char *what)
{
	char x[CONTENT_HASH_BYTES], y[CONTENT_HASH_BYTES];

	hash(a, x);
	hash(b, y);
	ok((memcmp(x, y, sizeof(x)) == 0) == same, "%s", what);
}

static void
test_hash(void)
{
	char json[CONTENT_HASH_BYTES];

	compare("{\"text\":\"x\",\"id\":\"i\"}", "{ \"id\":\"i\",\"text\":\"x\"}",
	    true, "order and space do not count");
	compare("{\"text\":\"x\"}", "{\"text\":\"y\"}", false, "the text does");
	compare("{\"text\":\"x\",\"ts\":1000}",
	    "{\"text\":\"x\",\"ts\":\"1970-01-01T00:00:01Z\"}", true,
	    "one time, written in two ways");
	compare("{\"text\":\"x\"}", "{\"text\":\"x\",\"ts\":1000}", false,
	    "a time does");
#define EXCHANGE(rest, content) "{\"type\":\"exchange\"," rest \
	"\"messages\":[{\"role\":\"user\",\"content\":\"" content "\"}]}"
	compare(EXCHANGE("\"id\":\"i\",\"system\":\"s\",", "a"),
	    EXCHANGE("\"system\":\"s\",\"id\":\"i\",", "a"), true,
	    "order, in an exchange");
	compare(EXCHANGE("", "a"), EXCHANGE("", "b"), false,
	    "what its messages hold");
	compare(EXCHANGE("", "a"), EXCHANGE("\"response\":\"b\",", "a"), false,
	    "its reply");
	compare(EXCHANGE("\"response\":\"c\",", "a"),
	    EXCHANGE("\"response\":\"b\",", "a"), false, "which reply");
	compare(EXCHANGE("\"system\":\"s\",", "a"), EXCHANGE("", "a"), false,
	    "its system text");
	compare(EXCHANGE("\"user\":\"u\",", "a"), EXCHANGE("", "a"), false,
	    "and who speaks");
	hash("{\"text\":\"hi\"}", json);
	is_int(accept_bytes(SLICE("\x93\x01\x02\x81\x13\xa2hi")), 0, "a record");
	ok(memcmp(json, t.got.content_hash, sizeof(json)) == 0,
	    "the same entry as JSON and as a record is the same");
}

/* Of a refused entry the id is told where it could be read. */
static void
test_id(void)
{
	refused_text("{\"id\":\"i\",\"text\":5}", "bad_type", "text: must be");
	ok(slice_is(t.id, "i"), "the id of a refused entry");
	refused_text("{\"id\":5}", "bad_type", "id: must be a string");
	is_int(t.id.len, 0, "none that is no string");
	refused_text("nonsense", "bad_json", "not JSON");
	is_int(t.id.len, 0, "none that cannot be read");
}

int
main(void)
{
	conf_init(&t.conf, "/nowhere");
	arena_init(&t.arena);
	test_turn();
	test_ignored();
	test_types();
	test_form();
	test_shape();
	test_fields();
	test_time();
	test_sizes();
	test_commands();
	test_msgpack();
	test_records();
	test_hash();
	test_id();
	accept_release(&t.got);
	free(t.body);
	arena_release(&t.arena);
	conf_release(&t.conf);
	return done();
}
