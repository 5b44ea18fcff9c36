/*
 * effort_notes - a turn's words and sentences, each read once
 *
 * A dozen questions are asked of a turn's wording, and all of them twice: when
 * it is decided about and when that is applied.  What was read for one is kept
 * for the others, with the entry; it follows from the turn alone.  A turn that
 * carries no notes is read anew each time.
 */
#include <strings.h>

#include "common/text.h"
#include "compactor/effort_words_impl.h"
#include "compactor/word_index.h"

/* "doesnt": many type it so. */
static bool
is_negation_typed(struct slice word, const struct indexed_word *x)
{
	return x->negation && word.len == x->len - 1 &&
	    (word.ptr[word.len - 1] | 0x20) == 't' &&
	    strncasecmp(word.ptr, x->word, x->len - 2) == 0;
}

/* Most words of a list begin with another letter: one look tells. */
static inline bool
is_listed(struct slice word, const struct word_index *x)
{
	const struct indexed_word *at, *end;
	unsigned letter;

	if (word.len == 0)
		return false;
	letter = word_index_letter(word.ptr[0]);
	if (!word_index_may_have(x, letter, word.len))
		return false;
	end = &x->words[x->from[letter + 1]];
	for (at = &x->words[x->from[letter]]; at < end; at++)
		if ((at->len == word.len && text_is_word(word, at->word)) ||
		    is_negation_typed(word, at))
			return true;
	return false;
}

bool
word_one_of(struct slice word, const char *const *words)
{
	return is_listed(word, word_index_of(words));
}

bool
words_say(const struct words *w, const char *const *words)
{
	const struct word_index *x = word_index_of(words);
	size_t i;

	for (i = 0; i < w->count; i++)
		if (is_listed(w->at[i], x))
			return true;
	return false;
}

static const struct words *
words_read(struct slice text, struct words *out)
{
	struct text_tokens tokens;
	struct text_token token;

	out->count = 0;
	text_tokens_init(&tokens, text);
	while (out->count < FIRST_WORDS && text_tokens_next(&tokens, &token))
		if (token.kind == TEXT_WORD)
			out->at[out->count++] =
			    text_token_slice(&tokens, &token);
	return out;
}

/* ---- sentences, as classify has them ---- */

size_t
sentence_count(const struct compact_turn *t)
{
	return t->does->n_sentences > 0 ? t->does->n_sentences : 1;
}

struct msg_c_sentence
turn_sentence(const struct compact_turn *t, size_t i)
{
	struct msg_c_sentence s = {
		.len = t->text.len,
		.act = t->does->act,
		.confidence = t->does->confidence,
		.concludes = t->does->concludes,
		.rule = t->does->rule,
	};

	if (t->does->n_sentences > 0)
		s = t->does->sentences[i];
	if (s.at > t->text.len || s.len > t->text.len - s.at)
		s.at = s.len = 0;
	return s;
}

struct slice
sentence_text(const struct compact_turn *t, const struct msg_c_sentence *s)
{
	return slice_of(t->text.ptr + s->at, s->len);
}

/* ---- read once ---- */

/* From its place among the notes, put there when first asked for. */
static const struct words *
noted(struct effort_notes *n, const struct words **at, struct slice text)
{
	if (*at == NULL)
		*at = words_read(text, arena_room(n->arena, sizeof(**at)));
	return *at;
}

const struct words *
sentence_words(const struct compact_turn *t, size_t i, struct words *room)
{
	struct msg_c_sentence s = turn_sentence(t, i);
	struct effort_notes *n = t->notes;

	if (n == NULL)
		return words_read(sentence_text(t, &s), room);
	if (n->words == NULL)
		n->words = arena_array(n->arena, sentence_count(t),
		    sizeof(n->words[0]));
	return noted(n, &n->words[i], sentence_text(t, &s));
}

const struct words *
turn_words(const struct compact_turn *t, struct words *room)
{
	if (t->notes == NULL)
		return words_read(t->text, room);
	if (t->does->n_sentences == 0)
		return sentence_words(t, 0, room);
	return noted(t->notes, &t->notes->whole, t->text);
}

bool
turn_says(const struct compact_turn *t, const char *const *list)
{
	struct text_tokens tokens;
	struct text_token token;
	struct words room;
	const struct words *w = turn_words(t, &room);

	if (w->count < FIRST_WORDS || words_say(w, list))
		return words_say(w, list);
	text_tokens_init(&tokens, t->text);
	while (text_tokens_next(&tokens, &token))
		if (token.kind == TEXT_WORD &&
		    word_one_of(text_token_slice(&tokens, &token), list))
			return true;
	return false;
}
