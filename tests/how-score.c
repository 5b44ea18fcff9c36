/*
 * how-score - what is seen of the sentences that may tell how efforts ended
 *
 * usage: how-score < EFFORTS
 *
 * For training.  EFFORTS has a JSON line per effort: {"doc", "room", "turns":
 * [{"role", "user", "text", "why"}]}, the turns of its thread up to the one
 * that ends it.  `why` is empty for a turn of something else, else as the
 * section says it: opened, continued, attempt (what was tried has failed),
 * reopened, resolved.  Prints a line per candidate: {"doc", "turn", "text"
 * (as it would be shown), "said" (empty: its words do not count), "marks"}, the
 * marks in the order of compactor/effort_how.def.
 */
#include <err.h>

#include "classify/describe.h"
#include "compactor/effort.h"
#include "compactor/effort_how_impl.h"
#include "compactor/package_decide.h"
#include "tests/json-text.h"

enum { CANDIDATES = 1000 };

struct candidate {
	struct msg_a_how how;
	struct how_marks marks;
	struct slice said;	/* the sentence as it was said */
};

struct scorer {
	struct engine *engine;
	struct compact c;
	struct effort_state s;
	struct stage_entry entry;
	struct msg_envelope envelope;
	struct candidate list[CANDIDATES];
	size_t count;
};

static void
print(const struct candidate *k, struct slice doc)
{
	json_t *marks = json_array(), *line;
	size_t i;

	for (i = 0; i < MARK_COUNT; i++)
		json_array_append_new(marks, json_integer(k->marks.of[i]));
	line = json_pack("{s:s%, s:I, s:s%, s:s%, s:o}", "doc", doc.ptr,
	    doc.len, "turn", (json_int_t)k->how.turn, "text",
	    k->how.text.ptr, k->how.text.len, "said", k->said.ptr,
	    k->said.len, "marks", marks);
	if (line == NULL)
		errx(1, "a line cannot be made");
	json_dumpf(line, stdout, JSON_COMPACT | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(line);
}

static struct candidate *
next_of(struct scorer *x)
{
	if (x->count == CANDIDATES)
		errx(1, "more than %d candidates", CANDIDATES);
	return &x->list[x->count];
}

/* As effort_how_note does, and none is dropped. */
static void
take_sentences(struct scorer *x, const struct msg_a_work *w, struct told *k,
    const struct how_end *end)
{
	struct candidate *next;
	size_t i;

	*next_of(x) = (struct candidate){ .said = SLICE("") };
	if (how_weigh_tried(&x->s, k, &next_of(x)->how, &next_of(x)->marks)) {
		x->count++;
		return;
	}
	for (i = 0; i < told_count(k); i++) {
		next = next_of(x);
		told_read(k, i);
		if (!how_weigh(&x->s, w, k, &next->how, &next->marks))
			continue;
		next->how.text = how_text(&x->s, k, i);
		if (k->ends)
			how_mark_last(w, k, &next->how, end, &next->marks);
		next->said = k->text;
		x->count++;
	}
}

static void
note(struct scorer *x, const struct msg_a_work *w,
    const struct compact_turn *t)
{
	struct words room;
	struct told k;
	struct msg_strs said = { NULL, 0 };
	size_t i;

	told_on_way(&k, &x->s, w, t, &room);
	how_words(x->c.arena, t, &said);
	for (i = 0; !k.other && !effort_is_idle_talk(t) && i < x->count; i++)
		if (how_is_passed(&x->list[i].how, t, &said))
			x->list[i].marks.of[MARK_passed]++;
	take_sentences(x, w, &k, NULL);
}

/* As effort_how does. */
static void
end(struct scorer *x, const struct msg_a_work *w,
    const struct compact_turn *t, bool choice)
{
	struct how_end how = { .choosing = choice };
	struct msg_strs said = { NULL, 0 };
	struct words room;
	struct told k;
	size_t i;

	if (package_opens(&x->c, t, "decision") > 0 ||
	    (choice && effort_picks(t)))
		how.choice = package_sentence(&x->c, t, "decision");
	how_words(x->c.arena, t, &said);
	for (i = 0; i < x->count; i++)
		how_mark_end(w, &x->list[i].how, t->number, &said,
		    &x->list[i].marks);
	told_at_end(&k, w, t, &how, &room);
	take_sentences(x, w, &k, &how);
}

static struct compact_turn
turn_of(struct scorer *x, const json_t *json, struct msg_talk *talk,
    uint64_t number)
{
	static const struct msg_h_turn nowhere;
	struct msg_c_turn *does = arena_alloc(x->c.arena, sizeof(*does));
	struct compact_turn t = { .number = number, .role = text_of(json,
		"role"), .user = text_of(json, "user"), .text = text_of(json,
		"text"), .does = does, .flows = &nowhere };
	struct act_context context = talk_context(talk, t.user, t.role,
	    x->c.arena);

	describe_turn(x->engine, x->c.arena, t.text, &context,
	    1706000000000, 0, does);
	talk_after(talk, t.user, t.role, t.text, does, x->c.arena);
	return t;
}

static void
score(struct scorer *x, const json_t *effort)
{
	const json_t *turns = json_object_get(effort, "turns");
	struct msg_a_work w0 = { .key = SLICE("a1.0"),
		.status = SLICE("open") };
	struct msg_talk talk = { 0 };
	struct msg_a_work *w;
	struct compact_turn t;
	struct msg_a_turn is;
	bool choice = false;
	size_t i;

	x->count = 0;
	x->envelope = (struct msg_envelope){ 0 };
	if (json_is_true(json_object_get(effort, "room")))
		x->envelope.room = text_of(effort, "doc");
	x->s = (struct effort_state){ .c = &x->c };
	x->s.thread.works = &w0;
	x->s.thread.n_works = 1;
	for (i = 0; i < json_array_size(turns); i++) {
		t = turn_of(x, json_array_get(turns, i), &talk, i + 1);
		x->c.hits = NULL;
		is = (struct msg_a_turn){ .tokens = 1, .why = text_of(
			json_array_get(turns, i), "why") };
		if (is.why.len > 0)
			is.effort = w0.key;
		if (slice_is(is.why, "opened")) {
			x->s.thread.works[0].owner = t.user;
			choice = effort_is_choice(t.text);
		}
		w = effort_work(&x->s, SLICE("a1.0"));
		if (slice_is(is.why, "resolved"))
			end(x, w, &t, choice);
		else if (effort_why_ends(is.why))
			x->count = 0;
		else if (is.why.len > 0 && !slice_is(is.why, "opened") &&
		    !t.does->machine)
			note(x, w, &t);
		effort_state_take(&x->s, &t, &is);
	}
	for (i = 0; i < x->count; i++)
		print(&x->list[i], text_of(effort, "doc"));
}

int
main(int argc, char **argv)
{
	static struct scorer x;
	struct conf_error wrong;
	struct arena arena;
	struct conf conf;
	struct buf why;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	if (argc != 1)
		errx(100, "usage: %s < EFFORTS", argv[0]);
	buf_init(&why, 4096);
	arena_init(&arena);
	conf_init(&conf, "/nonexistent");
	if (conf_read_env(&conf, &wrong) != 0)
		errx(1, "a setting in the environment cannot be read");
	x.engine = engine_open(&conf, &why);
	x.c = (struct compact){ .arena = &arena, .conf = &conf,
		.envelope = &x.envelope, .e = &x.entry, .seq = 1,
		.packages = packages_open(&conf, &why) };
	if (x.engine == NULL || x.c.packages == NULL)
		errx(1, "%s", buf_cstr(&why));
	x.entry.entry.id = MSG_turn;
	while ((len = getline(&line, &room, stdin)) > 0) {
		json_t *effort = json_loadb(line, (size_t)len, 0, NULL);

		if (effort == NULL)
			errx(1, "a line is no JSON");
		score(&x, effort);
		json_decref(effort);
		arena_reset(&arena);
	}
	return 0;
}
