/*
 * migrate - a store of an older schema, brought up to date
 *
 * A function from each schema to the next, all run in one write transaction
 * that also moves the number in meta.
 */
#include "store/migrate.h"

#include "common/stage_drop.h"

/* Wishes to forget were taken and not carried out: now they wait. */
static void
journal_wishes(struct db_txn *txn)
{
	struct msg_forgotten waits = { .done = false };
	struct db_cursor *c = db_cursor(txn, TABLE_log);
	struct msg_error why;
	struct arena arena;
	struct db_entry e;
	struct msg m;

	arena_init(&arena);
	for (; db_next(c, &e); arena_reset(&arena))
		if (msg_decode(e.value, &arena, &m, &why) == 0 &&
		    m.id == MSG_forget)
			db_put_msg(txn, TABLE_forgets, e.key, MSG_forgotten,
			    &waits);
	db_cursor_close(&c);
	arena_release(&arena);
}

/*
 * The compactor, the linker and the store of schema 1 had nothing to say:
 * what they say now is made from the log.  The new table is there, because
 * the store was opened for writing.
 */
static void
from_1(struct db_txn *txn)
{
	journal_wishes(txn);
	stage_drop_sections(txn, STAGE_compactor);
}

/* Only tables that follow from the sections have changed. */
static void
from_2(struct db_txn *txn)
{
	(void)txn;
}

static void (*const steps[])(struct db_txn *) = {
	[1] = from_1,
	[2] = from_2,
};

enum migrate_need
migrate_need(uint64_t schema)
{
	if (schema == TABLES_SCHEMA)
		return MIGRATE_CURRENT;
	return schema > TABLES_SCHEMA ? MIGRATE_NEWER : MIGRATE_OLDER;
}

enum db_result
migrate_run(struct db *shared)
{
	struct db_txn *txn = db_write(shared);
	struct msg_meta meta;
	struct arena arena;

	arena_init(&arena);
	if (db_get_msg(txn, TABLE_meta, SLICE("store"), MSG_meta, &arena,
		&meta)) {
		meta.store_id = arena_dup(&arena, meta.store_id);
		meta.program = arena_dup(&arena, meta.program);
		for (; meta.schema < TABLES_SCHEMA; meta.schema++)
			if (meta.schema > 0)
				steps[meta.schema](txn);
		db_put_msg(txn, TABLE_meta, SLICE("store"), MSG_meta, &meta);
	}
	arena_release(&arena);
	return db_commit(&txn);
}
