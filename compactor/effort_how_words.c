/*
 * effort_how_words - what a sentence tells of how an effort was resolved
 */
#include <strings.h>

#include "common/text.h"
#include "compactor/effort_how_impl.h"
#include "compactor/summary.h"

static size_t
lead_len(const struct words *w)
{
	static const char *const leads[] = { "ok", "okay", "so", "yes", "yep",
		"yeah", "right", "and", "then", "well", "actually", "great",
		"sure", "alright", "ah", "oh", "argh", "fine", "just", "also",
		"finally", "indeed", "turns", "turned", "out", "nice", "cool",
		"lol", "hm", "hmm", "now", "perfect", NULL };
	size_t i = 0;

	while (i + 1 < w->count && word_one_of(w->at[i], leads))
		i++;
	return i;
}

/* The words from one place on are those of a phrase. */
static bool
is_phrase(const struct words *w, size_t at, const char *phrase)
{
	size_t n;

	for (; at < w->count; at++) {
		if ((w->at[at].ptr[0] | 0x20) != (*phrase | 0x20))
			return false;
		/* Most end here, before a length is counted. */
		if ((w->at[at].ptr[0] | 0x20) != phrase[0])
			return false;
		n = strcspn(phrase, " ");
		if (w->at[at].len != n ||
		    strncasecmp(w->at[at].ptr, phrase, n) != 0)
			return false;
		phrase += n;
		if (*phrase == '\0')
			return true;
		phrase++;
	}
	return false;
}

static unsigned
letter_bit(char c)
{
	return 1u << ((unsigned char)c & 31);
}

/* One of the phrases begins within the first words. */
static bool
begins_with(const struct words *w, size_t first, const char *const *phrases)
{
	unsigned letters = 0;
	size_t i;

	/* Most phrases begin with a letter that no word begins with. */
	for (i = 0; i < w->count && i < first; i++)
		letters |= letter_bit(w->at[i].ptr[0]);
	for (; *phrases != NULL; phrases++)
		for (i = 0; (letters & letter_bit(**phrases)) != 0 &&
		     i < w->count && i < first; i++)
			if (is_phrase(w, i, *phrases))
				return true;
	return false;
}

static bool
has_phrase(const struct words *w, const char *const *phrases)
{
	return begins_with(w, w->count, phrases);
}

/* "It was the cable", "the token had expired", "dividing was the trick". */
static bool
tells_cause(const struct told *k)
{
	static const char *const causes[] = { "turned out", "turns out",
		"it was the", "it was a", "it was an", "it was my",
		"it was our", "it was just", "it was that", "it is the",
		"there was a", "there was an", "there was no", "had expired",
		"has expired", "was expired", "is expired", "expired",
		"the problem was", "the issue was", "the reason was",
		"the cause was", "the problem is", "the issue is",
		"the reason is", "the cause is", "was the problem",
		"was the issue", "was the cause", "was the reason",
		"was the culprit", "was the trick", "was to blame",
		"root cause", "due to", "because of", "because", "caused by",
		"is caused", "was caused", "comes from", "came from", "culprit",
		"typo", "i forgot", "i had", "we had", "was missing", NULL };
	/* What did it is named before. */
	static const char *const did[] = { "did it", "did the trick", "helped",
		"fixed it", "fixed that", "solved it", "solved that",
		"was enough", "was it", NULL };
	static const char *const bare[] = { "that", "this", "it", "which",
		"yes", NULL };

	if (k->w->count == 0)
		return false;
	return has_phrase(k->w, causes) || (k->content > 0 &&
	    has_phrase(k->w, did) &&
	    !word_one_of(k->w->at[k->first], bare));
}

/* Seen to, handed on, looked at: a deed that mends nothing. */
static bool
is_check(struct slice word)
{
	static const char *const checks[] = { "ran", "tested", "tried",
		"checked", "merged", "merging", "shipped", "approved",
		"released", "closed", "closing", "looked", "noticed", "updated",
		"done", "confirmed", "verified", "opened", "waited", "asked",
		"pushed", "deployed", "received", "worked", "helped", "needed",
		"seemed", "stopped", "failed", "used", "based", "named",
		"called", NULL };

	return word_one_of(word, checks);
}

static bool
is_past(struct slice word)
{
	return word.len > 4 && memcmp(word.ptr + word.len - 2, "ed", 2) == 0 &&
	    memcmp(word.ptr + word.len - 3, "eed", 3) != 0;
}

static const char *const deeds[] = { "set", "put", "wrote", "made", "built",
	"split", "reset", "cut", "rewrote", "gave", "bought", "sent", "rebuilt",
	"shut", "redid", "undid", "chose", "drew", "drove", "threw", "hung",
	"dug", "took", "came", "did", "wound", "tore", "froze", NULL };

/* "Moved it into the page", "rolled back": who did it is understood. */
static bool
begins_with_deed(const struct told *k)
{
	struct slice word;

	if (k->first >= k->w->count)
		return false;
	word = k->w->at[k->first];
	return is_past(word) || (!slice_is(k->t->role, "assistant") &&
	    word_one_of(word, deeds));
}

/* "He came and replaced the valve" */
static bool
does_first(const struct told *k)
{
	size_t i = k->first + 1;

	return i < k->w->count && (is_past(k->w->at[i]) ||
	    word_one_of(k->w->at[i], deeds));
}

/* The verb of what the owner has done. */
static bool
is_only_check(const struct told *k)
{
	static const char *const who[] = { "i", "i've", "we", "we've", "have",
		"just", NULL };
	size_t i = k->first;

	while (i < k->w->count && word_one_of(k->w->at[i], who))
		i++;
	return i < k->w->count && is_check(k->w->at[i]);
}

/* "I moved it", "moved it" */
bool
told_deed(const struct told *k)
{
	static const char *const doers[] = { "i", "i've", "we", "we've",
		"he", "she", "they", NULL };
	static const char *const well[] = { "now", "again", NULL };
	static const char *const looked[] = { "looked", "checked", "reviewed",
		"read", "searched", "found", "analyzed", "tried", "tested",
		"ran", "see", "noticed", "asked", "need", NULL };
	bool named = k->first < k->w->count &&
	    word_one_of(k->w->at[k->first], doers);

	if (named ? !words_done(k->w) && !does_first(k) : !begins_with_deed(k))
		return false;
	/* The owner's "merged", "restored now" say that it is good. */
	if (!k->other)
		return !is_only_check(k) &&
		    (named || !words_say(k->w, well));
	return !word_one_of(k->w->at[k->first + named], looked) &&
	    !(k->first + 2 < k->w->count && named &&
		word_one_of(k->w->at[k->first + 2], looked));
}

/* "The index is created", right after it was asked for. */
static bool
tells_what_came(const struct told *k)
{
	enum { SHORT = 2 };
	static const char *const be[] = { "is", "are", "been", "was", "were",
		NULL };
	static const char *const was[] = { "was", "were", NULL };
	static const char *const over[] = { "complete", "successful", "ready",
		"done", "finished", "live", NULL };
	size_t i;

	/* In a long report that is how it was before. */
	if (sentence_count(k->t) > SHORT && words_say(k->w, was))
		return false;
	for (i = 0; sentence_count(k->t) <= SHORT && i + 1 < k->w->count; i++)
		if (word_one_of(k->w->at[i], be) &&
		    (is_past(k->w->at[i + 1]) ||
			word_one_of(k->w->at[i + 1], over)))
			return true;
	return words_done(k->w);
}

/* "Then iron it", "divide the plant": a bare word, and what it is done to. */
static bool
is_bidden(const struct told *k)
{
	static const char *const things[] = { "it", "them", "the", "your",
		"this", "these", "those", "both", "everything", NULL };
	static const char *const no_verbs[] = { "is", "was", "does", "did",
		"has", "have", "had", "in", "on", "at", "for", "with", "from",
		"by", "of", "to", "as", "if", "when", "while", "because",
		"since", "and", "or", "but", "not", "all", "both", "than",
		"that", "like", "after", "before", "until", "only", "what",
		"where", "how", "which", "who", "why", "then", "under", "over",
		"into", "about", "without", "within", "behind", "near",
		"through", "between", "during", "against", "i", "you", "we",
		"they", "he", "she", "it", "this", "maybe", "perhaps",
		"probably", "once", "just", "even", "also", "given", "per",
		"unlike", "despite", "though", "although", "whether", "are",
		"were", "can", "could", "will", "would", "should", NULL };
	size_t i = k->first;
	struct slice verb;

	if (i + 1 >= k->w->count || !word_one_of(k->w->at[i + 1], things))
		return false;
	verb = k->w->at[i];
	return !word_one_of(verb, no_verbs) &&
	    strchr("sdg", verb.ptr[verb.len - 1] | 0x20) == NULL;
}

/* "I would pass it", "you have to restart": behind who is to do it. */
static bool
tells_to_do(const struct told *k)
{
	static const char *const who[] = { "i", "i'd", "you", "you'd", "we",
		"would", "could", "can", "should", "need", "have", "has", "to",
		"must", "please", "try", "also", "then", "or", "and", "simply",
		"just", "only", "instead", "either", "first", "maybe",
		"perhaps", "might", "want", "better", NULL };
	struct words rest = { .count = 0 };
	size_t i = k->first, n;

	if (words_instruct(k->w) || is_bidden(k))
		return true;
	while (i < k->w->count && word_one_of(k->w->at[i], who))
		i++;
	for (n = i; n < k->w->count; n++)
		rest.at[rest.count++] = k->w->at[n];
	return i > k->first && rest.count > 1 && words_instruct(&rest);
}

/* "Check the log", "have a look at it": nothing is mended by it. */
static bool
tells_to_look(const struct told *k)
{
	static const char *const look[] = { "check", "look", "see", "show",
		"verify", "inspect", "measure", "find", "wait", "search",
		"report", "take a look", "have a look", NULL };
	size_t i;

	for (i = k->first; i < k->w->count && i < k->first + 5; i++)
		if (word_one_of(k->w->at[i], look))
			return true;
	return false;
}

/* "The seal was still on": how it was, now that it is well. */
static bool
tells_past(const struct told *k)
{
	static const char *const past[] = { "was", "were", "had", "wasn't",
		"weren't", NULL };
	/* "That was easy" */
	static const char *const bare[] = { "that", "this", "it", "you", NULL };

	return k->content > 0 && words_say(k->w, past) &&
	    !word_one_of(k->w->at[k->first], bare);
}

static bool
is_asked(const struct told *k)
{
	/* The act model alone is not sure of it. */
	return (slice_is(k->s.act, "question") && k->s.rule.len > 0) ||
	    (k->text.len > 0 && k->text.ptr[k->text.len - 1] == '?');
}

/* "Did you pull the strip off?" */
static bool
is_hint(const struct told *k)
{
	static const char *const hints[] = { "have you tried", "did you try",
		"have you", "did you", "what about", "how about", "why not",
		"can you try", "could you try", NULL };

	return has_phrase(k->w, hints);
}

/* "- moved it", "2. moved it" */
static bool
is_item(const struct told *k)
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

static bool
is_offer(const struct told *k)
{
	static const char *const offers[] = { "let me know", "if you want",
		"if you'd like", "if you would", "if you like", "would you",
		"do you want", "want me", "shall i", "should i", "i can",
		"i could", "happy to", "feel free", "anything else", "glad",
		"sorry", "you're welcome", "thank you", "thanks", "hope",
		"good luck", "enjoy", "congratulations", "let me", "no problem",
		"welcome", "as expected", "good question", NULL };

	/* "Restart it and let me know" says what to do. */
	return begins_with(k->w, k->first + 3, offers);
}

long
told_kind(const struct told *k)
{
	bool owner = k->ends && !k->other;

	/* "Your seat is booked, anything else?" */
	if (is_asked(k) && k->other && is_offer(k) && words_done(k->w))
		return HOW_came - HOW_offer;
	if (is_asked(k))
		return k->other && is_hint(k) ? HOW_hint : 0;
	if (slice_is(k->s.act, "greeting") && k->content == 0)
		return 0;
	if (told_deed(k))
		return k->other ? HOW_deed + (is_item(k) ? HOW_item : 0) :
		    !k->ends ? HOW_own :
		    HOW_deed + HOW_owner;
	/* "The explanation was great" praises. */
	if (!k->accepts && (tells_cause(k) || (owner && tells_past(k))))
		return HOW_cause + (owner ? HOW_found : 0);
	if (!k->other)
		return owner ? HOW_outcome : 0;
	if (tells_what_came(k))
		return HOW_came + (k->reports ? HOW_report : 0);
	if (tells_to_do(k))
		return tells_to_look(k) ? HOW_look : HOW_advice;
	return HOW_told + (k->reports ? HOW_report : 0) +
	    (is_item(k) ? HOW_item : 0) + (k->answers ? HOW_answer : 0);
}

/* ---- what speaks against it ---- */

static bool
is_plan(const struct told *k)
{
	static const char *const let_me[] = { "let me", NULL };
	static const char *const let_know[] = { "let me know", NULL };
	static const char *const plans[] = { "i'll", "we'll", "i will",
		"we will", "i'm going", "i'm gonna", "i am going", "let's",
		"next steps", "next step", "looking", "checking", "gimme",
		"give me", "one moment", "a moment", "working on it",
		"should be ok", "should be fine", "should be back",
		"should be fixed", "should be over", "should be good",
		"should be up", "is on it", "i think", "probably", "i suggest",
		"i propose", "i see", NULL };

	/* "I deployed it, let me roll back" */
	return begins_with(k->w, k->first + 4, plans) ||
	    (has_phrase(k->w, let_me) && !has_phrase(k->w, let_know));
}

/* "You want a table for two": what is asked for, said once more. */
static bool
is_recap(const struct told *k)
{
	return k->other && (k->confirms || words_recap(k->w));
}

/* Of tests, where it is not tests that are wanted. */
static bool
is_proof(const struct told *k, const struct msg_a_work *w)
{
	static const char *const tests[] = { "tests", "test", "suite", "suites",
		"coverage", "linter", "lint", "typecheck", "pytest", "checks",
		"verified", NULL };
	size_t i;

	for (i = 0; i < w->keywords.count; i++)
		if (word_one_of(w->keywords.at[i], tests))
			return false;
	/* "I replaced it, and all tests pass" tells of it only then. */
	for (i = k->first; i < k->w->count && i < k->first + 5; i++)
		if (word_one_of(k->w->at[i], tests))
			return true;
	return false;
}

static bool
is_heading(const struct told *k)
{
	struct slice text = k->text;

	while (text.len > 0 && strchr(" \t*_`", text.ptr[text.len - 1]) != NULL)
		text.len--;
	return text.len == 0 || text.ptr[text.len - 1] == ':' ||
	    text.ptr[0] == '#' || memmem(text.ptr, text.len, " | ", 3) != NULL;
}

static bool
is_beside(const struct told *k)
{
	static const char *const asides[] = { "one thing", "note that",
		"to note", "as before", "unchanged", "untouched", "the rest",
		"the others", "other errors", "by the way", "btw", "still",
		"reverted my", "cleaned up", "follow-up", "up to you",
		"once you", "unless", "follow up",
		"the next deploy", NULL };

	return has_phrase(k->w, asides);
}

static bool
is_denied(const struct told *k)
{
	static const char *const nots[] = { "no", "not", "doesn't", "don't",
		"didn't", "isn't", "wasn't", "won't", "can't", "cannot",
		"never", "nothing", "usually", "typically", "known", NULL };

	return words_say(k->w, nots);
}

static bool
leaves_choice(const struct told *k)
{
	static const char *const options[] = { "either", "options", "ways",
		"or", NULL };

	return words_say(k->w, options);
}

/* "Done.", "finished": of one that does it for him it has to be more. */
static bool
is_empty(const struct told *k)
{
	if (memchr(k->text.ptr, '`', k->text.len) != NULL)
		return false;
	return k->content == 0 || (k->ends && k->content < 2 && k->w->count < 4) ||
	    (slice_is(k->t->role, "assistant") && k->w->count < 3);
}

long
told_against(const struct told *k, const struct msg_a_work *w)
{
	long points = 0;

	if (is_empty(k))
		points += HOW_empty;
	if (is_heading(k))
		points += told_deed(k) || tells_to_do(k) ? HOW_leads :
							  HOW_heading;
	if (is_offer(k))
		points += HOW_offer;
	if (is_plan(k))
		points += HOW_plan;
	if (is_recap(k))
		points += HOW_recap;
	if (is_proof(k, w))
		points += HOW_proof;
	if (is_beside(k))
		points += HOW_aside;
	if (k->other && is_denied(k))
		points += HOW_denied;
	if (leaves_choice(k))
		points += HOW_options;
	return points;
}

void
told_read(struct told *k, size_t i)
{
	k->s = turn_sentence(k->t, i);
	k->text = sentence_text(k->t, &k->s);
	k->w = sentence_words(k->t, i, &k->room);
	k->first = lead_len(k->w);
	k->content = summary_content(k->t->does, k->s.at, k->s.len);
}

bool
effort_did(const struct compact_turn *t)
{
	static const char *const looked[] = { "tried", "looked", "asked",
		"checked", "noticed", "waited", "needed", "seemed", "failed",
		"stopped", "worked", "helped", "based", "named", NULL };
	struct told k = { .t = t, .ends = true };
	size_t i;

	for (i = 0; i < sentence_count(t) && i < 2; i++) {
		told_read(&k, i);
		if (k.first < k.w->count && (begins_with_deed(&k) ||
			(words_done(k.w) && does_first(&k))))
			return !word_one_of(k.w->at[k.first], looked) ||
			    k.first + 3 < k.w->count;
	}
	return false;
}
