/*
 * budget - when a model may be asked
 */
#include "assess/budget.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "common/when.h"

enum { FIRST_WAIT_MS = 500 };

void
budget_day(struct budget *b, int64_t now_ms)
{
	int64_t day = when_day_of(now_ms);

	if (day <= b->day)
		return;
	b->day = day;
	b->requests = b->tokens = 0;
}

uint64_t
budget_left(const struct budget *b)
{
	if (b->tokens_a_day > 0 && b->tokens >= b->tokens_a_day)
		return 0;
	return b->requests < b->requests_a_day ?
	    b->requests_a_day - b->requests : 0;
}

bool
budget_is_spent(const struct budget *b)
{
	return budget_left(b) == 0;
}

void
pace_success(struct pace *p)
{
	p->failures = 0;
	p->until_ms = 0;
}

void
pace_failure(struct pace *p, int64_t now_ms, int64_t retry_after_ms)
{
	unsigned doublings = p->failures < 32 ? p->failures : 32;
	int64_t wait_ms = (int64_t)FIRST_WAIT_MS << doublings;

	p->failures++;
	if (wait_ms > p->longest_ms)
		wait_ms = p->longest_ms;
	if (retry_after_ms > wait_ms)
		wait_ms = retry_after_ms;
	/* Of several failures at once the longest wait counts. */
	if (now_ms + wait_ms > p->until_ms)
		p->until_ms = now_ms + wait_ms;
}

bool
pace_allows(const struct pace *p, int64_t now_ms)
{
	return now_ms >= p->until_ms;
}

static int64_t
within_a_day(int64_t ms)
{
	if (ms < 0)
		return 0;
	return ms < WHEN_DAY_MS ? ms : WHEN_DAY_MS;
}

/* A whole number and nothing else, up to 999999999; -1 if it is none. */
static int64_t
read_number(struct slice value)
{
	int64_t n = 0;
	size_t i;

	if (value.len == 0 || value.len > 9)
		return -1;
	for (i = 0; i < value.len; i++) {
		if (value.ptr[i] < '0' || value.ptr[i] > '9')
			return -1;
		n = n * 10 + (value.ptr[i] - '0');
	}
	return n;
}

int64_t
pace_retry_after_ms(struct slice value)
{
	return within_a_day(read_number(value));
}

int64_t
pace_retry_after(struct slice value, int64_t now_ms)
{
	int64_t seconds = read_number(value);
	struct tm tm = { 0 };
	char text[64];
	const char *end;

	if (seconds >= 0)
		return within_a_day(seconds * 1000);
	if (value.len >= sizeof(text))
		return 0;
	memcpy(text, value.ptr, value.len);
	text[value.len] = '\0';
	/* "Sun, 06 Nov 1994 08:49:37 GMT"; names of days are C's own. */
	end = strptime(text, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	if (end == NULL || *end != '\0')
		return 0;
	return within_a_day((int64_t)timegm(&tm) * 1000 - now_ms);
}
