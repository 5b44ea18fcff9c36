/*
 * when - RFC 3339 and epoch milliseconds, civil dates and days
 *
 * Proleptic Gregorian calendar, UTC, years 0000 to 9999; leap seconds read as
 * the second after.  Computed here, so that no locale and no time-zone file of
 * a machine can change a result.
 */
#ifndef COMMON_WHEN_H
#define COMMON_WHEN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

#define WHEN_SECOND_MS INT64_C(1000)
#define WHEN_MINUTE_MS INT64_C(60000)
#define WHEN_HOUR_MS INT64_C(3600000)
#define WHEN_DAY_MS INT64_C(86400000)

/* Of 0000-01-01T00:00:00Z and of the last millisecond of 9999. */
#define WHEN_MIN_MS INT64_C(-62167219200000)
#define WHEN_MAX_MS INT64_C(253402300799999)

enum { WHEN_TEXT_BYTES = 32 };

struct when_date {
	int year;
	int month;	/* 1 to 12 */
	int day;	/* 1 to 31 */
};

/* Days since 1970-01-01; month and day must be in range. */
int64_t when_days(struct when_date date);
struct when_date when_date(int64_t days);
int when_weekday(int64_t days);			/* 0 is Monday */
int when_month_days(int year, int month);
bool when_valid(struct when_date date);
/* The day a time falls on, also before 1970. */
int64_t when_day_of(int64_t ms);
/* The same day of another month, or that month's last day. */
struct when_date when_add_months(struct when_date date, int months);

/*
 * "2023-05-05T10:30:00.5+02:00"; 'T' may be 't' or a space, a missing offset
 * means UTC, a date alone means its midnight.  -1 if it is none, or out of
 * range; *ms is then untouched.
 */
int when_parse(struct slice s, int64_t *ms)
    __attribute__((warn_unused_result));
/* "2023-05-05T10:30:00Z", with ".500" only where it is not zero. */
void when_format(int64_t ms, char out[WHEN_TEXT_BYTES]);
/* "2023-05-05" */
void when_format_date(int64_t days, char out[WHEN_TEXT_BYTES]);

#endif
