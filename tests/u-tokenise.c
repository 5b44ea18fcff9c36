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
terms(const char *text)
{
	static struct buf out;
	const struct token *tokens;
	size_t i, n = tokenise(t, slice_str(text), &tokens);

	if (out.limit == 0)
		buf_init(&out, 1 << 20);
	buf_clear(&out);
	for (i = 0; i < n; i++) {
		buf_adds(&out, i > 0 ? " " : "");
		buf_addslice(&out, tokens[i].term);
	}
	return buf_cstr(&out);
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
	is(terms("東京都"), "東京 京都", "pairs of characters");
	is(terms("猫"), "猫", "a lone one");
	is(terms("我 是"), "我 是", "two lone ones");
	ok(has("Python入門", "入門"), "beside Latin letters");
}

static void
test_plain(void)
{
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
	test_plain();
	test_limits();
	nasty_check(work);
	arena_release(&arena);
	tokeniser_free(&t);
	return done();
}
