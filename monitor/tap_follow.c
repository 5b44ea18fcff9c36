/*
 * tap_follow - frames as they come, and with --from those before
 *
 * Live, a frame that is missing in a stage's numbering was lost between the
 * stage and here, and that is said.  With --from nothing is lost: whatever
 * the bus did not bring, be it from before or dropped, is read from the
 * store, a chunk at a time.  So history, the step from it to live, and the
 * mending of a gap are one path.
 *
 * A stage tells its cursor first and the entries up to it right after.  So
 * when a cursor comes, all entries up to the cursor before it have been told:
 * what of them is not here was lost, even if no later entry ever comes.
 */
#include <stdlib.h>

#include "common/clock.h"
#include "common/log.h"
#include "monitor/tap.h"

enum {
	CHUNK_ENTRIES = 256,		/* of one reading transaction */
	CHUNK_BYTES = 1024 * 1024,	/* and of what it gives */
	TURN_FRAMES = 1000		/* of one turn of the loop */
};

struct follow_stage {
	uint64_t last;		/* shown, or passed over by --where */
	bool placed;		/* an entry has come: gaps can be told */
	uint64_t told;		/* the cursor told last */
	bool heard;		/* told is known */
	uint64_t known;		/* with --from: the store has as many */
};

struct follow {
	struct tap *tap;
	struct follow_stage stages[STAGE_COUNT];
	struct db *shared;		/* with --from */
	struct ev_timer history;
	struct ev_timer clock;
	ev_io signals;
	uint64_t shown;
};

/* ---- showing ---- */

static bool
is_counted_out(const struct follow *fw)
{
	uint64_t count = fw->tap->options.count;

	return count > 0 && fw->shown >= count;
}

static bool
is_over(const struct follow *fw)
{
	const struct tap_options *o = &fw->tap->options;
	const struct follow_stage *s;
	int id;

	if (is_counted_out(fw))
		return true;
	if (o->until == 0)
		return false;
	for (id = 0; id < STAGE_COUNT; id++) {
		s = &fw->stages[id];
		if (o->stages[id] &&
		    (o->kinds[KIND_entry] ? s->last : s->told) < o->until)
			return false;
	}
	return true;
}

static void
show(struct follow *fw, const struct tap_frame *f)
{
	const struct tap_options *o = &fw->tap->options;

	if ((o->until > 0 && f->seq > o->until) || is_counted_out(fw) ||
	    !tap_where_matches(&o->where, f))
		return;
	tap_line(&fw->tap->out.text, o, f);
	fw->shown++;
}

static void
flush(struct follow *fw)
{
	if (!tap_out_flush(&fw->tap->out) || is_over(fw))
		tap_end(fw->tap, 0);
}

/* ---- history ---- */

static bool
is_behind(const struct follow *fw, int id)
{
	return fw->tap->options.stages[id] &&
	    fw->stages[id].last < fw->stages[id].known;
}

static void
wake_history(struct follow *fw)
{
	int id;

	if (fw->shared == NULL || ev_is_active(&fw->history))
		return;
	for (id = 0; id < STAGE_COUNT; id++) {
		if (is_behind(fw, id)) {
			ev_timer_set(&fw->history, 0., 0.);
			ev_timer_start(fw->tap->loop, &fw->history);
			return;
		}
	}
}

/* All stages' frames of one entry, in the pipeline's order. */
static void
show_past(struct follow *fw, struct db_txn *txn, uint64_t seq)
{
	struct tap *tap = fw->tap;
	struct tap_frame f;
	struct msg_error why;
	int id;

	for (id = 0; id < STAGE_COUNT && !is_over(fw); id++) {
		if (!is_behind(fw, id) || fw->stages[id].last + 1 != seq)
			continue;
		fw->stages[id].last = seq;
		if (tap_frame_load(&f, txn, (enum stage_id)id, seq,
			&tap->arena, &why) == -1)
			log_warnx("seq %llu of %s: %s",
			    (unsigned long long)seq, stage_name(id), why.text);
		else
			show(fw, &f);
		arena_reset(&tap->arena);
	}
}

static void
read_cursors(struct follow *fw, struct db_txn *txn)
{
	struct msg_cursor c;
	int id;

	for (id = 0; id < STAGE_COUNT; id++) {
		c = (struct msg_cursor){ 0 };
		(void)db_get_msg(txn, TABLE_cursors, slice_str(stage_name(id)),
		    MSG_cursor, &fw->tap->arena, &c);
		fw->stages[id].known = c.seq;
	}
	arena_reset(&fw->tap->arena);
}

/* The reader may be slow: nothing is written while the store is open. */
static void
on_history(struct ev_loop *loop, ev_timer *w, int events)
{
	struct follow *fw = w->data;
	struct db_txn *txn = db_read(fw->shared);
	uint64_t seq = UINT64_MAX, end;
	int id;

	(void)loop;
	(void)events;
	read_cursors(fw, txn);
	for (id = 0; id < STAGE_COUNT; id++)
		if (is_behind(fw, id) && fw->stages[id].last + 1 < seq)
			seq = fw->stages[id].last + 1;
	if (seq != UINT64_MAX) {
		for (end = seq + CHUNK_ENTRIES; seq < end && !is_over(fw) &&
		     fw->tap->out.text.len < CHUNK_BYTES; seq++)
			show_past(fw, txn, seq);
	}
	db_abort(&txn);
	flush(fw);
	wake_history(fw);
}

/* 1: open; 0: not there yet, and waiting is wanted. */
static int
open_store(struct follow *fw)
{
	struct tap *tap = fw->tap;
	struct db_options options = stage_db_options(&tap->conf);
	char *dir = conf_path(&tap->conf, "db/shared");
	struct db_error why;
	int rc;

	options.read_only = true;
	rc = db_open(&fw->shared, dir, ENV_shared, &options, &why);
	free(dir);
	if (rc == 0)
		return 1;
	fw->shared = NULL;
	if (!why.absent)
		tap_end(tap, tap_fail("%s", why.text));
	else if (tap->options.no_wait)
		tap_end(tap, tap_fail("there is no store in %s: 'skein up' "
		    "makes one", tap->conf.home));
	return 0;
}

static void
begin_history(struct follow *fw)
{
	int id;

	if (open_store(fw) == 0)
		return;
	for (id = 0; id < STAGE_COUNT; id++)
		fw->stages[id].known = UINT64_MAX;	/* ask the store */
	wake_history(fw);
}

/* ---- live ---- */

static void
say_lost(struct follow *fw, enum stage_id id, uint64_t lost, int64_t at)
{
	tap_line_lost(&fw->tap->out.text, &fw->tap->options, id, lost, at);
}

static void
take_entry(struct follow *fw, const struct tap_frame *f)
{
	struct follow_stage *s = &fw->stages[f->stage];

	if (fw->tap->options.from_given) {
		if (f->seq > s->last + 1 && f->seq > s->known)
			s->known = f->seq;
		if (f->seq != s->last + 1)
			return;		/* the store brings it, or did */
	} else if (s->placed && f->seq > s->last + 1)
		say_lost(fw, f->stage, f->seq - s->last - 1, f->at);
	/* Numbers that fall are no loss: the stage is being rebuilt. */
	s->last = f->seq;
	s->placed = true;
	show(fw, f);
}

static void
take_cursor(struct follow *fw, const struct tap_frame *f)
{
	struct follow_stage *s = &fw->stages[f->stage];
	const struct tap_options *o = &fw->tap->options;

	if (s->heard && s->told <= f->seq && s->told > s->last &&
	    o->kinds[KIND_entry]) {
		if (o->from_given) {
			if (s->told > s->known)
				s->known = s->told;
		} else {
			if (s->placed)
				say_lost(fw, f->stage,
				    s->told - s->last, f->at);
			s->last = s->told;
		}
	}
	s->told = f->seq;
	s->heard = true;
	if (o->kinds[KIND_cursor])
		show(fw, f);
}

static void
on_frame(struct bus_socket *socket, void *data)
{
	struct follow *fw = data;
	struct tap *tap = fw->tap;
	struct bus_message m;
	struct tap_frame f;
	struct msg_error why;
	int n;

	for (n = 0; n < TURN_FRAMES && bus_receive(socket, &m); n++) {
		tap->heard_ms = steady_ms();
		if (tap_frame_read(&f, &m, &tap->arena, &why) == -1)
			log_warnx("a frame that cannot be read: %s", why.text);
		else if (f.kind == KIND_entry)
			take_entry(fw, &f);
		else if (f.kind == KIND_cursor)
			take_cursor(fw, &f);
		else
			show(fw, &f);
		arena_reset(&tap->arena);
	}
	flush(fw);
	wake_history(fw);
}

/* ---- running ---- */

static void
on_clock(struct ev_loop *loop, ev_timer *w, int events)
{
	struct follow *fw = w->data;

	(void)loop;
	(void)events;
	if (fw->tap->options.from_given && fw->shared == NULL)
		begin_history(fw);
	tap_check_silence(fw->tap);
}

static void
on_signals(struct ev_loop *loop, ev_io *w, int events)
{
	struct follow *fw = w->data;

	(void)loop;
	(void)events;
	tap_out_signals(&fw->tap->out);
	flush(fw);
}

int
tap_follow(struct tap *tap)
{
	struct follow fw = { .tap = tap };
	int id;

	if (tap->options.from_given)
		for (id = 0; id < STAGE_COUNT; id++)
			fw.stages[id] = (struct follow_stage){ .placed = true,
				.last = tap->options.from > 0 ?
				    tap->options.from - 1 : 0 };
	ev_timer_init(&fw.history, on_history, 0., 0.);
	ev_timer_init(&fw.clock, on_clock, 0., 0.5);
	ev_io_init(&fw.signals, on_signals, tap->out.signal_fd, EV_READ);
	fw.history.data = fw.clock.data = fw.signals.data = &fw;
	ev_timer_start(tap->loop, &fw.clock);
	ev_io_start(tap->loop, &fw.signals);
	bus_watch(tap->sub, tap->loop, on_frame, &fw);
	ev_run(tap->loop, 0);
	db_close(&fw.shared);
	return tap->rc;
}
