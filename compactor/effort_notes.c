/*
 * effort_notes - a turn's words and sentences, each read once
 *
 * A dozen questions are asked of a turn's wording, and all of them twice: when
 * it is decided about and when that is applied.  What was read for one is kept
 * for the others, with the entry; it follows from the turn alone.  A turn that
 * carries no notes is read anew each time.
 */
#include "common/text.h"
#include "compactor/effort_words_impl.h"

bool
words_say_within(const struct words *w, size_t n, struct word_list *list)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (words_one_of(w, i, list))
			return true;
	return false;
}

static const struct words *
look_up(struct words *w)
{
	size_t i;

	w->any = (struct word_in){ { 0 } };
	w->known = word_lists_known();
	for (i = 0; i < w->count; i++) {
		w->in[i] = word_find(w->at[i]);
		word_in_add(&w->any, w->in[i]);
	}
	return w;
}

const struct words *
words_again(const struct words *w, struct words *room)
{
	room->count = w->count;
	memcpy(room->at, w->at, w->count * sizeof(w->at[0]));
	return look_up(room);
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
	return look_up(out);
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

static struct sentence_notes *
notes_of(const struct compact_turn *t, size_t i)
{
	struct effort_notes *n = t->notes;

	if (n->sentences == NULL)
		n->sentences = arena_array(n->arena, sentence_count(t),
		    sizeof(n->sentences[0]));
	return &n->sentences[i];
}

const struct words *
sentence_words(const struct compact_turn *t, size_t i, struct words *room)
{
	struct msg_c_sentence s = turn_sentence(t, i);

	return t->notes == NULL ? words_read(sentence_text(t, &s), room) :
	    noted(t->notes, &notes_of(t, i)->words, sentence_text(t, &s));
}

unsigned
sentence_content(const struct compact_turn *t, size_t i)
{
	struct sentence_notes unkept = { 0 }, *n = t->notes == NULL ? &unkept :
	    notes_of(t, i);
	struct msg_c_sentence s;

	if (!n->is_counted) {
		s = turn_sentence(t, i);
		n->content = summary_content(t->does, s.at, s.len);
		n->is_counted = true;
	}
	return n->content;
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

/* The lists that have any of the text's words. */
static struct word_in
lists_of(struct slice text)
{
	struct word_in said = { { 0 } };
	struct text_tokens tokens;
	struct text_token token;

	text_tokens_init(&tokens, text);
	while (text_tokens_next(&tokens, &token))
		if (token.kind == TEXT_WORD)
			word_in_add(&said, word_find(text_token_slice(&tokens,
			    &token)));
	return said;
}

bool
turn_says(const struct compact_turn *t, struct word_list *list)
{
	unsigned number = word_list_number(list);
	struct effort_notes *n = t->notes;
	struct words room;
	const struct words *w = turn_words(t, &room);
	struct word_in said;

	if (w->count < FIRST_WORDS || words_say(w, list))
		return words_say(w, list);
	if (n == NULL) {
		said = lists_of(t->text);
		return word_in_list(&said, number);
	}
	if (number > n->said_known) {
		n->said = lists_of(t->text);
		n->said_known = word_lists_known();
	}
	return word_in_list(&n->said, number);
}

/* What is proposed is mostly what tells best how it may end. */
struct slice
turn_shorten(const struct compact_turn *t, struct arena *arena,
    struct slice part, enum summary_cut cut)
{
	struct effort_notes *n = t->notes;

	if (n == NULL)
		return summary_shorten(arena, part, cut, LINE_WORDS);
	if (n->long_text.ptr != part.ptr || n->long_text.len != part.len ||
	    n->cut != cut) {
		n->short_text = summary_shorten(n->arena, part, cut,
		    LINE_WORDS);
		n->long_text = part;
		n->cut = cut;
	}
	return n->short_text;
}
