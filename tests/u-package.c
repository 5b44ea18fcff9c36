/*
 * u-package - package files, what sets them off, and what they take from turns
 */
#include "compactor/package.h"

#include <stdlib.h>

#include "classify/describe.h"
#include "compactor/compact.h"
#include "compactor/fill.h"
#include "tests/engine.h"
#include "tests/tap.h"

#ifndef SKEIN_SOURCE_DIR
#define SKEIN_SOURCE_DIR "."
#endif

#define TS 1762344000000	/* 2025-11-05T12:00:00Z, a Wednesday */

static struct engine *engine;
static struct arena arena;
static struct msg_talk talk;

static const char good[] =
    "package recipe\n"
    "version 3\n"
    "about what was cooked\n"
    "life turn\n"
    "class %dish = soup|cake|bread\n"
    "opens cooked\n"
    "  match (i|we) (cooked|baked|made) ... %dish\n"
    "  confidence 700\n"
    "  yes we baked a bread\n"
    "  no they baked a bread\n"
    "field dish text required\n"
    "  by sentence\n"
    "field minutes number\n"
    "  by entities quantity\n"
    "summary Cooked: {dish}[, {minutes} minutes]\n";

static struct packages *
parse(const char *text)
{
	struct package_source s = { SLICE("recipe.package"), slice_str(text),
		false };

	return packages_parse(&s, 1);
}

/* ---- reading ---- */

static void
test_good(void)
{
	struct packages *set = parse(good);
	const struct package *p = packages_find(set, SLICE("recipe"));

	if (!ok(p != NULL, "a package is read")) {
		if (packages_refused(set) > 0)
			printf("# %.*s\n", SLICE_ARG(
			    packages_refused_at(set, 0)->why));
		packages_close(&set);
		return;
	}
	is_int((long long)p->n_fields, 2, "its fields");
	is_int((long long)p->n_triggers, 1, "its trigger");
	ok(slice_is(p->version, "3") && p->life == LIFE_turn,
	    "version and life");
	ok(p->fields[0].required && !p->fields[1].required &&
	    p->fields[1].type == TYPE_of_number, "types, and what is required");
	packages_close(&set);
}

/* Refused with this line and a reason that has these words. */
static void
refused(const char *text, unsigned line, const char *words)
{
	struct packages *set = parse(text);
	const struct package_refused *r = packages_refused_at(set, 0);
	char place[64];
	const char *why;
	bool right;

	snprintf(place, sizeof(place), "recipe.package:%u: ", line);
	why = r == NULL ? "" : arena_cstr(&arena, r->why);
	right = packages_count(set) == 0 && strncmp(why, place,
	    strlen(place)) == 0 && strstr(why, words) != NULL;
	ok(right, "refused: %s", words);
	if (!right)
		printf("# %s\n", why);
	packages_close(&set);
}

#define HEAD "package recipe\n"
#define OPENS "opens x\n  acts inform\n"
#define FIELD "field a text\n  by goal\n"
#define SUMMARY "summary {a}\n"

static void
test_refused(void)
{
	refused("version 1\n", 1, "begins with 'package NAME'");
	refused("\n# a remark\npackage Re cipe\n", 3, "a name of small");
	refused(HEAD "package two\n", 2, "is begun");
	refused(HEAD "life forever\n", 2, "life is effort");
	refused(HEAD "opens x\n  acts dance\n", 3, "no such act: 'dance'");
	refused(HEAD "opens x\n  flags loud\n", 3, "no such flag");
	refused(HEAD "opens x\n  match (a|b\n" FIELD SUMMARY, 3, "");
	refused(HEAD "opens x\n  match %none\n" FIELD SUMMARY, 3,
	    "no such class");
	refused(HEAD "opens x\n  role cook\n", 3, "a role is user");
	refused(HEAD "opens x\n  confidence 2000\n", 3, "from 1 to 1000");
	refused(HEAD "opens x\n" FIELD SUMMARY, 2, "fires on everything");
	refused(HEAD "opens x\n  colour red\n", 3, "no such key word");
	refused(HEAD OPENS FIELD, 1, "has no summary");
	refused(HEAD FIELD SUMMARY, 1, "has no trigger");
	refused(HEAD OPENS "summary x\n", 1, "has no field");
	refused(HEAD OPENS "field a text\n" SUMMARY, 4, "how it is filled");
	refused(HEAD OPENS FIELD "field a list\n", 6, "defined twice");
	refused(HEAD OPENS "field a colour\n", 4, "text, list, number");
	refused(HEAD OPENS "field a text maybe\n", 4, "not understood");
	refused(HEAD OPENS "field a text\n  by magic\n", 5, "no such way");
	refused(HEAD OPENS "field a text\n  by entities ghosts\n", 5,
	    "no such kind");
	refused(HEAD OPENS "field a text\n  from nowhere\n", 5,
	    "not 'nowhere'");
	refused(HEAD OPENS FIELD "  most 3\n", 6, "only a list");
	refused(HEAD OPENS FIELD "summary {b}\n", 6, "no such field: 'b'");
	refused(HEAD OPENS FIELD "summary [{a}\n", 6, "brackets");
	refused(HEAD OPENS FIELD "summary {a\n", 6, "without '}'");
	refused(HEAD OPENS FIELD SUMMARY "expires {a}\n", 7, "type time");
	refused(HEAD OPENS FIELD SUMMARY "summary {a}\n", 7, "twice");
	refused(HEAD "life turn\n" OPENS "concludes\n  flags concludes\n"
	    FIELD SUMMARY, 5, "has no end");
	refused(HEAD "opens x\n  match soup\n  yes cake\n" FIELD SUMMARY, 4,
	    "does not match its example 'cake'");
	refused(HEAD "opens x\n  match soup\n  no soup\n" FIELD SUMMARY, 4,
	    "and must not");
	refused(HEAD OPENS "  yes cake\n" FIELD SUMMARY, 4,
	    "without patterns");
}

static void
test_set(void)
{
	struct package_source s[] = {
		{ SLICE("a.package"), SLICE("nonsense\n"), true },
		{ SLICE("recipe.package"), slice_str(good), true },
		{ SLICE("z/recipe.package"), SLICE("package recipe\n"), false },
		{ SLICE("other.package"), SLICE("package other\n"
		    "class %dish = stone\nopens\n  match %dish\n" FIELD
		    SUMMARY), false },
	};
	struct packages *set = packages_parse(s, 4);

	is_int((long long)packages_count(set), 2, "the good ones work");
	is_int((long long)packages_refused(set), 2, "two are refused");
	ok(slice_is(packages_at(set, 0)->name, "other"), "in order of names");
	ok(packages_at(set, 1)->shipped,
	    "a broken file of the home leaves the shipped one");
	packages_close(&set);
	s[2].text = SLICE("# none of it\n");
	set = packages_parse(s, 4);
	ok(packages_find(set, SLICE("recipe")) == NULL,
	    "an empty one takes it away");
	packages_close(&set);
	set = packages_parse(NULL, 0);
	is_int((long long)packages_count(set), 0, "no files, no packages");
	packages_close(&set);
}

/* ---- at work ---- */

static struct packages *
shipped(void)
{
	struct conf_error wrong;
	struct packages *set = NULL;
	struct conf conf;
	struct buf why;

	buf_init(&why, 4096);
	conf_init(&conf, SKEIN_SOURCE_DIR "/scripts/examples");
	setenv("SKEIN_DATA_DIR", SKEIN_SOURCE_DIR "/compactor/packages", 1);
	if (conf_read_env(&conf, &wrong) == 0)
		set = packages_open(&conf, &why);
	if (!ok(set != NULL, "the shipped packages open"))
		printf("# %s\n", buf_cstr(&why));
	buf_release(&why);
	conf_release(&conf);
	return set;
}

static struct trigger_result
match(struct packages *set, const char *role, const char *text)
{
	struct msg_c_turn *does = arena_alloc(&arena, sizeof(*does));
	struct trigger_turn *t = arena_alloc(&arena, sizeof(*t));
	struct act_context context = talk_context(&talk, SLICE("u"),
	    slice_str(role), &arena);
	struct trigger_result r;

	describe_turn(engine, &arena, slice_str(text), &context, TS, 0, does);
	talk_after(&talk, slice_is(slice_str(role), "user") ? SLICE("u") :
	    SLICE("a"), slice_str(role), slice_str(text), does, &arena);
	*t = (struct trigger_turn){ .said = { .text = slice_str(text),
		.role = slice_str(role), .does = does }, .ts = TS, .number = 7,
		.user = SLICE("anna") };
	triggers_match(set, &arena, t, &r);
	return r;
}

/* "effort! bugreport" : who is opened by it, '!' who is concluded. */
static void
fires(struct packages *set, const char *text, const char *want)
{
	struct trigger_result r;
	struct buf out;

	talk = (struct msg_talk){ 0 };
	r = match(set, "user", text);
	buf_init(&out, 4096);
	for (size_t i = 0; i < packages_count(set); i++) {
		struct slice name = packages_at(set, i)->name;

		if (r.fires[i].opens > 0)
			buf_addf(&out, "%s%.*s", out.len > 0 ? " " : "",
			    SLICE_ARG(name));
		if (r.fires[i].concludes > 0)
			buf_addf(&out, "%s%.*s!", out.len > 0 ? " " : "",
			    SLICE_ARG(name));
	}
	is(buf_cstr(&out), want, text);
	buf_release(&out);
}

/* The seed's table, and what makes nothing. */
static void
test_triggers(struct packages *set)
{
	fires(set, "hello how are you?", "");
	fires(set, "lets solve a bug", "bugreport effort");
	fires(set, "i want to learn about ww2", "effort");
	fires(set, "i got in a bad fight with my gf", "");
	fires(set, "what's the capital of France?", "fact");
	fires(set, "that fixed it, thanks!", "effort!");
	fires(set, "I'll go with option A", "decision");
	fires(set, "I'm getting a 401 error", "bugreport effort");
	fires(set, "also, remind me to call mom later", "event");
	fires(set, "I had a weird experience yesterday", "event");
	fires(set, "I have a dentist appointment tomorrow at 3pm", "event");
	fires(set, "World War 2 began in 1939", "");
	fires(set, "please remember that I am allergic to nuts", "note trait");
	fires(set, "thanks!", "");
	fires(set, "ok", "");
	fires(set, "<system-reminder>I'm getting a 401 error"
	    "</system-reminder>", "");
}

static const char *
field(const struct msg_artifact *a, const char *name)
{
	struct msg_strs values = artifact_field(a, name);
	struct buf out;
	char *s;

	buf_init(&out, 65536);
	for (size_t i = 0; i < values.count; i++)
		buf_addf(&out, "%s%.*s", i > 0 ? "|" : "",
		    SLICE_ARG(values.at[i]));
	s = arena_cstr(&arena, buf_slice(&out));
	buf_release(&out);
	return s;
}

static void
fill(struct packages *set, struct msg_artifact *a, const char *role,
    const char *text, unsigned places)
{
	const struct package *p = packages_find(set, a->type);
	struct trigger_result r = match(set, role, text);

	fill_fields(&arena, p, &r, &r.fires[p - packages_at(set, 0)], places,
	    a);
	fill_words(&arena, p, a);
}

static void
test_bugreport(struct packages *set)
{
	struct msg_artifact a = { .type = SLICE("bugreport") };
	const struct package *p = packages_find(set, a.type);

	talk = (struct msg_talk){ 0 };
	fill(set, &a, "user", "The export crashes with this:\n```\nTraceback "
	    "(most recent call last):\n  File \"x.py\", line 3\nKeyError: "
	    "'name'\n```\nSteps:\n1. Open the list\n2. Click on export\n",
	    PLACE_opening);
	is(field(&a, "error"), "KeyError: 'name'", "the error that was pasted");
	is(field(&a, "repro_steps"), "Open the list|Click on export",
	    "the steps");
	ok(fill_missing(p, &a) != NULL &&
	    slice_is(fill_missing(p, &a)->name, "fix"), "the fix is missing");
	ok(a.summary.len > 0 && a.resolution.len == 0,
	    "what has no value yet is not worded");
	fill(set, &a, "assistant", "The row has no name; use get().",
	    PLACE_work);
	fill(set, &a, "user", "It happens when I select an empty row, too.",
	    PLACE_work);
	is(field(&a, "repro_steps"), "Open the list|Click on export|"
	    "It happens when I select an empty row, too", "a list grows");
	fill(set, &a, "user", "Using get() instead fixed it, thanks!",
	    PLACE_resolving);
	is(field(&a, "fix"), "Using get() instead fixed it", "the fix");
	is(arena_cstr(&arena, a.resolution), "Using get() instead fixed it",
	    "is the resolution");
	ok(fill_missing(p, &a) == NULL, "now it is whole");
}

static void
test_fields(struct packages *set)
{
	struct msg_artifact fact = { .type = SLICE("fact"), .confidence = 750 };
	struct msg_artifact event = { .type = SLICE("event") };
	struct packages *own = parse(good);
	struct msg_artifact dish = { .type = SLICE("recipe") };

	talk = (struct msg_talk){ 0 };
	fill(set, &fact, "user", "what's the capital of France?",
	    PLACE_opening);
	fill(set, &fact, "assistant", "Paris.", PLACE_resolving);
	is(arena_cstr(&arena, fact.summary),
	    "What's the capital of France? Paris",
	    "a short answer stands behind its question");
	is(field(&fact, "source"), "assistant", "its source");
	is(field(&fact, "confidence"), "0.750", "its confidence");
	fill(set, &event, "user", "I have a dentist appointment tomorrow at "
	    "3pm", PLACE_all);
	is(field(&event, "time"), "2025-11-06T15:00", "a time");
	is_int(event.expires_at, TS + 27 * 3600000LL, "when it is over");
	fill(own, &dish, "user", "Hi! Yesterday we baked a great bread in 45 "
	    "minutes. It was good.", PLACE_all);
	is(arena_cstr(&arena, dish.summary),
	    "Cooked: Yesterday we baked a great bread in 45 minutes, 45 "
	    "minutes", "a template and a number");
	packages_close(&own);
}

int
main(void)
{
	struct packages *set;

	arena_init(&arena);
	test_good();
	test_refused();
	test_set();
	engine = test_engine();
	if (engine != NULL && (set = shipped()) != NULL) {
		is_int((long long)packages_count(set), 7,
		    "five, and the examples");
		test_triggers(set);
		test_bugreport(set);
		test_fields(set);
		packages_close(&set);
	}
	engine_close(&engine);
	arena_release(&arena);
	return done();
}
