/*
 * query_chains - chains and sessions, answered in rows
 *
 * As query.h, for the chainer's tables: reads everything, writes nothing.
 */
#ifndef STORE_QUERY_CHAINS_H
#define STORE_QUERY_CHAINS_H

#include "store/query.h"

struct chains_filter {
	struct slice state;	/* empty: any */
	struct slice user;
	uint64_t thread;	/* its key; 0: any */
	int64_t since_ms, until_ms;
	uint64_t limit;		/* the newest so many; 0: all */
};

/*
 * The databases of a list, opened by the caller.  A list gives its view of
 * them back every so often and calls sink.pause meanwhile.
 */
struct chains_source {
	struct db *shared, *ingest, *chainer;	/* ingest's may be NULL */
	struct slice domain;
};

/* In the order of their beginning; *more: the limit left older ones out. */
void query_chains(const struct chains_source *from,
    const struct chains_filter *f, const struct query_sink *sink, bool *more);
void query_sessions(const struct chains_source *from,
    const struct chains_filter *f, const struct query_sink *sink, bool *more);

/* One chain; false: there is none of that name in the query's domain. */
bool query_chain(struct query *q, struct db_txn *chainer, struct slice name,
    struct msg_chain *out);
void query_chain_row(struct query *q, const struct msg_chain *c,
    struct row *row);
/* Its story, a row a step, in order. */
void query_chain_story(struct query *q, struct db_txn *chainer,
    const struct msg_chain *c, const struct query_sink *sink);

#endif
