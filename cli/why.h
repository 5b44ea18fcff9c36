/*
 * why - how classify came to say what it says of a turn, for `show --why`
 *
 * The verdict and the claims are those of the section.  Rules and features are
 * found by reading the turn again with the rules and weights of today and with
 * what the stage knew of the thread then.
 */
#ifndef CLI_WHY_H
#define CLI_WHY_H

#include "cli/cli.h"
#include "classify/describe.h"
#include "store/query.h"

struct why {
	struct query *q;
	struct engine *engine;		/* NULL: cannot be read again */
	struct buf trouble;		/* and why not */
	uint64_t seq, i;
	/* In the query's arena: */
	struct stage_entry e;
	struct slice role, text;
	const struct msg_c_turn *stored;
	const struct msg_c_turn *revised;	/* NULL: no answer came */
	uint64_t revised_by;
	/* In an arena of its own: */
	struct arena arena;
	struct msg_talk talk;		/* the thread before this turn */
	struct act_context context;
	struct reading reading;
	int scores[ACT_COUNT];		/* the model's, asked again */
	struct buf features;		/* model_explain's lines */
	bool differs;			/* today another verdict would come out */
};

/* Resets the query's arena.  False: classify has said nothing of this turn. */
bool why_open(struct why *w, const struct cli *cli, struct query *q,
    uint64_t seq, uint64_t i);
void why_close(struct why *w);
/* A page for people, and the same as a JSON object. */
void why_print(const struct why *w, struct buf *out);
void why_to_json(const struct why *w, struct buf *out);

#endif
