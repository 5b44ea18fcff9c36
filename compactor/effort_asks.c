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
	WORD_LIST(next, "now", "next", "also", "ok", "okay", "great", "good",
	    "nice", "cool", "perfect", "sweet", "thanks", "alright", "awesome",
	    "super", "thx");
	enum { SHORT = 3 };	/* "Looks good." */
	struct msg_c_sentence s;
	const struct words *w;
	struct words room;
	size_t i, n = sentence_count(t), before = SIZE_MAX;

	for (i = 0; i < n; i++) {
		s = turn_sentence(t, i);
		w = sentence_words(t, i, &room);
		if (w->count > 2 && !is_asked(&s) && words_instruct(w, 0) &&
		    (before <= SHORT || words_one_of(w, 0, &next)))
			return true;
		before = w->count;
	}
	return false;
}

bool
effort_asks_with(struct slice question, struct word_list *words)
{
	const struct compact_turn t = { .text = question };
	struct words room;
	const struct words *w = turn_words(&t, &room);
	size_t i;

	/* "One more: how can I ..." */
	for (i = 0; i < w->count && i < 4; i++)
		if (words_one_of(w, i, words))
			return true;
	return false;
}

bool
effort_is_choice(struct slice goal)
{
	WORD_LIST(choosing, "should", "which", "pick", "choose", "decide",
	    "recommend", "suggest", "better", "best", "where", "shall",
	    "between");
	/* "Every five hours or so" */
	WORD_LIST(about, "so", "something", "less", "more", "two", "not");
	const struct compact_turn t = { .text = goal };
	const struct words *w;
	struct words room;
	size_t i;

	WORD_LIST(asking, "what", "when", "who");

	if (turn_says(&t, &choosing))
		return true;
	w = turn_words(&t, &room);
	if (w->count > 0 && words_one_of(w, 0, &asking))
		return true;
	for (i = 1; i + 1 < w->count; i++)
		if (text_is_word(w->at[i], "or"))
			return !words_one_of(w, i + 1, &about);
	return false;
}

bool
effort_wants_deed(struct slice goal)
{
	WORD_LIST(deeds, "book", "order", "reserve", "schedule", "appointment",
	    "table", "cancel", "send", "rebook", "arrange", "make", "fix",
	    "add", "write", "flight", "flights", "ticket", "tickets", "hotel",
	    "room", "seat", "reservation");
	const struct compact_turn t = { .text = goal };

	return turn_says(&t, &deeds);
}

/* "Ok, Lisbon", "the 7:10 then". */
static bool
picks(const struct compact_turn *t, size_t i)
{
	enum { FEW = 4 };
	WORD_LIST(settled, "ok", "okay", "alright", "then", "fine", "so");
	WORD_LIST(open, "but", "not", "or", "maybe", "if", "what", "how", "why",
	    "which", "when", "i", "we", "and", "thanks", "thank", "wait",
	    "waiting", "sure", "wow", "cool", "great", "nice", "good",
	    "perfect", "lol", "haha", "weird", "hm", "hmm", "sorry", "got");
	struct msg_c_sentence s = turn_sentence(t, i);
	struct slice text = sentence_text(t, &s);
	struct words room;
	const struct words *w = sentence_words(t, i, &room);

	return w->count > 1 && w->count <= FEW && !is_asked(&s) &&
	    text.len > 0 && text.ptr[text.len - 1] != '?' &&
	    (words_one_of(w, 0, &settled) ||
		text_is_word(w->at[w->count - 1], "then")) &&
	    !words_say(w, &open);
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
	WORD_LIST(yes, "yes", "yeah", "yep", "great", "perfect", "awesome",
	    "nice", "super", "excellent", "lovely", "sweet", "cool");
	const struct words *w;
	struct words room;

	w = turn_words(t, &room);
	return w->count > 0 && words_one_of(w, 0, &yes);
}

bool
effort_affirms(const struct compact_turn *t)
{
	WORD_LIST(yes, "yes", "yeah", "yep", "yup", "correct", "right");
	WORD_LIST(that, "that's", "thats", "that", "it", "it's");
	struct words room;
	const struct words *w = turn_words(t, &room);

	if (w->count == 0 || effort_has_thanks(t))
		return false;
	return words_one_of(w, 0, &yes) || (w->count <= 3 &&
	    words_one_of(w, 0, &that) &&
	    words_one_of(w, w->count - 1, &yes));
}

bool
effort_tried_in_vain(const struct compact_turn *t)
{
	WORD_LIST(tried, "tried", "retried");
	WORD_LIST(vain, "luck", "didn't", "doesn't", "worse", "nothing", "same",
	    "still", "avail", "vain", "success", "difference", "change",
	    "fails", "failed", "nope");
	WORD_LIST(well, "worked", "works", "fixed", "helped", "solved");

	return !slice_is(t->does->act, "question") && turn_says(t, &tried) &&
	    turn_says(t, &vain) && !turn_says(t, &well);
}

bool
effort_still_so(const struct compact_turn *t)
{
	WORD_LIST(still, "still");
	const struct words *w;
	struct words room;
	size_t i;

	if (!slice_is(t->does->act, "inform") &&
	    !slice_is(t->does->act, "reject"))
		return false;
	w = turn_words(t, &room);
	/* "I am still waiting" tells of the speaker. */
	for (i = 1; i < w->count && i < 5; i++)
		if (words_one_of(w, i, &still))
			return !effort_speaks_of_self(t);
	return false;
}

bool
effort_proposes(const struct compact_turn *t)
{
	WORD_LIST(suggest, "tried", "try", "checked");
	struct msg_c_sentence s;
	const struct words *w;
	struct words room;
	size_t i, n = sentence_count(t);

	for (i = 0; i < n; i++) {
		s = turn_sentence(t, i);
		w = sentence_words(t, i, &room);
		/* A rule tells a request, the act model only guesses. */
		if (w->count > 2 && (is_asked(&s) ? words_say(w, &suggest) :
			words_instruct(w, 0) || (s.rule.len > 0 &&
			    (slice_is(s.act, "request") ||
				slice_is(s.rule, "offer-assistant")))))
			return true;
	}
	return false;
}

bool
effort_sounds_bad(const struct compact_turn *t)
{
	WORD_LIST(bad, "no", "not", "never", "nothing", "only", "but",
	    "problem", "problems", "issue", "issues", "error", "errors",
	    "wrong", "weird", "strange", "help", "until", "instead", "lost",
	    "forgot", "still", "stuck", "cannot", "can't", "won't", "doesn't",
	    "don't", "isn't", "aren't", "didn't", "keeps", "keep", "fails",
	    "failed", "broke", "broken", "hard", "bad", "slow", "stopped",
	    "crash", "crashed", "crashes", "dead", "down", "missing");

	return turn_says(t, &bad);
}

bool
effort_asks_likewise(const struct compact_turn *t)
{
	enum { FEW = 4 };
	WORD_LIST(first, "and", "or");
	WORD_LIST(told, "i", "we", "it", "that", "then", "so", "now", "thanks",
	    "thank", "you", "is", "are", "was");
	const struct words *w;
	struct words room;

	w = turn_words(t, &room);
	return w->count > 1 && w->count <= FEW && words_one_of(w, 0, &first) &&
	    !words_say(w, &told) && !slice_is(t->does->act, "commit") &&
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
	WORD_LIST(will, "will", "i'll", "we'll");
	WORD_LIST(yours, "you", "you'll", "your", "it", "this", "that");
	const struct compact_turn t = { .text = proposal };
	const struct words *w;
	struct words room;
	size_t i;

	w = turn_words(&t, &room);
	for (i = 0; i < w->count; i++)
		if (words_one_of(w, i, &will))
			return i == 0 || !words_one_of(w, i - 1, &yours);
	return false;
}

bool
effort_declines(const struct compact_turn *t)
{
	enum { FEW = 6 };
	WORD_LIST(no, "no", "nope", "nah");
	WORD_LIST(enough, "that's", "thats", "fine", "good", "ok", "okay",
	    "all", "thanks", "thank", "thx", "not", "it's", "you", "is", "that",
	    "for", "now", "need", "bye");
	const struct words *w;
	struct words room;
	size_t i;

	w = turn_words(t, &room);
	if (w->count == 0 || w->count > FEW || !words_one_of(w, 0, &no))
		return false;
	for (i = 1; i < w->count; i++)
		if (!words_one_of(w, i, &enough))
			return false;
	return true;
}

bool
effort_asks_can(const struct compact_turn *t, struct word_list *who)
{
	WORD_LIST(may, "can", "could", "may");
	const struct words *w;
	struct words room;
	size_t i;

	w = turn_words(t, &room);
	for (i = 0; i + 2 < w->count && i < 3; i++)
		if (words_one_of(w, i, &may))
			return words_one_of(w, i + 1, who);
	return false;
}

bool
effort_asks_leave(const struct compact_turn *t)
{
	WORD_LIST(who, "i", "you", "we");

	return effort_asks_can(t, &who);
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
	WORD_LIST(tasks, "write", "add", "fix", "create", "make", "remove",
	    "rename", "update", "change", "build", "install", "translate",
	    "find", "book", "order", "send", "convert", "migrate", "refactor",
	    "replace", "delete", "bump", "deploy", "set");
	WORD_LIST(first, "now", "and", "then", "ok", "okay", "also");
	const struct words *w;
	struct words room;
	size_t i = 0;

	w = turn_words(t, &room);
	while (i < w->count && words_one_of(w, i, &first))
		i++;
	return i + 2 < w->count && words_one_of(w, i, &tasks);
}

bool
effort_points_back(const struct compact_turn *t)
{
	WORD_LIST(back, "those", "these", "them", "others", "rest",
	    "remaining");

	return turn_says(t, &back);
}

bool
effort_mocks(const struct compact_turn *t)
{
	WORD_LIST(counts, "second", "third", "fourth", "fifth", "sixth",
	    "tenth", "hundredth");
	WORD_LIST(always, "always", "usual");
	const struct words *w;
	struct words room;
	size_t i;

	w = turn_words(t, &room);
	for (i = 0; i + 1 < w->count; i++)
		if ((words_one_of(w, i, &counts) &&
			text_is_word(w->at[i + 1], "time")) ||
		    (text_is_word(w->at[i], "as") &&
			words_one_of(w, i + 1, &always)))
			return true;
	return false;
}
