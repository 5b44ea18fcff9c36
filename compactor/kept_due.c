/*
 * kept_due - reminders and the time they are over
 *
 * By stream and time, for each entry of the stream; and those of live streams
 * by domain and time, for ticks, which move live streams only.
 */
#include "common/when.h"
#include "compactor/due_times.h"
#include "compactor/kept.h"

enum {
	EXPIRE_MOST = 64,	/* by one entry; the rest by the next */
};

static struct key
due_key(struct key prefix, const struct msg_artifact *a)
{
	uint64_t seq = 0, n = 0;

	key_add_i64(&prefix, a->expires_at);
	if (artifact_parse(a->key, &seq, &n) == 0) {
		key_add_u64(&prefix, seq);
		key_add_u64(&prefix, n);
	}
	return prefix;
}

static struct key
stream_of(const struct msg_artifact *a)
{
	return key_stream(a->domain, a->user, a->room);
}

static size_t
find_due(struct compact *c, enum table_id table, const struct key *prefix,
    struct due_times *times, struct slice *keys)
{
	struct db_cursor *cursor;
	struct msg_error why;
	struct msg_a_due due;
	struct db_entry e;
	struct key end;
	size_t n = 0;
	bool there;

	if (due_times_none(times, prefix, c->ts))
		return 0;
	end = *prefix;
	key_add_i64(&end, c->ts);
	key_add_u64(&end, UINT64_MAX);
	cursor = db_cursor(stage_tables(c->st), table);
	for (there = db_seek(cursor, key_slice(prefix), &e);
	     there && n < EXPIRE_MOST && slice_cmp(e.key, key_slice(&end)) <= 0;
	     there = db_next(cursor, &e))
		if (msg_decode_as(arena_dup(c->arena, e.value), c->arena,
			MSG_a_due, &due, &why) == 0)
			keys[n++] = due.artifact;
	if (n == 0)
		due_times_learn(times, prefix, there &&
		    e.key.len >= prefix->len + 8 && memcmp(e.key.ptr,
			prefix->bytes, prefix->len) == 0 ?
		    key_read_i64(e.key, prefix->len) : INT64_MAX);
	db_cursor_close(&cursor);
	return n;
}

void
kept_expire(struct compact *c)
{
	const struct msg_envelope *e = c->envelope;
	bool tick = c->e->entry.id == MSG_tick && e->user.len == 0 &&
	    e->room.len == 0;
	enum table_id table = tick ? TABLE_kept_live_due : TABLE_kept_due;
	struct slice keys[EXPIRE_MOST];
	struct msg_artifact *a;
	struct key domain;
	size_t i, n;

	if (db_count(stage_tables(c->st), table) == 0)
		return;
	if (tick)
		domain = key_domain(e->domain);
	n = find_due(c, table, tick ? &domain : &c->stream,
	    tick ? NULL : c->kept_times, keys);
	for (i = 0; i < n; i++) {
		a = compact_change(c, keys[i]);
		if (a != NULL && slice_is(a->status, "open"))
			compact_state(c, a, SLICE("expired"), SLICE("expired"),
			    SLICE_NONE);
	}
}

static void
put_due(struct compact *c, const struct msg_artifact *a)
{
	struct key stream = stream_of(a), k = due_key(stream, a);
	struct msg_a_due due = { .artifact = a->key,
		.stream = key_slice(&stream) };

	due_times_put(c->kept_times, &stream, a->expires_at);
	db_put_msg(stage_tables(c->st), TABLE_kept_due, key_slice(&k),
	    MSG_a_due, &due);
	if (!c->envelope->live)
		return;
	k = due_key(key_domain(a->domain), a);
	db_put_msg(stage_tables(c->st), TABLE_kept_live_due, key_slice(&k),
	    MSG_a_due, &due);
}

static void
drop_due(struct compact *c, const struct msg_artifact *a)
{
	struct key k = due_key(stream_of(a), a);

	db_delete(stage_tables(c->st), TABLE_kept_due, key_slice(&k));
	k = due_key(key_domain(a->domain), a);
	db_delete(stage_tables(c->st), TABLE_kept_live_due, key_slice(&k));
}

void
kept_apply(struct compact *c)
{
	const struct msg_s_compactor *s = c->section;
	const struct msg_artifact *a;
	size_t i;

	for (i = 0; i < s->n_artifacts; i++) {
		a = &s->artifacts[i];
		if (a->expires_at == 0)
			continue;
		if (slice_is(a->status, "open"))
			put_due(c, a);
		else
			drop_due(c, a);
	}
}
