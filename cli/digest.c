/*
 * digest - a hash per table over its content
 *
 * Over keys and values in key order, so that page layout, free pages and
 * batching do not show.  Tables that depend on the wall clock are left out.
 */
#include "cli/digest.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"

static void
add(crypto_generichash_state *state, struct slice s)
{
	unsigned char len[8];
	size_t i;

	for (i = 0; i < 8; i++)
		len[i] = (unsigned char)((uint64_t)s.len >> (8 * i));
	crypto_generichash_update(state, len, sizeof(len));
	crypto_generichash_update(state, (const unsigned char *)s.ptr, s.len);
}

/* How often a stage was rebuilt is not part of what the store holds. */
static void
add_cursor(crypto_generichash_state *state, struct slice record)
{
	struct msg_cursor c;
	struct msg_error why;
	struct arena arena;
	struct buf without;

	arena_init(&arena);
	buf_init(&without, 256);
	if (msg_decode_as(record, &arena, MSG_cursor, &c, &why) == 0) {
		c = (struct msg_cursor){ .seq = c.seq };
		if (msg_encode(&without, MSG_cursor, &c) == 0)
			record = buf_slice(&without);
	}
	add(state, record);
	buf_release(&without);
	arena_release(&arena);
}

uint64_t
digest_table(struct db_txn *txn, enum table_id table,
    char hex[2 * DIGEST_BYTES + 1])
{
	unsigned char hash[DIGEST_BYTES];
	crypto_generichash_state state;
	struct db_cursor *c = db_cursor(txn, table);
	struct db_entry e;
	uint64_t rows = 0;

	crypto_generichash_init(&state, NULL, 0, DIGEST_BYTES);
	while (db_next(c, &e)) {
		add(&state, e.key);
		if (table == TABLE_cursors)
			add_cursor(&state, e.value);
		else
			add(&state, e.value);
		rows++;
	}
	crypto_generichash_final(&state, hash, DIGEST_BYTES);
	sodium_bin2hex(hex, 2 * DIGEST_BYTES + 1, hash, DIGEST_BYTES);
	db_cursor_close(&c);
	return rows;
}

static void
digest_env(const struct cli *cli, struct db *db, enum env_id env)
{
	char hex[2 * DIGEST_BYTES + 1];
	struct db_txn *txn = db_read(db);
	uint64_t rows;
	size_t i;

	for (i = 0; i < TABLE_COUNT; i++) {
		if (table_spec(i)->env != env || !table_spec(i)->digest)
			continue;
		rows = digest_table(txn, i, hex);
		printf(cli->json ? "{\"table\":\"%s\",\"rows\":%llu,"
				   "\"digest\":\"%s\"}\n" :
				   "%-16s %10llu  %s\n",
		    table_spec(i)->name, (unsigned long long)rows, hex);
	}
	db_abort(&txn);
}

int
verb_digest(struct cli *cli, int argc, char **argv)
{
	enum env_id env;
	struct db *db;
	char *dir;
	bool there;

	if (argc > 1)
		return cli_usage(cli, "'%s' is not understood: takes no "
		    "arguments", argv[1]);
	if (sodium_init() == -1)
		return cli_fail(cli, "libsodium cannot start");
	for (env = 0; env < ENV_COUNT; env++) {
		dir = conf_path(&cli->conf, "db/%s/data.mdb", env_name(env));
		there = access(dir, F_OK) == 0;
		free(dir);
		if (!there && env != ENV_shared)
			continue;
		db = cli_open(cli, env);
		if (db == NULL)
			return 1;
		digest_env(cli, db, env);
		db_close(&db);
	}
	return 0;
}
