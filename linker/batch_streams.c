/*
 * batch_streams - the streams whose threads are in use
 */
#include <stdlib.h>
#include <xxhash.h>

#include "common/xmalloc.h"
#include "linker/batch_impl.h"

enum {
	KEPT_MOST = 32768,	/* words and times; more are forgotten, */
	STREAMS_MOST = 2048,	/* and so are more streams */
};

struct streams *
streams_open(void)
{
	return xcalloc(1, sizeof(struct streams));
}

void
streams_close(struct streams **streams)
{
	arena_release(&(*streams)->arena);
	arena_release(&(*streams)->kept);
	free(*streams);
	*streams = NULL;
}

/* All that is in the tables. */
static void
forget_kept(struct streams *s)
{
	arena_reset(&s->kept);
	memset(s->words, 0, sizeof(s->words));
	memset(s->actives, 0, sizeof(s->actives));
	s->n_kept = 0;
}

void
streams_forget(struct streams *s)
{
	forget_kept(s);
	arena_reset(&s->arena);
	memset(s->at, 0, sizeof(s->at));
	s->dirty = NULL;
	s->last = NULL;
	s->n_streams = 0;
}

static struct batch_stream *
find_stream(struct streams *all, const struct msg_link_thread *p)
{
	struct key k = key_stream(p->domain, p->user, p->room);
	uint64_t hash = XXH3_64bits(k.bytes, k.len);
	struct batch_stream *s, **bucket = &all->at[hash % STREAMS];

	for (s = *bucket; s != NULL; s = s->next)
		if (s->hash == hash && slice_eq(s->key, key_slice(&k)))
			return s;
	s = arena_alloc(&all->arena, sizeof(*s));
	s->key = arena_dup(&all->arena, key_slice(&k));
	s->hash = hash;
	s->next = *bucket;
	*bucket = s;
	all->n_streams++;
	return s;
}

static bool
is_too_much(const struct streams *all)
{
	return all->n_kept > KEPT_MOST || all->n_streams > STREAMS_MOST;
}

struct batch_stream *
batch_stream(const struct link *l, const struct msg_link_thread *p)
{
	struct streams *all = batch_streams(l);

	if (all->resets != l->arena->resets) {
		all->resets = l->arena->resets;
		if (is_too_much(all))
			streams_flush(all, stage_tables(l->st));
	}
	if (all->last == NULL || all->last_thread != p->key) {
		all->last = find_stream(all, p);
		all->last_thread = p->key;
	}
	return all->last;
}

void
stream_touch(struct streams *all, struct batch_stream *s)
{
	if (s->dirty)
		return;
	s->dirty = true;
	s->after = all->dirty;
	all->dirty = s;
}

void
stream_key(const struct batch_stream *s, struct key *k)
{
	key_init(k);
	key_add_bytes(k, s->key);
}

void
streams_flush(struct streams *all, struct db_txn *txn)
{
	struct batch_stream *s;

	for (s = all->dirty; s != NULL; s = s->after) {
		stream_write_words(s, txn);
		stream_write_actives(s, txn);
		s->dirty = false;
	}
	all->dirty = NULL;
	if (all->n_streams > STREAMS_MOST)
		streams_forget(all);
	else if (is_too_much(all))
		forget_kept(all);
}
