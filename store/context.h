/*
 * context - the bounded working memory that is handed to a model
 *
 * Gathered from everything there is about a thread, an effort, a question or
 * the start of a session; ordered by what matters most; cut to a hard budget
 * of tokens.  What was left out is said, with the reason.  All of it stands
 * inside a skein tag, which ingest knows and never takes in again.
 *
 *   continuity   what was being discussed, and how long ago: pulled from
 *                linked threads where the channel is implicit
 *   effort       the one at hand: goal, attempts, what a checkpoint holds
 *   open         other efforts that are open, a line each
 *   known        artifacts, with their dates; superseded ones bear the mark
 *   earlier      what other threads were about
 *   said         turns that were found for the question
 *   latest       the thread's own latest turns, last
 *
 * Reads only.
 */
#ifndef STORE_CONTEXT_H
#define STORE_CONTEXT_H

#include "store/known.h"
#include "store/query.h"
#include "store/search.h"

enum context_kind {
	PART_CONTINUITY,
	PART_EFFORT,
	PART_OPEN,
	PART_KNOWN,
	PART_EARLIER,
	PART_SAID,
	PART_LATEST,
	PART_KINDS
};

/* Something that may be in the context: one or a few lines. */
struct context_part {
	enum context_kind kind;
	double rank;		/* what is smaller is taken first */
	struct slice key;	/* of the turn, artifact, thread */
	struct slice id;	/* the sender's own, or empty */
	struct slice text;	/* as it is given */
	struct slice group;	/* the line above it, given once */
	int64_t ts;
	uint64_t thread, turn;
	uint64_t tokens;
	bool superseded;
	bool artifact;		/* handing it out is a use of it */
	struct msg_u64s covers;	/* an artifact's turns, first, last ... */
	const char *left_out;	/* why; NULL: it is in */
	uint64_t key_hash, group_hash;	/* they differ: so does what they are of */
};

struct context_ask {
	struct slice domain;
	uint64_t thread;	/* its key; 0: none */
	struct slice effort;	/* an artifact's key; empty: none */
	struct slice query;	/* empty: none */
	struct slice user, room;	/* of a session that starts */
	uint64_t budget;	/* tokens */
	int64_t now_ms;		/* when it is asked; 0: with the latest entry */
};

struct context_view {
	const struct conf *conf;
	struct query *q;	/* shared and ingest are open */
	struct db_txn *compactor, *linker;	/* may be NULL */
	struct search *search;	/* may be NULL: nothing is found */
	struct known *known;	/* lines that were made before; may be NULL */
	struct search_view found;
};

struct context {
	const struct conf *conf;
	uint64_t budget;
	struct context_part *parts;
	size_t n_parts, room;
	struct slice text;	/* the whole of it, tags included */
	struct slice stable;	/* its part that changes least: artifacts */
	struct slice latest;	/* and the rest; together they are `text` */
	uint64_t tokens;
	uint64_t upto;		/* the last entry that was looked at */
	bool misnamed;		/* what was called an effort is none */
	struct arena *arena;
};

/* In the arena.  0, or -1 with the reason: what was asked for is not there. */
int context_make(const struct context_view *view,
    const struct context_ask *ask, struct arena *arena, struct context *out,
    struct buf *why) __attribute__((warn_unused_result));

enum context_format {
	CONTEXT_TEXT,
	CONTEXT_JSON,		/* all parts, and what was left out and why */
	CONTEXT_ANTHROPIC,	/* system blocks, the stable one with a cache mark */
	CONTEXT_OPENAI		/* one system message */
};

/* 0, or -1: there is no such format. */
int context_format_named(struct slice name, enum context_format *out)
    __attribute__((warn_unused_result));
void context_print(struct buf *out, const struct context *c,
    enum context_format format);
/* The artifacts that are in it, each once: what a `used` entry names. */
struct msg_strs context_used(const struct context *c);

#endif
