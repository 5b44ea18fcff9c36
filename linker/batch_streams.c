/*
 * batch_streams - how common words are in a stream, and when its threads were
 * last active, as they are in memory
 */
#include <stdlib.h>
#include <xxhash.h>

#include "common/xmalloc.h"
#include "linker/batch.h"

enum {
	STREAMS = 256,		/* buckets */
	WORDS = 32768,
	ACTIVES = 1024,
	KEPT_MOST = 32768,	/* more are written and forgotten */
};

struct word {
	struct word *next;	/* of the bucket */
	struct word *after;	/* of those to be written */
	struct batch_stream *stream;
	enum batch_kind kind;
	bool dirty;
	bool known;		/* else `threads` is what was added to it */
	uint64_t hash;
	uint64_t threads;
};

struct active {
	struct active *next;	/* of the bucket */
	struct active *after;	/* of those of the stream to be written */
	struct batch_stream *stream;
	uint64_t thread;
	int64_t at, was;
	bool there;		/* in the table, at `was` */
	bool dirty;
};

struct batch_stream {
	struct batch_stream *next;	/* of the bucket */
	struct batch_stream *after;	/* of those to be written */
	struct slice key;
	uint64_t hash;
	struct word *words;		/* to be written */
	struct active *actives;		/* likewise */
	bool dirty;
};

struct streams {
	struct arena arena;
	struct batch_stream *at[STREAMS], *dirty;
	struct word *words[WORDS];
	struct active *actives[ACTIVES];
	uint64_t last_thread;	/* was in this one: most calls come again */
	struct batch_stream *last;
	size_t n_kept;
	uint64_t resets;	/* of the entry's arena, as of the last look */
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
	free(*streams);
	*streams = NULL;
}

void
streams_forget(struct streams *s)
{
	arena_reset(&s->arena);
	memset(s->at, 0, sizeof(s->at));
	memset(s->words, 0, sizeof(s->words));
	memset(s->actives, 0, sizeof(s->actives));
	s->dirty = NULL;
	s->last = NULL;
	s->n_kept = 0;
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
	all->n_kept++;
	return s;
}

struct batch_stream *
batch_stream(const struct link *l, const struct msg_link_thread *p)
{
	struct streams *all = batch_streams(l);

	if (all->resets != l->arena->resets) {
		all->resets = l->arena->resets;
		if (all->n_kept > KEPT_MOST)
			streams_flush(all, stage_tables(l->st));
	}
	if (all->last == NULL || all->last_thread != p->key) {
		all->last = find_stream(all, p);
		all->last_thread = p->key;
	}
	return all->last;
}

static void
touch(struct streams *all, struct batch_stream *s)
{
	if (s->dirty)
		return;
	s->dirty = true;
	s->after = all->dirty;
	all->dirty = s;
}

static void
stream_key(const struct batch_stream *s, struct key *k)
{
	key_init(k);
	key_add_bytes(k, s->key);
}

/* ---- words ---- */

/* The stream alone is the key of how many threads it has. */
static void
word_key(const struct word *w, struct key *k)
{
	stream_key(w->stream, k);
	if (w->kind == BATCH_THREADS)
		return;
	key_add_bytes(k, w->kind == BATCH_NAME ? SLICE("n") : SLICE("w"));
	key_add_u64(k, w->hash);
}

static struct word **
word_bucket(const struct link *l, const struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	return &batch_streams(l)->words[(hash + stream->hash + kind) % WORDS];
}

void
batch_fetch_count(const struct link *l, const struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	__builtin_prefetch(*word_bucket(l, stream, kind, hash));
}

static struct word *
get_word(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	struct streams *all = batch_streams(l);
	struct word *w, **bucket = word_bucket(l, stream, kind, hash);

	for (w = *bucket; w != NULL; w = w->next)
		if (w->hash == hash && w->stream == stream && w->kind == kind)
			return w;
	w = arena_alloc(&all->arena, sizeof(*w));
	w->stream = stream;
	w->kind = kind;
	w->hash = hash;
	w->next = *bucket;
	*bucket = w;
	all->n_kept++;
	return w;
}

uint64_t
batch_count(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	struct word *w = get_word(l, stream, kind, hash);
	struct msg_link_word row;
	struct key k;

	if (w->known)
		return w->threads;
	word_key(w, &k);
	if (db_get_msg(stage_tables(l->st), TABLE_link_words, key_slice(&k),
		MSG_link_word, l->arena, &row))
		w->threads += row.threads;
	w->known = true;
	return w->threads;
}

void
batch_count_up(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	struct word *w = get_word(l, stream, kind, hash);

	w->threads++;
	if (w->dirty)
		return;
	w->dirty = true;
	w->after = stream->words;
	stream->words = w;
	touch(batch_streams(l), stream);
}

static void
add_threads(void *msg, const void *there)
{
	((struct msg_link_word *)msg)->threads +=
	    ((const struct msg_link_word *)there)->threads;
}

/* Most words are new to their stream and need not be looked for before. */
static void
write_word(struct word *w, struct db_txn *txn)
{
	struct msg_link_word row = { .threads = w->threads };
	struct key k;

	word_key(w, &k);
	if (w->known)
		db_put_msg_later(txn, TABLE_link_words, key_slice(&k),
		    MSG_link_word, &row);
	else {
		db_merge_msg_later(txn, TABLE_link_words, key_slice(&k),
		    MSG_link_word, &row, add_threads);
		w->threads = 0;
	}
	w->dirty = false;
}

static void
write_words(struct batch_stream *s, struct db_txn *txn)
{
	struct word *w;

	for (w = s->words; w != NULL; w = w->after)
		write_word(w, txn);
	s->words = NULL;
}

/* ---- last activity ---- */

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
		a = arena_alloc(&all->arena, sizeof(*a));
		a->thread = p->key;
		a->stream = batch_stream(l, p);
		a->there = was != NULL;
		a->was = was != NULL ? was->last_activity_at : 0;
		a->next = *bucket;
		*bucket = a;
		all->n_kept++;
	}
	a->at = p->last_activity_at;
	if (a->dirty || (a->there && a->was == a->at))
		return;
	a->dirty = true;
	a->after = a->stream->actives;
	a->stream->actives = a;
	touch(all, a->stream);
}

void
batch_recent_key(const struct batch_stream *stream, int64_t at,
    uint64_t thread, struct key *out)
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
		batch_recent_key(a->stream, a->was, a->thread, &k);
		db_delete(txn, TABLE_link_recent, key_slice(&k));
	}
	batch_recent_key(a->stream, a->at, a->thread, &k);
	db_put_msg(txn, TABLE_link_recent, key_slice(&k), MSG_place, &place);
	a->there = true;
	a->was = a->at;
	a->dirty = false;
}

/* But for one thread, where there is one. */
static void
write_actives(struct batch_stream *s, struct db_txn *txn, uint64_t except)
{
	struct active *a, *next, *left = NULL;

	for (a = s->actives; a != NULL; a = next) {
		next = a->after;
		if (a->thread == except) {
			a->after = NULL;
			left = a;
		} else
			write_active(a, txn);
	}
	s->actives = left;
}

void
batch_write_others(const struct link *l, struct batch_stream *stream,
    uint64_t thread)
{
	write_actives(stream, stage_tables(l->st), thread);
}

void
streams_flush(struct streams *all, struct db_txn *txn)
{
	struct batch_stream *s;

	for (s = all->dirty; s != NULL; s = s->after) {
		write_words(s, txn);
		write_actives(s, txn, 0);
		s->dirty = false;
	}
	all->dirty = NULL;
	if (all->n_kept > KEPT_MOST)
		streams_forget(all);
}
