/*
 * tap_out - standard output, for a reader that may be slow or go away
 *
 * Signals come through a descriptor and are watched while a write waits, so
 * that ctrl-c ends a tap whose reader does not read.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "common/log.h"
#include "monitor/tap.h"

void
tap_out_open(struct tap_out *out)
{
	sigset_t set;

	buf_init(&out->text, SIZE_MAX / 4);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGWINCH);
	if (sigprocmask(SIG_BLOCK, &set, NULL) == -1 ||
	    signal(SIGPIPE, SIG_IGN) == SIG_ERR)
		fatal(1, "signals");
	out->signal_fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (out->signal_fd == -1)
		fatal(1, "signalfd");
}

void
tap_out_close(struct tap_out *out)
{
	close(out->signal_fd);
	buf_release(&out->text);
}

void
tap_out_signals(struct tap_out *out)
{
	struct signalfd_siginfo info;

	while (read(out->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGWINCH)
			out->resized = true;
		else
			out->ended = true;
	}
}

bool
tap_out_flush(struct tap_out *out)
{
	struct pollfd fds[2] = { { .fd = STDOUT_FILENO, .events = POLLOUT },
		{ .fd = out->signal_fd, .events = POLLIN } };
	size_t at = 0, len;
	ssize_t n;

	while (at < out->text.len && !out->ended) {
		if (poll(fds, 2, -1) == -1) {
			if (errno != EINTR)
				fatal(1, "poll");
			continue;
		}
		if (fds[1].revents != 0)
			tap_out_signals(out);
		if (fds[0].revents == 0)
			continue;
		/* So much a pipe that polls as writable takes at once. */
		len = out->text.len - at;
		if (len > PIPE_BUF)
			len = PIPE_BUF;
		n = write(STDOUT_FILENO, out->text.ptr + at, len);
		if (n == -1 && errno == EPIPE)
			out->ended = true;
		else if (n == -1 && errno != EINTR && errno != EAGAIN)
			fatal(1, "standard output");
		else if (n > 0)
			at += (size_t)n;
	}
	if (out->text.cap > 4 * 1024 * 1024)
		buf_release(&out->text);
	buf_clear(&out->text);
	return !out->ended;
}
