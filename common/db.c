/*
 * db - LMDB environments, and the tables of tables.def inside them
 */
#include "common/db.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <lmdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/db_later.h"
#include "common/log.h"
#include "common/xmalloc.h"

/* What waits for a table is written when it has become so much. */
enum { LATER_BYTES = 4 * 1024 * 1024 };

static const struct table_spec tables[TABLE_COUNT] = {
#define TABLE(label, where, kind, holds, who, counts, prose)       \
	[TABLE_##label] = { .name = #label,                        \
			    .env = ENV_##where,                    \
			    .key = KEY_##kind,                     \
			    .value = #holds,                       \
			    .owner = #who,                         \
			    .digest = counts,                      \
			    .what = prose },
#include "store/tables.def"
};

static const char *const env_names[ENV_COUNT] = {
	[ENV_shared] = "shared",
#define STAGE(name, what) [ENV_##name] = #name,
#include "common/stages.def"
	[ENV_assess] = "assess",
	[ENV_probe] = "probe",
};

struct db {
	MDB_env *env;
	enum env_id id;
	char *dir;
	size_t map_bytes, map_limit;
	bool read_only;
	struct db_txn *open;	/* LMDB: one transaction of ours at a time */
	const char *reason;
	bool map_full;		/* that, not the disk, was the last failure */
	MDB_dbi dbis[TABLE_COUNT];
	struct later *later[TABLE_COUNT];	/* NULL: never was any */
};

struct db_txn {
	struct db *db;
	MDB_txn *txn;
	bool writes;
	enum db_result state;
	struct db_cursor *cursors;
	MDB_cursor *ends[TABLE_COUNT];	/* where they are appended to, or NULL */
	bool waits;		/* something is to be written later */
};

struct db_cursor {
	MDB_cursor *cursor;
	struct db_txn *txn;
	struct db_cursor *next;
};

const struct table_spec *
table_spec(enum table_id table)
{
	return &tables[table];
}

const char *
env_name(enum env_id env)
{
	return env_names[env];
}

uint64_t
env_schema(enum env_id env)
{
	return TABLES_SCHEMA +
	    (env == ENV_store ? (uint64_t)TABLES_TERMS << 16 : 0);
}

/* ---- opening ---- */

static int
open_error(struct db_error *why, const char *dir, const char *what, int rc)
{
	why->absent = rc == ENOENT;
	why->full = rc == ENOSPC || rc == EDQUOT;
	why->damaged = rc == MDB_INVALID || rc == MDB_CORRUPTED ||
	    rc == MDB_PAGE_NOTFOUND || rc == MDB_VERSION_MISMATCH ||
	    rc == MDB_BAD_DBI || rc == MDB_INCOMPATIBLE || rc == MDB_NOTFOUND ||
	    rc == EIO;
	snprintf(why->text, sizeof(why->text), "%s: %s: %s", dir, what,
	    mdb_strerror(rc));
	return -1;
}

/* A file cut short behind LMDB's back would be a SIGBUS later. */
static int
check_length(struct db *db)
{
	char path[PATH_MAX];
	struct stat st;
	MDB_envinfo info;
	MDB_stat stat_;

	snprintf(path, sizeof(path), "%s/data.mdb", db->dir);
	/* In this order: others write, and the file grows before its meta. */
	if (mdb_env_info(db->env, &info) != 0 ||
	    mdb_env_stat(db->env, &stat_) != 0)
		return MDB_INVALID;
	if (stat(path, &st) == -1)
		return errno;
	if ((uint64_t)st.st_size <
	    (uint64_t)(info.me_last_pgno + 1) * stat_.ms_psize &&
	    info.me_last_pgno > 1)
		return MDB_CORRUPTED;
	return 0;
}

static void
on_shake(int signal_number)
{
	/* It only has to interrupt. */
	(void)signal_number;
}

/*
 * LMDB waits for its locks without end.  A process that is killed right after
 * it was woken as the next owner takes the wake-up with it; if somebody else
 * has the lock by then, nobody wakes those who still sleep, though the lock is
 * soon free.  So who waits is shaken now and then, and looks again.
 */
static void
shake(bool on)
{
	static const struct itimerval often = { { 0, 200000 }, { 0, 200000 } };
	static const struct itimerval never;
	static bool prepared;
	struct sigaction action = { .sa_handler = on_shake,
		.sa_flags = SA_RESTART };

	if (!prepared && sigaction(SIGALRM, &action, NULL) == -1)
		fatal(EX_RETRY, "sigaction");
	prepared = true;
	if (setitimer(ITIMER_REAL, on ? &often : &never, NULL) == -1)
		fatal(EX_RETRY, "setitimer");
}

/* LMDB's begin; a map that another process has made larger is taken as it is. */
static int
begin_txn(MDB_env *env, unsigned flags, MDB_txn **txn)
{
	int rc;

	shake(true);
	rc = mdb_txn_begin(env, NULL, flags, txn);
	if (rc == MDB_MAP_RESIZED) {
		rc = mdb_env_set_mapsize(env, 0);
		if (rc == 0)
			rc = mdb_txn_begin(env, NULL, flags, txn);
	}
	shake(false);
	return rc;
}

/* No dbi is as large: there are at most TABLE_COUNT of them. */
#define NO_TABLE UINT_MAX

static int
open_tables(struct db *db)
{
	unsigned flags = db->read_only ? 0 : MDB_CREATE;
	MDB_txn *txn = NULL;
	size_t i;
	int rc;

	rc = begin_txn(db->env, db->read_only ? MDB_RDONLY : 0, &txn);
	for (i = 0; rc == 0 && i < TABLE_COUNT; i++) {
		if (tables[i].env != db->id)
			continue;
		rc = mdb_dbi_open(txn, tables[i].name, flags, &db->dbis[i]);
		/* A store of an older schema: to a reader it is empty. */
		if (rc == MDB_NOTFOUND && db->read_only) {
			db->dbis[i] = NO_TABLE;
			rc = 0;
		}
	}
	if (rc == 0)
		return mdb_txn_commit(txn);
	if (txn != NULL)
		mdb_txn_abort(txn);
	return rc;
}

static int
open_env(struct db *db, const struct db_options *options)
{
	unsigned flags = MDB_NOTLS;
	int rc;

	if (options->read_only)
		flags |= MDB_RDONLY;
	if (!options->durable)
		flags |= MDB_NOSYNC;
	rc = mdb_env_create(&db->env);
	if (rc != 0)
		return rc;
	if ((rc = mdb_env_set_maxdbs(db->env, TABLE_COUNT)) != 0 ||
	    (rc = mdb_env_set_maxreaders(db->env, options->max_readers)) != 0)
		return rc;
	/* A reader takes the size the file says; a writer never shrinks it. */
	if (!options->read_only &&
	    (rc = mdb_env_set_mapsize(db->env, options->map_bytes)) != 0)
		return rc;
	return mdb_env_open(db->env, db->dir, flags, 0600);
}

int
db_open(struct db **out, const char *dir, enum env_id env,
    const struct db_options *options, struct db_error *why)
{
	struct db *db = xcalloc(1, sizeof(*db));
	MDB_envinfo info;
	int dead, rc = 0;

	*why = (struct db_error){ 0 };
	db->id = env;
	db->dir = xstrdup(dir);
	db->read_only = options->read_only;
	db->map_limit = options->map_limit;
	if (!options->read_only && mkdir(dir, 0700) == -1 && errno != EEXIST)
		rc = errno;
	if (rc == 0)
		rc = open_env(db, options);
	if (rc == 0)
		rc = check_length(db);
	if (rc == 0)
		rc = mdb_reader_check(db->env, &dead);
	if (rc == 0)
		rc = open_tables(db);
	if (rc == 0)
		rc = mdb_env_info(db->env, &info);
	if (rc != 0) {
		open_error(why, dir, env_names[env], rc);
		db_close(&db);
		return -1;
	}
	db->map_bytes = info.me_mapsize;
	*out = db;
	return 0;
}

void
db_close(struct db **db)
{
	struct db *d = *db;
	enum table_id i;

	if (d == NULL)
		return;
	assert(d->open == NULL);
	for (i = 0; i < TABLE_COUNT; i++)
		later_close(&d->later[i]);
	if (d->env != NULL)
		mdb_env_close(d->env);
	free(d->dir);
	free(d);
	*db = NULL;
}

int
db_wipe(const char *dir)
{
	/*
	 * The tables last: who opens them meanwhile must not keep them with a
	 * lock file that is gone, for others would then have another one.
	 */
	static const char *const names[] = { "lock.mdb", "data.mdb" };
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (unlink(path) == -1 && errno != ENOENT)
			return -1;
	}
	return 0;
}

int
db_sync(struct db *db)
{
	return mdb_env_sync(db->env, 1) == 0 ? 0 : -1;
}

int
db_copy(struct db *db, const char *dir, struct db_error *why)
{
	char *path = xasprintf("%s/data.mdb", dir);
	/* Readable for nobody else, as the store itself. */
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int rc = fd == -1 ? errno :
	    mdb_env_copyfd2(db->env, fd, MDB_CP_COMPACT);

	if (fd != -1 && close(fd) == -1 && rc == 0)
		rc = errno;
	free(path);
	return rc == 0 ? 0 : open_error(why, dir, "copy", rc);
}

const char *
db_dir(const struct db *db)
{
	return db->dir;
}

/* ---- transactions ---- */

static bool
is_full(int rc)
{
	return rc == MDB_MAP_FULL || rc == ENOSPC || rc == EDQUOT ||
	    rc == EFBIG || rc == MDB_TXN_FULL;
}

static void
note(struct db_txn *txn, int rc)
{
	if (txn->state != DB_DONE)
		return;
	txn->state = is_full(rc) ? DB_FULL : DB_BROKEN;
	txn->db->reason = mdb_strerror(rc);
	txn->db->map_full = rc == MDB_MAP_FULL;
}

static struct db_txn *
begin(struct db *db, bool writes)
{
	struct db_txn *t = xcalloc(1, sizeof(*t));
	MDB_envinfo info;
	int rc;

	assert(db->open == NULL);
	rc = begin_txn(db->env, writes ? 0 : MDB_RDONLY, &t->txn);
	if (rc != 0)
		fatalx(EX_RETRY, "%s: cannot begin a transaction: %s", db->dir,
		    mdb_strerror(rc));
	if (mdb_env_info(db->env, &info) == 0)
		db->map_bytes = info.me_mapsize;
	t->db = db;
	t->writes = writes;
	db->open = t;
	return t;
}

struct db_txn *
db_read(struct db *db)
{
	return begin(db, false);
}

struct db_txn *
db_write(struct db *db)
{
	assert(!db->read_only);
	return begin(db, true);
}

/* ---- what waits ---- */

static MDB_val
to_val(struct slice s)
{
	return (MDB_val){ .mv_size = s.len, .mv_data = (void *)(uintptr_t)s.ptr };
}

static struct slice
from_val(MDB_val v)
{
	return slice_of(v.mv_data, v.mv_size);
}

static MDB_dbi
dbi(struct db_txn *txn, enum table_id table)
{
	assert(tables[table].env == txn->db->id);
	return txn->db->dbis[table];
}

/* The record that is there is in the page that is written to: it is copied. */
static int
put_merged(MDB_cursor *cursor, MDB_val *k, const struct later_row *row,
    struct slice there, struct arena *arena)
{
	union msg_any *own = arena_alloc(arena, sizeof(*own));
	union msg_any *other = arena_alloc(arena, sizeof(*other));
	struct buf record;
	struct msg_error why;
	struct msg m;
	MDB_val v;
	int rc = MDB_CORRUPTED;

	if (msg_decode(row->value, arena, &m, &why) == -1 ||
	    msg_decode_as(arena_dup(arena, there), arena, m.id, other,
		&why) == -1)
		return rc;
	memcpy(own, m.as, sizeof(*own));
	row->merge(own, other);
	buf_init(&record, SIZE_MAX / 4);
	if (msg_encode(&record, m.id, own) == 0) {
		v = to_val(buf_slice(&record));
		rc = mdb_cursor_put(cursor, k, &v, 0);
	}
	buf_release(&record);
	arena_reset(arena);
	return rc;
}

static int
put_row(MDB_cursor *cursor, const struct later_row *row, struct arena *arena)
{
	MDB_val k = to_val(row->key), v = to_val(row->value);
	int rc;

	if (row->merge == NULL)
		return mdb_cursor_put(cursor, &k, &v, 0);
	rc = mdb_cursor_put(cursor, &k, &v, MDB_NOOVERWRITE);
	return rc != MDB_KEYEXIST ? rc :
	    put_merged(cursor, &k, row, from_val(v), arena);
}

/* Whoever else writes to the table may leave its end elsewhere. */
static void
leave_end(struct db_txn *txn, enum table_id table)
{
	if (txn->ends[table] != NULL)
		mdb_cursor_close(txn->ends[table]);
	txn->ends[table] = NULL;
}

/* Deletions first, so that nothing is moved under the cursor that puts. */
static int
write_rows(struct db_txn *txn, enum table_id table)
{
	const struct later *l = txn->db->later[table];
	size_t i, n = later_sort(txn->db->later[table]);
	struct later_row row;
	struct arena arena;
	MDB_cursor *cursor;
	MDB_val k;
	int rc = 0;

	leave_end(txn, table);
	for (i = 0; later_deletes(l) && rc == 0 && i < n; i++) {
		row = later_row(l, i);
		k = to_val(row.key);
		if (row.deleted)
			rc = mdb_del(txn->txn, dbi(txn, table), &k, NULL);
		if (rc == MDB_NOTFOUND)
			rc = 0;
	}
	if (rc == 0)
		rc = mdb_cursor_open(txn->txn, dbi(txn, table), &cursor);
	if (rc != 0)
		return rc;
	arena_init(&arena);
	for (i = 0; rc == 0 && i < n; i++) {
		row = later_row(l, i);
		if (!row.deleted)
			rc = put_row(cursor, &row, &arena);
	}
	arena_release(&arena);
	mdb_cursor_close(cursor);
	return rc;
}

/* Whoever comes to the table sees what was to be written later. */
static inline void
settle(struct db_txn *txn, enum table_id table)
{
	struct later *l = txn->waits ? txn->db->later[table] : NULL;
	int rc;

	if (l == NULL || later_bytes(l) == 0)
		return;
	rc = txn->state == DB_DONE ? write_rows(txn, table) : 0;
	if (rc != 0)
		note(txn, rc);
	later_clear(l);
}

static void
write_waiting(struct db_txn *txn)
{
	enum table_id i;

	for (i = 0; txn->waits && i < TABLE_COUNT; i++)
		settle(txn, i);
}

/*
 * Cursors must go before their transaction does: LMDB frees the cursors of a
 * writing transaction's own tables itself only when they were closed first.
 */
static void
finish(struct db_txn **txn)
{
	struct db_txn *t = *txn;
	enum table_id i;

	for (i = 0; t->waits && i < TABLE_COUNT; i++)
		if (t->db->later[i] != NULL)
			later_clear(t->db->later[i]);
	t->db->open = NULL;
	free(t);
	*txn = NULL;
}

static void
close_cursors(struct db_txn *t)
{
	struct db_cursor *c, *next;
	enum table_id i;

	for (i = 0; i < TABLE_COUNT; i++)
		leave_end(t, i);
	for (c = t->cursors; c != NULL; c = next) {
		next = c->next;
		if (c->cursor != NULL)
			mdb_cursor_close(c->cursor);
		free(c);
	}
	t->cursors = NULL;
}

/* LMDB calls a write that the disk could take only in part an EIO. */
static bool
is_disk_full(const struct db *db)
{
	enum { NOTHING_BYTES = 1 << 20 };
	struct statvfs vfs;

	return statvfs(db->dir, &vfs) == 0 &&
	    (uint64_t)vfs.f_bavail * vfs.f_frsize < NOTHING_BYTES;
}

enum db_result
db_commit(struct db_txn **txn)
{
	struct db_txn *t = *txn;
	enum db_result state;
	int rc;

	write_waiting(t);
	close_cursors(t);
	if (t->state != DB_DONE) {
		mdb_txn_abort(t->txn);
	} else {
		rc = mdb_txn_commit(t->txn);
		if (rc == EIO && is_disk_full(t->db))
			rc = ENOSPC;
		if (rc != 0)
			note(t, rc);
		if (rc == EIO || rc == MDB_PANIC)
			fatalx(EX_RETRY, "%s: commit: %s", t->db->dir,
			    mdb_strerror(rc));
	}
	state = t->state;
	finish(txn);
	return state;
}

void
db_abort(struct db_txn **txn)
{
	if (*txn == NULL)
		return;
	close_cursors(*txn);
	mdb_txn_abort((*txn)->txn);
	finish(txn);
}

uint64_t
db_txn_id(const struct db_txn *txn)
{
	return mdb_txn_id(txn->txn);
}

enum db_result
db_state(const struct db_txn *txn)
{
	return txn->state;
}

const char *
db_reason(const struct db *db)
{
	return db->reason == NULL ? "no failure" : db->reason;
}

/* ---- tables ---- */

bool
db_get(struct db_txn *txn, enum table_id table, struct slice key,
    struct slice *value)
{
	MDB_val k = to_val(key), v;
	int rc;

	settle(txn, table);
	if (txn->state != DB_DONE || dbi(txn, table) == NO_TABLE)
		return false;
	rc = mdb_get(txn->txn, dbi(txn, table), &k, &v);
	if (rc == 0) {
		*value = from_val(v);
		return true;
	}
	if (rc != MDB_NOTFOUND)
		note(txn, rc);
	return false;
}

void
db_put(struct db_txn *txn, enum table_id table, struct slice key,
    struct slice value)
{
	MDB_val k = to_val(key), v = to_val(value);
	int rc;

	settle(txn, table);
	if (txn->state != DB_DONE)
		return;
	leave_end(txn, table);
	rc = mdb_put(txn->txn, dbi(txn, table), &k, &v, 0);
	if (rc != 0)
		note(txn, rc);
}

/* With a cursor that stays at the end, which need not be looked for again. */
void
db_append(struct db_txn *txn, enum table_id table, struct slice key,
    struct slice value)
{
	MDB_val k = to_val(key), v = to_val(value);
	int rc = 0;

	settle(txn, table);
	if (txn->state != DB_DONE)
		return;
	if (txn->ends[table] == NULL)
		rc = mdb_cursor_open(txn->txn, dbi(txn, table),
		    &txn->ends[table]);
	if (rc == 0)
		rc = mdb_cursor_put(txn->ends[table], &k, &v, MDB_APPEND);
	if (rc != 0)
		note(txn, rc);
}

void
db_delete(struct db_txn *txn, enum table_id table, struct slice key)
{
	MDB_val k = to_val(key);
	int rc;

	settle(txn, table);
	if (txn->state != DB_DONE)
		return;
	leave_end(txn, table);
	rc = mdb_del(txn->txn, dbi(txn, table), &k, NULL);
	if (rc != 0 && rc != MDB_NOTFOUND)
		note(txn, rc);
}

void
db_clear(struct db_txn *txn, enum table_id table)
{
	int rc;

	settle(txn, table);
	if (txn->state != DB_DONE)
		return;
	leave_end(txn, table);
	rc = mdb_drop(txn->txn, dbi(txn, table), 0);
	if (rc != 0)
		note(txn, rc);
}

uint64_t
db_count(struct db_txn *txn, enum table_id table)
{
	MDB_stat st;
	int rc;

	settle(txn, table);
	if (txn->state != DB_DONE || dbi(txn, table) == NO_TABLE)
		return 0;
	rc = mdb_stat(txn->txn, dbi(txn, table), &st);
	if (rc != 0) {
		note(txn, rc);
		return 0;
	}
	return st.ms_entries;
}

bool
db_get_msg(struct db_txn *txn, enum table_id table, struct slice key,
    enum msg_id id, struct arena *arena, void *out)
{
	struct msg_error why;
	struct slice value;

	if (!db_get(txn, table, key, &value))
		return false;
	if (msg_decode_as(value, arena, id, out, &why) == 0)
		return true;
	log_warnx("%s: table %s: %s", txn->db->dir, tables[table].name,
	    why.text);
	note(txn, MDB_CORRUPTED);
	return false;
}

void
db_put_msg(struct db_txn *txn, enum table_id table, struct slice key,
    enum msg_id id, const void *msg)
{
	static struct buf record;	/* one for the process's life: no threads */

	if (record.limit == 0)
		buf_init(&record, SIZE_MAX / 4);
	buf_clear(&record);
	if (msg_encode(&record, id, msg) == -1)
		note(txn, MDB_BAD_VALSIZE);
	else
		db_put(txn, table, key, buf_slice(&record));
}

static struct later *
later_of(struct db_txn *txn, enum table_id table)
{
	struct later **l = &txn->db->later[table];

	assert(txn->writes && tables[table].env == txn->db->id);
	txn->waits = true;
	if (*l == NULL)
		*l = later_open();
	else if (later_bytes(*l) > LATER_BYTES)
		settle(txn, table);
	return *l;
}

void
db_put_msg_later(struct db_txn *txn, enum table_id table, struct slice key,
    enum msg_id id, const void *msg)
{
	if (msg_encode(later_put(later_of(txn, table), key), id, msg) == -1)
		note(txn, MDB_BAD_VALSIZE);
}

void
db_merge_msg_later(struct db_txn *txn, enum table_id table, struct slice key,
    enum msg_id id, const void *msg,
    void (*merge)(void *msg, const void *there))
{
	if (msg_encode(later_merge(later_of(txn, table), key, merge), id,
		msg) == -1)
		note(txn, MDB_BAD_VALSIZE);
}

void
db_delete_later(struct db_txn *txn, enum table_id table, struct slice key)
{
	later_delete(later_of(txn, table), key);
}

/* ---- cursors ---- */

struct db_cursor *
db_cursor(struct db_txn *txn, enum table_id table)
{
	struct db_cursor *c = xcalloc(1, sizeof(*c));
	int rc;

	settle(txn, table);
	/* Of a transaction that has failed: a cursor that finds nothing. */
	if (txn->state == DB_DONE && dbi(txn, table) != NO_TABLE) {
		rc = mdb_cursor_open(txn->txn, dbi(txn, table), &c->cursor);
		if (rc != 0) {
			c->cursor = NULL;
			note(txn, rc);
		}
	}
	c->txn = txn;
	c->next = txn->cursors;
	txn->cursors = c;
	return c;
}

void
db_cursor_close(struct db_cursor **cursor)
{
	struct db_cursor *c = *cursor, **at;

	for (at = &c->txn->cursors; *at != c; at = &(*at)->next)
		;
	*at = c->next;
	if (c->cursor != NULL)
		mdb_cursor_close(c->cursor);
	free(c);
	*cursor = NULL;
}

static bool
move(struct db_cursor *c, MDB_val *k, MDB_cursor_op op, struct db_entry *out)
{
	MDB_val none = { 0 }, v;
	int rc;

	if (c->txn->state != DB_DONE)
		return false;
	if (k == NULL)
		k = &none;
	rc = mdb_cursor_get(c->cursor, k, &v, op);
	if (rc == 0) {
		*out = (struct db_entry){ from_val(*k), from_val(v) };
		return true;
	}
	if (rc != MDB_NOTFOUND)
		note(c->txn, rc);
	return false;
}

bool
db_first(struct db_cursor *c, struct db_entry *out)
{
	return move(c, NULL, MDB_FIRST, out);
}

bool
db_last(struct db_cursor *c, struct db_entry *out)
{
	return move(c, NULL, MDB_LAST, out);
}

bool
db_seek(struct db_cursor *c, struct slice key, struct db_entry *out)
{
	MDB_val k = to_val(key);

	return move(c, &k, MDB_SET_RANGE, out);
}

bool
db_seek_back(struct db_cursor *c, struct slice key, struct db_entry *out)
{
	if (!db_seek(c, key, out))
		return db_last(c, out);
	if (slice_eq(out->key, key))
		return true;
	return db_prev(c, out);
}

bool
db_next(struct db_cursor *c, struct db_entry *out)
{
	return move(c, NULL, MDB_NEXT, out);
}

/*
 * A page is filled from its end: the next record lies before this one, and
 * will be about as long.
 */
void
db_fetch_next(const struct db_entry *e)
{
	enum { LINE = 64, MOST = 8 * LINE };
	size_t len = e->value.len < MOST ? e->value.len : MOST, i;

	for (i = 0; i < len + LINE; i += LINE)
		__builtin_prefetch(e->key.ptr - i - LINE);
}

bool
db_prev(struct db_cursor *c, struct db_entry *out)
{
	return move(c, NULL, MDB_PREV, out);
}

/* ---- room ---- */

bool
db_grow(struct db *db)
{
	size_t size = db->map_bytes > db->map_limit / 2 ? db->map_limit :
							  db->map_bytes * 2;
	int rc;

	assert(db->open == NULL);
	/* On a full disk a larger map would only be a larger promise. */
	if (!db->map_full || size <= db->map_bytes)
		return false;
	rc = mdb_env_set_mapsize(db->env, size);
	if (rc != 0)
		fatalx(EX_RETRY, "%s: map of %zu bytes: %s", db->dir, size,
		    mdb_strerror(rc));
	db->map_bytes = size;
	return true;
}

int
db_room(struct db *db, struct db_room *out)
{
	struct statvfs vfs;
	MDB_envinfo info;
	MDB_stat st;

	if (mdb_env_info(db->env, &info) != 0 ||
	    mdb_env_stat(db->env, &st) != 0 || statvfs(db->dir, &vfs) == -1)
		return -1;
	*out = (struct db_room){
		.used_bytes = (uint64_t)(info.me_last_pgno + 1) * st.ms_psize,
		.map_bytes = info.me_mapsize,
		.map_limit = db->map_limit,
		.disk_free_bytes = (uint64_t)vfs.f_bavail * vfs.f_frsize,
		.readers = info.me_numreaders,
	};
	return 0;
}

uint64_t
db_free_bytes(struct db *db)
{
	enum { FREE_DBI = 0 };	/* LMDB keeps its free list in table 0 */
	struct db_txn *t = db_read(db);
	MDB_cursor *cursor;
	MDB_val k, v;
	MDB_stat st;
	uint64_t pages = 0;

	if (mdb_cursor_open(t->txn, FREE_DBI, &cursor) == 0) {
		/* Each value is a count and that many page numbers. */
		while (mdb_cursor_get(cursor, &k, &v, MDB_NEXT) == 0)
			pages += *(size_t *)v.mv_data;
		mdb_cursor_close(cursor);
	}
	if (mdb_env_stat(db->env, &st) != 0)
		st.ms_psize = 0;
	db_abort(&t);
	return pages * st.ms_psize;
}

int
db_reap_readers(struct db *db)
{
	int dead = 0;

	return mdb_reader_check(db->env, &dead) == 0 ? dead : 0;
}

static int
add_reader_line(const char *line, void *out)
{
	return buf_adds(out, line);
}

void
db_list_readers(struct db *db, struct buf *out)
{
	if (mdb_reader_list(db->env, add_reader_line, out) < 0)
		buf_adds(out, "(the list of readers cannot be read)\n");
}

/* ---- keys ---- */

void
key_init(struct key *k)
{
	k->len = 0;
}

void
key_add_bytes(struct key *k, struct slice s)
{
	/* Names are limited where they come in; this is our own mistake. */
	assert(k->len + s.len <= sizeof(k->bytes));
	if (s.len > 0)
		memcpy(k->bytes + k->len, s.ptr, s.len);
	k->len += s.len;
}

void
key_add_u64(struct key *k, uint64_t n)
{
	uint64_t be = htobe64(n);

	key_add_bytes(k, slice_of((char *)&be, sizeof(be)));
}

void
key_add_i64(struct key *k, int64_t n)
{
	key_add_u64(k, (uint64_t)n ^ UINT64_C(1) << 63);
}

void
key_add_text(struct key *k, struct slice s)
{
	key_add_bytes(k, s);
	key_add_bytes(k, slice_of("", 1));
}

struct slice
key_slice(const struct key *k)
{
	return slice_of((const char *)k->bytes, k->len);
}

void
key_set_domain(struct key *k, struct slice domain)
{
	key_init(k);
	key_add_text(k, domain);
}

void
key_set_named(struct key *k, struct slice domain, struct slice name)
{
	key_set_domain(k, domain);
	key_add_bytes(k, name);
}

void
key_set_stream(struct key *k, struct slice domain, struct slice user,
    struct slice room)
{
	key_set_domain(k, domain);
	key_add_text(k, room.len > 0 ? SLICE("r") : SLICE("u"));
	key_add_text(k, room.len > 0 ? room : user);
}

void
key_set_hashed(struct key *k, struct slice domain, struct slice name)
{
	XXH128_canonical_t digest;

	XXH128_canonicalFromHash(&digest, XXH3_128bits(name.ptr, name.len));
	key_set_domain(k, domain);
	key_add_bytes(k, slice_of((char *)digest.digest, sizeof(digest.digest)));
}

struct key
key_pair(uint64_t first, uint64_t second)
{
	struct key k = key_u64(first);

	key_add_u64(&k, second);
	return k;
}

uint64_t
key_read_u64(struct slice key, size_t at)
{
	uint64_t n = 0;
	size_t i;

	assert(key.len >= at + 8);
	for (i = 0; i < 8; i++)
		n = n << 8 | (unsigned char)key.ptr[at + i];
	return n;
}

int64_t
key_read_i64(struct slice key, size_t at)
{
	return (int64_t)(key_read_u64(key, at) ^ UINT64_C(1) << 63);
}
