/*
 * phrase - the words of a sentence as they are written, and lists of phrases
 */
#include "compactor/phrase.h"

#include <endian.h>

#include "common/text.h"

enum {
	BYTE_space = 1,
	BYTE_sign = 2,
	BYTE_clause = 4,	/* ends one, right behind a word */
};

static const uint8_t bytes[256] = {
	[' '] = BYTE_space, ['\t'] = BYTE_space, ['\n'] = BYTE_space,
	['\r'] = BYTE_space,
	['.'] = BYTE_sign | BYTE_clause, [','] = BYTE_sign | BYTE_clause,
	[';'] = BYTE_sign | BYTE_clause, [':'] = BYTE_sign | BYTE_clause,
	['!'] = BYTE_sign | BYTE_clause, ['?'] = BYTE_sign | BYTE_clause,
	[')'] = BYTE_sign | BYTE_clause, ['('] = BYTE_sign,
	['"'] = BYTE_sign, ['\''] = BYTE_sign, ['['] = BYTE_sign,
	[']'] = BYTE_sign, ['{'] = BYTE_sign, ['}'] = BYTE_sign,
	['<'] = BYTE_sign, ['>'] = BYTE_sign, ['*'] = BYTE_sign,
	['_'] = BYTE_sign, ['`'] = BYTE_sign, ['~'] = BYTE_sign,
	['-'] = BYTE_sign, ['|'] = BYTE_sign, ['#'] = BYTE_sign,
	['&'] = BYTE_sign, ['+'] = BYTE_sign, ['='] = BYTE_sign,
};

static inline uint8_t
byte_kind(char c)
{
	return bytes[(unsigned char)c];
}

/* Where the word that begins at `at` ends: at a space, or with the text. */
static size_t
word_end(struct slice text, size_t at)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t eight, low;

	for (; text.len - at >= sizeof(eight); at += sizeof(eight)) {
		memcpy(&eight, text.ptr + at, sizeof(eight));
		eight = le64toh(eight);
		/* A byte's top bit: not past ' '. */
		low = ~((eight | 0x80 * ones) - (' ' + 1) * ones) & ~eight &
		    0x80 * ones;
		if (low != 0) {
			at += (size_t)__builtin_ctzll(low) / 8;
			break;
		}
	}
	/* Other control characters are of the word. */
	while (at < text.len && !(byte_kind(text.ptr[at]) & BYTE_space))
		at++;
	return at;
}

/* `folded`: the sentence, if that can be done to all of it at once. */
static void
add_word(struct arena *a, struct phrase_word *w, struct slice sentence,
    size_t at, size_t end, const char *folded)
{
	uint8_t behind = 0;

	w->written = slice_of(sentence.ptr + at, end - at);
	while (at < end && byte_kind(sentence.ptr[at]) & BYTE_sign)
		at++;
	while (end > at && byte_kind(sentence.ptr[end - 1]) & BYTE_sign)
		behind |= byte_kind(sentence.ptr[--end]);
	w->folded = folded != NULL ? slice_of(folded + at, end - at) :
	    text_fold(a, slice_of(sentence.ptr + at, end - at));
	w->in = word_find(w->folded);
	w->known = word_lists_known();
	w->sign = end > at && behind != 0;
	w->clause = end > at && (behind & BYTE_clause) != 0;
}

size_t
phrase_words(struct arena *a, struct slice sentence, struct phrase_word **out)
{
	size_t at = 0, end, count = 0;
	/* Between two words there is a space. */
	size_t room = sentence.len / 2 + 1 < PHRASE_WORDS ?
	    sentence.len / 2 + 1 : PHRASE_WORDS;
	/* What is ASCII stays where it is. */
	const char *folded = text_is_ascii(sentence) ?
	    text_fold(a, sentence).ptr : NULL;

	*out = arena_room(a, room * sizeof(**out));
	while (count < room) {
		while (at < sentence.len &&
		    byte_kind(sentence.ptr[at]) & BYTE_space)
			at++;
		end = word_end(sentence, at);
		if (end == at)
			break;
		add_word(a, &(*out)[count++], sentence, at, end, folded);
		at = end;
	}
	return count;
}

/* The lists that a word is in, also those that were not known before. */
static inline const struct word_in *
lists_of(const struct phrase_word *w, unsigned number)
{
	return number > w->known ? word_find(w->folded) : w->in;
}

/* How many words the phrase has, if they are these, as the first is. */
static size_t
fits(const struct phrase_word *words, size_t count, const struct phrase *p,
    unsigned number)
{
	size_t n;

	for (n = 1; p->words[n] != NULL; n++)
		if (n == count || p->words[n] != lists_of(&words[n], number))
			return 0;
	return n;
}

size_t
phrase_at(const struct phrase_word *words, size_t count, size_t at,
    struct word_list *list)
{
	unsigned number = word_list_number(list);
	const struct word_in *first;
	const struct phrase *p;
	size_t most = 0, i, n, n_phrases;

	if (at >= count)
		return 0;
	first = lists_of(&words[at], number);
	/* Mostly none begins with it. */
	if (!word_in_list(first, number))
		return 0;
	p = phrases_with(list, first, &n_phrases);
	for (i = 0; i < n_phrases; i++) {
		n = fits(words + at, count - at, &p[i], number);
		most = n > most ? n : most;
	}
	return most;
}

size_t
phrase_before(const struct phrase_word *words, size_t from, size_t end,
    struct word_list *p)
{
	for (size_t n = end - from < PHRASE_MOST ? end - from : PHRASE_MOST;
	     n > 0; n--)
		if (phrase_at(words, end, end - n, p) == n)
			return n;
	return 0;
}

bool
phrase_in(const struct phrase_word *words, size_t count, struct word_list *p)
{
	for (size_t i = 0; i < count; i++)
		if (phrase_at(words, count, i, p) > 0)
			return true;
	return false;
}

/* The first word of a phrase. */
static struct slice
first_word(const char *phrase)
{
	return slice_of(phrase, (size_t)(strchrnul(phrase, ' ') - phrase));
}

const char *
phrase_unsorted(const struct word_list *p)
{
	for (size_t i = 1; i < p->count; i++)
		if (slice_cmp(first_word(p->words[i - 1]),
		    first_word(p->words[i])) > 0)
			return p->words[i];
	return NULL;
}
