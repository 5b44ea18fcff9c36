/*
 * exchange_calls - the tables by which calls are found again
 */
#include <xxhash.h>

#include "linker/continuation.h"
#include "linker/exchange.h"
#include "linker/subtask.h"

/* ---- keys ---- */

static void
add_when(struct key *k, int64_t ts, uint64_t seq)
{
	key_add_i64(k, ts);
	key_add_u64(k, seq);
}

static struct key
prefix_key(const struct prefix *p)
{
	struct key k = key_u64(p->root);

	key_add_u64(&k, p->depth);
	key_add_bytes(&k, p->hash);
	return k;
}

struct key
calls_end_key(const struct prefix *p, const struct msg_call *c, bool session,
    int64_t ts, uint64_t seq)
{
	static const char none[CALL_HASH_BYTES];
	struct key k = prefix_key(p);
	XXH128_canonical_t digest;

	key_add_bytes(&k, session ? SLICE("x") : SLICE("s"));
	if (session) {
		XXH128_canonicalFromHash(&digest,
		    XXH3_128bits(c->session.ptr, c->session.len));
		key_add_bytes(&k, slice_of((char *)digest.digest,
		    sizeof(digest.digest)));
	} else
		key_add_bytes(&k, c->system_hash.len == CALL_HASH_BYTES ?
		    c->system_hash : slice_of(none, sizeof(none)));
	add_when(&k, ts, seq);
	return k;
}

struct key
calls_wait_key(const struct prefix *p, int64_t ts, uint64_t seq)
{
	struct key k = prefix_key(p);

	/* Beside the calls that end there: one place is looked at for both. */
	key_add_bytes(&k, SLICE("w"));
	add_when(&k, ts, seq);
	return k;
}

struct key
calls_child_key(uint64_t node, int64_t ts, uint64_t seq)
{
	struct key k = key_u64(node);

	add_when(&k, ts, seq);
	return k;
}

struct key
calls_session_key(const struct msg_call *c, int64_t ts, uint64_t seq)
{
	struct key k = key_hashed(c->domain, c->session);

	add_when(&k, ts, seq);
	return k;
}

struct key
calls_response_key(struct slice domain, struct slice response, bool waits,
    int64_t ts, uint64_t seq)
{
	struct key k = key_hashed(domain, response);

	key_add_bytes(&k, waits ? SLICE("w") : SLICE("r"));
	add_when(&k, ts, seq);
	return k;
}

struct key
calls_prompt_key(struct slice domain, struct slice prompt, bool waits,
    int64_t ts, uint64_t seq, uint64_t task)
{
	struct key k = key_hashed(domain, prompt);

	key_add_bytes(&k, waits ? SLICE("w") : SLICE("t"));
	add_when(&k, ts, seq);
	key_add_u64(&k, task);
	return k;
}

struct key
calls_root_key(struct slice domain, int64_t ts, uint64_t seq)
{
	struct key k = key_named(domain, SLICE_NONE);

	add_when(&k, ts, seq);
	return k;
}

struct key
calls_task_key(struct slice domain, struct slice hash)
{
	return key_named(domain, hash);
}

struct key
calls_first_key(struct slice domain, struct slice hash)
{
	return key_named(domain, hash);
}

struct prefix
calls_end(struct exchange *ex, bool reply)
{
	const struct msg_call *c = exchange_self(ex);

	return (struct prefix){
		.root = exchange_path(ex)->root,
		.depth = c->depth + (reply ? 1 : 0),
		.hash = reply ? c->reply_hash : c->hash,
	};
}

/* ---- where a call can be found ---- */

static void
put_ref(struct exchange *ex, enum table_id table, struct key k,
    const struct msg_call_ref *ref)
{
	link_put(exchange_link(ex), table, &k, MSG_call_ref, ref);
}

/* A root is found again by its first message. */
static void
add_first(struct exchange *ex, const struct msg_call *c)
{
	const struct msg_exchange *x =
	    &exchange_link(ex)->e->entry.as->exchange;
	struct msg_call_ref ref = { .seq = c->seq };

	if (x->known == 0 && x->n_added > 0 &&
	    exchange_path(ex)->root == c->seq)
		put_ref(ex, TABLE_call_firsts, calls_first_key(c->domain,
		    x->added[0].hash), &ref);
}

/* Under what it ends with: its messages, its reply. */
static void
add_ends(struct exchange *ex, const struct msg_call *c)
{
	struct msg_call_ref ref = { .seq = c->seq, .depth = c->depth };
	struct prefix end;
	int reply, session;

	for (reply = 0; reply < 2; reply++) {
		if (reply && c->reply_hash.len == 0)
			continue;
		ref.reply = reply;
		end = calls_end(ex, reply);
		for (session = 0; session < 2; session++)
			if (!session || c->session.len > 0)
				put_ref(ex, TABLE_call_ends,
				    calls_end_key(&end, c, session, c->ts,
					c->seq), &ref);
	}
}

static void
add_names(struct exchange *ex, const struct msg_call *c)
{
	const struct msg_exchange *x =
	    &exchange_link(ex)->e->entry.as->exchange;
	struct msg_call_ref ref = { .seq = c->seq };

	if (c->session.len > 0)
		put_ref(ex, TABLE_call_sessions,
		    calls_session_key(c, c->ts, c->seq), &ref);
	if (x->response_id.len > 0)
		put_ref(ex, TABLE_call_responses,
		    calls_response_key(c->domain, x->response_id, false, c->ts,
			c->seq), &ref);
	if (c->previous.len > 0)
		put_ref(ex, TABLE_call_responses,
		    calls_response_key(c->domain, c->previous, true, c->ts,
			c->seq), &ref);
}

/* ---- what follows from its place ---- */

/*
 * The prefixes behind the end of its parent, and that end itself: a call that
 * arrives late and ends with one of them may be the better parent.  A call
 * does not end with the assistant's words; those are its reply.
 */
static void
move_waits(struct exchange *ex, struct msg_call *c, uint64_t depth, bool add)
{
	struct msg_call_ref ref = { .seq = c->seq };
	struct prefix at;
	struct path p;
	struct key k;
	size_t n;

	if (c->depth < 2 || !path_begin(&p, ex, c))
		return;
	for (n = 0; n < CALL_WAITS && path_back(&p); n++) {
		if (p.depth + 1 < depth)
			break;
		if (p.role == 'a')
			continue;
		at = path_prefix(&p);
		k = calls_wait_key(&at, c->ts, c->seq);
		ref.depth = p.depth;
		ref.runs = path_runs(&p);
		if (add)
			put_ref(ex, TABLE_call_ends, k, &ref);
		else
			link_delete(exchange_link(ex), TABLE_call_ends, &k);
	}
}

/* The node that its children, or the parent's, are kept under. */
static uint64_t
node_of(struct exchange *ex, uint64_t seq)
{
	struct msg_call *c = exchange_call(ex, seq);

	return c != NULL ? call_place(c)->node : seq;
}

static void
add_place(struct exchange *ex, struct msg_call *c, bool add)
{
	struct link *l = exchange_link(ex);
	const struct msg_l_call *at = call_place(c);
	struct msg_call_ref ref = { .seq = c->seq };
	struct key root = calls_root_key(c->domain, c->ts, c->seq), child;

	/* A retry has no place of its own: it stands with its node. */
	child = at->node != c->seq ? calls_child_key(at->node, c->ts, c->seq) :
	    calls_child_key(node_of(ex, at->parent), at->node_ts, c->seq);
	if (at->parent == 0 && at->node == c->seq) {
		if (add)
			put_ref(ex, TABLE_call_roots, root, &ref);
		else
			link_delete(l, TABLE_call_roots, &root);
	} else if (add)
		put_ref(ex, TABLE_call_children, child, &ref);
	else
		link_delete(l, TABLE_call_children, &child);
}

static void
write_call(struct exchange *ex, const struct msg_call *c)
{
	struct key k = key_u64(c->seq);

	link_put(exchange_link(ex), TABLE_calls, &k, MSG_call, c);
}

void
calls_add(struct exchange *ex)
{
	struct link *l = exchange_link(ex);
	struct msg_call *c = exchange_self(ex);
	struct key k = key_u64(c->seq);

	link_put(l, TABLE_call_paths, &k, MSG_call_path, exchange_path(ex));
	write_call(ex, c);
	add_first(ex, c);
	add_ends(ex, c);
	add_names(ex, c);
	add_place(ex, c, true);
	move_waits(ex, c, call_place(c)->depth, true);
	subtask_index(ex);
	continuation_index(ex);
}

void
calls_leave(struct exchange *ex, struct msg_call *c)
{
	add_place(ex, c, false);
}

void
calls_enter(struct exchange *ex, struct msg_call *c, uint64_t depth_before)
{
	uint64_t depth = call_place(c)->depth;

	add_place(ex, c, true);
	write_call(ex, c);
	if (depth == depth_before)
		return;
	move_waits(ex, c, depth_before, false);
	move_waits(ex, c, depth, true);
}
