/*
 * search_hit - from ranked candidates to hits
 *
 * Candidates are looked at in their order until enough of them stand up: the
 * version is the one that counts, the phrase is in the text, the entry was not
 * forgotten.  Then lineage is brought in, and the hits are sorted once more.
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "compactor/compact.h"
#include "store/cover.h"
#include "store/search_impl.h"

enum {
	THREAD_TURNS = 4,	/* of a thread that count for it */
	AHEAD = 4,		/* candidates whose values are on their way */
};

struct pool {
	struct search_hit *hits;
	size_t n, most;
	size_t superseded;	/* of them */
};

/* ---- is it so? ---- */

/*
 * The store's tables follow its cursor a moment later: of the entries between
 * the documents themselves tell which versions there are.
 */
static uint64_t
version_behind(const struct run *r, struct slice name)
{
	const struct section *x;
	uint64_t seq = 0;
	int64_t place;
	uint32_t d;
	size_t i;

	for (i = 0; i < r->s->n_sources; i++) {
		x = &r->s->sources[i].x;
		if (segment_last(x->segment) <= r->s->applied)
			continue;
		place = section_find_string(x, name);
		d = place == -1 ? x->n_docs : section_seek(x,
		    r->s->applied + 1);
		for (; d < x->n_docs; d++)
			if (section_value(x, COLUMN_KEY, d) == place &&
			    section_value(x, COLUMN_TS, d) <= r->q->as_of_ms)
				seq = (uint64_t)section_value(x, COLUMN_SEQ,
				    d);
	}
	return seq;
}

/* The version of a key that counts, by the entry that brought it. */
static uint64_t
version_that_counts(const struct run *r, struct slice name)
{
	struct db_cursor *c;
	struct msg_version v;
	struct msg_error why;
	uint64_t seq = version_behind(r, name);
	struct db_entry e;
	struct key k, own;
	bool there;

	if (seq != 0)
		return seq;
	c = db_cursor(r->view->store, TABLE_versions);
	key_init(&k);
	key_add_text(&k, name);
	own = k;
	key_add_u64(&k, UINT64_MAX);
	for (there = db_seek_back(c, key_slice(&k), &e); there;
	     there = db_prev(c, &e)) {
		if (e.key.len != own.len + 8 ||
		    memcmp(e.key.ptr, own.bytes, own.len) != 0)
			break;
		if (msg_decode_as(e.value, r->arena, MSG_version, &v,
			&why) == 0 && v.at <= r->q->as_of_ms) {
			seq = key_read_u64(e.key, own.len);
			break;
		}
	}
	db_cursor_close(&c);
	return seq;
}

static void
put_plain(const struct run *r, const struct document *d, struct buf *out)
{
	size_t i;

	for (i = 0; i < d->n_texts; i++)
		tokenise_plain(r->s->tokeniser, d->texts[i], out);
}

static bool
has_phrases(const struct run *r, const struct document *d)
{
	struct buf plain;
	bool all = true;
	size_t i;

	if (r->parsed.n_phrases == 0)
		return true;
	buf_init(&plain, SIZE_MAX / 4);
	put_plain(r, d, &plain);
	for (i = 0; i < r->parsed.n_phrases && all; i++)
		all = memmem(plain.ptr, plain.len, r->parsed.phrases[i].ptr,
		    r->parsed.phrases[i].len) != NULL;
	buf_release(&plain);
	return all;
}

/* ---- what else is known ---- */

/* As of then, nobody had refined it yet. */
static bool
was_refined(const void *run, struct slice refined_by)
{
	const struct run *r = run;

	return r->q->as_of_ms == INT64_MAX ||
	    version_that_counts(r, refined_by) != 0;
}

static void
mark_covered(const struct run *r, struct search_hit *hit)
{
	hit->superseded = cover_find(r->view->store, hit->thread, hit->turn,
	    was_refined, r, r->arena, &hit->refined_by);
}

/* Weights change by use, without a version: the table has the latest. */
static uint64_t
weight_now(const struct run *r, const struct msg_artifact *a,
    struct arena *scratch)
{
	struct msg_artifact now;
	uint64_t seq, n;
	struct key k;

	if (r->view->compactor == NULL || r->q->as_of_ms != INT64_MAX ||
	    artifact_parse(a->key, &seq, &n) == -1)
		return a->weight;
	k = key_pair(seq, n);
	return db_get_msg(r->view->compactor, TABLE_artifacts, key_slice(&k),
	    MSG_artifact, scratch, &now) ? now.weight : a->weight;
}

static void
add_artifact(const struct run *r, const struct stage_entry *e,
    struct search_hit *hit, struct arena *scratch)
{
	const struct msg_artifact *a =
	    &e->sections[STAGE_compactor].as->s_compactor.artifacts[hit->i];

	hit->artifact = a;
	hit->id = a->id;
	hit->weight = weight_now(r, a, scratch);
	hit->superseded = a->refined_by.count > 0;
	if (hit->superseded) {
		hit->refined_by = a->refined_by.at[a->refined_by.count - 1];
		/* Its last change was that it was superseded. */
		hit->ts = a->created_at;
	}
}

static struct slice
key_of(const struct document *d, struct arena *arena)
{
	if (d->key.len > 0)
		return d->key;
	return document_turn_key(arena, d->seq, d->i);
}

/* A record in memory of the arena, so that it outlives the transaction. */
static void
load_copy(const struct run *r, enum table_id table, uint64_t seq,
    struct msg *out)
{
	struct key k = key_u64(seq);
	struct msg_error why;
	struct slice record;

	if (!db_get(r->view->shared, table, key_slice(&k), &record) ||
	    msg_decode(arena_dup(r->arena, record), r->arena, out, &why) ==
		-1)
		*out = (struct msg){ MSG_none, NULL };
}

/* As search_score.c takes a beginning. */
static bool
begins_so(struct slice term, struct slice prefix)
{
	size_t len = term.len < prefix.len ? term.len : prefix.len;

	return memcmp(term.ptr, prefix.ptr, len) == 0 &&
	    (len == prefix.len || (len >= PREFIX_STEM &&
		len + PREFIX_CUT >= prefix.len));
}

/* The words of the query that are in what is shown of it. */
static struct msg_strs
words_found(const struct run *r, const struct search_hit *hit)
{
	struct msg_strs out = { 0 };
	const struct token *tokens;
	const struct query_term *t;
	bool *found = arena_array(r->arena, r->parsed.n_terms + 1, 1);
	size_t i, k, n = tokenise(r->s->tokeniser, hit->text, &tokens);

	for (i = 0; i < n; i++)
		for (k = 0; k < r->parsed.n_terms; k++) {
			t = &r->parsed.terms[k];
			found[k] = found[k] || (t->prefix ?
			    begins_so(tokens[i].term, t->term) :
			    slice_eq(tokens[i].term, t->term));
		}
	out.at = arena_array(r->arena, r->parsed.n_terms + 1,
	    sizeof(out.at[0]));
	for (k = 0; k < r->parsed.n_terms; k++)
		if (found[k])
			out.at[out.count++] = r->parsed.terms[k].term;
	return out;
}

/* ---- making a hit ---- */

/* Loads a candidate's document; false: it does not count. */
static bool
stands_up(const struct run *r, const struct candidate *c,
    struct stage_entry *e, struct document *d)
{
	uint64_t seq = (uint64_t)candidate_value(r, c, COLUMN_SEQ);
	enum search_kind kind = (enum search_kind)candidate_value(r, c,
	    COLUMN_KIND);

	if (kind != SEARCH_TURN && r->view->store != NULL &&
	    version_that_counts(r, candidate_string(r, c, COLUMN_KEY)) != seq)
		return false;
	*e = (struct stage_entry){ .seq = seq };
	load_copy(r, TABLE_log, seq, &e->entry);
	if (e->entry.id == MSG_none || !msg_is_entry(e->entry.id))
		return false;
	if (kind == SEARCH_THREAD)
		load_copy(r, TABLE_s_ingest, seq, &e->sections[STAGE_ingest]);
	else if (kind != SEARCH_TURN)
		load_copy(r, TABLE_s_compactor, seq,
		    &e->sections[STAGE_compactor]);
	if (kind == SEARCH_EPISODE)
		load_copy(r, TABLE_s_linker, seq, &e->sections[STAGE_linker]);
	if (!document_at(e, r->arena, kind,
		(uint64_t)candidate_value(r, c, COLUMN_I), d))
		return false;
	if (kind == SEARCH_TURN) {
		/* The index has it from the section that is not read here. */
		d->thread = (uint64_t)candidate_value(r, c, COLUMN_THREAD);
		d->turn = (uint64_t)candidate_value(r, c, COLUMN_TURN);
	}
	return slice_eq(d->domain, r->q->domain) && has_phrases(r, d);
}

static double
together_in(const struct run *r, const struct document *d)
{
	struct buf plain;
	double share;

	buf_init(&plain, SIZE_MAX / 4);
	put_plain(r, d, &plain);
	share = together_of(r, buf_slice(&plain));
	buf_release(&plain);
	return share;
}

/* Where together is not NULL it is to be found out. */
static bool
make_hit(const struct run *r, const struct candidate *c,
    struct arena *scratch, struct search_hit *hit, double *together)
{
	struct stage_entry e;
	struct document d;

	if (!stands_up(r, c, &e, &d))
		return false;
	if (together != NULL)
		*together = together_in(r, &d);
	*hit = (struct search_hit){
		.kind = d.kind, .seq = d.seq, .i = d.i,
		.key = key_of(&d, r->arena),
		.text = document_text(&d, r->arena),
		.ts = d.ts, .thread = d.thread, .turn = d.turn,
		.user = d.user, .room = d.room, .channel = d.channel,
		.role = d.role, .type = d.type, .status = d.status,
		.tags = d.tags,
	};
	if (d.kind == SEARCH_TURN) {
		hit->id = e.entry.as->envelope.id;
		mark_covered(r, hit);
	} else if (d.kind == SEARCH_ARTIFACT)
		add_artifact(r, &e, hit, scratch);
	else if (d.kind == SEARCH_EPISODE)
		hit->episode = document_episode(&e, d.i);
	else if (d.kind == SEARCH_SKILL)
		hit->skill = &e.sections[STAGE_compactor]
		    .as->s_compactor.skills[d.i];
	return passes_whole(r, hit);
}

static bool
is_asked(const struct run *r, const struct candidate *c)
{
	return (r->q->in & SEARCH_IN(candidate_value(r, c, COLUMN_KIND))) != 0;
}

/* What stands_up reads of the index first. */
static void
approach(const struct run *r, const struct candidate *c)
{
	static const enum column columns[] = { COLUMN_SEQ, COLUMN_KIND,
		COLUMN_I, COLUMN_THREAD, COLUMN_TURN };
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		approach_value(r, (struct place){ c->doc, c->source },
		    columns[i]);
}

static bool
is_among(const struct pool *p, struct slice key)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (slice_eq(p->hits[i].key, key))
			return true;
	return false;
}

static void
describe_thread(const struct run *r, struct search_hit *hit,
    struct arena *scratch)
{
	struct key k = key_u64(hit->thread);
	struct msg_thread t;

	if (r->view->ingest == NULL || !db_get_msg(r->view->ingest,
		TABLE_threads, key_slice(&k), MSG_thread, scratch, &t))
		return;
	hit->id = arena_dup(r->arena, t.id);
	hit->ts = t.last_activity_at;
}

static void
fill_pool(struct run *r, struct pool *p)
{
	size_t i, look = together_look(r);
	const struct candidate *c;
	struct rank_facts facts;
	struct search_hit *hit;
	struct arena scratch;
	double together;

	arena_init(&scratch);
	for (i = 0; i < r->n_candidates && p->n < p->most; i++) {
		/* Only one that is superseded makes room below the limit. */
		if (r->q->in == SEARCH_IN(SEARCH_TURN) &&
		    p->n >= look && p->n >= r->q->limit + p->superseded)
			break;
		hit = &p->hits[p->n];
		arena_reset(&scratch);
		c = score_ranked(r, i);
		if (c->score <= 0.0)
			break;	/* as all behind it */
		if (i + AHEAD < r->n_candidates)
			approach(r, score_ranked(r, i + AHEAD));
		if (!is_asked(r, c) || !make_hit(r, c, &scratch, hit,
			p->n < look ? &together : NULL))
			continue;
		if (hit->kind == SEARCH_THREAD) {
			if (is_among(p, hit->key))
				continue;
			describe_thread(r, hit, &scratch);
		}
		facts = c->facts;
		facts.together = p->n < look ? together : 0.0;
		facts.weight = hit->weight;
		hit->score = rank_unit(rank_score(&facts, &hit->why));
		p->superseded += hit->superseded;
		p->n++;
	}
	arena_release(&scratch);
}

/* ---- threads, by their turns ---- */

struct thread_score {
	uint64_t thread;
	size_t best;		/* the candidate that counts most */
	size_t turns;
	double score;
};

static int
compare_threads(const void *a, const void *b)
{
	const struct thread_score *x = a, *y = b;

	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	return x->thread > y->thread ? -1 : x->thread < y->thread;
}

/* Its best turn, and a little for each of the next ones. */
static size_t
sum_threads(struct run *r, struct thread_score *out)
{
	const struct candidate *c;
	struct thread_score *t;
	uint64_t thread;
	size_t i, k, n = 0;

	for (i = 0; i < r->n_candidates; i++) {
		c = score_ranked(r, i);
		thread = (uint64_t)candidate_value(r, c, COLUMN_THREAD);
		if (thread == 0 || c->score <= 0.0)
			continue;
		for (k = 0; k < n && out[k].thread != thread; k++)
			;
		t = &out[k];
		if (k == n)
			out[n++] = (struct thread_score){ .thread = thread,
				.best = i };
		if (t->turns++ < THREAD_TURNS)
			t->score += c->score / (double)t->turns /
			    (double)t->turns;
	}
	qsort(out, n, sizeof(out[0]), compare_threads);
	return n;
}

static void
fill_threads(struct run *r, struct pool *p)
{
	struct thread_score *threads = xmalloc((r->n_candidates + 1) *
	    sizeof(threads[0]));
	size_t i, n = sum_threads(r, threads);
	const struct candidate *c;
	struct search_hit *hit;
	struct arena scratch;

	arena_init(&scratch);
	for (i = 0; i < n && p->n < p->most; i++) {
		hit = &p->hits[p->n];
		arena_reset(&scratch);
		c = score_ranked(r, threads[i].best);
		if (!make_hit(r, c, &scratch, hit, NULL))
			continue;
		(void)rank_score(&c->facts, &hit->why);
		hit->kind = SEARCH_THREAD;
		hit->key = arena_printf(r->arena, "t%llu",
		    (unsigned long long)hit->thread);
		hit->score = rank_unit(threads[i].score);
		hit->id = hit->role = hit->refined_by = SLICE_NONE;
		hit->superseded = false;
		describe_thread(r, hit, &scratch);
		p->n++;
	}
	arena_release(&scratch);
	free(threads);
}

/* ---- lineage ---- */

static void
weigh_lineage(struct pool *p)
{
	struct search_hit *hit;
	size_t i, k;

	for (i = 0; i < p->n; i++) {
		hit = &p->hits[i];
		if (hit->superseded) {
			hit->score = rank_superseded(hit->score);
			continue;
		}
		for (k = 0; hit->artifact != NULL &&
		     k < hit->artifact->source_ids.count; k++)
			if (is_among(p, hit->artifact->source_ids.at[k])) {
				hit->score = rank_refinement(hit->score);
				break;
			}
	}
}

static int
compare_hits(const void *a, const void *b)
{
	const struct search_hit *x = a, *y = b;

	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	if (x->seq != y->seq)
		return x->seq > y->seq ? -1 : 1;
	return x->i < y->i ? -1 : x->i > y->i;
}

static bool
are_sorted(const struct pool *p)
{
	size_t i;

	for (i = 1; i < p->n; i++)
		if (compare_hits(&p->hits[i - 1], &p->hits[i]) > 0)
			return false;
	return true;
}

void
hits_of(struct run *r, struct search_result *out)
{
	/* What lineage may bring up stands a little below the limit. */
	struct pool p = { .most = r->q->limit + r->q->limit / 4 + 8 };
	size_t i;

	if (p.most < together_look(r))
		p.most = together_look(r);
	if (p.most > r->n_candidates)
		p.most = r->n_candidates;
	p.hits = arena_room(r->arena, (p.most + 1) * sizeof(p.hits[0]));
	if ((r->q->in & SEARCH_IN(SEARCH_THREAD)) != 0 &&
	    (r->q->in & SEARCH_IN(SEARCH_TURN)) == 0)
		fill_threads(r, &p);
	fill_pool(r, &p);
	weigh_lineage(&p);
	/* They come in their order: only lineage and the like changes it. */
	if (!are_sorted(&p))
		qsort(p.hits, p.n, sizeof(p.hits[0]), compare_hits);
	out->hits = p.hits;
	out->n_hits = p.n < r->q->limit ? p.n : r->q->limit;
	for (i = 0; !r->q->wordless && i < out->n_hits; i++)
		p.hits[i].why.words = words_found(r, &p.hits[i]);
	out->candidates = r->n_candidates;
}
