/*
 * sketch - texts that say the same but for small edits
 *
 * A text becomes the set of its shingles, three words in a row each, and the
 * set the few smallest hashes of it (bottom-k).  Two sketches tell how much of
 * one text is in the other, and a text is found again by any of its smallest
 * shingles.  Words are letters and digits whatever their case; signs, tags and
 * white space do not count; characters of scripts without spaces are words.
 */
#ifndef LINKER_SKETCH_H
#define LINKER_SKETCH_H

#include "common/buf.h"
#include "common/msg.h"

enum {
	SKETCH_WORDS = 3,	/* of a shingle */
	SKETCH_REPLY = 32,	/* shingles kept of a reply */
	SKETCH_CORE = 256,	/* and of a continuation */
	SKETCH_REPLY_KEYS = 8,	/* by which a reply is found */
	SKETCH_CORE_KEYS = 64,	/* and a continuation looked for */
};

/* The `most` smallest; memory of the arena. */
void sketch_make(struct arena *arena, struct slice text, size_t most,
    struct msg_call_sketch *out);
size_t sketch_size(const struct msg_call_sketch *s);
uint64_t sketch_at(const struct msg_call_sketch *s, size_t i);
/*
 * How much of the reply is in the core, in thousandths; *weight: how many
 * shingles that is, and in thousandths of the core's.
 */
uint64_t sketch_likeness(const struct msg_call_sketch *reply,
    const struct msg_call_sketch *core, uint64_t *weight, uint64_t *share);

#endif
