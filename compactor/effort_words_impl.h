/*
 * effort_words_impl - words and sentences, for effort_words and effort_outcome
 */
#ifndef COMPACTOR_EFFORT_WORDS_IMPL_H
#define COMPACTOR_EFFORT_WORDS_IMPL_H

#include "compactor/compact.h"
#include "compactor/effort_words.h"

enum {
	FIRST_WORDS = 14,	/* of a sentence: who does what stands there */
};

/* The first words of a sentence. */
struct words {
	struct slice at[FIRST_WORDS];
	size_t count;
};

/* What was found out about a turn; see effort_notes.c. */
struct effort_notes {
	struct arena *arena;		/* the entry's */
	const struct words **words;	/* of each sentence; NULL: not read */
	const struct words *whole;	/* of the turn; likewise */
	const struct effort_try *tries[2];	/* its own, the other side's */
	bool is_searched;		/* the report was looked for */
	size_t report;			/* the place of its sentence */
	bool is_weighed;		/* the next two are known */
	struct slice how_of;		/* the effort it was weighed for */
	struct msg_a_how how;		/* what tells best how that ends */
	bool is_asked;			/* the next one is known */
	bool confirms;
};

/* Of a list that ends with NULL, and is static: see word_index.h. */
bool word_one_of(struct slice word, const char *const *words);
bool words_say(const struct words *w, const char *const *words);
/* As classify has them; a turn of one sentence does what the turn does. */
size_t sentence_count(const struct compact_turn *t);
struct msg_c_sentence turn_sentence(const struct compact_turn *t, size_t i);
struct slice sentence_text(const struct compact_turn *t,
    const struct msg_c_sentence *s);
/* The first words of a sentence or of the turn; into the room, if anywhere. */
const struct words *sentence_words(const struct compact_turn *t, size_t i,
    struct words *room);
const struct words *turn_words(const struct compact_turn *t,
    struct words *room);
/* They tell what to do by its verb: "then raise the limit". */
bool words_instruct(const struct words *w);
/* They say that something is done: "booked", "I have added a test". */
bool words_done(const struct words *w);
/* They say what is wanted once more: "so you need a room for one night". */
bool words_recap(const struct words *w);
/* Of all words of a turn, however many. */
bool turn_says(const struct compact_turn *t, const char *const *words);

#endif
