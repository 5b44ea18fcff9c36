/*
 * ask - a question to the query process, for what another verb would answer
 *
 * `skein ask search "login error"` is `skein search "login error"`, answered by
 * a process that has the index open already.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "common/bus.h"
#include "common/xmalloc.h"

static int
print_rows(const struct cli *cli, struct slice rows)
{
	struct msg_error why;
	json_t *all, *row;
	size_t i;
	char *line;

	if (rows.len == 0)
		return 0;
	all = msg_msgpack_to_json(rows, &why);
	if (all == NULL)
		return cli_fail(cli, "the answer cannot be read: %s", why.text);
	json_array_foreach (all, i, row) {
		line = json_dumps(row, JSON_COMPACT |
		    JSON_REAL_PRECISION(6));
		if (line != NULL)
			puts(line);
		free(line);
	}
	json_decref(all);
	return 0;
}

static int
print(const struct cli *cli, const struct msg_told *told)
{
	int rc = (int)told->status;

	if (told->error.len > 0)
		fprintf(stderr, "%.*s%s", SLICE_ARG(told->error),
		    told->error.ptr[told->error.len - 1] == '\n' ? "" : "\n");
	if (told->text.len > 0)
		fwrite(told->text.ptr, 1, told->text.len, stdout);
	if (cli->json && print_rows(cli, told->rows) != 0)
		rc = 1;
	return rc;
}

static int
exchange(const struct cli *cli, const struct msg_ask *ask)
{
	int64_t patience = (cli->conf.client_patience +
	    cli->conf.query_timeout) * 1000;
	struct bus *bus = bus_open();
	struct bus_socket *socket = bus_socket(bus, BUS_DEALER);
	struct msg_error why;
	struct bus_message m;
	struct msg_told told;
	struct slice part;
	struct arena arena;
	struct buf frame;
	int rc;

	arena_init(&arena);
	buf_init(&frame, SIZE_MAX / 4);
	if (bus_connect(socket, cli->conf.home, "query.sock") == -1 ||
	    msg_encode(&frame, MSG_ask, ask) == -1 ||
	    (part = buf_slice(&frame), !bus_send(socket, &part, 1)))
		rc = cli_fail(cli, "the question cannot be sent");
	else if (!bus_wait(socket, (int)patience) ||
	    !bus_receive(socket, &m))
		rc = cli_fail(cli, "no answer: is query up? See 'skein status'");
	else if (m.count != 1 || msg_decode_as(m.parts[0], &arena, MSG_told,
		&told, &why) == -1)
		rc = cli_fail(cli, "the answer cannot be read");
	else
		rc = print(cli, &told);
	buf_release(&frame);
	arena_release(&arena);
	bus_close(&bus);
	return rc;
}

int
verb_ask(struct cli *cli, int argc, char **argv)
{
	struct msg_ask ask = { .number = 1, .rows = cli->json };
	struct slice *arguments;
	int i, rc = 0;

	if (argc < 2)
		return cli_usage(cli, "which verb? 'skein ask search "
		    "\"login error\"'");
	if (cli_supervisor(cli) == 0)
		return cli_fail(cli, "no pipeline runs on %s: 'skein up' "
		    "starts one; 'skein %s' needs none", cli->conf.home,
		    argv[1]);
	arguments = xcalloc((size_t)argc, sizeof(arguments[0]));
	ask.verb = slice_str(argv[1]);
	ask.arguments.at = arguments;
	for (i = 2; rc == 0 && i < argc; i++) {
		if (strcmp(argv[i], "--after") == 0 && i + 1 < argc)
			rc = options_number(cli, "after", argv[++i],
			    &ask.after);
		else
			arguments[ask.arguments.count++] = slice_str(argv[i]);
	}
	if (rc == 0)
		rc = exchange(cli, &ask);
	free(arguments);
	return rc;
}
