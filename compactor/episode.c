/*
 * episode - the primary episode of every thread: what compaction makes of it
 */
#include "compactor/episode.h"

#include "common/when.h"
#include "compactor/digests.h"
#include "compactor/due_times.h"
#include "compactor/episode_digest.h"
#include "compactor/episode_make.h"
#include "compactor/skill.h"

/* A thread's digest: to decide, a copy; to apply, the one that is kept. */
struct held {
	uint64_t thread;
	struct msg_episode_digest *d;
	bool dirty;
	bool named;		/* by this entry */
	bool begun;		/* likewise */
	bool quickened;		/* likewise: ticks are for it from here on */
};

/*
 * Deciding and applying take the same steps over the digests; deciding makes
 * episodes where a rule says so, applying marks them made where the section
 * has one, and writes.
 */
struct work {
	struct compact *c;
	const struct msg_s_ingest *placed;
	bool applying;
	struct arena *own;	/* what is put into digests */
	struct held *held[EPISODE_DUE_MOST + 8];
	size_t n_held;
};

struct due {
	int64_t at;
	uint64_t thread;
};

/* ---- keys ---- */

static struct key
due_key(struct key prefix, int64_t at, uint64_t thread)
{
	key_add_i64(&prefix, at);
	key_add_u64(&prefix, thread);
	return prefix;
}

static int64_t
due_at(struct slice key)
{
	return key_read_i64(key, key.len - 16);
}

static struct key
stream_key(const struct msg_episode_digest *d)
{
	return key_stream(d->domain, d->user, d->room);
}

/* ---- digests ---- */

static struct held *
hold(struct work *w, uint64_t thread, struct msg_episode_digest *d)
{
	struct held *h = arena_alloc(w->c->arena, sizeof(*h));

	h->thread = thread;
	h->d = d;
	w->held[w->n_held++] = h;
	return h;
}

static struct msg_episode_digest *
copy_of(const struct msg_episode_digest *d, struct arena *arena)
{
	struct msg_episode_digest *copy = arena_alloc(arena, sizeof(*copy));

	*copy = *d;
	digest_own(copy, arena);
	return copy;
}

/* A thread's digest; NULL: there is none, or no room to look at another. */
static struct held *
get(struct work *w, uint64_t thread)
{
	struct compact *c = w->c;
	struct msg_episode_digest *d;
	size_t i;

	for (i = 0; i < w->n_held; i++)
		if (w->held[i]->thread == thread)
			return w->held[i];
	if (thread == 0 ||
	    w->n_held == sizeof(w->held) / sizeof(w->held[0]))
		return NULL;
	d = digests_get(c->digests, stage_tables(c->st), thread, c->arena);
	if (d == NULL || !slice_eq(d->domain, c->envelope->domain))
		return NULL;
	return hold(w, thread, w->applying ? d : copy_of(d, c->arena));
}

/* The entry's own thread's, begun if it has none. */
static struct held *
get_own(struct work *w)
{
	const struct msg_envelope *e = w->c->envelope;
	struct held *h = get(w, w->c->thread);

	if (h != NULL || w->n_held == sizeof(w->held) / sizeof(w->held[0]))
		return h;
	h = hold(w, w->c->thread, w->applying ?
	    digests_add(w->c->digests, stage_tables(w->c->st), w->c->thread,
		w->c->arena) :
	    arena_alloc(w->c->arena, sizeof(*h->d)));
	h->begun = true;
	*h->d = (struct msg_episode_digest){
		.domain = arena_dup(w->own, e->domain),
		.user = e->room.len > 0 ? SLICE_NONE :
		    arena_dup(w->own, e->user),
		.room = arena_dup(w->own, e->room),
		.first_at = e->ts,
		.last_at = e->ts,
	};
	return h;
}

static struct msg_artifact *
changed_artifact(struct work *w, size_t i)
{
	struct msg_s_compactor *s = w->c->section;

	if (!w->applying)
		return compact_changed(w->c, i);
	return i < s->n_artifacts ? &s->artifacts[i] : NULL;
}

static void
take_turns(struct work *w)
{
	const struct msg_envelope *e = w->c->envelope;
	size_t i, n = compact_turn_count(w->c);
	struct compact_turn t;
	struct held *h;

	if (n == 0 || w->c->thread == 0)
		return;
	h = get_own(w);
	if (h == NULL)
		return;
	h->dirty = true;
	h->d->timeout_ms = w->placed->timeout_ms;
	h->quickened = e->live && !h->d->live;
	h->d->live = h->d->live || e->live;
	for (i = 0; i < n; i++) {
		t = compact_turn(w->c, i);
		if (digest_take(h->d, w->own, w->c->arena, &t))
			h->named = true;
	}
}

static void
take_artifacts(struct work *w)
{
	const struct msg_artifact *a;
	struct held *h;
	size_t i;

	for (i = 0; (a = changed_artifact(w, i)) != NULL; i++) {
		h = get(w, a->thread);
		if (h == NULL)
			continue;
		digest_take_artifact(h->d, w->own, a->key);
		h->dirty = true;
	}
}

/* ---- what was made ---- */

/* The section's episode of a thread, made for one of two reasons. */
static bool
is_in_section(const struct work *w, uint64_t thread, const char *trigger,
    const char *other)
{
	const struct msg_s_compactor *s = w->c->section;
	size_t i;

	for (i = 0; i < s->n_episodes; i++)
		if (s->episodes[i].linked_threads.count > 0 &&
		    s->episodes[i].linked_threads.at[0] == thread &&
		    (slice_is(s->episodes[i].trigger, trigger) ||
			slice_is(s->episodes[i].trigger, other)))
			return true;
	return false;
}

static bool
has_news(const struct held *h)
{
	return h->d->fresh > 0 || h->d->changed.count > 0;
}

static void
unschedule(struct work *w, const struct held *h, int64_t at)
{
	struct key k = due_key(stream_key(h->d), at, h->thread);

	db_delete(stage_tables(w->c->st), TABLE_episode_dues, key_slice(&k));
	/* Once live, always: of the others there is none. */
	if (!h->d->live)
		return;
	k = due_key(key_domain(h->d->domain), at, h->thread);
	db_delete(stage_tables(w->c->st), TABLE_episode_live_dues,
	    key_slice(&k));
}

static void
compacted(struct work *w, struct held *h)
{
	if (w->applying && h->d->due != 0)
		unschedule(w, h, h->d->due);
	digest_compacted(h->d);
	h->dirty = true;
}

/* ---- triggers ---- */

/* It has ended when more than its timeout has passed: as ingest has it. */
static int64_t
end_of(const struct msg_episode_digest *d)
{
	return d->last_at + (int64_t)d->timeout_ms + 1;
}

static int64_t
old_at(const struct compact *c, const struct msg_episode_digest *d)
{
	return d->fresh_at + c->conf->episode_age * WHEN_HOUR_MS;
}

static void
look_at(struct work *w, struct held *h)
{
	const char *trigger = w->c->ts >= end_of(h->d) ? "ended" :
	    w->c->ts >= old_at(w->c, h->d) ? "age" : NULL;

	h->d->due = 0;
	h->dirty = true;
	if (w->applying) {
		if (is_in_section(w, h->thread, "ended", "age"))
			compacted(w, h);
	} else if (trigger != NULL && has_news(h)) {
		episode_make(w->c, h->thread, h->d, trigger);
		compacted(w, h);
	}
}

/* What is to be looked at by now, the earliest first; how many. */
static size_t
find_due(struct work *w, struct due *out)
{
	const struct msg_envelope *e = w->c->envelope;
	bool whole = w->c->e->entry.id == MSG_tick && e->user.len == 0 &&
	    e->room.len == 0;
	struct key domain;
	const struct key *from = &w->c->stream;
	struct due_times *times = whole ? NULL : w->c->episode_times;
	struct db_cursor *c;
	struct db_entry row;
	struct key to;
	size_t n = 0;
	bool there;

	if (whole) {
		domain = key_domain(e->domain);
		from = &domain;
	}
	if (due_times_none(times, from, w->c->ts))
		return 0;
	to = due_key(*from, w->c->ts, UINT64_MAX);
	c = db_cursor(stage_tables(w->c->st), whole ?
	    TABLE_episode_live_dues : TABLE_episode_dues);
	for (there = db_seek(c, key_slice(from), &row);
	     there && n < EPISODE_DUE_MOST && row.key.len == to.len &&
	     slice_cmp(row.key, key_slice(&to)) <= 0;
	     there = db_next(c, &row)) {
		out[n].thread = key_read_u64(row.key, row.key.len - 8);
		out[n].at = due_at(row.key);
		n++;
	}
	if (n == 0)
		due_times_learn(times, from, there &&
		    row.key.len == to.len && memcmp(row.key.ptr, from->bytes,
			from->len) == 0 ? due_at(row.key) : INT64_MAX);
	db_cursor_close(&c);
	return n;
}

static void
look_at_due(struct work *w)
{
	struct due due[EPISODE_DUE_MOST];
	size_t i, n = find_due(w, due);
	struct held *h;

	for (i = 0; i < n; i++) {
		h = get(w, due[i].thread);
		if (h == NULL)
			continue;
		if (w->applying)
			unschedule(w, h, due[i].at);
		if (h->d->due == due[i].at)
			look_at(w, h);
	}
}

/* A new thread ends the one before it in the stream. */
static void
end_previous(struct work *w)
{
	const struct key *k = &w->c->stream;
	struct msg_place latest = { 0 };
	struct held *h;

	/* A fork, or what was attached to, begins before its first turn. */
	if (compact_turn_count(w->c) == 0 || w->placed->first_turn != 1)
		return;
	(void)compact_get(w->c, TABLE_episode_streams, k, MSG_place, &latest);
	h = latest.seq == w->c->thread ? NULL : get(w, latest.seq);
	if (w->applying) {
		if (h != NULL && is_in_section(w, h->thread, "ended", "age"))
			compacted(w, h);
		latest = (struct msg_place){ .seq = w->c->thread };
		db_put_msg(stage_tables(w->c->st), TABLE_episode_streams,
		    key_slice(k), MSG_place, &latest);
	} else if (h != NULL && has_news(h)) {
		episode_make(w->c, h->thread, h->d, "ended");
		compacted(w, h);
	}
}

/* Whether one of the entry's turns is the last of another episode_turns. */
static bool
is_full(const struct work *w)
{
	uint64_t every = (uint64_t)w->c->conf->episode_turns;
	uint64_t first = w->placed->first_turn, n = w->placed->turns;

	return n > 0 && first > 0 &&
	    (first + n - 1) / every != (first - 1) / every;
}

static void
compact_own(struct work *w)
{
	bool closed = w->c->e->entry.id == MSG_close;
	struct held *h;

	if (w->applying) {
		if (is_in_section(w, w->c->thread, "size", "closed") &&
		    (h = get(w, w->c->thread)) != NULL)
			compacted(w, h);
		return;
	}
	if (w->c->thread == 0 || (!closed && !is_full(w)))
		return;
	take_turns(w);
	take_artifacts(w);
	h = get(w, w->c->thread);
	if (h != NULL && has_news(h))
		episode_make(w->c, h->thread, h->d, closed ? "closed" : "size");
}

/* ---- deciding and applying ---- */

static bool
work_open(struct work *w, struct compact *c, bool applying)
{
	const struct msg *placed = &c->e->sections[STAGE_ingest];

	*w = (struct work){ .c = c, .applying = applying,
		.own = applying ? digests_arena(c->digests) : c->arena };
	if (placed->id != MSG_s_ingest)
		return false;
	w->placed = &placed->as->s_ingest;
	return true;
}

void
episode_decide(struct compact *c)
{
	struct work w;

	if (!work_open(&w, c, false))
		return;
	look_at_due(&w);
	end_previous(&w);
	compact_own(&w);
}

static void
put_due(struct work *w, enum table_id table, struct key prefix,
    const struct held *h)
{
	struct msg_episode_due due = { .thread = h->thread };
	struct key k = due_key(prefix, h->d->due, h->thread);

	if (table == TABLE_episode_dues)
		due_times_put(w->c->episode_times, &prefix, h->d->due);
	db_put_msg(stage_tables(w->c->st), table, key_slice(&k),
	    MSG_episode_due, &due);
}

/* Where something has come since it was compacted, the time to look at it. */
static void
schedule(struct work *w, struct held *h)
{
	int64_t at = end_of(h->d), old = old_at(w->c, h->d);
	bool anew = h->d->due == 0;

	if (h->d->fresh == 0)
		return;
	if (anew) {
		if (old < at)
			at = old;
		/* A late turn may be over already: the next entry looks. */
		h->d->due = at > w->c->ts ? at : w->c->ts + 1;
		put_due(w, TABLE_episode_dues, stream_key(h->d), h);
	}
	if (h->d->live && (anew || h->quickened))
		put_due(w, TABLE_episode_live_dues, key_domain(h->d->domain),
		    h);
}

/* An episode is there from the first turn on, and has a name soon after. */
static void
put_outline(struct work *w, struct held *h)
{
	struct key k = key_u64(h->thread);
	struct msg_episode e;

	if (!h->begun && !h->named)
		return;
	if (compact_get(w->c, TABLE_episodes, &k, MSG_episode, &e)) {
		e.has = 0;
		e.name = h->d->name;
	} else
		e = episode_outline(w->c->arena, h->thread, h->d);
	db_put_msg(stage_tables(w->c->st), TABLE_episodes, key_slice(&k),
	    MSG_episode, &e);
}

static void
write_held(struct work *w)
{
	struct held *h;
	size_t i;

	for (i = 0; i < w->n_held; i++) {
		h = w->held[i];
		if (!h->dirty)
			continue;
		schedule(w, h);
		put_outline(w, h);
		digests_change(w->c->digests, h->thread);
	}
}

static void
put_episodes(struct compact *c)
{
	const struct msg_s_compactor *s = c->section;
	const struct msg_episode *e;
	struct key k;
	size_t i;

	for (i = 0; i < s->n_episodes; i++) {
		e = &s->episodes[i];
		if (e->linked_threads.count == 0 ||
		    !slice_eq(e->domain, c->envelope->domain))
			continue;
		k = key_u64(e->linked_threads.at[0]);
		db_put_msg(stage_tables(c->st), TABLE_episodes, key_slice(&k),
		    MSG_episode, e);
	}
}

void
episode_apply(struct compact *c)
{
	struct work w;

	if (!work_open(&w, c, true))
		return;
	look_at_due(&w);
	end_previous(&w);
	take_turns(&w);
	take_artifacts(&w);
	compact_own(&w);
	write_held(&w);
	put_episodes(c);
	skill_apply(c);
}
