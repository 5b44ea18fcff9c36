/*
 * cues - what the wording of a turn says about topics
 *
 * "What about in winter?" leans on what was said before; "by the way" leaves
 * it; "back to the budget" returns to something older; "anything else?" sounds
 * like an end.  Lists of plain English words and no more: of other languages
 * it says nothing, and then the words in common decide alone.
 */
#ifndef CHAINER_CUES_H
#define CHAINER_CUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buf.h"

struct cues {
	bool leans;	/* it, that one, and then, what about … */
	bool shifts;	/* by the way, another question … */
	bool returns;	/* back to, as for … again */
	bool yes_no;	/* begins with is, are, does … */
	bool closing;	/* thanks, goodbye, anything else? */
	size_t words;	/* how long it is; counting ends at CUE_WORDS */
};

enum { CUE_WORDS = 48 };	/* the first so many are looked at */

struct cues cues_of(struct arena *arena, struct slice text);

#endif
