/*
 * commands - the verbs that ask for something: remember, refine, close, ...
 *
 * Each makes one entry of its arguments; command.c does the rest.  A text of
 * "-" is read from standard input.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/artifacts.h"
#include "cli/command.h"
#include "cli/options.h"
#include "compactor/compact.h"

enum { OPTIONS_MOST = 16 };

/* Takes the options that all commands have, and the verb's own. */
static int
read_options(struct command *c, const struct option_spec *own, int *argc,
    char **argv)
{
	struct option_spec specs[OPTIONS_MOST] = {
		{ "domain", OPTION_TEXT, &c->domain, NULL },
		{ "user", OPTION_TEXT, &c->user, NULL },
		{ "id", OPTION_TEXT, &c->id, NULL },
		{ "ts", OPTION_TIME, &c->ts, &c->has_ts } };
	size_t n = 4;

	for (; own->kind != OPTION_END; own++)
		specs[n++] = *own;
	return options_read(c->cli, specs, OPERANDS_ANYWHERE, argc, argv);
}

static int
read_input(struct command *c, struct slice *out)
{
	struct buf in;

	buf_init(&in, SIZE_MAX / 4);
	if (buf_read(&in, STDIN_FILENO) == -1) {
		buf_release(&in);
		return cli_fail(c->cli, "reading: %s", strerror(errno));
	}
	while (in.len > 0 && in.ptr[in.len - 1] == '\n')
		in.len--;
	*out = arena_dup(&c->arena, buf_slice(&in));
	buf_release(&in);
	return 0;
}

/* The operands from `from` on as one text, or standard input for "-". */
static int
read_text(struct command *c, int from, int argc, char **argv,
    struct slice *out)
{
	struct buf text;
	int i;

	if (argc - from == 1 && strcmp(argv[from], "-") == 0)
		return read_input(c, out);
	buf_init(&text, SIZE_MAX / 4);
	for (i = from; i < argc; i++) {
		buf_adds(&text, i > from ? " " : "");
		buf_adds(&text, argv[i]);
	}
	*out = arena_dup(&c->arena, buf_slice(&text));
	buf_release(&text);
	return 0;
}

/* "a,b" and "c" give a, b and c. */
static void
read_ids(struct command *c, int from, int argc, char **argv,
    struct msg_strs *out)
{
	const char *p, *comma;
	int i;

	for (i = from; i < argc; i++)
		for (p = argv[i];; p = comma + 1) {
			comma = strchr(p, ',');
			strs_add(out, &c->arena, comma == NULL ? slice_str(p) :
			    slice_of(p, (size_t)(comma - p)));
			if (comma == NULL)
				break;
		}
}

/* ---- what is to be remembered ---- */

/* What a verb says of a memory beside its text; both may be empty. */
struct thought {
	struct slice refines;
	struct msg_strs consolidates;
	struct slice context;
};

static int
send_memory(struct command *c, const struct thought *t, int from, int argc,
    char **argv)
{
	struct slice text;
	int rc = read_text(c, from, argc, argv, &text);

	if (rc != 0)
		return rc;
	command_type(c, "memory");
	command_put(c, "text", text);
	if (t->refines.ptr != NULL)
		command_put(c, "refines", t->refines);
	if (t->consolidates.count > 0)
		command_put_list(c, "consolidates", &t->consolidates);
	if (t->context.len > 0)
		command_put(c, "context", t->context);
	return command_run(c);
}

typedef int memory_fill(struct command *c, struct thought *t, int argc,
    char **argv);

/* `operands` stand before the text; fill reads them. */
static int
memory_verb(struct cli *cli, int argc, char **argv, int operands,
    const char *usage, memory_fill *fill)
{
	struct thought t = { .refines = SLICE_NONE };
	struct slice consolidates = SLICE_NONE;
	struct command c;
	const struct option_spec own[] = {
		{ "session", OPTION_TEXT, &c.session, NULL },
		{ "room", OPTION_TEXT, &c.room, NULL },
		{ "agent-id", OPTION_TEXT, &c.agent_id, NULL },
		{ "agent-name", OPTION_TEXT, &c.agent_name, NULL },
		{ "context", OPTION_TEXT, &t.context, NULL },
		{ "refines", OPTION_TEXT, &t.refines, NULL },
		{ "consolidates", OPTION_TEXT, &consolidates, NULL },
		{ 0 } };
	char *list[1];
	int rc;

	command_begin(&c, cli);
	rc = read_options(&c, own, &argc, argv);
	if (rc == 0 && argc < operands + 2)
		rc = cli_usage(cli, "%s", usage);
	if (rc == 0 && consolidates.len > 0) {
		list[0] = arena_cstr(&c.arena, consolidates);
		read_ids(&c, 0, 1, list, &t.consolidates);
	}
	if (rc == 0 && fill != NULL)
		rc = fill(&c, &t, argc, argv);
	if (rc == 0)
		rc = send_memory(&c, &t, operands + 1, argc, argv);
	command_end(&c);
	return rc;
}

int
verb_remember(struct cli *cli, int argc, char **argv)
{
	return memory_verb(cli, argc, argv, 0, "takes the text: skein "
	    "remember \"the printer is on floor 3\"; '-' reads standard input",
	    NULL);
}

static int
fill_refine(struct command *c, struct thought *t, int argc, char **argv)
{
	(void)c;
	(void)argc;
	t->refines = slice_of(argv[1], strlen(argv[1]));
	return 0;
}

int
verb_refine(struct cli *cli, int argc, char **argv)
{
	return memory_verb(cli, argc, argv, 1, "takes an artifact and the "
	    "better text: skein refine a12.0 \"...\"", fill_refine);
}

static int
fill_consolidate(struct command *c, struct thought *t, int argc, char **argv)
{
	(void)argc;
	read_ids(c, 1, 2, argv, &t->consolidates);
	return 0;
}

int
verb_consolidate(struct cli *cli, int argc, char **argv)
{
	return memory_verb(cli, argc, argv, 1, "takes artifacts and the text "
	    "they come to: skein consolidate a12.0,a15.0 \"...\"",
	    fill_consolidate);
}

/* ---- threads and efforts ---- */

/* The chainer knows no artifacts: it is told which chain an effort is in. */
static void
put_chain(struct command *c, struct slice artifact)
{
	struct artifacts_source from;
	struct msg_artifact a;
	struct db_txn *txn;
	struct query q;

	if (!artifacts_open(c->cli, c->domain, &from))
		return;
	txn = db_read(from.compactor);
	query_open(&q, from.shared, from.ingest, c->domain);
	if (query_artifact(&q, txn, artifact, &a) && a.chain.len > 0)
		command_put(c, "chain", a.chain);
	query_close(&q);
	db_abort(&txn);
	artifacts_close(&from);
}

/* A thread or an effort, as it was named; keys of artifacts are efforts. */
static int
put_target(struct command *c, struct slice thread, struct slice artifact,
    int argc, char **argv)
{
	struct slice name = argc > 1 ? slice_str(argv[1]) : SLICE_NONE;
	uint64_t seq, n;

	if ((argc > 1) + (thread.len > 0) + (artifact.len > 0) != 1)
		return cli_usage(c->cli, "takes one thread or one effort: "
		    "'skein %s t12', 'skein %s a12.0'", c->cli->verb,
		    c->cli->verb);
	if (artifact.len == 0 && name.len > 0 &&
	    artifact_parse(name, &seq, &n) == 0)
		artifact = name;
	if (artifact.len > 0) {
		command_put(c, "artifact", artifact);
		put_chain(c, artifact);
	} else
		command_put(c, "thread", name.len > 0 ? name : thread);
	return 0;
}

static int
target_verb(struct cli *cli, int argc, char **argv, bool with_text)
{
	struct slice thread = SLICE_NONE, artifact = SLICE_NONE, text;
	struct command c;
	const struct option_spec own[] = {
		{ "thread", OPTION_TEXT, &thread, NULL },
		{ "artifact", OPTION_TEXT, &artifact, NULL },
		{ 0 } };
	int rc, named;

	command_begin(&c, cli);
	rc = read_options(&c, own, &argc, argv);
	command_type(&c, cli->verb);
	/* What stands behind the name is how it ended. */
	named = thread.len > 0 || artifact.len > 0 ? 1 : 2;
	if (rc == 0 && argc > named && with_text) {
		rc = read_text(&c, named, argc, argv, &text);
		if (rc == 0 && text.len > 0)
			command_put(&c, "text", text);
		argc = named;
	}
	if (rc == 0 && argc > 2)
		rc = cli_usage(cli, "'%s' is not understood", argv[2]);
	if (rc == 0)
		rc = put_target(&c, thread, artifact, argc, argv);
	if (rc == 0)
		rc = command_run(&c);
	command_end(&c);
	return rc;
}

int
verb_close(struct cli *cli, int argc, char **argv)
{
	return target_verb(cli, argc, argv, true);
}

int
verb_reopen(struct cli *cli, int argc, char **argv)
{
	return target_verb(cli, argc, argv, false);
}

int
verb_rename(struct cli *cli, int argc, char **argv)
{
	const struct option_spec own[] = { { 0 } };
	struct command c;
	struct slice name;
	int rc;

	command_begin(&c, cli);
	rc = read_options(&c, own, &argc, argv);
	if (rc == 0 && argc < 3)
		rc = cli_usage(cli, "takes a thread and its name: skein rename "
		    "t12 \"Holiday plans\"");
	if (rc == 0)
		rc = read_text(&c, 2, argc, argv, &name);
	if (rc == 0) {
		command_type(&c, "rename");
		command_put(&c, "thread", slice_str(argv[1]));
		command_put(&c, "name", name);
		rc = command_run(&c);
	}
	command_end(&c);
	return rc;
}

int
verb_fork(struct cli *cli, int argc, char **argv)
{
	struct slice at = SLICE_NONE, as = SLICE_NONE, name = SLICE_NONE;
	struct command c;
	const struct option_spec own[] = {
		{ "at", OPTION_TEXT, &at, NULL },
		{ "as", OPTION_TEXT, &as, NULL },
		{ "name", OPTION_TEXT, &name, NULL },
		{ 0 } };
	int rc;

	command_begin(&c, cli);
	rc = read_options(&c, own, &argc, argv);
	if (rc == 0 && argc != 2)
		rc = cli_usage(cli, "takes one thread: skein fork t12 --at 4");
	if (rc == 0) {
		command_type(&c, "fork");
		command_put(&c, "thread", slice_str(argv[1]));
		if (at.len > 0)
			command_put(&c, "at", at);
		if (as.len > 0)
			command_put(&c, "as", as);
		if (name.len > 0)
			command_put(&c, "name", name);
		rc = command_run(&c);
	}
	command_end(&c);
	return rc;
}

/* ---- artifacts ---- */

static int
list_verb(struct cli *cli, int argc, char **argv, bool thread,
    const char *usage)
{
	const struct option_spec own[] = { { 0 } };
	struct msg_strs ids = { 0 };
	struct command c;
	int rc, from = thread ? 2 : 1;

	command_begin(&c, cli);
	rc = read_options(&c, own, &argc, argv);
	if (rc == 0 && argc <= from)
		rc = cli_usage(cli, "%s", usage);
	if (rc == 0) {
		read_ids(&c, from, argc, argv, &ids);
		command_type(&c, cli->verb);
		if (thread)
			command_put(&c, "thread", slice_str(argv[1]));
		command_put_list(&c, "artifacts", &ids);
		rc = command_run(&c);
	}
	command_end(&c);
	return rc;
}

int
verb_attach(struct cli *cli, int argc, char **argv)
{
	return list_verb(cli, argc, argv, true, "takes a thread and "
	    "artifacts: skein attach t12 a3.0,a5.1");
}

int
verb_used(struct cli *cli, int argc, char **argv)
{
	return list_verb(cli, argc, argv, false, "takes artifacts that were "
	    "handed to a model: skein used a3.0,a5.1");
}

/* ---- links and sessions ---- */

int
verb_feedback(struct cli *cli, int argc, char **argv)
{
	const struct option_spec own[] = { { 0 } };
	struct command c;
	int rc;

	command_begin(&c, cli);
	rc = read_options(&c, own, &argc, argv);
	if (rc == 0 && (argc != 3 || (strcmp(argv[2], "right") != 0 &&
		strcmp(argv[2], "wrong") != 0)))
		rc = cli_usage(cli, "takes a link and 'right' or 'wrong': "
		    "'skein links' lists them");
	if (rc == 0) {
		command_type(&c, "feedback");
		command_put(&c, "link", slice_str(argv[1]));
		command_put(&c, "verdict", slice_str(argv[2]));
		rc = command_run(&c);
	}
	command_end(&c);
	return rc;
}

int
verb_session(struct cli *cli, int argc, char **argv)
{
	struct command c;
	const struct option_spec own[] = {
		{ "session", OPTION_TEXT, &c.session, NULL },
		{ "room", OPTION_TEXT, &c.room, NULL },
		{ 0 } };
	int rc;

	command_begin(&c, cli);
	rc = read_options(&c, own, &argc, argv);
	if (rc == 0 && argc == 3 && c.session.len == 0)
		c.session = slice_str(argv[2]);
	if (rc == 0 && (argc < 2 || argc > 3 || strcmp(argv[1], "end") != 0 ||
		c.session.len == 0))
		rc = cli_usage(cli, "takes 'end' and a session: 'skein session "
		    "end S'; 'skein sessions' lists them");
	if (rc == 0) {
		command_type(&c, "session_end");
		rc = command_run(&c);
	}
	command_end(&c);
	return rc;
}
