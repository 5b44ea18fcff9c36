/*
 * assign - which thread an implicit turn belongs to
 */
#include "ingest/assign.h"

static bool
is_in_reach(int64_t ts, const struct assign_span *before)
{
	return before->thread != 0 && ts - before->end <= before->timeout_ms;
}

bool
assign_reaches(int64_t ts, const struct assign_span *before)
{
	return is_in_reach(ts, before) && !before->closed;
}

uint64_t
assign_thread(int64_t ts, const struct assign_span *before,
    const struct assign_span *after, enum assign_why *why)
{
	if (assign_reaches(ts, before)) {
		*why = ts < before->end ? ASSIGN_LATE : ASSIGN_CONTINUES;
		return before->thread;
	}
	if (after->thread != 0 && !after->closed &&
	    after->start - ts <= after->timeout_ms) {
		*why = ASSIGN_LATE;
		return after->thread;
	}
	if (before->thread == 0)
		*why = ASSIGN_FIRST;
	else
		*why = is_in_reach(ts, before) ? ASSIGN_CLOSED : ASSIGN_INACTIVE;
	return 0;
}

const char *
assign_words(enum assign_why why)
{
	static const char *const words[] = {
		[ASSIGN_FIRST] = "new: the first of its stream",
		[ASSIGN_CONTINUES] = "continues",
		[ASSIGN_LATE] = "late: the thread's span covers it",
		[ASSIGN_INACTIVE] = "new: after inactivity",
		[ASSIGN_CLOSED] = "new: the thread before was closed",
	};

	return words[why];
}
