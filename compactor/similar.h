/*
 * similar - how alike two statements are, and which older one is most alike
 *
 * A statement is its stems, each weighed by how rare it is and how often it is
 * said (tf * idf, the idf of classify's word list); likeness is the cosine
 * between two of them, in thousandths.  Whole numbers throughout.
 *
 * Statements are found by an index, word -> the latest statements with it, per
 * domain and user or room.  A look-up reads the lists of the heaviest words
 * and compares the statements that share most of them: bounded, whatever the
 * store holds.
 */
#ifndef COMPACTOR_SIMILAR_H
#define COMPACTOR_SIMILAR_H

#include "compactor/compact.h"

enum {
	SIMILAR_STEMS = 64,	/* of a statement, the heaviest */
	SIMILAR_LOOKED = 10,	/* of them whose lists are read */
	SIMILAR_LISTED = 64,	/* statements in a word's list, the latest */
	SIMILAR_COMPARED = 16,	/* candidates that are compared whole */
};

/* Whose words: skills are not statements. */
enum similar_kind { SIMILAR_statement = 's', SIMILAR_skill = 'k' };

struct similar;

/* Reads the word list; NULL with the reason if it cannot. */
struct similar *similar_open(const struct conf *conf, struct buf *why);
void similar_close(struct similar **s);

/* A statement's words, in the arena. */
struct msg_similar_doc similar_words(struct similar *s, struct arena *arena,
    struct slice text);
/* The same, read once for all who ask for them about this entry. */
struct msg_similar_doc similar_doc(struct compact *c, struct slice text);
/* Its heaviest words as they are written, folded, for tags. */
void similar_tags(struct similar *s, struct arena *arena, struct slice text,
    size_t most, struct msg_strs *out);
/* 0 to 1000; of two without words 0. */
unsigned similar_cosine(const struct msg_similar_doc *a,
    const struct msg_similar_doc *b);

struct similar_hit {
	uint64_t seq, n;	/* of its key */
	unsigned likeness;
};
/* The most alike of that kind and stream, best first; how many of `most`. */
size_t similar_find(struct compact *c, enum similar_kind kind,
    struct slice user, struct slice room, const struct msg_similar_doc *doc,
    struct similar_hit *out, size_t most);
/* Adds one to the index. */
void similar_add(struct compact *c, enum similar_kind kind, struct slice user,
    struct slice room, const struct msg_similar_doc *doc, uint64_t seq,
    uint64_t n);

#endif
