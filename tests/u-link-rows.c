/*
 * u-link-rows - what the linker keeps in memory: words, domains, damaged rows
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
