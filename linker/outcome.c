/*
 * outcome - what a turn's wording says about a link, and what came of one
 */
#include "linker/outcome.h"

#include <assert.h>
#include <string.h>

#include "common/text.h"

/*
 * Lists are searched in the turn's words, each between single spaces; a phrase
 * with '^' must begin the turn, fillers not counted.
 */
static const char *const following[] = { "^and ", "^also ", "^so ", "^then ",
	"^but ", "^or ", "^plus ", "^same ", "^still ", "^again " };

static const char *const abouts[] = { "^what about ", "^how about ",
	"^and what ", "^and how ", "^and when ", "^and where ", "^and who ",
	"^and which ", "^and if ", "^and for ", "^and on ", "^and in ",
	"^and the ", "^what if ", "^why not ", "^which one ", "^any other ",
	"^anything else " };

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

/* The places of words, each the space before it, by their first two bytes. */
enum { PLACES = 256, NO_PLACE = UINT16_MAX };

struct spelled {
	const char *words;	/* " word word word ", folded */
	size_t count;
	size_t start;		/* the space before the first, fillers aside */
	uint16_t *at, *next;	/* places of one list, in order */
	uint16_t first[PLACES];
};

static const char *
spell(struct arena *arena, struct slice text, size_t *words, size_t *start)
{
	struct text_tokens tokens;
	struct text_token token;
	struct slice word;
	const char *out;
	struct buf b;

	*words = 0;
	*start = 0;
	buf_init(&b, 64 * 1024);
	buf_addc(&b, ' ');
	text_tokens_init(&tokens, text);
	while (*words < WORDING_WORDS && text_tokens_next(&tokens, &token)) {
		if (token.kind == TEXT_PUNCT || token.kind == TEXT_EMOJI)
			continue;
		word = text_fold(arena, text_token_slice(&tokens, &token));
		if (word.len > 64)
			word = SLICE("-");
		if (*start == b.len - 1 && is_filler(word))
			*start = b.len + word.len;
		buf_addslice(&b, word);
		buf_addc(&b, ' ');
		++*words;
	}
	out = arena_cstr(arena, buf_slice(&b));
	buf_release(&b);
	return out;
}

static unsigned
place_list(const char *word)
{
	return ((unsigned char)word[0] * 31u + (unsigned char)word[1]) %
	    PLACES;
}

static struct spelled
spell_and_index(struct arena *arena, struct slice text)
{
	struct spelled s;
	size_t i, n = 0, len;
	unsigned list;

	s.words = spell(arena, text, &s.count, &s.start);
	len = strlen(s.words);
	assert(len < NO_PLACE);		/* so many words, each so long */
	for (i = 0; i + 1 < len; i++)
		n += s.words[i] == ' ';
	s.at = arena_array(arena, n, sizeof(s.at[0]));
	s.next = arena_array(arena, n, sizeof(s.next[0]));
	memset(s.first, 0xff, sizeof(s.first));
	for (i = len; i-- > 0;) {
		if (s.words[i] != ' ' || i + 1 >= len)
			continue;
		list = place_list(s.words + i + 1);
		s.at[--n] = (uint16_t)i;
		s.next[n] = s.first[list];
		s.first[list] = (uint16_t)n;
	}
	return s;
}

static bool
starts(const char *words, const char *phrase)
{
	for (; *phrase != '\0' && *words == *phrase; words++, phrase++)
		;
	return *phrase == '\0';
}

/* Whether a phrase stands first before `end`. */
static bool
has_phrase(const struct spelled *s, const char *phrase, size_t end)
{
	size_t i = s->first[place_list(phrase + 1)];

	while (i != NO_PLACE && !starts(s->words + s->at[i], phrase))
		i = s->next[i];
	return i != NO_PLACE && s->at[i] < end;
}

/* How many of the list stand in the words, beginning before `end`. */
static size_t
count_phrases(const struct spelled *s, size_t end, const char *const *list,
    size_t n)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += list[i][0] == '^' ?
		    starts(s->words + s->start + 1, list[i] + 1) :
		    has_phrase(s, list[i], end);
	return count;
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

struct wording
wording_of(struct arena *arena, struct slice text)
{
	struct spelled s = spell_and_index(arena, text);
	size_t near = words_end(s.words, s.start, POINT_WORDS);
	size_t begin = words_end(s.words, 0, 1), all = strlen(s.words);

	return (struct wording){
		.words = s.count,
		.follows = count_phrases(&s, all, following,
		    COUNT(following)) > 0,
		.about = count_phrases(&s, all, abouts, COUNT(abouts)) > 0,
		.replies = count_phrases(&s, begin, replying,
		    COUNT(replying)) > 0,
		.points = count_phrases(&s, near, pointing, COUNT(pointing)) >
		    count_phrases(&s, near, empty, COUNT(empty)),
		.denies = count_phrases(&s, all, denials, COUNT(denials)) > 0,
		.recalls = count_phrases(&s, all, recollections,
		    COUNT(recollections)) > 0,
	};
}

unsigned
wording_lean(const struct wording *w, unsigned long long weight)
{
	unsigned long long lean = 0;

	if (w->words > WORDING_BRIEF)
		return 0;
	if ((w->follows || w->about || w->replies) && w->points)
		lean = LEAN_BOTH;
	else if (w->about || w->replies)
		lean = LEAN_ABOUT;
	else if (w->follows)
		lean = LEAN_FOLLOWS;
	else if (w->points && w->words <= POINT_ALONE)
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
		return w->recalls ? (struct verdict){ false, "recalled" } :
				    (struct verdict){ true, "fresh" };
	if (w->denies)
		return (struct verdict){ false, "denied" };
	if (strange)
		return (struct verdict){ false, "switched" };
	return (struct verdict){ true, "continued" };
}
