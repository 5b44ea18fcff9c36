/*
 * fronts - chains that come before those the index has of a word
 */
#include "chainer/fronts.h"

#include <stdlib.h>
#include <xxhash.h>

#include "common/log.h"
#include "common/xmalloc.h"

enum { WORDS_LEAST = 4096 };

/* A word of a stream, and the last that was put under it. */
struct front {
	uint64_t hash;		/* of the key */
	uint32_t key, key_len;	/* where it is in the keys */
	uint32_t last;
};

/* A chain, and what was put under the same word before: from 1; 0: nothing. */
struct put {
	uint64_t ref;
	uint32_t before;
};

static struct {
	struct front *words;
	size_t n_words, cap_words;
	uint32_t *places;	/* by hash: which word, from 1; 0: free */
	struct put *puts;
	size_t n_puts, cap_puts;
	struct buf keys;
} fronts;

static struct slice
key_of(const struct front *f)
{
	return slice_of(fronts.keys.ptr + f->key, f->key_len);
}

/* Where it is, or where it would be; half of the places are free. */
static uint32_t *
place_of(uint64_t hash, struct slice key)
{
	size_t mask = 2 * fronts.cap_words - 1, at = hash & mask;
	const struct front *f;

	for (; fronts.places[at] != 0; at = (at + 1) & mask) {
		f = &fronts.words[fronts.places[at] - 1];
		if (f->hash == hash && slice_eq(key_of(f), key))
			break;
	}
	return &fronts.places[at];
}

static void
make_room(void)
{
	size_t i, cap = fronts.cap_words == 0 ? WORDS_LEAST :
						2 * fronts.cap_words;

	if (fronts.cap_words == 0)
		buf_init(&fronts.keys, UINT32_MAX);
	free(fronts.places);
	fronts.places = xcalloc(2 * cap, sizeof(fronts.places[0]));
	fronts.words = xrealloc(fronts.words, cap * sizeof(fronts.words[0]));
	fronts.cap_words = cap;
	for (i = 0; i < fronts.n_words; i++)
		*place_of(fronts.words[i].hash, key_of(&fronts.words[i])) =
		    (uint32_t)i + 1;
}

static struct front *
find_or_begin(struct slice key)
{
	uint64_t hash = XXH3_64bits(key.ptr, key.len);
	uint32_t *place;

	if (fronts.n_words == fronts.cap_words)
		make_room();
	place = place_of(hash, key);
	if (*place == 0) {
		fronts.words[fronts.n_words] = (struct front){ hash,
			(uint32_t)fronts.keys.len, (uint32_t)key.len, 0 };
		*place = (uint32_t)++fronts.n_words;
		if (buf_addslice(&fronts.keys, key) == -1)
			fatalx(EX_RETRY, "a batch is larger than memory allows");
	}
	return &fronts.words[*place - 1];
}

void
fronts_add(struct slice key, uint64_t ref)
{
	struct front *f = find_or_begin(key);

	if (f->last != 0 && fronts.puts[f->last - 1].ref == ref)
		return;
	if (fronts.n_puts == fronts.cap_puts) {
		fronts.cap_puts = fronts.cap_puts == 0 ? WORDS_LEAST :
						2 * fronts.cap_puts;
		fronts.puts = xrealloc(fronts.puts,
		    fronts.cap_puts * sizeof(fronts.puts[0]));
	}
	fronts.puts[fronts.n_puts++] = (struct put){ ref, f->last };
	f->last = (uint32_t)fronts.n_puts;
}

/* ---- lists ---- */

struct list {
	uint64_t refs[WORK_POSTINGS];
	size_t n;
};

/* Behind the others, if it is none of them and there is room. */
static void
add_behind(struct list *l, uint64_t ref)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->refs[i] == ref)
			return;
	if (l->n < WORK_POSTINGS)
		l->refs[l->n++] = ref;
}

/* What waits, the latest first. */
static void
read_front(const struct front *f, struct list *out)
{
	uint32_t at;

	out->n = 0;
	for (at = f->last; at != 0; at = fronts.puts[at - 1].before)
		add_behind(out, fronts.puts[at - 1].ref);
}

static void
join(void *msg, const void *there)
{
	static struct list all;		/* until it is written */
	struct msg_u64s *refs = &((struct msg_chain_refs *)msg)->chains;
	const struct msg_u64s *old = &((const struct msg_chain_refs *)
	    there)->chains;
	size_t i;

	all.n = 0;
	for (i = 0; i < refs->count; i++)
		add_behind(&all, refs->at[i]);
	for (i = 0; i < old->count; i++)
		add_behind(&all, old->at[i]);
	*refs = (struct msg_u64s){ all.refs, all.n };
}

void
fronts_join(struct slice key, struct msg_chain_refs *there)
{
	struct msg_chain_refs refs = { 0 };
	struct list waits;
	uint32_t place;

	if (fronts.n_words == 0)
		return;
	place = *place_of(XXH3_64bits(key.ptr, key.len), key);
	if (place == 0)
		return;
	read_front(&fronts.words[place - 1], &waits);
	refs.chains = (struct msg_u64s){ waits.refs, waits.n };
	join(&refs, there);
	*there = refs;
}

void
fronts_flush(struct db_txn *txn)
{
	struct msg_chain_refs refs = { 0 };
	struct list waits;
	size_t i;

	if (fronts.n_words == 0)
		return;
	for (i = 0; i < fronts.n_words; i++) {
		read_front(&fronts.words[i], &waits);
		refs.chains = (struct msg_u64s){ waits.refs, waits.n };
		db_merge_msg_later(txn, TABLE_chain_words,
		    key_of(&fronts.words[i]), MSG_chain_refs, &refs, join);
	}
	if (fronts.cap_words > WORDS_LEAST) {
		fronts_forget();
		return;
	}
	memset(fronts.places, 0,
	    2 * fronts.cap_words * sizeof(fronts.places[0]));
	fronts.n_words = fronts.n_puts = 0;
	buf_clear(&fronts.keys);
}

void
fronts_forget(void)
{
	free(fronts.words);
	free(fronts.places);
	free(fronts.puts);
	buf_release(&fronts.keys);
	memset(&fronts, 0, sizeof(fronts));
}

size_t
fronts_bytes(void)
{
	return fronts.n_words * sizeof(fronts.words[0]) +
	    fronts.n_puts * sizeof(fronts.puts[0]) + fronts.keys.len;
}
