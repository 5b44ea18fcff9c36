/*
 * query_artifacts - artifacts, episodes, skills and lineage, in rows
 */
#include "store/query_artifacts.h"

#include <stdlib.h>

#include "common/json.h"
#include "common/text.h"
#include "compactor/compact.h"
#include "compactor/episode_digest.h"
#include "compactor/weight.h"
#include "store/paged.h"

/* ---- artifacts ---- */

/* By the clock of whom it belongs to: event time, as everywhere. */
static uint64_t
weight_shown(struct query *q, const struct msg_artifact *a, int64_t half_life)
{
	struct key k = key_stream(a->domain, a->user, a->room);
	struct msg_stream stream;

	if (q->ingest == NULL || !db_get_msg(q->ingest, TABLE_streams,
		key_slice(&k), MSG_stream, &q->arena, &stream))
		return a->weight;
	return weight_now(a->weight, a->weight_at, stream.clock, half_life);
}

struct slice
query_source_ref(struct query *q, const struct msg_artifact *a)
{
	struct slice ref;
	struct buf b;
	size_t i;

	if (a->thread == 0 || a->turns.count + a->elsewhere.count < 2)
		return SLICE_NONE;
	buf_init(&b, SIZE_MAX / 4);
	buf_addslice(&b, query_thread_name(q, a->thread));
	for (i = 0; i + 1 < a->turns.count; i += 2)
		buf_addf(&b, "%c%llu-%llu", i == 0 ? ':' : ',',
		    (unsigned long long)a->turns.at[i],
		    (unsigned long long)a->turns.at[i + 1]);
	for (i = 0; i + 2 < a->elsewhere.count; i += 3) {
		buf_addc(&b, ';');
		buf_addslice(&b, query_thread_name(q, a->elsewhere.at[i]));
		buf_addf(&b, ":%llu-%llu",
		    (unsigned long long)a->elsewhere.at[i + 1],
		    (unsigned long long)a->elsewhere.at[i + 2]);
	}
	ref = arena_dup(&q->arena, buf_slice(&b));
	buf_release(&b);
	return ref;
}

/* The schema's fields by name; a list where there are several values. */
static void
add_fields(struct row *row, const struct msg_artifact *a)
{
	const struct msg_a_field *f;
	struct buf json;
	size_t i, k;

	buf_init(&json, SIZE_MAX / 4);
	buf_addc(&json, '{');
	for (i = 0; i < a->n_fields; i++) {
		f = &a->fields[i];
		buf_adds(&json, i > 0 ? "," : "");
		json_put_str(&json, f->name);
		buf_adds(&json, f->values.count == 1 ? ":" : ":[");
		for (k = 0; k < f->values.count; k++) {
			buf_adds(&json, k > 0 ? "," : "");
			json_put_str(&json, f->values.at[k]);
		}
		buf_adds(&json, f->values.count == 1 ? "" : "]");
	}
	buf_addc(&json, '}');
	row_json(row, "fields", arena_dup(row->arena, buf_slice(&json)));
	buf_release(&json);
}

static void
add_lineage(struct row *row, const struct msg_artifact *a)
{
	const struct msg_strs *by = &a->refined_by;

	row_text(row, "thought_type", a->thought_type);
	row_strs(row, "source_ids", &a->source_ids);
	row_bool(row, "superseded", by->count > 0);
	row_maybe(row, "refined_by", by->count > 0 ? by->at[by->count - 1] :
						     SLICE_NONE);
}

/* What has a place in the row only where it is there. */
static void
add_rest(struct row *row, const struct msg_artifact *a)
{
	const struct msg_spec *spec = msg_spec(MSG_artifact);

	row_text(row, "domain", a->domain);
	row_maybe(row, "user", a->user);
	row_maybe(row, "room", a->room);
	row_maybe(row, "agent_id", a->agent_id);
	row_maybe(row, "agent_name", a->agent_name);
	row_maybe(row, "subject", a->subject);
	row_maybe(row, "package", a->package);
	row_time(row, "updated_at", a->updated_at);
	if (a->expires_at != 0)
		row_time(row, "expires_at", a->expires_at);
	else
		row_null(row, "expires_at");
	row_bool(row, "checkpoint", a->checkpoint);
	row_strs(row, "attempts", &a->attempts);
	add_fields(row, a);
	row_field(row, "history", msg_field_tagged(spec,
	    MSGTAG_artifact_history), a);
	row_number(row, "uses", a->uses);
}

/* An attempt is over when it failed, but nobody would call it resolved. */
static bool
came_to_nothing(const struct msg_artifact *a)
{
	return slice_is(a->status, "resolved") && a->n_history > 0 &&
	    slice_is(a->history[a->n_history - 1].status, "failed");
}

static bool
has_status(struct slice wanted, const struct msg_artifact *a)
{
	return wanted.len == 0 || slice_eq(wanted, a->status) ||
	    (slice_is(wanted, "failed") && came_to_nothing(a));
}

void
query_artifact_row(struct query *q, const struct msg_artifact *a,
    int64_t half_life_ms, struct row *row)
{
	row_begin(row, &q->arena);
	row_text(row, "key", a->key);
	row_maybe(row, "id", a->id);
	row_text(row, "type", a->type);
	row_text(row, "summary", a->summary);
	row_maybe(row, "resolution", a->resolution);
	row_text(row, "status", a->status);
	row_text(row, "state", came_to_nothing(a) ? SLICE("failed") :
						    a->status);
	row_strs(row, "tags", &a->tags);
	row_maybe(row, "source_ref", query_source_ref(q, a));
	row_maybe(row, "thread", a->thread == 0 ? SLICE_NONE :
	    query_thread_name(q, a->thread));
	row_time(row, "created_at", a->created_at);
	row_number(row, "token_count", a->token_count);
	row_maybe(row, "chain", a->chain);
	row_maybe(row, "parent", a->parent);
	if (msg_has_tag(a, MSGTAG_artifact_confidence) || a->confidence > 0)
		row_thousandths(row, "confidence", a->confidence);
	else
		row_null(row, "confidence");
	row_thousandths(row, "weight", weight_shown(q, a, half_life_ms));
	add_lineage(row, a);
	row_strs(row, "conflicts_with", &a->conflicts_with);
	add_rest(row, a);
}

static bool
has_str(const struct msg_strs *list, struct slice s)
{
	return s.len == 0 || strs_has(list, s);
}

static bool
is(struct slice wanted, struct slice s)
{
	return wanted.len == 0 || slice_eq(wanted, s);
}

/* What a list's rows need beside the record. */
struct artifacts_list {
	const struct artifacts_source *from;
	const struct artifacts_filter *f;
	struct msg_strs attached;	/* to the thread, from others */
};

static bool
make_artifact(const struct paged *p, struct query *q, struct slice value,
    struct row *row)
{
	const struct artifacts_list *l = p->filter;
	const struct artifacts_filter *f = l->f;
	struct msg_artifact a;
	struct msg_error why;

	if (msg_decode_as(value, &q->arena, MSG_artifact, &a, &why) == -1 ||
	    !slice_eq(a.domain, p->domain) || !is(f->type, a.type) ||
	    !has_status(f->status, &a) || !is(f->user, a.user) ||
	    !has_str(&a.tags, f->tag) ||
	    (f->thread != 0 && f->thread != a.thread &&
		!strs_has(&l->attached, a.key)) ||
	    (f->current && a.refined_by.count > 0) ||
	    a.updated_at < f->since_ms || a.created_at > f->until_ms)
		return false;
	query_artifact_row(q, &a, l->from->half_life_ms, row);
	return true;
}

typedef bool make_row(const struct paged *p, struct query *q,
    struct slice value, struct row *row);

static void
run_list(const struct artifacts_list *l, const struct query_sink *sink,
    bool *more, enum table_id table, make_row *make)
{
	const struct artifacts_source *from = l->from;
	struct paged p = { from->shared, from->ingest, from->compactor,
		from->domain, table, l->f->limit, sink, make, l };

	paged_run(&p, more);
}

/* What a thread imported is listed with it. */
static struct msg_strs
read_attached(const struct artifacts_source *from, uint64_t thread,
    struct arena *arena)
{
	struct msg_attached there = { 0 };
	struct key k = key_u64(thread);
	struct msg_error why;
	struct db_txn *txn;
	struct slice value;

	if (thread == 0)
		return there.artifacts;
	txn = db_read(from->compactor);
	/* Strings point into the record, which goes with the transaction. */
	if (db_get(txn, TABLE_attachments, key_slice(&k), &value) &&
	    msg_decode_as(arena_dup(arena, value), arena, MSG_attached,
		&there, &why) == -1)
		there.artifacts.count = 0;
	db_abort(&txn);
	return there.artifacts;
}

void
query_artifacts(const struct artifacts_source *from,
    const struct artifacts_filter *f, const struct query_sink *sink,
    bool *more)
{
	struct artifacts_list l = { .from = from, .f = f };
	struct arena arena;

	arena_init(&arena);
	l.attached = read_attached(from, f->thread, &arena);
	run_list(&l, sink, more, TABLE_artifacts, make_artifact);
	arena_release(&arena);
}

static bool
load_artifact(struct query *q, struct db_txn *compactor, uint64_t seq,
    uint64_t n, struct msg_artifact *out)
{
	struct key k = key_u64(seq);

	key_add_u64(&k, n);
	return db_get_msg(compactor, TABLE_artifacts, key_slice(&k),
	    MSG_artifact, &q->arena, out) && slice_eq(out->domain, q->domain);
}

bool
query_artifact(struct query *q, struct db_txn *compactor, struct slice name,
    struct msg_artifact *out)
{
	struct msg_place p;
	uint64_t seq, n;
	struct key k;

	if (name.len == 0 || name.len > 240)
		return false;
	key_init(&k);
	key_add_text(&k, q->domain);
	key_add_text(&k, name);
	if (db_get_msg(compactor, TABLE_artifact_ids, key_slice(&k), MSG_place,
		&q->arena, &p))
		return load_artifact(q, compactor, p.seq, p.i, out);
	return artifact_parse(name, &seq, &n) == 0 &&
	    load_artifact(q, compactor, seq, n, out);
}

static void
give_turns(struct query *q, uint64_t thread, uint64_t first, uint64_t last,
    const struct query_sink *sink)
{
	struct msg_place p;
	struct row row;
	struct key k;
	uint64_t n;

	for (n = first; n <= last; n++) {
		k = key_pair(thread, n);
		if (db_get_msg(q->ingest, TABLE_thread_turns, key_slice(&k),
			MSG_place, &q->arena, &p) &&
		    query_turn_row(q, p.seq, p.i, &row))
			sink->row(sink->data, &row);
	}
}

void
query_artifact_turns(struct query *q, const struct msg_artifact *a,
    const struct query_sink *sink)
{
	const uint64_t *at;
	size_t i;

	if (q->ingest == NULL)
		return;
	for (i = 0; i + 1 < a->turns.count; i += 2)
		give_turns(q, a->thread, a->turns.at[i], a->turns.at[i + 1],
		    sink);
	for (i = 0; i + 2 < a->elsewhere.count; i += 3) {
		at = &a->elsewhere.at[i];
		give_turns(q, at[0], at[1], at[2], sink);
	}
}

/* ---- episodes ---- */

static void
add_threads(struct query *q, struct row *row, const struct msg_u64s *threads)
{
	struct msg_strs names;
	size_t i;

	names.count = threads->count;
	names.at = arena_array(&q->arena, threads->count + 1,
	    sizeof(names.at[0]));
	for (i = 0; i < threads->count; i++)
		names.at[i] = query_thread_name(q, threads->at[i]);
	row_strs(row, "linked_threads", &names);
}

/* Turns go on after a compaction: how far it is, ingest knows. */
static void
add_extent(struct query *q, struct row *row, const struct msg_episode *e)
{
	struct msg_thread t;
	struct key k;

	k = key_u64(e->linked_threads.count > 0 ? e->linked_threads.at[0] : 0);
	if (slice_is(e->episode_type, "primary") && q->ingest != NULL &&
	    db_get_msg(q->ingest, TABLE_threads, key_slice(&k), MSG_thread,
		&q->arena, &t)) {
		row_number(row, "turn_count", t.turn_count);
		row_time(row, "last_activity_at", t.last_activity_at);
		return;
	}
	row_number(row, "turn_count", e->turn_count);
	row_time(row, "last_activity_at", e->last_activity_at);
}

void
query_episode_row(struct query *q, const struct msg_episode *e,
    struct row *row)
{
	row_begin(row, &q->arena);
	row_text(row, "key", e->key);
	row_text(row, "domain", e->domain);
	row_maybe(row, "user", e->user);
	row_maybe(row, "room", e->room);
	row_text(row, "episode_type", e->episode_type);
	row_maybe(row, "name", e->name);
	add_threads(q, row, &e->linked_threads);
	row_strs(row, "linked_episodes", &e->linked_episodes);
	row_time(row, "created_at", e->created_at);
	add_extent(q, row, e);
	row_maybe(row, "micro", e->micro);
	row_maybe(row, "meso", e->meso);
	row_maybe(row, "macro", e->macro);
	row_strs(row, "skills", &e->skills);
	row_strs(row, "artifacts", &e->artifacts);
	row_maybe(row, "trigger", e->trigger);
	row_number(row, "compactions", e->compactions);
	row_number(row, "compacted_turns", e->compacted_turns);
	if (e->compactions > 0)
		row_time(row, "compacted_at", e->compacted_at);
	else
		row_null(row, "compacted_at");
	row_strs(row, "keywords", &e->keywords);
	row_strs(row, "entities", &e->entities);
}

static bool
in_threads(const struct msg_u64s *threads, uint64_t thread)
{
	size_t i;

	for (i = 0; i < threads->count; i++)
		if (threads->at[i] == thread)
			return true;
	return thread == 0;
}

static bool
make_episode(const struct paged *p, struct query *q, struct slice value,
    struct row *row)
{
	const struct artifacts_filter *f =
	    ((const struct artifacts_list *)p->filter)->f;
	struct msg_error why;
	struct msg_episode e;

	if (msg_decode_as(value, &q->arena, MSG_episode, &e, &why) == -1 ||
	    !slice_eq(e.domain, p->domain) || !is(f->user, e.user) ||
	    !is(f->type, e.episode_type) ||
	    !in_threads(&e.linked_threads, f->thread) ||
	    e.last_activity_at < f->since_ms || e.created_at > f->until_ms)
		return false;
	query_episode_row(q, &e, row);
	return true;
}

void
query_episodes(const struct artifacts_source *from,
    const struct artifacts_filter *f, const struct query_sink *sink,
    bool *more)
{
	struct artifacts_source across = *from;
	bool more_across = false;

	run_list(&(struct artifacts_list){ .from = from, .f = f }, sink, more,
	    TABLE_episodes, make_episode);
	if (from->linker == NULL)
		return;
	across.compactor = from->linker;
	run_list(&(struct artifacts_list){ .from = &across, .f = f }, sink,
	    &more_across, TABLE_cross_episodes, make_episode);
	*more = *more || more_across;
}

bool
query_episode(struct query *q, struct db_txn *compactor, struct slice name,
    struct msg_episode *out)
{
	char digits[24];
	uint64_t thread;
	struct key k;
	char *end;

	if (name.len < 2 || name.len >= sizeof(digits) ||
	    name.ptr[0] != 'p' || name.ptr[1] < '0' || name.ptr[1] > '9')
		return false;
	memcpy(digits, name.ptr + 1, name.len - 1);
	digits[name.len - 1] = '\0';
	thread = strtoull(digits, &end, 10);
	k = key_u64(thread);
	return *end == '\0' && db_get_msg(compactor, TABLE_episodes,
	    key_slice(&k), MSG_episode, &q->arena, out) &&
	    slice_eq(out->domain, q->domain);
}

/* ---- skills ---- */

void
query_skill_row(struct query *q, const struct msg_skill *s, struct row *row)
{
	row_begin(row, &q->arena);
	row_text(row, "key", s->key);
	row_text(row, "domain", s->domain);
	row_maybe(row, "user", s->user);
	row_maybe(row, "room", s->room);
	row_text(row, "when", s->when);
	row_text(row, "did", s->did);
	row_bool(row, "worked", s->worked);
	row_number(row, "evidence", s->evidence);
	row_strs(row, "artifacts", &s->artifacts);
	row_strs(row, "episodes", &s->episodes);
	row_time(row, "created_at", s->created_at);
	row_time(row, "updated_at", s->updated_at);
}

/* A thread is asked for by its primary episode. */
static bool
is_of_thread(struct query *q, const struct msg_skill *s, uint64_t thread)
{
	return thread == 0 || strs_has(&s->episodes, arena_printf(&q->arena,
	    "p%llu", (unsigned long long)thread));
}

static bool
make_skill(const struct paged *p, struct query *q, struct slice value,
    struct row *row)
{
	const struct artifacts_filter *f =
	    ((const struct artifacts_list *)p->filter)->f;
	struct msg_error why;
	struct msg_skill s;

	if (msg_decode_as(value, &q->arena, MSG_skill, &s, &why) == -1 ||
	    !slice_eq(s.domain, p->domain) || !is(f->user, s.user) ||
	    !is_of_thread(q, &s, f->thread) || s.updated_at < f->since_ms ||
	    s.created_at > f->until_ms)
		return false;
	query_skill_row(q, &s, row);
	return true;
}

void
query_skills(const struct artifacts_source *from,
    const struct artifacts_filter *f, const struct query_sink *sink,
    bool *more)
{
	run_list(&(struct artifacts_list){ .from = from, .f = f }, sink, more,
	    TABLE_skills, make_skill);
}

bool
query_skill(struct query *q, struct db_txn *compactor, struct slice name,
    struct msg_skill *out)
{
	uint64_t seq, n;
	struct slice key;
	struct key k;

	if (name.len < 2 || name.ptr[0] != 'k')
		return false;
	key = arena_printf(&q->arena, "a%.*s", (int)name.len - 1,
	    name.ptr + 1);
	if (artifact_parse(key, &seq, &n) == -1)
		return false;
	k = key_u64(seq);
	key_add_u64(&k, n);
	return db_get_msg(compactor, TABLE_skills, key_slice(&k), MSG_skill,
	    &q->arena, out) && slice_eq(out->domain, q->domain);
}

bool
query_digest(struct db_txn *compactor, uint64_t thread, struct arena *arena,
    struct msg_episode_digest *out)
{
	struct key k = key_u64(thread);

	*out = (struct msg_episode_digest){ 0 };
	if (compactor == NULL ||
	    !db_get_msg(compactor, TABLE_episode_digests, key_slice(&k),
		MSG_episode_digest, arena, out))
		return false;
	digest_unpack(out, arena);
	return true;
}
