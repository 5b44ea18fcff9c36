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
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/bus.h"
#include "common/log.h"
#include "common/xmalloc.h"

#define ENDPOINT "bench-echo.sock"

enum { BETWEEN_US = 2500 };

static double
now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

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

	for (begin = now_us(); now_us() - begin < BETWEEN_US;)
		;
	begin = now_us();
	if (!bus_send(socket, &part, 1) || !bus_wait(socket, 60000) ||
	    !bus_receive(socket, &reply))
		fatalx(1, "no answer");
	return now_us() - begin;
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
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
	qsort(times, count, sizeof(times[0]), by_value);
	printf("%.0f %.0f\n", times[count / 2], times[count * 99 / 100]);
	free(times);
	bus_close(&bus);
	(void)kill(child, SIGKILL);
	return waitpid(child, NULL, 0) == child ? 0 : 1;
}
