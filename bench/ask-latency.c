/*
 * ask-latency - how long a question takes, from asking to the answer
 *
 *   ask-latency HOME COUNT [again]
 *
 * Reads questions from standard input, a line each: a verb and its arguments,
 * separated by tabs.  Asks COUNT of them one after the other, in turn, or with
 * `again` each twice in a row and times the second.  Prints the median and the
 * 99th percentile in microseconds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/latency.h"
#include "common/bus.h"
#include "common/log.h"
#include "common/msg.h"
#include "common/xmalloc.h"

enum { QUESTIONS = 10000, ARGUMENTS = 16 };

static double
ask(struct bus_socket *socket, const char *line, uint64_t number)
{
	struct slice arguments[ARGUMENTS];
	struct msg_ask m = { .number = number, .rows = true,
		.arguments = { arguments, 0 } };
	char *copy = xstrdup(line), *word, *rest = copy;
	double begin = now_s();
	struct bus_message reply;
	struct msg_error why;
	struct msg_told told;
	struct arena arena;
	struct slice part;
	struct buf frame;

	m.verb = slice_str(strsep(&rest, "\t"));
	while (rest != NULL && m.arguments.count < ARGUMENTS &&
	    (word = strsep(&rest, "\t")) != NULL)
		arguments[m.arguments.count++] = slice_str(word);
	arena_init(&arena);
	buf_init(&frame, SIZE_MAX / 4);
	if (msg_encode(&frame, MSG_ask, &m) == -1)
		fatalx(1, "the question is too large");
	part = buf_slice(&frame);
	if (!bus_send(socket, &part, 1) || !bus_wait(socket, 60000) ||
	    !bus_receive(socket, &reply))
		fatalx(1, "no answer");
	begin = now_s() - begin;
	if (msg_decode_as(reply.parts[0], &arena, MSG_told, &told, &why) == -1 ||
	    told.status != 0)
		fatalx(1, "%s: %.*s", line, SLICE_ARG(told.error));
	buf_release(&frame);
	arena_release(&arena);
	free(copy);
	return begin;
}

int
main(int argc, char **argv)
{
	static char *lines[QUESTIONS];
	size_t n = 0, count, i, room = 0;
	bool again = argc == 4 && strcmp(argv[3], "again") == 0;
	struct bus *bus = bus_open();
	struct bus_socket *socket = bus_socket(bus, BUS_DEALER);
	double *times;
	char *line = NULL;
	ssize_t len;

	log_open_plain("ask-latency");
	if (argc < 3 || bus_connect(socket, argv[1], "query.sock") == -1)
		fatalx(2, "usage: ask-latency HOME COUNT [again]");
	count = strtoul(argv[2], NULL, 10);
	while (n < QUESTIONS && (len = getline(&line, &room, stdin)) > 0) {
		line[len - 1] = '\0';
		lines[n++] = xstrdup(line);
	}
	if (n == 0 || count == 0)
		fatalx(2, "no questions");
	times = xcalloc(count, sizeof(times[0]));
	for (i = 0; i < count; i++) {
		times[i] = ask(socket, lines[i % n], i);
		if (again)
			times[i] = ask(socket, lines[i % n], i);
	}
	print_percentiles(times, count);
	for (i = 0; i < n; i++)
		free(lines[i]);
	free(times);
	free(line);
	bus_close(&bus);
	return 0;
}
