/*
 * place - ingest's own tables: where an entry belongs
 */
#include "common/when.h"
#include "ingest/assign.h"
#include "ingest/cache.h"
#include "ingest/forget.h"
#include "ingest/place_impl.h"

/* ---- threads ---- */

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
	struct key k = key_named(domain, name);
	uint64_t key = place_get(st, TABLE_thread_ids, &k);

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
	struct key stream = place_stream_key(e);
	struct key at = place_span_key(e, ts, UINT64_MAX);
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
	struct key k = place_stream_key(e);
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
	k = key_named(t->domain, t->session);
	section->why = SLICE("the session's");
	section->thread = place_get(st, TABLE_session_threads, &k);
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
	if (digits == 0 || digits == at.len || at.ptr[digits] != '.')
		seq = place_sent(st, t->domain, at, &sent) ? sent.seq : 0;
	for (n = t->turn_count; seq != 0 && n >= 1; n--) {
		k = key_pair(t->key, n);
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

/*
 * The same in all of its history: of a turn that it shares the thread becomes
 * the one that has it.
 */
static bool
find_shared_turn(struct stage *st, struct msg_thread *t, struct slice at,
    uint64_t *number)
{
	uint64_t upto = t->turn_count, parent;

	while (!find_turn(st, t, at, number)) {
		parent = t->parent;
		upto = t->parent_turn;
		if (parent == 0 || parent >= t->key ||
		    !cache_thread(st, parent, t))
			return false;
	}
	return *number <= upto;
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
	if (f->at.len > 0 && !find_shared_turn(st, &from, f->at,
		&section->parent_turn))
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

/* ---- for others ---- */

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
