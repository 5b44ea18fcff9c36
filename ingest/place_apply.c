/*
 * place_apply - what an entry changes in ingest's own tables
 */
#include "ingest/cache.h"
#include "ingest/place_impl.h"

static void
move_clock(struct cached_stream *s, const struct msg_envelope *e)
{
	if (e->ts > s->row.clock)
		s->row.clock = e->ts;
	if (e->live && e->ts > s->row.live_at)
		s->row.live_at = e->ts;
	s->row.entries++;
	s->dirty = true;
}

static void
apply_stream(struct stage *st, enum msg_id type, const struct msg_envelope *e)
{
	struct key k = place_stream_key(e);

	/* A tick for a whole domain is no stream's own; nor a nameless stone. */
	if ((type == MSG_tick || type == MSG_tombstone) && e->user.len == 0 &&
	    e->room.len == 0)
		return;
	move_clock(cache_stream(st, TABLE_streams, key_slice(&k)), e);
	if (!e->live || type == MSG_tick)
		return;
	k = key_named(e->domain, SLICE(""));
	move_clock(cache_stream(st, TABLE_live_domains, key_slice(&k)), e);
}

static void
add_channel(struct stage *st, struct msg_thread *t, struct slice channel)
{
	struct slice *grown;
	size_t i;

	if (channel.len == 0)
		return;
	for (i = 0; i < t->channels.count; i++)
		if (slice_eq(t->channels.at[i], channel))
			return;
	grown = arena_array(stage_arena(st), t->channels.count + 1,
	    sizeof(grown[0]));
	for (i = 0; i < t->channels.count; i++)
		grown[i] = t->channels.at[i];
	grown[i] = channel;
	t->channels = (struct msg_strs){ grown, i + 1 };
}

static void
begin_thread(const struct stage_entry *e, const struct msg_s_ingest *s,
    struct msg_thread *t)
{
	const struct msg_envelope *envelope = &e->entry.as->envelope;

	*t = (struct msg_thread){
		.key = s->thread,
		.domain = envelope->domain,
		.user = envelope->user,
		.room = envelope->room,
		.created_at = envelope->ts,
		.last_activity_at = envelope->ts,
		.explicit_channel = s->explicit_channel,
		.parent = s->parent_thread,
		.parent_turn = s->parent_turn,
		.session = envelope->session,
		.span_start = envelope->ts,
	};
}

/* Ids under which a thread can be found again. */
static void
register_thread(struct stage *st, const struct stage_entry *e,
    struct msg_thread *t)
{
	struct slice id = SLICE_NONE;
	struct key k;

	if (e->entry.id == MSG_turn)
		id = e->entry.as->turn.thread;
	if (e->entry.id == MSG_fork) {
		id = e->entry.as->fork.as;
		t->name = e->entry.as->fork.name;
	}
	if (e->entry.id == MSG_attach)
		id = e->entry.as->attach.thread;
	if (e->entry.id == MSG_tombstone)
		id = e->entry.as->tombstone.thread;
	t->id = id;
	if (id.len > 0) {
		k = key_named(t->domain, id);
		place_put(st, TABLE_thread_ids, &k, t->key, 0);
	}
}

/* A session's thread is the one that was selected in it last. */
static void
keep_session(struct stage *st, const struct stage_entry *e,
    const struct msg_s_ingest *s)
{
	const struct msg_envelope *envelope = &e->entry.as->envelope;
	struct key k;

	if (e->entry.id != MSG_turn || !s->explicit_channel ||
	    envelope->session.len == 0)
		return;
	k = key_named(envelope->domain, envelope->session);
	if (place_get(st, TABLE_session_threads, &k) != s->thread)
		place_put(st, TABLE_session_threads, &k, s->thread, 0);
}

static void
move_span(struct stage *st, const struct msg_envelope *e, struct msg_thread *t,
    bool begins)
{
	struct key k = place_span_key(e, t->span_start, t->key);

	if (!begins && e->ts >= t->span_start)
		return;
	if (!begins) {
		db_delete(stage_tables(st), TABLE_spans, key_slice(&k));
		t->span_start = e->ts;
		k = place_span_key(e, t->span_start, t->key);
	}
	place_put(st, TABLE_spans, &k, t->key, 0);
	k = place_stream_key(e);
	/* Which span is the latest now is found out when it is asked for. */
	cache_stream(st, TABLE_streams, key_slice(&k))->latest_known = false;
}

static void
apply_thread(struct stage *st, const struct stage_entry *e,
    const struct msg_s_ingest *s)
{
	const struct msg_envelope *envelope = &e->entry.as->envelope;
	struct msg_thread t;
	struct key k;
	uint64_t i;

	if (s->begins)
		begin_thread(e, s, &t);
	else if (!cache_thread(st, s->thread, &t))
		return;
	if (s->begins)
		register_thread(st, e, &t);
	keep_session(st, e, s);
	add_channel(st, &t, envelope->channel);
	t.timeout_ms = s->timeout_ms;
	/* Who selects another's implicit thread has no span in it. */
	if (!s->explicit_channel)
		move_span(st, envelope, &t, s->begins);
	if (envelope->ts > t.last_activity_at)
		t.last_activity_at = envelope->ts;
	if (envelope->ts < t.created_at)
		t.created_at = envelope->ts;
	t.turn_count += s->turns;
	t.last_seq = e->seq;
	for (i = 0; i < s->turns; i++) {
		k = key_pair(t.key, s->first_turn + i);
		place_put(st, TABLE_thread_turns, &k, e->seq, i);
	}
	cache_put_thread(st, &t);
}

static void
apply_command(struct stage *st, const struct stage_entry *e,
    const struct msg_s_ingest *s)
{
	struct msg_thread t;

	if (s->thread == 0 || !cache_thread(st, s->thread, &t))
		return;
	switch (e->entry.id) {
	case MSG_close:
		t.closed = true;
		break;
	case MSG_reopen:
		t.closed = false;
		t.has &= ~(UINT64_C(1) << MSGTAG_thread_closed);
		break;
	case MSG_rename:
		t.name = e->entry.as->rename.name;
		break;
	default:
		return;
	}
	cache_put_thread(st, &t);
}

void
place_apply(struct stage *st, const struct stage_entry *e,
    const struct msg_s_ingest *s)
{
	const struct msg_envelope *envelope = &e->entry.as->envelope;
	struct msg_sent sent = { .seq = e->seq, .content_hash = s->content_hash };
	struct key k;

	apply_stream(st, e->entry.id, envelope);
	if (envelope->id.len > 0) {
		k = key_hashed(envelope->domain, envelope->id);
		db_put_msg(stage_tables(st), TABLE_sent, key_slice(&k),
		    MSG_sent, &sent);
	}
	if (s->begins || s->turns > 0)
		apply_thread(st, e, s);
	if (e->entry.id == MSG_exchange)
		place_apply_nodes(st, e, s);
	else
		apply_command(st, e, s);
}
