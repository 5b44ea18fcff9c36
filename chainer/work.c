/*
 * work - the chainer's own tables, as one entry sees and changes them
 */
#include "chainer/work_impl.h"
#include "common/when.h"

void *
work_grow(struct arena *arena, void *at, size_t n, size_t *cap, size_t size)
{
	void *grown;

	if (n < *cap)
		return at;
	*cap = *cap == 0 ? 4 : *cap * 2;
	grown = arena_room(arena, *cap * size);
	if (n > 0)
		memcpy(grown, at, n * size);
	return grown;
}

/* ---- keys ---- */

/* Where they are used: a key is large, and each turn has a dozen. */
void
work_key(struct key *k, struct slice prefix)
{
	key_init(k);
	key_add_bytes(k, prefix);
}

static void
thread_talk_key(struct key *k, uint64_t thread)
{
	work_key(k, SLICE("t"));
	key_add_u64(k, thread);
}

static void
talk_key(struct key *k, const struct work *w)
{
	if (w->envelope->room.len == 0) {
		thread_talk_key(k, w->thread);
		return;
	}
	work_key(k, SLICE("r"));
	key_add_bytes(k, w->stream_key);
}

static void
said_key(struct key *k, const struct work *w, uint64_t number)
{
	work_key(k, w->talk_key);
	key_add_u64(k, number % WORK_RING);
}

/* ---- records ---- */

void
work_put_later(struct work *w, enum table_id table, const struct key *key,
    enum msg_id id, const void *msg)
{
	w->puts = work_grow(w->arena, w->puts, w->n_puts, &w->cap_puts,
	    sizeof(w->puts[0]));
	w->puts[w->n_puts++] = (struct work_put){ table,
		arena_dup(w->arena, key_slice(key)), id, msg };
}

static void
open_stream(struct work *w)
{
	const struct msg_envelope *e = w->envelope;
	const struct msg_chain_stream *stream;
	struct key k;

	key_set_stream(&k, e->domain, e->user, e->room);
	w->stream_key = arena_dup(w->arena, key_slice(&k));
	w->stream_row = memo_find(w->st, TABLE_chain_streams, MSG_chain_stream,
	    w->stream_key);
	stream = memo_msg(w->stream_row);
	if (stream != NULL)
		w->stream = *stream;
	else
		w->stream.clock = e->ts;
	if (e->ts > w->stream.clock)
		w->stream.clock = e->ts;
}

struct work *
work_open(struct stage *st, const struct stage_entry *e)
{
	struct work *w = arena_alloc(stage_arena(st), sizeof(*w));
	const struct msg *placed = &e->sections[STAGE_ingest];
	struct key k;

	w->st = st;
	w->arena = stage_arena(st);
	w->e = e;
	w->envelope = &e->entry.as->envelope;
	w->thread = placed->id == MSG_s_ingest ? placed->as->s_ingest.thread :
						 0;
	w->dormant_ms = stage_conf(st)->chain_dormant * WHEN_HOUR_MS;
	open_stream(w);
	talk_key(&k, w);
	w->talk_key = arena_dup(w->arena, key_slice(&k));
	return w;
}

struct arena *
work_arena(const struct work *w)
{
	return w->arena;
}

uint64_t
work_seq(const struct work *w)
{
	return w->e->seq;
}

int64_t
work_ts(const struct work *w)
{
	return w->envelope->ts;
}

int64_t
work_dormant_ms(const struct work *w)
{
	return w->dormant_ms;
}

struct msg_chain_stream *
work_stream(struct work *w)
{
	return &w->stream;
}

/* ---- the talk ---- */

static const struct msg_chain_talk *
talk_of(struct work *w, uint64_t thread)
{
	struct key k;

	thread_talk_key(&k, thread);
	return memo_msg(memo_find(w->st, TABLE_chain_talks, MSG_chain_talk,
	    key_slice(&k)));
}

/* A fork goes on from where its parent was, if that is still its last turn. */
static void
inherit_talk(struct work *w)
{
	const struct msg_s_ingest *s =
	    &w->e->sections[STAGE_ingest].as->s_ingest;
	const struct msg_chain_talk *parent;

	if (w->envelope->room.len > 0 || s->parent_thread == 0)
		return;
	parent = talk_of(w, s->parent_thread);
	if (parent == NULL)
		return;
	w->talk = *parent;
	if (w->talk.turns != s->parent_turn)
		w->talk.n_last = 0;
	w->talk.turns = 0;
	w->talk.has = 0;
}

struct msg_chain_talk *
work_talk(struct work *w)
{
	const struct msg_chain_talk *talk;

	if (w->has_talk)
		return &w->talk;
	w->has_talk = true;
	w->talk_row = memo_find(w->st, TABLE_chain_talks, MSG_chain_talk,
	    w->talk_key);
	talk = memo_msg(w->talk_row);
	if (talk != NULL)
		w->talk = *talk;
	else
		inherit_talk(w);
	return &w->talk;
}

bool
work_said(struct work *w, size_t back, struct msg_said *out)
{
	struct msg_chain_talk *talk = work_talk(w);
	const struct msg_said *said;
	struct key k;

	if (back < w->n_said) {
		*out = w->said[w->n_said - 1 - back];
		return true;
	}
	if (back == 0 && talk->n_last > 0) {
		*out = talk->last[0];
		return true;
	}
	if (back >= talk->turns || back >= WORK_RING)
		return false;
	said_key(&k, w, talk->turns - 1 - back);
	said = memo_msg(memo_find(w->st, TABLE_chain_said, MSG_said,
	    key_slice(&k)));
	if (said == NULL)
		return false;
	*out = *said;
	return true;
}

void
work_say(struct work *w, const struct msg_said *said)
{
	struct msg_chain_talk *talk = work_talk(w);
	struct msg_said *kept = arena_room(w->arena, sizeof(*kept));
	struct key k;

	w->said = work_grow(w->arena, w->said, w->n_said, &w->cap_said,
	    sizeof(w->said[0]));
	w->said[w->n_said++] = *said;
	*kept = *said;
	if (talk->n_last > 0 && talk->last[0].user.len > 0 &&
	    !slice_eq(talk->last[0].user, said->user))
		talk->many = true;
	talk->last = kept;
	talk->n_last = 1;
	said_key(&k, w, talk->turns);
	work_put_later(w, TABLE_chain_said, &k, MSG_said, kept);
	talk->turns++;
	w->talk_dirty = true;
}

/* ---- where several speak ---- */

static uint64_t
turns_before(const struct work *w)
{
	const struct msg_chain_talk *talk = memo_msg(w->talk_row);

	return talk == NULL ? 0 : talk->turns;
}

/*
 * The talk as it was before this entry.  Where it had no turn, a fork hears
 * its parent's last one, once.
 */
static const struct window *
window_before(struct work *w)
{
	struct window *window = w->talk_row->window;
	uint64_t turns = turns_before(w);
	struct msg_said *said;
	size_t n = 0;

	if (turns > 0 && window != NULL && window->turns == turns)
		return window;
	window = memo_new_window(w->talk_row);
	said = arena_array(w->arena, WORK_RING, sizeof(said[0]));
	while (n < WORK_RING && work_said(w, w->n_said + n, &said[n]))
		n++;
	window->turns = turns > n ? turns - n : 0;
	while (n > 0)
		window_add(window, &said[--n]);
	window->turns = turns;
	return window;
}

struct window_view
work_heard(struct work *w)
{
	uint64_t turns = work_talk(w)->turns;
	const struct window *window = window_before(w);
	uint64_t since = turns > WORK_RING ? turns - WORK_RING : 0;
	struct window *grown;
	size_t i;

	if (w->n_said == 0)
		return window_view(window, since);
	grown = arena_room(w->arena, sizeof(*grown));
	*grown = *window;
	if (turns_before(w) == 0)
		grown->n = 0;
	for (i = 0; i < w->n_said; i++)
		window_add(grown, &w->said[i]);
	return window_view(grown, since);
}

bool
work_heard_turn(struct work *w, const struct window_turn *turn,
    struct msg_said *out)
{
	uint64_t turns = work_talk(w)->turns;

	return work_said(w, turn->number < turns ?
	    (size_t)(turns - 1 - turn->number) : 0, out);
}

/* Only where it is at hand: who has none makes it when it is needed. */
static void
extend_window(struct work *w)
{
	struct window *window = w->talk_row->window;
	uint64_t turns = turns_before(w);
	size_t i;

	if (window == NULL || turns == 0 || window->turns != turns)
		return;
	for (i = 0; i < w->n_said; i++)
		window_add(window, &w->said[i]);
}

uint64_t
work_thread_chain(struct work *w, uint64_t thread)
{
	const struct msg_chain_talk *talk;

	if (thread == 0)
		return 0;
	talk = talk_of(w, thread);
	if (talk == NULL)
		return 0;
	if (talk->n_last > 0 && talk->last[0].chain != 0)
		return talk->last[0].chain;
	return talk->recent.count > 0 ? talk->recent.at[0] : 0;
}

/* ---- writing ---- */

/* A turn is hardly ever looked at again; if it was, its row is here. */
static void
write_said(struct work *w, const struct work_put *p)
{
	struct row *row = memo_known(p->table, p->key);

	if (row != NULL)
		memo_put(row, p->msg);
	else
		db_put_msg_later(stage_tables(w->st), p->table, p->key, p->id,
		    p->msg);
}

static void
write_puts(struct work *w)
{
	struct db_txn *txn = stage_tables(w->st);
	const struct work_put *p;
	size_t i;

	for (i = 0; i < w->n_puts; i++) {
		p = &w->puts[i];
		if (p->msg == NULL) {
			db_delete_later(txn, p->table, p->key);
			continue;
		}
		if (p->table == TABLE_chain_said) {
			write_said(w, p);
			continue;
		}
		db_put_msg_later(txn, p->table, p->key, p->id, p->msg);
		if (p->table == TABLE_chain_due)
			work_note_due(w, p->key);
	}
}

void
work_write(struct work *w)
{
	write_puts(w);
	work_write_chains(w);
	work_write_sessions(w);
	/* A tick for a whole domain is no stream's own. */
	if (w->e->entry.id != MSG_tick || w->envelope->user.len > 0 ||
	    w->envelope->room.len > 0)
		memo_put(w->stream_row, &w->stream);
	if (!w->talk_dirty)
		return;
	extend_window(w);
	memo_put(w->talk_row, &w->talk);
}
