/*
 * exchange_adopt - later calls that this one is the better parent of
 *
 * Entries may arrive out of order.  Each way of finding a parent has its
 * counterpart here, that finds from the parent those who wait for one.  Live
 * traffic has nothing later, and all of this is a few empty seeks.
 */
#include "linker/continuation.h"
#include "linker/exchange.h"
#include "linker/subtask.h"

/*
 * Takes c in, if this call is better than the parent it has.  A node is as old
 * as the earliest of its calls, and its parent is older than that.
 */
static void
offer(struct exchange *ex, struct msg_call *c, const struct match *m)
{
	const struct msg_l_call *at;
	struct match present;

	c = exchange_call(ex, call_place(c)->node);
	if (c == NULL)
		return;
	at = call_place(c);
	if (at->node == call_place(m->call)->node ||
	    m->call->ts > at->node_ts ||
	    (m->call->ts == at->node_ts && m->call->seq > c->seq))
		return;
	present = match_present(ex, c);
	if (match_better(c, m, &present))
		match_settle(ex, c, m);
}

/* What this call is worth to one that passes its end: with its reply, more. */
static struct match
prefix_worth(struct exchange *ex, struct msg_call *c,
    const struct msg_call_ref *ref)
{
	struct msg_call *self = exchange_self(ex);
	struct match m = match_prefix(ex, c, self, ref->depth, false,
	    ref->runs), with;
	struct path p;

	if (self->reply_hash.len == 0 || !path_begin(&p, ex, c))
		return m;
	while (p.depth > ref->depth + 1)
		if (!path_back(&p))
			return m;
	/* The whole of it is no prefix. */
	if (p.depth >= c->depth || !slice_eq(p.hash, self->reply_hash))
		return m;
	with = match_prefix(ex, c, self, p.depth, true, path_runs(&p));
	return match_better(c, &with, &m) ? with : m;
}

/* Those that pass the prefix that this call ends with. */
static void
adopt_prefix(struct exchange *ex)
{
	struct link *l = exchange_link(ex);
	struct msg_call *self = exchange_self(ex), *c;
	struct prefix end = calls_end(ex, false);
	struct key k = calls_wait_key(&end, self->ts, self->seq);
	struct db_cursor *cursor = db_cursor(stage_tables(l->st),
	    TABLE_call_ends);
	struct msg_call_ref ref;
	struct msg_error why;
	struct db_entry e;
	struct match m;
	bool more = db_seek(cursor, key_slice(&k), &e);
	size_t seen;

	for (seen = 0; more && seen < CALL_ADOPTED && e.key.len == k.len &&
	     memcmp(e.key.ptr, k.bytes, k.len - 16) == 0; seen++) {
		if (msg_decode_as(e.value, l->arena, MSG_call_ref, &ref,
			&why) == -1)
			break;
		c = exchange_call(ex, ref.seq);
		if (c != NULL) {
			m = prefix_worth(ex, c, &ref);
			if (m.call != NULL)
				offer(ex, c, &m);
		}
		more = db_next(cursor, &e);
	}
	db_cursor_close(&cursor);
}

static void
adopt_response(struct exchange *ex)
{
	struct link *l = exchange_link(ex);
	const struct msg_exchange *x = &l->e->entry.as->exchange;
	struct msg_call *self = exchange_self(ex), *c;
	struct match m = { .strategy = STRATEGY_response, .call = self,
		.direct = true };
	struct db_cursor *cursor;
	struct db_entry e;
	struct key k;
	size_t seen;
	bool more;

	if (x->response_id.len == 0 || !match_is_on(ex, STRATEGY_response))
		return;
	k = calls_response_key(self->domain, x->response_id, true, self->ts,
	    self->seq);
	cursor = db_cursor(stage_tables(l->st), TABLE_call_responses);
	more = db_seek(cursor, key_slice(&k), &e);
	for (seen = 0; more && seen < CALL_ADOPTED && e.key.len == k.len &&
	     memcmp(e.key.ptr, k.bytes, k.len - 16) == 0; seen++) {
		c = exchange_call(ex, key_read_u64(e.key, k.len - 8));
		if (c != NULL && call_may_join(self, c))
			offer(ex, c, &m);
		more = db_next(cursor, &e);
	}
	db_cursor_close(&cursor);
}

/* The session's next call under the same system text, and it alone. */
static void
adopt_session(struct exchange *ex)
{
	struct link *l = exchange_link(ex);
	struct msg_call *self = exchange_self(ex), *c;
	struct match m = { .strategy = STRATEGY_session, .call = self };
	struct db_cursor *cursor;
	struct db_entry e;
	struct key k;
	size_t seen;
	bool more;

	if (self->session.len == 0 || !match_is_on(ex, STRATEGY_session))
		return;
	k = calls_session_key(self, self->ts, self->seq);
	cursor = db_cursor(stage_tables(l->st), TABLE_call_sessions);
	more = db_seek(cursor, key_slice(&k), &e);
	for (seen = 0; more && seen < CALL_ADOPTED && e.key.len == k.len &&
	     memcmp(e.key.ptr, k.bytes, k.len - 16) == 0; seen++) {
		c = exchange_call(ex, key_read_u64(e.key, k.len - 8));
		if (c != NULL && call_may_join(self, c) &&
		    call_same_system(self, c)) {
			offer(ex, c, &m);
			break;
		}
		more = db_next(cursor, &e);
	}
	db_cursor_close(&cursor);
}

/* The node has the place of its earliest call. */
static void
lend_place(struct exchange *ex, struct msg_call *node)
{
	struct msg_l_call *to = call_place(node), was = *to;

	*to = *call_place(exchange_self(ex));
	to->seq = to->node = node->seq;
	to->core = was.core;
	to->core_end = was.core_end;
	exchange_touch(ex, node);
}

/* The next few equal calls that repeat this one, and none between. */
static size_t
find_retries(struct exchange *ex, struct msg_call **out)
{
	struct link *l = exchange_link(ex);
	struct msg_call *self = exchange_self(ex), *equal[CALL_TRIES], *c;
	struct prefix end = calls_end(ex, false);
	struct key k = calls_end_key(&end, self, false, self->ts, self->seq);
	struct db_cursor *cursor = db_cursor(stage_tables(l->st),
	    TABLE_call_ends);
	struct db_entry e;
	bool more = db_seek(cursor, key_slice(&k), &e), nearer;
	size_t tries, i, n = 0, found = 0;

	for (tries = 0; more && tries < CALL_TRIES && e.key.len == k.len &&
	     memcmp(e.key.ptr, k.bytes, k.len - 16) == 0; tries++) {
		c = exchange_call(ex, key_read_u64(e.key, k.len - 8));
		more = db_next(cursor, &e);
		if (c == NULL)
			continue;
		for (i = 0, nearer = false; i < n && !nearer; i++)
			nearer = match_is_retry(ex, equal[i], c);
		equal[n++] = c;
		if (!nearer && match_is_retry(ex, self, c))
			out[found++] = c;
	}
	db_cursor_close(&cursor);
	return found;
}

/*
 * A node becomes part of this call's: its calls with it, and its children,
 * that are filed under its name.
 */
static void
merge_node(struct exchange *ex, struct msg_call *node)
{
	struct link *l = exchange_link(ex);
	struct msg_call *self = exchange_self(ex), *c;
	struct db_cursor *cursor = db_cursor(stage_tables(l->st),
	    TABLE_call_children);
	struct key k = key_u64(node->seq);
	struct db_entry e;
	bool more = db_seek(cursor, key_slice(&k), &e);
	size_t seen;

	for (seen = 0; more && seen < CALL_ADOPTED &&
	     e.key.len == k.len + 16 && memcmp(e.key.ptr, k.bytes, k.len) == 0;
	     seen++) {
		c = exchange_call(ex, key_read_u64(e.key, k.len + 8));
		more = db_next(cursor, &e);
		if (c == NULL)
			continue;
		if (call_place(c)->node == node->seq)
			call_place(c)->node = call_place(self)->node;
		exchange_touch(ex, c);
	}
	db_cursor_close(&cursor);
	match_settle(ex, node, &(struct match){ .strategy = STRATEGY_retry,
	    .call = self });
}

/*
 * Later calls may be retries of this one.  They are one node then: if this
 * call has none yet, it goes on under the name of the one that was there; all
 * others that this call makes one with it join it.
 */
static void
adopt_retry(struct exchange *ex)
{
	struct msg_call *self = exchange_self(ex), *later[CALL_TRIES], *node;
	size_t i, n = find_retries(ex, later);

	for (i = 0; i < n; i++) {
		node = exchange_call(ex, call_place(later[i])->node);
		if (node == NULL || node->seq == call_place(self)->node)
			continue;
		if (call_place(self)->node == self->seq) {
			if (self->ts <= call_place(node)->node_ts)
				lend_place(ex, node);
			match_settle(ex, self, &(struct match){
			    .strategy = STRATEGY_retry, .call = later[i] });
		} else if (self->ts <= call_place(node)->node_ts)
			merge_node(ex, node);
	}
}

void
adopt_later(struct exchange *ex)
{
	if (exchange_is_known(ex)) {
		adopt_retry(ex);
		adopt_prefix(ex);
	}
	adopt_response(ex);
	subtask_later(ex, offer);
	continuation_later(ex, offer);
	adopt_session(ex);
}
