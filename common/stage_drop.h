/*
 * stage_drop - take back what stages said, so that they say it again
 */
#ifndef COMMON_STAGE_DROP_H
#define COMMON_STAGE_DROP_H

#include "common/stage.h"

/* Of `from` and all after it: sections, rejects, cursors.  txn is shared's. */
void stage_drop_sections(struct db_txn *txn, enum stage_id from);
/* The cursor at seq with a new epoch: own tables are then made again. */
void stage_new_epoch(struct db_txn *txn, enum stage_id id, uint64_t seq);

#endif
