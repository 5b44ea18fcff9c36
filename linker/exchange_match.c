/*
 * exchange_match - the best parent of a call
 *
 * Each strategy offers what it finds; the stronger strategy wins, and within
 * one what match_better says.  docs/LINKING.md has an example of each.
 */
#include "common/when.h"
#include "linker/continuation.h"
#include "linker/exchange.h"
#include "linker/subtask.h"

bool
match_is_on(const struct exchange *ex, enum strategy s)
{
	return strategy_is_on(exchange_link(ex)->conf, s);
}

/* ---- which of two ---- */

/* Those that go by a prefix are one: session and system are weighed apart. */
static int
match_class(const struct match *m)
{
	switch (m->strategy) {
	case STRATEGY_summarise:
	case STRATEGY_fallback:
		return STRATEGY_exact;
	case STRATEGY_first_user:
		return STRATEGY_compact;
	default:
		return (int)m->strategy;
	}
}

static int
compare(uint64_t a, uint64_t b)
{
	return a == b ? 0 : a > b ? 1 : -1;
}

bool
match_better(const struct msg_call *c, const struct match *a,
    const struct match *b)
{
	int session, system, depth, order = 0;

	if (a->call == NULL || b->call == NULL)
		return a->call != NULL;
	if (match_class(a) != match_class(b))
		return match_class(a) < match_class(b);
	session = compare(call_same_session(c, a->call),
	    call_same_session(c, b->call));
	system = compare(call_same_system(c, a->call),
	    call_same_system(c, b->call));
	depth = compare(a->depth, b->depth);
	if (match_class(a) == STRATEGY_exact)
		order = session != 0 ? session : depth != 0 ? depth : system;
	else if (a->strategy == STRATEGY_nearest)
		order = depth != 0 ? depth : session != 0 ? session : system;
	else if (match_class(a) == STRATEGY_compact)
		order = session != 0 ? session : compare(a->weight, b->weight);
	else
		order = session != 0 ? session : system;
	if (order != 0)
		return order > 0;
	return call_is_before(b->call, a->call);
}

/* ---- by prefix ---- */

struct match
match_prefix(struct exchange *ex, struct msg_call *c, struct msg_call *by,
    uint64_t depth, bool reply, uint64_t runs)
{
	struct match m = { .strategy = STRATEGY_new, .depth = depth,
		.direct = runs == 0 || (runs == 1 && !reply) };

	if (by == NULL || !call_is_before(by, c) || !call_may_join(by, c))
		return m;
	if (m.direct && call_same_system(by, c) &&
	    match_is_on(ex, STRATEGY_exact))
		m.strategy = STRATEGY_exact;
	else if (m.direct && call_place(c)->aside &&
	    match_is_on(ex, STRATEGY_summarise))
		m.strategy = STRATEGY_summarise;
	else if (m.direct && match_is_on(ex, STRATEGY_fallback))
		m.strategy = STRATEGY_fallback;
	else if (match_is_on(ex, STRATEGY_nearest))
		m.strategy = STRATEGY_nearest;
	if (m.strategy != STRATEGY_new)
		m.call = by;
	return m;
}

/* One prefix, and the calls that end with it. */
struct ends {
	struct exchange *ex;
	struct msg_call *c;
	const struct path *p;
	struct match *best;
	bool found;
};

static void
offer_end(struct ends *n, struct slice record)
{
	struct link *l = exchange_link(n->ex);
	struct msg_call_ref ref;
	struct msg_error why;
	struct match m;

	if (msg_decode_as(record, l->arena, MSG_call_ref, &ref, &why) == -1)
		return;
	m = match_prefix(n->ex, n->c, exchange_call(n->ex, ref.seq),
	    n->p->depth, ref.reply, path_runs(n->p));
	if (m.call == NULL)
		return;
	n->found = true;
	if (match_better(n->c, &m, n->best))
		*n->best = m;
}

/* Down from the newest that is earlier, until `enough` were offered. */
static void
offer_back(struct ends *n, struct key from, size_t enough)
{
	struct link *l = exchange_link(n->ex);
	struct db_cursor *cursor = db_cursor(stage_tables(l->st),
	    TABLE_call_ends);
	size_t prefix = from.len - 16, tries;
	struct db_entry e;
	bool more = db_seek_back(cursor, key_slice(&from), &e);

	for (tries = 0; more && tries < enough && e.key.len == from.len &&
	     memcmp(e.key.ptr, from.bytes, prefix) == 0; tries++) {
		offer_end(n, e.value);
		if (n->found && enough == CALL_TRIES)
			break;
		more = db_prev(cursor, &e);
	}
	db_cursor_close(&cursor);
}

/* The newest earlier one under each system text, of the first few. */
static void
offer_systems(struct ends *n)
{
	struct link *l = exchange_link(n->ex);
	struct prefix prefix = path_prefix(n->p);
	struct key k = calls_end_key(&prefix, n->c, false, INT64_MAX,
	    UINT64_MAX), at = k;
	size_t system = k.len - 16 - CALL_HASH_BYTES, tries;
	struct db_cursor *cursor = db_cursor(stage_tables(l->st),
	    TABLE_call_ends);
	struct db_entry e;
	bool more;

	memset(k.bytes + system, 0xff, k.len - system);
	for (tries = 0; tries < CALL_SYSTEMS; tries++) {
		more = db_seek_back(cursor, key_slice(&k), &e);
		if (!more || e.key.len != k.len ||
		    memcmp(e.key.ptr, k.bytes, system) != 0)
			break;
		memcpy(k.bytes, e.key.ptr, k.len);
		memset(k.bytes + k.len - 16, 0, 16);
		at = k;
		at.len -= 16;
		key_add_i64(&at, n->c->ts);
		key_add_u64(&at, n->c->seq - 1);
		offer_back(n, at, 1);
	}
	db_cursor_close(&cursor);
}

static void
offer_ends(struct exchange *ex, struct msg_call *c, const struct path *p,
    struct match *best)
{
	struct ends n = { ex, c, p, best, false };
	struct prefix at = path_prefix(p);
	enum { SESSION_TRIES = 4 };

	if (c->session.len > 0)
		offer_back(&n, calls_end_key(&at, c, true, c->ts, c->seq - 1),
		    SESSION_TRIES);
	offer_back(&n, calls_end_key(&at, c, false, c->ts, c->seq - 1),
	    CALL_TRIES);
	if (!n.found)
		offer_systems(&n);
}

/* All that may be direct, then the first that is not. */
static void
match_prefixes(struct exchange *ex, struct msg_call *c, struct match *best)
{
	struct path p;
	size_t steps = 0;

	if (c->depth < 2 || !path_begin(&p, ex, c))
		return;
	while (steps < CALL_STEPS && path_back(&p)) {
		if (path_runs(&p) > 1 && best->call != NULL)
			return;
		/* What ingest did not know no earlier call ends with. */
		if (p.depth > exchange_path(ex)->known)
			continue;
		offer_ends(ex, c, &p, best);
		steps++;
	}
}

/* ---- by name ---- */

static void
match_response(struct exchange *ex, struct msg_call *c, struct match *best)
{
	struct link *l = exchange_link(ex);
	struct match m = { .strategy = STRATEGY_response, .direct = true };
	struct key k;
	struct db_cursor *cursor;
	struct db_entry e;

	if (c->previous.len == 0 || !match_is_on(ex, STRATEGY_response))
		return;
	k = calls_response_key(c->domain, c->previous, false, c->ts,
	    c->seq - 1);
	cursor = db_cursor(stage_tables(l->st), TABLE_call_responses);
	if (db_seek_back(cursor, key_slice(&k), &e) && e.key.len == k.len &&
	    memcmp(e.key.ptr, k.bytes, k.len - 16) == 0)
		m.call = exchange_call(ex, key_read_u64(e.key, k.len - 8));
	db_cursor_close(&cursor);
	if (m.call != NULL && call_may_join(m.call, c))
		*best = m;
}

/* The newest earlier call of the session, under the same system text. */
static void
match_session(struct exchange *ex, struct msg_call *c, struct match *best)
{
	struct link *l = exchange_link(ex);
	struct match m = { .strategy = STRATEGY_session };
	struct db_cursor *cursor;
	struct db_entry e;
	struct key k;
	size_t tries;
	bool more;

	if (c->session.len == 0 || !match_is_on(ex, STRATEGY_session))
		return;
	k = calls_session_key(c, c->ts, c->seq - 1);
	cursor = db_cursor(stage_tables(l->st), TABLE_call_sessions);
	more = db_seek_back(cursor, key_slice(&k), &e);
	for (tries = 0; more && tries < CALL_TRIES && e.key.len == k.len &&
	     memcmp(e.key.ptr, k.bytes, k.len - 16) == 0; tries++) {
		m.call = exchange_call(ex, key_read_u64(e.key, k.len - 8));
		if (m.call != NULL && call_same_system(m.call, c) &&
		    call_may_join(m.call, c)) {
			*best = m;
			break;
		}
		more = db_prev(cursor, &e);
	}
	db_cursor_close(&cursor);
}

/* ---- retries ---- */

bool
match_is_retry(const struct exchange *ex, const struct msg_call *a,
    const struct msg_call *b)
{
	int64_t window = exchange_link(ex)->conf->retry_window * 1000;

	if (!match_is_on(ex, STRATEGY_retry) || !slice_eq(a->hash, b->hash) ||
	    !call_same_system(a, b) || !call_is_before(a, b) ||
	    !call_may_join(a, b) || a->previous.len > 0 || b->previous.len > 0)
		return false;
	if (a->session.len > 0 && b->session.len > 0)
		return slice_eq(a->session, b->session);
	return a->reply_hash.len == 0 && b->ts - a->ts <= window;
}

static void
match_retry(struct exchange *ex, struct msg_call *c, struct match *best)
{
	struct link *l = exchange_link(ex);
	struct prefix end = calls_end(ex, false);
	struct db_cursor *cursor;
	struct msg_call *before;
	struct db_entry e;
	struct key k;
	size_t tries;
	bool more;

	if (!exchange_is_known(ex))
		return;
	k = calls_end_key(&end, c, false, c->ts, c->seq - 1);
	cursor = db_cursor(stage_tables(l->st), TABLE_call_ends);
	more = db_seek_back(cursor, key_slice(&k), &e);
	for (tries = 0; more && tries < CALL_TRIES && best->call == NULL &&
	     e.key.len == k.len && memcmp(e.key.ptr, k.bytes, k.len - 16) == 0;
	     tries++) {
		before = exchange_call(ex, key_read_u64(e.key, k.len - 8));
		if (before != NULL && match_is_retry(ex, before, c))
			*best = (struct match){ .strategy = STRATEGY_retry,
				.call = before };
		more = db_prev(cursor, &e);
	}
	db_cursor_close(&cursor);
}

/* ---- the whole ---- */

void
match_choose(struct exchange *ex, struct match *best)
{
	struct msg_call *c = exchange_self(ex);

	*best = (struct match){ .strategy = STRATEGY_new };
	match_response(ex, c, best);
	if (best->call == NULL)
		match_retry(ex, c, best);
	if (best->call == NULL)
		subtask_match(ex, c, best);
	if (best->call == NULL)
		match_prefixes(ex, c, best);
	if (best->call == NULL)
		continuation_match(ex, c, best);
	if (best->call == NULL)
		match_session(ex, c, best);
}

struct match
match_present(struct exchange *ex, struct msg_call *c)
{
	const struct msg_l_call *at = call_place(c);
	struct msg_call *by = exchange_call(ex, at->parent);
	struct match m = { .strategy = strategy_named(at->strategy),
		.call = by, .depth = at->depth, .direct = at->direct,
		.task = at->task, .score = at->score };

	if (by != NULL && match_class(&m) == STRATEGY_compact)
		m.weight = continuation_worth(ex, c, by).weight;
	return m;
}

static struct slice
explain(struct exchange *ex, const struct msg_call *c, const struct match *m)
{
	struct arena *a = exchange_link(ex)->arena;
	unsigned long long seq = m->call != NULL ? m->call->seq : 0;
	const char *also = m->call != NULL && call_same_session(c, m->call) ?
	    ", of the same session" : "";

	switch (m->strategy) {
	case STRATEGY_response:
		return arena_printf(a, "names the response of %llu", seq);
	case STRATEGY_retry:
		return arena_printf(a, "the same call as %llu%s", seq,
		    *also != '\0' ? also : ", which had no reply");
	case STRATEGY_subtask:
		return arena_printf(a, "its message is the prompt of task call "
		    "%llu in the reply of %llu%s", (unsigned long long)m->task,
		    seq, also);
	case STRATEGY_compact:
	case STRATEGY_first_user:
		return arena_printf(a, "goes on from the summary that %llu "
		    "replied with: %llu of 1000 alike%s", seq,
		    (unsigned long long)m->score, also);
	case STRATEGY_session:
		return arena_printf(a, "the call before it in its session is "
		    "%llu", seq);
	case STRATEGY_new:
		return SLICE("no earlier call belongs to it");
	default:
		return arena_printf(a, "%llu of its %llu messages are those of "
		    "%llu%s%s", (unsigned long long)m->depth,
		    (unsigned long long)c->depth, seq,
		    call_same_system(c, m->call) ? ", system text too" :
						   ", system text apart", also);
	}
}

void
match_settle(struct exchange *ex, struct msg_call *c, const struct match *m)
{
	struct msg_l_call *at = call_place(c);

	exchange_touch(ex, c);
	at->strategy = strategy_name(m->strategy);
	at->why = explain(ex, c, m);
	at->depth = m->depth;
	at->direct = m->direct;
	at->task = m->task;
	at->score = m->score;
	at->parent = m->call != NULL ? m->call->seq : 0;
	at->opens = SLICE_NONE;
	if (m->strategy == STRATEGY_retry) {
		at->node = call_place(m->call)->node;
		at->parent = 0;
	} else if (m->strategy == STRATEGY_subtask)
		at->opens = SLICE("subtask");
	else if (match_class(m) == STRATEGY_compact ||
	    (m->strategy == STRATEGY_session && at->core > 0))
		at->opens = SLICE("compact");
	else if (m->strategy == STRATEGY_new)
		at->opens = SLICE("main");
}
