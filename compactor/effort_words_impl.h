/*
 * effort_words_impl - words and sentences, for effort_words and effort_outcome
 */
#ifndef COMPACTOR_EFFORT_WORDS_IMPL_H
#define COMPACTOR_EFFORT_WORDS_IMPL_H

#include "compactor/compact.h"
#include "compactor/effort_words.h"
#include "compactor/summary.h"
#include "compactor/word_lists.h"

enum {
	FIRST_WORDS = 14,	/* of a sentence: who does what stands there */
};

/* The first words of a sentence. */
struct words {
	struct slice at[FIRST_WORDS];
	size_t count;
	const struct word_in *in[FIRST_WORDS];	/* the lists each is in */
	struct word_in any;	/* the lists that one of them is in */
	unsigned known;		/* lists, when these were looked up */
};

struct sentence_notes {
	const struct words *words;	/* NULL: not read */
	bool is_counted;		/* the next one is known */
	unsigned content;		/* words that tell the topic */
};

/* What was found out about a turn; see effort_notes.c. */
struct effort_notes {
	struct arena *arena;		/* the entry's */
	struct sentence_notes *sentences;	/* NULL: none was asked for */
	const struct words *whole;	/* of the turn; NULL: not read */
	const struct effort_try *tries[2];	/* its own, the other side's */
	bool is_searched;		/* the report was looked for */
	size_t report;			/* the place of its sentence */
	bool is_weighed;		/* the next two are known */
	struct slice how_of;		/* the effort it was weighed for */
	struct msg_a_how how;		/* what tells best how that ends */
	bool is_asked;			/* the next one is known */
	bool confirms;
	bool is_done_known;		/* the next one is */
	bool done;			/* it begins with a deed */
	struct slice long_text;		/* what was shortened last, */
	enum summary_cut cut;		/* how, */
	struct slice short_text;	/* and to what */
	struct word_in said;		/* lists that have one of its words */
	unsigned said_known;		/* lists, when these were looked up */
};

/* The list was known when they were looked up. */
static inline bool
words_know(const struct words *w, const struct word_list *list)
{
	return list->number - 1 < w->known;	/* 0: it is not known at all */
}
/* The i-th of them; any of the first n; any. */
static inline bool
words_one_of(const struct words *w, size_t i, struct word_list *list)
{
	/* Mostly none is. */
	return words_know(w, list) ? word_in_list(&w->any, list->number) &&
	    word_in_list(w->in[i], list->number) :
	    word_one_of(w->at[i], list);
}
bool words_say_within(const struct words *w, size_t n,
    struct word_list *list);
static inline bool
words_say(const struct words *w, struct word_list *list)
{
	return words_know(w, list) ? word_in_list(&w->any, list->number) :
	    words_say_within(w, w->count, list);
}
/* The same, looked up in the lists that are known by now. */
const struct words *words_again(const struct words *w, struct words *room);
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
/* Words that tell the topic in a sentence: see summary_content. */
unsigned sentence_content(const struct compact_turn *t, size_t i);
/* A part of the turn in LINE_WORDS: see summary_shorten. */
struct slice turn_shorten(const struct compact_turn *t, struct arena *arena,
    struct slice part, enum summary_cut cut);
/* From the one on they tell what to do by its verb: "then raise the limit". */
bool words_instruct(const struct words *w, size_t from);
/* They say that something is done: "booked", "I have added a test". */
bool words_done(const struct words *w);
/* They say what is wanted once more: "so you need a room for one night". */
bool words_recap(const struct words *w);
/* Of all words of a turn, however many. */
bool turn_says(const struct compact_turn *t, struct word_list *list);

#endif
