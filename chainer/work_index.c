/*
 * work_index - which chains of a stream hold a word
 */
#include <xxhash.h>

#include "chainer/fronts.h"
#include "chainer/work_impl.h"

/* One that begins with the stream becomes the word's in it. */
static void
set_word(struct key *k, size_t stream_len, struct slice word)
{
	k->len = stream_len;
	key_add_u64(k, XXH3_64bits(word.ptr, word.len));
}

/* The chains under a word, the latest first; they live until the next look. */
static struct msg_u64s
find_word(struct work *w, struct key *k, struct slice word)
{
	struct msg_chain_refs refs;

	set_word(k, w->stream_key.len, word);
	if (!db_get_msg(stage_tables(w->st), TABLE_chain_words, key_slice(k),
		MSG_chain_refs, w->arena, &refs))
		refs = (struct msg_chain_refs){ 0 };
	fronts_join(key_slice(k), &refs);
	return refs.chains;
}

struct hit {
	uint64_t ref, weight;
};

static size_t
add_hit(struct hit *hits, size_t n, size_t most, uint64_t ref, uint64_t weight)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (hits[i].ref == ref) {
			hits[i].weight += weight;
			return n;
		}
	if (n < most)
		hits[n++] = (struct hit){ ref, weight };
	return n;
}

static size_t
look_up_words(struct work *w, const struct msg_strs *words,
    const struct msg_u64s *weights, uint64_t scale, struct hit *hits, size_t n,
    size_t most)
{
	struct msg_u64s refs;
	struct key k;
	size_t i, at;

	work_key(&k, w->stream_key);
	for (i = 0; i < words->count && i < WORK_LOOKUP_WORDS; i++) {
		refs = find_word(w, &k, words->at[i]);
		for (at = 0; at < refs.count; at++)
			n = add_hit(hits, n, most, refs.at[at],
			    i < weights->count ? weights->at[i] * scale : 1);
	}
	return n;
}

size_t
work_look_up(struct work *w, const struct topic *claim, uint64_t *refs,
    size_t most)
{
	enum { HITS = 2 * WORK_LOOKUP_WORDS * WORK_POSTINGS };
	struct hit hits[HITS], best;
	size_t i, n, at, found = 0;

	/* Entities' weights are of another scale; a name says as much as a word. */
	n = look_up_words(w, &claim->entities, &claim->entity_weights, 8, hits,
	    0, HITS);
	n = look_up_words(w, &claim->keywords, &claim->weights, 1, hits, n,
	    HITS);
	for (; found < most && n > 0; found++) {
		for (i = 1, at = 0; i < n; i++)
			if (hits[i].weight > hits[at].weight ||
			    (hits[i].weight == hits[at].weight &&
				hits[i].ref > hits[at].ref))
				at = i;
		best = hits[at];
		hits[at] = hits[--n];
		refs[found] = best.ref;
	}
	return found;
}

static void
index_words(uint64_t ref, struct key *k, size_t stream_len,
    const struct msg_strs *words, size_t most)
{
	size_t i;

	for (i = 0; i < words->count && i < most; i++) {
		set_word(k, stream_len, words->at[i]);
		fronts_add(key_slice(k), ref);
	}
}

void
work_index_chain(const struct msg_chain *c)
{
	size_t stream_len;
	struct key k;

	work_chain_stream(&k, c);
	stream_len = k.len;
	index_words(c->ref, &k, stream_len, &c->keywords, WORK_INDEX_WORDS);
	index_words(c->ref, &k, stream_len, &c->entities, CHAIN_ENTITIES);
}
