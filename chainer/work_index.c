/*
 * work_index - which chains of a stream hold a word
 */
#include <xxhash.h>

#include "chainer/work_impl.h"

static struct key
word_key(struct slice stream, struct slice word)
{
	struct key k = work_key(stream);

	key_add_u64(&k, XXH3_64bits(word.ptr, word.len));
	return k;
}

static const struct msg_chain_refs *
find_word(struct work *w, struct slice word)
{
	struct key k = word_key(w->stream_key, word);

	return memo_msg(memo_find(w->st, TABLE_chain_words, MSG_chain_refs,
	    key_slice(&k)));
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
	const struct msg_chain_refs *refs;
	size_t i, at;

	for (i = 0; i < words->count && i < WORK_LOOKUP_WORDS; i++) {
		refs = find_word(w, words->at[i]);
		for (at = 0; refs != NULL && at < refs->chains.count; at++)
			n = add_hit(hits, n, most, refs->chains.at[at],
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

/* The latest are before all that the table has. */
static void
join_refs(void *msg, const void *there)
{
	static uint64_t all[WORK_POSTINGS];	/* until it is written */
	struct msg_chain_refs *refs = msg;
	const struct msg_u64s *old = &((const struct msg_chain_refs *)
	    there)->chains;
	size_t i, k, n = 0;

	for (; n < refs->chains.count && n < WORK_POSTINGS; n++)
		all[n] = refs->chains.at[n];
	for (i = 0; i < old->count && n < WORK_POSTINGS; i++) {
		for (k = 0; k < refs->chains.count; k++)
			if (refs->chains.at[k] == old->at[i])
				break;
		if (k == refs->chains.count)
			all[n++] = old->at[i];
	}
	refs->chains = (struct msg_u64s){ all, n };
}

static void
index_word(struct work *w, uint64_t ref, struct slice stream,
    struct slice word)
{
	struct key k = word_key(stream, word);
	struct row *row = memo_front(TABLE_chain_words, MSG_chain_refs,
	    key_slice(&k), join_refs);
	const struct msg_chain_refs *there = memo_msg(row);
	struct msg_chain_refs refs = { 0 };

	if (there != NULL)
		refs = *there;
	if (refs.chains.count > 0 && refs.chains.at[0] == ref)
		return;
	(void)refs_to_front(&refs.chains, w->arena, ref, WORK_POSTINGS);
	memo_put(row, &refs);
}

static void
index_words(struct work *w, uint64_t ref, struct slice stream,
    const struct msg_strs *words, size_t most)
{
	size_t i;

	for (i = 0; i < words->count && i < most; i++)
		index_word(w, ref, stream, words->at[i]);
}

void
work_index_chain(struct work *w, const struct msg_chain *c)
{
	struct key stream = work_chain_stream(c);

	index_words(w, c->ref, key_slice(&stream), &c->keywords,
	    WORK_INDEX_WORDS);
	index_words(w, c->ref, key_slice(&stream), &c->entities,
	    CHAIN_ENTITIES);
}
