/*
 * u-dates - dates resolved against the turn's time
 *
 * The turn is said on Wednesday, 10 May 2023, at noon UTC.
 */
#include "classify/dates.h"

#include "common/when.h"
#include "tests/tap.h"

static struct arena arena;
static struct lexicon *lexicon;
static int64_t said_ms;

/* "words=normal" for each date, '|' between them. */
static void
reads(const char *text, const char *want)
{
	struct slice s = slice_str(text), normal;
	struct sifted f = sift_text(&arena, s, SPEAKER_user);
	struct term *terms;
	size_t count, i, used;
	struct date_frame frame;
	struct buf out;

	buf_init(&out, 1 << 16);
	count = terms_of(lexicon, &arena, s, &f,
	    (struct sentence){ 0, s.len }, &terms);
	frame = dates_frame(terms, count, said_ms);
	for (i = 0; i < count; i += used > 0 ? used : 1) {
		used = dates_read(&frame, &arena, i, &normal);
		if (used == 0)
			continue;
		buf_addf(&out, "%s%.*s=%.*s", out.len > 0 ? "|" : "",
		    (int)(terms[i + used - 1].at + terms[i + used - 1].len -
		    terms[i].at), text + terms[i].at, SLICE_ARG(normal));
	}
	is(buf_cstr(&out), want, text);
	buf_release(&out);
	arena_reset(&arena);
}

static void
test_days(void)
{
	reads("do it today", "today=2023-05-10");
	reads("tonight then", "tonight=2023-05-10");
	reads("I saw it yesterday", "yesterday=2023-05-09");
	reads("tomorrow!", "tomorrow=2023-05-11");
	reads("the day before yesterday",
	    "day before yesterday=2023-05-08");
	reads("the day after tomorrow", "day after tomorrow=2023-05-12");
	reads("last night", "last night=2023-05-09");
	reads("this morning", "this morning=2023-05-10");
	reads("a nice day", "");
}

static void
test_distance(void)
{
	reads("in 2 weeks", "in 2 weeks=2023-05-24");
	reads("2 weeks ago", "2 weeks ago=2023-04-26");
	reads("three days ago", "three days ago=2023-05-07");
	reads("a month ago", "a month ago=2023-04-10");
	reads("in a year", "in a year=2024-05-10");
	reads("in an hour", "in an hour=2023-05-10T13:00");
	reads("20 minutes ago", "20 minutes ago=2023-05-10T11:40");
	reads("13 hours ago", "13 hours ago=2023-05-09T23:00");
	reads("30min ago", "30min ago=2023-05-10T11:30");
	reads("5 days from now", "5 days from now=2023-05-15");
	reads("a couple of days ago", "a couple of days ago=2023-05-08");
	reads("it takes 2 weeks", "");
	reads("we built it in 2 weeks", "");
	reads("in 99999 years", "");
	reads("12 months ago", "12 months ago=2022-05-10");
}

static void
test_weekdays(void)
{
	reads("on Thursday", "Thursday=2023-05-11");
	reads("see you Monday", "Monday=2023-05-15");
	reads("I met her on Friday", "Friday=2023-05-05");
	reads("it broke on Wednesday", "Wednesday=2023-05-03");
	reads("next Thursday", "next Thursday=2023-05-18");
	reads("last Thursday", "last Thursday=2023-05-04");
	reads("this Friday", "this Friday=2023-05-12");
	reads("this monday", "this monday=2023-05-08");
	reads("coming friday", "coming friday=2023-05-12");
	reads("by Fri please", "Fri=2023-05-12");
	reads("the sun sat low", "");
	reads("am Montag", "Montag=2023-05-15");
}

static void
test_spans(void)
{
	reads("last week", "last week=2023-05-01/2023-05-07");
	reads("this week", "this week=2023-05-08/2023-05-14");
	reads("next week", "next week=2023-05-15/2023-05-21");
	reads("next weekend", "next weekend=2023-05-20/2023-05-21");
	reads("last weekend", "last weekend=2023-05-06/2023-05-07");
	reads("over the weekend", "the weekend=2023-05-13/2023-05-14");
	reads("I worked over the weekend",
	    "the weekend=2023-05-06/2023-05-07");
	reads("last month", "last month=2023-04");
	reads("next year", "next year=2024");
	reads("last summer", "last summer=2022-06-01/2022-08-31");
	reads("this summer", "this summer=2023-06-01/2023-08-31");
	reads("next winter", "next winter=2023-12-01/2024-02-29");
	reads("by the end of the month", "end of the month=2023-05-31");
	reads("end of next week", "end of next week=2023-05-21");
	reads("end of year", "end of year=2023-12-31");
}

static void
test_calendar(void)
{
	reads("5 May 2023", "5 May 2023=2023-05-05");
	reads("5th of May", "5th of May=2023-05-05");
	reads("May 5th, 2023", "May 5th, 2023=2023-05-05");
	reads("on May 5", "May 5=2023-05-05");
	reads("december 24", "december 24=2022-12-24");
	reads("we plan it for December 24", "December 24=2023-12-24");
	reads("it was on august 3", "august 3=2022-08-03");
	reads("due in march", "");
	reads("due in March", "March=2024-03");
	reads("august 3", "august 3=2023-08-03");
	reads("May 2019", "May 2019=2019-05");
	reads("in May", "May=2023-05");
	reads("in december", "december=2022-12");
	reads("last March", "March=2023-03");
	reads("next March", "March=2024-03");
	reads("I may go", "");
	reads("they march on", "");
	reads("31 February", "February=2023-02");
	reads("am 5. Mai 2023", "5. Mai 2023=2023-05-05");
	reads("2023-05-05", "2023-05-05=2023-05-05");
	reads("2023-02-30", "");
	reads("5/4/2023", "5/4/2023=2023-05-04");
	reads("25/4/2023", "25/4/2023=2023-04-25");
	reads("25.4.2023", "25.4.2023=2023-04-25");
	reads("4.5.2023", "4.5.2023=2023-05-04");
	reads("5/4/23", "5/4/23=2023-05-04");
	reads("at 2023-05-05T10:30:00+02:00",
	    "2023-05-05T10:30:00+02:00=2023-05-05T08:30");
	reads("in 1939", "1939=1939");
	reads("since 2019 we", "2019=2019");
	reads("it is broken since Tuesday", "Tuesday=2023-05-09");
	reads("retro is moved to Friday", "Friday=2023-05-12");
	reads("in 2000 lines", "");
	reads("port 2019", "");
	reads("on the 15th", "15th=2023-05-15");
	reads("on the 5th", "5th=2023-06-05");
	reads("it was on the 15th", "15th=2023-04-15");
}

static void
test_clock(void)
{
	reads("at 3pm", "3pm=2023-05-10T15:00");
	reads("at 3 pm", "3 pm=2023-05-10T15:00");
	reads("12am", "12am=2023-05-10T00:00");
	reads("12 pm", "12 pm=2023-05-10T12:00");
	reads("10:30", "10:30=2023-05-10T10:30");
	reads("10:30 p.m.", "10:30 p.m=2023-05-10T22:30");
	reads("tomorrow at 10", "tomorrow at 10=2023-05-11T10:00");
	reads("tomorrow morning at 9", "tomorrow morning at 9=2023-05-11T09:00");
	reads("3pm tomorrow", "3pm tomorrow=2023-05-11T15:00");
	reads("at 10 on Friday", "10 on Friday=2023-05-12T10:00");
	reads("next Thursday at 3pm", "next Thursday at 3pm=2023-05-18T15:00");
	reads("2023-05-05 10:30", "2023-05-05 10:30=2023-05-05T10:30");
	reads("Friday noon", "Friday noon=2023-05-12T12:00");
	reads("at midnight", "midnight=2023-05-10T00:00");
	reads("at 10", "");
	reads("25:61", "");
	reads("13pm", "");
	reads("um 15 Uhr", "15 Uhr=2023-05-10T15:00");
}

static void
test_others(void)
{
	reads("gestern ging es", "gestern=2023-05-09");
	reads("Вчера было", "Вчера=2023-05-09");
	reads("завтра", "завтра=2023-05-11");
	reads("我昨天去", "昨天=2023-05-09");
	reads("明日行きます", "明日=2023-05-11");
	reads("from Monday to Friday",
	    "Monday=2023-05-15|Friday=2023-05-12");
}

static void
test_borders(void)
{
	said_ms = WHEN_MAX_MS;
	reads("tomorrow", "");
	reads("today", "today=9999-12-31");
	reads("next year", "");
	said_ms = WHEN_MIN_MS;
	reads("yesterday", "");
	reads("a month ago", "");
	reads("last summer", "");
	said_ms = INT64_MAX;
	reads("20 minutes ago", "20 minutes ago=9999-12-31T23:39");
	said_ms = INT64_MIN;
	reads("today", "today=0000-01-01");
	said_ms = -1;
	reads("today", "today=1969-12-31");
}

int
main(void)
{
	arena_init(&arena);
	if (lexicon_open(&lexicon, "classify/data") < 0 ||
	    when_parse(SLICE("2023-05-10T12:00:00Z"), &said_ms) < 0)
		return 1;
	dates_teach(lexicon);
	test_days();
	test_distance();
	test_weekdays();
	test_spans();
	test_calendar();
	test_clock();
	test_others();
	test_borders();
	lexicon_close(&lexicon);
	arena_release(&arena);
	return done();
}
