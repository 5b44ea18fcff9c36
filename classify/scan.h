/*
 * scan - a text as folded words and the few signs that patterns look at
 *
 * A lighter cut than common/text's tokens: a path or a version is one unknown
 * word, or several; what counts is that "Let’s" and "let's" are one word, that
 * the question mark in an address is not one, and that a text of any size and
 * content costs one pass.
 */
#ifndef CLASSIFY_SCAN_H
#define CLASSIFY_SCAN_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

enum scan_kind {
	SCAN_word,
	SCAN_number,		/* begins with a digit */
	SCAN_question, SCAN_bang, SCAN_stop,
	SCAN_comma,		/* also dashes, colons, semicolons, brackets */
	SCAN_end,
};

enum { SCAN_WORD_MAX = 48 };

/*
 * The current token is in kind, word, len and hash.  A word longer than
 * SCAN_WORD_MAX is in nobody's list: it is reported with len 0.
 */
struct scan {
	struct slice text;
	size_t pos;
	enum scan_kind kind;
	uint32_t hash;
	size_t len;
	bool ascii;		/* the word has nothing but ASCII in it */
	char word[SCAN_WORD_MAX];
};

void scan_init(struct scan *s, struct slice text);
/* The next token; SCAN_end again and again at the end. */
enum scan_kind scan_next(struct scan *s);
uint32_t scan_hash(struct slice word);

#endif
