/*
 * context_turns - the turns of threads, for contexts
 */
#include "common/when.h"
#include "store/context_impl.h"

bool
context_read_thread(struct gather *g, uint64_t key, struct msg_thread *out)
{
	struct key k = key_u64(key);

	*out = (struct msg_thread){ 0 };
	return g->view->q->ingest != NULL &&
	    db_get_msg(g->view->q->ingest, TABLE_threads, key_slice(&k),
		MSG_thread, g->arena, out) &&
	    slice_eq(out->domain, g->ask->domain);
}

bool
context_read_turn(struct gather *g, uint64_t thread, uint64_t number,
    struct context_turn *out)
{
	struct key k = query_turn_key(thread, number);
	struct stage_entry e;
	struct msg_place p;
	struct document d;

	if (g->view->q->ingest == NULL ||
	    !db_get_msg(g->view->q->ingest, TABLE_thread_turns, key_slice(&k),
		MSG_place, g->arena, &p) ||
	    !document_load(g->view->q->shared, p.seq, g->arena, &e) ||
	    !document_at(&e, g->arena, SEARCH_TURN, p.i, &d))
		return false;
	*out = (struct context_turn){ .seq = p.seq, .i = p.i, .thread = thread,
		.number = number, .ts = d.ts, .role = d.role, .user = d.user,
		.text = d.title, .id = e.entry.as->envelope.id };
	return d.title.len > 0;
}

bool
context_turn_before(struct gather *g, uint64_t *thread, uint64_t *number)
{
	struct msg_thread t;

	if (*number > 1) {
		--*number;
		return true;
	}
	if (!context_read_thread(g, *thread, &t) || t.parent == 0 ||
	    t.parent_turn == 0)
		return false;
	*thread = t.parent;
	*number = t.parent_turn;
	return true;
}

struct slice
context_speaker(const struct context_turn *t)
{
	if (!slice_is(t->role, "user") || t->user.len == 0 ||
	    slice_is(t->user, "default"))
		return t->role;
	return t->user;
}

/* "2025-11-05" above the turns of one day of one thread. */
static struct slice
group_of(struct gather *g, const struct context_turn *t, bool with_time)
{
	char stamp[WHEN_TEXT_BYTES];

	when_format(t->ts, stamp);
	return arena_printf(g->arena, "%.*s:", with_time ? 16 : 10, stamp);
}

void
context_add_turn(struct gather *g, enum context_kind kind, double rank,
    const struct context_turn *t, bool superseded, struct slice refined_by)
{
	struct slice who = context_speaker(t), mark = SLICE_NONE;
	struct context_part *p;

	if (superseded)
		mark = refined_by.len > 0 ?
		    arena_printf(g->arena, " [superseded by %.*s]",
			SLICE_ARG(refined_by)) : SLICE(" [superseded]");
	p = context_add_part(g, kind, rank, arena_printf(g->arena, "%.*s: %.*s%.*s",
	    SLICE_ARG(who), SLICE_ARG(t->text), SLICE_ARG(mark)));
	p->key = arena_printf(g->arena, "%llu.%llu",
	    (unsigned long long)t->seq, (unsigned long long)t->i);
	p->id = t->id;
	p->group = group_of(g, t, false);
	p->ts = t->ts;
	p->thread = t->thread;
	p->turn = t->number;
	p->superseded = superseded;
}
