/*
 * u-effort - artifacts' keys and turns, conflicts, wording, choosing
 */
#include "compactor/compact.h"
#include "compactor/conflict.h"
#include "compactor/effort.h"
#include "compactor/effort_words.h"
#include "tests/tap.h"

static struct arena arena;

static void
test_keys(void)
{
	static const char *const bad[] = { "", "a", "a1", "a1.", "a.1", "b1.0",
		"a0.0", "a01.0", "a1.00", "a1.0 ", "a1.0x", "a-1.0",
		"a99999999999999999999999.0" };
	uint64_t seq = 0, n = 0;
	size_t i;

	ok(artifact_parse(SLICE("a12.3"), &seq, &n) == 0 && seq == 12 && n == 3,
	    "a key is read");
	ok(slice_is(artifact_key(&arena, 12, 3), "a12.3"), "and written");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(artifact_parse(slice_str(bad[i]), &seq, &n) == -1,
		    "\"%s\" is no key", bad[i]);
}

/* "1-2 5-5", so that a failure can be read. */
static struct slice
ranges(const struct msg_u64s *turns)
{
	struct slice out = SLICE("");
	size_t i;

	for (i = 0; i + 1 < turns->count; i += 2)
		out = arena_printf(&arena, "%.*s%s%llu-%llu", SLICE_ARG(out),
		    i > 0 ? " " : "", (unsigned long long)turns->at[i],
		    (unsigned long long)turns->at[i + 1]);
	return out;
}

static void
test_turns(void)
{
	static const uint64_t in[] = { 5, 6, 9, 2, 7, 8, 3, 3, 1 };
	static const char *const out[] = { "5-5", "5-6", "5-6 9-9",
		"2-2 5-6 9-9", "2-2 5-7 9-9", "2-2 5-9", "2-3 5-9", "2-3 5-9",
		"1-3 5-9" };
	struct msg_u64s turns = { 0 }, others = { 0 };
	size_t i;

	for (i = 0; i < sizeof(in) / sizeof(in[0]); i++) {
		artifact_add_turn(&turns, &arena, in[i]);
		ok(slice_is(ranges(&turns), out[i]), "turn %llu gives %s",
		    (unsigned long long)in[i], out[i]);
	}
	artifact_add_elsewhere(&others, &arena, 7, 1);
	artifact_add_elsewhere(&others, &arena, 7, 2);
	artifact_add_elsewhere(&others, &arena, 7, 2);
	artifact_add_elsewhere(&others, &arena, 8, 1);
	ok(others.count == 6 && others.at[0] == 7 && others.at[2] == 2 &&
	    others.at[3] == 8, "turns of other threads go by thread");
}

static void
test_fields(void)
{
	struct msg_artifact a = { 0 };
	struct slice two[] = { SLICE("x"), SLICE("y") };

	artifact_set_field(&a, &arena, "goal", two, 1);
	artifact_set_field(&a, &arena, "attempts", two, 2);
	ok(a.n_fields == 2 && artifact_field(&a, "attempts").count == 2,
	    "fields are added");
	artifact_set_field(&a, &arena, "goal", two + 1, 1);
	ok(a.n_fields == 2 && slice_is(artifact_field(&a, "goal").at[0], "y"),
	    "and replaced");
	ok(artifact_field(&a, "none").count == 0, "one that is not there");
}

static void
test_conflicts(void)
{
	static const struct {
		const char *a, *b;
		bool disagree;
	} rows[] = {
		{ "The server uses port 80", "The server uses port 90", true },
		{ "The server uses port 80", "the server uses port 80.",
		    false },
		{ "It is 8080", "The staging server uses port 8080", false },
		{ "The capital is Canberra", "The capital is Sydney", true },
		{ "The cache is enabled", "The cache is not enabled", true },
		{ "We use Postgres for orders", "We use MySQL for orders",
		    true },
		{ "Run the linter first", "Ask the platform team", false },
		{ "", "The cache is enabled", false },
	};
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ok(conflict_between(&arena, slice_str(rows[i].a),
		    slice_str(rows[i].b)) == rows[i].disagree,
		    "\"%s\" and \"%s\"", rows[i].a, rows[i].b);
		ok(conflict_between(&arena, slice_str(rows[i].b),
		    slice_str(rows[i].a)) == rows[i].disagree,
		    "  and the other way round");
	}
}

static struct compact_turn
turn(const char *role, const char *text, const struct msg_c_turn *does)
{
	static const struct msg_h_turn nowhere;

	return (struct compact_turn){ .number = 2, .role = slice_str(role),
		.user = SLICE("ann"), .text = slice_str(text), .does = does,
		.flows = &nowhere };
}

static void
test_words(void)
{
	static const struct msg_c_turn inform = { .act = { "inform", 6 } };
	static const struct msg_c_turn request = { .act = { "request", 7 } };
	static const struct msg_c_turn question = { .act = { "question", 8 } };
	static const struct {
		const char *text;
		bool done;
	} reports[] = {
		{ "Done.", true }, { "I've fixed the null check.", true },
		{ "Your order has been placed.", true },
		{ "Booked: confirmation ABC123.", true },
		{ "The capital of France is Paris.", false },
		{ "It was created by root.", false },
		{ "Try restarting it.", false },
	};
	static const struct {
		const char *text;
		bool is;
	} reminders[] = {
		{ "also, remind me to call mom later", true },
		{ "don't let me forget the keys", true },
		{ "they remind me of home", false },
		{ "remind me what the port was", false },
		{ "", false },
	};
	struct compact_turn t;
	struct effort_try tried;
	size_t i;

	for (i = 0; i < sizeof(reports) / sizeof(reports[0]); i++) {
		t = turn("assistant", reports[i].text, &inform);
		ok(effort_is_report(&t) == reports[i].done, "report: %s",
		    reports[i].text);
	}
	for (i = 0; i < sizeof(reminders) / sizeof(reminders[0]); i++) {
		t = turn("user", reminders[i].text, &request);
		ok(effort_is_reminder(&t) == reminders[i].is,
		    "reminder: \"%s\"", reminders[i].text);
	}
	t = turn("assistant", "Try refreshing the token.", &request);
	tried = effort_tries(&arena, &t, true);
	ok(slice_is(tried.text, "Try refreshing the token") && !tried.suggested,
	    "what the other side proposes is tried");
	t = turn("assistant", "Have you tried turning it off?", &question);
	ok(effort_tries(&arena, &t, true).suggested, "a question may suggest");
	t = turn("assistant", "Which version is it?", &question);
	ok(effort_tries(&arena, &t, true).text.len == 0, "or only ask");
	t = turn("user", "back to that bug - I tried X", &inform);
	ok(slice_is(effort_tries(&arena, &t, false).text, "I tried X"),
	    "what the owner tried");
}

static void
test_outcomes(void)
{
	static const struct msg_c_turn inform = { .act = { "inform", 6 } };
	static const struct {
		bool (*test)(const struct compact_turn *);
		const char *what, *role, *text;
		bool is;
	} rows[] = {
		{ effort_tells_failure, "failure", "user",
		    "16 gives the same error", true },
		{ effort_tells_failure, "failure", "user",
		    "doesnt match electric cars", true },
		{ effort_tells_failure, "failure", "user", "nope", true },
		{ effort_tells_failure, "failure", "user",
		    "I don't know how to test that", false },
		{ effort_tells_failure, "failure", "user", "Berlin", false },
		{ effort_tells_failure, "failure", "user", "", false },
		{ effort_fails_again, "again", "user",
		    "hmm it dropped again just now", true },
		{ effort_fails_again, "again", "user", "hello again", false },
		{ effort_is_praise, "praise", "user", "oh perfect!", true },
		{ effort_is_praise, "praise", "user",
		    "\xf0\x9f\x91\x8d", true },
		{ effort_is_praise, "praise", "user", "ok thanks", false },
		{ effort_is_praise, "praise", "user",
		    "perfect weather for a walk", false },
		{ effort_asks_to_confirm, "confirm", "assistant",
		    "Please confirm: two tickets for Friday.", true },
		{ effort_asks_to_confirm, "confirm", "assistant",
		    "Two tickets, is that correct?", true },
		{ effort_asks_to_confirm, "confirm", "assistant",
		    "That is correct.", false },
		{ effort_asks_to_confirm, "confirm", "user",
		    "can you confirm?", false },
	};
	struct compact_turn t;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		t = turn(rows[i].role, rows[i].text, &inform);
		ok(rows[i].test(&t) == rows[i].is, "%s: \"%s\"",
		    rows[i].what, rows[i].text);
	}
}

static void
test_likeness(void)
{
	struct slice have[] = { SLICE("payment"), SLICE("form") };
	struct slice said[] = { SLICE("payment"), SLICE("button") };
	uint64_t weights[] = { 4000, 3000 };
	struct msg_strs keywords = { have, 2 };
	struct msg_c_claim claim = { .keywords = { said, 2 },
		.weights = { weights, 2 } };
	struct msg_c_turn does = { .claims = &claim, .n_claims = 1 };

	ok(effort_likeness(&keywords, &does) == 4000, "words in common count");
	keywords.count = 0;
	ok(effort_likeness(&keywords, &does) == 0, "none, nothing");
}

/* A state of two efforts: one resolved, one open that waits for an outcome. */
static void
test_choosing(void)
{
	static const struct msg_c_turn rejects = { .act = { "reject", 6 },
		.rule = { "still-fails", 11 } };
	static const struct msg_c_turn accepts = { .act = { "accept", 6 },
		.concludes = true };
	static const struct msg_c_turn thanks = { .act = { "greeting", 8 },
		.rule = { "thanks", 6 } };
	struct msg_s_compactor section = { 0 };
	struct stage_entry e = { .seq = 9 };
	struct msg_envelope envelope = { .user = SLICE("ann") };
	struct compact c = { .e = &e, .envelope = &envelope, .arena = &arena,
		.section = &section, .thread = 1 };
	struct msg_a_work works[] = {
		{ .key = SLICE("a3.0"), .status = SLICE("open"),
		    .owner = SLICE("ann"), .last = 1,
		    .trying = SLICE("Try it") },
		{ .key = SLICE("a1.0"), .status = SLICE("resolved"),
		    .owner = SLICE("ann"), .last = 1 } };
	struct msg_a_said last = { .number = 1, .seq = 8,
		.role = SLICE("assistant"), .effort = SLICE("a3.0"),
		.act = SLICE("request") };
	struct effort_state s = { .c = &c, .has_stream = true,
		.thread = { .works = works, .n_works = 2, .last = &last,
		    .n_last = 1 } };
	struct effort_signs none = { 0 }, ends = { .concludes = 900 };
	struct effort_choice choice;
	struct compact_turn t;

	t = turn("user", "didn't work", &rejects);
	choice = effort_choose(&s, &t, &none);
	ok(choice.move == EFFORT_REJECT && slice_is(choice.effort, "a3.0"),
	    "what was tried failed");
	t = turn("user", "that fixed it", &accepts);
	choice = effort_choose(&s, &t, &ends);
	ok(choice.move == EFFORT_RESOLVE && slice_is(choice.effort, "a3.0"),
	    "or it worked");
	t = turn("user", "thanks", &thanks);
	ok(effort_choose(&s, &t, &none).move == EFFORT_GO_ON,
	    "thanks for a proposal end nothing");
	works[0].report = SLICE("Done");
	works[0].report_turn = 1;
	ok(effort_choose(&s, &t, &none).move == EFFORT_RESOLVE,
	    "thanks for what is done do");
	t.user = SLICE("bob");
	ok(effort_choose(&s, &t, &none).move != EFFORT_RESOLVE,
	    "but not another's");
	last.effort = SLICE("a1.0");
	works[0].status = SLICE("resolved");
	t = turn("user", "it broke again", &rejects);
	choice = effort_choose(&s, &t, &none);
	ok(choice.move == EFFORT_REOPEN && slice_is(choice.effort, "a1.0"),
	    "what fails again is opened again");
	t = turn("user", "it works", &accepts);
	ok(effort_choose(&s, &t, &ends).move == EFFORT_CONFIRM,
	    "what is over cannot end twice");
	s.thread.n_works = s.thread.n_last = 0;
	ok(effort_choose(&s, &t, &ends).move == EFFORT_NONE,
	    "where there is none, nothing ends");
}

/* What the owner says of what was done, as p praise, w well, u used, ... */
static void
test_moods(void)
{
	static const struct msg_c_turn inform = { .act = { "inform", 6 } };
	static const struct {
		const char *text, *mood;
	} rows[] = {
		{ "beautiful, exactly what i was after", "p" },
		{ "silent as a mouse now", "w" },
		{ "now it does", "w" },
		{ "no more crashes", "w" },
		{ "it doesn't hang anymore", "w" },
		{ "great, merged", "pu" },
		{ "great idea", "?" },
		{ "ok great, will try", "?" },
		{ "works but it is slow", "b" },
		{ "it still fails", "b" },
		{ "now it says error 5", "b" },
		{ "rebooting now", "" },
	};
	struct effort_mood m;
	struct compact_turn t;
	struct slice is;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		t = turn("user", rows[i].text, &inform);
		m = effort_mood(&t);
		is = arena_printf(&arena, "%s%s%s%s%s", m.praise ? "p" : "",
		    m.well ? "w" : "", m.used ? "u" : "", m.bad ? "b" : "",
		    m.waits ? "?" : "");
		ok(slice_is(is, rows[i].mood), "mood of \"%s\": %.*s",
		    rows[i].text, SLICE_ARG(is));
	}
}

static void
test_asks(void)
{
	static const struct msg_c_turn inform = { .act = { "inform", 6 } };
	struct compact_turn t = turn("user", "ok lisbon", &inform);

	ok(effort_picks(&t), "a name is settled");
	t = turn("user", "ok but not lisbon", &inform);
	ok(!effort_picks(&t), "  or not");
	ok(effort_is_choice(SLICE("Lisbon or Athens in october")) &&
	    !effort_is_choice(SLICE("It dies every 5 hours or so")),
	    "a choice has two sides");
	t = turn("user", "no, that's fine", &inform);
	ok(effort_declines(&t), "what is offered on top is declined");
	t = turn("user", "no, the light is off", &inform);
	ok(!effort_declines(&t), "  a no that tells something does not");
	t = turn("user", "danke", &inform);
	ok(effort_is_thanks(&t), "thanks in another language");
	t = turn("user", "danke fuer nichts", &inform);
	ok(!effort_is_thanks(&t), "  and nothing else with them");
	t = turn("user", "and mongo", &inform);
	ok(effort_asks_likewise(&t), "it asks the same of another");
	t = turn("user", "and i like it", &inform);
	ok(!effort_asks_likewise(&t), "  a statement does not");
	t = turn("assistant", "It is hungry. Feed it twice a day.", &inform);
	ok(!effort_proposes(&t), "a whole turn is taken by its first words");
	t = turn("assistant", "Feed it twice a day.", &inform);
	ok(effort_proposes(&t), "what to do is told by its verb");
	ok(effort_promises(SLICE("A driver will pick it up")) &&
	    !effort_promises(SLICE("You will see it")),
	    "somebody else is going to do it");
}

int
main(void)
{
	arena_init(&arena);
	test_keys();
	test_turns();
	test_fields();
	test_conflicts();
	test_words();
	test_outcomes();
	test_moods();
	test_asks();
	test_likeness();
	test_choosing();
	arena_release(&arena);
	return done();
}
