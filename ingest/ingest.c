/*
 * ingest - take entries in
 *
 * Receives posts from clients, refuses what is wrong, drops what it has
 * already, gives each entry its seq and its thread, commits, answers.  See
 * post.c for a batch, accept.c for what an entry must be, place.c for
 * threads, clients.c for numbering, and skein-ingest(8).
 */
#include <stdlib.h>

#include "common/log.h"
#include "common/xmalloc.h"
#include "ingest/cache.h"
#include "ingest/forget.h"
#include "ingest/place.h"
#include "ingest/post.h"

static void
apply(struct stage *st, const struct stage_entry *e, const struct msg *section)
{
	if (section->id == MSG_s_ingest)
		place_apply(st, e, &section->as->s_ingest);
}

static void
on_tick(struct ev_loop *loop, ev_timer *w, int events)
{
	(void)loop;
	(void)events;
	post_tick(w->data);
}

static void
on_hour(struct ev_loop *loop, ev_timer *w, int events)
{
	(void)loop;
	(void)events;
	post_expire(w->data);
}

static void
find_last_refusal(struct stage *st, struct ingest *in)
{
	struct db_txn *txn = db_read(st->shared);
	struct db_cursor *c = db_cursor(txn, TABLE_refusals);
	struct db_entry e;

	if (db_last(c, &e))
		in->refusals = key_read_u64(e.key, 0);
	db_abort(&txn);
}

static void
start(struct stage *st)
{
	struct ingest *in = xcalloc(1, sizeof(*in));

	stage_set_state(st, in);
	arena_init(&in->frame);
	arena_init(&in->batch);
	in->clients = clients_open(st);
	find_last_refusal(st, in);
}

static void
listen_clients(struct stage *st)
{
	struct ingest *in = stage_state(st);

	/* What was asked before this process began, and not done. */
	in->forgets = !forget_carry_out(st);
	in->router = bus_socket(st->bus, BUS_ROUTER);
	/* A fast client fills its own window and this queue, then waits. */
	bus_limit(in->router, 4096);
	/* Some way past max_entry, so that what is too large is told so. */
	bus_limit_bytes(in->router, 4 * 1024 * st->conf.max_entry + 4096);
	if (bus_bind(in->router, st->conf.home, "ingest.sock") == -1)
		fatal(EX_REFUSE, "cannot bind %s/run/ingest.sock",
		    st->conf.home);
	bus_watch(in->router, st->loop, post_receive, st);
	ev_timer_init(&in->hour_timer, on_hour, 1., 3600.);
	in->hour_timer.data = st;
	ev_timer_start(st->loop, &in->hour_timer);
	if (st->conf.tick_interval == 0)
		return;
	ev_timer_init(&in->tick_timer, on_tick,
	    (double)st->conf.tick_interval, (double)st->conf.tick_interval);
	in->tick_timer.data = st;
	ev_timer_start(st->loop, &in->tick_timer);
}

static void
stop(struct stage *st)
{
	struct ingest *in = stage_state(st);

	ev_timer_stop(st->loop, &in->hour_timer);
	ev_timer_stop(st->loop, &in->tick_timer);
	clients_close(&in->clients);
	arena_release(&in->frame);
	arena_release(&in->batch);
	cache_release();
	free(in);
}

static const struct stage_spec ingest = {
	.id = STAGE_ingest,
	.env = ENV_ingest,
	.derived = TABLE_ingest_derived,
	.apply = apply,
	.begin = cache_begin,
	.flush = cache_flush,
	.start = start,
	.stop = stop,
	.listen = listen_clients,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &ingest);
}
