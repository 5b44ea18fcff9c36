/*
 * when - RFC 3339 and epoch milliseconds, civil dates and days
 */
#include "common/when.h"

#include <assert.h>
#include <stdio.h>

static int64_t
floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool
is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int
when_month_days(int year, int month)
{
	static const int days[] = {
		31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31
	};

	assert(month >= 1 && month <= 12);
	return days[month - 1] + (month == 2 && is_leap(year));
}

bool
when_valid(struct when_date date)
{
	return date.year >= 0 && date.year <= 9999 && date.month >= 1 &&
	    date.month <= 12 && date.day >= 1 &&
	    date.day <= when_month_days(date.year, date.month);
}

/*
 * Years are counted from March, so that the leap day is the last of its year;
 * 400 of them, an era, always have 146097 days.
 */
int64_t
when_days(struct when_date date)
{
	int64_t year = date.year - (date.month <= 2);
	int64_t era = floor_div(year, 400);
	int64_t year_of_era = year - era * 400;
	int64_t month = (date.month + 9) % 12;
	int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
	int64_t day_of_era = year_of_era * 365 + year_of_era / 4 -
	    year_of_era / 100 + day_of_year;

	return era * 146097 + day_of_era - 719468;
}

struct when_date
when_date(int64_t days)
{
	int64_t shifted = days + 719468;
	int64_t era = floor_div(shifted, 146097);
	int64_t day_of_era = shifted - era * 146097;
	int64_t year_of_era = (day_of_era - day_of_era / 1460 +
	    day_of_era / 36524 - day_of_era / 146096) / 365;
	int64_t day_of_year = day_of_era - (365 * year_of_era +
	    year_of_era / 4 - year_of_era / 100);
	int64_t month = (5 * day_of_year + 2) / 153;
	struct when_date date;

	date.day = (int)(day_of_year - (153 * month + 2) / 5 + 1);
	date.month = (int)(month < 10 ? month + 3 : month - 9);
	date.year = (int)(year_of_era + era * 400 + (date.month <= 2));
	return date;
}

int
when_weekday(int64_t days)
{
	/* 1970-01-01 was a Thursday. */
	int64_t shifted = days + 3;

	return (int)(shifted - floor_div(shifted, 7) * 7);
}

int64_t
when_day_of(int64_t ms)
{
	return floor_div(ms, WHEN_DAY_MS);
}

struct when_date
when_add_months(struct when_date date, int months)
{
	int64_t count = (int64_t)date.year * 12 + date.month - 1 + months;
	int last;

	date.year = (int)floor_div(count, 12);
	date.month = (int)(count - (int64_t)date.year * 12) + 1;
	last = when_month_days(date.year, date.month);
	if (date.day > last)
		date.day = last;
	return date;
}

/* Exactly `count` digits at *pos. */
static bool
take_digits(struct slice s, size_t *pos, int count, int *value)
{
	int v = 0;

	for (int i = 0; i < count; i++, (*pos)++) {
		if (*pos >= s.len || s.ptr[*pos] < '0' || s.ptr[*pos] > '9')
			return false;
		v = v * 10 + (s.ptr[*pos] - '0');
	}
	*value = v;
	return true;
}

static bool
take_char(struct slice s, size_t *pos, char c)
{
	if (*pos >= s.len || s.ptr[*pos] != c)
		return false;
	(*pos)++;
	return true;
}

static bool
take_date(struct slice s, size_t *pos, struct when_date *date)
{
	return take_digits(s, pos, 4, &date->year) && take_char(s, pos, '-') &&
	    take_digits(s, pos, 2, &date->month) && take_char(s, pos, '-') &&
	    take_digits(s, pos, 2, &date->day) && when_valid(*date);
}

/* ".5", ".123456": what is finer than a millisecond is dropped. */
static bool
take_fraction(struct slice s, size_t *pos, int *ms)
{
	int unit = 100;
	size_t start;

	*ms = 0;
	if (!take_char(s, pos, '.'))
		return true;
	start = *pos;
	while (*pos < s.len && s.ptr[*pos] >= '0' && s.ptr[*pos] <= '9') {
		*ms += (s.ptr[*pos] - '0') * unit;
		unit /= 10;
		(*pos)++;
	}
	return *pos > start;
}

static bool
take_clock(struct slice s, size_t *pos, int64_t *ms)
{
	int hour, minute, second, fraction;

	if (!take_digits(s, pos, 2, &hour) || !take_char(s, pos, ':') ||
	    !take_digits(s, pos, 2, &minute) || !take_char(s, pos, ':') ||
	    !take_digits(s, pos, 2, &second) ||
	    !take_fraction(s, pos, &fraction))
		return false;
	if (hour > 23 || minute > 59 || second > 60)
		return false;
	*ms = hour * WHEN_HOUR_MS + minute * WHEN_MINUTE_MS +
	    second * WHEN_SECOND_MS + fraction;
	return true;
}

static bool
take_offset(struct slice s, size_t *pos, int64_t *ms)
{
	int hour, minute, sign;

	*ms = 0;
	if (*pos == s.len || take_char(s, pos, 'Z') || take_char(s, pos, 'z'))
		return true;
	sign = s.ptr[*pos] == '-' ? -1 : 1;
	if (!take_char(s, pos, '+') && !take_char(s, pos, '-'))
		return false;
	if (!take_digits(s, pos, 2, &hour) || !take_char(s, pos, ':') ||
	    !take_digits(s, pos, 2, &minute) || hour > 23 || minute > 59)
		return false;
	*ms = sign * (hour * WHEN_HOUR_MS + minute * WHEN_MINUTE_MS);
	return true;
}

int
when_parse(struct slice s, int64_t *ms)
{
	struct when_date date;
	int64_t clock = 0, offset = 0, result;
	size_t pos = 0;

	if (!take_date(s, &pos, &date))
		return -1;
	if (pos < s.len) {
		if (!take_char(s, &pos, 'T') && !take_char(s, &pos, 't') &&
		    !take_char(s, &pos, ' '))
			return -1;
		if (!take_clock(s, &pos, &clock) ||
		    !take_offset(s, &pos, &offset) || pos != s.len)
			return -1;
	}
	result = when_days(date) * WHEN_DAY_MS + clock - offset;
	if (result < WHEN_MIN_MS || result > WHEN_MAX_MS)
		return -1;
	*ms = result;
	return 0;
}

/* `count` digits of a number, and what stands before them; what is behind. */
static char *
put_digits(char *out, char before, int count, int n)
{
	int i;

	if (before != '\0')
		*out++ = before;
	for (i = count; i-- > 0; n /= 10)
		out[i] = (char)('0' + n % 10);
	return out + count;
}

void
when_format_date(int64_t days, char out[WHEN_TEXT_BYTES])
{
	struct when_date date = when_date(days);
	int len;

	if (date.year < 0 || date.year > 9999) {
		len = snprintf(out, WHEN_TEXT_BYTES, "%04d-%02d-%02d",
		    date.year, date.month, date.day);
		assert(len > 0 && len < WHEN_TEXT_BYTES);
		return;
	}
	out = put_digits(out, '\0', 4, date.year);
	out = put_digits(out, '-', 2, date.month);
	out = put_digits(out, '-', 2, date.day);
	*out = '\0';
}

void
when_format(int64_t ms, char out[WHEN_TEXT_BYTES])
{
	int64_t days = when_day_of(ms);
	int rest = (int)(ms - days * WHEN_DAY_MS);
	int second = rest / 1000;

	assert(ms >= WHEN_MIN_MS && ms <= WHEN_MAX_MS);
	when_format_date(days, out);
	out = put_digits(out + strlen(out), 'T', 2, second / 3600);
	out = put_digits(out, ':', 2, second / 60 % 60);
	out = put_digits(out, ':', 2, second % 60);
	if (rest % 1000 != 0)
		out = put_digits(out, '.', 3, rest % 1000);
	*out++ = 'Z';
	*out = '\0';
}
