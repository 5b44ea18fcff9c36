/*
 * token_plain - the words of a text as they stand
 */
#include "store/token_plain.h"

#include "common/text.h"
#include "store/token_fold.h"
#include "store/token_parts.h"

/*
 * A word, a space before it.  Syllables of Hangul stand alone, as characters
 * of unspaced scripts do: a noun is in it whatever particle follows.
 */
static void
plain_word(struct buf *out, struct slice word)
{
	size_t at = 0, pos = 0;
	bool alone, begins = true;
	int32_t cp;

	if (text_is_ascii(word)) {
		buf_addc(out, ' ');
		buf_addslice(out, word);
		return;
	}
	for (; text_next(word, &pos, &cp); at = pos) {
		alone = token_is_hangul(cp);
		if (alone || begins)
			buf_addc(out, ' ');
		buf_addslice(out, slice_of(word.ptr + at, pos - at));
		begins = alone;
	}
}

/* What is between apostrophes, unless all of it is a short form. */
static void
plain_spelled(const struct token_words *words, struct buf *out,
    struct slice word)
{
	size_t at = 0, end;

	word = token_without_possessive(word);
	if (token_is_stop(words, word)) {
		plain_word(out, word);
		return;
	}
	for (; at < word.len; at = end + 1) {
		for (end = at; end < word.len && word.ptr[end] != '\''; end++)
			;
		plain_word(out, slice_of(word.ptr + at, end - at));
	}
}

static void
plain_pieces(struct buf *out, struct slice s)
{
	struct slice piece;
	size_t at = 0;

	while (token_next_piece(s, &at, &piece))
		plain_word(out, piece);
}

static void
plain_token(const struct token_words *words, struct buf *out,
    struct slice folded, enum text_kind kind)
{
	struct slice behind;

	switch (kind) {
	case TEXT_WORD:
		plain_spelled(words, out, folded);
		break;
	case TEXT_NUMBER:
	case TEXT_EMOJI:
	case TEXT_CJK:
	case TEXT_PUNCT:
		plain_word(out, folded);
		break;
	case TEXT_VERSION:
		plain_word(out, token_version_base(folded, &behind));
		plain_pieces(out, behind);
		break;
	default:
		plain_pieces(out, folded);
	}
}

void
token_plain(struct arena *scratch, const struct token_words *words,
    struct slice text, struct buf *out)
{
	struct text_tokens tokens;
	struct text_token token;

	text_tokens_init(&tokens, text);
	while (text_tokens_next(&tokens, &token))
		if (token.kind != TEXT_PUNCT)
			plain_token(words, out, token_fold(scratch,
			    text_token_slice(&tokens, &token)), token.kind);
	buf_addc(out, ' ');
}
