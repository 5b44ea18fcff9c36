/*
 * check_ingest - ingest's own tables against the log and among themselves
 *
 * From each entry to the rows it must have made; then the number of rows, so
 * that there are no others; where the numbers differ, the rows are read to
 * name those that nothing accounts for.
 */
#include "cli/check.h"

#include "store/query.h"

#define LL(n) ((unsigned long long)(n))

/* ---- from an entry to its rows ---- */

static void
check_turns(struct check *c, uint64_t seq, const struct msg_s_ingest *s)
{
	struct msg_place p;
	struct key k;
	uint64_t i;

	for (i = 0; i < s->turns; i++) {
		k = key_pair(s->thread, s->first_turn + i);
		if (!check_get(c, TABLE_thread_turns, key_slice(&k), MSG_place,
			&p))
			check_finding(c, "thread_turns", "turn %llu.%llu is "
			    "not in thread_turns as t%llu turn %llu", LL(seq),
			    LL(i), LL(s->thread), LL(s->first_turn + i));
		else if (p.seq != seq || p.i != i)
			check_finding(c, "thread_turns", "t%llu turn %llu is "
			    "%llu.%llu in thread_turns, but %llu.%llu by its "
			    "section", LL(s->thread), LL(s->first_turn + i),
			    LL(p.seq), LL(p.i), LL(seq), LL(i));
	}
}

static void
check_sent(struct check *c, uint64_t seq, const struct msg_envelope *e,
    struct slice hash)
{
	struct key k = key_hashed(e->domain, e->id);
	struct msg_sent sent;

	if (!check_get(c, TABLE_sent, key_slice(&k), MSG_sent, &sent))
		check_finding(c, "sent", "entry %llu: its id is not in sent",
		    LL(seq));
	else if (sent.seq != seq)
		check_finding(c, "sent", "entry %llu: its id leads to entry "
		    "%llu", LL(seq), LL(sent.seq));
	else if (!slice_eq(sent.content_hash, hash))
		check_finding(c, "sent", "entry %llu: sent and section have "
		    "different content hashes", LL(seq));
}

static struct key
node_key(struct slice domain, struct slice hash, uint64_t seq, uint64_t i)
{
	struct key k = key_named(domain, hash);

	key_add_u64(&k, seq);
	key_add_u64(&k, i);
	return k;
}

static void
check_nodes(struct check *c, uint64_t seq, const struct msg_exchange *x,
    const struct msg_s_ingest *s)
{
	struct msg_node node;
	struct key k;
	size_t i;

	for (i = 0; i < x->n_added; i++) {
		k = node_key(x->domain, x->added[i].hash, seq, i);
		if (!check_get(c, TABLE_nodes, key_slice(&k), MSG_node, &node))
			check_finding(c, "nodes", "message %llu.%llu is not in "
			    "nodes", LL(seq), LL(i));
		else if (node.seq != seq || node.i != i ||
		    node.depth != x->known + i + 1 ||
		    node.thread != s->thread ||
		    node.turn != s->first_turn + i)
			check_finding(c, "nodes", "message %llu.%llu: its node "
			    "says another place", LL(seq), LL(i));
	}
	c->nodes += x->n_added;
}

void
check_place(struct check *c, uint64_t seq, const struct msg *entry,
    const struct msg_s_ingest *s)
{
	const struct msg_envelope *e = &entry->as->envelope;
	struct key k = key_u64(s->thread);

	if (s->thread != 0 && !check_has(c, TABLE_threads, key_slice(&k)))
		check_finding(c, "threads", "entry %llu is in thread t%llu, "
		    "which is not there", LL(seq), LL(s->thread));
	if (s->begins != (s->thread == seq))
		check_finding(c, "threads", "entry %llu: its section does not "
		    "agree with itself on where its thread begins", LL(seq));
	if (entry->id != MSG_tombstone && s->turns != query_turn_count(entry))
		check_finding(c, "turns", "entry %llu holds %zu turns, its "
		    "section says %llu", LL(seq), query_turn_count(entry),
		    LL(s->turns));
	check_turns(c, seq, s);
	c->turns += s->turns;
	c->begun += s->begins;
	if (e->id.len > 0) {
		check_sent(c, seq, e, s->content_hash);
		c->ids++;
	}
	if (entry->id == MSG_exchange)
		check_nodes(c, seq, &entry->as->exchange, s);
	/* A tick for a whole domain is no stream's own, nor a nameless stone. */
	c->streamed += (entry->id != MSG_tick && entry->id != MSG_tombstone) ||
	    e->user.len > 0 || e->room.len > 0;
}

/* ---- threads ---- */

struct sums {
	uint64_t threads, turns, implicit, ids;
};

static struct key
span_key(const struct msg_thread *t)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, t->domain);
	key_add_text(&k, t->room.len > 0 ? SLICE("r") : SLICE("u"));
	key_add_text(&k, t->room.len > 0 ? t->room : t->user);
	key_add_i64(&k, t->span_start);
	key_add_u64(&k, t->key);
	return k;
}

static void
check_begin(struct check *c, const struct msg_thread *t)
{
	struct key k = key_u64(t->key);
	struct msg_s_ingest s;

	if (!check_get(c, TABLE_s_ingest, key_slice(&k), MSG_s_ingest, &s) ||
	    !s.begins || s.thread != t->key)
		check_finding(c, "threads", "t%llu was begun by no entry",
		    LL(t->key));
}

static void
check_thread_parent(struct check *c, const struct msg_thread *t)
{
	struct key k = key_u64(t->parent);
	struct msg_thread parent;

	if (t->parent >= t->key)
		check_finding(c, "threads", "t%llu has the parent t%llu, "
		    "which is not earlier", LL(t->key), LL(t->parent));
	else if (!check_get(c, TABLE_threads, key_slice(&k), MSG_thread,
		&parent))
		check_finding(c, "threads", "t%llu has the parent t%llu, "
		    "which is not there", LL(t->key), LL(t->parent));
	else if (t->parent_turn > parent.turn_count)
		check_finding(c, "threads", "t%llu shares %llu turns of t%llu, "
		    "which has %llu", LL(t->key), LL(t->parent_turn),
		    LL(t->parent), LL(parent.turn_count));
	else if (!slice_eq(parent.domain, t->domain))
		check_finding(c, "threads", "t%llu has its parent in another "
		    "domain", LL(t->key));
}

static void
check_last_turn(struct check *c, const struct msg_thread *t)
{
	struct key k = key_pair(t->key, t->turn_count);
	struct msg_place p;

	if (t->turn_count == 0)
		return;
	if (!check_get(c, TABLE_thread_turns, key_slice(&k), MSG_place, &p))
		check_finding(c, "turn_count", "t%llu counts %llu turns, "
		    "thread_turns has no such one", LL(t->key),
		    LL(t->turn_count));
	else if (p.seq != t->last_seq)
		check_finding(c, "turn_count", "t%llu: its last entry is "
		    "%llu, thread_turns ends with %llu", LL(t->key),
		    LL(t->last_seq), LL(p.seq));
}

static void
check_thread(struct check *c, const struct msg_thread *t, struct sums *sums)
{
	struct msg_place p;
	struct key k;

	check_begin(c, t);
	check_last_turn(c, t);
	if (t->parent != 0)
		check_thread_parent(c, t);
	sums->threads++;
	sums->turns += t->turn_count;
	if (!t->explicit_channel) {
		k = span_key(t);
		if (!check_has(c, TABLE_spans, key_slice(&k)))
			check_finding(c, "spans", "t%llu is implicit, but not "
			    "in spans at its start", LL(t->key));
		sums->implicit++;
	}
	if (t->id.len > 0) {
		k = key_named(t->domain, t->id);
		if (!check_get(c, TABLE_thread_ids, key_slice(&k), MSG_place,
			&p) || p.seq != t->key)
			check_finding(c, "thread_ids", "t%llu is not found by "
			    "its id", LL(t->key));
		sums->ids++;
	}
}

static void
check_threads(struct check *c, struct sums *sums)
{
	struct db_cursor *rows = check_rows(c, TABLE_threads);
	struct msg_error why;
	struct msg_thread t;
	struct db_entry e;

	while (db_next(rows, &e)) {
		arena_reset(&c->arena);
		if (msg_decode_as(e.value, &c->arena, MSG_thread, &t, &why) ==
		    -1)
			continue;
		if (e.key.len != 8 || key_read_u64(e.key, 0) != t.key)
			check_finding(c, "threads", "t%llu stands under the "
			    "key %s", LL(t.key),
			    check_key(c, TABLE_threads, e.key));
		check_thread(c, &t, sums);
	}
	db_cursor_close(&rows);
}

/* Numbers run from 1 in each thread. */
static void
check_numbers(struct check *c)
{
	struct db_cursor *rows = check_rows(c, TABLE_thread_turns);
	uint64_t thread = 0, number = 0;
	struct db_entry e;

	while (db_next(rows, &e)) {
		arena_reset(&c->arena);
		if (e.key.len != 16) {
			check_finding(c, "key", "thread_turns: a key of %zu "
			    "bytes", e.key.len);
			continue;
		}
		if (key_read_u64(e.key, 0) != thread)
			number = 0;
		thread = key_read_u64(e.key, 0);
		if (key_read_u64(e.key, 8) != number + 1)
			check_finding(c, "thread_turns", "t%llu: turn %llu "
			    "follows %llu", LL(thread),
			    LL(key_read_u64(e.key, 8)), LL(number));
		number = key_read_u64(e.key, 8);
	}
	db_cursor_close(&rows);
}

/* ---- rows that nothing accounts for ---- */

static bool
is_sent(struct check *c, const struct db_entry *e, const struct msg *m)
{
	struct key k = key_u64(m->as->sent.seq), own;
	struct db_entry entry;
	struct msg sent;

	entry.key = key_slice(&k);
	if (!db_get(c->txns[ENV_shared], TABLE_log, entry.key, &entry.value) ||
	    !check_decode(c, TABLE_log, &entry, &sent) ||
	    !msg_is_entry(sent.id) || sent.as->envelope.id.len == 0)
		return false;
	own = key_hashed(sent.as->envelope.domain, sent.as->envelope.id);
	return slice_eq(key_slice(&own), e->key);
}

static bool
is_node(struct check *c, const struct db_entry *e, const struct msg *m)
{
	struct key k = key_u64(m->as->node.seq), own;
	struct msg_exchange x;

	if (!check_get(c, TABLE_log, key_slice(&k), MSG_exchange, &x) ||
	    m->as->node.i >= x.n_added)
		return false;
	own = node_key(x.domain, x.added[m->as->node.i].hash, m->as->node.seq,
	    m->as->node.i);
	return slice_eq(key_slice(&own), e->key);
}

static bool
is_turn(struct check *c, const struct db_entry *e, const struct msg *m)
{
	struct key k = key_u64(m->as->place.seq);
	struct msg_s_ingest s;

	return e->key.len == 16 &&
	    check_get(c, TABLE_s_ingest, key_slice(&k), MSG_s_ingest, &s) &&
	    s.thread == key_read_u64(e->key, 0) && m->as->place.i < s.turns &&
	    s.first_turn + m->as->place.i == key_read_u64(e->key, 8);
}

static bool
read_thread(struct check *c, const struct msg *m, struct msg_thread *t)
{
	struct key k = key_u64(m->as->place.seq);

	return check_get(c, TABLE_threads, key_slice(&k), MSG_thread, t);
}

static bool
is_span(struct check *c, const struct db_entry *e, const struct msg *m)
{
	struct msg_thread t;
	struct key own;

	if (!read_thread(c, m, &t) || t.explicit_channel)
		return false;
	own = span_key(&t);
	return slice_eq(key_slice(&own), e->key);
}

static bool
is_thread_id(struct check *c, const struct db_entry *e, const struct msg *m)
{
	struct msg_thread t;
	struct key own;

	if (!read_thread(c, m, &t))
		return false;
	own = key_named(t.domain, t.id);
	return slice_eq(key_slice(&own), e->key);
}

static bool
is_session_thread(struct check *c, const struct db_entry *e,
    const struct msg *m)
{
	struct msg_thread t;
	struct key domain;

	/* Whichever was selected last in the session: any of its domain. */
	if (!read_thread(c, m, &t))
		return false;
	domain = key_named(t.domain, SLICE(""));
	return e->key.len > domain.len &&
	    memcmp(e->key.ptr, domain.bytes, domain.len) == 0;
}

static void
name_strays(struct check *c, enum table_id table,
    bool (*is_right)(struct check *c, const struct db_entry *e,
	const struct msg *m))
{
	struct db_cursor *rows = check_rows(c, table);
	struct msg_error why;
	struct db_entry e;
	struct msg m;

	while (db_next(rows, &e)) {
		arena_reset(&c->arena);
		if (msg_decode(e.value, &c->arena, &m, &why) == -1 ||
		    is_right(c, &e, &m))
			continue;
		check_finding(c, table_spec(table)->name,
		    "%s: nothing accounts for the row %s",
		    table_spec(table)->name, check_key(c, table, e.key));
	}
	db_cursor_close(&rows);
}

static void
check_number(struct check *c, enum table_id table, uint64_t want,
    bool (*is_right)(struct check *c, const struct db_entry *e,
	const struct msg *m))
{
	uint64_t rows = db_count(c->txns[ENV_ingest], table);

	if (rows == want)
		return;
	check_finding(c, "count", "%s has %llu rows, %llu are accounted for",
	    table_spec(table)->name, LL(rows), LL(want));
	if (is_right != NULL)
		name_strays(c, table, is_right);
}

static void
check_streams(struct check *c)
{
	struct db_cursor *rows = check_rows(c, TABLE_streams);
	struct msg_error why;
	struct msg_stream s;
	struct db_entry e;
	uint64_t entries = 0;

	while (db_next(rows, &e)) {
		arena_reset(&c->arena);
		if (msg_decode_as(e.value, &c->arena, MSG_stream, &s, &why) ==
		    0)
			entries += s.entries;
	}
	db_cursor_close(&rows);
	if (entries != c->streamed)
		check_finding(c, "streams", "streams count %llu entries, the "
		    "log has %llu", LL(entries), LL(c->streamed));
}

void
check_ingest_tables(struct check *c)
{
	struct sums sums = { 0 };

	if (c->partial) {
		check_note(c, "ingest's tables are not compared as a whole: "
		    "some entries cannot be read");
		return;
	}
	check_threads(c, &sums);
	check_numbers(c);
	if (sums.turns != c->turns)
		check_finding(c, "turn_count", "threads count %llu turns, the "
		    "sections %llu", LL(sums.turns), LL(c->turns));
	check_number(c, TABLE_threads, c->begun, NULL);
	check_number(c, TABLE_thread_turns, c->turns, is_turn);
	check_number(c, TABLE_sent, c->ids, is_sent);
	check_number(c, TABLE_nodes, c->nodes, is_node);
	check_number(c, TABLE_spans, sums.implicit, is_span);
	check_number(c, TABLE_thread_ids, sums.ids, is_thread_id);
	name_strays(c, TABLE_session_threads, is_session_thread);
	check_streams(c);
}
