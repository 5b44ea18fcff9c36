/*
 * weave - the turns of an entry, brought to their chains
 *
 * Deciding finds for each turn what it follows and for each claim its chain;
 * applying takes the same steps again from what the section says.
 */
#ifndef CHAINER_WEAVE_H
#define CHAINER_WEAVE_H

#include "chainer/course.h"
#include "chainer/meaning.h"
#include "chainer/reply.h"
#include "chainer/work.h"

struct weave {
	struct work *work;
	const struct stage_entry *entry;
	struct chain_rules rules;
	const struct reply_model *model;	/* NULL: by mentions alone */
	struct meaning *meaning;	/* NULL: by words alone */
	const struct course_model *course;	/* NULL: by distance alone */
	struct msg_s_chainer *section;
	size_t cap_updates;
	uint64_t n_begun;
};

/* How many turns an entry holds. */
size_t weave_turn_count(const struct stage_entry *e);
/* Said some time before weave_decide: so many chains are far away. */
void weave_approach(struct weave *v);
void weave_decide(struct weave *v);
void weave_apply(struct weave *v);
/* A thread is closed or reopened: its chain is concluded, or taken up again. */
void weave_close(struct weave *v);
void weave_reopen(struct weave *v);

#endif
