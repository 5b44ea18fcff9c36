/*
 * forget_bury - entries become tombstones; what referred to them is mended
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "ingest/forget_impl.h"

static void
put(struct forget *f, enum table_id table, uint64_t seq, enum msg_id id,
    const void *msg)
{
	struct key k = key_u64(seq);

	db_put_msg(f->txn, table, key_slice(&k), id, msg);
}

/* The place in a thread that goes on, without a word of what stood there. */
static void
bury_in_place(struct forget *f, const struct stage_entry *e,
    struct msg_tombstone *stone)
{
	const struct msg_envelope *envelope = &e->entry.as->envelope;
	struct msg_s_ingest s = e->sections[STAGE_ingest].as->s_ingest;

	s.content_hash = SLICE_NONE;
	s.has &= ~(UINT64_C(1) << MSGTAG_s_ingest_content_hash);
	/* Names stay where it is not the name that was to be forgotten. */
	if (f->what == FORGET_TURNS) {
		stone->user = envelope->user;
		stone->channel = envelope->channel;
		stone->session = envelope->session;
	}
	stone->room = envelope->room;
	stone->live = envelope->live;
	if (s.begins && e->entry.id == MSG_turn)
		stone->thread = e->entry.as->turn.thread;
	if (s.begins && e->entry.id == MSG_fork)
		stone->thread = e->entry.as->fork.as;
	if (s.begins && e->entry.id == MSG_attach)
		stone->thread = e->entry.as->attach.thread;
	put(f, TABLE_s_ingest, e->seq, MSG_s_ingest, &s);
}

static void
remember_gone(struct forget *f, const struct stage_entry *e)
{
	if (f->n_gone == f->room_gone) {
		f->room_gone = f->room_gone == 0 ? 64 : f->room_gone * 2;
		f->gone = xrealloc(f->gone,
		    f->room_gone * sizeof(f->gone[0]));
	}
	f->gone[f->n_gone].id = arena_dup(&f->wish_arena,
	    e->entry.as->envelope.id);
	f->gone[f->n_gone++].key = arena_printf(&f->wish_arena, "a%llu.0",
	    (unsigned long long)e->seq);
}

static void
bury(struct forget *f, const struct stage_entry *e)
{
	static const struct msg_s_none nothing;
	const struct msg_envelope *envelope = &e->entry.as->envelope;
	const struct msg *s = &e->sections[STAGE_ingest];
	struct msg_tombstone stone = {
		.domain = envelope->domain,
		.ts = envelope->ts,
		.was = e->entry.id,
		.forgotten = f->seq,
	};
	uint64_t thread = s->id == MSG_s_ingest ? s->as->s_ingest.thread : 0;

	if (e->entry.id == MSG_memory && envelope->id.len > 0)
		remember_gone(f, e);
	if (e->entry.id == MSG_tombstone) {
		stone.was = e->entry.as->tombstone.was;
		stone.thread = e->entry.as->tombstone.thread;
	} else {
		f->entries++;
		f->turns += thread != 0 ? s->as->s_ingest.turns : 0;
	}
	if (thread != 0 && thread <= f->last && f->kept[thread] > 0)
		bury_in_place(f, e, &stone);
	else
		put(f, TABLE_s_ingest, e->seq, MSG_s_none, &nothing);
	put(f, TABLE_log, e->seq, MSG_tombstone, &stone);
}

/* One message of an exchange loses its words; its hash keeps the prefix. */
static void
blank_message(struct forget *f, const struct stage_entry *e, uint64_t i)
{
	struct msg_exchange x = e->entry.as->exchange;

	if (i >= x.n_added)
		return;
	x.added[i] = (struct msg_xmessage){ .role = x.added[i].role,
		.hash = x.added[i].hash, .reply = x.added[i].reply };
	f->entries++;
	f->turns++;
	put(f, TABLE_log, e->seq, MSG_exchange, &x);
}

static void
bury_all(struct forget *f)
{
	struct stage_entry e;
	size_t i;

	for (i = 0; i < f->n_selected; i++) {
		if (!forget_load(f, f->selected[i].seq, &e))
			continue;
		if (!f->selected[i].message_only)
			bury(f, &e);
		else if (e.entry.id == MSG_exchange)
			blank_message(f, &e, f->selected[i].i);
		status_breathe(f->st);
	}
}

/* Threads that shared the history of one that is gone begin by themselves. */
static void
cut_forks(struct forget *f)
{
	struct msg_s_ingest s;
	struct stage_entry e;
	uint64_t seq;

	for (seq = 1; seq <= f->last; seq++) {
		if (!forget_load(f, seq, &e) ||
		    e.sections[STAGE_ingest].id != MSG_s_ingest)
			continue;
		s = e.sections[STAGE_ingest].as->s_ingest;
		if (s.parent_thread == 0 || s.parent_thread > f->last ||
		    f->kept[s.parent_thread] > 0)
			continue;
		s.parent_thread = s.parent_turn = 0;
		s.has &= ~(UINT64_C(1) << MSGTAG_s_ingest_parent_thread |
		    UINT64_C(1) << MSGTAG_s_ingest_parent_turn);
		put(f, TABLE_s_ingest, seq, MSG_s_ingest, &s);
	}
}

static int
by_id(const void *a, const void *b)
{
	const struct forget_memory *x = a, *y = b;

	return slice_cmp(x->id, y->id);
}

/* The key of the artifact that a forgotten memory was; NULL: none was. */
static const struct slice *
forgotten_key(const struct forget *f, struct slice id)
{
	const struct forget_memory wanted = { .id = id }, *found;

	if (id.len == 0 || f->n_gone == 0)
		return NULL;
	found = bsearch(&wanted, f->gone, f->n_gone, sizeof(f->gone[0]), by_id);
	return found == NULL ? NULL : &found->key;
}

/*
 * What refines a forgotten statement by its sender's id goes on by its key:
 * the id is gone with the entry, and the refinement must not go with it.
 */
static void
rename_sources(struct forget *f)
{
	const struct slice *key;
	struct stage_entry e;
	struct msg_memory m;
	uint64_t seq;
	bool changed;
	size_t i;

	if (f->n_gone == 0)
		return;
	qsort(f->gone, f->n_gone, sizeof(f->gone[0]), by_id);
	for (seq = 1; seq <= f->last; seq++) {
		/* An id is a name in its own domain only. */
		if (!forget_load(f, seq, &e) || e.entry.id != MSG_memory ||
		    !slice_eq(e.entry.as->envelope.domain, f->wish->domain))
			continue;
		m = e.entry.as->memory;
		key = forgotten_key(f, m.refines);
		changed = key != NULL;
		if (changed)
			m.refines = *key;
		for (i = 0; i < m.consolidates.count; i++) {
			key = forgotten_key(f, m.consolidates.at[i]);
			changed = changed || key != NULL;
			if (key != NULL)
				m.consolidates.at[i] = *key;
		}
		if (changed)
			put(f, TABLE_log, seq, MSG_memory, &m);
	}
}

/* A system text, and whether some call still bears it. */
struct system_text {
	struct key hash;
	bool borne;
};

static int
by_hash(const void *a, const void *b)
{
	const struct system_text *x = a, *y = b;

	return slice_cmp(key_slice(&x->hash), key_slice(&y->hash));
}

static void
mark_borne(struct forget *f, struct system_text *texts, size_t n)
{
	struct system_text wanted, *found;
	struct stage_entry e;
	uint64_t seq;

	for (seq = 1; seq <= f->last; seq++) {
		if (!forget_load(f, seq, &e) || e.entry.id != MSG_exchange)
			continue;
		key_init(&wanted.hash);
		key_add_bytes(&wanted.hash, e.entry.as->exchange.system_hash);
		found = bsearch(&wanted, texts, n, sizeof(texts[0]), by_hash);
		if (found != NULL)
			found->borne = true;
	}
}

/* System texts that no call bears any more. */
static void
drop_systems(struct forget *f)
{
	size_t n = 0, i, count = db_count(f->txn, TABLE_systems);
	struct system_text *texts;
	struct db_cursor *c;
	struct db_entry row;

	if (count == 0)
		return;
	texts = xcalloc(count, sizeof(texts[0]));
	c = db_cursor(f->txn, TABLE_systems);
	/* In the order of their hashes, as a table is. */
	while (db_next(c, &row))
		key_add_bytes(&texts[n++].hash, row.key);
	db_cursor_close(&c);
	mark_borne(f, texts, n);
	for (i = 0; i < n; i++)
		if (!texts[i].borne)
			db_delete(f->txn, TABLE_systems,
			    key_slice(&texts[i].hash));
	free(texts);
}

void
forget_bury(struct forget *f)
{
	f->n_gone = 0;
	bury_all(f);
	rename_sources(f);
	cut_forks(f);
	drop_systems(f);
}
