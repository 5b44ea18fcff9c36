/*
 * entities - what a statement names
 *
 * Found by the shape of tokens, by capitals, by the words around and by short
 * lists of common names.  No parser and no model: it is meant to tie claims
 * together, so a stable answer counts for more than a perfect one.
 */
#ifndef CLASSIFY_ENTITIES_H
#define CLASSIFY_ENTITIES_H

#include <stddef.h>
#include <stdint.h>

#include "classify/keywords.h"
#include "common/buf.h"

enum { ENTITIES_MAX = 32 };	/* the first of a statement */

/* The numbers are stored in sections: append only. */
enum entity_kind {
	ENTITY_NAME = 0,	/* something with a name, which kind is open */
	ENTITY_PERSON = 1,
	ENTITY_PLACE = 2,
	ENTITY_PRODUCT = 3,
	ENTITY_FILE = 4,	/* a file or a path */
	ENTITY_IDENTIFIER = 5,
	ENTITY_ERROR = 6,
	ENTITY_VERSION = 7,
	ENTITY_QUANTITY = 8,	/* a number with its unit */
	ENTITY_DATE = 9,	/* normal form: ISO 8601, or an interval */
	ENTITY_URL = 10,
	ENTITY_EMAIL = 11,
	ENTITY_MENTION = 12,
	ENTITY_KINDS
};
const char *entity_kind_name(enum entity_kind kind);

struct entity {
	enum entity_kind kind;
	struct slice text;	/* borrowed from the turn */
	struct slice normal;	/* equal for equal things; the arena's */
	size_t at;		/* into the text of the turn */
	size_t len;
	size_t term;		/* the first of its terms, and how many */
	size_t terms;
};

/* Tells the lexicon which words matter here; once, before any search. */
void entities_teach(struct lexicon *l);
/* In the order of the text, without overlap. */
size_t entities_of(struct arena *a, struct slice text,
    const struct term *terms, size_t count, int64_t ts_ms,
    struct entity **out);

#endif
