/*
 * context_turns - the turns of threads, for contexts
 */
#include "common/when.h"
#include "store/context_impl.h"
#include "store/cover.h"

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
	struct key k = key_pair(thread, number);
	struct stage_entry e;
	struct msg_place p;
	struct document d;

	if (g->view->q->ingest == NULL ||
	    !db_get_msg(g->view->q->ingest, TABLE_thread_turns, key_slice(&k),
		MSG_place, g->arena, &p) ||
	    !document_load_entry(g->view->q->shared, p.seq, g->arena, &e) ||
	    !document_at(&e, g->arena, SEARCH_TURN, p.i, &d))
		return false;
	*out = (struct context_turn){ .seq = p.seq, .i = p.i, .thread = thread,
		.number = number, .ts = d.ts, .role = d.role, .user = d.user,
		.text = d.title, .id = e.entry.as->envelope.id };
	out->superseded = cover_find(g->view->found.store, thread, number,
	    NULL, NULL, g->arena, &out->refined_by);
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
	/* A fork may be of a fork in which nothing was said. */
	do {
		if (!context_read_thread(g, *thread, &t) || t.parent == 0 ||
		    t.parent >= t.key)
			return false;
		*thread = t.parent;
		*number = t.parent_turn;
	} while (*number == 0);
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

/* Several as one.  A question's context has hundreds of turns. */
static struct slice
join(struct arena *arena, const struct slice *parts, size_t n)
{
	size_t i, len = 0, at = 0;
	char *out;

	for (i = 0; i < n; i++)
		len += parts[i].len;
	out = arena_room(arena, len + 1);
	for (i = 0; i < n; at += parts[i++].len)
		if (parts[i].len > 0)
			memcpy(out + at, parts[i].ptr, parts[i].len);
	return slice_of(out, len);
}

/* "2025-11-05:" above the turns of one day of one thread. */
static struct slice
group_of(struct gather *g, const struct context_turn *t)
{
	char stamp[WHEN_TEXT_BYTES];

	when_format_date(when_day_of(t->ts), stamp);
	return join(g->arena, (struct slice[]){ slice_str(stamp),
	    SLICE(":") }, 2);
}

struct slice
context_turn_mark(struct gather *g, const struct context_turn *t)
{
	if (!t->superseded)
		return SLICE_NONE;
	return t->refined_by.len == 0 ? SLICE(" [superseded]") :
	    arena_printf(g->arena, " [superseded by %.*s]",
		SLICE_ARG(t->refined_by));
}

void
context_add_turn(struct gather *g, enum context_kind kind, double rank,
    const struct context_turn *t)
{
	struct context_part *p;

	p = context_add_part(g, kind, rank, join(g->arena, (struct slice[]){
	    context_speaker(t), SLICE(": "), t->text,
	    context_turn_mark(g, t) }, 4));
	p->key = t->key.len > 0 ? t->key : document_turn_key(
	    g->arena, t->seq, t->i);
	p->id = t->id;
	p->group = group_of(g, t);
	p->ts = t->ts;
	p->thread = t->thread;
	p->turn = t->number;
	p->superseded = t->superseded;
}
