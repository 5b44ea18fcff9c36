/*
 * question - what stages want to know from a model, and how it is asked
 *
 *   act:SEQ.I      what does this turn do?            classify, c_turn.asks
 *   word:KEY@SEQ   can this be worded better?         compactor, asks
 *   link:KEY       do these threads belong together?  linker, questions
 *
 * A question is found in the section that asks it and made anew from it when
 * it is asked: nothing of a conversation is kept outside the store, and what
 * was forgotten since is no longer asked about.
 */
#ifndef ASSESS_QUESTION_H
#define ASSESS_QUESTION_H

#include "common/conf.h"
#include "store/query.h"

enum { QUESTION_KEY_BYTES = 180 };	/* longest key: it is also an id */

enum question_kind {
	QUESTION_act,
	QUESTION_wording,	/* of an artifact */
	QUESTION_summary,	/* of an episode */
	QUESTION_link
};

/* A question on its way: what the model is given, and what fits as answer. */
struct asking {
	enum question_kind kind;
	bool resolves;		/* a wording: the artifact has a resolution */
	struct buf given;	/* JSON: what the model is told */
	struct buf body;	/* the request */
};

void asking_init(struct asking *a);
void asking_release(struct asking *a);

/* Whether the list names this kind; and whether it names nothing but kinds. */
bool question_is_wanted(const char *kinds, struct slice key);
bool question_kinds_valid(const char *kinds);

/* Calls `found` for each question that the sections of an entry ask. */
void question_find(const struct stage_entry *e, struct arena *arena,
    void (*found)(void *data, struct slice key), void *data);
/*
 * Fills what asking_init made.  -1: entry `seq` does not ask this, or no
 * longer: it was forgotten, or decided again.
 */
int question_make(struct query *q, const struct conf *conf, struct slice key,
    uint64_t seq, struct asking *out) __attribute__((warn_unused_result));

#endif
