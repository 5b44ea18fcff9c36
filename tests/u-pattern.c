/*
 * u-pattern - patterns looked for one by one are those found together
 */
#include <stdio.h>

#include "classify/pattern.h"
#include "tests/tap.h"

enum { IDS = 130 };		/* more than two words of bits */

static const char *const sources[] = {
	"a b", "^ a ...", "<word> $", "a ..2 c", "^ <word> , b", "c ?",
	"-a b", "<num> d", "d*", "^ [x] b",
};

static const char *const texts[] = {
	"", "a", "a b", "x, b a c", "a, b, c?", "7 d", "danger b", "b",
	"anna: b", "anna:", ", , a x y z c", "x b; a b",
};

enum {
	SOURCES = sizeof(sources) / sizeof(sources[0]),
	TEXTS = sizeof(texts) / sizeof(texts[0]),
};

static struct patterns *
patterns_of(void)
{
	struct patterns *set = patterns_new();
	struct buf why;
	int failed = 0;

	buf_init(&why, 4096);
	for (unsigned id = 0; id < IDS; id++)
		failed |= patterns_add(set, slice_str(sources[id % SOURCES]),
		    id, LANG_neither, &why);
	failed |= patterns_compile(set, &why);
	if (!ok(failed == 0, "%d patterns are compiled", IDS))
		printf("# %s\n", buf_cstr(&why));
	buf_release(&why);
	return set;
}

static bool
is_hit(const struct pattern_hits *hits, unsigned id)
{
	for (size_t i = 0; i < hits->count; i++)
		if (hits->ids[i] == id)
			return true;
	return false;
}

static void
test_found(struct patterns *set)
{
	struct pattern_hits hits;

	patterns_match(set, SLICE("x, b a c"), &hits);
	ok(is_hit(&hits, 2) && is_hit(&hits, 3) && is_hit(&hits, 9) &&
	    is_hit(&hits, 129), "what a text has is found");
	ok(!is_hit(&hits, 0) && !is_hit(&hits, 1) && !is_hit(&hits, 5) &&
	    !is_hit(&hits, 121), "and nothing else");
	ok(hits.count > 0 && hits.count < IDS, "of all, %zu", hits.count);
	for (size_t i = 1; i < hits.count; i++)
		if (hits.ids[i] <= hits.ids[i - 1])
			ok(false, "they ascend");
	patterns_match(set, SLICE("anna: b"), &hits);
	ok(is_hit(&hits, 9), "a text begins behind a name");
}

/* Each id alone, over words that were read once; and what is left over. */
static void
test_alone(struct patterns *set, const char *text)
{
	uint64_t wanted[IDS / 64 + 1] = { 0 };
	unsigned different = 0, unasked = 0;
	struct pattern_hits hits;
	struct pattern_text read;
	struct arena arena;

	arena_init(&arena);
	read = patterns_keep(patterns_read(set, slice_str(text), &hits),
	    &arena);
	for (unsigned id = 0; id < IDS; id++) {
		const uint64_t *found;
		bool alone;

		pattern_id_add(wanted, id);
		found = patterns_find(set, read, wanted);
		for (unsigned other = 0; other < IDS; other++)
			unasked += other != id && pattern_id_in(found, other);
		alone = pattern_id_in(found, id);
		patterns_match(set, slice_str(text), &hits);
		different += alone != is_hit(&hits, id);
		wanted[id / 64] = 0;
	}
	is_int(different, 0, text);
	is_int(unasked, 0, "what is not wanted is not found");
	arena_release(&arena);
}

/*
 * Each source twice: alone, and with a pattern that needs no word and that no
 * text here has, so that every text must be looked at.
 */
static struct patterns *
patterns_twice(void)
{
	struct patterns *set = patterns_new();
	struct buf why;
	int failed = 0;

	buf_init(&why, 4096);
	for (unsigned i = 0; i < SOURCES; i++) {
		struct slice source = slice_str(sources[i]);

		failed |= patterns_add(set, source, 2 * i, LANG_neither, &why);
		failed |= patterns_add(set, source, 2 * i + 1, LANG_neither,
		    &why);
		failed |= patterns_add(set, SLICE("<num> <num> <num>"),
		    2 * i + 1, LANG_neither, &why);
	}
	failed |= patterns_compile(set, &why);
	ok(failed == 0, "with and without a need");
	buf_release(&why);
	return set;
}

static void
test_needs(void)
{
	static const char *const words[] = { "a ", "b ", "c ", "d ", "x ",
		"danger ", "other ", "7 ", ", ", "? ", ". " };
	struct patterns *set = patterns_twice();
	unsigned seed = 11, different = 0, found = 0;
	struct pattern_hits hits;
	struct buf text;

	buf_init(&text, 65536);
	for (unsigned i = 0; i < 5000; i++) {
		buf_clear(&text);
		for (unsigned k = 0, after = 0; k < i % 7; k++) {
			seed = seed * 1664525u + 1013904223u;
			after = after == 7 ? 0 : (seed >> 16) % 11;
			buf_adds(&text, words[after]);
		}
		patterns_match(set, buf_slice(&text), &hits);
		for (unsigned id = 0; id < 2 * SOURCES; id += 2)
			different += is_hit(&hits, id) !=
			    is_hit(&hits, id + 1);
		found += hits.count > 0;
	}
	is_int(different, 0, "what a text lacks is not found in it anyway");
	ok(found > 1000, "and much is (%u of 5000)", found);
	buf_release(&text);
	patterns_free(&set);
}

int
main(void)
{
	struct patterns *set = patterns_of();

	is_int((long long)patterns_id_words(set), IDS / 64 + 1,
	    "a bit for each id");
	test_found(set);
	for (size_t i = 0; i < TEXTS; i++)
		test_alone(set, texts[i]);
	test_needs();
	patterns_free(&set);
	return done();
}
