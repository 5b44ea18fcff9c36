/*
 * place_exchange - which known prefix a call continues, and what of it is new
 */
#include "common/when.h"
#include "ingest/cache.h"
#include "ingest/place_impl.h"

enum {
	NODES_COMPARED = 16,	/* of one's own, or nobody's */
	NODES_SEEN = 4096,	/* with those of others */
};

/* Nothing joins different users who share no room. */
static bool
is_anothers(const struct msg_exchange *x, const struct msg_node *node)
{
	if (x->room.len > 0 && slice_eq(x->room, node->room))
		return false;
	/* "default" is who was not named. */
	return !slice_is(x->user, "default") &&
	    !slice_is(node->user, "default") &&
	    !slice_eq(x->user, node->user);
}

/*
 * The newest node of a prefix; among the newest few, one with the same system
 * text is preferred.
 */
static bool
find_node(struct stage *st, const struct msg_exchange *x, struct slice hash,
    struct slice system_hash, struct msg_node *out)
{
	struct key from = place_node_key(x->domain, hash, 0, 0);
	struct key last = place_node_key(x->domain, hash, UINT64_MAX,
	    UINT64_MAX);
	size_t prefix = from.len - 16;
	struct db_cursor *c = db_cursor(stage_tables(st), TABLE_nodes);
	struct msg_error why;
	struct msg_node node;
	struct db_entry e;
	bool found = false, more;
	int compared = 0, seen;

	more = db_seek_back(c, key_slice(&last), &e);
	for (seen = 0; more && seen < NODES_SEEN && compared < NODES_COMPARED;
	     seen++) {
		if (e.key.len != from.len ||
		    memcmp(e.key.ptr, from.bytes, prefix) != 0 ||
		    msg_decode_as(e.value, stage_arena(st), MSG_node, &node,
			&why) == -1)
			break;
		more = db_prev(c, &e);
		if (is_anothers(x, &node))
			continue;
		compared++;
		if (!found || slice_eq(node.system_hash, system_hash))
			*out = node;
		found = true;
		if (slice_eq(node.system_hash, system_hash))
			break;
	}
	db_cursor_close(&c);
	return found;
}

/* An equal call: same system, and the same session or soon without reply. */
static bool
is_retry(struct stage *st, const struct msg_exchange *x,
    const struct normal_exchange *n, const struct msg_node *node)
{
	int64_t apart = x->ts - node->ts;

	if (!node->ends || !slice_eq(node->system_hash,
		slice_of(n->system_hash, PREFIX_HASH_BYTES)))
		return false;
	if (x->session.len > 0 && node->session.len > 0)
		return slice_eq(x->session, node->session);
	return !node->answered && apart >= 0 &&
	    apart <= stage_conf(st)->retry_window * 1000;
}

/* The deepest known prefix of the request; its depth, or 0. */
static size_t
find_prefix(struct stage *st, struct msg_exchange *x,
    const struct normal_exchange *n, struct msg_node *node)
{
	struct slice system = slice_of(n->system_hash, PREFIX_HASH_BYTES);
	size_t depth;

	for (depth = n->n_messages; depth > 0; depth--) {
		if (!find_node(st, x, slice_of(n->messages[depth - 1].hash,
			PREFIX_HASH_BYTES), system, node))
			continue;
		if (depth == n->n_messages)
			x->retry = is_retry(st, x, n, node);
		/* "hello" alone is no evidence of the same conversation. */
		if (depth == 1 && n->n_messages == 1 && !x->retry)
			return 0;
		return depth;
	}
	return 0;
}

static void
add_message(struct msg_exchange *x, const struct normal_message *m, bool reply)
{
	x->added[x->n_added++] = (struct msg_xmessage){
		.role = m->role,
		.text = m->text,
		.content = m->content,
		.hash = slice_of(m->hash, PREFIX_HASH_BYTES),
		.reply = reply,
	};
}

/* What is new of the call, and the prefix it follows: its record, completed. */
static void
complete(struct stage *st, struct msg_exchange *x,
    const struct normal_exchange *n, size_t known)
{
	struct msg_node reply;
	size_t i;

	x->added = arena_array(stage_arena(st), n->n_messages + 1,
	    sizeof(x->added[0]));
	x->known = known;
	x->hash = slice_of(n->messages[n->n_messages - 1].hash,
	    PREFIX_HASH_BYTES);
	x->system_hash = slice_of(n->system_hash, PREFIX_HASH_BYTES);
	x->summary_system = n->summary_system;
	if (n->has_reply)
		x->reply_hash = slice_of(n->reply.hash, PREFIX_HASH_BYTES);
	if (x->response_id.len == 0)
		x->response_id = n->response_id;
	for (i = known; i < n->n_messages; i++)
		add_message(x, &n->messages[i], false);
	if (n->has_reply && !(known == n->n_messages &&
		find_node(st, x,
		    slice_of(n->reply.hash, PREFIX_HASH_BYTES), x->system_hash,
		    &reply)))
		add_message(x, &n->reply, true);
}

/* True: it goes on in the thread of its prefix, whose end that is. */
static bool
follow(struct stage *st, struct msg_exchange *x, const struct msg_node *node,
    struct msg_s_ingest *section)
{
	struct msg_thread thread = { 0 };

	x->parent_seq = node->seq;
	x->parent_i = node->i;
	if (cache_thread(st, node->thread, &thread) &&
	    (thread.turn_count == node->turn || x->n_added == 0)) {
		section->why = x->retry ? SLICE("a retry") :
					  SLICE("continues its prefix");
		section->thread = node->thread;
		section->first_turn = thread.turn_count + 1;
		return true;
	}
	section->why = SLICE("new: branches off a known prefix");
	section->parent_thread = node->thread;
	section->parent_turn = node->turn;
	return false;
}

void
place_exchange(struct stage *st, uint64_t seq, struct msg_exchange *x,
    const struct normal_exchange *n, struct msg_s_ingest *section)
{
	struct msg_node node = { 0 };
	size_t known = find_prefix(st, x, n, &node);

	complete(st, x, n, known);
	section->turns = x->n_added;
	section->explicit_channel = true;
	section->timeout_ms = (uint64_t)(stage_conf(st)->inactivity_timeout *
	    WHEN_MINUTE_MS);
	if (known == 0)
		section->why = SLICE("new: no prefix of it is known");
	else if (follow(st, x, &node, section))
		return;
	section->thread = seq;
	section->begins = true;
	section->first_turn = 1;
}

void
place_apply_nodes(struct stage *st, const struct stage_entry *e,
    const struct msg_s_ingest *s)
{
	const struct msg_exchange *x = &e->entry.as->exchange;
	bool has_reply = x->n_added > 0 && x->added[x->n_added - 1].reply;
	struct msg_node node = {
		.seq = e->seq,
		.thread = s->thread,
		.system_hash = x->system_hash,
		.ts = x->ts,
		.session = x->session,
		.user = x->user,
		.room = x->room,
	};
	struct key k;
	size_t i;

	for (i = 0; i < x->n_added; i++) {
		node.i = i;
		node.depth = x->known + i + 1;
		node.turn = s->first_turn + i;
		node.answered = has_reply;
		node.ends = i + 1 == x->n_added - (has_reply ? 1 : 0);
		k = place_node_key(x->domain, x->added[i].hash, e->seq, i);
		db_put_msg(stage_tables(st), TABLE_nodes, key_slice(&k),
		    MSG_node, &node);
	}
}
