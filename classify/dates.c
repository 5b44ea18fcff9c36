/*
 * dates - dates and times in a statement, resolved against the turn's time
 *
 * Every read_* looks at the terms from i on and gives how many it has used,
 * 0 when they are not what it reads.
 */
#include "classify/dates.h"

#include <assert.h>

#include "common/when.h"

enum precision { BY_YEAR, BY_MONTH, BY_DAY, BY_MINUTE };

struct moment {
	enum precision precision;
	int64_t first, last;	/* days; equal unless it is an interval */
	int minute;		/* of the day */
};

enum unit { SECONDS, MINUTES, HOURS, DAYS, WEEKS, MONTHS, YEARS };

enum { NEAR_NONE = -9, NEAR_LAST = -1, NEAR_THIS = 0, NEAR_NEXT = 1 };

struct named {
	const char *word;
	int value;
};

static bool
find_named(struct slice word, const struct named *list, size_t count,
    int *value)
{
	/* No name begins with a digit, and numbers are asked about most. */
	if (word.len == 0 || (word.ptr[0] >= '0' && word.ptr[0] <= '9'))
		return false;
	for (size_t i = 0; i < count; i++)
		if (slice_is(word, list[i].word)) {
			*value = list[i].value;
			return true;
		}
	return false;
}

#define NAMED(word, list, value) \
	find_named(word, list, sizeof(list) / sizeof(*list), value)

static struct slice
word_at(const struct date_frame *f, size_t i)
{
	return i < f->count ? f->terms[i].folded : SLICE_NONE;
}

static bool
is_at(const struct date_frame *f, size_t i, const char *word)
{
	return slice_is(word_at(f, i), word);
}

static bool
is_any(const struct date_frame *f, size_t i, const char *const *words)
{
	for (; *words != NULL; words++)
		if (is_at(f, i, *words))
			return true;
	return false;
}

/* Is the term before i one that a date follows? */
static bool
has_cue(const struct date_frame *f, size_t i)
{
	static const char *const cues[] = {
		"in", "on", "by", "until", "till", "since", "from", "before",
		"after", "of", "last", "next", "this", "early", "late", "mid",
		"during", "around", "every", "for", "to", "between", "and",
		"past", "through", NULL,
	};

	return i > 0 && (f->terms[i - 1].roles & ROLE_DATE_CUE) &&
	    is_any(f, i - 1, cues);
}

static size_t
digits(struct slice s, size_t from)
{
	size_t i = from;

	while (i < s.len && s.ptr[i] >= '0' && s.ptr[i] <= '9')
		i++;
	return i - from;
}

static int
number(struct slice s, size_t from, size_t len)
{
	int v = 0;

	for (size_t i = from; i < from + len; i++)
		v = v * 10 + (s.ptr[i] - '0');
	return v;
}

/* A whole number of at most five digits: "12", "12th"; the rest in *tail. */
static bool
read_count(const struct date_frame *f, size_t i, int *value,
    struct slice *tail)
{
	static const struct named words[] = {
		{ "a", 1 }, { "an", 1 }, { "one", 1 }, { "two", 2 },
		{ "three", 3 }, { "four", 4 }, { "five", 5 }, { "six", 6 },
		{ "seven", 7 }, { "eight", 8 }, { "nine", 9 }, { "ten", 10 },
		{ "eleven", 11 }, { "twelve", 12 },
	};
	struct slice s = word_at(f, i);
	size_t len = digits(s, 0);

	*tail = SLICE_NONE;
	if (len == 0)
		return NAMED(s, words, value);
	if (len > 5)
		return false;
	*value = number(s, 0, len);
	*tail = slice_of(s.ptr + len, s.len - len);
	return true;
}

static bool
read_unit(struct slice word, int *unit)
{
	static const struct named units[] = {
		{ "second", SECONDS }, { "seconds", SECONDS },
		{ "sec", SECONDS }, { "secs", SECONDS },
		{ "minute", MINUTES }, { "minutes", MINUTES },
		{ "min", MINUTES }, { "mins", MINUTES }, { "hour", HOURS },
		{ "hours", HOURS }, { "hr", HOURS }, { "hrs", HOURS },
		{ "h", HOURS }, { "day", DAYS }, { "days", DAYS },
		{ "d", DAYS }, { "week", WEEKS }, { "weeks", WEEKS },
		{ "wk", WEEKS }, { "wks", WEEKS }, { "month", MONTHS },
		{ "months", MONTHS }, { "year", YEARS }, { "years", YEARS },
		{ "yr", YEARS }, { "yrs", YEARS },
	};

	return NAMED(word, units, unit);
}

static bool
set_days(struct moment *m, enum precision precision, int64_t first,
    int64_t last)
{
	int64_t least = when_day_of(WHEN_MIN_MS);
	int64_t most = when_day_of(WHEN_MAX_MS);

	*m = (struct moment){ precision, first, last, 0 };
	return first >= least && last <= most && first <= last;
}

static bool
set_date(struct moment *m, int year, int month, int day)
{
	struct when_date date = { year, month, day };

	return when_valid(date) &&
	    set_days(m, BY_DAY, when_days(date), when_days(date));
}

static bool
set_month(struct moment *m, int year, int month)
{
	if (year < 0 || year > 9999)
		return false;
	return set_days(m, BY_MONTH,
	    when_days((struct when_date){ year, month, 1 }),
	    when_days((struct when_date){ year, month,
	    when_month_days(year, month) }));
}

static bool
set_year(struct moment *m, int year)
{
	if (year < 0 || year > 9999)
		return false;
	return set_days(m, BY_YEAR, when_days((struct when_date){ year, 1, 1 }),
	    when_days((struct when_date){ year, 12, 31 }));
}

/* Today moved by so many units; hours and less keep the time of day. */
static bool
set_shifted(const struct date_frame *f, struct moment *m, int64_t count,
    int unit)
{
	static const int64_t ms[] = { WHEN_SECOND_MS, WHEN_MINUTE_MS,
		WHEN_HOUR_MS };
	struct when_date date = when_date(f->today);
	int64_t to, day;

	switch (unit) {
	case DAYS:
		return set_days(m, BY_DAY, f->today + count, f->today + count);
	case WEEKS:
		day = f->today + count * 7;
		return set_days(m, BY_DAY, day, day);
	case MONTHS:
	case YEARS:
		date = when_add_months(date, (int)count *
		    (unit == YEARS ? 12 : 1));
		return date.year >= 0 && date.year <= 9999 &&
		    set_date(m, date.year, date.month, date.day);
	default:
		to = f->ts_ms + count * ms[unit];
		day = when_day_of(to);
		if (!set_days(m, BY_MINUTE, day, day))
			return false;
		m->minute = (int)((to - day * WHEN_DAY_MS) / WHEN_MINUTE_MS);
		return true;
	}
}

/* today, yesterday, tomorrow, and the commonest of other languages */
static size_t
read_day_word(const struct date_frame *f, size_t i, struct moment *m)
{
	static const struct named words[] = {
		{ "today", 0 }, { "tonight", 0 }, { "yesterday", -1 },
		{ "tomorrow", 1 }, { "tmrw", 1 }, { "tmr", 1 },
		{ "tomorow", 1 }, { "heute", 0 }, { "gestern", -1 },
		{ "vorgestern", -2 }, { "übermorgen", 2 }, { "hoy", 0 },
		{ "ayer", -1 }, { "demain", 1 },
		{ "сегодня", 0 }, { "вчера", -1 }, { "завтра", 1 },
		{ "позавчера", -2 }, { "послезавтра", 2 },
	};
	static const struct {
		const char *first, *second;
		int days;
	} pairs[] = {
		{ "今", "天", 0 }, { "昨", "天", -1 }, { "明", "天", 1 },
		{ "后", "天", 2 }, { "前", "天", -2 }, { "今", "日", 0 },
		{ "昨", "日", -1 }, { "明", "日", 1 },
	};
	int days;

	if (NAMED(word_at(f, i), words, &days))
		return set_days(m, BY_DAY, f->today + days, f->today + days);
	if (i + 1 < f->count && f->terms[i].kind == TEXT_CJK)
		for (size_t p = 0; p < sizeof(pairs) / sizeof(*pairs); p++)
			if (is_at(f, i, pairs[p].first) &&
			    is_at(f, i + 1, pairs[p].second))
				return set_days(m, BY_DAY, f->today +
				    pairs[p].days, f->today + pairs[p].days)
				    ? 2 : 0;
	if (is_at(f, i, "day") && is_at(f, i + 1, "before") &&
	    is_at(f, i + 2, "yesterday"))
		return set_days(m, BY_DAY, f->today - 2, f->today - 2) ? 3 : 0;
	if (is_at(f, i, "day") && is_at(f, i + 1, "after") &&
	    is_at(f, i + 2, "tomorrow"))
		return set_days(m, BY_DAY, f->today + 2, f->today + 2) ? 3 : 0;
	return 0;
}

/* "in 2 weeks", "2 weeks ago", "an hour ago", "30min ago", "3 days from now" */
static size_t
read_distance(const struct date_frame *f, size_t i, struct moment *m)
{
	bool ahead = is_at(f, i, "in");
	size_t at = i + ahead;
	int count, unit;
	struct slice tail;

	if ((is_at(f, at, "a") && is_at(f, at + 1, "couple")) ||
	    is_at(f, at, "couple")) {
		at += is_at(f, at, "a") + (size_t)1;
		at += is_at(f, at, "of");
		count = 2;
		tail = SLICE_NONE;
	} else if (read_count(f, at, &count, &tail)) {
		at++;
	} else {
		return 0;
	}
	if (tail.len > 0) {
		if (!read_unit(tail, &unit))
			return 0;
	} else if (read_unit(word_at(f, at), &unit)) {
		at++;
	} else {
		return 0;
	}
	if (is_at(f, at, "ago") || is_at(f, at, "back")) {
		count = -count;
		at++;
	} else if (is_at(f, at, "from") && (is_at(f, at + 1, "now") ||
	    is_at(f, at + 1, "today"))) {
		at += 2;
	} else if (!ahead || f->past) {
		return 0;	/* "in 2 weeks we had built it" is a span */
	}
	return set_shifted(f, m, count, unit) ? at - i : 0;
}

static int
nearness(const struct date_frame *f, size_t i)
{
	static const struct named words[] = {
		{ "last", NEAR_LAST }, { "past", NEAR_LAST },
		{ "previous", NEAR_LAST }, { "this", NEAR_THIS },
		{ "next", NEAR_NEXT }, { "coming", NEAR_NEXT },
		{ "following", NEAR_NEXT },
	};
	int near;

	return NAMED(word_at(f, i), words, &near) ? near : NEAR_NONE;
}

static bool
read_weekday(const struct date_frame *f, size_t i, int *day)
{
	static const struct named days[] = {
		{ "monday", 0 }, { "tuesday", 1 }, { "wednesday", 2 },
		{ "thursday", 3 }, { "friday", 4 }, { "saturday", 5 },
		{ "sunday", 6 }, { "mondays", 0 }, { "montag", 0 },
		{ "dienstag", 1 }, { "mittwoch", 2 }, { "donnerstag", 3 },
		{ "freitag", 4 }, { "samstag", 5 }, { "sonntag", 6 },
	};
	static const struct named shorts[] = {
		{ "mon", 0 }, { "tue", 1 }, { "tues", 1 }, { "wed", 2 },
		{ "thu", 3 }, { "thur", 3 }, { "thurs", 3 }, { "fri", 4 },
		{ "sat", 5 }, { "sun", 6 },
	};

	if (NAMED(word_at(f, i), days, day))
		return true;
	/* "sat", "sun", "wed" are words too: the term before must tell. */
	return NAMED(word_at(f, i), shorts, day) && f->terms[i].capital &&
	    has_cue(f, i);
}

static int64_t
latest_weekday(int64_t today, int weekday)
{
	return today - 1 - (when_weekday(today - 1) - weekday + 7) % 7;
}

static int64_t
coming_weekday(int64_t today, int weekday)
{
	return today + 1 + (weekday - when_weekday(today + 1) + 7) % 7;
}

/* [last|this|next] Thursday */
static size_t
read_weekday_date(const struct date_frame *f, size_t i, struct moment *m)
{
	int near = nearness(f, i), weekday;
	size_t used = near == NEAR_NONE ? 1 : 2;
	int64_t monday, day;

	if (!read_weekday(f, i + used - 1, &weekday))
		return 0;
	monday = f->today - when_weekday(f->today);
	/* "Since Tuesday" has begun, whatever the verb. */
	if (near == NEAR_LAST || (near == NEAR_NONE && (f->past ||
		(i > 0 && is_at(f, i - 1, "since")))))
		day = latest_weekday(f->today, weekday);
	else if (near == NEAR_THIS)
		day = monday + weekday;
	else if (near == NEAR_NEXT && !is_at(f, i, "coming"))
		day = monday + 7 + weekday;
	else
		day = coming_weekday(f->today, weekday);
	return set_days(m, BY_DAY, day, day) ? used : 0;
}

/* The season of that name that is near: its months, ending in `last`. */
static bool
set_season(const struct date_frame *f, struct moment *m, int first_month,
    int near)
{
	struct when_date now = when_date(f->today);
	int year = now.year;
	struct moment this_one;

	for (int y = year - 2; y <= year + 2; y++) {
		struct when_date start = { y, first_month, 1 };
		struct when_date end = when_add_months(start, 3);
		int64_t from = when_days(start), to = when_days(end) - 1;

		if (y < 0 || y > 9998)
			continue;
		this_one = (struct moment){ BY_DAY, from, to, 0 };
		if (near == NEAR_LAST && to < f->today)
			*m = this_one;		/* the latest one over */
		if (near == NEAR_THIS && to >= f->today) {
			*m = this_one;
			return true;
		}
		if (near == NEAR_NEXT && from > f->today) {
			*m = this_one;
			return true;
		}
	}
	return near == NEAR_LAST && m->first < m->last;
}

/* last week, this month, next year, last night, this morning, next summer */
static size_t
read_near(const struct date_frame *f, size_t i, struct moment *m)
{
	static const struct named seasons[] = {
		{ "spring", 3 }, { "summer", 6 }, { "autumn", 9 },
		{ "fall", 9 }, { "winter", 12 },
	};
	static const char *const parts[] = {
		"morning", "afternoon", "evening", NULL
	};
	int near = nearness(f, i), first_month;
	struct when_date now;
	bool good = false;
	int64_t monday;

	if (near == NEAR_NONE && is_at(f, i, "the") &&
	    is_at(f, i + 1, "weekend"))
		near = f->past ? NEAR_LAST : NEAR_THIS;
	if (near == NEAR_NONE)
		return 0;
	monday = f->today - when_weekday(f->today);
	now = when_date(f->today);
	if (is_at(f, i + 1, "week")) {
		good = set_days(m, BY_DAY, monday + near * 7,
		    monday + near * 7 + 6);
	} else if (is_at(f, i + 1, "weekend")) {
		/* On a weekend "last" is the one before, as on any day. */
		good = set_days(m, BY_DAY, monday + near * 7 + 5,
		    monday + near * 7 + 6);
	} else if (is_at(f, i + 1, "month")) {
		now = when_add_months((struct when_date){ now.year, now.month,
		    1 }, near);
		good = set_month(m, now.year, now.month);
	} else if (is_at(f, i + 1, "year")) {
		good = set_year(m, now.year + near);
	} else if (near == NEAR_LAST && (is_at(f, i + 1, "night") ||
	    is_at(f, i + 1, "evening"))) {
		good = set_days(m, BY_DAY, f->today - 1, f->today - 1);
	} else if (near == NEAR_THIS && is_any(f, i + 1, parts)) {
		good = set_days(m, BY_DAY, f->today, f->today);
	} else if (NAMED(word_at(f, i + 1), seasons, &first_month)) {
		*m = (struct moment){ 0 };
		good = set_season(f, m, first_month, near);
	}
	return good ? 2 : 0;
}

/* end of [the|this|next] week, month, year */
static size_t
read_end_of(const struct date_frame *f, size_t i, struct moment *m)
{
	size_t at = i + 2;
	int near = NEAR_THIS;
	struct when_date now;
	int64_t monday;

	if (!is_at(f, i, "end") || !is_at(f, i + 1, "of"))
		return 0;
	monday = f->today - when_weekday(f->today);
	now = when_date(f->today);
	if (nearness(f, at) != NEAR_NONE)
		near = nearness(f, at++);
	else
		at += is_at(f, at, "the");
	if (is_at(f, at, "week"))
		return set_days(m, BY_DAY, monday + near * 7 + 6,
		    monday + near * 7 + 6) ? at + 1 - i : 0;
	if (is_at(f, at, "month")) {
		now.day = 1;
		now = when_add_months(now, near);
		return set_date(m, now.year, now.month,
		    when_month_days(now.year, now.month)) ? at + 1 - i : 0;
	}
	if (is_at(f, at, "year"))
		return set_date(m, now.year + near, 12, 31) ? at + 1 - i : 0;
	return 0;
}

static bool
read_month(const struct date_frame *f, size_t i, int *month, bool *doubtful)
{
	static const struct named months[] = {
		{ "january", 1 }, { "jan", 1 }, { "february", 2 },
		{ "feb", 2 }, { "march", 3 }, { "april", 4 }, { "apr", 4 },
		{ "may", 5 }, { "june", 6 }, { "jun", 6 }, { "july", 7 },
		{ "jul", 7 }, { "august", 8 }, { "aug", 8 },
		{ "september", 9 }, { "sept", 9 }, { "sep", 9 },
		{ "october", 10 }, { "oct", 10 }, { "november", 11 },
		{ "nov", 11 }, { "december", 12 }, { "dec", 12 },
		{ "mar", 3 }, { "januar", 1 }, { "februar", 2 },
		{ "märz", 3 }, { "mai", 5 }, { "juni", 6 }, { "juli", 7 },
		{ "oktober", 10 }, { "dezember", 12 },
	};
	struct slice word = word_at(f, i);

	if (!NAMED(word, months, month))
		return false;
	*doubtful = word.len <= 3 || slice_is(word, "march") ||
	    slice_is(word, "august");
	return true;
}

/* 1 to 31, with or without st, nd, rd, th */
static bool
read_day_number(const struct date_frame *f, size_t i, int *day)
{
	struct slice s = word_at(f, i), tail;
	size_t len = digits(s, 0);

	if (len < 1 || len > 2 || f->terms[i].kind != TEXT_NUMBER)
		return false;
	tail = slice_of(s.ptr + len, s.len - len);
	if (tail.len > 0 && !slice_is(tail, "st") && !slice_is(tail, "nd") &&
	    !slice_is(tail, "rd") && !slice_is(tail, "th"))
		return false;
	*day = number(s, 0, len);
	return *day >= 1 && *day <= 31;
}

static size_t
read_year(const struct date_frame *f, size_t i, int *year)
{
	size_t comma = is_at(f, i, ","), at = i + comma;
	struct slice s = word_at(f, at);

	if (s.len != 4 || digits(s, 0) != 4)
		return 0;
	*year = number(s, 0, 4);
	return *year >= 1000 && *year < 2200 ? comma + 1 : 0;
}

/* A day without a year: the latest, the coming or the nearest one. */
static bool
set_nearest(const struct date_frame *f, struct moment *m, int month, int day)
{
	int year = when_date(f->today).year;
	int64_t best = INT64_MAX, away;
	struct moment one;

	for (int y = year - 1; y <= year + 1; y++) {
		if (!set_date(&one, y, month, day) ||
		    (f->past && one.first > f->today) ||
		    (f->future && one.first < f->today))
			continue;
		away = one.first > f->today ? one.first - f->today
		    : f->today - one.first;
		if (away < best) {
			best = away;
			*m = one;
		}
	}
	return best < INT64_MAX;
}

/* May, May 2023, last May: the month that is near. */
static size_t
read_month_alone(const struct date_frame *f, size_t i, int month,
    bool doubtful, struct moment *m)
{
	struct when_date now = when_date(f->today);
	int near = i > 0 ? nearness(f, i - 1) : NEAR_NONE, year;
	size_t used = read_year(f, i + 1, &year);

	if (used > 0 && !is_at(f, i + 1, ","))
		return set_month(m, year, month) ? 1 + used : 0;
	if (doubtful && (!has_cue(f, i) || !f->terms[i].capital))
		return 0;
	year = now.year;
	if (near == NEAR_LAST)
		year -= month >= now.month;
	else if (near == NEAR_NEXT)
		year += month <= now.month;
	else if (f->past && month > now.month)
		year--;
	else if (f->future)
		year += month < now.month;
	else if (near == NEAR_NONE && month - now.month > 6)
		year--;
	else if (near == NEAR_NONE && !f->past && now.month - month > 6)
		year++;
	return set_month(m, year, month) ? 1 : 0;
}

/* 5 May 2023, 5th of May, May 5th, 2023, May 2023, in May */
static size_t
read_month_date(const struct date_frame *f, size_t i, struct moment *m)
{
	int month, day, year = 0;
	size_t at, more;
	bool doubtful, good;

	if (read_day_number(f, i, &day)) {
		at = i + 1 + is_at(f, i + 1, "of");
		/* German: 5. Mai */
		at += is_at(f, at, ".");
		if (!read_month(f, at, &month, &doubtful))
			return 0;
	} else if (read_month(f, i, &month, &doubtful)) {
		at = i + 1;
		at += is_at(f, at, "the");
		if (!read_day_number(f, at, &day))
			return read_month_alone(f, i, month, doubtful, m);
	} else {
		return 0;
	}
	at++;
	more = read_year(f, at, &year);
	good = more > 0 ? set_date(m, year, month, day)
	    : set_nearest(f, m, month, day);
	return good ? at + more - i : 0;
}

/* 2023-05-04, 5/4/2023, 4.5.2023, and with a time of day */
static size_t
read_numeric(const struct date_frame *f, size_t i, struct moment *m)
{
	struct slice s = word_at(f, i);
	size_t a, b, c;
	int x, y, z, swap;
	int64_t ms;
	char sign;

	if (i >= f->count || f->terms[i].kind != TEXT_WHEN)
		return 0;
	a = digits(s, 0);
	sign = a < s.len ? s.ptr[a] : 0;
	if (sign == ':' || a == 0 || a > 4)
		return 0;
	b = digits(s, a + 1);
	c = a + b + 2 <= s.len ? digits(s, a + b + 2) : 0;
	if (b == 0 || b > 2 || c == 0 || c > 4)
		return 0;
	x = number(s, 0, a);
	y = number(s, a + 1, b);
	z = number(s, a + b + 2, c);
	if (a == 4) {
		if (!set_date(m, x, y, z))
			return 0;
		/* Folded, the T and Z of an instant are small. */
		if (s.len > 10 && when_parse(s, &ms) == 0) {
			m->first = m->last = when_day_of(ms);
			m->minute = (int)((ms - m->first * WHEN_DAY_MS) /
			    WHEN_MINUTE_MS);
			m->precision = BY_MINUTE;
		}
		return 1;
	}
	if (c == 2)
		z += z < 70 ? 2000 : 1900;
	if (sign == '.' || x > 12) {
		swap = x;
		x = y;
		y = swap;
	}
	return set_date(m, z, x, y) ? 1 : 0;
}

/* in 1939, since 2019; "in 2000 lines" is none */
static size_t
read_year_alone(const struct date_frame *f, size_t i, struct moment *m)
{
	struct slice next = word_at(f, i + 1);
	int year;

	if (read_year(f, i, &year) == 0 || is_at(f, i, ","))
		return 0;
	if (!has_cue(f, i) && !(i > 0 && is_at(f, i - 1, "year")))
		return 0;
	if (is_at(f, i - 1, "to") || is_at(f, i - 1, "for") ||
	    is_at(f, i - 1, "on") || is_at(f, i - 1, "this"))
		return 0;
	if (next.len > 3 && next.ptr[next.len - 1] == 's' &&
	    i + 1 < f->count && f->terms[i + 1].class == TERM_CONTENT)
		return 0;
	return set_year(m, year) ? 1 : 0;
}

/* on the 15th */
static size_t
read_month_day(const struct date_frame *f, size_t i, struct moment *m)
{
	struct when_date date;
	int day;

	if (i < 2 || !is_at(f, i - 1, "the") || !has_cue(f, i - 1) ||
	    !read_day_number(f, i, &day) || digits(word_at(f, i), 0) ==
	    word_at(f, i).len)
		return 0;
	date = when_date(f->today);
	if (f->past && day > date.day)
		date = when_add_months((struct when_date){ date.year,
		    date.month, 1 }, -1);
	else if (!f->past && day < date.day)
		date = when_add_months((struct when_date){ date.year,
		    date.month, 1 }, 1);
	return set_date(m, date.year, date.month, day) ? 1 : 0;
}

static size_t
read_day(const struct date_frame *f, size_t i, struct moment *m)
{
	static size_t (*const readers[])(const struct date_frame *, size_t,
	    struct moment *) = {
		read_numeric, read_day_word, read_distance, read_near,
		read_weekday_date, read_end_of, read_month_date,
		read_year_alone, read_month_day,
	};
	size_t used;

	for (size_t r = 0; r < sizeof(readers) / sizeof(*readers); r++) {
		used = readers[r](f, i, m);
		if (used > 0)
			return used;
	}
	return 0;
}

static bool
set_clock(int hour, int minute, int half, int *clock)
{
	if (half != 0 && (hour < 1 || hour > 12))
		return false;
	if (half != 0)
		hour = hour % 12 + (half > 0 ? 12 : 0);
	*clock = hour * 60 + minute;
	return hour <= 23 && minute <= 59;
}

/* -1 for am, 1 for pm, 0 for neither */
static int
read_half(struct slice s)
{
	if (slice_is(s, "am") || slice_is(s, "a.m"))
		return -1;
	return slice_is(s, "pm") || slice_is(s, "p.m");
}

/* 3pm, 10:30, 10:30 pm, 3 pm, noon; a bare 10 only where `bare` allows */
static size_t
read_clock(const struct date_frame *f, size_t i, bool bare, int *clock)
{
	struct slice s = word_at(f, i);
	size_t len = digits(s, 0), at = len;
	int minute = 0, half;

	if (is_at(f, i, "noon") || is_at(f, i, "midday"))
		return set_clock(12, 0, 0, clock);
	if (is_at(f, i, "midnight"))
		return set_clock(0, 0, 0, clock);
	if (len < 1 || len > 2)
		return 0;
	if (at < s.len && s.ptr[at] == ':') {
		if (digits(s, at + 1) != 2)
			return 0;
		minute = number(s, at + 1, 2);
		at += 3;
		bare = true;
	}
	half = read_half(slice_of(s.ptr + at, s.len - at));
	if (half != 0)
		return set_clock(number(s, 0, len), minute, half, clock);
	if (at < s.len && s.ptr[at] != ':')
		return 0;
	half = read_half(word_at(f, i + 1));
	if (half != 0)
		return set_clock(number(s, 0, len), minute, half, clock) ? 2
		    : 0;
	if (is_at(f, i + 1, "o'clock") || is_at(f, i + 1, "uhr"))
		return set_clock(number(s, 0, len), minute, 0, clock) ? 2 : 0;
	return bare && set_clock(number(s, 0, len), minute, 0, clock);
}

/* "tomorrow morning at 10": what may stand between the day and the clock */
static size_t
skip_to_clock(const struct date_frame *f, size_t i, bool *bare)
{
	static const char *const parts[] = {
		"morning", "afternoon", "evening", "night", NULL
	};
	static const char *const at_words[] = {
		"at", "@", "um", "around", NULL
	};
	size_t at = i;

	at += is_any(f, at, parts);
	at += is_at(f, at, ",");
	*bare = is_any(f, at, at_words);
	return at + *bare;
}

static size_t
read_moment(const struct date_frame *f, size_t i, struct moment *m)
{
	size_t used = read_day(f, i, m), at, more;
	bool bare;
	int clock;

	if (used > 0) {
		if (m->precision != BY_DAY || m->first != m->last)
			return used;
		at = skip_to_clock(f, i + used, &bare);
		more = read_clock(f, at, bare, &clock);
		if (more > 0) {
			m->precision = BY_MINUTE;
			m->minute = clock;
			return at + more - i;
		}
		return used;
	}
	bare = i > 0 && is_at(f, i - 1, "at");
	used = read_clock(f, i, bare, &clock);
	if (used == 0)
		return 0;
	at = i + used + (is_at(f, i + used, "on"));
	more = read_day(f, at, m);
	if (more > 0 && m->precision == BY_DAY && m->first == m->last) {
		used = at + more - i;
	} else {
		/* A bare "at 10" says a time only beside a day. */
		if (f->terms[i].kind == TEXT_NUMBER && used == 1)
			return 0;
		if (!set_days(m, BY_DAY, f->today, f->today))
			return 0;
	}
	m->precision = BY_MINUTE;
	m->minute = clock;
	return used;
}

static struct slice
format_moment(struct arena *a, const struct moment *m)
{
	char first[WHEN_TEXT_BYTES], last[WHEN_TEXT_BYTES];

	when_format_date(m->first, first);
	when_format_date(m->last, last);
	switch (m->precision) {
	case BY_YEAR:
		return arena_printf(a, "%.4s", first);
	case BY_MONTH:
		return arena_printf(a, "%.7s", first);
	case BY_MINUTE:
		return arena_printf(a, "%sT%02d:%02d", first, m->minute / 60,
		    m->minute % 60);
	default:
		if (m->first == m->last)
			return arena_printf(a, "%s", first);
		return arena_printf(a, "%s/%s", first, last);
	}
}

static bool
tells_past(const struct term *terms, size_t i)
{
	const struct term *t = &terms[i];
	struct slice s = t->folded, be = i > 0 ? terms[i - 1].folded :
						 SLICE_NONE;

	if (t->roles & ROLE_PAST)
		return true;
	return t->kind == TEXT_WORD && s.len > 4 &&
	    memcmp(s.ptr + s.len - 2, "ed", 2) == 0 &&
	    s.ptr[s.len - 3] != 'e' && !slice_is(s, "scheduled") &&
	    !slice_is(s, "planned") && !slice_is(s, "supposed") &&
	    /* "It is moved to Wednesday" tells how things stand. */
	    !slice_is(be, "is") && !slice_is(be, "are") && !slice_is(be, "be");
}

void
dates_teach(struct lexicon *l)
{
	lexicon_add_role(l, ROLE_PAST, "was were had did went got saw met came "
	    "took made said told found bought left felt began broke ran wrote "
	    "gave knew thought became been didn't wasn't weren't hadn't built "
	    "sent spent kept lost won paid caught heard held brought taught "
	    "spoke drove flew ate fell grew chose woke war hatte был была");
	lexicon_add_role(l, ROLE_FUTURE, "will i'll we'll you'll he'll she'll "
	    "they'll it'll gonna plan plans planning deadline due upcoming "
	    "scheduled until starts begins departs");
	lexicon_add_role(l, ROLE_DATE, "today tonight yesterday tomorrow tmrw "
	    "tmr tomorow heute gestern vorgestern übermorgen hoy ayer demain "
	    "сегодня вчера завтра позавчера послезавтра day end noon midday "
	    "midnight couple "
	    "monday tuesday wednesday thursday friday saturday sunday mondays "
	    "montag dienstag mittwoch donnerstag freitag samstag sonntag mon "
	    "tue tues wed thu thur thurs fri sat sun "
	    "january jan february feb march april apr may june jun july jul "
	    "august aug september sept sep october oct november nov december "
	    "dec mar januar februar märz mai juni juli oktober dezember "
	    "今 昨 明 后 前");
	lexicon_add_role(l, ROLE_DATE_WEAK, "a an in the this last past "
	    "previous next coming following one two three four five six seven "
	    "eight nine ten eleven twelve");
	lexicon_add_role(l, ROLE_DATE_PART, "second seconds sec secs minute "
	    "minutes min mins hour hours hr hrs h days d week weeks wk wks "
	    "month months year years yr yrs weekend night morning afternoon "
	    "evening spring summer autumn fall winter couple");
	lexicon_add_role(l, ROLE_DATE_CUE, "in on by until till since from "
	    "before after of last next this early late mid during around "
	    "every for to between and past through");
	lexicon_add_role(l, ROLE_DATE_TAIL, "of am a.m pm p.m o'clock uhr");
}

struct date_frame
dates_frame(const struct term *terms, size_t count, int64_t ts_ms)
{
	struct date_frame f = { .terms = terms, .count = count };

	/* A time past all years that can be written must not overflow. */
	f.ts_ms = ts_ms < WHEN_MIN_MS ? WHEN_MIN_MS
	    : ts_ms > WHEN_MAX_MS ? WHEN_MAX_MS : ts_ms;
	return f;
}

/* Looked at only when a date may begin: most statements have none. */
static void
frame_complete(struct date_frame *f)
{
	if (f->complete)
		return;
	f->complete = true;
	f->today = when_day_of(f->ts_ms);
	for (size_t i = 0; i < f->count && !f->past; i++) {
		f->past = tells_past(f->terms, i);
		f->future = f->future || (f->terms[i].roles & ROLE_FUTURE);
	}
	f->future = f->future && !f->past;
}

/* "12 days", "12. Mai", "12 of", "at 12", "in 2012"; "12th" may always. */
static bool
number_may_begin(const struct date_frame *f, size_t i)
{
	const struct term *t = &f->terms[i];
	size_t len = digits(t->folded, 0);
	unsigned before = i > 0 ? t[-1].roles : 0;

	if (len < t->folded.len)
		return true;
	if (i + 1 < f->count && ((t[1].roles & (ROLE_DATE | ROLE_DATE_PART |
	    ROLE_DATE_TAIL)) || is_at(f, i + 1, ".")))
		return true;
	if (len == 4 && (before & (ROLE_DATE_CUE | ROLE_DATE_PART)))
		return true;
	return len <= 2 && i > 0 && is_at(f, i - 1, "at");
}

/* Most terms begin no date; this says so at a glance. */
static bool
may_begin(const struct date_frame *f, size_t i)
{
	const struct term *t = &f->terms[i];

	if (t->kind == TEXT_NUMBER)
		return number_may_begin(f, i);
	if (t->kind == TEXT_WHEN || (t->roles & ROLE_DATE))
		return true;
	if (!(t->roles & ROLE_DATE_WEAK) || i + 1 == f->count)
		return false;
	return t[1].kind == TEXT_NUMBER || (t[1].roles & (ROLE_DATE |
	    ROLE_DATE_WEAK | ROLE_DATE_PART)) != 0;
}

size_t
dates_read(struct date_frame *f, struct arena *a, size_t i,
    struct slice *normal)
{
	struct moment m;
	size_t used;

	assert(i < f->count);
	if (!may_begin(f, i))
		return 0;
	frame_complete(f);
	used = read_moment(f, i, &m);
	if (used > 0)
		*normal = format_moment(a, &m);
	return used;
}
