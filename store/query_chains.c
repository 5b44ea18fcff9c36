/*
 * query_chains - chains and sessions, answered in rows
 */
#include "store/query_chains.h"

#include "chainer/chain.h"
#include "common/json.h"
#include "store/paged.h"

/* As the chainer's work.c has it: a check beside the updates. */
#define HISTORY_CHECK (UINT64_C(1) << 32)

/* ---- rows ---- */

static void
row_names(struct row *row, const char *name, const struct msg_u64s *list,
    struct slice (*of)(void *data, uint64_t n), void *data)
{
	struct buf json;
	size_t i;

	buf_init(&json, SIZE_MAX / 4);
	buf_addc(&json, '[');
	for (i = 0; i < list->count; i++) {
		if (i > 0)
			buf_addc(&json, ',');
		json_put_str(&json, of(data, list->at[i]));
	}
	buf_addc(&json, ']');
	row_json(row, name, arena_dup(row->arena, buf_slice(&json)));
	buf_release(&json);
}

static struct slice
thread_name(void *data, uint64_t key)
{
	return query_thread_name(data, key);
}

static struct slice
ref_name(void *data, uint64_t ref)
{
	struct query *q = data;

	return chain_name(&q->arena, ref);
}

static void
row_ref(struct row *row, struct query *q, const char *name, uint64_t ref)
{
	row_maybe(row, name, ref == 0 ? SLICE_NONE :
					chain_name(&q->arena, ref));
}

void
query_chain_row(struct query *q, const struct msg_chain *c, struct row *row)
{
	row_begin(row, &q->arena);
	row_text(row, "key", chain_name(&q->arena, c->ref));
	row_text(row, "domain", c->domain);
	row_maybe(row, "user", c->user);
	row_maybe(row, "room", c->room);
	row_text(row, "state", c->state);
	row_text(row, "topic", c->topic);
	row_time(row, "created_at", c->created_at);
	row_time(row, "last_extended", c->last_extended);
	row_number(row, "turns", c->turns);
	row_number(row, "claims", c->claims);
	row_number(row, "updates", c->updates);
	row_number(row, "revivals", c->revivals);
	row_number(row, "n_threads", c->n_threads);
	row_names(row, "threads", &c->threads, thread_name, q);
	row_ref(row, q, "from", c->from);
	row_ref(row, q, "merged_into", c->merged_into);
	row_strs(row, "keywords", &c->keywords);
	row_strs(row, "entities", &c->entities);
}

static void
session_row(struct query *q, const struct msg_session *s, struct row *row)
{
	row_begin(row, &q->arena);
	row_text(row, "id", s->id);
	row_text(row, "domain", s->domain);
	row_maybe(row, "user", s->user);
	row_maybe(row, "room", s->room);
	row_time(row, "started", s->started);
	row_time(row, "last", s->last);
	if (s->ended != 0)
		row_time(row, "ended", s->ended);
	else
		row_null(row, "ended");
	row_maybe(row, "why", s->why);
	row_number(row, "turns", s->turns);
	row_names(row, "threads", &s->threads, thread_name, q);
	row_number(row, "n_chains", s->n_touched);
	row_names(row, "chains", &s->touched, ref_name, q);
	row_names(row, "concluded", &s->concluded, ref_name, q);
	row_strs(row, "open", &s->open);
	row_maybe(row, "summary", s->summary);
}

/* ---- lists ---- */

static bool
in_list(const struct msg_u64s *list, uint64_t n)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->at[i] == n)
			return true;
	return n == 0;
}

static bool
make_chain(const struct paged *p, struct query *q, struct slice value,
    struct row *row)
{
	const struct chains_filter *f = p->filter;
	struct msg_error why;
	struct msg_chain c;

	if (msg_decode_as(value, &q->arena, MSG_chain, &c, &why) == -1 ||
	    !slice_eq(c.domain, p->domain) ||
	    (f->state.len > 0 && !slice_eq(f->state, c.state)) ||
	    (f->user.len > 0 && !slice_eq(f->user, c.user)) ||
	    !in_list(&c.threads, f->thread) ||
	    c.last_extended < f->since_ms || c.created_at > f->until_ms)
		return false;
	query_chain_row(q, &c, row);
	return true;
}

static bool
make_session(const struct paged *p, struct query *q, struct slice value,
    struct row *row)
{
	const struct chains_filter *f = p->filter;
	struct msg_error why;
	struct msg_session s;

	if (msg_decode_as(value, &q->arena, MSG_session, &s, &why) == -1 ||
	    !slice_eq(s.domain, p->domain) ||
	    (f->user.len > 0 && !slice_eq(f->user, s.user)) ||
	    !in_list(&s.threads, f->thread) ||
	    s.last < f->since_ms || s.started > f->until_ms)
		return false;
	session_row(q, &s, row);
	return true;
}

void
query_chains(const struct chains_source *from, const struct chains_filter *f,
    const struct query_sink *sink, bool *more)
{
	struct paged p = { from->shared, from->ingest, from->chainer,
		from->domain, TABLE_chains, f->limit, sink, make_chain, f };

	paged_run(&p, more);
}

void
query_sessions(const struct chains_source *from,
    const struct chains_filter *f, const struct query_sink *sink, bool *more)
{
	struct paged p = { from->shared, from->ingest, from->chainer,
		from->domain, TABLE_sessions, f->limit, sink, make_session, f };

	paged_run(&p, more);
}

/* ---- one chain ---- */

bool
query_chain(struct query *q, struct db_txn *chainer, struct slice name,
    struct msg_chain *out)
{
	struct key k;
	uint64_t ref;

	if (chain_parse(name, &ref) == -1)
		return false;
	k = key_u64(ref);
	return db_get_msg(chainer, TABLE_chains, key_slice(&k), MSG_chain,
	    &q->arena, out) && slice_eq(out->domain, q->domain);
}

static void
add_claims(struct query *q, struct row *row, const struct stage_entry *e,
    const struct msg_h_update *u)
{
	const struct msg *m = &e->sections[STAGE_classify];
	const struct msg_c_claim *claim;
	struct msg_strs said = { 0 };
	struct slice text;
	size_t i;

	if (m->id == MSG_s_classify && u->turn < m->as->s_classify.n_turns) {
		text = e->entry.id == MSG_turn ? e->entry.as->turn.text :
		    e->entry.as->exchange.added[u->turn].text;
		said.at = arena_array(&q->arena, u->claims.count,
		    sizeof(struct slice));
		for (i = 0; i < u->claims.count; i++) {
			if (u->claims.at[i] >=
			    m->as->s_classify.turns[u->turn].n_claims)
				continue;
			claim = &m->as->s_classify.turns[u->turn]
				     .claims[u->claims.at[i]];
			if (claim->at + claim->len <= text.len)
				said.at[said.count++] = slice_of(
				    text.ptr + claim->at, claim->len);
		}
	}
	row_strs(row, "claims", &said);
}

static void
step_row(struct query *q, const struct stage_entry *e, uint64_t i,
    struct row *row)
{
	const struct msg_s_chainer *s =
	    &e->sections[STAGE_chainer].as->s_chainer;
	const struct msg_h_update *u;

	row_begin(row, &q->arena);
	row_number(row, "seq", e->seq);
	row_time(row, "ts", e->entry.as->envelope.ts);
	if (i & HISTORY_CHECK) {
		row_text(row, "kind", SLICE("dormant"));
		row_null(row, "turn");
		row_text(row, "reason", SLICE("Time passed"));
		return;
	}
	if (i >= s->n_updates)
		return;
	u = &s->updates[i];
	row_text(row, "kind", u->kind);
	row_text(row, "turn", arena_printf(&q->arena, "%llu.%llu",
	    (unsigned long long)e->seq, (unsigned long long)u->turn));
	row_text(row, "reason", u->reason);
	row_maybe(row, "from", u->from);
	row_bool(row, "revives", u->revives);
	if (query_turn_count(&e->entry) > u->turn)
		add_claims(q, row, e, u);
}

void
query_chain_story(struct query *q, struct db_txn *chainer,
    const struct msg_chain *c, const struct query_sink *sink)
{
	uint64_t n, ref = c->ref, updates = c->updates;
	struct stage_entry e;
	struct msg_place p;
	struct key k;
	struct row row;

	for (n = 0; n < updates; n++) {
		k = key_u64(ref);
		key_add_u64(&k, n);
		if (!db_get_msg(chainer, TABLE_chain_history, key_slice(&k),
			MSG_place, &q->arena, &p))
			continue;
		query_entry(q, p.seq, &e);
		if (e.entry.id != MSG_none &&
		    e.sections[STAGE_chainer].id == MSG_s_chainer) {
			step_row(q, &e, p.i, &row);
			sink->row(sink->data, &row);
		}
		arena_reset(&q->arena);
	}
}
