/*
 * u-assess - budgets, waiting, answers and what is kept of questions
 */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "assess/answer.h"
#include "assess/budget.h"
#include "assess/ledger.h"
#include "common/json.h"
#include "common/when.h"
#include "common/xmalloc.h"
#include "tests/tap.h"

#define NOON (INT64_C(20000) * WHEN_DAY_MS + WHEN_DAY_MS / 2)

/* ---- budget ---- */

static void
test_budget(void)
{
	struct budget b = { .requests_a_day = 3, .tokens_a_day = 500 };

	budget_day(&b, NOON);
	is_int(budget_left(&b), 3, "a day begins with the whole budget");
	b.requests = 2;
	is_int(budget_left(&b), 1, "what is spent is gone");
	b.requests = 7;
	ok(budget_is_spent(&b), "a budget made smaller is spent, not huge");
	b.requests = 1;
	b.tokens = 500;
	ok(budget_is_spent(&b), "tokens are a limit of their own");
	b.tokens_a_day = 0;
	is_int(budget_left(&b), 2, "0 tokens: no such limit");
	budget_day(&b, NOON + WHEN_DAY_MS / 2 - 1);
	is_int(budget_left(&b), 2, "the same until midnight");
	budget_day(&b, NOON + WHEN_DAY_MS / 2);
	is_int(budget_left(&b), 3, "a new day, a new budget");
	b.requests = 3;
	budget_day(&b, NOON - 40 * WHEN_DAY_MS);
	ok(budget_is_spent(&b), "a clock set back gives nothing back");
	b.requests_a_day = 0;
	budget_day(&b, NOON + 9 * WHEN_DAY_MS);
	ok(budget_is_spent(&b), "0 requests: none");
}

static void
test_pace(void)
{
	struct pace p = { .longest_ms = 3000 };
	int i;

	ok(pace_allows(&p, NOON), "at first nothing is in the way");
	pace_failure(&p, NOON, 0);
	ok(!pace_allows(&p, NOON + 499) && pace_allows(&p, NOON + 500),
	    "half a second after the first failure");
	pace_failure(&p, NOON, 0);
	ok(!pace_allows(&p, NOON + 999) && pace_allows(&p, NOON + 1000),
	    "twice that after the second");
	for (i = 0; i < 100; i++)
		pace_failure(&p, NOON, 0);
	is_int(p.until_ms - NOON, 3000, "never more than the longest");
	pace_failure(&p, NOON, 60000);
	is_int(p.until_ms - NOON, 60000, "unless the endpoint asks for more");
	pace_failure(&p, NOON, 0);
	is_int(p.until_ms - NOON, 60000,
	    "a failure at the same time does not shorten that");
	pace_success(&p);
	ok(pace_allows(&p, NOON) && p.failures == 0, "a success ends it");
}

static void
test_retry_after(void)
{
	static const struct {
		const char *value;
		int64_t want;
	} rows[] = {
		{ "7", 7000 }, { "0", 0 }, { "", 0 }, { "-3", 0 },
		{ "soon", 0 }, { "1.5", 0 }, { "99999999999999999999", 0 },
		{ "999999999", WHEN_DAY_MS },
		{ "Thu, 01 Jan 1970 00:00:30 GMT", 20000 },
		{ "Thu, 01 Jan 1970 00:00:05 GMT", 0 },
		{ "Sun, 06 Nov 2044 08:49:37 GMT", WHEN_DAY_MS },
		{ "Thu, 01 Jan 1970 00:00:30 GMT and more", 0 },
		{ "Thu, 32 Jan 1970 00:00:30 GMT", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(pace_retry_after(slice_str(rows[i].value), 10000) ==
			rows[i].want,
		    "Retry-After: %s", rows[i].value);
	is_int(pace_retry_after_ms(SLICE("1500")), 1500, "retry-after-ms");
	is_int(pace_retry_after_ms(SLICE("1500 ")), 0, "and only numbers");
}

/* ---- answers ---- */

static struct {
	struct asking to;
	struct answer answer;
} t;

/* The completion whose text is `content`; 0 or -1 as answer_read. */
static int
read_content(enum question_kind kind, bool resolves, const char *given,
    const char *content)
{
	struct buf body;
	int rc;

	asking_release(&t.to);
	asking_init(&t.to);
	t.to.kind = kind;
	t.to.resolves = resolves;
	(void)buf_adds(&t.to.given, given);
	answer_release(&t.answer);
	answer_init(&t.answer);
	buf_init(&body, SIZE_MAX / 4);
	(void)buf_adds(&body, "{\"model\":\"m-1\",\"usage\":{\"total_tokens\":"
			      "42},\"choices\":[{\"message\":{\"content\":");
	json_put_str(&body, slice_str(content));
	(void)buf_adds(&body, "}}]}");
	rc = answer_read(&t.answer, buf_slice(&body), &t.to);
	buf_release(&body);
	return rc;
}

static const char *
read_good(enum question_kind kind, bool resolves, const char *given,
    const char *content)
{
	return read_content(kind, resolves, given, content) == 0 ?
	    buf_cstr(&t.answer.json) : t.answer.why;
}

static void
refused(enum question_kind kind, bool resolves, const char *content,
    const char *why)
{
	bool good = read_content(kind, resolves, "{\"a\":\"20 of 305\"}",
	    content) == -1;

	ok(good && strstr(t.answer.why, why) != NULL, "refused, %s: %.60s",
	    why, content);
	if (strstr(t.answer.why, why) == NULL)
		printf("#   got: %s\n", t.answer.why);
}

static void
test_acts(void)
{
	is(read_good(QUESTION_act, false, "", "{\"act\":\"request\","
					      "\"confidence\":0.9}"),
	    "{\"act\":\"request\",\"confidence\":0.900}", "an act");
	is_int(t.answer.tokens, 42, "what it cost is read");
	is(buf_cstr(&t.answer.model), "m-1", "and who answered");
	is(read_good(QUESTION_act, false, "", " {\"confidence\":1,"
					      "\"act\":\"none\"}\n"),
	    "{\"act\":\"none\",\"confidence\":1.000}", "in any order");
	is(read_good(QUESTION_act, false, "", "<think>{\"a\"}\n</think>\n"
	    "```json\n{\"act\":\"reject\",\"confidence\":0.12345}\n```"),
	    "{\"act\":\"reject\",\"confidence\":0.123}",
	    "thoughts and fences are taken off");
	refused(QUESTION_act, false, "yes", "no JSON object");
	refused(QUESTION_act, false, "", "no JSON object");
	refused(QUESTION_act, false, "[1]", "no JSON object");
	refused(QUESTION_act, false, "<think>", "no JSON object");
	refused(QUESTION_act, false, "```", "no JSON object");
	refused(QUESTION_act, false, "``````", "no JSON object");
	refused(QUESTION_act, false, "{}", "0 members");
	refused(QUESTION_act, false, "{\"act\":\"request\",\"confidence\":0.9} "
	    "and more", "no JSON object");
	refused(QUESTION_act, false, "{\"act\":\"request\",\"act\":\"inform\","
	    "\"confidence\":1}", "no JSON object");
	refused(QUESTION_act, false, "{\"act\":\"dance\",\"confidence\":1}",
	    "none of the acts");
	refused(QUESTION_act, false, "{\"act\":3,\"confidence\":1}",
	    "none of the acts");
	refused(QUESTION_act, false, "{\"act\":\"request\",\"sure\":1}",
	    "'confidence' is no number");
	refused(QUESTION_act, false, "{\"act\":\"request\",\"confidence\":"
	    "\"1\"}", "'confidence' is no number");
	refused(QUESTION_act, false, "{\"act\":\"request\",\"confidence\":1.01}",
	    "not between");
	refused(QUESTION_act, false, "{\"act\":\"request\",\"confidence\":-1}",
	    "not between");
	refused(QUESTION_act, false, "{\"act\":\"request\",\"confidence\":1,"
	    "\"x\":1}", "3 members");
}

#define LINK(related, confidence, reasoning, signals)             \
	"{\"related\":" related ",\"confidence\":" confidence \
	",\"reasoning\":" reasoning ",\"key_signals\":" signals "}"

static void
test_links(void)
{
	struct buf many;
	int i;

	is(read_good(QUESTION_link, false, "", LINK("true", "0.92",
	    "\"both ask\\nabout it\"", "[\"weather\",\"New York\"]")),
	    "{\"related\":true,\"confidence\":0.920,\"reasoning\":"
	    "\"both ask about it\",\"key_signals\":[\"weather\","
	    "\"New York\"]}", "a verdict, on one line");
	is(read_good(QUESTION_link, false, "", LINK("false", "0", "\"no\"",
	    "[]")), "{\"related\":false,\"confidence\":0.000,\"reasoning\":"
		    "\"no\",\"key_signals\":[]}", "the other one");
	refused(QUESTION_link, false, LINK("\"true\"", "1", "\"x\"", "[]"),
	    "'related' is neither");
	refused(QUESTION_link, false, LINK("1", "1", "\"x\"", "[]"),
	    "'related' is neither");
	refused(QUESTION_link, false, LINK("null", "1", "\"x\"", "[]"),
	    "'related' is neither");
	refused(QUESTION_link, false, LINK("true", "92", "\"x\"", "[]"),
	    "not between");
	refused(QUESTION_link, false, LINK("true", "1", "\" \"", "[]"),
	    "'reasoning' is empty");
	refused(QUESTION_link, false, LINK("true", "1", "7", "[]"),
	    "'reasoning' is no string");
	refused(QUESTION_link, false, LINK("true", "1", "\"a\\u0007\"", "[]"),
	    "control characters");
	refused(QUESTION_link, false, LINK("true", "1", "\"x\"", "\"weather\""),
	    "'key_signals' is no array");
	refused(QUESTION_link, false, LINK("true", "1", "\"x\"", "[1]"),
	    "'key_signals' is no string");
	buf_init(&many, SIZE_MAX / 4);
	(void)buf_adds(&many, "{\"related\":true,\"confidence\":1,"
			      "\"reasoning\":\"x\",\"key_signals\":[\"a\"");
	for (i = 0; i < 40; i++)
		(void)buf_adds(&many, ",\"a\"");
	(void)buf_adds(&many, "]}");
	refused(QUESTION_link, false, buf_cstr(&many), "more than");
	buf_clear(&many);
	(void)buf_adds(&many, "{\"related\":true,\"confidence\":1,"
			      "\"key_signals\":[],\"reasoning\":\"");
	for (i = 0; i < 3000; i++)
		(void)buf_addc(&many, 'x');
	(void)buf_adds(&many, "\"}");
	refused(QUESTION_link, false, buf_cstr(&many), "bytes, more than");
	buf_release(&many);
}

static void
test_wordings(void)
{
	static const char given[] = "{\"summary\":\"error 401 on port 8080\"}";

	is(read_good(QUESTION_wording, true, given, "{\"summary\":\"Error 401\""
	    ",\"resolution\":\"Port 8080 opened.\"}"),
	    "{\"summary\":\"Error 401\",\"resolution\":\"Port 8080 opened.\"}",
	    "a wording");
	is(read_good(QUESTION_wording, false, given, "{\"summary\":\"Error\","
	    "\"resolution\":null}"),
	    "{\"summary\":\"Error\",\"resolution\":null}",
	    "of something that is open");
	refused(QUESTION_wording, false, "{\"summary\":\"x\",\"resolution\":"
	    "\"fixed\"}", "there is none");
	refused(QUESTION_wording, false, "{\"summary\":\"x\",\"resolution\":7}",
	    "neither string nor null");
	refused(QUESTION_wording, true, "{\"summary\":\"x\",\"resolution\":"
	    "null}", "'resolution' is no string");
	refused(QUESTION_wording, false, "{\"summary\":null,\"resolution\":"
	    "null}", "'summary' is no string");
	refused(QUESTION_wording, false, "{\"summary\":\"30 of 305\","
	    "\"resolution\":null}", "30 is invented");
	refused(QUESTION_wording, false, "{\"summary\":\"5 of 20\","
	    "\"resolution\":null}", "5 is invented");
	is(read_good(QUESTION_summary, false, given, "{\"micro\":\"a\","
	    "\"meso\":\"b 401\"}"), "{\"micro\":\"a\",\"meso\":\"b 401\"}",
	    "a summary");
	refused(QUESTION_summary, false, "{\"micro\":\"a\",\"meso\":\"\"}",
	    "'meso' is empty");
}

static void
test_completions(void)
{
	static const char *const bad[] = { "", "{", "[]", "null", "{}",
		"{\"choices\":{}}", "{\"choices\":[]}",
		"{\"choices\":[{}]}", "{\"choices\":[{\"message\":\"hi\"}]}",
		"{\"choices\":[{\"message\":{\"content\":null,"
		"\"refusal\":\"I cannot\"}}]}",
		"{\"choices\":[{\"message\":{\"content\":[]}}]}",
		"{\"choices\":[{\"message\":{\"content\":\"{}\"}}],"
		"\"usage\":{\"total_tokens\":-5},\"model\":7}" };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		answer_release(&t.answer);
		answer_init(&t.answer);
		ok(answer_read(&t.answer, slice_str(bad[i]), &t.to) == -1 &&
			t.answer.why[0] != '\0' && t.answer.tokens == 0,
		    "no completion: %.70s", bad[i]);
	}
}

static void
test_kinds(void)
{
	ok(question_is_wanted("act link", SLICE("link:l7")) &&
		question_is_wanted(" act", SLICE("act:7.0")),
	    "a kind that is named is asked");
	ok(!question_is_wanted("act link", SLICE("word:a7.0@7")) &&
		!question_is_wanted("act", SLICE("ac:7.0")) &&
		!question_is_wanted("", SLICE("act:7.0")) &&
		!question_is_wanted("act", SLICE("act")),
	    "and no other");
	ok(question_kinds_valid("") && question_kinds_valid("word act  link ") &&
		!question_kinds_valid("act,link") &&
		!question_kinds_valid("acts"),
	    "what is no kind is noticed");
}

/* ---- the ledger ---- */

static void
reopen(struct ledger *l, const struct conf *conf, const char *store_id)
{
	if (l->db != NULL)
		ledger_close(l);
	ledger_open(l, conf, slice_of(store_id, 16));
}

static const char *
next_key(const struct ledger *l, int64_t now_ms)
{
	struct question *q = ledger_next(l, now_ms);

	return q == NULL ? "none" : q->key;
}

static void
test_ledger(const struct conf *conf)
{
	struct ledger l = { 0 };
	struct question *q;

	reopen(&l, conf, "0123456789abcdef");
	is(next_key(&l, NOON), "none", "nothing is asked at first");
	ledger_ask(&l, SLICE("d"), SLICE("act:3.0"), 3);
	ledger_ask(&l, SLICE("e"), SLICE("act:9.0"), 9);
	ledger_ask(&l, SLICE("d"), SLICE("act:5.1"), 5);
	ledger_ask(&l, SLICE("d"), SLICE("act:5.1"), 5);
	is_int(l.count, 3, "a question known already is one");
	is(next_key(&l, NOON), "act:9.0", "the newest comes first");
	ledger_answered(&l, SLICE("d"), SLICE("act:9.0"));
	is_int(l.count, 3, "an answer in another domain is none");
	ledger_answered(&l, SLICE("e"), SLICE("act:9.0"));
	is(next_key(&l, NOON), "act:5.1", "an answered one is gone");
	q = ledger_next(&l, NOON);
	q->tries = 2;
	q->not_before_ms = NOON + 10;
	ledger_keep(&l, q);
	is(next_key(&l, NOON), "act:3.0", "one that waits is not asked");
	is(next_key(&l, NOON + 10), "act:5.1", "until its time has come");
	q->failures = 1;
	is(next_key(&l, NOON + 10), "act:3.0", "one that failed comes later");
	q->failures = 0;
	l.seq = 9;
	l.budget.day = 20000;
	ledger_spend(&l, 7, 700);
	ledger_commit(&l);
	reopen(&l, conf, "0123456789abcdef");
	ok(l.seq == 9 && l.count == 2 && l.budget.requests == 7 &&
		l.budget.tokens == 700, "all of it is kept");
	q = ledger_next(&l, NOON + 10);
	ok(q->tries == 2 && strcmp(q->key, "act:5.1") == 0,
	    "and how often a question was tried");
	q->answer = xstrdup("{}");
	q->model = xstrdup("m");
	q->not_before_ms = 0;
	ledger_keep(&l, q);
	is(next_key(&l, NOON + 10), "act:3.0", "one with an answer waits for "
					       "the log");
	q = ledger_next(&l, NOON);
	q->given_up = true;
	ledger_keep(&l, q);
	is(next_key(&l, NOON), "none", "one given up is not asked");
	ledger_restart(&l, 4);
	ledger_ask(&l, SLICE("d"), SLICE("act:3.0"), 3);
	is(next_key(&l, NOON), "none", "also not after a rebuild");
	reopen(&l, conf, "0123456789abcdef");
	ok(l.seq == 0 && l.epoch == 4, "which reads all of the log again");
	q = ledger_unsent(&l, NOON);
	ok(q != NULL && strcmp(q->answer, "{}") == 0 &&
		strcmp(q->model, "m") == 0, "an answer outlives a death");
	q->busy = true;
	ledger_answered(&l, SLICE("d"), SLICE("act:5.1"));
	ok(q->gone && ledger_unsent(&l, NOON) == NULL,
	    "a busy one stays in memory and is open no longer");
	ledger_release(&l, q);
	reopen(&l, conf, "fedcba9876543210");
	ok(l.count == 0 && l.seq == 0 && l.budget.requests == 7,
	    "of another store nothing is taken but what was spent");
	ledger_close(&l);
}

static void
test_queue(const struct conf *conf)
{
	struct ledger l = { 0 };
	char key[32];
	uint64_t i;

	reopen(&l, conf, "0123456789abcdef");
	for (i = 1; i <= 25; i++) {
		snprintf(key, sizeof(key), "act:%llu.0", (unsigned long long)i);
		ledger_ask(&l, SLICE("d"), slice_str(key), i);
	}
	ok(l.count == 10 && l.dropped == 15 && l.questions[0]->seq == 16,
	    "of too many the oldest are dropped");
	reopen(&l, conf, "0123456789abcdef");
	ok(l.count == 10 && l.questions[0]->seq == 16 &&
		l.questions[9]->seq == 25, "in the table too, in order");
	ledger_close(&l);
}

int
main(void)
{
	char home[] = "/tmp/u-assess.XXXXXX";
	struct conf_error why;
	struct conf conf;
	char *dir;

	test_budget();
	test_pace();
	test_retry_after();
	asking_init(&t.to);
	answer_init(&t.answer);
	test_acts();
	test_links();
	test_wordings();
	test_completions();
	test_kinds();
	asking_release(&t.to);
	answer_release(&t.answer);
	if (mkdtemp(home) == NULL)
		return 1;
	conf_init(&conf, home);
	if (conf_read_flag(&conf, "--assess-queue=10", &why) != 0)
		return 1;
	dir = conf_path(&conf, "db");
	if (mkdir(dir, 0700) == -1)
		return 1;
	test_ledger(&conf);
	test_queue(&conf);
	free(dir);
	dir = conf_path(&conf, "db/assess");
	(void)db_wipe(dir);
	(void)rmdir(dir);
	free(dir);
	dir = conf_path(&conf, "db");
	(void)rmdir(dir);
	(void)rmdir(home);
	free(dir);
	conf_release(&conf);
	return done();
}
