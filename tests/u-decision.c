/*
 * u-decision - link or not: score and verdict together; answers; outcomes
 */
#include "linker/decision.h"
#include "linker/outcome.h"
#include "tests/tap.h"

static struct arena arena;

static void
check(unsigned score, int related, unsigned sure, bool link,
    const char *confidence, const char *agreement, const char *what)
{
	struct opinion model = { .related = related > 0, .confidence = sure };
	struct decision d = decision_make(score, 700, related < 0 ? NULL :
								    &model);

	ok(d.link == link && slice_is(d.confidence, confidence) &&
	    slice_is(d.agreement, agreement), "%s", what);
}

static void
test_logic(void)
{
	check(880, 1, 920, true, "high", "YES", "both say link");
	check(300, 0, 900, false, "high", "YES", "both say no");
	check(720, 0, 900, false, "uncertain", "NO",
	    "the model is surer that it is not");
	check(950, 0, 900, true, "uncertain", "NO", "the score is surer");
	check(600, 1, 900, true, "uncertain", "NO",
	    "below the threshold the score is as sure as it lacks to one");
	check(100, 1, 850, false, "uncertain", "NO", "a low score is sure");
	check(900, 0, 900, true, "uncertain", "NO", "a tie is the score's");
	check(701, -1, 0, true, "single", "", "without a verdict: above");
	check(700, -1, 0, false, "single", "", "exactly the threshold is not");
}

static void
test_answers(void)
{
	static const char *const bad[] = { "", "no", "[]", "{}",
		"{\"related\":true}",
		"{\"related\":1,\"confidence\":0.5,\"reasoning\":\"\","
		"\"key_signals\":[]}",
		"{\"related\":true,\"confidence\":1.5,\"reasoning\":\"\","
		"\"key_signals\":[]}",
		"{\"related\":true,\"confidence\":-0.1,\"reasoning\":\"\","
		"\"key_signals\":[]}",
		"{\"related\":true,\"confidence\":0.5,\"reasoning\":\"\","
		"\"key_signals\":[1]}",
		"{\"related\":true,\"confidence\":\"0.5\",\"reasoning\":\"\","
		"\"key_signals\":[]}" };
	struct opinion o;
	struct slice why;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(opinion_parse(slice_str(bad[i]), &arena, &o, &why) == -1 &&
		    why.len > 0, "refused: %s", bad[i]);
	ok(opinion_parse(SLICE("{\"related\":true,\"confidence\":0.92,"
	    "\"reasoning\":\"the same city\",\"key_signals\":"
	    "[\"it\",\"weather\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}"),
	    &arena, &o, &why) == 0, "an answer as it should be");
	ok(o.related && o.confidence == 920, "its verdict");
	is_int(o.signals.count, DECISION_SIGNALS, "not more signals than kept");
	is(arena_cstr(&arena, o.reasoning), "the same city", "its reasoning");
}

static void
test_prompt(void)
{
	struct slice all[] = { SLICE("the same city"), SLICE("a follow-up") };
	struct msg_strs none = { 0 }, two = { all, 2 };
	const char *text = arena_cstr(&arena, decision_prompt(&arena, &two));

	ok(strstr(text, "the same city; a follow-up.") != NULL,
	    "missed signals are in the prompt");
	ok(strstr(arena_cstr(&arena, decision_prompt(&arena, &none)),
	    "missed") == NULL, "where there are any");
}

static void
outcome(bool linked, const char *text, bool strange, bool right,
    const char *why)
{
	struct wording w = wording_of(&arena, slice_str(text));
	struct verdict v = outcome_of(linked, &w, strange);

	ok(v.right == right && strcmp(v.why, why) == 0, "%s: %s, %s",
	    linked ? "linked" : "not linked", text, why);
}

static void
test_outcomes(void)
{
	outcome(true, "And on Friday?", false, true, "continued");
	outcome(true, "No, that's not what I meant.", false, false, "denied");
	outcome(true, "How do I bake bread?", true, false, "switched");
	outcome(false, "Didn't we talk about this?", false, false,
	    "recalled");
	outcome(false, "As I said, the knife is blunt", false, false,
	    "recalled");
	outcome(false, "How do I bake bread?", true, true, "fresh");
	outcome(false, "Thanks!", false, true, "fresh");
}

int
main(void)
{
	arena_init(&arena);
	test_logic();
	test_answers();
	test_prompt();
	test_outcomes();
	arena_release(&arena);
	return done();
}
