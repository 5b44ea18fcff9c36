/*
 * token_words - words that the tokeniser knows by heart
 *
 * For tokenise.c: stop words, and forms that no ending tells.
 */
#ifndef STORE_TOKEN_WORDS_H
#define STORE_TOKEN_WORDS_H

#include <stdbool.h>

#include "common/buf.h"

struct token_words;

struct token_words *token_words_new(void);
void token_words_free(struct token_words **w);
/* Both take a word as it is folded. */
bool token_is_stop(const struct token_words *w, struct slice word);
/* What it is a form of; mostly itself. */
struct slice token_base(const struct token_words *w, struct slice word);

#endif
