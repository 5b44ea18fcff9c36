/*
 * budget - when a model may be asked: the day's budget, and waiting after
 * failures
 *
 * Pure: times are given.  A day is one of UTC.
 */
#ifndef ASSESS_BUDGET_H
#define ASSESS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

struct budget {
	uint64_t requests_a_day;
	uint64_t tokens_a_day;		/* 0: no limit */
	int64_t day;			/* since 1970 */
	uint64_t requests, tokens;	/* spent on that day */
};

/* A new day begins with nothing spent; a clock set back gives nothing back. */
void budget_day(struct budget *b, int64_t now_ms);
bool budget_is_spent(const struct budget *b);
uint64_t budget_left(const struct budget *b);	/* requests */

/*
 * After a failure the endpoint is left alone: half a second, twice that the
 * next time, up to `longest_ms`; or for as long as it asks itself.
 */
struct pace {
	int64_t longest_ms;
	unsigned failures;	/* in a row */
	int64_t until_ms;
};

void pace_success(struct pace *p);
void pace_failure(struct pace *p, int64_t now_ms, int64_t retry_after_ms);
bool pace_allows(const struct pace *p, int64_t now_ms);

/*
 * What a Retry-After header asks for: seconds or an HTTP date.  0 where it is
 * neither or in the past; never more than a day.
 */
int64_t pace_retry_after(struct slice value, int64_t now_ms);
/* The same of retry-after-ms. */
int64_t pace_retry_after_ms(struct slice value);

#endif
