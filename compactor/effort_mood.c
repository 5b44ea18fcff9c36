/*
 * effort_mood - is what the owner says of a proposal or a report good or bad?
 *
 * By the words of each sentence; the last one that says either counts.  What
 * asks, waits or puts off says neither.
 */
#include "common/text.h"
#include "compactor/effort_words.h"
#include "compactor/effort_words_impl.h"

/* Said of the work, or of the one who did it. */
WORD_LIST(praise, "perfect", "great", "super", "nice", "awesome", "excellent",
    "wonderful", "brilliant", "amazing", "fantastic", "lovely", "cool", "sweet",
    "love", "beautiful", "neat", "cheers", "legend", "genius", "magic", "wow",
    "thanks", "thank", "thx", "ty", "lgtm", "exactly", "ideal", "happy", "glad",
    "good", "better", "cleaner", "faster", "helpful", "hero", "lifesaver",
    "splendid", "superb", "terrific", "gorgeous", "finally");
/* Said of the thing: it is as it should be. */
WORD_LIST(outcome, "works", "worked", "working", "fixed", "solved", "resolved",
    "sorted", "gone", "fine", "running", "runs", "passes", "passing", "green",
    "clean", "helped", "boots", "starts", "loads", "prints", "printing",
    "compiles", "builds", "connects", "connected", "restored", "recovered",
    "online", "normal", "smooth", "stable", "arrived", "instant", "instantly",
    "flawless", "flawlessly", "correctly", "properly", "vanished",
    "disappeared", "charging", "charges", "booted", "compiled", "loaded",
    "started", "succeeded", "success", "bingo", "voila", "healthy", "quiet",
    "dry", "yay", "phew", "hooray", "woohoo");
/* What the owner has done with it. */
WORD_LIST(used, "done", "merged", "shipped", "deployed", "pushed", "released",
    "published", "submitted", "live", "received", "merging", "shipping",
    "deploying", "installed", "booked");
WORD_LIST(bad, "not", "nope", "nah", "never", "nothing", "none", "still",
    "same", "error", "errors", "fail", "fails", "failed", "failing", "crash",
    "crashes", "crashed", "broken", "broke", "breaks", "wrong", "worse", "but",
    "however", "except", "unfortunately", "sadly", "weird", "strange", "almost",
    "missing", "stuck", "isn't", "aren't", "wasn't", "doesn't", "don't",
    "didn't", "won't", "can't", "cannot", "couldn't", "hasn't", "haven't",
    "neither", "nor", "though", "denied", "refused", "invalid", "enough", "no",
    "dead", "dying", "died");
/* "No more crashes", "doesn't hang anymore": what is denied is bad. */
WORD_LIST(evils, "more", "longer", "error", "errors", "problem", "problems",
    "issue", "issues", "warning", "warnings", "crash", "crashes", "crashing",
    "fail", "failing", "hang", "hangs", "freeze", "leak", "leaks", "lag",
    "lags", "drop", "drops", "happen", "happening", "complaints", "complain",
    "delay", "anymore", "beep", "noise", "stutter", "flicker", "disconnect",
    "dupes", "duplicates");
WORD_LIST(waits, "will", "i'll", "we'll", "try", "trying", "later", "tomorrow",
    "tonight", "soon", "when", "if", "checking", "looking", "need", "want",
    "should", "could", "would", "how", "why", "which", "what", "where", "who",
    "please", "pls", "can", "also", "instead", "idea", "sense", "sounds",
    "plan", "maybe", "hope", "hopefully", "think", "guess", "until", "before",
    "wait", "testing", "question", "thought", "point", "morning", "luck",
    "start", "seems", "other", "others", "rest", "another", "remaining", "book",
    "order", "reserve", "proceed", "ahead", "confirm", "add", "change",
    "remove", "delete", "rename", "move", "send", "hm", "hmm", "meh");

/* How many words behind it belong to what is denied. */
static size_t
denied(const struct words *w, size_t i)
{
	size_t k, last = i;

	for (k = i + 1; k < w->count && k <= i + 3; k++)
		if (words_one_of(w, k, &evils))
			last = k;
	return last - i;
}

/* "Error is gone": what was bad is over. */
static size_t
gone(const struct words *w, size_t i)
{
	WORD_LIST(over, "gone", "vanished", "disappeared", "fixed", "solved",
	    "resolved", "away", "cleared");
	size_t k;

	for (k = i + 1; k < w->count && k <= i + 4; k++)
		if (words_one_of(w, k, &over))
			return k - i;
	return 0;
}

/* "Makes coffee again"; "I did it again" and "crashed again" are not it. */
static bool
is_as_before(const struct words *w, size_t i)
{
	WORD_LIST(who, "i", "we", "you", "he", "she", "they", "did", "and",
	    "try", "do", "say", "once", "yet");
	WORD_LIST(fails, "broke", "breaks", "broken", "dropped", "drops",
	    "crashed", "crashes", "failed", "fails", "down", "stopped", "stops",
	    "happened", "happening", "happens", "hangs", "froze", "lost",
	    "slow", "dead", "late", "leaking", "leaks", "twice", "came",
	    "comes", "off", "out", "went", "see", "same", "asks", "says",
	    "said", "thanks", "thank", "started");

	return i > 0 && i + 1 == w->count && w->count > 2 &&
	    !words_one_of(w, 0, &who) && !words_say(w, &fails);
}

/* "Silent as a mouse now"; "now it says" and "rebooting now" go on. */
static bool
has_come_to(const struct words *w, size_t i)
{
	WORD_LIST(other, "right", "for", "until", "by", "ok", "and", "just");
	WORD_LIST(thing, "it", "that", "they", "everything", "all");
	struct slice word;

	/* "Now it does." */
	if (i == 0)
		return w->count > 1 && w->count <= 4 &&
		    words_one_of(w, 1, &thing);
	word = w->at[i - 1];
	return !words_one_of(w, i - 1, &other) &&
	    !(word.len > 4 && memcmp(word.ptr + word.len - 3, "ing", 3) == 0);
}

/* One sentence: what it has of each. */
static struct effort_mood
sentence_mood(const struct words *w)
{
	/* "Exactly what I was after" asks nothing. */
	WORD_LIST(just, "exactly", "just", "precisely");
	/* Of a long one the end is not known. */
	struct effort_mood m = { .waits = w->count == FIRST_WORDS };
	size_t i, n;

	for (i = 0; i < w->count; i++) {
		if (words_one_of(w, i, &bad)) {
			n = denied(w, i);
			if (n == 0)
				n = gone(w, i);
			m.bad = m.bad || n == 0;
			m.well = m.well || n > 0;
			i += n;
		} else if (words_one_of(w, i, &outcome))
			m.well = true;
		else if (words_one_of(w, i, &used))
			m.used = true;
		else if (words_one_of(w, i, &praise))
			m.praise = true;
		else if (text_is_word(w->at[i], "now"))
			m.well = m.well || has_come_to(w, i);
		else if (text_is_word(w->at[i], "again"))
			m.well = m.well || is_as_before(w, i);
		else if (words_one_of(w, i, &waits) && (i == 0 ||
			!words_one_of(w, i - 1, &just)))
			m.waits = true;
	}
	return m;
}

struct effort_mood
effort_mood(const struct compact_turn *t)
{
	WORD_LIST(no, "no", "nah", "nope");
	struct effort_mood m = { 0 }, one;
	struct msg_c_sentence s;
	const struct words *w;
	struct words room;
	size_t i, n = sentence_count(t);
	bool declined = false;
	struct slice text;

	for (i = 0; i < n; i++) {
		s = turn_sentence(t, i);
		text = sentence_text(t, &s);
		w = sentence_words(t, i, &room);
		one = sentence_mood(w);
		one.waits = one.waits ||
		    memchr(text.ptr, '?', text.len) != NULL;
		if (one.bad || one.waits) {
			/* An outcome told before stands, a doubt does not. */
			m.praise = m.praise && !one.bad;
			m.well = m.well && !one.bad;
			m.used = m.used && !one.bad;
			declined = i == 0 && w->count > 0 &&
			    words_one_of(w, 0, &no);
			m.bad = m.bad || one.bad;
			m.waits = m.waits || one.waits;
			continue;
		}
		/* "Nah, leave it. Looks good": he declines what was offered. */
		if (declined && (one.praise || one.used))
			m.bad = false;
		m.praise = m.praise || one.praise;
		m.used = m.used || one.used;
		if (one.well)
			m = (struct effort_mood){ .well = true };
	}
	return m;
}
