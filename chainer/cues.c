/*
 * cues - what the wording of a turn says about topics
 */
#include "chainer/cues.h"

#include <string.h>

#include "common/text.h"

/*
 * Lists are searched in the turn's words, each between single spaces; a phrase
 * with '^' must begin the turn, greetings and fillers not counted.
 */
static const char *const leaning[] = { " it ", " its ", " it's ", " they ",
	" them ", " their ", " theirs ", " those ", " these ", " he ", " she ",
	" him ", " her ", " his ", " that one ", " this one ", " the one ",
	" which one ", " the other ", " the others ", " the same ", " the first ",
	" the second ", " the last ", " the latter ", " instead ", " both ",
	" either ", " neither ", " of that ", " for that ", " with that ",
	" to that ", " about that ", " do that ", " like that ", " that way ",
	" you said ", " you mentioned ", " you suggested ", " you gave ",
	" you told ", " the above ", " else ", " more detail ",
	" an example ", " shorter ", " longer ", " cheaper ", " closer ",
	" what if ", " why not ", "^that ", "^that's ", "^thats ", "^this ",
	"^and ", "^but ", "^or ", "^so ", "^then ", "^because ", "^what about ",
	"^how about ", "^how long ",
	"^how often ", "^how should ", "^why ", "^really ", "^no ", "^yes ",
	"^yeah ", "^yep ", "^sure ", "^nope ", "^hmm ", "^wait ", "^ok so ",
	"^same ", "^still ", "^just ", "^only ", "^maybe ", "^not " };

/* What looks like one of these and stands for nothing. */
static const char *const empty[] = { " is it going to ", " will it be ",
	" will it rain ", " will it snow ", " is it raining ", " it is going to ",
	" it's going to ", " what time is it ", " how is it going ",
	" would it be possible ", " is it true ",
	" does it matter ", " makes it ", " make it to ", " both of us ",
	" the last few ", " the first time ", " the last time ",
	" someone else ", " anything else ", " something else ", "^this week",
	"^this month", "^this year", "^this morning", "^this weekend" };

static const char *const shifting[] = { " by the way ", " btw ",
	" another question ", " another thing ", " another topic ",
	" another matter ", " different topic ", " different question ",
	" different subject ", " different note ", " another note ",
	" separate note ", " separate question ", " separate issue ",
	" unrelated ", " off topic ", " change of topic ", " change of subject ",
	" changing the subject ", " change the subject ", " change topics ",
	" switch topics ", " switching topics ", " switching gears ",
	" something else entirely ", " something different ",
	" something completely different ", " one more thing ",
	" one other thing ", " before i forget ", " while i have you ",
	" while you're at it ", " totally different ", " completely different ",
	" new topic ", " new question ", " next topic ", " on to ",
	" moving on ", " let's move on ", " separately ", " also unrelated ",
	" quick question ", " quick one ", " random question ", " side note ",
	" while we're at it ", " in the meantime ", " for something else ",
	" the other thing ", "^something else ", "^anyway ", "^meanwhile ",
	"^hang on ", "^quick " };

static const char *const returning[] = { " back to ", " returning to ",
	" return to ", " revisit ", " as for the ", " as for my ",
	" about the earlier ", " from earlier ", " from before ",
	" we talked about ", " we discussed ", " we were discussing ",
	" you mentioned earlier ", " i mentioned earlier ", " earlier question ",
	" where were we ", " where we left off ", " regarding the ",
	" remember the ", " remember that ", " you said earlier ",
	" i asked earlier ", " i asked about ", " i told you about " };

static const char *const yes_no[] = { "^is ", "^are ", "^does ", "^was ",
	"^were ", "^will ", "^would ", "^has ", "^isn't ", "^aren't ",
	"^doesn't ", "^wasn't ", "^won't ", "^should ", "^did " };

static const char *const closings[] = { " thanks ", " thank you ", " thx ",
	" cheers ", " goodbye ", " good bye ", " bye ", " anything else ",
	" have a good ", " have a great ", " have a nice ", " you're welcome ",
	" you are welcome ", " glad i could ", " glad to help ",
	" happy to help ", " that's all ", " that is all ", " that'll be all ",
	" enjoy your ", " let me know if ", " no problem ", " my pleasure ",
	" all set ", " good luck ", " will do " };

#define FILLER(word) { word, sizeof(word) - 1 }
static const struct slice fillers[] = { FILLER("ok"), FILLER("okay"),
	FILLER("oh"), FILLER("ah"), FILLER("well"), FILLER("hi"), FILLER("hey"),
	FILLER("hello"), FILLER("now"), FILLER("great"), FILLER("cool"),
	FILLER("nice"), FILLER("thanks"), FILLER("alright"), FILLER("right"),
	FILLER("good"), FILLER("perfect"), FILLER("awesome"),
	FILLER("please"), FILLER("sorry"), FILLER("fine"), FILLER("hm") };

enum {
	/* Later in a sentence "it" means what the sentence itself has named. */
	LEAN_WORDS = 6,
	WORD_BYTES = 64,	/* a longer one is none that a list has */
	START_BYTES = 8,	/* of a phrase: compared at once */
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* ---- phrases ---- */

enum list { LEANING, EMPTY, SHIFTING, RETURNING, YES_NO, CLOSING, LISTS };

enum {
	PHRASES = COUNT(leaning) + COUNT(empty) + COUNT(shifting) +
	    COUNT(returning) + COUNT(yes_no) + COUNT(closings),
	HEADS = 1024,
	FILLER_BYTES = 8,	/* no filler is as long */
};

_Static_assert(PHRASES < 256, "a byte tells which");

struct phrase {
	uint64_t start, mask;	/* its first bytes, behind its first sign */
	const char *rest;	/* behind those */
	unsigned char n_rest;
	unsigned char next;	/* in the same place, from 1; 0: no more */
	unsigned char list;
	bool first;		/* it begins the turn */
};

/*
 * All lists, by how a phrase begins: one pass finds all of them.  Small, for
 * every word of every turn is looked up.
 */
struct phrases {
	unsigned char heads[HEADS];	/* which phrase, from 1; 0: none */
	struct phrase all[PHRASES];
	size_t n;
	/* By a filler's length: a bit for each letter that one begins with. */
	uint32_t fillers[FILLER_BYTES];
};

static uint64_t
start_of(const char *at)
{
	uint64_t start;

	memcpy(&start, at, sizeof(start));
	return start;
}

/* By the three signs after a space; the third may be a space again. */
static size_t
place_of(const char *at)
{
	uint32_t head = (uint32_t)(unsigned char)at[0] << 16 |
	    (uint32_t)(unsigned char)at[1] << 8 | (unsigned char)at[2];

	return head * UINT32_C(0x9e3779b1) >> 22;
}

static void
add_list(struct phrases *p, enum list list, const char *const *texts, size_t n)
{
	char start[START_BYTES], mask[START_BYTES];
	unsigned char *place;
	size_t i, len, first;

	for (i = 0; i < n; i++) {
		len = strlen(texts[i] + 1);
		first = len < START_BYTES ? len : START_BYTES;
		memset(start, 0, sizeof(start));
		memset(mask, 0, sizeof(mask));
		memcpy(start, texts[i] + 1, first);
		memset(mask, 0xff, first);
		place = &p->heads[place_of(texts[i] + 1)];
		p->all[p->n++] = (struct phrase){ start_of(start),
			start_of(mask), texts[i] + 1 + first,
			(unsigned char)(len - first), *place,
			(unsigned char)list, texts[i][0] == '^' };
		*place = (unsigned char)p->n;
	}
}

static uint32_t
letter_bit(char c)
{
	return c >= 'a' && c <= 'z' ? UINT32_C(1) << (c - 'a') : 0;
}

static const struct phrases *
phrases_known(void)
{
	static struct phrases p;	/* once for the process's life */
	size_t i;

	if (p.n > 0)
		return &p;
	add_list(&p, LEANING, leaning, COUNT(leaning));
	add_list(&p, EMPTY, empty, COUNT(empty));
	add_list(&p, SHIFTING, shifting, COUNT(shifting));
	add_list(&p, RETURNING, returning, COUNT(returning));
	add_list(&p, YES_NO, yes_no, COUNT(yes_no));
	add_list(&p, CLOSING, closings, COUNT(closings));
	for (i = 0; i < COUNT(fillers); i++)
		p.fillers[fillers[i].len] |= letter_bit(fillers[i].ptr[0]);
	return &p;
}

static bool
is_filler(const struct phrases *p, struct slice word)
{
	size_t i;

	if (word.len == 0 || word.len >= FILLER_BYTES ||
	    (p->fillers[word.len] & letter_bit(word.ptr[0])) == 0)
		return false;
	for (i = 0; i < COUNT(fillers); i++)
		if (slice_eq(word, fillers[i]))
			return true;
	return false;
}

/* ---- the words ---- */

/* A turn's words, " word word word ", folded. */
struct spelling {
	char text[CUE_WORDS * (WORD_BYTES + 1) + START_BYTES + 1];
	size_t len, words;
	/* Where its spaces are, from the first sign to the last. */
	unsigned short spaces[CUE_WORDS * (WORD_BYTES + 1) + 1];
	size_t n_spaces;
	size_t start;		/* the one before the first that is no filler */
};

/* Lower case for ASCII, as text_fold has it; false: it is not all of it. */
static bool
fold_plain(struct slice s, char *out)
{
	unsigned char c, all = 0;
	size_t i;

	for (i = 0; i < s.len; i++) {
		c = (unsigned char)s.ptr[i];
		all |= c;
		out[i] = (char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
	}
	return all < 0x80;
}

static inline void
add_space(struct spelling *s, size_t at)
{
	s->spaces[s->n_spaces++] = (unsigned short)at;
}

static void
spell_word(struct arena *arena, const struct phrases *p, struct spelling *s,
    struct slice word)
{
	char *at = s->text + s->len;
	bool filler;
	size_t i;

	if (word.len > WORD_BYTES || !fold_plain(word, at)) {
		word = text_fold(arena, word);
		if (word.len > WORD_BYTES)
			word = SLICE("-");
		memcpy(at, word.ptr, word.len);
		/* What a sign stands for may have some of its own. */
		for (i = 0; i < word.len; i++)
			if (at[i] == ' ')
				add_space(s, s->len + i);
	}
	filler = s->start == s->n_spaces - 1 &&
	    is_filler(p, slice_of(at, word.len));
	s->len += word.len;
	add_space(s, s->len);
	if (filler)
		s->start = s->n_spaces - 1;
	s->text[s->len++] = ' ';
	s->words++;
}

static void
spell(struct arena *arena, const struct phrases *p, struct slice text,
    struct spelling *s)
{
	struct text_tokens tokens;
	struct text_token token;

	s->text[0] = ' ';
	s->len = 1;
	s->words = s->start = s->n_spaces = 0;
	add_space(s, 0);
	text_tokens_init(&tokens, text);
	while (s->words < CUE_WORDS && text_tokens_next(&tokens, &token))
		if (token.kind != TEXT_PUNCT && token.kind != TEXT_EMOJI)
			spell_word(arena, p, s,
			    text_token_slice(&tokens, &token));
	/* Who looks at how a phrase begins may look past the end. */
	memset(s->text + s->len, 0, START_BYTES + 1);
}

/* ---- the count ---- */

/*
 * How many of each list stand in the words.  What leans, and what only looks
 * like it, must be among the LEAN_WORDS first.
 */
static void
count_phrases(const struct phrases *p, const struct spelling *s,
    size_t counts[LISTS])
{
	const struct phrase *f;
	const char *at, *end = s->text + s->len;
	size_t i, which;
	uint64_t start;

	for (i = 0; i + 1 < s->n_spaces; i++) {
		at = s->text + s->spaces[i] + 1;
		start = start_of(at);
		for (which = p->heads[place_of(at)]; which != 0;
		     which = f->next) {
			f = &p->all[which - 1];
			if ((start & f->mask) != f->start ||
			    (f->first ? i != s->start : f->list <= EMPTY &&
				i >= s->start + LEAN_WORDS))
				continue;
			/* No phrase has the zeroes behind the end. */
			counts[f->list] += f->n_rest == 0 ||
			    (f->n_rest < end - at - START_BYTES + 1 &&
			    memcmp(at + START_BYTES, f->rest, f->n_rest) == 0);
		}
	}
}

/* "Is it safe to …", "is it true that …": nothing is meant by that it. */
static size_t
count_dummies(const char *words)
{
	const char *found, *next;
	size_t count = 0;

	for (found = strstr(words, " is it "); found != NULL;
	     found = strstr(found + 1, " is it ")) {
		next = strchr(found + 7, ' ');
		count += next != NULL && (strncmp(next, " to ", 4) == 0 ||
		    strncmp(next, " that ", 6) == 0 ||
		    strncmp(next, " if ", 4) == 0);
	}
	return count;
}

struct cues
cues_of(struct arena *arena, struct slice text)
{
	const struct phrases *p = phrases_known();
	size_t counts[LISTS] = { 0 };
	struct spelling s;

	spell(arena, p, text, &s);
	count_phrases(p, &s, counts);
	return (struct cues){
		.words = s.words,
		.leans = counts[LEANING] > counts[EMPTY] +
		    (counts[LEANING] > 0 ? count_dummies(s.text) : 0),
		.shifts = counts[SHIFTING] > 0,
		.returns = counts[RETURNING] > 0,
		.yes_no = counts[YES_NO] > 0,
		.closing = counts[CLOSING] > 0,
	};
}
