/*
 * u-rules - the rules engine: patterns, conditions, refusals, and its cost
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "classify/pattern.h"
#include "classify/rules.h"
#include "common/buf.h"
#include "common/xmalloc.h"
#include "tests/tap.h"

#ifndef SKEIN_SOURCE_DIR
#define SKEIN_SOURCE_DIR "."
#endif

/* One rule around a pattern; the examples are given so that it loads. */
static struct rules *
rules_of(const char *head, const char *pattern, const char *yes,
    const char *no, struct buf *why)
{
	char *text = xasprintf("%s\nrule r\n act inform\n confidence 900\n"
	    " language any\n"
	    " match %s\n yes %s\n no %s\n", head, pattern, yes, no);
	struct rules_source source = { SLICE("t"), slice_str(text) };
	struct rules *r = rules_parse(&source, 1, why);

	free(text);
	return r;
}

/* The examples of a rule are the assertion: it loads only if they hold. */
static void
matches(const char *head, const char *pattern, const char *yes, const char *no)
{
	struct buf why;
	struct rules *r;

	buf_init(&why, 4096);
	r = rules_of(head, pattern, yes, no, &why);
	ok(r != NULL, "%s: \"%s\" but not \"%s\"", pattern, yes, no);
	if (r == NULL)
		printf("# %s\n", buf_cstr(&why));
	rules_close(&r);
	buf_release(&why);
}

static void
test_patterns(void)
{
	matches("", "fix", "Please FIX it", "prefix it");
	matches("", "fix~", "it was fixed", "a fixture");
	matches("", "solve~", "solving this", "a solver");
	matches("", "stop~", "it stopped", "a stopper");
	matches("", "try~", "she tries", "a tryst");
	matches("", "auth*", "the authentication", "an aut");
	matches("class %f = fix|debug~", "%f this", "debugging this", "this fix");
	matches("macro @m = [the|a]", "fix @m bug", "fix bug", "fix one bug");
	matches("", "fix (this|the old) bug", "fix the old bug", "fix old bug");
	matches("", "a [b] c", "a c", "a d c");
	matches("", "a ..2 z", "a b c z", "a b c d z");
	matches("", "a ... z", "a b c d e f g z", "z a");
	matches("", "^ ok", "ok then", "not ok");
	matches("", "ok $", "that is ok!", "ok then");
	matches("", "ok ? $", "ok?", "ok.");
	matches("", "ok !", "ok!", "ok");
	matches("", "ok .", "ok.", "ok!");
	matches("", "no that's not it", "No, that's not it", "no that is it");
	matches("", "yes , do", "yes, do", "yes do");
	matches("", "don't", "dont", "do not");
	matches("apart we'll", "we'll go", "we’ll go", "well go");
	matches("", "use -it", "use that", "use it");
	matches("class %c = a|b", "x -%c", "x c", "x b");
	matches("", "option <num>", "option 2", "option two");
	matches("", "<word> it is $", "postgres it is", "it is");
	matches("", "👍", "great 👍", "great");
	matches("", "^ it works", "anna: it works", "then it works");
	matches("", "node.js", "in node.js now", "in node js");
	matches("", "x ? $", "x ？", "http://a.b/x?c");
}

static void
refuses(const char *text, const char *reason)
{
	struct rules_source source = { SLICE("file"), slice_str(text) };
	struct buf why;
	struct rules *r;

	buf_init(&why, 4096);
	r = rules_parse(&source, 1, &why);
	ok(r == NULL && strstr(buf_cstr(&why), reason) != NULL,
	    "refused: %s", reason);
	if (r != NULL || strstr(buf_cstr(&why), reason) == NULL)
		printf("# got: %s\n", buf_cstr(&why));
	rules_close(&r);
	buf_release(&why);
}

static void
test_refusals(void)
{
	refuses("rule a\nact inform\nconfidence 9\nyes x\nno y\n",
	    "file:1: 'a' matches nothing");
	refuses("rule a\nact sing\n", "file:2: no such act: 'sing'");
	refuses("rule a\nflags good\n", "file:2: no such flag: 'good'");
	refuses("rule a\nwhen raining\n", "file:2: no such condition");
	refuses("rule a\nconfidence 1001\n", "file:2: a number from 1 to 1000");
	refuses("rule a\npriority x\n", "file:2: a number");
	refuses("rule a\nsing song\n", "file:2: no such key word: 'sing'");
	refuses("act inform\n", "file:1: 'act' stands outside a rule");
	refuses("rule a\nmatch (x\nyes x\nno y\n", "file:2: a bracket");
	refuses("rule a\nmatch x)\nyes x\nno y\n", "file:2: a bracket too many");
	refuses("rule a\nmatch %x\n", "file:2: no such class");
	refuses("rule a\nmatch @x\n", "file:2: no such macro");
	refuses("rule a\nmatch a ..99 b\n", "file:2: a gap");
	refuses("rule a\nmatch a ^ b\n", "file:2: '^' stands only");
	refuses("rule a\nmatch (a|)\n", "file:2: nothing to match");
	refuses("rule a\nmatch <cat>\n", "file:2: only <num>");
	refuses("rule a\nmatch ((((((((((((((((((x))))))))))))))))))\n",
	    "file:2: brackets too deep");
	refuses("rule a\nact inform\nconfidence 9\nmatch x\nyes x\n",
	    "needs an example");
	refuses("rule a\nact inform\nconfidence 9\nmatch x\nyes y\nno z\n",
	    "file:5: rule 'a' does not match its example 'y'");
	refuses("rule a\nact inform\nconfidence 9\nmatch x\nyes x\nno x\n",
	    "file:6: rule 'a' matches, and must not,");
	refuses("rule a\nmatch x\nyes x\nno y\n", "neither act nor flags");
	refuses("rule a\nact inform\nmatch x\nyes x\nno y\n", "no confidence");
	refuses("rule a\nmatch x\nrule a\n", "file:3: 'a' is defined twice");
	refuses("rule a\nunless g\nmatch x\n", "file:2: no such guard: 'g'");
	refuses("guard g\nact inform\n", "file:2: a guard has only matches");
	refuses("drop a\n", "file:1: nothing to drop");
	refuses("class %a b\n", "file:1: %NAME =");
	refuses("class %a = b\nclass %a = c\n", "file:2: class defined twice");
	refuses("leaning 10 if\n", "file:1: a number from -9 to 9");
	refuses("leaning 1 (if)\n", "file:1: not a word");
}

static const char leaning_file[] =
    "english the is\nforeign der ist\n"
    "leaning 2 if could\nleaning -3 meeting\nleaning 1 pleasing it's its\n"
    "rule we\n together\n match we\n yes we\n no i\n"
    "rule i\n alone\n match i\n yes i\n no we\n"
    "rule settles\n flags decides\n when weighed\n match so\n"
    " yes so\n no if\n"
    "rule asks\n flags opens\n match pleas*\n yes pleased\n no so\n";

static void
test_leaning(void)
{
	struct rules_source source = { SLICE("a"), slice_str(leaning_file) };
	struct act_context c = { .weighed = true };
	struct rules_verdict v;
	struct buf why;
	struct rules *r;

	buf_init(&why, 4096);
	r = rules_parse(&source, 1, &why);
	rules_apply(r, SLICE("if we could, if i could"), &c, &v);
	is_int(v.leaning, 8, "every word counts, each time");
	ok(v.together && v.alone, "who says we, who says I");
	rules_apply(r, SLICE("the meeting, if the"), &c, &v);
	is_int(v.leaning, -1, "some lean the other way");
	ok(!v.together && !v.alone, "who says neither");
	rules_apply(r, SLICE("der meeting ist gut"), &c, &v);
	is_int(v.leaning, 0, "another language leans nowhere");
	rules_apply(r, SLICE("its it's"), &c, &v);
	ok(v.leaning == 0 && !v.english,
	    "a word that only leans says nothing of the language");
	rules_apply(r, SLICE("the pleasing"), &c, &v);
	ok(v.leaning == 1 && v.flags == FLAG_opens,
	    "and a pattern finds it by how it begins");
	rules_apply(r, SLICE("so"), &c, &v);
	ok(v.flagged[FLAG_BIT_decides]->by_debate,
	    "a rule that asks what was weighed is known");
	rules_close(&r);
	buf_release(&why);
}

static const char conditions_file[] =
    "guard not\n match not\n"
    "rule yes\n act accept\n confidence 900\n priority 10\n match yes\n"
    " when after-question not-same-speaker\n unless not\n"
    " yes yes\n no yes not\n"
    "rule any\n act inform\n confidence 400 room 300\n priority 5\n"
    " match yes\n yes yes\n no no\n"
    "rule sets\n flags opens decides\n match begin\n yes begin\n no end\n"
    "rule bars\n flags -opens\n match never\n yes never\n no ever\n";

static void
test_conditions(void)
{
	struct rules_source sources[2] = {
		{ SLICE("a"), slice_str(conditions_file) },
		{ SLICE("b"), SLICE("drop sets\nrule any\n act request\n"
		    " confidence 500\n match yes\n yes yes\n no no\n") },
	};
	struct act_context c = {
		.prev_text = SLICE("ready?"), .prev_act = ACT_question,
		.prev_speaker = SPEAKER_assistant,
	};
	struct rules_verdict v;
	struct buf why;
	struct rules *r;

	buf_init(&why, 4096);
	r = rules_parse(sources, 1, &why);
	rules_apply(r, SLICE("Yes."), &c, &v);
	is_int(v.decided->act, ACT_accept, "the higher priority decides");
	is_int((long long)v.fired_count, 2, "both fired");
	is_int(v.decided->line, 3, "a rule knows its line");
	rules_apply(r, SLICE("Yes, not now"), &c, &v);
	is_int(v.decided->act, ACT_inform, "a guard refuses");
	c.prev_same_speaker = true;
	rules_apply(r, SLICE("yes"), &c, &v);
	is_int(v.decided->act, ACT_inform, "a condition refuses");
	rules_apply(r, SLICE("begin"), &c, &v);
	is_int(v.flags, FLAG_opens | FLAG_decides, "flags without an act");
	ok(v.decided == NULL, "and no act");
	rules_apply(r, SLICE("never begin"), &c, &v);
	is_int(v.flags, FLAG_decides, "a barred flag stays away");
	c.prev_speaker = SPEAKER_user;
	rules_apply(r, SLICE("yes"), &c, &v);
	ok(v.room, "a user after a user is a room");
	rules_close(&r);

	r = rules_parse(sources, 2, &why);
	ok(r != NULL, "a second file is read after the first");
	rules_apply(r, SLICE("yes begin"), &c, &v);
	is_int(v.decided->act, ACT_request, "and replaces a rule by name");
	is_int(v.flags, 0, "and drops one");
	is_int((long long)rules_count(r), 3, "three are left");
	rules_close(&r);
	buf_release(&why);
}

static struct rules *
open_shipped(void)
{
	const char *root = getenv("SKEIN_SOURCE_DIR");
	char *path = xasprintf("%s/classify/data/acts.rules",
	    root != NULL ? root : SKEIN_SOURCE_DIR);
	const char *paths[] = { path };
	struct rules *r;
	struct buf why;

	buf_init(&why, 4096);
	r = rules_open(paths, 1, &why);
	ok(r != NULL, "the shipped rules load: all examples hold");
	if (r == NULL)
		printf("# %s\n", buf_cstr(&why));
	buf_release(&why);
	free(path);
	return r;
}

static void
test_missing_file(void)
{
	const char *paths[] = { "/nonexistent/acts.rules" };
	struct buf why;

	buf_init(&why, 4096);
	ok(rules_open(paths, 1, &why) == NULL, "a missing file is refused");
	ok(strstr(buf_cstr(&why), "acts.rules: No such file") != NULL,
	    "with its name");
	buf_release(&why);
}

/*
 * "a", then at most eleven words, then a last "z": the automaton must know
 * where all of the last twelve a's were, which is more states than it keeps.
 * Checked against looking.
 */
static void
test_cache(void)
{
	struct act_context c = { .speaker = SPEAKER_user };
	struct pattern_stats stats;
	struct rules *r;
	struct buf text, why;
	unsigned seed = 7, different = 0;

	buf_init(&text, 65536);
	buf_init(&why, 4096);
	r = rules_of("", "a ..11 z $", "a b z", "b z", &why);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned count = 1 + i % 40, since = 1000;
		struct rules_verdict v;

		buf_clear(&text);
		for (unsigned k = 0; k < count; k++) {
			seed = seed * 1664525u + 1013904223u;
			since = seed >> 28 < 3 ? 0 : since + 1;
			buf_adds(&text, since == 0 ? "a " : "b ");
		}
		buf_adds(&text, "z");
		rules_apply(r, buf_slice(&text), &c, &v);
		different += (v.decided != NULL) != (since <= 11);
	}
	rules_stats(r, &stats);
	is_int(different, 0, "what is found does not depend on the cache");
	ok(stats.flushes > 0, "although it was cleared (%zu times)",
	    stats.flushes);
	rules_close(&r);
	buf_release(&text);
	buf_release(&why);
}

static double
seconds_for(struct rules *r, const char *piece, size_t bytes)
{
	struct act_context c = { .prev_speaker = SPEAKER_assistant,
	    .prev_text = SLICE("A or B?") };
	struct rules_verdict v;
	struct timespec from, to;
	struct buf text;

	buf_init(&text, bytes + 64);
	while (text.len < bytes)
		buf_adds(&text, piece);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	rules_apply(r, buf_slice(&text), &c, &v);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	buf_release(&text);
	return (double)(to.tv_sec - from.tv_sec) +
	    (double)(to.tv_nsec - from.tv_nsec) / 1e9;
}

static void
test_linear(struct rules *r)
{
	static const char *const pieces[] = {
		"a", " ", "(", "?", "!", ".", ",", "it ", "or ", "'", "\xcc\x81",
		"\xe2\x80\x99", "\xff", "a.", "please ", "back to ", "ok ok ",
		"\xf0\x9f\x91\x8d", "not working ", "\xe5\xa5\xbd",
	};

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		double small = seconds_for(r, pieces[i], 1 << 18);
		double large = seconds_for(r, pieces[i], 1 << 20);

		/* Quadratic would be sixteen times; noise is left room. */
		ok(large < 0.05 || large < small * 10,
		    "a megabyte of piece %zu: %.1f ms", i, large * 1e3);
	}
}

int
main(void)
{
	struct rules *r;

	test_patterns();
	test_refusals();
	test_leaning();
	test_conditions();
	test_missing_file();
	test_cache();
	r = open_shipped();
	if (r != NULL)
		test_linear(r);
	rules_close(&r);
	return done();
}
