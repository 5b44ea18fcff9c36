/*
 * skein - the command: finds the verb and runs it
 *
 * Verbs of verbs.def are functions in this program; the supervisor's verbs go
 * to skein-supervise; any other verb is the program skein-VERB, as git does.
 */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "common/log.h"
#include "common/xmalloc.h"

struct verb {
	const char *name, *arguments, *what;
	int (*run)(struct cli *cli, int argc, char **argv);
};

static const struct verb verbs[] = {
#define VERB(label, symbol, takes, prose) \
	{ label, takes, prose, verb_##symbol },
#include "cli/verbs.def"
};

/* What other programs do: skein-supervise, or skein-VERB. */
static const struct {
	const char *name, *arguments, *what;
	bool supervised;
} elsewhere[] = {
	{ "up", "[--foreground]", "start the pipeline", true },
	{ "down", "", "stop it", true },
	{ "restart", "[STAGE]", "stop one stage, or all, and start again", true },
	{ "replace", "STAGE [--exec] CMD... | --back",
	    "run another program or a filter as a stage", true },
	{ "tap", "[--from SEQ] [--stage S] [--top]",
	    "the bus, live; history first; or rates", false },
};

enum {
	N_VERBS = sizeof(verbs) / sizeof(verbs[0]),
	N_ELSEWHERE = sizeof(elsewhere) / sizeof(elsewhere[0])
};

static void
help(FILE *out)
{
	size_t i;

	fprintf(out, "usage: skein [--home DIR] VERB [ARGUMENTS] [--json]\n\n");
	for (i = 0; i < N_ELSEWHERE; i++)
		fprintf(out, "  %-11s %-34s %s\n", elsewhere[i].name,
		    elsewhere[i].arguments, elsewhere[i].what);
	for (i = 0; i < N_VERBS; i++)
		fprintf(out, "  %-11s %-34s %s\n", verbs[i].name,
		    verbs[i].arguments, verbs[i].what);
	fprintf(out, "\nThe home is --home, else $SKEIN_HOME, else ~/.skein."
		     "  See skein(1).\n");
}

/*
 * `skein VERB --help`; false if the verb is not one of ours.  The options are
 * the verb's own to tell; `ask` has none, it hands them on.
 */
static bool
help_verb(struct cli *cli, int argc, char **argv)
{
	size_t i;

	for (i = 0; i < N_VERBS; i++) {
		if (strcmp(argv[0], verbs[i].name) != 0)
			continue;
		printf("usage: skein %s %s\n%s.  See skein(1).\n", argv[0],
		    verbs[i].arguments, verbs[i].what);
		cli->help = true;
		if (verbs[i].run != verb_ask && verbs[i].run != verb_digest &&
		    verbs[i].run != verb_packages)
			(void)verbs[i].run(cli, argc, argv);
		return true;
	}
	return false;
}

static char *
find_exec_dir(void)
{
	char path[PATH_MAX], *dir;
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len == -1)
		fatal(1, "/proc/self/exe");
	path[len] = '\0';
	dir = dirname(path);
	return xstrdup(dir);
}

/*
 * Another program takes our place, with the flags that were ours.  They come
 * first: skein-supervise wants them before its command.
 */
static int
exec_with_flags(const struct cli *cli, const char *program, bool json,
    int argc, char **argv)
{
	static char home_flag[] = "--home", json_flag[] = "--json";
	char **args = xcalloc((size_t)argc + 5, sizeof(*args));
	int i, n = 1, rc;

	args[n++] = home_flag;
	args[n++] = cli->conf.home;
	if (json)
		args[n++] = json_flag;
	for (i = 0; i < argc; i++)
		args[n++] = argv[i];
	rc = cli_exec(cli, program, args);
	free(args);
	return rc;
}

static int
exec_other(const struct cli *cli, int argc, char **argv)
{
	char *program = xasprintf("skein-%s", argv[0]);
	int rc = exec_with_flags(cli, program, cli->json, argc - 1, argv + 1);

	free(program);
	return rc != -1 ? rc :
	    cli_usage(cli, "there is no such verb; 'skein help' lists them");
}

static int
exec_supervisor(const struct cli *cli, int argc, char **argv)
{
	static const char program[] = "skein-supervise";
	int rc = exec_with_flags(cli, program, false, argc, argv);

	return rc != -1 ? rc : cli_fail(cli, "%s is neither beside skein nor "
	    "in $PATH", program);
}

static int
run_verb(struct cli *cli, int argc, char **argv)
{
	size_t i;

	for (i = 0; i < N_VERBS; i++)
		if (strcmp(argv[0], verbs[i].name) == 0)
			return verbs[i].run(cli, argc, argv);
	for (i = 0; i < N_ELSEWHERE; i++)
		if (elsewhere[i].supervised &&
		    strcmp(argv[0], elsewhere[i].name) == 0)
			return exec_supervisor(cli, argc, argv);
	return exec_other(cli, argc, argv);
}

/* --json may stand anywhere before "--". */
static bool
take_json(int *argc, char **argv)
{
	bool json = false;
	int i, kept = 1;

	for (i = 1; i < *argc; i++) {
		if (strcmp(argv[i], "--") == 0)
			break;
		if (strcmp(argv[i], "--json") == 0)
			json = true;
		else
			argv[kept++] = argv[i];
	}
	while (i < *argc)
		argv[kept++] = argv[i++];
	argv[kept] = NULL;
	*argc = kept;
	return json;
}

static void
make_home_absolute(struct conf *conf)
{
	char path[PATH_MAX];
	char *cwd;

	if (conf->home[0] == '/')
		return;
	cwd = getcwd(path, sizeof(path));
	if (cwd == NULL)
		fatal(1, "the current folder");
	cwd = xasprintf("%s/%s", path, conf->home);
	free(conf->home);
	conf->home = cwd;
}

/* A broken setting must not keep anybody from looking and from stopping. */
static bool
is_lenient(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], "down") == 0 ||
		    strcmp(argv[i], "status") == 0)
			return true;
	return false;
}

static int
run_command(struct cli *cli, int argc, char **argv)
{
	if (argc < 2) {
		help(stderr);
		return 2;
	}
	if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0) {
		help(stdout);
		return 0;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("skein %s, schema %d\n", SKEIN_VERSION, TABLES_SCHEMA);
		return 0;
	}
	if (argc > 2 && strcmp(argv[2], "--help") == 0 &&
	    help_verb(cli, argc - 1, argv + 1))
		return 0;
	return run_verb(cli, argc - 1, argv + 1);
}

int
main(int argc, char **argv)
{
	struct cli cli = { 0 };
	int rc;

	log_open_plain("skein");
	conf_load(&cli.conf, &argc, argv, is_lenient(argc, argv) ? 0 : 2);
	make_home_absolute(&cli.conf);
	cli.json = take_json(&argc, argv);
	cli.colour = isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL;
	cli.exec_dir = find_exec_dir();
	cli.verb = argc > 1 ? argv[1] : "help";
	rc = run_command(&cli, argc, argv);
	if (fflush(stdout) == EOF && rc == 0)
		rc = cli_fail(&cli, "standard output: %s", strerror(errno));
	free(cli.exec_dir);
	conf_release(&cli.conf);
	return rc;
}
