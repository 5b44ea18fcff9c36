/*
 * weight - how much an artifact counts: by use, fading with time
 *
 * In thousandths, from 100 to 10,000; every artifact begins with 1,000.
 *
 *   evaporation   w(t) = w * 2^(-(t - t0) / half-life), not below 100
 *   use           each entry that names it adds 250, not past 10,000
 *   inheritance   a refinement begins with half its source's weight, a
 *                 consolidation with half the mean, neither below 1,000
 *
 * All of it in whole numbers, so that every build gives the same.  Time is
 * that of entries; what is older than the weight itself changes nothing.
 */
#ifndef COMPACTOR_WEIGHT_H
#define COMPACTOR_WEIGHT_H

#include <stddef.h>
#include <stdint.h>

enum {
	WEIGHT_FIRST = 1000,
	WEIGHT_LEAST = 100,
	WEIGHT_MOST = 10000,
	WEIGHT_A_USE = 250,
};

/* What is left at `now_ms` of a weight as of `at_ms`. */
uint64_t weight_now(uint64_t weight, int64_t at_ms, int64_t now_ms,
    int64_t half_life_ms);
uint64_t weight_used(uint64_t weight);
/* Of one source or several, each as of now. */
uint64_t weight_inherited(const uint64_t *sources, size_t count);

#endif
