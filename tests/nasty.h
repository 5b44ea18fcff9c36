/*
 * nasty - texts that bring out quadratic behaviour
 *
 * nasty_check runs a function over a long text of each kind and over one an
 * eighth as long.  Linear work takes 8 times as long, quadratic 64; a limit of
 * 32 with CPU time tells them apart on a busy machine, and what is done in a
 * blink passes without measuring.
 */
#ifndef TESTS_NASTY_H
#define TESTS_NASTY_H

#include <time.h>

#include "common/buf.h"
#include "common/xmalloc.h"
#include "tests/tap.h"

enum { NASTY_BYTES = 1 << 20, NASTY_RATIO = 32, NASTY_BLINK_MS = 250 };

static const char *const nasty_units[] = {
	"a", " ", "\n", "<", ">", "(", "((a", ")", "[", "{", "\"", "\"a ", "'",
	"`", "`a``b```", ".", "a.", ". ", "a. ", "a.-", "e.g. ", "!", "?a", "-",
	"_", "/", "\\", ":", "@", "a@", "#", "$", "%", "~", "1", "1.", "1,", "1:",
	"0x", "A", "aA", "A b ", "Ab ", "http://", "http://.", "www.", "://", "<a",
	"<skein-a>", "<skein-a><skein-a></skein-a>", "</system-reminder>",
	"<system-reminder>", "> ", ">\n", "```\n", "~~~a\n", "    x(\n", "- a\n",
	"\t", "@@ -\n+\n", "\xcc\x81", "a\xcc\x81", "\xcc\x81\xcc\xa7",
	"\xe2\x80\x8d", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80\xe2\x80\x8d",
	"\xf0\x9f\x87\xa9", "\xe2\x80\x9c", "\xe2\x80\x9c" "a ", "\xc2\xab",
	"\xe2\x80\x9c" "a \xe2\x80\x9d",
	"\xe4\xbd\xa0", "\xe3\x80\x82", "\xe4\xbd\xa0\xe3\x80\x82",
	"\xe3\x82\xa2", "\xe3\x81\xae", "\xd7\x90", "\xef\xb7\xba", "\xff",
	"\xe2\x80", "in 2 ", "5 May ", "at 1 ", "the 5th ", "last week ", "of ",
	"Ab of ", "a_b.", "a::", "HTTP ", "v1.", "ERROR: ", "it's ", "don't",
};

static struct slice
nasty_text(const char *unit, size_t len)
{
	size_t unit_len = strlen(unit), used = 0;
	char *text = xmalloc(len);

	for (; used + unit_len <= len; used += unit_len)
		memcpy(text + used, unit, unit_len);
	return slice_of(text, used);
}

static double
nasty_ms(void (*work)(struct slice), const char *unit, size_t len)
{
	struct slice text = nasty_text(unit, len);
	clock_t start = clock();

	work(text);
	free((char *)text.ptr);
	return (double)(clock() - start) * 1000 / CLOCKS_PER_SEC;
}

static inline void
nasty_check(void (*work)(struct slice))
{
	for (size_t i = 0; i < sizeof(nasty_units) / sizeof(*nasty_units);
	    i++) {
		double whole = nasty_ms(work, nasty_units[i], NASTY_BYTES);
		double part = whole < NASTY_BLINK_MS ? whole
		    : nasty_ms(work, nasty_units[i], NASTY_BYTES / 8);

		ok(whole < NASTY_BLINK_MS || whole < part * NASTY_RATIO,
		    "linear on text %zu (%.0f ms)", i, whole);
	}
}

#endif
