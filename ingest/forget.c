/*
 * forget - entries become tombstones, and all that came of them is made again
 */
#include "ingest/forget.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_drop.h"
#include "common/xmalloc.h"
#include "ingest/place.h"
#include "ingest/post.h"

enum forget_what { FORGET_USER, FORGET_THREAD, FORGET_TURNS, FORGET_DOMAIN };

/* A turn that was named: entry, and message in it if that is an exchange. */
struct named_turn {
	uint64_t seq, i;
	bool has_i;
};

struct selected {
	uint64_t seq;
	bool message_only;	/* of an exchange: one message, the rest stays */
	uint64_t i;
};

struct forget {
	struct stage *st;
	struct db_txn *txn;
	struct arena wish_arena, arena;	/* the wish; one entry */
	uint64_t seq;			/* of the wish */
	const struct msg_forget *wish;
	enum forget_what what;
	uint64_t thread;
	struct named_turn *named;
	size_t n_named;
	struct selected *selected;
	size_t n_selected, room;
	uint32_t *kept;		/* entries that stay, by thread */
	uint64_t last;
	uint64_t entries, turns;	/* forgotten by it */
	struct {
		struct slice id, key;
	} *gone;		/* memories that bore an id of their sender's */
	size_t n_gone;
};

/* ---- what was meant ---- */

/* "12" or "12.3"; an artifact's "a12.3" names the entry that made it. */
static bool
read_key(struct slice s, struct named_turn *out)
{
	size_t at;

	*out = (struct named_turn){ 0 };
	at = slice_digits(s, 0, &out->seq);
	if (at == 0)
		return false;
	if (at == s.len)
		return true;
	out->has_i = s.ptr[at++] == '.' && at < s.len;
	return out->has_i && slice_digits(s, at, &out->i) == s.len - at;
}

static bool
find_turn(struct stage *st, uint64_t before, struct slice domain,
    struct slice name, struct named_turn *out)
{
	struct msg_sent sent;

	if (place_sent(st, domain, name, &sent)) {
		*out = (struct named_turn){ .seq = sent.seq };
		return true;
	}
	return read_key(name, out) && out->seq < before;
}

static bool
find_artifact(struct slice key, struct named_turn *out)
{
	if (key.len < 2 || key.ptr[0] != 'a' ||
	    !read_key(slice_of(key.ptr + 1, key.len - 1), out))
		return false;
	out->has_i = false;
	return true;
}

int
forget_check(struct stage *st, uint64_t seq, const struct msg_forget *wish,
    struct refusal *refusal)
{
	struct named_turn named;
	struct msg_sent sent;

	if (slice_is(wish->what, "turn") &&
	    !find_turn(st, seq, wish->domain, wish->target, &named))
		return refuse(refusal, "TURN_NOT_FOUND",
		    "target: there is no turn '%.*s' in this domain",
		    SLICE_ARG(wish->target));
	if (slice_is(wish->what, "artifact") &&
	    !place_sent(st, wish->domain, wish->target, &sent) &&
	    !find_artifact(wish->target, &named))
		return refuse(refusal, "THOUGHT_NOT_FOUND",
		    "target: there is no artifact '%.*s' in this domain",
		    SLICE_ARG(wish->target));
	if (slice_is(wish->what, "thread") &&
	    place_thread(st, wish->domain, wish->target) == 0)
		return refuse(refusal, "THREAD_NOT_FOUND",
		    "target: there is no thread '%.*s' in this domain",
		    SLICE_ARG(wish->target));
	return 0;
}

void
forget_journal(struct stage *st, uint64_t seq)
{
	struct msg_forgotten row = { .done = false };
	struct key k = key_u64(seq);

	batch_put_msg(st, TABLE_forgets, key_slice(&k), MSG_forgotten, &row,
	    true);
}

/* ---- selecting ---- */

static int
by_seq(const void *a, const void *b)
{
	const struct named_turn *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* The names of the wish, looked up in the tables as they stand. */
static void
read_wish(struct forget *f)
{
	const struct msg_forget *w = f->wish;
	size_t i;

	if (slice_is(w->what, "user") || slice_is(w->what, "domain")) {
		f->what = w->what.ptr[0] == 'u' ? FORGET_USER : FORGET_DOMAIN;
		return;
	}
	if (slice_is(w->what, "thread")) {
		f->what = FORGET_THREAD;
		f->thread = place_thread(f->st, w->domain, w->target);
		return;
	}
	f->what = FORGET_TURNS;
	f->named = xcalloc(w->turns.count + 1, sizeof(f->named[0]));
	if (find_turn(f->st, f->seq, w->domain, w->target, &f->named[0]) ||
	    find_artifact(w->target, &f->named[0]))
		f->n_named++;
	for (i = 0; i < w->turns.count; i++)
		if (find_turn(f->st, f->seq, w->domain, w->turns.at[i],
			&f->named[f->n_named]))
			f->n_named++;
	qsort(f->named, f->n_named, sizeof(f->named[0]), by_seq);
}

static void
select_entry(struct forget *f, uint64_t seq, bool message_only, uint64_t i)
{
	if (f->n_selected == f->room) {
		f->room = f->room == 0 ? 256 : f->room * 2;
		f->selected = xrealloc(f->selected,
		    f->room * sizeof(f->selected[0]));
	}
	f->selected[f->n_selected++] = (struct selected){ seq, message_only, i };
}

/* A model's answer speaks of the turn whose number is in its question. */
static bool
speaks_of_selected(const struct forget *f, struct slice question)
{
	uint64_t n = 0;
	size_t i, k;

	for (i = 0; i <= question.len; i++) {
		if (i < question.len && question.ptr[i] >= '0' &&
		    question.ptr[i] <= '9') {
			n = n * 10 + (uint64_t)(question.ptr[i] - '0');
			continue;
		}
		for (k = 0; n != 0 && k < f->n_selected; k++)
			if (f->selected[k].seq == n)
				return true;
		n = 0;
	}
	return false;
}

static bool
is_selected(struct forget *f, const struct stage_entry *e)
{
	const struct msg_envelope *envelope = &e->entry.as->envelope;
	const struct msg *s = &e->sections[STAGE_ingest];
	size_t i;
	bool whole = false;

	if (!slice_eq(envelope->domain, f->wish->domain))
		return false;
	/* An earlier one may still bear the name. */
	if (e->entry.id == MSG_tombstone)
		return f->what == FORGET_USER &&
		    slice_eq(envelope->user, f->wish->target);
	if (e->entry.id == MSG_answer)
		return f->what == FORGET_DOMAIN ||
		    speaks_of_selected(f, e->entry.as->answer.question);
	switch (f->what) {
	case FORGET_DOMAIN:
		return true;
	case FORGET_USER:
		return slice_eq(envelope->user, f->wish->target);
	case FORGET_THREAD:
		return s->id == MSG_s_ingest &&
		    s->as->s_ingest.thread == f->thread;
	case FORGET_TURNS:
		break;
	}
	for (i = 0; i < f->n_named; i++) {
		if (f->named[i].seq != e->seq)
			continue;
		if (e->entry.id != MSG_exchange || !f->named[i].has_i)
			whole = true;
		else
			select_entry(f, e->seq, true, f->named[i].i);
	}
	return whole;
}

/* A copy: what is read in a writing transaction lives until its next write. */
static bool
read_record(struct forget *f, enum table_id table, uint64_t seq,
    struct msg *out)
{
	struct key k = key_u64(seq);
	struct msg_error why;
	struct slice record;

	*out = (struct msg){ MSG_none, NULL };
	return db_get(f->txn, table, key_slice(&k), &record) &&
	    msg_decode(arena_dup(&f->arena, record), &f->arena, out, &why) == 0;
}

static bool
load(struct forget *f, uint64_t seq, struct stage_entry *out)
{
	arena_reset(&f->arena);
	memset(out, 0, sizeof(*out));
	out->seq = seq;
	(void)read_record(f, TABLE_s_ingest, seq,
	    &out->sections[STAGE_ingest]);
	return read_record(f, TABLE_log, seq, &out->entry) &&
	    msg_is_entry(out->entry.id);
}

/* One pass over the log; the wish itself and what comes after it stay. */
static void
select_entries(struct forget *f)
{
	const struct msg *s;
	struct stage_entry e;
	uint64_t seq;

	f->last = f->st->cursor;
	f->kept = xcalloc(f->last + 1, sizeof(f->kept[0]));
	for (seq = 1; seq <= f->last; seq++) {
		if (!load(f, seq, &e))
			continue;
		s = &e.sections[STAGE_ingest];
		if (seq < f->seq && is_selected(f, &e))
			select_entry(f, seq, false, 0);
		else if (s->id == MSG_s_ingest && s->as->s_ingest.thread != 0 &&
		    s->as->s_ingest.thread <= f->last &&
		    e.entry.id != MSG_tombstone)
			f->kept[s->as->s_ingest.thread]++;
		status_breathe(f->st);
	}
}

/* ---- making it so ---- */

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

/* The id of a memory that goes, and the key that its artifact had. */
static void
remember_gone(struct forget *f, const struct stage_entry *e)
{
	f->gone = xrealloc(f->gone, (f->n_gone + 1) * sizeof(f->gone[0]));
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
		if (!load(f, f->selected[i].seq, &e))
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
		if (!load(f, seq, &e) ||
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

/* The key of the artifact that a forgotten memory of that id was; NULL: none. */
static const struct slice *
forgotten_key(const struct forget *f, struct slice id)
{
	size_t i;

	for (i = 0; id.len > 0 && i < f->n_gone; i++)
		if (slice_eq(f->gone[i].id, id))
			return &f->gone[i].key;
	return NULL;
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

	for (seq = 1; f->n_gone > 0 && seq <= f->last; seq++) {
		if (!load(f, seq, &e) || e.entry.id != MSG_memory)
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

/* System texts that no call bears any more. */
static void
drop_systems(struct forget *f)
{
	struct db_cursor *c;
	struct stage_entry e;
	struct db_entry row;
	struct key *keys = NULL;
	size_t n = 0, i;
	uint64_t seq;

	if (db_count(f->txn, TABLE_systems) == 0)
		return;
	keys = xcalloc(db_count(f->txn, TABLE_systems), sizeof(keys[0]));
	c = db_cursor(f->txn, TABLE_systems);
	while (db_next(c, &row))
		key_add_bytes(&keys[n++], row.key);
	db_cursor_close(&c);
	for (seq = 1; seq <= f->last && n > 0; seq++) {
		if (!load(f, seq, &e) || e.entry.id != MSG_exchange)
			continue;
		for (i = 0; i < n; i++)
			if (slice_eq(key_slice(&keys[i]),
				e.entry.as->exchange.system_hash)) {
				keys[i] = keys[--n];
				break;
			}
	}
	for (i = 0; i < n; i++)
		db_delete(f->txn, TABLE_systems, key_slice(&keys[i]));
	free(keys);
}

/* The index's files, which hold words of all entries. */
static void
wipe_segments(struct stage *st)
{
	char *dir = conf_path(&st->conf, "db/segments");
	DIR *d = opendir(dir);
	struct dirent *file;

	while (d != NULL && (file = readdir(d)) != NULL)
		if (file->d_name[0] != '.' &&
		    unlinkat(dirfd(d), file->d_name, 0) == -1)
			log_warn("%s/%s: cannot be removed", dir, file->d_name);
	if (d != NULL)
		closedir(d);
	free(dir);
}

static enum db_result
write_tombstones(struct forget *f)
{
	struct msg_forgotten row = { .done = true };

	f->txn = db_write(f->st->shared);
	f->entries = f->turns = 0;
	f->n_gone = 0;
	/* What was refused may quote what was accepted. */
	db_clear(f->txn, TABLE_refusals);
	if (f->n_selected > 0) {
		bury_all(f);
		rename_sources(f);
		cut_forks(f);
		drop_systems(f);
		stage_drop_sections(f->txn, STAGE_classify);
		stage_new_epoch(f->txn, STAGE_ingest, f->st->cursor);
	}
	row.entries = f->entries;
	row.turns = f->turns;
	put(f, TABLE_forgets, f->seq, MSG_forgotten, &row);
	return db_commit(&f->txn);
}

/*
 * What the stages made of it is gone before anybody hears that it is: they
 * find their cursors moved, start anew and make their tables again.
 */
static void
wipe_followers(struct stage *st)
{
	enum stage_id id;
	char *dir;

	for (id = STAGE_classify; id < STAGE_COUNT; id++) {
		dir = conf_path(&st->conf, "db/%s", stage_name(id));
		if (db_wipe(dir) == -1 && errno != ENOENT)
			log_warn("%s: cannot be removed", dir);
		free(dir);
	}
	wipe_segments(st);
}

static void
release(struct forget *f)
{
	free(f->named);
	free(f->selected);
	free(f->kept);
	free(f->gone);
	arena_release(&f->arena);
	arena_release(&f->wish_arena);
}

/* false: no room now. */
static bool
carry_out_one(struct stage *st, uint64_t seq)
{
	struct forget f = { .st = st, .seq = seq };
	enum db_result result = DB_DONE;
	struct stage_entry e;

	arena_init(&f.wish_arena);
	arena_init(&f.arena);
	f.txn = db_read(st->shared);
	if (load(&f, seq, &e) && e.entry.id == MSG_forget) {
		/* The wish outlives the entries that are looked at. */
		f.wish_arena = f.arena;
		arena_init(&f.arena);
		f.wish = &e.entry.as->forget;
		derived_begin(st);
		read_wish(&f);
		derived_abandon(st);
		select_entries(&f);
		db_abort(&f.txn);
		while ((result = write_tombstones(&f)) == DB_FULL &&
		    db_grow(st->shared))
			;
	} else {
		db_abort(&f.txn);
	}
	release(&f);
	if (result == DB_BROKEN)
		fatalx(EX_REFUSE, "%s: %s: stop, and look with 'skein check'",
		    db_dir(st->shared), db_reason(st->shared));
	if (result == DB_FULL)
		return false;
	log_info("forgot %llu entries, as entry %llu asked",
	    (unsigned long long)f.entries, (unsigned long long)seq);
	if (f.n_selected > 0) {
		wipe_followers(st);
		derived_remake(st);
	}
	return true;
}

/* The first wish that waits, or 0. */
static uint64_t
find_waiting(struct stage *st)
{
	struct db_txn *txn = db_read(st->shared);
	struct db_cursor *c = db_cursor(txn, TABLE_forgets);
	struct msg_forgotten row;
	struct msg_error why;
	struct db_entry e;
	uint64_t seq = 0;

	while (seq == 0 && db_next(c, &e))
		if (msg_decode_as(e.value, &st->arena, MSG_forgotten, &row,
			&why) == 0 && !row.done)
			seq = key_read_u64(e.key, 0);
	db_abort(&txn);
	arena_reset(&st->arena);
	return seq;
}

bool
forget_carry_out(struct stage *st)
{
	uint64_t seq;

	while ((seq = find_waiting(st)) != 0)
		if (!carry_out_one(st, seq)) {
			log_warnx("no room to forget what entry %llu asks: it "
			    "is tried again with the next batch",
			    (unsigned long long)seq);
			return false;
		}
	return true;
}
