/*
 * place - ingest's own tables: where an entry belongs
 *
 * decide asks them, apply changes them; both work on the stage's open
 * transaction.  What place_decide finds goes into the section, and
 * place_apply needs nothing but entry and section.
 */
#ifndef INGEST_PLACE_H
#define INGEST_PLACE_H

#include "common/stage.h"
#include "ingest/accept.h"
#include "ingest/normal.h"

/*
 * Finds the entry's thread.  An exchange's entry is completed: what was known
 * before is left out of it.  -1 with the refusal when a command names what is
 * not there.
 */
int place_decide(struct stage *st, uint64_t seq, enum msg_id type,
    union msg_any *entry, struct normal_exchange *exchange,
    struct msg_s_ingest *section, struct refusal *refusal)
    __attribute__((warn_unused_result));
void place_apply(struct stage *st, const struct stage_entry *e,
    const struct msg_s_ingest *section);

/* The entry that bears this sender's id: false, or true with seq and hash. */
bool place_sent(struct stage *st, struct slice domain, struct slice id,
    struct msg_sent *out);

/* A thread by the sender's id or skein's own key: its key, or 0. */
uint64_t place_thread(struct stage *st, struct slice domain, struct slice name);

#endif
