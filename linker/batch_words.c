/*
 * batch_words - how common words are in a stream, as they are in memory
 *
 * Most words that a thread comes with are new to its stream, and to look for
 * such a one in the table is as long a way as for any other.  So a stream that
 * is asked often has a filter of the words it has: what is not in it is in no
 * row.
 */
#include "linker/batch_impl.h"

enum {
	FILTER_BITS = 16384,
	FILTER_AFTER = 16,	/* words looked up, it is worth to make one */
	FILTER_ROWS = 4096,	/* of more it would let everything through */
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

/* ---- filters ---- */

static uint64_t *
filter_word(const struct batch_stream *s, uint64_t hash)
{
	return &s->filter[hash % FILTER_BITS / 64];
}

static uint64_t
filter_bit(uint64_t hash)
{
	return UINT64_C(1) << hash % 64;
}

/* A name and the word of the same spelling share a bit. */
static void
filter_add(struct batch_stream *s, uint64_t hash)
{
	if (s->filter != NULL)
		*filter_word(s, hash) |= filter_bit(hash);
}

static bool
may_have(const struct batch_stream *s, enum batch_kind kind, uint64_t hash)
{
	return s->filter == NULL || kind == BATCH_THREADS ||
	    (*filter_word(s, hash) & filter_bit(hash)) != 0;
}

/* Of what is in memory; what is in the table is added by whoever knows it. */
static void
filter_begin(struct streams *all, struct batch_stream *s)
{
	const struct word *w;

	s->filter = arena_alloc(&all->arena, FILTER_BITS / 8);
	for (w = s->words; w != NULL; w = w->after)
		filter_add(s, w->hash);
}

/* From the table, unless there is too much of it. */
static void
filter_make(const struct link *l, struct batch_stream *s)
{
	struct db_cursor *c = db_cursor(stage_tables(l->st), TABLE_link_words);
	struct db_entry e;
	struct key k;
	size_t rows = 0;
	bool more;

	stream_key(s, &k);
	filter_begin(batch_streams(l), s);
	for (more = db_seek(c, key_slice(&k), &e); more && e.key.len >= k.len &&
	     memcmp(e.key.ptr, k.bytes, k.len) == 0 && rows <= FILTER_ROWS;
	     more = db_next(c, &e))
		if (e.key.len == k.len + 1 + 8) {
			filter_add(s, key_read_u64(e.key, k.len + 1));
			rows++;
		}
	if (rows > FILTER_ROWS)
		s->filter = NULL;
	db_cursor_close(&c);
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
word_bucket(struct streams *all, const struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	return &all->words[(hash + stream->hash + kind) % WORDS];
}

void
batch_fetch_count(const struct link *l, const struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	__builtin_prefetch(*word_bucket(batch_streams(l), stream, kind, hash));
}

static struct word *
get_word(struct streams *all, struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	struct word *w, **bucket = word_bucket(all, stream, kind, hash);

	for (w = *bucket; w != NULL; w = w->next)
		if (w->hash == hash && w->stream == stream && w->kind == kind)
			return w;
	w = arena_alloc(&all->kept, sizeof(*w));
	w->stream = stream;
	w->kind = kind;
	w->hash = hash;
	w->next = *bucket;
	*bucket = w;
	all->n_kept++;
	return w;
}

/* What the table has; a stream without threads has no words there either. */
static uint64_t
look_up(const struct link *l, const struct word *w)
{
	struct batch_stream *s = w->stream;
	struct msg_link_word row;
	struct key k;

	word_key(w, &k);
	if (db_get_msg(stage_tables(l->st), TABLE_link_words, key_slice(&k),
		MSG_link_word, l->arena, &row)) {
		if (++s->looked_up == FILTER_AFTER && s->filter == NULL)
			filter_make(l, s);
		return row.threads;
	}
	if (w->kind == BATCH_THREADS && s->filter == NULL)
		filter_begin(batch_streams(l), s);
	return 0;
}

uint64_t
batch_count(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	struct word *w = get_word(batch_streams(l), stream, kind, hash);

	if (!w->known && may_have(stream, kind, hash))
		w->threads += look_up(l, w);
	w->known = true;
	return w->threads;
}

void
batch_count_up(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash)
{
	struct streams *all = batch_streams(l);
	struct word *w = get_word(all, stream, kind, hash);

	w->threads++;
	if (w->dirty)
		return;
	w->dirty = true;
	w->known = w->known || !may_have(stream, kind, hash);
	w->after = stream->words;
	stream->words = w;
	filter_add(stream, hash);
	stream_touch(all, stream);
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

void
stream_write_words(struct batch_stream *s, struct db_txn *txn)
{
	struct word *w;

	for (w = s->words; w != NULL; w = w->after)
		write_word(w, txn);
	s->words = NULL;
}
