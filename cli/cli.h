/*
 * cli - what the verbs of `skein` share
 *
 * A verb is a function in a file of its own, named in verbs.def.  It gets the
 * settings and its own arguments and returns an exit code: 0 done, 1 failed,
 * 2 asked wrongly.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <sys/types.h>

#include "common/conf.h"
#include "common/db.h"
#include "common/stage.h"

struct recall;

#define SKEIN_VERSION "0.1"

struct cli {
	struct conf conf;
	const char *verb;
	char *exec_dir;		/* where the programs beside us are */
	bool json;		/* --json */
	bool help;		/* a verb only lists its options, and ends */
	bool colour;		/* standard output is a terminal */
	/* Of a process that answers many questions; else NULL. */
	struct recall *kept;
	struct buf *used;	/* `used` entries to be sent, a line each */
};

/* "skein VERB: message", and 1 or 2 for the verb to return. */
int cli_fail(const struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int cli_usage(const struct cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A command is run instead of us: beside us, in libexec, else in PATH. */
int cli_exec(const struct cli *cli, const char *program, char **argv);

/*
 * The environments, opened for reading; NULL after saying why not, also when
 * the store is of another schema than this program.
 */
struct db *cli_open(const struct cli *cli, enum env_id env);
/* The shared one for writing. */
struct db *cli_open_writable(const struct cli *cli);
/* The same without a word: NULL if it is not there or not readable. */
struct db *cli_try_open(const struct cli *cli, enum env_id env,
    struct db_error *why);
/* What the store says it is; false: it is no store of skein. */
bool cli_schema(struct db *shared, uint64_t *schema);
/* A stage's cursor. */
uint64_t cli_cursor(struct db *shared, enum stage_id stage);
/* Waits until the store has passed seq; 0, or -1 after client_patience. */
int cli_wait_store(const struct cli *cli, uint64_t seq);
/*
 * The same, and calls progress (may be NULL) with where the store is.  Only
 * standing still counts as silence; a long queue is not.
 */
int cli_wait_cursor(const struct cli *cli, struct db *shared, uint64_t seq,
    void (*progress)(uint64_t at, uint64_t seq));
/* Until the store and ingest's own tables have passed seq: for --after. */
int cli_wait_tables(const struct cli *cli, uint64_t seq);
/* A stage commits its own tables, which may be NULL, a moment after its
   sections: waits for that, for a second at most. */
void cli_settle(struct db *shared, struct db *own, enum stage_id stage);
/* The same for who has a transaction open already. */
void cli_settle_to(struct db *own, enum stage_id stage, uint64_t seq);
/*
 * For who sends entries: they wait for a pipeline that comes up late, but not
 * without a word.  -1 after saying so: none ever ran here, the home is likely
 * the wrong one.
 */
int cli_expect_pipeline(const struct cli *cli, int64_t patience_s)
    __attribute__((warn_unused_result));
/* The supervisor of the home, or 0: by its lock, a pid may be anybody's. */
pid_t cli_supervisor(const struct cli *cli);

#define VERB(name, symbol, arguments, what) \
	int verb_##symbol(struct cli *cli, int argc, char **argv);
#include "cli/verbs.def"

#endif
