/*
 * forget - entries become tombstones, and all that came of them is made again
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_drop.h"
#include "ingest/forget_impl.h"

void
forget_journal(struct stage *st, uint64_t seq)
{
	struct msg_forgotten row = { .done = false };
	struct key k = key_u64(seq);

	batch_put_msg(st, TABLE_forgets, key_slice(&k), MSG_forgotten, &row,
	    true);
}

/* A copy: what is read in a writing transaction lives until its next write. */
static bool
read_record(struct forget *f, enum table_id table, uint64_t seq,
    struct msg *out)
{
	struct key k = key_u64(seq);
	struct msg_error why;
	struct slice record;

	*out = (struct msg){ MSG_none, NULL };
	return db_get(f->txn, table, key_slice(&k), &record) &&
	    msg_decode(arena_dup(&f->arena, record), &f->arena, out, &why) == 0;
}

bool
forget_load(struct forget *f, uint64_t seq, struct stage_entry *out)
{
	arena_reset(&f->arena);
	memset(out, 0, sizeof(*out));
	out->seq = seq;
	(void)read_record(f, TABLE_s_ingest, seq,
	    &out->sections[STAGE_ingest]);
	return read_record(f, TABLE_log, seq, &out->entry) &&
	    msg_is_entry(out->entry.id);
}

/* ---- one wish ---- */

static enum db_result
write_tombstones(struct forget *f)
{
	struct msg_forgotten row = { .done = true };
	struct key k = key_u64(f->seq);

	f->txn = db_write(f->st->shared);
	f->entries = f->turns = 0;
	/* What was refused may quote what was accepted. */
	db_clear(f->txn, TABLE_refusals);
	if (f->n_selected > 0) {
		forget_bury(f);
		stage_drop_sections(f->txn, STAGE_classify);
		stage_new_epoch(f->txn, STAGE_ingest, f->st->cursor);
	}
	row.entries = f->entries;
	row.turns = f->turns;
	db_put_msg(f->txn, TABLE_forgets, key_slice(&k), MSG_forgotten, &row);
	return db_commit(&f->txn);
}

/* The index's files, which hold words of all entries. */
static void
wipe_segments(struct stage *st)
{
	char *dir = conf_path(&st->conf, "db/segments");
	DIR *d = opendir(dir);
	struct dirent *file;

	while (d != NULL && (file = readdir(d)) != NULL)
		if (file->d_name[0] != '.' &&
		    unlinkat(dirfd(d), file->d_name, 0) == -1)
			log_warn("%s/%s: cannot be removed", dir, file->d_name);
	if (d != NULL)
		closedir(d);
	free(dir);
}

/*
 * What the stages made of it is gone before anybody hears that it is: they
 * find their cursors moved, start anew and make their tables again.
 */
static void
wipe_followers(struct stage *st)
{
	enum stage_id id;
	char *dir;

	for (id = STAGE_classify; id < STAGE_COUNT; id++) {
		dir = conf_path(&st->conf, "db/%s", stage_name(id));
		if (db_wipe(dir) == -1 && errno != ENOENT)
			log_warn("%s: cannot be removed", dir);
		free(dir);
	}
	wipe_segments(st);
}

static void
release(struct forget *f)
{
	free(f->named);
	free(f->selected);
	free(f->kept);
	free(f->gone);
	arena_release(&f->arena);
	arena_release(&f->wish_arena);
}

/* false: no room now. */
static bool
carry_out_one(struct stage *st, uint64_t seq)
{
	struct forget f = { .st = st, .seq = seq };
	enum db_result result = DB_DONE;
	struct stage_entry e;

	arena_init(&f.wish_arena);
	arena_init(&f.arena);
	f.txn = db_read(st->shared);
	if (forget_load(&f, seq, &e) && e.entry.id == MSG_forget) {
		/* The wish outlives the entries that are looked at. */
		f.wish_arena = f.arena;
		arena_init(&f.arena);
		f.wish = &e.entry.as->forget;
		forget_select(&f);
		db_abort(&f.txn);
		while ((result = write_tombstones(&f)) == DB_FULL &&
		    db_grow(st->shared))
			;
	} else {
		db_abort(&f.txn);
	}
	release(&f);
	if (result == DB_BROKEN)
		fatalx(EX_REFUSE, "%s: %s: stop, and look with 'skein check'",
		    db_dir(st->shared), db_reason(st->shared));
	if (result == DB_FULL)
		return false;
	log_info("forgot %llu entries, as entry %llu asked",
	    (unsigned long long)f.entries, (unsigned long long)seq);
	if (f.n_selected > 0) {
		wipe_followers(st);
		derived_remake(st);
	}
	return true;
}

/* ---- all that wait ---- */

/* The first wish that waits, or 0. */
static uint64_t
find_waiting(struct stage *st)
{
	struct db_txn *txn = db_read(st->shared);
	struct db_cursor *c = db_cursor(txn, TABLE_forgets);
	struct msg_forgotten row;
	struct msg_error why;
	struct db_entry e;
	uint64_t seq = 0;

	while (seq == 0 && db_next(c, &e))
		if (msg_decode_as(e.value, &st->arena, MSG_forgotten, &row,
			&why) == 0 && !row.done)
			seq = key_read_u64(e.key, 0);
	db_abort(&txn);
	arena_reset(&st->arena);
	return seq;
}

bool
forget_carry_out(struct stage *st)
{
	uint64_t seq;

	while ((seq = find_waiting(st)) != 0)
		if (!carry_out_one(st, seq)) {
			log_warnx("no room to forget what entry %llu asks: it "
			    "is tried again with the next batch",
			    (unsigned long long)seq);
			return false;
		}
	return true;
}
