/*
 * u-when - RFC 3339 and civil dates
 */
#include "common/when.h"

#include "tests/tap.h"

static void
parses(const char *text, int64_t want)
{
	int64_t ms = -1;
	int rc = when_parse(slice_str(text), &ms);

	ok(rc == 0 && ms == want, "%s is %lld", text, (long long)want);
	if (rc != 0 || ms != want)
		printf("#   got %d, %lld\n", rc, (long long)ms);
}

static void
refuses(const char *text)
{
	int64_t ms = 42;

	ok(when_parse(slice_str(text), &ms) == -1 && ms == 42,
	    "refused: '%s'", text);
}

static void
formats(int64_t ms, const char *want)
{
	char out[WHEN_TEXT_BYTES];

	when_format(ms, out);
	is(out, want, want);
}

static void
test_parse(void)
{
	parses("1970-01-01T00:00:00Z", 0);
	parses("1970-01-01", 0);
	parses("1970-01-01T00:00:00", 0);
	parses("1969-12-31T23:59:59.999Z", -1);
	parses("2000-02-29T12:00:00Z", 951825600000);
	parses("2023-05-05T10:30:00Z", 1683282600000);
	parses("2023-05-05t10:30:00z", 1683282600000);
	parses("2023-05-05 10:30:00", 1683282600000);
	parses("2023-05-05T12:30:00+02:00", 1683282600000);
	parses("2023-05-05T05:00:00-05:30", 1683282600000);
	parses("2023-05-05T10:30:00.5Z", 1683282600500);
	parses("2023-05-05T10:30:00.123456789Z", 1683282600123);
	parses("2016-12-31T23:59:60Z", 1483228800000);
	parses("0000-01-01T00:00:00Z", WHEN_MIN_MS);
	parses("9999-12-31T23:59:59.999Z", WHEN_MAX_MS);
	parses("1900-02-28T00:00:00Z", -2203977600000);
	parses("2024-01-15T00:00:00+00:00", 1705276800000);
	refuses("");
	refuses("2023");
	refuses("2023-5-5");
	refuses("2023-13-01");
	refuses("2023-00-10");
	refuses("2023-02-29");
	refuses("1900-02-29");
	refuses("2023-04-31T00:00:00Z");
	refuses("2023-05-05T");
	refuses("2023-05-05T10:30Z");
	refuses("2023-05-05T24:00:00Z");
	refuses("2023-05-05T10:60:00Z");
	refuses("2023-05-05T10:30:61Z");
	refuses("2023-05-05T10:30:00.Z");
	refuses("2023-05-05T10:30:00+2:00");
	refuses("2023-05-05T10:30:00+24:00");
	refuses("2023-05-05T10:30:00Zx");
	refuses("2023-05-05T10:30:00 ");
	refuses("0000-01-01T00:00:00+01:00");
	refuses("9999-12-31T23:59:59-00:01");
	refuses("-2023-05-05");
}

static void
test_format(void)
{
	formats(0, "1970-01-01T00:00:00Z");
	formats(-1, "1969-12-31T23:59:59.999Z");
	formats(1683282600000, "2023-05-05T10:30:00Z");
	formats(1683282600005, "2023-05-05T10:30:00.005Z");
	formats(WHEN_MIN_MS, "0000-01-01T00:00:00Z");
	formats(WHEN_MAX_MS, "9999-12-31T23:59:59.999Z");
}

static void
test_round_trip(void)
{
	char out[WHEN_TEXT_BYTES];
	int64_t ms, back;
	bool good = true;

	/* A step that is prime to days, so that all times of day come up. */
	for (ms = WHEN_MIN_MS; ms < WHEN_MAX_MS && good;
	    ms += INT64_C(7919) * 86413 * 37) {
		when_format(ms, out);
		good = when_parse(slice_str(out), &back) == 0 && back == ms;
	}
	ok(good, "what is formatted parses to the same");
}

static void
test_days(void)
{
	int64_t day, before = when_days((struct when_date){ -1, 12, 31 });
	bool good = true;

	for (int year = 0; year <= 9999 && good; year++)
		for (int month = 1; month <= 12 && good; month++) {
			int last = when_month_days(year, month);
			struct when_date d = { year, month, 1 }, back;

			day = when_days(d);
			good = day == before + 1;
			before = day + last - 1;
			back = when_date(before);
			good = good && back.year == year &&
			    back.month == month && back.day == last;
		}
	ok(good, "every month of ten thousand years follows the one before");
	is_int(when_weekday(0), 3, "1970-01-01 was a Thursday");
	is_int(when_weekday(-1), 2, "the day before a Wednesday");
	is_int(when_weekday(when_days((struct when_date){ 2023, 5, 8 })), 0,
	    "2023-05-08 was a Monday");
	is_int(when_weekday(when_days((struct when_date){ 1600, 1, 1 })), 5,
	    "1600-01-01 was a Saturday");
	is_int(when_day_of(-1), -1, "a millisecond before 1970");
	is_int(when_day_of(WHEN_DAY_MS), 1, "one day after");
	is_int(when_month_days(2000, 2), 29, "2000 was a leap year");
	is_int(when_month_days(2100, 2), 28, "2100 will be none");
}

static void
adds(int year, int month, int day, int months, const char *want)
{
	struct when_date d = when_add_months((struct when_date){ year, month,
	    day }, months);
	char out[WHEN_TEXT_BYTES];

	when_format_date(when_days(d), out);
	is(out, want, want);
}

int
main(void)
{
	test_parse();
	test_format();
	test_round_trip();
	test_days();
	adds(2023, 1, 31, 1, "2023-02-28");
	adds(2024, 1, 31, 1, "2024-02-29");
	adds(2023, 11, 15, 2, "2024-01-15");
	adds(2023, 1, 15, -1, "2022-12-15");
	adds(2023, 3, 31, -13, "2022-02-28");
	adds(2023, 5, 5, 0, "2023-05-05");
	adds(2020, 2, 29, 48, "2024-02-29");
	ok(!when_valid((struct when_date){ 2023, 2, 29 }), "no such day");
	ok(when_valid((struct when_date){ 2024, 2, 29 }), "such a day");
	return done();
}
