/*
 * token_memo - what tokens gave when they came before
 */
#include "store/token_memo.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/xmalloc.h"

enum {
	SLOTS = 1 << 16,
	MOST = SLOTS / 2,
	KEY_BYTES = 64,		/* longer tokens are not remembered */
	HEAD_BYTES = 16,	/* of shorter ones the key has all */
	ARENA_BYTES = 16 << 20,
};

/*
 * What a token is found by: its kind, its length and its bytes, where they are
 * no more than two words, else a hash of them.
 */
struct memo_key {
	uint64_t head, tail;
	unsigned char len, kind;
};

struct slot {
	struct memo_key key;
	struct token_terms *terms;	/* NULL: free */
};

struct token_memo {
	struct slot slots[SLOTS];
	size_t n;
	struct arena arena;	/* what the slots point to */
};

struct token_memo *
token_memo_new(void)
{
	return xcalloc(1, sizeof(struct token_memo));
}

void
token_memo_free(struct token_memo **m)
{
	arena_release(&(*m)->arena);
	free(*m);
	*m = NULL;
}

void
token_memo_tidy(struct token_memo *m)
{
	if (m->n < MOST && m->arena.total <= ARENA_BYTES)
		return;
	memset(m->slots, 0, sizeof(m->slots));
	m->n = 0;
	arena_release(&m->arena);
}

static uint64_t
load(const char *at, size_t len)
{
	uint64_t n = 0;

	memcpy(&n, at, len);
	return n;
}

/* Both words may hold some of the same bytes: with the length, all are told. */
static struct memo_key
make_key(struct slice raw, enum text_kind kind)
{
	struct memo_key k = { .len = (unsigned char)raw.len,
		.kind = (unsigned char)kind };
	const char *end = raw.ptr + raw.len;

	if (raw.len > HEAD_BYTES)
		k.head = XXH3_64bits(raw.ptr, raw.len);
	else if (raw.len >= 8) {
		k.head = load(raw.ptr, 8);
		k.tail = load(end - 8, 8);
	} else if (raw.len >= 4) {
		k.head = load(raw.ptr, 4);
		k.tail = load(end - 4, 4);
	} else if (raw.len > 0) {
		k.head = load(raw.ptr, 1);
		k.tail = load(raw.ptr + raw.len / 2, 1) << 8 |
		    load(end - 1, 1);
	}
	return k;
}

static size_t
first_slot(const struct memo_key *k)
{
	uint64_t mixed = (k->head ^ k->len ^ (uint64_t)k->kind << 8) *
	    UINT64_C(0x9e3779b97f4a7c15);

	mixed = (mixed ^ mixed >> 32 ^ k->tail) * UINT64_C(0xff51afd7ed558ccd);
	return (mixed >> 40) % SLOTS;
}

static bool
is_it(const struct slot *s, const struct memo_key *k, struct slice raw)
{
	return s->key.head == k->head && s->key.tail == k->tail &&
	    s->key.len == k->len && s->key.kind == k->kind &&
	    (raw.len <= HEAD_BYTES ||
		memcmp(s->terms->raw, raw.ptr, raw.len) == 0);
}

/* Where it is, or would be put. */
static size_t
find_slot(const struct token_memo *m, const struct memo_key *k,
    struct slice raw)
{
	size_t at = first_slot(k);

	while (m->slots[at].terms != NULL && !is_it(&m->slots[at], k, raw))
		at = (at + 1) % SLOTS;
	return at;
}

struct token_terms *
token_memo_find(const struct token_memo *m, struct slice raw,
    enum text_kind kind)
{
	struct memo_key k;

	if (raw.len > KEY_BYTES)
		return NULL;
	k = make_key(raw, kind);
	return m->slots[find_slot(m, &k, raw)].terms;
}

void
token_memo_learn(struct token_memo *m, struct slice raw, enum text_kind kind,
    struct token *tokens, size_t n)
{
	struct token_terms *kept;
	struct memo_key k;
	size_t i;

	if (raw.len > KEY_BYTES || m->n >= MOST)
		return;
	kept = arena_alloc(&m->arena, sizeof(*kept) + n * sizeof(kept->at[0]));
	kept->n = n;
	if (raw.len > HEAD_BYTES)
		kept->raw = arena_dup(&m->arena, raw).ptr;
	for (i = 0; i < n; i++) {
		kept->at[i].term = arena_dup(&m->arena, tokens[i].term);
		kept->at[i].hash = tokens[i].hash;
		tokens[i].term = kept->at[i].term;
		tokens[i].note = &kept->at[i].note;
	}
	k = make_key(raw, kind);
	m->slots[find_slot(m, &k, raw)] = (struct slot){ k, kept };
	m->n++;
}
