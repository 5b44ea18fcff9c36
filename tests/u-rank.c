/*
 * u-rank - which sentence tells how an effort ended: marks, weights, choice
 */
#include <stdlib.h>
#include <unistd.h>

#include "common/xmalloc.h"
#include "compactor/effort.h"
#include "compactor/effort_how_impl.h"
#include "tests/engine.h"

static const char rank_file[] = SKEIN_SOURCE_DIR "/compactor/data/rank.model";
static const char how_file[] = SKEIN_SOURCE_DIR "/compactor/data/how.model";

/* ---- the file ---- */

static struct effort_rank *
open_text(const char *text, size_t len, struct buf *why)
{
	char path[] = "/tmp/skein-rank.XXXXXX";
	int fd = mkstemp(path);
	struct effort_rank *rank;

	if (fd == -1 || write(fd, text, len) != (ssize_t)len)
		abort();
	close(fd);
	buf_clear(why);
	rank = effort_rank_open(path, why);
	unlink(path);
	return rank;
}

static char *
file_text(size_t *len)
{
	FILE *f = fopen(rank_file, "re");
	char *text = xmalloc(1 << 16);

	*len = f == NULL ? 0 : fread(text, 1, 1 << 16, f);
	if (f != NULL)
		fclose(f);
	return text;
}

static void
refuses(const char *what, const char *text, size_t len)
{
	struct effort_rank *rank;
	struct buf why;

	buf_init(&why, 4096);
	rank = open_text(text, len, &why);
	ok(rank == NULL && strchr(buf_cstr(&why), '\n') == NULL &&
	    strstr(buf_cstr(&why), "no weights that fit") != NULL,
	    "refused: %s", what);
	effort_rank_close(&rank);
	buf_release(&why);
}

static void
test_file(void)
{
	struct effort_rank *rank;
	size_t len, cut;
	struct buf why;
	char *text = file_text(&len), *line;

	buf_init(&why, 4096);
	rank = open_text(text, len, &why);
	ok(rank != NULL, "the shipped weights are read");
	effort_rank_close(&rank);
	ok(rank == NULL, "and closed");
	rank = effort_rank_open("/nonexistent/rank.model", &why);
	ok(rank == NULL && buf_slice(&why).len > 0, "no file is said");
	refuses("an empty file", "", 0);
	refuses("another kind of file", "skein how 1 marks 68\n", 21);
	refuses("another revision", "skein rank 2 marks 68\n", 22);
	cut = len - 1;
	while (cut > 0 && text[cut - 1] != '\n')
		cut--;
	refuses("the last line is missing", text, cut);
	refuses("the last line is cut", text, len - 1);
	memcpy(text + len, "more\t1\n", 7);
	refuses("a line too many", text, len + 7);
	line = memchr(text, '\n', len);
	line[1] = 'x';
	refuses("a mark that is not known", text, len);
	free(text);
	buf_release(&why);
}

static void
test_points(struct effort_rank *rank)
{
	struct how_marks one = { .of[MARK_bids] = 1 };
	struct how_marks two = { .of[MARK_content] = 2 };
	struct how_marks both = { .of[MARK_bids] = 1, .of[MARK_content] = 2 };

	ok(effort_rank_points(rank, &both) == effort_rank_points(rank, &one) +
	    effort_rank_points(rank, &two), "marks add up");
	ok(effort_rank_points(NULL, &both) == 0, "without weights to nothing");
	ok(effort_rank_points(rank, &one) > 0, "what to do speaks for it");
	ok(strcmp(how_mark_name(MARK_bids), "bids") == 0, "marks have names");
}

/* ---- marks ---- */

struct said {
	const char *role;
	const char *why;
	const char *text;
};

static struct compact_turn
turn_of(struct engine *engine, struct arena *arena, const struct said *said,
    struct msg_talk *talk, uint64_t number)
{
	static const struct msg_h_turn nowhere;
	struct msg_c_turn *does = arena_alloc(arena, sizeof(*does));
	struct compact_turn t = { .number = number,
		.role = slice_str(said->role), .user = SLICE("ann"),
		.text = slice_str(said->text), .does = does,
		.flows = &nowhere };
	struct act_context context = talk_context(talk, t.user, t.role, arena);

	describe_turn(engine, arena, t.text, &context, 1706000000000, 0, does);
	talk_after(talk, t.user, t.role, t.text, does, arena);
	return t;
}

/* Of the first sentence that has the words. */
static struct how_marks
marks_of(struct engine *engine, struct arena *arena, const char *text,
    const char *words)
{
	const struct said said = { "assistant", "continued", text };
	struct msg_a_work w = { .owner = SLICE("ann") };
	struct effort_state s = { 0 };
	struct how_marks m = { { 0 } };
	struct msg_talk talk = { 0 };
	struct compact_turn t = turn_of(engine, arena, &said, &talk, 2);
	struct words room;
	struct told k;
	size_t i;

	told_on_way(&k, &s, &w, &t, &room);
	for (i = 0; i < told_count(&k); i++) {
		told_read(&k, i);
		if (memmem(k.text.ptr, k.text.len, words, strlen(words)) ==
		    NULL)
			continue;
		told_marks(&k, &w, &m);
		return m;
	}
	ok(false, "\"%s\" is a sentence", words);
	return m;
}

static void
test_marks(struct engine *engine, struct arena *arena)
{
	static const char report[] = "I looked into it.\n\n## Root cause\nThe "
	    "token was read before it was set.\n\n## Fix\n- moved the lookup "
	    "into the page\n- removed the old effect\n\n**Tests**\nAll 31 "
	    "tests pass in 4 s.";
	static const char advice[] = "Your client is too old for that. Update "
	    "it to 4.2 and restart.";
	static const struct {
		const char *text, *words;
		enum how_mark mark;
		int is;
	} rows[] = {
		{ report, "token was", MARK_cause, 1 },
		{ report, "token was", MARK_explains, 1 },
		{ report, "moved the", MARK_fix, 1 },
		{ report, "moved the", MARK_item, 1 },
		{ report, "moved the", MARK_top, 1 },
		{ report, "removed the", MARK_top, 0 },
		{ report, "moved the", MARK_deed, 1 },
		{ report, "All 31", MARK_rest, 1 },
		{ report, "All 31", MARK_fix, 0 },
		{ report, "All 31", MARK_proof, 1 },
		{ report, "All 31", MARK_figure, 1 },
		{ report, "All 31", MARK_last, 1 },
		{ advice, "too old", MARK_explains, 1 },
		{ advice, "too old", MARK_first, 1 },
		{ advice, "Update", MARK_bids, 1 },
		{ advice, "Update", MARK_acts, 1 },
		{ advice, "Update", MARK_explains, 0 },
		{ "Fix: the job waits for the file.", "Fix", MARK_fix, 1 },
		{ "Fix: the job waits for the file.", "Fix", MARK_alone, 1 },
		{ "He will be there at two.", "will", MARK_will, 1 },
		{ "Perhaps the cable is loose.", "cable", MARK_perhaps, 1 },
		{ "Set `debug = 1` there.", "debug", MARK_code, 1 },
		{ "I renamed it. Is that right?", "renamed", MARK_asks, 1 },
	};
	struct how_marks m;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		m = marks_of(engine, arena, rows[i].text, rows[i].words);
		ok(m.of[rows[i].mark] == rows[i].is, "\"%s\" %s %s",
		    rows[i].words, rows[i].is ? "is" : "is not",
		    how_mark_name(rows[i].mark));
	}
}

/* A look at each digit's rest would last for hours. */
static void
test_long(struct engine *engine, struct arena *arena)
{
	static const char tail[] = " in 4 seconds.";
	enum { DIGITS = 1000000 };
	char *text = xmalloc(DIGITS + sizeof(tail));
	struct how_marks m;

	memset(text, '7', DIGITS);
	memcpy(text + DIGITS, ".", 2);
	m = marks_of(engine, arena, text, "777");
	ok(m.of[MARK_figure] == 0, "a million digits are no measure");
	memcpy(text + DIGITS, tail, sizeof(tail));
	m = marks_of(engine, arena, text, "777");
	ok(m.of[MARK_figure] == 1, "what is behind them is one");
	free(text);
}

/* ---- the choice ---- */

/* The turns of an effort; the last one ends it. */
static struct slice
how_of(struct engine *engine, struct compact *c, const struct said *said)
{
	struct msg_a_work w = { .key = SLICE("a1.0"), .owner = SLICE("ann"),
		.status = SLICE("open") };
	struct effort_state s = { .c = c, .thread = { .works = &w,
		.n_works = 1 } };
	struct msg_talk talk = { 0 };
	struct compact_turn t;
	uint64_t number = 1;

	for (; said->role != NULL; said++, number++) {
		struct msg_a_turn is = { .effort = SLICE("a1.0"),
			.why = slice_str(said->why) };

		t = turn_of(engine, c->arena, said, &talk, number);
		if (said[1].role == NULL)
			break;
		effort_state_take(&s, &t, &is);
	}
	return effort_how(&s, effort_work(&s, SLICE("a1.0")), &t,
	    &(struct how_end){ 0 });
}

static void
test_choice(struct engine *engine, struct compact *c)
{
	static const struct said fix[] = {
		{ "user", "opened", "the upload page shows an error 413" },
		{ "assistant", "continued", "The server refuses bodies that "
		    "are larger than a megabyte. Raise client_max_body_size "
		    "to 20m and reload it." },
		{ "user", "resolved", "works now, thanks" },
		{ NULL, NULL, NULL } };
	static const struct said found[] = {
		{ "user", "opened", "the printer prints blank pages" },
		{ "assistant", "continued", "Have you replaced the toner?" },
		{ "user", "continued", "yes yesterday" },
		{ "user", "resolved", "oh, it was the orange strip on the new "
		    "cartridge" },
		{ NULL, NULL, NULL } };
	static const struct said failed[] = {
		{ "user", "opened", "the wifi drops every ten minutes" },
		{ "assistant", "continued", "Turn off power saving for the "
		    "adapter." },
		{ "user", "attempt", "no change" },
		{ "assistant", "continued", "Install the older firmware." },
		{ "user", "resolved", "great, stable since yesterday" },
		{ NULL, NULL, NULL } };
	static const struct said nothing[] = {
		{ "user", "opened", "please rename the table" },
		{ "user", "resolved", "thanks" },
		{ NULL, NULL, NULL } };

	ok(slice_is(how_of(engine, c, fix),
	    "Raise client_max_body_size to 20m and reload it"),
	    "what to do, not why");
	ok(slice_is(how_of(engine, c, found),
	    "It was the orange strip on the new cartridge"),
	    "what the owner says was wrong");
	ok(slice_is(how_of(engine, c, failed), "Install the older firmware"),
	    "nothing of what failed");
	ok(how_of(engine, c, nothing).len == 0, "thanks tell nothing");
	c->rank = NULL;
	ok(slice_is(how_of(engine, c, fix), "Works now"),
	    "without weights the last that may tell");
}

int
main(void)
{
	struct engine *engine = test_engine();
	struct msg_envelope envelope = { 0 };
	struct effort_rank *rank;
	struct arena arena;
	struct compact c;
	struct buf why;

	buf_init(&why, 4096);
	arena_init(&arena);
	rank = effort_rank_open(rank_file, &why);
	c = (struct compact){ .arena = &arena, .envelope = &envelope,
		.rank = rank, .how = linear_open(&how_spec, how_file, &why) };
	test_file();
	if (ok(engine != NULL && rank != NULL && c.how != NULL,
		"all models open")) {
		test_points(rank);
		test_marks(engine, &arena);
		test_long(engine, &arena);
		test_choice(engine, &c);
	}
	linear_close(&c.how);
	effort_rank_close(&rank);
	engine_close(&engine);
	arena_release(&arena);
	buf_release(&why);
	return done();
}
