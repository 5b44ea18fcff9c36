/*
 * query_lineage - what a thought came from, and what came of it
 *
 * Breadth first from the one asked for: its sources and theirs, then what
 * refines or consolidates it and those.  A thought that is reached twice is
 * shown once, where it is nearest.
 */
#include <stdlib.h>

#include "common/text.h"
#include "store/query_artifacts.h"

/* The walk: nodes found so far, each followed in its own direction only. */
struct walk {
	struct query *q;
	struct db_txn *compactor;
	struct lineage *found;
	bool full;
};

static bool
is_found(const struct lineage *l, struct slice key)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		if (slice_eq(l->nodes[i].a.key, key))
			return true;
	return false;
}

static void
visit(struct walk *w, struct slice key, int depth)
{
	struct lineage *l = w->found;
	struct msg_artifact a;

	if (is_found(l, key) || !query_artifact(w->q, w->compactor, key, &a))
		return;
	if (l->count == LINEAGE_NODES) {
		l->truncated = true;
		w->full = true;
		return;
	}
	l->nodes[l->count++] = (struct lineage_node){ a, depth };
}

/* Follows one way, `step` -1 to the sources or +1 to what came of it. */
static void
follow(struct walk *w, int step)
{
	struct lineage *l = w->found;
	const struct msg_strs *next;
	size_t at, i;
	int depth;

	for (at = 0; at < l->count && !w->full; at++) {
		depth = l->nodes[at].depth;
		if (at > 0 && (depth > 0) != (step > 0))
			continue;
		next = step < 0 ? &l->nodes[at].a.source_ids :
				  &l->nodes[at].a.refined_by;
		if (abs(depth) == LINEAGE_DEPTH) {
			l->truncated = l->truncated || next->count > 0;
			continue;
		}
		for (i = 0; i < next->count && !w->full; i++)
			visit(w, next->at[i], depth + step);
	}
}

static int
by_depth(const void *a, const void *b)
{
	const struct lineage_node *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth < y->depth ? -1 : 1;
	if (x->a.created_at != y->a.created_at)
		return x->a.created_at < y->a.created_at ? -1 : 1;
	return slice_cmp(x->a.key, y->a.key);
}

bool
query_lineage(struct query *q, struct db_txn *compactor, struct slice name,
    struct lineage *out)
{
	struct walk w = { q, compactor, out, false };
	struct msg_artifact a;

	*out = (struct lineage){ 0 };
	if (!query_artifact(q, compactor, name, &a))
		return false;
	out->nodes = arena_array(&q->arena, LINEAGE_NODES,
	    sizeof(out->nodes[0]));
	out->nodes[out->count++] = (struct lineage_node){ a, 0 };
	follow(&w, -1);
	follow(&w, 1);
	qsort(out->nodes, out->count, sizeof(out->nodes[0]), by_depth);
	return true;
}

/* Its first characters, not bytes, on one line. */
static struct slice
preview(struct arena *arena, struct slice text)
{
	size_t pos = 0, n = 0, i;
	char *line;
	int32_t cp;

	while (n < LINEAGE_PREVIEW && text_next(text, &pos, &cp))
		n++;
	line = arena_cstr(arena, slice_of(text.ptr, pos));
	for (i = 0; i < pos; i++)
		if ((unsigned char)line[i] < 0x20)
			line[i] = ' ';
	return slice_of(line, pos);
}

void
query_lineage_row(struct query *q, const struct lineage_node *node,
    struct row *row)
{
	const struct msg_artifact *a = &node->a;
	struct slice who = a->agent_name.len > 0 ? a->agent_name :
	    a->agent_id.len > 0 ? a->agent_id :
	    a->user.len > 0 ? a->user : a->room;

	row_begin(row, &q->arena);
	row_text(row, "thought_id", a->key);
	row_maybe(row, "id", a->id);
	row_text(row, "thought_type", a->thought_type);
	row_text(row, "content_preview", preview(&q->arena, a->summary));
	row_maybe(row, "contributor", who);
	row_time(row, "created_at", a->created_at);
	row_strs(row, "source_ids", &a->source_ids);
	row_json(row, "depth", arena_printf(&q->arena, "%d", node->depth));
}
