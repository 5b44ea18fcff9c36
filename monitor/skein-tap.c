/*
 * skein-tap - the monitor: what the stages tell, live, and before
 *
 * Reads the command line, joins the bus and lets tap_follow or tap_top run.
 */
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/xmalloc.h"
#include "monitor/tap.h"

enum { SILENCE_MS = 3000, RECEIVE_LIMIT = 20000 };

int
tap_fail(const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "skein tap: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
}

static void
usage(FILE *out)
{
	fprintf(out,
	    "usage: skein tap [--from SEQ] [--until SEQ] [--count N]\n"
	    "           [--stage S[,S]] [--kind entry,cursor,stats]\n"
	    "           [--where FIELD=VALUE] [--where FIELD~PART]\n"
	    "           [--domain D] [--user U] [--receive-limit N]\n"
	    "           [--no-wait] [--json]\n"
	    "       skein tap --top [--stage S[,S]] [--count N] [--json]\n"
	    "Shows what the stages tell.  See skein-tap(1).\n");
}

/* ---- the command line ---- */

static void
wrong(const char *option, const char *value, const char *reason)
{
	tap_fail("--%s: '%s' %s", option, value, reason);
	exit(2);
}

static uint64_t
number(const char *option, const char *text, uint64_t least, uint64_t most)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
	    n < least || n > most)
		wrong(option, text, "is not a number in its range");
	return n;
}

/* Calls pick for every name of a list with commas. */
static void
each(const char *option, const char *list, struct tap_options *o,
    bool (*pick)(struct tap_options *o, struct slice name))
{
	const char *at = list;
	size_t len;

	for (;; at += len + 1) {
		len = strcspn(at, ",");
		if (!pick(o, slice_of(at, len)))
			wrong(option, list, "names what is not there");
		if (at[len] == '\0')
			return;
	}
}

static bool
pick_stage(struct tap_options *o, struct slice name)
{
	enum stage_id id;

	if (stage_named(name, &id) == -1)
		return false;
	o->stages[id] = true;
	return true;
}

static bool
pick_kind(struct tap_options *o, struct slice name)
{
	int kind;

	for (kind = 0; kind < KIND_COUNT; kind++) {
		if (slice_is(name, tap_kind_name(kind))) {
			o->kinds[kind] = true;
			return true;
		}
	}
	return false;
}

static void
add_where(struct tap_options *o, const char *option, const char *text)
{
	struct msg_error why;

	if (tap_where_add(&o->where, text, &why) == -1) {
		tap_fail("--%s: %s", option, why.text);
		exit(2);
	}
}

static void
add_equal(struct tap_options *o, const char *field, const char *value)
{
	char *text = xasprintf("%s=%s", field, value);

	add_where(o, field, text);
	free(text);
}

static void
finish_options(struct tap_options *o, bool staged, bool kinded)
{
	struct winsize size = { 0 };
	int id;

	for (id = 0; !staged && id < STAGE_COUNT; id++)
		o->stages[id] = true;
	if (!kinded)
		o->kinds[KIND_entry] = true;
	if (o->from_given && (o->top || !o->kinds[KIND_entry])) {
		tap_fail("--from: only entries have a history");
		exit(2);
	}
	o->colour = isatty(STDOUT_FILENO) && !o->json &&
	    getenv("NO_COLOR") == NULL;
	if (isatty(STDOUT_FILENO) &&
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		o->columns = size.ws_col;
}

static const struct option long_options[] = {
	{ "from", required_argument, NULL, 'f' },
	{ "until", required_argument, NULL, 'u' },
	{ "count", required_argument, NULL, 'c' },
	{ "stage", required_argument, NULL, 's' },
	{ "kind", required_argument, NULL, 'k' },
	{ "where", required_argument, NULL, 'w' },
	{ "domain", required_argument, NULL, 'D' },
	{ "user", required_argument, NULL, 'U' },
	{ "receive-limit", required_argument, NULL, 'l' },
	{ "no-wait", no_argument, NULL, 'n' },
	{ "top", no_argument, NULL, 't' },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 } };

static void
take_option(struct tap_options *o, int c)
{
	switch (c) {
	case 'f':
		o->from_given = true;
		o->from = number("from", optarg, 0, UINT64_MAX);
		break;
	case 'u':
		o->until = number("until", optarg, 1, UINT64_MAX);
		break;
	case 'c':
		o->count = number("count", optarg, 1, UINT64_MAX);
		break;
	case 's':
		each("stage", optarg, o, pick_stage);
		break;
	case 'k':
		each("kind", optarg, o, pick_kind);
		break;
	case 'w':
		add_where(o, "where", optarg);
		break;
	case 'D':
		add_equal(o, "domain", optarg);
		break;
	case 'U':
		add_equal(o, "user", optarg);
		break;
	case 'l':
		o->receive_limit = (int)number("receive-limit", optarg, 1,
		    10000000);
		break;
	case 'n':
		o->no_wait = true;
		break;
	case 't':
		o->top = true;
		break;
	case 'j':
		o->json = true;
		break;
	case 'h':
		usage(stdout);
		exit(0);
	default:
		usage(stderr);
		exit(2);
	}
}

static void
read_options(struct tap_options *o, int argc, char **argv)
{
	bool staged = false, kinded = false;
	int c;

	o->receive_limit = RECEIVE_LIMIT;
	while ((c = getopt_long(argc, argv, "", long_options, NULL)) != -1) {
		staged |= c == 's';
		kinded |= c == 'k';
		take_option(o, c);
	}
	if (optind < argc) {
		tap_fail("'%s' is not understood", argv[optind]);
		exit(2);
	}
	finish_options(o, staged, kinded);
}

/* ---- the bus ---- */

static void
join_stage(struct tap *tap, enum stage_id id)
{
	const struct tap_options *o = &tap->options;
	char topic[64], endpoint[64];
	int kind;

	for (kind = 0; kind < KIND_COUNT; kind++) {
		/* Cursors always: they tell who is there and what was lost. */
		if (kind != KIND_cursor &&
		    !(o->top ? kind == KIND_stats : o->kinds[kind]))
			continue;
		snprintf(topic, sizeof(topic), "%s.%s", stage_name(id),
		    tap_kind_name(kind));
		if (bus_subscribe(tap->sub, topic) == -1)
			fatal(1, "subscribing to %s", topic);
	}
	snprintf(endpoint, sizeof(endpoint), "%s.pub", stage_name(id));
	if (bus_connect(tap->sub, tap->conf.home, endpoint) == -1)
		fatal(1, "cannot connect to %s/run/%s", tap->conf.home,
		    endpoint);
}

static void
join_bus(struct tap *tap)
{
	enum stage_id id;

	tap->loop = ev_default_loop(0);
	if (tap->loop == NULL)
		fatalx(1, "libev cannot start");
	tap->bus = bus_open();
	tap->sub = bus_socket(tap->bus, BUS_SUB);
	bus_limit(tap->sub, tap->options.receive_limit);
	/* --top needs ingest's cursor for the others' lag. */
	for (id = 0; id < STAGE_COUNT; id++)
		if (tap->options.stages[id] ||
		    (tap->options.top && id == STAGE_ingest))
			join_stage(tap, id);
	tap->heard_ms = tap->checked_ms = steady_ms();
}

void
tap_end(struct tap *tap, int rc)
{
	tap->rc = rc;
	ev_break(tap->loop, EVBREAK_ALL);
}

void
tap_check_silence(struct tap *tap)
{
	int64_t now = steady_ms();

	/* After being stopped ourselves we know nothing yet. */
	if (now - tap->checked_ms > SILENCE_MS)
		tap->heard_ms = now;
	tap->checked_ms = now;
	if (now - tap->heard_ms < SILENCE_MS) {
		tap->said_silent = false;
		return;
	}
	if (tap->options.no_wait)
		tap_end(tap, tap_fail("nothing is heard from %s: is the "
		    "pipeline up? See 'skein status'", tap->conf.home));
	else if (!tap->said_silent)
		tap_fail("nothing is heard from %s: waiting for the pipeline",
		    tap->conf.home);
	tap->said_silent = true;
}

int
main(int argc, char **argv)
{
	struct tap tap = { 0 };
	int rc;

	log_open("skein tap", LOG_WARN);
	conf_load(&tap.conf, &argc, argv, 2);
	read_options(&tap.options, argc, argv);
	tap_out_open(&tap.out);
	arena_init(&tap.arena);
	join_bus(&tap);
	rc = tap.options.top ? tap_top(&tap) : tap_follow(&tap);
	bus_close(&tap.bus);
	ev_loop_destroy(tap.loop);
	arena_release(&tap.arena);
	tap_out_close(&tap.out);
	tap_where_release(&tap.options.where);
	conf_release(&tap.conf);
	return rc;
}
