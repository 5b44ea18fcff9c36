/*
 * merger - the store stage's child that merges segments
 */
#include "store/merger.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"

/* Beside the stage's own program; false: that cannot be told. */
static bool
program_path(char path[PATH_MAX])
{
	ssize_t len = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	if (len < 1)
		return false;
	path[len] = '\0';
	slash = strrchr(path, '/');
	if (slash == NULL ||
	    (size_t)(slash - path) + sizeof("/skein-merge") > PATH_MAX)
		return false;
	memcpy(slash, "/skein-merge", sizeof("/skein-merge"));
	return access(path, X_OK) == 0;
}

/* Only calls that are safe after a fork in a process with threads. */
static void
become(const char *path, const char *home, pid_t parent)
{
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 || getppid() != parent)
		_exit(127);
	execl(path, "skein-merge", "--home", home, MERGER_STAY, (char *)NULL);
	_exit(127);
}

static void
start(struct merger *m, const struct conf *conf)
{
	char path[PATH_MAX];
	pid_t parent = getpid();

	m->wanted = false;
	if (m->broken)
		return;
	if (!program_path(path)) {
		m->broken = true;
		log_warnx("skein-merge is not beside this program: segments "
			  "stay as they are");
		return;
	}
	m->pid = fork();
	if (m->pid == 0)
		become(path, conf->home, parent);
	if (m->pid == -1) {
		log_warn("fork");
		m->pid = 0;
	}
}

void
merger_look(struct merger *m, const struct conf *conf, bool work)
{
	m->wanted = m->wanted || work;
	/* The loop reaps children too: then there is none to wait for. */
	if (m->pid != 0 && waitpid(m->pid, NULL, WNOHANG) != 0)
		m->pid = 0;
	if (m->wanted && m->pid == 0)
		start(m, conf);
}

void
merger_stop(struct merger *m)
{
	if (m->pid == 0)
		return;
	(void)kill(m->pid, SIGKILL);
	while (waitpid(m->pid, NULL, 0) == -1 && errno == EINTR)
		;
	m->pid = 0;
}
