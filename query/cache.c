/*
 * cache - answers that still hold
 */
#include "query/cache.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/stage_impl.h"
#include "common/xmalloc.h"

enum {
	CACHE_ANSWERS = 256,	/* by a hash of what was asked */
	CACHE_DOMAINS = 1024,
	ANSWER_BYTES = 256 * 1024,	/* a larger one is not kept */
	CACHE_BYTES = 16 * 1024 * 1024,	/* then all make room */
	FOLLOWED_MOST = 2000	/* so far behind, all is forgotten instead */
};

struct answer {
	struct buf asked, text, used;
	size_t domain;			/* its place in `changed` */
	struct cache_state state;	/* when it was asked for */
};

struct cache {
	uint64_t seq, epochs;
	uint64_t forgotten;	/* how often all was */
	/* The last entry that changed anything, by a hash of the domain. */
	uint64_t changed[CACHE_DOMAINS];
	struct answer answers[CACHE_ANSWERS];
	size_t bytes;		/* that answers take up */
	struct arena arena;
};

static uint64_t
hash(struct slice s)
{
	return XXH3_64bits(s.ptr, s.len);
}

static size_t
place_of_domain(struct slice domain)
{
	return hash(domain) % CACHE_DOMAINS;
}

struct cache *
cache_open(void)
{
	struct cache *cache = xcalloc(1, sizeof(*cache));
	size_t i;

	arena_init(&cache->arena);
	for (i = 0; i < CACHE_ANSWERS; i++) {
		buf_init(&cache->answers[i].asked, ANSWER_BYTES);
		buf_init(&cache->answers[i].text, ANSWER_BYTES);
		buf_init(&cache->answers[i].used, ANSWER_BYTES);
	}
	return cache;
}

static size_t
bytes_of(const struct answer *a)
{
	return a->asked.cap + a->text.cap + a->used.cap;
}

static void
release_all(struct cache *cache)
{
	size_t i;

	for (i = 0; i < CACHE_ANSWERS; i++) {
		buf_release(&cache->answers[i].asked);
		buf_release(&cache->answers[i].text);
		buf_release(&cache->answers[i].used);
	}
	cache->bytes = 0;
}

void
cache_close(struct cache **cache)
{
	release_all(*cache);
	arena_release(&(*cache)->arena);
	free(*cache);
	*cache = NULL;
}

/* Time and use come too often: what they do may wait for CACHE_HOLDS_MS. */
static bool
changes_answers(enum msg_id id)
{
	return id != MSG_tick && id != MSG_used;
}

void
cache_change(struct cache *cache, struct slice domain, uint64_t seq)
{
	cache->changed[place_of_domain(domain)] = seq;
}

/* What is kept may hold words that are to be forgotten. */
static void
forget_all(struct cache *cache)
{
	cache->forgotten++;
	release_all(cache);
}

static void
follow_entry(struct cache *cache, struct db_txn *shared, uint64_t seq)
{
	struct key k = key_u64(seq);
	struct msg_error why;
	struct slice record;
	struct msg m;

	if (!db_get(shared, TABLE_log, key_slice(&k), &record) ||
	    msg_decode(record, &cache->arena, &m, &why) == -1 ||
	    !msg_is_entry(m.id)) {
		forget_all(cache);
		return;
	}
	if (changes_answers(m.id))
		cache_change(cache, m.as->envelope.domain, seq);
}

uint64_t
cache_follow(struct cache *cache, struct db_txn *shared)
{
	struct msg_cursor c = { 0 };
	uint64_t epochs = 0, seq = 0;
	enum stage_id id;

	for (id = 0; id < STAGE_COUNT; id++) {
		c = (struct msg_cursor){ 0 };
		(void)db_get_msg(shared, TABLE_cursors,
		    slice_str(stage_name(id)), MSG_cursor, &cache->arena, &c);
		epochs += c.epoch;
		seq = c.seq;	/* the last is the store's */
	}
	if (epochs != cache->epochs || seq < cache->seq ||
	    seq - cache->seq > FOLLOWED_MOST) {
		forget_all(cache);
		cache->seq = seq;
		cache->epochs = epochs;
	}
	while (cache->seq < seq) {
		follow_entry(cache, shared, ++cache->seq);
		arena_reset(&cache->arena);
	}
	arena_reset(&cache->arena);
	return seq;
}

struct cache_state
cache_state(const struct cache *cache)
{
	return (struct cache_state){ .seq = cache->seq,
		.forgotten = cache->forgotten, .at_ms = steady_ms() };
}

bool
cache_words(const struct msg_ask *ask, struct buf *out)
{
	struct msg_ask words = { .verb = ask->verb, .rows = ask->rows,
		.arguments = ask->arguments };

	return (slice_is(ask->verb, "search") ||
		slice_is(ask->verb, "context") ||
		slice_is(ask->verb, "begin")) &&
	    msg_encode(out, MSG_ask, &words) == 0;
}

static struct answer *
place_of(struct cache *cache, struct slice asked)
{
	return &cache->answers[hash(asked) % CACHE_ANSWERS];
}

bool
cache_find(struct cache *cache, const struct cache_state *now,
    struct slice asked, struct slice *answer, struct slice *used)
{
	struct answer *a = place_of(cache, asked);

	if (a->asked.len == 0 || !slice_eq(buf_slice(&a->asked), asked) ||
	    cache->changed[a->domain] > a->state.seq ||
	    a->state.forgotten != now->forgotten ||
	    now->at_ms - a->state.at_ms >= CACHE_HOLDS_MS)
		return false;
	*answer = buf_slice(&a->text);
	*used = buf_slice(&a->used);
	return true;
}

void
cache_keep(struct cache *cache, const struct cache_state *state,
    struct slice domain, struct slice asked, struct slice answer,
    struct slice used)
{
	struct answer *a = place_of(cache, asked);

	buf_clear(&a->asked);
	if (answer.len >= ANSWER_BYTES || asked.len >= ANSWER_BYTES ||
	    used.len >= ANSWER_BYTES)
		return;
	if (cache->bytes >= CACHE_BYTES)
		release_all(cache);
	cache->bytes -= bytes_of(a);
	buf_clear(&a->text);
	buf_clear(&a->used);
	a->state = *state;
	a->domain = place_of_domain(domain);
	/* The question last: without it the answer is none. */
	if (buf_addslice(&a->text, answer) == 0 &&
	    buf_addslice(&a->used, used) == 0 &&
	    buf_addslice(&a->asked, asked) == -1)
		buf_clear(&a->asked);
	cache->bytes += bytes_of(a);
}
