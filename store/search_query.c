/*
 * search_query - a query's words, phrases and beginnings of words
 */
#include "common/text.h"
#include "common/when.h"
#include "common/xmalloc.h"
#include "store/search_impl.h"
#include "store/token_fold.h"

enum {
	QUERY_TERMS_MOST = 256,
	QUERY_BYTES_MOST = 64 * 1024,
};

/* A word counts once, however often it is said. */
static void
add_term(struct parsed *p, struct arena *arena, struct slice term,
    bool prefix, bool must)
{
	size_t i;

	for (i = 0; i < p->n_terms; i++)
		if (p->terms[i].prefix == prefix &&
		    slice_eq(p->terms[i].term, term)) {
			p->must += must && !p->terms[i].must;
			p->terms[i].must = p->terms[i].must || must;
			return;
		}
	if (p->n_terms == QUERY_TERMS_MOST)
		return;
	p->terms[p->n_terms++] = (struct query_term){
		.term = arena_dup(arena, term), .prefix = prefix,
		.must = must };
	p->must += must;
}

/* ---- what frames a question ---- */

/* Stems of words that say how to answer, not about what. */
static const char *const framing[] = { "mention", "discuss", "convers",
	"chat", "bring", "list", "summari", "summar", "comprehens", "overview",
	"aspect", "walk", "give", "tell", "remind", "recal", "rememb",
	"provid", "describ", "explain", "help", "pleas", "item",
	"throughout", "across", "kind", "type", "sort", NULL };

static bool
is_framing(const struct query_term *t)
{
	size_t i;

	for (i = 0; framing[i] != NULL; i++)
		if (slice_is(t->term, framing[i]))
			return !t->must && !t->prefix;
	return false;
}

/* They go, unless the query has nothing else. */
static void
drop_framing(struct parsed *p)
{
	size_t i, kept = 0;

	for (i = 0; i < p->n_terms; i++)
		kept += !is_framing(&p->terms[i]);
	if (kept == 0)
		return;
	for (i = 0, kept = 0; i < p->n_terms; i++)
		if (!is_framing(&p->terms[i]))
			p->terms[kept++] = p->terms[i];
	p->n_terms = kept;
}

/* ---- when ---- */

static const char *const months[] = { "january", "february", "march", "april",
	"may", "june", "july", "august", "september", "october", "november",
	"december" };

/* 1 to 12, by its name or the first three letters of it; 0: none. */
static int
month_of(struct slice folded)
{
	int m;

	for (m = 0; m < 12; m++)
		if (slice_is(folded, months[m]) || (folded.len == 3 &&
			memcmp(folded.ptr, months[m], 3) == 0))
			return m + 1;
	return slice_is(folded, "sept") ? 9 : 0;
}

/* The number that a word begins with, before an ordinal's end; -1: none. */
static int
number_of(struct slice folded)
{
	int n = 0;
	size_t i;

	for (i = 0; i < folded.len && i < 4 && folded.ptr[i] >= '0' &&
	     folded.ptr[i] <= '9'; i++)
		n = n * 10 + (folded.ptr[i] - '0');
	if (i == 0 || (i < folded.len && !slice_is(slice_of(folded.ptr + i,
		folded.len - i), "st") && !slice_is(slice_of(folded.ptr + i,
		folded.len - i), "nd") && !slice_is(slice_of(folded.ptr + i,
		folded.len - i), "rd") && !slice_is(slice_of(folded.ptr + i,
		folded.len - i), "th")))
		return -1;
	return n;
}

static bool
is_year(int n)
{
	return n >= 1970 && n <= 2099;
}

static void
add_date(struct parsed *p, struct arena *arena, struct slice term)
{
	size_t before = p->n_terms;

	add_term(p, arena, term, false, false);
	if (p->n_terms > before)
		p->terms[before].date = true;
}

/* The number beside a month, "of" aside: a day, a year or -1. */
static int
number_beside(const struct parsed *p, size_t at, int step)
{
	size_t i = at + (size_t)step;

	if (i < p->n_words && slice_is(p->words[i].folded, "of"))
		i += (size_t)step;
	return i < p->n_words ? number_of(p->words[i].folded) : -1;
}

/* "may" and "mar" are words as well: with a capital, or beside a number. */
static void
add_month(struct parsed *p, struct arena *arena, struct slice text,
    size_t at, int month)
{
	int before = number_beside(p, at, -1), after = number_beside(p, at, 1);
	char first = text.ptr[p->words[at].at];
	int day = before >= 1 && before <= 31 ? before :
	    after >= 1 && after <= 31 ? after : 0;

	if (before == -1 && after == -1 && !(first >= 'A' && first <= 'Z'))
		return;
	add_date(p, arena, arena_printf(arena, SEGMENT_MARK "m%02d", month));
	if (day > 0)
		add_date(p, arena, arena_printf(arena,
		    SEGMENT_MARK "d%02d%02d", month, day));
}

static void
add_dates(struct parsed *p, struct arena *arena, struct slice text)
{
	struct slice terms[INDEX_DATE_TERMS];
	int64_t ms;
	size_t i, k;
	int month;

	for (i = 0; i < p->n_words; i++) {
		month = month_of(p->words[i].folded);
		if (month > 0)
			add_month(p, arena, text, i, month);
		else if (p->words[i].folded.len == 4 &&
		    is_year(number_of(p->words[i].folded)))
			add_date(p, arena, arena_printf(arena,
			    SEGMENT_MARK "y%04d",
			    number_of(p->words[i].folded)));
		else if (p->words[i].folded.len == 10 &&
		    when_parse(p->words[i].folded, &ms) == 0) {
			index_date_terms(arena, ms, terms);
			for (k = 0; k < INDEX_DATE_TERMS; k++)
				add_date(p, arena, terms[k]);
		}
	}
}

static struct slice
plain_of(struct search *s, struct arena *arena, struct slice word)
{
	struct slice plain;
	struct buf b;

	buf_init(&b, SIZE_MAX / 4);
	tokenise_plain(s->tokeniser, word, &b);
	plain = arena_dup(arena, slice_of(b.ptr + 1, b.len - 1));
	buf_release(&b);
	return plain;
}

/* The words as they stand, folded, without a possessive's end. */
static void
read_words(struct search *s, struct parsed *p, struct arena *arena,
    struct slice text)
{
	struct text_tokens tokens;
	struct text_token token;
	struct query_word *w;

	p->words = arena_array(arena, QUERY_TERMS_MOST, sizeof(p->words[0]));
	text_tokens_init(&tokens, text);
	while (p->n_words < QUERY_TERMS_MOST &&
	    text_tokens_next(&tokens, &token)) {
		if (token.kind == TEXT_PUNCT)
			continue;
		w = &p->words[p->n_words++];
		*w = (struct query_word){ .at = token.at, .len = token.len,
			.folded = text_fold(arena, text_token_slice(&tokens,
			    &token)) };
		if (w->folded.len > 2 && memcmp(w->folded.ptr +
			w->folded.len - 2, "'s", 2) == 0)
			w->folded.len -= 2;
		w->plain = plain_of(s, arena, text_token_slice(&tokens,
		    &token));
	}
}

/* Those that are among the terms. */
static void
mark_telling(struct search *s, struct parsed *p)
{
	const struct token *tokens;
	struct query_word *w;
	size_t i, k, n;

	for (i = 0; i < p->n_words; i++) {
		w = &p->words[i];
		n = tokenise_for(s->tokeniser, w->folded, TOKENS_OF_QUERY,
		    &tokens);
		for (k = 0; n > 0 && k < p->n_terms && !w->tells; k++) {
			w->tells = slice_eq(p->terms[k].term, tokens[0].term);
			if (w->tells && n == 1 && !p->terms[k].prefix &&
			    !slice_eq(p->terms[k].term, w->folded))
				p->terms[k].whole = w->folded;
		}
	}
}

static void
add_words(struct search *s, struct parsed *p, struct arena *arena,
    struct slice text, bool must)
{
	const struct token *tokens;
	size_t i, n = tokenise_for(s->tokeniser, text, must ?
	    TOKENS_OF_PHRASE : TOKENS_OF_QUERY, &tokens);
	bool lone;

	/* One character is mostly the beginning of a pair. */
	for (i = 0; i < n; i++) {
		lone = token_is_lone(tokens[i].term);
		add_term(p, arena, tokens[i].term, lone, must && !lone);
	}
}

static void
add_phrase(struct search *s, struct parsed *p, struct arena *arena,
    struct slice text)
{
	struct slice *more;
	struct buf plain;

	buf_init(&plain, SIZE_MAX / 4);
	tokenise_plain(s->tokeniser, text, &plain);
	if (plain.len > 1) {
		more = arena_array(arena, p->n_phrases + 1, sizeof(more[0]));
		if (p->n_phrases > 0)
			memcpy(more, p->phrases,
			    p->n_phrases * sizeof(more[0]));
		more[p->n_phrases++] = arena_dup(arena, buf_slice(&plain));
		p->phrases = more;
		add_words(s, p, arena, text, true);
	}
	buf_release(&plain);
}

/*
 * Whether a beginning of a word is in what pairs of characters are made of:
 * they find it without a star.
 */
static bool
is_of_pairs(struct slice head)
{
	size_t pos = 0;
	int32_t cp = 0;

	while (text_next(head, &pos, &cp))
		;
	return token_is_paired(cp) && !token_is_lone(head);
}

/* "pre*", with white space or an end behind: the beginning of a word. */
static bool
take_prefix(struct parsed *p, struct arena *arena, struct slice word)
{
	struct slice head;

	if (word.len < 2 || word.ptr[word.len - 1] != '*')
		return false;
	head = token_fold(arena, slice_of(word.ptr, word.len - 1));
	/* As the tokeniser takes a path. */
	while (head.len > 1 && strchr("@#-/.~$", head.ptr[0]) != NULL)
		head = slice_of(head.ptr + 1, head.len - 1);
	if (head.len == 0 || memchr(head.ptr, '*', head.len) != NULL ||
	    is_of_pairs(head))
		return false;
	add_term(p, arena, head, true, false);
	return true;
}

/* Outside of quotes: words, those that end in a star taken out. */
static void
add_plain(struct search *s, struct parsed *p, struct arena *arena,
    struct slice text)
{
	char *rest = arena_cstr(arena, text);
	size_t at = 0, end;

	while (at < text.len) {
		for (end = at; end < text.len &&
		     (unsigned char)rest[end] > ' '; end++)
			;
		if (take_prefix(p, arena, slice_of(text.ptr + at, end - at)))
			memset(rest + at, ' ', end - at);
		at = end + 1;
	}
	add_words(s, p, arena, slice_of(rest, text.len), false);
}

int
parse_query(struct search *s, const struct search_query *q,
    struct arena *arena, struct parsed *out, struct buf *why)
{
	struct slice text = q->text;
	const char *open, *close;
	size_t at = 0;

	*out = (struct parsed){ 0 };
	if (text.len > QUERY_BYTES_MOST) {
		buf_adds(why, "a query is at most 64 KiB long");
		return -1;
	}
	if (!text_valid_utf8(text, NULL)) {
		buf_adds(why, "the query is not UTF-8");
		return -1;
	}
	out->terms = arena_array(arena, QUERY_TERMS_MOST,
	    sizeof(out->terms[0]));
	while (at < text.len && !q->spoken) {
		open = memchr(text.ptr + at, '"', text.len - at);
		close = open == NULL ? NULL : memchr(open + 1, '"',
		    (size_t)(text.ptr + text.len - open - 1));
		if (close == NULL)
			break;
		add_plain(s, out, arena, slice_of(text.ptr + at,
		    (size_t)(open - text.ptr) - at));
		add_phrase(s, out, arena, slice_of(open + 1,
		    (size_t)(close - open - 1)));
		at = (size_t)(close - text.ptr) + 1;
	}
	add_plain(s, out, arena, slice_of(text.ptr + at, text.len - at));
	drop_framing(out);
	read_words(s, out, arena, text);
	mark_telling(s, out);
	add_dates(out, arena, text);
	return 0;
}
