/*
 * stage_marks - small files beside a stage's own tables that tell how they
 * were left
 *
 *   dirty    the tables are in use; holds the id of the boot
 *   stamp    size and time of their file after the last commit
 *   suspect  a process died on a signal while it used them
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"

enum { BOOT_ID_BYTES = 36, STAMP_BYTES = 64 };

static struct {
	char suspect_path[PATH_MAX];	/* for the signal handler */
	char data_path[PATH_MAX];	/* the file that is watched */
	int stamp_fd;
	char stamp[STAMP_BYTES + 1];	/* the file as we left it */
} marks = { .stamp_fd = -1 };

char *
marks_dir(const struct stage *st)
{
	if (st->shadow_dir != NULL)
		return xstrdup(st->shadow_dir);
	return conf_path(&st->conf, "db/%s", env_name(st->spec->env));
}

char *
marks_path(const struct stage *st, const char *mark)
{
	char *dir = marks_dir(st), *path = xasprintf("%s/%s", dir, mark);

	free(dir);
	return path;
}

/* Reads at most `most` bytes; "" when there is no such file. */
static void
read_mark(const char *path, char *out, size_t most)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = 0;

	if (fd != -1) {
		len = read(fd, out, most);
		close(fd);
	}
	out[len > 0 ? len : 0] = '\0';
}

static void
write_mark(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t len = strlen(text);

	if (fd == -1 || write(fd, text, len) != (ssize_t)len || fsync(fd) == -1)
		fatal(EX_RETRY, "%s", path);
	close(fd);
}

/* ---- the stamp: was anybody else at the file? ---- */

/* "" when there is no file. */
static void
read_stamp(char out[STAMP_BYTES + 1])
{
	struct stat data;

	out[0] = '\0';
	if (stat(marks.data_path, &data) == 0)
		snprintf(out, STAMP_BYTES + 1, "%20lld %20lld.%09ld\n",
		    (long long)data.st_size, (long long)data.st_mtim.tv_sec,
		    data.st_mtim.tv_nsec);
}

/* Of a fixed size, so that it needs no room on a disk that is full by now. */
void
marks_write_stamp(struct stage *st)
{
	size_t len;

	if (st->shadow)
		return;
	read_stamp(marks.stamp);
	len = strlen(marks.stamp);
	if (pwrite(marks.stamp_fd, marks.stamp, len, 0) != (ssize_t)len)
		log_warn("the stamp of the own tables");
}

/* Whether the file is there and not as the stamp beside it says. */
bool
marks_is_changed(struct stage *st)
{
	char now[STAMP_BYTES + 1];
	char *path;

	path = marks_path(st, "data.mdb");
	if (snprintf(marks.data_path, sizeof(marks.data_path), "%s", path) >=
	    (int)sizeof(marks.data_path))
		fatalx(EX_REFUSE, "%s: path too long", path);
	free(path);
	path = marks_path(st, "stamp");
	read_mark(path, marks.stamp, STAMP_BYTES);
	free(path);
	read_stamp(now);
	return now[0] != '\0' && strcmp(now, marks.stamp) != 0;
}

/* No file at all: removed since, perhaps before our first stamp. */
bool
marks_is_as_left(void)
{
	char now[STAMP_BYTES + 1];

	read_stamp(now);
	return now[0] != '\0' && strcmp(now, marks.stamp) == 0;
}

void
marks_open_stamp(struct stage *st)
{
	char *path = marks_path(st, "stamp");

	marks.stamp_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (marks.stamp_fd == -1)
		fatal(EX_RETRY, "%s", path);
	free(path);
	marks_write_stamp(st);
}

bool
marks_is_dirty(struct stage *st)
{
	char *path = marks_path(st, "dirty");
	bool dirty = access(path, F_OK) == 0;

	free(path);
	return dirty;
}

bool
marks_is_torn(struct stage *st)
{
	char boot[BOOT_ID_BYTES + 1], mark[BOOT_ID_BYTES + 1];
	char *path = marks_path(st, "dirty");

	read_mark("/proc/sys/kernel/random/boot_id", boot, BOOT_ID_BYTES);
	read_mark(path, mark, BOOT_ID_BYTES);
	free(path);
	return mark[0] != '\0' && strcmp(boot, mark) != 0;
}

void
marks_set_dirty(struct stage *st)
{
	char boot[BOOT_ID_BYTES + 1];
	char *path = marks_path(st, "dirty");

	read_mark("/proc/sys/kernel/random/boot_id", boot, BOOT_ID_BYTES);
	write_mark(path, boot[0] != '\0' ? boot : "unknown");
	free(path);
}

void
marks_set_suspect(struct stage *st)
{
	char *path = marks_path(st, "suspect");

	write_mark(path, "");
	free(path);
}

static void
on_crash(int signal_number)
{
	int fd = open(marks.suspect_path, O_WRONLY | O_CREAT, 0600);

	if (fd != -1)
		close(fd);
	/* SA_RESETHAND: this time the signal does what it does. */
	raise(signal_number);
}

void
marks_watch_crashes(struct stage *st)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT };
	struct sigaction action = { .sa_handler = on_crash,
		.sa_flags = (int)SA_RESETHAND };
	char *path = marks_path(st, "suspect");
	size_t i;

	if (snprintf(marks.suspect_path, sizeof(marks.suspect_path), "%s",
		path) >= (int)sizeof(marks.suspect_path))
		fatalx(EX_REFUSE, "%s: path too long", path);
	free(path);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], &action, NULL) == -1)
			fatal(EX_RETRY, "sigaction");
}

void
marks_close(struct stage *st, bool synced)
{
	char *path = marks_path(st, "dirty");

	if (synced && fsync(marks.stamp_fd) == 0 && unlink(path) == -1 &&
	    errno != ENOENT)
		log_warn("%s", path);
	close(marks.stamp_fd);
	free(path);
}
