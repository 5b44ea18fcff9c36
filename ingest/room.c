/*
 * room - whether the stages could still write what was accepted
 */
#include "ingest/room.h"

#include "common/stage_impl.h"

/*
 * What the stages have still to write for entries that were taken.  Where all
 * have passed nearly everything, it is what an entry took so far; where none
 * has, all that is known is the log, and the stages say several times as much.
 */
static uint64_t
owed_bytes(struct stage *st, uint64_t used)
{
	enum { SAID_OF_IT = 8 };	/* times the entry itself, by experience */
	struct db_txn *txn = db_read(st->shared);
	struct msg_cursor last = { 0 };
	uint64_t behind;

	(void)db_get_msg(txn, TABLE_cursors,
	    slice_str(stage_name(STAGE_COUNT - 1)), MSG_cursor, &st->arena,
	    &last);
	db_abort(&txn);
	if (last.seq >= st->cursor)
		return 0;
	behind = st->cursor - last.seq;
	return (uint64_t)((double)used * (double)behind / (double)st->cursor *
	    (1 + SAID_OF_IT * (double)behind / (double)st->cursor));
}

bool
room_is_short(struct stage *st)
{
	uint64_t map_limit, owed, inside, reserve;
	struct db_room room;

	if (db_room(st->shared, &room) == -1)
		return false;
	reserve = (uint64_t)st->conf.disk_reserve << 20;
	map_limit = room.map_limit / 100 *
	    (uint64_t)(100 - st->conf.map_reserve);
	owed = owed_bytes(st, room.used_bytes);
	if (room.disk_free_bytes >= reserve + owed &&
	    room.used_bytes + owed <= map_limit)
		return false;
	/* What is free inside is written first; to count it takes a while. */
	inside = db_free_bytes(st->shared);
	if (room.used_bytes - inside + owed > map_limit)
		return true;
	return room.disk_free_bytes < reserve +
	    (owed > inside ? owed - inside : 0);
}
