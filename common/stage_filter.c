/*
 * stage_filter - --exec: a program in any language that takes decide's place
 *
 * One JSON line in per entry, {"seq","type","entry","sections"}; one JSON line
 * out, the section: {"section":"s_classify",...}, or {} for nothing to say.
 * The runner keeps sockets, store, cursor and apply.
 *
 * A bad answer rejects that entry.  A filter that dies is started again and
 * given the same line; if the fresh one dies on it too, or falls silent past
 * exec_timeout, the entry is rejected and the stream goes on.  One that gives
 * more than a line for a line is started again before the next.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_impl.h"
#include "common/xmalloc.h"

enum { ANSWER_LIMIT = 64 * 1024 * 1024 };

struct filter {
	const char *command;
	pid_t pid;		/* its guard's; 0: none runs */
	int in, out;
	int lifeline;		/* the guard waits for its end */
	bool fresh;		/* has answered nothing yet */
	struct buf answer;	/* what was read past the last line */
	struct buf line;
};

/*
 * Between the stage and the filter stands a guard, the leader of the filter's
 * process group.  It holds one end of a pipe and waits: when the stage is gone,
 * however it went, the pipe ends and the guard takes the whole group with it.
 * Only calls that are safe after a fork in a process with threads.
 */
static void
guard(const char *command, int in, int out, int lifeline)
{
	pid_t self = getpid();
	char byte;

	if (setpgid(0, 0) == -1)
		_exit(127);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	switch (fork()) {
	case -1:
		_exit(127);
	case 0:
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 ||
		    getppid() != self || dup2(in, 0) == -1 || dup2(out, 1) == -1)
			_exit(127);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	/* The stage's lock and sockets must not live on in here. */
	if (dup2(lifeline, 0) == -1 || close(1) == -1 ||
	    close_range(3, ~0U, 0) == -1)
		_exit(127);
	while (read(0, &byte, 1) == -1 && errno == EINTR)
		;
	(void)kill(0, SIGKILL);
	_exit(127);
}

static void
spawn(struct filter *f)
{
	int in[2], out[2], life[2];

	if (pipe2(in, O_CLOEXEC) == -1 || pipe2(out, O_CLOEXEC) == -1 ||
	    pipe2(life, O_CLOEXEC) == -1)
		fatal(EX_RETRY, "pipe");
	f->pid = fork();
	if (f->pid == -1)
		fatal(EX_RETRY, "fork");
	if (f->pid == 0)
		guard(f->command, in[0], out[1], life[0]);
	/* Both sides say so, whoever is first: reap counts on the group. */
	(void)setpgid(f->pid, f->pid);
	close(in[0]);
	close(out[1]);
	close(life[0]);
	f->in = in[1];
	f->out = out[0];
	f->lifeline = life[1];
	if (fcntl(f->in, F_SETFL, O_NONBLOCK) == -1 ||
	    fcntl(f->out, F_SETFL, O_NONBLOCK) == -1)
		fatal(EX_RETRY, "fcntl");
	f->fresh = true;
	buf_clear(&f->answer);
}

static void
reap(struct filter *f)
{
	if (f->pid == 0)
		return;
	close(f->in);
	close(f->out);
	close(f->lifeline);
	/* The group: a filter may have helpers, and none may outlive it. */
	(void)kill(-f->pid, SIGKILL);
	(void)kill(f->pid, SIGKILL);
	while (waitpid(f->pid, NULL, 0) == -1 && errno == EINTR)
		;
	f->pid = 0;
}

struct filter *
filter_start(struct stage *st, const char *command)
{
	struct filter *f = xcalloc(1, sizeof(*f));

	(void)st;
	f->command = command;
	buf_init(&f->answer, ANSWER_LIMIT);
	buf_init(&f->line, SIZE_MAX / 4);
	signal(SIGPIPE, SIG_IGN);
	return f;
}

void
filter_stop(struct filter **filter)
{
	struct filter *f = *filter;

	if (f == NULL)
		return;
	reap(f);
	buf_release(&f->answer);
	buf_release(&f->line);
	free(f);
	*filter = NULL;
}

static void
write_line(struct buf *out, const struct stage_entry *e, enum stage_id before)
{
	const char *comma = "";
	enum stage_id id;

	buf_clear(out);
	buf_addf(out, "{\"seq\":%llu,\"type\":\"%s\",\"entry\":",
	    (unsigned long long)e->seq, msg_spec(e->entry.id)->name);
	msg_to_json(out, e->entry.id, e->entry.as, false);
	buf_adds(out, ",\"sections\":{");
	for (id = 0; id < before; id++) {
		if (e->sections[id].id == MSG_none)
			continue;
		buf_addf(out, "%s\"%s\":", comma, stage_name(id));
		msg_to_json(out, e->sections[id].id, e->sections[id].as, false);
		comma = ",";
	}
	buf_adds(out, "}}\n");
}

/* Writes and reads until a whole line is in f->answer; -1: dead or silent. */
static int
converse(struct stage *st, struct filter *f, size_t *line_len)
{
	int64_t end = steady_ms() + st->conf.exec_timeout * 1000;
	size_t written = 0, scanned = 0;
	struct pollfd fds[2];
	char *newline, *room;
	ssize_t n;

	for (;;) {
		newline = f->answer.len == scanned ? NULL :
		    memchr(f->answer.ptr + scanned, '\n',
			f->answer.len - scanned);
		if (newline != NULL) {
			*line_len = (size_t)(newline - f->answer.ptr);
			return 0;
		}
		scanned = f->answer.len;
		status_breathe(st);
		fds[0] = (struct pollfd){ .fd = f->out, .events = POLLIN };
		fds[1] = (struct pollfd){
			.fd = written < f->line.len ? f->in : -1,
			.events = POLLOUT };
		if (steady_ms() > end)
			return -1;
		if (poll(fds, 2, 200) <= 0)
			continue;
		if (fds[1].revents != 0) {
			n = write(f->in, f->line.ptr + written,
			    f->line.len - written);
			if (n == -1 && errno != EAGAIN && errno != EINTR)
				return -1;
			written += n > 0 ? (size_t)n : 0;
		}
		if (fds[0].revents == 0)
			continue;
		room = buf_room(&f->answer, 65536);
		if (room == NULL)
			return -1;
		n = read(f->out, room, 65536);
		if (n == 0 || (n == -1 && errno != EAGAIN && errno != EINTR))
			return -1;
		f->answer.len += n > 0 ? (size_t)n : 0;
	}
}

/* The section that an answer's JSON names, in the stage's arena. */
static int
read_section(struct stage *st, json_t *json, struct msg *section,
    struct msg_error *why)
{
	const struct msg_spec *spec = msg_spec(MSG_s_none);
	const char *name = json_string_value(json_object_get(json, "section"));
	union msg_any *msg;

	if (!json_is_object(json)) {
		msg_fail(why, "the filter's answer is not a JSON object");
		return -1;
	}
	if (name != NULL)
		spec = msg_spec_named(slice_str(name));
	else if (json_object_size(json) > 0) {
		msg_fail(why, "the filter's answer has no 'section' name");
		return -1;
	}
	if (spec == NULL || strncmp(spec->name, "s_", 2) != 0) {
		msg_fail(why, "'%s' is no section", name);
		return -1;
	}
	msg = arena_alloc(&st->arena, sizeof(*msg));
	if (msg_from_json(json, &st->arena, spec->id, msg, false, why) == -1)
		return -1;
	*section = (struct msg){ spec->id, msg };
	return 0;
}

/* Strings of *section would point into the JSON tree: encode and decode. */
static int
settle_section(struct stage *st, struct msg *section, struct msg_error *why)
{
	struct slice kept;
	struct buf record;
	int rc;

	buf_init(&record, ANSWER_LIMIT);
	rc = msg_encode(&record, section->id, section->as);
	if (rc == -1)
		msg_fail(why, "the filter's section is too large");
	kept = arena_dup(&st->arena, buf_slice(&record));
	buf_release(&record);
	return rc == -1 ? -1 : msg_decode(kept, &st->arena, section, why);
}

static int
read_answer(struct stage *st, struct filter *f, size_t len,
    struct msg *section, struct msg_error *why)
{
	json_error_t error;
	json_t *json = json_loadb(f->answer.ptr, len, 0, &error);
	int rc = -1;

	if (json == NULL)
		msg_fail(why, "the filter's answer is not JSON: %s", error.text);
	else if (read_section(st, json, section, why) == 0)
		rc = settle_section(st, section, why);
	json_decref(json);
	/* Whatever stands after the line is seen by is_out_of_step. */
	memmove(f->answer.ptr, f->answer.ptr + len + 1, f->answer.len - len - 1);
	f->answer.len -= len + 1;
	return rc;
}

/* Whether it has spoken unasked: its next answers are about other entries. */
static bool
is_out_of_step(const struct filter *f)
{
	char byte;

	return f->answer.len > 0 || read(f->out, &byte, 1) > 0;
}

int
filter_decide(struct stage *st, const struct stage_entry *e,
    struct msg *section, struct msg_error *why)
{
	struct filter *f = st->filter;
	bool was_fresh;
	size_t len;

	write_line(&f->line, e, st->spec->id);
	if (f->pid != 0 && is_out_of_step(f)) {
		log_warnx("the filter gave more than one line before seq %llu: "
			  "started anew", (unsigned long long)e->seq);
		reap(f);
	}
	for (;;) {
		if (f->pid == 0)
			spawn(f);
		was_fresh = f->fresh;
		if (converse(st, f, &len) == 0) {
			f->fresh = false;
			return read_answer(st, f, len, section, why);
		}
		log_warnx("the filter died or fell silent at seq %llu",
		    (unsigned long long)e->seq);
		stage_count(st, COUNTER_filter_deaths, 1);
		reap(f);
		if (was_fresh) {
			msg_fail(why, "the filter gave no answer, twice: %.100s",
			    f->command);
			return -1;
		}
	}
}
