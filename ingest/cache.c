/*
 * cache - the threads and streams that the batch under way has touched
 */
#include "ingest/cache.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/xmalloc.h"

enum { BUCKETS = 1024 };

struct thread_row {
	struct thread_row *next;	/* of the bucket */
	struct thread_row *after;	/* of all that were changed */
	struct msg_thread thread;
	bool dirty;
};

struct stream_row {
	struct stream_row *next;
	struct stream_row *after;	/* of all */
	enum table_id table;
	struct slice key;
	struct cached_stream stream;
};

static struct {
	struct arena arena;		/* rows and their strings */
	struct thread_row *threads[BUCKETS];
	struct thread_row *changed;
	size_t n_changed;
	struct stream_row *streams[BUCKETS];
	struct stream_row *all_streams;
} cache;

void
cache_begin(struct stage *st)
{
	(void)st;
	arena_reset(&cache.arena);
	memset(cache.threads, 0, sizeof(cache.threads));
	memset(cache.streams, 0, sizeof(cache.streams));
	cache.changed = NULL;
	cache.n_changed = 0;
	cache.all_streams = NULL;
}

void
cache_release(void)
{
	cache_begin(NULL);
	arena_release(&cache.arena);
}

/* ---- threads ---- */

static struct thread_row *
find_thread(uint64_t key)
{
	struct thread_row *r;

	for (r = cache.threads[key % BUCKETS]; r != NULL; r = r->next)
		if (r->thread.key == key)
			return r;
	return NULL;
}

static struct thread_row *
add_thread(uint64_t key)
{
	struct thread_row *r = arena_alloc(&cache.arena, sizeof(*r));

	r->thread.key = key;
	r->next = cache.threads[key % BUCKETS];
	cache.threads[key % BUCKETS] = r;
	return r;
}

/* What is the cache's own already is not copied again. */
static void
keep(struct slice *own, struct slice given)
{
	if (given.ptr != own->ptr || given.len != own->len)
		*own = arena_dup(&cache.arena, given);
}

static void
keep_strs(struct msg_strs *own, struct msg_strs given)
{
	size_t i;

	if (given.at == own->at && given.count == own->count)
		return;
	own->at = arena_array(&cache.arena, given.count, sizeof(own->at[0]));
	own->count = given.count;
	for (i = 0; i < given.count; i++)
		own->at[i] = arena_dup(&cache.arena, given.at[i]);
}

static void
keep_thread(struct thread_row *r, const struct msg_thread *t)
{
	struct msg_thread own = r->thread;

	keep(&own.domain, t->domain);
	keep(&own.user, t->user);
	keep(&own.room, t->room);
	keep(&own.id, t->id);
	keep(&own.name, t->name);
	keep(&own.session, t->session);
	keep_strs(&own.channels, t->channels);
	r->thread = *t;
	r->thread.domain = own.domain;
	r->thread.user = own.user;
	r->thread.room = own.room;
	r->thread.id = own.id;
	r->thread.name = own.name;
	r->thread.session = own.session;
	r->thread.channels = own.channels;
}

bool
cache_thread(struct stage *st, uint64_t key, struct msg_thread *out)
{
	struct thread_row *r = find_thread(key);
	struct key k = key_u64(key);
	struct msg_thread t;

	if (r == NULL) {
		if (!db_get_msg(stage_tables(st), TABLE_threads, key_slice(&k),
			MSG_thread, stage_arena(st), &t))
			return false;
		r = add_thread(key);
		keep_thread(r, &t);
	}
	*out = r->thread;
	return true;
}

void
cache_put_thread(struct stage *st, const struct msg_thread *t)
{
	struct thread_row *r = find_thread(t->key);

	(void)st;
	if (r == NULL)
		r = add_thread(t->key);
	keep_thread(r, t);
	if (r->dirty)
		return;
	r->dirty = true;
	r->after = cache.changed;
	cache.changed = r;
	cache.n_changed++;
}

static int
by_key(const void *a, const void *b)
{
	uint64_t x = (*(struct thread_row *const *)a)->thread.key;
	uint64_t y = (*(struct thread_row *const *)b)->thread.key;

	return (x > y) - (x < y);
}

/* In key order, so that neighbours share their pages while these are warm. */
static void
flush_threads(struct stage *st)
{
	struct thread_row **rows, *r;
	size_t n = 0, i;
	struct key k;

	rows = xcalloc(cache.n_changed, sizeof(rows[0]));
	for (r = cache.changed; r != NULL; r = r->after)
		rows[n++] = r;
	qsort(rows, n, sizeof(rows[0]), by_key);
	for (i = 0; i < n; i++) {
		k = key_u64(rows[i]->thread.key);
		db_put_msg(stage_tables(st), TABLE_threads, key_slice(&k),
		    MSG_thread, &rows[i]->thread);
		rows[i]->dirty = false;
	}
	free(rows);
	cache.changed = NULL;
	cache.n_changed = 0;
}

/* ---- streams ---- */

struct cached_stream *
cache_stream(struct stage *st, enum table_id table, struct slice key)
{
	size_t bucket = (XXH3_64bits(key.ptr, key.len) + table) % BUCKETS;
	struct stream_row *r;

	for (r = cache.streams[bucket]; r != NULL; r = r->next)
		if (r->table == table && slice_eq(r->key, key))
			return &r->stream;
	r = arena_alloc(&cache.arena, sizeof(*r));
	r->table = table;
	r->key = arena_dup(&cache.arena, key);
	(void)db_get_msg(stage_tables(st), table, key, MSG_stream,
	    stage_arena(st), &r->stream.row);
	r->next = cache.streams[bucket];
	cache.streams[bucket] = r;
	r->after = cache.all_streams;
	cache.all_streams = r;
	return &r->stream;
}

void
cache_flush(struct stage *st)
{
	struct stream_row *r;

	flush_threads(st);
	for (r = cache.all_streams; r != NULL; r = r->after) {
		if (!r->stream.dirty)
			continue;
		db_put_msg(stage_tables(st), r->table, r->key, MSG_stream,
		    &r->stream.row);
		r->stream.dirty = false;
	}
}
