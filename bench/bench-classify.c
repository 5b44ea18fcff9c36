/*
 * bench-classify - what a typical turn costs the classify stage
 *
 * usage: bench-classify rules|model|claims|turn ROUNDS JOIN DATA_DIR < TURNS
 *
 * TURNS is classify/data/acts.labelled.tsv: what people type, each with the
 * turn before it.  JOIN of them in a row are made one turn: 1 leaves them as
 * they are.  Prints "turns bytes calls us", the last the processor time of
 * all rounds.  The measured part is the function `measured`, so that callgrind
 * can be told to count in it alone (--toggle-collect=measured).
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "classify/claims.h"
#include "classify/describe.h"
#include "classify/model.h"
#include "classify/rules.h"
#include "common/xmalloc.h"

struct line {
	struct slice text, before;
	struct msg_talk talk;
	struct slice role;
	/* cut beforehand, for the parts */
	struct act_context context;
	struct sifted sifted;
	struct sentence *sentences;
	size_t n_sentences;
	struct slice *own;	/* of each sentence */
};

static struct {
	struct line *lines;
	size_t count, bytes;
	long join;
	struct arena kept, arena;
	struct engine *engine;
	struct rules *rules;
	struct model *model;
	struct claims_engine *claims;
	uint64_t calls;
} bench;

/* ---- the turns ---- */

static struct slice
take_column(char **rest)
{
	char *column = *rest;
	size_t len = strcspn(column, "\t\n");

	*rest = column + len + (column[len] != '\0');
	return slice_of(column, len);
}

static struct slice
unescape(struct slice s)
{
	char *to = arena_alloc(&bench.kept, s.len + 1);
	size_t i, n = 0;

	for (i = 0; i < s.len; i++)
		if (s.ptr[i] == '\\' && i + 1 < s.len && s.ptr[i + 1] == 'n') {
			to[n++] = '\n';
			i++;
		} else
			to[n++] = s.ptr[i];
	return slice_of(to, n);
}

static void
cut_line(struct line *l)
{
	struct sentence *s;

	l->context = talk_context(&l->talk, SLICE("u"), l->role, &bench.kept);
	l->sifted = sift_text(&bench.kept, l->text, l->context.speaker);
	l->n_sentences = sentences_of(&bench.kept, l->text, &l->sifted, &s);
	l->sentences = s;
	l->own = arena_array(&bench.kept, l->n_sentences + 1, sizeof(*l->own));
	for (size_t i = 0; i < l->n_sentences; i++)
		l->own[i] = sift_own(&bench.kept, l->text, &l->sifted,
		    s[i].at, s[i].len);
}

static void
add_line(long number, char *rest)
{
	struct slice before, role, text;
	const char *colon;
	struct line *l;

	(void)take_column(&rest);
	before = take_column(&rest);
	role = take_column(&rest);
	text = unescape(take_column(&rest));
	if (number % bench.join > 0) {
		l = &bench.lines[bench.count - 1];
		l->text = arena_printf(&bench.kept, "%.*s\n%.*s",
		    SLICE_ARG(l->text), SLICE_ARG(text));
		return;
	}
	bench.lines = xrealloc(bench.lines,
	    (bench.count + 1) * sizeof(bench.lines[0]));
	l = &bench.lines[bench.count++];
	*l = (struct line){ .text = text,
		.role = arena_dup(&bench.kept, role) };
	colon = memchr(before.ptr, ':', before.len);
	if (colon != NULL) {
		l->talk.role = arena_dup(&bench.kept,
		    slice_of(before.ptr, (size_t)(colon - before.ptr)));
		l->talk.user = SLICE("u");
		l->talk.act = SLICE("inform");
		l->talk.text = unescape(slice_of(colon + 2,
		    before.len - (size_t)(colon + 2 - before.ptr)));
	}
}

static void
read_lines(void)
{
	char *line = NULL;
	size_t room = 0, i;
	long number = 0;

	while (getline(&line, &room, stdin) > 0)
		if (line[0] != '#' && line[0] != '\n')
			add_line(number++, line);
	free(line);
	if (bench.count == 0)
		errx(1, "no turns on standard input");
	for (i = 0; i < bench.count; i++) {
		bench.bytes += bench.lines[i].text.len;
		cut_line(&bench.lines[i]);
	}
}

/* ---- what is measured ---- */

static void
run_rules(const struct line *l)
{
	struct rules_verdict verdict;

	for (size_t i = 0; i < l->n_sentences; i++)
		rules_apply(bench.rules, l->own[i], &l->context, &verdict);
	bench.calls += l->n_sentences;
}

static void
run_model(const struct line *l)
{
	int scores[ACT_COUNT];

	model_score(bench.model, l->text, &l->context, scores);
	bench.calls++;
}

static void
run_claims(const struct line *l)
{
	struct claim *claims;
	size_t count;

	claims_of(bench.claims, &bench.arena, l->text, &l->sifted,
	    l->sentences, l->n_sentences, 1762344000000, &claims, &count);
	bench.calls += count;
	arena_reset(&bench.arena);
}

static void
run_turn(const struct line *l)
{
	struct act_context context = talk_context(&l->talk, SLICE("u"),
	    l->role, &bench.arena);
	struct msg_c_turn out;

	describe_turn(bench.engine, &bench.arena, l->text, &context,
	    1762344000000, 0, &out);
	bench.calls++;
	arena_reset(&bench.arena);
}

/* Not static, not inlined: callgrind finds it by name. */
void measured(void (*run)(const struct line *), long rounds);

__attribute__((noinline)) void
measured(void (*run)(const struct line *), long rounds)
{
	for (long n = 0; n < rounds; n++)
		for (size_t i = 0; i < bench.count; i++)
			run(&bench.lines[i]);
}

/* ---- */

static void
open_all(const char *dir)
{
	char *rules = xasprintf("%s/acts.rules", dir);
	char *weights = xasprintf("%s/acts.model", dir);
	const char *paths[1] = { rules };
	struct conf_error wrong;
	struct conf conf;
	struct buf why;

	buf_init(&why, 4096);
	conf_init(&conf, "/nonexistent");
	if (setenv("SKEIN_DATA_DIR", dir, 1) == -1)
		err(1, "setenv");
	if (conf_read_env(&conf, &wrong) == -1)
		errx(1, "%s", wrong.text);
	bench.engine = engine_open(&conf, &why);
	bench.rules = rules_open(paths, 1, &why);
	bench.model = model_open(weights, &why);
	if (bench.engine == NULL || bench.rules == NULL ||
	    bench.model == NULL || claims_open(&bench.claims, dir) == -1)
		errx(1, "%s", buf_cstr(&why));
	buf_release(&why);
	conf_release(&conf);
	free(rules);
	free(weights);
}

static void
close_all(void)
{
	engine_close(&bench.engine);
	rules_close(&bench.rules);
	model_close(&bench.model);
	claims_close(&bench.claims);
	arena_release(&bench.kept);
	arena_release(&bench.arena);
	free(bench.lines);
}

int
main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(const struct line *);
	} subjects[] = { { "rules", run_rules }, { "model", run_model },
		{ "claims", run_claims }, { "turn", run_turn } };
	struct timespec from, to;
	void (*run)(const struct line *) = NULL;
	long rounds;

	if (argc != 5)
		errx(2, "usage: bench-classify rules|model|claims|turn ROUNDS "
			"JOIN DATA_DIR < TURNS");
	for (size_t i = 0; i < sizeof(subjects) / sizeof(subjects[0]); i++)
		if (strcmp(argv[1], subjects[i].name) == 0)
			run = subjects[i].run;
	rounds = strtol(argv[2], NULL, 10);
	bench.join = strtol(argv[3], NULL, 10);
	if (run == NULL || rounds < 1 || bench.join < 1)
		errx(2, "what is '%s %s %s'?", argv[1], argv[2], argv[3]);
	arena_init(&bench.kept);
	arena_init(&bench.arena);
	open_all(argv[4]);
	read_lines();
	for (size_t i = 0; i < bench.count; i++)
		run(&bench.lines[i]);	/* fills caches */
	bench.calls = 0;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	measured(run, rounds);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	printf("%zu %zu %llu %.1f\n", bench.count, bench.bytes,
	    (unsigned long long)bench.calls,
	    (double)(to.tv_sec - from.tv_sec) * 1e6 +
	    (double)(to.tv_nsec - from.tv_nsec) / 1e3);
	close_all();
	return 0;
}
