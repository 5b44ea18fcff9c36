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
#include <utf8proc.h>
#include <xxhash.h>

#include "common/log.h"
#include "common/text.h"
#include "common/xmalloc.h"
#include "store/token_memo.h"

enum {
	WORD_BYTES = 64,		/* longer ones are not stemmed */
	TERM_HEAD_BYTES = TERM_BYTES - 16,
	PARTS_MOST = 64,		/* parts of one compound */
};

/* A stop word, or an irregular form of another word. */
struct stop {
	struct slice word;	/* ptr NULL: free */
	struct slice base;
};

struct tokeniser {
	struct sb_stemmer *stemmer;
	struct token_memo *memo;
	uint32_t numbers;		/* given to those who note something */
	struct stop *stops;		/* a table of STOP_SLOTS */
	struct arena scratch;		/* one token, or one text's odd ones */
	struct token *out;
	size_t n_out, room;
};

/*
 * Words that are in every dialogue and tell none from another.  Negations,
 * modals and short forms are among them; names, numbers and verbs of meaning
 * are not.
 */
enum { STOP_SLOTS = 1024 };
static const char stop_words[] =
    "a an the this that these those i me my mine myself we us our ours "
    "ourselves you your yours yourself yourselves he him his himself she her "
    "hers herself it its itself they them their theirs themselves who whom "
    "whose which what when where why how and or but nor so if because as "
    "until while of at by for with about against between into through "
    "during before after above below to from up down in out on off over "
    "under again further then once here there all any both each few more "
    "most other some such no not only own same than too very just also "
    "am is are was were be been being have has had having do does did doing "
    "done will would shall should can could may might must cannot ain't "
    "aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't "
    "mightn't mustn't needn't shan't shouldn't wasn't weren't won't wouldn't "
    "i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's "
    "she'd she'll it's it'd it'll we're we've we'd we'll they're they've "
    "they'd they'll that's that'll that'd there's here's what's who's "
    "where's when's why's how's let's im ive dont doesnt didnt cant wont "
    "isnt arent wasnt thats whats youre oh yeah yes ok okay hey hi hello "
    "really well get got s t d ll m re ve";

/* Forms that no ending tells: each word, then what it is a form of. */
static const char irregular_words[] =
    "went go gone go bought buy brought bring made make took take taken take "
    "gave give given give saw see seen see ran run ate eat eaten eat wrote "
    "write written write taught teach thought think met meet told tell said "
    "say felt feel found find left leave lost lose kept keep knew know known "
    "know began begin begun begin broke break broken break built build chose "
    "choose chosen choose came come drew draw drawn draw drove drive driven "
    "drive fell fall fallen fall flew fly flown fly forgot forget forgotten "
    "forget grew grow grown grow heard hear held hold led lead meant mean "
    "paid pay rode ride ridden ride sang sing sung sing sold sell sent send "
    "slept sleep spoke speak spoken speak spent spend stood stand swam swim "
    "swum swim threw throw thrown throw understood understand wore wear worn "
    "wear won win children child men man women woman people person";

/* ---- the lists ---- */

static struct stop *
stop_slot(struct tokeniser *t, struct slice word)
{
	uint64_t hash = XXH3_64bits(word.ptr, word.len);
	size_t at = hash % STOP_SLOTS;

	while (t->stops[at].word.ptr != NULL &&
	    !slice_eq(t->stops[at].word, word))
		at = (at + 1) % STOP_SLOTS;
	return &t->stops[at];
}

/* The next word of a list; an empty one at its end. */
static struct slice
next_word(const char **list)
{
	size_t len = strcspn(*list, " ");
	struct slice word = slice_of(*list, len);

	*list += len + ((*list)[len] == ' ');
	return word;
}

static void
learn_lists(struct tokeniser *t)
{
	const char *stops = stop_words, *forms = irregular_words;
	struct slice word;
	struct stop *slot;

	t->stops = xcalloc(STOP_SLOTS, sizeof(t->stops[0]));
	while ((word = next_word(&stops)).len > 0)
		stop_slot(t, word)->word = word;
	while ((word = next_word(&forms)).len > 0) {
		slot = stop_slot(t, word);
		slot->word = word;
		slot->base = next_word(&forms);
	}
}

static bool
is_stop(struct tokeniser *t, struct slice word)
{
	struct stop *slot = stop_slot(t, word);

	return slot->word.ptr != NULL && slot->base.len == 0;
}

static struct slice
base_of(struct tokeniser *t, struct slice word)
{
	struct stop *slot = stop_slot(t, word);

	return slot->base.len > 0 ? slot->base : word;
}

struct tokeniser *
tokeniser_new(void)
{
	struct tokeniser *t = xcalloc(1, sizeof(*t));

	t->stemmer = sb_stemmer_new("english", "UTF_8");
	if (t->stemmer == NULL)
		fatalx(EX_REFUSE, "libstemmer has no English");
	t->memo = token_memo_new();
	arena_init(&t->scratch);
	learn_lists(t);
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
	free((*t)->stops);
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

/*
 * Folded, and without marks where a word is of a script whose marks are
 * accents: elsewhere they are vowels.
 */
static struct slice
fold(struct tokeniser *t, struct slice s)
{
	static const utf8proc_option_t strip = UTF8PROC_STABLE |
	    UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK;
	struct slice folded = text_fold(&t->scratch, s);
	utf8proc_uint8_t *plain = NULL;
	utf8proc_ssize_t len;
	int32_t first = 0;
	size_t pos = 0;

	if (text_is_ascii(folded) || !text_next(folded, &pos, &first) ||
	    first >= 0x530 || folded.len > WORD_BYTES * 2)
		return folded;
	len = utf8proc_map((const utf8proc_uint8_t *)folded.ptr,
	    (utf8proc_ssize_t)folded.len, &plain, strip);
	if (len > 0)
		folded = arena_dup(&t->scratch,
		    slice_of((const char *)plain, (size_t)len));
	free(plain);
	return folded;
}

static struct slice
without_possessive(struct slice s)
{
	if (s.len > 2 && s.ptr[s.len - 2] == '\'' && s.ptr[s.len - 1] == 's')
		s.len -= 2;
	else if (s.len > 1 && s.ptr[s.len - 1] == '\'')
		s.len -= 1;
	return s;
}

static void
put_word(struct tokeniser *t, struct slice folded)
{
	const sb_symbol *stem;

	if (is_stop(t, folded))
		return;
	folded = without_possessive(folded);
	if (folded.len > WORD_BYTES || !text_is_ascii(folded) ||
	    is_stop(t, folded)) {
		if (!is_stop(t, folded))
			put_term(t, folded);
		return;
	}
	folded = base_of(t, folded);
	stem = sb_stemmer_stem(t->stemmer, (const sb_symbol *)folded.ptr,
	    (int)folded.len);
	if (stem == NULL)
		fatalx(EX_RETRY, "out of memory");
	put_term(t, arena_dup(&t->scratch, slice_of((const char *)stem,
	    (size_t)sb_stemmer_length(t->stemmer))));
}

/* ---- compounds ---- */

enum piece { PIECE_SIGN, PIECE_UPPER, PIECE_LOWER, PIECE_DIGIT };

static enum piece
piece_of(int32_t cp)
{
	switch (text_class(cp)) {
	case TEXT_LETTER:
	case TEXT_UNSPACED:
	case TEXT_MARK:
		return text_is_upper(cp) ? PIECE_UPPER : PIECE_LOWER;
	case TEXT_DIGIT:
		return PIECE_DIGIT;
	default:
		return PIECE_SIGN;
	}
}

/*
 * The end of the part at `at`: to a sign, to digits after letters or letters
 * after digits, to a capital after a small letter, and before the last capital
 * of several that a small letter follows (HTTPServer: HTTP, Server).
 */
static size_t
part_end(struct slice s, size_t at)
{
	size_t pos = at, before = at, one_back = at;
	enum piece last = PIECE_SIGN, now;
	bool capitals = true;
	int32_t cp;

	for (; text_next(s, &pos, &cp); one_back = before, before = pos) {
		now = piece_of(cp);
		if (before == at) {
			last = now;
			continue;
		}
		if (now == PIECE_SIGN || last == PIECE_SIGN ||
		    (now == PIECE_DIGIT) != (last == PIECE_DIGIT) ||
		    (now == PIECE_UPPER && last == PIECE_LOWER))
			return before;
		if (now == PIECE_LOWER && last == PIECE_UPPER && capitals &&
		    one_back > at)
			return one_back;
		capitals = capitals && now == PIECE_UPPER;
		last = now;
	}
	return s.len;
}

/* The parts of a compound, where there are several. */
static void
put_parts(struct tokeniser *t, struct slice s)
{
	size_t at = 0, end, n = 0;
	struct slice part;
	size_t pos;
	int32_t cp;

	for (; at < s.len && n < PARTS_MOST; at = end) {
		end = part_end(s, at);
		part = slice_of(s.ptr + at, end - at);
		pos = 0;
		if (part.len == s.len || !text_next(part, &pos, &cp) ||
		    piece_of(cp) == PIECE_SIGN)
			continue;
		put_word(t, fold(t, part));
		n++;
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

static void
put_compound(struct tokeniser *t, struct slice raw, enum text_kind kind)
{
	struct slice folded = fold(t, raw);

	while (folded.len > 1 && strchr("@#-/.~$", folded.ptr[0]) != NULL)
		folded = slice_of(folded.ptr + 1, folded.len - 1);
	put_term(t, folded);
	if (kind == TEXT_VERSION) {
		if (folded.len > 1 && folded.ptr[0] == 'v')
			put_term(t, slice_of(folded.ptr + 1, folded.len - 1));
		return;
	}
	if (kind == TEXT_PATH || kind == TEXT_URL || kind == TEXT_EMAIL)
		put_segments(t, folded, "/\\@:?&=");
	put_parts(t, raw);
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
			put_parts(t, raw);
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
	struct token_terms *known = token_memo_find(t->memo, raw, kind);
	size_t i, from = t->n_out;

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

/*
 * Characters of an unspaced script: each with the one right behind it; the
 * last, or a lone one, goes with the pair it ended or alone.
 */
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
	else if (!text_next(next, &pos, &cp) ||
	    text_class(cp) != TEXT_UNSPACED)
		put_term(t, fold(t, slice_of(text.ptr + now->at, now->len)));
}

size_t
tokenise(struct tokeniser *t, struct slice text, const struct token **out)
{
	struct text_token token, before = { 0 };
	struct text_tokens tokens;

	token_memo_tidy(t->memo);
	arena_reset(&t->scratch);
	t->n_out = 0;
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

void
tokenise_plain(struct tokeniser *t, struct slice text, struct buf *out)
{
	struct text_tokens tokens;
	struct text_token token;
	struct slice word;

	arena_reset(&t->scratch);
	text_tokens_init(&tokens, text);
	while (text_tokens_next(&tokens, &token)) {
		if (token.kind == TEXT_PUNCT)
			continue;
		word = fold(t, text_token_slice(&tokens, &token));
		if (token.kind == TEXT_WORD)
			word = without_possessive(word);
		buf_addc(out, ' ');
		buf_addslice(out, word);
	}
	buf_addc(out, ' ');
}
