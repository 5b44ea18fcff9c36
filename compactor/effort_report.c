/*
 * effort_report - does somebody say that it is done, and how?
 */
#include "common/text.h"
#include "compactor/effort_words.h"
#include "compactor/effort_words_impl.h"
#include "compactor/summary.h"

enum {
	FEW_SENTENCES = 3,
	EDGE = 2,		/* sentences at the begin or the end of a turn */
};

WORD_LIST(done_words, "done", "fixed", "updated", "added", "removed", "created",
    "changed", "made", "pushed", "merged", "deployed", "implemented",
    "refactored", "written", "rewritten", "renamed", "moved", "replaced",
    "applied", "installed", "configured", "sent", "booked", "reserved",
    "scheduled", "cancelled", "canceled", "confirmed", "completed", "finished",
    "adjusted", "corrected", "resolved", "solved", "submitted", "processed",
    "deleted", "wrote", "placed", "purchased", "transferred", "committed",
    "reverted", "saved", "refunded", "set", "ordered", "rented", "bought",
    "paid", "prepared", "generated", "uploaded", "published", "released",
    "enabled", "disabled", "migrated", "converted", "restored", "restarted",
    "upgraded", "patched", "activated", "arranged", "assigned", "built",
    "cleaned", "cleared", "connected", "credited", "drafted", "escalated",
    "extended", "extracted", "forwarded", "initiated", "issued", "linked",
    "posted", "rebooted", "registered", "renewed", "reset", "rewrote",
    "shipped", "split", "stored", "subscribed", "switched", "translated",
    "unlocked", "unsubscribed", "approved", "rolled");
WORD_LIST(doers, "i", "i've", "we", "we've");

/* "The note is added"; "it is set in your code" tells how things are. */
static bool
has_come(const struct words *w, size_t be, size_t i)
{
	WORD_LIST(present, "is", "are");
	WORD_LIST(states, "set", "made", "stored", "installed", "enabled",
	    "disabled", "connected", "linked", "configured", "applied", "moved",
	    "changed", "saved", "placed", "split", "written", "created",
	    "built", "generated");
	WORD_LIST(now, "now", "successfully");

	/* "It was created by root": long ago, and by another. */
	if (i >= w->count || !words_one_of(w, i, &done_words) ||
	    (i + 1 < w->count && text_is_word(w->at[i + 1], "by")))
		return false;
	return !words_one_of(w, be, &present) ||
	    !words_one_of(w, i, &states) || words_say(w, &now);
}

/* What was done by its form: "I streamed the rows". */
static bool
is_deed(const struct words *w, size_t i)
{
	/* So is told what was found, or is still to be done. */
	WORD_LIST(thoughts, "need", "tried", "checked", "looked", "noticed",
	    "assumed", "wanted", "hoped", "asked", "expected", "searched",
	    "reviewed", "guessed", "suspected", "missed", "failed", "needed",
	    "seemed", "feed", "speed", "indeed", "proceed", "called", "waited",
	    "received", "compared", "analyzed", "opened", "realized", "figured",
	    "wondered", "believed", "mentioned", "counted", "inspected");

	return w->at[i].len > 4 &&
	    memcmp(w->at[i].ptr + w->at[i].len - 2, "ed", 2) == 0 &&
	    !words_one_of(w, i, &thoughts);
}

/*
 * "The limit is 50 now", "it now retries", "all tests pass": how things stand
 * after it.  "Now click on Save" comes first and tells what to do.
 */
static bool
has_changed(const struct words *w)
{
	WORD_LIST(not_yet, "if", "when", "once", "until", "after", "should",
	    "will", "can", "could", "would", "may", "might", "not", "you",
	    "let", "try", "right", "for", "isn't", "doesn't", "then", "but");
	WORD_LIST(all, "all", "tests", "everything", "checks", "build",
	    "suite");
	WORD_LIST(pass, "pass", "passes", "passing", "green");
	size_t i;

	if (words_say(w, &not_yet) || words_instruct(w, 0))
		return false;
	if (words_say(w, &all) && words_say(w, &pass))
		return true;
	for (i = 1; i < w->count; i++)
		if (text_is_word(w->at[i], "now"))
			return true;
	return false;
}

bool
words_done(const struct words *w)
{
	WORD_LIST(all, "all", "successfully", "great", "ok", "okay", "sure",
	    "alright", "perfect", "it's", "is", "now", "just", "your", "yes");
	WORD_LIST(passive, "been", "is", "are", "was", "were");
	WORD_LIST(not_yet, "if", "when", "once", "until", "after", "before",
	    "must", "should", "will", "can", "could", "would", "may", "might",
	    "because", "not", "never", "isn't", "aren't", "wasn't", "weren't");
	size_t i = 0, from;

	while (i < w->count && words_one_of(w, i, &all))
		i++;
	if (i < w->count && words_one_of(w, i, &done_words))
		return true;
	if (i < w->count && words_one_of(w, i, &doers)) {
		for (from = i + 1; i < w->count && i < from + 4; i++)
			if (words_one_of(w, i, &done_words) ||
			    (i <= from && is_deed(w, i)))
				return true;
		return has_changed(w);
	}
	if (has_changed(w))
		return true;
	/* "It has been sent", "the note is added"; "when it is done" is not. */
	for (i = 0; i + 1 < w->count; i++) {
		if (words_one_of(w, i, &not_yet))
			return false;
		if (words_one_of(w, i, &passive) &&
		    (has_come(w, i, i + 1) || (has_come(w, i, i + 2) &&
			!words_one_of(w, i + 1, &not_yet))))
			return true;
	}
	return false;
}

/* The act model takes some statements for requests; a rule does not. */
static bool
tells(const struct msg_c_sentence *s)
{
	return slice_is(s->act, "inform") || slice_is(s->act, "commit") ||
	    slice_is(s->act, "accept") ||
	    (slice_is(s->act, "request") && s->rule.len == 0);
}

/* A short turn tells what was found first, and what was done last. */
static size_t
later_report(const struct compact_turn *t, size_t first)
{
	size_t i, n = sentence_count(t);
	struct msg_c_sentence s;
	const struct words *w;
	struct words room;

	for (i = n - 1; n <= FEW_SENTENCES && i > first; i--) {
		s = turn_sentence(t, i);
		w = sentence_words(t, i, &room);
		if (tells(&s) && w->count > 0 && words_one_of(w, 0, &doers) &&
		    words_done(w))
			return i;
	}
	return first;
}

static size_t
search_report(const struct compact_turn *t)
{
	size_t i, n = sentence_count(t);
	struct msg_c_sentence s;
	struct words room;

	if (!slice_is(t->role, "assistant"))
		return n;
	for (i = 0; i < n; i++) {
		s = turn_sentence(t, i);
		/* In the midst of an explanation it is part of that. */
		if (s.concludes && (i < EDGE || i + EDGE >= n))
			return i;
		if (!tells(&s))
			continue;
		if (words_done(sentence_words(t, i, &room)))
			return later_report(t, i);
	}
	return n;
}

/* The place of the sentence that says it is done, or their number. */
static size_t
find_report(const struct compact_turn *t)
{
	struct effort_notes *n = t->notes;

	if (n == NULL)
		return search_report(t);
	if (!n->is_searched)
		n->report = search_report(t);
	n->is_searched = true;
	return n->report;
}

bool
effort_is_report(const struct compact_turn *t)
{
	return find_report(t) < sentence_count(t);
}

struct slice
effort_reports(struct arena *arena, const struct compact_turn *t)
{
	size_t i = find_report(t), n = sentence_count(t);
	struct msg_c_sentence s;

	if (i == n)
		return SLICE_NONE;
	/* "Done." alone says nothing; what comes after it may. */
	while (sentence_content(t, i) == 0 && i + 1 < n)
		i++;
	if (sentence_content(t, i) == 0)
		i = find_report(t);
	s = turn_sentence(t, i);
	return turn_shorten(t, arena, sentence_text(t, &s), CUT_filler);
}
