/*
 * place_keys - keys of ingest's own tables, and the rows that name a place
 */
#include "ingest/place_impl.h"

struct key
place_stream_key(const struct msg_envelope *e)
{
	return key_stream(e->domain, e->user, e->room);
}

struct key
place_span_key(const struct msg_envelope *e, int64_t start, uint64_t thread)
{
	struct key k = place_stream_key(e);

	key_add_i64(&k, start);
	key_add_u64(&k, thread);
	return k;
}

struct key
place_node_key(struct slice domain, struct slice hash, uint64_t seq, uint64_t i)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, domain);
	key_add_bytes(&k, hash);
	key_add_u64(&k, seq);
	key_add_u64(&k, i);
	return k;
}

uint64_t
place_get(struct stage *st, enum table_id table, const struct key *k)
{
	struct msg_place p;

	return db_get_msg(stage_tables(st), table, key_slice(k), MSG_place,
		   stage_arena(st), &p) ? p.seq : 0;
}

void
place_put(struct stage *st, enum table_id table, const struct key *k,
    uint64_t seq, uint64_t i)
{
	struct msg_place p = { .seq = seq, .i = i };

	db_put_msg(stage_tables(st), table, key_slice(k), MSG_place, &p);
}
