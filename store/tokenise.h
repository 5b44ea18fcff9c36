/*
 * tokenise - the terms of a text, as the search index knows them
 *
 * Words are folded, stop words left out, English endings cut by the Snowball
 * stemmer; marks over Latin, Greek and Cyrillic letters do not count.  What
 * looks like an identifier, a path, an address, an error or a version gives
 * itself whole, its pieces and their parts, so that each finds it; a word with
 * an apostrophe also what is longest of it.  Scripts without spaces and Hangul
 * give pairs of neighbouring characters, and the last or lone one itself.
 *
 * The same text gives the same terms for ever: segments depend on it.  A
 * change here is a new TABLES_TERMS.
 */
#ifndef STORE_TOKENISE_H
#define STORE_TOKENISE_H

#include <stddef.h>
#include <stdint.h>

#include "common/buf.h"

enum {
	/* A longer term is its beginning and the hash of all of it. */
	TERM_BYTES = 80,
};

struct token {
	struct slice term;
	uint64_t hash;		/* of the term */
	/*
	 * For whoever counts terms: what he noted when the same token came
	 * before, or 0.  NULL: the tokeniser does not remember it.
	 */
	uint64_t *note;
};

struct tokeniser;

struct tokeniser *tokeniser_new(void);
void tokeniser_free(struct tokeniser **t);
/* A number that nobody else has had: to know one's own notes by. */
uint32_t tokeniser_number(struct tokeniser *t);
/*
 * What the terms are for.  A query has no use for the last of several
 * characters by itself; a phrase may begin and end inside of a compound, so
 * only what every compound around it has too are its terms.
 */
enum token_use { TOKENS_OF_TEXT, TOKENS_OF_QUERY, TOKENS_OF_PHRASE };

/* How many; the terms live until the next call.  Any bytes will do. */
size_t tokenise(struct tokeniser *t, struct slice text,
    const struct token **out);
size_t tokenise_for(struct tokeniser *t, struct slice text,
    enum token_use use, const struct token **out);
/*
 * Appends the words of a text, stop words too, folded but not stemmed, each
 * with a space before and the last with one behind: a phrase stands in a text
 * if its words stand in the text's.  Marks over letters are dropped as above;
 * of a compound come its pieces, of Hangul its syllables.
 */
void tokenise_plain(struct tokeniser *t, struct slice text, struct buf *out);

#endif
