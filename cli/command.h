/*
 * command - an entry that asks for something, and what became of it
 *
 * A command is sent, waits until the store has passed it, and says what the
 * stage that owns it made of it: the first section with a result or an error.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/cli.h"

/* What every command may say of itself beside its own fields. */
struct command {
	struct cli *cli;
	struct buf json;	/* the entry under construction */
	struct slice domain, user, room, session, id;
	struct slice agent_id, agent_name;
	int64_t ts;
	bool has_ts;
	const char *option;	/* of `begin`: which of its ways; or NULL */
	struct slice thread;	/* where that goes on; empty: what it made */
	struct arena arena;
};

/* The class that an error code belongs to; NULL: none. */
const char *command_error_class(struct slice code);

void command_begin(struct command *c, struct cli *cli);
void command_end(struct command *c);
void command_type(struct command *c, const char *type);
void command_put(struct command *c, const char *name, struct slice value);
void command_put_list(struct command *c, const char *name,
    const struct msg_strs *values);
/* Sends it, waits, prints the outcome; what the verb returns. */
int command_run(struct command *c);

#endif
