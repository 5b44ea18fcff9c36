/*
 * query_impl - what the files of query share
 */
#ifndef STORE_QUERY_IMPL_H
#define STORE_QUERY_IMPL_H

#include "store/query.h"

/* ---- query.c ---- */

/* Gives the view back, lets the sink pause, takes a fresh one. */
void query_pause(struct query *q, const struct query_sink *sink);
/* A record of the shared environment; false: not there, or unreadable. */
bool query_load(struct query *q, enum table_id table, uint64_t seq,
    struct msg *out);
bool query_load_entry(struct query *q, uint64_t seq, struct msg *out);
bool query_load_thread(struct query *q, uint64_t key, struct msg_thread *out);
/* By the sender's id or as t<seq>, within the domain. */
bool query_named_thread(struct query *q, struct slice name,
    struct msg_thread *out);

/* ---- query_rows.c ---- */

bool query_request_row(struct query *q, uint64_t seq, struct row *row);

#endif
