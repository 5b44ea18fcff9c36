/*
 * effort_words - what the wording of a turn says about an effort
 */
#include "compactor/effort_words.h"

#include "common/text.h"
#include "compactor/effort_words_impl.h"
#include "compactor/summary.h"

enum {
	FEW_SENTENCES = 3,
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
	"converted", "restored", "restarted", "upgraded", "patched",
	"activated", "arranged", "assigned", "built", "cleaned", "cleared",
	"connected", "credited", "drafted", "escalated", "extended",
	"extracted", "forwarded", "initiated", "issued", "linked", "posted",
	"rebooted", "registered", "renewed", "reset", "rewrote", "shipped",
	"split", "stored", "subscribed", "switched", "translated", "unlocked",
	"unsubscribed", NULL };
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
is_word(const struct words *w, size_t i, const char *word)
{
	return i < w->count && text_is_word(w->at[i], word);
}

/* ---- what was tried ---- */

/* "Show me the file", "please tell me how it goes": it wants to know. */
static bool
asks_to_tell(const struct words *w)
{
	static const char *const tell[] = { "tell", "show", "send", "give",
		"paste", "post", NULL };
	size_t i = is_word(w, 0, "please");

	return i < w->count && word_one_of(w->at[i], tell) &&
	    (is_word(w, i + 1, "me") || is_word(w, i + 1, "us"));
}

/* What to do, told by its verb: "then raise the limit". */
static bool
is_instruction(const struct words *w)
{
	static const char *const before[] = { "then", "please", "now", "so",
		"first", "instead", "just", "ok", "yes", "no", "and", "or",
		NULL };
	static const char *const verbs[] = { "add", "allow", "append", "build",
		"bump", "call", "change", "check", "clean", "clear", "click",
		"comment", "connect", "convert", "copy", "create", "declare",
		"decrease", "define", "delete", "disable", "do", "download",
		"drop", "edit", "enable", "enter", "export", "flash", "follow",
		"give", "grant", "import", "increase", "insert", "inspect",
		"install", "load", "lower", "make", "mark", "mount", "move",
		"open", "pass", "pause", "plug", "press", "pull", "push", "put",
		"raise", "rebuild", "recreate", "reduce", "reinstall", "reload",
		"remove", "rename", "replace", "reset", "restart", "restore",
		"return", "rewrite", "run", "save", "select", "set", "start",
		"stop", "switch", "take", "try", "turn", "type", "uninstall",
		"unplug", "update", "upgrade", "use", "wipe", "wrap", "write",
		NULL };
	size_t i = 0;

	while (i < w->count && word_one_of(w->at[i], before))
		i++;
	return i < w->count && word_one_of(w->at[i], verbs);
}

/* How well a sentence of the other side serves as what to try. */
static unsigned
proposal_rank(const struct compact_turn *t, const struct msg_c_sentence *s,
    const struct words *w)
{
	bool assistant = slice_is(t->role, "assistant");

	/* "Let me look", "would you like me to": nothing is tried yet. */
	if ((is_word(w, 0, "let") && is_word(w, 1, "me")) || asks_to_tell(w) ||
	    (slice_is(s->act, "commit") && w->count > 0 &&
		word_one_of(w->at[0], offers)))
		return 0;
	if (slice_is(s->act, "question") ||
	    (s->len > 0 && t->text.ptr[s->at + s->len - 1] == '?'))
		return words_say(w, suggest_words) ? 3 : 0;
	if (slice_is(s->act, "request") || (assistant && is_instruction(w)))
		return 4;
	if (!assistant || summary_content(t->does, s->at, s->len) == 0)
		return 0;
	return slice_is(s->act, "commit") ? 2 : slice_is(s->act, "inform");
}

static unsigned
own_rank(const struct msg_c_sentence *s, const struct words *w)
{
	return !slice_is(s->act, "question") && words_say(w, tried_words);
}

/* "Back to that bug - I tried X": from "I" on. */
static struct slice
from_doer(struct slice text, const struct words *w)
{
	size_t i, at;

	for (i = 0; i < w->count && !word_one_of(w->at[i], tried_words); i++)
		;
	for (; i > 0; i--)
		if (word_one_of(w->at[i - 1], doers)) {
			at = (size_t)(w->at[i - 1].ptr - text.ptr);
			return slice_of(text.ptr + at, text.len - at);
		}
	return text;
}

static struct effort_try
find_try(struct arena *arena, const struct compact_turn *t, bool other)
{
	struct effort_try out = { 0 };
	struct msg_c_sentence s;
	const struct words *w;
	unsigned rank, best = 0;
	struct words room;
	struct slice text;
	size_t i, at = 0;

	for (i = 0; i < sentence_count(t) && best < 4; i++) {
		s = turn_sentence(t, i);
		w = sentence_words(t, i, &room);
		rank = other ? proposal_rank(t, &s, w) : own_rank(&s, w);
		/* A short turn tells what is wrong first and the cure last. */
		if (rank < best || rank == 0 ||
		    (rank == best && sentence_count(t) > FEW_SENTENCES))
			continue;
		best = rank;
		at = i;
	}
	if (best == 0)
		return out;
	s = turn_sentence(t, at);
	text = sentence_text(t, &s);
	if (!other)
		text = from_doer(text, sentence_words(t, at, &room));
	out.suggested = best == 3;
	out.told = other && best == 1;
	out.content = summary_content(t->does, s.at, s.len);
	out.text = summary_shorten(arena, text, CUT_asking, LINE_WORDS);
	return out;
}

struct effort_try
effort_tries(struct arena *arena, const struct compact_turn *t, bool other)
{
	struct effort_notes *n = t->notes;
	struct effort_try *found;

	if (n == NULL)
		return find_try(arena, t, other);
	if (n->tries[other] == NULL) {
		found = arena_alloc(n->arena, sizeof(*found));
		*found = find_try(n->arena, t, other);
		n->tries[other] = found;
	}
	return *n->tries[other];
}

/* ---- what is done ---- */

/* "The note is added"; "it is set in your code" tells how things are. */
static bool
has_come(const struct words *w, size_t be, size_t i)
{
	static const char *const present[] = { "is", "are", NULL };
	static const char *const states[] = { "set", "made", "stored",
		"installed", "enabled", "disabled", "connected", "linked",
		"configured", "applied", "moved", "changed", "saved", "placed",
		"split", "written", "created", "built", "generated", NULL };
	static const char *const now[] = { "now", "successfully", NULL };

	/* "It was created by root": long ago, and by another. */
	if (i >= w->count || !word_one_of(w->at[i], done_words) ||
	    is_word(w, i + 1, "by"))
		return false;
	return !word_one_of(w->at[be], present) ||
	    !word_one_of(w->at[i], states) || words_say(w, now);
}

static bool
is_done(const struct words *w)
{
	static const char *const all[] = { "all", "successfully", "great", "ok",
		"okay", "sure", "alright", "perfect", "it's", "is", "now",
		"just",
		"your", "yes", NULL };
	static const char *const passive[] = { "been", "is", "are", "was",
		"were", NULL };
	static const char *const not_yet[] = { "if", "when", "once", "until",
		"after", "before", "must", "should", "will", "can", "could",
		"would", "may", "might", "because", "not", "isn't", "aren't",
		"wasn't", "weren't", NULL };
	size_t i = 0, from;

	while (i < w->count && word_one_of(w->at[i], all))
		i++;
	if (i < w->count && word_one_of(w->at[i], done_words))
		return true;
	if (i < w->count && word_one_of(w->at[i], doers)) {
		for (from = i + 1; i < w->count && i < from + 4; i++)
			if (word_one_of(w->at[i], done_words))
				return true;
		return false;
	}
	/* "It has been sent", "the note is added"; "when it is done" is not. */
	for (i = 0; i + 1 < w->count; i++) {
		if (word_one_of(w->at[i], not_yet))
			return false;
		if (word_one_of(w->at[i], passive) &&
		    (has_come(w, i, i + 1) || has_come(w, i, i + 2)))
			return true;
	}
	return false;
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
		if (s.concludes)
			return i;
		if (!slice_is(s.act, "inform") && !slice_is(s.act, "commit") &&
		    !slice_is(s.act, "accept"))
			continue;
		if (is_done(sentence_words(t, i, &room)))
			return i;
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
	s = turn_sentence(t, i);
	/* "Done." alone says nothing; what comes after it may. */
	while (summary_content(t->does, s.at, s.len) == 0 && i + 1 < n)
		s = turn_sentence(t, ++i);
	if (summary_content(t->does, s.at, s.len) == 0)
		s = turn_sentence(t, find_report(t));
	return summary_shorten(arena, sentence_text(t, &s), CUT_filler,
	    LINE_WORDS);
}

/* ---- the rest ---- */

bool
effort_asks_for_more(const struct compact_turn *t)
{
	static const char *const more[] = { "else", "further", NULL };
	struct words room;

	return words_say(sentence_words(t, sentence_count(t) - 1, &room), more);
}

static bool
asks_to_confirm(const struct compact_turn *t)
{
	static const char *const confirm[] = { "confirm", "confirming",
		"verify", NULL };
	static const char *const right[] = { "correct", "right", NULL };
	const struct words *w = NULL;
	struct words room;
	size_t i;

	for (i = 0; i < sentence_count(t); i++) {
		w = sentence_words(t, i, &room);
		if (words_say(w, confirm))
			return true;
	}
	return t->text.len > 0 && t->text.ptr[t->text.len - 1] == '?' &&
	    words_say(w, right);
}

bool
effort_asks_to_confirm(const struct compact_turn *t)
{
	struct effort_notes *n = t->notes;

	if (!slice_is(t->role, "assistant"))
		return false;
	if (n == NULL)
		return asks_to_confirm(t);
	if (!n->is_asked)
		n->confirms = asks_to_confirm(t);
	n->is_asked = true;
	return n->confirms;
}

bool
effort_is_reminder(const struct compact_turn *t)
{
	struct words room;
	const struct words *w = turn_words(t, &room);
	size_t i;

	for (i = 0; i + 1 < w->count; i++) {
		if (text_is_word(w->at[i], "remind") &&
		    (is_word(w, i + 1, "me") || is_word(w, i + 1, "us")) &&
		    !(i > 0 && word_one_of(w->at[i - 1], doers_of_others)) &&
		    !(i + 2 < w->count && word_one_of(w->at[i + 2], asking)))
			return true;
		if (is_word(w, i, "let") && is_word(w, i + 1, "me") &&
		    is_word(w, i + 2, "forget"))
			return true;
	}
	return false;
}

bool
effort_shifts(const struct compact_turn *t)
{
	struct words room;
	const struct words *w = turn_words(t, &room);
	size_t i;

	if ((is_word(w, 0, "oh") && is_word(w, 1, "and")) ||
	    (is_word(w, 0, "one") && is_word(w, 1, "more")))
		return true;
	for (i = 0; i < w->count && i < 4; i++)
		if (word_one_of(w->at[i], shift_words) ||
		    (text_is_word(w->at[i], "by") && is_word(w, i + 1, "the") &&
			is_word(w, i + 2, "way")))
			return true;
	return false;
}

bool
effort_speaks_of_self(const struct compact_turn *t)
{
	static const char *const self[] = { "i", "i'm", "im", "i've", "i'd",
		"my", "me", "mine", "we", "our", "us", NULL };
	struct words room;

	return words_say(turn_words(t, &room), self);
}

bool
effort_asks_plainly(const struct compact_turn *t)
{
	return slice_is(t->does->rule, "please-do") ||
	    slice_is(t->does->rule, "can-you") ||
	    slice_is(t->does->rule, "imperative");
}

bool
effort_names_error(const struct compact_turn *t)
{
	const struct msg_c_claim *claim;
	size_t i, at;

	for (i = 0; i < t->does->n_claims; i++) {
		claim = &t->does->claims[i];
		for (at = 0; at < claim->n_entities; at++)
			if (slice_is(claim->entities[at].kind, "error"))
				return true;
	}
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
