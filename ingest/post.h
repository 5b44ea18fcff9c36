/*
 * post - what ingest does with the posts of its clients, a batch at a time
 */
#ifndef INGEST_POST_H
#define INGEST_POST_H

#include "common/stage_impl.h"
#include "ingest/clients.h"

struct ingest {
	struct bus_socket *router;
	struct clients *clients;
	struct arena frame;		/* the post under way */
	struct arena batch;		/* what results point to, until replied */
	uint64_t seq;			/* last one given in this batch */
	uint64_t refusals;		/* key of the last row in refusals */
	bool forgets;			/* a wish to forget is to be carried out */
	bool full;			/* no room was left: entries are refused */
	int64_t now_ms;
	uint64_t now_us;		/* past now_ms */
	ev_timer tick_timer, hour_timer;
};

/* For bus_watch: takes what is there, commits it, answers. */
void post_receive(struct bus_socket *socket, void *stage);
/* For timers: ticks for domains with live streams; forgetting old clients. */
void post_tick(struct stage *st);
void post_expire(struct stage *st);

#endif
