/*
 * u-acts - the cascade on the tables of the seed and on labelled sentences
 *
 * The labelled file has two parts: `dev` could be looked at while rules were
 * written, `test` was labelled first and only ever counted.
 */
#include <stdio.h>
#include <stdlib.h>

#include "classify/acts.h"
#include "classify/model.h"
#include "classify/rules.h"
#include "classify/thread_state.h"
#include "common/buf.h"
#include "common/xmalloc.h"
#include "tests/tap.h"

#ifndef SKEIN_SOURCE_DIR
#define SKEIN_SOURCE_DIR "."
#endif

static struct acts acts;
static struct model *model;
static struct arena arena;

static char *
source_path(const char *name)
{
	const char *root = getenv("SKEIN_SOURCE_DIR");

	return xasprintf("%s/classify/data/%s",
	    root != NULL ? root : SKEIN_SOURCE_DIR, name);
}

static bool
acts_open(void)
{
	char *rules = source_path("acts.rules");
	char *weights = source_path("acts.model");
	const char *paths[] = { rules };
	struct buf why;

	buf_init(&why, 4096);
	acts.rules = rules_open(paths, 1, &why);
	if (!ok(acts.rules != NULL, "the shipped rules load"))
		printf("# %s\n", buf_cstr(&why));
	buf_clear(&why);
	acts.model = model = model_open(weights, &why);
	if (!ok(model != NULL, "the shipped model loads"))
		printf("# %s\n", buf_cstr(&why));
	buf_release(&why);
	free(rules);
	free(weights);
	return acts.rules != NULL;
}

static struct act_verdict
judge(const char *text, enum speaker speaker)
{
	struct act_context context = { .speaker = speaker };
	struct act_turn turn;

	acts_turn(&acts, &arena, slice_str(text), &context, &turn);
	return turn.whole;
}

static void
says(const char *text, enum act act, unsigned flags)
{
	struct act_verdict v = judge(text, SPEAKER_user);

	ok(v.act == act && v.flags == flags, "\"%s\" is %s, flags %u", text,
	    act_name(act), flags);
	if (v.act != act || v.flags != flags)
		printf("# got %s, flags %u, level %d, %.*s\n", act_name(v.act),
		    v.flags, v.level, SLICE_ARG(v.rule));
}

/* Seed 2: "Subject doesn't matter, structure does", and "Dialogue Acts". */
static void
test_seed_tables(void)
{
	says("hello how are you?", ACT_greeting, 0);
	says("lets solve a bug", ACT_request, FLAG_opens);
	says("i want to learn about ww2", ACT_request, FLAG_opens);
	says("i got in a bad fight with my gf", ACT_inform, 0);
	says("what's the capital of France?", ACT_question, 0);
	says("that fixed it, thanks!", ACT_accept, FLAG_concludes);
	says("I'll go with option A", ACT_commit, FLAG_decides);

	says("hi", ACT_greeting, 0);
	says("hello", ACT_greeting, 0);
	says("what is X?", ACT_question, 0);
	says("help me with X", ACT_request, FLAG_opens);
	says("I did X yesterday", ACT_inform, 0);
	says("I'll do X", ACT_commit, 0);
	says("that works, thanks", ACT_accept, FLAG_concludes);
	says("no that's not it", ACT_reject, 0);
}

/* Seed 2: "Efficient Cascading Detection", and the dialogues around it. */
static void
test_seed_cascade(void)
{
	struct act_verdict v = judge("lets debug this auth issue", SPEAKER_user);

	is_int(v.level, LEVEL_rule, "\"lets debug this auth issue\": a rule");
	ok(v.act == ACT_request && v.flags == FLAG_opens, "it opens an effort");
	ok(v.by != NULL && v.by->line > 0, "the rule is named, with its line");
	v = judge("I had a weird experience yesterday", SPEAKER_user);
	ok(v.by == NULL, "\"I had a weird experience yesterday\": no rule");
	is_int(v.act, ACT_inform, "it is a statement");
	if (acts.model != NULL)
		is_int(v.level, LEVEL_model, "the model says so");
	ok((judge("I want to learn about WW2", SPEAKER_user).flags &
	    FLAG_opens) != 0, "\"I want to learn about WW2\" opens");
	is_int(judge("WW2 started in 1939", SPEAKER_user).flags, 0,
	    "\"WW2 started in 1939\" does not");
	says("I'm getting a weird error in auth", ACT_inform, FLAG_opens);
	says("also, remind me to call mom later", ACT_request, 0);
	says("back to that bug - I tried X", ACT_inform, FLAG_returns);
	says("that fixed it!", ACT_accept, FLAG_concludes);
	says("Oh! Token was expired, works now!", ACT_accept, FLAG_concludes);
	is_int(judge("Done! I fixed it", SPEAKER_assistant).flags, 0,
	    "an assistant's \"I fixed it\" concludes nothing");
	is_int(judge("You're welcome", SPEAKER_assistant).act, ACT_greeting,
	    "\"You're welcome\" is a greeting");
}

static void
test_hard_negatives(void)
{
	says("does it work now?", ACT_question, 0);
	is_int(judge("that didn't fix it", SPEAKER_user).flags, 0,
	    "\"that didn't fix it\" concludes nothing");
	is_int(judge("not working yet", SPEAKER_user).flags & FLAG_concludes, 0,
	    "\"not working yet\" concludes nothing");
	is_int(judge("if it works I'll tell you", SPEAKER_user).flags, 0,
	    "\"if it works I'll tell you\" concludes nothing");
	is_int(judge("she said it works", SPEAKER_user).flags, 0,
	    "\"she said it works\" concludes nothing");
	says("thanks", ACT_greeting, 0);
}

/* What the turn before makes of a plain word. */
static void
test_context(void)
{
	struct thread_state state = { 0 };
	struct act_verdict v = judge("Shall I restart it?", SPEAKER_assistant);
	struct act_context c;

	state.effort_open = true;
	state = thread_state_after(state, SPEAKER_assistant, &v);
	c = thread_context(&state, SLICE("Shall I restart it?"), SPEAKER_user,
	    false);
	acts_sentence(&acts, SLICE("yes"), &c, &v);
	ok(v.act == ACT_accept && v.flags == 0,
	    "\"yes\" to a question is an answer and concludes nothing");
	acts_sentence(&acts, SLICE("no"), &c, &v);
	is_int(v.act, ACT_reject, "\"no\" is one too");
	ok(state.effort_open && state.solution_offered, "an effort, an offer");
	v.flags = FLAG_concludes;
	state = thread_state_after(state, SPEAKER_user, &v);
	ok(!state.effort_open && !state.solution_offered, "concluded");
}

static void
test_sentences(void)
{
	struct act_context c = { .speaker = SPEAKER_user };
	struct act_turn turn;

	acts_turn(&acts, &arena, SLICE("That fixed it, thanks! Now please add "
	    "a test for it."), &c, &turn);
	is_int((long long)turn.count, 2, "two sentences");
	is_int(turn.sentences[0].verdict.act, ACT_accept, "one accepts");
	is_int(turn.sentences[1].verdict.act, ACT_request, "one asks");
	is_int(turn.whole.act, ACT_request, "the whole asks");
	is_int((long long)turn.deciding, 1, "by its second sentence");
	ok(turn.whole.flags & FLAG_concludes, "and keeps the conclusion");
	acts_turn(&acts, &arena, SLICE("It works now! No wait, that's not it."),
	    &c, &turn);
	ok(!(turn.whole.flags & FLAG_concludes), "a later no takes it back");
	acts_turn(&acts, &arena, SLICE("```\nthat fixed it\n```\n"), &c, &turn);
	is_int(turn.whole.flags, 0, "code concludes nothing");
	acts_turn(&acts, &arena, SLICE(""), &c, &turn);
	ok(turn.count == 0 && turn.whole.act == ACT_none &&
	    turn.whole.level == LEVEL_none, "nothing is nothing");
}

static void
test_other_languages(void)
{
	struct act_verdict v = judge("これは何ですか？", SPEAKER_user);

	is_int(v.act, ACT_question, "a question mark of any script");
	v = judge("no funciona la impresora", SPEAKER_user);
	ok(v.by == NULL && v.level == LEVEL_none,
	    "no act is forced on another language");
	v = judge("привет, как дела", SPEAKER_user);
	is_int(v.level, LEVEL_none, "nor on another script");
}

/*
 * The labelled file.
 */

struct tally {
	unsigned count, right;
	unsigned hit[4], extra[4], missed[4];
};

static char *
take_column(char **rest)
{
	char *column = *rest, *end = column + strcspn(column, "\t\n");

	*rest = *end != '\0' ? end + 1 : end;
	*end = '\0';
	return column;
}

static void
unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from != '\0'; from++)
		if (from[0] == '\\' && from[1] == 'n') {
			*to++ = '\n';
			from++;
		} else {
			*to++ = *from;
		}
	*to = '\0';
}

static enum speaker
speaker_of(const char *name)
{
	return strncmp(name, "assistant", 9) == 0 ? SPEAKER_assistant :
	    SPEAKER_user;
}

static struct act_context
context_of(const char *before, enum speaker speaker)
{
	enum speaker other = speaker_of(before);
	/* Who is answered by an assistant has asked for something. */
	struct thread_state state = {
		.effort_open = other == SPEAKER_assistant,
	};
	struct act_verdict v;

	if (strcmp(before, "-") == 0)
		return (struct act_context){ .speaker = speaker };
	before = strchr(before, ':') + 2;
	v = judge(before, other);
	state = thread_state_after(state, other, &v);
	return thread_context(&state, slice_str(before), speaker,
	    other == speaker);
}

static unsigned
flags_of(const char *names)
{
	unsigned flags = 0;

	for (unsigned bit = 0; act_flag_name(bit) != NULL; bit++)
		if (strstr(names, act_flag_name(bit)) != NULL)
			flags |= 1u << bit;
	return flags;
}

static void
tally_line(struct tally tallies[2], char *line)
{
	struct tally *t = &tallies[strcmp(take_column(&line), "test") == 0];
	char *before = take_column(&line), *who = take_column(&line);
	char *text = take_column(&line), *name = take_column(&line);
	unsigned flags = flags_of(take_column(&line)), got;
	struct act_context c = context_of(before, speaker_of(who));
	struct act_turn turn;
	enum act act;

	unescape(text);
	if (act_parse(slice_str(name), &act) < 0) {
		ok(false, "the labelled file has an act '%s'", name);
		return;
	}
	acts_turn(&acts, &arena, slice_str(text), &c, &turn);
	got = turn.whole.flags;
	t->count++;
	t->right += turn.whole.act == act;
	for (unsigned bit = 0; bit < 4; bit++) {
		t->hit[bit] += got & flags & 1u << bit ? 1 : 0;
		t->extra[bit] += got & ~flags & 1u << bit ? 1 : 0;
		t->missed[bit] += flags & ~got & 1u << bit ? 1 : 0;
	}
	arena_reset(&arena);
}

static double
share(unsigned part, unsigned rest)
{
	return part + rest > 0 ? 100.0 * part / (part + rest) : 100.0;
}

static void
tally_report(const char *part, const struct tally *t)
{
	double right = share(t->right, t->count - t->right);

	ok(right >= 95, "%s: %u sentences, %.1f %% have the right act", part,
	    t->count, right);
	for (unsigned bit = 0; bit < 4; bit++) {
		double p = share(t->hit[bit], t->extra[bit]);
		double r = share(t->hit[bit], t->missed[bit]);

		ok(p >= 90 && r >= 90, "%s: %s, precision %.1f, recall %.1f "
		    "of %u", part, act_flag_name(bit), p, r,
		    t->hit[bit] + t->missed[bit]);
	}
}

static void
test_labelled(void)
{
	char *path = source_path("acts.labelled.tsv"), *line = NULL;
	FILE *f = fopen(path, "re");
	struct tally tallies[2] = { 0 };
	size_t room = 0;

	if (ok(f != NULL, "the labelled sentences are there")) {
		while (getline(&line, &room, f) > 0)
			if (line[0] != '#')
				tally_line(tallies, line);
		fclose(f);
		tally_report("dev", &tallies[0]);
		tally_report("test", &tallies[1]);
	}
	free(line);
	free(path);
}

int
main(void)
{
	arena_init(&arena);
	if (acts_open()) {
		test_seed_tables();
		test_seed_cascade();
		test_hard_negatives();
		test_context();
		test_sentences();
		test_other_languages();
		test_labelled();
	}
	rules_close(&acts.rules);
	model_close(&model);
	arena_release(&arena);
	return done();
}
