/*
 * link - what the two halves of the linker work on
 */
#include "linker/link.h"

const struct msg_s_ingest *
link_place(const struct link *l)
{
	const struct msg *placed = &l->e->sections[STAGE_ingest];

	return placed->id == MSG_s_ingest ? &placed->as->s_ingest : NULL;
}

bool
link_get(const struct link *l, enum table_id table, const struct key *k,
    enum msg_id id, void *out)
{
	struct msg_error why;
	struct slice record;

	if (!db_get(stage_tables(l->st), table, key_slice(k), &record))
		return false;
	if (msg_decode_as(arena_dup(l->arena, record), l->arena, id, out,
		&why) == 0)
		return true;
	/* The same again, for the one who knows what to do about damage. */
	return db_get_msg(stage_tables(l->st), table, key_slice(k), id,
	    l->arena, out);
}

void
link_put(const struct link *l, enum table_id table, const struct key *k,
    enum msg_id id, const void *msg)
{
	db_put_msg(stage_tables(l->st), table, key_slice(k), id, msg);
}

void
link_put_later(const struct link *l, enum table_id table, const struct key *k,
    enum msg_id id, const void *msg)
{
	db_put_msg_later(stage_tables(l->st), table, key_slice(k), id, msg);
}

void
link_delete(const struct link *l, enum table_id table, const struct key *k)
{
	db_delete(stage_tables(l->st), table, key_slice(k));
}
