/*
 * raw-limit - how fast this machine could be: the spine with nothing on it
 *
 *   raw-limit pipeline DIR ENTRIES each|batch
 *   raw-limit acks DIR ENTRIES RATE
 *   raw-limit commit DIR COMMITS RATE
 *
 * `pipeline`: one client sends 400-byte entries one by one and has each acked
 * after a synchronous commit; six processes on one LMDB environment, the first
 * decodes and appends what comes, each of the others follows the one before
 * and appends a small record.  Batches are what has gathered, as in skein.  No
 * checks, no threads of talk, no resending, no tables.  Acks go one message
 * `each`, or one message a `batch`.  The time is from the first send until the
 * last process has passed the last entry.
 *
 * `acks`: the same at a pace; the latency from send to ack.
 * `commit`: the latency of a lone synchronous commit of one such entry, paced.
 * Both print the median and the 99th percentile in microseconds.
 *
 * This is the one place outside common/ that speaks to the libraries itself:
 * what skein puts between must not be in the measure.
 */
#include <errno.h>
#include <lmdb.h>
#include <msgpack.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

#include "bench/latency.h"

enum {
	PROCESSES = 6,
	BATCH = 512,		/* of the first process; as skein's ingest */
	FOLLOWED = 2048,	/* of the others; as batch_entries */
	WINDOW = 2048,
	ENTRY_BYTES = 400,
	CURSOR_TABLE = PROCESSES	/* after one table per process */
};

#define MUST(call)                                                        \
	do {                                                              \
		int rc_ = (call);                                         \
		if (rc_ != 0) {                                           \
			fprintf(stderr, "raw-limit: %s: %s\n", #call,     \
			    rc_ == -1 ? strerror(errno) :                 \
					mdb_strerror(rc_));               \
			exit(1);                                          \
		}                                                         \
	} while (0)
#define MUST_NOT_FAIL(call) MUST((call) == -1 ? -1 : 0)

static struct {
	const char *dir;
	MDB_env *env;
	MDB_dbi tables[PROCESSES + 1];
	bool ack_each;
} raw;

/* ---- the environment ---- */

static void
open_env(void)
{
	char name[16];
	MDB_txn *txn;
	int i;

	MUST(mdb_env_create(&raw.env));
	MUST(mdb_env_set_maxdbs(raw.env, PROCESSES + 1));
	MUST(mdb_env_set_mapsize(raw.env, (size_t)8 << 30));
	MUST(mdb_env_open(raw.env, raw.dir, 0, 0600));
	MUST(mdb_txn_begin(raw.env, NULL, 0, &txn));
	for (i = 0; i <= PROCESSES; i++) {
		snprintf(name, sizeof(name), "table%d", i);
		MUST(mdb_dbi_open(txn, name, MDB_CREATE, &raw.tables[i]));
	}
	MUST(mdb_txn_commit(txn));
}

static void
put_number(unsigned char key[8], uint64_t n)
{
	int i;

	for (i = 7; i >= 0; i--, n >>= 8)
		key[i] = (unsigned char)n;
}

static void
append(MDB_txn *txn, int table, uint64_t seq, const void *bytes, size_t len)
{
	unsigned char k[8];
	MDB_val key = { sizeof(k), k };
	MDB_val value = { len, (void *)(uintptr_t)bytes };

	put_number(k, seq);
	MUST(mdb_put(txn, raw.tables[table], &key, &value, MDB_APPEND));
}

static uint64_t
read_cursor(int process)
{
	unsigned char k = (unsigned char)process;
	MDB_val key = { 1, &k }, value;
	uint64_t seq = 0;
	MDB_txn *txn;
	int rc;

	MUST(mdb_txn_begin(raw.env, NULL, MDB_RDONLY, &txn));
	rc = mdb_get(txn, raw.tables[CURSOR_TABLE], &key, &value);
	if (rc == 0)
		memcpy(&seq, value.mv_data, sizeof(seq));
	else if (rc != MDB_NOTFOUND)
		MUST(rc);
	mdb_txn_abort(txn);
	return seq;
}

static void
commit_at(MDB_txn *txn, int process, uint64_t seq)
{
	unsigned char k = (unsigned char)process;
	MDB_val key = { 1, &k }, value = { sizeof(seq), &seq };

	MUST(mdb_put(txn, raw.tables[CURSOR_TABLE], &key, &value, 0));
	MUST(mdb_txn_commit(txn));
}

/* ---- sockets ---- */

static void *
open_socket(void *context, int type, bool bind, const char *name)
{
	void *socket = zmq_socket(context, type);
	char endpoint[200];
	int limit = 100000, zero = 0;

	if (snprintf(endpoint, sizeof(endpoint), "ipc://%s/%s", raw.dir,
		name) >= (int)sizeof(endpoint))
		exit(1);
	MUST(zmq_setsockopt(socket, ZMQ_SNDHWM, &limit, sizeof(limit)));
	MUST(zmq_setsockopt(socket, ZMQ_RCVHWM, &limit, sizeof(limit)));
	MUST(zmq_setsockopt(socket, ZMQ_LINGER, &zero, sizeof(zero)));
	if (type == ZMQ_SUB)
		MUST(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "", 0));
	MUST_NOT_FAIL(bind ? zmq_bind(socket, endpoint) :
			     zmq_connect(socket, endpoint));
	return socket;
}

static void
wait_readable(void *socket, long timeout_ms)
{
	zmq_pollitem_t item = { .socket = socket, .events = ZMQ_POLLIN };

	MUST_NOT_FAIL(zmq_poll(&item, 1, timeout_ms));
}

static void
tell(void *pub, uint64_t seq)
{
	MUST_NOT_FAIL(zmq_send(pub, &seq, sizeof(seq), 0));
}

/* ---- the first process ---- */

struct taken {
	zmq_msg_t from, body;
};

/* An entry is [number, {field: value}]; 0 if it is one. */
static int
decode(zmq_msg_t *body, msgpack_unpacked *object)
{
	const msgpack_object *o = &object->data;

	if (msgpack_unpack_next(object, zmq_msg_data(body), zmq_msg_size(body),
		NULL) != MSGPACK_UNPACK_SUCCESS ||
	    o->type != MSGPACK_OBJECT_ARRAY || o->via.array.size != 2 ||
	    o->via.array.ptr[1].type != MSGPACK_OBJECT_MAP)
		return -1;
	return 0;
}

static int
take_batch(void *router, struct taken *batch)
{
	msgpack_unpacked object;
	int n = 0;

	msgpack_unpacked_init(&object);
	while (n < BATCH) {
		MUST(zmq_msg_init(&batch[n].from));
		MUST(zmq_msg_init(&batch[n].body));
		if (zmq_msg_recv(&batch[n].from, router, ZMQ_DONTWAIT) == -1)
			break;
		MUST_NOT_FAIL(zmq_msg_recv(&batch[n].body, router, 0));
		MUST(decode(&batch[n].body, &object));
		n++;
	}
	msgpack_unpacked_destroy(&object);
	return n;
}

static void
send_acks(void *router, struct taken *batch, int n, uint64_t seq)
{
	uint64_t acks[BATCH];
	int i;

	for (i = 0; i < n; i++)
		acks[i] = seq + (uint64_t)i;
	for (i = 0; i < n; i += raw.ack_each ? 1 : n) {
		MUST_NOT_FAIL(zmq_msg_send(&batch[i].from, router,
		    ZMQ_SNDMORE));
		MUST_NOT_FAIL(zmq_send(router, &acks[i],
		    sizeof(acks[0]) * (raw.ack_each ? 1 : (size_t)n), 0));
	}
	for (i = 0; i < n; i++) {
		zmq_msg_close(&batch[i].from);
		zmq_msg_close(&batch[i].body);
	}
}

static void
run_first(void *context)
{
	void *router = open_socket(context, ZMQ_ROUTER, true, "in");
	void *pub = open_socket(context, ZMQ_PUB, true, "pub0");
	static struct taken batch[BATCH];
	uint64_t seq = 0;
	MDB_txn *txn;
	int i, n;

	for (;;) {
		wait_readable(router, -1);
		n = take_batch(router, batch);
		if (n == 0)
			continue;
		MUST(mdb_txn_begin(raw.env, NULL, 0, &txn));
		for (i = 0; i < n; i++)
			append(txn, 0, seq + 1 + (uint64_t)i,
			    zmq_msg_data(&batch[i].body),
			    zmq_msg_size(&batch[i].body));
		commit_at(txn, 0, seq + (uint64_t)n);
		send_acks(router, batch, n, seq + 1);
		seq += (uint64_t)n;
		tell(pub, seq);
	}
}

/* ---- the others ---- */

static void
run_follower(void *context, int process)
{
	static const unsigned char nothing[] = { 0x93, 1, 32, 0x80 };
	char name[16], before[16];
	uint64_t seq = 0, upto, there;
	void *pub, *sub;
	MDB_txn *txn;

	snprintf(name, sizeof(name), "pub%d", process);
	snprintf(before, sizeof(before), "pub%d", process - 1);
	pub = open_socket(context, ZMQ_PUB, true, name);
	sub = open_socket(context, ZMQ_SUB, false, before);
	for (;;) {
		wait_readable(sub, 50);
		while (zmq_recv(sub, &there, sizeof(there), ZMQ_DONTWAIT) != -1)
			;
		while ((there = read_cursor(process - 1)) > seq) {
			upto = there - seq > FOLLOWED ? seq + FOLLOWED : there;
			MUST(mdb_txn_begin(raw.env, NULL, 0, &txn));
			while (seq < upto)
				append(txn, process, ++seq, nothing,
				    sizeof(nothing));
			commit_at(txn, process, seq);
			tell(pub, seq);
		}
	}
}

static pid_t
start(int process)
{
	pid_t parent = getpid(), pid = fork();
	void *context;

	MUST_NOT_FAIL(pid);
	if (pid > 0)
		return pid;
	MUST(prctl(PR_SET_PDEATHSIG, SIGKILL));
	if (getppid() != parent)
		exit(1);
	open_env();
	context = zmq_ctx_new();
	if (process == 0)
		run_first(context);
	run_follower(context, process);
	exit(0);
}

/* ---- the client ---- */

static void
pack_field(msgpack_packer *p, const char *name, const char *value, size_t len)
{
	msgpack_pack_str(p, strlen(name));
	msgpack_pack_str_body(p, name, strlen(name));
	msgpack_pack_str(p, len);
	msgpack_pack_str_body(p, value, len);
}

static void
pack_entry(msgpack_sbuffer *out, uint64_t number)
{
	static char text[ENTRY_BYTES];
	msgpack_packer p;
	char user[16];
	int len;

	if (text[0] == '\0')
		memset(text, 'x', sizeof(text));
	len = snprintf(user, sizeof(user), "u%d", (int)(number % 50));
	msgpack_sbuffer_clear(out);
	msgpack_packer_init(&p, out, msgpack_sbuffer_write);
	msgpack_pack_array(&p, 2);
	msgpack_pack_uint64(&p, number);
	msgpack_pack_map(&p, 4);
	pack_field(&p, "type", "turn", 4);
	pack_field(&p, "user", user, (size_t)len);
	pack_field(&p, "channel", "web", 3);
	pack_field(&p, "text", text, ENTRY_BYTES - out->size - 12);
}

static uint64_t
take_acks(void *dealer, int flags)
{
	uint64_t acks[BATCH], taken = 0;
	int n;

	while ((n = zmq_recv(dealer, acks, sizeof(acks),
		    taken > 0 ? ZMQ_DONTWAIT : flags)) != -1)
		taken += (uint64_t)n / sizeof(acks[0]);
	return taken;
}

static void
send_all(void *dealer, uint64_t entries)
{
	uint64_t sent = 0, acked = 0;
	msgpack_sbuffer entry;

	msgpack_sbuffer_init(&entry);
	while (acked < entries) {
		if (sent < entries && sent - acked < WINDOW) {
			pack_entry(&entry, ++sent);
			MUST_NOT_FAIL(zmq_send(dealer, entry.data, entry.size,
			    0));
			if (sent % 64 != 0)
				continue;
			acked += take_acks(dealer, ZMQ_DONTWAIT);
		} else
			acked += take_acks(dealer, 0);
	}
	msgpack_sbuffer_destroy(&entry);
}

static double *
new_times(uint64_t count)
{
	double *times = calloc(count + 1, sizeof(*times));

	if (times == NULL)
		exit(1);
	return times;
}

static void
send_paced(void *dealer, uint64_t entries, double rate)
{
	double *took = new_times(entries), begin = now_s(), now;
	uint64_t sent = 0, acked = 0, n;
	msgpack_sbuffer entry;

	msgpack_sbuffer_init(&entry);
	while (acked < entries) {
		while (sent < entries &&
		    begin + (double)sent / rate <= now_s()) {
			took[sent] = now_s();
			pack_entry(&entry, ++sent);
			MUST_NOT_FAIL(zmq_send(dealer, entry.data, entry.size,
			    0));
		}
		wait_readable(dealer, 1);
		n = take_acks(dealer, ZMQ_DONTWAIT);
		for (now = now_s(); n > 0; n--, acked++)
			took[acked] = now - took[acked];
	}
	print_percentiles(took, entries);
	msgpack_sbuffer_destroy(&entry);
	free(took);
}

/* Paced where a rate is given. */
static int
run_pipeline(uint64_t entries, double rate)
{
	pid_t pids[PROCESSES];
	void *context, *dealer;
	double begin, seconds;
	int i;

	/* Made here, opened by each: LMDB does not survive a fork. */
	open_env();
	mdb_env_close(raw.env);
	for (i = 0; i < PROCESSES; i++)
		pids[i] = start(i);
	open_env();
	context = zmq_ctx_new();
	dealer = open_socket(context, ZMQ_DEALER, false, "in");
	send_all(dealer, 1);	/* all are there before the clock starts */
	while (read_cursor(PROCESSES - 1) < 1)
		usleep(1000);
	begin = now_s();
	if (rate > 0)
		send_paced(dealer, entries, rate);
	else
		send_all(dealer, entries);
	while (read_cursor(PROCESSES - 1) < entries + 1)
		usleep(200);
	seconds = now_s() - begin;
	for (i = 0; i < PROCESSES; i++) {
		MUST(kill(pids[i], SIGKILL));
		MUST_NOT_FAIL(waitpid(pids[i], NULL, 0));
	}
	if (rate == 0)
		printf("%.3f %.0f\n", seconds, (double)entries / seconds);
	return 0;
}

/* ---- a lone commit ---- */

static int
run_commits(uint64_t count, double rate)
{
	double *took = new_times(count), due, wait_ns;
	msgpack_sbuffer entry;
	struct timespec pause;
	MDB_txn *txn;
	uint64_t i;

	open_env();
	msgpack_sbuffer_init(&entry);
	for (i = 0, due = now_s(); i < count; i++, due += 1 / rate) {
		wait_ns = (due - now_s()) * 1e9;
		pause = (struct timespec){
			.tv_sec = (time_t)(wait_ns / 1e9),
			.tv_nsec = (long)wait_ns % 1000000000 };
		if (wait_ns > 0)
			nanosleep(&pause, NULL);
		pack_entry(&entry, i + 1);
		took[i] = now_s();
		MUST(mdb_txn_begin(raw.env, NULL, 0, &txn));
		append(txn, 0, i + 1, entry.data, entry.size);
		commit_at(txn, 0, i + 1);
		took[i] = now_s() - took[i];
	}
	print_percentiles(took, count);
	msgpack_sbuffer_destroy(&entry);
	mdb_env_close(raw.env);
	free(took);
	return 0;
}

int
main(int argc, char **argv)
{
	uint64_t count;

	if (argc != 5) {
		fprintf(stderr, "usage: raw-limit pipeline DIR ENTRIES "
				"each|batch\n"
				"       raw-limit acks DIR ENTRIES RATE\n"
				"       raw-limit commit DIR COMMITS RATE\n");
		return 2;
	}
	raw.dir = argv[2];
	raw.ack_each = strcmp(argv[4], "batch") != 0;
	count = strtoull(argv[3], NULL, 10);
	if (mkdir(raw.dir, 0700) == -1 && errno != EEXIST) {
		perror(raw.dir);
		return 1;
	}
	if (strcmp(argv[1], "pipeline") == 0)
		return run_pipeline(count, 0);
	if (strcmp(argv[1], "acks") == 0)
		return run_pipeline(count, strtod(argv[4], NULL));
	return run_commits(count, strtod(argv[4], NULL));
}
