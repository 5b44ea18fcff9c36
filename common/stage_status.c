/*
 * stage_status - what a stage tells about itself: a file, counters, latency
 *
 * The file is rewritten about once a second, also during long work.
 */
#include <stdio.h>

#include "common/stage_impl.h"
#include "common/status_file.h"

static const char *const state_names[] = { "starting", "ready", "blocked",
	"stopping" };

void
status_init(struct stage *st)
{
	st->since_ms = wall_ms();
	st->rate_from_ms = steady_ms();
	st->note = "";
	status_write(st);
}

static void
measure_rate(struct stage *st, int64_t now)
{
	if (now - st->rate_from_ms < 900)
		return;
	st->rate = (st->cursor - st->rate_from_seq) * 1000 /
	    (uint64_t)(now - st->rate_from_ms);
	st->rate_from_ms = now;
	st->rate_from_seq = st->cursor;
}

void
status_write(struct stage *st)
{
	if (st->shadow)
		return;
	st->beat++;
	st->status_ms = steady_ms();
	measure_rate(st, st->status_ms);
	status_file_write(&st->conf, &(struct status_file){
		.name = stage_name(st->spec->id),
		.state = state_names[st->at],
		.note = st->note,
		.beat = st->beat,
		.cursor = st->cursor,
		.rate = st->rate,
		.since_ms = st->since_ms,
		.counters = st->counters,
	});
}

void
status_breathe(struct stage *st)
{
	static unsigned calls;

	/* The clock is asked every so often; a filter may be slow, though. */
	if (st->filter == NULL && ++calls % 64 != 0)
		return;
	if (steady_ms() - st->status_ms >= 1000)
		status_write(st);
}

void
stage_breathe(struct stage *st)
{
	status_breathe(st);
}

void
status_state(struct stage *st, enum stage_state at, const char *note)
{
	bool changed = st->at != at;

	st->at = at;
	st->note = note;
	if (changed)
		status_write(st);
}

/* 0, 1, 2, 3, then every octave from 4 on in four equal parts. */
uint64_t
stage_latency_floor(unsigned bucket)
{
	return bucket < 4 ? bucket :
	    (uint64_t)(4 + bucket % 4) << (bucket / 4 - 1);
}

static unsigned
latency_bucket(uint64_t us)
{
	unsigned octave, bucket;

	if (us < 4)
		return (unsigned)us;
	octave = 63 - (unsigned)__builtin_clzll(us);
	bucket = (octave - 1) * 4 + (unsigned)(us >> (octave - 2) & 3);
	return bucket < LATENCY_BUCKETS ? bucket : LATENCY_BUCKETS - 1;
}

static void
add_latency(struct stage *st, struct db_txn *txn, uint64_t seq, int64_t now_us,
    uint64_t weight)
{
	struct key key = key_u64(seq);
	struct msg_arrival a;
	int64_t since;

	if (!db_get_msg(txn, TABLE_arrivals, key_slice(&key), MSG_arrival,
		&st->arena, &a))
		return;
	since = now_us - a.at * 1000 - (int64_t)a.us;
	st->latency[latency_bucket(since < 0 ? 0 : (uint64_t)since)] += weight;
}

/* The first of a batch waited longest, the last least: each for its half. */
void
status_latency(struct stage *st, uint64_t from, uint64_t upto)
{
	uint64_t count = upto + 1 - from;
	int64_t now_us = wall_us();
	struct db_txn *txn;

	if (from > upto)
		return;
	txn = db_read(st->shared);
	add_latency(st, txn, from, now_us, count - count / 2);
	if (count > 1)
		add_latency(st, txn, upto, now_us, count / 2);
	db_abort(&txn);
}

void
status_publish(struct stage *st)
{
	struct msg_stats stats = {
		.stage = slice_str(stage_name(st->spec->id)),
		.seq = st->cursor,
		.at = wall_ms(),
		.counters = { st->counters, COUNTER_COUNT },
		.latency = { st->latency, LATENCY_BUCKETS },
		.state = slice_str(state_names[st->at]),
	};
	struct key seq = key_u64(st->cursor);
	struct slice parts[3];
	char topic[64];

	st->counters[COUNTER_unknown_tags] = msg_unknown_tags();
	snprintf(topic, sizeof(topic), "%s.stats", stage_name(st->spec->id));
	buf_clear(&st->frame);
	if (msg_encode(&st->frame, MSG_stats, &stats) == -1)
		return;
	parts[0] = slice_str(topic);
	parts[1] = key_slice(&seq);
	parts[2] = buf_slice(&st->frame);
	(void)bus_send(st->pub, parts, 3);
}

void
status_remove(struct stage *st)
{
	if (!st->shadow)
		status_file_remove(&st->conf, stage_name(st->spec->id));
}
