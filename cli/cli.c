/*
 * cli - what the verbs of `skein` share
 */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/stage_impl.h"

int
cli_fail(const struct cli *cli, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "skein %s: ", cli->verb);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
}

int
cli_usage(const struct cli *cli, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "skein %s: ", cli->verb);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 2;
}

struct db *
cli_open(const struct cli *cli, enum env_id env)
{
	struct db_options options = stage_db_options(&cli->conf);
	char *dir = conf_path(&cli->conf, "db/%s", env_name(env));
	struct db_error why;
	struct db *db = NULL;

	options.read_only = true;
	options.durable = env == ENV_shared;
	if (db_open(&db, dir, env, &options, &why) == -1) {
		if (why.absent && env == ENV_shared)
			cli_fail(cli, "there is no store in %s: 'skein up' "
			    "makes one", cli->conf.home);
		else if (why.absent)
			cli_fail(cli, "stage %s has no tables yet in %s",
			    env_name(env), cli->conf.home);
		else
			cli_fail(cli, "%s", why.text);
	}
	free(dir);
	return db;
}

uint64_t
cli_cursor(struct db *shared, enum stage_id stage)
{
	struct db_txn *txn = db_read(shared);
	struct msg_cursor c = { 0 };
	struct arena arena;

	arena_init(&arena);
	(void)db_get_msg(txn, TABLE_cursors, slice_str(stage_name(stage)),
	    MSG_cursor, &arena, &c);
	db_abort(&txn);
	arena_release(&arena);
	return c.seq;
}

/*
 * Looks at the cursor, at first often: what is near is there at once.  Only
 * standing still counts as silence; a long queue is not.
 */
int
cli_wait_store(const struct cli *cli, uint64_t seq)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	struct db *shared = cli_open(cli, ENV_shared);
	uint64_t at, last = 0;
	int64_t moved_ms = wall_ms();

	if (shared == NULL)
		return -1;
	while ((at = cli_cursor(shared, STAGE_store)) < seq) {
		if (at != last)
			moved_ms = wall_ms();
		last = at;
		if (wall_ms() - moved_ms > cli->conf.client_patience * 1000) {
			cli_fail(cli, "the store stands at %llu, before %llu: "
			    "see 'skein status'", (unsigned long long)at,
			    (unsigned long long)seq);
			db_close(&shared);
			return -1;
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 16000000)
			pause.tv_nsec *= 2;
	}
	db_close(&shared);
	return 0;
}
