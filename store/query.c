/*
 * query - questions to the store, answered in rows
 */
#include "store/query.h"

#include <stdlib.h>

#include "common/json.h"
#include "common/when.h"
#include "common/xmalloc.h"
#include "store/query_conversations.h"
#include "store/query_links.h"

enum { ROWS_A_VIEW = 1000 };

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

static void
pause_view(struct query *q, const struct query_sink *sink)
{
	end(q);
	if (sink->pause != NULL)
		sink->pause(sink->data);
	begin(q);
}

/* ---- keys ---- */

struct key
query_named_key(struct slice domain, struct slice name)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, domain);
	key_add_bytes(&k, name);
	return k;
}

struct key
query_turn_key(uint64_t thread, uint64_t number)
{
	struct key k = key_u64(thread);

	key_add_u64(&k, number);
	return k;
}

/* Digits alone, as many as a seq can have. */
static bool
read_number(struct slice s, uint64_t *out)
{
	uint64_t n = 0;
	size_t i;

	if (s.len == 0 || s.len > 18)
		return false;
	for (i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
		n = n * 10 + (uint64_t)(s.ptr[i] - '0');
	}
	*out = n;
	return true;
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

static bool
load(struct query *q, enum table_id table, uint64_t seq, struct msg *out)
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

static bool
load_entry(struct query *q, uint64_t seq, struct msg *out)
{
	return load(q, TABLE_log, seq, out) && msg_is_entry(out->id);
}

void
query_entry(struct query *q, uint64_t seq, struct stage_entry *out)
{
	enum stage_id id;

	*out = (struct stage_entry){ .seq = seq };
	if (!load_entry(q, seq, &out->entry))
		out->entry = (struct msg){ MSG_none, NULL };
	for (id = 0; id < STAGE_COUNT; id++)
		(void)load(q, stage_section_table(id), seq,
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
	    !load(q, TABLE_s_classify, p.seq, section) ||
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

static bool
load_thread(struct query *q, uint64_t key, struct msg_thread *out)
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

	if (load_entry(q, key, &entry)) {
		if (entry.id == MSG_turn)
			id = entry.as->turn.thread;
		else if (entry.id == MSG_fork)
			id = entry.as->fork.as;
	}
	return id.len > 0 ? id : arena_printf(&q->arena, "t%llu",
	    (unsigned long long)key);
}

static bool
find_thread(struct query *q, struct slice name, struct msg_thread *out)
{
	struct key k = query_named_key(q->domain, name);
	struct msg_place p = { 0 };
	uint64_t key = 0;

	if (q->ingest == NULL || name.len == 0 || name.len > 240)
		return false;
	if (db_get_msg(q->ingest, TABLE_thread_ids, key_slice(&k), MSG_place,
		&q->arena, &p))
		key = p.seq;
	else
		key = query_own_thread(name);
	return key != 0 && load_thread(q, key, out) &&
	    slice_eq(out->domain, q->domain);
}

size_t
query_turn_count(const struct msg *entry)
{
	if (entry->id == MSG_turn)
		return 1;
	return entry->id == MSG_exchange ? entry->as->exchange.n_added : 0;
}

/* ---- rows: a turn ---- */

/*
 * What later stages say of a turn.  A section gives a field by having one of
 * that name, in its message or, where an entry has several turns, in the i-th
 * item of its list `turns`.
 */
static const struct {
	enum stage_id stage;
	const char *name;
	bool revisable;		/* an answer may say otherwise later */
} later_fields[] = {
	{ STAGE_classify, "act", true },
	{ STAGE_classify, "confidence", true },
	{ STAGE_classify, "level", true },
	{ STAGE_classify, "concludes", false },
	{ STAGE_classify, "decides", false },
	{ STAGE_classify, "opens", false },
	{ STAGE_classify, "returns", false },
	{ STAGE_classify, "sentences", false },
	{ STAGE_classify, "claims", false },
	{ STAGE_chainer, "chain", false },
	{ STAGE_chainer, "chains", false },
	{ STAGE_compactor, "effort", false },
};

static const struct msg_field *
field_named(const struct msg_spec *spec, const char *name)
{
	size_t i;

	for (i = 0; i < spec->n_fields; i++)
		if (strcmp(spec->fields[i].name, name) == 0)
			return &spec->fields[i];
	return NULL;
}

static void put_items(struct buf *out, const struct msg_field *list,
    const void *msg, struct slice text);

static void
put_item_value(struct buf *out, const struct msg_field *f, const char *item,
    struct slice text)
{
	uint64_t n;

	if (f->type == TYPE_list)
		put_items(out, f, item, text);
	else if (f->type == TYPE_u64 && strcmp(f->name, "confidence") == 0) {
		n = *(const uint64_t *)(item + f->offset);
		buf_addf(out, "%llu.%03llu", (unsigned long long)n / 1000,
		    (unsigned long long)n % 1000);
	} else
		msg_json_value(out, f, item);
}

/*
 * A list as JSON.  Items that point into the turn's text by `at` and `len` get
 * the words themselves as well.
 */
static void
put_items(struct buf *out, const struct msg_field *list, const void *msg,
    struct slice text)
{
	const struct msg_spec *spec = msg_spec(list->of);
	const struct msg_field *at = field_named(spec, "at");
	const struct msg_field *len = field_named(spec, "len"), *f;
	const char *item = *(char *const *)((const char *)msg + list->offset);
	size_t n = *(const size_t *)((const char *)msg + list->count_offset);
	size_t from, k;

	buf_addc(out, '[');
	for (; n > 0; n--, item += spec->size) {
		buf_addc(out, '{');
		if (at != NULL && len != NULL) {
			from = *(const uint64_t *)(item + at->offset);
			k = *(const uint64_t *)(item + len->offset);
			buf_adds(out, "\"text\":");
			json_put_str(out, from <= text.len &&
			    k <= text.len - from ?
				slice_of(text.ptr + from, k) : SLICE_NONE);
		}
		for (k = 0; k < spec->n_fields; k++) {
			f = &spec->fields[k];
			if (msg_is_absent(f, item))
				continue;
			buf_addf(out, "%s\"%s\":",
			    out->ptr[out->len - 1] == '{' ? "" : ",", f->name);
			put_item_value(out, f, item, text);
		}
		buf_adds(out, n > 1 ? "}," : "}");
	}
	buf_addc(out, ']');
}

static void
add_value(struct row *row, const char *name, const struct msg_field *f,
    const void *msg, struct slice text)
{
	struct buf json;
	uint64_t n;

	if (f->type == TYPE_list) {
		buf_init(&json, SIZE_MAX / 4);
		put_items(&json, f, msg, text);
		row_json(row, name, arena_dup(row->arena, buf_slice(&json)));
		buf_release(&json);
	} else if (strcmp(name, "confidence") == 0 && f->type == TYPE_u64) {
		/* Kept in thousandths, shown as people expect it. */
		n = *(const uint64_t *)((const char *)msg + f->offset);
		row_json(row, name, arena_printf(row->arena, "%llu.%03llu",
		    (unsigned long long)n / 1000,
		    (unsigned long long)n % 1000));
	} else
		row_field(row, name, f, msg);
}

static void
add_section_field(struct row *row, const char *name, const struct msg *section,
    uint64_t i, struct slice text)
{
	const struct msg_field *f, *list;
	const struct msg_spec *spec;
	const char *at;

	if (section->id == MSG_none) {
		row_null(row, name);
		return;
	}
	at = (const char *)section->as;
	spec = msg_spec(section->id);
	f = field_named(spec, name);
	list = field_named(spec, "turns");
	if (f == NULL && list != NULL && list->type == TYPE_list &&
	    i < *(const size_t *)(at + list->count_offset)) {
		spec = msg_spec(list->of);
		f = field_named(spec, name);
		at = *(char *const *)(at + list->offset) + i * spec->size;
	}
	if (f != NULL)
		add_value(row, name, f, at, text);
	else
		row_null(row, name);
}

static void
make_turn_row(struct query *q, const struct stage_entry *e, uint64_t i,
    struct row *row)
{
	const struct msg_envelope *env = &e->entry.as->envelope;
	const struct msg *placed = &e->sections[STAGE_ingest];
	bool is_turn = e->entry.id == MSG_turn;
	struct slice text = is_turn ? e->entry.as->turn.text :
				      e->entry.as->exchange.added[i].text;
	struct msg revision;
	uint64_t by = 0;
	size_t k;

	(void)query_revision(q, e->seq, i, &by, &revision);
	row_begin(row, &q->arena);
	row_number(row, "seq", e->seq);
	row_text(row, "key", arena_printf(&q->arena, "%llu.%llu",
	    (unsigned long long)e->seq, (unsigned long long)i));
	row_maybe(row, "id", env->id);
	row_text(row, "domain", env->domain);
	row_maybe(row, "user", env->user);
	row_maybe(row, "channel", env->channel);
	row_maybe(row, "room", env->room);
	row_maybe(row, "session", env->session);
	if (placed->id == MSG_s_ingest && placed->as->s_ingest.thread != 0)
		row_text(row, "thread", query_thread_name(q,
		    placed->as->s_ingest.thread));
	else
		row_null(row, "thread");
	row_text(row, "role", is_turn ? e->entry.as->turn.role :
	    e->entry.as->exchange.added[i].role);
	row_time(row, "ts", env->ts);
	row_text(row, "text", text);
	for (k = 0; k < sizeof(later_fields) / sizeof(later_fields[0]); k++)
		if (by > 0 && later_fields[k].revisable)
			add_section_field(row, later_fields[k].name,
			    &revision, 0, text);
		else
			add_section_field(row, later_fields[k].name,
			    &e->sections[later_fields[k].stage], i, text);
	row_maybe(row, "conversation", query_conversation(q, e));
	if (by > 0)
		row_number(row, "revised_by", by);
	else
		row_null(row, "revised_by");
	row_maybe(row, "reply_to", is_turn ? e->entry.as->turn.reply_to :
					     SLICE_NONE);
}

bool
query_turn_row(struct query *q, uint64_t seq, uint64_t i, struct row *row)
{
	struct stage_entry e;

	query_entry(q, seq, &e);
	if (e.entry.id == MSG_none || i >= query_turn_count(&e.entry))
		return false;
	make_turn_row(q, &e, i, row);
	return true;
}

/* ---- rows: a thread ---- */

/* Its primary episode; an empty one where there is none yet. */
static struct msg_episode
load_episode(struct query *q, uint64_t thread)
{
	struct key k = key_u64(thread);
	struct msg_episode e;

	if (q->compactor == NULL || !db_get_msg(q->compactor, TABLE_episodes,
		key_slice(&k), MSG_episode, &q->arena, &e))
		e = (struct msg_episode){ 0 };
	return e;
}

static void
make_thread_row(struct query *q, const struct msg_thread *t, struct row *row)
{
	struct slice key = arena_printf(&q->arena, "t%llu",
	    (unsigned long long)t->key);
	struct msg_episode episode = load_episode(q, t->key);
	struct msg_strs across = query_thread_episodes(q, q->linker, t->key);

	row_begin(row, &q->arena);
	row_text(row, "thread_id", t->id.len > 0 ? t->id : key);
	row_maybe(row, "user_id", t->user);
	row_time(row, "created_at", t->created_at);
	row_time(row, "last_activity_at", t->last_activity_at);
	row_field(row, "channels", msg_field_tagged(msg_spec(MSG_thread),
	    MSGTAG_thread_channels), t);
	row_number(row, "inactivity_timeout_minutes",
	    t->timeout_ms / WHEN_MINUTE_MS);
	row_bool(row, "explicit_channel", t->explicit_channel);
	/* One that was linked has its name before it was ever compacted. */
	row_maybe(row, "primary_episode_id", episode.key.len > 0 ||
	    across.count == 0 ? episode.key :
	    arena_printf(&q->arena, "p%llu", (unsigned long long)t->key));
	row_strs(row, "cross_thread_episodes", &across);
	row_number(row, "turn_count", t->turn_count);
	row_maybe(row, "summary", episode.micro);
	row_text(row, "key", key);
	row_maybe(row, "id", t->id);
	row_maybe(row, "name", t->name.len > 0 ? t->name : episode.name);
	row_text(row, "domain", t->domain);
	row_maybe(row, "room", t->room);
	row_maybe(row, "session", t->session);
	if (t->parent != 0) {
		row_text(row, "parent", query_thread_name(q, t->parent));
		row_number(row, "parent_turn", t->parent_turn);
	} else {
		row_null(row, "parent");
		row_null(row, "parent_turn");
	}
	row_bool(row, "closed", t->closed);
}

bool
query_thread_row(struct query *q, uint64_t key, struct row *row)
{
	struct msg_thread t;

	if (!load_thread(q, key, &t) || !slice_eq(t.domain, q->domain))
		return false;
	make_thread_row(q, &t, row);
	return true;
}

/* ---- rows: a request ---- */

static void
add_parent(struct query *q, struct row *row, const struct msg_exchange *x)
{
	struct slice hash = SLICE_NONE;
	struct msg parent;

	if (x->parent_seq == 0) {
		row_null(row, "parent_key");
		row_null(row, "known_hash");
		return;
	}
	if (load_entry(q, x->parent_seq, &parent) &&
	    parent.id == MSG_exchange &&
	    x->parent_i < parent.as->exchange.n_added)
		hash = parent.as->exchange.added[x->parent_i].hash;
	row_text(row, "parent_key", arena_printf(&q->arena, "%llu.%llu",
	    (unsigned long long)x->parent_seq,
	    (unsigned long long)x->parent_i));
	row_hex(row, "known_hash", hash);
}

static bool
make_request_row(struct query *q, uint64_t seq, struct row *row)
{
	const struct msg_exchange *x;
	struct stage_entry e;

	query_entry(q, seq, &e);
	if (e.entry.id != MSG_exchange)
		return false;
	x = &e.entry.as->exchange;
	row_begin(row, &q->arena);
	row_number(row, "seq", seq);
	row_text(row, "key", arena_printf(&q->arena, "%llu.0",
	    (unsigned long long)seq));
	row_maybe(row, "id", x->id);
	row_text(row, "domain", x->domain);
	row_maybe(row, "user", x->user);
	row_maybe(row, "session", x->session);
	row_time(row, "ts", x->ts);
	query_talk_cells(q, seq, row);
	row_hex(row, "hash", x->hash);
	row_hex(row, "system_hash", x->system_hash);
	add_parent(q, row, x);
	row_number(row, "known", x->known);
	row_number(row, "added", x->n_added);
	if (e.sections[STAGE_ingest].id == MSG_s_ingest)
		row_text(row, "thread", query_thread_name(q,
		    e.sections[STAGE_ingest].as->s_ingest.thread));
	else
		row_null(row, "thread");
	row_bool(row, "retry", x->retry);
	row_maybe(row, "model", x->model);
	row_maybe(row, "response_id", x->response_id);
	return true;
}

/* ---- lists ---- */

struct place {
	uint64_t seq, i;
};

/*
 * A list in the making.  Without a limit rows go out as they are found.  With
 * one, the newest are found first, kept as places, and go out turned round.
 */
struct list {
	struct query *q;
	const struct query_filter *f;
	const struct query_sink *sink;
	bool (*make)(struct query *q, uint64_t seq, uint64_t i,
	    struct row *row);
	struct place *kept;
	size_t n_kept, room;
	uint64_t thread;	/* requests: only this thread's; 0: any */
	uint64_t in_view;
	bool more;
};

static void
emit(struct list *l, uint64_t seq, uint64_t i)
{
	struct row row;

	if (l->make(l->q, seq, i, &row))
		l->sink->row(l->sink->data, &row);
}

/* false: enough. */
static bool
take(struct list *l, uint64_t seq, uint64_t i)
{
	if (l->f->limit == 0) {
		emit(l, seq, i);
		return true;
	}
	if (l->n_kept == l->f->limit) {
		l->more = true;
		return false;
	}
	if (l->n_kept == l->room) {
		l->room = l->room == 0 ? 64 : l->room * 2;
		l->kept = xrealloc(l->kept, l->room * sizeof(l->kept[0]));
	}
	l->kept[l->n_kept++] = (struct place){ seq, i };
	return true;
}

/* Between rows: gives memory back, and now and then the view. */
static bool
breathe(struct list *l)
{
	arena_reset(&l->q->arena);
	if (++l->in_view < ROWS_A_VIEW)
		return false;
	l->in_view = 0;
	pause_view(l->q, l->sink);
	return true;
}

static void
finish(struct list *l, bool *more)
{
	size_t k;

	for (k = l->n_kept; k > 0; k--) {
		emit(l, l->kept[k - 1].seq, l->kept[k - 1].i);
		(void)breathe(l);
	}
	free(l->kept);
	*more = l->more;
}

static bool
matches(const struct list *l, const struct msg *entry)
{
	const struct msg_envelope *env = &entry->as->envelope;
	const struct query_filter *f = l->f;

	return slice_eq(env->domain, l->q->domain) &&
	    env->ts >= f->since_ms && env->ts <= f->until_ms &&
	    (f->user.len == 0 || slice_eq(env->user, f->user));
}

static bool
has_role(const struct query_filter *f, const struct msg *entry, uint64_t i)
{
	return f->role.len == 0 || slice_eq(f->role, entry->id == MSG_turn ?
	    entry->as->turn.role : entry->as->exchange.added[i].role);
}

/* The turns of one entry, in the list's direction; false: enough. */
static bool
take_turns(struct list *l, uint64_t seq, const struct msg *entry)
{
	size_t n = query_turn_count(entry), k;
	uint64_t i;

	for (k = 0; k < n; k++) {
		i = l->f->limit == 0 ? k : n - 1 - k;
		if (has_role(l->f, entry, i) && !take(l, seq, i))
			return false;
	}
	return true;
}

static bool
take_request(struct list *l, uint64_t seq, const struct msg *entry)
{
	struct msg placed;

	if (entry->id != MSG_exchange)
		return true;
	if (l->thread != 0 && (!load(l->q, TABLE_s_ingest, seq, &placed) ||
		placed.id != MSG_s_ingest ||
		placed.as->s_ingest.thread != l->thread))
		return true;
	return take(l, seq, 0);
}

/* The next key of a u64 table, onwards or backwards from `at`, exclusive. */
static bool
step(struct db_txn *txn, enum table_id table, bool backwards, uint64_t *at)
{
	struct key k = key_u64(backwards ? *at - 1 : *at + 1);
	struct db_cursor *c = db_cursor(txn, table);
	struct db_entry e;
	bool there;

	if (backwards)
		there = *at > 0 && db_seek_back(c, key_slice(&k), &e);
	else
		there = db_seek(c, key_slice(&k), &e);
	if (there && e.key.len == 8)
		*at = key_read_u64(e.key, 0);
	db_cursor_close(&c);
	return there && e.key.len == 8;
}

static void
scan_log(struct list *l,
    bool (*each)(struct list *l, uint64_t seq, const struct msg *entry))
{
	bool backwards = l->f->limit > 0;
	uint64_t seq = backwards ? UINT64_MAX : 0;
	struct msg entry;

	while (step(l->q->shared, TABLE_log, backwards, &seq)) {
		if (load_entry(l->q, seq, &entry) && matches(l, &entry) &&
		    !each(l, seq, &entry))
			break;
		(void)breathe(l);
	}
}

/* ---- the turns of one thread ---- */

/* A thread, and how many of its own turns count. */
struct stretch {
	uint64_t thread, turns;
};

/* The thread and those whose history it shares, itself first. */
static size_t
find_history(struct query *q, const struct msg_thread *thread, bool own,
    struct stretch **out)
{
	struct msg_thread t = *thread;
	uint64_t turns = t.turn_count;
	struct stretch *all = NULL;
	size_t n = 0;

	for (;;) {
		all = xrealloc(all, (n + 1) * sizeof(*all));
		all[n++] = (struct stretch){ t.key, turns };
		/* A parent is older; anything else would go round. */
		if (own || t.parent == 0 || t.parent >= t.key)
			break;
		turns = t.parent_turn;
		if (!load_thread(q, t.parent, &t))
			break;
	}
	*out = all;
	return n;
}

static bool
take_number(struct list *l, uint64_t thread, uint64_t number)
{
	struct key k = query_turn_key(thread, number);
	struct msg_place p;
	struct msg entry;
	bool go_on = true;

	if (db_get_msg(l->q->ingest, TABLE_thread_turns, key_slice(&k),
		MSG_place, &l->q->arena, &p) &&
	    load_entry(l->q, p.seq, &entry) && matches(l, &entry) &&
	    p.i < query_turn_count(&entry) && has_role(l->f, &entry, p.i))
		go_on = take(l, p.seq, p.i);
	(void)breathe(l);
	return go_on;
}

static void
scan_thread(struct list *l, const struct stretch *history, size_t n)
{
	uint64_t number;
	size_t k;

	if (l->f->limit == 0) {
		for (k = n; k > 0; k--)
			for (number = 1; number <= history[k - 1].turns;
			     number++)
				(void)take_number(l, history[k - 1].thread,
				    number);
		return;
	}
	for (k = 0; k < n; k++)
		for (number = history[k].turns; number > 0; number--)
			if (!take_number(l, history[k].thread, number))
				return;
}

int
query_turns(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
{
	struct list l = { .q = q, .f = f, .sink = sink,
		.make = query_turn_row };
	struct stretch *history;
	struct msg_thread t;
	size_t n;

	*more = false;
	if (f->thread.len == 0) {
		scan_log(&l, take_turns);
	} else {
		if (!find_thread(q, f->thread, &t))
			return -1;
		n = find_history(q, &t, f->own, &history);
		arena_reset(&q->arena);
		scan_thread(&l, history, n);
		free(history);
	}
	finish(&l, more);
	return 0;
}

/* ---- other lists ---- */

static bool
make_thread(struct query *q, uint64_t seq, uint64_t i, struct row *row)
{
	(void)i;
	return query_thread_row(q, seq, row);
}

void
query_threads(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
{
	struct list l = { .q = q, .f = f, .sink = sink, .make = make_thread };
	bool backwards = f->limit > 0;
	uint64_t key = backwards ? UINT64_MAX : 0;
	struct msg_thread t;

	while (step(q->ingest, TABLE_threads, backwards, &key)) {
		if (load_thread(q, key, &t) && slice_eq(t.domain, q->domain) &&
		    (f->user.len == 0 || slice_eq(f->user, t.user)) &&
		    t.last_activity_at >= f->since_ms &&
		    t.created_at <= f->until_ms && !take(&l, key, 0))
			break;
		(void)breathe(&l);
	}
	finish(&l, more);
}

static bool
make_request(struct query *q, uint64_t seq, uint64_t i, struct row *row)
{
	(void)i;
	return make_request_row(q, seq, row);
}

int
query_requests(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
{
	struct list l = { .q = q, .f = f, .sink = sink,
		.make = make_request };
	struct query_thing thing = { 0 };

	*more = false;
	if (f->thread.len > 0 && !query_find_thread(q, f->thread, &thing))
		return -1;
	l.thread = thing.thread;
	scan_log(&l, take_request);
	finish(&l, more);
	return 0;
}

/* ---- rejects and refusals ---- */

static void
reject_row(struct query *q, const struct msg_reject *r, struct row *row)
{
	struct key k = key_u64(r->seq);
	struct msg_arrival a;

	row_begin(row, &q->arena);
	row_text(row, "kind", SLICE("reject"));
	row_number(row, "seq", r->seq);
	row_text(row, "stage", r->stage);
	if (db_get_msg(q->shared, TABLE_arrivals, key_slice(&k), MSG_arrival,
		&q->arena, &a))
		row_time(row, "at", a.at);
	else
		row_null(row, "at");
	row_null(row, "id");
	row_text(row, "code", SLICE("rejected"));
	row_text(row, "message", r->reason);
	row_maybe(row, "excerpt", r->record);
}

static void
refusal_row(struct query *q, const struct msg_refusal *r, struct row *row)
{
	row_begin(row, &q->arena);
	row_text(row, "kind", SLICE("refusal"));
	row_null(row, "seq");
	row_text(row, "stage", SLICE("ingest"));
	row_time(row, "at", r->at);
	row_maybe(row, "id", r->id);
	row_text(row, "code", r->code);
	row_text(row, "message", r->message);
	row_maybe(row, "excerpt", r->excerpt);
}

static bool
is_of_domain(struct query *q, uint64_t seq)
{
	struct msg entry;

	return load_entry(q, seq, &entry) &&
	    slice_eq(entry.as->envelope.domain, q->domain);
}

/* Makes the row of a record, unless the filter leaves it out. */
static bool
make_reject(struct query *q, const struct query_filter *f,
    const struct db_entry *e, struct row *row)
{
	const struct cell *at;
	struct msg_error why;
	struct msg m;

	arena_reset(&q->arena);
	if (msg_decode(e->value, &q->arena, &m, &why) == -1) {
		q->unreadable++;
		return false;
	}
	if (m.id == MSG_refusal)
		refusal_row(q, &m.as->refusal, row);
	else if (m.id == MSG_reject &&
	    (f->any_domain || is_of_domain(q, m.as->reject.seq)))
		reject_row(q, &m.as->reject, row);
	else
		return false;
	at = row_cell(row, "at");
	return at->kind == CELL_NULL ||
	    (at->time >= f->since_ms && at->time <= f->until_ms);
}

/*
 * The newest `limit` rows of a table, in order: back to the oldest of them,
 * then forth.  Both tables are bounded or small, so one view is enough.
 */
static uint64_t
list_newest(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, enum table_id table, uint64_t limit,
    bool *more)
{
	struct db_cursor *c = db_cursor(q->shared, table);
	uint64_t n = 0, shown = 0;
	struct db_entry e;
	struct row row;
	bool there;

	for (there = limit > 0 && db_last(c, &e); there;
	     there = db_prev(c, &e)) {
		if (!make_reject(q, f, &e, &row))
			continue;
		if (n == limit) {
			*more = true;
			break;
		}
		n++;
	}
	for (there = there ? db_next(c, &e) : db_first(c, &e); there;
	     there = db_next(c, &e)) {
		if (!make_reject(q, f, &e, &row))
			continue;
		sink->row(sink->data, &row);
		shown++;
	}
	db_cursor_close(&c);
	return shown;
}

void
query_rejects(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
{
	uint64_t shown;

	*more = false;
	shown = list_newest(q, f, sink, TABLE_rejects, f->limit, more);
	if (!f->any_domain)
		return;
	if (f->limit > 0 && shown >= f->limit)
		*more = *more || db_count(q->shared, TABLE_refusals) > 0;
	else
		(void)list_newest(q, f, sink, TABLE_refusals,
		    f->limit == 0 ? 0 : f->limit - shown, more);
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
	    load_entry(q, out->seq, &entry) &&
	    slice_eq(entry.as->envelope.domain, q->domain) &&
	    (!out->has_i || out->i == 0 ||
		out->i < query_turn_count(&entry));
}

bool
query_find_thread(struct query *q, struct slice id, struct query_thing *out)
{
	struct msg_thread t;

	*out = (struct query_thing){ 0 };
	if (!find_thread(q, id, &t))
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
