/*
 * effort_words - what the wording of a turn says about an effort
 *
 * What was proposed or tried, what is said to be done, what brings an aside.
 * Pure functions of a turn; lists of plain English words and no more: of other
 * languages they say nothing, and then act and place of a turn decide alone.
 */
#ifndef COMPACTOR_EFFORT_WORDS_H
#define COMPACTOR_EFFORT_WORDS_H

#include "compactor/compact.h"

struct effort_try {
	struct slice text;	/* empty: nothing is */
	bool suggested;		/* as a question: "have you tried ...?" */
	bool told;		/* as a statement, which may be an answer */
	unsigned content;	/* words that tell the topic */
};

/* What the other side proposes, or what the owner says was tried. */
struct effort_try effort_tries(struct arena *arena,
    const struct compact_turn *t, bool other);
/* The assistant says that what was wanted is done. */
bool effort_is_report(const struct compact_turn *t);
/* The sentence that says so. */
struct slice effort_reports(struct arena *arena, const struct compact_turn *t);
/* "Anything else?": an answer to it is about all that went before. */
bool effort_asks_for_more(const struct compact_turn *t);
/* "Please confirm: two tickets", "is that correct?" */
bool effort_asks_to_confirm(const struct compact_turn *t);
/* "Remind me to ...", "don't let me forget ...". */
bool effort_is_reminder(const struct compact_turn *t);
/* It leaves the topic: also, by the way, another problem. */
bool effort_shifts(const struct compact_turn *t);
/* It has I, my, me, we ... */
bool effort_speaks_of_self(const struct compact_turn *t);
/* Thanks or goodbye, and nothing else. */
bool effort_is_thanks(const struct compact_turn *t);
/* By its form: "please do", "can you", an imperative; no hint, no wish. */
bool effort_asks_plainly(const struct compact_turn *t);
/* It names an error: "401 error", "exit code 1". */
bool effort_names_error(const struct compact_turn *t);
/* "Perfect", "nice one", a thumb up, and nothing else. */
bool effort_is_praise(const struct compact_turn *t);
/* Thanks, and a plain statement with them: "it boots now. Thanks". */
bool effort_thanks_for_outcome(const struct compact_turn *t);
/* Said of what was proposed: it does not, still, the same, an error. */
bool effort_tells_failure(const struct compact_turn *t);
/* "It dropped again": what was over is not. */
bool effort_fails_again(const struct compact_turn *t);
/* It says that something fails as before, or fails again. */
bool effort_still_fails(const struct compact_turn *t);
/*
 * What concludes in a turn that goes on to ask for something is praise for a
 * step, unless it tells of an outcome: "that fixed it, now the tests".
 */
bool effort_concludes(const struct compact_turn *t);
/* By the section's word for a turn: what was tried has its outcome. */
bool effort_why_ends(struct slice why);
/* Greeting, back-channel: it belongs to what goes on, and says nothing. */
bool effort_is_idle_talk(const struct compact_turn *t);

#endif
