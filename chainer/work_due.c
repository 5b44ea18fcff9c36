/*
 * work_due - what time brings: chains that fall asleep, sessions that end
 */
#include "chainer/work_impl.h"

/* In a chain's history a check stands beside the updates. */
#define HISTORY_CHECK (UINT64_C(1) << 32)

static void
due_key(struct key *k, struct slice prefix, int64_t due, uint64_t what)
{
	work_key(k, prefix);
	key_add_i64(k, due);
	key_add_u64(k, what);
}

static void
live_due_key(struct key *k, struct slice domain, int64_t due, uint64_t what)
{
	key_set_domain(k, domain);
	key_add_i64(k, due);
	key_add_u64(k, what);
}

void
work_schedule(struct work *w, const struct key *stream, struct slice domain,
    int64_t due, uint64_t id, bool live, const struct msg_chain_due *what)
{
	struct msg_chain_due *kept = arena_alloc(w->arena, sizeof(*kept));
	struct key k;

	*kept = *what;
	kept->stream = arena_dup(w->arena, key_slice(stream));
	due_key(&k, kept->stream, due, id);
	work_put_later(w, TABLE_chain_due, &k, MSG_chain_due, kept);
	if (!live)
		return;
	live_due_key(&k, domain, due, id);
	work_put_later(w, TABLE_chain_live_due, &k, MSG_chain_due, kept);
}

void
work_unschedule(struct work *w, const struct key *stream, struct slice domain,
    int64_t due, uint64_t id)
{
	struct key k;

	w->n_unscheduled++;
	due_key(&k, key_slice(stream), due, id);
	work_put_later(w, TABLE_chain_due, &k, MSG_none, NULL);
	live_due_key(&k, domain, due, id);
	work_put_later(w, TABLE_chain_live_due, &k, MSG_none, NULL);
}

void
work_schedule_chain(struct work *w, const struct msg_chain *c, int64_t due)
{
	struct key stream;

	work_chain_stream(&stream, c);
	work_schedule(w, &stream, c->domain, due, c->ref, c->live,
	    &(struct msg_chain_due){ .chain = c->ref });
}

/* When the stream's next check is due, as its key says; false: it does not. */
static bool
read_next(const struct work *w, bool there, const struct db_entry *next,
    int64_t *due)
{
	struct slice prefix = w->stream_key;

	*due = INT64_MAX;
	if (!there || next->key.len < prefix.len ||
	    memcmp(next->key.ptr, prefix.ptr, prefix.len) != 0)
		return true;
	if (next->key.len != prefix.len + 16)
		return false;
	*due = key_read_i64(next->key, prefix.len);
	return true;
}

/*
 * When a stream's first check is due, once it was looked up, is known as
 * long as the row is at hand: only work_note_due brings it nearer.
 */
void
work_due_done(struct work *w, size_t n)
{
	if (!w->knows_next || w->n_unscheduled != n)
		return;
	w->stream_row->due_first = w->due_next;
	w->stream_row->due_known = true;
}

void
work_note_due(struct work *w, struct slice key)
{
	struct slice stream = slice_of(key.ptr, key.len - 16);
	struct row *row = memo_find(w->st, TABLE_chain_streams,
	    MSG_chain_stream, stream);
	int64_t due = key_read_i64(key, stream.len);

	if (due < row->due_first)
		row->due_first = due;
}

static size_t
look_for_due(struct work *w, bool domain, struct work_due *out, size_t most)
{
	int64_t now = domain ? w->envelope->ts : w->stream.clock;
	struct key prefix, end;
	struct db_cursor *c;
	struct db_entry e;
	struct msg_error why;
	size_t n = 0, seen = 0;
	bool there;

	if (domain)
		key_set_domain(&prefix, w->envelope->domain);
	else
		work_key(&prefix, w->stream_key);
	due_key(&end, key_slice(&prefix), now, UINT64_MAX);
	c = db_cursor(stage_tables(w->st),
	    domain ? TABLE_chain_live_due : TABLE_chain_due);
	for (there = db_seek(c, key_slice(&prefix), &e);
	     there && n < most && slice_cmp(e.key, key_slice(&end)) <= 0;
	     there = db_next(c, &e), seen++) {
		if (e.key.len != prefix.len + 16 || msg_decode_as(
			arena_dup(w->arena, e.value), w->arena, MSG_chain_due,
			&out[n].what, &why) == -1)
			continue;
		out[n].due = key_read_i64(e.key, prefix.len);
		n++;
	}
	/* What cannot be read, and what is too much, is found again. */
	w->knows_next = !domain && n == seen && n < most &&
	    read_next(w, there, &e, &w->due_next);
	db_cursor_close(&c);
	return n;
}

/* Most entries find nothing due. */
size_t
work_due(struct work *w, bool domain, struct work_due **out, size_t most)
{
	if (!domain && w->stream_row->due_known &&
	    w->stream.clock < w->stream_row->due_first)
		return 0;
	*out = arena_array(w->arena, most, sizeof((*out)[0]));
	return look_for_due(w, domain, *out, most);
}

void
work_check(struct work *w, const struct msg_h_check *check, size_t index)
{
	struct work_chain *c;
	struct key stream;
	uint64_t ref;

	if (chain_parse(check->chain, &ref) == -1)
		return;
	c = work_own_chain(w, ref);
	if (c == NULL)
		return;
	work_chain_stream(&stream, &c->c);
	work_unschedule(w, &stream, c->c.domain, check->due, ref);
	if (slice_is(check->result, "dormant")) {
		c->c.state = chain_state_name(CHAIN_dormant);
		work_put_history(w, c, HISTORY_CHECK | index);
		c->index = true;
	} else if (check->next != 0)
		work_schedule_chain(w, &c->c, check->next);
}
