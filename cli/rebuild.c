/*
 * rebuild - make the sections of a stage and those after it again
 *
 * One transaction drops what they wrote and sets their cursors back, with a
 * new epoch.  Running stages find their cursor moved, end, are started again,
 * empty their own tables because of the epoch, and pass the log once more.
 * Entries go on being accepted meanwhile.
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "common/stage_drop.h"

static enum db_result
drop_sections(struct db *shared, enum stage_id from)
{
	struct db_txn *txn = db_write(shared);

	stage_drop_sections(txn, from);
	return db_commit(&txn);
}

static int
drop(const struct cli *cli, struct db *shared, enum stage_id from)
{
	enum db_result result;

	while ((result = drop_sections(shared, from)) == DB_FULL)
		if (!db_grow(shared))
			return cli_fail(cli, "no room: map_limit or the disk "
			    "is reached; nothing was changed");
	if (result == DB_BROKEN)
		return cli_fail(cli, "%s: %s; nothing was changed: see "
		    "'skein check'", db_dir(shared), db_reason(shared));
	return 0;
}

static void
show_progress(uint64_t at, uint64_t seq)
{
	if (!isatty(STDERR_FILENO))
		return;
	fprintf(stderr, "\rstore at %llu of %llu (%d%%)%s",
	    (unsigned long long)at, (unsigned long long)seq,
	    seq == 0 ? 100 : (int)(at * 100 / seq), at >= seq ? "\n" : "");
	fflush(stderr);
}

static int
finish(const struct cli *cli, struct db *shared, enum stage_id from,
    uint64_t head, bool wait)
{
	bool up = cli_supervisor(cli) != 0;

	if (up && wait && cli_wait_cursor(cli, shared, head,
		show_progress) == -1)
		return 1;
	if (cli->json)
		printf("{\"from\":\"%s\",\"seq\":%llu,\"done\":%s}\n",
		    stage_name(from), (unsigned long long)head,
		    up && wait ? "true" : "false");
	else if (up && wait)
		printf("rebuilt from %s up to %llu\n", stage_name(from),
		    (unsigned long long)head);
	else
		printf("dropped from %s on: %s\n", stage_name(from), up ?
		    "the pipeline is making it again" :
		    "the pipeline is down, 'skein up' will make it again");
	return 0;
}

static int
read_stage(const struct cli *cli, struct slice name, enum stage_id *from)
{
	if (name.len == 0)
		return cli_usage(cli, "which stage? 'skein rebuild --from "
		    "classify'");
	if (stage_named(name, from) == -1)
		return cli_usage(cli, "--from: there is no stage '%.*s': it is "
		    "one of classify, chainer, compactor, linker, store",
		    SLICE_ARG(name));
	if (*from == STAGE_ingest)
		return cli_usage(cli, "--from: ingest's sections are part of "
		    "the log: threads are assigned once; its own tables are "
		    "made again if db/ingest is removed while it is down");
	return 0;
}

int
verb_rebuild(struct cli *cli, int argc, char **argv)
{
	struct slice name = SLICE_NONE;
	bool no_wait = false;
	const struct option_spec specs[] = {
		{ "from", OPTION_TEXT, &name, NULL },
		{ "no-wait", OPTION_FLAG, &no_wait, NULL },
		{ 0 } };
	enum stage_id from;
	struct db *shared;
	uint64_t head;
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc == 0)
		rc = read_stage(cli, name, &from);
	if (rc != 0)
		return rc;
	if (argc > 1)
		return cli_usage(cli, "'%s' is not understood: 'skein rebuild "
		    "--from STAGE [--no-wait]'", argv[1]);
	shared = cli_open_writable(cli);
	if (shared == NULL)
		return 1;
	head = cli_cursor(shared, STAGE_ingest);
	rc = drop(cli, shared, from);
	if (rc == 0)
		rc = finish(cli, shared, from, head, !no_wait);
	db_close(&shared);
	return rc;
}
