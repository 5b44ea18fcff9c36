/*
 * stage_derived - a stage's own tables, which follow from its sections
 *
 * They live in an environment of their own that is not synchronous, so they
 * may be behind (a crash), torn (a power cut) or damaged (a disk, a hand).
 * None of that is a loss: they are made from the sections again.
 *
 *   behind   own cursor < stage's cursor: the missing sections are applied
 *   strange  another store, schema or epoch, or ahead: emptied, made again
 *   torn     the mark `dirty` holds another boot's id: wiped, made again
 *   damaged  LMDB refuses it, the file is too short: wiped, made again
 *   foreign  the file is not as its stage left it: wiped, made again
 *    hand    (the mark `stamp` holds its size and time after each commit)
 *   suspect  a process died in the middle of a commit, or on a signal while
 *            using it: a child reads all of it; if the child fails, wiped
 *            and made again
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_impl.h"

static int
open_own(struct stage *st, struct db_error *why)
{
	struct db_options options = stage_db_options(&st->conf);
	char *dir = marks_dir(st);
	int rc;

	options.durable = false;
	rc = db_open(&st->own, dir, st->spec->env, &options, why);
	free(dir);
	return rc;
}

static bool
read_table(struct stage *st, struct db_txn *txn, enum table_id table)
{
	bool is_text = strcmp(table_spec(table)->value, "text") == 0;
	struct db_cursor *c = db_cursor(txn, table);
	struct slice before = SLICE_NONE;
	struct msg_error bad;
	struct db_entry e;
	struct msg msg;
	uint64_t rows = 0;

	for (; db_next(c, &e); rows++) {
		if (rows > 0 && slice_cmp(before, e.key) >= 0)
			return false;
		if (!is_text &&
		    msg_decode(e.value, &st->arena, &msg, &bad) == -1)
			return false;
		arena_reset(&st->arena);
		before = e.key;
	}
	return db_state(txn) == DB_DONE && rows == db_count(txn, table);
}

/* In a child: reads and decodes everything.  Exits 0 if all of it was there. */
static void
read_all(struct stage *st)
{
	struct db_error why;
	struct db_txn *txn;
	size_t i;

	if (open_own(st, &why) == -1)
		_exit(1);
	txn = db_read(st->own);
	for (i = 0; i < TABLE_COUNT; i++)
		if (table_spec(i)->env == st->spec->env &&
		    !read_table(st, txn, i))
			_exit(1);
	_exit(0);
}

static bool
is_readable(struct stage *st)
{
	pid_t child = fork();
	int status;

	if (child == -1)
		fatal(EX_RETRY, "fork");
	if (child == 0) {
		signal(SIGSEGV, SIG_DFL);
		signal(SIGBUS, SIG_DFL);
		signal(SIGABRT, SIG_DFL);
		read_all(st);
	}
	while (waitpid(child, &status, WNOHANG) == 0) {
		status_breathe(st);
		usleep(10000);
	}
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void
wipe(struct stage *st, const char *reason)
{
	char *dir = marks_dir(st);

	log_warnx("own tables %s: made again from the sections", reason);
	if (db_wipe(dir) == -1)
		fatal(EX_REFUSE, "%s: cannot be removed", dir);
	free(dir);
}

/* Looks at what an earlier life has left, before it is opened. */
static void
clear_doubts(struct stage *st)
{
	char *path = marks_path(st, "suspect");
	bool suspect = access(path, F_OK) == 0;
	bool changed = marks_is_changed(st) && !st->shadow;

	if (marks_is_torn(st))
		wipe(st, "were in use when the machine stopped");
	else if (changed && !marks_is_dirty(st))
		wipe(st, "were changed by another hand");
	else if ((suspect || changed) && !is_readable(st))
		wipe(st, "are damaged");
	if (suspect && unlink(path) == -1)
		fatal(EX_RETRY, "%s", path);
	free(path);
}

void
derived_damaged(struct stage *st)
{
	if (st->own != NULL)
		log_warnx("own tables: %s", db_reason(st->own));
	marks_set_suspect(st);
	fatalx(EX_RETRY, "own tables may be damaged: starting anew");
}

void
derived_begin(struct stage *st)
{
	if (!st->shadow && !marks_is_as_left()) {
		wipe(st, "were changed by another hand");
		fatalx(EX_RETRY, "own tables are gone: starting anew");
	}
	st->tables = db_write(st->own);
}

enum db_result
derived_commit(struct stage *st)
{
	enum db_result result = db_commit(&st->tables);

	marks_write_stamp(st);
	return result;
}

void
derived_abandon(struct stage *st)
{
	if (st->tables == NULL)
		return;
	db_abort(&st->tables);
	/* A large transaction may have written pages before its end. */
	marks_write_stamp(st);
}

void
derived_put_cursor(struct stage *st)
{
	struct msg_derived d = {
		.seq = st->cursor,
		.epoch = st->epoch,
		.store_id = st->store_id,
		.schema = env_schema(st->spec->env),
	};

	db_put_msg(st->tables, st->spec->derived, SLICE("follows"),
	    MSG_derived, &d);
}

static void
empty_tables(struct stage *st)
{
	uint64_t cursor = st->cursor;
	size_t i;

	derived_begin(st);
	for (i = 0; i < TABLE_COUNT; i++)
		if (table_spec(i)->env == st->spec->env)
			db_clear(st->tables, i);
	st->cursor = 0;		/* the cursor they now follow */
	derived_put_cursor(st);
	st->cursor = cursor;
	if (derived_commit(st) != DB_DONE)
		derived_damaged(st);
	st->applied = 0;
}

/* Whether the tables belong to this store and lie at or behind its cursor. */
static bool
read_follows(struct stage *st)
{
	struct msg_derived d;
	struct db_txn *txn = db_read(st->own);
	bool ours;

	ours = db_get_msg(txn, st->spec->derived, SLICE("follows"),
	    MSG_derived, &st->arena, &d);
	ours = ours && slice_eq(d.store_id, st->store_id) &&
	    d.schema == env_schema(st->spec->env) && d.epoch == st->epoch &&
	    d.seq <= st->cursor;
	st->applied = ours ? d.seq : 0;
	db_abort(&txn);
	arena_reset(&st->arena);
	return ours;
}

/* Nothing was ever in them. */
static bool
is_fresh(struct stage *st)
{
	struct db_txn *txn = db_read(st->own);
	bool fresh = db_count(txn, st->spec->derived) == 0;

	db_abort(&txn);
	return fresh;
}

/*
 * Not emptied but gone: what was forgotten could still be read in pages that
 * are merely free.
 */
static void
start_over(struct stage *st)
{
	struct db_error why;

	db_close(&st->own);
	wipe(st, "belong to another state of the store");
	if (open_own(st, &why) == -1)
		fatalx(EX_RETRY, "%s", why.text);
	marks_write_stamp(st);
}

void
derived_open(struct stage *st)
{
	struct db_error why;

	clear_doubts(st);
	if (open_own(st, &why) == -1) {
		if (!why.damaged)
			fatalx(why.full ? EX_RETRY : EX_REFUSE, "%s", why.text);
		log_warnx("%s", why.text);
		wipe(st, "are damaged");
		if (open_own(st, &why) == -1)
			fatalx(EX_REFUSE, "%s", why.text);
	}
	marks_set_dirty(st);
	marks_open_stamp(st);
	marks_watch_crashes(st);
	if (!read_follows(st)) {
		if (!is_fresh(st))
			start_over(st);
		empty_tables(st);
	}
}

void
derived_close(struct stage *st)
{
	if (st->own == NULL)
		return;
	derived_abandon(st);
	marks_close(st, db_sync(st->own) == 0);
	db_close(&st->own);
}

static void
apply_one(struct stage *st, struct entry_reader *from, uint64_t seq)
{
	struct stage_entry e;
	struct msg_error why;

	if (turn_load(st, from, seq, true, &e, &why) == -1) {
		/* It was rejected when it was live, and has no effect now. */
		log_debug("seq %llu: %s", (unsigned long long)seq, why.text);
		return;
	}
	if (e.sections[st->spec->id].id == MSG_s_none &&
	    e.sections[st->spec->id].as->s_none.rejected)
		return;
	st->spec->apply(st, &e, &e.sections[st->spec->id]);
}

static bool
apply_batch(struct stage *st, uint64_t upto)
{
	uint64_t seq, cursor = st->cursor;
	struct entry_reader from = { 0 };
	enum db_result result;

	turn_begin(st);
	from.txn = db_read(st->shared);
	for (seq = st->applied + 1; st->spec->apply != NULL && seq <= upto;
	     seq++) {
		apply_one(st, &from, seq);
		arena_reset(&st->arena);
		status_breathe(st);
	}
	db_abort(&from.txn);
	st->cursor = upto;
	turn_flush(st);
	st->cursor = cursor;
	result = derived_commit(st);
	if (result == DB_BROKEN)
		derived_damaged(st);
	if (result == DB_FULL)
		return false;
	stage_count(st, COUNTER_applied, upto - st->applied);
	st->applied = upto;
	return true;
}

bool
derived_catch_up(struct stage *st)
{
	uint64_t upto;

	while (st->applied < st->cursor) {
		upto = st->applied + turn_entries(st);
		if (upto > st->cursor || st->spec->apply == NULL)
			upto = st->cursor;
		if (!apply_batch(st, upto) && !db_grow(st->own))
			return false;
	}
	return true;
}

void
derived_remake(struct stage *st)
{
	struct msg_cursor c = { 0 };
	struct db_txn *txn = db_read(st->shared);

	(void)db_get_msg(txn, TABLE_cursors,
	    slice_str(stage_name(st->spec->id)), MSG_cursor, &st->arena, &c);
	db_abort(&txn);
	arena_reset(&st->arena);
	st->epoch = c.epoch;
	start_over(st);
	empty_tables(st);
	if (!derived_catch_up(st))
		log_warnx("own tables: %s", db_reason(st->own));
}
