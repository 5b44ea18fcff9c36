/*
 * migrate - a store of an older schema, brought up to date
 *
 * Schema 1 is the first, so there is no step yet.  The first change adds one:
 * a function from each schema to the next, run in one write transaction that
 * also moves the number in meta.
 */
#include "store/migrate.h"

#include "store/tables.def"

enum migrate_need
migrate_need(uint64_t schema)
{
	if (schema == TABLES_SCHEMA)
		return MIGRATE_CURRENT;
	return schema > TABLES_SCHEMA ? MIGRATE_NEWER : MIGRATE_OLDER;
}
