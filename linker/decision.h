/*
 * decision - link or not, from the score and a model's verdict
 *
 *	score above the threshold, verdict related        link, high
 *	score not above it, verdict not related           no link, high
 *	they differ                                       the surer one, uncertain
 *	no verdict                                        the score, single
 *
 * The score's sureness is the score itself where it says link, else what it
 * lacks to 1.  On a tie the score decides: it is there in every replay.
 */
#ifndef LINKER_DECISION_H
#define LINKER_DECISION_H

#include <stdbool.h>

#include "common/msg.h"

enum {
	DECISION_SIGNALS = 8,		/* of a verdict that are kept ... */
	DECISION_SIGNAL_BYTES = 80,	/* ... each so long */
	DECISION_REASONING_BYTES = 500,
};

/* A model's verdict; all in the arena it was read into. */
struct opinion {
	bool related;
	unsigned confidence;	/* thousandths */
	struct slice reasoning;
	struct msg_strs signals;
};

struct decision {
	bool link;
	struct slice confidence;	/* high, uncertain or single */
	struct slice agreement;		/* YES, NO, or empty */
};

/* `model` is NULL without a verdict. */
struct decision decision_make(unsigned score, unsigned threshold,
    const struct opinion *model);
struct slice decision_name(bool link);
bool decision_is_link(struct slice name);

/*
 * {"related":true,"confidence":0.92,"reasoning":"...","key_signals":["..."]}.
 * -1 and *why: it is not of that form.
 */
int opinion_parse(struct slice json, struct arena *arena, struct opinion *out,
    struct slice *why) __attribute__((warn_unused_result));

/* What a model is asked, with the signals that decided earlier cases. */
struct slice decision_prompt(struct arena *arena,
    const struct msg_strs *signals);

#endif
