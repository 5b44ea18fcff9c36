/*
 * feeder - a client with bad manners, for tests
 *
 *   feeder [--home DIR] FILE SEED
 *
 * Sends the lines of FILE as `skein send` would, but jumps ahead, repeats what
 * is answered already, drops its connection with answers under way and comes
 * back under the same nonce.  Ingest must take each line once and in order all
 * the same.  Prints one result a line: the seq, or the code of the refusal.
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "common/bus.h"
#include "common/conf.h"
#include "common/log.h"
#include "common/msg.h"
#include "common/xmalloc.h"

enum { WINDOW = 300, QUIET_MS = 100 };

static struct {
	struct conf conf;
	struct bus *bus;
	struct bus_socket *dealer;
	char nonce[16];
	uint32_t dice;
	char **lines;
	uint64_t count;
	uint64_t first;		/* the first without a result */
	uint64_t unsent;	/* the next to send */
	struct buf frame;
	struct arena arena;
} feeder;

static uint32_t
below(uint32_t most)
{
	feeder.dice = feeder.dice * 1664525 + 1013904223;
	return (feeder.dice >> 8) % most;
}

static void
read_lines(const char *path)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t cap = 0, room = 0;
	ssize_t len;

	if (file == NULL)
		fatal(1, "%s", path);
	while ((len = getline(&line, &cap, file)) != -1) {
		if (feeder.count == room) {
			room = room == 0 ? 1024 : room * 2;
			feeder.lines = xrealloc(feeder.lines,
			    room * sizeof(feeder.lines[0]));
		}
		line[len - 1] = '\0';
		feeder.lines[feeder.count++] = xstrdup(line);
	}
	free(line);
	fclose(file);
}

static void
reconnect(void)
{
	bus_socket_close(&feeder.dealer);
	feeder.dealer = bus_socket(feeder.bus, BUS_DEALER);
	if (bus_connect(feeder.dealer, feeder.conf.home, "ingest.sock") == -1)
		fatal(1, "cannot connect");
}

static void
send_number(uint64_t number)
{
	struct msg_post post = {
		.nonce = slice_of(feeder.nonce, sizeof(feeder.nonce)),
		.number = number,
		.settled = number < feeder.first ? number - 1 :
						   feeder.first - 1,
		.body = slice_str(feeder.lines[number - 1]),
	};
	struct slice part;

	buf_clear(&feeder.frame);
	if (msg_encode(&feeder.frame, MSG_post, &post) == -1)
		fatalx(1, "a line is too long");
	part = buf_slice(&feeder.frame);
	(void)bus_send(feeder.dealer, &part, 1);
}

static void
take_reply(const struct msg_reply *reply)
{
	size_t i;

	for (i = 0; i < reply->n_acks; i++) {
		if (reply->acks[i].number != feeder.first)
			continue;
		if (reply->acks[i].code.len > 0)
			printf("%.*s\n", SLICE_ARG(reply->acks[i].code));
		else
			printf("%llu\n",
			    (unsigned long long)reply->acks[i].seq);
		feeder.first++;
	}
	if (reply->expect >= feeder.first && reply->expect < feeder.unsent)
		feeder.unsent = reply->expect;
	if (feeder.unsent < feeder.first)
		feeder.unsent = feeder.first;
}

/* Whether anything was heard. */
static bool
receive(int timeout_ms)
{
	struct bus_message m;
	struct msg_reply reply;
	struct msg_error why;
	bool heard = false;

	if (timeout_ms > 0)
		(void)bus_wait(feeder.dealer, timeout_ms);
	while (bus_receive(feeder.dealer, &m)) {
		if (m.count != 1 || msg_decode_as(m.parts[0], &feeder.arena,
			MSG_reply, &reply, &why) == -1)
			fatalx(1, "a reply that is none");
		take_reply(&reply);
		arena_reset(&feeder.arena);
		heard = true;
	}
	return heard;
}

static void
misbehave(void)
{
	uint64_t ahead = feeder.unsent + 1 + below(3);

	switch (below(400)) {
	case 0:
		reconnect();
		feeder.unsent = feeder.first;
		break;
	case 1:
		feeder.unsent = feeder.first;
		break;
	case 2:
	case 3:
		if (ahead <= feeder.count)
			send_number(ahead);
		break;
	case 4:
	case 5:
		send_number(1 + below((uint32_t)feeder.unsent));
		break;
	}
}

static void
feed(void)
{
	int64_t quiet_ms = 0;

	while (feeder.first <= feeder.count) {
		while (feeder.unsent <= feeder.count &&
		    feeder.unsent < feeder.first + WINDOW) {
			send_number(feeder.unsent++);
			if (feeder.unsent <= feeder.count)
				misbehave();
			(void)receive(0);
		}
		if (receive(QUIET_MS)) {
			quiet_ms = 0;
			continue;
		}
		quiet_ms += QUIET_MS;
		feeder.unsent = feeder.first;
		if (quiet_ms > feeder.conf.client_patience * 1000)
			fatalx(1, "no answer to number %llu",
			    (unsigned long long)feeder.first);
	}
}

int
main(int argc, char **argv)
{
	uint64_t i;

	log_open("feeder", LOG_WARN);
	conf_load(&feeder.conf, &argc, argv, 2);
	if (argc != 3)
		fatalx(2, "usage: feeder [--home DIR] FILE SEED");
	if (sodium_init() == -1)
		fatalx(1, "libsodium cannot start");
	randombytes_buf(feeder.nonce, sizeof(feeder.nonce));
	feeder.dice = (uint32_t)strtoul(argv[2], NULL, 10);
	feeder.first = feeder.unsent = 1;
	buf_init(&feeder.frame, SIZE_MAX / 4);
	arena_init(&feeder.arena);
	read_lines(argv[1]);
	feeder.bus = bus_open();
	reconnect();
	feed();
	bus_close(&feeder.bus);
	for (i = 0; i < feeder.count; i++)
		free(feeder.lines[i]);
	free(feeder.lines);
	buf_release(&feeder.frame);
	arena_release(&feeder.arena);
	conf_release(&feeder.conf);
	return fflush(stdout) == EOF;
}
