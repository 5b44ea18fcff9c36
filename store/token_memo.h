/*
 * token_memo - what tokens gave when they came before
 *
 * For tokenise.c.  The memory is bounded: when it is full, all of it is
 * forgotten between two texts.
 */
#ifndef STORE_TOKEN_MEMO_H
#define STORE_TOKEN_MEMO_H

#include "common/text.h"
#include "store/tokenise.h"

struct token_memo;

/* What a token gives. */
struct token_terms {
	const char *raw;	/* of a long one */
	size_t n;
	struct token_term {
		struct slice term;
		uint64_t hash, note;
	} at[];
};

struct token_memo *token_memo_new(void);
void token_memo_free(struct token_memo **m);
/* A text begins: nothing of the one before is pointed to any more. */
void token_memo_tidy(struct token_memo *m);
/* NULL: it did not come, or is not remembered. */
struct token_terms *token_memo_find(const struct token_memo *m,
    struct slice raw, enum text_kind kind);
/* The tokens' terms and notes are the memory's from here on, if it has room. */
void token_memo_learn(struct token_memo *m, struct slice raw,
    enum text_kind kind, struct token *tokens, size_t n);

#endif
