/*
 * scratch_db - an environment of its own, for tests that need tables
 */
#ifndef TESTS_SCRATCH_DB_H
#define TESTS_SCRATCH_DB_H

#include <stdio.h>
#include <stdlib.h>

#include "common/db.h"

/* In a new folder, a template as mkdtemp takes it. */
static inline struct db *
scratch_db(char *folder, enum env_id env)
{
	struct db_options options = { .map_bytes = 8 << 20,
		.map_limit = 64 << 20, .max_readers = 8 };
	struct db_error why;
	struct db *db;

	if (mkdtemp(folder) == NULL ||
	    db_open(&db, folder, env, &options, &why) == -1) {
		printf("Bail out! no store in %s\n", folder);
		exit(1);
	}
	return db;
}

/* The transaction fails: from here on it finds nothing. */
static inline void
scratch_fill(struct db_txn *txn, enum table_id table)
{
	size_t len = 16 << 20;	/* more than the map has */
	char *bytes = calloc(1, len);

	if (bytes != NULL)
		db_put(txn, table, SLICE("large"), slice_of(bytes, len));
	free(bytes);
	if (db_state(txn) != DB_FULL) {
		printf("Bail out! the map is not full\n");
		exit(1);
	}
}

#endif
