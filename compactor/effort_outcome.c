/*
 * effort_outcome - how what was proposed or done has gone, by the wording
 */
#include "common/text.h"
#include "compactor/effort_words.h"
#include "compactor/effort_words_impl.h"
#include "compactor/summary.h"

/* What everybody knows, and nothing else with it: "grazie mille". */
static bool
is_foreign_thanks(const struct compact_turn *t)
{
	enum { SHORT = 32 };
	WORD_LIST(thanks, "danke", "gracias", "grazie", "merci", "obrigado",
	    "obrigada", "bedankt", "dank", "tack", "takk", "kiitos", "arigato",
	    "spasibo");
	WORD_LIST(much, "schoen", "sehr", "vielen", "mille", "beaucoup",
	    "muchas", "muito", "tante", "je", "wel", "ok", "okay", "super");
	const struct words *w;
	bool says_it = false;
	struct words room;
	size_t i;

	if (t->text.len > SHORT)
		return false;
	w = turn_words(t, &room);
	for (i = 0; i < w->count; i++) {
		if (words_one_of(w, i, &thanks))
			says_it = true;
		else if (!words_one_of(w, i, &much))
			return false;
	}
	return says_it;
}

bool
effort_is_thanks(const struct compact_turn *t)
{
	if (slice_is(t->does->act, "none") || slice_is(t->does->act, "inform"))
		return is_foreign_thanks(t);
	return slice_is(t->does->act, "greeting") &&
	    !slice_is(t->does->rule, "greeting") &&
	    !slice_is(t->does->rule, "apology");
}

/* A thumb up, a heart, clapping hands. */
static bool
is_cheer(struct slice text)
{
	static const char *const signs[] = { "\xf0\x9f\x91\x8d",
		"\xf0\x9f\x91\x8f", "\xf0\x9f\x99\x8f",
		"\xf0\x9f\x8e\x89", "\xf0\x9f\x99\x8c",
		"\xf0\x9f\x98\x8d", "\xe2\x9d\xa4", "\xe2\x9c\x85", NULL };
	size_t i;

	for (i = 0; signs[i] != NULL; i++)
		if (memmem(text.ptr, text.len, signs[i],
			strlen(signs[i])) != NULL)
			return true;
	return false;
}

bool
effort_is_praise(const struct compact_turn *t)
{
	WORD_LIST(praise, "perfect", "great", "super", "nice", "awesome",
	    "excellent", "wonderful", "brilliant", "amazing", "fantastic",
	    "lovely", "cool", "sweet", "love", "alright", "ok", "okay", "one",
	    "it", "job", "work", "very", "really", "so", "good", "oh", "wow",
	    "yay", "omg", "yes", "genius", "you're", "a", "lot", "much",
	    "thanks", "thank", "you", "thx", "ty", "cheers", "even", "better");
	WORD_LIST(weak, "ok", "okay", "alright", "it", "one", "so", "oh",
	    "very", "really", "you", "yes", "a", "lot", "much", "you're",
	    "work", "thanks", "thank", "thx", "ty", "cheers", "good", "cool",
	    "even", "better");
	struct words room;
	const struct words *w = turn_words(t, &room);
	bool says_it = false;
	size_t i;

	if (w->count == 0)
		return is_cheer(t->text);
	if (w->count > 4)
		return false;
	for (i = 0; i < w->count; i++) {
		if (!words_one_of(w, i, &praise))
			return false;
		says_it = says_it || !words_one_of(w, i, &weak);
	}
	return says_it;
}

/* What is not, not yet, or to be done: no outcome. */
WORD_LIST(held_back, "not", "no", "nope", "isn't", "aren't", "doesn't", "don't",
    "didn't", "won't", "can't", "cannot", "couldn't", "wasn't", "haven't",
    "hasn't", "nothing", "none", "same", "still", "but", "almost",
    "unfortunately", "error", "errors", "fails", "failed", "crashes", "crashed",
    "i'll", "will", "try", "trying", "later", "tomorrow", "tonight", "soon",
    "when", "if", "doing", "checking", "looking", "need", "want", "should",
    "could", "would", "how", "why", "which", "what", "where", "please");

bool
effort_thanks_for_outcome(const struct compact_turn *t)
{
	WORD_LIST(thanks, "thanks", "thank", "thx", "ty", "cheers");
	struct msg_c_sentence s;
	size_t i;

	if (t->does->n_sentences < 2 || slice_is(t->does->act, "question") ||
	    slice_is(t->does->act, "request") || !turn_says(t, &thanks) ||
	    turn_says(t, &held_back))
		return false;
	for (i = 0; i < t->does->n_sentences; i++) {
		s = turn_sentence(t, i);
		if ((slice_is(s.act, "inform") || slice_is(s.act, "accept")) &&
		    summary_content(t->does, s.at, s.len) > 0)
			return true;
	}
	return false;
}

/* "Portrait ones are fine now but pngs crash" */
static bool
fails_besides(const struct words *w)
{
	WORD_LIST(fails, "crash", "crashes", "fail", "fails", "failed", "hang",
	    "hangs", "break", "breaks", "broken", "error", "errors", "wrong",
	    "missing", "doesn't", "don't", "still", "empty", "blank", "slow",
	    "gone");
	size_t i;

	for (i = 1; i < w->count; i++)
		if (text_is_word(w->at[i], "but"))
			break;
	for (; i < w->count; i++)
		if (words_one_of(w, i, &fails))
			return true;
	return false;
}

bool
effort_tells_failure(const struct compact_turn *t)
{
	WORD_LIST(first, "no", "nope", "nah", "same", "nothing", "still");
	WORD_LIST(fails, "doesn't", "didn't", "won't", "isn't", "aren't",
	    "can't", "cannot", "not", "nothing", "same", "still", "fails",
	    "failed", "crashes", "crashed", "nope", "neither");
	WORD_LIST(already, "already");
	WORD_LIST(done, "done", "did", "tried", "checked");
	WORD_LIST(again, "again");
	WORD_LIST(dont, "don't");
	WORD_LIST(self, "i", "we", "you", "people");
	size_t i;
	/* "I don't know" is no failure of what was proposed. */
	WORD_LIST(unsure, "know", "understand", "sure", "want", "think", "mind",
	    "remember", "idea", "but");
	struct words room;
	const struct words *w = turn_words(t, &room);

	if (w->count == 0)
		return false;
	if (fails_besides(w))
		return true;
	if (turn_says(t, &unsure))
		return false;
	/* "I have done this three times already", "the mails came twice again" */
	if (turn_says(t, &already) && turn_says(t, &done))
		return true;
	if (!slice_is(t->does->act, "request") &&
	    !slice_is(t->does->act, "question") && turn_says(t, &again))
		return true;
	/* "Umlauts don't match": of the thing, not of himself. */
	for (i = 1; i < w->count; i++)
		if (words_one_of(w, i, &dont) &&
		    !words_one_of(w, i - 1, &self))
			return true;
	return words_one_of(w, 0, &first) || turn_says(t, &fails);
}

bool
effort_tells_inability(const struct compact_turn *t)
{
	WORD_LIST(doers, "i", "we", "was", "i'm");
	WORD_LIST(unable, "couldn't", "unable", "failed");
	WORD_LIST(was, "was", "is", "has");
	WORD_LIST(undone, "unsuccessful", "failed");
	struct words room;
	const struct words *w;
	size_t i, at;

	for (i = 0; i < sentence_count(t); i++) {
		w = sentence_words(t, i, &room);
		for (at = 0; at + 1 < w->count; at++)
			if ((words_one_of(w, at, &doers) &&
				words_one_of(w, at + 1, &unable)) ||
			    (words_one_of(w, at, &was) &&
				words_one_of(w, at + 1, &undone)) ||
			    (text_is_word(w->at[at], "went") &&
				text_is_word(w->at[at + 1], "wrong")))
				return true;
	}
	return false;
}

bool
effort_fails_again(const struct compact_turn *t)
{
	WORD_LIST(again, "again", "anymore");
	WORD_LIST(fails, "broke", "breaks", "broken", "breaking", "dropped",
	    "drops", "dropping", "crashed", "crashes", "crashing", "failed",
	    "fails", "failing", "down", "stopped", "gone", "happened",
	    "happening", "happens", "back", "hangs", "hanging", "froze",
	    "stuck", "lost", "doesn't", "isn't", "won't", "can't", "not",
	    "slow", "wrong", "dead", "missing", "blank", "empty", "offline",
	    "unreachable", "leaking", "leaks", "frozen", "worse", "late");

	return !t->does->concludes && !slice_is(t->does->act, "question") &&
	    turn_says(t, &again) && turn_says(t, &fails);
}

bool
effort_still_fails(const struct compact_turn *t)
{
	size_t i;

	if (slice_is(t->does->rule, "still-fails"))
		return true;
	for (i = 0; i < t->does->n_sentences; i++)
		if (slice_is(t->does->sentences[i].rule, "still-fails"))
			return true;
	return false;
}

/* Of the rules that conclude: those that tell of an outcome. */
static bool
is_outcome(struct slice rule)
{
	static const char *const rules[] = { "works-now", "that-fixed-it",
		"solved-myself", "seems-fixed", "works-fine", "no-more",
		"finished", NULL };
	size_t i;

	for (i = 0; rules[i] != NULL; i++)
		if (slice_is(rule, rules[i]))
			return true;
	return false;
}

bool
effort_tells_outcome(const struct compact_turn *t)
{
	struct msg_c_sentence s;
	size_t i;

	for (i = 0; i < sentence_count(t); i++) {
		s = turn_sentence(t, i);
		if (s.concludes && is_outcome(s.rule))
			return true;
	}
	return false;
}

bool
effort_concludes(const struct compact_turn *t)
{
	return (!slice_is(t->does->act, "request") &&
	    !slice_is(t->does->act, "question")) || effort_tells_outcome(t);
}
