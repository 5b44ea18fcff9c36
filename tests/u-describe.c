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

static const char plain[] = "yeah it should be yellow rubber then";

/* People who say this in turn, for so many turns. */
static void
say_all(struct msg_talk *talk, const char *const *who, const char *const *said,
    size_t turns)
{
	for (size_t i = 0; i < turns; i++)
		(void)say(talk, who[i % 2], "user", said[i % 2]);
}

static const char *const two[] = { "a", "b" }, *const one[] = { "a", "a" };
static const char *const board_says[] = {
	"but if it is wood we could paint it",
	"maybe we should take rubber instead",
};
static const char *const helpers_say[] = {
	"but if it is wood then you could paint it, I think",
	"I would take rubber, I mean it could be simple",
};
static const char *const telling[] = {
	"um the first slide shows what was found",
	"thanks, and this is my second one",
};

static void
test_weighing(void)
{
	struct msg_talk talk = { 0 };

	ok(say(&talk, "a", "user", board_says[0]).leaning > 0 &&
	    say(&talk, "b", "user", helpers_say[1]).leaning > 0,
	    "words that weigh what could be done");
	ok(say(&talk, "a", "user", telling[0]).leaning < 0 &&
	    say(&talk, "b", "user", telling[1]).leaning < 0,
	    "words that tell and arrange");
	is_int(say(&talk, "b", "user", "wir brauchen das nicht").leaning, 0,
	    "words of another language lean nowhere");
	ok(say(&talk, "a", "user", board_says[0]).together &&
	    !say(&talk, "a", "user", board_says[0]).alone, "it says we");
	ok(say(&talk, "a", "user", helpers_say[0]).alone &&
	    !say(&talk, "a", "user", helpers_say[0]).together, "it says I");
}

/* Plain words settle something where people who say "we" weighed it. */
static void
test_debate(void)
{
	struct msg_talk board = { 0 }, alone = { 0 }, helpers = { 0 };
	struct msg_c_turn turn;

	say_all(&board, two, board_says, 6);
	ok(!say(&board, "a", "user", plain).decides,
	    "a short debate: plain words settle nothing");
	say_all(&board, two, board_says, 40);
	say_all(&alone, one, board_says, 40);
	say_all(&helpers, two, helpers_say, 40);
	turn = say(&board, "a", "user", plain);
	ok(turn.decides && turn.debated, "a long one: they do");
	ok(!say(&board, "a", "user", "should it be yellow rubber then?").decides,
	    "a question does not");
	ok(!say(&board, "a", "user",
	    "but it should be in the minutes of the meeting").decides,
	    "how a meeting goes on is not decided");
	turn = say(&board, "b", "user", "okay, so we're going with rubber");
	ok(turn.decides && !turn.debated, "words that say so say so there too");
	ok(!say(&alone, "a", "user", plain).decides, "one alone: not");
	ok(!say(&helpers, "a", "user", plain).decides &&
	    !say(&helpers, "b", "user", "sounds good, you should").decides,
	    "who does not say we decides nothing together");
	say_all(&board, two, telling, 60);
	ok(!say(&board, "a", "user", plain).decides, "much later: not");
}

/* An amount to be reached needs people who say "we", and no debate. */
static void
test_amount(void)
{
	static const char amount[] = "it must cost at most twelve euros";
	struct msg_talk board = { 0 }, helpers = { 0 };

	say_all(&board, two, board_says, 20);
	say_all(&board, two, telling, 20);
	say_all(&helpers, two, helpers_say, 40);
	ok(say(&board, "a", "user", amount).decides, "an amount is settled");
	ok(!say(&helpers, "a", "user", amount).decides, "advice settles none");
}

/* What is said at once after something was settled belongs to it. */
static void
test_rest(void)
{
	struct act_verdict settles = { .flags = FLAG_decides }, says = { 0 };
	struct thread_state s = { 0 };
	size_t i;

	for (i = 0; i < 400; i++)
		thread_weigh(&s, SPEAKER_user, (struct weighing){
		    .leaning = 2 + (int64_t)i % 2, .together = i % 4 == 0,
		    .alone = i % 4 == 1, .other = i % 2 == 0 });
	ok(thread_was_weighed(&s), "weighed");
	s = thread_state_after(s, SPEAKER_user, &settles);
	for (i = 0; i < 20 && !thread_was_weighed(&s); i++)
		s = thread_state_after(s, SPEAKER_user, &says);
	ok(i > 8 && i < 20, "it rests, the less the more is weighed: %zu", i);
	for (i = 0; i < 1000; i++)
		thread_weigh(&s, SPEAKER_user, (struct weighing){
		    .leaning = INT64_MAX, .together = true, .other = true });
	s = thread_state_after(s, SPEAKER_user, &settles);
	ok(thread_was_weighed(&s), "in the thick of a debate it does not rest");
	ok(s.leaning[2] < 8000000, "what is kept of a thread has a bound");
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
		test_amount();
		test_rest();
		test_linear();
	}
	engine_close(&engine);
	arena_release(&arena);
	return done();
}
