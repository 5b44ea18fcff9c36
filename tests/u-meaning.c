/*
 * u-meaning - what topics are about, where no word is in common
 */
#include <stdlib.h>

#include "chainer/chain.h"
#include "chainer/meaning.h"
#include "tests/tap.h"

static const char shipped[] = SKEIN_SOURCE_DIR "/store/data/embed.bin";
static struct meaning *meaning;
static struct arena arena;

static struct topic
topic_of(struct slice *stems, uint64_t *weights, size_t n)
{
	struct topic t = { .keywords = { stems, n },
		.weights = { weights, n } };

	t.sketch = sketch_topic(&arena, &t);
	return t;
}

static struct topic
claim_of(const char *text)
{
	struct topic t = topic_of(NULL, NULL, 0);

	meaning_read(meaning, slice_str(text), t.sketch->gist);
	return t;
}

static void
test_near(void)
{
	struct slice money[] = { SLICE("invest"), SLICE("save"),
		SLICE("expens"), SLICE("fund") };
	struct slice phone[] = { SLICE("iphon"), SLICE("camera"),
		SLICE("screen") };
	uint64_t weights[] = { 6000, 5000, 5000, 4000 };
	struct topic funds = topic_of(money, weights, 4);
	struct topic phones = topic_of(phone, weights, 3);
	struct topic claim = claim_of("which broker is good for stocks");
	int to = meaning_near(meaning, &claim, &funds);
	int away = meaning_near(meaning, &claim, &phones);

	ok(to > 200, "brokers are near to funds, with no word shared: %d", to);
	ok(away < 100, "and not to telephones: %d", away);
	is_int(meaning_near(meaning, &claim, &funds), to, "asked again");
	is_int(meaning_near(meaning, &funds, &claim), to, "the same both ways");
	ok(meaning_near(meaning, &funds, &funds) > 990, "nearest to itself");
}

static void
test_unknown(void)
{
	struct slice strange[] = { SLICE("xqzvkwj") };
	struct slice stems[] = { SLICE("compani"), SLICE("bicycl") };
	uint64_t weights[] = { 9000, 9000 };
	struct topic none = topic_of(NULL, NULL, 0);
	struct topic odd = topic_of(strange, weights, 1);
	struct topic firm = topic_of(stems, weights, 1);
	struct topic claim = claim_of("a company and its offices");

	is_int(meaning_near(meaning, &none, &claim), 0, "nothing known");
	is_int(meaning_near(meaning, &odd, &claim), 0, "a strange word");
	ok(meaning_near(meaning, &firm, &claim) > 400,
	    "a stem that is no word finds its words");
}

/* However seldom it is asked for, and whatever came and went meanwhile. */
static void
test_growth(void)
{
	static const char *const stems[] = { "invest", "save", "fund", "camera",
		"screen", "bread", "flour", "oven", "trip", "hotel", "flight",
		"garden", "tomato", "water", "printer", "paper", "server",
		"login", "invoic", "payment", "music", "guitar", "run", "train",
		"dog", "cat", "winter", "snow", "paint", "wall", "kitchen",
		"tabl", "chair", "school", "exam", "teacher", "book", "movi",
		"actor", "doctor", "tooth", "pain", "car", "engin", "bike" };
	enum { STEMS = sizeof(stems) / sizeof(stems[0]) };
	struct msg_chain c = { .topic = SLICE("all kinds of things") };
	struct topic t = chain_topic(&c), claim, about = claim_of("a book");
	const struct sketch *known = sketch_topic(&arena, &t);
	struct sketch *kept = NULL;
	uint64_t weight;
	struct slice stem;
	size_t n, asked = 0;
	int way, anew;
	bool same = true;

	for (n = 0; n < 400; n++) {
		stem = slice_str(stems[(n * 7 + n / STEMS * 3) % STEMS]);
		weight = n % 50 == 0 ? 1 : 100 + n * 37 % 900;
		claim = topic_of(&stem, &weight, 1);
		known = chain_learn(&c, &arena, &claim, known);
		if (n % 3 == 0) {
			sketch_keep(&kept, known);
			known = kept;
		}
		if (n % 5 != 0 && n % 40 < 25)
			continue;
		t = chain_topic(&c);
		t.sketch = known;
		way = meaning_near(meaning, &about, &t);
		t.sketch = sketch_topic(&arena, &t);
		anew = meaning_near(meaning, &about, &t);
		same = same && way == anew;
		asked++;
	}
	ok(same && asked > 100, "as it grows its gist is as if made anew");
	ok(c.keywords.count == CHAIN_KEYWORDS, "and words have gone");
	free(kept);
}

int
main(void)
{
	struct buf why;

	buf_init(&why, 4096);
	arena_init(&arena);
	meaning = meaning_open("/nowhere/embed.bin", &why);
	ok(meaning == NULL && why.len > 0, "none without a table: %s",
	    buf_cstr(&why));
	buf_clear(&why);
	meaning = meaning_open(shipped, &why);
	if (!ok(meaning != NULL, "the table: %s", buf_cstr(&why)))
		return done();
	test_near();
	test_unknown();
	test_growth();
	meaning_close(&meaning);
	ok(meaning == NULL, "closed");
	arena_release(&arena);
	buf_release(&why);
	return done();
}
