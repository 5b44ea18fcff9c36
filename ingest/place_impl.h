/*
 * place_impl - what the files of place share: keys of ingest's own tables
 */
#ifndef INGEST_PLACE_IMPL_H
#define INGEST_PLACE_IMPL_H

#include "ingest/place.h"

struct key place_stream_key(const struct msg_envelope *e);
struct key place_span_key(const struct msg_envelope *e, int64_t start,
    uint64_t thread);
struct key place_node_key(struct slice domain, struct slice hash,
    uint64_t seq, uint64_t i);

/* The seq that a row of places has, or 0. */
uint64_t place_get(struct stage *st, enum table_id table,
    const struct key *k);
void place_put(struct stage *st, enum table_id table, const struct key *k,
    uint64_t seq, uint64_t i);

/* place_exchange.c */
void place_exchange(struct stage *st, uint64_t seq, struct msg_exchange *x,
    const struct normal_exchange *n, struct msg_s_ingest *section);
void place_apply_nodes(struct stage *st, const struct stage_entry *e,
    const struct msg_s_ingest *s);

#endif
