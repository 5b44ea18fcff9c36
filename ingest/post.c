/*
 * post - what ingest does with the posts of its clients, a batch at a time
 *
 * A batch is what can be read without waiting, up to the limits: refuse what
 * is wrong, drop what is there already, give the rest its seq and its thread,
 * commit all of it once, then answer.  Clients that write while the disk is
 * busy wait in ZeroMQ's queues and make the next batch larger, so group
 * commit needs no timer.
 */
#include "ingest/post.h"

#include "common/when.h"
#include "ingest/accept.h"
#include "ingest/forget.h"
#include "ingest/place.h"
#include "ingest/room.h"

/* Far past what a client gathers: a frame of empty ones is not worth its acks. */
enum { POST_BODIES = 4096 };

static const char full_words[] =
    "the store is full: nothing new is taken until there is room";

/* ---- refusing ---- */

/* Remembers the last refusals_kept of them, by overwriting in a ring. */
static void
record_refusal(struct stage *st, const struct msg_post *post, struct slice id,
    const struct refusal *refusal)
{
	enum { EXCERPT_BYTES = 256 };
	struct ingest *in = stage_state(st);
	struct msg_refusal r = {
		.at = in->now_ms,
		.nonce = post->nonce,
		.number = post->number,
		.id = id,
		.code = slice_str(refusal->code),
		.message = slice_str(refusal->why.text),
		.excerpt = post->body,
	};
	struct key k;

	if (r.excerpt.len > EXCERPT_BYTES)
		r.excerpt.len = EXCERPT_BYTES;
	stage_count(st, COUNTER_refused, 1);
	/* What room there is belongs to the stages. */
	if (in->full)
		return;
	k = key_u64(++in->refusals);
	batch_put_msg(st, TABLE_refusals, key_slice(&k), MSG_refusal, &r, false);
	if (in->refusals > (uint64_t)st->conf.refusals_kept) {
		k = key_u64(in->refusals - (uint64_t)st->conf.refusals_kept);
		batch_delete(st, TABLE_refusals, key_slice(&k));
	}
}

static void
fail_result(struct stage *st, struct msg_ack *ack, struct slice id,
    const struct refusal *refusal)
{
	struct ingest *in = stage_state(st);

	ack->id = arena_dup(&in->batch, id);
	ack->seq = 0;
	ack->key = SLICE_NONE;
	ack->code = arena_dup(&in->batch, slice_str(refusal->code));
	ack->message = arena_dup(&in->batch, slice_str(refusal->why.text));
}

/* ---- accepting ---- */

/* Whether this batch will write that row: the first text of a hash is kept. */
static bool
is_in_batch(const struct stage *st, enum table_id table, struct slice key)
{
	const struct batch_put *put = st->batch.puts;
	const char *bytes = st->batch.bytes.ptr;
	size_t i;

	for (i = 0; i < st->batch.n_puts; i++, put++)
		if (put->table == table &&
		    slice_eq(slice_of(bytes + put->key, put->key_len), key))
			return true;
	return false;
}

static void
keep_system(struct stage *st, const struct normal_exchange *n)
{
	struct slice hash = slice_of(n->system_hash, PREFIX_HASH_BYTES), there;
	struct db_txn *txn;
	bool known;

	if (n->system.len == 0)
		return;
	txn = db_read(st->shared);
	known = db_get(txn, TABLE_systems, hash, &there);
	db_abort(&txn);
	if (!known && !is_in_batch(st, TABLE_systems, hash))
		batch_put(st, TABLE_systems, hash, n->system, false);
}

/* Log, section, arrival: the entry is in the batch. */
static void
journal(struct stage *st, const struct stage_entry *e,
    const struct msg_s_ingest *section, const struct msg_arrival *arrival)
{
	struct key k = key_u64(e->seq);

	batch_put_msg(st, TABLE_log, key_slice(&k), e->entry.id, e->entry.as,
	    true);
	batch_put_msg(st, TABLE_s_ingest, key_slice(&k), MSG_s_ingest, section,
	    true);
	batch_put_msg(st, TABLE_arrivals, key_slice(&k), MSG_arrival, arrival,
	    true);
	if (e->entry.id == MSG_forget) {
		forget_journal(st, e->seq);
		((struct ingest *)stage_state(st))->forgets = true;
	}
	place_apply(st, e, section);
	stage_count(st, COUNTER_accepted, 1);
}

static bool
is_live(const struct stage *st, int64_t ts, int64_t arrived_ms)
{
	int64_t apart = ts > arrived_ms ? ts - arrived_ms : arrived_ms - ts;

	return st->conf.tick_interval > 0 &&
	    apart <= st->conf.live_window * 1000;
}

/* Same id: the same entry again, or another one under its name. */
static int
check_sent(struct stage *st, const struct accepted *a, uint64_t *seq,
    struct refusal *refusal)
{
	const struct msg_envelope *e = &a->entry->envelope;
	struct msg_sent sent;

	if (e->id.len == 0 || !place_sent(st, e->domain, e->id, &sent))
		return 0;
	if (!slice_eq(sent.content_hash,
		slice_of(a->content_hash, CONTENT_HASH_BYTES)))
		return refuse(refusal, "id_conflict",
		    "id: entry %llu has this id and other content",
		    (unsigned long long)sent.seq);
	*seq = sent.seq;
	return 0;
}

/* The tree that the names are in goes before the answer does. */
static struct msg_strs
keep_names(struct arena *arena, const struct msg_strs *names)
{
	struct msg_strs kept = { .count = names->count };
	size_t i;

	if (names->count == 0)
		return kept;
	kept.at = arena_array(arena, names->count, sizeof(kept.at[0]));
	for (i = 0; i < names->count; i++)
		kept.at[i] = arena_dup(arena, names->at[i]);
	return kept;
}

static int
take(struct stage *st, const struct msg_post *post, struct accepted *a,
    struct msg_ack *ack, struct refusal *refusal)
{
	struct ingest *in = stage_state(st);
	struct msg_arrival arrival = { .at = in->now_ms, .us = in->now_us,
		.nonce = post->nonce, .number = post->number };
	struct msg_s_ingest section = { 0 };
	struct normal_exchange exchange;
	struct stage_entry e = { .seq = in->seq + 1 };
	uint64_t seq = 0;

	if (a->type == MSG_exchange) {
		if (normal_read(&st->conf, a->json, &st->arena, &exchange,
			refusal) == -1)
			return -1;
		accept_hash_exchange(a, &exchange);
	}
	if (check_sent(st, a, &seq, refusal) == -1)
		return -1;
	if (seq == 0) {
		if (in->full)
			return refuse(refusal, "full", "%s", full_words);
		a->entry->envelope.live = is_live(st, a->entry->envelope.ts,
		    in->now_ms);
		section.content_hash = slice_of(a->content_hash,
		    CONTENT_HASH_BYTES);
		if (place_decide(st, e.seq, a->type, a->entry, &exchange,
			&section, refusal) == -1)
			return -1;
		if (a->type == MSG_exchange)
			keep_system(st, &exchange);
		e.entry = (struct msg){ a->type, a->entry };
		journal(st, &e, &section, &arrival);
		seq = ++in->seq;
	} else {
		ack->repeated = true;
		stage_count(st, COUNTER_repeated, 1);
	}
	ack->seq = seq;
	ack->id = arena_dup(&in->batch, a->entry->envelope.id);
	ack->key = clients_key(&in->batch, a->type, seq);
	ack->ignored = keep_names(&in->batch, &a->ignored);
	return 0;
}

static void
accept_post(struct stage *st, const struct msg_post *post, struct client *c)
{
	struct ingest *in = stage_state(st);
	struct msg_ack *ack = clients_result(in->clients, c);
	struct refusal refusal;
	struct accepted a;
	struct slice id;

	if (accept_entry(&st->conf, post->body, in->now_ms, &st->arena, &a,
		&id, &refusal) == -1 ||
	    take(st, post, &a, ack, &refusal) == -1) {
		record_refusal(st, post, id, &refusal);
		fail_result(st, ack, id, &refusal);
	}
	accept_release(&a);
}

/* ---- a batch ---- */

static void
begin_batch(struct stage *st)
{
	struct ingest *in = stage_state(st);
	int64_t now_us = wall_us();

	in->now_ms = now_us / 1000;
	in->now_us = (uint64_t)(now_us % 1000);
	in->seq = st->cursor;
	/* Without its tables ingest could not tell a resend from a new entry. */
	in->full = room_is_short(st) ||
	    (st->applied != st->cursor && !derived_catch_up(st));
	turn_begin(st);
}

/* Commits what was collected; DB_FULL: nothing was taken. */
static enum db_result
commit_batch(struct stage *st)
{
	struct ingest *in = stage_state(st);
	enum db_result result = DB_DONE;
	uint64_t before = st->cursor;

	switch (db_state(st->tables)) {
	case DB_BROKEN:
		derived_damaged(st);
	case DB_FULL:
		turn_abandon(st);
		/* With a larger map all of it can be taken: once more. */
		if (db_grow(st->own)) {
			clients_again(in->clients, in->router);
			return DB_DONE;
		}
		return DB_FULL;
	case DB_DONE:
		break;
	}
	/* Of refusals for want of room no record is kept: it would need room. */
	if (!in->full || in->seq > before)
		clients_batch(in->clients, in->now_ms);
	if (st->batch.n_puts > 0)
		result = turn_commit(st, in->seq);
	else
		turn_abandon(st);
	return in->full && in->seq == before ? DB_FULL : result;
}

static void
end_batch(struct stage *st)
{
	struct ingest *in = stage_state(st);
	enum db_result result = commit_batch(st);
	struct refusal refusal;

	refuse(&refusal, "full", "%s", full_words);
	if (result == DB_FULL)
		clients_uncommitted(in->clients, st->cursor, &refusal);
	status_state(st, result == DB_FULL || in->full ? STATE_blocked :
							 STATE_ready,
	    result == DB_FULL || in->full ? "map or disk is full" : "");
	/* Who hears that it was taken may rely on its being gone. */
	in->forgets = in->forgets && result == DB_DONE &&
	    !forget_carry_out(st);
	clients_reply(in->clients, in->router);
	arena_reset(&in->batch);
	arena_reset(&st->arena);
}

/* ---- posts ---- */

static void
bad_post(struct stage *st, struct slice bytes, const char *reason)
{
	struct msg_post post = { .body = bytes };
	struct refusal refusal;

	refuse(&refusal, "bad_frame", "%s", reason);
	record_refusal(st, &post, SLICE_NONE, &refusal);
	stage_count(st, COUNTER_bad_frames, 1);
}

/* NULL: it could never be answered. */
static struct client *
find_client(struct ingest *in, const struct bus_message *m,
    const struct msg_post *post)
{
	struct client *c = clients_find(in->clients, post->nonce);

	c->seen_ms = in->now_ms;
	buf_clear(&c->route);
	return buf_addslice(&c->route, m->parts[0]) == -1 ? NULL : c;
}

/*
 * The bodies of one frame, each under its own number.  Those that were taken
 * before have their result already.  A wish to forget ends its batch: what
 * comes after it must not find its place by what is forgotten.
 */
static void
accept_bodies(struct stage *st, const struct bus_message *m,
    const struct msg_post *post, struct client *c)
{
	struct ingest *in = stage_state(st);
	struct msg_post one = *post;
	size_t i;

	for (i = 0; c != NULL && i <= post->more.count; i++) {
		one.number = post->number + i;
		one.body = i == 0 ? post->body : post->more.at[i - 1];
		if (one.number != c->next)
			continue;
		accept_post(st, &one, c);
		arena_reset(&st->arena);
		if (in->forgets) {
			end_batch(st);
			begin_batch(st);
			c = find_client(in, m, post);
		}
	}
}

static void
handle_post(struct stage *st, const struct bus_message *m)
{
	struct ingest *in = stage_state(st);
	struct msg_error why;
	struct msg_post post;
	struct client *c;

	if (m->count != 2 || m->dropped > 0) {
		bad_post(st, m->count > 1 ? m->parts[1] : SLICE_NONE,
		    "a post is one part");
		return;
	}
	if (msg_decode_as(m->parts[1], &in->frame, MSG_post, &post, &why) ==
	    -1) {
		bad_post(st, m->parts[1], why.text);
		return;
	}
	if (post.nonce.len != NONCE_BYTES || (post.number == 0 && !post.bye)) {
		bad_post(st, m->parts[1], post.nonce.len != NONCE_BYTES ?
		    "post.nonce: has 16 bytes" : "post.number: starts at 1");
		return;
	}
	if (post.more.count > POST_BODIES) {
		bad_post(st, m->parts[1], "post.more: has too many bodies");
		return;
	}
	if (!post.bye && post.settled >= post.number) {
		bad_post(st, m->parts[1],
		    "post.settled: is below the post's own number");
		return;
	}
	c = find_client(in, m, &post);
	if (c == NULL)
		return;
	clients_settle(in->clients, c, post.settled);
	if (post.bye)
		clients_bye(in->clients, c);
	else if (post.number > c->next) {
		stage_count(st, COUNTER_expected, 1);
		clients_expect(c, in->router);
	} else {
		if (post.number < c->next &&
		    (c->n_acks == 0 || post.number < c->first))
			/* Answered before, and the answer was lost. */
			clients_repeat(in->clients, c, post.number, in->router);
		accept_bodies(st, m, &post, c);
	}
}

/* Whether there is room for the stages is asked once a batch. */
enum { BATCH_MOST = 512 };

void
post_receive(struct bus_socket *socket, void *stage)
{
	struct stage *st = stage;
	size_t limit = (size_t)st->conf.batch_bytes * 1024;
	struct bus_message m;
	struct ingest *in = stage_state(st);
	uint64_t most = (uint64_t)st->conf.batch_entries, frames = 0;

	if (most > BATCH_MOST)
		most = BATCH_MOST;
	begin_batch(st);
	while (frames++ < most && in->seq - st->cursor < most &&
	    st->batch.bytes.len < limit && bus_receive(socket, &m)) {
		handle_post(st, &m);
		arena_reset(&in->frame);
		arena_reset(&st->arena);
	}
	end_batch(st);
}

/* ---- time ---- */

/* A tick for each domain in which live streams may have something pending. */
static void
tick_domains(struct stage *st)
{
	struct ingest *in = stage_state(st);
	int64_t oldest = in->now_ms - st->conf.tick_horizon * WHEN_HOUR_MS;
	struct msg_arrival arrival = { .at = in->now_ms, .us = in->now_us };
	struct msg_s_ingest section = { 0 };
	union msg_any *tick;
	struct stage_entry e = { 0 };
	struct db_cursor *c;
	struct msg_stream s;
	struct msg_error why;
	struct db_entry row;

	c = db_cursor(st->tables, TABLE_live_domains);
	while (db_next(c, &row)) {
		if (msg_decode_as(row.value, &st->arena, MSG_stream, &s,
			&why) == -1 || s.live_at < oldest)
			continue;
		tick = arena_alloc(&st->arena, sizeof(*tick));
		tick->tick.domain = arena_dup(&st->arena,
		    slice_of(row.key.ptr, row.key.len - 1));
		tick->tick.ts = in->now_ms;
		tick->tick.live = true;
		e.seq = ++in->seq;
		e.entry = (struct msg){ MSG_tick, tick };
		journal(st, &e, &section, &arrival);
		stage_count(st, COUNTER_ticks, 1);
	}
	db_cursor_close(&c);
}

void
post_tick(struct stage *st)
{
	struct ingest *in = stage_state(st);

	begin_batch(st);
	if (!in->full)
		tick_domains(st);
	end_batch(st);
}

void
post_expire(struct stage *st)
{
	struct ingest *in = stage_state(st);

	begin_batch(st);
	clients_expire(in->clients, in->now_ms);
	end_batch(st);
}
