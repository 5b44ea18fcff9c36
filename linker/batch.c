/*
 * batch - what the linker keeps in memory for the length of a batch
 */
#include "linker/batch.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/rows.h"
#include "common/xmalloc.h"

enum {
	STREAMS = 256,		/* buckets */
	WORDS = 4096,
	ACTIVES = 1024,
	COUNTS_MOST = 65536,	/* more are written and forgotten */
};

struct word {
	struct word *next;	/* of the bucket */
	struct word *after;	/* of the stream */
	struct batch_stream *stream;
	enum batch_kind kind;
	uint64_t hash;
	uint64_t threads;
	bool dirty;
};

struct batch_stream {
	struct batch_stream *next;	/* of the bucket */
	struct batch_stream *after;	/* of all */
	struct slice key;
	uint64_t hash;
	struct word *words;
	struct active *actives;
};

struct active {
	struct active *next;	/* of the bucket */
	struct active *after;	/* of the stream */
	struct batch_stream *stream;
	uint64_t thread;
	int64_t at, was;
	bool there;		/* in the table, at `was` */
};

struct batch {
	struct rows *threads;
	struct arena arena;	/* streams, words, times */
	struct batch_stream *streams[STREAMS], *all_streams;
	struct word *words[WORDS];
	struct active *actives[ACTIVES];
	size_t n_counts;
	uint64_t resets;	/* of the entry's arena, as of the last look */

	struct arena domain_arena;
	struct slice domain_name;
	struct msg_link_domain domain;
	bool has_domain;

	uint64_t learned_seq, learned_resets;
	struct profile_turn turn;
	struct msg_link_thread learned;
};

static struct batch *
batch_of(const struct link *l)
{
	return stage_state(l->st);
}

struct batch *
batch_open(void)
{
	struct batch *b = xcalloc(1, sizeof(*b));

	b->threads = rows_open(TABLE_link_threads, MSG_link_thread);
	return b;
}

void
batch_close(struct batch **batch)
{
	rows_close(&(*batch)->threads);
	arena_release(&(*batch)->arena);
	arena_release(&(*batch)->domain_arena);
	free(*batch);
	*batch = NULL;
}

static void
forget_counts(struct batch *b)
{
	arena_reset(&b->arena);
	memset(b->streams, 0, sizeof(b->streams));
	memset(b->words, 0, sizeof(b->words));
	memset(b->actives, 0, sizeof(b->actives));
	b->all_streams = NULL;
	b->n_counts = 0;
}

void
batch_begin(struct batch *b)
{
	rows_begin(b->threads);
	forget_counts(b);
	b->has_domain = false;
	b->learned_seq = 0;
}

/* ---- threads and domains ---- */

bool
batch_thread(const struct link *l, uint64_t key, struct msg_link_thread *out)
{
	return rows_get(batch_of(l)->threads, stage_tables(l->st), key,
	    l->arena, out);
}

void
batch_put_thread(const struct link *l, const struct msg_link_thread *p)
{
	rows_put(batch_of(l)->threads, stage_tables(l->st), p->key, l->arena,
	    p);
}

static struct key
domain_key(struct slice domain)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, domain);
	return k;
}

void
batch_domain(const struct link *l, struct msg_link_domain *out)
{
	struct slice name = l->e->entry.as->envelope.domain, record;
	struct key k = domain_key(name);
	struct batch *b = batch_of(l);
	struct msg_error why;

	if (!b->has_domain || !slice_eq(b->domain_name, name)) {
		arena_reset(&b->domain_arena);
		b->domain = (struct msg_link_domain){ 0 };
		b->domain_name = arena_dup(&b->domain_arena, name);
		if (db_get(stage_tables(l->st), TABLE_link_domains,
			key_slice(&k), &record) &&
		    msg_decode_as(arena_dup(&b->domain_arena, record),
			&b->domain_arena, MSG_link_domain, &b->domain,
			&why) == -1)
			(void)link_get(l, TABLE_link_domains, &k,
			    MSG_link_domain, &b->domain);
		b->domain.has = 0;
		b->has_domain = true;
	}
	*out = b->domain;
}

void
batch_put_domain(const struct link *l, const struct msg_link_domain *d)
{
	struct key k = domain_key(l->e->entry.as->envelope.domain);

	link_put(l, TABLE_link_domains, &k, MSG_link_domain, d);
	batch_of(l)->has_domain = false;
}

/* ---- streams and words ---- */

struct batch_stream *
batch_stream(const struct link *l, const struct msg_link_thread *p)
{
	struct key k = key_stream(p->domain, p->user, p->room);
	uint64_t hash = XXH3_64bits(k.bytes, k.len);
	struct batch *b = batch_of(l);
	struct batch_stream *s, **bucket = &b->streams[hash % STREAMS];

	if (b->resets != l->arena->resets) {
		b->resets = l->arena->resets;
		if (b->n_counts > COUNTS_MOST)
			batch_flush(b, stage_tables(l->st));
	}
	for (s = *bucket; s != NULL; s = s->next)
		if (slice_eq(s->key, key_slice(&k)))
			return s;
	s = arena_alloc(&b->arena, sizeof(*s));
	s->key = arena_dup(&b->arena, key_slice(&k));
	s->hash = hash;
	s->next = *bucket;
	*bucket = s;
	s->after = b->all_streams;
	b->all_streams = s;
	return s;
}

static struct key
stream_key(const struct batch_stream *s)
{
	struct key k;

	key_init(&k);
	key_add_bytes(&k, s->key);
	return k;
}

/* The stream alone is the key of how many threads it has. */
static struct key
word_key(const struct word *w)
{
	struct key k = stream_key(w->stream);

	if (w->kind == BATCH_THREADS)
		return k;
	key_add_bytes(&k, w->kind == BATCH_NAME ? SLICE("n") : SLICE("w"));
	key_add_u64(&k, w->hash);
	return k;
}

static struct word *
get_word(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, struct slice word)
{
	uint64_t hash = kind == BATCH_THREADS ? 0 :
	    XXH3_64bits(word.ptr, word.len);
	struct batch *b = batch_of(l);
	struct msg_link_word row;
	struct word *w, **bucket;
	struct key k;

	bucket = &b->words[(hash + stream->hash + kind) % WORDS];
	for (w = *bucket; w != NULL; w = w->next)
		if (w->hash == hash && w->stream == stream && w->kind == kind)
			return w;
	w = arena_alloc(&b->arena, sizeof(*w));
	w->stream = stream;
	w->kind = kind;
	w->hash = hash;
	k = word_key(w);
	if (link_get(l, TABLE_link_words, &k, MSG_link_word, &row))
		w->threads = row.threads;
	w->next = *bucket;
	*bucket = w;
	w->after = stream->words;
	stream->words = w;
	b->n_counts++;
	return w;
}

uint64_t
batch_count(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, struct slice word)
{
	return get_word(l, stream, kind, word)->threads;
}

void
batch_count_up(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, struct slice word)
{
	struct word *w = get_word(l, stream, kind, word);

	w->threads++;
	w->dirty = true;
}

static void
write_words(const struct batch_stream *s, struct db_txn *txn)
{
	struct msg_link_word row = { 0 };
	struct word *w;
	struct key k;

	for (w = s->words; w != NULL; w = w->after) {
		if (!w->dirty)
			continue;
		k = word_key(w);
		row.threads = w->threads;
		db_put_msg(txn, TABLE_link_words, key_slice(&k),
		    MSG_link_word, &row);
		w->dirty = false;
	}
}

/* ---- last activity ---- */

static struct key
active_key(const struct active *a, int64_t at)
{
	struct key k = stream_key(a->stream);

	key_add_i64(&k, at);
	key_add_u64(&k, a->thread);
	return k;
}

void
batch_active(const struct link *l, const struct msg_link_thread *p,
    const struct msg_link_thread *was)
{
	struct batch *b = batch_of(l);
	struct active *a, **bucket = &b->actives[p->key % ACTIVES];

	for (a = *bucket; a != NULL; a = a->next)
		if (a->thread == p->key)
			break;
	if (a == NULL) {
		a = arena_alloc(&b->arena, sizeof(*a));
		a->thread = p->key;
		a->stream = batch_stream(l, p);
		a->there = was != NULL;
		a->was = was != NULL ? was->last_activity_at : 0;
		a->next = *bucket;
		*bucket = a;
		a->after = a->stream->actives;
		a->stream->actives = a;
	}
	a->at = p->last_activity_at;
}

/* But for one thread, where there is one. */
static void
write_actives(const struct batch_stream *s, struct db_txn *txn,
    uint64_t except)
{
	struct msg_place place = { 0 };
	struct active *a;
	struct key k;

	for (a = s->actives; a != NULL; a = a->after) {
		if ((a->there && a->was == a->at) || a->thread == except)
			continue;
		if (a->there) {
			k = active_key(a, a->was);
			db_delete(txn, TABLE_link_recent, key_slice(&k));
		}
		k = active_key(a, a->at);
		place.seq = a->thread;
		db_put_msg(txn, TABLE_link_recent, key_slice(&k), MSG_place,
		    &place);
		a->there = true;
		a->was = a->at;
	}
}

void
batch_write_others(const struct link *l, const struct msg_link_thread *p)
{
	write_actives(batch_stream(l, p), stage_tables(l->st), p->key);
}

void
batch_flush(struct batch *b, struct db_txn *txn)
{
	struct batch_stream *s;

	rows_flush(b->threads, txn);
	for (s = b->all_streams; s != NULL; s = s->after) {
		write_words(s, txn);
		write_actives(s, txn, 0);
	}
	forget_counts(b);
}

/* ---- from deciding to applying ---- */

void
batch_learned(const struct link *l, const struct profile_turn *turn,
    const struct msg_link_thread *p)
{
	struct batch *b = batch_of(l);

	b->learned_seq = l->e->seq;
	b->learned_resets = l->arena->resets;
	b->turn = *turn;
	b->learned = *p;
}

bool
batch_recall(const struct link *l, struct profile_turn *turn,
    struct msg_link_thread *p)
{
	const struct batch *b = batch_of(l);

	if (b->learned_seq != l->e->seq ||
	    b->learned_resets != l->arena->resets)
		return false;
	*turn = b->turn;
	*p = b->learned;
	return true;
}
