/*
 * token_words - words that the tokeniser knows by heart
 */
#include "store/token_words.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/xmalloc.h"

/*
 * Words that are in every dialogue and tell none from another.  Negations,
 * modals and short forms are among them; names, numbers and verbs of meaning
 * are not.
 */
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

enum { SLOTS = 1024 };

/* A stop word, or an irregular form of another word. */
struct known {
	struct slice word;	/* ptr NULL: free */
	struct slice base;
};

struct token_words {
	struct known slots[SLOTS];
};

static size_t
find_slot(const struct token_words *w, struct slice word)
{
	uint64_t hash = XXH3_64bits(word.ptr, word.len);
	size_t at = hash % SLOTS;

	while (w->slots[at].word.ptr != NULL &&
	    !slice_eq(w->slots[at].word, word))
		at = (at + 1) % SLOTS;
	return at;
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

struct token_words *
token_words_new(void)
{
	struct token_words *w = xcalloc(1, sizeof(*w));
	const char *stops = stop_words, *forms = irregular_words;
	struct slice word;
	struct known *slot;

	while ((word = next_word(&stops)).len > 0)
		w->slots[find_slot(w, word)].word = word;
	while ((word = next_word(&forms)).len > 0) {
		slot = &w->slots[find_slot(w, word)];
		slot->word = word;
		slot->base = next_word(&forms);
	}
	return w;
}

void
token_words_free(struct token_words **w)
{
	free(*w);
	*w = NULL;
}

bool
token_is_stop(const struct token_words *w, struct slice word)
{
	const struct known *slot = &w->slots[find_slot(w, word)];

	return slot->word.ptr != NULL && slot->base.len == 0;
}

struct slice
token_base(const struct token_words *w, struct slice word)
{
	const struct known *slot = &w->slots[find_slot(w, word)];

	return slot->base.len > 0 ? slot->base : word;
}
