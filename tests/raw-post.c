/*
 * raw-post - sends to skein's sockets what no decent client would
 *
 *   raw-post bodies HOME         each line is the body of one post, in hex;
 *                                prints the result of each
 *   raw-post dealer HOME NAME    each line is one message, its parts in hex
 *   raw-post xsub HOME NAME      with spaces between ("-" is an empty part);
 *                                dealer prints the replies that come
 *   raw-post stream HOME NAME    standard input as bytes, without ZeroMQ
 *
 * NAME is a file in HOME/run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#include "common/log.h"
#include "common/sender.h"
#include "common/xmalloc.h"

enum { QUIET_MS = 300 };	/* no reply for this long: no more will come */

/* ---- hex ---- */

static int
digit(char c)
{
	const char *digits = "0123456789abcdef", *at = strchr(digits, c);

	if (c == '\0' || at == NULL)
		fatalx(2, "'%c' is no hex digit", c);
	return (int)(at - digits);
}

/* The bytes of the hex digits up to a space or the end, which it returns. */
static const char *
read_hex(const char *hex, struct buf *out)
{
	buf_clear(out);
	if (*hex == '-')
		return hex + 1;
	for (; *hex != '\0' && *hex != ' '; hex += 2)
		buf_addc(out, (char)(digit(hex[0]) << 4 | digit(hex[1])));
	return hex;
}

static bool
read_line(char **line, size_t *cap)
{
	ssize_t len = getline(line, cap, stdin);

	if (len > 0 && (*line)[len - 1] == '\n')
		(*line)[len - 1] = '\0';
	return len != -1;
}

/* ---- bodies, through the client's own code ---- */

static void
print_result(void *data, const struct msg_ack *ack)
{
	struct buf *line = data;

	buf_clear(line);
	msg_to_json(line, MSG_ack, ack, false);
	puts(buf_cstr(line));
}

static void
send_bodies(const char *home)
{
	struct sender *sender;
	struct buf body, out;
	struct conf conf;
	char *line = NULL;
	size_t cap = 0;

	conf_init(&conf, home);
	buf_init(&body, SIZE_MAX / 4);
	buf_init(&out, SIZE_MAX / 4);
	sender = sender_open(&conf, print_result, &out);
	while (read_line(&line, &cap)) {
		(void)read_hex(line, &body);
		if (sender_post(sender, buf_slice(&body)) == -1)
			fatalx(1, "no answer");
	}
	if (sender_flush(sender) == -1)
		fatalx(1, "no answer");
	sender_close(&sender);
	buf_release(&body);
	buf_release(&out);
	conf_release(&conf);
	free(line);
}

/* ---- messages ---- */

static void
send_parts(void *socket, const char *line)
{
	struct buf part;
	bool more = true;

	buf_init(&part, SIZE_MAX / 4);
	while (more) {
		line = read_hex(line, &part);
		more = *line == ' ';
		line += more;
		if (zmq_send(socket, buf_cstr(&part), part.len,
			more ? ZMQ_SNDMORE : 0) == -1)
			fatal(1, "zmq_send");
	}
	buf_release(&part);
}

static void
print_reply(const void *bytes, size_t len)
{
	struct msg_reply reply;
	struct msg_error why;
	struct arena arena;
	struct buf out;

	arena_init(&arena);
	buf_init(&out, SIZE_MAX / 4);
	if (msg_decode_as(slice_of(bytes, len), &arena, MSG_reply, &reply,
		&why) == -1)
		fatalx(1, "a reply that is none: %s", why.text);
	msg_to_json(&out, MSG_reply, &reply, false);
	puts(buf_cstr(&out));
	buf_release(&out);
	arena_release(&arena);
}

static void
print_replies(void *socket)
{
	zmq_pollitem_t item = { .socket = socket, .events = ZMQ_POLLIN };
	zmq_msg_t m;

	while (zmq_poll(&item, 1, QUIET_MS) > 0) {
		zmq_msg_init(&m);
		if (zmq_msg_recv(&m, socket, 0) == -1)
			fatal(1, "zmq_msg_recv");
		print_reply(zmq_msg_data(&m), zmq_msg_size(&m));
		zmq_msg_close(&m);
	}
}

static void
send_messages(const char *endpoint, int type)
{
	void *context = zmq_ctx_new(), *socket = zmq_socket(context, type);
	int linger_ms = 2000;
	char *line = NULL;
	size_t cap = 0;

	if (socket == NULL ||
	    zmq_setsockopt(socket, ZMQ_LINGER, &linger_ms, sizeof(linger_ms)) ==
		-1 ||
	    zmq_connect(socket, endpoint) == -1)
		fatal(1, "%s", endpoint);
	while (read_line(&line, &cap))
		send_parts(socket, line);
	if (type == ZMQ_DEALER)
		print_replies(socket);
	free(line);
	zmq_close(socket);
	zmq_ctx_term(context);
}

/* ---- bytes ---- */

static void
send_stream(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char bytes[65536];
	ssize_t len;
	int fd;

	if (strlen(path) >= sizeof(address.sun_path))
		fatalx(2, "%s: too long", path);
	memcpy(address.sun_path, path, strlen(path));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd == -1 ||
	    connect(fd, (struct sockaddr *)&address, sizeof(address)) == -1)
		fatal(1, "%s", path);
	while ((len = read(0, bytes, sizeof(bytes))) > 0)
		/* ZeroMQ hangs up as soon as it sees what it is given. */
		if (send(fd, bytes, (size_t)len, MSG_NOSIGNAL) == -1 &&
		    errno != EPIPE && errno != ECONNRESET)
			fatal(1, "send");
	close(fd);
}

int
main(int argc, char **argv)
{
	char *path, *endpoint;

	log_open("raw-post", LOG_INFO);
	if (argc == 3 && strcmp(argv[1], "bodies") == 0) {
		send_bodies(argv[2]);
		return 0;
	}
	if (argc != 4)
		fatalx(2, "bodies HOME | dealer, xsub or stream HOME NAME");
	path = xasprintf("%s/run/%s", argv[2], argv[3]);
	endpoint = xasprintf("ipc://%s", path);
	if (strcmp(argv[1], "dealer") == 0)
		send_messages(endpoint, ZMQ_DEALER);
	else if (strcmp(argv[1], "xsub") == 0)
		send_messages(endpoint, ZMQ_XSUB);
	else if (strcmp(argv[1], "stream") == 0)
		send_stream(path);
	else
		fatalx(2, "'%s' is not understood", argv[1]);
	free(path);
	free(endpoint);
	return 0;
}
