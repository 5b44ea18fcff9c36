/*
 * meaning - whether two topics are about the like, with no word in common
 *
 * "Which broker?" returns to talk of funds and savings although none of its
 * words was said there.  A topic's gist is the sum of the vectors of its
 * keywords (store/embed.h), the first numbers of them; how near two topics
 * are is the cosine of their gists.  Keywords are stems, so the table's words
 * are found by theirs.  Whole numbers throughout, and nothing of it is kept in
 * tables: a gist follows from the keywords that are.
 */
#ifndef CHAINER_MEANING_H
#define CHAINER_MEANING_H

#include "chainer/sketch.h"

struct meaning;

/*
 * Opens the table of vectors.  NULL when there is none or it does not fit;
 * the reason is then in `why`, one line.
 */
struct meaning *meaning_open(const char *path, struct buf *why)
    __attribute__((warn_unused_result));
void meaning_close(struct meaning **m);

/*
 * In thousandths, -1000 to 1000: 0 nothing to do with each other, or not
 * known.  Both topics need a sketch, which then keeps their gist.
 */
/* The gist of a text, in the place of its keywords'. */
void meaning_read(const struct meaning *m, struct slice text, struct gist *g);
int meaning_near(struct meaning *m, const struct topic *a,
    const struct topic *b);

#endif
