/*
 * context_gather - what there is to say of a thread, a question, a session
 *
 * Ranks decide what a small budget holds.  Of a thread: the effort at hand
 * (1), the last exchange of words (4), what was being discussed (3), open
 * efforts (10), artifacts (30), further turns (60).  Of a question: what was
 * found, best first (100), behind the last words of the thread it is asked in.
 */
#include "store/context_impl.h"
#include "store/query_artifacts.h"

enum {
	LATEST_FIRST = 4,	/* turns that come before everything but the effort */
	LATEST_MOST = 200,	/* turns that are considered at all */
	SESSION_THREADS = 3,
	FOUND_LEAST = 24,
	FOUND_MOST = 400,
	TURN_TOKENS = 12	/* a short turn, to guess how many may fit */
};

/* The thread's latest turns; the first few matter most. */
static void
gather_latest(struct gather *g)
{
	uint64_t thread = g->thread.key, number = g->thread.turn_count;
	struct context_turn t;
	size_t n = 0;

	if (number == 0 && !context_turn_before(g, &thread, &number))
		return;
	do {
		if (!context_read_turn(g, thread, number, &t))
			continue;
		context_add_turn(g, PART_LATEST, (n < LATEST_FIRST ? 4 : 60) +
		    (double)n / 100, &t);
		n++;
	} while (n < LATEST_MOST && context_turn_before(g, &thread, &number));
}

/* The effort that the thread's last turn works on, else its latest open one. */
static void
find_current(struct gather *g)
{
	struct key k = key_u64(g->thread.key);
	struct msg_a_thread t;
	size_t i;

	if (g->view->compactor == NULL || g->current.len > 0 ||
	    !db_get_msg(g->view->compactor, TABLE_effort_threads,
		key_slice(&k), MSG_a_thread, g->arena, &t))
		return;
	for (i = 0; i < t.n_works; i++)
		if (slice_is(t.works[i].status, "open") &&
		    t.works[i].key.len > 0) {
			(void)gather_effort(g, t.works[i].key, false);
			return;
		}
}

/* What is known from the history that a fork shares. */
static void
gather_shared(struct gather *g)
{
	enum { FORKS_FOLLOWED = 8 };
	struct msg_thread at = g->thread;
	uint64_t upto;
	size_t i;

	for (i = 0; i < FORKS_FOLLOWED && at.parent != 0 &&
	     at.parent < at.key; i++) {
		upto = at.parent_turn;
		if (!context_read_thread(g, at.parent, &at))
			return;
		gather_known(g, at.key, (int64_t)upto, 45 + 20 * (double)i);
	}
}

void
gather_thread(struct gather *g)
{
	find_current(g);
	gather_latest(g);
	gather_open(g);
	gather_known(g, g->thread.key, ALL_TURNS, 31);
	gather_shared(g);
	gather_continuity(g);
}

/* ---- the start of a session ---- */

static bool
stream_thread(struct gather *g, struct db_cursor *c, const struct key *stream,
    bool first, struct msg_thread *out)
{
	struct key last = *stream;
	struct db_entry e;
	bool there;

	key_add_u64(&last, UINT64_MAX);
	key_add_u64(&last, UINT64_MAX);
	there = first ? db_seek_back(c, key_slice(&last), &e) : db_prev(c, &e);
	if (!there || e.key.len != stream->len + 16 ||
	    memcmp(e.key.ptr, stream->bytes, stream->len) != 0)
		return false;
	return context_read_thread(g, key_read_u64(e.key, stream->len + 8), out);
}

/* What a summary says of an artifact that is superseded bears its mark. */
static struct slice
summary_marks(struct gather *g, uint64_t thread, struct slice summary)
{
	struct msg_episode_digest digest;
	struct slice marks = SLICE_NONE;
	struct msg_artifact a;
	size_t i;

	if (!query_digest(g->view->compactor, thread, g->arena, &digest))
		return marks;
	for (i = 0; i < digest.artifacts.count; i++)
		if (context_read_artifact(g, digest.artifacts.at[i], &a) &&
		    a.refined_by.count > 0 && a.summary.len > 0 &&
		    memmem(summary.ptr, summary.len, a.summary.ptr,
			a.summary.len) != NULL)
			marks = arena_printf(g->arena, "%.*s [%.*s is "
			    "superseded by %.*s]", SLICE_ARG(marks),
			    SLICE_ARG(a.key), SLICE_ARG(a.refined_by.at[
				a.refined_by.count - 1]));
	return marks;
}

static void
add_earlier(struct gather *g, const struct msg_thread *t, double rank)
{
	struct key k = key_u64(t->key);
	struct msg_episode episode;
	struct context_part *p;

	if (g->view->compactor == NULL ||
	    !db_get_msg(g->view->compactor, TABLE_episodes, key_slice(&k),
		MSG_episode, g->arena, &episode) || episode.micro.len == 0)
		return;
	/* A summary begins with its date. */
	p = context_add_part(g, PART_EARLIER, rank, arena_printf(g->arena,
	    "- %.*s%.*s", SLICE_ARG(episode.micro), SLICE_ARG(summary_marks(g,
	    t->key, episode.micro))));
	p->key = episode.key;
	p->thread = t->key;
	p->ts = t->last_activity_at;
}

/* The thread that was used last, also one that was selected. */
static bool
last_thread(struct gather *g, const struct key *stream, struct msg_thread *out)
{
	struct msg_place p;

	return g->view->compactor != NULL &&
	    db_get_msg(g->view->compactor, TABLE_episode_streams,
		key_slice(stream), MSG_place, g->arena, &p) &&
	    context_read_thread(g, p.seq, out);
}

void
gather_session(struct gather *g)
{
	struct key stream = key_stream(g->ask->domain, g->ask->user,
	    g->ask->room);
	struct msg_thread last = { 0 }, t;
	struct db_cursor *c;
	size_t i;

	gather_open(g);
	if (g->view->q->ingest == NULL)
		return;
	if (last_thread(g, &stream, &last)) {
		add_earlier(g, &last, 19);
		gather_known(g, last.key, ALL_TURNS, 31);
	}
	c = db_cursor(g->view->q->ingest, TABLE_spans);
	for (i = 0; i < SESSION_THREADS &&
	     stream_thread(g, c, &stream, i == 0, &t); i++) {
		if (t.key == last.key)
			continue;
		add_earlier(g, &t, 20 + (double)i);
		gather_known(g, t.key, ALL_TURNS, 51 + 20 * (double)i);
		if (last.key == 0)
			last = t;
	}
	db_cursor_close(&c);
	if (last.key != 0) {
		g->thread = last;
		gather_latest(g);
		gather_continuity(g);
	}
}

/* ---- a question ---- */

static void
add_hit(struct gather *g, const struct search_hit *h, double rank)
{
	struct context_turn t = { .seq = h->seq, .i = h->i, .thread = h->thread,
		.number = h->turn, .ts = h->ts, .role = h->role,
		.user = h->user, .text = h->text, .id = h->id,
		.key = h->key, .superseded = h->superseded,
		.refined_by = h->refined_by };
	struct known_artifact a;

	switch (h->kind) {
	case SEARCH_TURN:
		context_add_turn(g, PART_SAID, rank, &t);
		break;
	case SEARCH_ARTIFACT:
		if (context_known(g, h->key, &a))
			context_add_artifact(g, PART_KNOWN, rank + 0.5, &a)
			    ->superseded = h->superseded;
		break;
	default:
		break;
	}
}

/* Turns, and artifacts beside them. */
static int
run_search(struct gather *g, uint64_t limit, struct search_result *turns,
    struct search_also *artifacts, struct buf *why)
{
	struct search_query query = SEARCH_ALL;

	query.domain = g->ask->domain;
	query.text = g->ask->query;
	/* What others said is theirs, unless a room is shared. */
	query.user = g->thread.room.len > 0 ? SLICE_NONE :
	    g->thread.key != 0 ? g->thread.user : g->ask->user;
	query.room = g->thread.key != 0 ? g->thread.room : g->ask->room;
	query.in = SEARCH_IN(SEARCH_TURN);
	query.limit = limit;
	query.wordless = query.padded = query.spoken = true;
	return search_run_both(g->view->search, &g->view->found, &query,
	    artifacts, g->arena, turns, why);
}

int
gather_query(struct gather *g, struct buf *why)
{
	enum { ARTIFACTS_CONSIDERED = 12 };
	struct search_also artifacts = { .in = SEARCH_IN(SEARCH_ARTIFACT),
		.limit = ARTIFACTS_CONSIDERED };
	struct search_result turns;
	uint64_t limit = g->ask->budget / TURN_TOKENS;
	size_t i;

	if (g->view->search == NULL)
		return 0;
	if (limit < FOUND_LEAST)
		limit = FOUND_LEAST;
	if (limit > FOUND_MOST)
		limit = FOUND_MOST;
	if (run_search(g, limit, &turns, &artifacts, why) == -1)
		return -1;
	for (i = 0; i < turns.n_hits; i++) {
		add_hit(g, &turns.hits[i], 100 + (double)i);
		if (g->thread.key == 0 && g->ask->now_ms == 0 &&
		    turns.hits[i].ts > g->now_ms)
			g->now_ms = turns.hits[i].ts;
	}
	/* One artifact for every few turns, as long as they are as good. */
	for (i = 0; i < artifacts.found.n_hits; i++)
		add_hit(g, &artifacts.found.hits[i], 100 + 6 * (double)i);
	return 0;
}
