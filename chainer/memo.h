/*
 * memo - the rows of the chainer's tables that were used of late
 *
 * A turn looks at two dozen chains of its stream, and so does the next one:
 * each is read and decoded once, and written once a batch.  Rows are changed
 * here and reach the tables in memo_flush, before the own tables are
 * committed.  The next batch finds them here again if the tables say that they
 * hold what was flushed; after a batch that was given up, or with tables that
 * were made anew, all is forgotten.  So nothing here outlives what it stands
 * for.
 */
#ifndef CHAINER_MEMO_H
#define CHAINER_MEMO_H

#include "chainer/chain.h"
#include "chainer/window.h"
#include "common/rows_copy.h"
#include "common/stage.h"

/* Of a chain, what is asked of each that is looked at. */
struct row_face {
	int64_t last_extended;
	uint64_t merged_into;
	enum chain_state state;	/* as it was marked */
};

/*
 * What a look at one asks comes first, in one line of memory: many are looked
 * at with every turn, and most of them are far from the processor.
 */
struct row {
	enum table_id table;
	enum msg_id id;
	uint64_t used;		/* when it was last asked for */
	/* Of a chain, what was found out for comparing it, or NULL. */
	struct sketch *sketch;
	struct row_face face;
	struct rows_copy kept;	/* the record; of nothing: there is no row */
	struct rows_copies *kind;	/* of such records */
	bool dirty;		/* it is among those that were changed */
	size_t bytes;		/* as counted */
	/* Of a talk where several speak, or NULL. */
	struct window *window;
	/* Of a stream: no check is due before this, if it was looked up. */
	int64_t due_first;
	bool due_known;
	size_t key_len;
	char key[];
};

void memo_begin(struct stage *st);
void memo_flush(struct stage *st);
void memo_release(void);
/* Between entries: lets go of what has become too much to keep. */
void memo_trim(struct stage *st);
/* An entry's changes are all here. */
void memo_follow(uint64_t seq);

/* Never NULL; lives until memo_trim. */
struct row *memo_find(struct stage *st, enum table_id table, enum msg_id id,
    struct slice key);
struct row *memo_chain(struct stage *st, uint64_t ref);
/*
 * Lists of the latest chains keep those that were merged: where to, without a
 * look at their rows; 0: not known here.
 */
uint64_t memo_merged(uint64_t ref);
void memo_note_merged(uint64_t ref, uint64_t into);
/*
 * It will be looked at: its row, which is not yet to be touched, or NULL, and
 * when that is here what it is compared by, come nearer meanwhile.
 */
const struct row *memo_approach(uint64_t ref);
void memo_approach_sketch(const struct row *r);
/* Only what is at hand; NULL: not here. */
struct row *memo_known(enum table_id table, struct slice key);
/* The record, not to be written to; NULL: there is none. */
static inline const void *
memo_msg(const struct row *r)
{
	return r->kept.msg;
}
/*
 * Copies all of it.  `msg` may point to what the row has held so far, of which
 * only the strings outlive this, until memo_trim.
 */
void memo_put(struct row *r, const void *msg);
/* Where a chain was put with other words than it had; NULL: not known. */
void memo_keep_sketch(struct row *r, const struct sketch *sketch);
/* An empty window in the place of the one a talk has. */
struct window *memo_new_window(struct row *r);
/* Of a chain that there is. */
const struct sketch *memo_sketch(struct row *r, struct arena *scratch);

#endif
