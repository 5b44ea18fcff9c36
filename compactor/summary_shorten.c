/*
 * summary_shorten - one sentence without what says nothing
 */
#include "compactor/summary.h"

#include "common/text.h"
#include "compactor/phrase.h"

enum {
	WORD_BYTES = 64,	/* a longer one is cut: an address, a key */
	BYTES_A_WORD = 9,	/* of scripts without spaces */
	WISH_LEAST = 5,		/* words that must be left behind it */
};

/* Said before anything: with or without a comma behind. */
PHRASE_LIST(fillers, "actually", "ah", "aha", "all right", "alright", "also",
    "and", "anyway", "anyways", "basically", "btw", "but", "by the way", "erm",
    "excuse me", "first of all", "first off", "good afternoon", "good evening",
    "good morning", "haha", "hm", "hmm", "honestly", "i believe that",
    "i guess", "i mean", "i think", "i think that", "in that case",
    "it seems that", "just", "like", "lol", "many thanks", "oh", "ok", "ok so",
    "okay", "one more thing", "oops", "please", "pls", "plz", "quick question",
    "so", "sorry", "thank you", "thank you so much", "thank you very much",
    "thanks", "thanks a lot", "thanks alot", "thanks so much", "then", "uh",
    "uhm", "um", "well", "wow", "yeah", "yep", "yes", "you know", "yup");
/* Said before anything when a sign follows: "great, now ..." */
PHRASE_LIST(exclaimed, "absolutely", "additionally", "again", "all",
    "alternatively", "amazing", "awesome", "brilliant", "certainly", "cool",
    "definitely", "dude", "everyone", "excellent", "fantastic", "finally",
    "first", "folks", "good", "got it", "great", "guys", "hooray", "however",
    "i see", "lovely", "man", "next", "nice", "no", "no problem", "no worries",
    "nope", "now", "of course", "perfect", "right", "sounds good", "sure",
    "sweet", "that's great", "therefore", "ugh", "wonderful", "yay", "yesss",
    "you're welcome");
PHRASE_LIST(greetings, "dear", "greetings", "hallo", "hello", "hey", "hi",
    "hiya", "yo");
PHRASE_LIST(greeted, "all", "everybody", "everyone", "folks", "guys", "team",
    "there");
/* How something is asked for, or told to be wanted. */
PHRASE_LIST(asking, "any idea how to", "any ideas how to", "anyone know how to",
    "are you able to", "can anybody help me", "can anyone",
    "can anyone help me", "can anyone please", "can i get you to",
    "can i please", "can somebody", "can someone", "can someone help me",
    "can someone please", "can you", "can you help me", "can you help me to",
    "can you help me with", "can you help us", "can you please", "could anyone",
    "could someone", "could you", "could you help me", "could you help me to",
    "could you help me with", "could you please", "do you know how to",
    "do you think you can", "do you think you could",
    "does anybody know how to", "does anyone know how to", "go ahead and",
    "go on and", "help me", "help me to", "help me with", "how about we",
    "i am hoping to", "i am looking to", "i am planning to", "i am trying to",
    "i am wanting to", "i gotta", "i have been trying to", "i have to",
    "i must", "i need help", "i need help with", "i need some help with",
    "i need to", "i need you to", "i need your help with", "i plan to",
    "i wanna", "i want to", "i want you to", "i wanted to", "i was hoping to",
    "i was hoping you could", "i was trying to", "i was wondering if you could",
    "i wonder if you could", "i would like to", "i would like you to",
    "i would love to", "i'd like to", "i'd like you to", "i'd love to",
    "i'd want to", "i'm going to", "i'm hoping to", "i'm looking to",
    "i'm planning to", "i'm trying to", "i'm wanting to", "i've been trying to",
    "i've got to", "im trying to", "is it possible to", "is there a way to",
    "is there any way to", "kindly", "let us", "let's", "let's try to", "lets",
    "may i", "maybe", "my goal is to", "next", "now", "perhaps",
    "please help me", "please help me to", "please help me with",
    "the goal is to", "we are trying to", "we have to", "we need to",
    "we should", "we want to", "we would like to", "we'd like to",
    "we're trying to", "will you", "will you please", "would it be possible to",
    "would you", "would you be able to", "would you mind", "would you please",
    "you need to", "you should", "your task is to");
/* What a long sentence comes to, after all that led there. */
PHRASE_LIST(wishes, "can anyone", "can someone", "can you", "could you",
    "help me", "how can i", "how can we", "how could i", "how do i",
    "how do we", "how should i", "i need help", "i need to", "i want to",
    "i would like to", "i'd like to", "i'm trying to", "please", "what can i",
    "what should i", "which should i", "would you");
PHRASE_LIST(himself, "i am", "i have been", "i'm", "i've been", "im", "we are",
    "we're");
PHRASE_LIST(tails, "asap", "can you", "cheers", "could you", "dude", "for me",
    "for us", "guys", "haha", "if possible", "if that's okay", "if you can",
    "if you could", "if you don't mind", "lol", "man", "many thanks", "mate",
    "please", "pls", "plz", "right now please", "thank you",
    "thank you so much", "thank you very much", "thanks", "thanks a lot",
    "thanks in advance", "thanks so much", "thx", "will you", "would you");
/* So only behind a comma: "it's the left one, right?", "turn it right". */
PHRASE_LIST(tags, "correct", "no", "ok", "okay", "right", "yeah", "yes");
PHRASE_LIST(conjunctions, "after", "although", "and", "as", "because", "before",
    "but", "by", "for", "if", "or", "since", "so", "that", "then", "though",
    "until", "when", "where", "which", "while", "with");

PHRASE_LIST(askers, "am", "any", "are", "aren't", "can", "can't", "could",
    "did", "didn't", "do", "does", "doesn't", "don't", "had", "has", "have",
    "how", "how's", "is", "isn't", "may", "might", "should", "was", "were",
    "what", "what's", "whats", "when", "where", "where's", "which", "who",
    "who's", "whom", "whose", "why", "will", "won't", "would");

struct cut {
	struct phrase_word *words;
	size_t count;
	size_t from, to;
};

/* "Hey Anna, ..." : one or two words and a comma after a greeting. */
static size_t
name_at(const struct cut *c, size_t at)
{
	for (size_t n = 1; n <= 2 && at + n < c->to; n++)
		if (c->words[at + n - 1].clause)
			return n;
	return phrase_at(c->words, c->to, at, &greeted);
}

static size_t
filler_at(const struct cut *c)
{
	size_t n = phrase_at(c->words, c->to, c->from, &greetings);

	if (n > 0 && c->words[c->from].clause)
		return n;
	if (n > 0)
		return n + name_at(c, c->from + n);
	n = phrase_at(c->words, c->to, c->from, &exclaimed);
	if (n > 0 && c->words[c->from + n - 1].clause)
		return n;
	n = phrase_at(c->words, c->to, c->from, &fillers);
	if (n > 0)
		return n;
	/* A dash, a bullet: a word that is signs only. */
	return c->words[c->from].folded.len == 0 ? 1 : 0;
}

/* "1." before an item of a list. */
static bool
is_item_number(const struct phrase_word *w)
{
	bool digits = w->folded.len > 0 && w->folded.len <= 2;

	for (size_t i = 0; i < w->folded.len && digits; i++)
		digits = w->folded.ptr[i] >= '0' && w->folded.ptr[i] <= '9';
	return digits && w->clause;
}

static bool
is_doing(struct slice word)
{
	return word.len > 4 && memcmp(word.ptr + word.len - 3, "ing", 3) == 0;
}

static size_t
asking_at(const struct cut *c)
{
	size_t n = phrase_at(c->words, c->to, c->from, &asking);
	size_t who = phrase_at(c->words, c->to, c->from, &himself);

	if (n == 0 && who > 0 && c->from + who < c->to &&
	    is_doing(c->words[c->from + who].folded))
		n = who;
	return n;
}

static void
cut_lead(struct cut *c, enum summary_cut cut)
{
	size_t n = 1;

	if (c->from == 0 && c->to > 1 && is_item_number(&c->words[0]))
		c->from++;
	while (c->from < c->to && n > 0) {
		n = filler_at(c);
		if (n == 0 && cut == CUT_asking)
			n = asking_at(c);
		c->from += n;
	}
}

/* A long sentence that ends in what is wanted is cut down to that. */
static void
cut_to_wish(struct cut *c, size_t most)
{
	for (size_t i = c->from + 1; c->to - c->from > most &&
	     i + WISH_LEAST < c->to; i++)
		if (phrase_at(c->words, c->to, i, &wishes) > 0) {
			c->from = i;
			return;
		}
}

static void
cut_tail(struct cut *c)
{
	size_t n = 1;

	while (c->to > c->from && n > 0) {
		n = phrase_before(c->words, c->from, c->to, &tails);
		if (n == 0 && c->to > c->from + 1 &&
		    c->words[c->to - 2].clause)
			n = phrase_before(c->words, c->from, c->to,
			    &tags);
		if (n == 0 && c->words[c->to - 1].folded.len == 0 &&
		    c->words[c->to - 1].written.ptr[0] != '?')
			n = 1;
		c->to -= n;
	}
}

/* Where a long sentence is cut: behind a clause, else anywhere. */
static size_t
cut_place(const struct cut *c, size_t most)
{
	size_t end = c->from + most, least = c->from + most / 2;

	for (size_t i = end; i > least; i--)
		if (c->words[i - 1].clause)
			return i;
	for (size_t i = end; i > least; i--)
		if (phrase_at(c->words, c->to, i, &conjunctions) > 0)
			return i;
	return end;
}

/* What is left of the sentence; there is room for all that may be. */
struct line {
	char *text;
	size_t len;
};

static inline void
emit(struct line *out, struct slice s)
{
	memcpy(out->text + out->len, s.ptr, s.len);
	out->len += s.len;
}

/* "**bold**" without its stars; one alone is a sign. */
static void
emit_plain(struct line *out, struct slice w)
{
	for (size_t i = 0; i < w.len; i++)
		if (!(w.ptr[i] == '*' && i + 1 < w.len &&
			w.ptr[i + 1] == '*') &&
		    !(w.ptr[i] == '*' && i > 0 && w.ptr[i - 1] == '*'))
			out->text[out->len++] = w.ptr[i];
}

static void
emit_word(struct line *out, struct slice w)
{
	struct slice begin;

	while (w.len > 1 && w.ptr[0] == '*')
		w = slice_of(w.ptr + 1, w.len - 1);
	while (w.len > 1 && w.ptr[w.len - 1] == '*')
		w.len--;
	if (w.len == 0)
		return;
	if (out->len > 0)
		out->text[out->len++] = ' ';
	begin = slice_of(w.ptr, text_cut(w, WORD_BYTES));
	if (memchr(begin.ptr, '*', begin.len) == NULL)
		emit(out, begin);
	else
		emit_plain(out, begin);
	if (w.len > WORD_BYTES)
		emit(out, SLICE("…"));
}

/* "token" but not "foo_bar", "iPhone", "a.c": those are written as they are. */
static bool
takes_capital(struct slice s)
{
	size_t i = 0;

	for (; i < s.len && s.ptr[i] != ' '; i++)
		if (!(s.ptr[i] >= 'a' && s.ptr[i] <= 'z') &&
		    !(i > 0 && strchr("',.:;!?-", s.ptr[i]) != NULL))
			return false;
	return i > 0 && memchr(s.ptr, '.', i > 1 ? i - 1 : 0) == NULL;
}

static void
trim_end(struct line *l, bool question)
{
	const char *signs = question ? " .,;:!-\"(" : " .,;:!-\"(?";

	while (l->len > 0 && strchr(signs, l->text[l->len - 1]) != NULL)
		l->len--;
}

static struct slice
finish(struct line *l, bool question, bool shortened, size_t most)
{
	size_t limit = most * BYTES_A_WORD;

	trim_end(l, question);
	if (l->len > limit) {
		l->len = text_cut(slice_of(l->text, l->len), limit);
		trim_end(l, false);
		shortened = true;
	}
	if (shortened)
		emit(l, SLICE("…"));
	else if (question && l->len > 0 && l->text[l->len - 1] != '?')
		l->text[l->len++] = '?';
	if (l->len > 0 && takes_capital(slice_of(l->text, l->len)))
		l->text[0] = (char)(l->text[0] - 'a' + 'A');
	return slice_of(l->text, l->len);
}

/* A request in the form of a question is no question once it is cut. */
static bool
stays_question(const struct cut *c, size_t lead)
{
	struct slice last = c->words[c->count - 1].written;

	return memchr(last.ptr, '?', last.len) != NULL &&
	    (lead == 0 ||
	    phrase_at(c->words, c->to, c->from, &askers) > 0);
}

struct slice
summary_shorten(struct arena *a, struct slice sentence, enum summary_cut cut,
    size_t most)
{
	struct phrase_word *words;
	size_t count = phrase_words(a, sentence, &words);

	return summary_shorten_words(a, sentence, words, count, cut, most);
}

struct slice
summary_shorten_words(struct arena *a, struct slice sentence,
    struct phrase_word *words, size_t count, enum summary_cut cut,
    size_t most)
{
	struct cut c = { .words = words, .count = count, .to = count };
	struct line out = { 0 };
	bool question, shortened;
	size_t end;

	if (c.count == 0)
		return SLICE_NONE;
	cut_lead(&c, cut);
	cut_tail(&c);
	if (cut == CUT_asking && c.from == 0) {
		cut_to_wish(&c, most);
		cut_lead(&c, cut);
	}
	if (c.from >= c.to) {		/* there was nothing else */
		c.from = 0;
		c.to = c.count;
	}
	question = stays_question(&c, c.from);
	shortened = c.to - c.from > most;
	end = shortened ? cut_place(&c, most) : c.to;
	/* Each word may be cut, and all of it. */
	out.text = arena_room(a, sentence.len + (end - c.from + 2) *
	    strlen("…"));
	for (size_t i = c.from; i < end; i++)
		emit_word(&out, c.words[i].written);
	return finish(&out, question, shortened, most);
}

const char *
summary_shorten_unsorted(void)
{
	struct word_list *const all[] = { &fillers, &exclaimed,
		&greetings, &greeted, &asking,
		&wishes, &himself, &tails,
		&tags, &conjunctions, &askers };
	const char *wrong = NULL;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]) && wrong == NULL;
	     i++)
		wrong = phrase_unsorted(all[i]);
	return wrong;
}
