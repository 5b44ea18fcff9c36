/*
 * tap - the Test Anything Protocol, for unit tests
 *
 * Every check prints "ok N - what" or "not ok N - what" with the place;
 * prove(1) reads it.  done() prints the plan and gives main's return value.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int tap_count, tap_failed;

__attribute__((format(printf, 4, 5))) static inline bool
tap_check(bool good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	printf("%s %d - ", good ? "ok" : "not ok", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (!good) {
		tap_failed++;
		printf("#   at %s line %d\n", file, line);
	}
	fflush(stdout);
	return good;
}

#define ok(cond, ...) tap_check((cond), __FILE__, __LINE__, __VA_ARGS__)

static inline bool
tap_is(const char *got, const char *want, const char *file, int line,
    const char *what)
{
	bool good = got != NULL && want != NULL && strcmp(got, want) == 0;

	tap_check(good, file, line, "%s", what);
	if (!good)
		printf("#   got:  %s\n#   want: %s\n", got ? got : "(null)",
		    want ? want : "(null)");
	return good;
}

#define is(got, want, what) tap_is((got), (want), __FILE__, __LINE__, (what))

static inline bool
tap_is_int(long long got, long long want, const char *file, int line,
    const char *what)
{
	bool good = got == want;

	tap_check(good, file, line, "%s", what);
	if (!good)
		printf("#   got:  %lld\n#   want: %lld\n", got, want);
	return good;
}

#define is_int(got, want, what) \
	tap_is_int((long long)(got), (long long)(want), __FILE__, __LINE__, (what))

static inline int
done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed > 0;
}

#endif
