/*
 * context_effort - efforts and other artifacts, for contexts
 */
#include "common/when.h"
#include "store/context_impl.h"
#include "store/query_artifacts.h"

enum {
	OPEN_LINES = 12,	/* open efforts that are told beside the current */
	KNOWN_LINES = 60,	/* artifacts of one thread that are considered */
	FOCUSED_TURNS = 400	/* turns of an effort that are considered */
};

bool
context_read_artifact(struct gather *g, struct slice key, struct msg_artifact *out)
{
	return g->view->compactor != NULL &&
	    query_artifact(g->view->q, g->view->compactor, key, out);
}

static struct known_view
known_view(const struct gather *g)
{
	return (struct known_view){ .conf = g->view->conf,
		.compactor = g->view->compactor, .domain = g->ask->domain,
		.now_ms = g->now_ms };
}

bool
context_known(struct gather *g, struct slice key, struct known_artifact *out)
{
	struct known_view view = known_view(g);

	return known_get(g->view->known, &view, key, g->arena, out);
}

struct context_part *
context_add_artifact(struct gather *g, enum context_kind kind, double rank,
    const struct known_artifact *a)
{
	struct context_part *p = context_add_counted(g, kind, rank, a->line,
	    a->tokens);

	p->key = a->key;
	p->id = a->id;
	p->ts = a->updated_at;
	p->thread = a->thread;
	p->artifact = true;
	p->superseded = a->refined_by.len > 0;
	p->covers = a->turns;
	return p;
}

/* One of the effort at hand, which is told in more words than a line. */
static void
add_effort(struct gather *g, double rank, const struct msg_artifact *a,
    struct slice text)
{
	struct context_part *p = context_add_part(g, PART_EFFORT, rank, text);

	p->key = a->key;
	p->id = a->id;
	p->ts = a->updated_at;
	p->thread = a->thread;
	p->artifact = true;
	p->superseded = a->refined_by.count > 0;
}

/* ---- the effort at hand ---- */

static void
put_attempts(struct gather *g, struct buf *b, const struct msg_artifact *a)
{
	struct msg_artifact tried;
	size_t i;

	for (i = 0; i < a->attempts.count; i++) {
		if (!context_read_artifact(g, a->attempts.at[i], &tried) ||
		    tried.checkpoint)
			continue;
		buf_addf(b, "\n  tried: %.*s", SLICE_ARG(tried.summary));
		if (tried.resolution.len > 0)
			buf_addf(b, " -> %.*s", SLICE_ARG(tried.resolution));
	}
}

static void
put_turn_range(struct buf *b, const struct msg_u64s *turns)
{
	size_t i;

	for (i = 0; i + 1 < turns->count; i += 2)
		buf_addf(b, "%s%llu-%llu", i > 0 ? ", " : "",
		    (unsigned long long)turns->at[i],
		    (unsigned long long)turns->at[i + 1]);
}

/* It has been a long while: what the oldest turns came to. */
static void
add_checkpoint(struct gather *g, const struct msg_artifact *point, double rank)
{
	struct slice text;
	struct buf b;

	buf_init(&b, SIZE_MAX / 4);
	buf_adds(&b, "This has been going on for a long while; turns ");
	put_turn_range(&b, &point->turns);
	buf_addf(&b, " came to: %.*s", SLICE_ARG(point->summary));
	if (point->resolution.len > 0)
		buf_addf(&b, " %.*s", SLICE_ARG(point->resolution));
	text = arena_dup(g->arena, buf_slice(&b));
	buf_release(&b);
	add_effort(g, rank, point, text);
}

static struct slice
effort_text(struct gather *g, const struct msg_artifact *a)
{
	struct known_view view = known_view(g);
	struct slice text;
	struct buf b;

	buf_init(&b, SIZE_MAX / 4);
	buf_addf(&b, "%.*s (%.*s, since ", SLICE_ARG(a->summary),
	    SLICE_ARG(a->status));
	known_put_day(&b, a->created_at);
	buf_addf(&b, ", %.*s)", SLICE_ARG(a->key));
	put_attempts(g, &b, a);
	if (a->resolution.len > 0)
		buf_addf(&b, "\n  => %.*s", SLICE_ARG(a->resolution));
	known_put_marks(&b, &view, a);
	text = arena_dup(g->arena, buf_slice(&b));
	buf_release(&b);
	return text;
}

/* Its own turns, the latest first in rank, beyond what checkpoints hold. */
static void
add_focused_turns(struct gather *g, const struct msg_artifact *a)
{
	size_t k = a->turns.count, n = 0;
	struct context_turn t;
	uint64_t number;

	for (; k >= 2 && n < FOCUSED_TURNS; k -= 2)
		for (number = a->turns.at[k - 1];
		     number >= a->turns.at[k - 2] && number > 0 &&
		     n < FOCUSED_TURNS; number--, n++)
			if (context_read_turn(g, a->thread, number, &t))
				context_add_turn(g, PART_LATEST,
				    20 + (double)n, &t);
}

static void
gather_checkpoints(struct gather *g, const struct msg_artifact *a)
{
	struct msg_artifact point;
	size_t i;

	for (i = 0; i < a->attempts.count; i++)
		if (context_read_artifact(g, a->attempts.at[i], &point) &&
		    point.checkpoint)
			add_checkpoint(g, &point, 2 + (double)i / 1000);
}

bool
gather_effort(struct gather *g, struct slice key, bool focused)
{
	struct msg_artifact a;

	if (!context_read_artifact(g, key, &a) ||
	    (focused && !slice_is(a.type, "effort")))
		return false;
	g->current = a.key;
	if (g->now_ms == 0)
		g->now_ms = a.updated_at;
	add_effort(g, 1, &a, effort_text(g, &a));
	gather_checkpoints(g, &a);
	/* What is resolved has collapsed to its summary and resolution. */
	if (focused && slice_is(a.status, "open"))
		add_focused_turns(g, &a);
	return true;
}

/* ---- others ---- */

void
gather_open(struct gather *g)
{
	struct slice user = g->thread.key != 0 ? g->thread.user : g->ask->user;
	struct slice room = g->thread.key != 0 ? g->thread.room : g->ask->room;
	struct key k = key_stream(g->ask->domain, user, room);
	struct msg_a_stream s = { 0 };
	struct known_artifact a;
	size_t i, told = 0;

	if (g->view->compactor == NULL || (user.len == 0 && room.len == 0) ||
	    !db_get_msg(g->view->compactor, TABLE_effort_streams,
		key_slice(&k), MSG_a_stream, g->arena, &s))
		return;
	for (i = 0; i < s.n_open && told < OPEN_LINES; i++) {
		if (slice_eq(s.open[i].key, g->current) ||
		    !context_known(g, s.open[i].key, &a) || !a.open || a.part)
			continue;
		/* A thread that was selected is about itself. */
		if (g->thread.explicit_channel && a.thread != g->thread.key)
			continue;
		context_add_artifact(g, PART_OPEN, 10 + (double)told++, &a);
	}
}

static bool
is_told(const struct gather *g, struct slice key)
{
	size_t i;

	for (i = 0; i < g->out->n_parts; i++)
		if (slice_eq(g->out->parts[i].key, key))
			return true;
	return false;
}

/* Its time has passed, and the while that it is told as overdue too. */
static bool
is_over(const struct gather *g, const struct known_artifact *a)
{
	return a->expired && g->now_ms >= a->expires_at +
	    (int64_t)g->view->conf->reminder_overdue * WHEN_DAY_MS;
}

/* What came of later turns is the other side's alone. */
static bool
is_shared(const struct known_artifact *a, int64_t upto)
{
	return upto == ALL_TURNS || (a->turns.count > 0 &&
	    a->turns.at[0] <= (uint64_t)upto);
}

/* Of a superseded one what stands in its place is told, if that is there. */
static void
add_known(struct gather *g, struct slice key, int64_t upto, double rank)
{
	struct known_artifact a, newer;
	struct context_part *p;

	if (is_told(g, key) || !context_known(g, key, &a) || a.checkpoint ||
	    a.part || is_over(g, &a) || !is_shared(&a, upto))
		return;
	if (a.refined_by.len > 0 && context_known(g, a.refined_by, &newer)) {
		if (!is_told(g, newer.key))
			context_add_artifact(g, PART_KNOWN, rank, &newer);
		return;
	}
	p = context_add_artifact(g, PART_KNOWN, rank, &a);
	/* That its time has passed is in no turn. */
	if (a.expired)
		p->covers.count = 0;
}

static void
add_attached(struct gather *g, uint64_t thread)
{
	struct key k = key_u64(thread);
	struct msg_attached there;
	size_t i;

	if (!db_get_msg(g->view->compactor, TABLE_attachments, key_slice(&k),
		MSG_attached, g->arena, &there))
		return;
	for (i = 0; i < there.artifacts.count; i++)
		add_known(g, there.artifacts.at[i], ALL_TURNS,
		    30 + (double)i / 100);
}

void
gather_known(struct gather *g, uint64_t thread, int64_t upto, double rank)
{
	struct msg_episode_digest digest;
	size_t i, n;

	if (g->view->compactor == NULL)
		return;
	add_attached(g, thread);
	if (!query_digest(g->view->compactor, thread, g->arena, &digest))
		return;
	n = digest.artifacts.count;
	for (i = 0; i < n && i < KNOWN_LINES; i++)
		add_known(g, digest.artifacts.at[n - 1 - i], upto,
		    rank + (double)i);
}
