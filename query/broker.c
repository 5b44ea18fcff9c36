/*
 * broker - between clients that ask and workers that answer
 */
#include "query/broker.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/bus.h"
#include "common/log.h"
#include "common/service.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"
#include "query/cache.h"
#include "query/worker.h"

enum {
	WAITING_MOST = 4096,	/* questions; more are told to come again */
	ASK_BYTES = 16 << 20,
	USED_MOST = 1 << 20,	/* bytes of uses that wait for a worker */
	LOOK_MS = 5		/* how often the store's cursor is looked at */
};

struct question {
	TAILQ_ENTRY(question) next;
	struct buf route;	/* the client's */
	struct buf record;	/* the ask, as it came */
	struct buf words;	/* as the cache knows it; empty: not to be kept */
	struct cache_state state;
	uint64_t number, after;
	int64_t since_ms;
};

struct worker {
	TAILQ_ENTRY(worker) next;
	pid_t pid;
	struct buf route;	/* empty until it has spoken */
	struct question *at;	/* what it thinks about */
	int64_t since_ms;
	ev_child child;
};

TAILQ_HEAD(question_list, question);
TAILQ_HEAD(worker_list, worker);

struct broker {
	struct service service;
	const char *program;
	struct bus *bus;
	struct bus_socket *front, *back;
	struct db *shared;	/* NULL until there is a store */
	struct question_list waiting;
	struct worker_list workers;
	size_t n_waiting, n_workers;
	uint64_t cursor;	/* the store's, as last seen */
	struct cache *cache;
	struct buf used;	/* by answers of the cache, not told yet */
	struct arena arena;
	struct buf frame;
	ev_timer look;
};

/* ---- answers ---- */

static void
send_told(struct broker *b, const struct question *q, struct slice told)
{
	struct slice parts[2] = { buf_slice(&q->route), told };

	/* A client that has gone needs no answer. */
	(void)!bus_send(b->front, parts, 2);
}

static void
fail(struct broker *b, const struct question *q, const char *words)
{
	struct msg_told told = { .number = q->number, .status = 1,
		.error = slice_str(words), .upto = b->cursor };

	buf_clear(&b->frame);
	if (msg_encode(&b->frame, MSG_told, &told) == 0)
		send_told(b, q, buf_slice(&b->frame));
}

static void
free_question(struct question *q)
{
	buf_release(&q->route);
	buf_release(&q->record);
	buf_release(&q->words);
	free(q);
}

/* ---- answers that still hold ---- */

/* How things stand before anybody thinks about it. */
static void
note_state(struct broker *b, struct question *q, const struct msg_ask *ask)
{
	struct db_txn *txn;

	if (b->shared == NULL || !cache_words(ask, &q->words))
		return;
	txn = db_read(b->shared);
	b->cursor = cache_follow(b->cache, txn);
	db_abort(&txn);
	q->state = cache_state(b->cache);
}

/* An answer bears the number of its question: it is made with it anew. */
static bool
answer_again(struct broker *b, const struct question *q)
{
	struct slice kept, used;
	struct msg_error why;
	struct msg_told told;

	if (q->words.len == 0 || q->after > b->cursor ||
	    !cache_find(b->cache, &q->state, buf_slice(&q->words), &kept,
		&used) ||
	    msg_decode_as(kept, &b->arena, MSG_told, &told, &why) == -1)
		return false;
	told.number = q->number;
	buf_clear(&b->frame);
	if (msg_encode(&b->frame, MSG_told, &told) == -1)
		return false;
	send_told(b, q, buf_slice(&b->frame));
	if (buf_addslice(&b->used, used) == -1) {
		log_warnx("no worker is free to tell uses: they are not kept");
		buf_clear(&b->used);
	}
	return true;
}

static void
keep_answer(struct broker *b, const struct question *q,
    const struct msg_work *work)
{
	if (work->holds && q->words.len > 0)
		cache_keep(b->cache, &q->state, work->domain,
		    buf_slice(&q->words), work->answer, work->used);
}

/* ---- workers ---- */

static void
forget_worker(struct broker *b, struct worker *w)
{
	ev_child_stop(b->service.loop, &w->child);
	TAILQ_REMOVE(&b->workers, w, next);
	b->n_workers--;
	buf_release(&w->route);
	free(w);
}

static void serve(struct broker *b);

static void
on_child(struct ev_loop *loop, ev_child *child, int events)
{
	struct worker *w = (struct worker *)((char *)child -
	    offsetof(struct worker, child));
	struct broker *b = child->data;

	(void)loop;
	(void)events;
	if (w->at != NULL) {
		log_warnx("worker %d ended in the middle of a question",
		    (int)w->pid);
		fail(b, w->at, "the process that thought about it died: see "
		    "the log of query");
		free_question(w->at);
	}
	forget_worker(b, w);
	serve(b);
}

static void
start_worker(struct broker *b)
{
	char *argv[] = { (char *)(uintptr_t)b->program,
		(char *)(uintptr_t)WORKER_WORD,
		(char *)(uintptr_t)"--home", b->service.conf.home, NULL };
	struct worker *w;
	sigset_t none;
	pid_t pid = fork();

	if (pid == -1) {
		log_warn("a worker cannot be started");
		return;
	}
	if (pid == 0) {
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execv("/proc/self/exe", argv);
		_exit(EX_RETRY);
	}
	w = xcalloc(1, sizeof(*w));
	w->pid = pid;
	buf_init(&w->route, 512);
	ev_child_init(&w->child, on_child, pid, 0);
	w->child.data = b;
	ev_child_start(b->service.loop, &w->child);
	TAILQ_INSERT_TAIL(&b->workers, w, next);
	b->n_workers++;
}

static struct worker *
find_worker(struct broker *b, pid_t pid)
{
	struct worker *w;

	TAILQ_FOREACH (w, &b->workers, next)
		if (w->pid == pid)
			return w;
	return NULL;
}

static struct worker *
find_idle(struct broker *b, bool *starting)
{
	struct worker *w;

	*starting = false;
	TAILQ_FOREACH (w, &b->workers, next) {
		if (w->at == NULL && w->route.len > 0)
			return w;
		*starting = *starting || w->route.len == 0;
	}
	return NULL;
}

/* ---- questions ---- */

/* The first that need not wait for the store. */
static struct question *
find_ready(struct broker *b)
{
	struct question *q;

	TAILQ_FOREACH (q, &b->waiting, next)
		if (q->after <= b->cursor)
			return q;
	return NULL;
}

static void
hand_over(struct broker *b, struct worker *w, struct question *q)
{
	struct slice parts[2] = { buf_slice(&w->route), buf_slice(&q->record) };

	TAILQ_REMOVE(&b->waiting, q, next);
	b->n_waiting--;
	w->at = q;
	w->since_ms = steady_ms();
	if (!bus_send(b->back, parts, 2))
		kill(w->pid, SIGKILL);	/* on_child tells the client */
}

static void
serve(struct broker *b)
{
	struct question *q;
	struct worker *w;
	bool starting;

	while ((q = find_ready(b)) != NULL) {
		w = find_idle(b, &starting);
		if (w == NULL) {
			if (!starting && b->n_workers <
				(size_t)b->service.conf.query_workers)
				start_worker(b);
			break;
		}
		hand_over(b, w, q);
	}
}

static void
refuse_frame(struct broker *b, const struct bus_message *m, const char *words)
{
	struct question nobody = { 0 };

	b->service.counters[COUNTER_bad_frames]++;
	buf_init(&nobody.route, 512);
	if (buf_addslice(&nobody.route, m->parts[0]) == 0)
		fail(b, &nobody, words);
	buf_release(&nobody.route);
}

static void
take_question(struct broker *b, const struct bus_message *m)
{
	struct question *q;
	struct msg_error why;
	struct msg_ask ask;

	if (m->count != 2 || m->dropped > 0 ||
	    msg_decode_as(m->parts[1], &b->arena, MSG_ask, &ask, &why) == -1) {
		refuse_frame(b, m, m->count == 2 ? why.text :
						   "a question is one part");
		return;
	}
	q = xcalloc(1, sizeof(*q));
	buf_init(&q->route, 512);
	buf_init(&q->record, ASK_BYTES);
	buf_init(&q->words, ASK_BYTES);
	q->number = ask.number;
	q->after = ask.after;
	q->since_ms = steady_ms();
	b->service.counters[COUNTER_entries]++;
	if (buf_addslice(&q->route, m->parts[0]) == -1 ||
	    buf_addslice(&q->record, m->parts[1]) == -1 ||
	    b->n_waiting >= WAITING_MOST) {
		fail(b, q, "too many questions wait: ask again later");
		free_question(q);
		return;
	}
	note_state(b, q, &ask);
	if (answer_again(b, q)) {
		free_question(q);
		return;
	}
	TAILQ_INSERT_TAIL(&b->waiting, q, next);
	b->n_waiting++;
	ev_timer_again(b->service.loop, &b->look);
}

static void
on_client(struct bus_socket *socket, void *broker)
{
	struct broker *b = broker;
	struct bus_message m;

	while (bus_receive(socket, &m)) {
		take_question(b, &m);
		arena_reset(&b->arena);
	}
	serve(b);
}

static void
on_worker(struct bus_socket *socket, void *broker)
{
	struct broker *b = broker;
	struct bus_message m;
	struct msg_error why;
	struct msg_work work;
	struct worker *w;

	while (bus_receive(socket, &m)) {
		w = NULL;
		if (m.count == 2 && msg_decode_as(m.parts[1], &b->arena,
			MSG_work, &work, &why) == 0)
			w = find_worker(b, (pid_t)work.pid);
		if (w != NULL && w->route.len == 0)
			(void)!buf_addslice(&w->route, m.parts[0]);
		if (w != NULL && w->at != NULL && work.answer.len > 0) {
			send_told(b, w->at, work.answer);
			keep_answer(b, w->at, &work);
			b->service.counters[COUNTER_lines_kept] +=
			    work.lines_kept;
			b->service.counters[COUNTER_lines_made] +=
			    work.lines_made;
			free_question(w->at);
			w->at = NULL;
		}
		arena_reset(&b->arena);
	}
	serve(b);
}

/* ---- time ---- */

static void
read_cursor(struct broker *b)
{
	struct db_options options = stage_db_options(&b->service.conf);
	struct msg_cursor c = { 0 };
	struct db_error why;
	struct db_txn *txn;
	char *dir;

	if (b->shared == NULL) {
		options.read_only = true;
		dir = conf_path(&b->service.conf, "db/shared");
		if (db_open(&b->shared, dir, ENV_shared, &options, &why) == -1)
			b->shared = NULL;
		free(dir);
	}
	if (b->shared == NULL)
		return;
	txn = db_read(b->shared);
	(void)db_get_msg(txn, TABLE_cursors, SLICE("store"), MSG_cursor,
	    &b->arena, &c);
	db_abort(&txn);
	arena_reset(&b->arena);
	b->cursor = c.seq;
}

/* Questions that the store does not reach, workers that think too long. */
static void
give_up(struct broker *b)
{
	int64_t now = steady_ms();
	int64_t patience = b->service.conf.client_patience * 1000;
	int64_t timeout = b->service.conf.query_timeout * 1000;
	struct question *q, *after;
	struct worker *w;

	for (q = TAILQ_FIRST(&b->waiting); q != NULL; q = after) {
		after = TAILQ_NEXT(q, next);
		if (now - q->since_ms < patience)
			continue;
		fail(b, q, q->after > b->cursor ?
		    "the store has not come so far: see 'skein status'" :
		    "no process was free to answer it");
		TAILQ_REMOVE(&b->waiting, q, next);
		b->n_waiting--;
		free_question(q);
	}
	TAILQ_FOREACH (w, &b->workers, next)
		if (w->at != NULL && now - w->since_ms >= timeout)
			kill(w->pid, SIGKILL);
}

static void
on_look(struct ev_loop *loop, ev_timer *timer, int events)
{
	struct broker *b = timer->data;

	(void)events;
	/* Nobody waits: the next question starts it again. */
	if (b->n_waiting == 0 && b->shared != NULL) {
		ev_timer_stop(loop, timer);
		return;
	}
	read_cursor(b);
	serve(b);
}

/* A worker tells them to ingest when it has nothing else to do. */
static void
hand_uses(struct broker *b)
{
	struct msg_work work = { .used = buf_slice(&b->used) };
	struct slice parts[2];
	struct worker *w;
	bool starting;

	if (b->used.len == 0 || (w = find_idle(b, &starting)) == NULL)
		return;
	buf_clear(&b->frame);
	if (msg_encode(&b->frame, MSG_work, &work) == -1)
		return;
	parts[0] = buf_slice(&w->route);
	parts[1] = buf_slice(&b->frame);
	if (bus_send(b->back, parts, 2))
		buf_clear(&b->used);
}

static void
on_second(void *broker)
{
	struct broker *b = broker;

	read_cursor(b);
	give_up(b);
	hand_uses(b);
	b->service.cursor = b->cursor;
	service_note(&b->service, "%zu worker%s, %zu question%s wait%s; lines "
	    "about artifacts: %llu kept, %llu made", b->n_workers,
	    b->n_workers == 1 ? "" : "s", b->n_waiting,
	    b->n_waiting == 1 ? "" : "s", b->n_waiting == 1 ? "s" : "",
	    (unsigned long long)b->service.counters[COUNTER_lines_kept],
	    (unsigned long long)b->service.counters[COUNTER_lines_made]);
}

/* ---- the process ---- */

static void
bind(struct broker *b, struct bus_socket *s, const char *name)
{
	bus_limit(s, WAITING_MOST);
	bus_limit_bytes(s, ASK_BYTES);
	if (bus_bind(s, b->service.conf.home, name) == -1)
		fatal(EX_REFUSE, "cannot bind %s/run/%s",
		    b->service.conf.home, name);
}

static void
open_sockets(struct broker *b)
{
	b->bus = bus_open();
	b->front = bus_socket(b->bus, BUS_ROUTER);
	b->back = bus_socket(b->bus, BUS_ROUTER);
	bind(b, b->front, "query.sock");
	bind(b, b->back, "query-work.sock");
	bus_watch(b->front, b->service.loop, on_client, b);
	bus_watch(b->back, b->service.loop, on_worker, b);
}

static void
stop_workers(struct broker *b)
{
	struct worker *w;

	while ((w = TAILQ_FIRST(&b->workers)) != NULL) {
		kill(w->pid, SIGKILL);
		while (waitpid(w->pid, NULL, 0) == -1 && errno == EINTR)
			;
		if (w->at != NULL)
			free_question(w->at);
		forget_worker(b, w);
	}
}

int
broker_main(int argc, char **argv)
{
	struct broker b = { .program = argv[0] };
	struct question *q;

	service_init(&b.service, "query", "answers questions about the store",
	    argc, argv);
	TAILQ_INIT(&b.waiting);
	TAILQ_INIT(&b.workers);
	arena_init(&b.arena);
	buf_init(&b.frame, SIZE_MAX / 4);
	buf_init(&b.used, USED_MOST);
	b.cache = cache_open();
	b.service.on_second = on_second;
	b.service.data = &b;
	service_start(&b.service);
	open_sockets(&b);
	ev_timer_init(&b.look, on_look, LOOK_MS / 1e3, LOOK_MS / 1e3);
	b.look.data = &b;
	ev_timer_start(b.service.loop, &b.look);
	start_worker(&b);
	service_run(&b.service);
	ev_timer_stop(b.service.loop, &b.look);
	stop_workers(&b);
	while ((q = TAILQ_FIRST(&b.waiting)) != NULL) {
		TAILQ_REMOVE(&b.waiting, q, next);
		free_question(q);
	}
	bus_close(&b.bus);
	db_close(&b.shared);
	arena_release(&b.arena);
	buf_release(&b.frame);
	buf_release(&b.used);
	cache_close(&b.cache);
	service_release(&b.service);
	return 0;
}
