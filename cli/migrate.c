/*
 * migrate - bring a store of an older version up to date
 */
#include "store/migrate.h"

#include <stdio.h>

#include "cli/cli.h"
#include "cli/options.h"

static int
say(const struct cli *cli, uint64_t schema)
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
	return cli_fail(cli, "the store has schema %llu, and there is no way "
	    "from it to %d", n, TABLES_SCHEMA);
}

int
verb_migrate(struct cli *cli, int argc, char **argv)
{
	const struct option_spec specs[] = { { 0 } };
	struct db_error why;
	struct db *shared;
	uint64_t schema;
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
	if (cli_schema(shared, &schema))
		rc = say(cli, schema);
	else
		rc = cli_fail(cli, "%s is no store of skein", db_dir(shared));
	db_close(&shared);
	return rc;
}
