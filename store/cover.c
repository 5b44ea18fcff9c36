/*
 * cover - turns whose statements something newer stands in the place of
 */
#include "store/cover.h"

enum { COVERS_MOST = 256 };	/* superseded passages looked at, for a turn */

bool
cover_find(struct db_txn *store, uint64_t thread, uint64_t turn,
    cover_counts *counts, const void *arg, struct arena *arena,
    struct slice *refined_by)
{
	struct db_cursor *c;
	struct msg_cover cover;
	struct msg_error why;
	bool there, found = false;
	struct db_entry e;
	struct key k;
	size_t n = 0;

	if (store == NULL || thread == 0 ||
	    db_count(store, TABLE_covers) == 0)
		return false;
	k = key_pair(thread, turn);
	c = db_cursor(store, TABLE_covers);
	for (there = db_seek(c, key_slice(&k), &e);
	     there && n < COVERS_MOST && e.key.len > 16 &&
	     key_read_u64(e.key, 0) == thread; there = db_next(c, &e), n++) {
		if (msg_decode_as(e.value, arena, MSG_cover, &cover, &why) ==
			-1 || cover.first > turn ||
		    (counts != NULL && !counts(arg, cover.refined_by)))
			continue;
		*refined_by = arena_dup(arena, cover.refined_by);
		found = true;
	}
	db_cursor_close(&c);
	return found;
}
