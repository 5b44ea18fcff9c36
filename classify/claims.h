/*
 * claims - the statements of a turn: what each is about and what it names
 *
 * One claim for each sentence that has any content; "ok" and "thanks!" make
 * none.  Pure: the same text and time give the same claims on every machine,
 * and nothing in them is a floating-point number.
 */
#ifndef CLASSIFY_CLAIMS_H
#define CLASSIFY_CLAIMS_H

#include <stddef.h>
#include <stdint.h>

#include "classify/entities.h"
#include "classify/keywords.h"
#include "classify/sentence.h"
#include "classify/sift.h"
#include "common/buf.h"

enum {
	SUBJECT_WORDS = 6,
	SUBJECT_BYTES = 120,
};

struct claims_engine;

/* Reads the tables in dir ("classify/data").  -1, logged, if it cannot. */
int claims_open(struct claims_engine **out, const char *dir)
    __attribute__((warn_unused_result));
void claims_close(struct claims_engine **engine);

/* Slices live as long as the turn's text and the arena do. */
struct claim {
	struct slice subject;	/* a few of the speaker's words, never empty */
	struct slice statement;	/* the sentence, of the turn's text */
	size_t sentence;	/* its index */
	struct entity *entities;
	size_t n_entities;
	struct keyword *keywords;
	size_t n_keywords;
};

void claims_of(struct claims_engine *engine, struct arena *a,
    struct slice text, const struct sifted *sifted,
    const struct sentence *sentences, size_t n_sentences, int64_t ts_ms,
    struct claim **out, size_t *n_out);

#endif
