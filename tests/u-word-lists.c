/*
 * u-word-lists - a word that is looked up once is in the lists that have it
 */
#include <string.h>
#include <strings.h>

#include "compactor/effort_words_impl.h"
#include "compactor/phrase.h"
#include "compactor/word_lists.h"
#include "tests/tap.h"

WORD_LIST(listed, "add", "allow", "can't", "doesn't", "2nd", "aisle", "zoo",
    "a", "unsubscribe-from-all-of-these-long-lists");
WORD_LIST(later, "b", "add");
static const char *const asked[] = { "add", "Add", "ADD", "ad", "adds",
	"allow", "cant", "CANT", "can't", "doesnt", "doesn't", "doesn", "2nd",
	"2ND", "3nd", "zoo", "zo", "a", "A", "b", "cat", "aislx",
	"unsubscribe-from-all-of-these-long-lists",
	"unsubscribe-from-all-of-these-long-listz", "\xc3\xa4" "dd" };
PHRASE_LIST(phrases, "1 2", "can", "can you", "can you please", "could", "i",
    "i am", "i'm", "yes", "you know");

/* "doesnt" stands for "doesn't". */
static bool
is_listed(const char *word)
{
	char typed[64];
	size_t i, n;

	for (i = 0; listed_words[i] != NULL; i++) {
		n = strlen(listed_words[i]);
		if (strcasecmp(listed_words[i], word) == 0)
			return true;
		if (n > 3 && strcmp(listed_words[i] + n - 3, "n't") == 0) {
			memcpy(typed, listed_words[i], n - 2);
			memcpy(typed + n - 2, "t", 2);
			if (strcasecmp(typed, word) == 0)
				return true;
		}
	}
	return false;
}

static void
test_words(void)
{
	size_t i;

	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		ok(word_one_of(slice_str(asked[i]), &listed) ==
		    is_listed(asked[i]), "\"%s\" is%s listed", asked[i],
		    is_listed(asked[i]) ? "" : " not");
	ok(!word_one_of(SLICE_NONE, &listed), "no word is not listed");
	ok(word_list_number(&listed) == word_list_number(&listed),
	    "a list becomes known once");
}

/* Words that were looked up before a list was known say nothing of it. */
static void
test_known(void)
{
	const struct compact_turn t = { .text = SLICE("Adds b to ADD") };
	struct words room;
	const struct words *w = turn_words(&t, &room);

	ok(!words_one_of(w, 0, &listed) && words_one_of(w, 3, &listed),
	    "of a known list");
	ok(words_say(w, &listed) && !words_say_within(w, 3, &listed),
	    "any of them, any of the first");
	ok(!words_one_of(w, 0, &later) && words_one_of(w, 1, &later) &&
	    words_one_of(w, 3, &later), "of one that is asked for later");
	ok(words_say(w, &later) && !words_say_within(w, 1, &later) &&
	    turn_says(&t, &later), "any of them likewise");
}

static size_t
longest_in(struct arena *a, const char *text)
{
	struct phrase_word *words;
	size_t count = phrase_words(a, slice_str(text), &words);

	return phrase_at(words, count, 0, &phrases);
}

static void
test_phrases(void)
{
	struct arena a;

	arena_init(&a);
	ok(phrase_unsorted(&phrases) == NULL, "they are sorted");
	ok(longest_in(&a, "Can you PLEASE go") == 3, "the longest is found");
	ok(longest_in(&a, "can you go") == 2, "or one that is shorter");
	ok(longest_in(&a, "can not") == 1, "or the first word alone");
	ok(longest_in(&a, "1 2 3") == 2, "what begins with no letter too");
	ok(longest_in(&a, "1 3") == 0, "if it is whole");
	ok(longest_in(&a, "I'm here") == 1, "an apostrophe is of the word");
	ok(longest_in(&a, "you") == 0, "half a phrase is none");
	ok(longest_in(&a, "zebra") == 0, "behind the last there is none");
	ok(longest_in(&a, "\xc3\x84pfel") == 0, "nor before the first");
	ok(longest_in(&a, "") == 0, "nor of nothing");
	arena_release(&a);
}

int
main(void)
{
	test_words();
	test_known();
	test_phrases();
	return done();
}
