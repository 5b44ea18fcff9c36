/*
 * backup - a copy of the store, while it is in use
 *
 * Only the shared environment: all other tables follow from it and are made
 * again when a pipeline starts on the copy, which is a home of its own.  The
 * copy gets its name when it is whole and on the disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "common/json.h"
#include "common/xmalloc.h"

static int
make_folder(const struct cli *cli, const char *path)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	return cli_fail(cli, "%s: %s", path, strerror(errno));
}

static int
flush(const struct cli *cli, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int rc = fd != -1 && fsync(fd) == 0 ? 0 :
	    cli_fail(cli, "%s: %s", path, strerror(errno));

	if (fd != -1)
		close(fd);
	return rc;
}

static int
copy_settings(const struct cli *cli, const char *home)
{
	char *from = conf_path(&cli->conf, "skein.conf");
	char *to = xasprintf("%s/skein.conf", home), bytes[8192];
	int in = open(from, O_RDONLY | O_CLOEXEC), out = -1, rc = 0;
	ssize_t n = 0;

	if (in != -1) {
		out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		while (out != -1 && (n = read(in, bytes, sizeof(bytes))) > 0)
			if (write(out, bytes, (size_t)n) != n)
				break;
		if (out == -1 || n != 0 || fsync(out) == -1)
			rc = cli_fail(cli, "%s: %s", to, strerror(errno));
	} else if (errno != ENOENT)
		rc = cli_fail(cli, "%s: %s", from, strerror(errno));
	if (in != -1)
		close(in);
	if (out != -1)
		close(out);
	free(from);
	free(to);
	return rc;
}

/* Into DIR/db/shared.new, which becomes DIR/db/shared when it is whole. */
static int
copy_store(const struct cli *cli, struct db *shared, const char *home)
{
	char *base = xasprintf("%s/db", home);
	char *dir = xasprintf("%s/shared", base);
	char *fresh = xasprintf("%s/shared.new", base);
	char *file = xasprintf("%s/data.mdb", fresh);
	struct db_error why;
	int rc;

	rc = make_folder(cli, home);
	if (rc == 0)
		rc = make_folder(cli, base);
	if (rc == 0 && access(dir, F_OK) == 0)
		rc = cli_fail(cli, "%s has a store already: give an empty or "
		    "new folder", home);
	if (rc == 0 && (rc = make_folder(cli, fresh)) == 0 &&
	    db_wipe(fresh) == -1)
		rc = cli_fail(cli, "%s: %s", fresh, strerror(errno));
	if (rc == 0 && db_copy(shared, fresh, &why) == -1)
		rc = cli_fail(cli, "%s", why.text);
	if (rc == 0)
		rc = flush(cli, file);
	if (rc == 0 && rename(fresh, dir) == -1)
		rc = cli_fail(cli, "%s: %s", dir, strerror(errno));
	if (rc == 0)
		rc = flush(cli, base);
	free(base);
	free(dir);
	free(fresh);
	free(file);
	return rc;
}

/* What the copy holds, read from the copy. */
static int
say(const struct cli *cli, const char *home)
{
	struct cli there = *cli;
	struct db_room room = { 0 };
	struct db *copy;
	struct buf words;
	uint64_t seq;
	char *lock;

	there.conf.home = (char *)(uintptr_t)home;
	copy = cli_open(&there, ENV_shared);
	if (copy == NULL)
		return 1;
	seq = cli_cursor(copy, STAGE_ingest);
	if (db_room(copy, &room) == -1)
		room.used_bytes = 0;
	db_close(&copy);
	/* Reading it made this; a backup is only what has to be kept. */
	lock = conf_path(&there.conf, "db/shared/lock.mdb");
	(void)unlink(lock);
	free(lock);
	buf_init(&words, SIZE_MAX / 4);
	json_put_str(&words, slice_str(home));
	printf(cli->json ? "{\"dir\":%s,\"seq\":%llu,\"bytes\":%llu}\n" :
			   "%s: the log up to %llu, %llu bytes\n",
	    cli->json ? buf_cstr(&words) : home, (unsigned long long)seq,
	    (unsigned long long)room.used_bytes);
	buf_release(&words);
	return 0;
}

int
verb_backup(struct cli *cli, int argc, char **argv)
{
	const struct option_spec specs[] = { { 0 } };
	struct db *shared;
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc != 2)
		return cli_usage(cli, "where to? 'skein backup DIR' makes a "
		    "home of its own in DIR");
	umask(077);
	shared = cli_open(cli, ENV_shared);
	if (shared == NULL)
		return 1;
	rc = copy_store(cli, shared, argv[1]);
	db_close(&shared);
	if (rc == 0)
		rc = copy_settings(cli, argv[1]);
	return rc == 0 ? say(cli, argv[1]) : rc;
}
