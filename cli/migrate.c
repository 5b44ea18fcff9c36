/*
 * migrate - bring a store of an older version up to date
 */
#include "store/migrate.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "common/stage.h"

static int
migrate(const struct cli *cli, uint64_t from)
{
	struct db_options options = stage_db_options(&cli->conf);
	char *dir = conf_path(&cli->conf, "db/shared");
	enum db_result result = DB_BROKEN;
	struct db_error why;
	struct db *shared;
	int rc = 0;

	if (db_open(&shared, dir, ENV_shared, &options, &why) == -1) {
		rc = cli_fail(cli, "%s", why.text);
	} else {
		while ((result = migrate_run(shared)) == DB_FULL &&
		    db_grow(shared))
			;
		if (result != DB_DONE)
			rc = cli_fail(cli, "%s: %s; nothing was changed", dir,
			    db_reason(shared));
		db_close(&shared);
	}
	free(dir);
	if (rc == 0)
		printf(cli->json ? "{\"schema\":%d,\"from\":%llu,"
				   "\"migrated\":true}\n" :
				   "The store has schema %d now, and had %llu: "
				   "'skein up' makes what follows from it.\n",
		    TABLES_SCHEMA, (unsigned long long)from);
	return rc;
}

static int
look(const struct cli *cli, uint64_t schema)
{
	unsigned long long n = schema;

	switch (migrate_need(schema)) {
	case MIGRATE_CURRENT:
		printf(cli->json ? "{\"schema\":%llu,\"migrated\":false}\n" :
				   "The store has schema %llu, as this "
				   "program: nothing is to be done.\n", n);
		return 0;
	case MIGRATE_NEWER:
		return cli_fail(cli, "the store has schema %llu, this program "
		    "%d: take a newer skein", n, TABLES_SCHEMA);
	case MIGRATE_OLDER:
		break;
	}
	if (cli_supervisor(cli) != 0)
		return cli_fail(cli, "a pipeline runs on the store: 'skein "
		    "down' first");
	return migrate(cli, schema);
}

int
verb_migrate(struct cli *cli, int argc, char **argv)
{
	const struct option_spec specs[] = { { 0 } };
	struct db_error why;
	struct db *shared;
	uint64_t schema;
	bool ours;
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc > 1)
		return cli_usage(cli, "takes no arguments");
	shared = cli_try_open(cli, ENV_shared, &why);
	if (shared == NULL)
		return cli_fail(cli, "%s", why.absent ?
		    "there is no store in the home" : why.text);
	ours = cli_schema(shared, &schema);
	if (!ours)
		rc = cli_fail(cli, "%s is no store of skein", db_dir(shared));
	db_close(&shared);
	return ours ? look(cli, schema) : rc;
}
