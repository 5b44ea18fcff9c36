/*
 * shadow - run a candidate beside a stage, and compare
 *
 * The candidate is the stage's own program, another build of it, or its
 * program with a filter.  It commits nothing; it prints a JSON line for each
 * entry on which it differs and a tally at its end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "common/xmalloc.h"

struct shadow {
	struct slice exec;
	uint64_t from, count;
	bool from_given, count_given, once;
};

struct args {
	struct arena arena;
	char **at;
	int count;
};

static void
add(struct args *args, const char *word)
{
	args->at[args->count++] = arena_cstr(&args->arena, slice_str(word));
}

static void
add_number(struct args *args, const char *flag, uint64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	add(args, flag);
	add(args, digits);
}

/* The candidate's own arguments, then ours. */
static void
fill_args(struct args *args, const struct cli *cli, const struct shadow *s,
    int argc, char **argv)
{
	int i;

	arena_init(&args->arena);
	args->at = arena_array(&args->arena, (size_t)argc + 12,
	    sizeof(args->at[0]));
	args->count = 1;
	for (i = 3; i < argc; i++)
		add(args, argv[i]);
	add(args, "--home");
	add(args, cli->conf.home);
	add(args, "--shadow");
	if (s->exec.len > 0) {
		add(args, "--exec");
		add(args, s->exec.ptr);
	}
	if (s->from_given)
		add_number(args, "--from", s->from);
	if (s->count_given)
		add_number(args, "--count", s->count);
	if (s->once)
		add(args, "--once");
}

static int
run(const struct cli *cli, const struct shadow *s, enum stage_id stage,
    int argc, char **argv)
{
	char *program = argc > 2 ? xstrdup(argv[2]) :
				   xasprintf("skein-%s", stage_name(stage));
	struct args args = { 0 };
	int rc;

	fill_args(&args, cli, s, argc, argv);
	rc = cli_exec(cli, program, args.at);
	if (rc == -1)
		rc = cli_fail(cli, "%s: there is no such program", program);
	arena_release(&args.arena);
	free(program);
	return rc;
}

int
verb_shadow(struct cli *cli, int argc, char **argv)
{
	struct shadow s = { 0 };
	const struct option_spec specs[] = {
		{ "exec", OPTION_TEXT, &s.exec, NULL },
		{ "from", OPTION_NUMBER, &s.from, &s.from_given },
		{ "count", OPTION_NUMBER, &s.count, &s.count_given },
		{ "once", OPTION_FLAG, &s.once, NULL },
		{ 0 } };
	enum stage_id stage;
	struct db *shared;
	int rc;

	/* After the candidate's name all is the candidate's. */
	rc = options_read(cli, specs, 2, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc < 2 || stage_named(slice_str(argv[1]), &stage) == -1)
		return cli_usage(cli, "which stage? 'skein shadow classify "
		    "[--once] [CMD...]'");
	if (stage == STAGE_ingest)
		return cli_usage(cli, "ingest cannot be shadowed: it decides "
		    "what the log is");
	if (s.from_given && s.from != 1)
		return cli_usage(cli, "--from: only 1, the beginning: the "
		    "tables of a stage in between are not kept");
	shared = cli_open(cli, ENV_shared);
	if (shared == NULL)
		return 1;
	db_close(&shared);
	return run(cli, &s, stage, argc, argv);
}
