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
#include "compactor/word_lists.h"

struct effort_try {
	struct slice text;	/* empty: nothing is */
	bool suggested;		/* as a question: "have you tried ...?" */
	bool told;		/* as a statement, which may be an answer; or
				   by what only the act model calls a request */
	unsigned content;	/* words that tell the topic */
};

/* How a turn speaks of what was proposed or done. */
struct effort_mood {
	bool praise;		/* "love it" */
	bool well;		/* it is as it should be: "prints again" */
	bool used;		/* it was taken over: "merged" */
	bool bad;		/* "not", "still", "but" */
	bool waits;		/* it asks, or puts off */
};
struct effort_mood effort_mood(const struct compact_turn *t);

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
/* It has your, and neither my nor me. */
bool effort_speaks_of_other(const struct compact_turn *t);
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
/* "Sorry, I couldn't book it." */
bool effort_tells_inability(const struct compact_turn *t);
/* "It dropped again": what was over is not. */
bool effort_fails_again(const struct compact_turn *t);
/* It says that something fails as before, or fails again. */
bool effort_still_fails(const struct compact_turn *t);
/*
 * What concludes in a turn that goes on to ask for something is praise for a
 * step, unless it tells of an outcome: "that fixed it, now the tests".
 */
bool effort_concludes(const struct compact_turn *t);
/* A rule that concludes says that it works. */
bool effort_tells_outcome(const struct compact_turn *t);
/* Does a question begin with one of these? */
bool effort_asks_with(struct slice question, struct word_list *words);
/* After praise, "now" or "also": something is to be done, in so many words. */
bool effort_asks_next(const struct compact_turn *t);
/* Is what is to be reached a choice? */
bool effort_is_choice(struct slice goal);
/* Is something to be done for it once it is chosen: "book a table"? */
bool effort_wants_deed(struct slice goal);
/* "Ok, Lisbon": no more than a name is settled. */
bool effort_picks(const struct compact_turn *t);
/* "Sentry still shows minified frames": as before, whatever was done. */
bool effort_still_so(const struct compact_turn *t);
/* It says what is to be done, or asks whether it was tried. */
bool effort_proposes(const struct compact_turn *t);
/* It has a word of those that trouble is told with. */
bool effort_sounds_bad(const struct compact_turn *t);
/* "And sugar?" after a question that was answered: it asks the same of it. */
bool effort_asks_likewise(const struct compact_turn *t);
/* One of its sentences thanks. */
bool effort_has_thanks(const struct compact_turn *t);
/* Somebody else is going to do it: "a driver will pick it up". */
bool effort_promises(struct slice proposal);
/* "No, that's fine": what was offered on top is not wanted. */
bool effort_declines(const struct compact_turn *t);
/* "Can I change my address?" */
bool effort_asks_leave(const struct compact_turn *t);
/* The same of one of these: "can it be remembered?" */
bool effort_asks_can(const struct compact_turn *t, struct word_list *who);
/* More than one word and a number. */
bool effort_says_what(struct slice report);
/* Was it told as something that one of them has done? */
bool effort_tells_deed(struct slice proposal);
/* A rule says that it does this, or the act model has little doubt. */
bool effort_surely(const struct compact_turn *t, const char *act);
/* "Stopped it and all is well": it begins with what its speaker has done. */
bool effort_did(const struct compact_turn *t);
/* "Write a test for it": a task, by the verb that it begins with. */
bool effort_asks_task(const struct compact_turn *t);
/* "Can you rewrite those two?": it points back. */
bool effort_points_back(const struct compact_turn *t);
/* "Yes, that is correct": it answers, and thanks for nothing. */
bool effort_affirms(const struct compact_turn *t);
/* It begins with a yes or with praise. */
bool effort_agrees(const struct compact_turn *t);
/* "Tried to trust the new CA, no luck". */
bool effort_tried_in_vain(const struct compact_turn *t);
/* "Wonderful. Third time this month": praise that is none. */
bool effort_mocks(const struct compact_turn *t);
/* By the section's word for a turn: what was tried has its outcome. */
bool effort_why_ends(struct slice why);
/* Greeting, back-channel: it belongs to what goes on, and says nothing. */
bool effort_is_idle_talk(const struct compact_turn *t);

#endif
