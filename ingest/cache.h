/*
 * cache - the threads and streams that the batch under way has touched
 *
 * A busy thread changes with every turn; its row need be read once and written
 * once a batch.  Rows are changed here and reach the tables in cache_flush,
 * before the own tables are committed; a batch that is given up is forgotten
 * by the next cache_begin.  So nothing here outlives what it stands for.
 */
#ifndef INGEST_CACHE_H
#define INGEST_CACHE_H

#include "common/stage.h"

/* A stream's clock, and its latest thread, so that the usual turn finds it. */
struct cached_stream {
	struct msg_stream row;
	bool dirty;
	bool latest_known;
	uint64_t latest;		/* the thread whose span starts last; 0: none */
	int64_t latest_start;
};

void cache_begin(struct stage *st);
void cache_flush(struct stage *st);

/* A copy whose strings live as long as the batch. */
bool cache_thread(struct stage *st, uint64_t key, struct msg_thread *out);
void cache_put_thread(struct stage *st, const struct msg_thread *t);
/* The row of streams or live_domains under this key, made if it is not there. */
struct cached_stream *cache_stream(struct stage *st, enum table_id table,
    struct slice key);
void cache_release(void);

#endif
