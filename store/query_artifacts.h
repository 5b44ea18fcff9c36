/*
 * query_artifacts - artifacts, episodes, skills and lineage, in rows
 *
 * As query.h, for the compactor's tables: reads everything, writes nothing.
 */
#ifndef STORE_QUERY_ARTIFACTS_H
#define STORE_QUERY_ARTIFACTS_H

#include "store/query.h"

struct artifacts_filter {
	struct slice type, status, tag, user;	/* empty: any */
	uint64_t thread;	/* its key; 0: any */
	int64_t since_ms, until_ms;
	uint64_t limit;		/* the newest so many; 0: all */
	bool current;		/* without those that were superseded */
};

/*
 * The databases of a list, opened by the caller.  A list gives its view of
 * them back every so often and calls sink.pause meanwhile.
 */
struct artifacts_source {
	struct db *shared, *ingest, *compactor;	/* ingest's may be NULL */
	struct db *linker;	/* as may the linker's */
	struct slice domain;
	int64_t half_life_ms;	/* of weights */
};

/* In the order of their beginning; *more: the limit left older ones out. */
void query_artifacts(const struct artifacts_source *from,
    const struct artifacts_filter *f, const struct query_sink *sink,
    bool *more);
void query_episodes(const struct artifacts_source *from,
    const struct artifacts_filter *f, const struct query_sink *sink,
    bool *more);
void query_skills(const struct artifacts_source *from,
    const struct artifacts_filter *f, const struct query_sink *sink,
    bool *more);

/*
 * One artifact, by the sender's id of the command that made it, or by key;
 * false: there is none of that name in the query's domain.
 */
bool query_artifact(struct query *q, struct db_txn *compactor,
    struct slice name, struct msg_artifact *out);
/* Its weight is shown as of the latest time of its user or room. */
void query_artifact_row(struct query *q, const struct msg_artifact *a,
    int64_t half_life_ms, struct row *row);
/* "thread:first-last,first-last;thread:first-last"; empty: of no turns. */
struct slice query_source_ref(struct query *q, const struct msg_artifact *a);
/* The turns behind that, a row each. */
void query_artifact_turns(struct query *q, const struct msg_artifact *a,
    const struct query_sink *sink);

/* A primary episode by its key, "p12"; a skill by its key, "k12.0". */
bool query_episode(struct query *q, struct db_txn *compactor,
    struct slice name, struct msg_episode *out);
void query_episode_row(struct query *q, const struct msg_episode *e,
    struct row *row);
bool query_skill(struct query *q, struct db_txn *compactor,
    struct slice name, struct msg_skill *out);
void query_skill_row(struct query *q, const struct msg_skill *s,
    struct row *row);

/* What is kept of a thread for its compaction; false: nothing. */
bool query_digest(struct db_txn *compactor, uint64_t thread,
    struct arena *arena, struct msg_episode_digest *out);

/* ---- lineage ---- */

enum {
	LINEAGE_DEPTH = 9,	/* so far it is followed, either way */
	LINEAGE_NODES = 1000,	/* and so many are shown */
	LINEAGE_PREVIEW = 80,	/* characters of each */
};

struct lineage_node {
	struct msg_artifact a;
	int depth;		/* 0 is the one asked for, sources below it */
};

struct lineage {
	struct lineage_node *nodes;	/* by depth, then by age */
	size_t count;
	bool truncated;
};

/* In the query's arena; false: there is no such artifact. */
bool query_lineage(struct query *q, struct db_txn *compactor,
    struct slice name, struct lineage *out);
void query_lineage_row(struct query *q, const struct lineage_node *node,
    struct row *row);

#endif
