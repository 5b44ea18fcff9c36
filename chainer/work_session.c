/*
 * work_session - sessions, as one entry sees and changes them
 */
#include <xxhash.h>

#include "chainer/work_impl.h"

/* In due keys a session's hash beside chains' refs. */
#define DUE_SESSION (UINT64_C(1) << 63)

static void
session_key(struct key *k, struct slice domain, struct slice id,
    struct slice user, struct slice room)
{
	key_set_hashed(k, domain, id);
	key_add_bytes(k, room.len > 0 ? SLICE("r") : SLICE("u"));
	key_add_bytes(k, room.len > 0 ? room : user);
}

static struct row *
session_row(struct work *w, struct slice key)
{
	return memo_find(w->st, TABLE_sessions, MSG_session, key);
}

static struct slice
key_of(const struct row *row)
{
	return slice_of(row->key, row->key_len);
}

static struct work_session *
add_session(struct work *w, struct row *row)
{
	struct work_session *s = arena_alloc(w->arena, sizeof(*s));

	s->row = row;
	w->sessions = work_grow(w->arena, w->sessions, w->n_sessions,
	    &w->cap_sessions, sizeof(w->sessions[0]));
	w->sessions[w->n_sessions++] = s;
	return s;
}

struct msg_session *
work_session_at(struct work *w, struct slice key)
{
	const struct msg_session *s;
	struct row *row;
	size_t i;

	for (i = 0; i < w->n_sessions; i++)
		if (slice_eq(key_of(w->sessions[i]->row), key))
			return &w->sessions[i]->s;
	row = session_row(w, key);
	s = memo_msg(row);
	if (s == NULL)
		return NULL;
	add_session(w, row)->s = *s;
	return &w->sessions[w->n_sessions - 1]->s;
}

/* What a key is made of. */
static bool
is_session(const struct msg_session *s, struct slice domain, struct slice id,
    struct slice user, struct slice room)
{
	return slice_eq(s->id, id) && slice_eq(s->domain, domain) &&
	    slice_eq(s->room, room) &&
	    (room.len > 0 || slice_eq(s->user, user));
}

struct msg_session *
work_session(struct work *w, struct slice id, struct slice user,
    struct slice room)
{
	struct key k;
	size_t i;

	for (i = 0; i < w->n_sessions; i++)
		if (is_session(&w->sessions[i]->s, w->envelope->domain, id,
			user, room))
			return &w->sessions[i]->s;
	session_key(&k, w->envelope->domain, id, user, room);
	return work_session_at(w, key_slice(&k));
}

size_t
work_sessions_named(struct work *w, struct slice id, struct msg_session **out,
    size_t most)
{
	struct key prefix = key_hashed(w->envelope->domain, id);
	struct db_cursor *c;
	struct db_entry e;
	size_t n = 0;
	bool there;

	memo_flush(w->st);
	c = db_cursor(stage_tables(w->st), TABLE_sessions);
	for (there = db_seek(c, key_slice(&prefix), &e);
	     there && n < most && e.key.len >= prefix.len &&
	     memcmp(e.key.ptr, prefix.bytes, prefix.len) == 0;
	     there = db_next(c, &e)) {
		out[n] = work_session_at(w, e.key);
		if (out[n] != NULL)
			n++;
	}
	db_cursor_close(&c);
	return n;
}

static const struct row *
row_of_session(const struct msg_session *s)
{
	return ((const struct work_session *)s)->row;
}

static uint64_t
session_due_id(const struct msg_session *s)
{
	struct slice key = key_of(row_of_session(s));

	return XXH3_64bits(key.ptr, key.len) | DUE_SESSION;
}

static void
schedule_session(struct work *w, const struct msg_session *s, int64_t due)
{
	struct key stream = key_stream(s->domain, s->user, s->room);

	work_schedule(w, &stream, s->domain, due, session_due_id(s), s->live,
	    &(struct msg_chain_due){ .session = arena_dup(w->arena,
		key_of(row_of_session(s))) });
}

static void
end_session(struct work *w, struct msg_session *s,
    const struct msg_h_session *event)
{
	struct work_chain *c;
	size_t i;

	s->ended = event->ended;
	s->why = event->why;
	s->summary = event->summary;
	s->open = event->open;
	if (slice_eq(w->stream.session, s->id))
		w->stream.session = SLICE_NONE;
	w->stream.has = 0;
	if (event->checks_at == 0)
		return;
	for (i = 0; i < s->touched.count; i++) {
		c = work_own_chain(w, s->touched.at[i]);
		if (c != NULL && chain_state(&c->c) == CHAIN_active)
			work_schedule_chain(w, &c->c, event->checks_at);
	}
}

static struct msg_session *
begin_session(struct work *w, const struct msg_h_session *event)
{
	const struct msg_envelope *e = w->envelope;
	struct msg_session *s;
	struct key k;

	session_key(&k, e->domain, event->session, event->user, event->room);
	s = &add_session(w, session_row(w, key_slice(&k)))->s;
	*s = (struct msg_session){
		.domain = e->domain,
		.id = event->session,
		.user = event->user,
		.room = event->room,
		.started = e->ts,
		.last = e->ts,
	};
	if (e->session.len == 0)
		w->stream.session = s->id;
	return s;
}

struct msg_session *
work_session_event(struct work *w, const struct msg_h_session *event)
{
	struct msg_session *s = work_session(w, event->session, event->user,
	    event->room);
	struct key stream;

	if (s == NULL && slice_is(event->event, "begun"))
		s = begin_session(w, event);
	if (s == NULL)
		return NULL;
	s->has = 0;
	((struct work_session *)s)->dirty = true;
	if (event->due != 0) {
		stream = key_stream(s->domain, s->user, s->room);
		work_unschedule(w, &stream, s->domain, event->due,
		    session_due_id(s));
	}
	if (slice_is(event->event, "ended")) {
		end_session(w, s, event);
		return s;
	}
	if (slice_is(event->event, "resumed"))
		s->ended = 0;
	if (!slice_is(event->event, "touched"))
		s->live = w->envelope->live;
	if (event->next != 0)
		schedule_session(w, s, event->next);
	return s;
}

void
work_session_touch(struct work *w, struct msg_session *s, uint64_t turns,
    uint64_t thread)
{
	s->has = 0;
	if (w->envelope->ts > s->last)
		s->last = w->envelope->ts;
	if (w->envelope->ts < s->started)
		s->started = w->envelope->ts;
	s->turns += turns;
	if (thread != 0)
		(void)refs_to_front(&s->threads, w->arena, thread,
		    WORK_SESSION_LIST);
	s->timeout_ms = w->e->sections[STAGE_ingest].as->s_ingest.timeout_ms;
	if (w->envelope->live && !s->live) {
		s->live = true;
		schedule_session(w, s, s->last + (int64_t)s->timeout_ms);
	}
	((struct work_session *)s)->dirty = true;
}

void
work_session_chain(struct work *w, struct msg_session *s, uint64_t ref,
    bool concluded)
{
	size_t i;

	for (i = 0; i < s->touched.count && s->touched.at[i] != ref; i++)
		;
	if (i == s->touched.count)
		s->n_touched++;
	(void)refs_to_front(&s->touched, w->arena, ref, WORK_SESSION_LIST);
	if (concluded)
		(void)refs_to_front(&s->concluded, w->arena, ref,
		    WORK_SESSION_LIST);
}

void
work_write_sessions(struct work *w)
{
	size_t i;

	for (i = 0; i < w->n_sessions; i++)
		if (w->sessions[i]->dirty)
			memo_put(w->sessions[i]->row, &w->sessions[i]->s);
}
