/*
 * u-summary - what is left of a turn when it is told in one line
 */
#include "compactor/summary.h"

#include <stdlib.h>

#include "classify/describe.h"
#include "compactor/tokens.h"
#include "tests/engine.h"
#include "tests/tap.h"

#ifndef SKEIN_SOURCE_DIR
#define SKEIN_SOURCE_DIR "."
#endif

static struct engine *engine;
static struct arena arena;
static struct msg_talk talk;

static struct summary_turn
say(const char *role, const char *text)
{
	struct msg_c_turn *does = arena_alloc(&arena, sizeof(*does));
	struct act_context context = talk_context(&talk, SLICE("u"),
	    slice_str(role), &arena);

	describe_turn(engine, &arena, slice_str(text), &context,
	    1762344000000, 0, does);
	return (struct summary_turn){ .text = slice_str(text),
		.role = slice_str(role), .does = does };
}

static const char *
cstr(struct slice s)
{
	return arena_cstr(&arena, s);
}

static void
goal(const char *text, const char *want)
{
	struct summary_turn t = say("user", text);

	is(cstr(summary_goal(&arena, &t).text), want, text);
}

static void
resolution(const char *role, const char *text, const char *want, bool content)
{
	struct summary_turn t = say(role, text);
	struct summary_line line = summary_resolution(&arena, &t);

	is(cstr(line.text), want, text);
	ok((line.content > 0) == content, "%s", content ?
	    "which tells how" : "which tells only that it is done");
}

static void
tags(const char *text, const char *want)
{
	struct summary_turn t = say("user", text);
	struct msg_strs list = { NULL, 0 };
	struct buf out;

	buf_init(&out, 4096);
	summary_tags(&arena, &t, TAGS_MOST, &list);
	for (size_t i = 0; i < list.count; i++)
		buf_addf(&out, "%s%.*s", i > 0 ? "," : "",
		    SLICE_ARG(list.at[i]));
	is(buf_cstr(&out), want, text);
	buf_release(&out);
}

static void
test_goals(void)
{
	goal("I'm getting a 401 error", "Getting a 401 error");
	goal("lets solve a bug", "Solve a bug");
	goal("please move the logo to the right", "Move the logo to the right");
	goal("you can fix the login page, right?", "You can fix the login page?");
	goal("i want to learn about ww2", "Learn about ww2");
	goal("what's the capital of France?", "What's the capital of France?");
	goal("also, remind me to call mom later", "Remind me to call mom later");
	goal("Hi! Could you please help me set up the backup server, thanks?",
	    "Set up the backup server");
	goal("Hey Anna, can you fix the login page? It is urgent. Thanks in "
	     "advance!", "Fix the login page");
	goal("Good morning. The export crashes with a TypeError since Monday.",
	    "The export crashes with a TypeError since Monday");
	goal("Can you find out why this fails?\n```\nint main(void)\n{\n"
	     "\treturn 1;\n}\n```\n", "Find out why this fails");
	goal("src/main.c does not compile any more, please fix it",
	    "src/main.c does not compile any more, please fix it");
	goal("I've started an automated $200 monthly transfer to my savings "
	     "account on Sept 1 and so far all is well, how can I make sure "
	     "that I don't overspend?",
	    "How can I make sure that I don't overspend?");
	goal("## Please look up **377 Santana Row #1000**",
	    "Look up 377 Santana Row #1000");
	goal("ok", "Ok");
}

static void
test_resolutions(void)
{
	resolution("user", "Oh! Token was expired, works now!",
	    "Token was expired, works now", true);
	resolution("user", "that fixed it, thanks!", "That fixed it", false);
	resolution("user", "Perfect, adding the null check did it. Thank you!",
	    "Adding the null check did it", true);
	resolution("user", "Great, works. It was the proxy after all. Do you "
	    "know how to log out?", "It was the proxy after all", true);
	resolution("assistant", "Sorry to hear that! The crash happens because "
	    "the user is undefined. Let me know if that helps!",
	    "The crash happens because the user is undefined", true);
	resolution("assistant", "Your table is booked, the reference number is "
	    "AB12. Is there anything else I can help you with?",
	    "Your table is booked, the reference number is AB12", true);
	resolution("assistant", "**1.** Run `make clean` and build again.",
	    "Run `make clean` and build again", true);
}

static void
test_limits(void)
{
	struct buf b;
	struct summary_turn t;
	struct slice s;

	buf_init(&b, SIZE_MAX / 4);
	for (int i = 0; i < 5000; i++)
		buf_adds(&b, "please build the thing that never ends and ");
	t = say("user", buf_cstr(&b));
	s = summary_goal(&arena, &t).text;
	ok(s.len > 0 && tokens_estimate(s) <= 30, "a long sentence is cut: %s",
	    cstr(s));
	buf_clear(&b);
	for (int i = 0; i < 3000; i++)
		buf_adds(&b, "令牌已经过期");
	t = say("user", buf_cstr(&b));
	s = summary_goal(&arena, &t).text;
	ok(s.len > 0 && s.len < 300, "so is one without spaces");
	t = say("user", "");
	ok(summary_goal(&arena, &t).text.len == 0, "of nothing nothing");
	t = say("user", "```\nSegmentation fault in parse_header\n```");
	is(cstr(summary_goal(&arena, &t).text),
	    "Segmentation fault in parse_header",
	    "machine text alone gives its first line");
	buf_release(&b);
}

static void
test_tags(void)
{
	tags("I'm getting a 401 error in the auth service",
	    "401,auth,service,error");
	tags("hello how are you?", "");
	tags("Could you help me debugging authentication in src/login.c?",
	    "src/login.c,authentication");
	tags("Hey Anna! Find a hotel in Toronto.", "toronto,hotel");
}

static void
test_lines(void)
{
	struct msg_artifact a = { .type = SLICE("effort"),
		.status = SLICE("resolved"),
		.summary = SLICE("Debug 401 error"),
		.resolution = SLICE("Token was expired"),
		.created_at = 1768384800000 };

	is(cstr(summary_of(&arena, &a)),
	    "2026-01-14 [effort] Debug 401 error => Token was expired",
	    "an artifact in one line");
	a.status = SLICE("open");
	a.resolution = SLICE_NONE;
	is(cstr(summary_of(&arena, &a)),
	    "2026-01-14 [effort:open] Debug 401 error", "an open one");
}

int
main(void)
{
	arena_init(&arena);
	ok(summary_unsorted() == NULL, "the lists of phrases are sorted");
	engine = test_engine();
	if (engine != NULL) {
		test_goals();
		test_resolutions();
		test_limits();
		test_tags();
		test_lines();
	}
	engine_close(&engine);
	arena_release(&arena);
	return done();
}
