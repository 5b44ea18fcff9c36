/*
 * indexer - what the store stage keeps while entries pass
 *
 * The documents since the last border lie in memory, and nowhere on disk:
 * they are in the log.  When the stage passes a border they become a segment.
 */
#ifndef STORE_INDEXER_H
#define STORE_INDEXER_H

#include "common/stage.h"

/* The four hooks of a stage that indexes. */
void indexer_start(struct stage *st);
void indexer_stop(struct stage *st);
/* Brings memory to where the own tables are: a batch may have been given up. */
void indexer_begin(struct stage *st);
void indexer_apply(struct stage *st, const struct stage_entry *e,
    const struct msg *section);
void indexer_flush(struct stage *st);

#endif
