/*
 * batch_recent - when a stream's threads were last active, in memory
 *
 * Times are written once a batch.  The latest of a stream are kept beside as
 * they will be in the table, so that it is read for a stream once; only who
 * asks for a time before them reads it again.
 */
#include <assert.h>

#include "linker/batch_impl.h"

enum { RECENT = 64 };		/* of a stream */

struct active {
	struct active *next;	/* of the bucket */
	struct active *after;	/* of those of the stream to be written */
	struct batch_stream *stream;
	uint64_t thread;
	int64_t at, was;
	bool there;		/* in the table, at `was` */
	bool dirty;
};

struct recent {
	int64_t at;
	uint64_t thread;
};

/* In the order of the table; what is not here is before all that is. */
struct recents {
	struct recent list[RECENT];
	size_t n;
	bool whole;		/* there are no others */
};

/* ---- the table ---- */

static void
recent_key(const struct batch_stream *stream, int64_t at, uint64_t thread,
    struct key *out)
{
	stream_key(stream, out);
	key_add_i64(out, at);
	key_add_u64(out, thread);
}

static void
write_active(struct active *a, struct db_txn *txn)
{
	struct msg_place place = { .seq = a->thread };
	struct key k;

	if (a->there) {
		recent_key(a->stream, a->was, a->thread, &k);
		db_delete(txn, TABLE_link_recent, key_slice(&k));
	}
	recent_key(a->stream, a->at, a->thread, &k);
	db_put_msg(txn, TABLE_link_recent, key_slice(&k), MSG_place, &place);
	a->there = true;
	a->was = a->at;
	a->dirty = false;
}

void
stream_write_actives(struct batch_stream *s, struct db_txn *txn)
{
	struct active *a;

	for (a = s->actives; a != NULL; a = a->after)
		write_active(a, txn);
	s->actives = NULL;
}

/* The latest of the table between two times; how many. */
static size_t
read_table(const struct link *l, struct batch_stream *s, int64_t from,
    int64_t upto, struct recent *out, size_t most)
{
	struct db_cursor *c;
	struct db_entry e;
	struct key first, last;
	size_t n = 0;
	bool there;

	recent_key(s, from, 0, &first);
	recent_key(s, upto, UINT64_MAX, &last);
	stream_write_actives(s, stage_tables(l->st));
	c = db_cursor(stage_tables(l->st), TABLE_link_recent);
	for (there = db_seek_back(c, key_slice(&last), &e); there &&
	     n < most && slice_cmp(e.key, key_slice(&first)) >= 0;
	     there = db_prev(c, &e))
		if (e.key.len == last.len)
			out[n++] = (struct recent){
				key_read_i64(e.key, e.key.len - 16),
				key_read_u64(e.key, e.key.len - 8) };
	db_cursor_close(&c);
	return n;
}

/* ---- the latest ---- */

static void
read_recents(const struct link *l, struct batch_stream *s)
{
	struct recents *r = arena_room(&batch_streams(l)->arena, sizeof(*r));
	struct recent latest[RECENT];
	size_t i;

	r->n = read_table(l, s, INT64_MIN, INT64_MAX, latest, RECENT);
	r->whole = r->n < RECENT;
	for (i = 0; i < r->n; i++)
		r->list[i] = latest[r->n - 1 - i];
	s->recents = r;
}

static bool
is_behind(const struct recent *a, const struct recent *b)
{
	return a->at != b->at ? a->at > b->at : a->thread > b->thread;
}

static void
remove_recent(struct recents *r, uint64_t thread)
{
	size_t i;

	for (i = r->n; i > 0 && r->list[i - 1].thread != thread; i--)
		;
	if (i == 0)
		return;
	r->n--;
	memmove(&r->list[i - 1], &r->list[i],
	    (r->n - (i - 1)) * sizeof(r->list[0]));
}

static void
add_recent(struct recents *r, struct recent is)
{
	size_t i;

	for (i = r->n; i > 0 && is_behind(&r->list[i - 1], &is); i--)
		;
	if (i == 0 && !r->whole)
		return;		/* there may be others behind it */
	if (r->n == RECENT) {
		r->whole = false;
		if (i == 0)
			return;
		memmove(&r->list[0], &r->list[1],
		    (i - 1) * sizeof(r->list[0]));
		r->list[i - 1] = is;
		return;
	}
	memmove(&r->list[i + 1], &r->list[i],
	    (r->n - i) * sizeof(r->list[0]));
	r->list[i] = is;
	r->n++;
}

/* A time that was not the latest may find no place: the table has it. */
static void
move_recent(struct recents *r, uint64_t thread, int64_t at)
{
	const struct recent *last = r->n > 0 ? &r->list[r->n - 1] : NULL;

	if (last != NULL && last->thread == thread && last->at == at)
		return;
	remove_recent(r, thread);
	add_recent(r, (struct recent){ at, thread });
}

void
batch_active(const struct link *l, const struct msg_link_thread *p,
    const struct msg_link_thread *was)
{
	struct streams *all = batch_streams(l);
	struct active *a, **bucket = &all->actives[p->key % ACTIVES];

	for (a = *bucket; a != NULL; a = a->next)
		if (a->thread == p->key)
			break;
	if (a == NULL) {
		a = arena_alloc(&all->kept, sizeof(*a));
		a->thread = p->key;
		a->stream = batch_stream(l, p);
		a->there = was != NULL;
		a->was = was != NULL ? was->last_activity_at : 0;
		a->next = *bucket;
		*bucket = a;
		all->n_kept++;
	}
	a->at = p->last_activity_at;
	if (a->stream->recents != NULL)
		move_recent(a->stream->recents, a->thread, a->at);
	if (a->dirty || (a->there && a->was == a->at))
		return;
	a->dirty = true;
	a->after = a->stream->actives;
	a->stream->actives = a;
	stream_touch(all, a->stream);
}

size_t
batch_recent(const struct link *l, struct batch_stream *s, int64_t from,
    int64_t upto, uint64_t except, uint64_t *out, size_t most)
{
	struct recent all[RECENT];
	const struct recents *r;
	size_t i, n = 0, n_all;

	assert(most < RECENT);
	if (s->recents == NULL)
		read_recents(l, s);
	r = s->recents;
	for (i = r->n; i > 0 && n < most && r->list[i - 1].at >= from; i--) {
		out[n] = r->list[i - 1].thread;
		n += r->list[i - 1].at <= upto && out[n] != except;
	}
	if (i > 0 || n == most || r->whole)
		return n;
	/* Those before them count too. */
	n_all = read_table(l, s, from, upto, all, most + 1);
	for (i = n = 0; i < n_all && n < most; i++) {
		out[n] = all[i].thread;
		n += out[n] != except;
	}
	return n;
}
