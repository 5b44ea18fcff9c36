/*
 * cli - what the verbs of `skein` share
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/stage.h"

static void
complain(const struct cli *cli, const char *fmt, va_list ap)
{
	fprintf(stderr, "skein %s: ", cli->verb);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
}

int
cli_fail(const struct cli *cli, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(cli, fmt, ap);
	va_end(ap);
	return 1;
}

int
cli_usage(const struct cli *cli, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	complain(cli, fmt, ap);
	va_end(ap);
	return 2;
}

int
cli_exec(const struct cli *cli, const char *program, char **argv)
{
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < 2 && strchr(program, '/') == NULL; i++) {
		if (snprintf(path, sizeof(path), i == 0 ? "%s/%s" :
			"%s/../libexec/skein/%s", cli->exec_dir, program) >=
		    (int)sizeof(path))
			return cli_fail(cli, "%s: path too long", program);
		argv[0] = path;
		execv(path, argv);
		if (errno != ENOENT)
			return cli_fail(cli, "%s: %s", path, strerror(errno));
	}
	argv[0] = (char *)(uintptr_t)program;
	execvp(program, argv);
	return errno == ENOENT ? -1 :
	    cli_fail(cli, "%s: %s", program, strerror(errno));
}

struct db *
cli_try_open(const struct cli *cli, enum env_id env, struct db_error *why)
{
	struct db_options options = stage_db_options(&cli->conf);
	char *dir = conf_path(&cli->conf, "db/%s", env_name(env));
	struct db *db = NULL;

	options.read_only = true;
	options.durable = env == ENV_shared;
	if (db_open(&db, dir, env, &options, why) == -1)
		db = NULL;
	free(dir);
	return db;
}

bool
cli_schema(struct db *shared, uint64_t *schema)
{
	struct db_txn *txn = db_read(shared);
	struct msg_meta meta;
	struct arena arena;
	bool there;

	arena_init(&arena);
	there = db_get_msg(txn, TABLE_meta, SLICE("store"), MSG_meta, &arena,
	    &meta);
	*schema = there ? meta.schema : 0;
	db_abort(&txn);
	arena_release(&arena);
	return there;
}

/* A store of another schema could be misread: no verb but migrate goes on. */
static bool
is_ours(const struct cli *cli, struct db *shared)
{
	uint64_t schema;

	if (!cli_schema(shared, &schema)) {
		cli_fail(cli, "%s is no store of skein", db_dir(shared));
		return false;
	}
	if (schema == TABLES_SCHEMA)
		return true;
	cli_fail(cli, "the store has schema %llu, this program %d: %s",
	    (unsigned long long)schema, TABLES_SCHEMA,
	    schema > TABLES_SCHEMA ? "take a newer skein" :
				     "run 'skein migrate'");
	return false;
}

static void
say_unopened(const struct cli *cli, enum env_id env, const struct db_error *why)
{
	if (why->absent && env == ENV_shared)
		cli_fail(cli, "there is no store in %s: 'skein up' makes one",
		    cli->conf.home);
	else if (why->absent)
		cli_fail(cli, "stage %s has no tables yet in %s: 'skein up' "
		    "makes them", env_name(env), cli->conf.home);
	else
		cli_fail(cli, "%s", why->text);
}

struct db *
cli_open(const struct cli *cli, enum env_id env)
{
	struct db_error why;
	struct db *db = cli_try_open(cli, env, &why);

	if (db == NULL)
		say_unopened(cli, env, &why);
	else if (env == ENV_shared && !is_ours(cli, db))
		db_close(&db);
	return db;
}

struct db *
cli_open_writable(const struct cli *cli)
{
	struct db_options options = stage_db_options(&cli->conf);
	struct db *db = cli_open(cli, ENV_shared);
	struct db_error why;
	char *dir;

	/* First for reading: opening for writing would make a store. */
	if (db == NULL)
		return NULL;
	db_close(&db);
	dir = conf_path(&cli->conf, "db/shared");
	if (db_open(&db, dir, ENV_shared, &options, &why) == -1) {
		cli_fail(cli, "%s", why.text);
		db = NULL;
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

/* Looks at the cursor, at first often: what is near is there at once. */
int
cli_wait_cursor(const struct cli *cli, struct db *shared, uint64_t seq,
    void (*progress)(uint64_t at, uint64_t seq))
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int64_t moved_ms = steady_ms();
	uint64_t at, last = 0;

	while ((at = cli_cursor(shared, STAGE_store)) < seq) {
		if (at != last)
			moved_ms = steady_ms();
		last = at;
		if (progress != NULL)
			progress(at, seq);
		if (steady_ms() - moved_ms >
		    cli->conf.client_patience * 1000) {
			cli_fail(cli, "the store stands at %llu, before %llu: "
			    "see 'skein status'", (unsigned long long)at,
			    (unsigned long long)seq);
			return -1;
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 16000000)
			pause.tv_nsec *= 2;
	}
	if (progress != NULL)
		progress(at, seq);
	return 0;
}

int
cli_wait_store(const struct cli *cli, uint64_t seq)
{
	struct db *shared = cli_open(cli, ENV_shared);
	int rc;

	if (shared == NULL)
		return -1;
	rc = cli_wait_cursor(cli, shared, seq, NULL);
	db_close(&shared);
	return rc;
}

/* Up to which entry own tables are made. */
static uint64_t
applied(struct db *own, enum table_id derived)
{
	struct db_txn *txn = db_read(own);
	struct msg_derived d = { 0 };
	struct arena arena;

	arena_init(&arena);
	(void)db_get_msg(txn, derived, SLICE("follows"), MSG_derived, &arena,
	    &d);
	db_abort(&txn);
	arena_release(&arena);
	return d.seq;
}

void
cli_settle_to(struct db *own, enum stage_id stage, uint64_t seq)
{
	static const enum table_id derived[] = {
#define STAGE(name, what) [STAGE_##name] = TABLE_##name##_derived,
#include "common/stages.def"
	};
	/* What a stage that is down may hold us up. */
	enum { SETTLE_MS = 1000, STEP_MS = 2 };
	struct timespec pause = { .tv_nsec = STEP_MS * 1000000 };
	unsigned ms;

	for (ms = 0; ms < SETTLE_MS && applied(own, derived[stage]) < seq;
	     ms += STEP_MS)
		nanosleep(&pause, NULL);
}

void
cli_settle(struct db *shared, struct db *own, enum stage_id stage)
{
	if (own != NULL)
		cli_settle_to(own, stage, cli_cursor(shared, stage));
}

/* Ingest commits its tables a moment after the log. */
int
cli_wait_tables(const struct cli *cli, uint64_t seq)
{
	struct timespec pause = { .tv_nsec = 2000000 };
	int64_t until_ms;
	struct db *ingest;
	uint64_t at;

	if (cli_wait_store(cli, seq) == -1)
		return -1;
	ingest = cli_open(cli, ENV_ingest);
	if (ingest == NULL)
		return -1;
	until_ms = steady_ms() + cli->conf.client_patience * 1000;
	while ((at = applied(ingest, TABLE_ingest_derived)) < seq &&
	    steady_ms() < until_ms)
		nanosleep(&pause, NULL);
	db_close(&ingest);
	if (at >= seq)
		return 0;
	cli_fail(cli, "ingest's tables stand at %llu, before %llu: see "
	    "'skein status'", (unsigned long long)at, (unsigned long long)seq);
	return -1;
}

int
cli_expect_pipeline(const struct cli *cli, int64_t patience_s)
{
	char *store = conf_path(&cli->conf, "db/shared");
	bool there = access(store, F_OK) == 0;

	free(store);
	if (cli_supervisor(cli) != 0)
		return 0;
	if (!there) {
		cli_fail(cli, "no pipeline ever ran on %s: 'skein up' starts "
		    "one, --home or $SKEIN_HOME name another",
		    cli->conf.home);
		return -1;
	}
	fprintf(stderr, "skein %s: no pipeline runs on %s: 'skein up' starts "
	    "one; waiting up to %lld s\n", cli->verb, cli->conf.home,
	    (long long)patience_s);
	return 0;
}

pid_t
cli_supervisor(const struct cli *cli)
{
	char *path = conf_path(&cli->conf, "run/supervisor.lock");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool held = fd != -1 && flock(fd, LOCK_SH | LOCK_NB) == -1;
	long pid = 0;
	FILE *file;

	free(path);
	if (fd != -1)
		close(fd);
	if (!held)
		return 0;
	path = conf_path(&cli->conf, "run/supervisor.pid");
	file = fopen(path, "re");
	free(path);
	/* It writes its pid a moment after it has the lock. */
	if (file == NULL)
		return 1;
	if (fscanf(file, "%ld", &pid) != 1 || pid < 1)
		pid = 1;
	fclose(file);
	return (pid_t)pid;
}
