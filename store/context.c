/*
 * context - the bounded working memory that is handed to a model
 */
#include "store/context_impl.h"

#include "compactor/tokens.h"
#include "common/when.h"

struct context_part *
context_add_counted(struct gather *g, enum context_kind kind, double rank,
    struct slice text, uint64_t tokens)
{
	struct context *c = g->out;
	struct context_part *grown;

	if (c->n_parts == c->room) {
		c->room = c->room == 0 ? 64 : c->room * 2;
		grown = arena_array(c->arena, c->room, sizeof(grown[0]));
		if (c->n_parts > 0)
			memcpy(grown, c->parts, c->n_parts * sizeof(grown[0]));
		c->parts = grown;
	}
	c->parts[c->n_parts] = (struct context_part){ .kind = kind,
		.rank = rank, .text = text,
		.tokens = tokens + 1 };
	return &c->parts[c->n_parts++];
}

struct context_part *
context_add_part(struct gather *g, enum context_kind kind, double rank,
    struct slice text)
{
	return context_add_counted(g, kind, rank, text,
	    tokens_of(g->out->conf, text));
}

struct slice
context_span(struct arena *arena, int64_t ms)
{
	static const struct {
		int64_t ms;
		const char *word;
	} units[] = { { 365 * WHEN_DAY_MS, "year" }, { 30 * WHEN_DAY_MS, "month" },
		{ 7 * WHEN_DAY_MS, "week" }, { WHEN_DAY_MS, "day" },
		{ WHEN_HOUR_MS, "hour" }, { WHEN_MINUTE_MS, "minute" } };
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ms >= units[i].ms)
			return arena_printf(arena, "%lld %s%s",
			    (long long)(ms / units[i].ms), units[i].word,
			    ms / units[i].ms == 1 ? "" : "s");
	return SLICE("less than a minute");
}

/* Time is that of entries: until when anything is known of who asks. */
static int64_t
latest_time(struct gather *g)
{
	const struct context_ask *ask = g->ask;
	struct slice user = g->thread.key != 0 ? g->thread.user : ask->user;
	struct slice room = g->thread.key != 0 ? g->thread.room : ask->room;
	struct msg_stream s = { 0 };
	struct key k;

	if (ask->now_ms != 0)
		return ask->now_ms;
	if (user.len == 0 && room.len == 0)
		return g->thread.last_activity_at;
	k = key_stream(ask->domain, user, room);
	if (g->view->q->ingest != NULL)
		(void)db_get_msg(g->view->q->ingest, TABLE_streams,
		    key_slice(&k), MSG_stream, g->arena, &s);
	return s.clock > g->thread.last_activity_at ? s.clock :
						      g->thread.last_activity_at;
}

static void
say_no_effort(struct gather *g, struct buf *why)
{
	struct slice key = g->ask->effort;
	struct msg_artifact a;

	g->out->misnamed = context_read_artifact(g, key, &a);
	if (g->out->misnamed)
		buf_addf(why, "'%.*s' is of type %.*s, no effort: 'skein "
		    "artifacts --type effort' lists those", SLICE_ARG(key),
		    SLICE_ARG(a.type));
	else
		buf_addf(why, "there is no artifact '%.*s' in this domain",
		    SLICE_ARG(key));
}

int
context_make(const struct context_view *view, const struct context_ask *ask,
    struct arena *arena, struct context *out, struct buf *why)
{
	struct gather g = { .view = view, .ask = ask, .out = out,
		.arena = arena };
	struct msg_cursor cursor;

	*out = (struct context){ .conf = view->conf, .budget = ask->budget,
		.arena = arena };
	if (query_cursor(view->q, STAGE_store, &cursor))
		out->upto = cursor.seq;
	if (ask->thread != 0 && !context_read_thread(&g, ask->thread, &g.thread)) {
		buf_adds(why, "there is no such thread");
		return -1;
	}
	g.now_ms = latest_time(&g);
	if (ask->effort.len > 0 && !gather_effort(&g, ask->effort, true)) {
		say_no_effort(&g, why);
		return -1;
	}
	if (ask->thread != 0)
		gather_thread(&g);
	if (ask->query.len > 0 && gather_query(&g, why) == -1)
		return -1;
	/* "What was that?" has no word to find anything by. */
	if (out->n_parts == 0 && ask->thread == 0 && ask->effort.len == 0 &&
	    (ask->query.len == 0 || ask->user.len + ask->room.len > 0))
		gather_session(&g);
	context_pack(out);
	return 0;
}
