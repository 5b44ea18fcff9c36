/*
 * worker - thinks about one question at a time, and only reads
 */
#include "query/worker.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/recall.h"
#include "common/bus.h"
#include "common/log.h"
#include "common/msg_rows.h"
#include "common/sender.h"
#include "common/xmalloc.h"

enum {
	ARGUMENTS_MOST = 64,
	USED_WAIT_MS = 500,	/* uses are told when no question has come so long */
	USED_BYTES = 64 * 1024,	/* or when there are so many */
	KEPT_BYTES = 8 << 20	/* of memory, from one question to the next */
};

struct worker {
	struct cli cli;
	struct bus *bus;
	struct bus_socket *socket;
	struct arena arena;
	struct buf used, answer, frame;
	uint64_t seen, followed;	/* the store's cursor, while idle */
	bool cold;		/* files of the index are to be brought in */
};

/* What was printed, on standard output and on standard error. */
struct printed {
	int status;
	struct buf out, error;
};

/* ---- which verbs ---- */

static const struct {
	const char *name;
	int (*run)(struct cli *cli, int argc, char **argv);	/* in here */
} reading[] = {
	{ "search", verb_search },
	{ "context", verb_context },
	{ "begin", verb_begin },
	{ "turns", NULL }, { "threads", NULL }, { "requests", NULL },
	{ "conversations", NULL }, { "sessions", NULL }, { "chains", NULL },
	{ "artifacts", NULL }, { "episodes", NULL }, { "skills", NULL },
	{ "links", NULL }, { "tuning", NULL }, { "rejects", NULL },
	{ "show", NULL }, { "lineage", NULL }, { "status", NULL },
	{ "packages", NULL }, { "digest", NULL }, { "check", NULL },
};

/* Options that make a reading verb write, or look elsewhere. */
static bool
is_forbidden(struct slice argument)
{
	static const char *const words[] = { "--choose", "--undo", "--home",
		"--batch" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (slice_starts(argument, words[i]))
			return true;
	return false;
}

/* ---- answering in here ---- */

static int
run_here(struct worker *w, int (*run)(struct cli *, int, char **), int argc,
    char **argv, struct printed *p)
{
	FILE *out = stdout, *error = stderr;
	char *text[2] = { NULL, NULL };
	size_t len[2];

	stdout = open_memstream(&text[0], &len[0]);
	stderr = open_memstream(&text[1], &len[1]);
	if (stdout == NULL || stderr == NULL)
		fatal(EX_RETRY, "out of memory");
	w->cli.verb = argv[0];
	p->status = run(&w->cli, argc, argv);
	fclose(stdout);
	fclose(stderr);
	stdout = out;
	stderr = error;
	buf_add(&p->out, text[0], len[0]);
	buf_add(&p->error, text[1], len[1]);
	free(text[0]);
	free(text[1]);
	return 0;
}

/* ---- answering by another program ---- */

static int
read_file(int fd, struct buf *out)
{
	return lseek(fd, 0, SEEK_SET) == -1 ? -1 : buf_read(out, fd);
}

static void
exec_verb(struct worker *w, int fds[2], char **argv)
{
	char *path = xasprintf("%s/skein", w->cli.exec_dir);

	/* A worker that is killed takes its child along. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 ||
	    dup2(fds[0], STDOUT_FILENO) == -1 ||
	    dup2(fds[1], STDERR_FILENO) == -1)
		_exit(1);
	execv(path, argv);
	_exit(1);
}

static int
run_program(struct worker *w, char **argv, struct printed *p)
{
	int fds[2] = { memfd_create("out", MFD_CLOEXEC),
		memfd_create("error", MFD_CLOEXEC) };
	int status = 0, rc = -1;
	pid_t child;

	if (fds[0] != -1 && fds[1] != -1 && (child = fork()) != -1) {
		if (child == 0)
			exec_verb(w, fds, argv);
		while (waitpid(child, &status, 0) == -1 && errno == EINTR)
			;
		p->status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
		if (read_file(fds[0], &p->out) == 0 &&
		    read_file(fds[1], &p->error) == 0)
			rc = 0;
	}
	if (fds[0] != -1)
		close(fds[0]);
	if (fds[1] != -1)
		close(fds[1]);
	return rc;
}

/* ---- one question ---- */

static int
run(struct worker *w, const struct msg_ask *ask, struct printed *p)
{
	char *argv[ARGUMENTS_MOST + 6];
	int argc = 0, verb_at;
	size_t i, k;

	for (k = 0; k < sizeof(reading) / sizeof(reading[0]); k++)
		if (slice_is(ask->verb, reading[k].name))
			break;
	if (k == sizeof(reading) / sizeof(reading[0]) ||
	    ask->arguments.count > ARGUMENTS_MOST) {
		p->status = 2;
		buf_addf(&p->error, "'%.*s' is no verb that only reads",
		    SLICE_ARG(ask->verb));
		return 0;
	}
	argv[argc++] = (char *)(uintptr_t)"skein";
	argv[argc++] = (char *)(uintptr_t)"--home";
	argv[argc++] = w->cli.conf.home;
	verb_at = argc;
	argv[argc++] = (char *)(uintptr_t)reading[k].name;
	for (i = 0; i < ask->arguments.count; i++) {
		if (is_forbidden(ask->arguments.at[i])) {
			p->status = 2;
			buf_addf(&p->error, "'%.*s' is not for questions",
			    SLICE_ARG(ask->arguments.at[i]));
			return 0;
		}
		argv[argc++] = arena_cstr(&w->arena, ask->arguments.at[i]);
	}
	w->cli.json = ask->rows;
	if (ask->rows && reading[k].run == NULL)
		argv[argc++] = (char *)(uintptr_t)"--json";
	argv[argc] = NULL;
	if (reading[k].run != NULL)
		return run_here(w, reading[k].run, argc - verb_at,
		    argv + verb_at, p);
	return run_program(w, argv, p);
}

/* Into w->answer; its status. */
static int
answer(struct worker *w, const struct msg_ask *ask)
{
	struct msg_told told = { .number = ask->number };
	struct printed p = { .status = 1 };
	struct buf rows;

	buf_init(&p.out, SIZE_MAX / 4);
	buf_init(&p.error, SIZE_MAX / 4);
	buf_init(&rows, SIZE_MAX / 4);
	if (run(w, ask, &p) == -1)
		buf_adds(&p.error, "the verb's program could not be run");
	if (ask->rows && msg_rows_pack(buf_slice(&p.out), &rows) == -1) {
		p.status = 1;
		buf_adds(&p.error, "the verb's output is not JSON");
	}
	told.status = (uint64_t)p.status;
	told.rows = ask->rows ? buf_slice(&rows) : SLICE_NONE;
	told.text = ask->rows ? SLICE_NONE : buf_slice(&p.out);
	told.error = buf_slice(&p.error);
	buf_clear(&w->answer);
	if (msg_encode(&w->answer, MSG_told, &told) == -1)
		fatalx(EX_RETRY, "an answer is larger than memory allows");
	buf_release(&p.out);
	buf_release(&p.error);
	buf_release(&rows);
	return p.status;
}

/* ---- the process ---- */

static void
say(struct worker *w, struct slice told, bool holds, struct slice used)
{
	struct recall *r = w->cli.kept;
	struct msg_work work = { .pid = (uint64_t)getpid(), .answer = told,
		.holds = holds, .used = used,
		.domain = buf_slice(&r->domain) };
	struct slice part;

	if (r->known != NULL)
		known_count(r->known, &work.lines_kept, &work.lines_made);

	buf_clear(&w->frame);
	if (msg_encode(&w->frame, MSG_work, &work) == -1)
		fatalx(EX_RETRY, "an answer is larger than memory allows");
	part = buf_slice(&w->frame);
	if (!bus_send(w->socket, &part, 1))
		fatalx(EX_RETRY, "the broker takes no answer");
}

static void
on_result(void *data, const struct msg_ack *ack)
{
	(void)data;
	(void)ack;
}

/* What contexts used, in one go, when nobody waits for anything. */
static void
tell_used(struct worker *w)
{
	struct sender *sender;
	char *at = w->used.ptr, *newline;

	if (w->used.len == 0)
		return;
	sender = sender_open(&w->cli.conf, on_result, NULL);
	while ((newline = memchr(at, '\n',
		    (size_t)(w->used.ptr + w->used.len - at))) != NULL) {
		if (sender_post_json(sender, slice_of(at,
			(size_t)(newline - at))) == -1)
			break;
		at = newline + 1;
	}
	if (sender_step(sender, 200) == -1)
		log_warnx("ingest does not answer: uses are not kept");
	sender_close(&sender);
	buf_clear(&w->used);
}

static void
take_ask(struct worker *w, const struct msg_ask *ask)
{
	struct recall *r = w->cli.kept;
	size_t before = w->used.len;
	bool holds;

	r->level = false;	/* until a view of the store is opened */
	holds = answer(w, ask) == 0 && r->level;
	if (r->search != NULL && search_lacked(r->search))
		holds = false;
	say(w, buf_slice(&w->answer), holds, slice_of(w->used.ptr + before,
	    w->used.len - before));
}

static void
take(struct worker *w, const struct bus_message *m)
{
	struct msg_error why;
	struct msg message;

	if (m->count != 1 || msg_decode(m->parts[0], &w->arena, &message,
		&why) == -1 || (message.id != MSG_ask &&
		message.id != MSG_work))
		fatalx(EX_RETRY, "the broker sent what is no question");
	if (message.id == MSG_ask)
		take_ask(w, &message.as->ask);
	else
		buf_addslice(&w->used, message.as->work.used);
	arena_reset(&w->arena);
}

/* ---- while nobody asks ---- */

/* As a question would: entries are indexed, vectors made, files mapped. */
static void
follow(struct worker *w, struct recall *r)
{
	struct search_query query = SEARCH_ALL;
	struct search_result result;
	struct buf why;

	query.domain = r->q.domain;
	query.text = SLICE("time");	/* a word that has a vector */
	query.limit = 1;
	buf_init(&why, 4096);
	if (search_run(r->search, &r->view.found, &query, &w->arena, &result,
		&why) == -1)
		log_warnx("the index cannot be followed: %s", buf_cstr(&why));
	buf_release(&why);
}

/* Else a question would be told why not; here nobody asks. */
static bool
has_store(const struct worker *w)
{
	struct db_error why;
	struct db *shared;
	uint64_t schema;
	bool ours;

	if (w->cli.kept->shared != NULL)
		return true;
	shared = cli_try_open(&w->cli, ENV_shared, &why);
	if (shared == NULL)
		return false;
	ours = cli_schema(shared, &schema) && schema == TABLES_SCHEMA;
	db_close(&shared);
	return ours;
}

/*
 * The first questions after a start, and after much has come, would wait for
 * all that.  Only where nothing has come for a while: a busy store needs its
 * processors elsewhere.
 */
static void
warm_up(struct worker *w)
{
	const struct buf *last = &w->cli.kept->domain;
	struct msg_cursor cursor = { 0 };
	struct recall *r = NULL;

	w->cli.verb = "query";
	w->cold = false;
	if (has_store(w))
		r = recall_open(&w->cli, arena_dup(&w->arena, last->len > 0 ?
		    buf_slice(last) : SLICE("default")));
	if (r == NULL) {
		arena_reset(&w->arena);
		return;
	}
	(void)query_cursor(&r->q, STAGE_store, &cursor);
	if (cursor.seq != w->followed && cursor.seq == w->seen) {
		follow(w, r);
		w->followed = cursor.seq;
	}
	w->seen = cursor.seq;
	w->cold = search_warm(r->search);
	recall_close(&w->cli, &r);
	arena_reset(&w->arena);
}

static void
find_programs(struct worker *w)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len == -1)
		fatal(EX_RETRY, "/proc/self/exe");
	self[len] = '\0';
	w->cli.exec_dir = xstrdup(dirname(self));
}

/* What one question needs the next needs too: the kernel would clear it. */
static void
keep_memory(void)
{
	if (mallopt(M_TRIM_THRESHOLD, KEPT_BYTES) == 0 ||
	    mallopt(M_MMAP_THRESHOLD, KEPT_BYTES) == 0)
		log_warnx("memory is given back after each question");
}

int
worker_main(int argc, char **argv)
{
	struct worker w = { 0 };
	struct bus_message m;

	log_open("query", LOG_INFO);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
		fatal(EX_RETRY, "prctl");
	signal(SIGPIPE, SIG_IGN);
	keep_memory();
	conf_load(&w.cli.conf, &argc, argv, EX_REFUSE);
	find_programs(&w);
	arena_init(&w.arena);
	buf_init(&w.used, SIZE_MAX / 4);
	buf_init(&w.answer, SIZE_MAX / 4);
	buf_init(&w.frame, SIZE_MAX / 4);
	w.cli.used = &w.used;
	w.cli.kept = recall_new();
	w.bus = bus_open();
	w.socket = bus_socket(w.bus, BUS_DEALER);
	if (bus_connect(w.socket, w.cli.conf.home, "query-work.sock") == -1)
		fatal(EX_RETRY, "query-work.sock");
	say(&w, SLICE_NONE, false, SLICE_NONE);
	for (;;) {
		if (!bus_wait(w.socket, w.cold ? 0 : USED_WAIT_MS)) {
			tell_used(&w);
			warm_up(&w);
		} else if (w.used.len >= USED_BYTES)
			tell_used(&w);
		while (bus_receive(w.socket, &m))
			take(&w, &m);
	}
}
