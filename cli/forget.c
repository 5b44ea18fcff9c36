/*
 * forget - a turn, a thread, an artifact, a user or a domain, for good
 *
 * The wish is an entry; ingest carries it out.  Of an artifact the entry that
 * made it is forgotten, and the turns it came from: else it would be made of
 * them again.
 */
#include "cli/artifacts.h"
#include "cli/command.h"
#include "cli/options.h"

struct turns {
	struct arena *arena;
	struct slice *keys;
	size_t count, room;
};

static void
on_turn(void *data, const struct row *row)
{
	const struct cell *key = row_cell(row, "key");
	struct turns *t = data;
	struct slice *grown;

	if (key == NULL)
		return;
	if (t->count == t->room) {
		t->room = t->room == 0 ? 16 : t->room * 2;
		grown = arena_array(t->arena, t->room, sizeof(grown[0]));
		if (t->count > 0)
			memcpy(grown, t->keys, t->count * sizeof(grown[0]));
		t->keys = grown;
	}
	t->keys[t->count++] = arena_dup(t->arena, key->text);
}

/* The turns behind an artifact; 0, or 1 after saying why not. */
static int
find_turns(struct command *c, struct slice name, struct turns *turns)
{
	const struct query_sink sink = { on_turn, NULL, turns };
	struct artifacts_source from;
	struct msg_artifact a;
	struct db_txn *txn;
	struct query q;
	bool there;

	if (!artifacts_open(c->cli, c->domain, &from))
		return 1;
	txn = db_read(from.compactor);
	query_open(&q, from.shared, from.ingest, c->domain);
	there = query_artifact(&q, txn, name, &a);
	if (there)
		query_artifact_turns(&q, &a, &sink);
	query_close(&q);
	db_abort(&txn);
	artifacts_close(&from);
	if (there)
		return 0;
	return cli_fail(c->cli, "THOUGHT_NOT_FOUND: there is no artifact "
	    "'%.*s' in domain %.*s: 'skein artifacts' lists them",
	    SLICE_ARG(name), SLICE_ARG(c->domain));
}

static int
forget(struct command *c, struct slice what, struct slice target)
{
	struct turns turns = { .arena = &c->arena };
	struct msg_strs keys;

	command_type(c, "forget");
	command_put(c, "what", what);
	if (target.len > 0)
		command_put(c, "target", target);
	if (slice_is(what, "artifact")) {
		if (find_turns(c, target, &turns) != 0)
			return 1;
		keys = (struct msg_strs){ turns.keys, turns.count };
		if (keys.count > 0)
			command_put_list(c, "turns", &keys);
	}
	return command_run(c);
}

int
verb_forget(struct cli *cli, int argc, char **argv)
{
	struct command c;
	struct option_spec specs[] = {
		{ "domain", OPTION_TEXT, NULL, NULL },
		{ "id", OPTION_TEXT, NULL, NULL },
		{ 0 } };
	int rc;

	command_begin(&c, cli);
	specs[0].into = &c.domain;
	specs[1].into = &c.id;
	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc == 0 && (argc < 2 || argc > 3 ||
		(argc == 2) != (strcmp(argv[1], "domain") == 0)))
		rc = cli_usage(cli, "what is to be forgotten? 'skein forget "
		    "turn|thread|artifact|user NAME', or 'skein forget domain "
		    "--domain D'");
	if (rc == 0)
		rc = forget(&c, slice_str(argv[1]),
		    argc == 3 ? slice_str(argv[2]) : SLICE_NONE);
	command_end(&c);
	return rc;
}
