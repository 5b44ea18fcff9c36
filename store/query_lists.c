/*
 * query_lists - turns, threads, requests, rejects, in the order of seq
 */
#include "store/query_impl.h"

#include <stdlib.h>

#include "common/xmalloc.h"

enum { ROWS_A_VIEW = 1000 };

/* ---- lists ---- */

struct place {
	uint64_t seq, i;
};

/*
 * A list in the making.  Without a limit rows go out as they are found.  With
 * one, the newest are found first, kept as places, and go out turned round.
 */
struct list {
	struct query *q;
	const struct query_filter *f;
	const struct query_sink *sink;
	bool (*make)(struct query *q, uint64_t seq, uint64_t i,
	    struct row *row);
	struct place *kept;
	size_t n_kept, room;
	uint64_t thread;	/* requests: only this thread's; 0: any */
	uint64_t in_view;
	bool more;
};

static void
emit(struct list *l, uint64_t seq, uint64_t i)
{
	struct row row;

	if (l->make(l->q, seq, i, &row))
		l->sink->row(l->sink->data, &row);
}

/* false: enough. */
static bool
take(struct list *l, uint64_t seq, uint64_t i)
{
	if (l->f->limit == 0) {
		emit(l, seq, i);
		return true;
	}
	if (l->n_kept == l->f->limit) {
		l->more = true;
		return false;
	}
	if (l->n_kept == l->room) {
		l->room = l->room == 0 ? 64 : l->room * 2;
		l->kept = xrealloc(l->kept, l->room * sizeof(l->kept[0]));
	}
	l->kept[l->n_kept++] = (struct place){ seq, i };
	return true;
}

/* Between rows: gives memory back, and now and then the view. */
static bool
breathe(struct list *l)
{
	arena_reset(&l->q->arena);
	if (++l->in_view < ROWS_A_VIEW)
		return false;
	l->in_view = 0;
	query_pause(l->q, l->sink);
	return true;
}

static void
finish(struct list *l, bool *more)
{
	size_t k;

	for (k = l->n_kept; k > 0; k--) {
		emit(l, l->kept[k - 1].seq, l->kept[k - 1].i);
		(void)breathe(l);
	}
	free(l->kept);
	*more = l->more;
}

static bool
matches(const struct list *l, const struct msg *entry)
{
	const struct msg_envelope *env = &entry->as->envelope;
	const struct query_filter *f = l->f;

	return slice_eq(env->domain, l->q->domain) &&
	    env->ts >= f->since_ms && env->ts <= f->until_ms &&
	    (f->user.len == 0 || slice_eq(env->user, f->user));
}

static bool
has_role(const struct query_filter *f, const struct msg *entry, uint64_t i)
{
	return f->role.len == 0 || slice_eq(f->role, entry->id == MSG_turn ?
	    entry->as->turn.role : entry->as->exchange.added[i].role);
}

/* The turns of one entry, in the list's direction; false: enough. */
static bool
take_turns(struct list *l, uint64_t seq, const struct msg *entry)
{
	size_t n = query_turn_count(entry), k;
	uint64_t i;

	for (k = 0; k < n; k++) {
		i = l->f->limit == 0 ? k : n - 1 - k;
		if (has_role(l->f, entry, i) && !take(l, seq, i))
			return false;
	}
	return true;
}

static bool
take_request(struct list *l, uint64_t seq, const struct msg *entry)
{
	struct msg placed;

	if (entry->id != MSG_exchange)
		return true;
	if (l->thread != 0 && (!query_load(l->q, TABLE_s_ingest, seq, &placed) ||
		placed.id != MSG_s_ingest ||
		placed.as->s_ingest.thread != l->thread))
		return true;
	return take(l, seq, 0);
}

/* The next key of a u64 table, onwards or backwards from `at`, exclusive. */
static bool
step(struct db_txn *txn, enum table_id table, bool backwards, uint64_t *at)
{
	struct key k = key_u64(backwards ? *at - 1 : *at + 1);
	struct db_cursor *c = db_cursor(txn, table);
	struct db_entry e;
	bool there;

	if (backwards)
		there = *at > 0 && db_seek_back(c, key_slice(&k), &e);
	else
		there = db_seek(c, key_slice(&k), &e);
	if (there && e.key.len == 8)
		*at = key_read_u64(e.key, 0);
	db_cursor_close(&c);
	return there && e.key.len == 8;
}

static void
scan_log(struct list *l,
    bool (*each)(struct list *l, uint64_t seq, const struct msg *entry))
{
	bool backwards = l->f->limit > 0;
	uint64_t seq = backwards ? UINT64_MAX : 0;
	struct msg entry;

	while (step(l->q->shared, TABLE_log, backwards, &seq)) {
		if (query_load_entry(l->q, seq, &entry) && matches(l, &entry) &&
		    !each(l, seq, &entry))
			break;
		(void)breathe(l);
	}
}

/* ---- the turns of one thread ---- */

/* A thread, and how many of its own turns count. */
struct stretch {
	uint64_t thread, turns;
};

/* The thread and those whose history it shares, itself first. */
static size_t
find_history(struct query *q, const struct msg_thread *thread, bool own,
    struct stretch **out)
{
	struct msg_thread t = *thread;
	uint64_t turns = t.turn_count;
	struct stretch *all = NULL;
	size_t n = 0;

	for (;;) {
		all = xrealloc(all, (n + 1) * sizeof(*all));
		all[n++] = (struct stretch){ t.key, turns };
		/* A parent is older; anything else would go round. */
		if (own || t.parent == 0 || t.parent >= t.key)
			break;
		turns = t.parent_turn;
		if (!query_load_thread(q, t.parent, &t))
			break;
	}
	*out = all;
	return n;
}

static bool
take_number(struct list *l, uint64_t thread, uint64_t number)
{
	struct key k = key_pair(thread, number);
	struct msg_place p;
	struct msg entry;
	bool go_on = true;

	if (db_get_msg(l->q->ingest, TABLE_thread_turns, key_slice(&k),
		MSG_place, &l->q->arena, &p) &&
	    query_load_entry(l->q, p.seq, &entry) && matches(l, &entry) &&
	    p.i < query_turn_count(&entry) && has_role(l->f, &entry, p.i))
		go_on = take(l, p.seq, p.i);
	(void)breathe(l);
	return go_on;
}

static void
scan_thread(struct list *l, const struct stretch *history, size_t n)
{
	uint64_t number;
	size_t k;

	if (l->f->limit == 0) {
		for (k = n; k > 0; k--)
			for (number = 1; number <= history[k - 1].turns;
			     number++)
				(void)take_number(l, history[k - 1].thread,
				    number);
		return;
	}
	for (k = 0; k < n; k++)
		for (number = history[k].turns; number > 0; number--)
			if (!take_number(l, history[k].thread, number))
				return;
}

int
query_turns(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
{
	struct list l = { .q = q, .f = f, .sink = sink,
		.make = query_turn_row };
	struct stretch *history;
	struct msg_thread t;
	size_t n;

	*more = false;
	if (f->thread.len == 0) {
		scan_log(&l, take_turns);
	} else {
		if (!query_named_thread(q, f->thread, &t))
			return -1;
		n = find_history(q, &t, f->own, &history);
		arena_reset(&q->arena);
		scan_thread(&l, history, n);
		free(history);
	}
	finish(&l, more);
	return 0;
}

/* ---- other lists ---- */

static bool
make_thread(struct query *q, uint64_t seq, uint64_t i, struct row *row)
{
	(void)i;
	return query_thread_row(q, seq, row);
}

void
query_threads(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
{
	struct list l = { .q = q, .f = f, .sink = sink, .make = make_thread };
	bool backwards = f->limit > 0;
	uint64_t key = backwards ? UINT64_MAX : 0;
	struct msg_thread t;

	while (step(q->ingest, TABLE_threads, backwards, &key)) {
		if (query_load_thread(q, key, &t) && slice_eq(t.domain, q->domain) &&
		    (f->user.len == 0 || slice_eq(f->user, t.user)) &&
		    t.last_activity_at >= f->since_ms &&
		    t.created_at <= f->until_ms && !take(&l, key, 0))
			break;
		(void)breathe(&l);
	}
	finish(&l, more);
}

static bool
make_request(struct query *q, uint64_t seq, uint64_t i, struct row *row)
{
	(void)i;
	return query_request_row(q, seq, row);
}

int
query_requests(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
{
	struct list l = { .q = q, .f = f, .sink = sink,
		.make = make_request };
	struct query_thing thing = { 0 };

	*more = false;
	if (f->thread.len > 0 && !query_find_thread(q, f->thread, &thing))
		return -1;
	l.thread = thing.thread;
	scan_log(&l, take_request);
	finish(&l, more);
	return 0;
}

/* ---- rejects and refusals ---- */

static void
reject_row(struct query *q, const struct msg_reject *r, struct row *row)
{
	struct key k = key_u64(r->seq);
	struct msg_arrival a;

	row_begin(row, &q->arena);
	row_text(row, "kind", SLICE("reject"));
	row_number(row, "seq", r->seq);
	row_text(row, "stage", r->stage);
	if (db_get_msg(q->shared, TABLE_arrivals, key_slice(&k), MSG_arrival,
		&q->arena, &a))
		row_time(row, "at", a.at);
	else
		row_null(row, "at");
	row_null(row, "id");
	row_text(row, "code", SLICE("rejected"));
	row_text(row, "message", r->reason);
	row_maybe(row, "excerpt", r->record);
}

static void
refusal_row(struct query *q, const struct msg_refusal *r, struct row *row)
{
	row_begin(row, &q->arena);
	row_text(row, "kind", SLICE("refusal"));
	row_null(row, "seq");
	row_text(row, "stage", SLICE("ingest"));
	row_time(row, "at", r->at);
	row_maybe(row, "id", r->id);
	row_text(row, "code", r->code);
	row_text(row, "message", r->message);
	row_maybe(row, "excerpt", r->excerpt);
}

static bool
is_of_domain(struct query *q, uint64_t seq)
{
	struct msg entry;

	return query_load_entry(q, seq, &entry) &&
	    slice_eq(entry.as->envelope.domain, q->domain);
}

/* Makes the row of a record, unless the filter leaves it out. */
static bool
make_reject(struct query *q, const struct query_filter *f,
    const struct db_entry *e, struct row *row)
{
	const struct cell *at;
	struct msg_error why;
	struct msg m;

	arena_reset(&q->arena);
	if (msg_decode(e->value, &q->arena, &m, &why) == -1) {
		q->unreadable++;
		return false;
	}
	if (m.id == MSG_refusal)
		refusal_row(q, &m.as->refusal, row);
	else if (m.id == MSG_reject &&
	    (f->any_domain || is_of_domain(q, m.as->reject.seq)))
		reject_row(q, &m.as->reject, row);
	else
		return false;
	at = row_cell(row, "at");
	return at->kind == CELL_NULL ||
	    (at->time >= f->since_ms && at->time <= f->until_ms);
}

/*
 * The newest `limit` rows of a table, in order: back to the oldest of them,
 * then forth.  Both tables are bounded or small, so one view is enough.
 */
static uint64_t
list_newest(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, enum table_id table, uint64_t limit,
    bool *more)
{
	struct db_cursor *c = db_cursor(q->shared, table);
	uint64_t n = 0, shown = 0;
	struct db_entry e;
	struct row row;
	bool there;

	for (there = limit > 0 && db_last(c, &e); there;
	     there = db_prev(c, &e)) {
		if (!make_reject(q, f, &e, &row))
			continue;
		if (n == limit) {
			*more = true;
			break;
		}
		n++;
	}
	for (there = there ? db_next(c, &e) : db_first(c, &e); there;
	     there = db_next(c, &e)) {
		if (!make_reject(q, f, &e, &row))
			continue;
		sink->row(sink->data, &row);
		shown++;
	}
	db_cursor_close(&c);
	return shown;
}

void
query_rejects(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
{
	uint64_t shown;

	*more = false;
	shown = list_newest(q, f, sink, TABLE_rejects, f->limit, more);
	if (!f->any_domain)
		return;
	if (f->limit > 0 && shown >= f->limit)
		*more = *more || db_count(q->shared, TABLE_refusals) > 0;
	else
		(void)list_newest(q, f, sink, TABLE_refusals,
		    f->limit == 0 ? 0 : f->limit - shown, more);
}
