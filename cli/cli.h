/*
 * cli - what the verbs of `skein` share
 *
 * A verb is a function in a file of its own, named in verbs.def.  It gets the
 * settings and its own arguments and returns an exit code: 0 done, 1 failed,
 * 2 asked wrongly.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "common/conf.h"
#include "common/db.h"
#include "common/stage.h"

struct cli {
	struct conf conf;
	const char *verb;
	char *exec_dir;		/* where the programs beside us are */
	bool json;		/* --json */
	bool colour;		/* standard output is a terminal */
};

/* "skein VERB: message", and 1 or 2 for the verb to return. */
int cli_fail(const struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int cli_usage(const struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The environments, opened for reading; NULL after saying why not. */
struct db *cli_open(const struct cli *cli, enum env_id env);
/* A stage's cursor. */
uint64_t cli_cursor(struct db *shared, enum stage_id stage);
/* Waits until the store has passed seq; 0, or -1 after client_patience. */
int cli_wait_store(const struct cli *cli, uint64_t seq);

#define VERB(name, symbol, arguments, what) \
	int verb_##symbol(struct cli *cli, int argc, char **argv);
#include "cli/verbs.def"

#endif
