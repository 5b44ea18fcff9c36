/*
 * u-course - whether a user goes on, begins something, or returns
 */
#include "chainer/course.h"

#include <stdlib.h>
#include <unistd.h>

#include "tests/tap.h"

#ifndef SKEIN_SOURCE_DIR
#define SKEIN_SOURCE_DIR "."
#endif

static const char shipped[] = SKEIN_SOURCE_DIR "/chainer/data/course.model";
static struct arena arena;

/* ---- words and texts ---- */

static bool
has_word(struct slice text, struct slice of)
{
	uint32_t a[COURSE_WORDS], b[COURSE_WORDS];
	size_t i, n = course_words(text, a);

	(void)course_words(of, b);
	for (i = 0; i < n; i++)
		if (a[i] == b[0])
			return true;
	return false;
}

static void
test_words(void)
{
	uint32_t a[COURSE_WORDS], b[COURSE_WORDS];
	struct buf long_text;
	size_t i;

	ok(has_word(SLICE("And the floor?"), SLICE("FLOOR")),
	    "words are folded");
	ok(!has_word(SLICE("And the floor?"), SLICE("roof")),
	    "what is not said is not found");
	ok(has_word(SLICE("costs 12"), SLICE("99")), "a number is a number");
	ok(course_words(SLICE("what about"), a) ==
	    course_words(SLICE("about what"), b) && a[1] != b[1],
	    "how it begins counts");
	ok(course_words(SLICE("ok"), a) == 3 && course_words(SLICE("ok?"), b) ==
	    3 && a[0] == b[0] && a[2] != b[2], "how it ends counts");
	is_int((long long)course_words(SLICE_NONE, a), 1, "nothing but an end");
	buf_init(&long_text, 1 << 20);
	for (i = 0; i < 5000; i++)
		buf_adds(&long_text, "Then. ");
	ok(course_words(buf_slice(&long_text), a) <= COURSE_WORDS,
	    "a long text has its limit");
	buf_release(&long_text);
}

static void
test_asks(void)
{
	ok(course_asks(SLICE("Shall I book it?")), "a question");
	ok(course_asks(SLICE("(\"Really?\") \n")), "with signs behind it");
	ok(!course_asks(SLICE("Why? Because it rains.")), "not at its end");
	ok(!course_asks(SLICE_NONE) && !course_asks(SLICE("  ")), "nothing");
}

/* ---- terms ---- */

static void
test_terms(void)
{
	const struct course_chain chains[] = { { 100, 0, 300, 0 },
		{ 400, 0, 200, 1 }, { 0, 500, 250, 9 } };
	int32_t x[COURSE_TERMS];

	course_terms(chains, 3, 0, x);
	ok(x[COURSE_keyword] == 100 && x[COURSE_keyword_first] == -300 &&
	    x[COURSE_meaning_first] == 50, "the chain at hand, against others");
	ok(x[COURSE_keyword_here] == 0 && x[COURSE_rank] == 0,
	    "and not against itself");
	course_terms(chains, 3, 2, x);
	ok(x[COURSE_meaning_here] == -50 && x[COURSE_meaning_there] == 50 &&
	    x[COURSE_entity_first] == 500, "one to return to");
	is_int(x[COURSE_rank], 4000, "long ago has its limit");
	course_terms(chains, 3, 3, x);
	ok(x[COURSE_keyword] == 400 && x[COURSE_meaning] == 300,
	    "a new one: what is nearest");
	course_terms(chains, 1, 0, x);
	ok(x[COURSE_keyword_first] == 0 && x[COURSE_meaning] == 300,
	    "one chain alone has no others");
}

static struct msg_c_claim
claim_of(struct slice *words, uint64_t *weights, size_t n)
{
	return (struct msg_c_claim){ .subject = words[0],
		.keywords = { words, n }, .weights = { weights, n } };
}

static void
test_topic(void)
{
	struct slice a[] = { SLICE("oven"), SLICE("hob") };
	struct slice b[] = { SLICE("hob"), SLICE("tile") };
	uint64_t weights[] = { 4000, 6000 };
	struct msg_c_claim claims[] = { claim_of(a, weights, 2),
		claim_of(b, weights, 2) };
	struct msg_c_turn c = { .n_claims = 2, .claims = claims };
	struct topic all = course_topic(&arena, &c), chain = { 0 };
	struct course_turn t = { .c = &c };

	is_int((long long)all.keywords.count, 3, "claims in one, no word twice");
	chain.keywords = (struct msg_strs){ b, 1 };
	chain.weights = (struct msg_u64s){ weights, 1 };
	course_weigh(&t, &all, &chain, 1);
	ok(t.weight == 16000 && t.fresh == 10000 && t.content == 3,
	    "words are weighed, and those that are new");
	c.n_claims = 0;
	is_int((long long)course_topic(&arena, &c).keywords.count, 0,
	    "nothing is claimed");
}

/* ---- the file ---- */

static char *
write_model(const char *head, const char *skip, const char *end)
{
	static const char *const names[] = {
#define TERM(name, what) #name,
#include "chainer/course.def"
	};
	char *path = strdup("/tmp/u-course.XXXXXX");
	int fd = path == NULL ? -1 : mkstemp(path);
	FILE *f = fd == -1 ? NULL : fdopen(fd, "w");
	size_t i;

	if (f == NULL) {
		ok(false, "a file to write to");
		exit(1);
	}
	fprintf(f, head, (int)COURSE_TERMS);
	for (i = 0; i < COURSE_TERMS; i++)
		if (strcmp(names[i], skip) != 0)
			fprintf(f, "%s\t%d\t0\t0\n", names[i],
			    strcmp(names[i], "prompted") == 0 ? 2000 :
			    strcmp(names[i], "always") == 0 ? -500 : 0);
	fputs(end, f);
	fclose(f);
	return path;
}

static bool
opens(const char *head, const char *skip, const char *end)
{
	char *path = write_model(head, skip, end);
	struct course_model *m;
	struct buf why;
	bool good;

	buf_init(&why, 4096);
	m = course_open(path, &why);
	good = m != NULL;
	if (!good && strstr(buf_cstr(&why), path) == NULL)
		ok(false, "the reason names the file");
	course_close(&m);
	buf_release(&why);
	unlink(path);
	free(path);
	return good;
}

static const char head[] = "skein course 1 terms %d words 1\n";

static void
test_file(void)
{
	ok(opens(head, "", "1f\t1\t2\t3\n"), "a whole file");
	ok(!opens(head, "brief", "1f\t1\t2\t3\n"), "a term is missing");
	ok(!opens(head, "", ""), "a word is missing");
	ok(!opens(head, "", "1f\t1\t2\n"), "a weight is missing");
	ok(!opens(head, "", "1f\t1\t2\t3\n1f\t1\t2\t3\n"), "a line too many");
	ok(!opens(head, "", "1f\t1\t2\t99999999999\n"), "too heavy");
	ok(!opens("skein course 2 terms %d words 1\n", "", "1f\t1\t2\t3\n"),
	    "of another revision");
}

/* ---- the choice ---- */

static struct course_model *
open_at(const char *path)
{
	struct course_model *m;
	struct buf why;

	buf_init(&why, 4096);
	m = course_open(path, &why);
	if (!ok(m != NULL, "weights open"))
		printf("# %s\n", buf_cstr(&why));
	buf_release(&why);
	return m;
}

static void
test_choice(void)
{
	const struct course_chain chains[] = { { 0, 0, 100, 0 },
		{ 0, 0, 100, 1 } };
	struct msg_c_turn c = { .act = SLICE("inform") };
	struct course_turn t = { .c = &c, .prompted = true };
	char *path = write_model(head, "", "1f\t1\t2\t3\n");
	struct course_model *m = open_at(path);
	struct course_verdict v;

	unlink(path);
	free(path);
	if (m == NULL)
		return;
	course_choose(m, &t, SLICE("at six"), chains, 2, 0, &v);
	ok(v.to == 0 && v.lead == 1500 && v.scores[0] == 1500 &&
	    v.scores[2] == 0, "who is asked and answers goes on");
	ok(v.n_said == 1 && strcmp(v.said[0], "was asked at the end") == 0,
	    "and that is said");
	t.prompted = false;
	course_choose(m, &t, SLICE("at six"), chains, 2, 0, &v);
	is_int((long long)v.to, 1, "of equals the first");
	course_choose(m, &t, SLICE("at six"), chains, 2, -100, &v);
	is_int((long long)v.to, 2, "what is known may count less");
	course_close(&m);
}

struct said {
	const char *text, *act;
	struct course_turn t;
	struct course_chain chains[2];
	size_t to;
	const char *what;
};

/* Weights as shipped, on what nobody could mistake. */
static void
test_shipped(void)
{
	const struct said all[] = {
		{ "Four of us, at half past seven", "inform",
		    { .asked = true, .prompted = true, .turned = true,
			.content = 2, .weight = 12000, .fresh = 12000 },
		    { { 0, 0, 150, 0 }, { 0, 0, 120, 1 } }, 0,
		    "an answer goes on" },
		{ "and how long does it take?", "question",
		    { .content = 1, .weight = 3000, .fresh = 3000 },
		    { { 0, 0, 200, 0 }, { 0, 0, 100, 1 } }, 0,
		    "what leans goes on" },
		{ "the tiles in the bathroom are loose again", "inform",
		    { .content = 3, .weight = 20000, .fresh = 6000 },
		    { { 0, 0, 50, 0 }, { 600, 0, 600, 1 } }, 1,
		    "words of an older chain lead back" },
		{ "by the way, which bank is good for students?", "question",
		    { .content = 3, .weight = 20000, .fresh = 20000 },
		    { { 0, 0, -50, 0 }, { 0, 0, 0, 1 } }, 2,
		    "what is strange to all is new" },
	};
	struct course_model *m = open_at(shipped);
	struct course_verdict v;
	struct course_turn t;
	struct msg_c_turn c;
	size_t i;

	for (i = 0; m != NULL && i < sizeof(all) / sizeof(all[0]); i++) {
		c = (struct msg_c_turn){ .act = slice_str(all[i].act) };
		t = all[i].t;
		t.c = &c;
		t.cues = cues_of(&arena, slice_str(all[i].text));
		course_choose(m, &t, slice_str(all[i].text), all[i].chains, 2,
		    0, &v);
		ok(v.to == all[i].to && v.lead > 0 && v.n_said > 0, "%s: %zu by %d",
		    all[i].what, v.to, v.lead);
	}
	course_close(&m);
}

int
main(void)
{
	arena_init(&arena);
	test_words();
	test_asks();
	test_terms();
	test_topic();
	test_file();
	test_choice();
	test_shipped();
	arena_release(&arena);
	return done();
}
