/*
 * u-link-rows - what the linker keeps in memory: words, times, domains,
 * damaged rows
 */
#include "common/stage_impl.h"
#include "common/xmalloc.h"
#include "linker/batch.h"
#include "tests/scratch_db.h"
#include "tests/tap.h"

static struct {
	char folder[32];
	struct stage st;
	union msg_any entry;
	struct stage_entry e;
	struct msg_s_linker section;
	struct link l;
	struct batch *rows;
} t = { .folder = "/tmp/u-link-rows.XXXXXX" };

/* As the stage does it; nothing is in memory that was not written. */
static void
open_rows(void)
{
	t.rows = batch_open();
	t.st.state = t.rows;
	t.st.tables = db_write(t.st.own);
	batch_begin(t.rows, t.st.tables);
}

static void
close_rows(const char *what)
{
	batch_flush(t.rows, t.st.tables);
	is_int(db_commit(&t.st.tables), DB_DONE, what);
	batch_close(&t.rows);
	arena_reset(&t.st.arena);
}

static void
test_words(void)
{
	struct msg_link_thread p = { .key = 1, .domain = SLICE("d"),
		.user = SLICE("ann") };
	struct batch_stream *s;
	int i;

	for (i = 0; i < 3; i++) {
		open_rows();
		s = batch_stream(&t.l, &p);
		batch_count_up(&t.l, s, BATCH_WORD, 7);
		batch_count_up(&t.l, s, BATCH_WORD, 7);
		batch_count_up(&t.l, s, BATCH_NAME, 7);
		close_rows("words that were not looked at are counted");
	}
	open_rows();
	s = batch_stream(&t.l, &p);
	batch_count_up(&t.l, s, BATCH_WORD, 7);
	is_int(batch_count(&t.l, s, BATCH_WORD, 7), 7, "on top of all before");
	is_int(batch_count(&t.l, s, BATCH_NAME, 7), 3, "a name for itself");
	is_int(batch_count(&t.l, s, BATCH_WORD, 8), 0, "another not at all");
	batch_flush(t.rows, t.st.tables);
	batch_count_up(&t.l, s, BATCH_WORD, 7);
	batch_count_up(&t.l, s, BATCH_WORD, 8);
	close_rows("one that was looked at is written as it is");
	open_rows();
	s = batch_stream(&t.l, &p);
	is_int(batch_count(&t.l, s, BATCH_WORD, 7), 8, "nothing twice");
	is_int(batch_count(&t.l, s, BATCH_WORD, 8), 1, "nothing not at all");
	close_rows("reading alone changes nothing");
}

/* Enough words that they are not looked for one by one any more. */
static void
test_many_words(void)
{
	enum { MANY = 200 };
	struct msg_link_thread p = { .key = 2, .domain = SLICE("d"),
		.user = SLICE("eve") };
	struct batch_stream *s;
	uint64_t i, round, right = 0, none = 0;

	for (round = 1; round <= 3; round++) {
		open_rows();
		s = batch_stream(&t.l, &p);
		for (i = 0; i < MANY; i++) {
			right += batch_count(&t.l, s, BATCH_WORD, i * i) ==
			    round - 1;
			none += batch_count(&t.l, s, BATCH_NAME,
			    i * i + 7919) == 0;
		}
		batch_count_up(&t.l, s, BATCH_THREADS, 0);
		for (i = 0; i < MANY; i++)
			batch_count_up(&t.l, s, BATCH_WORD, i * i);
		batch_flush(t.rows, t.st.tables);
		for (i = 0; i < MANY; i++)
			right += batch_count(&t.l, s, BATCH_WORD, i * i) ==
			    round;
		close_rows("many words");
	}
	is_int(right, 6 * MANY, "each is counted as often as it came");
	is_int(none, 3 * MANY, "and those that never came are not there");
}

/* ---- last activity ---- */

enum { THREADS = 90 };

/* The latest of the threads between two times, as a plain search has them. */
static size_t
find_plainly(const int64_t *at, int64_t from, int64_t upto, uint64_t except,
    uint64_t *out, size_t most)
{
	bool taken[THREADS + 1] = { false };
	size_t i, best, n;

	for (n = 0; n < most; n++) {
		for (best = 0, i = 1; i <= THREADS; i++)
			if (!taken[i] && i != except && at[i] > 0 &&
			    at[i] >= from && at[i] <= upto &&
			    (best == 0 || at[i] >= at[best]))
				best = i;
		if (best == 0)
			break;
		taken[best] = true;
		out[n] = best;
	}
	return n;
}

static bool
recent_as_plain(const int64_t *at, int64_t from, int64_t upto, uint64_t except)
{
	enum { MOST = 48 };
	struct msg_link_thread p = { .key = except, .domain = SLICE("d"),
		.user = SLICE("bob") };
	uint64_t found[MOST], plain[MOST];
	size_t n = batch_recent(&t.l, batch_stream(&t.l, &p), from, upto,
	    except, found, MOST);

	return n == find_plainly(at, from, upto, except, plain, MOST) &&
	    memcmp(found, plain, n * sizeof(found[0])) == 0;
}

/* Mostly the present, now and then a thread that is told of late. */
static void
test_recent(void)
{
	int64_t at[THREADS + 1] = { 0 };
	struct msg_link_thread p = { .domain = SLICE("d"),
		.user = SLICE("bob") }, was;
	bool right = true;
	int64_t i, ts;

	open_rows();
	for (i = 1; i <= 600; i++) {
		p.key = (uint64_t)(i * 37 % THREADS * i % THREADS) + 1;
		ts = 1000 + (i % 7 == 0 ? i / 2 : i) * 10;
		was = p;
		was.last_activity_at = at[p.key];
		p.last_activity_at = at[p.key] > ts ? at[p.key] : ts;
		batch_active(&t.l, &p, at[p.key] > 0 ? &was : NULL);
		at[p.key] = p.last_activity_at;
		right = right && recent_as_plain(at, ts - 1500, ts, p.key) &&
		    recent_as_plain(at, 0, ts / 2, 1) &&
		    recent_as_plain(at, 0, INT64_MAX, THREADS);
		if (i % 50 == 0)
			batch_flush(t.rows, t.st.tables);
		if (i % 200 == 0) {
			close_rows("times");
			open_rows();
		}
	}
	close_rows("the last of them");
	ok(right, "the latest threads are those of a plain search");
}

static uint64_t
decisions_of(const char *domain)
{
	struct msg_link_domain d;

	t.entry.turn.domain = slice_str(domain);
	batch_domain(&t.l, &d);
	return d.decisions;
}

static void
test_domains(void)
{
	struct slice signals[] = { SLICE("same place"), SLICE("same people") };
	struct msg_link_domain d = { .decisions = 5,
		.prompt_signals = { signals, 2 } };

	open_rows();
	is_int(decisions_of("a"), 0, "a domain that is new");
	batch_put_domain(&t.l, &d);
	is_int(decisions_of("a"), 5, "is there when it was put");
	is_int(decisions_of("b"), 0, "not for another");
	d.decisions = 6;
	batch_put_domain(&t.l, &d);
	is_int(decisions_of("a"), 5, "which has its own");
	close_rows("both are written");
	open_rows();
	is_int(decisions_of("b"), 6, "and read again");
	is_int(decisions_of("a"), 5, "each");
	batch_domain(&t.l, &d);
	is(arena_cstr(&t.st.arena, d.prompt_signals.at[1]), "same people",
	    "with its lists");
	close_rows("that is all");
}

/* Longer than any that the linker writes, and lists that do not agree. */
static void
put_damaged(void)
{
	enum { MANY = 200 };
	struct slice words[MANY];
	uint64_t weights[MANY];
	struct msg_link_thread p = { .key = 9, .domain = SLICE("d"),
		.keywords = { words, MANY - 1 }, .weights = { weights, MANY },
		.entities = { words, MANY },
		.entity_weights = { weights, MANY },
		.chains = { words, MANY }, .turns = 3 };
	struct key k = key_u64(p.key);
	struct db_txn *txn = db_write(t.st.own);
	size_t i;

	for (i = 0; i < MANY; i++) {
		words[i] = arena_printf(&t.st.arena, "word%zu", i);
		weights[i] = i;
	}
	db_put_msg(txn, TABLE_link_threads, key_slice(&k), MSG_link_thread, &p);
	is_int(db_commit(&txn), DB_DONE, "a record that is too long");
}

static void
test_damaged(void)
{
	const struct msg_link_thread *peeked;
	const struct score_card *card;
	struct msg_link_thread p;

	put_damaged();
	open_rows();
	peeked = batch_peek_thread(&t.l, 9);
	ok(peeked != NULL && peeked->keywords.count == PROFILE_KEYWORDS &&
	    peeked->weights.count == PROFILE_KEYWORDS &&
	    peeked->entities.count == PROFILE_ENTITIES &&
	    peeked->entity_weights.count == PROFILE_ENTITIES &&
	    peeked->chains.count == PROFILE_CHAINS,
	    "is cut where it is read, and ends nothing");
	card = batch_card(&t.l, 9);
	ok(card->hashes.keywords[0] == profile_hash(SLICE("word0")) &&
	    card->n_keywords == PROFILE_KEYWORDS, "it can be compared");
	ok(batch_card(&t.l, 8) == NULL, "one that is not there cannot");
	ok(batch_thread(&t.l, 9, &p) && !profile_bound(&p),
	    "whoever reads it sees that");
	batch_put_thread(&t.l, &p);
	close_rows("once it is written it is whole");
}

int
main(void)
{
	char *command;

	conf_init(&t.st.conf, "/nowhere");
	arena_init(&t.st.arena);
	t.st.own = scratch_db(t.folder, ENV_linker);
	t.e = (struct stage_entry){ .seq = 1, .entry = { MSG_turn, &t.entry } };
	t.l = (struct link){ &t.st, &t.e, &t.section, &t.st.arena,
		&t.st.conf };
	test_words();
	test_many_words();
	test_recent();
	test_domains();
	test_damaged();
	db_close(&t.st.own);
	arena_release(&t.st.arena);
	conf_release(&t.st.conf);
	command = xasprintf("rm -rf %s", t.folder);
	ok(system(command) == 0, "nothing is left");
	free(command);
	return done();
}
