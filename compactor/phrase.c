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
	size_t at = 0, end, count = 0;
	/* Between two words there is a space. */
	size_t room = sentence.len / 2 + 1 < PHRASE_WORDS ?
	    sentence.len / 2 + 1 : PHRASE_WORDS;
	/* What is ASCII stays where it is. */
	const char *folded = text_is_ascii(sentence) ?
	    text_fold(a, sentence).ptr : NULL;

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

/* How many words the phrase has, if they are these, as the first is. */
static size_t
fits(const struct phrase_word *words, size_t count, const char *phrase)
{
	struct slice word = words[0].folded;
	size_t n;

	for (n = 1; phrase[word.len] != '\0'; n++) {
		if (n == count)
			return 0;
		phrase += word.len + 1;
		word = words[n].folded;
		if (strncmp(phrase, word.ptr, word.len) != 0 ||
		    (phrase[word.len] != ' ' && phrase[word.len] != '\0'))
			return 0;
	}
	return n;
}

/* The longest phrase from one of the words on. */
static inline size_t
look_at(const struct phrase_word *words, size_t count, size_t at,
    struct phrases p, const struct word_index *x)
{
	size_t most = 0, end, n;
	struct slice word;
	unsigned letter;

	if (at >= count || words[at].folded.len == 0)
		return 0;
	word = words[at].folded;
	letter = word_index_letter(word.ptr[0]);
	if (!word_index_may_have(x, letter, word.len))
		return 0;
	end = letter == 0 ? p.count : x->from[letter + 1];
	for (size_t i = x->from[letter]; i < end; i++) {
		if (x->first_lens[i] != word.len ||
		    memcmp(p.list[i], word.ptr, word.len) != 0)
			continue;
		n = fits(words + at, count - at, p.list[i]);
		most = n > most ? n : most;
	}
	return most;
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
