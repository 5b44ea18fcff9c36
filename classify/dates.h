/*
 * dates - dates and times in a statement, resolved against the turn's time
 *
 * "next Thursday", "in 2 weeks", "3pm tomorrow", "5 May 2023" become ISO 8601:
 * a year, a month, a day, a minute or an inclusive interval of days, all in
 * UTC.  How doubtful ones are read: weeks begin on Monday; "next Thursday" is
 * that of next week, "last Thursday" the latest before today; a bare weekday
 * is the latest when the statement is in the past, else the coming one; a day
 * without a year is the latest or the coming one by the same rule, else the
 * nearest; 5/4/2023 is May 4th, 5.4.2023 April 5th.
 */
#ifndef CLASSIFY_DATES_H
#define CLASSIFY_DATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "classify/keywords.h"
#include "common/buf.h"

/* What all dates of one statement share. */
struct date_frame {
	const struct term *terms;
	size_t count;
	int64_t ts_ms;
	bool complete;		/* what follows was looked at */
	int64_t today;		/* days since 1970 */
	bool past;		/* the statement tells what was */
	bool future;		/* or what is to come */
};

/* Tells the lexicon which words matter here; once, before any reading. */
void dates_teach(struct lexicon *l);
struct date_frame dates_frame(const struct term *terms, size_t count,
    int64_t ts_ms);
/*
 * How many terms from the i-th on make a date; 0 if none begins there.  The
 * normal form is the arena's.
 */
size_t dates_read(struct date_frame *f, struct arena *a, size_t i,
    struct slice *normal);

#endif
