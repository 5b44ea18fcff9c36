/*
 * migrate - a store of an older schema, brought up to date
 *
 * Log records are never migrated: old tags decode for ever.  Own tables are
 * made again by their stages.  What is left are the shared tables' names and
 * keys, and the number in meta.
 */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "common/db.h"

enum migrate_need {
	MIGRATE_CURRENT,
	MIGRATE_OLDER,
	MIGRATE_NEWER	/* made by a later skein */
};

enum migrate_need migrate_need(uint64_t schema);
/* All steps at once, in one transaction, or none of them. */
enum db_result migrate_run(struct db *shared)
    __attribute__((warn_unused_result));

#endif
