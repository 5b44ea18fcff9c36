/*
 * work_impl - what the files of work share
 *
 * A row of the tables is read where it is (memo.h).  What an entry changes is
 * a copy of the entry's own, which later looks of the same entry find first,
 * and which becomes the row when the entry is written.
 */
#ifndef CHAINER_WORK_IMPL_H
#define CHAINER_WORK_IMPL_H

#include "chainer/memo.h"
#include "chainer/work.h"

/* A chain that the entry has changed, or may have. */
struct work_chain {
	struct msg_chain c;
	struct row *row;
	const struct sketch *sketch;
	bool changed;		/* its words are no more those of the row */
	bool dirty;
	bool index;		/* its words go into the index */
	struct topic *learns;	/* claims it has still to take in */
	size_t n_learns, cap_learns;
};

struct work_session {
	struct msg_session s;	/* first: it is found from it */
	struct row *row;
	bool dirty;
};

/* A put or, without a value, a deletion, done at the end. */
struct work_put {
	enum table_id table;
	struct slice key;
	enum msg_id id;
	const void *msg;
};

struct work {
	struct stage *st;
	struct arena *arena;
	const struct stage_entry *e;
	const struct msg_envelope *envelope;
	uint64_t thread;
	int64_t dormant_ms;
	struct slice stream_key, talk_key;
	struct row *stream_row, *talk_row;
	struct msg_chain_stream stream;
	struct msg_chain_talk talk;
	bool has_talk, talk_dirty;
	int64_t due_next;		/* the first check that is not due */
	bool knows_next;
	size_t n_unscheduled;
	struct msg_said *said;		/* of this entry */
	size_t n_said, cap_said;
	const struct row *near[WORK_RECENT];	/* candidates on their way */
	size_t n_near;
	struct work_chain **chains;
	size_t n_chains, cap_chains;
	struct work_session **sessions;
	size_t n_sessions, cap_sessions;
	struct work_put *puts;
	size_t n_puts, cap_puts;
};

/* work.c */
/* Room for one more in an array of the arena. */
void *work_grow(struct arena *arena, void *at, size_t n, size_t *cap,
    size_t size);
void work_put_later(struct work *w, enum table_id table, const struct key *key,
    enum msg_id id, const void *msg);
void work_key(struct key *k, struct slice prefix);

/* work_chain.c */
void work_chain_stream(struct key *k, const struct msg_chain *c);
/* The entry's own copy, or NULL: there is no such chain. */
struct work_chain *work_own_chain(struct work *w, uint64_t ref);
void work_put_history(struct work *w, struct work_chain *c, uint64_t i);
void work_write_chains(struct work *w);

/* work_index.c */
void work_index_chain(const struct msg_chain *c);

/* work_due.c */
/* `id` is a chain's ref or what a session has in its place. */
void work_schedule(struct work *w, const struct key *stream,
    struct slice domain, int64_t due, uint64_t id, bool live,
    const struct msg_chain_due *what);
void work_unschedule(struct work *w, const struct key *stream,
    struct slice domain, int64_t due, uint64_t id);
void work_schedule_chain(struct work *w, const struct msg_chain *c,
    int64_t due);
void work_note_due(struct work *w, struct slice key);

/* work_session.c */
void work_write_sessions(struct work *w);

#endif
