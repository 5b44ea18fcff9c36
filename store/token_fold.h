/*
 * token_fold - letters as the search index knows them
 */
#ifndef STORE_TOKEN_FOLD_H
#define STORE_TOKEN_FOLD_H

#include <stdbool.h>

#include "common/buf.h"

/*
 * Folded, without marks where a word is of a script whose marks are accents or
 * vowels that are mostly left out, and with letters that are written both ways
 * as one: dotless i and i, Arabic's forms of alef and heh.  The result is `s`
 * itself where nothing changes, else memory of the arena.
 */
struct slice token_fold(struct arena *a, struct slice s);

/* A syllable of Hangul, as folding leaves it. */
bool token_is_hangul(int32_t cp);
/* Of a script whose terms are pairs of characters. */
bool token_is_paired(int32_t cp);
/* One character of such a script, with its marks. */
bool token_is_lone(struct slice term);

#endif
