/*
 * tap_top - a live table: rate, place, lag and latency of every stage
 *
 * All of it comes from what the stages tell once a second; a row is the
 * difference between the two latest tellings.  On a terminal it is a screen of
 * its own, redrawn; elsewhere a table, or a JSON object, a second.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/json.h"
#include "common/log.h"
#include "common/when.h"
#include "monitor/tap.h"

enum { SILENT_MS = 3000, LATENCY_MOST = 256 };

/* One telling, kept: its arrays are cut or filled up to our own sizes. */
struct telling {
	int64_t at;
	uint64_t counters[COUNTER_COUNT];
	uint64_t latency[LATENCY_MOST];
};

struct top_stage {
	uint64_t cursor;
	int64_t heard_ms;		/* 0: never */
	char state[16];
	struct telling now, before;
};

struct top {
	struct tap *tap;
	struct top_stage stages[STAGE_COUNT];
	bool screen;
	ev_timer clock;
	ev_io signals, keys;
	uint64_t drawn;
};

/* What a row shows; -1 where it cannot be known. */
struct row {
	const char *state;
	uint64_t cursor, lag;
	double rate, batch, p50_us, p99_us;
	uint64_t batches, rejected;
};

/* ---- figures ---- */

/* Counters start at 0 again with their process. */
static uint64_t
grown(uint64_t now, uint64_t before)
{
	return now >= before ? now - before : now;
}

/* Straight between the borders of the bucket that holds it. */
static double
percentile(const struct top_stage *s, double share)
{
	uint64_t counts[LATENCY_MOST], total = 0, below = 0;
	double wanted, from, to;
	unsigned i;

	for (i = 0; i < LATENCY_MOST; i++) {
		counts[i] = grown(s->now.latency[i], s->before.latency[i]);
		total += counts[i];
	}
	if (total == 0)
		return -1;
	wanted = share * (double)total;
	for (i = 0; i + 1 < LATENCY_MOST; i++) {
		if ((double)(below + counts[i]) >= wanted && counts[i] > 0)
			break;
		below += counts[i];
	}
	if (counts[i] == 0)
		return -1;
	from = (double)stage_latency_floor(i);
	to = (double)stage_latency_floor(i + 1);
	return from + (to - from) * (wanted - (double)below) /
	    (double)counts[i];
}

static struct row
row_of(const struct top *top, int id)
{
	const struct top_stage *s = &top->stages[id];
	uint64_t head = top->stages[STAGE_ingest].cursor, entries, batches;
	struct row r = { .rate = -1, .batch = -1, .p50_us = -1, .p99_us = -1 };
	int64_t ms = s->now.at - s->before.at;

	r.state = s->heard_ms == 0 ? "not heard" :
	    steady_ms() - s->heard_ms > SILENT_MS ? "silent" : s->state;
	r.cursor = s->cursor;
	r.lag = head > s->cursor ? head - s->cursor : 0;
	r.batches = s->now.counters[COUNTER_batches];
	r.rejected = s->now.counters[COUNTER_rejected];
	if (s->before.at == 0 || ms <= 0)
		return r;
	entries = grown(s->now.counters[COUNTER_entries],
	    s->before.counters[COUNTER_entries]);
	batches = grown(r.batches, s->before.counters[COUNTER_batches]);
	r.rate = (double)entries * 1000 / (double)ms;
	if (batches > 0)
		r.batch = (double)entries / (double)batches;
	r.p50_us = percentile(s, 0.50);
	r.p99_us = percentile(s, 0.99);
	return r;
}

/* ---- drawing ---- */

static void
put_number(struct buf *out, int width, double n)
{
	if (n < 0)
		buf_addf(out, "%*s", width, "-");
	else
		buf_addf(out, "%*.0f", width, n);
}

static void
put_duration(struct buf *out, double us)
{
	static const struct {
		double us;
		const char *unit;
	} units[] = { { 86400e6, "d" }, { 3600e6, "h" }, { 60e6, "min" },
		{ 1e6, "s" }, { 1e3, "ms" }, { 1, "us" } };
	char text[32] = "-";
	size_t i = 0;

	while (i < 5 && us < units[i].us)
		i++;
	if (us >= 0)
		snprintf(text, sizeof(text), "%.3g %s", us / units[i].us,
		    units[i].unit);
	buf_addf(out, "%10s", text);
}

static void
put_row(struct buf *out, const struct tap_options *o, int id,
    const struct row *r)
{
	bool bad = strcmp(r->state, "ready") != 0;

	buf_addf(out, "%-10s", stage_name(id));
	if (o->colour)
		buf_adds(out, bad ? "\033[31m" : "\033[32m");
	buf_addf(out, "%-10s", r->state);
	if (o->colour)
		buf_adds(out, "\033[0m");
	put_number(out, 10, r->rate);
	buf_addf(out, "%12llu%10llu", (unsigned long long)r->cursor,
	    (unsigned long long)r->lag);
	put_duration(out, r->p50_us);
	put_duration(out, r->p99_us);
	put_number(out, 8, r->batch);
	buf_addf(out, "%9llu", (unsigned long long)r->rejected);
}

static void
put_table(struct top *top)
{
	const struct tap_options *o = &top->tap->options;
	struct buf *out = &top->tap->out.text, line;
	char stamp[WHEN_TEXT_BYTES];
	const char *eol = top->screen ? "\033[K\r\n" : "\n";
	struct row r;
	int id;

	when_format(wall_ms() / 1000 * 1000, stamp);
	buf_init(&line, SIZE_MAX / 4);
	buf_addf(&line, "skein %s  %s", top->tap->conf.home, stamp);
	tap_cell(out, buf_slice(&line), o->columns, false);
	buf_release(&line);
	buf_addf(out, "%s%s%-10s%-10s%10s%12s%10s%10s%10s%8s%9s%s", eol,
	    o->colour ? "\033[1m" : "", "STAGE", "STATE", "RATE/s", "CURSOR",
	    "LAG", "P50", "P99", "BATCH", "REJECTS",
	    o->colour ? "\033[0m" : "");
	buf_adds(out, eol);
	for (id = 0; id < STAGE_COUNT; id++) {
		if (!o->stages[id])
			continue;
		r = row_of(top, id);
		put_row(out, o, id, &r);
		buf_adds(out, eol);
	}
	if (!top->screen)
		buf_addc(out, '\n');
}

static void
put_json_number(struct buf *out, const char *name, double n)
{
	if (n < 0)
		buf_addf(out, ",\"%s\":null", name);
	else
		buf_addf(out, ",\"%s\":%.1f", name, n);
}

static void
put_json(struct top *top)
{
	const struct tap_options *o = &top->tap->options;
	struct buf *out = &top->tap->out.text;
	char stamp[WHEN_TEXT_BYTES];
	const char *comma = "";
	struct row r;
	int id;

	when_format(wall_ms(), stamp);
	buf_addf(out, "{\"at\":\"%s\",\"stages\":[", stamp);
	for (id = 0; id < STAGE_COUNT; id++) {
		if (!o->stages[id])
			continue;
		r = row_of(top, id);
		buf_addf(out, "%s{\"stage\":\"%s\",\"state\":", comma,
		    stage_name(id));
		json_put_str(out, slice_str(r.state));
		buf_addf(out, ",\"cursor\":%llu,\"lag\":%llu",
		    (unsigned long long)r.cursor, (unsigned long long)r.lag);
		put_json_number(out, "rate", r.rate);
		put_json_number(out, "p50_us", r.p50_us);
		put_json_number(out, "p99_us", r.p99_us);
		put_json_number(out, "batch", r.batch);
		buf_addf(out, ",\"batches\":%llu,\"rejects\":%llu}",
		    (unsigned long long)r.batches,
		    (unsigned long long)r.rejected);
		comma = ",";
	}
	buf_adds(out, "]}\n");
}

/* Lines past the screen's last would scroll it: the top ones stay. */
static void
cut_to_screen(struct buf *out, unsigned rows)
{
	const char *at = out->ptr, *end = out->ptr + out->len;

	while (rows > 0 && at < end && (at = memchr(at, '\n',
		    (size_t)(end - at))) != NULL) {
		at++;
		if (--rows == 0 && at - out->ptr >= 2)
			out->len = (size_t)(at - out->ptr) - 2;	/* \r\n */
	}
}

static void
draw(struct top *top)
{
	struct tap_out *out = &top->tap->out;
	struct winsize size = { 0 };

	if (top->tap->options.json)
		put_json(top);
	else if (!top->screen)
		put_table(top);
	else {
		(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
		top->tap->options.columns = size.ws_col;
		/* No wrapping: a narrow screen shows the left part. */
		buf_adds(&out->text, "\033[H\033[?7l");
		put_table(top);
		cut_to_screen(&out->text, size.ws_row);
		buf_adds(&out->text, "\033[J");
	}
	if (!tap_out_flush(out))
		tap_end(top->tap, 0);
}

/* ---- the terminal ---- */

static struct {
	bool entered;
	struct termios before;
} terminal;

/* Also at exit(3), so that no way out leaves a broken terminal. */
static void
leave_screen(void)
{
	static const char words[] = "\033[?7h\033[?25h\033[?1049l";

	if (!terminal.entered)
		return;
	terminal.entered = false;
	(void)tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
	(void)!write(STDOUT_FILENO, words, sizeof(words) - 1);
}

static void
enter_screen(struct top *top)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &terminal.before) == -1)
		return;		/* keys come from elsewhere: none, then */
	raw = terminal.before;
	raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	raw.c_cc[VSUSP] = _POSIX_VDISABLE;
	if (atexit(leave_screen) != 0 ||
	    tcsetattr(STDIN_FILENO, TCSANOW, &raw) == -1)
		return;
	terminal.entered = true;
	top->screen = true;
	buf_adds(&top->tap->out.text, "\033[?1049h\033[?25l");
}

/* ---- running ---- */

static void
copy_counts(uint64_t *to, size_t most, const struct msg_u64s *from)
{
	size_t i;

	for (i = 0; i < most; i++)
		to[i] = i < from->count ? from->at[i] : 0;
}

static void
take_stats(struct top_stage *s, const struct msg_stats *stats)
{
	s->before = s->now;
	s->now.at = stats->at;
	copy_counts(s->now.counters, COUNTER_COUNT, &stats->counters);
	copy_counts(s->now.latency, LATENCY_MOST, &stats->latency);
	snprintf(s->state, sizeof(s->state), "%.*s", SLICE_ARG(stats->state));
}

static void
on_frame(struct bus_socket *socket, void *data)
{
	struct top *top = data;
	struct tap *tap = top->tap;
	struct bus_message m;
	struct tap_frame f;
	struct msg_error why;

	while (bus_receive(socket, &m)) {
		tap->heard_ms = steady_ms();
		if (tap_frame_read(&f, &m, &tap->arena, &why) == -1)
			log_warnx("a frame that cannot be read: %s", why.text);
		else {
			top->stages[f.stage].heard_ms = tap->heard_ms;
			top->stages[f.stage].cursor = f.seq;
			if (f.kind == KIND_stats)
				take_stats(&top->stages[f.stage],
				    &f.record.as->stats);
		}
		arena_reset(&tap->arena);
	}
}

static void
on_clock(struct ev_loop *loop, ev_timer *w, int events)
{
	struct top *top = w->data;
	uint64_t count = top->tap->options.count;

	(void)loop;
	(void)events;
	tap_check_silence(top->tap);
	if (top->tap->rc != 0)
		return;
	draw(top);
	if (++top->drawn == count)
		tap_end(top->tap, 0);
}

static void
on_signals(struct ev_loop *loop, ev_io *w, int events)
{
	struct top *top = w->data;

	(void)loop;
	(void)events;
	tap_out_signals(&top->tap->out);
	if (top->tap->out.ended)
		tap_end(top->tap, 0);
	else if (top->screen)
		draw(top);
}

static void
on_key(struct ev_loop *loop, ev_io *w, int events)
{
	struct top *top = w->data;
	char key;
	ssize_t n = read(STDIN_FILENO, &key, 1);

	(void)events;
	if (n == 0)
		ev_io_stop(loop, w);
	else if (n == 1 && (key == 'q' || key == 'Q'))
		tap_end(top->tap, 0);
}

int
tap_top(struct tap *tap)
{
	struct top top = { .tap = tap };

	if (isatty(STDOUT_FILENO) && !tap->options.json)
		enter_screen(&top);
	/* A screen shows at once what is there; a list waits to have it. */
	ev_timer_init(&top.clock, on_clock, top.screen ? 0.2 : 1.2, 1.);
	ev_io_init(&top.signals, on_signals, tap->out.signal_fd, EV_READ);
	ev_io_init(&top.keys, on_key, STDIN_FILENO, EV_READ);
	top.clock.data = top.signals.data = top.keys.data = &top;
	ev_timer_start(tap->loop, &top.clock);
	ev_io_start(tap->loop, &top.signals);
	if (top.screen)
		ev_io_start(tap->loop, &top.keys);
	bus_watch(tap->sub, tap->loop, on_frame, &top);
	ev_run(tap->loop, 0);
	leave_screen();
	return tap->rc;
}
