/*
 * xmalloc - allocation that succeeds or does not return
 */
#include "common/xmalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/log.h"

static void *
must_have(void *ptr)
{
	if (ptr == NULL)
		fatalx(EX_RETRY, "out of memory");
	return ptr;
}

void *
xmalloc(size_t len)
{
	return must_have(malloc(len > 0 ? len : 1));
}

void *
xcalloc(size_t count, size_t size)
{
	return must_have(calloc(count > 0 ? count : 1, size > 0 ? size : 1));
}

void *
xaligned(size_t at, size_t len)
{
	return must_have(aligned_alloc(at, (len + at - 1) & ~(at - 1)));
}

void *
xrealloc(void *ptr, size_t len)
{
	return must_have(realloc(ptr, len > 0 ? len : 1));
}

char *
xstrdup(const char *s)
{
	return must_have(strdup(s));
}

char *
xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		fatal(EX_RETRY, "vsnprintf");
	s = xmalloc((size_t)len + 1);
	va_start(ap, fmt);
	vsnprintf(s, (size_t)len + 1, fmt, ap);
	va_end(ap);
	return s;
}
