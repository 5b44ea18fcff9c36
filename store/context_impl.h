/*
 * context_impl - what the files of context share
 */
#ifndef STORE_CONTEXT_IMPL_H
#define STORE_CONTEXT_IMPL_H

#include "store/context.h"
#include "store/document.h"

struct gather {
	const struct context_view *view;
	const struct context_ask *ask;
	struct context *out;
	struct arena *arena;
	struct msg_thread thread;	/* the one asked for; key 0: none */
	int64_t now_ms;		/* the latest time known of who asks */
	struct slice current;	/* the effort at hand: its key */
};

/* context_gather.c: what there may be to say, each with its rank. */
void gather_thread(struct gather *g);
void gather_session(struct gather *g);
int gather_query(struct gather *g, struct buf *why);

/* context_effort.c */
bool gather_effort(struct gather *g, struct slice key, bool focused);
void gather_open(struct gather *g);
/* A thread's artifacts, of those turns that a fork shares, or of all. */
enum { ALL_TURNS = -1 };
void gather_known(struct gather *g, uint64_t thread, int64_t upto,
    double rank);
/* Of an artifact, with its dates and marks: a line.  False: not there. */
bool context_known(struct gather *g, struct slice key,
    struct known_artifact *out);
struct context_part *context_add_artifact(struct gather *g,
    enum context_kind kind, double rank, const struct known_artifact *a);
bool context_read_artifact(struct gather *g, struct slice key,
    struct msg_artifact *out);

/* context_continuity.c */
void gather_continuity(struct gather *g);

/* context_turns.c */
struct context_turn {
	uint64_t seq, i, thread, number;
	int64_t ts;
	struct slice role, user, text, id;
	struct slice key;	/* empty: it is made */
	bool superseded;
	struct slice refined_by;
};
bool context_read_thread(struct gather *g, uint64_t key, struct msg_thread *out);
/* By number; false: it is not there, or was forgotten. */
bool context_read_turn(struct gather *g, uint64_t thread, uint64_t number,
    struct context_turn *out);
/* The turn before, also in the history that a fork shares. */
bool context_turn_before(struct gather *g, uint64_t *thread, uint64_t *number);
/* Who said it, as it stands before a turn's text. */
struct slice context_speaker(const struct context_turn *t);
void context_add_turn(struct gather *g, enum context_kind kind, double rank,
    const struct context_turn *t);
/* " [superseded by a12.0]" of a turn that is; else nothing. */
struct slice context_turn_mark(struct gather *g, const struct context_turn *t);

struct context_part *context_add_part(struct gather *g, enum context_kind kind,
    double rank, struct slice text);
/* Where the text's tokens are known already. */
struct context_part *context_add_counted(struct gather *g,
    enum context_kind kind, double rank, struct slice text, uint64_t tokens);
/* "2 hours", "3 days": for people. */
struct slice context_span(struct arena *arena, int64_t ms);

/* context_pack.c: cuts to the budget, and writes the text. */
void context_pack(struct context *c);

#endif
