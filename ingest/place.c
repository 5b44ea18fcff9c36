/*
 * place - ingest's own tables: where an entry belongs
 */
#include "ingest/place.h"

#include "common/when.h"
#include "ingest/assign.h"
#include "ingest/cache.h"
#include "ingest/forget.h"

/* ---- keys ---- */

static struct key
stream_key(const struct msg_envelope *e)
{
	return key_stream(e->domain, e->user, e->room);
}

static struct key
span_key(const struct msg_envelope *e, int64_t start, uint64_t thread)
{
	struct key k = stream_key(e);

	key_add_i64(&k, start);
	key_add_u64(&k, thread);
	return k;
}

static struct key
named_key(struct slice domain, struct slice name)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, domain);
	key_add_bytes(&k, name);
	return k;
}

static struct key
turn_key(uint64_t thread, uint64_t number)
{
	struct key k = key_u64(thread);

	key_add_u64(&k, number);
	return k;
}

static struct key
node_key(struct slice domain, struct slice hash, uint64_t seq, uint64_t i)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, domain);
	key_add_bytes(&k, hash);
	key_add_u64(&k, seq);
	key_add_u64(&k, i);
	return k;
}

/* ---- threads ---- */

static uint64_t
get_place(struct stage *st, enum table_id table, const struct key *k)
{
	struct msg_place p;

	return db_get_msg(stage_tables(st), table, key_slice(k), MSG_place,
		   stage_arena(st), &p) ? p.seq : 0;
}

static void
put_place(struct stage *st, enum table_id table, const struct key *k,
    uint64_t seq, uint64_t i)
{
	struct msg_place p = { .seq = seq, .i = i };

	db_put_msg(stage_tables(st), table, key_slice(k), MSG_place, &p);
}

/* "t12" is thread 12 of skein's own keys. */
static uint64_t
own_thread_key(struct slice name)
{
	uint64_t n;

	return slice_starts(name, "t") &&
		slice_digits(name, 1, &n) + 1 == name.len ? n : 0;
}

/* A thread by the sender's id, else by skein's own key, in the domain. */
static bool
find_thread(struct stage *st, struct slice domain, struct slice name,
    struct msg_thread *out)
{
	struct key k = named_key(domain, name);
	uint64_t key = get_place(st, TABLE_thread_ids, &k);

	if (key == 0)
		key = own_thread_key(name);
	return key != 0 && cache_thread(st, key, out) &&
	    slice_eq(out->domain, domain);
}

/* ---- implicit threads ---- */

static void
fill_span(const struct msg_thread *t, struct assign_span *out)
{
	*out = (struct assign_span){
		.thread = t->key,
		.start = t->span_start,
		.end = t->last_activity_at,
		.timeout_ms = (int64_t)t->timeout_ms,
		.closed = t->closed,
	};
}

static void
read_span(struct stage *st, const struct db_entry *e, struct slice stream,
    struct assign_span *out)
{
	struct msg_thread t;
	uint64_t key;

	*out = (struct assign_span){ 0 };
	if (e->key.len != stream.len + 16 ||
	    memcmp(e->key.ptr, stream.ptr, stream.len) != 0)
		return;
	key = key_read_u64(e->key, stream.len + 8);
	if (cache_thread(st, key, &t))
		fill_span(&t, out);
}

/* The last span of the stream that starts at or before ts, or the next one. */
static void
find_span(struct stage *st, const struct msg_envelope *e, int64_t ts, bool next,
    struct assign_span *out)
{
	struct key stream = stream_key(e);
	struct key at = span_key(e, ts, UINT64_MAX);
	struct db_cursor *c = db_cursor(stage_tables(st), TABLE_spans);
	struct db_entry entry;

	*out = (struct assign_span){ 0 };
	if (next ? db_seek(c, key_slice(&at), &entry) :
		   db_seek_back(c, key_slice(&at), &entry))
		read_span(st, &entry, key_slice(&stream), out);
	db_cursor_close(&c);
}

/* The span before ts: for a turn in order it is the stream's latest. */
static void
find_before(struct stage *st, const struct msg_envelope *e,
    struct assign_span *out)
{
	struct key k = stream_key(e);
	struct cached_stream *s = cache_stream(st, TABLE_streams, key_slice(&k));
	struct msg_thread t;

	if (!s->latest_known) {
		find_span(st, e, INT64_MAX, false, out);
		s->latest = out->thread;
		s->latest_start = out->start;
		s->latest_known = true;
	}
	*out = (struct assign_span){ 0 };
	if (s->latest != 0 && s->latest_start > e->ts)
		find_span(st, e, e->ts, false, out);
	else if (s->latest != 0 && cache_thread(st, s->latest, &t))
		fill_span(&t, out);
}

static uint64_t
timeout_of(struct stage *st, const struct msg_turn *t)
{
	if (t->inactivity_timeout_minutes > 0)
		return t->inactivity_timeout_minutes * WHEN_MINUTE_MS;
	return (uint64_t)(conf_inactivity_minutes(stage_conf(st), t->user,
			      t->channel) * WHEN_MINUTE_MS);
}

static void
place_implicit(struct stage *st, const struct msg_turn *t,
    struct msg_s_ingest *section)
{
	const struct msg_envelope *e = (const struct msg_envelope *)t;
	struct assign_span before, after = { 0 };
	enum assign_why why;

	find_before(st, e, &before);
	/* The next span matters only where the one before does not reach. */
	if (!assign_reaches(t->ts, &before))
		find_span(st, e, e->ts, true, &after);
	section->thread = assign_thread(t->ts, &before, &after, &why);
	section->why = slice_str(assign_words(why));
}

/* ---- turns ---- */

/*
 * The thread a turn names.  "t12" is skein's own key only for a thread that
 * has no id of a sender's and is this user's or room's: a sender may well
 * number its threads like that, and means its own.
 */
static bool
find_selected(struct stage *st, const struct msg_turn *t,
    struct msg_thread *out)
{
	if (!find_thread(st, t->domain, t->thread, out))
		return false;
	return slice_eq(out->id, t->thread) ||
	    (out->id.len == 0 && slice_eq(out->room, t->room) &&
		(t->room.len > 0 || slice_eq(out->user, t->user)));
}

static void
place_explicit(struct stage *st, const struct msg_turn *t,
    struct msg_s_ingest *section)
{
	struct msg_thread thread;
	struct key k;

	section->explicit_channel = true;
	if (t->thread.len > 0) {
		section->why = SLICE("selected");
		if (find_selected(st, t, &thread))
			section->thread = thread.key;
		return;
	}
	k = named_key(t->domain, t->session);
	section->why = SLICE("the session's");
	section->thread = get_place(st, TABLE_session_threads, &k);
}

static void
place_turn(struct stage *st, uint64_t seq, const struct msg_turn *t,
    struct msg_s_ingest *section)
{
	struct msg_thread thread;

	section->turns = 1;
	section->timeout_ms = timeout_of(st, t);
	if (slice_is(t->kind, "explicit"))
		place_explicit(st, t, section);
	else
		place_implicit(st, t, section);
	section->begins = section->thread == 0;
	section->first_turn = 1;
	if (section->begins)
		section->thread = seq;
	else if (cache_thread(st, section->thread, &thread)) {
		section->first_turn = thread.turn_count + 1;
		if (t->inactivity_timeout_minutes == 0)
			section->timeout_ms = thread.timeout_ms;
	}
}

/* ---- exchanges ---- */

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
	struct key from = node_key(x->domain, hash, 0, 0);
	struct key last = node_key(x->domain, hash, UINT64_MAX, UINT64_MAX);
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
		if (!find_node(st, x,
			slice_of(n->messages[depth - 1].hash, PREFIX_HASH_BYTES),
			system, node))
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

static void
place_exchange(struct stage *st, uint64_t seq, struct msg_exchange *x,
    const struct normal_exchange *n, struct msg_s_ingest *section)
{
	struct msg_node node = { 0 }, reply;
	struct msg_thread thread = { 0 };
	size_t i, known = find_prefix(st, x, n, &node);

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
	section->turns = x->n_added;
	section->explicit_channel = true;
	section->timeout_ms = (uint64_t)(stage_conf(st)->inactivity_timeout *
	    WHEN_MINUTE_MS);
	if (known == 0) {
		section->why = SLICE("new: no prefix of it is known");
	} else {
		x->parent_seq = node.seq;
		x->parent_i = node.i;
		if (cache_thread(st, node.thread, &thread) &&
		    (thread.turn_count == node.turn || x->n_added == 0)) {
			section->why = x->retry ? SLICE("a retry") :
						  SLICE("continues its prefix");
			section->thread = node.thread;
			section->first_turn = thread.turn_count + 1;
			return;
		}
		section->why = SLICE("new: branches off a known prefix");
		section->parent_thread = node.thread;
		section->parent_turn = node.turn;
	}
	section->thread = seq;
	section->begins = true;
	section->first_turn = 1;
}

/* ---- commands ---- */

static int
no_thread(struct refusal *refusal, struct slice name)
{
	return refuse(refusal, "THREAD_NOT_FOUND",
	    "thread: there is no thread '%.*s' in this domain",
	    (int)(name.len > 100 ? 100 : name.len), name.ptr);
}

/* A turn of the thread by number, by skein's key "seq.i" or by sender's id. */
static bool
find_turn(struct stage *st, const struct msg_thread *t, struct slice at,
    uint64_t *number)
{
	struct msg_place p;
	struct msg_sent sent = { 0 };
	struct key k;
	uint64_t n, seq;
	size_t digits = slice_digits(at, 0, &seq);

	if (digits == at.len && seq >= 1 && seq <= t->turn_count) {
		*number = seq;
		return true;
	}
	if (digits == 0 || at.ptr[digits] != '.')
		seq = place_sent(st, t->domain, at, &sent) ? sent.seq : 0;
	for (n = t->turn_count; seq != 0 && n >= 1; n--) {
		k = turn_key(t->key, n);
		if (!db_get_msg(stage_tables(st), TABLE_thread_turns,
			key_slice(&k), MSG_place, stage_arena(st), &p) ||
		    p.seq < seq)
			break;
		if (p.seq == seq) {
			*number = n;
			return true;
		}
	}
	return false;
}

static int
place_fork(struct stage *st, uint64_t seq, const struct msg_fork *f,
    struct msg_s_ingest *section, struct refusal *refusal)
{
	struct msg_thread from, taken;

	if (!find_thread(st, f->domain, f->thread, &from))
		return no_thread(refusal, f->thread);
	if (f->as.len > 0 && find_thread(st, f->domain, f->as, &taken))
		return refuse(refusal, "bad_value",
		    "as: there is a thread '%.*s' already", SLICE_ARG(f->as));
	section->parent_turn = from.turn_count;
	if (f->at.len > 0 && !find_turn(st, &from, f->at, &section->parent_turn))
		return refuse(refusal, "TURN_NOT_FOUND",
		    "at: there is no turn '%.*s' in that thread",
		    SLICE_ARG(f->at));
	section->thread = seq;
	section->begins = true;
	section->parent_thread = from.key;
	section->explicit_channel = true;
	section->timeout_ms = from.timeout_ms;
	section->why = SLICE("a fork");
	return 0;
}

static int
place_command(struct stage *st, struct slice domain, struct slice name,
    struct msg_s_ingest *section, struct refusal *refusal)
{
	struct msg_thread t;

	if (name.len == 0)
		return 0;
	if (!find_thread(st, domain, name, &t))
		return no_thread(refusal, name);
	section->thread = t.key;
	return 0;
}

/* To a thread that is not there yet: it begins with what it imports. */
static int
place_attach(struct stage *st, uint64_t seq, const struct msg_attach *a,
    struct msg_s_ingest *section, struct refusal *refusal)
{
	struct msg_thread t;

	if (find_thread(st, a->domain, a->thread, &t)) {
		section->thread = t.key;
		return 0;
	}
	if (own_thread_key(a->thread) != 0)
		return no_thread(refusal, a->thread);
	section->thread = seq;
	section->begins = true;
	section->explicit_channel = true;
	section->timeout_ms = (uint64_t)(stage_conf(st)->inactivity_timeout *
	    WHEN_MINUTE_MS);
	section->why = SLICE("new: with imported artifacts");
	return 0;
}

int
place_decide(struct stage *st, uint64_t seq, enum msg_id type,
    union msg_any *entry, struct normal_exchange *exchange,
    struct msg_s_ingest *section, struct refusal *refusal)
{
	struct slice domain = entry->envelope.domain;

	switch (type) {
	case MSG_turn:
		place_turn(st, seq, &entry->turn, section);
		return 0;
	case MSG_exchange:
		place_exchange(st, seq, &entry->exchange, exchange, section);
		return 0;
	case MSG_fork:
		return place_fork(st, seq, &entry->fork, section, refusal);
	case MSG_close:
		return place_command(st, domain, entry->close.thread, section,
		    refusal);
	case MSG_reopen:
		return place_command(st, domain, entry->reopen.thread, section,
		    refusal);
	case MSG_rename:
		return place_command(st, domain, entry->rename.thread, section,
		    refusal);
	case MSG_attach:
		return place_attach(st, seq, &entry->attach, section,
		    refusal);
	case MSG_forget:
		return forget_check(st, seq, &entry->forget, refusal);
	default:
		return 0;
	}
}

uint64_t
place_thread(struct stage *st, struct slice domain, struct slice name)
{
	struct msg_thread t;

	return find_thread(st, domain, name, &t) ? t.key : 0;
}

bool
place_sent(struct stage *st, struct slice domain, struct slice id,
    struct msg_sent *out)
{
	struct key k = key_hashed(domain, id);

	return db_get_msg(stage_tables(st), TABLE_sent, key_slice(&k), MSG_sent,
	    stage_arena(st), out);
}

/* ---- apply ---- */

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
	struct key k = stream_key(e);

	/* A tick for a whole domain is no stream's own; nor a nameless stone. */
	if ((type == MSG_tick || type == MSG_tombstone) && e->user.len == 0 &&
	    e->room.len == 0)
		return;
	move_clock(cache_stream(st, TABLE_streams, key_slice(&k)), e);
	if (!e->live || type == MSG_tick)
		return;
	k = named_key(e->domain, SLICE(""));
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
		k = named_key(t->domain, id);
		put_place(st, TABLE_thread_ids, &k, t->key, 0);
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
	k = named_key(envelope->domain, envelope->session);
	if (get_place(st, TABLE_session_threads, &k) != s->thread)
		put_place(st, TABLE_session_threads, &k, s->thread, 0);
}

static void
move_span(struct stage *st, const struct msg_envelope *e, struct msg_thread *t,
    bool begins)
{
	struct key k = span_key(e, t->span_start, t->key);

	if (!begins && e->ts >= t->span_start)
		return;
	if (!begins) {
		db_delete(stage_tables(st), TABLE_spans, key_slice(&k));
		t->span_start = e->ts;
		k = span_key(e, t->span_start, t->key);
	}
	put_place(st, TABLE_spans, &k, t->key, 0);
	k = stream_key(e);
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
		k = turn_key(t.key, s->first_turn + i);
		put_place(st, TABLE_thread_turns, &k, e->seq, i);
	}
	cache_put_thread(st, &t);
}

static void
apply_nodes(struct stage *st, const struct stage_entry *e,
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
		k = node_key(x->domain, x->added[i].hash, e->seq, i);
		db_put_msg(stage_tables(st), TABLE_nodes, key_slice(&k),
		    MSG_node, &node);
	}
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
		apply_nodes(st, e, s);
	else
		apply_command(st, e, s);
}
