/*
 * text - UTF-8, folding, tokens
 *
 * What every part that reads words shares: claims, acts and the search index
 * cut text the same way.  Nothing here knows a language; scripts are told
 * apart by Unicode properties only.  All of it is linear in the length of the
 * text and safe on any bytes: what is not UTF-8 reads as U+FFFD, byte by byte.
 */
#ifndef COMMON_TEXT_H
#define COMMON_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buf.h"

enum { TEXT_BAD = 0xfffd };

/*
 * Strict: no surrogates, no overlong forms, nothing past U+10FFFF.  `bad_at`
 * (may be NULL) gets the offset of the first bad sequence.  NUL is valid
 * UTF-8; who does not want it asks text_has_nul.
 */
bool text_valid_utf8(struct slice s, size_t *bad_at);
bool text_has_nul(struct slice s);

/* The code point at *pos, which moves behind it; false at the end. */
bool text_next(struct slice s, size_t *pos, int32_t *cp);
/* The longest prefix of at most `len` bytes that cuts no character. */
size_t text_cut(struct slice s, size_t len);

enum text_class {
	TEXT_SPACE,		/* white space and control characters */
	TEXT_LETTER,
	TEXT_DIGIT,
	TEXT_MARK,		/* combining marks, joiners, selectors */
	TEXT_SIGN,		/* punctuation and other symbols */
	TEXT_PICTURE,		/* emoji */
	TEXT_UNSPACED,		/* scripts written without spaces: Han, Thai … */
};
enum text_class text_class(int32_t cp);
bool text_is_upper(int32_t cp);

/*
 * Compatibility-composed, case-folded, default-ignorables dropped, curly
 * apostrophes straightened.  ASCII costs one pass.  The result is `s` itself
 * where nothing changes, else memory of the arena.
 */
struct slice text_fold(struct arena *a, struct slice s);
bool text_is_ascii(struct slice s);
/* Does `s`, folded, equal the ASCII lower-case word? */
bool text_is_word(struct slice s, const char *lower);

enum text_kind {
	TEXT_WORD,		/* letters, digits after them, apostrophes */
	TEXT_NUMBER,		/* 5, 1,000, -3.5, 10GB, 20%, $5, 2nd */
	TEXT_WHEN,		/* 2023-05-05, 5/5/2023, 10:30, 3pm */
	TEXT_VERSION,		/* v2, 1.2.3, 2.0.0-rc1 */
	TEXT_IDENTIFIER,	/* snake_case, camelCase, a::b, --flag, #12 */
	TEXT_PATH,		/* /etc/hosts, src/main.c, file.txt, C:\x */
	TEXT_URL,
	TEXT_EMAIL,
	TEXT_MENTION,		/* @name */
	TEXT_ERROR,		/* E1234, ENOENT, HTTP 401, 0xdead, TypeError */
	TEXT_PUNCT,		/* one sign, or a run of the same one */
	TEXT_EMOJI,		/* one picture with all its joiners, or :-) */
	TEXT_CJK,		/* one character of an unspaced script */
};
const char *text_kind_name(enum text_kind kind);

struct text_token {
	size_t at;
	size_t len;
	enum text_kind kind;
};

/*
 * Iterates the tokens of a text.  A run that looks like a compound (a path, an
 * address) is read once; if it is none, `plain_until` keeps its pieces from
 * being tried again, which is what makes the whole linear.
 */
struct text_tokens {
	struct slice text;
	size_t pos;
	size_t plain_until;
};

void text_tokens_init(struct text_tokens *t, struct slice text);
bool text_tokens_next(struct text_tokens *t, struct text_token *token);
struct slice text_token_slice(const struct text_tokens *t,
    const struct text_token *token);
/* Length of the address ("scheme://…", "www.…") that begins at `at`, or 0. */
size_t text_url_len(struct slice s, size_t at);
/* Offset of a trailing unit, ordinal or sign in a number: "10GB" gives 2. */
size_t text_number_len(struct slice number);
/* Length of a path without the place in the file: "a.c:42:7" gives 3. */
size_t text_path_len(struct slice path);

#endif
