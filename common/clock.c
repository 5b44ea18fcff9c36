/*
 * clock - what time it is, for people and for intervals
 */
#include "common/clock.h"

#include <time.h>

int64_t
wall_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t
wall_ms(void)
{
	return wall_us() / 1000;
}

int64_t
steady_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
