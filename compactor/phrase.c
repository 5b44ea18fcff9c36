/*
 * phrase - the words of a sentence as they are written, and lists of phrases
 */
#include "compactor/phrase.h"

#include "common/text.h"
#include "compactor/word_index.h"

enum { PHRASE_MOST = 6 };	/* words of a phrase at the end of a sentence */

/* ' ', '\t', '\n', '\r', by bits of what is below 64. */
static inline bool
is_space(char c)
{
	const uint64_t spaces = UINT64_C(1) << ' ' | UINT64_C(1) << '\t' |
	    UINT64_C(1) << '\n' | UINT64_C(1) << '\r';
	unsigned char u = (unsigned char)c;

	return u <= ' ' && (spaces >> u & 1) != 0;
}

/* One of .,;:!?"'()[]{}<>*_`~-|#&+= by bits of what is below 128. */
static bool
is_sign(char c)
{
#define BIT(sign) UINT64_C(1) << (sign) % 64
	static const uint64_t signs[2] = {
		BIT('.') | BIT(',') | BIT(';') | BIT(':') | BIT('!') |
		    BIT('?') | BIT('"') | BIT('\'') | BIT('(') | BIT(')') |
		    BIT('<') | BIT('>') | BIT('*') | BIT('-') | BIT('#') |
		    BIT('&') | BIT('+') | BIT('='),
		BIT('[') | BIT(']') | BIT('{') | BIT('}') | BIT('_') |
		    BIT('`') | BIT('~') | BIT('|'),
	};
#undef BIT
	unsigned char u = (unsigned char)c;

	return u < 0x80 && (signs[u / 64] >> u % 64 & 1) != 0;
}

/* What ends a clause, when it stands right behind a word. */
static bool
is_clause(char c)
{
	return c != '\0' && strchr(",;:.!?)", c) != NULL;
}

/* `folded`: the sentence, if that can be done to all of it at once. */
static void
add_word(struct arena *a, struct phrase_word *w, struct slice written,
    const char *folded)
{
	size_t from = 0, end = written.len;

	while (from < end && is_sign(written.ptr[from]))
		from++;
	while (end > from && is_sign(written.ptr[end - 1]))
		end--;
	w->written = written;
	w->folded = folded != NULL ? slice_of(folded + from, end - from) :
	    text_fold(a, slice_of(written.ptr + from, end - from));
	for (size_t i = end; i < written.len && end > from; i++) {
		w->sign = true;
		w->clause |= is_clause(written.ptr[i]);
	}
}

size_t
phrase_words(struct arena *a, struct slice sentence, struct phrase_word **out)
{
	size_t at = 0, end, count = 0, spaces = 0, room;
	unsigned char bits = 0;
	const char *folded;

	for (size_t i = 0; i < sentence.len; i++) {
		bits |= (unsigned char)sentence.ptr[i];
		spaces += is_space(sentence.ptr[i]);
	}
	/* What is ASCII stays where it is. */
	folded = bits < 0x80 ? text_fold(a, sentence).ptr : NULL;
	room = spaces + 1 < PHRASE_WORDS ? spaces + 1 : PHRASE_WORDS;
	*out = arena_array(a, room, sizeof(**out));
	while (count < room) {
		while (at < sentence.len && is_space(sentence.ptr[at]))
			at++;
		for (end = at; end < sentence.len &&
		     !is_space(sentence.ptr[end]); )
			end++;
		if (end == at)
			break;
		add_word(a, &(*out)[count++],
		    slice_of(sentence.ptr + at, end - at),
		    folded == NULL ? NULL : folded + at);
		at = end;
	}
	return count;
}

/* The first word of a phrase. */
static struct slice
first_word(const char *phrase)
{
	return slice_of(phrase, (size_t)(strchrnul(phrase, ' ') - phrase));
}

/*
 * The first word of a phrase against a word, as slice_cmp has it.  This is
 * asked so often that the word's end is not looked for first.
 */
static inline int
first_cmp(const char *phrase, struct slice word)
{
	/* Most differ in the first letter. */
	if (word.len > 0 && phrase[0] > ' ' && phrase[0] != word.ptr[0])
		return (unsigned char)phrase[0] < (unsigned char)word.ptr[0] ?
		    -1 : 1;
	for (size_t i = 0; i < word.len; i++) {
		unsigned char c = (unsigned char)phrase[i];

		if (c == ' ' || c == '\0')
			return -1;
		if (c != (unsigned char)word.ptr[i])
			return c < (unsigned char)word.ptr[i] ? -1 : 1;
	}
	return phrase[word.len] != ' ' && phrase[word.len] != '\0';
}

/* The first phrase that begins with no smaller word, from low to high. */
static size_t
lower_bound(struct phrases p, struct slice word, size_t low, size_t high)
{
	while (low < high) {
		size_t mid = (low + high) / 2;

		if (first_cmp(p.list[mid], word) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* How many words the phrase has, if they are these; else 0. */
static size_t
fits(const struct phrase_word *words, size_t count, const char *phrase)
{
	for (size_t n = 0; n < count; n++) {
		if (first_cmp(phrase, words[n].folded) != 0)
			return 0;
		phrase += words[n].folded.len;
		if (*phrase == '\0')
			return n + 1;
		phrase++;
	}
	return 0;
}

/* The longest phrase from the first of the words on. */
static size_t
longest(const struct phrase_word *words, size_t count, struct phrases p,
    size_t from, size_t end)
{
	size_t most = 0, n;

	for (size_t i = lower_bound(p, words[0].folded, from, end);
	     i < end && first_cmp(p.list[i], words[0].folded) == 0; i++) {
		n = fits(words, count, p.list[i]);
		most = n > most ? n : most;
	}
	return most;
}

static inline size_t
look_at(const struct phrase_word *words, size_t count, size_t at,
    struct phrases p, const struct word_index *x)
{
	struct slice word;
	unsigned letter;

	if (at >= count || words[at].folded.len == 0)
		return 0;
	word = words[at].folded;
	letter = word_index_letter(word.ptr[0]);
	if (!word_index_may_have(x, letter, word.len))
		return 0;
	return longest(words + at, count - at, p, x->from[letter],
	    letter == 0 ? p.count : x->from[letter + 1]);
}

size_t
phrase_at(const struct phrase_word *words, size_t count, size_t at,
    struct phrases p)
{
	return look_at(words, count, at, p,
	    word_index_of_phrases(p.list, p.count));
}

size_t
phrase_before(const struct phrase_word *words, size_t from, size_t end,
    struct phrases p)
{
	const struct word_index *x = word_index_of_phrases(p.list, p.count);

	for (size_t n = end - from < PHRASE_MOST ? end - from : PHRASE_MOST;
	     n > 0; n--)
		if (look_at(words, end, end - n, p, x) == n)
			return n;
	return 0;
}

bool
phrase_in(const struct phrase_word *words, size_t count, struct phrases p)
{
	const struct word_index *x = word_index_of_phrases(p.list, p.count);

	for (size_t i = 0; i < count; i++)
		if (look_at(words, count, i, p, x) > 0)
			return true;
	return false;
}

const char *
phrase_unsorted(struct phrases p)
{
	for (size_t i = 1; i < p.count; i++)
		if (slice_cmp(first_word(p.list[i - 1]),
		    first_word(p.list[i])) > 0)
			return p.list[i];
	return NULL;
}
