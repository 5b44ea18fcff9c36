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
	" you told ", " the above ", " again ", " else ", " more detail ",
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
	" quick question ", " quick one " };

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

static const char *const fillers[] = { "ok", "okay", "oh", "ah", "well",
	"hi", "hey", "hello", "now", "great", "cool", "nice", "thanks", "alright",
	"right", "good", "perfect", "awesome", "please" };

/* Later in a sentence "it" means what the sentence itself has named. */
enum { LEAN_WORDS = 6 };

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool
is_filler(struct slice word)
{
	size_t i;

	for (i = 0; i < COUNT(fillers); i++)
		if (slice_is(word, fillers[i]))
			return true;
	return false;
}

/* " word word word ", folded; *start is the first that is no filler. */
static struct slice
spell(struct arena *arena, struct slice text, size_t *words, size_t *start)
{
	struct text_tokens tokens;
	struct text_token token;
	struct slice word, out;
	struct buf b;

	*words = 0;
	*start = 0;
	buf_init(&b, 64 * 1024);
	buf_addc(&b, ' ');
	text_tokens_init(&tokens, text);
	while (*words < CUE_WORDS && text_tokens_next(&tokens, &token)) {
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
	out = slice_of(arena_cstr(arena, buf_slice(&b)), b.len);
	buf_release(&b);
	return out;
}

/* ---- phrases ---- */

enum list { LEANING, EMPTY, SHIFTING, RETURNING, YES_NO, CLOSING, LISTS };

enum {
	PHRASES = COUNT(leaning) + COUNT(empty) + COUNT(shifting) +
	    COUNT(returning) + COUNT(yes_no) + COUNT(closings),
	HEADS = 256,
};

struct phrase {
	const struct phrase *next;	/* that begins like it */
	const char *text;
	size_t len;
	enum list list;
};

/* All lists, by how a phrase begins: one pass finds all of them. */
struct phrases {
	struct phrase all[PHRASES];
	size_t n;
	const struct phrase *heads[HEADS];
};

/* Of the two letters after a space; the second may be a space again. */
static size_t
head_of(const char *at)
{
	return ((unsigned char)at[0] * 5u + (unsigned char)at[1]) % HEADS;
}

static void
add_list(struct phrases *p, enum list list, const char *const *texts, size_t n)
{
	const struct phrase **head;
	size_t i;

	for (i = 0; i < n; i++) {
		head = &p->heads[head_of(texts[i] + 1)];
		p->all[p->n] = (struct phrase){ *head, texts[i],
			strlen(texts[i]), list };
		*head = &p->all[p->n++];
	}
}

static const struct phrases *
phrases_known(void)
{
	static struct phrases p;	/* once for the process's life */

	if (p.n > 0)
		return &p;
	add_list(&p, LEANING, leaning, COUNT(leaning));
	add_list(&p, EMPTY, empty, COUNT(empty));
	add_list(&p, SHIFTING, shifting, COUNT(shifting));
	add_list(&p, RETURNING, returning, COUNT(returning));
	add_list(&p, YES_NO, yes_no, COUNT(yes_no));
	add_list(&p, CLOSING, closings, COUNT(closings));
	return &p;
}

/*
 * How many of each list stand in the words.  What leans, and what only looks
 * like it, must begin before `end`.
 */
static void
count_phrases(const char *words, size_t start, size_t end, size_t counts[LISTS])
{
	const struct phrases *p = phrases_known();
	const struct phrase *f;
	size_t at, len = strlen(words);

	for (at = 0; at + 1 < len; at++) {
		if (words[at] != ' ')
			continue;
		for (f = p->heads[head_of(words + at + 1)]; f != NULL;
		     f = f->next) {
			if (f->len > len - at || (f->text[0] == '^' ?
			    at != start : f->list <= EMPTY && at >= end))
				continue;
			counts[f->list] += memcmp(words + at + 1, f->text + 1,
			    f->len - 1) == 0;
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

/* Where the LEAN_WORDS first words end, from `start` on. */
static size_t
lean_end(const char *words, size_t start)
{
	size_t n = 0, at;

	for (at = start; words[at] != '\0' && n < LEAN_WORDS; at++)
		n += words[at] == ' ';
	return at;
}

struct cues
cues_of(struct arena *arena, struct slice text)
{
	size_t words, start, counts[LISTS] = { 0 };
	struct slice s = spell(arena, text, &words, &start);

	count_phrases(s.ptr, start, lean_end(s.ptr, start), counts);
	return (struct cues){
		.words = words,
		.leans = counts[LEANING] > counts[EMPTY] +
		    (counts[LEANING] > 0 ? count_dummies(s.ptr) : 0),
		.shifts = counts[SHIFTING] > 0,
		.returns = counts[RETURNING] > 0,
		.yes_no = counts[YES_NO] > 0,
		.closing = counts[CLOSING] > 0,
	};
}
