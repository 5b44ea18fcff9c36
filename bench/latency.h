/*
 * latency - the clock and the percentiles that the benchmarks share
 */
#ifndef BENCH_LATENCY_H
#define BENCH_LATENCY_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double
now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline int
latency_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median and the 99th percentile, in microseconds; sorts what it is given. */
static inline void
print_percentiles(double *took_s, size_t count)
{
	qsort(took_s, count, sizeof(took_s[0]), latency_cmp);
	printf("%.0f %.0f\n", took_s[count / 2] * 1e6,
	    took_s[count - 1 - count / 100] * 1e6);
}

#endif
