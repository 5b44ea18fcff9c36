/*
 * meaning - whether two topics are about the like, with no word in common
 */
#include "chainer/meaning.h"

#include <libstemmer.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/xmalloc.h"
#include "store/embed.h"

enum {
	PLACES = 1 << 16,	/* at least twice the words of a table */
};

/* The words of the table by the hash of their stem. */
struct place {
	uint32_t hash;
	uint32_t piece;		/* from 1; 0: empty */
};

struct meaning {
	struct embed *table;
	struct place places[PLACES];
};

/* The first word of a stem stays: words are in order of how usual they are. */
static void
add_word(struct meaning *m, uint32_t hash, size_t piece)
{
	uint32_t at = hash % PLACES;

	while (m->places[at].piece != 0 && m->places[at].hash != hash)
		at = (at + 1) % PLACES;
	if (m->places[at].piece == 0)
		m->places[at] = (struct place){ hash, (uint32_t)piece + 1 };
}

static uint32_t
find_word(const struct meaning *m, uint32_t hash)
{
	uint32_t at = hash % PLACES;

	while (m->places[at].piece != 0 && m->places[at].hash != hash)
		at = (at + 1) % PLACES;
	return m->places[at].piece;
}

static void
add_words(struct meaning *m)
{
	struct sb_stemmer *stemmer = sb_stemmer_new("english", "UTF_8");
	const sb_symbol *stem;
	struct slice word;
	size_t i;

	if (stemmer == NULL)
		fatalx(EX_RETRY, "no memory to stem");
	for (i = 0; i < embed_pieces(m->table) && i < PLACES / 2; i++) {
		word = embed_piece(m->table, i);
		if (word.len == 0)
			continue;
		stem = sb_stemmer_stem(stemmer, (const sb_symbol *)word.ptr,
		    (int)word.len);
		if (stem == NULL)
			fatalx(EX_RETRY, "no memory to stem");
		add_word(m, sketch_hash(slice_of((const char *)stem,
		    (size_t)sb_stemmer_length(stemmer))), i);
	}
	sb_stemmer_delete(stemmer);
}

struct meaning *
meaning_open(const char *path, struct buf *why)
{
	struct embed *table = embed_open(path, why);
	struct meaning *m;

	if (table == NULL)
		return NULL;
	if (embed_dims(table) != GIST_DIMS) {
		buf_addf(why, "%s: vectors of another size", path);
		embed_close(&table);
		return NULL;
	}
	m = xcalloc(1, sizeof(*m));
	m->table = table;
	add_words(m);
	return m;
}

void
meaning_close(struct meaning **m)
{
	if (*m == NULL)
		return;
	embed_close(&(*m)->table);
	free(*m);
	*m = NULL;
}

static const struct gist *
gist_of(const struct meaning *m, const struct topic *t)
{
	const struct hashes *h = &t->sketch->keywords;
	struct gist *g = t->sketch->gist;
	int32_t sum[GIST_DIMS] = { 0 };
	uint32_t piece;
	size_t i;

	if (g->found)
		return g;
	for (i = 0; i < t->keywords.count; i++) {
		piece = find_word(m, h->at[i]);
		if (piece != 0)
			embed_add(m->table, piece - 1, 1, sum);
	}
	(void)embed_round(m->table, sum, g->at);
	g->found = true;
	return g;
}

void
meaning_read(const struct meaning *m, struct slice text, struct gist *g)
{
	(void)embed_text(m->table, text, g->at);
	g->found = true;
}

int
meaning_near(const struct meaning *m, const struct topic *a,
    const struct topic *b)
{
	int64_t near = embed_cosine(gist_of(m, a)->at, gist_of(m, b)->at,
	    GIST_DIMS);

	near = near * 1000 / EMBED_NORM;
	return near < -1000 ? -1000 : near > 1000 ? 1000 : (int)near;
}
