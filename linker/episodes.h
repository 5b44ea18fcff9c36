/*
 * episodes - threads that go on with earlier ones, joined to episodes
 *
 * What the parts of this half of the linker share: one entry, the records it
 * touches as they stand, and the section it fills.  Only implicit threads are
 * compared, and only with threads of the same stream (a domain's user or
 * room): who selects a thread has said where he is.
 *
 *	turn ──► outcome of the decision before ──► profile ──► look ──► join
 *	answer, feedback ──► the decision revised ─────────────────────► join
 *	every so many decisions ──► tuning
 */
#ifndef LINKER_EPISODES_H
#define LINKER_EPISODES_H

#include "linker/decision.h"
#include "linker/link.h"
#include "linker/profile.h"
#include "linker/score.h"

enum {
	LINK_CANDIDATES = 48,	/* threads compared, the latest of the window */
	LINK_SHOWN = 3,		/* of them that a decision names */
	LINK_MARGIN = 50,	/* a link moves to a thread better by more */
	LINK_WATCH = 3,		/* turns of its user that tell an outcome */
	EPISODE_THREADS = 64,	/* of an episode; the oldest leave it */
};

struct threads {
	struct link *l;
	struct msg_link_thread **known;	/* read so far, as they are now */
	size_t n_known, cap_known;
	struct msg_link_domain domain;
	uint64_t new_episodes;		/* made by this entry */
};

/* ---- records: episodes_store.c ---- */

void threads_open(struct threads *t, struct link *l);
/* What is kept of a thread, for reading and changing; NULL: nothing. */
struct msg_link_thread *threads_get(struct threads *t, uint64_t key);
struct msg_link_thread *threads_begin(struct threads *t, uint64_t key);
/* A thread that is known to be so. */
struct msg_link_thread *threads_set(struct threads *t,
    const struct msg_link_thread *p);
struct score_rules threads_rules(const struct threads *t);
uint64_t threads_prompt_version(const struct threads *t);	/* from 1 */

/* A decision by its key, as it is now; NULL: there is none in the domain. */
const struct msg_link *threads_link(struct threads *t, struct slice key);
/* The one that stands, where others took its place. */
const struct msg_link *threads_latest(struct threads *t,
    const struct msg_link *link);
const struct msg_link *threads_link_numbered(struct threads *t,
    uint64_t number);
bool threads_episode(struct threads *t, struct slice key,
    struct msg_episode *out);
bool threads_tuning(struct threads *t, uint64_t number,
    struct msg_tuning *out);

/* ---- the section: episodes_say.c ---- */

/* Puts a decision into the section, or one of the same key anew. */
struct msg_link *threads_say_link(struct threads *t,
    const struct msg_link *link);
void threads_say_episode(struct threads *t, const struct msg_episode *e);
void threads_say_tuning(struct threads *t, const struct msg_tuning *tuning);
void threads_say_question(struct threads *t, const struct msg_q_link *q);
void threads_fail(struct threads *t, const char *code, struct slice message);
/* "l12", "x12" or "x12.1": 0, or -1. */
int threads_key(struct slice key, char kind, uint64_t *seq, uint64_t *n)
    __attribute__((warn_unused_result));
/* The same the other way: "l12". */
struct slice threads_name(struct arena *arena, char kind, uint64_t seq);
/* The domain after a tuning of the section. */
void threads_tuned(struct msg_link_domain *domain, const struct msg_tuning *s);

/* ---- the tables again: episodes_store.c ---- */

/*
 * Earlier threads of the stream, the latest first, that were over when this
 * one began and not longer than the window; how many.
 */
size_t threads_candidates(struct threads *t, const struct msg_link_thread *p,
    uint64_t out[LINK_CANDIDATES]);
/* With how rare its words are. */
void threads_self(struct threads *t, const struct msg_link_thread *p,
    struct profile_fresh fresh, const struct profile_hashes *hashes,
    struct score_self *out);

/* Writes what the section and the turn changed. */
void threads_write_links(struct threads *t);
void threads_write_episodes(struct threads *t);
void threads_write_domain(struct threads *t);
/* `was`: as the tables have it, or NULL. */
void threads_write(struct threads *t, const struct msg_link_thread *p,
    const struct msg_link_thread *was, const struct profile_hashes *hashes,
    struct profile_fresh fresh);

/* ---- the parts ---- */

/* A thread goes on with another from here on, or with none: episodes_join.c */
void join_set(struct threads *t, struct msg_link_thread *p, uint64_t to);
/* An episode of a thread, made anew from what is known of its threads. */
void join_refresh(struct threads *t, const struct msg_link_thread *p);

/* episodes_revise.c */
void revise_answer(struct threads *t);
void revise_feedback(struct threads *t);
void revise_undo(struct threads *t);
/* Refits the score when enough decisions were made. */
void revise_tuning(struct threads *t);

#endif
