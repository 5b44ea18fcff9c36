/*
 * effort_asks - what the owner turns to next, chooses, has tried in vain
 */
#include "common/text.h"
#include "compactor/effort_words.h"
#include "compactor/effort_words_impl.h"

static bool
is_asked(const struct msg_c_sentence *s)
{
	return slice_is(s->act, "question");
}

bool
effort_asks_next(const struct compact_turn *t)
{
	/* "Then" and "instead" go on with what there is. */
	static const char *const next[] = { "now", "next", "also", "ok", "okay",
		"great", "good", "nice", "cool", "perfect", "sweet", "thanks",
		"alright", "awesome", "super", "thx", NULL };
	enum { SHORT = 3 };	/* "Looks good." */
	struct msg_c_sentence s;
	const struct words *w;
	struct words room;
	size_t i, n = sentence_count(t), before = SIZE_MAX;

	for (i = 0; i < n; i++) {
		s = turn_sentence(t, i);
		w = sentence_words(t, i, &room);
		if (w->count > 2 && !is_asked(&s) && words_instruct(w) &&
		    (before <= SHORT || word_one_of(w->at[0], next)))
			return true;
		before = w->count;
	}
	return false;
}

bool
effort_asks_with(struct slice question, const char *const *words)
{
	const struct compact_turn t = { .text = question };
	struct words room;
	const struct words *w = turn_words(&t, &room);
	size_t i;

	/* "One more: how can I ..." */
	for (i = 0; i < w->count && i < 4; i++)
		if (word_one_of(w->at[i], words))
			return true;
	return false;
}

bool
effort_is_choice(struct slice goal)
{
	static const char *const choosing[] = { "should", "which", "pick",
		"choose", "decide", "recommend", "suggest", "better", "best",
		"where", "shall", "between", NULL };
	/* "Every five hours or so" */
	static const char *const about[] = { "so", "something", "less", "more",
		"two", "not", NULL };
	const struct compact_turn t = { .text = goal };
	const struct words *w;
	struct words room;
	size_t i;

	static const char *const asking[] = { "what", "when", "who", NULL };

	if (turn_says(&t, choosing))
		return true;
	w = turn_words(&t, &room);
	if (w->count > 0 && word_one_of(w->at[0], asking))
		return true;
	for (i = 1; i + 1 < w->count; i++)
		if (text_is_word(w->at[i], "or"))
			return !word_one_of(w->at[i + 1], about);
	return false;
}

bool
effort_wants_deed(struct slice goal)
{
	static const char *const deeds[] = { "book", "order", "reserve",
		"schedule", "appointment", "table", "cancel", "send", "rebook",
		"arrange", "make", "fix", "add", "write", "flight", "flights",
		"ticket", "tickets", "hotel", "room", "seat", "reservation",
		NULL };
	const struct compact_turn t = { .text = goal };

	return turn_says(&t, deeds);
}

/* "Ok, Lisbon", "the 7:10 then". */
static bool
picks(const struct compact_turn *t, size_t i)
{
	enum { FEW = 4 };
	static const char *const settled[] = { "ok", "okay", "alright", "then",
		"fine", "so", NULL };
	static const char *const open[] = { "but", "not", "or", "maybe", "if",
		"what", "how", "why", "which", "when", "i", "we", "and",
		"thanks", "thank", "wait", "waiting", "sure", "wow", "cool",
		"great", "nice", "good", "perfect", "lol", "haha", "weird",
		"hm", "hmm", "sorry", "got", NULL };
	struct msg_c_sentence s = turn_sentence(t, i);
	struct slice text = sentence_text(t, &s);
	struct words room;
	const struct words *w = sentence_words(t, i, &room);

	return w->count > 1 && w->count <= FEW && !is_asked(&s) &&
	    text.len > 0 && text.ptr[text.len - 1] != '?' &&
	    (word_one_of(w->at[0], settled) ||
		text_is_word(w->at[w->count - 1], "then")) &&
	    !words_say(w, open);
}

bool
effort_picks(const struct compact_turn *t)
{
	size_t n = sentence_count(t);

	/* What speaks for it may come before: "too far. then Lisbon". */
	return picks(t, 0) || (n > 1 && picks(t, n - 1));
}

bool
effort_agrees(const struct compact_turn *t)
{
	static const char *const yes[] = { "yes", "yeah", "yep", "great",
		"perfect", "awesome", "nice", "super", "excellent", "lovely",
		"sweet", "cool", NULL };
	const struct words *w;
	struct words room;

	w = turn_words(t, &room);
	return w->count > 0 && word_one_of(w->at[0], yes);
}

bool
effort_affirms(const struct compact_turn *t)
{
	static const char *const yes[] = { "yes", "yeah", "yep", "yup",
		"correct", "right", NULL };
	static const char *const that[] = { "that's", "thats", "that", "it",
		"it's", NULL };
	struct words room;
	const struct words *w = turn_words(t, &room);

	if (w->count == 0 || effort_has_thanks(t))
		return false;
	return word_one_of(w->at[0], yes) || (w->count <= 3 &&
	    word_one_of(w->at[0], that) &&
	    word_one_of(w->at[w->count - 1], yes));
}

bool
effort_tried_in_vain(const struct compact_turn *t)
{
	static const char *const tried[] = { "tried", "retried", NULL };
	static const char *const vain[] = { "luck", "didn't", "doesn't", "worse",
		"nothing", "same", "still", "avail", "vain", "success",
		"difference", "change", "fails", "failed", "nope", NULL };
	static const char *const well[] = { "worked", "works", "fixed", "helped",
		"solved", NULL };

	return !slice_is(t->does->act, "question") && turn_says(t, tried) &&
	    turn_says(t, vain) && !turn_says(t, well);
}

bool
effort_still_so(const struct compact_turn *t)
{
	static const char *const still[] = { "still", NULL };
	const struct words *w;
	struct words room;
	size_t i;

	if (!slice_is(t->does->act, "inform") &&
	    !slice_is(t->does->act, "reject"))
		return false;
	w = turn_words(t, &room);
	/* "I am still waiting" tells of the speaker. */
	for (i = 1; i < w->count && i < 5; i++)
		if (word_one_of(w->at[i], still))
			return !effort_speaks_of_self(t);
	return false;
}

bool
effort_proposes(const struct compact_turn *t)
{
	static const char *const suggest[] = { "tried", "try", "checked", NULL };
	struct msg_c_sentence s;
	const struct words *w;
	struct words room;
	size_t i, n = sentence_count(t);

	for (i = 0; i < n; i++) {
		s = turn_sentence(t, i);
		w = sentence_words(t, i, &room);
		/* A rule tells a request, the act model only guesses. */
		if (w->count > 2 && (is_asked(&s) ? words_say(w, suggest) :
			words_instruct(w) || (s.rule.len > 0 &&
			    (slice_is(s.act, "request") ||
				slice_is(s.rule, "offer-assistant")))))
			return true;
	}
	return false;
}

bool
effort_sounds_bad(const struct compact_turn *t)
{
	static const char *const bad[] = { "no", "not", "never", "nothing",
		"only", "but", "problem", "problems", "issue", "issues",
		"error", "errors", "wrong", "weird", "strange", "help",
		"until", "instead", "lost", "forgot", "still", "stuck",
		"cannot", "can't", "won't", "doesn't", "don't", "isn't",
		"aren't", "didn't", "keeps", "keep", "fails", "failed",
		"broke", "broken", "hard", "bad", "slow", "stopped", "crash",
		"crashed", "crashes", "dead", "down", "missing", NULL };

	return turn_says(t, bad);
}

bool
effort_asks_likewise(const struct compact_turn *t)
{
	enum { FEW = 4 };
	static const char *const first[] = { "and", "or", NULL };
	static const char *const told[] = { "i", "we", "it", "that", "then",
		"so", "now", "thanks", "thank", "you", "is", "are", "was",
		NULL };
	const struct words *w;
	struct words room;

	w = turn_words(t, &room);
	return w->count > 1 && w->count <= FEW && word_one_of(w->at[0], first) &&
	    !words_say(w, told) && !slice_is(t->does->act, "commit") &&
	    !slice_is(t->does->act, "accept");
}

bool
effort_has_thanks(const struct compact_turn *t)
{
	struct msg_c_sentence s;
	size_t i, n = sentence_count(t);

	for (i = 0; i < n; i++) {
		s = turn_sentence(t, i);
		if (slice_is(s.act, "greeting") && (slice_is(s.rule, "thanks") ||
			slice_is(s.rule, "ok-thanks")))
			return true;
	}
	return false;
}

bool
effort_promises(struct slice proposal)
{
	static const char *const will[] = { "will", "i'll", "we'll", NULL };
	static const char *const yours[] = { "you", "you'll", "your", "it",
		"this", "that", NULL };
	const struct compact_turn t = { .text = proposal };
	const struct words *w;
	struct words room;
	size_t i;

	w = turn_words(&t, &room);
	for (i = 0; i < w->count; i++)
		if (word_one_of(w->at[i], will))
			return i == 0 || !word_one_of(w->at[i - 1], yours);
	return false;
}

bool
effort_declines(const struct compact_turn *t)
{
	enum { FEW = 6 };
	static const char *const no[] = { "no", "nope", "nah", NULL };
	static const char *const enough[] = { "that's", "thats", "fine", "good",
		"ok", "okay", "all", "thanks", "thank", "thx", "not", "it's",
		"you", "is", "that", "for", "now", "need", "bye", NULL };
	const struct words *w;
	struct words room;
	size_t i;

	w = turn_words(t, &room);
	if (w->count == 0 || w->count > FEW || !word_one_of(w->at[0], no))
		return false;
	for (i = 1; i < w->count; i++)
		if (!word_one_of(w->at[i], enough))
			return false;
	return true;
}

bool
effort_asks_can(const struct compact_turn *t, const char *const *who)
{
	static const char *const may[] = { "can", "could", "may", NULL };
	const struct words *w;
	struct words room;
	size_t i;

	w = turn_words(t, &room);
	for (i = 0; i + 2 < w->count && i < 3; i++)
		if (word_one_of(w->at[i], may))
			return word_one_of(w->at[i + 1], who);
	return false;
}

bool
effort_asks_leave(const struct compact_turn *t)
{
	static const char *const who[] = { "i", "you", "we", NULL };

	return effort_asks_can(t, who);
}

bool
effort_says_what(struct slice report)
{
	const struct compact_turn t = { .text = report };
	struct words room;

	return turn_words(&t, &room)->count > 2;
}

bool
effort_tells_deed(struct slice proposal)
{
	const struct compact_turn t = { .text = proposal };
	struct words room;

	return proposal.len > 0 && words_done(turn_words(&t, &room));
}

bool
effort_asks_task(const struct compact_turn *t)
{
	static const char *const tasks[] = { "write", "add", "fix", "create",
		"make", "remove", "rename", "update", "change", "build",
		"install", "translate", "find", "book", "order", "send",
		"convert", "migrate", "refactor", "replace", "delete", "bump",
		"deploy", "set", NULL };
	static const char *const first[] = { "now", "and", "then", "ok", "okay",
		"also", NULL };
	const struct words *w;
	struct words room;
	size_t i = 0;

	w = turn_words(t, &room);
	while (i < w->count && word_one_of(w->at[i], first))
		i++;
	return i + 2 < w->count && word_one_of(w->at[i], tasks);
}

bool
effort_points_back(const struct compact_turn *t)
{
	static const char *const back[] = { "those", "these", "them", "others",
		"rest", "remaining", NULL };

	return turn_says(t, back);
}

bool
effort_mocks(const struct compact_turn *t)
{
	static const char *const counts[] = { "second", "third", "fourth",
		"fifth", "sixth", "tenth", "hundredth", NULL };
	static const char *const always[] = { "always", "usual", NULL };
	const struct words *w;
	struct words room;
	size_t i;

	w = turn_words(t, &room);
	for (i = 0; i + 1 < w->count; i++)
		if ((word_one_of(w->at[i], counts) &&
			text_is_word(w->at[i + 1], "time")) ||
		    (text_is_word(w->at[i], "as") &&
			word_one_of(w->at[i + 1], always)))
			return true;
	return false;
}
