/*
 * process - what the supervisor asks of every process it runs
 */
#include "common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "common/log.h"

enum { LOCK_TRIES = 100, LOCK_WAIT_US = 20000 };

int
process_lock(const struct conf *conf, const char *name)
{
	char *path = conf_path(conf, "run/%s.lock", name);
	int fd, tries;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd == -1)
		fatal(EX_REFUSE, "%s", path);
	/* One that was just killed may still be on its way out. */
	for (tries = 0; flock(fd, LOCK_EX | LOCK_NB) == -1; tries++) {
		if (errno != EWOULDBLOCK)
			fatal(EX_RETRY, "%s", path);
		if (tries == LOCK_TRIES)
			fatalx(EX_RETRY, "another %s runs on %s", name,
			    conf->home);
		usleep(LOCK_WAIT_US);
	}
	free(path);
	return fd;
}

static void
on_lifeline(struct ev_loop *loop, ev_io *w, int events)
{
	struct process_lifeline *l = w->data;
	char byte;

	(void)events;
	if (read(w->fd, &byte, 1) == 0) {
		ev_io_stop(loop, w);
		log_warnx("the supervisor is gone");
		l->on_end(l->data);
	}
}

void
process_watch(struct process_lifeline *l, struct ev_loop *loop, bool apart,
    void (*on_end)(void *data), void *data)
{
	const char *fd = getenv("SKEIN_LIFELINE_FD");
	const char *pid = getenv("SKEIN_SUPERVISOR_PID");

	if (pid != NULL && !apart) {
		/* Not TERM: a stopped process would never see it. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
			fatal(EX_RETRY, "prctl");
		if (getppid() != (pid_t)strtol(pid, NULL, 10))
			fatalx(EX_RETRY, "the supervisor is gone");
	}
	if (fd == NULL)
		return;
	l->on_end = on_end;
	l->data = data;
	ev_io_init(&l->pipe, on_lifeline, (int)strtol(fd, NULL, 10), EV_READ);
	l->pipe.data = l;
	ev_io_start(loop, &l->pipe);
}
