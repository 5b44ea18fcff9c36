/*
 * u-meaning - what topics are about, where no word is in common
 */
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
	meaning_close(&meaning);
	ok(meaning == NULL, "closed");
	arena_release(&arena);
	buf_release(&why);
	return done();
}
