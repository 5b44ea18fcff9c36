/*
 * effort_state - what is at hand in a thread: its efforts, its last turns
 *
 * Deciding reads it and takes each turn into it; applying takes the same turns
 * in again, from what the section says of them, and writes it.  Both run the
 * same code, so what a later turn of an entry sees of an earlier one is what
 * the table will hold.
 *
 * All of it is bounded.  An open effort that falls off the end is still open:
 * it is reached from its stream's list, by its key, or by `skein reopen`.
 */
#ifndef COMPACTOR_EFFORT_STATE_H
#define COMPACTOR_EFFORT_STATE_H

#include "compactor/compact.h"

enum {
	EFFORT_WORKS = 12,	/* efforts at hand in a thread */
	EFFORT_LAST = 12,	/* turns that an answer may be to */
	EFFORT_ASKED = 6,	/* questions that wait in a thread */
	EFFORT_STREAM = 48,	/* open efforts of a user or a room */
	EFFORT_WORDS = 16,	/* that tell an effort from others */
	EFFORT_RECENT = 8,	/* turns that a checkpoint leaves as they are */
	EFFORT_LINES = 8,	/* kept of it for a checkpoint */
	EFFORT_LINE_BYTES = 160,
};

struct effort_state {
	struct compact *c;
	struct msg_a_thread thread;
	struct msg_a_stream stream;
	bool has_stream;
};

/* The entry's thread's; that of its parent where it is a fork's first entry. */
void effort_state_read(struct effort_state *s, struct compact *c);
/* The same of a thread, by its key. */
void effort_state_read_thread(struct effort_state *s, struct compact *c,
    uint64_t thread);
/*
 * Takes a turn in, as the section says it was; its artifacts are the section's.
 */
void effort_state_take(struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_turn *is);
/* A question, as it now stands; gone when it is over. */
void effort_state_ask(struct effort_state *s, const struct msg_a_asked *asked);
/* The same, and in the section. */
void effort_state_tell(struct effort_state *s, const struct msg_a_asked *asked);
/* Turns that went into a checkpoint. */
void effort_state_checkpoint(struct effort_state *s,
    const struct msg_artifact *a);
/* Takes in what the section says of questions, and of efforts by command. */
void effort_state_settle(struct effort_state *s);
/*
 * What deciding about an entry's only turn has left, when it was read as
 * `before`: applying finds the same where no artifact is made or changed, which
 * the turn's own might be read differently for, and need not take it again.
 */
void effort_state_keep(const struct effort_state *s,
    const struct msg_a_thread *before, const struct msg_a_turn *is);
/* True: so it was, for what the section says of the turn. */
bool effort_state_kept(struct effort_state *s, struct compact *c);
/* `thread`: whose record it is. */
void effort_state_write(struct effort_state *s, uint64_t thread);

/* An effort at hand, or NULL. */
struct msg_a_work *effort_work(const struct effort_state *s, struct slice key);
bool effort_is_open(const struct msg_a_work *w);
/* The same, brought to the front, also where it was not at hand before. */
struct msg_a_work *effort_bring(struct effort_state *s, struct slice key);
/* The turn that another answers: by its place, else the last; or NULL. */
const struct msg_a_said *effort_answered(const struct effort_state *s,
    const struct compact_turn *t);
/* The stream's open efforts. */
const struct msg_a_stream *effort_stream(struct effort_state *s);

/* Is it said by the side that the effort's owner is talking to? */
bool effort_is_other(const struct msg_a_work *w, const struct compact_turn *t);
/* In a room, without the name of one who was heard there: "ann: try it". */
struct slice effort_unaddressed(const struct effort_state *s,
    struct slice text);
/* A bit of 64 for a word: two words with different bits are not the same. */
static inline uint64_t
effort_word_bit(struct slice word)
{
	unsigned char first, last;

	if (word.len == 0)
		return 1;
	first = (unsigned char)word.ptr[0];
	last = (unsigned char)word.ptr[word.len - 1];
	return UINT64_C(1) << (first * 7u + last * 13u + word.len) % 64;
}

static inline uint64_t
effort_word_bits(const struct msg_strs *words)
{
	uint64_t bits = 0;
	size_t i;

	for (i = 0; i < words->count; i++)
		bits |= effort_word_bit(words->at[i]);
	return bits;
}

/* How much a turn's words have in common with the effort's, in thousandths. */
uint64_t effort_likeness(const struct msg_strs *keywords,
    const struct msg_c_turn *does);
#endif
