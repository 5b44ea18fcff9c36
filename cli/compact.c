/*
 * compact - give back what is free inside the store's files
 *
 * LMDB keeps pages that are free for later use, with what stood in them.  A
 * compact copy takes the place of the store while nothing runs on it; own
 * tables, which follow from it, are made again.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"

/* `skein-supervise WORD` for this home, to its end. */
static int
supervise(const struct cli *cli, const char *word)
{
	char *argv[] = { NULL, (char *)(uintptr_t)"--home", cli->conf.home,
		(char *)(uintptr_t)word, NULL };
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		/* Its report is not ours. */
		if (freopen("/dev/null", "w", stdout) == NULL)
			_exit(1);
		_exit(cli_exec(cli, "skein-supervise", argv) == 0 ? 0 : 1);
	}
	if (child == -1 || waitpid(child, &status, 0) == -1)
		return cli_fail(cli, "skein-supervise: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return cli_fail(cli, "'skein %s' failed: see 'skein status'",
		    word);
	return 0;
}

static int
sync_path(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	rc = fd == -1 ? -1 : fsync(fd);
	if (fd != -1)
		close(fd);
	return rc;
}

/* A whole copy first, then one rename: a death leaves the old or the new. */
static int
replace_file(const struct cli *cli, struct db **shared, const char *dir,
    const char *copy_dir)
{
	char *from = conf_path(&cli->conf, "db/compact/data.mdb");
	char *to = conf_path(&cli->conf, "db/shared/data.mdb");
	struct db_error why;
	int rc = 0;

	(void)unlink(from);
	if (mkdir(copy_dir, 0700) == -1 && errno != EEXIST)
		rc = cli_fail(cli, "%s: %s", copy_dir, strerror(errno));
	else if (db_copy(*shared, copy_dir, &why) == -1)
		rc = cli_fail(cli, "%s", why.text);
	db_close(shared);
	if (rc == 0 && (sync_path(from) == -1 || rename(from, to) == -1 ||
		sync_path(dir) == -1))
		rc = cli_fail(cli, "%s: %s", to, strerror(errno));
	(void)rmdir(copy_dir);
	free(from);
	free(to);
	return rc;
}

static int
wipe_own(const struct cli *cli)
{
	enum stage_id id;
	char *dir;
	int rc = 0;

	for (id = 0; id < STAGE_COUNT; id++) {
		dir = conf_path(&cli->conf, "db/%s", stage_name(id));
		if (db_wipe(dir) == -1)
			rc = cli_fail(cli, "%s: %s", dir, strerror(errno));
		free(dir);
	}
	return rc;
}

static long long
file_bytes(const char *dir)
{
	char *path = NULL;
	struct stat st = { 0 };

	if (asprintf(&path, "%s/data.mdb", dir) == -1 || stat(path, &st) == -1)
		st.st_blocks = 0;
	free(path);
	return (long long)st.st_blocks * 512;
}

static int
compact(const struct cli *cli, struct db *shared)
{
	char *dir = conf_path(&cli->conf, "db/shared");
	char *copy_dir = conf_path(&cli->conf, "db/compact");
	long long before = file_bytes(dir);
	int rc = replace_file(cli, &shared, dir, copy_dir);

	if (rc == 0)
		rc = wipe_own(cli);
	if (rc == 0)
		printf(cli->json ? "{\"bytes_before\":%lld,\"bytes\":%lld}\n" :
				   "%lld bytes before, %lld now\n", before,
		    file_bytes(dir));
	free(dir);
	free(copy_dir);
	return rc;
}

int
verb_compact(struct cli *cli, int argc, char **argv)
{
	const struct option_spec specs[] = { { 0 } };
	bool up = cli_supervisor(cli) != 0;
	struct db *shared;
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc > 1)
		return cli_usage(cli, "takes no arguments");
	if (up && supervise(cli, "down") != 0)
		return 1;
	shared = cli_open(cli, ENV_shared);
	rc = shared == NULL ? 1 : compact(cli, shared);
	if (up && supervise(cli, "up") != 0)
		rc = 1;
	return rc;
}
