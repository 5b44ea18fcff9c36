/*
 * branch - which child of a call stays on its branch
 *
 * The earliest child goes on where its parent is; any other opens a branch.
 * Children that ask for a summary stay, and push nobody away; those that are
 * sub-tasks or go on from a summary have branches of their own kind.  A parent
 * and its exact retries are one node, and have their children in common.
 *
 * This follows from the children's times alone, so that it does not matter in
 * which order they arrive.
 */
#include "linker/exchange.h"

/* Whether the call stands in line to be its parent's next. */
static bool
is_in_line(struct msg_call *c)
{
	const struct msg_l_call *at = call_place(c);

	return !at->aside && at->node == c->seq && at->parent != 0 &&
	    !slice_is(at->opens, "subtask") && !slice_is(at->opens, "compact");
}

static uint64_t
node_of(struct exchange *ex, uint64_t seq)
{
	struct msg_call *c = exchange_call(ex, seq);

	return c != NULL ? call_place(c)->node : 0;
}

static bool
is_earlier(struct msg_call *a, struct msg_call *b)
{
	int64_t x = call_place(a)->node_ts, y = call_place(b)->node_ts;

	return x != y ? x < y : a->seq < b->seq;
}

/* The first child in line as the tables have it, those touched apart. */
static struct msg_call *
first_untouched(struct exchange *ex, uint64_t node)
{
	struct db_cursor *cursor = db_cursor(
	    stage_tables(exchange_link(ex)->st), TABLE_call_children);
	struct key k = key_u64(node);
	struct msg_call *c, *first = NULL;
	struct db_entry e;
	bool more = db_seek(cursor, key_slice(&k), &e);

	while (more && first == NULL && e.key.len == k.len + 16 &&
	    memcmp(e.key.ptr, k.bytes, k.len) == 0) {
		c = exchange_call(ex, key_read_u64(e.key, k.len + 8));
		if (c != NULL && !exchange_touched(ex, c->seq) && is_in_line(c))
			first = c;
		more = db_next(cursor, &e);
	}
	db_cursor_close(&cursor);
	return first;
}

static void
set_opens(struct exchange *ex, struct msg_call *c, bool opens)
{
	struct slice kind = opens ? SLICE("branch") : SLICE_NONE;

	if (slice_eq(call_place(c)->opens, kind))
		return;
	call_place(c)->opens = kind;
	exchange_touch(ex, c);
}

/* One node: who of its children stays, who of those touched leaves. */
static void
settle_node(struct exchange *ex, uint64_t node)
{
	struct msg_call **changed, *first, *was;
	size_t i, n = exchange_changed(ex, &changed);

	first = was = first_untouched(ex, node);
	for (i = 0; i < n; i++)
		if (is_in_line(changed[i]) &&
		    node_of(ex, call_place(changed[i])->parent) == node &&
		    (first == NULL || is_earlier(changed[i], first)))
			first = changed[i];
	for (i = 0; i < n; i++)
		if (is_in_line(changed[i]) &&
		    node_of(ex, call_place(changed[i])->parent) == node)
			set_opens(ex, changed[i], changed[i] != first);
	if (was != NULL)
		set_opens(ex, was, was != first);
}

static void
add_node(uint64_t *nodes, size_t *n, uint64_t node)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (nodes[i] == node)
			return;
	if (node != 0)
		nodes[(*n)++] = node;
}

void
branch_settle(struct exchange *ex)
{
	struct link *l = exchange_link(ex);
	struct msg_call **changed;
	struct msg_call was;
	size_t i, n_nodes = 0, n = exchange_changed(ex, &changed);
	uint64_t *nodes = arena_array(l->arena, 2 * n, sizeof(nodes[0]));
	struct key k;

	for (i = 0; i < n; i++) {
		k = key_u64(changed[i]->seq);
		/* Where it leaves, another may be the first now. */
		if (link_get(l, TABLE_calls, &k, MSG_call, &was) &&
		    was.n_place == 1)
			add_node(nodes, &n_nodes, node_of(ex,
			    was.place->parent));
		add_node(nodes, &n_nodes, node_of(ex,
		    call_place(changed[i])->parent));
	}
	for (i = 0; i < n_nodes; i++)
		settle_node(ex, nodes[i]);
}
