/*
 * digests - the digests of threads at work, changed where they are
 */
#include "compactor/digests.h"

#include <stdlib.h>

#include "common/xmalloc.h"
#include "compactor/episode_digest.h"

enum {
	BUCKETS = 2048,
	BYTES_MOST = 4 << 20,	/* more are written and forgotten */
};

struct row {
	struct row *next;	/* of the bucket */
	struct row *next_dirty;
	uint64_t thread;
	bool there;		/* else the thread has none */
	bool dirty;
	struct msg_episode_digest d;
};

struct digests {
	struct arena arena;	/* the rows and all that is in them */
	struct row *buckets[BUCKETS];
	struct row *dirty;
	uint64_t resets;	/* of the entry's arena, as of the last call */
	uint64_t batch;		/* the transaction that the rows are of */
	struct arena packing;
};

struct digests *
digests_open(void)
{
	struct digests *g = xcalloc(1, sizeof(*g));

	arena_init(&g->arena);
	arena_init(&g->packing);
	return g;
}

void
digests_close(struct digests **g)
{
	if (*g == NULL)
		return;
	arena_release(&(*g)->arena);
	arena_release(&(*g)->packing);
	free(*g);
	*g = NULL;
}

static void
forget(struct digests *g)
{
	memset(g->buckets, 0, sizeof(g->buckets));
	g->dirty = NULL;
	arena_reset(&g->arena);
}

/*
 * A transaction that was given up leaves its number to the next one: so the
 * number tells whether what was flushed has been kept.  What was only read is
 * forgotten too: one that has failed finds nothing any more.
 */
void
digests_resume(struct digests *g, const struct db_txn *txn)
{
	uint64_t batch = db_txn_id(txn);

	if (batch != g->batch + 1 || g->dirty != NULL)
		forget(g);
	g->batch = batch;
}

void
digests_flush(struct digests *g, struct db_txn *txn)
{
	struct msg_episode_digest packed;
	struct row *r;
	struct key k;

	for (r = g->dirty; r != NULL; r = r->next_dirty) {
		packed = r->d;
		digest_pack(&packed, &g->packing);
		k = key_u64(r->thread);
		db_put_msg_later(txn, TABLE_episode_digests, key_slice(&k),
		    MSG_episode_digest, &packed);
		arena_reset(&g->packing);
		r->dirty = false;
	}
	g->dirty = NULL;
}

/* An entry begins: nothing of the one before is pointed to any more. */
static void
turn_to(struct digests *g, struct db_txn *txn, const struct arena *arena)
{
	if (g->resets == arena->resets)
		return;
	g->resets = arena->resets;
	if (g->arena.total <= BYTES_MOST)
		return;
	digests_flush(g, txn);
	forget(g);
}

static struct row **
bucket_of(struct digests *g, uint64_t thread)
{
	return &g->buckets[thread % BUCKETS];
}

static struct row *
find_row(struct digests *g, uint64_t thread)
{
	struct row *r = *bucket_of(g, thread);

	while (r != NULL && r->thread != thread)
		r = r->next;
	return r;
}

static bool
load(struct digests *g, struct db_txn *txn, uint64_t thread,
    struct msg_episode_digest *out)
{
	struct key k = key_u64(thread);
	struct msg_error why;
	struct slice record;

	if (!db_get(txn, TABLE_episode_digests, key_slice(&k), &record))
		return false;
	if (msg_decode_as(arena_dup(&g->arena, record), &g->arena,
		MSG_episode_digest, out, &why) < 0) {
		/* Again, for the one who knows what to do about damage. */
		(void)db_get_msg(txn, TABLE_episode_digests, key_slice(&k),
		    MSG_episode_digest, &g->arena, out);
		return false;
	}
	digest_unpack(out, &g->arena);
	digest_own(out, &g->arena);
	out->has = 0;
	return true;
}

static struct row *
get_row(struct digests *g, struct db_txn *txn, uint64_t thread,
    const struct arena *arena)
{
	struct row *r, **bucket = bucket_of(g, thread);

	turn_to(g, txn, arena);
	r = find_row(g, thread);
	if (r != NULL)
		return r;
	r = arena_alloc(&g->arena, sizeof(*r));
	r->thread = thread;
	r->there = load(g, txn, thread, &r->d);
	r->next = *bucket;
	*bucket = r;
	return r;
}

struct msg_episode_digest *
digests_get(struct digests *g, struct db_txn *txn, uint64_t thread,
    const struct arena *arena)
{
	struct row *r = get_row(g, txn, thread, arena);

	return r->there ? &r->d : NULL;
}

struct msg_episode_digest *
digests_add(struct digests *g, struct db_txn *txn, uint64_t thread,
    const struct arena *arena)
{
	struct row *r = get_row(g, txn, thread, arena);

	r->there = true;
	r->d = (struct msg_episode_digest){ 0 };
	return &r->d;
}

void
digests_change(struct digests *g, uint64_t thread)
{
	struct row *r = find_row(g, thread);

	if (r->dirty)
		return;
	r->dirty = true;
	r->next_dirty = g->dirty;
	g->dirty = r;
}

struct arena *
digests_arena(struct digests *g)
{
	return &g->arena;
}
