/*
 * effort_words - what the wording of a turn says about an effort
 */
#include "compactor/effort_words.h"

#include "common/text.h"
#include "compactor/summary.h"

enum {
	FIRST_WORDS = 14,	/* of a sentence: who does what stands there */
};

static const char *const done_words[] = { "done", "fixed", "updated", "added",
	"removed", "created", "changed", "made", "pushed", "merged", "deployed",
	"implemented", "refactored", "written", "rewritten", "renamed", "moved",
	"replaced", "applied", "installed", "configured", "sent", "booked",
	"reserved", "scheduled", "cancelled", "canceled", "confirmed",
	"completed", "finished", "adjusted", "corrected", "resolved", "solved",
	"submitted", "processed", "deleted", "wrote", "placed", "purchased",
	"transferred", "committed", "reverted", "saved", "refunded", "set",
	"ordered", "rented", "bought", "paid", "prepared", "generated",
	"uploaded", "published", "released", "enabled", "disabled", "migrated",
	"converted", "restored", "restarted", "upgraded", "patched", NULL };
static const char *const doers[] = { "i", "i've", "we", "we've", NULL };
/* "They remind me of ..." asks for nothing. */
static const char *const doers_of_others[] = { "they", "these", "those", "it",
	"that", "which", "to", "not", "didn't", "don't", NULL };
/* "Remind me what ..." asks a question. */
static const char *const asking[] = { "what", "how", "why", "who", "which",
	"where", "whether", "if", "of", NULL };
static const char *const tried_words[] = { "tried", "retried", NULL };
static const char *const suggest_words[] = { "tried", "try", "checked",
	"check", "about", "looked", NULL };
static const char *const offers[] = { "would", "shall", "should", "do", "can",
	"could", "may", NULL };
static const char *const shift_words[] = { "also", "btw", "separately",
	"unrelated", "another", "different", "meanwhile", "additionally",
	"next", NULL };

static bool
is_one_of(struct slice word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (text_is_word(word, *words))
			return true;
	return false;
}

/* The first words of a sentence. */
struct words {
	struct slice at[FIRST_WORDS];
	size_t count;
};

static void
read_words(struct slice text, struct words *out)
{
	struct text_tokens tokens;
	struct text_token token;

	out->count = 0;
	text_tokens_init(&tokens, text);
	while (out->count < FIRST_WORDS && text_tokens_next(&tokens, &token))
		if (token.kind == TEXT_WORD)
			out->at[out->count++] =
			    text_token_slice(&tokens, &token);
}

static bool
says(const struct words *w, const char *const *words)
{
	size_t i;

	for (i = 0; i < w->count; i++)
		if (is_one_of(w->at[i], words))
			return true;
	return false;
}

static bool
is_word(const struct words *w, size_t i, const char *word)
{
	return i < w->count && text_is_word(w->at[i], word);
}

/* ---- sentences, as classify has them ---- */

static size_t
sentence_count(const struct compact_turn *t)
{
	return t->does->n_sentences > 0 ? t->does->n_sentences : 1;
}

/* A turn of one sentence does what the turn does. */
static struct msg_c_sentence
sentence(const struct compact_turn *t, size_t i)
{
	struct msg_c_sentence s = {
		.len = t->text.len,
		.act = t->does->act,
		.confidence = t->does->confidence,
		.concludes = t->does->concludes,
		.rule = t->does->rule,
	};

	if (t->does->n_sentences > 0)
		s = t->does->sentences[i];
	if (s.at > t->text.len || s.len > t->text.len - s.at)
		s.at = s.len = 0;
	return s;
}

static struct slice
sentence_text(const struct compact_turn *t, const struct msg_c_sentence *s)
{
	return slice_of(t->text.ptr + s->at, s->len);
}

/* ---- what was tried ---- */

/* How well a sentence of the other side serves as what to try. */
static unsigned
proposal_rank(const struct compact_turn *t, const struct msg_c_sentence *s,
    const struct words *w)
{
	bool assistant = slice_is(t->role, "assistant");

	/* "Let me look", "would you like me to": nothing is tried yet. */
	if ((is_word(w, 0, "let") && is_word(w, 1, "me")) ||
	    (slice_is(s->act, "commit") && w->count > 0 &&
		is_one_of(w->at[0], offers)))
		return 0;
	if (slice_is(s->act, "question") ||
	    (s->len > 0 && t->text.ptr[s->at + s->len - 1] == '?'))
		return says(w, suggest_words) ? 3 : 0;
	if (slice_is(s->act, "request"))
		return 4;
	if (!assistant || summary_content(t->does, s->at, s->len) == 0)
		return 0;
	return slice_is(s->act, "commit") ? 2 : slice_is(s->act, "inform");
}

static unsigned
own_rank(const struct msg_c_sentence *s, const struct words *w)
{
	return !slice_is(s->act, "question") && says(w, tried_words);
}

/* "Back to that bug - I tried X": from "I" on. */
static struct slice
from_doer(struct slice text, const struct words *w)
{
	size_t i, at;

	for (i = 0; i < w->count && !is_one_of(w->at[i], tried_words); i++)
		;
	for (; i > 0; i--)
		if (is_one_of(w->at[i - 1], doers)) {
			at = (size_t)(w->at[i - 1].ptr - text.ptr);
			return slice_of(text.ptr + at, text.len - at);
		}
	return text;
}

struct effort_try
effort_tries(struct arena *arena, const struct compact_turn *t, bool other)
{
	struct effort_try out = { 0 };
	struct msg_c_sentence s;
	unsigned rank, best = 0;
	struct slice text;
	struct words w;
	size_t i;

	for (i = 0; i < sentence_count(t) && best < 4; i++) {
		s = sentence(t, i);
		read_words(sentence_text(t, &s), &w);
		rank = other ? proposal_rank(t, &s, &w) : own_rank(&s, &w);
		if (rank <= best)
			continue;
		best = rank;
		out.suggested = rank == 3;
		text = sentence_text(t, &s);
		out.text = summary_shorten(arena,
		    other ? text : from_doer(text, &w), CUT_asking, LINE_WORDS);
	}
	return out;
}

/* ---- what is done ---- */

static bool
is_done(const struct words *w)
{
	static const char *const all[] = { "all", "successfully", "great", "ok",
		"okay", "sure", "alright", "perfect", "it's", "is", "now",
		"just",
		"your", "yes", NULL };
	size_t i = 0, from;

	while (i < w->count && is_one_of(w->at[i], all))
		i++;
	if (i < w->count && is_one_of(w->at[i], done_words))
		return true;
	if (i < w->count && is_one_of(w->at[i], doers)) {
		for (from = i + 1; i < w->count && i < from + 4; i++)
			if (is_one_of(w->at[i], done_words))
				return true;
		return false;
	}
	for (i = 0; i + 1 < w->count; i++)
		if (text_is_word(w->at[i], "been") &&
		    (is_one_of(w->at[i + 1], done_words) ||
			(i + 2 < w->count &&
			    is_one_of(w->at[i + 2], done_words))))
			return true;
	return false;
}

/* The place of the sentence that says it is done, or their number. */
static size_t
find_report(const struct compact_turn *t)
{
	size_t i, n = sentence_count(t);
	struct msg_c_sentence s;
	struct words w;

	if (!slice_is(t->role, "assistant"))
		return n;
	for (i = 0; i < n; i++) {
		s = sentence(t, i);
		if (s.concludes)
			return i;
		if (!slice_is(s.act, "inform") && !slice_is(s.act, "commit") &&
		    !slice_is(s.act, "accept"))
			continue;
		read_words(sentence_text(t, &s), &w);
		if (is_done(&w))
			return i;
	}
	return n;
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
	s = sentence(t, i);
	/* "Done." alone says nothing; what comes after it may. */
	while (summary_content(t->does, s.at, s.len) == 0 && i + 1 < n)
		s = sentence(t, ++i);
	if (summary_content(t->does, s.at, s.len) == 0)
		s = sentence(t, find_report(t));
	return summary_shorten(arena, sentence_text(t, &s), CUT_filler,
	    LINE_WORDS);
}

/* ---- the rest ---- */

bool
effort_asks_for_more(const struct compact_turn *t)
{
	static const char *const more[] = { "else", "further", NULL };
	struct msg_c_sentence s;
	struct words w;

	s = sentence(t, sentence_count(t) - 1);
	read_words(sentence_text(t, &s), &w);
	return says(&w, more);
}

bool
effort_is_reminder(const struct compact_turn *t)
{
	struct words w;
	size_t i;

	read_words(t->text, &w);
	for (i = 0; i + 1 < w.count; i++) {
		if (text_is_word(w.at[i], "remind") &&
		    (is_word(&w, i + 1, "me") || is_word(&w, i + 1, "us")) &&
		    !(i > 0 && is_one_of(w.at[i - 1], doers_of_others)) &&
		    !(i + 2 < w.count && is_one_of(w.at[i + 2], asking)))
			return true;
		if (is_word(&w, i, "let") && is_word(&w, i + 1, "me") &&
		    is_word(&w, i + 2, "forget"))
			return true;
	}
	return false;
}

bool
effort_shifts(const struct compact_turn *t)
{
	struct words w;
	size_t i;

	read_words(t->text, &w);
	for (i = 0; i < w.count && i < 4; i++)
		if (is_one_of(w.at[i], shift_words) ||
		    (text_is_word(w.at[i], "by") && is_word(&w, i + 1, "the") &&
			is_word(&w, i + 2, "way")))
			return true;
	return false;
}

bool
effort_speaks_of_self(const struct compact_turn *t)
{
	static const char *const self[] = { "i", "i'm", "im", "i've", "i'd",
		"my", "me", "mine", "we", "our", "us", NULL };
	struct words w;

	read_words(t->text, &w);
	return says(&w, self);
}

bool
effort_is_thanks(const struct compact_turn *t)
{
	return slice_is(t->does->act, "greeting") &&
	    !slice_is(t->does->rule, "greeting") &&
	    !slice_is(t->does->rule, "apology");
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
effort_concludes(const struct compact_turn *t)
{
	size_t i;

	if (!slice_is(t->does->act, "request") &&
	    !slice_is(t->does->act, "question"))
		return true;
	for (i = 0; i < t->does->n_sentences; i++)
		if (t->does->sentences[i].concludes &&
		    is_outcome(t->does->sentences[i].rule))
			return true;
	return false;
}

bool
effort_why_ends(struct slice why)
{
	return slice_is(why, "attempt") || slice_is(why, "resolved") ||
	    slice_is(why, "rejected");
}

bool
effort_is_idle_talk(const struct compact_turn *t)
{
	return slice_is(t->does->act, "greeting") ||
	    slice_is(t->does->act, "none");
}
