/*
 * exchange - calls of LLM APIs, joined to conversations
 */
#include "linker/exchange.h"

#include "linker/continuation.h"
#include "linker/subtask.h"

struct held {
	struct msg_call call;	/* first: it is found from its call */
	bool touched;
};

struct exchange {
	struct link *l;
	struct held *self;
	struct msg_call_path path, parent_path;
	struct held **held;	/* by a hash of their seq; half of it is free */
	size_t n_held, room;
	struct msg_call **changed;	/* likewise */
	size_t n_changed, changed_room;
};

/* ---- strategies ---- */

static const struct {
	const char *name;
	enum counter counter;
} strategies[] = {
#define STRATEGY(symbol, name, counter, what) { name, COUNTER_##counter },
#include "linker/strategies.def"
};

struct slice
strategy_name(enum strategy s)
{
	return slice_str(strategies[s].name);
}

enum strategy
strategy_named(struct slice name)
{
	enum strategy s;

	for (s = 0; s < STRATEGY_new; s++)
		if (slice_is(name, strategies[s].name))
			break;
	return s;
}

bool
strategy_is_on(const struct conf *conf, enum strategy s)
{
	const char *at = conf->link_strategies, *end;
	struct slice name = strategy_name(s);

	if (s == STRATEGY_new)
		return true;
	for (; *at != '\0'; at = end) {
		at += strspn(at, " ,");
		end = at + strcspn(at, " ,");
		if (slice_eq(slice_of(at, (size_t)(end - at)), name))
			return true;
	}
	return false;
}

/* ---- calls at hand ---- */

static void *
grow(struct arena *arena, void *at, size_t n, size_t *room, size_t size)
{
	void *grown;

	if (n < *room)
		return at;
	*room = *room == 0 ? 8 : *room * 2;
	grown = arena_array(arena, *room, size);
	if (n > 0)
		memcpy(grown, at, n * size);
	return grown;
}

/* Where a call is held, or would be. */
static struct held **
find_held(const struct exchange *ex, uint64_t seq)
{
	size_t i = (size_t)(seq * UINT64_C(0x9e3779b97f4a7c15) >> 32);

	for (i &= ex->room - 1; ex->held[i] != NULL; i = (i + 1) % ex->room)
		if (ex->held[i]->call.seq == seq)
			break;
	return &ex->held[i];
}

static struct held *
add_held(struct exchange *ex, const struct msg_call *c)
{
	struct held **old = ex->held, *h;
	size_t i, room = ex->room;

	if (2 * (ex->n_held + 1) > room) {
		ex->room = room == 0 ? 32 : 2 * room;
		ex->held = arena_array(ex->l->arena, ex->room,
		    sizeof(ex->held[0]));
		for (i = 0; i < room; i++)
			if (old[i] != NULL)
				*find_held(ex, old[i]->call.seq) = old[i];
	}
	h = arena_alloc(ex->l->arena, sizeof(*h));
	h->call = *c;
	*find_held(ex, c->seq) = h;
	ex->n_held++;
	return h;
}

struct msg_call *
exchange_self(struct exchange *ex)
{
	return &ex->self->call;
}

struct link *
exchange_link(const struct exchange *ex)
{
	return ex->l;
}

const struct msg_call_path *
exchange_path(const struct exchange *ex)
{
	return &ex->path;
}

const struct msg_call_path *
exchange_parent_path(const struct exchange *ex)
{
	return ex->parent_path.root != 0 ? &ex->parent_path : NULL;
}

struct msg_call *
exchange_call(struct exchange *ex, uint64_t seq)
{
	struct key k = key_u64(seq);
	struct held *h;
	struct msg_call c;

	if (seq == 0)
		return NULL;
	h = *find_held(ex, seq);
	if (h != NULL)
		return &h->call;
	if (!link_get(ex->l, TABLE_calls, &k, MSG_call, &c) || c.n_place != 1)
		return NULL;
	c.place->has = 0;
	return &add_held(ex, &c)->call;
}

struct msg_l_call *
call_place(struct msg_call *c)
{
	return c->place;
}

void
exchange_touch(struct exchange *ex, struct msg_call *c)
{
	struct held *h = (struct held *)c;

	if (h->touched)
		return;
	h->touched = true;
	ex->changed = grow(ex->l->arena, ex->changed, ex->n_changed,
	    &ex->changed_room, sizeof(ex->changed[0]));
	ex->changed[ex->n_changed++] = c;
}

bool
exchange_touched(const struct exchange *ex, uint64_t seq)
{
	const struct held *h = *find_held(ex, seq);

	return h != NULL && h->touched;
}

size_t
exchange_changed(struct exchange *ex, struct msg_call ***out)
{
	*out = ex->changed;
	return ex->n_changed;
}

/* ---- what two calls have in common ---- */

bool
call_is_before(const struct msg_call *a, const struct msg_call *b)
{
	return a->ts != b->ts ? a->ts < b->ts : a->seq < b->seq;
}

bool
call_may_join(const struct msg_call *a, const struct msg_call *b)
{
	if (a->room.len > 0 && slice_eq(a->room, b->room))
		return true;
	/* "default" is who was not named. */
	return a->user.len == 0 || b->user.len == 0 ||
	    slice_is(a->user, "default") || slice_is(b->user, "default") ||
	    slice_eq(a->user, b->user);
}

bool
call_same_session(const struct msg_call *a, const struct msg_call *b)
{
	return a->session.len > 0 && slice_eq(a->session, b->session);
}

bool
call_same_system(const struct msg_call *a, const struct msg_call *b)
{
	return slice_eq(a->system_hash, b->system_hash);
}

/* ---- the entry in hand ---- */

struct exchange *
exchange_open(struct link *l)
{
	const struct msg_exchange *x = &l->e->entry.as->exchange;
	struct exchange *ex = arena_alloc(l->arena, sizeof(*ex));
	struct msg_call *c, self;

	ex->l = l;
	path_read(l, &ex->path, &ex->parent_path);
	self = (struct msg_call){
		.seq = l->e->seq,
		.domain = x->domain,
		.ts = x->ts,
		.session = x->session,
		.user = x->user,
		.room = x->room,
		.system_hash = x->system_hash,
		.hash = x->hash,
		.reply_hash = x->reply_hash,
		.depth = x->known + x->n_added - (ex->path.replied ? 1 : 0),
		.previous = x->previous_response_id,
		.place = arena_alloc(l->arena, sizeof(struct msg_l_call)),
		.n_place = 1,
	};
	ex->self = add_held(ex, &self);
	c = &ex->self->call;
	/* Entries of before there was such a field. */
	if (c->reply_hash.len == 0 && ex->path.replied)
		c->reply_hash = x->added[x->n_added - 1].hash;
	*c->place = (struct msg_l_call){
		.seq = c->seq,
		.node = c->seq,
		.node_ts = c->ts,
	};
	subtask_read_self(ex);
	return ex;
}

bool
exchange_is_known(const struct exchange *ex)
{
	const struct msg_exchange *x = &ex->l->e->entry.as->exchange;

	return ex->self->call.depth == 1 ||
	    x->n_added == (ex->path.replied ? 1 : 0);
}

/* The last message of the request, where the entry has it. */
static struct slice
last_text(const struct exchange *ex)
{
	const struct msg_exchange *x = &ex->l->e->entry.as->exchange;
	size_t own = x->n_added - (ex->path.replied ? 1 : 0);

	return own > 0 ? x->added[own - 1].text : SLICE_NONE;
}

bool
exchange_has_mark(struct slice text, const char *marks, size_t *at, size_t *len)
{
	const char *end = marks + strcspn(marks, "|"), *found;

	for (;; marks = end + 1, end = marks + strcspn(marks, "|")) {
		found = end > marks && text.len > 0 ? memmem(text.ptr,
		    text.len, marks, (size_t)(end - marks)) : NULL;
		if (found != NULL) {
			*at = (size_t)(found - text.ptr);
			*len = (size_t)(end - marks);
			return true;
		}
		if (*end == '\0')
			return false;
	}
}

void
exchanges_decide(struct link *l)
{
	struct exchange *ex;
	struct match best;
	size_t at, len, i;

	if (l->e->entry.id != MSG_exchange)
		return;
	ex = exchange_open(l);
	call_place(exchange_self(ex))->aside =
	    match_is_on(ex, STRATEGY_summarise) &&
	    (l->e->entry.as->exchange.summary_system ||
		exchange_has_mark(last_text(ex), l->conf->summary_prompts, &at,
		    &len));
	exchange_touch(ex, exchange_self(ex));
	subtask_read_calls(ex);
	continuation_read(ex);
	match_choose(ex, &best);
	match_settle(ex, exchange_self(ex), &best);
	stage_count(l->st, strategies[best.strategy].counter, 1);
	adopt_later(ex);
	branch_settle(ex);
	stage_count(l->st, COUNTER_link_revised, ex->n_changed - 1);
	l->section->calls = arena_array(l->arena, ex->n_changed,
	    sizeof(l->section->calls[0]));
	for (i = 0; i < ex->n_changed; i++)
		l->section->calls[i] = *call_place(ex->changed[i]);
	l->section->n_calls = ex->n_changed;
}

/* The calls that the section moves; NULL for one that it should not know. */
static struct msg_call **
moved_calls(struct exchange *ex)
{
	const struct msg_s_linker *s = ex->l->section;
	struct msg_call **out = arena_array(ex->l->arena, s->n_calls,
	    sizeof(out[0])), *c;
	size_t i;

	for (i = 1; i < s->n_calls; i++) {
		c = exchange_call(ex, s->calls[i].seq);
		/* A section may have come from elsewhere. */
		if (c != NULL && c != &ex->self->call &&
		    slice_eq(c->domain, ex->self->call.domain))
			out[i] = c;
	}
	return out;
}

void
exchanges_apply(struct link *l)
{
	const struct msg_s_linker *s = l->section;
	struct msg_call **moved;
	struct exchange *ex;
	uint64_t *depths;
	size_t i;

	if (l->e->entry.id != MSG_exchange || s->n_calls == 0 ||
	    s->calls[0].seq != l->e->seq)
		return;
	ex = exchange_open(l);
	moved = moved_calls(ex);
	depths = arena_array(l->arena, s->n_calls, sizeof(depths[0]));
	for (i = 1; i < s->n_calls; i++)
		if (moved[i] != NULL)
			calls_leave(ex, moved[i]);
	*call_place(exchange_self(ex)) = s->calls[0];
	for (i = 1; i < s->n_calls; i++)
		if (moved[i] != NULL) {
			depths[i] = call_place(moved[i])->depth;
			*call_place(moved[i]) = s->calls[i];
		}
	calls_add(ex);
	for (i = 1; i < s->n_calls; i++)
		if (moved[i] != NULL)
			calls_enter(ex, moved[i], depths[i]);
}
