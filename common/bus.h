/*
 * bus - ZeroMQ sockets as libev sources, and the names of endpoints
 *
 * The only file that knows ZeroMQ.  ZMQ_FD is edge-triggered: a watcher on it
 * alone stalls after the first message of a burst.  So each socket has a
 * prepare, a check and an idle watcher beside it, and a handler is called as
 * long as something can be read, one call a turn of the loop.
 */
#ifndef COMMON_BUS_H
#define COMMON_BUS_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/buf.h"

struct bus;		/* the context: one per process */
struct bus_socket;

enum bus_kind { BUS_ROUTER, BUS_DEALER, BUS_XPUB, BUS_SUB };

enum { BUS_PARTS = 4 };

/* A multipart message; slices live until the next receive on that socket. */
struct bus_message {
	struct slice parts[BUS_PARTS];
	size_t count;
	size_t dropped;		/* parts past BUS_PARTS: a stranger's */
};

struct bus *bus_open(void);
void bus_close(struct bus **bus);	/* closes its sockets, drops unsent */

struct bus_socket *bus_socket(struct bus *bus, enum bus_kind kind);
void bus_socket_close(struct bus_socket **socket);
/* ipc://HOME/run/NAME; -1 with a reason in errno. */
int bus_bind(struct bus_socket *s, const char *home, const char *name);
int bus_connect(struct bus_socket *s, const char *home, const char *name);
int bus_subscribe(struct bus_socket *s, const char *prefix);
void bus_limit(struct bus_socket *s, int messages);	/* both ways */

/*
 * Largest part taken; who sends a larger one is hung up on.  Without it a
 * stranger's eight bytes can ask for any amount of memory.
 */
void bus_limit_bytes(struct bus_socket *s, int64_t bytes);

/* How long closing may wait for what was not sent yet; 0 unless set. */
void bus_linger(struct bus_socket *s, int timeout_ms);

/* Calls handler while the socket can be read, from the loop. */
void bus_watch(struct bus_socket *s, struct ev_loop *loop,
    void (*handler)(struct bus_socket *s, void *data), void *data);

/* 1: received; 0: nothing there. */
int bus_receive(struct bus_socket *s, struct bus_message *out);
/* 1: sent or queued; 0: no room, nothing sent. */
int bus_send(struct bus_socket *s, const struct slice *parts, size_t count);
/* Waits until it can be read; 1, or 0 after timeout_ms (-1: no limit). */
int bus_wait(struct bus_socket *s, int timeout_ms);

#endif
