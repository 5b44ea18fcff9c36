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
#include <sys/stat.h>
#include <unistd.h>

#include "common/log.h"

enum { LOCK_TRIES = 100, LOCK_WAIT_US = 20000 };

void
process_make_home(const struct conf *conf)
{
	char *run = conf_path(conf, "run");

	umask(077);
	if ((mkdir(conf->home, 0700) == -1 && errno != EEXIST) ||
	    (mkdir(run, 0700) == -1 && errno != EEXIST))
		fatal(EX_REFUSE, "%s", run);
	free(run);
}

void
process_open_log(const struct conf *conf, const char *name, const char *path)
{
	static const char *const levels[] = { "debug", "info", "warn" };
	size_t i;

	for (i = 0; i < 3; i++)
		if (strcmp(conf->log_level, levels[i]) == 0)
			break;
	if (i == 3)
		fatalx(EX_REFUSE, "log_level: '%s' is not debug, info or warn",
		    conf->log_level);
	log_open(name, (enum log_level)i);
	if (path != NULL)
		log_file(path, (size_t)conf->log_size * 1024,
		    (unsigned)conf->log_keep);
}

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
	struct process_end *e = w->data;
	char byte;

	(void)events;
	if (read(w->fd, &byte, 1) == 0) {
		ev_io_stop(loop, w);
		log_warnx("the supervisor is gone");
		e->on_end(e->data);
	}
}

static void
on_signal(struct ev_loop *loop, ev_signal *w, int events)
{
	struct process_end *e = w->data;

	(void)loop;
	(void)events;
	e->on_end(e->data);
}

static void
watch_signals(struct process_end *e, struct ev_loop *loop)
{
	ev_signal_init(&e->on_term, on_signal, SIGTERM);
	ev_signal_init(&e->on_int, on_signal, SIGINT);
	e->on_term.data = e->on_int.data = e;
	ev_signal_start(loop, &e->on_term);
	ev_signal_start(loop, &e->on_int);
	signal(SIGPIPE, SIG_IGN);
}

void
process_watch(struct process_end *e, struct ev_loop *loop, bool apart,
    void (*on_end)(void *data), void *data)
{
	const char *fd = getenv("SKEIN_LIFELINE_FD");
	const char *pid = getenv("SKEIN_SUPERVISOR_PID");

	e->on_end = on_end;
	e->data = data;
	watch_signals(e, loop);
	if (pid != NULL && !apart) {
		/* Not TERM: a stopped process would never see it. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1)
			fatal(EX_RETRY, "prctl");
		if (getppid() != (pid_t)strtol(pid, NULL, 10))
			fatalx(EX_RETRY, "the supervisor is gone");
	}
	if (fd == NULL)
		return;
	ev_io_init(&e->lifeline, on_lifeline, (int)strtol(fd, NULL, 10),
	    EV_READ);
	e->lifeline.data = e;
	ev_io_start(loop, &e->lifeline);
}
