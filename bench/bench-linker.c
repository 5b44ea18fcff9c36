/*
 * bench-linker - what an exchange costs: its hash pass, its linking
 *
 *   bench-linker hash MIB            MB/s of the normal form with its hashes,
 *                                    and of the hash alone on the same bytes
 *   bench-linker depth DIR N...      microseconds to link a request of N
 *                                    messages after N - 2 are known
 *   bench-linker store DIR COUNT...  the same among COUNT earlier calls: without
 *                                    its share of the commit, and with it
 *
 * Linking runs on the linker's tables in DIR, without processes; times are the
 * processor's.  Stores of several sizes are measured in turns, so that a host
 * that is slower for a while is slower for all of them.  See bench-linker.sh.
 */
#include <jansson.h>
#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <xxhash.h>

#include "common/log.h"
#include "common/stage_impl.h"
#include "ingest/normal.h"
#include "linker/exchange.h"

enum {
	A_COMMIT = 20000,
	ROUND = 1000,		/* calls that are timed together */
	ROUNDS = 5,		/* of which the best counts */
	CROWD_ROUNDS = 9,	/* likewise */
	REPLY_WORDS = 60,
	WORDS = 5000,
	OPEN = 1000,		/* conversations that go on */
};

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- hashing ---- */

static json_t *
make_request(size_t bytes, size_t messages)
{
	json_t *list = json_array(), *x = json_object();
	size_t i, each = bytes / messages;
	char *text = malloc(each + 1);

	for (i = 0; i < each; i++)
		text[i] = (char)(i % 7 == 6 ? ' ' : 'a' + i % 23);
	for (i = 0; i < messages; i++) {
		text[i % each] = (char)('A' + i % 26);
		json_array_append_new(list, json_pack("{s:s, s:s%}", "role",
		    i % 2 == 0 ? "user" : "assistant", "content", text, each));
	}
	json_object_set_new(x, "messages", list);
	free(text);
	return x;
}

static double
time_normal(json_t *request, int times)
{
	struct normal_exchange out;
	struct refusal refusal;
	struct arena arena;
	struct conf conf;
	double start;
	int i;

	arena_init(&arena);
	conf_init(&conf, "/nowhere");
	start = seconds();
	for (i = 0; i < times; i++) {
		if (normal_read(&conf, request, &arena, &out, &refusal) == -1)
			fatalx(1, "%s", refusal.why.text);
		arena_reset(&arena);
	}
	start = seconds() - start;
	conf_release(&conf);
	arena_release(&arena);
	return start;
}

static double
time_raw(size_t bytes, int times)
{
	unsigned char *text = malloc(bytes), out[PREFIX_HASH_BYTES];
	double start;
	int i;

	memset(text, 'x', bytes);
	start = seconds();
	for (i = 0; i < times; i++)
		crypto_generichash(out, sizeof(out), text, bytes, NULL, 0);
	start = seconds() - start;
	free(text);
	return start;
}

static int
bench_hash(size_t mib)
{
	enum { TIMES = 10 };
	size_t bytes = mib << 20;
	json_t *request = make_request(bytes, mib * 256);
	double own = time_normal(request, TIMES);
	double raw = time_raw(bytes, TIMES);

	printf("%.0f %.0f\n", (double)bytes * TIMES / own / 1e6,
	    (double)bytes * TIMES / raw / 1e6);
	json_decref(request);
	return 0;
}

/* ---- linking ---- */

struct bench {
	struct stage st;
	uint64_t seq;
	int64_t ts;
	char words[WORDS][8];	/* made before, so as not to be measured */
};

/* A conversation: where its last call stands. */
struct talk_end {
	uint64_t seq, i, depth;
};

static char *
make_hash(struct arena *arena, uint64_t seq, uint64_t i)
{
	uint64_t from[2] = { seq, i };
	XXH128_hash_t h = XXH3_128bits(from, sizeof(from));
	char *out = arena_alloc(arena, CALL_HASH_BYTES);

	memcpy(out, &h, CALL_HASH_BYTES);
	return out;
}

static struct slice
make_text(struct bench *b, uint64_t seed)
{
	char *text = arena_alloc(&b->st.arena,
	    REPLY_WORDS * sizeof(b->words[0]));
	int i;

	for (i = 0; i < REPLY_WORDS; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		memcpy(text + i * (int)sizeof(b->words[0]),
		    b->words[(seed >> 33) % WORDS], sizeof(b->words[0]));
	}
	return slice_of(text, REPLY_WORDS * sizeof(b->words[0]));
}

/* One message more and its reply: decided and applied. */
static void
link_call(struct bench *b, struct talk_end *t)
{
	struct arena *a = &b->st.arena;
	struct msg_s_linker *section = arena_alloc(a, sizeof(*section));
	union msg_any *entry = arena_alloc(a, sizeof(*entry));
	struct msg_exchange *x = &entry->exchange;
	struct stage_entry e = { .seq = ++b->seq,
		.entry = { MSG_exchange, entry } };
	struct link l = { &b->st, &e, section, a, &b->st.conf };
	size_t i;

	x->domain = SLICE("default");
	x->ts = b->ts += 1000;
	x->system_hash = slice_of("0123456789abcdef", CALL_HASH_BYTES);
	x->known = t->depth;
	x->parent_seq = t->seq;
	x->parent_i = t->i;
	x->added = arena_array(a, 2, sizeof(x->added[0]));
	x->n_added = 2;
	for (i = 0; i < 2; i++)
		x->added[i] = (struct msg_xmessage){
			.role = i == 0 ? SLICE("user") : SLICE("assistant"),
			.text = make_text(b, b->seq * 2 + i),
			.hash = slice_of(make_hash(a, b->seq, i),
			    CALL_HASH_BYTES),
			.reply = i == 1,
		};
	x->hash = x->added[0].hash;
	x->reply_hash = x->added[1].hash;
	exchanges_decide(&l);
	exchanges_apply(&l);
	*t = (struct talk_end){ e.seq, 1, t->depth + 2 };
	arena_reset(a);
}

static void
begin(struct bench *b)
{
	b->st.tables = db_write(b->st.own);
}

static void
commit(struct bench *b)
{
	if (db_commit(&b->st.tables) != DB_DONE)
		fatalx(1, "%s", db_reason(b->st.own));
}

static void
open_tables(struct bench *b, const char *dir)
{
	struct db_options options = { .map_bytes = UINT64_C(32) << 30,
		.map_limit = UINT64_C(32) << 30, .max_readers = 16 };
	struct db_error why;
	char word[16];
	int i;

	*b = (struct bench){ .ts = INT64_C(1700000000000) };
	for (i = 0; i < WORDS; i++) {
		(void)snprintf(word, sizeof(word), "wo%05d ", i);
		memcpy(b->words[i], word, sizeof(b->words[i]));
	}
	conf_init(&b->st.conf, "/nowhere");
	arena_init(&b->st.arena);
	if (db_open(&b->st.own, dir, ENV_linker, &options, &why) == -1)
		fatalx(1, "%s: %s", dir, why.text);
}

static void
close_tables(struct bench *b)
{
	db_close(&b->st.own);
	arena_release(&b->st.arena);
	conf_release(&b->st.conf);
}

/* Forks of one call: each is a request of n messages, n - 2 of them known. */
static int
bench_depth(const char *dir, int argc, char **argv)
{
	struct talk_end t, fork;
	struct bench b;
	double start, best;
	uint64_t n;
	int i, k, round;

	open_tables(&b, dir);
	for (k = 0; k < argc; k++) {
		n = strtoull(argv[k], NULL, 10);
		t = (struct talk_end){ 0 };
		begin(&b);
		while (t.depth + 2 < n)
			link_call(&b, &t);
		best = 1e9;
		for (round = 0; round < ROUNDS; round++) {
			start = seconds();
			for (i = 0; i < ROUND; i++) {
				fork = t;
				link_call(&b, &fork);
			}
			best = fmin(best, seconds() - start);
		}
		commit(&b);
		printf("%llu %.2f\n", (unsigned long long)n,
		    best / ROUND * 1e6);
	}
	close_tables(&b);
	return 0;
}

/* Calls among earlier ones. */
struct crowd {
	struct bench b;
	struct talk_end open[OPEN];
	uint64_t random;
	double best, best_whole;
};

static void
link_some(struct crowd *c, uint64_t n)
{
	uint64_t x = c->random;

	for (; n > 0; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		if (x % 10 == 0)
			c->open[(x >> 8) % OPEN] = (struct talk_end){ 0 };
		link_call(&c->b, &c->open[(x >> 8) % OPEN]);
	}
	c->random = x;
}

static struct crowd *
crowd_open(const char *parent, const char *name)
{
	struct crowd *c = calloc(1, sizeof(*c));
	uint64_t left = strtoull(name, NULL, 10), n;
	char *dir = NULL;

	if (c == NULL || asprintf(&dir, "%s/%s", parent, name) == -1)
		fatalx(1, "no memory");
	if (mkdir(dir, 0700) == -1)
		fatal(1, "%s", dir);
	open_tables(&c->b, dir);
	c->random = 88172645463325252u;
	c->best = c->best_whole = 1e9;
	for (; left > 0; left -= n) {
		n = left < A_COMMIT ? left : A_COMMIT;
		begin(&c->b);
		link_some(c, n);
		commit(&c->b);
	}
	free(dir);
	return c;
}

static void
time_round(struct crowd *c)
{
	double start = seconds();

	begin(&c->b);
	link_some(c, ROUND);
	c->best = fmin(c->best, seconds() - start);
	commit(&c->b);
	c->best_whole = fmin(c->best_whole, seconds() - start);
}

static int
bench_store(const char *dir, int argc, char **argv)
{
	struct crowd **crowds = calloc((size_t)argc, sizeof(crowds[0]));
	int i, round;

	for (i = 0; i < argc; i++)
		crowds[i] = crowd_open(dir, argv[i]);
	for (round = 0; round < CROWD_ROUNDS; round++)
		for (i = 0; i < argc; i++)
			time_round(crowds[i]);
	for (i = 0; i < argc; i++) {
		printf("%s %.2f %.2f\n", argv[i],
		    crowds[i]->best / ROUND * 1e6,
		    crowds[i]->best_whole / ROUND * 1e6);
		close_tables(&crowds[i]->b);
		free(crowds[i]);
	}
	free(crowds);
	return 0;
}

int
main(int argc, char **argv)
{
	if (sodium_init() == -1)
		return 1;
	if (argc == 3 && strcmp(argv[1], "hash") == 0)
		return bench_hash(strtoull(argv[2], NULL, 10));
	if (argc > 3 && strcmp(argv[1], "depth") == 0)
		return bench_depth(argv[2], argc - 3, argv + 3);
	if (argc > 3 && strcmp(argv[1], "store") == 0)
		return bench_store(argv[2], argc - 3, argv + 3);
	fprintf(stderr, "see the head of bench/bench-linker.c\n");
	return 2;
}
