/*
 * session - work periods: begun by a turn, over by command or by silence
 */
#include "chainer/session.h"

enum {
	DUE_STREAM = 32,	/* most checks that one entry of a stream makes */
	DUE_DOMAIN = 256,	/* and a tick of a domain */
	NAMED_MOST = 64,	/* sessions of one name that one entry ends */
};

static const struct msg_envelope *
envelope_of(const struct weave *v)
{
	return &v->entry->entry.as->envelope;
}

static int64_t
timeout_of(const struct weave *v)
{
	const struct msg *m = &v->entry->sections[STAGE_ingest];

	return m->id == MSG_s_ingest ? (int64_t)m->as->s_ingest.timeout_ms : 0;
}

/* Past its timeout, not at it: as threads have it. */
static int64_t
silent_at(const struct msg_session *s)
{
	return s->last + (int64_t)s->timeout_ms + 1;
}

static struct msg_h_session *
add_event(struct weave *v, const char *event, struct slice id,
    struct slice user, struct slice room)
{
	struct msg_s_chainer *s = v->section;
	struct msg_h_session *grown = arena_array(work_arena(v->work),
	    s->n_sessions + 1, sizeof(grown[0]));

	if (s->n_sessions > 0)
		memcpy(grown, s->sessions, s->n_sessions * sizeof(grown[0]));
	s->sessions = grown;
	grown[s->n_sessions] = (struct msg_h_session){
		.event = slice_str(event),
		.session = id,
		.user = user,
		.room = room,
	};
	return &grown[s->n_sessions++];
}

static void
add_check(struct weave *v, const struct msg_h_check *check)
{
	struct msg_s_chainer *s = v->section;
	struct msg_h_check *grown = arena_array(work_arena(v->work),
	    s->n_checks + 1, sizeof(grown[0]));

	if (s->n_checks > 0)
		memcpy(grown, s->checks, s->n_checks * sizeof(grown[0]));
	s->checks = grown;
	grown[s->n_checks] = *check;
	work_check(v->work, check, s->n_checks++);
}

/* ---- the summary ---- */

static void
add_names(struct weave *v, const struct msg_u64s *refs, bool open_only,
    struct msg_strs *out)
{
	struct arena *arena = work_arena(v->work);
	enum chain_state state;
	const struct msg_chain *c;
	size_t i;

	out->at = arena_array(arena, refs->count, sizeof(struct slice));
	out->count = 0;
	for (i = 0; i < refs->count; i++) {
		c = work_chain(v->work, refs->at[i]);
		if (c == NULL)
			continue;
		state = chain_state(c);
		if (open_only && state != CHAIN_active &&
		    state != CHAIN_dormant)
			continue;
		out->at[out->count++] = chain_name(arena, c->ref);
	}
}

static void
add_topics(struct weave *v, struct buf *b, const char *title,
    const struct msg_strs *names)
{
	const struct msg_chain *c;
	uint64_t ref;
	size_t i;

	for (i = 0; i < names->count; i++) {
		c = chain_parse(names->at[i], &ref) == 0 ?
		    work_chain(v->work, ref) : NULL;
		if (c != NULL)
			buf_addf(b, "%s\"%.*s\"", i == 0 ? title : ", ",
			    SLICE_ARG(c->topic));
	}
	if (names->count > 0)
		buf_addc(b, '.');
}

static struct msg_h_session *
add_ending(struct weave *v, const struct msg_session *s, struct slice why,
    int64_t ended)
{
	struct msg_h_session *e = add_event(v, "ended", s->id, s->user,
	    s->room);
	struct buf b;

	e->why = why;
	e->ended = ended;
	add_names(v, &s->touched, false, &e->touched);
	add_names(v, &s->concluded, false, &e->concluded);
	add_names(v, &s->touched, true, &e->open);
	buf_init(&b, 1024 * 1024);
	buf_addf(&b, "%llu turns, %llu chains.", (unsigned long long)s->turns,
	    (unsigned long long)s->n_touched);
	add_topics(v, &b, " Concluded: ", &e->concluded);
	add_topics(v, &b, " Open: ", &e->open);
	e->summary = arena_dup(work_arena(v->work), buf_slice(&b));
	buf_release(&b);
	return e;
}

/* ---- what time brings ---- */

static void
check_chain(struct weave *v, const struct work_due *due, int64_t now)
{
	const struct msg_chain *c = work_chain(v->work, due->what.chain);
	struct msg_h_check check = { .due = due->due };

	if (c == NULL)
		return;
	check.chain = chain_name(work_arena(v->work), c->ref);
	if (chain_state(c) != CHAIN_active)
		check.result = SLICE("over");
	else if (c->last_extended + work_dormant_ms(v->work) <= now)
		check.result = SLICE("dormant");
	else {
		check.result = SLICE("extended");
		check.next = c->last_extended + work_dormant_ms(v->work);
	}
	add_check(v, &check);
}

static void
check_session(struct weave *v, const struct work_due *due, int64_t now)
{
	struct msg_session *s = work_session_at(v->work, due->what.session);
	struct msg_h_session *e;

	if (s == NULL)
		return;
	if (s->ended == 0 && silent_at(s) <= now)
		e = add_ending(v, s, SLICE("silence"), silent_at(s) - 1);
	else {
		e = add_event(v, "touched", s->id, s->user, s->room);
		if (s->ended == 0)
			e->next = silent_at(s);
	}
	e->due = due->due;
	(void)work_session_event(v->work, e);
}

void
time_decide(struct weave *v)
{
	const struct msg_envelope *e = envelope_of(v);
	bool domain = v->entry->entry.id == MSG_tick && e->user.len == 0 &&
	    e->room.len == 0;
	int64_t now = domain ? e->ts : work_stream(v->work)->clock;
	struct work_due *due;
	size_t i, n;

	n = work_due(v->work, domain, &due, domain ? DUE_DOMAIN : DUE_STREAM);
	for (i = 0; i < n; i++)
		if (due[i].what.chain != 0)
			check_chain(v, &due[i], now);
		else
			check_session(v, &due[i], now);
	work_due_done(v->work, n);
}

void
time_apply(struct weave *v)
{
	const struct msg_s_chainer *s = v->section;
	size_t i;

	for (i = 0; i < s->n_checks; i++)
		work_check(v->work, &s->checks[i], i);
	for (i = 0; i < s->n_sessions; i++)
		(void)work_session_event(v->work, &s->sessions[i]);
}

/* ---- the entry's own session ---- */

static struct msg_session *
current(struct weave *v)
{
	const struct msg_envelope *e = envelope_of(v);
	struct slice id = e->session.len > 0 ? e->session :
					       work_stream(v->work)->session;

	return id.len == 0 ? NULL : work_session(v->work, id, e->user, e->room);
}

void
session_decide(struct weave *v)
{
	const struct msg_envelope *e = envelope_of(v);
	struct msg_session *s = current(v);
	struct slice id = e->session;
	struct msg_h_session *event;

	/* More was due than one entry looks at, and this was not reached. */
	if (s != NULL && s->ended == 0 && e->session.len == 0 &&
	    e->ts >= silent_at(s)) {
		event = add_ending(v, s, SLICE("silence"), silent_at(s) - 1);
		(void)work_session_event(v->work, event);
		s = NULL;
	}
	if (s != NULL && s->ended == 0)
		return;
	if (id.len == 0)
		id = arena_printf(work_arena(v->work), "s%llu",
		    (unsigned long long)v->entry->seq);
	event = add_event(v, s == NULL ? "begun" : "resumed", id, e->room.len >
	    0 ? SLICE_NONE : e->user, e->room);
	event->next = e->ts + timeout_of(v) + 1;
	(void)work_session_event(v->work, event);
}

static void
end_named(struct weave *v, struct msg_session *s)
{
	const struct msg_envelope *e = envelope_of(v);
	struct msg_h_session *event;

	if (s == NULL || s->ended != 0)
		return;
	event = add_ending(v, s, SLICE("session_end"), e->ts);
	event->checks_at = e->ts + work_dormant_ms(v->work);
	(void)work_session_event(v->work, event);
}

void
session_end_decide(struct weave *v)
{
	const struct msg_envelope *e = envelope_of(v);
	struct msg_session *s = current(v), *named[NAMED_MOST];
	size_t i, n;

	if (s != NULL || e->session.len == 0) {
		end_named(v, s);
		return;
	}
	/* A room's, or the sender did not say whose: then it has ingest's name. */
	n = work_sessions_named(v->work, e->session, named, NAMED_MOST);
	for (i = 0; i < n; i++)
		if (slice_is(e->user, "default") || named[i]->room.len > 0)
			end_named(v, named[i]);
}

void
session_apply(struct weave *v)
{
	const struct msg_s_chainer *s = v->section;
	const struct msg *m = &v->entry->sections[STAGE_ingest];
	struct msg_session *session = current(v);
	enum chain_kind kind;
	uint64_t ref;
	size_t i;

	if (session == NULL || m->id != MSG_s_ingest)
		return;
	work_session_touch(v->work, session, weave_turn_count(v->entry),
	    m->as->s_ingest.thread);
	for (i = 0; i < s->n_updates; i++)
		if (chain_parse(s->updates[i].chain, &ref) == 0 &&
		    chain_kind_parse(s->updates[i].kind, &kind) == 0)
			work_session_chain(v->work, session, ref,
			    kind == KIND_conclude);
}
