/*
 * embed_remote - vectors by an endpoint, through a program of its own
 */
#include "store/embed_remote.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/log.h"
#include "common/stage_impl.h"
#include "common/text.h"
#include "common/xmalloc.h"

enum { REST_MS = 10000, SLACK_MS = 2000 };

struct embed_remote {
	const struct conf *conf;
	char *id;
	pid_t pid;		/* 0: it does not run */
	int fd;
	int64_t rest_until_ms;	/* after a failure */
};

struct embed_remote *
embed_remote_open(const struct conf *conf)
{
	struct embed_remote *r = xcalloc(1, sizeof(*r));

	r->conf = conf;
	r->id = xasprintf("%s/%lld", conf->embed_model,
	    (long long)conf->embed_dims);
	return r;
}

static void
stop(struct embed_remote *r)
{
	if (r->pid == 0)
		return;
	close(r->fd);
	(void)kill(r->pid, SIGKILL);
	while (waitpid(r->pid, NULL, 0) == -1 && errno == EINTR)
		;
	r->pid = 0;
}

void
embed_remote_close(struct embed_remote **r)
{
	if (*r == NULL)
		return;
	stop(*r);
	free((*r)->id);
	free(*r);
	*r = NULL;
}

const char *
embed_remote_id(const struct embed_remote *r)
{
	return r->id;
}

size_t
embed_remote_dims(const struct embed_remote *r)
{
	return (size_t)r->conf->embed_dims;
}

/* ---- the child ---- */

/* Beside this program, or where an installation has it; to be freed. */
static char *
program_path(void)
{
	static const char *const ways[] = { "skein-embed",
		"../libexec/skein/skein-embed" };
	char exe[PATH_MAX], *path;
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	size_t i;

	if (len < 1)
		return NULL;
	exe[len] = '\0';
	*strrchr(exe, '/') = '\0';
	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		path = xasprintf("%s/%s", exe, ways[i]);
		if (access(path, X_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

/* Only calls that are safe after a fork in a process with threads. */
static void
become(char **argv, int fd, pid_t parent)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) == -1 || getppid() != parent ||
	    dup2(fd, STDIN_FILENO) == -1 || dup2(fd, STDOUT_FILENO) == -1)
		_exit(127);
	execv(argv[0], argv);
	_exit(127);
}

static int
start(struct embed_remote *r)
{
	const struct conf *c = r->conf;
	/* A setting may have been given to this program alone. */
	char *argv[] = { program_path(), xasprintf("--home=%s", c->home),
		xasprintf("--embed-endpoint=%s", c->embed_endpoint),
		xasprintf("--embed-model=%s", c->embed_model),
		xasprintf("--embed-key-file=%s", c->embed_key_file),
		xasprintf("--embed-dims=%lld", (long long)c->embed_dims),
		xasprintf("--embed-timeout=%lld",
		    (long long)c->embed_timeout), NULL };
	pid_t parent = getpid();
	int fds[2], rc = -1;
	size_t i;

	if (argv[0] == NULL)
		log_warnx("skein-embed is not beside this program");
	else if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0) {
		r->pid = fork();
		if (r->pid == 0)
			become(argv, fds[1], parent);
		close(fds[1]);
		r->fd = fds[0];
		rc = r->pid == -1 ? -1 : 0;
		if (rc == -1) {
			close(fds[0]);
			r->pid = 0;
		}
	}
	for (i = 0; i < sizeof(argv) / sizeof(argv[0]); i++)
		free(argv[i]);
	return rc;
}

/* ---- a question ---- */

static int
wait_for(struct embed_remote *r, short events, int64_t until_ms)
{
	struct pollfd p = { .fd = r->fd, .events = events };
	int64_t left;
	int n;

	do {
		left = until_ms - steady_ms();
		n = left <= 0 ? 0 : poll(&p, 1, (int)left);
	} while (n == -1 && errno == EINTR);
	return n == 1 ? 0 : -1;
}

static int
write_all(struct embed_remote *r, struct slice bytes, int64_t until_ms)
{
	ssize_t n;

	while (bytes.len > 0) {
		if (wait_for(r, POLLOUT, until_ms) == -1)
			return -1;
		n = send(r->fd, bytes.ptr, bytes.len,
		    MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n == -1 && errno != EINTR && errno != EAGAIN)
			return -1;
		if (n > 0)
			bytes = slice_of(bytes.ptr + n, bytes.len - (size_t)n);
	}
	return 0;
}

static int
read_all(struct embed_remote *r, void *out, size_t len, int64_t until_ms)
{
	char *at = out;
	ssize_t n;

	while (len > 0) {
		if (wait_for(r, POLLIN, until_ms) == -1)
			return -1;
		n = recv(r->fd, at, len, MSG_DONTWAIT);
		if (n == 0 || (n == -1 && errno != EINTR && errno != EAGAIN))
			return -1;
		if (n > 0) {
			at += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

static int
ask(struct embed_remote *r, struct slice question, size_t n, int8_t *out)
{
	int64_t until_ms = steady_ms() + r->conf->embed_timeout * 1000 +
	    SLACK_MS;
	unsigned char good = 0;

	if ((r->pid == 0 && start(r) == -1) ||
	    write_all(r, question, until_ms) == -1 ||
	    read_all(r, &good, 1, until_ms) == -1) {
		stop(r);
		return -1;
	}
	if (good == 0)
		return -1;
	if (read_all(r, out, n * embed_remote_dims(r), until_ms) == -1) {
		stop(r);
		return -1;
	}
	return 0;
}

int
embed_remote_many(struct embed_remote *r, const struct slice *texts,
    size_t n, int8_t *out)
{
	uint32_t count = (uint32_t)n, len;
	struct buf question;
	size_t i;
	int rc;

	if (steady_ms() < r->rest_until_ms)
		return -1;
	buf_init(&question, SIZE_MAX / 4);
	buf_add(&question, &count, sizeof(count));
	for (i = 0; i < n; i++) {
		len = (uint32_t)text_cut(texts[i], REMOTE_TEXT_BYTES);
		buf_add(&question, &len, sizeof(len));
		buf_add(&question, texts[i].ptr, len);
	}
	rc = ask(r, buf_slice(&question), n, out);
	if (rc == -1)
		r->rest_until_ms = steady_ms() + REST_MS;
	buf_release(&question);
	return rc;
}
