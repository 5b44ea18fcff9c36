/*
 * send - entries as JSON lines to ingest, one result a line
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "common/json.h"
#include "common/sender.h"

struct outcome {
	struct buf line;
	uint64_t last_seq;
	uint64_t refused;
};

static void
on_result(void *data, const struct msg_ack *ack)
{
	struct outcome *o = data;

	buf_clear(&o->line);
	buf_addc(&o->line, '{');
	if (ack->id.len > 0) {
		buf_adds(&o->line, "\"id\":");
		json_put_str(&o->line, ack->id);
		buf_addc(&o->line, ',');
	}
	if (ack->code.len > 0) {
		buf_adds(&o->line, "\"error\":{\"code\":");
		json_put_str(&o->line, ack->code);
		buf_adds(&o->line, ",\"message\":");
		json_put_str(&o->line, ack->message);
		buf_adds(&o->line, "}}\n");
		o->refused++;
	} else {
		buf_addf(&o->line, "\"seq\":%llu,\"key\":",
		    (unsigned long long)ack->seq);
		json_put_str(&o->line, ack->key);
		buf_adds(&o->line, "}\n");
		if (ack->seq > o->last_seq)
			o->last_seq = ack->seq;
	}
	fwrite(o->line.ptr, 1, o->line.len, stdout);
}

static int
send_lines(struct cli *cli, FILE *in, struct sender *sender)
{
	char *line = NULL;
	size_t cap = 0;
	ssize_t len;
	int rc = 0;

	while (rc == 0 && (len = getline(&line, &cap, in)) != -1) {
		if (len > 0 && line[len - 1] == '\n')
			len--;
		if (len == 0)
			continue;
		rc = sender_post_json(sender, slice_of(line, (size_t)len));
	}
	if (rc == 0 && ferror(in))
		rc = cli_fail(cli, "reading: %s", strerror(errno));
	free(line);
	return rc;
}

int
verb_send(struct cli *cli, int argc, char **argv)
{
	struct outcome outcome = { 0 };
	struct sender *sender;
	bool wait = false;
	const struct option_spec specs[] = {
		{ "wait", OPTION_FLAG, &wait, NULL }, { 0 } };
	FILE *in = stdin;
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc > 2)
		return cli_usage(cli, "takes one file, or standard input");
	if (argc == 2 && strcmp(argv[1], "-") != 0) {
		in = fopen(argv[1], "re");
		if (in == NULL)
			return cli_fail(cli, "%s: %s", argv[1],
			    strerror(errno));
	}
	buf_init(&outcome.line, SIZE_MAX / 4);
	sender = sender_open(&cli->conf, on_result, &outcome);
	rc = send_lines(cli, in, sender);
	if (rc == 0)
		rc = sender_flush(sender);
	if (rc == -1)
		rc = cli_fail(cli, "ingest has not answered for %lld s: "
		    "is the pipeline up? See 'skein status'",
		    (long long)cli->conf.client_patience);
	sender_close(&sender);
	if (in != stdin)
		fclose(in);
	buf_release(&outcome.line);
	if (rc == 0 && wait && outcome.last_seq > 0)
		rc = cli_wait_store(cli, outcome.last_seq) == 0 ? 0 : 1;
	return rc != 0 ? rc : outcome.refused > 0 ? 1 : 0;
}
