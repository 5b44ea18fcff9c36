/*
 * query_rows - a turn, a thread, a request as a row
 */
#include "store/query_impl.h"

#include "common/json.h"
#include "common/when.h"
#include "store/query_conversations.h"
#include "store/query_links.h"

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

	if (!query_load_thread(q, key, &t) || !slice_eq(t.domain, q->domain))
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
	if (query_load_entry(q, x->parent_seq, &parent) &&
	    parent.id == MSG_exchange &&
	    x->parent_i < parent.as->exchange.n_added)
		hash = parent.as->exchange.added[x->parent_i].hash;
	row_text(row, "parent_key", arena_printf(&q->arena, "%llu.%llu",
	    (unsigned long long)x->parent_seq,
	    (unsigned long long)x->parent_i));
	row_hex(row, "known_hash", hash);
}

bool
query_request_row(struct query *q, uint64_t seq, struct row *row)
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
