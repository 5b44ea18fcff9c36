/*
 * stage_drop - take back what stages said, so that they say it again
 *
 * Sections are emptied and cursors set back, with a new epoch.  Running stages
 * find their cursor moved, end, are started again, empty their own tables
 * because of the epoch, and pass the log once more.
 */
#include "common/stage_drop.h"

#include <stdlib.h>

#include "common/xmalloc.h"

/* Rows of rejects are keyed by seq and stage. */
static void
drop_rejects(struct db_txn *txn, enum stage_id from)
{
	struct db_cursor *c = db_cursor(txn, TABLE_rejects);
	struct key *keys = NULL;
	size_t n = 0, room = 0, i;
	struct db_entry e;
	enum stage_id id;

	while (db_next(c, &e)) {
		if (e.key.len < 10 || stage_named(slice_of(e.key.ptr + 8,
			e.key.len - 9), &id) == -1 || id < from)
			continue;
		if (n == room) {
			room = room == 0 ? 64 : room * 2;
			keys = xrealloc(keys, room * sizeof(keys[0]));
		}
		key_init(&keys[n]);
		key_add_bytes(&keys[n++], e.key);
	}
	db_cursor_close(&c);
	for (i = 0; i < n; i++)
		db_delete(txn, TABLE_rejects, key_slice(&keys[i]));
	free(keys);
}

void
stage_new_epoch(struct db_txn *txn, enum stage_id id, uint64_t seq)
{
	struct slice name = slice_str(stage_name(id));
	struct msg_cursor c = { 0 };
	struct arena arena;

	arena_init(&arena);
	(void)db_get_msg(txn, TABLE_cursors, name, MSG_cursor, &arena, &c);
	c = (struct msg_cursor){ .seq = seq, .epoch = c.epoch + 1 };
	db_put_msg(txn, TABLE_cursors, name, MSG_cursor, &c);
	arena_release(&arena);
}

void
stage_drop_sections(struct db_txn *txn, enum stage_id from)
{
	enum stage_id id;

	for (id = from; id < STAGE_COUNT; id++) {
		db_clear(txn, stage_section_table(id));
		stage_new_epoch(txn, id, 0);
	}
	drop_rejects(txn, from);
}
