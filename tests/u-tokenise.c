/*
 * u-tokenise - what a text is found by
 */
#include "store/tokenise.h"
#include "tests/nasty.h"
#include "tests/tap.h"

static struct tokeniser *t;
static struct arena arena;

/* The terms of a text with a space between, as one string. */
static const char *
asked(const char *text, enum token_use use)
{
	static struct buf out;
	const struct token *tokens;
	size_t i, n = tokenise_for(t, slice_str(text), use, &tokens);

	if (out.limit == 0)
		buf_init(&out, 1 << 20);
	buf_clear(&out);
	for (i = 0; i < n; i++) {
		buf_adds(&out, i > 0 ? " " : "");
		buf_addslice(&out, tokens[i].term);
	}
	return buf_cstr(&out);
}

static const char *
terms(const char *text)
{
	return asked(text, TOKENS_OF_TEXT);
}

static bool
has(const char *text, const char *term)
{
	const struct token *tokens;
	size_t i, n = tokenise(t, slice_str(text), &tokens);

	for (i = 0; i < n; i++)
		if (slice_is(tokens[i].term, term))
			return true;
	return false;
}

static const char *
plain(const char *text)
{
	static struct buf out;

	if (out.limit == 0)
		buf_init(&out, 1 << 20);
	buf_clear(&out);
	tokenise_plain(t, slice_str(text), &out);
	return buf_cstr(&out);
}

static void
test_words(void)
{
	is(terms("The painters were painting a PAINTING"),
	    "painter paint paint", "folded, stemmed, without stop words");
	is(terms("Caroline's dogs'"), "carolin dog", "possessives");
	is(terms("don't you?"), "", "a short form is a stop word");
	is(terms("Caf\303\251 CAF\303\211 cafe"), "cafe cafe cafe",
	    "accents do not count");
	is(terms("STRASSE straße"), "strass strass", "full case folding");
	is(terms("Ёлка ёлка"), "елка елка", "Cyrillic marks");
	ok(has("\u0939\u093f\u0928", "\u0939\u093f\u0928"),
	    "marks that are vowels stay");
	is(terms(""), "", "of nothing nothing");
	is(terms("?! ... --"), "", "of signs nothing");
}

static void
test_compounds(void)
{
	ok(has("see src/store/main.c:42", "main.c"), "a file of a path");
	ok(has("see src/store/main.c", "src/store/main.c"), "the whole path");
	ok(has("see src/store/main.c", "store"), "a folder of it");
	ok(has("getUserName()", "getusername"), "an identifier whole");
	ok(has("getUserName()", "user"), "and its parts");
	ok(has("HTTPServer", "server") && has("HTTPServer", "http"),
	    "capitals end where a word begins");
	ok(has("max_open_files", "file") &&
	    has("max_open_files", "max_open_files"), "snake case");
	ok(has("it says ENOENT", "enoent"), "an error name");
	ok(has("failed with E1234", "e1234"), "an error code");
	ok(has("HTTP 401 again", "401"), "the number of a status");
	ok(has("TypeError: x", "typeerror") && has("TypeError: x", "error"),
	    "an exception and its last word");
	ok(has("we run v2.3.1 now", "2.3.1") &&
	    has("we run v2.3.1 now", "v2.3.1"), "versions, with v or not");
	ok(has("mail bob@example.org", "bob@example.org"), "an address");
	ok(has("https://example.org/docs?x=1", "example.org"), "a host");
	ok(has("@alice hi", "alice"), "a mention by its name");
	ok(has("costs $1,000 now", "1000"), "a number without signs");
	ok(has("needs 10GB", "10gb") && has("needs 10GB", "10"),
	    "a quantity and its number");
}

static void
test_unspaced(void)
{
	is(terms("東京都"), "東京 京都 都",
	    "pairs of characters, and the last");
	is(asked("東京都", TOKENS_OF_QUERY), "東京 京都",
	    "a query needs the pairs only");
	is(terms("猫"), "猫", "a lone one");
	is(terms("我 是"), "我 是", "two lone ones");
	ok(has("Python入門", "入門"), "beside Latin letters");
}

static void
test_hangul(void)
{
	is(terms("김치찌개를"), "김치 치찌 찌개 개를 를",
	    "Hangul likewise: a particle hides no noun");
	is(asked("김치찌개", TOKENS_OF_QUERY), "김치 치찌 찌개",
	    "all of which the noun alone has");
	is(terms("물"), "물", "one syllable");
	is(terms("API를"), "api 를", "beside Latin letters");
}

static void
test_apostrophes(void)
{
	ok(has("l'école", "ecol") && has("L’École", "ecol"),
	    "a word behind an elided article");
	ok(has("İstanbul'da", "istanbul"), "a name before a case ending");
	is(terms("Caroline's"), "carolin", "an English possessive is none");
	is(terms("O'Brien"), "o'brien brien", "a name whole and its part");
}

static void
test_letters(void)
{
	struct slice first;
	const struct token *tokens;

	is(terms("ILIK ılık"), "ilik ilik", "dotted and dotless i");
	is(terms("Łódź øl"), "lodz ol", "strokes through letters");
	is(terms("ấp"), "ap", "two marks over one letter");
	is(terms("كِتَابٌ"), "كتاب", "Arabic without its vowels");
	is(terms("מִלָּה"), "מלה", "Hebrew too");
	tokenise(t, slice_str("مكتبة أحمد"), &tokens);
	first = arena_dup(&arena, tokens[0].term);
	ok(tokenise(t, slice_str("مكتبه احمد"), &tokens) == 2 &&
	    slice_eq(tokens[0].term, first), "letters written both ways");
}

static void
test_pieces(void)
{
	ok(has("v1.2.3-beta", "1.2.3") && has("v1.2.3-beta", "beta") &&
	    has("v1.2.3-beta", "1.2.3-beta"), "what it is a beta of");
	ok(has("x86_64", "x86"), "a piece of letters and digits");
	ok(has("obj.getUserName()", "getusername"), "a piece of several words");
	is(asked("/etc/nginx", TOKENS_OF_PHRASE), "etc nginx",
	    "a phrase needs no more than pieces");
	is(asked("ECONNREFUSED v1.2.3", TOKENS_OF_PHRASE),
	    "econnrefused 1.2.3", "  whole ones as they are indexed");
	is(asked("painting", TOKENS_OF_PHRASE), "paint", "  and words");
}

static void
test_plain(void)
{
	is(plain("see /etc/nginx/nginx.conf"), " see etc nginx nginx conf ",
	    "the pieces of a path");
	is(plain("v1.2.3-beta"), " 1.2.3 beta ", "a version and what follows");
	is(plain("l'école don't Bob's"), " l ecole don't bob ",
	    "apostrophes, but for short forms");
	is(plain("김치를"), " 김 치 를 ", "syllables");
	is(plain("To be, or NOT to be!"), " to be or not to be ",
	    "a phrase keeps its stop words");
	is(plain(""), " ", "of nothing a space");
}

static void
test_limits(void)
{
	char longest[5000];
	const struct token *a, *b;
	struct slice kept;
	size_t i;

	memset(longest, 'x', sizeof(longest));
	ok(tokenise(t, slice_of(longest, sizeof(longest)), &a) == 1 &&
	    a[0].term.len <= TERM_BYTES, "a long word is one short term");
	kept = arena_dup(&arena, a[0].term);
	ok(tokenise(t, slice_of(longest, sizeof(longest) - 1), &b) == 1 &&
	    !slice_eq(b[0].term, kept), "another long word is another term");
	for (i = 0; i < 200000; i++) {
		char word[32];

		snprintf(word, sizeof(word), "word%zux", i);
		if (tokenise(t, slice_str(word), &a) == 0)
			break;
	}
	ok(i == 200000, "the memory for words may fill up");
	is(terms("painting"), "paint", "and nothing changes");
}

static void
work(struct slice text)
{
	const struct token *tokens;
	struct buf out;

	(void)tokenise(t, text, &tokens);
	(void)tokenise_for(t, text, TOKENS_OF_QUERY, &tokens);
	(void)tokenise_for(t, text, TOKENS_OF_PHRASE, &tokens);
	buf_init(&out, SIZE_MAX / 4);
	tokenise_plain(t, text, &out);
	buf_release(&out);
}

int
main(void)
{
	t = tokeniser_new();
	arena_init(&arena);
	test_words();
	test_compounds();
	test_unspaced();
	test_hangul();
	test_apostrophes();
	test_letters();
	test_pieces();
	test_plain();
	test_limits();
	nasty_check(work);
	arena_release(&arena);
	tokeniser_free(&t);
	return done();
}
