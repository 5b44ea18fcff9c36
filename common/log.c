/*
 * log - one line per fact on standard error, and the two ways to give up
 */
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct {
	const char *program;
	enum log_level level;
	bool plain;
	const char *path;	/* NULL: standard error is not ours to turn */
	size_t limit_bytes;
	unsigned keep;
} logger = { .program = "skein", .level = LOG_INFO };

void
log_open(const char *program, enum log_level level)
{
	logger.program = program;
	logger.level = level;
}

void
log_open_plain(const char *program)
{
	log_open(program, LOG_WARN);
	logger.plain = true;
}

static int
reopen(void)
{
	int fd = open(logger.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (fd == -1)
		return -1;
	if (dup2(fd, STDERR_FILENO) == -1) {
		close(fd);
		return -1;
	}
	close(fd);
	return 0;
}

void
log_file(const char *path, size_t limit_bytes, unsigned keep)
{
	logger.path = path;
	logger.limit_bytes = limit_bytes;
	logger.keep = keep;
	if (reopen() == -1)
		fatal(EX_REFUSE, "log file %s", path);
}

static void
turn_file(void)
{
	char from[PATH_MAX], to[PATH_MAX];
	struct stat st;
	unsigned i;

	if (logger.path == NULL || fstat(STDERR_FILENO, &st) == -1 ||
	    (size_t)st.st_size < logger.limit_bytes)
		return;
	for (i = logger.keep; i > 0; i--) {
		if (i == 1)
			snprintf(from, sizeof(from), "%s", logger.path);
		else
			snprintf(from, sizeof(from), "%s.%u", logger.path, i - 1);
		snprintf(to, sizeof(to), "%s.%u", logger.path, i);
		/* A missing older file is no error: there were fewer turns. */
		if (rename(from, to) == -1 && errno != ENOENT)
			return;
	}
	if (logger.keep == 0 && unlink(logger.path) == -1)
		return;
	/* Failing to reopen leaves the old file in use, which is still right. */
	(void)!reopen();
}

static void
put_line(const char *level, const char *fmt, va_list ap, int error)
{
	struct timespec now;
	struct tm tm;
	char stamp[32], text[2048];
	int len;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &tm);
	len = vsnprintf(text, sizeof(text), fmt, ap);
	if (len >= (int)sizeof(text))	/* say that the line was cut */
		memcpy(text + sizeof(text) - 4, "...", 4);
	if (logger.plain) {
		fprintf(stderr, "%s: %s%s%s\n", logger.program, text,
		    error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
		return;
	}
	turn_file();
	fprintf(stderr, "%s.%03ldZ %s[%d] %s: %s%s%s\n", stamp,
	    now.tv_nsec / 1000000, logger.program, (int)getpid(), level, text,
	    error != 0 ? ": " : "", error != 0 ? strerror(error) : "");
}

#define LOG_AT(at, word, error)			\
	do {						\
		int saved = (error);			\
		va_list ap;				\
		if (logger.level > (at))			\
			return;				\
		va_start(ap, fmt);			\
		put_line(word, fmt, ap, saved);		\
		va_end(ap);				\
	} while (0)

void
log_debug(const char *fmt, ...)
{
	LOG_AT(LOG_DEBUG, "debug", 0);
}

void
log_info(const char *fmt, ...)
{
	LOG_AT(LOG_INFO, "info", 0);
}

void
log_warn(const char *fmt, ...)
{
	LOG_AT(LOG_WARN, "warn", errno);
}

void
log_warnx(const char *fmt, ...)
{
	LOG_AT(LOG_WARN, "warn", 0);
}

void
fatal(int code, const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, fmt);
	put_line("fatal", fmt, ap, error);
	va_end(ap);
	exit(code);
}

void
fatalx(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line("fatal", fmt, ap, 0);
	va_end(ap);
	exit(code);
}
