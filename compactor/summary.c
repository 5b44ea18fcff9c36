/*
 * summary - the shortest faithful form of what was said
 *
 * A turn's sentences are weighed by what they do (classify's acts and flags),
 * by how much of the topic they tell (the keywords of their claims) and by a
 * few words that show causes, deeds and empty offers; the best is shortened.
 */
#include "compactor/summary.h"

#include "classify/sentence.h"
#include "classify/sift.h"
#include "compactor/phrase.h"

PHRASE_LIST(problems, "broke", "broken", "bug", "bugs", "can't", "cannot",
    "couldn't", "crash", "crashed", "crashes", "crashing", "doesn't", "error",
    "errors", "exception", "failed", "failing", "fails", "failure", "hangs",
    "isn't working", "issue", "issues", "leak", "leaks", "lost", "missing",
    "not working", "panic", "panics", "problem", "problems", "segfault",
    "segfaults", "segmentation fault", "slow", "stuck", "timeout", "trouble",
    "unable", "warning", "won't", "wrong");
/* What a cause or a cure is told with. */
PHRASE_LIST(causes, "after", "because", "by", "cause", "caused", "culprit",
    "due", "expired", "forgot", "happens when", "instead", "it was", "missing",
    "needed", "reason", "root cause", "solution", "the issue is",
    "the issue was", "the problem is", "the problem was", "turned out",
    "turns out", "typo", "was the issue", "was the problem", "wrong");
PHRASE_LIST(deeds, "added", "applied", "booked", "canceled", "cancelled",
    "changed", "changing", "configured", "confirmed", "created", "decreased",
    "deleted", "deployed", "disabled", "enabled", "fixed", "found", "increased",
    "installed", "installing", "merged", "moved", "played", "purchased", "ran",
    "rebooted", "rebooting", "reference", "refreshed", "refreshing", "refunded",
    "reinstalled", "reinstalling", "removed", "removing", "renamed", "replaced",
    "replacing", "reserved", "restarted", "restarting", "reverted", "scheduled",
    "sent", "set", "setting", "successful", "successfully", "transferred",
    "updated", "upgraded", "upgrading", "used", "using", "wrote");
PHRASE_LIST(advice, "add", "call", "change", "check", "go", "i would", "i'd",
    "install", "make", "need", "needs", "open", "recommend", "remove",
    "replace", "run", "set", "should", "try", "update", "use", "you can",
    "you could");
/* Said at the end of an answer, or for politeness, and tells nothing. */
PHRASE_LIST(empty_offers, "anything else", "apologies", "apologize", "as an ai",
    "do you want", "don't hesitate", "enjoy", "feel free", "further assistance",
    "further questions", "glad", "good luck", "good question", "great question",
    "happy to", "have a good", "have a great", "have a nice",
    "here is an example", "here's an example", "hope that", "hope this",
    "i'd be happy", "if you have any", "let me know", "no problem", "shall i",
    "something else", "sorry", "welcome", "would you like");

/* Stems of words that tell nothing of what it is about. */
PHRASE_LIST(empty_stems, "alot", "alright", "amaz", "answer", "awesom", "bit",
    "done", "exact", "excel", "final", "fine", "fix", "get", "glad", "good",
    "got", "great", "happi", "hear", "help", "know", "let", "look", "lot",
    "love", "luck", "make", "need", "nice", "nope", "now", "perfect",
    "question", "resolv", "right", "solv", "sort", "sound", "sure", "tell",
    "thank", "thing", "think", "tri", "trick", "want", "way", "work", "yeah");

static enum speaker
speaker_of_role(struct slice role)
{
	if (slice_is(role, "assistant"))
		return SPEAKER_assistant;
	if (slice_is(role, "system") || slice_is(role, "developer"))
		return SPEAKER_system;
	if (slice_is(role, "tool") || slice_is(role, "function"))
		return SPEAKER_tool;
	return SPEAKER_user;
}

size_t
summary_sentences(struct arena *a, const struct summary_turn *t,
    struct summary_sentence **out)
{
	const struct msg_c_turn *does = t->does;
	struct sentence *found;
	struct sifted sifted;
	size_t count = does->n_sentences;

	if (t->sentences != NULL) {
		*out = t->sentences;
		return t->n_sentences;
	}
	if (count == 0) {
		sifted = sift_text(a, t->text, speaker_of_role(t->role));
		count = sentences_of(a, t->text, &sifted, &found);
		*out = arena_array(a, count, sizeof(**out));
		for (size_t i = 0; i < count; i++)
			(*out)[i] = (struct summary_sentence){
				.at = found[i].at, .len = found[i].len };
		return count;
	}
	*out = arena_array(a, count, sizeof(**out));
	for (size_t i = 0; i < count; i++) {
		const struct msg_c_sentence *s = &does->sentences[i];
		size_t at = s->at < t->text.len ? s->at : t->text.len;

		(*out)[i] = (struct summary_sentence){ .at = at, .does = s,
			.len = s->len < t->text.len - at ? s->len :
			    t->text.len - at };
	}
	return count;
}

bool
summary_is_empty(struct slice stem)
{
	return word_one_of(stem, &empty_stems);
}

unsigned
summary_content(const struct msg_c_turn *does, size_t at, size_t len)
{
	unsigned n = 0;

	for (size_t i = 0; i < does->n_claims; i++) {
		const struct msg_c_claim *claim = &does->claims[i];

		if (claim->at < at || claim->at >= at + len)
			continue;
		for (size_t k = 0; k < claim->keywords.count; k++)
			n += !summary_is_empty(claim->keywords.at[k]);
	}
	return n;
}

bool
summary_tells_problem(struct arena *a, struct slice sentence)
{
	struct phrase_word *words;
	size_t count = phrase_words(a, sentence, &words);

	return phrase_in(words, count, &problems);
}

/* ---- weighing ---- */

struct weighed {
	const struct summary_turn *turn;
	struct summary_sentence sentence;
	size_t index, count;
	struct phrase_word *words;
	size_t n_words;
	struct slice act;
	bool concludes, decides, opens;
	bool ruled;		/* a rule says what it does */
	unsigned content;
};

static void
weigh(struct arena *a, const struct summary_turn *t,
    const struct summary_sentence *s, struct weighed *w)
{
	const struct msg_c_turn *does = t->does;

	w->turn = t;
	w->sentence = *s;
	w->n_words = phrase_words(a, slice_of(t->text.ptr + s->at, s->len),
	    &w->words);
	w->act = s->does != NULL ? s->does->act : does->act;
	w->concludes = s->does != NULL ? s->does->concludes : does->concludes;
	w->decides = s->does != NULL ? s->does->decides : does->decides;
	w->opens = s->does != NULL ? s->does->opens : does->opens;
	w->ruled = (s->does != NULL ? s->does->rule : does->rule).len > 0;
	w->content = summary_content(does, s->at, s->len);
}

static int
told(const struct weighed *w, int each, unsigned most)
{
	return each * (int)(w->content < most ? w->content : most);
}

static bool
says(const struct weighed *w, struct word_list *phrases)
{
	return phrase_in(w->words, w->n_words, phrases);
}

/* A long answer tells first what it then explains. */
static int
early(const struct weighed *w)
{
	return w->count <= 3 ? 0 : w->index < 12 ? 3 - (int)w->index / 2 : -3;
}

static int
goal_score(const struct weighed *w)
{
	int score = told(w, 2, 4) - (int)(w->index < 4 ? w->index : 4);

	if (w->content == 0)
		score -= 6;
	if (w->opens)
		score += 8;
	/* The act model alone is not sure of it. */
	if (slice_is(w->act, "request"))
		score += w->ruled ? 5 : 3;
	else if (slice_is(w->act, "question"))
		score += 4;
	else if (slice_is(w->act, "greeting"))
		score -= 8;
	else if (!slice_is(w->act, "inform") && !slice_is(w->act, "commit"))
		score -= 3;
	if (says(w, &problems))
		score += 4;
	return score;
}

/* What somebody says who asked: that it works, and perhaps why. */
static int
user_resolution_score(const struct weighed *w)
{
	int score = told(w, 2, 4);

	if (w->concludes || w->decides)
		score += 4;
	if (slice_is(w->act, "question"))
		score -= 8;
	else if (slice_is(w->act, "greeting"))
		score -= 6;
	else if (slice_is(w->act, "request"))
		score -= 4;
	else if (slice_is(w->act, "inform"))
		score += 2;
	if (w->content > 0 && says(w, &causes))
		score += 3;
	if (w->content > 0 && says(w, &deeds))
		score += 2;
	return score;
}

/* What the other side found, did or advises. */
static int
other_resolution_score(const struct weighed *w)
{
	int score = told(w, 1, 5);

	if (w->content == 0 || says(w, &empty_offers))
		score -= 8;
	if (slice_is(w->act, "question"))
		score -= 8;
	else if (slice_is(w->act, "greeting"))
		score -= 6;
	if (w->concludes)
		score += 2;
	if (says(w, &deeds))
		score += 4;
	if (says(w, &causes))
		score += 3;
	if (says(w, &advice))
		score += 2;
	return score + early(w);
}

static int
resolution_score(const struct weighed *w)
{
	return slice_is(w->turn->role, "assistant") ?
	    other_resolution_score(w) : user_resolution_score(w);
}

static int
statement_score(const struct weighed *w)
{
	int score = told(w, 2, 6);

	if (w->content == 0 || says(w, &empty_offers))
		score -= 8;
	if (slice_is(w->act, "question"))
		score -= 8;
	else if (slice_is(w->act, "greeting"))
		score -= 6;
	if (w->decides)
		score += 4;
	return score + early(w);
}

static int
question_score(const struct weighed *w)
{
	if (!slice_is(w->act, "question"))
		return INT32_MIN;
	return told(w, 2, 4) + (int)w->index;
}

static struct summary_line
pick(struct arena *a, const struct summary_turn *t,
    int (*score)(const struct weighed *), enum summary_cut cut, size_t most)
{
	struct summary_sentence *list, *best = NULL;
	struct phrase_word *words = NULL;
	size_t count = summary_sentences(a, t, &list);
	struct summary_line line = { SLICE_NONE, 0, 0, 0 };
	size_t n_words = 0;
	int highest = INT32_MIN, s;

	for (size_t i = 0; i < count; i++) {
		struct weighed w = { .index = i, .count = count };

		weigh(a, t, &list[i], &w);
		s = score(&w);
		if (s > highest) {
			highest = s;
			best = &list[i];
			line.content = w.content;
			words = w.words;
			n_words = w.n_words;
		}
	}
	if (best == NULL)
		return line;
	line.at = best->at;
	line.len = best->len;
	line.text = summary_shorten_words(a, slice_of(t->text.ptr + best->at,
	    best->len), words, n_words, cut, most);
	return line;
}

/* Nothing but machine text: its first line stands for it. */
static struct summary_line
first_line(struct arena *a, const struct summary_turn *t)
{
	size_t at = 0, end;

	while (at < t->text.len && strchr(" \t\r\n`", t->text.ptr[at]) != NULL)
		at++;
	for (end = at; end < t->text.len && t->text.ptr[end] != '\n'; )
		end++;
	return (struct summary_line){ .at = at, .len = end - at,
		.text = summary_shorten(a, slice_of(t->text.ptr + at, end - at),
		    CUT_filler, GOAL_WORDS) };
}

struct summary_line
summary_goal(struct arena *a, const struct summary_turn *t)
{
	struct summary_line line = pick(a, t, goal_score, CUT_asking,
	    GOAL_WORDS);

	return line.text.len > 0 ? line : first_line(a, t);
}

struct summary_line
summary_resolution(struct arena *a, const struct summary_turn *t)
{
	return pick(a, t, resolution_score, CUT_filler, LINE_WORDS);
}

struct summary_line
summary_statement(struct arena *a, const struct summary_turn *t)
{
	return pick(a, t, statement_score, CUT_filler, LINE_WORDS);
}

struct summary_line
summary_question(struct arena *a, const struct summary_turn *t)
{
	return pick(a, t, question_score, CUT_filler, LINE_WORDS);
}

const char *
summary_unsorted(void)
{
	struct word_list *const all[] = { &problems, &causes,
		&deeds, &advice, &empty_offers,
		&empty_stems };
	const char *wrong = summary_shorten_unsorted();

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && wrong == NULL;
	     i++)
		wrong = phrase_unsorted(all[i]);
	return wrong;
}
