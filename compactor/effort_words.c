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

WORD_LIST(doers, "i", "i've", "we", "we've");
/* "They remind me of ..." asks for nothing. */
WORD_LIST(doers_of_others, "they", "these", "those", "it", "that", "which",
    "to", "not", "didn't", "don't");
/* "Remind me what ..." asks a question. */
WORD_LIST(asking, "what", "how", "why", "who", "which", "where", "whether",
    "if", "of");
WORD_LIST(tried_words, "tried", "retried");
WORD_LIST(suggest_words, "tried", "try", "checked", "check", "looked");
WORD_LIST(offers, "would", "shall", "should", "do", "can", "could", "may");
WORD_LIST(shift_words, "also", "btw", "separately", "unrelated", "another",
    "different", "meanwhile", "additionally", "next");

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
	WORD_LIST(tell, "tell", "show", "send", "give", "paste", "post");
	size_t i = is_word(w, 0, "please");

	return i < w->count && words_one_of(w, i, &tell) &&
	    (is_word(w, i + 1, "me") || is_word(w, i + 1, "us"));
}

bool
words_instruct(const struct words *w, size_t from)
{
	WORD_LIST(before, "then", "please", "now", "so", "first", "instead",
	    "just", "ok", "yes", "no", "and", "or");
	WORD_LIST(verbs, "add", "allow", "append", "build", "bump", "call",
	    "change", "check", "clean", "clear", "click", "comment", "connect",
	    "convert", "copy", "create", "declare", "decrease", "define",
	    "delete", "disable", "do", "download", "drop", "edit", "enable",
	    "enter", "export", "flash", "follow", "give", "grant", "import",
	    "increase", "insert", "inspect", "install", "load", "lower", "make",
	    "mark", "mount", "move", "open", "pass", "pause", "plug", "press",
	    "pull", "push", "put", "raise", "rebuild", "recreate", "reduce",
	    "reinstall", "reload", "remove", "rename", "replace", "reset",
	    "restart", "restore", "return", "rewrite", "run", "save", "select",
	    "set", "start", "stop", "switch", "take", "try", "turn", "type",
	    "uninstall", "unplug", "update", "upgrade", "use", "wipe", "wrap",
	    "write", "adjust", "align", "apply", "ask", "attach", "avoid",
	    "boil", "book", "brush", "buy", "charge", "choose", "configure",
	    "contact", "cover", "cut", "deploy", "detach", "disconnect",
	    "drain", "dry", "empty", "ensure", "feel", "fill", "filter", "find",
	    "flush", "format", "get", "go", "heat", "hold", "keep", "let",
	    "limit", "log", "look", "loosen", "lubricate", "mix", "pick",
	    "place", "pour", "prune", "purge", "rebase", "reboot", "reconnect",
	    "refresh", "reprogram", "reseat", "revert", "rinse", "roll",
	    "rotate", "rub", "scroll", "scrub", "search", "see", "shut", "sign",
	    "skip", "soak", "sort", "split", "spray", "swap", "tap", "test",
	    "tighten", "trim", "twist", "verify", "wait", "wash", "measure",
	    "feed", "kill", "retry", "drink", "eat", "store", "seal", "glue",
	    "screw", "unscrew", "hang", "paint", "sand", "squeeze", "stir",
	    "bend", "lift", "lock", "unlock", "mute", "unmute", "scan", "print",
	    "sync", "rescan", "recharge", "refill", "report", "schedule",
	    "order", "cancel", "subscribe", "unsubscribe");
	size_t i = from;

	while (i < w->count && words_one_of(w, i, &before))
		i++;
	return i < w->count && words_one_of(w, i, &verbs);
}

/* "`apt-get -f install`?": what is asked is whether it was tried. */
static bool
shows_command(const struct compact_turn *t, const struct msg_c_sentence *s)
{
	struct slice text = sentence_text(t, s);
	size_t i;

	for (i = 0; i + 2 < text.len; i++)
		if (text.ptr[i] == '`' || (text.ptr[i] == ' ' &&
			(text.ptr[i + 1] == '\'' || text.ptr[i + 1] == '"') &&
			memchr(text.ptr + i + 2, text.ptr[i + 1],
			    text.len - i - 2) != NULL))
			return true;
	return false;
}

/* "Did you pull the strip off?", and not "did you see that?" */
static bool
asks_whether_done(const struct words *w)
{
	WORD_LIST(first, "did", "have");
	WORD_LIST(known, "see", "seen", "get", "got", "know", "find", "found",
	    "mean", "have", "had", "hear", "heard", "say", "notice", "read",
	    "ask", "get", "ever", "any", "a", "an", "the", "your", "used",
	    "use", "receive", "order", "buy", "contact", "like", "enjoy",
	    "sleep");
	size_t i = is_word(w, 0, "and") || is_word(w, 0, "hm");

	return i + 3 < w->count && words_one_of(w, i, &first) &&
	    is_word(w, i + 1, "you") && !words_one_of(w, i + 2, &known);
}

/* "Could you unplug it?", "what about the cable?" */
static bool
asks_politely(const struct words *w)
{
	WORD_LIST(may, "can", "could", "would");
	WORD_LIST(asks, "tell", "show", "send", "give", "paste", "post", "look",
	    "see", "check", "confirm", "open", "find", "log", "go", "let",
	    "wait", "do", "get");
	size_t i;

	if ((is_word(w, 0, "what") || is_word(w, 0, "how")) &&
	    is_word(w, 1, "about"))
		return true;
	for (i = 0; i + 2 < w->count && i < 3; i++)
		if (words_one_of(w, i, &may) && is_word(w, i + 1, "you"))
			break;
	if (i + 2 >= w->count || i == 3)
		return false;
	for (i += 2; is_word(w, i, "please"); i++)
		;
	return i + 1 < w->count && !words_one_of(w, i, &asks) &&
	    words_instruct(w, i);
}

/* How well a sentence of the other side serves as what to try. */
static unsigned
proposal_rank(const struct compact_turn *t, size_t i,
    const struct msg_c_sentence *s, const struct words *w)
{
	bool assistant = slice_is(t->role, "assistant");

	/* "Let me look", "would you like me to": nothing is tried yet. */
	if ((is_word(w, 0, "let") && is_word(w, 1, "me")) || asks_to_tell(w) ||
	    (slice_is(s->act, "commit") && w->count > 0 &&
		words_one_of(w, 0, &offers)))
		return 0;
	if (slice_is(s->act, "question") ||
	    (s->len > 0 && t->text.ptr[s->at + s->len - 1] == '?'))
		return words_say(w, &suggest_words) || shows_command(t, s) ||
		    asks_whether_done(w) || asks_politely(w) ? 3 : 0;
	if (assistant && words_instruct(w, 0))
		return 4;
	/* The act model alone is not sure of an assistant's requests. */
	if (slice_is(s->act, "request"))
		return assistant && s->rule.len == 0 ? 2 : 4;
	if (sentence_content(t, i) == 0)
		return 0;
	/* Among people, what one of them has done about it. */
	if (!assistant)
		return slice_is(s->act, "inform") && words_done(w);
	return slice_is(s->act, "commit") ? 2 : slice_is(s->act, "inform");
}

static unsigned
own_rank(const struct msg_c_sentence *s, const struct words *w)
{
	return !slice_is(s->act, "question") && words_say(w, &tried_words);
}

/* The same, also behind the name of the one it is said to. */
static bool
instructs(const struct words *w)
{
	return words_instruct(w, 0) || words_instruct(w, 1);
}

/* "Back to that bug - I tried X": from "I" on. */
static struct slice
from_doer(struct slice text, const struct words *w)
{
	size_t i, at;

	for (i = 0; i < w->count && !words_one_of(w, i, &tried_words); i++)
		;
	for (; i > 0; i--)
		if (words_one_of(w, i - 1, &doers)) {
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
		rank = other ? proposal_rank(t, i, &s, w) : own_rank(&s, w);
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
	out.told = other && (best == 1 || (best != 3 && s.rule.len == 0 &&
	    slice_is(s.act, "request") &&
	    !instructs(sentence_words(t, at, &room))));
	out.content = sentence_content(t, at);
	out.text = turn_shorten(t, arena, text, CUT_asking);
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

/* ---- the rest ---- */

/* "How may I help?" */
static bool
offers_help(const struct compact_turn *t, const struct words *w)
{
	WORD_LIST(help, "help", "assist");
	WORD_LIST(me, "i", "we");

	/* "What can I do for you?" */
	WORD_LIST(what, "do");
	WORD_LIST(you, "you");

	return slice_is(t->role, "assistant") && words_say(w, &me) &&
	    (words_say(w, &help) || (words_say(w, &what) &&
		words_say(w, &you))) && t->text.len > 0 &&
	    t->text.ptr[t->text.len - 1] == '?';
}

bool
effort_asks_for_more(const struct compact_turn *t)
{
	WORD_LIST(more, "else", "further");
	WORD_LIST(that, "that", "this", "be");
	const struct words *w;
	struct words room;

	w = sentence_words(t, sentence_count(t) - 1, &room);
	if (words_say(w, &more) || offers_help(t, w))
		return true;
	/* "Is that all?", "will that be all?" */
	return w->count > 1 && text_is_word(w->at[w->count - 1], "all") &&
	    words_one_of(w, w->count - 2, &that);
}

static bool
is_doing(struct slice word)
{
	return word.len > 4 && memcmp(word.ptr + word.len - 3, "ing", 3) == 0;
}

bool
words_recap(const struct words *w)
{
	WORD_LIST(before, "ok", "okay", "so", "just", "to", "be", "sure", "and",
	    "alright", "great", "confirm", "make", "then", "i", "see", "let",
	    "me", "clear", "recap", "review", "please", "that");
	WORD_LIST(you, "you", "you'd", "you're", "you'll");
	WORD_LIST(be, "are", "would", "will", "be");
	WORD_LIST(want, "want", "need", "require", "wish", "like", "prefer");
	size_t i = 0, next;

	while (i < w->count && words_one_of(w, i, &before))
		i++;
	if (i + 2 >= w->count || !words_one_of(w, i, &you))
		return false;
	next = i + 1;
	if (words_one_of(w, next, &be))
		next++;
	return words_one_of(w, next, &want) || is_doing(w->at[next]);
}

static bool
asks_to_confirm(const struct compact_turn *t)
{
	WORD_LIST(confirm, "confirm", "confirming", "verify");
	WORD_LIST(right, "correct", "right");
	const struct words *w = NULL;
	struct words room;
	size_t i;

	for (i = 0; i < sentence_count(t); i++) {
		w = sentence_words(t, i, &room);
		if (words_say(w, &confirm) || words_recap(w))
			return true;
	}
	return t->text.len > 0 && t->text.ptr[t->text.len - 1] == '?' &&
	    words_say(w, &right);
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
		    !(i > 0 && words_one_of(w, i - 1, &doers_of_others)) &&
		    !(i + 2 < w->count && words_one_of(w, i + 2, &asking)))
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
		if (words_one_of(w, i, &shift_words) ||
		    (text_is_word(w->at[i], "by") && is_word(w, i + 1, "the") &&
			is_word(w, i + 2, "way")))
			return true;
	return false;
}

bool
effort_speaks_of_self(const struct compact_turn *t)
{
	WORD_LIST(self, "i", "i'm", "im", "i've", "i'd", "my", "me", "mine",
	    "we", "our", "us");
	struct words room;

	return words_say(turn_words(t, &room), &self);
}

bool
effort_speaks_of_other(const struct compact_turn *t)
{
	WORD_LIST(your, "your", "yours");
	WORD_LIST(mine, "my", "me", "mine", "our", "us");

	return turn_says(t, &your) && !turn_says(t, &mine);
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
effort_surely(const struct compact_turn *t, const char *act)
{
	enum { SURE = 600 };

	return slice_is(t->does->act, act) &&
	    (t->does->rule.len > 0 || t->does->confidence >= SURE);
}

bool
effort_is_idle_talk(const struct compact_turn *t)
{
	return slice_is(t->does->act, "greeting") ||
	    slice_is(t->does->act, "none");
}
