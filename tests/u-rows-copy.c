/*
 * u-rows-copy - what is kept in memory is as if it were read again
 */
#include "chainer/window.h"
#include "common/rows_copy.h"
#include "tests/tap.h"

static struct arena arena;

/* A chain that grows with n, its words in the arena. */
static struct msg_chain
chain_of(uint64_t n)
{
	struct msg_chain c = { .ref = n + 1, .domain = SLICE("d"),
		.state = SLICE("active"), .topic = SLICE("the topic"),
		.live = n % 2 == 0 };
	size_t i;

	c.keywords.count = c.weights.count = n % 33;
	c.keywords.at = arena_array(&arena, n % 33, sizeof(struct slice));
	c.weights.at = arena_array(&arena, n % 33, sizeof(uint64_t));
	for (i = 0; i < n % 33; i++) {
		c.keywords.at[i] = arena_printf(&arena, "word %zu of %llu", i,
		    (unsigned long long)n);
		c.weights.at[i] = n * 100 + i;
	}
	return c;
}

static bool
same(const void *a, const void *b, enum msg_id id)
{
	struct buf x, y;
	bool equal;

	buf_init(&x, SIZE_MAX / 4);
	buf_init(&y, SIZE_MAX / 4);
	equal = msg_encode(&x, id, a) == 0 && msg_encode(&y, id, b) == 0 &&
	    slice_eq(buf_slice(&x), buf_slice(&y));
	buf_release(&x);
	buf_release(&y);
	return equal;
}

static void
test_puts(void)
{
	struct rows_copies all;
	struct rows_copy k = { 0 };
	struct msg_chain c;
	bool same_all = true;
	uint64_t n;

	rows_copies_init(&all, MSG_chain);
	for (n = 0; n < 500; n++) {
		c = chain_of(n);
		rows_copy_put(&all, &k, &c);
		same_all = same_all && same(&c, k.msg, MSG_chain);
		arena_reset(&arena);
		rows_copies_free_old(&all);
	}
	ok(same_all, "what is kept is what was put, its memory its own");
	rows_copy_release(&k);
	rows_copies_release(&all);
}

/* What an entry changes begins as a copy of what is kept. */
static void
test_copies(void)
{
	struct rows_copies all;
	struct rows_copy k = { 0 };
	struct msg_chain c = chain_of(20), more = chain_of(32);
	const struct msg_chain *kept;
	size_t i, text;

	rows_copies_init(&all, MSG_chain);
	rows_copy_put(&all, &k, &c);
	text = k.text_len;
	c = *(struct msg_chain *)k.msg;
	c.turns = 7;
	rows_copy_put(&all, &k, &c);
	kept = k.msg;
	ok(kept->turns == 7 && kept->keywords.count == 20 &&
	    slice_is(kept->keywords.at[19], "word 19 of 20"),
	    "a copy with another number");
	ok(k.text_len == text, "no string was copied for it");
	/* A list before grows over where the one behind it was. */
	c = *kept;
	c.keywords = more.keywords;
	rows_copy_put(&all, &k, &c);
	for (i = 0; i < 20 && kept->weights.at[i] == 2000 + i; i++)
		;
	ok(i == 20 && kept->keywords.count == 32,
	    "a list that stays is whole beside one that grew");
	rows_copy_release(&k);
	rows_copies_release(&all);
	arena_reset(&arena);
}

/* Lists of the copy itself, which must outgrow their block many times. */
static void
test_growth(void)
{
	struct rows_copies all;
	struct rows_copy k = { 0 };
	struct msg_chain c = chain_of(1);
	uint64_t refs[600];
	const struct msg_chain *kept;
	size_t n, i, wrong = 0;

	rows_copies_init(&all, MSG_chain);
	rows_copy_put(&all, &k, &c);
	for (n = 1; n <= 600; n++) {
		for (i = 0; i < n; i++)
			refs[i] = n * 1000 + i;
		c = *(struct msg_chain *)k.msg;
		c.entity_weights = c.threads;
		c.threads = (struct msg_u64s){ refs, n };
		rows_copy_put(&all, &k, &c);
		kept = k.msg;
		for (i = 0; i < kept->entity_weights.count; i++)
			wrong += kept->entity_weights.at[i] !=
			    (n - 1) * 1000 + i;
		wrong += kept->threads.count != n ||
		    memcmp(kept->threads.at, refs, n * sizeof(refs[0])) != 0;
		wrong += !slice_is(kept->keywords.at[0], "word 0 of 1");
		rows_copies_free_old(&all);
		arena_reset(&arena);
	}
	is_int((long long)wrong, 0, "a list of the copy's own that moves on");
	rows_copy_release(&k);
	rows_copies_release(&all);
}

/* A thread with n works, each with lists of its own. */
static struct msg_a_thread
thread_of(size_t n)
{
	struct msg_a_thread t = { .turns = n, .n_works = n };
	size_t i;

	t.works = arena_array(&arena, n, sizeof(t.works[0]));
	for (i = 0; i < n; i++) {
		struct msg_a_work *w = &t.works[i];

		w->key = arena_printf(&arena, "a%zu.0", i + 1);
		w->status = SLICE("open");
		w->lines = arena_array(&arena, 2, sizeof(w->lines[0]));
		w->lines[0].text = arena_printf(&arena, "line %zu", i);
		w->lines[1].text = SLICE("the last");
		w->n_lines = 2;
		w->hows = arena_array(&arena, 1, sizeof(w->hows[0]));
		w->hows[0].text = arena_printf(&arena, "how %zu", i);
		w->n_hows = 1;
	}
	return t;
}

/* What an entry replaces is new, what it leaves alone is the copy's. */
static void
test_share(void)
{
	struct rows_copies all;
	struct rows_copy k = { 0 };
	struct msg_a_thread t = thread_of(3), is, expected;
	const struct msg_a_line *shared;
	size_t n, text, wrong = 0;

	rows_copies_init(&all, MSG_a_thread);
	rows_copy_put(&all, &k, &t);
	arena_reset(&arena);
	rows_copy_share(&all, &k, &arena, &is);
	shared = is.works[0].lines;
	ok(shared == ((struct msg_a_thread *)k.msg)->works[0].lines,
	    "a plain list is the copy's own");
	ok(is.works != ((struct msg_a_thread *)k.msg)->works &&
	    is.works[0].hows != ((struct msg_a_thread *)k.msg)->works[0].hows,
	    "records that have lists are not");
	text = k.text_len;
	is.works[1].hows[0].points = 5;
	is.works[2].lines = arena_array(&arena, 1, sizeof(t.works[0].lines[0]));
	is.works[2].lines[0].text = is.works[0].lines[1].text;
	is.works[2].n_lines = 1;
	rows_copy_put(&all, &k, &is);
	ok(same(&is, k.msg, MSG_a_thread) && k.text_len == text,
	    "put again, nothing but what is new was looked at");
	ok(slice_is(shared[0].text, "line 0"),
	    "what was shared is there until the entry is done");
	for (n = 0; n < 300; n++) {
		rows_copies_free_old(&all);
		arena_reset(&arena);
		rows_copy_share(&all, &k, &arena, &is);
		is.works[n % 3].report = arena_printf(&arena, "done %zu", n);
		is.works[n % 3].has = 0;
		expected = is;
		rows_copy_put(&all, &k, &is);
		wrong += !same(&expected, k.msg, MSG_a_thread) ||
		    !slice_is(((struct msg_a_thread *)k.msg)->works[0]
			.lines[0].text, "line 0");
	}
	is_int((long long)wrong, 0, "and so however often strings move");
	ok(k.text_cap < 4096, "they do not pile up");
	rows_copy_release(&k);
	rows_copies_release(&all);
	arena_reset(&arena);
}

static void
test_window(void)
{
	struct window *w = arena_alloc(&arena, sizeof(*w));
	struct reply_message m = { .length = 3 };
	struct msg_said said = { .heard = slice_of((const char *)&m,
	    sizeof(m)) };
	struct window_view view;
	bool all = true;
	uint64_t n;
	size_t i;

	for (n = 0; n < 750; n++) {
		said.seq = m.chain = n;
		said.heard.len = n % 5 == 4 ? 0 : sizeof(m);
		window_add(w, &said);
		view = window_view(w, n > 110 ? n - 110 : 0);
		for (i = 0; i < view.n; i++)
			all = all && view.heard[i].chain == view.turn[i].seq &&
			    view.turn[i].number == view.turn[i].seq &&
			    view.turn[i].seq % 5 != 4 &&
			    (i == 0 || view.turn[i].seq >
				view.turn[i - 1].seq);
	}
	ok(all, "a window has the turns that were heard, in their order");
	is_int((long long)view.n, 88, "none from before it is asked for");
	ok(view.turn[view.n - 1].seq == 748, "and the last one");
	is_int((long long)window_view(w, 0).n, REPLY_WINDOW,
	    "and no more than are looked at");
	is_int((long long)w->turns, 750, "all turns are counted");
	arena_reset(&arena);
}

int
main(void)
{
	arena_init(&arena);
	test_puts();
	test_copies();
	test_growth();
	test_share();
	test_window();
	arena_release(&arena);
	return done();
}
