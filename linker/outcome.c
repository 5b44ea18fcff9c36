/*
 * outcome - what a turn's wording says about a link, and what came of one
 */
#include "linker/outcome.h"

#include <stdint.h>
#include <string.h>

#include "common/text.h"

/*
 * Lists are searched in the turn's words, each between single spaces.  These
 * two must begin the turn, fillers not counted.
 */
static const char *const following[] = { "and ", "also ", "so ", "then ",
	"but ", "or ", "plus ", "same ", "still ", "again " };

static const char *const abouts[] = { "what about ", "how about ",
	"and what ", "and how ", "and when ", "and where ", "and who ",
	"and which ", "and if ", "and for ", "and on ", "and in ",
	"and the ", "what if ", "why not ", "which one ", "any other ",
	"anything else " };

/* With these the very first words count: fillers are what they are. */
static const char *const replying[] = { " yes ", " yeah ", " yep ", " yup ",
	" no ", " nope ", " sure ", " thanks ", " thank you ", " thx ",
	" correct ", " exactly ", " that's right ", " that is right ",
	" that's correct ", " that is correct ", " that's fine ",
	" that sounds good ", " sounds good ", " of course ", " please do " };

static const char *const pointing[] = { " it ", " its ", " it's ", " that ",
	" that's ", " they ", " them ", " their ", " those ", " these ",
	" there ", " he ", " she ", " him ", " her ", " one ", " ones ",
	" the same ", " the other " };

/* What looks like one of these and stands for nothing. */
static const char *const empty[] = { " how is it going ", " what time is it ",
	" is it going to ", " will it rain ", " is it raining ", " is there ",
	" are there ", " there is ", " there are ", " there's ", " hi there ",
	" hello there ", " hey there ", " is it true ", " is it possible ",
	" would it be possible ", " one of ", " i think that " };

static const char *const denials[] = { " not what i meant ",
	" not what i mean ", " not what i was asking ", " not what i asked ",
	" not what i'm asking ", " not talking about that ",
	" wasn't talking about ", " isn't about that ", " not about that ",
	" something else entirely ", " something completely different ",
	" unrelated to that ", " nothing to do with ", " a different thing ",
	" a different one ", " a different question ", " different topic ",
	" wrong one ", " wrong conversation ", " forget about that ",
	" i meant something else ", " i mean something else " };

static const char *const recollections[] = { " didn't we talk about ",
	" didn't we discuss ", " did we not talk about ", " we talked about ",
	" we already talked ", " we already discussed ", " we discussed ",
	" we were talking about ", " as i said ", " like i said ",
	" as i told you ", " i already told you ", " i told you ",
	" i already asked ", " i asked you ", " i already said ",
	" as we said ", " you already told me ", " you told me ",
	" you said earlier ", " you said before ", " you mentioned ",
	" don't you remember ", " do you remember ", " remember when ",
	" earlier today ", " last time we ", " our last conversation ",
	" our earlier conversation ", " where we left off " };

static const char *const fillers[] = { "ok", "okay", "oh", "ah", "hm", "hmm",
	"well", "hi", "hey", "hello", "now", "great", "cool", "nice", "thanks",
	"alright", "right", "sorry", "wait", "no", "yes", "please" };

enum {
	POINT_WORDS = 7,	/* later "it" means what the turn has named */
	POINT_ALONE = 8,	/* words of a turn that leans by it alone */
	POINT_SHORT = 4,	/* and of one that leans by it more */
	FRAGMENT = 2,		/* so few without a keyword are no sentence */
	LEAN_BOTH = 1000,
	LEAN_ABOUT = 950,	/* "what about ...", and replies */
	LEAN_FOLLOWS = 800,
	LEAN_POINTS = 750,
	LEAN_SHORT = 900,
	LEAN_FRAGMENT = 700,
	LEAN_WEIGHT = 40,	/* own words of this weight take one away */
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool
is_filler(struct slice word)
{
	size_t i;

	for (i = 0; i < COUNT(fillers) && word.len > 0; i++)
		if (fillers[i][0] == word.ptr[0] && slice_is(word, fillers[i]))
			return true;
	return false;
}

/*
 * The words of a turn, as " word word word ", folded, and their places, each
 * the space before it, by the first two bytes.
 */
enum {
	WORD_BYTES = 64,	/* a longer one is none of ours */
	SPELLED_BYTES = 1 + WORDING_WORDS * (WORD_BYTES + 1) + 1,
	PLACES = 256,
	NO_PLACE = UINT16_MAX,
};

struct spelled {
	size_t len;
	size_t start;		/* the space before the first, fillers aside */
	uint16_t first[PLACES];	/* place of a list, and by it the next one's */
	uint16_t next[SPELLED_BYTES];
	char words[SPELLED_BYTES];
};

static unsigned
place_list(const char *word)
{
	return ((unsigned char)word[0] * 31u + (unsigned char)word[1]) %
	    PLACES;
}

static void
add_place(struct spelled *s, size_t at)
{
	unsigned list = place_list(s->words + at + 1);

	s->next[at] = s->first[list];
	s->first[list] = (uint16_t)at;
}

/* Behind the last space; some words have one inside: "HTTP 401". */
static void
add_word(struct spelled *s, struct slice word)
{
	char *at = s->words + s->len, *end = at + word.len;

	if (s->start == s->len - 1 && is_filler(word))
		s->start = s->len + word.len;
	memcpy(at, word.ptr, word.len);
	memcpy(end, " ", 2);
	s->len += word.len + 1;
	add_place(s, (size_t)(at - 1 - s->words));
	while ((at = memchr(at, ' ', (size_t)(end - at))) != NULL)
		add_place(s, (size_t)(at++ - s->words));
}

struct wording
wording_of(struct arena *arena, struct slice text)
{
	struct spelled *s = arena_room(arena, sizeof(*s));
	struct wording w = { .spelled = s };
	struct text_tokens tokens;
	struct text_token token;
	struct slice word;

	memcpy(s->words, " ", 2);
	s->len = 1;
	s->start = 0;
	memset(s->first, 0xff, sizeof(s->first));
	text_tokens_init(&tokens, text);
	while (w.words < WORDING_WORDS && text_tokens_next(&tokens, &token)) {
		if (token.kind == TEXT_PUNCT || token.kind == TEXT_EMOJI)
			continue;
		word = text_fold(arena, text_token_slice(&tokens, &token));
		add_word(s, word.len > WORD_BYTES ? SLICE("-") : word);
		w.words++;
	}
	return w;
}

static bool
starts(const char *words, const char *phrase)
{
	for (; *phrase != '\0' && *words == *phrase; words++, phrase++)
		;
	return *phrase == '\0';
}

/* Whether a phrase begins before `end`. */
static bool
has_phrase(const struct spelled *s, const char *phrase, size_t end)
{
	size_t at = s->first[place_list(phrase + 1)];

	while (at != NO_PLACE && (at >= end || !starts(s->words + at, phrase)))
		at = s->next[at];
	return at != NO_PLACE;
}

/* How many of the list stand in the words, beginning before `end`. */
static size_t
count_phrases(const struct spelled *s, size_t end, const char *const *list,
    size_t n)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += has_phrase(s, list[i], end);
	return count;
}

/* Whether any of the list stands anywhere. */
static bool
has_any(const struct wording *w, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; w->spelled != NULL && i < n; i++)
		if (has_phrase(w->spelled, list[i], w->spelled->len))
			return true;
	return false;
}

/* Whether any of the list is what begins behind a place. */
static bool
starts_any(const char *words, const char *const *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (starts(words, list[i]))
			return true;
	return false;
}

/* Where the first `n` words end, from `start` on. */
static size_t
words_end(const char *words, size_t start, size_t n)
{
	size_t at;

	for (at = start; words[at] != '\0' && n > 0; at++)
		n -= words[at] == ' ';
	return at;
}

bool
wording_follows(const struct wording *w)
{
	const struct spelled *s = w->spelled;

	return s != NULL && starts_any(s->words + s->start + 1, following,
	    COUNT(following));
}

bool
wording_is_about(const struct wording *w)
{
	const struct spelled *s = w->spelled;

	return s != NULL && starts_any(s->words + s->start + 1, abouts,
	    COUNT(abouts));
}

bool
wording_replies(const struct wording *w)
{
	return w->spelled != NULL && starts_any(w->spelled->words, replying,
	    COUNT(replying));
}

bool
wording_points(const struct wording *w)
{
	const struct spelled *s = w->spelled;
	size_t near, n;

	if (s == NULL)
		return false;
	near = words_end(s->words, s->start, POINT_WORDS);
	n = count_phrases(s, near, pointing, COUNT(pointing));
	return n > 0 && n > count_phrases(s, near, empty, COUNT(empty));
}

bool
wording_denies(const struct wording *w)
{
	return has_any(w, denials, COUNT(denials));
}

bool
wording_recalls(const struct wording *w)
{
	return has_any(w, recollections, COUNT(recollections));
}

unsigned
wording_lean(const struct wording *w, unsigned long long weight)
{
	unsigned long long lean = 0;
	bool part, points;

	if (w->words > WORDING_BRIEF || weight / LEAN_WEIGHT >= LEAN_BOTH)
		return 0;
	part = wording_is_about(w) || wording_replies(w);
	points = wording_points(w);
	if (points && (part || wording_follows(w)))
		lean = LEAN_BOTH;
	else if (part)
		lean = LEAN_ABOUT;
	else if (wording_follows(w))
		lean = LEAN_FOLLOWS;
	else if (points && w->words <= POINT_ALONE)
		lean = w->words <= POINT_SHORT ? LEAN_SHORT : LEAN_POINTS;
	else if (w->words > 0 && w->words <= FRAGMENT && weight == 0)
		lean = LEAN_FRAGMENT;
	if (weight / LEAN_WEIGHT >= lean)
		return 0;
	return (unsigned)(lean - weight / LEAN_WEIGHT);
}

struct verdict
outcome_of(bool linked, const struct wording *w, bool strange)
{
	if (!linked)
		return wording_recalls(w) ?
		    (struct verdict){ false, "recalled" } :
		    (struct verdict){ true, "fresh" };
	if (wording_denies(w))
		return (struct verdict){ false, "denied" };
	if (strange)
		return (struct verdict){ false, "switched" };
	return (struct verdict){ true, "continued" };
}
