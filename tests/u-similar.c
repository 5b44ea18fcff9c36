/*
 * u-similar - how alike statements are
 */
#include "compactor/similar.h"
#include "tests/tap.h"

static struct similar *words;
static struct arena arena;

static unsigned
likeness(const char *a, const char *b)
{
	struct msg_similar_doc x = similar_words(words, &arena, slice_str(a));
	struct msg_similar_doc y = similar_words(words, &arena, slice_str(b));

	return similar_cosine(&x, &y);
}

static void
test_cosine(void)
{
	static const char port[] =
	    "The staging database of the billing team listens on port 5433";
	unsigned one, other;

	is_int(likeness(port, port), 1000, "a statement is like itself");
	is_int(likeness(port, "The tulips in the garden are red"), 0,
	    "and not like one that shares no word");
	ok(likeness(port, "the billing team's staging database is listening "
		"on port 5433") > 850, "the same said otherwise is alike");
	ok(likeness(port, "The staging database is backed up to tape every "
		"night") < 600, "a few words in common are not enough");
	ok(likeness("We do not monitor the status", "Nous ne surveillons pas") <
	    300, "another language is another statement");
	one = likeness("red roses", "red roses red");
	other = likeness("red roses red", "red roses");
	is_int(one, other, "likeness goes both ways");
	is_int(likeness("", port), 0, "nothing is like nothing");
	is_int(likeness("the of and", "the of and"), 0,
	    "words that tell nothing count for nothing");
	ok(likeness("rm -rf build && make test", "rm -rf build; make test") >
	    850, "code counts as well");
	ok(likeness("東京の天気は晴れです", "東京の天気は晴れです") > 990,
	    "scripts without spaces do");
}

static void
test_bounds(void)
{
	struct msg_similar_doc doc;
	struct msg_strs tags = { 0 };
	struct buf b;
	size_t i;

	buf_init(&b, 1 << 20);
	for (i = 0; i < 5000; i++)
		buf_addf(&b, "word%zu other%zu ", i, i * 7);
	doc = similar_words(words, &arena, buf_slice(&b));
	is_int(doc.stems.count, SIMILAR_STEMS, "a long text has its heaviest");
	is_int(doc.weights.count, doc.stems.count, "each with its weight");
	for (i = 1; i < doc.stems.count; i++)
		if (doc.stems.at[i - 1] >= doc.stems.at[i])
			break;
	is_int(i, doc.stems.count, "in order, none twice");
	is_int(similar_cosine(&doc, &doc), 1000, "and compares as any other");
	similar_tags(words, &arena, slice_str("The printer prints printed "
	    "pages on the printer"), 5, &tags);
	ok(tags.count >= 2 && tags.count <= 5, "tags are few");
	for (i = 0; i < tags.count; i++)
		if (slice_is(tags.at[i], "the") || slice_is(tags.at[i], "on"))
			break;
	is_int(i, tags.count, "and none of them a stop word");
	buf_release(&b);
}

int
main(void)
{
	struct conf_error trouble;
	struct conf conf;
	struct buf why;

	arena_init(&arena);
	conf_init(&conf, "/nonexistent");
	if (conf_read_flag(&conf, "--data-dir=" SKEIN_SOURCE_DIR
		"/classify/data", &trouble) != 0) {
		printf("Bail out! %s\n", trouble.text);
		return 1;
	}
	buf_init(&why, 4096);
	words = similar_open(&conf, &why);
	if (words == NULL) {
		printf("Bail out! %s\n", buf_cstr(&why));
		return 1;
	}
	test_cosine();
	test_bounds();
	similar_close(&words);
	ok(words == NULL, "closed");
	buf_release(&why);
	conf_release(&conf);
	arena_release(&arena);
	return done();
}
