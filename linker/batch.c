/*
 * batch - what the linker keeps in memory from entry to entry
 */
#include "linker/batch.h"

#include <stdlib.h>

#include "common/log.h"
#include "common/rows.h"
#include "common/rows_copy.h"
#include "common/xmalloc.h"

enum { GROWN = 1024 };		/* buckets */

/* Turns that an episode grew by since it was written. */
struct grown {
	struct grown *next;	/* of the bucket */
	struct grown *after;	/* of all */
	uint64_t seq, n;
	uint64_t turns;
	int64_t last_activity_at;
};

struct batch {
	struct rows *threads, *links;
	struct streams *streams;
	struct cards *cards;
	bool flushed;
	uint64_t applied;	/* the last entry in here */

	struct arena grown_arena;
	struct grown *grown[GROWN], *all_grown;

	struct rows_copies domains;
	struct rows_copy domain;	/* of nothing: none is here */
	struct arena domain_arena;
	struct slice domain_name;
	bool domain_dirty;

	uint64_t learned_seq, learned_resets;
	struct batch_learned learned;
};

static struct batch *
batch_of(const struct link *l)
{
	return stage_state(l->st);
}

struct streams *
batch_streams(const struct link *l)
{
	return batch_of(l)->streams;
}

struct cards *
batch_cards(const struct link *l)
{
	return batch_of(l)->cards;
}

/* A record that decodes may still hold what was never written. */
static void
check_thread(void *msg, struct arena *arena)
{
	struct msg_link_thread *p = msg;

	(void)arena;
	if (profile_bound(p))
		log_warnx("link_threads: %llu has more words than are kept: "
		    "the rest is left out", (unsigned long long)p->key);
}

struct batch *
batch_open(void)
{
	struct batch *b = xcalloc(1, sizeof(*b));

	rows_copies_init(&b->domains, MSG_link_domain);
	b->threads = rows_open(TABLE_link_threads, MSG_link_thread);
	rows_convert(b->threads, NULL, check_thread);
	b->links = rows_open(TABLE_links, MSG_link);
	b->streams = streams_open();
	b->cards = cards_open();
	return b;
}

void
batch_close(struct batch **batch)
{
	rows_close(&(*batch)->threads);
	rows_close(&(*batch)->links);
	streams_close(&(*batch)->streams);
	cards_close(&(*batch)->cards);
	arena_release(&(*batch)->grown_arena);
	arena_release(&(*batch)->domain_arena);
	rows_copy_release(&(*batch)->domain);
	rows_copies_release(&(*batch)->domains);
	free(*batch);
	*batch = NULL;
}

/*
 * Whether the batch before was committed.  The tables say up to where they
 * follow the log: one that was given up, or made again, is behind.
 */
static bool
is_committed(const struct batch *b, struct db_txn *txn)
{
	struct msg_derived d;
	struct slice record;
	struct arena arena;
	struct msg_error why;
	bool there;

	if (!b->flushed || !db_get(txn, TABLE_linker_derived,
		SLICE("follows"), &record))
		return false;
	arena_init(&arena);
	there = msg_decode_as(record, &arena, MSG_derived, &d, &why) == 0 &&
	    d.seq >= b->applied;
	arena_release(&arena);
	return there;
}

void
batch_begin(struct batch *b, struct db_txn *txn)
{
	if (!is_committed(b, txn)) {
		rows_begin(b->threads);
		rows_begin(b->links);
		streams_forget(b->streams);
		cards_forget(b->cards);
		rows_copy_release(&b->domain);
		b->domain_dirty = false;
	}
	if (b->all_grown != NULL) {
		arena_reset(&b->grown_arena);
		memset(b->grown, 0, sizeof(b->grown));
		b->all_grown = NULL;
	}
	b->flushed = false;
	b->learned_seq = 0;
}

void
batch_applies(struct batch *b, uint64_t seq)
{
	b->applied = seq;
}

/* ---- threads, decisions ---- */

bool
batch_thread(const struct link *l, uint64_t key, struct msg_link_thread *out)
{
	struct key k = key_u64(key);

	return rows_share_at(batch_of(l)->threads, stage_tables(l->st),
	    key_slice(&k), l->arena, out);
}

const struct msg_link_thread *
batch_peek_thread(const struct link *l, uint64_t key)
{
	return rows_peek(batch_of(l)->threads, stage_tables(l->st), key,
	    l->arena);
}

void
batch_put_thread(const struct link *l, const struct msg_link_thread *p)
{
	rows_put(batch_of(l)->threads, stage_tables(l->st), p->key, l->arena,
	    p);
}

bool
batch_link(const struct link *l, uint64_t seq, struct msg_link *out)
{
	struct key k = key_u64(seq);

	return rows_share_at(batch_of(l)->links, stage_tables(l->st),
	    key_slice(&k), l->arena, out);
}

const struct msg_link *
batch_peek_link(const struct link *l, uint64_t seq)
{
	return rows_peek(batch_of(l)->links, stage_tables(l->st), seq,
	    l->arena);
}

void
batch_put_link(const struct link *l, uint64_t seq, const struct msg_link *link)
{
	rows_put(batch_of(l)->links, stage_tables(l->st), seq, l->arena, link);
}

/* ---- episodes ---- */

static struct grown *
find_grown(const struct batch *b, uint64_t seq, uint64_t n)
{
	struct grown *g;

	for (g = b->grown[seq % GROWN]; g != NULL; g = g->next)
		if (g->seq == seq && g->n == n)
			break;
	return g;
}

static struct key
episode_key(uint64_t seq, uint64_t n)
{
	struct key k = key_u64(seq);

	key_add_u64(&k, n);
	return k;
}

static void
grow(struct msg_episode *e, const struct grown *g)
{
	e->has = 0;
	e->turn_count += g->turns;
	if (g->last_activity_at > e->last_activity_at)
		e->last_activity_at = g->last_activity_at;
}

bool
batch_episode(const struct link *l, uint64_t seq, uint64_t n,
    struct msg_episode *out)
{
	struct key k = episode_key(seq, n);
	const struct grown *g = find_grown(batch_of(l), seq, n);

	if (!link_get(l, TABLE_cross_episodes, &k, MSG_episode, out))
		return false;
	if (g != NULL)
		grow(out, g);
	return true;
}

void
batch_put_episode(const struct link *l, uint64_t seq, uint64_t n,
    const struct msg_episode *e)
{
	struct key k = episode_key(seq, n);
	struct grown *g = find_grown(batch_of(l), seq, n);

	if (g != NULL)
		g->turns = 0;
	if (e->linked_threads.count == 0)
		link_delete(l, TABLE_cross_episodes, &k);
	else
		link_put(l, TABLE_cross_episodes, &k, MSG_episode, e);
}

void
batch_grow_episode(const struct link *l, uint64_t seq, uint64_t n, int64_t at)
{
	struct batch *b = batch_of(l);
	struct grown *g = find_grown(b, seq, n);

	if (g == NULL) {
		g = arena_alloc(&b->grown_arena, sizeof(*g));
		g->seq = seq;
		g->n = n;
		g->next = b->grown[seq % GROWN];
		b->grown[seq % GROWN] = g;
		g->after = b->all_grown;
		b->all_grown = g;
	}
	if (g->turns++ == 0 || at > g->last_activity_at)
		g->last_activity_at = at;
}

static void
write_grown(struct batch *b, struct db_txn *txn)
{
	struct msg_episode e;
	struct msg_error why;
	struct slice record;
	struct grown *g;
	struct key k;

	for (g = b->all_grown; g != NULL; g = g->after) {
		k = episode_key(g->seq, g->n);
		/* It may be gone by now, or have been written with all. */
		if (g->turns == 0 || !db_get(txn, TABLE_cross_episodes,
			key_slice(&k), &record))
			continue;
		if (msg_decode_as(arena_dup(&b->grown_arena, record),
			&b->grown_arena, MSG_episode, &e, &why) == -1) {
			/* For the one who knows what to do about damage. */
			(void)db_get_msg(txn, TABLE_cross_episodes,
			    key_slice(&k), MSG_episode, &b->grown_arena, &e);
			return;
		}
		grow(&e, g);
		db_put_msg(txn, TABLE_cross_episodes, key_slice(&k),
		    MSG_episode, &e);
	}
}

/* ---- domains ---- */

static void
write_domain(struct batch *b, struct db_txn *txn)
{
	struct key k;

	if (!b->domain_dirty)
		return;
	k = key_domain(b->domain_name);
	db_put_msg(txn, TABLE_link_domains, key_slice(&k), MSG_link_domain,
	    b->domain.msg);
	b->domain_dirty = false;
}

/* The one that the entry is of takes the place of the one before. */
static void
load_domain(struct batch *b, const struct link *l, struct slice name)
{
	struct key k = key_domain(name);
	struct msg_link_domain d = { 0 };

	write_domain(b, stage_tables(l->st));
	rows_copy_release(&b->domain);
	arena_reset(&b->domain_arena);
	b->domain_name = arena_dup(&b->domain_arena, name);
	(void)link_get(l, TABLE_link_domains, &k, MSG_link_domain, &d);
	d.has = 0;
	rows_copy_put(&b->domains, &b->domain, &d);
}

void
batch_domain(const struct link *l, struct msg_link_domain *out)
{
	struct slice name = l->e->entry.as->envelope.domain;
	struct batch *b = batch_of(l);

	rows_copies_free_old(&b->domains);
	if (b->domain.msg == NULL || !slice_eq(b->domain_name, name))
		load_domain(b, l, name);
	memcpy(out, b->domain.msg, sizeof(*out));
	out->has = 0;
}

void
batch_put_domain(const struct link *l, const struct msg_link_domain *d)
{
	struct batch *b = batch_of(l);

	rows_copy_put(&b->domains, &b->domain, d);
	b->domain_dirty = true;
}

/* ---- the whole ---- */

void
batch_flush(struct batch *b, struct db_txn *txn)
{
	rows_flush(b->threads, txn);
	rows_flush(b->links, txn);
	streams_flush(b->streams, txn);
	write_grown(b, txn);
	write_domain(b, txn);
	b->flushed = true;
}

struct batch_learned *
batch_learning(const struct link *l)
{
	struct batch *b = batch_of(l);

	b->learned_seq = l->e->seq;
	b->learned_resets = l->arena->resets;
	return &b->learned;
}

const struct batch_learned *
batch_recall(const struct link *l)
{
	const struct batch *b = batch_of(l);

	return b->learned_seq == l->e->seq &&
	    b->learned_resets == l->arena->resets ? &b->learned : NULL;
}
