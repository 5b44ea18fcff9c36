/*
 * u-link - what the linker compares texts by, and its lists of marks
 */
#include <stdlib.h>

#include "linker/exchange.h"
#include "linker/sketch.h"
#include "tests/tap.h"

static struct arena arena;

/* ---- sketches ---- */

static const char summary[] =
    "The user builds a bicycle shed. We chose larch wood, drew the plan with "
    "a sloped roof, ordered twelve posts and agreed to pour the foundations "
    "on Saturday morning if the weather holds.";

static uint64_t
likeness(const char *reply, const char *core, uint64_t *share)
{
	struct msg_call_sketch a, b;
	uint64_t weight;

	sketch_make(&arena, slice_str(reply), SKETCH_REPLY, &a);
	sketch_make(&arena, slice_str(core), SKETCH_CORE, &b);
	return sketch_likeness(&a, &b, &weight, share);
}

static void
test_likeness(void)
{
	struct buf text;
	uint64_t share;

	is_int(likeness(summary, summary, &share), 1000,
	    "a text is like itself");
	is_int(share, 1000, "wholly");
	buf_init(&text, 1 << 20);
	buf_addf(&text, "<b>Summary</b>: %s. And more that was not there.",
	    summary);
	is_int(likeness(summary, text.ptr, &share), 1000,
	    "more around it does not matter");
	ok(share > 600 && share < 1000, "but is seen: %llu",
	    (unsigned long long)share);
	is_int(likeness("the USER builds -- a <i>bicycle</i>\n shed",
	    "The user builds a bicycle shed.", &share), 1000,
	    "nor case, signs, space and tags");
	ok(likeness(summary, "The user builds a bicycle shed. We chose OAK, "
	    "drew the plan with a sloped roof, ordered twelve posts and agreed "
	    "to pour the foundations on Saturday morning if the weather "
	    "holds.", &share) > 700, "a small edit costs little");
	is_int(likeness(summary, "Tomatoes want sun, water every evening and "
	    "a stake each, says the neighbour.", &share), 0,
	    "other words have nothing in common");
	is_int(likeness("", summary, &share), 0, "nothing is like nothing");
	is_int(likeness(summary, "", &share), 0, "either way");
	is_int(likeness("two words", "two words", &share), 0,
	    "two words are no shingle");
	is_int(likeness("日本語の文章です", "要約：日本語の文章です。", &share),
	    1000, "scripts without spaces");
	buf_release(&text);
}

/* Long texts: the sketch stands for the whole. */
static void
test_long(void)
{
	struct msg_call_sketch s;
	struct buf a, b;
	uint64_t share;
	int i;

	buf_init(&a, 1 << 24);
	buf_init(&b, 1 << 24);
	for (i = 0; i < 20000; i++) {
		buf_addf(&a, "word%d ", i * 7919 % 20011);
		buf_addf(&b, i % 50 == 0 ? "edit%d " : "word%d ",
		    i * 7919 % 20011);
	}
	ok(likeness(a.ptr, a.ptr, &share) == 1000 && share > 990,
	    "twenty thousand words");
	ok(likeness(a.ptr, b.ptr, &share) > 700, "every fiftieth another");
	sketch_make(&arena, buf_slice(&a), SKETCH_REPLY, &s);
	is_int(sketch_size(&s), SKETCH_REPLY, "a sketch stays small");
	for (i = 1; i < SKETCH_REPLY; i++)
		if (sketch_at(&s, (size_t)i - 1) >= sketch_at(&s, (size_t)i))
			break;
	is_int(i, SKETCH_REPLY, "and ascends");
	buf_clear(&b);
	buf_adds(&b, summary);
	ok(likeness(b.ptr, a.ptr, &share) == 0 && share == 0,
	    "a short text in a long one it is not in");
	buf_release(&a);
	buf_release(&b);
}

/* ---- lists ---- */

static void
test_strategies(void)
{
	struct conf conf;
	enum strategy s;

	conf_init(&conf, "/nowhere");
	for (s = 0; s < STRATEGY_COUNT; s++)
		ok(strategy_is_on(&conf, s) &&
		    strategy_named(strategy_name(s)) == s, "%.*s is on",
		    SLICE_ARG(strategy_name(s)));
	free(conf.link_strategies);
	conf.link_strategies = strdup("exact, compact-first-user");
	ok(strategy_is_on(&conf, STRATEGY_exact), "named: on");
	ok(!strategy_is_on(&conf, STRATEGY_compact),
	    "the beginning of another name: off");
	ok(strategy_is_on(&conf, STRATEGY_first_user), "the last one: on");
	ok(strategy_is_on(&conf, STRATEGY_new), "new cannot be switched off");
	conf_release(&conf);
}

static void
test_marks(void)
{
	size_t at = 9, len = 9;

	ok(exchange_has_mark(SLICE("so, the end is near"), "begin|the end",
	    &at, &len) && at == 4 && len == 7, "a mark, where and how long");
	ok(!exchange_has_mark(SLICE("so"), "begin|the end", &at, &len),
	    "none of them");
	ok(!exchange_has_mark(SLICE("so"), "", &at, &len), "no marks at all");
	ok(!exchange_has_mark(SLICE("so"), "||", &at, &len), "empty marks");
	ok(!exchange_has_mark(SLICE_NONE, "a|b", &at, &len), "no text");
}

static void
test_calls(void)
{
	struct msg_call a = { .seq = 1, .ts = 5 }, b = { .seq = 2, .ts = 5 };

	ok(call_is_before(&a, &b) && !call_is_before(&b, &a),
	    "equal times: by seq");
	b.ts = 4;
	ok(call_is_before(&b, &a), "else by time");
	ok(call_may_join(&a, &b), "nobody's calls");
	a.user = SLICE("ann");
	ok(call_may_join(&a, &b), "one without a user");
	b.user = SLICE("bob");
	ok(!call_may_join(&a, &b), "two users'");
	a.user = SLICE("default");
	ok(call_may_join(&a, &b), "one who was not named");
	a.user = SLICE("ann");
	a.room = b.room = SLICE("kitchen");
	ok(call_may_join(&a, &b), "two users' in one room");
	ok(!call_same_session(&a, &b), "no session is no common session");
}

int
main(void)
{
	arena_init(&arena);
	test_likeness();
	test_long();
	test_strategies();
	test_marks();
	test_calls();
	arena_release(&arena);
	return done();
}
