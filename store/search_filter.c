/*
 * search_filter - which documents a query lets in
 *
 * Columns tell most of it, so that nothing has to be read.  What only the whole
 * record tells, when it was made and by which turns, is looked at when a
 * candidate becomes a hit.
 */
#include "store/search_impl.h"

/* ---- strings and kinds ---- */

static void
want_string(struct source *source, enum column c, struct slice value)
{
	source->places[c] = -1;
	if (value.len == 0)
		return;
	source->wants = true;
	source->places[c] = section_find_string(&source->x, value);
	if (source->places[c] == -1)
		source->skip = true;
}

void
filter_sources(struct run *r)
{
	const struct search_query *q = r->q;
	struct source *source;
	size_t i;

	for (i = 0; i < r->s->n_sources; i++) {
		source = &r->s->sources[i];
		want_string(source, COLUMN_USER, q->user);
		want_string(source, COLUMN_ROOM, q->room);
		want_string(source, COLUMN_CHANNEL, q->channel);
		want_string(source, COLUMN_ROLE, q->role);
		want_string(source, COLUMN_TYPE, q->type);
		want_string(source, COLUMN_STATUS, q->status);
	}
}

static bool
passes_strings(const struct source *source, uint32_t d)
{
	static const enum column columns[] = { COLUMN_USER, COLUMN_ROOM,
		COLUMN_CHANNEL, COLUMN_ROLE, COLUMN_TYPE, COLUMN_STATUS };
	size_t i;

	for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (source->places[columns[i]] != -1 &&
		    section_value(&source->x, columns[i], d) !=
			source->places[columns[i]])
			return false;
	return true;
}

void
filter_kinds(struct run *r)
{
	const struct search_query *q = r->q;

	r->kinds = q->in;
	/* Threads are found by their turns, where those are not asked for. */
	if ((q->in & SEARCH_IN(SEARCH_THREAD)) != 0)
		r->kinds |= SEARCH_IN(SEARCH_TURN);
	r->classes = 0;
	if ((r->kinds & SEARCH_IN(SEARCH_TURN)) != 0)
		r->classes |= 1u << CLASS_PERSON | 1u << CLASS_ASSISTANT |
		    1u << CLASS_MACHINE;
	if ((r->kinds & ~SEARCH_IN(SEARCH_TURN)) != 0)
		r->classes |= 1u << CLASS_MADE;
	r->timed = q->since_ms != INT64_MIN || q->until_ms != INT64_MAX ||
	    q->as_of_ms != INT64_MAX;
}

/*
 * What is kept changes: it counts from when it was made to its last change,
 * which alone a column tells.  The rest is seen when it is a hit.
 */
static bool
passes_time(const struct search_query *q, int64_t kind, int64_t ts)
{
	return ts >= q->since_ms && ts <= q->as_of_ms &&
	    (ts <= q->until_ms || kind == SEARCH_ARTIFACT ||
		kind == SEARCH_EPISODE || kind == SEARCH_SKILL);
}

/* ---- a thread ---- */

void
filter_history(struct run *r)
{
	enum { SHARED_MOST = 64 };
	struct msg_thread t = { .key = r->q->thread };
	struct key k = key_u64(t.key);

	if (t.key == 0 || r->view->ingest == NULL ||
	    !db_get_msg(r->view->ingest, TABLE_threads, key_slice(&k),
		MSG_thread, r->arena, &t))
		return;
	r->shared = arena_array(r->arena, SHARED_MOST, sizeof(r->shared[0]));
	while (r->n_shared < SHARED_MOST && t.parent != 0 &&
	    t.parent < t.key) {
		r->shared[r->n_shared++] = (struct stretch){ t.parent,
			t.parent_turn };
		k = key_u64(t.parent);
		if (!db_get_msg(r->view->ingest, TABLE_threads, key_slice(&k),
			MSG_thread, r->arena, &t))
			return;
	}
}

/* How many turns of a thread the one that is asked for shares; 0: none. */
static uint64_t
turns_shared(const struct run *r, uint64_t thread)
{
	size_t i;

	for (i = 0; i < r->n_shared; i++)
		if (r->shared[i].thread == thread)
			return r->shared[i].turns;
	return 0;
}

/* A fork has its turns, and those that it shares. */
static bool
passes_thread(const struct run *r, const struct section *x, uint32_t d,
    int64_t kind)
{
	uint64_t thread = (uint64_t)section_value(x, COLUMN_THREAD, d);

	if (thread == r->q->thread)
		return true;
	if (kind == SEARCH_TURN)
		return (uint64_t)section_value(x, COLUMN_TURN, d) <=
		    turns_shared(r, thread);
	return kind == SEARCH_ARTIFACT && turns_shared(r, thread) > 0;
}

/* ---- a document, a hit ---- */

bool
passes(const struct run *r, const struct source *source, uint32_t d)
{
	const struct search_query *q = r->q;
	const struct section *x = &source->x;
	int64_t kind = section_value(x, COLUMN_KIND, d);

	if (kind < 0 || kind >= SEARCH_KINDS ||
	    (r->kinds & SEARCH_IN(kind)) == 0)
		return false;
	if (r->timed && !passes_time(q, kind, section_value(x, COLUMN_TS, d)))
		return false;
	if (q->thread != 0 && !passes_thread(r, x, d, kind))
		return false;
	if (q->role.len == 0 && document_is_noise(norm_class(x->norms[d])))
		return false;
	if (r->parsed.must > 0 &&
	    r->s->must[source->base + d] < r->parsed.must)
		return false;
	return !source->wants || passes_strings(source, d);
}

bool
passes_whole(const struct run *r, const struct search_hit *hit)
{
	const struct msg_artifact *a = hit->artifact;
	int64_t made = a != NULL ? a->created_at :
	    hit->episode != NULL ? hit->episode->created_at :
	    hit->skill != NULL ? hit->skill->created_at : hit->ts;

	if (made > r->q->until_ms)
		return false;
	return a == NULL || r->q->thread == 0 || a->thread == r->q->thread ||
	    (a->turns.count > 0 &&
		a->turns.at[0] <= turns_shared(r, a->thread));
}
