/*
 * stage_turn - one turn of a stage: read, decide, commit, apply, announce
 *
 * The heart of the pipeline, and the same path for live running, for catching
 * up and for starting.  A turn:
 *
 *   1. reads its own cursor and that of the stage before from the shared
 *      environment; there lies its work
 *   2. for each entry between the two: decide gives a section, encoded at
 *      once; apply brings it into the own tables, in their open transaction
 *   3. takes the write lock: reads its cursor again, appends the sections,
 *      moves the cursor, commits, synchronously; nobody thinks in here
 *   4. commits its own tables with their own cursor
 *   5. tells the bus
 *
 * Death before the commit of 3 leaves nothing; between 3 and 4 it leaves own
 * tables behind their sections, and the next start applies what is missing;
 * after 4 the next stage finds the cursor by itself, told or not.  A second
 * process of the same stage finds the cursor moved in 3 and ends.
 */
#include <assert.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"

void
batch_release(struct batch *b)
{
	buf_release(&b->bytes);
	free(b->puts);
	b->puts = NULL;
	b->n_puts = b->cap_puts = 0;
}

static struct batch_put *
add_put(struct stage *st, enum table_id table, struct slice key)
{
	struct batch *b = &st->batch;
	struct batch_put *put;

	if (b->n_puts == b->cap_puts) {
		b->cap_puts = b->cap_puts == 0 ? 256 : b->cap_puts * 2;
		b->puts = xrealloc(b->puts, b->cap_puts * sizeof(b->puts[0]));
	}
	put = &b->puts[b->n_puts++];
	*put = (struct batch_put){ .table = table, .key = b->bytes.len,
		.key_len = key.len };
	if (buf_addslice(&b->bytes, key) == -1)
		fatalx(EX_RETRY, "a batch is larger than memory allows");
	put->at = b->bytes.len;
	return put;
}

void
batch_put(struct stage *st, enum table_id table, struct slice key,
    struct slice value, bool append)
{
	struct batch_put *put = add_put(st, table, key);

	put->append = append;
	put->len = value.len;
	if (buf_addslice(&st->batch.bytes, value) == -1)
		fatalx(EX_RETRY, "a batch is larger than memory allows");
}

void
batch_put_msg(struct stage *st, enum table_id table, struct slice key,
    enum msg_id id, const void *msg, bool append)
{
	struct batch_put *put = add_put(st, table, key);

	put->append = append;
	if (msg_encode(&st->batch.bytes, id, msg) == -1)
		fatalx(EX_RETRY, "a batch is larger than memory allows");
	put->len = st->batch.bytes.len - put->at;
}

void
batch_delete(struct stage *st, enum table_id table, struct slice key)
{
	add_put(st, table, key)->delete = true;
}

void
turn_begin(struct stage *st)
{
	assert(st->tables == NULL);
	/* Memory of one unusually large batch is not kept. */
	if (st->batch.bytes.cap > 16 * 1024 * 1024)
		buf_release(&st->batch.bytes);
	buf_clear(&st->batch.bytes);
	st->batch.n_puts = 0;
	derived_begin(st);
	if (st->spec->begin != NULL)
		st->spec->begin(st);
}

void
turn_flush(struct stage *st)
{
	if (st->spec->flush != NULL)
		st->spec->flush(st);
	derived_put_cursor(st);
}

void
turn_abandon(struct stage *st)
{
	derived_abandon(st);
}

static struct slice
stage_key(const struct stage *st)
{
	return slice_str(stage_name(st->spec->id));
}

/* The fence: the cursor must be where this process left it. */
static void
check_fence(struct stage *st, struct db_txn *txn)
{
	struct msg_cursor c = { 0 };

	if (!db_get_msg(txn, TABLE_cursors, stage_key(st), MSG_cursor,
		&st->arena, &c) ||
	    c.seq != st->cursor || c.epoch != st->epoch)
		fatalx(EX_RETRY,
		    "the cursor moved from %llu to %llu (epoch %llu to %llu): "
		    "another process or a rebuild; starting anew",
		    (unsigned long long)st->cursor, (unsigned long long)c.seq,
		    (unsigned long long)st->epoch,
		    (unsigned long long)c.epoch);
}

static enum db_result
write_batch(struct stage *st, uint64_t upto)
{
	struct msg_cursor c = { .seq = upto, .epoch = st->epoch };
	struct db_txn *txn = db_write(st->shared);
	const char *bytes = st->batch.bytes.ptr;
	const struct batch_put *put;
	struct slice key, value;
	size_t i;

	check_fence(st, txn);
	for (i = 0; i < st->batch.n_puts; i++) {
		put = &st->batch.puts[i];
		key = slice_of(bytes + put->key, put->key_len);
		value = slice_of(bytes + put->at, put->len);
		if (put->delete)
			db_delete(txn, put->table, key);
		else if (put->append)
			db_append(txn, put->table, key, value);
		else
			db_put(txn, put->table, key, value);
	}
	db_put_msg(txn, TABLE_cursors, stage_key(st), MSG_cursor, &c);
	return db_commit(&txn);
}

static enum db_result
commit_shared(struct stage *st, uint64_t upto)
{
	enum db_result result;

	while ((result = write_batch(st, upto)) == DB_FULL) {
		stage_count(st, COUNTER_full, 1);
		if (!db_grow(st->shared))
			break;
		stage_count(st, COUNTER_map_grown, 1);
		log_info("the shared map was full and is now larger");
	}
	if (result == DB_BROKEN)
		fatalx(EX_REFUSE, "%s: %s: stop, and look with 'skein check'",
		    db_dir(st->shared), db_reason(st->shared));
	return result;
}

static void
commit_own(struct stage *st, uint64_t upto)
{
	turn_flush(st);
	switch (derived_commit(st)) {
	case DB_DONE:
		st->applied = upto;
		break;
	case DB_FULL:
		/* The sections are safe; the tables follow when there is room. */
		if (!db_grow(st->own))
			log_warnx("own tables: %s", db_reason(st->own));
		break;
	case DB_BROKEN:
		derived_damaged(st);
	}
}

enum db_result
turn_commit(struct stage *st, uint64_t upto)
{
	uint64_t from = st->cursor + 1;
	enum db_result result;

	result = commit_shared(st, upto);
	arena_reset(&st->arena);
	if (result != DB_DONE) {
		turn_abandon(st);
		return result;
	}
	stage_count(st, COUNTER_batches, 1);
	stage_count(st, COUNTER_entries, upto - st->cursor);
	st->cursor = upto;
	status_latency(st, from, upto);
	arena_reset(&st->arena);
	if (st->applied + 1 == from)
		commit_own(st, upto);
	else
		/* They would say that they hold what they have still to get. */
		turn_abandon(st);
	announce(st);
	announce_entries(st, from, upto);
	return DB_DONE;
}

/* ---- following the stage before ---- */

/* The record of `seq`: mostly the one behind that which was read last. */
static bool
read_on(struct db_txn *txn, struct db_cursor **at, enum table_id table,
    uint64_t seq, struct slice *record)
{
	struct key key = key_u64(seq);
	struct db_entry e;
	bool there = false;

	if (*at == NULL)
		*at = db_cursor(txn, table);
	else
		there = db_next(*at, &e) && slice_eq(e.key, key_slice(&key));
	if (!there)
		there = db_seek(*at, key_slice(&key), &e) &&
		    slice_eq(e.key, key_slice(&key));
	if (!there)
		return false;
	*record = e.value;
	db_fetch_next(&e);
	return true;
}

static int
load_section(struct stage *st, struct entry_reader *from, uint64_t seq,
    enum stage_id id, struct msg *out, struct msg_error *why)
{
	struct msg_want want = { 0 };
	struct slice record;

	/* A filter is shown all of it. */
	if (st->filter == NULL)
		want = (struct msg_want){ st->spec->unread_lists,
			st->spec->last_read[id] };
	if (!read_on(from->txn, &from->sections[id], stage_section_table(id),
		seq, &record)) {
		msg_fail(why, "there is no section of %s", stage_name(id));
		return -1;
	}
	return msg_decode_part(record, &st->arena, want, out, why);
}

int
turn_load(struct stage *st, struct entry_reader *from, uint64_t seq,
    bool with_own, struct stage_entry *out, struct msg_error *why)
{
	enum stage_id id, last = st->spec->id;
	struct slice record;

	memset(out, 0, sizeof(*out));
	out->seq = seq;
	if (!read_on(from->txn, &from->log, TABLE_log, seq, &record)) {
		msg_fail(why, "the log has no entry %llu",
		    (unsigned long long)seq);
		return -1;
	}
	if (msg_decode(record, &st->arena, &out->entry, why) == -1)
		return -1;
	if (!msg_is_entry(out->entry.id)) {
		msg_fail(why, "the log has a %s here, which is no entry",
		    msg_spec(out->entry.id)->name);
		return -1;
	}
	for (id = 0; id < last || (with_own && id == last); id++)
		if ((st->filter != NULL || (st->spec->unread >> id & 1) == 0) &&
		    load_section(st, from, seq, id, &out->sections[id], why) ==
		    -1)
			return -1;
	return 0;
}

static void
reject(struct stage *st, uint64_t seq, const struct msg_error *why,
    struct msg *section)
{
	struct msg_s_none *none = arena_alloc(&st->arena, sizeof(union msg_any));
	struct msg_reject r = {
		.seq = seq,
		.stage = slice_str(stage_name(st->spec->id)),
		.reason = slice_str(why->text),
	};
	struct key key = key_u64(seq);

	none->rejected = true;
	*section = (struct msg){ MSG_s_none, (const union msg_any *)none };
	key_add_text(&key, r.stage);
	batch_put_msg(st, TABLE_rejects, key_slice(&key), MSG_reject, &r, false);
	stage_count(st, COUNTER_rejected, 1);
	log_warnx("seq %llu rejected: %s", (unsigned long long)seq, why->text);
}

static void
pass(struct stage *st, struct entry_reader *from, uint64_t seq)
{
	static const struct msg_s_none nothing;
	struct msg section = { MSG_s_none, (const union msg_any *)&nothing };
	struct key key = key_u64(seq);
	struct stage_entry e;
	struct msg_error why;

	if (st->spec->decide != NULL || st->filter != NULL) {
		if (turn_load(st, from, seq, false, &e, &why) == -1 ||
		    (st->filter != NULL ?
			    filter_decide(st, &e, &section, &why) :
			    st->spec->decide(st, &e, &section, &why)) == -1)
			reject(st, seq, &why, &section);
		else if (st->spec->apply != NULL)
			st->spec->apply(st, &e, &section);
	}
	batch_put_msg(st, stage_section_table(st->spec->id), key_slice(&key),
	    section.id, section.as, true);
	arena_reset(&st->arena);
}

static uint64_t
read_cursor(struct stage *st, struct db_txn *txn, enum stage_id id)
{
	struct msg_cursor c = { 0 };

	(void)db_get_msg(txn, TABLE_cursors, slice_str(stage_name(id)),
	    MSG_cursor, &st->arena, &c);
	return c.seq;
}

uint64_t
turn_entries(const struct stage *st)
{
	return (uint64_t)st->conf.batch_entries >> st->shrunk;
}

/* Decides for as many entries as one batch takes; the last one's seq. */
static uint64_t
fill_batch(struct stage *st)
{
	size_t limit = (size_t)st->conf.batch_bytes * 1024;
	uint64_t seq = st->cursor, most;
	struct db_txn *txn = db_read(st->shared);
	struct entry_reader from = { .txn = txn };

	check_fence(st, txn);
	st->ahead = read_cursor(st, txn, st->spec->id - 1);
	most = st->cursor + turn_entries(st);
	while (seq < st->ahead && seq < most && st->batch.bytes.len < limit &&
	    db_state(st->tables) == DB_DONE) {
		pass(st, &from, ++seq);
		status_breathe(st);
	}
	db_abort(&txn);
	arena_reset(&st->arena);
	return seq;
}

/*
 * Woken for nothing, a stage does not begin: what it holds in memory of its
 * tables would be of a batch that was given up.
 */
static bool
has_work(struct stage *st)
{
	struct db_txn *txn = db_read(st->shared);

	check_fence(st, txn);
	st->ahead = read_cursor(st, txn, st->spec->id - 1);
	db_abort(&txn);
	arena_reset(&st->arena);
	return st->ahead > st->cursor;
}

static enum turn
follow(struct stage *st)
{
	enum db_result tables;
	uint64_t upto;

	if (st->applied != st->cursor && !derived_catch_up(st))
		return TURN_FULL;
	if (!has_work(st))
		return TURN_IDLE;
	turn_begin(st);
	upto = fill_batch(st);
	tables = db_state(st->tables);
	if (tables == DB_BROKEN)
		derived_damaged(st);
	if (upto == st->cursor || tables == DB_FULL) {
		turn_abandon(st);
		if (tables == DB_FULL)
			return db_grow(st->own) ? TURN_MORE : TURN_FULL;
		return TURN_IDLE;
	}
	if (turn_commit(st, upto) == DB_FULL)
		return TURN_FULL;
	return st->cursor < st->ahead ? TURN_MORE : TURN_IDLE;
}

/*
 * Pages that a transaction leaves are free only behind it: what does not fit
 * at once may fit piece by piece, down to an entry at a time.
 */
enum turn
turn_follow(struct stage *st)
{
	uint64_t before = st->cursor;
	enum turn turn = follow(st);

	if (turn == TURN_FULL && turn_entries(st) > 1) {
		st->shrunk++;
		return TURN_MORE;
	}
	if (st->cursor != before && st->shrunk > 0)
		st->shrunk--;
	return turn;
}
