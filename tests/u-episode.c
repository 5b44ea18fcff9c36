/*
 * u-episode - a thread's digest: what stays, and that it stays small
 */
#include "compactor/episode_digest.h"
#include "tests/tap.h"

static struct arena arena;

/* A turn of one claim over the whole text, with these keywords. */
static struct compact_turn
make_turn(uint64_t number, const char *role, const char *text,
    const char *word, uint64_t weight)
{
	struct msg_c_turn *does = arena_alloc(&arena, sizeof(*does));
	struct msg_c_claim *claim = arena_alloc(&arena, sizeof(*claim));
	struct msg_h_turn *flows = arena_alloc(&arena, sizeof(*flows));

	claim->subject = slice_str(word);
	claim->len = strlen(text);
	strs_add(&claim->keywords, &arena, slice_str(word));
	claim->weights.at = arena_alloc(&arena, sizeof(uint64_t));
	claim->weights.at[0] = weight;
	claim->weights.count = 1;
	does->act = SLICE("inform");
	does->level = SLICE("rule");
	does->claims = claim;
	does->n_claims = 1;
	return (struct compact_turn){ .number = number,
		.ts = (int64_t)number * 1000, .role = slice_str(role),
		.user = SLICE("ann"), .text = slice_str(text), .does = does,
		.flows = flows };
}

static void
test_take(void)
{
	struct msg_episode_digest d = { .first_at = INT64_MAX };
	struct compact_turn t = make_turn(1, "assistant", "Hello there", "x",
	    100);

	ok(!digest_take(&d, &arena, &arena, &t), "an assistant gives no name");
	t = make_turn(2, "user", "I want to plan a trip to Lisbon", "lisbon",
	    5000);
	ok(digest_take(&d, &arena, &arena, &t), "the first user to say something does");
	ok(memmem(d.name.ptr, d.name.len, "Lisbon", 6) != NULL,
	    "in that user's words");
	t = make_turn(3, "user", "My bike is broken", "bike", 5000);
	ok(!digest_take(&d, &arena, &arena, &t), "the second gives none");
	is_int(d.turns, 3, "turns are counted");
	is_int(d.fresh, 3, "so are those not compacted");
	is_int(d.fresh_at, 1000, "the oldest of them");
	is_int(d.last_at, 3000, "and the latest");
	is_int(d.people.count, 2, "who spoke");
	is_int(d.n_lines, 2, "statements that tell something");
	digest_take_artifact(&d, &arena, SLICE("a1.0"));
	digest_take_artifact(&d, &arena, SLICE("a2.0"));
	digest_take_artifact(&d, &arena, SLICE("a1.0"));
	is_int(d.artifacts.count, 2, "an artifact is named once");
	is_int(d.changed.count, 2, "in both lists");
	digest_compacted(&d);
	is_int(d.fresh + d.changed.count + (uint64_t)d.fresh_at, 0,
	    "after compaction nothing is new");
	is_int(d.artifacts.count, 2, "what came of it stays");
	t = make_turn(4, "tool", "secret of the tool", "tool", 9000);
	(void)digest_take(&d, &arena, &arena, &t);
	is_int(d.n_lines, 2, "what a tool says is counted, not kept");
}

static void
test_pack(void)
{
	struct msg_episode_digest d = { .first_at = INT64_MAX }, e;
	struct compact_turn t = make_turn(7, "user",
	    "I want to plan a trip to Lisbon", "lisbon", 5000);

	(void)digest_take(&d, &arena, &arena, &t);
	digest_take_artifact(&d, &arena, SLICE("a1.0"));
	e = d;
	digest_pack(&e, &arena);
	is_int(e.keywords.count + e.n_lines + e.artifacts.count, 0,
	    "packed, the lists are one string");
	digest_unpack(&e, &arena);
	ok(e.keywords.count == 1 && slice_is(e.keywords.at[0], "lisbon") &&
	    e.weights.count == 1 && e.weights.at[0] == 5000,
	    "and back: keywords with their weights");
	ok(e.n_lines == 1 && e.lines[0].turn == 7 &&
	    e.lines[0].content == 5000 &&
	    slice_eq(e.lines[0].text, d.lines[0].text), "lines");
	ok(e.people.count == 1 && slice_is(e.people.at[0], "ann") &&
	    e.artifacts.count == 1 && e.changed.count == 1,
	    "people and artifacts");
	e = (struct msg_episode_digest){ .packed = SLICE("k\0\0") };
	digest_unpack(&e, &arena);
	e.packed = SLICE("k\0\0\0\1\0\0\0\0\377\377too short");
	digest_unpack(&e, &arena);
	is_int(e.keywords.count, 0, "what is cut off is left out");
}

static size_t
size_of(const struct msg_episode_digest *d)
{
	struct buf b;
	size_t len;

	buf_init(&b, 1 << 20);
	if (msg_encode(&b, MSG_episode_digest, d) == -1)
		buf_adds(&b, "too long");
	len = b.len;
	buf_release(&b);
	return len;
}

static void
test_bounds(void)
{
	struct msg_episode_digest d = { .first_at = INT64_MAX };
	struct compact_turn t;
	size_t i, early = 0;
	char *text;

	for (i = 1; i <= 3000; i++) {
		text = arena_cstr(&arena, arena_printf(&arena, "Statement %zu "
		    "about the matter at hand, told at some length", i));
		t = make_turn(i, "user", text, arena_cstr(&arena,
		    arena_printf(&arena, "word%zu", i)), 3000 + i % 97);
		t.user = arena_printf(&arena, "user%zu", i);
		(void)digest_take(&d, &arena, &arena, &t);
		t = make_turn(i, "user", "the usual", "usual", 1000);
		(void)digest_take(&d, &arena, &arena, &t);
		digest_take_artifact(&d, &arena,
		    arena_printf(&arena, "a%zu.0", i));
		if (i == 300)
			early = size_of(&d);
	}
	is_int(d.keywords.count, DIGEST_KEYWORDS, "keywords are bounded");
	is_int(d.n_lines, DIGEST_LINES, "lines are");
	is_int(d.artifacts.count, DIGEST_ARTIFACTS, "artifacts are");
	is_int(d.people.count, DIGEST_PEOPLE, "people are");
	ok(strs_has(&d.keywords, SLICE("usual")),
	    "what is said most is among the keywords");
	ok(slice_is(d.artifacts.at[d.artifacts.count - 1], "a3000.0"),
	    "the latest artifact is the last");
	ok(size_of(&d) < early + early / 4, "a long thread's digest is no "
	    "larger than a short one's");
	for (i = 1; i < d.n_lines; i++)
		if (d.lines[i - 1].turn >= d.lines[i].turn)
			break;
	is_int(i, d.n_lines, "lines are in order");
}

int
main(void)
{
	arena_init(&arena);
	test_take();
	test_pack();
	test_bounds();
	arena_release(&arena);
	return done();
}
