/*
 * query_conversations - the trees that calls of LLM APIs make
 *
 * The linker keeps for each call which one it continues and whether a branch
 * opens there.  Conversations, branches and their names follow from that, and
 * are worked out here, a whole conversation at a time: main is where it began,
 * branch_N are counted from 2 in order of time, compact_N from 1, and subtask_N
 * by the position of the task call among all of the conversation's.
 */
#ifndef STORE_QUERY_CONVERSATIONS_H
#define STORE_QUERY_CONVERSATIONS_H

#include "store/query.h"

struct talk_call {
	uint64_t seq;
	int64_t ts;
	size_t parent;		/* its place in the talk; TALK_NONE: the root */
	uint64_t task_parent;	/* of a sub-task and all below it, else 0 */
	bool retry;		/* the same call as its parent here */
	bool opens;		/* its branch begins here */
	bool aside;		/* it asks for a summary */
	struct slice branch;
	struct slice strategy, why;
	uint64_t task, tasks;
};
#define TALK_NONE SIZE_MAX

/* One conversation; calls by time, parents before their children. */
struct talk {
	struct arena arena;
	uint64_t root;
	struct talk_call *calls;
	size_t n_calls, room;
	size_t *by_seq;		/* the calls in order of seq */
};

/* The latest few that were worked out. */
struct talks;

struct talks *talks_new(void);
void talks_free(struct talks **t);
/*
 * The conversation of a call, and its place in it, until the next is asked
 * for; NULL: the linker's tables do not have the call.
 */
const struct talk *query_talk(struct query *q, uint64_t seq, size_t *at);

/*
 * The conversation of any entry, as a key: of a call its tree's, of a turn
 * that of the thread that its own was forked from, in the end.
 */
struct slice query_conversation(struct query *q, const struct stage_entry *e);
/* "v12", after the call that began it. */
struct slice talk_key(struct arena *arena, const struct talk *t);
/* Cells of a request's row: conversation to match. */
void query_talk_cells(struct query *q, uint64_t seq, struct row *row);

struct talks_filter {
	struct slice user, thread;
	int64_t since_ms, until_ms;
	uint64_t limit;		/* the newest so many; 0: all */
};
/* A row per conversation, in order of their beginning. */
void query_talks(struct query *q, const struct talks_filter *f,
    void (*sink)(void *data, struct query *q, const struct talk *t),
    void *data, bool *more);

#endif
