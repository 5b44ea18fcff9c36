/*
 * query_links - linking decisions, tunings and cross-thread episodes, in rows
 */
#include "store/query_links.h"

#include "common/json.h"
#include "linker/episodes.h"
#include "store/paged.h"

/* ---- rows ---- */

static void
put_thousandths(struct buf *out, const char *name, uint64_t n)
{
	buf_addf(out, "%s\"%s\":%llu.%03llu",
	    out->ptr[out->len - 1] == '{' ? "" : ",", name,
	    (unsigned long long)n / 1000, (unsigned long long)n % 1000);
}

static void
row_weights(struct row *row, const char *name, const struct msg_u64s *w)
{
	static const char *const names[SCORE_TERMS] = { "keyword", "entity",
		"topic", "recency" };
	struct buf json;
	size_t i;

	buf_init(&json, 4096);
	buf_addc(&json, '{');
	for (i = 0; i < SCORE_TERMS && i < w->count; i++)
		put_thousandths(&json, names[i], w->at[i]);
	buf_addc(&json, '}');
	row_json(row, name, arena_dup(row->arena, buf_slice(&json)));
	buf_release(&json);
}

static void
row_candidates(struct query *q, struct row *row, const struct msg_link *link)
{
	const struct msg_link_candidate *c;
	struct buf json;
	size_t i;

	buf_init(&json, SIZE_MAX / 4);
	buf_addc(&json, '[');
	for (i = 0; i < link->n_candidates; i++) {
		c = &link->candidates[i];
		buf_adds(&json, i > 0 ? ",{\"thread\":" : "{\"thread\":");
		json_put_str(&json, query_thread_name(q, c->thread));
		put_thousandths(&json, "score", c->score);
		put_thousandths(&json, "keyword_match", c->keyword_match);
		put_thousandths(&json, "entity_match", c->entity_match);
		put_thousandths(&json, "topic_match", c->topic_match);
		put_thousandths(&json, "recency_score", c->recency_score);
		put_thousandths(&json, "lean", c->lean);
		buf_addc(&json, '}');
	}
	buf_addc(&json, ']');
	row_json(row, "candidates", arena_dup(row->arena, buf_slice(&json)));
	buf_release(&json);
}

/* What a model said; null throughout where none did. */
static void
row_verdict(struct row *row, const struct msg_link *link)
{
	bool judged = link->agreement.len > 0 || link->reasoning.len > 0;

	row_maybe(row, "agreement", link->agreement);
	if (judged) {
		row_bool(row, "llm_related", link->llm_related);
		row_thousandths(row, "llm_confidence", link->llm_confidence);
	} else {
		row_null(row, "llm_related");
		row_null(row, "llm_confidence");
	}
	row_maybe(row, "reasoning", link->reasoning);
	row_strs(row, "key_signals", &link->key_signals);
	row_maybe(row, "model", link->model);
	if (link->prompt_version > 0)
		row_number(row, "prompt_version", link->prompt_version);
	else
		row_null(row, "prompt_version");
}

void
query_link_row(struct query *q, const struct msg_link *link, struct row *row)
{
	row_begin(row, &q->arena);
	row_text(row, "key", link->key);
	row_text(row, "domain", link->domain);
	row_maybe(row, "user", link->user);
	row_maybe(row, "room", link->room);
	row_text(row, "thread", query_thread_name(q, link->thread));
	row_text(row, "candidate", query_thread_name(q, link->candidate));
	row_text(row, "decision", link->decision);
	row_thousandths(row, "algorithmic_score", link->algorithmic_score);
	row_thousandths(row, "threshold", link->threshold);
	row_thousandths(row, "keyword_match", link->keyword_match);
	row_thousandths(row, "entity_match", link->entity_match);
	row_thousandths(row, "topic_match", link->topic_match);
	row_thousandths(row, "recency_score", link->recency_score);
	row_thousandths(row, "lean", link->lean);
	row_bool(row, "returns", link->returns);
	row_weights(row, "weights", &link->weights);
	row_text(row, "confidence", link->confidence);
	row_verdict(row, link);
	row_maybe(row, "outcome", link->outcome);
	row_maybe(row, "outcome_why", link->outcome_why);
	row_time(row, "timestamp", link->timestamp);
	row_text(row, "by", link->by);
	row_maybe(row, "episode", link->episode);
	row_maybe(row, "revises", link->revises);
	row_maybe(row, "revised_by", link->revised_by);
	row_number(row, "number", link->number);
	row_number(row, "turn", link->turn);
	row_number(row, "tuning", link->tuning);
	row_bool(row, "asked", link->asked);
	row_candidates(q, row, link);
}

static void
row_metrics(struct row *row, const struct msg_tuning *s)
{
	struct buf json;

	if (s->undoes != 0) {
		row_null(row, "metrics");
		return;
	}
	buf_init(&json, 4096);
	buf_addc(&json, '{');
	put_thousandths(&json, "accuracy_before", s->accuracy_before);
	put_thousandths(&json, "accuracy_after", s->accuracy_after);
	put_thousandths(&json, "false_positive_rate_before",
	    s->false_positive_rate_before);
	put_thousandths(&json, "false_positive_rate_after",
	    s->false_positive_rate_after);
	put_thousandths(&json, "false_negative_rate_before",
	    s->false_negative_rate_before);
	put_thousandths(&json, "false_negative_rate_after",
	    s->false_negative_rate_after);
	buf_addc(&json, '}');
	row_json(row, "metrics", arena_dup(row->arena, buf_slice(&json)));
	buf_release(&json);
}

static void
tuning_row(struct query *q, const struct msg_tuning *s, uint64_t in_force,
    struct row *row)
{
	row_begin(row, &q->arena);
	row_number(row, "number", s->number);
	row_text(row, "domain", s->domain);
	row_time(row, "tuning_date", s->tuning_date);
	row_bool(row, "kept", s->kept);
	row_bool(row, "in_force", s->number == in_force);
	row_thousandths(row, "previous_threshold", s->previous_threshold);
	row_thousandths(row, "new_threshold", s->new_threshold);
	row_weights(row, "previous_weights", &s->previous_weights);
	row_weights(row, "new_weights", &s->new_weights);
	row_text(row, "reason", s->reason);
	row_metrics(row, s);
	row_thousandths(row, "accuracy_before", s->accuracy_before);
	row_thousandths(row, "accuracy_after", s->accuracy_after);
	row_number(row, "decisions", s->decisions);
	row_number(row, "held_back", s->held_back);
	row_number(row, "disagreements", s->disagreements);
	row_number(row, "model_right", s->model_right);
	row_number(row, "algorithm_right", s->algorithm_right);
	row_number(row, "prompt_version", s->prompt_version);
	row_strs(row, "prompt_signals", &s->prompt_signals);
	if (s->undoes != 0)
		row_number(row, "undoes", s->undoes);
	else
		row_null(row, "undoes");
}

/* ---- lists ---- */

struct links_list {
	const struct links_filter *f;
	uint64_t in_force;
};

static bool
make_link(const struct paged *p, struct query *q, struct slice value,
    struct row *row)
{
	const struct links_filter *f =
	    ((const struct links_list *)p->filter)->f;
	struct msg_error why;
	struct msg_link link;

	if (msg_decode_as(value, &q->arena, MSG_link, &link, &why) == -1 ||
	    !slice_eq(link.domain, p->domain) ||
	    (link.revised_by.len > 0 && !f->all) ||
	    (f->user.len > 0 && !slice_eq(f->user, link.user)) ||
	    (f->thread != 0 && f->thread != link.thread &&
		f->thread != link.candidate) ||
	    link.timestamp < f->since_ms || link.timestamp > f->until_ms)
		return false;
	query_link_row(q, &link, row);
	return true;
}

static bool
make_tuning(const struct paged *p, struct query *q, struct slice value,
    struct row *row)
{
	const struct links_list *l = p->filter;
	struct msg_tuning s;
	struct msg_error why;

	if (msg_decode_as(value, &q->arena, MSG_tuning, &s, &why) == -1 ||
	    !slice_eq(s.domain, p->domain) ||
	    s.tuning_date < l->f->since_ms || s.tuning_date > l->f->until_ms)
		return false;
	tuning_row(q, &s, l->in_force, row);
	return true;
}

static uint64_t
in_force(const struct links_source *from)
{
	struct db_txn *txn = db_read(from->linker);
	struct msg_link_domain d = { 0 };
	struct arena arena;
	struct key k;

	arena_init(&arena);
	key_init(&k);
	key_add_text(&k, from->domain);
	(void)db_get_msg(txn, TABLE_link_domains, key_slice(&k),
	    MSG_link_domain, &arena, &d);
	db_abort(&txn);
	arena_release(&arena);
	return d.in_force;
}

void
query_links(const struct links_source *from, const struct links_filter *f,
    const struct query_sink *sink, bool *more)
{
	struct links_list l = { f, 0 };
	struct paged p = { from->shared, from->ingest, from->linker,
		from->domain, TABLE_links, f->limit, sink, make_link, &l };

	paged_run(&p, more);
}

void
query_tunings(const struct links_source *from, const struct links_filter *f,
    const struct query_sink *sink, bool *more)
{
	struct links_list l = { f, in_force(from) };
	struct paged p = { from->shared, from->ingest, from->linker,
		from->domain, TABLE_tunings, f->limit, sink, make_tuning, &l };

	paged_run(&p, more);
}

/* ---- one ---- */

bool
query_link(struct query *q, struct db_txn *linker, struct slice name,
    struct msg_link *out)
{
	uint64_t seq, n;
	struct key k;

	if (threads_key(name, 'l', &seq, &n) == -1 || n != 0)
		return false;
	k = key_u64(seq);
	return db_get_msg(linker, TABLE_links, key_slice(&k), MSG_link,
	    &q->arena, out) && slice_eq(out->domain, q->domain);
}

bool
query_cross_episode(struct query *q, struct db_txn *linker, struct slice name,
    struct msg_episode *out)
{
	uint64_t seq, n;
	struct key k;

	if (threads_key(name, 'x', &seq, &n) == -1)
		return false;
	k = key_u64(seq);
	key_add_u64(&k, n);
	return db_get_msg(linker, TABLE_cross_episodes, key_slice(&k),
	    MSG_episode, &q->arena, out) && slice_eq(out->domain, q->domain);
}

struct msg_strs
query_thread_episodes(struct query *q, struct db_txn *linker, uint64_t thread)
{
	struct key k = key_u64(thread);
	struct msg_strs out = { 0 };
	struct msg_link_thread p;

	if (linker == NULL || !db_get_msg(linker, TABLE_link_threads,
		key_slice(&k), MSG_link_thread, &q->arena, &p) ||
	    p.episode.len == 0)
		return out;
	out.at = arena_alloc(&q->arena, sizeof(*out.at));
	out.at[0] = p.episode;
	out.count = 1;
	return out;
}
