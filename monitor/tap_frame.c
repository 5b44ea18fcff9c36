/*
 * tap_frame - frames off the bus, and the same frames remade from the store
 */
#include "monitor/tap.h"

static const char *const kind_names[KIND_COUNT] = { "entry", "cursor",
	"stats" };

const char *
tap_kind_name(enum tap_kind kind)
{
	return kind_names[kind];
}

/* "STAGE.kind" */
static int
read_topic(struct tap_frame *f, struct slice topic, struct msg_error *why)
{
	const char *dot = memchr(topic.ptr, '.', topic.len);
	struct slice kind;
	int i;

	if (dot != NULL &&
	    stage_named(slice_of(topic.ptr, (size_t)(dot - topic.ptr)),
		&f->stage) == 0) {
		kind = slice_of(dot + 1,
		    topic.len - (size_t)(dot + 1 - topic.ptr));
		for (i = 0; i < KIND_COUNT; i++) {
			if (slice_is(kind, kind_names[i])) {
				f->kind = (enum tap_kind)i;
				return 0;
			}
		}
	}
	msg_fail(why, "a topic that no stage has");
	return -1;
}

static int
read_section(struct tap_frame *f, const struct msg_part *part,
    struct arena *arena, struct msg_error *why)
{
	enum stage_id id;

	if (stage_named(part->stage, &id) == -1) {
		msg_fail(why, "a section of '%.*s', which is no stage",
		    SLICE_ARG(part->stage));
		return -1;
	}
	return msg_decode(part->section, arena, &f->sections[id], why);
}

static int
check_entry(const struct tap_frame *f, struct msg_error *why)
{
	if (msg_is_entry(f->record.id))
		return 0;
	msg_fail(why, "a %s where an entry belongs",
	    msg_spec(f->record.id)->name);
	return -1;
}

static int
read_entry(struct tap_frame *f, const struct msg_frame *frame,
    struct arena *arena, struct msg_error *why)
{
	size_t i;

	f->arrived = frame->arrived;
	f->at = frame->at;
	if (msg_decode(frame->entry, arena, &f->record, why) == -1 ||
	    check_entry(f, why) == -1)
		return -1;
	for (i = 0; i < frame->n_sections; i++)
		if (read_section(f, &frame->sections[i], arena, why) == -1)
			return -1;
	return 0;
}

int
tap_frame_read(struct tap_frame *f, const struct bus_message *m,
    struct arena *arena, struct msg_error *why)
{
	static const enum msg_id ids[KIND_COUNT] = { MSG_frame, MSG_beat,
		MSG_stats };
	struct msg body;

	*f = (struct tap_frame){ 0 };
	if (m->count != 3 || m->dropped > 0 || m->parts[1].len != 8) {
		msg_fail(why, "a frame is topic, seq and record");
		return -1;
	}
	f->seq = key_read_u64(m->parts[1], 0);
	if (read_topic(f, m->parts[0], why) == -1 ||
	    msg_decode(m->parts[2], arena, &body, why) == -1)
		return -1;
	if (body.id != ids[f->kind]) {
		msg_fail(why, "a %s under the topic %.*s",
		    msg_spec(body.id)->name, SLICE_ARG(m->parts[0]));
		return -1;
	}
	if (f->kind == KIND_entry)
		return read_entry(f, &body.as->frame, arena, why);
	f->record = body;
	f->at = f->kind == KIND_cursor ? body.as->beat.at : body.as->stats.at;
	return 0;
}

int
tap_frame_load(struct tap_frame *f, struct db_txn *txn, enum stage_id stage,
    uint64_t seq, struct arena *arena, struct msg_error *why)
{
	struct key key = key_u64(seq);
	struct msg_arrival arrival;
	struct slice record;
	enum stage_id id;

	*f = (struct tap_frame){ .stage = stage, .seq = seq };
	if (!db_get(txn, TABLE_log, key_slice(&key), &record)) {
		msg_fail(why, "the log has no entry %llu",
		    (unsigned long long)seq);
		return -1;
	}
	if (msg_decode(record, arena, &f->record, why) == -1 ||
	    check_entry(f, why) == -1)
		return -1;
	if (db_get_msg(txn, TABLE_arrivals, key_slice(&key), MSG_arrival,
		arena, &arrival))
		f->arrived = arrival.at;
	for (id = 0; id <= stage; id++)
		if (db_get(txn, stage_section_table(id), key_slice(&key),
			&record) &&
		    msg_decode(record, arena, &f->sections[id], why) == -1)
			return -1;
	return 0;
}
