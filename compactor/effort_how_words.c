/*
 * effort_how_words - what a sentence tells of how an effort was resolved
 */
#include "common/text.h"
#include "compactor/effort_how_impl.h"
#include "compactor/summary.h"

size_t
told_lead(const struct words *w)
{
	WORD_LIST(leads, "ok", "okay", "so", "yes", "yep", "yeah", "right",
	    "and", "then", "well", "actually", "great", "sure", "alright", "ah",
	    "oh", "argh", "fine", "just", "also", "finally", "indeed", "turns",
	    "turned", "out", "nice", "cool", "lol", "hm", "hmm", "now",
	    "perfect");
	size_t i = 0;

	while (i + 1 < w->count && words_one_of(w, i, &leads))
		i++;
	return i;
}

/* The words from one place on are those of a phrase, as the first is. */
static bool
is_phrase(const struct words *w, size_t at, const struct phrase *p)
{
	size_t n;

	for (n = 1; p->words[n] != NULL; n++)
		if (at + n == w->count || w->in[at + n] != p->words[n])
			return false;
	return true;
}

static bool
has_phrase_at(const struct words *w, size_t at, const struct word_list *list)
{
	size_t i, n;
	const struct phrase *p = phrases_with(list, w->in[at], &n);

	for (i = 0; i < n; i++)
		if (is_phrase(w, at, &p[i]))
			return true;
	return false;
}

bool
words_begin(const struct words *w, size_t first, struct word_list *phrases)
{
	struct words room;
	size_t i;

	/* Mostly none of them begins a phrase. */
	if (!words_say(w, phrases))
		return false;
	if (!words_know(w, phrases))
		w = words_again(w, &room);
	for (i = 0; i < w->count && i < first; i++)
		if (words_one_of(w, i, phrases) &&
		    has_phrase_at(w, i, phrases))
			return true;
	return false;
}

bool
words_have(const struct words *w, struct word_list *phrases)
{
	return words_begin(w, w->count, phrases);
}

/* "It was the cable", "the token had expired" */
bool
told_cause(const struct told *k)
{
	PHRASE_LIST(causes, "turned out", "turns out", "it was the", "it was a",
	    "it was an", "it was my", "it was our", "it was just",
	    "it was that", "it is the", "there was a", "there was an",
	    "there was no", "had expired", "has expired", "was expired",
	    "is expired", "expired", "the problem was", "the issue was",
	    "the reason was", "the cause was", "the problem is", "the issue is",
	    "the reason is", "the cause is", "was the problem", "was the issue",
	    "was the cause", "was the reason", "was the culprit",
	    "was the trick", "was to blame", "root cause", "due to",
	    "because of", "because", "caused by", "is caused", "was caused",
	    "comes from", "came from", "culprit", "typo", "i forgot", "i had",
	    "we had", "was missing");

	return words_have(k->w, &causes);
}

/* "Dividing was the trick": what did it is named before. */
bool
told_what_did_it(const struct told *k)
{
	PHRASE_LIST(did, "did it", "did the trick", "helped", "fixed it",
	    "fixed that", "solved it", "solved that", "was enough", "was it");
	WORD_LIST(bare, "that", "this", "it", "which", "yes");

	return k->first < k->w->count && k->content > 0 &&
	    words_have(k->w, &did) && !words_one_of(k->w, k->first, &bare);
}

/* Seen to, handed on, looked at: a deed that mends nothing. */
static bool
is_check(const struct words *w, size_t i)
{
	WORD_LIST(checks, "ran", "tested", "tried", "checked", "merged",
	    "merging", "shipped", "approved", "released", "closed", "closing",
	    "looked", "noticed", "updated", "done", "confirmed", "verified",
	    "opened", "waited", "asked", "pushed", "deployed", "received",
	    "worked", "helped", "needed", "seemed", "stopped", "failed", "used",
	    "based", "named", "called");

	return words_one_of(w, i, &checks);
}

static bool
is_past(struct slice word)
{
	return word.len > 4 && memcmp(word.ptr + word.len - 2, "ed", 2) == 0 &&
	    memcmp(word.ptr + word.len - 3, "eed", 3) != 0;
}

WORD_LIST(deeds, "set", "put", "wrote", "made", "built", "split", "reset",
    "cut", "rewrote", "gave", "bought", "sent", "rebuilt", "shut", "redid",
    "undid", "chose", "drew", "drove", "threw", "hung", "dug", "took", "came",
    "did", "wound", "tore", "froze");

/* "Moved it into the page", "rolled back": who did it is understood. */
static bool
begins_with_deed(const struct told *k)
{
	return k->first < k->w->count && (is_past(k->w->at[k->first]) ||
	    (!slice_is(k->t->role, "assistant") &&
		words_one_of(k->w, k->first, &deeds)));
}

/* "He came and replaced the valve" */
static bool
does_first(const struct told *k)
{
	size_t i = k->first + 1;

	return i < k->w->count && (is_past(k->w->at[i]) ||
	    words_one_of(k->w, i, &deeds));
}

/* The verb of what the owner has done. */
static bool
is_only_check(const struct told *k)
{
	WORD_LIST(who, "i", "i've", "we", "we've", "have", "just");
	size_t i = k->first;

	while (i < k->w->count && words_one_of(k->w, i, &who))
		i++;
	return i < k->w->count && is_check(k->w, i);
}

/* "I moved it", "moved it" */
bool
told_deed(const struct told *k)
{
	WORD_LIST(doers, "i", "i've", "we", "we've", "he", "she", "they");
	WORD_LIST(well, "now", "again");
	WORD_LIST(looked, "looked", "checked", "reviewed", "read", "searched",
	    "found", "analyzed", "tried", "tested", "ran", "see", "noticed",
	    "asked", "need");
	bool named = k->first < k->w->count &&
	    words_one_of(k->w, k->first, &doers);

	if (named ? !words_done(k->w) && !does_first(k) : !begins_with_deed(k))
		return false;
	/* The owner's "merged", "restored now" say that it is good. */
	if (!k->other)
		return !is_only_check(k) &&
		    (named || !words_say(k->w, &well));
	if (k->first + named == k->w->count)
		return true;	/* "ok, now I" */
	return !words_one_of(k->w, k->first + named, &looked) &&
	    !(k->first + 2 < k->w->count && named &&
		words_one_of(k->w, k->first + 2, &looked));
}

/* "The index is created", right after it was asked for. */
bool
told_came(const struct told *k)
{
	enum { SHORT = 2 };
	WORD_LIST(be, "is", "are", "been", "was", "were");
	WORD_LIST(was, "was", "were");
	WORD_LIST(over, "complete", "successful", "ready", "done", "finished",
	    "live");
	size_t i;

	/* In a long report that is how it was before. */
	if (sentence_count(k->t) > SHORT && words_say(k->w, &was))
		return false;
	for (i = 0; sentence_count(k->t) <= SHORT && i + 1 < k->w->count; i++)
		if (words_one_of(k->w, i, &be) &&
		    (is_past(k->w->at[i + 1]) ||
			words_one_of(k->w, i + 1, &over)))
			return true;
	return words_done(k->w);
}

/* "Then iron it", "divide the plant": a bare word, and what it is done to. */
static bool
is_bidden(const struct told *k)
{
	WORD_LIST(things, "it", "them", "the", "your", "this", "these", "those",
	    "both", "everything");
	WORD_LIST(no_verbs, "is", "was", "does", "did", "has", "have", "had",
	    "in", "on", "at", "for", "with", "from", "by", "of", "to", "as",
	    "if", "when", "while", "because", "since", "and", "or", "but",
	    "not", "all", "both", "than", "that", "like", "after", "before",
	    "until", "only", "what", "where", "how", "which", "who", "why",
	    "then", "under", "over", "into", "about", "without", "within",
	    "behind", "near", "through", "between", "during", "against", "i",
	    "you", "we", "they", "he", "she", "it", "this", "maybe", "perhaps",
	    "probably", "once", "just", "even", "also", "given", "per",
	    "unlike", "despite", "though", "although", "whether", "are", "were",
	    "can", "could", "will", "would", "should");
	size_t i = k->first;
	struct slice verb;

	if (i + 1 >= k->w->count || !words_one_of(k->w, i + 1, &things))
		return false;
	verb = k->w->at[i];
	return !words_one_of(k->w, i, &no_verbs) &&
	    strchr("sdg", verb.ptr[verb.len - 1] | 0x20) == NULL;
}

/* "I would pass it", "you have to restart": behind who is to do it. */
bool
told_to_do(const struct told *k)
{
	WORD_LIST(who, "i", "i'd", "you", "you'd", "we", "would", "could",
	    "can", "should", "need", "have", "has", "to", "must", "please",
	    "try", "also", "then", "or", "and", "simply", "just", "only",
	    "instead", "either", "first", "maybe", "perhaps", "might", "want",
	    "better");
	size_t i = k->first;

	if (words_instruct(k->w, 0) || is_bidden(k))
		return true;
	while (i < k->w->count && words_one_of(k->w, i, &who))
		i++;
	return i > k->first && i + 1 < k->w->count && words_instruct(k->w, i);
}

/* "Check the log", "have a look at it": nothing is mended by it. */
bool
told_to_look(const struct told *k)
{
	WORD_LIST(look, "check", "look", "see", "show", "verify", "inspect",
	    "measure", "find", "wait", "search", "report", "take a look",
	    "have a look");
	size_t i;

	for (i = k->first; i < k->w->count && i < k->first + 5; i++)
		if (words_one_of(k->w, i, &look))
			return true;
	return false;
}

/* "The seal was still on": how it was, now that it is well. */
bool
told_past(const struct told *k)
{
	WORD_LIST(past, "was", "were", "had", "wasn't", "weren't");
	/* "That was easy" */
	WORD_LIST(bare, "that", "this", "it", "you");

	return k->content > 0 && words_say(k->w, &past) &&
	    !words_one_of(k->w, k->first, &bare);
}

bool
told_asked(const struct told *k)
{
	/*
	 * The act model alone is not sure of it; nor is a rule where few ask
	 * without the sign: "`Users` is a facade", "was in the booth, thanks".
	 */
	return (slice_is(k->s.act, "question") && k->s.rule.len > 0 &&
		!slice_is(k->t->role, "assistant") && !k->ends) ||
	    (k->text.len > 0 && k->text.ptr[k->text.len - 1] == '?');
}

/* "Did you pull the strip off?" */
bool
told_hint(const struct told *k)
{
	PHRASE_LIST(hints, "have you tried", "did you try", "have you",
	    "did you", "what about", "how about", "why not", "can you try",
	    "could you try");

	return words_have(k->w, &hints);
}

/* "- moved it", "2. moved it" */
bool
told_item(const struct told *k)
{
	enum { LABEL = 24 };	/* bytes */
	const char *text = k->t->text.ptr;
	size_t at = k->s.at;

	/* "release: revision 90" */
	if (memmem(k->text.ptr, k->text.len < LABEL ? k->text.len : LABEL, ": ",
		2) != NULL)
		return false;
	while (at > 0 && (text[at - 1] == ' ' || text[at - 1] == '\t'))
		at--;
	if (at < 2)
		return at == 1 && (text[0] == '-' || text[0] == '*');
	if (text[at - 1] == '-' || text[at - 1] == '*' || text[at - 1] == '+')
		return text[at - 2] == '\n';
	return (text[at - 1] == '.' || text[at - 1] == ')') &&
	    text[at - 2] >= '0' && text[at - 2] <= '9';
}

bool
told_offer(const struct told *k)
{
	PHRASE_LIST(offers, "let me know", "if you want", "if you'd like",
	    "if you would", "if you like", "would you", "do you want",
	    "want me", "shall i", "should i", "i can", "i could", "happy to",
	    "feel free", "anything else", "glad", "sorry", "you're welcome",
	    "thank you", "thanks", "hope", "good luck", "enjoy",
	    "congratulations", "let me", "no problem", "welcome", "as expected",
	    "good question");

	/* "Restart it and let me know" says what to do. */
	return words_begin(k->w, k->first + 3, &offers);
}

static bool
begins_done(const struct compact_turn *t)
{
	WORD_LIST(looked, "tried", "looked", "asked", "checked", "noticed",
	    "waited", "needed", "seemed", "failed", "stopped", "worked",
	    "helped", "based", "named");
	struct words room;
	struct told k = { .t = t, .room = &room, .ends = true };
	size_t i;

	for (i = 0; i < sentence_count(t) && i < 2; i++) {
		told_read(&k, i);
		if (k.first < k.w->count && (begins_with_deed(&k) ||
			(words_done(k.w) && does_first(&k))))
			return !words_one_of(k.w, k.first, &looked) ||
			    k.first + 3 < k.w->count;
	}
	return false;
}

bool
effort_did(const struct compact_turn *t)
{
	struct effort_notes *n = t->notes;

	if (n == NULL)
		return begins_done(t);
	if (!n->is_done_known)
		n->done = begins_done(t);
	n->is_done_known = true;
	return n->done;
}
