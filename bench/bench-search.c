/*
 * bench-search - the search index beside SQLite FTS5, on one made-up corpus
 *
 *   feed N            N turns as JSON lines
 *   pass STAGE        be that stage and pass all entries on: what stages do
 *                     before the store is measured elsewhere
 *   fts DB N          an FTS5 index of the same turns: seconds by the clock and
 *                     of the processor, bytes
 *   ask N [DB]        N queries of each length to the index of SKEIN_HOME, as a
 *                     search is and by words alone, and to DB: lines "WHO
 *                     WORDS p50_us p99_us", WHO being skein, words, fts5
 *
 * Words are drawn from a vocabulary by Zipf's law, so that lists of all
 * lengths are met.  FTS5 is built without a copy of the text, with the Porter
 * stemmer, and asked for any of the words, the best ten by its bm25.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "cli/cli.h"
#include "common/log.h"
#include "common/stage.h"
#include "common/xmalloc.h"
#include "store/search.h"

#if __has_include(<sqlite3.h>)
#include <sqlite3.h>
#define HAS_SQLITE 1
#else
#define HAS_SQLITE 0
#endif

enum { WORDS = 60000, LONGEST = 8, BATCH = 512 };

static uint64_t
roll(uint64_t *dice)
{
	*dice ^= *dice << 13;
	*dice ^= *dice >> 7;
	*dice ^= *dice << 17;
	return *dice;
}

/* By rank, about as often as one over the rank. */
static unsigned
draw(uint64_t *dice)
{
	double u = (double)(roll(dice) >> 11) / (double)(UINT64_C(1) << 53);

	return (unsigned)(exp(u * log((double)WORDS)) - 1.0);
}

/* A word that looks like one: syllables by the digits of its number. */
static void
spell(unsigned n, struct buf *out)
{
	static const char *const parts[] = { "ba", "ko", "ri", "men", "tu",
		"sal", "ve", "dor", "pi", "gan", "lo", "fer", "ni", "zu",
		"tas", "hel" };

	do {
		buf_adds(out, parts[n % 16]);
		n /= 16;
	} while (n > 0);
}

/* The text of turn i: the same each time. */
static void
write_text(uint64_t i, struct buf *out)
{
	uint64_t dice = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
	size_t n;

	(void)roll(&dice);
	for (n = 4 + roll(&dice) % 24; n > 0; n--) {
		spell(draw(&dice), out);
		buf_addc(out, ' ');
	}
}

static int
feed(uint64_t n)
{
	struct buf text;
	uint64_t i;

	buf_init(&text, 1 << 20);
	for (i = 0; i < n; i++) {
		buf_clear(&text);
		write_text(i, &text);
		printf("{\"user\":\"u%llu\",\"thread\":\"t%llu\",\"ts\":%llu,"
		       "\"text\":\"%s\"}\n", (unsigned long long)(i / 50 % 997),
		    (unsigned long long)(i / 50), 1700000000000ull + i * 1000,
		    buf_cstr(&text));
	}
	buf_release(&text);
	return 0;
}

static double
read_clock(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Processor time: both sides only compute, and others may be at work. */
static double
now(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* ---- questions ---- */

/* Query q of `words` words, the words of a turn: half of them rare. */
static void
write_query(uint64_t q, unsigned words, const char *between, struct buf *out)
{
	uint64_t dice = (q * 31 + words + 7) * UINT64_C(0xd1342543de82ef95);
	unsigned i;

	(void)roll(&dice);
	for (i = 0; i < words; i++) {
		buf_adds(out, i > 0 ? between : "");
		spell(draw(&dice), out);
	}
}

static int
compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
report(const char *who, unsigned words, double *took, size_t n)
{
	qsort(took, n, sizeof(took[0]), compare);
	printf("%s %u %.1f %.1f\n", who, words, took[n / 2] * 1e6,
	    took[n * 99 / 100] * 1e6);
}

struct home {
	struct conf conf;
	struct db *shared, *ingest, *store;
	struct search *search;
};

static void
open_home(struct home *h, int *argc, char **argv)
{
	static const enum env_id envs[] = { ENV_shared, ENV_ingest,
		ENV_store };
	struct db **into[] = { &h->shared, &h->ingest, &h->store };
	struct db_options options;
	struct db_error why;
	char *dir;
	size_t i;

	conf_load(&h->conf, argc, argv, 2);
	options = stage_db_options(&h->conf);
	options.read_only = true;
	for (i = 0; i < 3; i++) {
		dir = conf_path(&h->conf, "db/%s", env_name(envs[i]));
		if (db_open(into[i], dir, envs[i], &options, &why) == -1)
			fatalx(1, "%s", why.text);
		free(dir);
	}
	h->search = search_open(&h->conf);
}

static void
ask_home(struct home *h, size_t queries, bool lexical)
{
	struct search_query query = SEARCH_ALL;
	struct search_view view = { db_read(h->shared), db_read(h->ingest),
		NULL, db_read(h->store) };
	struct search_result result;
	double *took = xcalloc(queries, sizeof(took[0])), from;
	struct buf text, why;
	struct arena arena;
	unsigned words;
	size_t q;

	arena_init(&arena);
	buf_init(&text, 1 << 20);
	buf_init(&why, 4096);
	query.in = SEARCH_IN(SEARCH_TURN);
	query.lexical = lexical;
	/* What is read once, a worker has read long before. */
	query.text = SLICE("bako");
	if (search_run(h->search, &view, &query, &arena, &result, &why) == -1)
		fatalx(1, "%s", buf_cstr(&why));
	arena_reset(&arena);
	while (search_warm(h->search))
		;
	for (words = 1; words <= LONGEST; words++) {
		for (q = 0; q < queries; q++) {
			buf_clear(&text);
			write_query(q, words, " ", &text);
			query.text = buf_slice(&text);
			from = now();
			if (search_run(h->search, &view, &query, &arena,
				&result, &why) == -1)
				fatalx(1, "%s", buf_cstr(&why));
			took[q] = now() - from;
			arena_reset(&arena);
		}
		report(lexical ? "words" : "skein", words, took, queries);
	}
	free(took);
	buf_release(&text);
	buf_release(&why);
	arena_release(&arena);
	db_abort(&view.shared);
	db_abort(&view.ingest);
	db_abort(&view.store);
}

/* ---- SQLite ---- */

#if HAS_SQLITE
static void
must(sqlite3 *db, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		fatalx(1, "sqlite: %s", sqlite3_errmsg(db));
}

static void
run(sqlite3 *db, const char *sql)
{
	must(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
}

static int
build_fts(const char *path, uint64_t n)
{
	sqlite3_stmt *insert;
	double spent = 0.0, waited = 0.0, from, begin;
	struct buf text;
	struct stat st;
	sqlite3 *db;
	uint64_t i;

	must(NULL, sqlite3_open(path, &db));
	run(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;"
		"CREATE VIRTUAL TABLE t USING fts5(text, content='', "
		"tokenize='porter unicode61')");
	must(db, sqlite3_prepare_v2(db,
	    "INSERT INTO t(rowid, text) VALUES(?, ?)", -1, &insert, NULL));
	buf_init(&text, 1 << 20);
	for (i = 0; i < n; i++) {
		buf_clear(&text);
		write_text(i, &text);
		from = now();
		begin = read_clock(CLOCK_MONOTONIC);
		if (i % BATCH == 0)
			run(db, i > 0 ? "COMMIT; BEGIN" : "BEGIN");
		must(db, sqlite3_bind_int64(insert, 1, (sqlite3_int64)i + 1));
		must(db, sqlite3_bind_text(insert, 2, text.ptr, (int)text.len,
		    SQLITE_STATIC));
		must(db, sqlite3_step(insert));
		must(db, sqlite3_reset(insert));
		spent += now() - from;
		waited += read_clock(CLOCK_MONOTONIC) - begin;
	}
	from = now();
	begin = read_clock(CLOCK_MONOTONIC);
	run(db, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
	spent += now() - from;
	waited += read_clock(CLOCK_MONOTONIC) - begin;
	must(db, sqlite3_finalize(insert));
	must(db, sqlite3_close(db));
	if (stat(path, &st) == -1)
		fatal(1, "%s", path);
	printf("%.3f %.3f %lld\n", waited, spent, (long long)st.st_size);
	buf_release(&text);
	return 0;
}

static void
ask_fts(const char *path, size_t queries)
{
	double *took = xcalloc(queries, sizeof(took[0])), from;
	sqlite3_stmt *select;
	struct buf text;
	unsigned words;
	sqlite3 *db;
	size_t q;

	must(NULL, sqlite3_open(path, &db));
	run(db, "PRAGMA mmap_size=4294967296; PRAGMA cache_size=-262144");
	must(db, sqlite3_prepare_v2(db, "SELECT rowid, rank FROM t WHERE t "
	    "MATCH ? ORDER BY rank LIMIT 10", -1, &select, NULL));
	buf_init(&text, 1 << 20);
	for (words = 1; words <= LONGEST; words++) {
		for (q = 0; q < queries; q++) {
			buf_clear(&text);
			write_query(q, words, " OR ", &text);
			from = now();
			must(db, sqlite3_bind_text(select, 1, text.ptr,
			    (int)text.len, SQLITE_STATIC));
			while (sqlite3_step(select) == SQLITE_ROW)
				;
			must(db, sqlite3_reset(select));
			took[q] = now() - from;
		}
		report("fts5", words, took, queries);
	}
	free(took);
	must(db, sqlite3_finalize(select));
	must(db, sqlite3_close(db));
	buf_release(&text);
}
#else
static int
build_fts(const char *path, uint64_t n)
{
	(void)path;
	(void)n;
	return 3;	/* built without SQLite: nothing to compare with */
}

static void
ask_fts(const char *path, size_t queries)
{
	(void)path;
	(void)queries;
}
#endif

#define STAGE(name, what)                                    \
	{ .id = STAGE_##name, .env = ENV_##name,             \
		.derived = TABLE_##name##_derived },
static const struct stage_spec stages[] = {
#include "common/stages.def"
};

static int
pass(int argc, char **argv)
{
	enum stage_id id;

	if (stage_named(slice_str(argv[2]), &id) == -1)
		return 2;
	argv[2] = argv[0];
	return stage_main(argc - 2, argv + 2, &stages[id]);
}

static int
ask(int argc, char **argv)
{
	size_t queries = strtoul(argv[2], NULL, 10);
	struct home h = { 0 };

	if (queries == 0)
		return 2;
	open_home(&h, &argc, argv);
	ask_home(&h, queries, false);
	ask_home(&h, queries, true);
	search_close(&h.search);
	db_close(&h.shared);
	db_close(&h.ingest);
	db_close(&h.store);
	conf_release(&h.conf);
	if (argc > 3)
		ask_fts(argv[3], queries);
	return 0;
}

int
main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "feed") == 0)
		return feed(strtoull(argv[2], NULL, 10));
	if (argc > 2 && strcmp(argv[1], "pass") == 0)
		return pass(argc, argv);
	if (argc > 3 && strcmp(argv[1], "fts") == 0)
		return build_fts(argv[2], strtoull(argv[3], NULL, 10));
	if (argc > 2 && strcmp(argv[1], "ask") == 0)
		return ask(argc, argv);
	fprintf(stderr, "usage: bench-search feed N | fts DB N | ask N [DB]\n");
	return 2;
}
