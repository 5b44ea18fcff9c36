/*
 * u-sender - a client's numbering against an ingest that loses things
 *
 * This program is both: run again with a mode it is a small ingest of its own,
 * which keeps the rules of numbering (only the next number is taken) and
 * forgets or ignores what the mode says.  It writes down what it took.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/bus.h"
#include "common/sender.h"
#include "common/xmalloc.h"
#include "tests/tap.h"

enum { ENTRIES = 300, WINDOW = 16 };

static struct test {
	const char *program;
	char home[64];
	struct conf conf;
	uint64_t results;
	bool in_order;
} t = { .home = "/tmp/skein-u-sender.XXXXXX" };

/* ---- the other side ---- */

struct peer {
	struct bus_socket *router;
	FILE *taken;
	uint64_t next, messages, widest;
	const char *mode;
	struct arena arena;
};

static bool
is_mode(const struct peer *p, const char *mode)
{
	return strcmp(p->mode, mode) == 0;
}

static void
answer(struct peer *p, struct slice route, const struct msg_reply *reply)
{
	struct slice parts[2] = { route };
	struct buf out;

	buf_init(&out, 1 << 16);
	if (msg_encode(&out, MSG_reply, reply) == -1)
		abort();
	parts[1] = buf_slice(&out);
	(void)bus_send(p->router, parts, 2);
	buf_release(&out);
}

static void
take(struct peer *p, struct slice route, const struct msg_post *post)
{
	struct msg_ack ack = { .number = post->number, .seq = post->number };
	struct msg_reply reply = { .acks = &ack, .n_acks = 1 };

	if (post->number > p->next) {
		reply = (struct msg_reply){ .expect = p->next };
	} else if (post->number == p->next) {
		fprintf(p->taken, "%.*s\n", SLICE_ARG(post->body));
		p->next++;
	}
	if (post->number - post->settled > p->widest)
		p->widest = post->number - post->settled;
	/* The result of every 31st message is lost on its way. */
	if (!is_mode(p, "forgets") || p->messages % 31 != 0)
		answer(p, route, &reply);
	if (is_mode(p, "repeats"))
		answer(p, route, &reply);
}

static int
be_peer(const char *mode, const char *home)
{
	struct peer p = { .next = 1, .mode = mode };
	struct bus *bus = bus_open();
	struct bus_message m;
	struct msg_error why;
	struct msg_post post = { 0 };
	char *path = xasprintf("%s/taken", home);

	p.taken = fopen(path, "w");
	p.router = bus_socket(bus, BUS_ROUTER);
	arena_init(&p.arena);
	if (p.taken == NULL)
		return 1;
	if (is_mode(&p, "late"))
		usleep(400000);
	if (bus_bind(p.router, home, "ingest.sock") == -1)
		return 1;
	while (!post.bye && bus_wait(p.router, 10000)) {
		if (!bus_receive(p.router, &m) || m.count != 2 ||
		    msg_decode_as(m.parts[1], &p.arena, MSG_post, &post, &why) ==
			-1)
			return 1;
		p.messages++;
		/* Every 29th never comes; nor does any, from a mute one. */
		if (!post.bye && !is_mode(&p, "mute") &&
		    (!is_mode(&p, "ignores") || p.messages % 29 != 0))
			take(&p, m.parts[0], &post);
		arena_reset(&p.arena);
	}
	fprintf(p.taken, "widest %llu\n", (unsigned long long)p.widest);
	fclose(p.taken);
	arena_release(&p.arena);
	bus_close(&bus);
	free(path);
	return 0;
}

/* ---- this side ---- */

static void
on_result(void *data, const struct msg_ack *ack)
{
	(void)data;
	t.in_order = t.in_order && ack->number == t.results + 1 &&
	    ack->seq == ack->number;
	t.results++;
}

static pid_t
start_peer(const char *mode)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		execl(t.program, t.program, mode, t.home, (char *)NULL);
		_exit(127);
	}
	return pid;
}

/* What the peer took: each once and in order, within the window. */
static void
check_taken(const char *mode)
{
	char *path = xasprintf("%s/taken", t.home);
	FILE *file = fopen(path, "r");
	unsigned n, i, widest = 0;
	bool good = file != NULL;

	for (i = 1; good && i <= ENTRIES; i++)
		good = fscanf(file, "entry %u\n", &n) == 1 && n == i;
	ok(good, "%s: each entry was taken once, in order", mode);
	ok(good && fscanf(file, "widest %u", &widest) == 1 &&
	    widest <= WINDOW, "%s: never more than %d under way", mode, WINDOW);
	if (file != NULL)
		fclose(file);
	unlink(path);
	free(path);
}

static void
test_peer(const char *mode)
{
	pid_t pid = start_peer(mode);
	struct sender *s;
	struct slice body;
	struct arena arena;
	int i, rc = 0, status;

	t.results = 0;
	t.in_order = true;
	arena_init(&arena);
	s = sender_open(&t.conf, on_result, NULL);
	for (i = 1; i <= ENTRIES && rc == 0; i++) {
		body = arena_printf(&arena, "entry %d", i);
		rc = sender_post(s, body);
	}
	is_int(rc, 0, mode);
	is_int(sender_flush(s), 0, "all have their result");
	is_int(t.results, ENTRIES, "each one");
	ok(t.in_order, "once, in order");
	is_int(sender_flush(s), 0, "nothing is owed any more");
	sender_close(&s);
	ok(s == NULL, "closed");
	ok(waitpid(pid, &status, 0) == pid && status == 0,
	    "which the peer was told");
	arena_release(&arena);
	check_taken(mode);
}

/* A peer that never answers: an error after client_patience, not for ever. */
static void
test_mute(void)
{
	pid_t pid = start_peer("mute");
	struct sender *s = sender_open(&t.conf, on_result, NULL);
	int i, rc = 0;

	t.conf.client_patience = 1;
	t.results = 0;
	is_int(sender_post(s, SLICE("entry 1")), 0, "a mute peer: taken on");
	is_int(sender_flush(s), -1, "but no result comes");
	for (i = 0; i < WINDOW && rc == 0; i++)
		rc = sender_post(s, SLICE("more"));
	is_int(rc, -1, "and past the window nothing more is taken on");
	is_int(t.results, 0, "none was made up");
	sender_close(&s);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	t.conf.client_patience = 60;
}

int
main(int argc, char **argv)
{
	char *run, *path;

	t.program = argv[0];
	if (argc == 3)
		return be_peer(argv[1], argv[2]);
	if (mkdtemp(t.home) == NULL)
		abort();
	run = xasprintf("%s/run", t.home);
	mkdir(run, 0700);
	conf_init(&t.conf, t.home);
	t.conf.client_window = WINDOW;
	test_peer("plain");
	test_peer("late");
	test_peer("forgets");
	test_peer("ignores");
	test_peer("repeats");
	test_mute();
	path = xasprintf("%s/ingest.sock", run);
	unlink(path);
	free(path);
	path = xasprintf("%s/taken", t.home);
	unlink(path);
	free(path);
	rmdir(run);
	rmdir(t.home);
	free(run);
	conf_release(&t.conf);
	return done();
}
