/*
 * cover - turns whose statements something newer stands in the place of
 *
 * A turn counts as superseded when the source_ref of a superseded artifact
 * covers it.  Who hands a turn to a model says so.
 */
#ifndef STORE_COVER_H
#define STORE_COVER_H

#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"
#include "common/db.h"

/* Whether a refinement counts; who asks as of a time leaves later ones out. */
typedef bool cover_counts(const void *arg, struct slice refined_by);

/*
 * Whether the turn of a thread is superseded, and by what: the newest, in the
 * arena.  `store` may be NULL: nothing is known then.  `counts` may be NULL:
 * all of them do.
 */
bool cover_find(struct db_txn *store, uint64_t thread, uint64_t turn,
    cover_counts *counts, const void *arg, struct arena *arena,
    struct slice *refined_by);

#endif
