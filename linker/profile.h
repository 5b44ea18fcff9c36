/*
 * profile - what is kept of a thread: what it is about, and how it is told
 *
 * Pure: a record, a turn that joins it, the record after.  Every list has a
 * limit, so that a thread of any length is a few kilobytes.
 */
#ifndef LINKER_PROFILE_H
#define LINKER_PROFILE_H

#include "common/msg.h"
#include "linker/outcome.h"

enum {
	PROFILE_KEYWORDS = 48,		/* the heaviest */
	PROFILE_ENTITIES = 32,		/* the latest */
	PROFILE_CHAINS = 16,		/* the latest */
	PROFILE_SAID = 6,		/* the latest turns ... */
	PROFILE_SAID_BYTES = 300,	/* ... each so long */
	PROFILE_OPENING_BYTES = 200,
	PROFILE_SUMMARY_BYTES = 800,	/* of each of an episode's three */
	PROFILE_KEYS = 16,		/* skills and artifacts */
};

struct profile_turn {
	struct slice role, text;
	int64_t ts;
	const struct msg_c_turn *c;	/* classify's and the chainer's word; */
	const struct msg_h_turn *h;	/* either may be NULL */
	struct wording wording;
};

bool profile_is_user(struct slice role);
/* The weight of a turn's own keywords. */
uint64_t profile_turn_weight(const struct profile_turn *t);
/* Whether anything in a turn, chain or keyword, is in the thread already. */
bool profile_knows(const struct msg_link_thread *p,
    const struct profile_turn *t);

/*
 * What the words of a thread are found by, list by list.  Two words of one
 * hash are one here, as they are in link_words.
 */
struct profile_hashes {
	uint64_t keywords[PROFILE_KEYWORDS];
	uint64_t entities[PROFILE_ENTITIES];
	uint64_t chains[PROFILE_CHAINS];
};
uint64_t profile_hash(struct slice word);
/* Of lists within their bounds: see profile_bound. */
void profile_hash_all(const struct msg_link_thread *p,
    struct profile_hashes *out);

/* Which words of a thread's lists it has not had before, as bits. */
struct profile_fresh {
	uint64_t keywords, entities;
};
/* The hashes stay those of the thread. */
struct profile_fresh profile_learn(struct msg_link_thread *p,
    struct arena *arena, const struct profile_turn *t,
    struct profile_hashes *hashes);
/*
 * Cuts lists that are longer than any that was ever written, as only damage
 * can make them; false: there are none.
 */
bool profile_bound(struct msg_link_thread *p);
/* Takes over what compaction made of the thread. */
void profile_summarise(struct msg_link_thread *p, struct arena *arena,
    const struct msg_episode *primary);
/* Its micro summary, or how it began. */
struct slice profile_summary(const struct msg_link_thread *p);

/* Shortened without cutting a character; marked when something is missing. */
struct slice profile_cut(struct arena *arena, struct slice text, size_t most);

#endif
