/*
 * bus - ZeroMQ sockets as libev sources, and the names of endpoints
 */
#include "common/bus.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#include "common/log.h"
#include "common/xmalloc.h"

struct bus {
	void *context;
	struct bus_socket *sockets;
};

struct bus_socket {
	struct bus *bus;
	struct bus_socket *next;
	void *zmq;
	char *bound;			/* the socket file that is ours */
	zmq_msg_t held[BUS_PARTS];	/* what the last receive points into */
	size_t n_held;

	struct ev_loop *loop;		/* NULL: not watched */
	bool paused;
	void (*handler)(struct bus_socket *s, void *data);
	void *data;
	ev_io io;
	ev_prepare prepare;
	ev_check check;
	ev_idle idle;
};

struct bus *
bus_open(void)
{
	struct bus *bus = xcalloc(1, sizeof(*bus));

	bus->context = zmq_ctx_new();
	if (bus->context == NULL)
		fatal(EX_RETRY, "zmq_ctx_new");
	return bus;
}

void
bus_close(struct bus **bus)
{
	struct bus_socket *s;

	if (*bus == NULL)
		return;
	while ((s = (*bus)->sockets) != NULL)
		bus_socket_close(&s);
	zmq_ctx_term((*bus)->context);
	free(*bus);
	*bus = NULL;
}

static void
set_option(struct bus_socket *s, int option, int value)
{
	if (zmq_setsockopt(s->zmq, option, &value, sizeof(value)) == -1)
		fatal(EX_RETRY, "zmq_setsockopt %d", option);
}

struct bus_socket *
bus_socket(struct bus *bus, enum bus_kind kind)
{
	static const int types[] = { [BUS_ROUTER] = ZMQ_ROUTER,
		[BUS_DEALER] = ZMQ_DEALER,
		[BUS_XPUB] = ZMQ_XPUB,
		[BUS_SUB] = ZMQ_SUB };
	struct bus_socket *s = xcalloc(1, sizeof(*s));

	s->zmq = zmq_socket(bus->context, types[kind]);
	if (s->zmq == NULL)
		fatal(EX_RETRY, "zmq_socket");
	/* The log has it: nothing unsent is worth waiting for at the end. */
	set_option(s, ZMQ_LINGER, 0);
	set_option(s, ZMQ_RECONNECT_IVL, 20);
	set_option(s, ZMQ_RECONNECT_IVL_MAX, 500);
	s->bus = bus;
	s->next = bus->sockets;
	bus->sockets = s;
	return s;
}

static void
release_held(struct bus_socket *s)
{
	while (s->n_held > 0)
		zmq_msg_close(&s->held[--s->n_held]);
}

void
bus_socket_close(struct bus_socket **socket)
{
	struct bus_socket *s = *socket, **at;

	if (s == NULL)
		return;
	if (s->loop != NULL) {
		ev_io_stop(s->loop, &s->io);
		ev_prepare_stop(s->loop, &s->prepare);
		ev_check_stop(s->loop, &s->check);
		ev_idle_stop(s->loop, &s->idle);
	}
	for (at = &s->bus->sockets; *at != s; at = &(*at)->next)
		;
	*at = s->next;
	release_held(s);
	zmq_close(s->zmq);
	if (s->bound != NULL && unlink(s->bound) == -1 && errno != ENOENT)
		log_warn("%s: cannot be removed", s->bound);
	free(s->bound);
	free(s);
	*socket = NULL;
}

static int
with_endpoint(struct bus_socket *s, const char *home, const char *name,
    int (*call)(void *, const char *))
{
	char *endpoint = xasprintf("ipc://%s/run/%s", home, name);
	int rc;

	/* Past this the kernel cannot name the socket at all. */
	if (strlen(endpoint) - strlen("ipc://") >=
	    sizeof(((struct sockaddr_un *)0)->sun_path)) {
		errno = ENAMETOOLONG;
		rc = -1;
	} else
		rc = call(s->zmq, endpoint);
	free(endpoint);
	return rc;
}

int
bus_bind(struct bus_socket *s, const char *home, const char *name)
{
	if (with_endpoint(s, home, name, zmq_bind) == -1)
		return -1;
	/* ZeroMQ leaves it behind, and a reader would take it for life. */
	s->bound = xasprintf("%s/run/%s", home, name);
	return 0;
}

int
bus_connect(struct bus_socket *s, const char *home, const char *name)
{
	return with_endpoint(s, home, name, zmq_connect);
}

int
bus_subscribe(struct bus_socket *s, const char *prefix)
{
	return zmq_setsockopt(s->zmq, ZMQ_SUBSCRIBE, prefix, strlen(prefix));
}

void
bus_limit(struct bus_socket *s, int messages)
{
	set_option(s, ZMQ_SNDHWM, messages);
	set_option(s, ZMQ_RCVHWM, messages);
}

void
bus_limit_bytes(struct bus_socket *s, int64_t bytes)
{
	if (zmq_setsockopt(s->zmq, ZMQ_MAXMSGSIZE, &bytes, sizeof(bytes)) == -1)
		fatal(EX_RETRY, "ZMQ_MAXMSGSIZE");
}

void
bus_linger(struct bus_socket *s, int timeout_ms)
{
	set_option(s, ZMQ_LINGER, timeout_ms);
}

/* ---- the loop ---- */

static bool
is_readable(struct bus_socket *s)
{
	int events;
	size_t size = sizeof(events);

	if (zmq_getsockopt(s->zmq, ZMQ_EVENTS, &events, &size) == -1)
		fatal(EX_RETRY, "ZMQ_EVENTS");
	return (events & ZMQ_POLLIN) != 0;
}

static struct bus_socket *
owner(void *watcher, size_t offset)
{
	return (struct bus_socket *)(void *)((char *)watcher - offset);
}

static void
on_io(struct ev_loop *loop, ev_io *w, int events)
{
	/* Only wakes the loop: prepare and check look at ZMQ_EVENTS. */
	(void)loop;
	(void)w;
	(void)events;
}

static void
on_idle(struct ev_loop *loop, ev_idle *w, int events)
{
	/* Only keeps the loop from sleeping. */
	(void)loop;
	(void)w;
	(void)events;
}

static void
on_prepare(struct ev_loop *loop, ev_prepare *w, int events)
{
	struct bus_socket *s = owner(w, offsetof(struct bus_socket, prepare));

	(void)events;
	if (!s->paused && is_readable(s))
		ev_idle_start(loop, &s->idle);
}

static void
on_check(struct ev_loop *loop, ev_check *w, int events)
{
	struct bus_socket *s = owner(w, offsetof(struct bus_socket, check));

	(void)events;
	ev_idle_stop(loop, &s->idle);
	if (!s->paused && is_readable(s))
		s->handler(s, s->data);
}

void
bus_watch(struct bus_socket *s, struct ev_loop *loop,
    void (*handler)(struct bus_socket *, void *), void *data)
{
	size_t size;
	int fd;

	size = sizeof(fd);
	if (zmq_getsockopt(s->zmq, ZMQ_FD, &fd, &size) == -1)
		fatal(EX_RETRY, "ZMQ_FD");
	s->loop = loop;
	s->handler = handler;
	s->data = data;
	ev_io_init(&s->io, on_io, fd, EV_READ);
	ev_prepare_init(&s->prepare, on_prepare);
	ev_check_init(&s->check, on_check);
	ev_idle_init(&s->idle, on_idle);
	ev_io_start(loop, &s->io);
	ev_prepare_start(loop, &s->prepare);
	ev_check_start(loop, &s->check);
}

/* ---- messages ---- */

static bool
has_more(struct bus_socket *s)
{
	int more;
	size_t size = sizeof(more);

	if (zmq_getsockopt(s->zmq, ZMQ_RCVMORE, &more, &size) == -1)
		fatal(EX_RETRY, "ZMQ_RCVMORE");
	return more != 0;
}

int
bus_receive(struct bus_socket *s, struct bus_message *out)
{
	zmq_msg_t *part, spare;

	release_held(s);
	*out = (struct bus_message){ .count = 0 };
	do {
		part = s->n_held < BUS_PARTS ? &s->held[s->n_held] : &spare;
		zmq_msg_init(part);
		if (zmq_msg_recv(part, s->zmq, ZMQ_DONTWAIT) == -1) {
			zmq_msg_close(part);
			if (errno == EAGAIN || errno == EINTR)
				return 0;
			fatal(EX_RETRY, "zmq_msg_recv");
		}
		if (part == &spare) {
			zmq_msg_close(part);
			out->dropped++;
			continue;
		}
		s->n_held++;
		out->parts[out->count++] =
		    slice_of(zmq_msg_data(part), zmq_msg_size(part));
	} while (has_more(s));
	return 1;
}

int
bus_send(struct bus_socket *s, const struct slice *parts, size_t count)
{
	size_t i;
	int flags;

	for (i = 0; i < count; i++) {
		flags = ZMQ_DONTWAIT | (i + 1 < count ? ZMQ_SNDMORE : 0);
		while (zmq_send(s->zmq, parts[i].ptr, parts[i].len, flags) ==
		    -1) {
			if (errno == EINTR)
				continue;
			/* The first part decides for the whole message. */
			if (errno == EAGAIN || errno == EHOSTUNREACH)
				return 0;
			fatal(EX_RETRY, "zmq_send");
		}
	}
	return 1;
}

int
bus_wait(struct bus_socket *s, int timeout_ms)
{
	zmq_pollitem_t item = { .socket = s->zmq, .events = ZMQ_POLLIN };
	int rc = zmq_poll(&item, 1, timeout_ms);

	if (rc == -1 && errno != EINTR)
		fatal(EX_RETRY, "zmq_poll");
	return rc > 0;
}
