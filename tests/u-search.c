/*
 * u-search - what is found, and in which order, without any process
 */
#include "store/search.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/stage.h"
#include "common/xmalloc.h"
#include "store/rank.h"
#include "store/wish.h"
#include "tests/tap.h"

static struct {
	char dir[64];
	struct conf conf;
	struct db *db;
	struct search *search;
	struct arena arena;
	uint64_t seq;
} t;

/* ---- a log by hand ---- */

static void
put(struct db_txn *txn, enum table_id table, enum msg_id id, const void *msg)
{
	struct key k = key_u64(t.seq);

	db_put_msg(txn, table, key_slice(&k), id, msg);
}

static void
add_turn(const char *domain, const char *user, uint64_t thread, uint64_t turn,
    int64_t ts, const char *text)
{
	struct msg_turn entry = { .domain = slice_str(domain),
		.user = slice_str(user), .ts = ts, .text = slice_str(text),
		.role = SLICE("user") };
	struct msg_s_ingest placed = { .thread = thread, .first_turn = turn,
		.turns = 1 };
	struct msg_cursor cursor;
	struct db_txn *txn = db_write(t.db);

	t.seq++;
	cursor = (struct msg_cursor){ .seq = t.seq };
	put(txn, TABLE_log, MSG_turn, &entry);
	put(txn, TABLE_s_ingest, MSG_s_ingest, &placed);
	db_put_msg(txn, TABLE_cursors, SLICE("store"), MSG_cursor, &cursor);
	if (db_commit(&txn) != DB_DONE)
		abort();
}

static struct search_result
ask(const struct search_query *q)
{
	struct search_view view = { .shared = db_read(t.db) };
	struct search_result result;
	struct buf why;

	buf_init(&why, 4096);
	if (search_run(t.search, &view, q, &t.arena, &result, &why) == -1)
		result.n_hits = SIZE_MAX;
	buf_release(&why);
	db_abort(&view.shared);
	return result;
}

static struct search_query
words(const char *text)
{
	struct search_query q = SEARCH_ALL;

	q.text = slice_str(text);
	q.lexical = true;
	return q;
}

/* The seq of the best hit; 0: none. */
static uint64_t
best(const char *text)
{
	struct search_query q = words(text);
	struct search_result r = ask(&q);

	return r.n_hits == 0 ? 0 : r.hits[0].seq;
}

static void
fill(void)
{
	int64_t day = 1683500000000;	/* 7 May 2023 */

	add_turn("d", "Caroline", 1, 1, day, "I went to a support group");
	add_turn("d", "Melanie", 1, 2, day + 1000, "How was it?");
	add_turn("d", "Caroline", 1, 3, day + 2000, "Powerful, really");
	add_turn("d", "Melanie", 4, 1, day + 4000000000, "I paint a lake");
	add_turn("d", "Caroline", 4, 2, day + 4000001000,
	    "to be or not to be is my lake");
	add_turn("e", "Eve", 6, 1, day, "a support group elsewhere");
	add_turn("d", "Melanie", 7, 1, day + 5000000000,
	    "Always answer with bullet points about lakes");
}

/* ---- tests ---- */

static void
test_words(void)
{
	struct search_query q = words("support groups");
	struct search_result r;

	q.domain = SLICE("d");
	r = ask(&q);
	ok(r.n_hits > 0 && r.hits[0].seq == 1, "by its words");
	ok(r.n_hits > 1 && r.hits[1].seq == 2, "the next turn comes along");
	ok(r.upto == t.seq, "up to the store's cursor");
	ok(r.hits[0].score > 0.0 && r.hits[0].score < 1.0 &&
	    r.hits[0].why.terms > 0.0 && r.hits[0].why.words.count == 2,
	    "with a score and why");
	q.domain = SLICE("e");
	r = ask(&q);
	ok(r.n_hits == 1 && r.hits[0].seq == 6, "each domain its own");
	q.domain = SLICE("f");
	r = ask(&q);
	ok(r.n_hits == 0, "none in a domain that is not there");
}

static void
test_forms(void)
{
	struct search_query q = words("\"or not to be\"");
	struct search_result r;

	q.domain = SLICE("d");
	r = ask(&q);
	ok(r.n_hits == 1 && r.hits[0].seq == 5, "a phrase");
	q.text = SLICE("\"not to lake\"");
	r = ask(&q);
	ok(r.n_hits == 0, "no phrase, but its words");
	q.text = SLICE("pai*");
	r = ask(&q);
	ok(r.n_hits > 0 && r.hits[0].seq == 4, "a beginning");
	q.text = SLICE("\xff\xfe");
	ok(ask(&q).n_hits == SIZE_MAX, "what is no UTF-8 is refused");
	q.text = SLICE("");
	ok(ask(&q).n_hits == 0, "of nothing nothing");
}

static void
test_filters(void)
{
	struct search_query q = words("lake");
	struct search_result r;

	q.domain = SLICE("d");
	q.user = SLICE("Melanie");
	r = ask(&q);
	ok(r.n_hits == 2 && r.hits[0].seq != 5 && r.hits[1].seq != 5,
	    "a user's only");
	q.user = SLICE_NONE;
	q.thread = 7;
	r = ask(&q);
	ok(r.n_hits == 1 && r.hits[0].seq == 7, "a thread's only");
	q.thread = 0;
	q.as_of_ms = 1683500000000;
	r = ask(&q);
	ok(r.n_hits == 0, "nothing that was not yet said");
	q.as_of_ms = INT64_MAX;
	q.in = SEARCH_IN(SEARCH_ARTIFACT);
	ok(ask(&q).n_hits == 0, "no artifact");
	q.in = SEARCH_IN(SEARCH_THREAD);
	r = ask(&q);
	ok(r.n_hits == 2 && r.hits[0].kind == SEARCH_THREAD,
	    "threads by their turns");
}

static void
test_meaning(void)
{
	struct search_query q = words("what did Caroline say about the lake");
	struct search_result r;

	q.domain = SLICE("d");
	r = ask(&q);
	ok(r.n_hits > 0 && r.hits[0].seq == 5, "by who speaks");
	q.text = SLICE("lake on 7 May 2023 with Caroline");
	r = ask(&q);
	ok(r.n_hits > 0 && r.hits[0].seq <= 3, "by when it was said");
	q.text = SLICE("mention");
	ok(ask(&q).n_hits == 0, "a framing word alone is a word");
	ok(wish_of(SLICE("Please never use tabs.")) == WISH_STANDING &&
	    wish_of(SLICE("I'd really prefer tea")) == WISH_PREFER &&
	    wish_of(SLICE("She always sings. I never did")) == 0 &&
	    wish_of(SLICE("Fine. From now on use metres")) == WISH_STANDING,
	    "wishes by their wording");
	ok(wish_asks_back(SLICE("What did you say?")) &&
	    wish_asks_back(SLICE("the plan you suggested")) &&
	    !wish_asks_back(SLICE("what did she say")), "questions back");
}

static void
test_following(void)
{
	ok(best("zeppelin") == 0, "not said yet");
	add_turn("default", "Ann", 90, 1, 1700000000000, "a zeppelin lands");
	ok(best("zeppelin") == t.seq, "found right after");
	for (uint64_t i = 0; i < 300; i++)
		add_turn("default", "Ann", 90, 2 + i, 1700000001000,
		    "filler of no meaning");
	ok(best("zeppelin") == t.seq - 300, "and when more was said");
}

static void
test_rank(void)
{
	struct rank_field f = { .n_docs = 1000, .mean = { 10, 100, 10, 10 } };

	ok(rank_idf(&f, 1) > rank_idf(&f, 500), "a rarer word tells more");
	ok(rank_damping(&f, CLASS_PERSON, 20) >
	    rank_damping(&f, CLASS_ASSISTANT, 20),
	    "a length counts within its class");
	ok(rank_role(CLASS_ASSISTANT, 400, false) <
	    rank_role(CLASS_ASSISTANT, 400, true) &&
	    rank_role(CLASS_PERSON, 400, false) == 1.0,
	    "long answers count less, unless they are asked for");
	ok(rank_unit(0.5) < rank_unit(1.0) && rank_unit(50.0) <= 1.0 &&
	    rank_unit(-1.0) == 0.0, "scores are brought to 0..1");
	ok(rank_superseded(0.5) == 0.35 && rank_refinement(0.9) == 1.0,
	    "lineage");
}

int
main(void)
{
	struct db_options options;
	struct db_error why;
	char *path;

	snprintf(t.dir, sizeof(t.dir), "/tmp/u-search.XXXXXX");
	if (mkdtemp(t.dir) == NULL)
		return 1;
	conf_init(&t.conf, t.dir);
	options = stage_db_options(&t.conf);
	path = xasprintf("%s/shared", t.dir);
	if (db_open(&t.db, path, ENV_shared, &options, &why) == -1)
		return 1;
	arena_init(&t.arena);
	t.search = search_open(&t.conf);
	fill();
	test_words();
	test_forms();
	test_filters();
	test_meaning();
	test_following();
	test_rank();
	search_close(&t.search);
	arena_release(&t.arena);
	db_close(&t.db);
	ok(db_wipe(path) == 0 && rmdir(path) == 0 && rmdir(t.dir) == 0,
	    "cleared away");
	free(path);
	conf_release(&t.conf);
	return done();
}
