/*
 * tokenise - the terms of a text, as the search index knows them
 *
 * What a token gives depends on its bytes alone (pairs of characters aside),
 * so it is worked out once and remembered: folding and stemming cost ten times
 * as much as finding a word again.
 */
#include "store/tokenise.h"

#include <libstemmer.h>
#include <stdbool.h>
#include <stdlib.h>
#include <xxhash.h>

#include "common/log.h"
#include "common/text.h"
#include "common/xmalloc.h"
#include "store/token_fold.h"
#include "store/token_memo.h"
#include "store/token_parts.h"
#include "store/token_plain.h"
#include "store/token_words.h"

enum {
	WORD_BYTES = 64,		/* longer ones are not stemmed */
	TERM_HEAD_BYTES = TERM_BYTES - 16,
	PARTS_MOST = 64,		/* parts of one compound */
};

struct tokeniser {
	struct sb_stemmer *stemmer;
	struct token_memo *memo;
	uint32_t numbers;		/* given to those who note something */
	struct token_words *words;
	enum token_use use;
	struct arena scratch;		/* one token, or one text's odd ones */
	struct token *out;
	size_t n_out, room;
};

struct tokeniser *
tokeniser_new(void)
{
	struct tokeniser *t = xcalloc(1, sizeof(*t));

	t->stemmer = sb_stemmer_new("english", "UTF_8");
	if (t->stemmer == NULL)
		fatalx(EX_REFUSE, "libstemmer has no English");
	t->memo = token_memo_new();
	arena_init(&t->scratch);
	t->words = token_words_new();
	return t;
}

void
tokeniser_free(struct tokeniser **t)
{
	if (*t == NULL)
		return;
	sb_stemmer_delete((*t)->stemmer);
	arena_release(&(*t)->scratch);
	token_memo_free(&(*t)->memo);
	token_words_free(&(*t)->words);
	free((*t)->out);
	free(*t);
	*t = NULL;
}

uint32_t
tokeniser_number(struct tokeniser *t)
{
	return ++t->numbers;
}

/* ---- terms ---- */

static void
push(struct tokeniser *t, struct slice term, uint64_t hash, uint64_t *note)
{
	if (t->n_out == t->room) {
		t->room = t->room == 0 ? 256 : t->room * 2;
		t->out = xrealloc(t->out, t->room * sizeof(t->out[0]));
	}
	t->out[t->n_out++] = (struct token){ term, hash, note };
}

/* Memory of the scratch arena, or the caller's own. */
static void
put_term(struct tokeniser *t, struct slice term)
{
	size_t head;

	if (term.len == 0)
		return;
	if (term.len > TERM_BYTES) {
		head = text_cut(term, TERM_HEAD_BYTES);
		term = arena_printf(&t->scratch, "%.*s%016llx", (int)head,
		    term.ptr, (unsigned long long)XXH3_64bits(term.ptr,
			term.len));
	}
	push(t, term, XXH3_64bits(term.ptr, term.len), NULL);
}

static struct slice
fold(struct tokeniser *t, struct slice s)
{
	return token_fold(&t->scratch, s);
}

static void
put_stem(struct tokeniser *t, struct slice folded)
{
	const sb_symbol *stem;

	if (folded.len > WORD_BYTES || !text_is_ascii(folded)) {
		put_term(t, folded);
		return;
	}
	folded = token_base(t->words, folded);
	stem = sb_stemmer_stem(t->stemmer, (const sb_symbol *)folded.ptr,
	    (int)folded.len);
	if (stem == NULL)
		fatalx(EX_RETRY, "out of memory");
	put_term(t, arena_dup(&t->scratch, slice_of((const char *)stem,
	    (size_t)sb_stemmer_length(t->stemmer))));
}

/* A word without Hangul in it. */
static void
put_spelled(struct tokeniser *t, struct slice folded)
{
	struct slice part;

	if (token_is_stop(t->words, folded))
		return;
	folded = token_without_possessive(folded);
	if (token_is_stop(t->words, folded))
		return;
	put_stem(t, folded);
	/* l'école, İstanbul'da: what is shorter is an article or an ending. */
	part = token_main_part(folded);
	if (part.len > 1 && part.len < folded.len &&
	    !token_is_stop(t->words, part))
		put_stem(t, part);
}

/*
 * Characters that stand together: each with the one behind it, a lone one
 * itself.  The last of a text's run is there by itself too, so that whoever
 * looks for one character finds it as the beginning of a pair or so.
 */
static void
put_pairs(struct tokeniser *t, struct slice run)
{
	size_t last = 0, at = 0, pos = 0;
	int32_t cp;

	for (; text_next(run, &pos, &cp); last = at, at = pos)
		if (at > 0)
			put_term(t, slice_of(run.ptr + last, pos - last));
	if (last == 0 || t->use == TOKENS_OF_TEXT)
		put_term(t, slice_of(run.ptr + last, run.len - last));
}

/* Where the run of Hangul, or of anything else, ends that begins at `at`. */
static size_t
hangul_end(struct slice s, size_t at, bool *hangul)
{
	size_t pos = at, end = at;
	int32_t cp;

	for (; text_next(s, &pos, &cp); end = pos) {
		if (end == at)
			*hangul = token_is_hangul(cp);
		else if (token_is_hangul(cp) != *hangul)
			break;
	}
	return end;
}

/* Korean puts particles behind words, and no list tells them from nouns. */
static void
put_word(struct tokeniser *t, struct slice folded)
{
	size_t at, end;
	bool hangul = false;

	if (text_is_ascii(folded)) {
		put_spelled(t, folded);
		return;
	}
	for (at = 0; at < folded.len; at = end) {
		end = hangul_end(folded, at, &hangul);
		if (hangul)
			put_pairs(t, slice_of(folded.ptr + at, end - at));
		else
			put_spelled(t, slice_of(folded.ptr + at, end - at));
	}
}

/* ---- compounds ---- */

/* The parts of a piece, where there are several; how many. */
static size_t
put_parts(struct tokeniser *t, struct slice piece, size_t most)
{
	size_t at = 0, n = 0;
	struct slice part;

	while (n < most && token_next_part(piece, &at, &part) &&
	    part.len < piece.len) {
		put_word(t, fold(t, part));
		n++;
	}
	return n;
}

static bool
has_parts(struct slice piece)
{
	struct slice part;
	size_t at = 0;

	return token_next_part(piece, &at, &part) && part.len < piece.len;
}

/*
 * What is between signs, and the parts of that.  Of a phrase only the former:
 * it may begin and end inside of a compound.
 */
static void
put_pieces(struct tokeniser *t, struct slice s, struct slice whole)
{
	bool phrase = t->use == TOKENS_OF_PHRASE;
	struct slice piece, folded;
	size_t at = 0, n = 0, parts;

	while (n < PARTS_MOST && token_next_piece(s, &at, &piece)) {
		folded = fold(t, piece);
		parts = phrase ? has_parts(piece) :
		    put_parts(t, piece, PARTS_MOST - n);
		if (parts == 0 && piece.len < s.len)
			put_word(t, folded);
		else if (phrase || (parts > 0 && !slice_eq(folded, whole)))
			put_term(t, folded);
		n += parts > 0 ? parts : 1;
	}
}

/* Runs between signs: what people call the pieces of a path. */
static void
put_segments(struct tokeniser *t, struct slice folded, const char *signs)
{
	size_t at = 0, len, n = 0;
	struct slice rest;

	while (at < folded.len && n < PARTS_MOST) {
		rest = slice_of(folded.ptr + at, folded.len - at);
		for (len = 0; len < rest.len &&
		     strchr(signs, rest.ptr[len]) == NULL; len++)
			;
		rest.len = len;
		if (len > 1 && len < folded.len && memchr(rest.ptr, '.', len))
			put_term(t, rest);	/* main.c of src/main.c */
		n++;
		at += len + 1;
	}
}

static void
put_number(struct tokeniser *t, struct slice folded)
{
	char *plain = arena_alloc(&t->scratch, folded.len + 1);
	size_t i, n = 0, digits;

	for (i = 0; i < folded.len; i++)
		if (folded.ptr[i] != ',' && folded.ptr[i] != '$' &&
		    folded.ptr[i] != '%' && folded.ptr[i] != '+')
			plain[n++] = folded.ptr[i];
	put_term(t, slice_of(plain, n));
	digits = text_number_len(slice_of(plain, n));
	if (digits > 0 && digits < n) {
		put_term(t, slice_of(plain, digits));
		put_word(t, slice_of(plain + digits, n - digits));
	}
}

/* Found with v or not, and with what it is a pre-release of. */
static void
put_version(struct tokeniser *t, struct slice folded)
{
	struct slice behind, piece, base = token_version_base(folded, &behind);
	size_t at = 0;

	if (t->use != TOKENS_OF_PHRASE) {
		put_term(t, folded);
		if (folded.ptr[0] == 'v' && folded.len > 1 + base.len)
			put_term(t, slice_of(folded.ptr + 1, folded.len - 1));
	}
	if (base.len < folded.len || t->use == TOKENS_OF_PHRASE)
		put_term(t, base);
	while (token_next_piece(behind, &at, &piece))
		put_word(t, piece);
}

static void
put_compound(struct tokeniser *t, struct slice raw, enum text_kind kind)
{
	struct slice folded = fold(t, raw);

	while (folded.len > 1 && strchr("@#-/.~$", folded.ptr[0]) != NULL)
		folded = slice_of(folded.ptr + 1, folded.len - 1);
	if (kind == TEXT_VERSION) {
		put_version(t, folded);
		return;
	}
	if (t->use != TOKENS_OF_PHRASE) {
		put_term(t, folded);
		if (kind == TEXT_PATH || kind == TEXT_URL ||
		    kind == TEXT_EMAIL)
			put_segments(t, folded, "/\\@:?&=");
	}
	put_pieces(t, raw, folded);
}

/* A capital inside, and not all are: HTTPServer, McDonald. */
static bool
has_humps(struct slice raw)
{
	bool inner = false, small = false;
	size_t i;

	for (i = 0; i < raw.len; i++) {
		inner = inner || (i > 0 && raw.ptr[i] >= 'A' &&
		    raw.ptr[i] <= 'Z');
		small = small || (raw.ptr[i] >= 'a' && raw.ptr[i] <= 'z');
	}
	return inner && small;
}

static void
put_token(struct tokeniser *t, struct slice raw, enum text_kind kind)
{
	switch (kind) {
	case TEXT_WORD:
		put_word(t, fold(t, raw));
		if (has_humps(raw))
			put_parts(t, raw, PARTS_MOST);
		break;
	case TEXT_NUMBER:
		put_number(t, fold(t, raw));
		break;
	case TEXT_EMOJI:
		put_term(t, fold(t, raw));
		break;
	case TEXT_PUNCT:
	case TEXT_CJK:
		break;
	default:
		put_compound(t, raw, kind);
	}
}

/* What a token gives, from memory where it came before. */
static void
take(struct tokeniser *t, struct slice raw, enum text_kind kind)
{
	struct token_terms *known;
	size_t i, from = t->n_out;

	/* Asked for, some give other terms than those that are remembered. */
	if (t->use != TOKENS_OF_TEXT && (t->use == TOKENS_OF_PHRASE ||
		!text_is_ascii(raw))) {
		put_token(t, raw, kind);
		return;
	}
	known = token_memo_find(t->memo, raw, kind);
	if (known == NULL) {
		put_token(t, raw, kind);
		token_memo_learn(t->memo, raw, kind, t->out + from,
		    t->n_out - from);
		return;
	}
	for (i = 0; i < known->n; i++)
		push(t, known->at[i].term, known->at[i].hash,
		    &known->at[i].note);
}

/* ---- a text ---- */

/* Characters of an unspaced script, as put_pairs has those of a word. */
static void
take_unspaced(struct tokeniser *t, struct slice text,
    const struct text_token *now, const struct text_token *before)
{
	bool follows = before->kind == TEXT_CJK &&
	    before->at + before->len == now->at && before->len > 0;
	struct slice next = slice_of(text.ptr + now->at + now->len,
	    text.len - now->at - now->len);
	size_t pos = 0;
	int32_t cp;

	if (follows)
		put_term(t, fold(t, slice_of(text.ptr + before->at,
		    before->len + now->len)));
	if ((!follows || t->use == TOKENS_OF_TEXT) &&
	    (!text_next(next, &pos, &cp) || text_class(cp) != TEXT_UNSPACED))
		put_term(t, fold(t, slice_of(text.ptr + now->at, now->len)));
}

size_t
tokenise_for(struct tokeniser *t, struct slice text, enum token_use use,
    const struct token **out)
{
	struct text_token token, before = { 0 };
	struct text_tokens tokens;

	token_memo_tidy(t->memo);
	arena_reset(&t->scratch);
	t->n_out = 0;
	t->use = use;
	text_tokens_init(&tokens, text);
	while (text_tokens_next(&tokens, &token)) {
		if (token.kind == TEXT_CJK)
			take_unspaced(t, text, &token, &before);
		else if (token.kind != TEXT_PUNCT)
			take(t, text_token_slice(&tokens, &token), token.kind);
		before = token;
	}
	*out = t->out;
	return t->n_out;
}

size_t
tokenise(struct tokeniser *t, struct slice text, const struct token **out)
{
	return tokenise_for(t, text, TOKENS_OF_TEXT, out);
}

void
tokenise_plain(struct tokeniser *t, struct slice text, struct buf *out)
{
	arena_reset(&t->scratch);
	token_plain(&t->scratch, t->words, text, out);
}
