/*
 * export_keys - keys of the store, as they will be where an export is sent to
 *
 * Keys hold the seq of an entry, and what is left out of an export moves all
 * entries behind it up.  So a refinement of a6.0 must be written as one of
 * what a6.0 will be called; left as it is, it would reach a stranger.
 */
#ifndef CLI_EXPORT_KEYS_H
#define CLI_EXPORT_KEYS_H

#include "common/msg.h"

struct export_keys {
	uint64_t *left_out;	/* seqs, in order */
	size_t count, room;
};

void export_keys_leave_out(struct export_keys *k, uint64_t seq);
void export_keys_release(struct export_keys *k);

/*
 * Renames the keys in what an entry refers to; `thread` is the one that ingest
 * put it into, which tells a thread's key from a sender's own t5.  False: a
 * command that speaks of nothing but what was left out, and should be too.
 */
bool export_keys_rename(const struct export_keys *k, enum msg_id id,
    union msg_any *entry, uint64_t thread, struct arena *arena);

#endif
