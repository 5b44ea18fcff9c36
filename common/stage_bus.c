/*
 * stage_bus - what a stage tells on the bus, and what wakes it
 *
 * After every commit `STAGE.cursor` says how far the stage is; repeated every
 * 100 ms for a second and then every second, so that a lost one heals.
 * `STAGE.entry` frames carry whole entries with their sections; they are made
 * only while somebody subscribes.  `STAGE.stats` carries the counters.
 *
 * None of it is ever the only copy: who misses a frame finds all of it in the
 * shared environment.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_impl.h"

static void
send_frame(struct stage *st, const char *kind, uint64_t seq)
{
	struct key key = key_u64(seq);
	struct slice parts[3];
	char topic[64];

	snprintf(topic, sizeof(topic), "%s.%s", stage_name(st->spec->id), kind);
	parts[0] = slice_str(topic);
	parts[1] = key_slice(&key);
	parts[2] = buf_slice(&st->frame);
	if (bus_send(st->pub, parts, 3) == 0)
		stage_count(st, COUNTER_frames_lost, 1);
}

static void
send_cursor(struct stage *st)
{
	struct msg_beat beat = {
		.stage = slice_str(stage_name(st->spec->id)),
		.seq = st->cursor,
		.at = wall_ms(),
	};

	buf_clear(&st->frame);
	if (msg_encode(&st->frame, MSG_beat, &beat) == 0)
		send_frame(st, "cursor", st->cursor);
}

void
announce(struct stage *st)
{
	if (st->pub == NULL)
		return;
	send_cursor(st);
	st->beats = 0;
	ev_timer_stop(st->loop, &st->beat_timer);
	ev_timer_set(&st->beat_timer, 0.1, 0.1);
	ev_timer_start(st->loop, &st->beat_timer);
}

static void
on_beat(struct ev_loop *loop, ev_timer *w, int events)
{
	struct stage *st = w->data;

	(void)events;
	send_cursor(st);
	if (++st->beats == 10) {
		ev_timer_stop(loop, w);
		ev_timer_set(w, 1.0, 1.0);
		ev_timer_start(loop, w);
	}
	/* A wake-up may have been lost as well, or a rebuild begun. */
	stage_wake(st);
}

/* Whether a subscription covers "STAGE.entry". */
static bool
entries_wanted(const struct stage *st)
{
	const char *at = st->subscriptions.ptr;
	const char *end = at + st->subscriptions.len;
	char topic[64];

	snprintf(topic, sizeof(topic), "%s.entry", stage_name(st->spec->id));
	for (; at < end; at += strlen(at) + 1)
		if (strncmp(topic, at, strlen(at)) == 0)
			return true;
	return false;
}

static void
encode_frame(struct stage *st, struct db_txn *txn, uint64_t seq)
{
	struct msg_part parts[STAGE_COUNT] = { 0 };
	struct msg_arrival arrival = { 0 };
	struct msg_frame frame = {
		.stage = slice_str(stage_name(st->spec->id)),
		.seq = seq,
		.sections = parts,
		.at = wall_ms(),
	};
	struct key key = key_u64(seq);
	enum stage_id id;

	if (!db_get(txn, TABLE_log, key_slice(&key), &frame.entry))
		return;
	if (db_get_msg(txn, TABLE_arrivals, key_slice(&key), MSG_arrival,
		&st->arena, &arrival))
		frame.arrived = arrival.at;
	for (id = 0; id <= st->spec->id; id++) {
		if (!db_get(txn, stage_section_table(id), key_slice(&key),
			&parts[frame.n_sections].section))
			continue;
		parts[frame.n_sections++].stage = slice_str(stage_name(id));
	}
	buf_clear(&st->frame);
	if (msg_encode(&st->frame, MSG_frame, &frame) == -1)
		return;
	stage_count(st, COUNTER_frames, 1);
	send_frame(st, "entry", seq);
}

void
announce_entries(struct stage *st, uint64_t from, uint64_t upto)
{
	struct db_txn *txn;
	uint64_t seq;

	if (st->pub == NULL || !entries_wanted(st))
		return;
	txn = db_read(st->shared);
	for (seq = from; seq <= upto; seq++)
		encode_frame(st, txn, seq);
	db_abort(&txn);
	arena_reset(&st->arena);
}

/* A subscription is a byte, 1 or 0, and the prefix. */
static void
on_subscription(struct bus_socket *socket, void *data)
{
	struct stage *st = data;
	struct bus_message m;
	struct slice prefix;
	char *at, *end;
	size_t len;

	while (bus_receive(socket, &m)) {
		if (m.count != 1 || m.parts[0].len == 0 ||
		    m.parts[0].len > 200 ||
		    (unsigned char)m.parts[0].ptr[0] > 1 || memchr(m.parts[0].ptr + 1, 0,
			m.parts[0].len - 1) != NULL) {
			stage_count(st, COUNTER_bad_frames, 1);
			continue;
		}
		prefix = slice_of(m.parts[0].ptr + 1, m.parts[0].len - 1);
		if (m.parts[0].ptr[0] == 1) {
			/*
			 * Past the limit a stranger's subscription is ignored:
			 * asked first, so that it is all of one or none.
			 */
			if (st->subscriptions.len + prefix.len <
			    st->subscriptions.limit) {
				(void)buf_addslice(&st->subscriptions, prefix);
				(void)buf_addc(&st->subscriptions, '\0');
			} else
				stage_count(st, COUNTER_bad_frames, 1);
			continue;
		}
		at = st->subscriptions.ptr;
		end = at + st->subscriptions.len;
		for (; at < end; at += len + 1) {
			len = strlen(at);
			if (!slice_is(prefix, at))
				continue;
			memmove(at, at + len + 1, (size_t)(end - at) - len - 1);
			st->subscriptions.len -= len + 1;
			break;
		}
	}
}

static void
on_wake(struct bus_socket *socket, void *data)
{
	struct stage *st = data;
	struct bus_message m;

	/* Only a hint of how much there is: the cursors are in the store. */
	while (bus_receive(socket, &m))
		if (m.count == 3 && m.parts[1].len == 8)
			st->told = key_read_u64(m.parts[1], 0);
	stage_wake(st);
}

void
bus_start(struct stage *st)
{
	const char *name = stage_name(st->spec->id), *before;
	char endpoint[64], topic[64];

	st->bus = bus_open();
	st->pub = bus_socket(st->bus, BUS_XPUB);
	bus_limit(st->pub, 10000);
	bus_limit_bytes(st->pub, 4096);	/* it takes subscriptions only */
	snprintf(endpoint, sizeof(endpoint), "%s.pub", name);
	if (bus_bind(st->pub, st->conf.home, endpoint) == -1)
		fatal(EX_REFUSE, "cannot bind %s/run/%s", st->conf.home,
		    endpoint);
	bus_watch(st->pub, st->loop, on_subscription, st);
	ev_timer_init(&st->beat_timer, on_beat, 0.1, 0.1);
	st->beat_timer.data = st;
	if (st->spec->id == 0)
		return;
	before = stage_name(st->spec->id - 1);
	st->sub = bus_socket(st->bus, BUS_SUB);
	snprintf(endpoint, sizeof(endpoint), "%s.pub", before);
	snprintf(topic, sizeof(topic), "%s.cursor", before);
	if (bus_subscribe(st->sub, topic) == -1 ||
	    bus_connect(st->sub, st->conf.home, endpoint) == -1)
		fatal(EX_REFUSE, "cannot connect to %s/run/%s", st->conf.home,
		    endpoint);
	bus_watch(st->sub, st->loop, on_wake, st);
}

void
bus_stop(struct stage *st)
{
	if (st->bus == NULL)
		return;
	ev_timer_stop(st->loop, &st->beat_timer);
	bus_close(&st->bus);
	st->pub = st->sub = NULL;
}
