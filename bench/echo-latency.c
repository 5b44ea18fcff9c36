/*
 * echo-latency - what the transport alone takes for an answer
 *
 *   echo-latency HOME COUNT BYTES
 *
 * A process answers each question on a socket of HOME with BYTES bytes, without
 * a thought; another asks COUNT times, after working for as long as a context
 * takes.  Prints the median and the 99th percentile in microseconds: what a
 * cached answer cannot get below on this machine.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/latency.h"
#include "common/bus.h"
#include "common/log.h"
#include "common/xmalloc.h"

#define ENDPOINT "bench-echo.sock"

#define BETWEEN_S 0.0025

static _Noreturn void
answer(const char *home, size_t bytes)
{
	struct bus *bus = bus_open();
	struct bus_socket *socket = bus_socket(bus, BUS_ROUTER);
	char *text = xcalloc(1, bytes);
	struct bus_message m;

	if (bus_bind(socket, home, ENDPOINT) == -1)
		fatal(1, "%s", ENDPOINT);
	for (;;) {
		(void)bus_wait(socket, -1);
		while (bus_receive(socket, &m)) {
			m.parts[1] = slice_of(text, bytes);
			if (!bus_send(socket, m.parts, 2))
				fatalx(1, "an answer found no room");
		}
	}
}

static double
ask(struct bus_socket *socket)
{
	struct slice part = SLICE("a question of some words");
	struct bus_message reply;
	double begin;

	for (begin = now_s(); now_s() - begin < BETWEEN_S;)
		;
	begin = now_s();
	if (!bus_send(socket, &part, 1) || !bus_wait(socket, 60000) ||
	    !bus_receive(socket, &reply))
		fatalx(1, "no answer");
	return now_s() - begin;
}

int
main(int argc, char **argv)
{
	size_t count = argc == 4 ? strtoul(argv[2], NULL, 10) : 0, i;
	struct bus_socket *socket;
	struct bus *bus;
	double *times;
	pid_t child;

	log_open_plain("echo-latency");
	if (count == 0)
		fatalx(2, "usage: echo-latency HOME COUNT BYTES");
	child = fork();
	if (child == -1)
		fatal(1, "fork");
	if (child == 0)
		answer(argv[1], strtoul(argv[3], NULL, 10));
	bus = bus_open();
	socket = bus_socket(bus, BUS_DEALER);
	if (bus_connect(socket, argv[1], ENDPOINT) == -1)
		fatal(1, "%s", ENDPOINT);
	times = xcalloc(count, sizeof(times[0]));
	(void)ask(socket);	/* until they know of each other */
	for (i = 0; i < count; i++)
		times[i] = ask(socket);
	print_percentiles(times, count);
	free(times);
	bus_close(&bus);
	(void)kill(child, SIGKILL);
	return waitpid(child, NULL, 0) == child ? 0 : 1;
}
