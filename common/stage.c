/*
 * stage - the skeleton that every stage of the pipeline runs on
 *
 * The order of lines of stage_main is the same for all stages: settings, log,
 * lock, store, own tables, catching up, sockets, ready, loop, end.
 */
#include "common/stage.h"

#include <getopt.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"

static const char *const names[STAGE_COUNT] = {
#define STAGE(name, what) #name,
#include "common/stages.def"
};

static const enum table_id section_tables[STAGE_COUNT] = {
#define STAGE(name, what) TABLE_s_##name,
#include "common/stages.def"
};

static const char *const counter_names[COUNTER_COUNT] = {
#define COUNTER(name, what) #name,
#include "common/counters.def"
};

const char *
stage_name(enum stage_id id)
{
	return names[id];
}

int
stage_named(struct slice name, enum stage_id *out)
{
	enum stage_id id;

	for (id = 0; id < STAGE_COUNT; id++) {
		if (slice_is(name, names[id])) {
			*out = id;
			return 0;
		}
	}
	return -1;
}

enum table_id
stage_section_table(enum stage_id id)
{
	return section_tables[id];
}

const char *
counter_name(enum counter counter)
{
	return counter_names[counter];
}

const struct conf *
stage_conf(const struct stage *st)
{
	return &st->conf;
}

struct db_txn *
stage_tables(struct stage *st)
{
	return st->tables;
}

char *
stage_data_path(const struct stage *st, const char *name, const char *without)
{
	char *path = conf_data_path(&st->conf, name);

	if (path != NULL && access(path, F_OK) == 0)
		return path;
	log_info("no %s: %s", name, without);
	free(path);
	return NULL;
}

struct arena *
stage_arena(struct stage *st)
{
	return &st->arena;
}

void
stage_count(struct stage *st, enum counter counter, uint64_t more)
{
	st->counters[counter] += more;
}

void *
stage_state(const struct stage *st)
{
	return st->state;
}

void
stage_set_state(struct stage *st, void *state)
{
	st->state = state;
}

/* ---- its place in the store ---- */

static void
read_meta(struct stage *st)
{
	struct msg_cursor c = { 0 };
	struct msg_meta meta;
	struct db_txn *txn = db_read(st->shared);

	if (!db_get_msg(txn, TABLE_meta, SLICE("store"), MSG_meta, &st->arena,
		&meta))
		fatalx(EX_REFUSE, "%s is no store of skein",
		    db_dir(st->shared));
	if (meta.schema != TABLES_SCHEMA)
		fatalx(EX_REFUSE, "the store has schema %llu, this program %d: "
		    "%s", (unsigned long long)meta.schema, TABLES_SCHEMA,
		    meta.schema > TABLES_SCHEMA ?
			"take a newer skein" : "run 'skein migrate'");
	if (meta.store_id.len != sizeof(st->store_id_bytes))
		fatalx(EX_REFUSE, "%s: its id has %zu bytes",
		    db_dir(st->shared), meta.store_id.len);
	memcpy(st->store_id_bytes, meta.store_id.ptr, meta.store_id.len);
	st->store_id = slice_of(st->store_id_bytes, meta.store_id.len);
	(void)db_get_msg(txn, TABLE_cursors, slice_str(names[st->spec->id]),
	    MSG_cursor, &st->arena, &c);
	st->cursor = st->rate_from_seq = c.seq;
	st->epoch = c.epoch;
	db_abort(&txn);
	arena_reset(&st->arena);
}

/* A stage's cursor exists from its first start on, so that the fence holds. */
static void
make_cursor(struct stage *st)
{
	struct msg_cursor c = { 0 };
	struct db_txn *txn = db_write(st->shared);
	struct slice there;

	if (!db_get(txn, TABLE_cursors, slice_str(names[st->spec->id]), &there))
		db_put_msg(txn, TABLE_cursors, slice_str(names[st->spec->id]),
		    MSG_cursor, &c);
	if (db_commit(&txn) == DB_BROKEN)
		fatalx(EX_REFUSE, "%s: %s", db_dir(st->shared),
		    db_reason(st->shared));
}

/* ---- the loop ---- */

static void
wake_after(struct stage *st, ev_tstamp seconds)
{
	ev_timer_stop(st->loop, &st->retry_timer);
	ev_timer_set(&st->retry_timer, seconds, 0.);
	ev_timer_start(st->loop, &st->retry_timer);
}

/*
 * How long the next commit has to wait.  Every commit holds the one write lock
 * for as long as the disk takes; at a thousand entries a second, six stages
 * that each commit every entry would leave ingest no room.
 */
static ev_tstamp
commit_due(struct stage *st)
{
	ev_tstamp since = ev_now(st->loop) - st->committed_at;

	/* A clock that was set back is not waited for. */
	if (since < 0. ||
	    st->told >= st->cursor + (uint64_t)st->conf.batch_entries)
		return 0.;
	return (ev_tstamp)st->conf.commit_interval / 1000. - since;
}

/* Does what there is to do, a batch a turn, so that the loop stays alive. */
static void
work(struct stage *st)
{
	uint64_t before = st->cursor;
	enum turn turn = turn_follow(st);

	if (turn == TURN_FULL) {
		if (st->at != STATE_blocked)
			log_warnx("no room for sections: waiting for some");
		status_state(st, STATE_blocked, "map or disk is full");
	} else if (st->at == STATE_blocked)
		status_state(st, STATE_ready, "");
	if (st->cursor != before) {
		ev_now_update(st->loop);
		st->committed_at = ev_now(st->loop);
	}
	ev_timer_stop(st->loop, &st->retry_timer);
	if (turn != TURN_IDLE)
		wake_after(st, turn == TURN_FULL ? 0.5 : 0.);
	else if (st->once)
		ev_break(st->loop, EVBREAK_ALL);
}

static void
on_retry(struct ev_loop *loop, ev_timer *w, int events)
{
	struct stage *st = w->data;

	(void)loop;
	(void)events;
	if (st->at != STATE_stopping)
		work(st);
}

void
stage_wake(struct stage *st)
{
	ev_tstamp due;

	if (st->spec->listen != NULL || st->at == STATE_stopping)
		return;
	due = commit_due(st);
	if (due > 0. && !st->once) {
		if (!ev_is_active(&st->retry_timer))
			wake_after(st, due);
	} else
		work(st);
}

static void
on_status(struct ev_loop *loop, ev_timer *w, int events)
{
	struct stage *st = w->data;

	(void)loop;
	(void)events;
	status_write(st);
	status_publish(st);
	if (st->beat % 10 == 0)
		(void)db_reap_readers(st->shared);
}

static void
end(void *stage)
{
	struct stage *st = stage;

	st->at = STATE_stopping;
	ev_break(st->loop, EVBREAK_ALL);
}

/* ---- main ---- */

static void
usage(const char *name)
{
	printf("usage: skein-%s [--home DIR] [--log FILE] [--exec COMMAND | --pass]\n"
	       "       skein-%s --shadow [--from SEQ] [--count N] [--once]\n"
	       "A stage of skein's pipeline; runs in the foreground.\n"
	       "Settings: --name=value, see skein.conf.\n", name, name);
}

/* A stage that has nothing to say: for measuring the pipeline by itself. */
static void
pass_only(struct stage *st)
{
	static struct stage_spec passing;

	if (st->spec->listen != NULL)
		fatalx(EX_REFUSE, "--pass: ingest has to take entries in");
	passing = (struct stage_spec){ .id = st->spec->id,
		.env = st->spec->env, .derived = st->spec->derived };
	st->spec = &passing;
}

static uint64_t
read_number(const char *name, const char *value)
{
	struct slice digits = slice_str(value);
	uint64_t n;

	if (digits.len == 0 || slice_digits(digits, 0, &n) != digits.len)
		fatalx(EX_REFUSE, "--%s: '%s' is not a whole number", name,
		    value);
	return n;
}

static void
read_options(struct stage *st, int argc, char **argv)
{
	static const struct option options[] = {
		{ "log", required_argument, NULL, 'l' },
		{ "exec", required_argument, NULL, 'e' },
		{ "shadow", no_argument, NULL, 's' },
		{ "from", required_argument, NULL, 'f' },
		{ "count", required_argument, NULL, 'c' },
		{ "once", no_argument, NULL, 'o' },
		{ "pass", no_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 } };
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'l':
			st->log_path = optarg;
			break;
		case 'e':
			st->exec_command = optarg;
			break;
		case 's':
			st->shadow = true;
			break;
		case 'f':
			st->shadow_from = read_number("from", optarg);
			break;
		case 'c':
			st->shadow_count = read_number("count", optarg);
			break;
		case 'o':
			st->once = true;
			break;
		case 'p':
			pass_only(st);
			break;
		case 'h':
			usage(names[st->spec->id]);
			exit(0);
		default:
			exit(EX_REFUSE);
		}
	}
	if (optind < argc)
		fatalx(EX_REFUSE, "'%s' is not understood", argv[optind]);
}

static void
prepare(struct stage *st)
{
	if (sodium_init() == -1)
		fatalx(EX_RETRY, "libsodium cannot start");
	arena_init(&st->arena);
	buf_init(&st->batch.bytes, SIZE_MAX / 4);
	buf_init(&st->frame, SIZE_MAX / 4);
	buf_init(&st->subscriptions, 64 * 1024);
	st->loop = ev_default_loop(0);
	if (st->loop == NULL)
		fatalx(EX_RETRY, "libev cannot start");
	process_watch(&st->ending, st->loop, st->shadow, end, st);
	ev_timer_init(&st->retry_timer, on_retry, 0., 0.);
	ev_timer_init(&st->status_timer, on_status, 1., 1.);
	st->retry_timer.data = st->status_timer.data = st;
}

static void
run(struct stage *st)
{
	st->lock_fd = process_lock(&st->conf, names[st->spec->id]);
	status_init(st);
	st->shared = stage_open_shared(&st->conf, false);
	make_cursor(st);
	read_meta(st);
	derived_open(st);
	if (st->spec->start != NULL)
		st->spec->start(st);
	/* Without room the tables stay behind; turns try again. */
	(void)derived_catch_up(st);
	bus_start(st);
	if (st->spec->listen != NULL)
		st->spec->listen(st);
	status_state(st, STATE_ready, "");
	log_info("ready at %llu", (unsigned long long)st->cursor);
	ev_timer_start(st->loop, &st->status_timer);
	announce(st);
	stage_wake(st);
	ev_run(st->loop, 0);
	if (st->spec->stop != NULL)
		st->spec->stop(st);
}

static void
release(struct stage *st)
{
	filter_stop(&st->filter);
	bus_stop(st);
	derived_close(st);
	db_close(&st->shared);
	status_remove(st);
	arena_release(&st->arena);
	batch_release(&st->batch);
	buf_release(&st->frame);
	buf_release(&st->subscriptions);
	ev_loop_destroy(st->loop);
	conf_release(&st->conf);
	free(st);
}

int
stage_main(int argc, char **argv, const struct stage_spec *spec)
{
	struct stage *st = xcalloc(1, sizeof(*st));
	int rc = 0;

	st->spec = spec;
	st->lock_fd = -1;
	log_open(names[spec->id], LOG_INFO);
	conf_load(&st->conf, &argc, argv, EX_REFUSE);
	read_options(st, argc, argv);
	process_make_home(&st->conf);
	process_open_log(&st->conf, names[spec->id], st->log_path);
	prepare(st);
	if (st->exec_command != NULL)
		st->filter = filter_start(st, st->exec_command);
	if (st->shadow) {
		st->shared = stage_open_shared(&st->conf, true);
		shadow_copy_tables(st);
		read_meta(st);
		if (st->spec->start != NULL)
			st->spec->start(st);
		rc = shadow_run(st);
		if (st->spec->stop != NULL)
			st->spec->stop(st);
	} else
		run(st);
	release(st);
	return rc;
}
