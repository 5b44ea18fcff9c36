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

#endif
