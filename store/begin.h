/*
 * begin - what there is to begin from, when somebody says what they want
 *
 * Related chats and artifacts, best first, and what an answer like "3, include
 * 1,2" means.  Reads only; who asked carries the choice out.
 */
#ifndef STORE_BEGIN_H
#define STORE_BEGIN_H

#include "store/context.h"

enum { BEGIN_CHATS = 5, BEGIN_ARTIFACTS = 9, BEGIN_COUNTS = 8 };

/* How many artifacts of a kind: "2 facts", "1 open effort". */
struct begin_count {
	struct slice type, status;	/* the status of efforts only */
	uint64_t count;
};

struct begin_chat {
	uint64_t thread;
	struct slice name, summary;
	int64_t last_ms;
	double score;
	uint64_t artifacts;
	struct begin_count counts[BEGIN_COUNTS];
	size_t n_counts;
	struct slice open_effort;	/* the key of one; empty: none */
};

struct begin_artifact {
	struct slice key, type, status, summary, resolution;
	uint64_t thread;
	double score;
};

struct begin {
	struct begin_chat chats[BEGIN_CHATS];
	size_t n_chats;
	struct begin_artifact artifacts[BEGIN_ARTIFACTS];
	size_t n_artifacts;
	int64_t now_ms;		/* ages are told from here */
};

/* 0, or -1 with the reason. */
int begin_find(const struct context_view *view, struct slice domain,
    struct slice user, struct slice intent, int64_t now_ms,
    struct arena *arena, struct begin *out, struct buf *why) __attribute__((warn_unused_result));

enum begin_option {
	BEGIN_CONTINUE = 1,
	BEGIN_FORK = 2,
	BEGIN_WITH = 3,		/* a new chat with selected artifacts */
	BEGIN_FRESH = 4
};

struct begin_choice {
	enum begin_option option;
	uint64_t thread;		/* to continue, or to fork */
	bool chosen[BEGIN_ARTIFACTS];
};

/* 0, or -1 with what can be answered. */
int begin_choose(const struct begin *b, struct slice answer,
    struct begin_choice *out, struct buf *why)
    __attribute__((warn_unused_result));
/* Which chats options 1 and 2 speak of: places in chats, or -1. */
int begin_to_continue(const struct begin *b);
int begin_to_fork(const struct begin *b);

/* As people read it, and as JSON. */
void begin_print(struct buf *out, const struct begin *b);
void begin_json(struct buf *out, const struct begin *b);

#endif
