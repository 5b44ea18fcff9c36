/*
 * coprocess - a program in any language, asked line by line
 */
#include "common/coprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/log.h"
#include "common/xmalloc.h"

struct coprocess {
	const char *command;
	pid_t pid;		/* its guard's; 0: none runs */
	int in, out;
	int lifeline;		/* the guard waits for its end */
	bool fresh;		/* has answered nothing yet */
	size_t given;		/* of the answer, to be dropped */
	struct buf answer;
};

/*
 * Between us and the program stands a guard, the leader of the program's
 * process group.  It holds one end of a pipe and waits: when we are gone,
 * however we went, the pipe ends and the guard takes the whole group with it.
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
	/* Our locks and sockets must not live on in here. */
	if (dup2(lifeline, 0) == -1 || close(1) == -1 ||
	    close_range(3, ~0U, 0) == -1)
		_exit(127);
	while (read(0, &byte, 1) == -1 && errno == EINTR)
		;
	(void)kill(0, SIGKILL);
	_exit(127);
}

static void
spawn(struct coprocess *p)
{
	int in[2], out[2], life[2];

	if (pipe2(in, O_CLOEXEC) == -1 || pipe2(out, O_CLOEXEC) == -1 ||
	    pipe2(life, O_CLOEXEC) == -1)
		fatal(EX_RETRY, "pipe");
	p->pid = fork();
	if (p->pid == -1)
		fatal(EX_RETRY, "fork");
	if (p->pid == 0)
		guard(p->command, in[0], out[1], life[0]);
	/* Both sides say so, whoever is first: ending counts on the group. */
	(void)setpgid(p->pid, p->pid);
	close(in[0]);
	close(out[1]);
	close(life[0]);
	p->in = in[1];
	p->out = out[0];
	p->lifeline = life[1];
	if (fcntl(p->in, F_SETFL, O_NONBLOCK) == -1 ||
	    fcntl(p->out, F_SETFL, O_NONBLOCK) == -1)
		fatal(EX_RETRY, "fcntl");
	p->fresh = true;
	p->given = 0;
	buf_clear(&p->answer);
}

struct coprocess *
coprocess_open(const char *command, size_t answer_limit)
{
	struct coprocess *p = xcalloc(1, sizeof(*p));

	p->command = command;
	buf_init(&p->answer, answer_limit);
	signal(SIGPIPE, SIG_IGN);
	return p;
}

void
coprocess_end(struct coprocess *p)
{
	if (p->pid == 0)
		return;
	close(p->in);
	close(p->out);
	close(p->lifeline);
	/* The group: a program may have helpers, and none may outlive it. */
	(void)kill(-p->pid, SIGKILL);
	(void)kill(p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) == -1 && errno == EINTR)
		;
	p->pid = 0;
}

void
coprocess_close(struct coprocess **process)
{
	struct coprocess *p = *process;

	if (p == NULL)
		return;
	coprocess_end(p);
	buf_release(&p->answer);
	free(p);
	*process = NULL;
}

bool
coprocess_is_fresh(const struct coprocess *p)
{
	return p->pid == 0 || p->fresh;
}

bool
coprocess_is_out_of_step(const struct coprocess *p)
{
	char byte;

	return p->pid != 0 &&
	    (p->answer.len > p->given || read(p->out, &byte, 1) > 0);
}

/* -1: it is gone. */
static int
write_some(struct coprocess *p, struct slice line, size_t *written)
{
	ssize_t n = write(p->in, line.ptr + *written, line.len - *written);

	if (n == -1 && errno != EAGAIN && errno != EINTR)
		return -1;
	*written += n > 0 ? (size_t)n : 0;
	return 0;
}

static int
read_some(struct coprocess *p)
{
	char *room = buf_room(&p->answer, 65536);
	ssize_t n;

	if (room == NULL)
		return -1;
	n = read(p->out, room, 65536);
	if (n == 0 || (n == -1 && errno != EAGAIN && errno != EINTR))
		return -1;
	p->answer.len += n > 0 ? (size_t)n : 0;
	return 0;
}

/* Writes and reads until a whole line is there; -1: dead or silent. */
static int
converse(struct coprocess *p, struct slice line, int64_t end,
    void (*breathe)(void *), void *data, size_t *len)
{
	size_t written = 0, scanned = 0;
	struct pollfd fds[2];
	char *newline;

	for (;;) {
		newline = p->answer.len == scanned ? NULL :
		    memchr(p->answer.ptr + scanned, '\n',
			p->answer.len - scanned);
		if (newline != NULL) {
			*len = (size_t)(newline - p->answer.ptr);
			return 0;
		}
		scanned = p->answer.len;
		if (breathe != NULL)
			breathe(data);
		fds[0] = (struct pollfd){ .fd = p->out, .events = POLLIN };
		fds[1] = (struct pollfd){
			.fd = written < line.len ? p->in : -1,
			.events = POLLOUT };
		if (steady_ms() > end)
			return -1;
		if (poll(fds, 2, 200) <= 0)
			continue;
		if (fds[1].revents != 0 && write_some(p, line, &written) == -1)
			return -1;
		if (fds[0].revents != 0 && read_some(p) == -1)
			return -1;
	}
}

int
coprocess_ask(struct coprocess *p, struct slice line, int64_t timeout_ms,
    void (*breathe)(void *), void *data, struct slice *answer)
{
	size_t len;

	if (p->pid == 0)
		spawn(p);
	if (p->given > 0) {
		memmove(p->answer.ptr, p->answer.ptr + p->given,
		    p->answer.len - p->given);
		p->answer.len -= p->given;
		p->given = 0;
	}
	if (converse(p, line, steady_ms() + timeout_ms, breathe, data,
	    &len) == -1) {
		coprocess_end(p);
		return -1;
	}
	p->fresh = false;
	p->given = len + 1;
	*answer = slice_of(p->answer.ptr, len);
	return 0;
}
