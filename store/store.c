/*
 * store - index what the other stages wrote
 *
 * Has nothing to say about an entry: what can be found of it follows from the
 * log and the sections of the other stages.  Its own tables hold the list of
 * the index's segments, which version of an artifact or an episode is the
 * latest, and which turns are superseded.  The index is made in indexer.c,
 * read in search.c, and merged by skein-merge.  See skein-store(8).
 */
#include "store/indexer.h"

/* The section stays empty: s_none. */
static int
decide(struct stage *st, const struct stage_entry *e, struct msg *section,
    struct msg_error *why)
{
	(void)st;
	(void)e;
	(void)section;
	(void)why;
	return 0;
}

/* Nothing of these can be found. */
static const bool unread_lists[MSG_LIMIT] = {
	[MSG_a_turn] = true,
	[MSG_a_touch] = true,
	[MSG_a_weight] = true,
	[MSG_l_call] = true,
	[MSG_l_task] = true,
	[MSG_link] = true,
};

static const struct stage_spec store = {
	.id = STAGE_store,
	.env = ENV_store,
	.derived = TABLE_store_derived,
	.unread = 1u << STAGE_classify | 1u << STAGE_chainer,
	.unread_lists = unread_lists,
	.last_read = { [STAGE_compactor] = MSGTAG_s_compactor_skills,
	    [STAGE_linker] = MSGTAG_s_linker_episodes },
	.decide = decide,
	.apply = indexer_apply,
	.begin = indexer_begin,
	.flush = indexer_flush,
	.start = indexer_start,
	.stop = indexer_stop,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &store);
}
