/*
 * u-lineage - weights: evaporation, use and inheritance
 */
#include "common/when.h"
#include "compactor/weight.h"
#include "tests/tap.h"

#define DAY WHEN_DAY_MS

static void
test_evaporation(void)
{
	uint64_t last = 10000, now;
	int64_t t;
	bool falls = true;

	is_int(weight_now(2000, 0, 0, 30 * DAY), 2000, "now it is what it is");
	is_int(weight_now(2000, DAY, 0, 30 * DAY), 2000,
	    "what is older than the weight changes nothing");
	is_int(weight_now(2000, 0, 1000, 30 * DAY), 2000,
	    "a moment later neither");
	is_int(weight_now(2000, 0, 30 * DAY, 30 * DAY), 1000,
	    "after a half-life it is half");
	is_int(weight_now(2000, 0, 60 * DAY, 30 * DAY), 500,
	    "after two a quarter");
	is_int(weight_now(2000, 0, 15 * DAY, 30 * DAY), 1414,
	    "after half of one by the square root of two");
	is_int(weight_now(2000, 0, 3000 * DAY, 30 * DAY), WEIGHT_LEAST,
	    "it is never gone");
	is_int(weight_now(10000, WHEN_MIN_MS, WHEN_MAX_MS, DAY), WEIGHT_LEAST,
	    "nor does all the time there is overflow");
	is_int(weight_now(10000, 0, WHEN_MAX_MS / 2, 36500 * DAY),
	    weight_now(10000, 0, WHEN_MAX_MS / 2, 36500 * DAY),
	    "the longest half-life holds");
	for (t = 0; t < 40 * DAY; t += DAY / 24) {
		now = weight_now(10000, 0, t, 30 * DAY);
		falls = falls && now <= last;
		last = now;
	}
	ok(falls, "it only ever falls");
	/* In steps or at once: rounding may differ by one or two. */
	now = weight_now(8000, 0, 10 * DAY, 30 * DAY);
	now = weight_now(now, 10 * DAY, 20 * DAY, 30 * DAY);
	last = weight_now(8000, 0, 20 * DAY, 30 * DAY);
	ok(now + 2 >= last && now <= last + 2, "in steps as at once");
}

static void
test_use(void)
{
	is_int(weight_used(1000), 1250, "a use adds a quarter");
	is_int(weight_used(9900), WEIGHT_MOST, "up to a limit");
}

static void
test_inheritance(void)
{
	const uint64_t sources[] = { 1000, 9000, 5000 };

	is_int(weight_inherited(sources, 1), 1000, "never less than 1.0");
	is_int(weight_inherited(sources + 1, 1), 4500, "half of the source's");
	is_int(weight_inherited(sources, 3), 2500, "half of the mean");
	is_int(weight_inherited(sources, 0), 1000, "of none: 1.0");
}

int
main(void)
{
	test_evaporation();
	test_use();
	test_inheritance();
	return done();
}
