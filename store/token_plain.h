/*
 * token_plain - the words of a text as they stand
 *
 * For tokenise.c, whose tokenise_plain says what they are.
 */
#ifndef STORE_TOKEN_PLAIN_H
#define STORE_TOKEN_PLAIN_H

#include "common/buf.h"
#include "store/token_words.h"

void token_plain(struct arena *scratch, const struct token_words *words,
    struct slice text, struct buf *out);

#endif
