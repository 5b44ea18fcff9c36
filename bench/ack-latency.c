/*
 * ack-latency - how long an entry takes from send to durable ack, at a pace
 *
 *   ack-latency [--home DIR] COUNT RATE
 *
 * Speaks to ingest as sender.c does, but sends by the clock and takes answers
 * as they come.  Prints the median and the 99th percentile in microseconds.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/latency.h"
#include "common/bus.h"
#include "common/log.h"
#include "common/msg.h"
#include "common/conf.h"
#include "common/xmalloc.h"

enum { ENTRY_BYTES = 400 };

struct pace {
	struct bus_socket *dealer;
	struct slice nonce;
	uint64_t count, sent, acked;
	double *at_s;		/* when each was sent, then how long it took */
	struct buf frame, body;
	struct arena arena;
};

static void
post(struct pace *p)
{
	struct msg_post m = { .nonce = p->nonce, .number = p->sent + 1,
		.settled = p->acked };
	struct slice part;

	buf_clear(&p->body);
	buf_addf(&p->body, "{\"type\":\"turn\",\"user\":\"u%d\","
	    "\"channel\":\"web\",\"text\":\"", (int)(p->sent % 50));
	while (p->body.len < ENTRY_BYTES - 2)
		buf_addc(&p->body, 'x');
	buf_adds(&p->body, "\"}");
	m.body = buf_slice(&p->body);
	buf_clear(&p->frame);
	if (msg_encode(&p->frame, MSG_post, &m) == -1)
		fatalx(1, "an entry cannot be encoded");
	part = buf_slice(&p->frame);
	p->at_s[p->sent++] = now_s();
	if (!bus_send(p->dealer, &part, 1))
		fatalx(1, "ingest takes no more: the pace is too high");
}

static void
receive(struct pace *p)
{
	struct msg_reply reply;
	struct bus_message m;
	struct msg_error why;
	double now;
	size_t i;

	while (bus_receive(p->dealer, &m)) {
		now = now_s();
		if (m.count != 1 || msg_decode_as(m.parts[0], &p->arena,
			MSG_reply, &reply, &why) == -1)
			fatalx(1, "an answer that is none");
		for (i = 0; i < reply.n_acks; i++) {
			if (reply.acks[i].number != p->acked + 1 ||
			    reply.acks[i].code.len > 0)
				fatalx(1, "entry %llu was not accepted",
				    (unsigned long long)(p->acked + 1));
			p->at_s[p->acked] = now - p->at_s[p->acked];
			p->acked++;
		}
		arena_reset(&p->arena);
	}
}

static void
run(struct pace *p, double rate)
{
	double begin = now_s(), end = begin + (double)p->count / rate + 30;

	while (p->acked < p->count) {
		while (p->sent < p->count &&
		    begin + (double)p->sent / rate <= now_s())
			post(p);
		if (bus_wait(p->dealer, 1))
			receive(p);
		if (now_s() > end)
			fatalx(1, "no answer: is the pipeline up?");
	}
}

int
main(int argc, char **argv)
{
	struct pace p = { 0 };
	unsigned char nonce[16];
	struct conf conf;
	struct bus *bus;

	log_open("ack-latency", LOG_WARN);
	conf_load(&conf, &argc, argv, 2);
	if (argc != 3 || sodium_init() == -1)
		fatalx(2, "usage: ack-latency [--home DIR] COUNT RATE");
	p.count = strtoull(argv[1], NULL, 10);
	p.at_s = xcalloc(p.count, sizeof(*p.at_s));
	randombytes_buf(nonce, sizeof(nonce));
	p.nonce = slice_of((char *)nonce, sizeof(nonce));
	buf_init(&p.frame, 65536);
	buf_init(&p.body, 65536);
	arena_init(&p.arena);
	bus = bus_open();
	p.dealer = bus_socket(bus, BUS_DEALER);
	if (bus_connect(p.dealer, conf.home, "ingest.sock") == -1)
		fatal(1, "cannot connect");
	run(&p, strtod(argv[2], NULL));
	print_percentiles(p.at_s, p.count);
	bus_close(&bus);
	free(p.at_s);
	buf_release(&p.frame);
	buf_release(&p.body);
	arena_release(&p.arena);
	conf_release(&conf);
	return 0;
}
