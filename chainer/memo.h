/*
 * memo - the rows of the chainer's tables that the batch under way has touched
 *
 * A turn looks at two dozen chains of its stream, and so does the next one:
 * each is read and decoded once a batch, and written once.  Rows are changed
 * here and reach the tables in memo_flush, before the own tables are
 * committed; a batch that is given up is forgotten by the next memo_begin.  So
 * nothing here outlives what it stands for.
 */
#ifndef CHAINER_MEMO_H
#define CHAINER_MEMO_H

#include "chainer/distance.h"
#include "common/stage.h"

struct row {
	struct row *next;	/* of the bucket */
	struct row *after;	/* of all that were changed */
	enum table_id table;
	struct slice key;
	struct slice record;	/* as it will be written; none: there is no row */
	const void *msg;	/* decoded when asked for */
	bool dirty;
	/* What is found out about a row once, and forgotten when it changes. */
	const struct sketch *sketch;
	/* Of a stream: no check is due before this, if it was looked up. */
	int64_t due_first;
	bool due_known;
};

void memo_begin(struct stage *st);
void memo_flush(struct stage *st);
void memo_release(void);
/* Between entries: lets go of what has become too much to keep. */
void memo_trim(struct stage *st);
/* Lives as long as the batch. */
struct arena *memo_arena(void);

/* Never NULL; what it holds may be read until the next entry. */
struct row *memo_find(struct stage *st, enum table_id table, struct slice key);
/* A copy whose strings and lists are not to be written to; false: no row. */
bool memo_read(struct stage *st, struct row *r, enum msg_id id, void *out);
void memo_put(struct stage *st, enum table_id table, struct slice key,
    enum msg_id id, const void *msg);

#endif
