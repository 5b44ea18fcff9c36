/*
 * u-normal - the normal form of exchanges: what counts and what does not
 *
 * Two requests are the same conversation when the hash after their last
 * message is the same; most tests here are a pair of requests.
 */
#include <jansson.h>
#include <stdlib.h>

#include "common/xmalloc.h"
#include "ingest/normal.h"
#include "tests/tap.h"

static struct test {
	struct conf conf;
	struct arena arena;
	struct refusal refusal;
} t;

static int
read_exchange(const char *text, struct normal_exchange *out)
{
	json_t *json = json_loads(text, 0, NULL);
	int rc;

	if (json == NULL) {
		printf("Bail out! not JSON: %.200s\n", text);
		exit(1);
	}
	t.refusal = (struct refusal){ .code = "accepted" };
	rc = normal_read(&t.conf, json, &t.arena, out, &t.refusal);
	json_decref(json);
	return rc;
}

/* An exchange with these messages, which must be good. */
static struct normal_exchange
read_messages(const char *messages)
{
	struct normal_exchange x = { 0 };
	char *text = xasprintf("{\"messages\":[%s]}", messages);

	if (read_exchange(text, &x) == -1) {
		printf("Bail out! %s: %s\n", messages, t.refusal.why.text);
		exit(1);
	}
	free(text);
	return x;
}

static bool
same_hash(const char *a, const char *b)
{
	struct normal_exchange x = read_messages(a), y = read_messages(b);

	return memcmp(x.messages[x.n_messages - 1].hash,
		   y.messages[y.n_messages - 1].hash, PREFIX_HASH_BYTES) == 0;
}

static void
same(const char *a, const char *b, const char *what)
{
	ok(same_hash(a, b), "same: %s", what);
	arena_reset(&t.arena);
}

static void
differ(const char *a, const char *b, const char *what)
{
	ok(!same_hash(a, b), "differ: %s", what);
	arena_reset(&t.arena);
}

#define USER(content) "{\"role\":\"user\",\"content\":" content "}"
#define ASSISTANT(content) "{\"role\":\"assistant\",\"content\":" content "}"
#define TEXT_BLOCK(text) "{\"type\":\"text\",\"text\":\"" text "\"}"

/* ---- text ---- */

static void
test_text(void)
{
	same(USER("\"hi\""), USER("[" TEXT_BLOCK("hi") "]"),
	    "a string and one text block");
	same(USER("\"hi\""), USER("[\"hi\"]"), "a string in an array");
	same(USER("\"hi\""), USER("\"hi \\n\\t\""), "trailing white space");
	differ(USER("\"hi\""), USER("\" hi\""), "leading white space");
	differ(USER("\"hi\""), USER("\"hI\""), "case");
	differ(USER("\"hi\""), ASSISTANT("\"hi\""), "the role");
	differ(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("b") "]"),
	    USER("\"ab\""), "two blocks and one");
	same(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("") "]"), USER("\"a\""),
	    "an empty block");
	same(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK(" \\n") "]"),
	    USER("\"a\""), "a block of white space");
	same(USER("[{\"type\":\"text\",\"text\":\"a\","
	    "\"cache_control\":{\"type\":\"ephemeral\"}}]"), USER("\"a\""),
	    "a cache mark");
	same(USER("[{\"type\":\"input_text\",\"text\":\"a\"}]"), USER("\"a\""),
	    "the name of a text block");
	differ(USER("\"a\"") "," ASSISTANT("\"b\""), USER("\"a\""),
	    "one message more");
	differ(USER("\"a\"") "," USER("\"b\""), USER("\"b\"") "," USER("\"a\""),
	    "the order");
}

#define CALL(id, name, input) "{\"type\":\"tool_use\",\"id\":\"" id \
	"\",\"name\":\"" name "\",\"input\":" input "}"
#define RESULT(id, content) "{\"type\":\"tool_result\",\"tool_use_id\":\"" id \
	"\",\"content\":" content "}"

static void
test_injected(void)
{
	same(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<system-reminder>x"
	    "</system-reminder>") "]"), USER("\"a\""), "a reminder block");
	same(USER("[" TEXT_BLOCK("\\n <system-reminder>x</system-reminder>\\n")
	    "," TEXT_BLOCK("a") "]"), USER("\"a\""), "one with space around");
	same(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<skein-memory id=1>x"
	    "</skein-memory>") "]"), USER("\"a\""), "a block of skein's own");
	same(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<skein-memory>"
	    "</skein-memory>") "]"), USER("\"a\""), "an empty one");
	same(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<system-reminder>x"
	    "</system-reminder>\\n<skein-m>y</skein-m> <system-reminder>z"
	    "</system-reminder>") "]"), USER("\"a\""), "several in one block");
	same(USER("\"a\"") "," USER("[" TEXT_BLOCK("<system-reminder>x"
	    "</system-reminder>") "]") "," ASSISTANT("\"b\""),
	    USER("\"a\"") "," ASSISTANT("\"b\""),
	    "a message of nothing but a reminder");
	same(USER("[" TEXT_BLOCK("<system-reminder>x</system-reminder>") "]")
	    "," USER("\"a\""), USER("\"a\""), "one before the first words");
	differ(USER("[" TEXT_BLOCK("<system-reminder>x</system-reminder>") ","
	    CALL("1", "f", "{}") "]") "," USER("\"a\""), USER("\"a\""),
	    "but not one with a call in it");
	is_int(read_messages(USER("\"<skein-m>x</skein-m>\"")).n_messages, 1,
	    "alone it is still a message");
	differ(USER("\"a <system-reminder>x</system-reminder>\""),
	    USER("\"a\""), "a reminder inside a text");
	differ(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<system-reminder>x")
	    "]"), USER("\"a\""), "a reminder that is not closed");
	differ(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("x</system-reminder>")
	    "]"), USER("\"a\""), "one that is not opened");
	differ(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<system-reminder>x"
	    "</system-reminder> mine <system-reminder>y</system-reminder>")
	    "]"), USER("\"a\""), "words between two reminders");
	differ(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<skein-m>x</skein-m> "
	    "mine <skein-m>y</skein-m>") "]"), USER("\"a\""),
	    "words between two of skein's");
	differ(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<skein-a>x</skein-b>")
	    "]"), USER("\"a\""), "another's end tag");
	differ(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<skein-") "]"),
	    USER("\"a\""), "the beginning of a tag");
	differ(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<skein->") "]"),
	    USER("\"a\""), "a tag and no end");
	differ(USER("[" TEXT_BLOCK("a") "," TEXT_BLOCK("<skeinery>x"
	    "</skeinery>") "]"), USER("\"a\""), "a tag that is not skein's");
}

static void
test_thinking(void)
{
	same(ASSISTANT("[{\"type\":\"thinking\",\"thinking\":\"hm\","
	    "\"signature\":\"s\"}," TEXT_BLOCK("a") "]"), ASSISTANT("\"a\""),
	    "thinking");
	same(ASSISTANT("[{\"type\":\"redacted_thinking\",\"data\":\"x\"},"
	    TEXT_BLOCK("a") "]"), ASSISTANT("\"a\""), "redacted thinking");
	differ(ASSISTANT("[{\"type\":\"image\",\"source\":1}," TEXT_BLOCK("a")
	    "]"), ASSISTANT("\"a\""), "an image");
	same(ASSISTANT("[{\"type\":\"image\",\"a\":1,\"b\":2}]"),
	    ASSISTANT("[{\"b\":2,\"type\":\"image\",\"a\":1,"
	    "\"cache_control\":{}}]"),
	    "an image, keys in another order, with a cache mark");
	differ(ASSISTANT("[{\"type\":\"image\",\"a\":1}]"),
	    ASSISTANT("[{\"type\":\"image\",\"a\":2}]"), "two images");
	differ(ASSISTANT("[5]"), ASSISTANT("[6]"), "blocks of no known shape");
}

/* ---- tools ---- */

static void
test_tools(void)
{
	same(ASSISTANT("[" CALL("1", "f", "{\"a\":1,\"b\":{\"c\":2,\"d\":3}}")
	    "]"), ASSISTANT("[" CALL("1", "f",
	    "{\"b\":{\"d\":3,\"c\":2},\"a\":1}") "]"),
	    "the order of a tool's input");
	differ(ASSISTANT("[" CALL("1", "f", "{\"a\":1}") "]"),
	    ASSISTANT("[" CALL("1", "f", "{\"a\":2}") "]"), "the input");
	differ(ASSISTANT("[" CALL("1", "f", "{}") "]"),
	    ASSISTANT("[" CALL("2", "f", "{}") "]"), "a call's id");
	differ(ASSISTANT("[" CALL("1", "f", "{}") "]"),
	    ASSISTANT("[" CALL("1", "g", "{}") "]"), "a tool's name");
	same(USER("[" RESULT("1", "\"x\"") "]"),
	    USER("[" RESULT("1", "[" TEXT_BLOCK("x") "]") "]"),
	    "a result as text and as a block");
	differ(USER("[" RESULT("1", "\"x\"") "]"),
	    USER("[" RESULT("2", "\"x\"") "]"), "a result's id");
	differ(USER("[" RESULT("1", "\"x\"") "]"),
	    USER("[{\"type\":\"tool_result\",\"tool_use_id\":\"1\","
	    "\"content\":\"x\",\"is_error\":true}]"), "an error mark");
	same(USER("[" RESULT("1", "\"x\"") "]"),
	    USER("[{\"type\":\"tool_result\",\"tool_use_id\":\"1\","
	    "\"content\":\"x\",\"is_error\":false}]"), "no error");
	differ(USER("[" RESULT("1", "\"x\"") "," TEXT_BLOCK("y") "]"),
	    USER("[" RESULT("1", "[" TEXT_BLOCK("x") "," TEXT_BLOCK("y") "]")
	    "]"), "text inside a result and behind it");
}

static void
test_roles(void)
{
	struct normal_exchange x;

	x = read_messages(USER("[" RESULT("1", "\"x\"") "]"));
	ok(slice_is(x.messages[0].role, "tool"),
	    "a user message of results alone is the tool's");
	x = read_messages(USER("[" RESULT("1", "[" TEXT_BLOCK("x") "]") ","
	    TEXT_BLOCK("<system-reminder>r</system-reminder>") "]"));
	ok(slice_is(x.messages[0].role, "tool"), "also with a reminder in it");
	x = read_messages(USER("[" RESULT("1", "\"x\"") "," TEXT_BLOCK("and?")
	    "]"));
	ok(slice_is(x.messages[0].role, "user"), "not one with own words");
	x = read_messages(USER("\"a\"") ",{\"role\":\"developer\","
	    "\"content\":\"b\"},{\"role\":\"function\",\"content\":\"c\"}");
	ok(slice_is(x.messages[1].role, "system") &&
	    slice_is(x.messages[2].role, "tool"), "older and newer names");
	arena_reset(&t.arena);
}

#define OPENAI_CALL(id, name, arguments) "{\"role\":\"assistant\"," \
	"\"content\":null,\"tool_calls\":[{\"id\":\"" id "\",\"type\":" \
	"\"function\",\"function\":{\"name\":\"" name "\",\"arguments\":\"" \
	arguments "\"}}]}"

static void
test_openai(void)
{
	struct normal_exchange x;

	same(OPENAI_CALL("1", "f", "{\\\"a\\\":1,\\\"b\\\":2}"),
	    OPENAI_CALL("1", "f", "{\\\"b\\\": 2, \\\"a\\\": 1}"),
	    "arguments are read, not compared as text");
	differ(OPENAI_CALL("1", "f", "{\\\"a\\\":1}"),
	    OPENAI_CALL("1", "f", "{\\\"a\\\":2}"), "the arguments");
	differ(OPENAI_CALL("1", "f", "not JSON"),
	    OPENAI_CALL("1", "f", "not JSON either"),
	    "arguments that are no JSON");
	same(OPENAI_CALL("1", "f", "{\\\"a\\\":1}"),
	    ASSISTANT("[" CALL("1", "f", "{\"a\":1}") "]"),
	    "the same call in both shapes");
	differ("{\"role\":\"assistant\",\"content\":null,\"function_call\":"
	    "{\"name\":\"f\",\"arguments\":\"{}\"}}",
	    "{\"role\":\"assistant\",\"content\":null,\"function_call\":"
	    "{\"name\":\"g\",\"arguments\":\"{}\"}}",
	    "a call of the older shape");
	differ("{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"x\"}",
	    "{\"role\":\"tool\",\"tool_call_id\":\"2\",\"content\":\"x\"}",
	    "the call that a result is for");
	x = read_messages("{\"role\":\"tool\",\"tool_call_id\":\"1\","
	    "\"content\":\"out\"}");
	ok(slice_is(x.messages[0].role, "tool") &&
	    slice_is(x.messages[0].text, "out"), "a tool's message");
	x = read_messages("{\"role\":\"assistant\",\"content\":\"a\","
	    "\"tool_calls\":[{\"id\":\"1\"},7]}");
	is_int(x.n_messages, 1, "calls of no known shape are no crash");
	arena_reset(&t.arena);
}

static void
test_repeated(void)
{
	struct normal_exchange x;

	x = read_messages(USER("\"go\"") "," ASSISTANT("[" CALL("1", "f", "{}")
	    "]") "," ASSISTANT("[" CALL("1", "f", "{}") "]") ","
	    USER("[" RESULT("1", "\"x\"") "]") ","
	    USER("[" RESULT("1", "\"x\"") "]"));
	is_int(x.n_messages, 3, "tool messages that are there twice count once");
	x = read_messages(USER("\"a\"") "," USER("\"a\"") "," USER("\"a\""));
	is_int(x.n_messages, 3, "words said again count again");
	x = read_messages(ASSISTANT("[" CALL("1", "f", "{}") "]") ","
	    ASSISTANT("[" CALL("2", "f", "{}") "]"));
	is_int(x.n_messages, 2, "calls with ids of their own count each");
	arena_reset(&t.arena);
}

/* Text that looks like the normal form of something else. */
static void
test_borders(void)
{
	differ(USER("\"a\\nT1:b\""), USER("[" TEXT_BLOCK("a") ","
	    TEXT_BLOCK("b") "]"), "a text with a border in it");
	differ(USER("\"a\\nM4:user\\nT1:b\""), USER("\"a\"") "," USER("\"b\""),
	    "a text with a message in it");
	differ(USER("[" RESULT("1", "\")\\nT1:b\"") "]"),
	    USER("[" RESULT("1", "\"\"") "," TEXT_BLOCK("b") "]"),
	    "a result with its end in it");
	differ(ASSISTANT("[" CALL("1\\nN1:f", "", "{}") "]"),
	    ASSISTANT("[" CALL("1", "f", "{}") "]"), "an id with a name in it");
}

/* ---- what is kept ---- */

static void
test_kept(void)
{
	struct normal_exchange x = read_messages(USER("\"hi \"") ","
	    ASSISTANT("[" TEXT_BLOCK("a") "," TEXT_BLOCK("b") "]") ","
	    ASSISTANT("[" TEXT_BLOCK("c") "," CALL("1", "f", "{}") "]") ","
	    USER("[" TEXT_BLOCK("<skein-m>x</skein-m>") "," TEXT_BLOCK("d")
	    "]"));

	ok(slice_is(x.messages[0].text, "hi "), "the text is kept as it was");
	is_int(x.messages[0].content.len, 0, "plain text needs no JSON");
	ok(slice_is(x.messages[1].text, "a\nb"), "blocks are joined by lines");
	ok(slice_is(x.messages[2].text, "c") && slice_starts(
	    x.messages[2].content, "{\"role\":\"assistant\""),
	    "what is more than text is kept as JSON");
	ok(slice_is(x.messages[3].text, "d"), "what skein injected is not kept");
	arena_reset(&t.arena);
}

static void
test_prefixes(void)
{
	struct normal_exchange x, y;

	x = read_messages(USER("\"a\"") "," ASSISTANT("\"b\""));
	y = read_messages(USER("\"a\"") "," ASSISTANT("\"b\"") "," USER("\"c\""));
	ok(memcmp(x.messages[1].hash, y.messages[1].hash, PREFIX_HASH_BYTES) ==
	    0, "a longer request has the shorter one's prefix");
	ok(memcmp(x.messages[0].hash, x.messages[1].hash, PREFIX_HASH_BYTES) !=
	    0, "each prefix has a name of its own");
	read_exchange("{\"messages\":[" USER("\"a\"") "],\"response\":"
	    "{\"role\":\"assistant\",\"content\":[" TEXT_BLOCK("b") "],"
	    "\"id\":\"msg_1\",\"usage\":{}}}", &x);
	ok(x.has_reply && memcmp(x.reply.hash, y.messages[1].hash,
	    PREFIX_HASH_BYTES) == 0, "a reply is the next request's message");
	read_exchange("{\"messages\":[" USER("\"a\"") "],\"response\":"
	    "{\"choices\":[{\"message\":{\"role\":\"assistant\","
	    "\"content\":\"b\"}}]}}", &x);
	ok(x.has_reply && memcmp(x.reply.hash, y.messages[1].hash,
	    PREFIX_HASH_BYTES) == 0, "in OpenAI's shape too");
	read_exchange("{\"messages\":[" USER("\"a\"") "],\"response\":\"b\"}",
	    &x);
	ok(x.has_reply && memcmp(x.reply.hash, y.messages[1].hash,
	    PREFIX_HASH_BYTES) == 0, "and as text");
	read_exchange("{\"messages\":[" USER("\"a\"") "],\"response\":null}",
	    &x);
	ok(!x.has_reply, "or there is none");
	arena_reset(&t.arena);
}

/* ---- the system text ---- */

static void
system_pair(const char *a, const char *b, bool want, const char *what)
{
	struct normal_exchange x, y;
	char *text;

	text = xasprintf("{\"messages\":[" USER("\"a\"") "],\"system\":%s}", a);
	if (read_exchange(text, &x) == -1)
		printf("# %s\n", t.refusal.why.text);
	free(text);
	text = xasprintf("{\"messages\":[" USER("\"a\"") "],\"system\":%s}", b);
	if (read_exchange(text, &y) == -1)
		printf("# %s\n", t.refusal.why.text);
	free(text);
	ok((memcmp(x.system_hash, y.system_hash, PREFIX_HASH_BYTES) == 0) ==
	    want, "system: %s", what);
	ok(memcmp(x.messages[0].hash, y.messages[0].hash, PREFIX_HASH_BYTES) ==
	    0, "which is no part of the messages");
	arena_reset(&t.arena);
}

static void
test_system(void)
{
	struct normal_exchange x;

	system_pair("\"Be kind.\"", "[" TEXT_BLOCK("Be kind.") "]", true,
	    "a string and a block");
	system_pair("\"Be kind.\"", "\"Be rude.\"", false, "another text");
	system_pair("\"Be kind.\\nToday's date is 2025-11-05.\\nx\"",
	    "\"Be kind.\\nToday's date is 2025-11-06.\\nx\"", true,
	    "the day does not count");
	system_pair("\"Be kind.\\n  current time: 10:00\"", "\"Be kind.\"", true,
	    "nor the hour");
	system_pair("[" TEXT_BLOCK("x-anthropic-billing-header: cc_version=1")
	    "," TEXT_BLOCK("Be kind.") "]", "[" TEXT_BLOCK("x-anthropic-"
	    "billing-header: cc_version=2") "," TEXT_BLOCK("Be kind.") "]",
	    true, "nor who is billed");
	system_pair("\"Be kind.\\nCurrent branch: main\\n\\nStatus:\\n M a.c\\n"
	    "?? b.c\\n\\nRecent commits:\\n1a2b3c one\\n\\nEnd.\"",
	    "\"Be kind.\\nCurrent branch: topic\\n\\nStatus:\\n(clean)\\n\\n"
	    "Recent commits:\\n4d5e6f two\\n1a2b3c one\\n\\nEnd.\"", true,
	    "nor what git says");
	system_pair("\"Be kind.\\nStatus:\\n M a.c\\n\\nBe brief.\"",
	    "\"Be kind.\\nStatus:\\n M a.c\\n\\nBe long.\"", false,
	    "but what stands behind that does");
	system_pair("\"Be kind.\\n\\n\"", "\"Be kind.\"", true, "empty lines");
	system_pair("null", "\"\"", true, "none and an empty one");
	read_exchange("{\"system\":\"You are a helpful AI assistant tasked with "
	    "summarizing conversations.\",\"messages\":[" USER("\"a\"") "]}",
	    &x);
	ok(x.summary_system, "a system text that asks for a summary");
	read_exchange("{\"messages\":[" USER("\"a\"") "],\"response\":{\"id\":"
	    "\"msg_1\",\"content\":\"b\"}}", &x);
	ok(slice_is(x.response_id, "msg_1") && !x.summary_system,
	    "the response's id is kept, and nothing is asked for");
	read_exchange("{\"system\":\"one\",\"messages\":["
	    "{\"role\":\"system\",\"content\":\"two\"},"
	    "{\"role\":\"developer\",\"content\":[" TEXT_BLOCK("three") "]},"
	    USER("\"a\"") "]}", &x);
	ok(slice_is(x.system, "one\ntwo\nthree"), "system messages come to it");
	is_int(x.n_messages, 1, "and are no messages");
	read_exchange("{\"messages\":[{\"role\":\"system\","
	    "\"content\":\"lone\"}]}", &x);
	is_int(x.n_messages, 1, "but a lone one is");
	arena_reset(&t.arena);
}

/* ---- wrong ones ---- */

static void
refused(const char *exchange, const char *code, const char *message)
{
	struct normal_exchange x;
	int rc = read_exchange(exchange, &x);

	ok(rc == -1 && strcmp(t.refusal.code, code) == 0 &&
	    strstr(t.refusal.why.text, message) != NULL, "%.60s: %s", exchange,
	    message);
	if (rc == 0 || strstr(t.refusal.why.text, message) == NULL)
		printf("#   got: %s: %s\n", t.refusal.code,
		    t.refusal.why.text);
	arena_reset(&t.arena);
}

static void
test_refused(void)
{
	refused("{}", "missing", "messages: is missing");
	refused("{\"messages\":[]}", "bad_value", "at least one message");
	refused("{\"messages\":\"a\"}", "bad_value", "must be an array");
	refused("{\"messages\":null}", "bad_value", "must be an array");
	refused("{\"messages\":[5]}", "bad_type",
	    "messages[0]: must be an object");
	refused("{\"messages\":[{\"content\":\"a\"}]}", "bad_value",
	    "messages[0].role: must be user, assistant, system or tool");
	refused("{\"messages\":[" USER("\"a\"") ",{\"role\":\"boss\","
	    "\"content\":\"a\"}]}", "bad_value", "messages[1].role: must be");
	refused("{\"messages\":[{\"role\":7,\"content\":\"a\"}]}", "bad_value",
	    "messages[0].role");
	refused("{\"messages\":[{\"role\":\"user\"}]}", "missing",
	    "messages[0].content: is missing");
	refused("{\"messages\":[" USER("7") "]}", "bad_type",
	    "messages[0].content: must be a string or an array");
	refused("{\"messages\":[" USER("{}") "]}", "bad_type",
	    "messages[0].content: must be a string or an array");
	refused("{\"system\":7,\"messages\":[" USER("\"a\"") "]}", "bad_type",
	    "system: must be a string or an array");
	refused("{\"messages\":[" USER("\"a\"") "],\"response\":7}", "bad_type",
	    "response: must be null, text, or a reply");
	refused("{\"messages\":[" USER("\"a\"") "],\"response\":{}}",
	    "bad_type", "response: must be");
	refused("{\"messages\":[" USER("\"a\"") "],\"response\":"
	    "{\"choices\":[]}}", "bad_type", "response: must be");
	refused("{\"messages\":[" USER("\"a\"") "],\"response\":"
	    "{\"choices\":[{\"message\":7}]}}", "bad_type", "response: must be");
	refused("{\"messages\":[" USER("\"a\"") "],\"response\":"
	    "{\"content\":7}}", "bad_type", "response: must be");
	t.conf.max_messages = 2;
	refused("{\"messages\":[" USER("\"a\"") "," USER("\"a\"") ","
	    USER("\"a\"") "]}", "too_large",
	    "messages: has 3, at most max_messages = 2");
	t.conf.max_messages = 20000;
}

/* ---- large ones ---- */

static double
seconds(const char *text)
{
	struct normal_exchange x;
	clock_t start = clock();

	is_int(read_exchange(text, &x), 0, "a large request");
	arena_reset(&t.arena);
	return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void
repeat(struct buf *out, const char *unit, size_t times)
{
	while (times-- > 0)
		buf_adds(out, unit);
}

/* Each within a few seconds, also with sanitizers; quadratic work is not. */
static void
test_large(void)
{
	static const char *const units[] = { " ", "</system-reminder", "<",
		"<skein-a>", "</skein-a>x", "a " };
	struct buf b;
	size_t i;

	buf_init(&b, 64 << 20);
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		buf_clear(&b);
		buf_adds(&b, "{\"messages\":[{\"role\":\"user\",\"content\":["
		    "{\"type\":\"text\",\"text\":\"<system-reminder>");
		repeat(&b, units[i], 50000);
		buf_adds(&b, "\"},{\"type\":\"text\",\"text\":\"<skein-a>");
		repeat(&b, units[i], 50000);
		buf_adds(&b, "\"}]}]}");
		ok(seconds(b.ptr) < 5, "50,000 times '%s'", units[i]);
	}
	buf_clear(&b);
	buf_adds(&b, "{\"messages\":[");
	for (i = 0; i < 10000; i++) {
		buf_adds(&b, i > 0 ? "," : "");
		buf_addf(&b, "{\"role\":\"%s\",\"content\":\"%01000zu\"}",
		    i % 2 ? "assistant" : "user", i);
	}
	buf_adds(&b, "]}");
	ok(b.len > 10 * 1000 * 1000, "ten megabytes");
	ok(seconds(b.ptr) < 10, "in 10,000 messages");
	buf_release(&b);
}

int
main(void)
{
	conf_init(&t.conf, "/nowhere");
	arena_init(&t.arena);
	test_text();
	test_injected();
	test_thinking();
	test_tools();
	test_roles();
	test_openai();
	test_repeated();
	test_borders();
	test_kept();
	test_prefixes();
	test_system();
	test_refused();
	test_large();
	arena_release(&t.arena);
	conf_release(&t.conf);
	return done();
}
