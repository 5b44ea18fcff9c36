/*
 * index_marks - the terms that no text gives
 */
#include <xxhash.h>

#include "common/text.h"
#include "common/when.h"
#include "store/index.h"
#include "store/segment.h"

/* A letter tells what kind of term it is. */
static struct slice
mark_term(struct arena *arena, const char *mark, struct slice text)
{
	size_t len = strlen(mark);
	char *out = arena_room(arena, len + text.len);

	memcpy(out, mark, len);
	memcpy(out + len, text.ptr, text.len);
	return slice_of(out, len + text.len);
}

struct slice
index_tag_term(struct arena *arena, struct slice tag)
{
	struct slice folded = text_fold(arena, tag);

	if (folded.len > TERM_BYTES)
		return arena_printf(arena, SEGMENT_MARK "t%016llx",
		    (unsigned long long)XXH3_64bits(folded.ptr, folded.len));
	return mark_term(arena, SEGMENT_MARK "t", folded);
}

struct slice
index_speaker_term(struct arena *arena, struct slice word)
{
	return mark_term(arena, SEGMENT_MARK "p",
	    slice_of(word.ptr, text_cut(word, TERM_BYTES)));
}

void
index_date_terms(struct arena *arena, int64_t ts,
    struct slice out[INDEX_DATE_TERMS])
{
	struct when_date d = when_date(when_day_of(ts));

	out[0] = arena_printf(arena, SEGMENT_MARK "y%04d", d.year);
	out[1] = arena_printf(arena, SEGMENT_MARK "m%02d", d.month);
	out[2] = arena_printf(arena, SEGMENT_MARK "d%02d%02d", d.month,
	    d.day);
}

bool
index_is_generic_name(struct slice folded)
{
	static const char *const names[] = { "user", "assistant", "human",
		"bot", "ai", "agent", "system", "admin", "me", "you",
		"default", "test", "customer", "guest", "unknown", NULL };
	size_t i;

	for (i = 0; names[i] != NULL && !slice_is(folded, names[i]); i++)
		;
	return names[i] != NULL;
}
