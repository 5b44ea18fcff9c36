/*
 * clock - what time it is, for people and for intervals
 *
 * No decision of a stage may ask: the same log must give the same store.
 */
#ifndef COMMON_CLOCK_H
#define COMMON_CLOCK_H

#include <stdint.h>

int64_t wall_ms(void);		/* since 1970 */
int64_t wall_us(void);
int64_t steady_ms(void);	/* for intervals: nobody can set it */

#endif
