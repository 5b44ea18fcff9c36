/*
 * stage_derived - a stage's own tables, which follow from its sections
 *
 * They live in an environment of their own that is not synchronous, so they
 * may be behind (a crash), torn (a power cut) or damaged (a disk, a hand).
 * None of that is a loss: they are made from the sections again.
 *
 *   behind   own cursor < stage's cursor: the missing sections are applied
 *   foreign  another store, schema or epoch, or ahead: emptied, made again
 *   torn     the mark `dirty` holds another boot's id: wiped, made again
 *   damaged  LMDB refuses it, the file is too short: wiped, made again
 *   suspect  a process died on a signal while using it: a child reads all
 *            of it; if the child fails, wiped and made again
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"

enum { BOOT_ID_BYTES = 36 };

static struct {
	char suspect_path[PATH_MAX];	/* for the signal handler */
} marks;

static char *
own_dir(const struct stage *st)
{
	if (st->shadow_dir != NULL)
		return xstrdup(st->shadow_dir);
	return conf_path(&st->conf, "db/%s", env_name(st->spec->env));
}

static char *
mark_path(const struct stage *st, const char *mark)
{
	char *dir = own_dir(st), *path = xasprintf("%s/%s", dir, mark);

	free(dir);
	return path;
}

/* Reads at most BOOT_ID_BYTES; "" when there is no such file. */
static void
read_mark(const char *path, char out[BOOT_ID_BYTES + 1])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = 0;

	if (fd != -1) {
		len = read(fd, out, BOOT_ID_BYTES);
		close(fd);
	}
	out[len > 0 ? len : 0] = '\0';
}

static void
write_mark(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t len = strlen(text);

	if (fd == -1 || write(fd, text, len) != (ssize_t)len || fsync(fd) == -1)
		fatal(EX_RETRY, "%s", path);
	close(fd);
}

static bool
is_torn(struct stage *st)
{
	char boot[BOOT_ID_BYTES + 1], mark[BOOT_ID_BYTES + 1];
	char *path = mark_path(st, "dirty");

	read_mark("/proc/sys/kernel/random/boot_id", boot);
	read_mark(path, mark);
	free(path);
	return mark[0] != '\0' && strcmp(boot, mark) != 0;
}

static void
mark_dirty(struct stage *st)
{
	char boot[BOOT_ID_BYTES + 1];
	char *path = mark_path(st, "dirty");

	read_mark("/proc/sys/kernel/random/boot_id", boot);
	write_mark(path, boot[0] != '\0' ? boot : "unknown");
	free(path);
}

static void
on_crash(int signal_number)
{
	int fd = open(marks.suspect_path, O_WRONLY | O_CREAT, 0600);

	if (fd != -1)
		close(fd);
	/* SA_RESETHAND: this time the signal does what it does. */
	raise(signal_number);
}

static void
watch_crashes(struct stage *st)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT };
	struct sigaction action = { .sa_handler = on_crash,
		.sa_flags = (int)SA_RESETHAND };
	char *path = mark_path(st, "suspect");
	size_t i;

	if (snprintf(marks.suspect_path, sizeof(marks.suspect_path), "%s",
		path) >= (int)sizeof(marks.suspect_path))
		fatalx(EX_REFUSE, "%s: path too long", path);
	free(path);
	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], &action, NULL) == -1)
			fatal(EX_RETRY, "sigaction");
}

static int
open_own(struct stage *st, struct db_error *why)
{
	struct db_options options = stage_db_options(&st->conf);
	char *dir = own_dir(st);
	int rc;

	options.durable = false;
	rc = db_open(&st->own, dir, st->spec->env, &options, why);
	free(dir);
	return rc;
}

/* In a child: reads and decodes everything.  Exits 0 if all of it was there. */
static void
read_all(struct stage *st)
{
	struct db_error why;
	struct db_cursor *c;
	struct db_entry e;
	struct msg_error bad;
	struct db_txn *txn;
	struct msg msg;
	size_t i;

	if (open_own(st, &why) == -1)
		_exit(1);
	txn = db_read(st->own);
	for (i = 0; i < TABLE_COUNT; i++) {
		if (table_spec(i)->env != st->spec->env)
			continue;
		c = db_cursor(txn, i);
		while (db_next(c, &e)) {
			if (strcmp(table_spec(i)->value, "text") != 0 &&
			    msg_decode(e.value, &st->arena, &msg, &bad) == -1)
				_exit(1);
			arena_reset(&st->arena);
		}
	}
	_exit(db_state(txn) == DB_DONE ? 0 : 1);
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
	char *dir = own_dir(st);

	log_warnx("own tables %s: made again from the sections", reason);
	if (db_wipe(dir) == -1)
		fatal(EX_REFUSE, "%s: cannot be removed", dir);
	free(dir);
}

static void
clear_suspect(struct stage *st)
{
	char *path = mark_path(st, "suspect");
	bool suspect = access(path, F_OK) == 0;

	if (suspect && !is_readable(st))
		wipe(st, "are damaged");
	if (suspect && unlink(path) == -1)
		fatal(EX_RETRY, "%s", path);
	free(path);
}

void
derived_damaged(struct stage *st)
{
	char *path = mark_path(st, "suspect");

	if (st->own != NULL)
		log_warnx("own tables: %s", db_reason(st->own));
	write_mark(path, "");
	free(path);
	fatalx(EX_RETRY, "own tables may be damaged: starting anew");
}

void
derived_put_cursor(struct stage *st)
{
	struct msg_derived d = {
		.seq = st->cursor,
		.epoch = st->epoch,
		.store_id = st->store_id,
		.schema = TABLES_SCHEMA,
	};

	db_put_msg(st->tables, st->spec->derived, SLICE("follows"),
	    MSG_derived, &d);
}

static void
empty_tables(struct stage *st)
{
	uint64_t cursor = st->cursor;
	size_t i;

	st->tables = db_write(st->own);
	for (i = 0; i < TABLE_COUNT; i++)
		if (table_spec(i)->env == st->spec->env)
			db_clear(st->tables, i);
	st->cursor = 0;		/* the cursor they now follow */
	derived_put_cursor(st);
	st->cursor = cursor;
	if (db_commit(&st->tables) != DB_DONE)
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
	    d.schema == TABLES_SCHEMA && d.epoch == st->epoch &&
	    d.seq <= st->cursor;
	st->applied = ours ? d.seq : 0;
	db_abort(&txn);
	arena_reset(&st->arena);
	return ours;
}

void
derived_open(struct stage *st)
{
	struct db_error why;

	if (is_torn(st))
		wipe(st, "were in use when the machine stopped");
	clear_suspect(st);
	if (open_own(st, &why) == -1) {
		if (!why.damaged)
			fatalx(why.full ? EX_RETRY : EX_REFUSE, "%s", why.text);
		log_warnx("%s", why.text);
		wipe(st, "are damaged");
		if (open_own(st, &why) == -1)
			fatalx(EX_REFUSE, "%s", why.text);
	}
	mark_dirty(st);
	watch_crashes(st);
	if (!read_follows(st)) {
		if (st->cursor > 0)
			log_info("own tables belong to another state of the "
				 "store: made again");
		empty_tables(st);
	}
}

void
derived_close(struct stage *st)
{
	char *path = mark_path(st, "dirty");

	if (st->own == NULL)
		return;
	turn_abandon(st);
	if (db_sync(st->own) == 0 && unlink(path) == -1 && errno != ENOENT)
		log_warn("%s", path);
	free(path);
	db_close(&st->own);
}

static void
apply_one(struct stage *st, struct db_txn *txn, uint64_t seq)
{
	struct stage_entry e;
	struct msg_error why;

	if (turn_load(st, txn, seq, true, &e, &why) == -1) {
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
	struct db_txn *txn;
	enum db_result result;

	turn_begin(st);
	txn = db_read(st->shared);
	for (seq = st->applied + 1; st->spec->apply != NULL && seq <= upto;
	     seq++) {
		apply_one(st, txn, seq);
		arena_reset(&st->arena);
		status_breathe(st);
	}
	db_abort(&txn);
	st->cursor = upto;
	derived_put_cursor(st);
	st->cursor = cursor;
	result = db_commit(&st->tables);
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
		upto = st->applied + (uint64_t)st->conf.batch_entries;
		if (upto > st->cursor || st->spec->apply == NULL)
			upto = st->cursor;
		if (!apply_batch(st, upto) && !db_grow(st->own))
			return false;
	}
	return true;
}
