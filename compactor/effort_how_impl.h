/*
 * effort_how_impl - a sentence and what is seen of it, for effort_how
 */
#ifndef COMPACTOR_EFFORT_HOW_IMPL_H
#define COMPACTOR_EFFORT_HOW_IMPL_H

#include "compactor/effort_how.h"
#include "compactor/effort_rank.h"
#include "compactor/effort_words_impl.h"

/* Marks are counted up to a bound. */
static inline int
at_most(size_t n, int most)
{
	return n < (size_t)most ? (int)n : most;
}

/* What the heading above a sentence says of those below it. */
enum told_part { PART_none, PART_fix, PART_cause, PART_rest };

/* A sentence of a turn, and whose. */
struct told {
	const struct compact_turn *t;
	struct msg_c_sentence s;
	struct slice text;
	const struct words *w;
	struct words *room;	/* for them, where the turn has no notes */
	size_t i;		/* its place in the turn */
	size_t first;		/* of its words: what leads to it is passed */
	bool other;		/* it is not the owner's */
	bool ends;		/* it is in the turn that ends the effort */
	bool choosing;		/* and the effort was for a choice */
	bool reports;		/* in one that says it is done */
	bool answers;		/* in one that answers a question */
	bool confirms;		/* in one that asks whether it is right */
	unsigned content;
	/* Of all of the turn's, a bit each: what was done, to do, wrong. */
	uint64_t deeds, bids, causes;
	/* Of the sentences before it, as told_read has passed them. */
	enum told_part part;
	bool titled;		/* by a heading, not by a colon */
	bool item_before;
};

enum { TOLD_MOST = 40 };	/* sentences of a turn that are looked at */

/* A turn on the way, and one that ends it; the sentences are yet to be read. */
size_t told_count(const struct told *k);
void told_on_way(struct told *k, const struct effort_state *s,
    const struct msg_a_work *w, const struct compact_turn *t,
    struct words *room);
void told_at_end(struct told *k, const struct msg_a_work *w,
    const struct compact_turn *t, const struct how_end *end,
    struct words *room);
/* The i-th of the turn's; from the first on, none left out. */
void told_read(struct told *k, size_t i);
/* Could it tell how? */
bool told_may(const struct told *k);
/* What is seen of it but for its words. */
void told_marks(const struct told *k, const struct msg_a_work *w,
    struct how_marks *m);

/* ---- effort_how_words.c ---- */

/* One of the phrases begins within the first words; anywhere. */
bool words_begin(const struct words *w, size_t first,
    struct word_list *phrases);
bool words_have(const struct words *w, struct word_list *phrases);
/* How many words lead to it and tell nothing: "ok so". */
size_t told_lead(const struct words *w);
/* It says what somebody has done. */
bool told_deed(const struct told *k);
/* What was wrong; what did it; how it was, now that it is well. */
bool told_cause(const struct told *k);
bool told_what_did_it(const struct told *k);
bool told_past(const struct told *k);
/* What has come of it; what to do; what to look at. */
bool told_came(const struct told *k);
bool told_to_do(const struct told *k);
bool told_to_look(const struct told *k);
bool told_asked(const struct told *k);
bool told_hint(const struct told *k);
bool told_item(const struct told *k);
bool told_offer(const struct told *k);

/* ---- effort_how.c: what compactor/train learns from ---- */

/* The sentence last read as a candidate; false: it is none. */
bool how_weigh(struct effort_state *s, const struct msg_a_work *w,
    const struct told *k, struct msg_a_how *out, struct how_marks *m);
/* "Back to that bug - I tried X": what the owner says was tried. */
bool how_weigh_tried(struct effort_state *s, const struct told *k,
    struct msg_a_how *out, struct how_marks *m);
/* The words of the turn's claims. */
void how_words(struct arena *arena, const struct compact_turn *t,
    struct msg_strs *out);
/* The owner goes on in this turn, and what was told is left behind. */
bool how_is_passed(const struct msg_a_how *how, const struct compact_turn *t,
    const struct msg_strs *said);
/* What is seen of one that waited, as a turn with these words ends it. */
void how_mark_end(const struct msg_a_work *w, const struct msg_a_how *how,
    uint64_t end, const struct msg_strs *said, struct how_marks *m);
/* And of one of the ending turn itself. */
void how_mark_last(const struct msg_a_work *w, const struct told *k,
    const struct msg_a_how *how, const struct how_end *end,
    struct how_marks *m);
/* What its marks and its words are worth. */
int64_t how_points(struct effort_state *s, const struct told *k,
    const struct how_marks *m);
/* The i-th of its turn's sentences, as it is shown. */
struct slice how_text(struct effort_state *s, const struct told *k, size_t i);

#endif
