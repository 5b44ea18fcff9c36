/*
 * u-assign - which thread an implicit turn belongs to
 */
#include "ingest/assign.h"
#include "tests/tap.h"

enum { MINUTE = 60000, TIMEOUT = 30 * MINUTE };

static const struct assign_span none;

static struct assign_span
span(uint64_t thread, int64_t start, int64_t end)
{
	return (struct assign_span){ .thread = thread, .start = start,
		.end = end, .timeout_ms = TIMEOUT };
}

static void
check(int64_t ts, struct assign_span before, struct assign_span after,
    uint64_t want, enum assign_why want_why, const char *what)
{
	enum assign_why why = ASSIGN_FIRST;

	is_int(assign_thread(ts, &before, &after, &why), (int64_t)want, what);
	is(assign_words(why), assign_words(want_why), "with the reason");
}

static void
test_in_order(void)
{
	struct assign_span a = span(1, 0, 1000);

	check(0, none, none, 0, ASSIGN_FIRST, "a stream's first turn");
	check(1000, a, none, 1, ASSIGN_CONTINUES, "the same moment");
	check(1001, a, none, 1, ASSIGN_CONTINUES, "a moment later");
	check(1000 + TIMEOUT, a, none, 1, ASSIGN_CONTINUES,
	    "exactly the timeout continues");
	check(1001 + TIMEOUT, a, none, 0, ASSIGN_INACTIVE,
	    "a millisecond more does not");
	check(INT64_MAX / 2, a, none, 0, ASSIGN_INACTIVE, "years later");
}

static void
test_own_timeout(void)
{
	struct assign_span a = span(1, 0, 0), b = span(2, 90 * MINUTE,
	    100 * MINUTE);

	a.timeout_ms = MINUTE;
	check(MINUTE, a, none, 1, ASSIGN_CONTINUES, "the thread's own timeout");
	check(MINUTE + 1, a, none, 0, ASSIGN_INACTIVE, "and past it");
	b.timeout_ms = 5 * MINUTE;
	check(85 * MINUTE, a, b, 2, ASSIGN_LATE, "backwards it is the later's");
	check(85 * MINUTE - 1, a, b, 0, ASSIGN_INACTIVE, "and past that");
}

static void
test_late(void)
{
	struct assign_span a = span(1, 0, 10 * MINUTE);
	struct assign_span b = span(2, 50 * MINUTE, 60 * MINUTE);

	check(5 * MINUTE, a, b, 1, ASSIGN_LATE, "inside a span");
	check(0, a, b, 1, ASSIGN_LATE, "at its start");
	check(35 * MINUTE, a, b, 1, ASSIGN_CONTINUES,
	    "where two reach it, the earlier takes it");
	check(40 * MINUTE, a, b, 1, ASSIGN_CONTINUES,
	    "up to the end of the earlier's reach");
	check(40 * MINUTE + 1, a, b, 2, ASSIGN_LATE, "then the later does");
	check(-TIMEOUT, none, a, 1, ASSIGN_LATE, "before all, within reach");
	check(-TIMEOUT - 1, none, a, 0, ASSIGN_FIRST, "before all, out of reach");
	b.start = 200 * MINUTE;
	check(100 * MINUTE, a, b, 0, ASSIGN_INACTIVE,
	    "between two, out of both's reach: a thread of its own");
}

static void
test_closed(void)
{
	struct assign_span a = span(1, 0, 10 * MINUTE);
	struct assign_span b = span(2, 30 * MINUTE, 40 * MINUTE);

	a.closed = true;
	check(11 * MINUTE, a, none, 0, ASSIGN_CLOSED, "a closed thread is over");
	check(5 * MINUTE, a, none, 0, ASSIGN_CLOSED, "also for a late turn");
	check(60 * MINUTE, a, none, 0, ASSIGN_INACTIVE,
	    "past its reach it is inactivity");
	check(11 * MINUTE, a, b, 2, ASSIGN_LATE, "the one after takes it");
	b.closed = true;
	check(11 * MINUTE, a, b, 0, ASSIGN_CLOSED, "unless it is closed too");
	check(-MINUTE, none, a, 0, ASSIGN_FIRST, "before a closed one");
}

int
main(void)
{
	test_in_order();
	test_own_timeout();
	test_late();
	test_closed();
	return done();
}
