/*
 * query - questions to the store: the view, its records, what an id names
 */
#include "store/query_impl.h"

#include <stdlib.h>

#include "store/query_conversations.h"

/* ---- the view ---- */

static void
begin(struct query *q)
{
	if (q->ingest_db != NULL)
		q->ingest = db_read(q->ingest_db);
	if (q->classify_db != NULL)
		q->classify = db_read(q->classify_db);
	if (q->compactor_db != NULL)
		q->compactor = db_read(q->compactor_db);
	if (q->linker_db != NULL)
		q->linker = db_read(q->linker_db);
	q->shared = db_read(q->shared_db);
}

static void
end(struct query *q)
{
	db_abort(&q->shared);
	db_abort(&q->linker);
	db_abort(&q->compactor);
	db_abort(&q->classify);
	db_abort(&q->ingest);
}

void
query_open(struct query *q, struct db *shared, struct db *ingest,
    struct slice domain)
{
	*q = (struct query){ .shared_db = shared, .ingest_db = ingest,
		.domain = domain };
	arena_init(&q->arena);
	begin(q);
}

void
query_use_classify(struct query *q, struct db *classify)
{
	end(q);
	q->classify_db = classify;
	begin(q);
}

void
query_use_compactor(struct query *q, struct db *compactor)
{
	end(q);
	q->compactor_db = compactor;
	begin(q);
}

void
query_use_linker(struct query *q, struct db *linker)
{
	end(q);
	q->linker_db = linker;
	if (q->talks == NULL)
		q->talks = talks_new();
	begin(q);
}

void
query_close(struct query *q)
{
	end(q);
	talks_free(&q->talks);
	arena_release(&q->arena);
}

void
query_pause(struct query *q, const struct query_sink *sink)
{
	end(q);
	if (sink->pause != NULL)
		sink->pause(sink->data);
	begin(q);
}

/* ---- keys ---- */

/* Digits alone, as many as a seq can have. */
static bool
read_number(struct slice s, uint64_t *out)
{
	return s.len > 0 && slice_digits(s, 0, out) == s.len;
}

uint64_t
query_own_thread(struct slice name)
{
	uint64_t n = 0;

	if (name.len < 2 || name.ptr[0] != 't' ||
	    !read_number(slice_of(name.ptr + 1, name.len - 1), &n))
		return 0;
	return n;
}

/* ---- records ---- */

bool
query_load(struct query *q, enum table_id table, uint64_t seq, struct msg *out)
{
	struct key k = key_u64(seq);
	struct msg_error why;
	struct slice record;

	*out = (struct msg){ MSG_none, NULL };
	if (!db_get(q->shared, table, key_slice(&k), &record))
		return false;
	if (msg_decode(record, &q->arena, out, &why) == 0)
		return true;
	*out = (struct msg){ MSG_none, NULL };
	q->unreadable++;
	return false;
}

bool
query_load_entry(struct query *q, uint64_t seq, struct msg *out)
{
	return query_load(q, TABLE_log, seq, out) && msg_is_entry(out->id);
}

void
query_entry(struct query *q, uint64_t seq, struct stage_entry *out)
{
	enum stage_id id;

	*out = (struct stage_entry){ .seq = seq };
	if (!query_load_entry(q, seq, &out->entry))
		out->entry = (struct msg){ MSG_none, NULL };
	for (id = 0; id < STAGE_COUNT; id++)
		(void)query_load(q, stage_section_table(id), seq,
		    &out->sections[id]);
}

bool
query_revision(struct query *q, uint64_t seq, uint64_t i, uint64_t *by,
    struct msg *section)
{
	struct key k = key_u64(seq);
	struct msg_place p;

	key_add_u64(&k, i);
	if (q->classify == NULL || !db_get_msg(q->classify, TABLE_revised,
		key_slice(&k), MSG_place, &q->arena, &p) ||
	    !query_load(q, TABLE_s_classify, p.seq, section) ||
	    section->id != MSG_s_classify ||
	    section->as->s_classify.n_turns == 0)
		return false;
	*by = p.seq;
	return true;
}

bool
query_cursor(struct query *q, enum stage_id stage, struct msg_cursor *out)
{
	*out = (struct msg_cursor){ 0 };
	return db_get_msg(q->shared, TABLE_cursors,
	    slice_str(stage_name(stage)), MSG_cursor, &q->arena, out);
}

bool
query_load_thread(struct query *q, uint64_t key, struct msg_thread *out)
{
	struct key k = key_u64(key);

	return q->ingest != NULL &&
	    db_get_msg(q->ingest, TABLE_threads, key_slice(&k), MSG_thread,
		&q->arena, out);
}

/*
 * From the entry that began the thread, which is the truth and is there before
 * ingest's tables have followed.
 */
struct slice
query_thread_name(struct query *q, uint64_t key)
{
	struct slice id = SLICE_NONE;
	struct msg entry;

	if (query_load_entry(q, key, &entry)) {
		if (entry.id == MSG_turn)
			id = entry.as->turn.thread;
		else if (entry.id == MSG_fork)
			id = entry.as->fork.as;
	}
	return id.len > 0 ? id : arena_printf(&q->arena, "t%llu",
	    (unsigned long long)key);
}

bool
query_named_thread(struct query *q, struct slice name, struct msg_thread *out)
{
	struct key k = key_named(q->domain, name);
	struct msg_place p = { 0 };
	uint64_t key = 0;

	if (q->ingest == NULL || name.len == 0 || name.len > 240)
		return false;
	if (db_get_msg(q->ingest, TABLE_thread_ids, key_slice(&k), MSG_place,
		&q->arena, &p))
		key = p.seq;
	else
		key = query_own_thread(name);
	return key != 0 && query_load_thread(q, key, out) &&
	    slice_eq(out->domain, q->domain);
}

size_t
query_turn_count(const struct msg *entry)
{
	if (entry->id == MSG_turn)
		return 1;
	return entry->id == MSG_exchange ? entry->as->exchange.n_added : 0;
}

/* ---- one thing ---- */

static bool
find_entry_key(struct query *q, struct slice id, struct query_thing *out)
{
	const char *dot = memchr(id.ptr, '.', id.len);
	struct slice seq = id, i = SLICE_NONE;
	struct msg entry;

	if (dot != NULL) {
		seq = slice_of(id.ptr, (size_t)(dot - id.ptr));
		i = slice_of(dot + 1, id.len - seq.len - 1);
		out->has_i = true;
		if (!read_number(i, &out->i))
			return false;
	}
	return read_number(seq, &out->seq) &&
	    query_load_entry(q, out->seq, &entry) &&
	    slice_eq(entry.as->envelope.domain, q->domain) &&
	    (!out->has_i || out->i == 0 ||
		out->i < query_turn_count(&entry));
}

bool
query_find_thread(struct query *q, struct slice id, struct query_thing *out)
{
	struct msg_thread t;

	*out = (struct query_thing){ 0 };
	if (!query_named_thread(q, id, &t))
		return false;
	out->thread = t.key;
	return true;
}

/* As ingest does: the sender's own ids come before skein's keys. */
bool
query_find(struct query *q, struct slice id, struct query_thing *out)
{
	struct msg_sent sent;
	struct key k;

	*out = (struct query_thing){ 0 };
	if (id.len == 0 || id.len > 240)
		return false;
	k = key_hashed(q->domain, id);
	if (q->ingest != NULL && db_get_msg(q->ingest, TABLE_sent,
		key_slice(&k), MSG_sent, &q->arena, &sent)) {
		out->seq = sent.seq;
		return true;
	}
	if (query_find_thread(q, id, out))
		return true;
	if (find_entry_key(q, id, out))
		return true;
	*out = (struct query_thing){ 0 };
	return false;
}
