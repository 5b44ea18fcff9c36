/*
 * query_links - linking decisions, tunings and cross-thread episodes, in rows
 *
 * As query.h, for the linker's tables about threads: reads everything, writes
 * nothing.
 */
#ifndef STORE_QUERY_LINKS_H
#define STORE_QUERY_LINKS_H

#include "store/query.h"

struct links_filter {
	struct slice user;
	uint64_t thread;	/* on either end; 0: any */
	int64_t since_ms, until_ms;
	uint64_t limit;		/* the newest so many; 0: all */
	bool all;		/* also those that others took the place of */
};

/* The databases of a list, opened by the caller; ingest's may be NULL. */
struct links_source {
	struct db *shared, *ingest, *linker;
	struct slice domain;
};

/* In the order of their making; *more: the limit left older ones out. */
void query_links(const struct links_source *from, const struct links_filter *f,
    const struct query_sink *sink, bool *more);
void query_tunings(const struct links_source *from,
    const struct links_filter *f, const struct query_sink *sink, bool *more);

/* By key, "l12" or "x12"; false: there is none in the query's domain. */
bool query_link(struct query *q, struct db_txn *linker, struct slice name,
    struct msg_link *out);
bool query_cross_episode(struct query *q, struct db_txn *linker,
    struct slice name, struct msg_episode *out);
void query_link_row(struct query *q, const struct msg_link *link,
    struct row *row);
/* The cross-thread episodes that a thread is in, as keys. */
struct msg_strs query_thread_episodes(struct query *q, struct db_txn *linker,
    uint64_t thread);

#endif
