/*
 * meaning - whether two topics are about the like, with no word in common
 */
#include "chainer/meaning.h"

#include <libstemmer.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/root.h"
#include "common/widest.h"
#include "common/xmalloc.h"
#include "store/embed.h"

enum {
	PLACES = 1 << 16,	/* at least twice the words of a table */
	GIST_MOST = 2047,
};

/* The words of the table by half of the hash of their stem. */
struct place {
	uint32_t hash;
	uint32_t piece;		/* from 1; 0: empty */
};

struct meaning {
	struct embed *table;
	struct place *places;	/* NULL: nobody has asked for a word yet */
};

/* The first word of a stem stays: words are in order of how usual they are. */
static void
add_word(struct place *places, uint32_t hash, size_t piece)
{
	uint32_t at = hash % PLACES;

	while (places[at].piece != 0 && places[at].hash != hash)
		at = (at + 1) % PLACES;
	if (places[at].piece == 0)
		places[at] = (struct place){ hash, (uint32_t)piece + 1 };
}

static struct place *
place_words(const struct embed *table)
{
	struct place *places = xcalloc(PLACES, sizeof(places[0]));
	struct sb_stemmer *stemmer = sb_stemmer_new("english", "UTF_8");
	const sb_symbol *stem;
	struct slice word;
	size_t i;

	if (stemmer == NULL)
		fatalx(EX_RETRY, "no memory to stem");
	for (i = 0; i < embed_pieces(table) && i < PLACES / 2; i++) {
		word = embed_piece(table, i);
		if (word.len == 0)
			continue;
		stem = sb_stemmer_stem(stemmer, (const sb_symbol *)word.ptr,
		    (int)word.len);
		if (stem == NULL)
			fatalx(EX_RETRY, "no memory to stem");
		add_word(places, (uint32_t)sketch_hash(slice_of(
		    (const char *)stem,
		    (size_t)sb_stemmer_length(stemmer))), i);
	}
	sb_stemmer_delete(stemmer);
	return places;
}

static uint32_t
find_word(const struct meaning *m, uint32_t hash)
{
	uint32_t at = hash % PLACES;

	while (m->places[at].piece != 0 && m->places[at].hash != hash)
		at = (at + 1) % PLACES;
	return m->places[at].piece;
}

/*
 * These are asked for next.  To stem the words of the table takes longer than
 * to start: it is left until then.
 */
static void
approach_words(struct meaning *m, const uint64_t *hashes, size_t n)
{
	size_t i;

	if (m->places == NULL)
		m->places = place_words(m->table);
	for (i = 0; i < n; i++)
		__builtin_prefetch(&m->places[hashes[i] % PLACES]);
}

struct meaning *
meaning_open(const char *path, struct buf *why)
{
	struct embed *table = embed_open(path, why);
	struct meaning *m;

	if (table == NULL)
		return NULL;
	if (embed_dims(table) < GIST_DIMS) {
		buf_addf(why, "%s: its vectors are too short", path);
		embed_close(&table);
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	m->table = table;
	return m;
}

void
meaning_close(struct meaning **m)
{
	if (*m == NULL)
		return;
	embed_close(&(*m)->table);
	free((*m)->places);
	free(*m);
	*m = NULL;
}

/*
 * Brought down to eleven bits: what is compared is a direction, and so all
 * products together stay below 31.
 */
WIDEST static void
gist_turn(struct gist *g)
{
	const int32_t *sum = g->sum;
	int32_t all = 0;
	int i, square = 0, down = 0;

	for (i = 0; i < GIST_DIMS; i++)
		all |= sum[i] < 0 ? -sum[i] : sum[i];
	while (all >> down > GIST_MOST)
		down++;
	for (i = 0; i < GIST_DIMS; i++)
		g->at[i] = (int16_t)(sum[i] >> down);
	for (i = 0; i < GIST_DIMS; i++)
		square += g->at[i] * g->at[i];
	g->length = (int)root_of((uint64_t)square);
}

/* The vectors of words, by their hashes, to what is in `sum`. */
static void
add_words(struct meaning *m, const uint64_t *hashes, size_t n, int32_t *sum)
{
	uint32_t piece, pieces[EMBED_TOGETHER];
	size_t i, found = 0;

	approach_words(m, hashes, n);
	for (i = 0; i < n; i++) {
		piece = find_word(m, (uint32_t)hashes[i]);
		if (piece == 0)
			continue;
		if (found == EMBED_TOGETHER) {
			embed_add(m->table, pieces, found, GIST_DIMS, sum);
			found = 0;
		}
		embed_approach(m->table, piece - 1, GIST_DIMS);
		pieces[found++] = piece - 1;
	}
	if (found > 0)
		embed_add(m->table, pieces, found, GIST_DIMS, sum);
}

WIDEST static void
take_off(int32_t *restrict sum, const int32_t *restrict gone)
{
	int i;

	for (i = 0; i < GIST_DIMS; i++)
		sum[i] -= gone[i];
}

static void
change_gist(struct meaning *m, struct gist *g, const struct change *c)
{
	int32_t gone[GIST_DIMS] = { 0 };

	add_words(m, c->come, c->n_come, g->sum);
	if (c->n_gone == 0)
		return;
	add_words(m, c->gone, c->n_gone, gone);
	take_off(g->sum, gone);
}

static const struct gist *
gist_of(struct meaning *m, const struct topic *t)
{
	const struct sketch *s = t->sketch;
	struct gist *g = s->gist;

	if (g->of_text || g->stamp == s->stamp)
		return g;
	if (g->stamp != 0 && g->stamp == s->change.since)
		change_gist(m, g, &s->change);
	else {
		memset(g->sum, 0, sizeof(g->sum));
		add_words(m, s->keywords.at, s->keywords.n, g->sum);
	}
	gist_turn(g);
	g->stamp = s->stamp;
	return g;
}

void
meaning_read(const struct meaning *m, struct slice text, struct gist *g)
{
	embed_sum(m->table, text, GIST_DIMS, g->sum);
	gist_turn(g);
	g->of_text = true;
}

int
meaning_near(struct meaning *m, const struct topic *a,
    const struct topic *b)
{
	const struct gist *x = gist_of(m, a), *y = gist_of(m, b);
	int i, dot = 0;

	if (x->length == 0 || y->length == 0)
		return 0;
	for (i = 0; i < GIST_DIMS; i++)
		dot += x->at[i] * y->at[i];
	return (int)((int64_t)dot * 1000 / (x->length * y->length));
}
