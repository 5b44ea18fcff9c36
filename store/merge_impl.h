/*
 * merge_impl - what skein-merge's files share
 */
#ifndef STORE_MERGE_IMPL_H
#define STORE_MERGE_IMPL_H

#include "common/conf.h"
#include "common/db.h"
#include "store/embed_tail.h"
#include "store/segments.h"

struct merging {
	struct conf conf;
	char *dir;
	struct db *store, *shared;
	struct embed *embed;	/* NULL: words alone */
	struct vector_pool *pool;	/* of an endpoint; else NULL */
	bool lacking;		/* an endpoint had no vectors: later again */
	bool resting;		/* it is not to be asked now */
	int patience;		/* looks until then */
	struct segment_list list;
	size_t merged;		/* of its rows, when that was last done */
	struct msg_cursor cursor;	/* the store's */
	uint64_t log;		/* how far the log goes */
	struct embed_tail tail;
};

/* Removes the files that nobody needs any more. */
void merge_sweep(struct merging *m);

#endif
