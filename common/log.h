/*
 * log - one line per fact on standard error, and the two ways to give up
 *
 * Silent when all is well.  Levels have one meaning each: debug is for who
 * reads the code, info for who runs it, warn for what somebody should look at.
 * fatal ends the process: EX_REFUSE (100) when trying again cannot help (a
 * setting, a newer schema), EX_RETRY (111) when it may (no memory, no socket).
 * The names without x add strerror(errno).
 *
 * When a log file is set, it is standard error itself: a line that passes the
 * size limit moves the file to FILE.1 (.1 to .2, and so on) and opens a fresh
 * one, so that what libraries and sanitizers print lands there too.
 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum { EX_REFUSE = 100, EX_RETRY = 111 };
enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN };

void log_open(const char *program, enum log_level level);
/* For commands at a terminal: warnings only, as "PROGRAM: message". */
void log_open_plain(const char *program);
void log_file(const char *path, size_t limit_bytes, unsigned keep);
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warnx(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void fatal(int code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void fatalx(int code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));

#endif
