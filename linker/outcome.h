/*
 * outcome - what a turn's wording says about a link, and what came of one
 *
 * Lists of plain English words and no more: of other languages it says
 * nothing, and then a link is judged by what the turns are about, or by
 * feedback.
 */
#ifndef LINKER_OUTCOME_H
#define LINKER_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>

#include "common/buf.h"

/* The words of a turn; of none all that is asked below is false. */
struct wording {
	const struct spelled *spelled;
	size_t words;	/* counting ends at WORDING_WORDS */
};

enum {
	WORDING_WORDS = 48,	/* the first so many are looked at */
	WORDING_BRIEF = 14,	/* a follow-up is no longer than this */
};

struct wording wording_of(struct arena *arena, struct slice text);
/* Each is looked for when it is asked: few are of one turn. */
/* It begins with and, also, oh and, so, then ... */
bool wording_follows(const struct wording *w);
/* "what about ...", "and what ...": only a part is new. */
bool wording_is_about(const struct wording *w);
/* yes, no, sure, thanks: to what was said before. */
bool wording_replies(const struct wording *w);
/* it, that, them ... in its first words. */
bool wording_points(const struct wording *w);
/* "that's not what I meant" */
bool wording_denies(const struct wording *w);
/* "didn't we talk about this?" */
bool wording_recalls(const struct wording *w);
/*
 * How much of such an opening is to be understood from what was said before,
 * in thousandths; `weight` is that of its own keywords.
 */
unsigned wording_lean(const struct wording *w, unsigned long long weight);

/*
 * What the first turns of its user after a decision make of it: the why of an
 * outcome, and whether it was right.  `strange`: the turn is about something
 * that neither of the two threads knows.
 */
struct verdict {
	bool right;
	const char *why;
};
struct verdict outcome_of(bool linked, const struct wording *w, bool strange);

#endif
