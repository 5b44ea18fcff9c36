/*
 * u-describe - a turn as classify's section holds it, and what a thread keeps
 */
#include <stdlib.h>
#include <time.h>

#include "classify/describe.h"
#include "tests/engine.h"
#include "tests/tap.h"

#ifndef SKEIN_SOURCE_DIR
#define SKEIN_SOURCE_DIR "."
#endif

static struct engine *engine;
static struct arena arena;

static struct msg_c_turn
say(struct msg_talk *talk, const char *user, const char *role, const char *text)
{
	struct act_context context = talk_context(talk, slice_str(user),
	    slice_str(role), &arena);
	struct msg_c_turn turn;

	describe_turn(engine, &arena, slice_str(text), &context,
	    1762344000000, 600, &turn);
	talk_after(talk, slice_str(user), slice_str(role), slice_str(text),
	    &turn, &arena);
	return turn;
}

static void
test_section(void)
{
	struct msg_talk talk = { 0 };
	struct msg_c_turn t = say(&talk, "u", "user",
	    "lets debug this auth issue");

	ok(slice_is(t.act, "request") && slice_is(t.level, "rule") && t.opens,
	    "a rule decides, an effort is opened");
	ok(t.rule.len > 0 && t.scores.count == 0, "the model was not asked");
	is_int((long long)t.n_sentences, 0, "one sentence is not said twice");
	is_int((long long)t.n_claims, 1, "one claim");
	ok(talk.effort_open, "the thread knows of the effort");
	t = say(&talk, "u", "user", "hmm the thing over there perhaps");
	is_int((long long)t.scores.count, slice_is(t.level, "rule") ? 0 :
	    ACT_COUNT, "the model gives all scores");
	t = say(&talk, "u", "user", "One thing. Can you help? Thanks!");
	is_int((long long)t.n_sentences, 3, "three sentences");
}

static void
test_machine(void)
{
	struct msg_talk talk = { 0 };
	struct msg_c_turn t;

	(void)say(&talk, "u", "user", "help me with X");
	t = say(&talk, "u", "user",
	    "<system-reminder>that fixed it</system-reminder>");
	ok(t.machine && !t.concludes && !t.asks && t.n_claims == 0,
	    "machine text does nothing and asks nothing");
	t = say(&talk, "u", "tool", "that fixed it, thanks!");
	ok(t.machine && !t.concludes, "nor does a tool's");
	ok(talk.effort_open && slice_is(talk.text, "help me with X"),
	    "neither is remembered as what was said");
	is_int((long long)talk.turns, 3, "but counted");
}

static void
test_long_text(void)
{
	enum { LONG = 100000 };
	struct msg_talk talk = { 0 };
	char *text = malloc(LONG + 1);

	memset(text, 'x', LONG);
	text[LONG] = '\0';
	memcpy(text, "First ", 6);
	memcpy(text + LONG - 6, " last.", 6);
	(void)say(&talk, "u", "user", text);
	ok(talk.text.len < 2000, "a thread keeps little of a long text");
	ok(slice_starts(talk.text, "First ") && memcmp(talk.text.ptr +
	    talk.text.len - 6, " last.", 6) == 0, "its beginning and end");
	free(text);
}

/* The same words settle something only after others have weighed it. */
static void
test_weighing(void)
{
	static const char *const said[] = {
		"we could make it of rubber",
		"if we do that it would be more expensive",
		"maybe wood instead",
		"or we could use plastic, that would be cheaper",
	};
	struct msg_talk room = { 0 }, alone = { 0 };
	size_t i;

	ok(!say(&room, "a", "user", "okay so we need rubber").decides,
	    "nothing was weighed: nothing is settled");
	for (i = 0; i < 4; i++) {
		ok(say(&room, i % 2 ? "a" : "b", "user", said[i]).weighs,
		    "weighs: %s", said[i]);
		(void)say(&alone, "a", "user", said[i]);
	}
	ok(say(&room, "a", "user", "okay so we need rubber").decides,
	    "several people weighed it: settled");
	ok(!say(&alone, "a", "user", "okay so we need rubber").decides,
	    "one alone: not");
	for (i = 0; i < 40; i++)
		(void)say(&room, i % 2 ? "a" : "b", "user", "the sky is blue");
	ok(!say(&room, "a", "user", "okay so we need rubber").decides,
	    "much later: not");
}

/* Plain words settle something once people who say "we" debated for long. */
static void
test_debate(void)
{
	static const char *const said[2][2] = {
		{ "but if it is wood we could paint it",
		    "maybe we should take rubber instead" },
		{ "but if it is wood you could paint it",
		    "maybe you should take rubber instead" },
	};
	static const char plain[] = "yeah it should be yellow rubber then";
	struct msg_talk board = { 0 }, helpers = { 0 };
	size_t i;

	for (i = 0; i < 4; i++)
		(void)say(&board, i % 2 ? "a" : "b", "user", said[0][i % 2]);
	ok(!say(&board, "a", "user", plain).decides,
	    "a short debate: plain words settle nothing");
	for (i = 0; i < 40; i++) {
		(void)say(&board, i % 2 ? "a" : "b", "user", said[0][i % 2]);
		(void)say(&helpers, i % 2 ? "a" : "b", "user", said[1][i % 2]);
	}
	for (i = 0; i < 2; i++)
		(void)say(&board, "b", "user", "hm");
	ok(say(&board, "a", "user", plain).decides, "a long one: they do");
	ok(!say(&board, "b", "user", plain).decides,
	    "what is said at once after that belongs to it");
	for (i = 0; i < 2; i++)
		(void)say(&board, "b", "user", "hm");
	ok(!say(&board, "a", "user",
	    "but it should be in the minutes of the meeting").decides,
	    "how a meeting goes on is not decided");
	ok(!say(&helpers, "a", "user", plain).decides &&
	    !say(&helpers, "a", "user", "sounds good, you should").decides,
	    "who does not say we decides nothing together");
}

static double
cost_ms(const char *unit, size_t bytes)
{
	struct msg_talk talk = { 0 };
	size_t len = strlen(unit), i;
	struct timespec from, to;
	struct arena own;
	char *text = malloc(bytes + len + 1);

	for (i = 0; i < bytes; i += len)
		memcpy(text + i, unit, len);
	text[i] = '\0';
	own = arena;
	arena_init(&arena);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	(void)say(&talk, "u", "user", text);
	(void)say(&talk, "u", "user", text);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	arena_release(&arena);
	arena = own;
	free(text);
	return (double)(to.tv_sec - from.tv_sec) * 1e3 +
	    (double)(to.tv_nsec - from.tv_nsec) / 1e6;
}

/* Eight times the text in eight times the time, and some for noise. */
static void
test_linear(void)
{
	static const char *const units[] = { "a", " ", "(", "\"", "`", "<b>",
		"e\xcc\x81\xcc\x80", "\n", "> ", "a. ", "if we could ",
		"http://a/", "1 ", "lets ", "<system-reminder>", "\xf0\x9f\x91\x8d" };
	enum { SMALL = 1 << 17, LARGE = 1 << 20 };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double small = cost_ms(units[i], SMALL);
		double large = cost_ms(units[i], LARGE);

		ok(large < 24 * small + 50, "1 MiB of '%s' is linear: %.0f ms, "
		    "an eighth of it %.1f ms", units[i][0] == '\n' ? "\\n" :
		    units[i], large, small);
	}
}

int
main(void)
{
	arena_init(&arena);
	engine = test_engine();
	if (engine != NULL) {
		test_section();
		test_machine();
		test_long_text();
		test_weighing();
		test_debate();
		test_linear();
	}
	engine_close(&engine);
	arena_release(&arena);
	return done();
}
