/*
 * u-cache - an answer is given again while it holds, and no longer
 */
#include "query/cache.h"
#include "tests/tap.h"

static struct arena arena;

static struct msg_ask
ask_of(const char *verb, const char *const *words, size_t n)
{
	struct msg_ask ask = { .number = 1, .verb = slice_str(verb) };
	size_t i;

	ask.arguments.count = n;
	ask.arguments.at = arena_array(&arena, n, sizeof(struct slice));
	for (i = 0; i < n; i++)
		ask.arguments.at[i] = slice_str(words[i]);
	return ask;
}

static bool
is_kept(const struct msg_ask *ask)
{
	struct buf words;
	bool kept;

	buf_init(&words, 4096);
	kept = cache_words(ask, &words);
	buf_release(&words);
	return kept;
}

static void
test_questions(void)
{
	static const char *const plain[] = { "login", "--domain", "d" };
	static const char *const after[] = { "--", "--domain", "d" };
	struct msg_ask ask = ask_of("search", plain, 3);

	ok(is_kept(&ask), "the answer to a search may be kept");
	ask = ask_of("turns", plain, 3);
	ok(!is_kept(&ask), "that to a list may not");
	ask = ask_of("search", after, 3);
	ok(!is_kept(&ask), "nor where words may look like the domain");
}

static void
test_time(void)
{
	static const char *const words[] = { "login" };
	struct msg_ask ask = ask_of("begin", words, 1);
	struct cache *cache = cache_open();
	struct cache_state then = cache_state(cache, &ask), now = then;
	struct slice answer, used;

	cache_keep(cache, &then, SLICE("asked"), SLICE("two hours ago"),
	    SLICE("used"));
	ok(cache_find(cache, &now, SLICE("asked"), &answer, &used) &&
	    slice_is(answer, "two hours ago") && slice_is(used, "used"),
	    "an answer is given again");
	ok(!cache_find(cache, &now, SLICE("other"), &answer, &used),
	    "to those who ask the same");
	now.at_ms = then.at_ms + CACHE_HOLDS_MS - 1;
	ok(cache_find(cache, &now, SLICE("asked"), &answer, &used),
	    "as long as it holds");
	now.at_ms++;
	ok(!cache_find(cache, &now, SLICE("asked"), &answer, &used),
	    "and not for ever: it may say how long ago something was");
	now = then;
	now.changed++;
	ok(!cache_find(cache, &now, SLICE("asked"), &answer, &used),
	    "nor after something was said in its domain");
	cache_close(&cache);
}

int
main(void)
{
	arena_init(&arena);
	test_questions();
	test_time();
	arena_release(&arena);
	return done();
}
