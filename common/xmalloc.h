/*
 * xmalloc - allocation that succeeds or does not return
 */
#ifndef COMMON_XMALLOC_H
#define COMMON_XMALLOC_H

#include <stddef.h>

void *xmalloc(size_t len);
void *xcalloc(size_t count, size_t size);
/* At a multiple of a power of two; not cleared. */
void *xaligned(size_t at, size_t len);
void *xrealloc(void *ptr, size_t len);
char *xstrdup(const char *s);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
