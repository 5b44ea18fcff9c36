/*
 * u-cache - an answer is given again while it holds, and no longer
 */
#include <stdlib.h>

#include "common/xmalloc.h"
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
	struct msg_ask ask = ask_of("search", plain, 3);

	ok(is_kept(&ask), "the answer to a search may be kept");
	ask = ask_of("turns", plain, 3);
	ok(!is_kept(&ask), "that to a list may not");
}

/* Words that look like an option are none: who answers tells the domain. */
static void
test_domain(void)
{
	struct cache *cache = cache_open();
	struct cache_state then = cache_state(cache), now;
	struct slice answer, used;

	cache_keep(cache, &then, SLICE("work"), SLICE("--query --domain home"),
	    SLICE("an answer"), SLICE_NONE);
	now = cache_state(cache);
	cache_change(cache, SLICE("home"), 1);
	ok(cache_find(cache, &now, SLICE("--query --domain home"), &answer,
	    &used), "what is said in another domain changes nothing");
	cache_change(cache, SLICE("work"), 2);
	ok(!cache_find(cache, &now, SLICE("--query --domain home"), &answer,
	    &used), "what is said in its own does, whatever the words are");
	cache_close(&cache);
}

static void
test_time(void)
{
	struct cache *cache = cache_open();
	struct cache_state then = cache_state(cache), now = then;
	struct slice answer, used;

	cache_keep(cache, &then, SLICE("d"), SLICE("asked"), SLICE("two hours ago"),
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
	cache_change(cache, SLICE("d"), then.seq + 1);
	ok(!cache_find(cache, &now, SLICE("asked"), &answer, &used),
	    "nor after something was said in its domain");
	cache_close(&cache);
}

/* Large answers to ever other questions: memory stays bounded. */
static void
test_size(void)
{
	enum { MANY = 400, LARGE = 200 * 1024 };
	struct cache *cache = cache_open();
	struct cache_state then = cache_state(cache);
	char *text = xcalloc(1, LARGE);
	struct slice asked = SLICE_NONE, answer, used;
	size_t held = 0, i;

	for (i = 0; i < MANY; i++) {
		asked = arena_printf(&arena, "question %zu", i);
		cache_keep(cache, &then, SLICE("d"), asked,
		    slice_of(text, LARGE), SLICE_NONE);
	}
	ok(cache_find(cache, &then, asked, &answer, &used) &&
	    answer.len == LARGE, "the last of many large answers is kept");
	for (i = 0; i < MANY; i++)
		held += cache_find(cache, &then,
		    arena_printf(&arena, "question %zu", i), &answer, &used);
	ok(held * LARGE <= 16 * 1024 * 1024 + LARGE, "but not all of them");
	free(text);
	cache_close(&cache);
}

int
main(void)
{
	arena_init(&arena);
	test_domain();
	test_questions();
	test_time();
	test_size();
	arena_release(&arena);
	return done();
}
