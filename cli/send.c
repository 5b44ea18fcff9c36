/*
 * send - entries as JSON lines to ingest, one result a line
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/command.h"
#include "cli/options.h"
#include "common/json.h"
#include "common/sender.h"
#include "common/xmalloc.h"

struct outcome {
	struct buf line;
	uint64_t last_seq;
	uint64_t refused;
	/* The input line of each post under way, in a ring by its number. */
	uint64_t *line_of;
	size_t window;
	uint64_t lines, posted, answered;
};

/* Members that are no field of the entry's type: misspelt, or of a newer one. */
static void
put_ignored(struct buf *out, const struct msg_ack *ack)
{
	if (ack->ignored.count == 0)
		return;
	buf_adds(out, ",\"ignored\":");
	msg_json_value(out, msg_field_tagged(msg_spec(MSG_ack),
	    MSGTAG_ack_ignored), ack);
}

static void
on_result(void *data, const struct msg_ack *ack)
{
	struct outcome *o = data;
	uint64_t number = o->line_of[++o->answered % o->window];
	const char *class;

	buf_clear(&o->line);
	buf_addc(&o->line, '{');
	if (ack->id.len > 0) {
		buf_adds(&o->line, "\"id\":");
		json_put_str(&o->line, ack->id);
		buf_addc(&o->line, ',');
	}
	if (ack->code.len > 0) {
		buf_adds(&o->line, "\"line\":");
		buf_addu(&o->line, number);
		buf_adds(&o->line, ",\"error\":{\"code\":");
		json_put_str(&o->line, ack->code);
		buf_adds(&o->line, ",\"message\":");
		json_put_str(&o->line, ack->message);
		class = command_error_class(ack->code);
		if (class != NULL)
			buf_addf(&o->line, ",\"class\":\"%s\"", class);
		buf_adds(&o->line, "}}\n");
		o->refused++;
	} else {
		buf_adds(&o->line, "\"seq\":");
		buf_addu(&o->line, ack->seq);
		buf_adds(&o->line, ",\"key\":");
		json_put_str(&o->line, ack->key);
		put_ignored(&o->line, ack);
		buf_adds(&o->line, "}\n");
		if (ack->seq > o->last_seq)
			o->last_seq = ack->seq;
	}
	fwrite(o->line.ptr, 1, o->line.len, stdout);
}

static bool
is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) != 0;
}

/*
 * Before a read that may take long, all results of what was sent so far are
 * taken and shown: a program that holds `skein send` open waits for them.
 */
static int
settle(int fd, struct sender *sender)
{
	while (sender_owed(sender) > 0 && !is_readable(fd))
		if (sender_step(sender, 2) == -1)
			return -1;
	if (sender_owed(sender) == 0 && fflush(stdout) == EOF)
		return -1;
	return 0;
}

/* A line's number is kept until its answer; empty ones are passed over. */
static int
post_line(struct outcome *o, struct slice line, struct sender *sender)
{
	static const char mark[] = "\xef\xbb\xbf";

	/* Editors that write a byte order mark mean nothing by it. */
	if (++o->lines == 1 && line.len >= 3 && memcmp(line.ptr, mark, 3) == 0)
		line = slice_of(line.ptr + 3, line.len - 3);
	if (line.len == 0)
		return 0;
	/* Room for it first: posting may answer those before. */
	o->line_of[++o->posted % o->window] = o->lines;
	return sender_post_json(sender, line);
}

/* Posts the whole lines of `in`, and at the end of input what is left too. */
static int
post_lines(struct buf *in, bool at_end, struct outcome *o,
    struct sender *sender)
{
	size_t from = 0, len;
	char *newline;

	while (from < in->len) {
		newline = memchr(in->ptr + from, '\n', in->len - from);
		if (newline == NULL && !at_end)
			break;
		len = newline == NULL ? in->len - from :
					(size_t)(newline - in->ptr) - from;
		if (post_line(o, slice_of(in->ptr + from, len), sender) == -1)
			return -1;
		from += len + (newline != NULL);
	}
	memmove(in->ptr, in->ptr + from, in->len - from);
	in->len -= from;
	return 0;
}

static int
send_lines(struct cli *cli, int fd, struct outcome *o, struct sender *sender)
{
	enum { READ_BYTES = 64 * 1024 };
	struct buf in;
	ssize_t len = 1;
	char *room;
	int rc = 0;

	buf_init(&in, SIZE_MAX / 4);
	while (rc == 0 && len > 0) {
		rc = settle(fd, sender);
		room = buf_room(&in, READ_BYTES);
		len = rc == 0 && room != NULL ? read(fd, room, READ_BYTES) : 0;
		if (len == -1 && errno == EINTR) {
			len = 1;
			continue;
		}
		if (len == -1)
			rc = cli_fail(cli, "reading: %s", strerror(errno));
		in.len += len > 0 ? (size_t)len : 0;
		if (rc == 0 && in.len > 0)
			rc = post_lines(&in, len == 0, o, sender);
	}
	buf_release(&in);
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
	int rc, in = STDIN_FILENO;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc > 2)
		return cli_usage(cli, "takes one file, or standard input");
	if (cli_expect_pipeline(cli, cli->conf.client_patience) == -1)
		return 1;
	if (argc == 2 && strcmp(argv[1], "-") != 0) {
		in = open(argv[1], O_RDONLY | O_CLOEXEC);
		if (in == -1)
			return cli_fail(cli, "%s: %s", argv[1],
			    strerror(errno));
	}
	buf_init(&outcome.line, SIZE_MAX / 4);
	/* One more than can be under way: the one that waits for room. */
	outcome.window = (size_t)cli->conf.client_window + 1;
	outcome.line_of = xcalloc(outcome.window, sizeof(*outcome.line_of));
	sender = sender_open(&cli->conf, on_result, &outcome);
	rc = send_lines(cli, in, &outcome, sender);
	if (rc == 0)
		rc = sender_flush(sender);
	if (rc == -1)
		rc = cli_fail(cli, "ingest has not answered for %lld s: "
		    "is the pipeline up? See 'skein status'",
		    (long long)cli->conf.client_patience);
	sender_close(&sender);
	if (in != STDIN_FILENO)
		close(in);
	buf_release(&outcome.line);
	free(outcome.line_of);
	if (rc == 0 && wait && outcome.last_seq > 0)
		rc = cli_wait_store(cli, outcome.last_seq) == 0 ? 0 : 1;
	return rc != 0 ? rc : outcome.refused > 0 ? 1 : 0;
}
