/*
 * similar - how alike two statements are, and which older one is most alike
 */
#include "compactor/similar.h"

#include <stdlib.h>
#include <xxhash.h>

#include "classify/keywords.h"
#include "common/xmalloc.h"

enum {
	COUNTED_MOST = 3,	/* saying a word more often adds nothing */
};

struct similar {
	struct lexicon *lexicon;
};

struct similar *
similar_open(const struct conf *conf, struct buf *why)
{
	char *dir = conf_data_path(conf, "idf.tsv"), *slash;
	struct similar *s;

	if (dir == NULL) {
		buf_adds(why, "idf.tsv: cannot be found; see data_dir");
		return NULL;
	}
	slash = strrchr(dir, '/');
	*slash = '\0';
	s = xcalloc(1, sizeof(*s));
	if (lexicon_open(&s->lexicon, dir) == -1) {
		buf_addf(why, "%s: the word lists cannot be read", dir);
		free(s);
		s = NULL;
	}
	free(dir);
	return s;
}

void
similar_close(struct similar **s)
{
	if (*s == NULL)
		return;
	lexicon_close(&(*s)->lexicon);
	free(*s);
	*s = NULL;
}

/* ---- words ---- */

/* All of the text counts here: what is remembered may well be code. */
static size_t
terms_in(struct similar *s, struct arena *arena, struct slice text,
    struct term **out)
{
	struct sift_span whole = { 0, text.len, SIFT_OWN, false };
	struct sifted sifted = { &whole, 1 };

	if (text.len == 0)
		return 0;
	return terms_of(s->lexicon, arena, text, &sifted,
	    (struct sentence){ 0, text.len }, out);
}

struct word {
	uint64_t stem;
	uint64_t weight;
	struct slice text;
};

static int
by_stem(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	return x->stem < y->stem ? -1 : x->stem > y->stem;
}

/* Heaviest first, by stem on a tie. */
static int
by_weight(const void *a, const void *b)
{
	const struct word *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return by_stem(a, b);
}

/* Equal ones keep their order.  Nearly all texts have a few words only. */
static void
sort_words(struct word *words, size_t n,
    int (*order)(const void *a, const void *b))
{
	enum { FEW = 16 };
	struct word w;
	size_t i, k;

	if (n > FEW) {
		qsort(words, n, sizeof(words[0]), order);
		return;
	}
	for (i = 1; i < n; i++) {
		w = words[i];
		for (k = i; k > 0 && order(&words[k - 1], &w) > 0; k--)
			words[k] = words[k - 1];
		words[k] = w;
	}
}

/* The same stems made one, each weighed by how often it is said. */
static size_t
count_words(struct word *words, size_t n)
{
	size_t i, kept = 0, times = 0;
	uint64_t once = 0;

	sort_words(words, n, by_stem);
	for (i = 0; i < n; i++) {
		if (kept > 0 && words[kept - 1].stem == words[i].stem) {
			if (++times <= COUNTED_MOST)
				words[kept - 1].weight = once * times;
			continue;
		}
		times = 1;
		once = words[i].weight;
		words[kept++] = words[i];
	}
	return kept;
}

static size_t
words_in(struct similar *s, struct arena *arena, struct slice text,
    struct word **out)
{
	struct term *terms = NULL;
	size_t i, n = 0, count = terms_in(s, arena, text, &terms);
	struct word *words = arena_array(arena, count + 1, sizeof(words[0]));

	for (i = 0; i < count; i++)
		if (terms[i].class != TERM_STOP && terms[i].weight > 0)
			words[n++] = (struct word){
				XXH3_64bits(terms[i].stem.ptr,
				    terms[i].stem.len),
				terms[i].weight, terms[i].folded };
	n = count_words(words, n);
	sort_words(words, n, by_weight);
	*out = words;
	return n > SIMILAR_STEMS ? SIMILAR_STEMS : n;
}

struct msg_similar_doc
similar_words(struct similar *s, struct arena *arena, struct slice text)
{
	struct msg_similar_doc doc = { 0 };
	struct word *words;
	size_t i, n = words_in(s, arena, text, &words);

	sort_words(words, n, by_stem);
	doc.stems.at = arena_array(arena, n, sizeof(doc.stems.at[0]));
	doc.weights.at = arena_array(arena, n, sizeof(doc.weights.at[0]));
	for (i = 0; i < n; i++) {
		doc.stems.at[i] = words[i].stem;
		doc.weights.at[i] = words[i].weight;
	}
	doc.stems.count = doc.weights.count = n;
	return doc;
}

struct similar_known {
	struct similar_known *next;
	struct slice text;
	struct msg_similar_doc doc;
};

struct msg_similar_doc
similar_doc(struct compact *c, struct slice text)
{
	struct compact_tools *tools = stage_state(c->st);
	struct similar_known *k = tools == NULL ? NULL : tools->known;

	for (; k != NULL; k = k->next)
		if (slice_eq(k->text, text))
			return k->doc;
	k = arena_alloc(c->arena, sizeof(*k));
	*k = (struct similar_known){ .text = text,
		.doc = similar_words(c->similar, c->arena, text) };
	if (tools != NULL) {
		k->next = tools->known;
		tools->known = k;
	}
	return k->doc;
}

void
similar_tags(struct similar *s, struct arena *arena, struct slice text,
    size_t most, struct msg_strs *out)
{
	struct word *words;
	size_t i, n = words_in(s, arena, text, &words);

	for (i = 0; i < n && out->count < most; i++)
		if (!strs_has(out, words[i].text))
			strs_add(out, arena, words[i].text);
}

static uint64_t
root(uint64_t n)
{
	uint64_t r = 0, bit;

	for (bit = UINT64_C(1) << 31; bit > 0; bit >>= 1)
		if ((r + bit) * (r + bit) <= n)
			r += bit;
	return r;
}

static uint64_t
square_sum(const struct msg_similar_doc *d)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < d->weights.count; i++)
		sum += d->weights.at[i] * d->weights.at[i];
	return sum;
}

/* Weights have 16 bits and docs 64 words: nothing here passes 2^50. */
unsigned
similar_cosine(const struct msg_similar_doc *a,
    const struct msg_similar_doc *b)
{
	uint64_t dot = 0, norm;
	size_t i = 0, k = 0;

	while (i < a->stems.count && k < b->stems.count) {
		if (a->stems.at[i] == b->stems.at[k])
			dot += a->weights.at[i++] * b->weights.at[k++];
		else if (a->stems.at[i] < b->stems.at[k])
			i++;
		else
			k++;
	}
	norm = root(square_sum(a)) * root(square_sum(b));
	if (norm == 0)
		return 0;
	norm = dot * 1000 / norm;
	return norm > 1000 ? 1000 : (unsigned)norm;
}

/* ---- the index ---- */

static struct key
doc_key(enum similar_kind kind, uint64_t seq, uint64_t n)
{
	char letter = (char)kind;
	struct key k;

	key_init(&k);
	key_add_bytes(&k, slice_of(&letter, 1));
	key_add_u64(&k, seq);
	key_add_u64(&k, n);
	return k;
}

/* All words of one user or room, before the word itself. */
static struct key
words_key(const struct compact *c, enum similar_kind kind, struct slice user,
    struct slice room)
{
	struct key k = key_stream(c->envelope->domain, user, room);
	char letter = (char)kind;

	key_add_bytes(&k, slice_of(&letter, 1));
	return k;
}

static void
key_set_word(struct key *k, size_t prefix, uint64_t stem)
{
	k->len = prefix;
	key_add_u64(k, stem);
}

struct candidate {
	uint64_t seq, n;
	uint64_t shared;	/* weight of the words it has */
};

/* The most in common first, the newest on a tie. */
static int
by_shared(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->shared != y->shared)
		return x->shared > y->shared ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq > y->seq ? -1 : 1;
	return x->n > y->n ? -1 : x->n < y->n;
}

static void
count_doc(struct candidate *all, size_t *n, uint64_t seq, uint64_t number,
    uint64_t weight)
{
	size_t i;

	for (i = 0; i < *n; i++)
		if (all[i].seq == seq && all[i].n == number) {
			all[i].shared += weight;
			return;
		}
	all[(*n)++] = (struct candidate){ seq, number, weight };
}

/* The doc's words, the heaviest first, as indices. */
static size_t
heaviest(const struct msg_similar_doc *doc, struct arena *arena,
    struct word **out)
{
	size_t i, n = doc->stems.count;
	struct word *words = arena_array(arena, n, sizeof(words[0]));

	for (i = 0; i < n; i++)
		words[i] = (struct word){ doc->stems.at[i],
			doc->weights.at[i], SLICE_NONE };
	sort_words(words, n, by_weight);
	*out = words;
	return n > SIMILAR_LOOKED ? SIMILAR_LOOKED : n;
}

static size_t
gather(struct compact *c, enum similar_kind kind, struct slice user,
    struct slice room, const struct msg_similar_doc *doc,
    struct candidate *all)
{
	struct msg_similar_refs refs;
	struct word *words;
	size_t i, k, n = 0, looked = heaviest(doc, c->arena, &words);
	struct key key = words_key(c, kind, user, room);
	size_t prefix = key.len;

	for (i = 0; i < looked; i++) {
		key_set_word(&key, prefix, words[i].stem);
		if (!compact_share(c, TABLE_similar_words, &key,
			MSG_similar_refs, &refs))
			continue;
		for (k = 0; k + 1 < refs.docs.count &&
		     k < 2 * SIMILAR_LISTED; k += 2)
			count_doc(all, &n, refs.docs.at[k],
			    refs.docs.at[k + 1], words[i].weight);
	}
	return n;
}

static int
by_likeness(const void *a, const void *b)
{
	const struct similar_hit *x = a, *y = b;

	if (x->likeness != y->likeness)
		return x->likeness > y->likeness ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq < y->seq ? -1 : 1;
	return x->n < y->n ? -1 : x->n > y->n;
}

size_t
similar_find(struct compact *c, enum similar_kind kind, struct slice user,
    struct slice room, const struct msg_similar_doc *doc,
    struct similar_hit *out, size_t most)
{
	struct candidate *all = arena_room(c->arena,
	    SIMILAR_LOOKED * SIMILAR_LISTED * sizeof(all[0]));
	struct similar_hit hits[SIMILAR_COMPARED];
	size_t i, n = gather(c, kind, user, room, doc, all), found = 0;
	struct msg_similar_doc other;
	struct key k;

	qsort(all, n, sizeof(all[0]), by_shared);
	for (i = 0; i < n && i < SIMILAR_COMPARED; i++) {
		k = doc_key(kind, all[i].seq, all[i].n);
		if (compact_get(c, TABLE_similar_docs, &k, MSG_similar_doc,
			&other))
			hits[found++] = (struct similar_hit){ all[i].seq,
				all[i].n, similar_cosine(doc, &other) };
	}
	qsort(hits, found, sizeof(hits[0]), by_likeness);
	if (found > most)
		found = most;
	if (found > 0)
		memcpy(out, hits, found * sizeof(out[0]));
	return found;
}

static void
add_ref(struct compact *c, const struct key *key, uint64_t seq, uint64_t n)
{
	struct msg_similar_refs old, refs = { 0 };
	size_t kept = 0;

	if (compact_share(c, TABLE_similar_words, key, MSG_similar_refs, &old))
		kept = old.docs.count < 2 * (SIMILAR_LISTED - 1) ?
		    old.docs.count : 2 * (SIMILAR_LISTED - 1);
	refs.docs.at = arena_array(c->arena, kept + 2,
	    sizeof(refs.docs.at[0]));
	refs.docs.at[0] = seq;
	refs.docs.at[1] = n;
	if (kept > 0)
		memcpy(refs.docs.at + 2, old.docs.at,
		    kept * sizeof(refs.docs.at[0]));
	refs.docs.count = kept + 2;
	compact_put(c, TABLE_similar_words, key, MSG_similar_refs, &refs);
}

void
similar_add(struct compact *c, enum similar_kind kind, struct slice user,
    struct slice room, const struct msg_similar_doc *doc, uint64_t seq,
    uint64_t n)
{
	struct key k = doc_key(kind, seq, n);
	struct word *words;
	size_t i, looked, prefix;

	if (doc->stems.count == 0)
		return;
	compact_put(c, TABLE_similar_docs, &k, MSG_similar_doc, doc);
	looked = heaviest(doc, c->arena, &words);
	k = words_key(c, kind, user, room);
	prefix = k.len;
	for (i = 0; i < looked; i++) {
		key_set_word(&k, prefix, words[i].stem);
		add_ref(c, &k, seq, n);
	}
}
