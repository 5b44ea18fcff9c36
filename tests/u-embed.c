/*
 * u-embed - the static table: nearness, odd texts, damaged files
 */
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "common/xmalloc.h"
#include "store/embed.h"
#include "store/embed_rows.h"
#include "tests/tap.h"

static const char shipped[] = SKEIN_SOURCE_DIR "/store/data/embed.bin";

static int32_t
nearness(const struct embed *e, const char *a, const char *b)
{
	int8_t one[EMBED_DIMS_MAX], two[EMBED_DIMS_MAX];

	if (!embed_text(e, slice_str(a), one) ||
	    !embed_text(e, slice_str(b), two))
		return -EMBED_NORM;
	return embed_cosine(one, two, embed_dims(e));
}

/* Each pair has hardly a word in common, and is nearer than the odd one. */
static void
test_nearness(const struct embed *e)
{
	static const struct { const char *text, *near, *far; } cases[] = {
		{ "When did she adopt the puppy?",
		    "We got a little dog from the shelter last week.",
		    "The invoice was paid in March." },
		{ "Which car did he buy?", "I drove my new vehicle home.",
		    "The soup needs more salt." },
		{ "the database query is slow", "SQL performance is poor",
		    "my grandmother lives in Spain" },
		{ "What does she do for a living?",
		    "I work as a nurse at the hospital.",
		    "The weather was awful yesterday." },
		{ "I am afraid of flying", "planes make me nervous",
		    "please send the report" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int32_t near = nearness(e, cases[i].text, cases[i].near);
		int32_t far = nearness(e, cases[i].text, cases[i].far);

		ok(near > far + EMBED_NORM / 20, "\"%s\": %d > %d",
		    cases[i].text, near, far);
	}
	ok(abs(nearness(e, "a cup of coffee", "a cup of coffee") -
	    EMBED_NORM) < EMBED_NORM / 50, "a text is itself");
}

static bool
same(const struct embed *e, struct slice a, struct slice b)
{
	int8_t one[EMBED_DIMS_MAX], two[EMBED_DIMS_MAX];
	bool known = embed_text(e, a, one), known_b = embed_text(e, b, two);

	return known == known_b && memcmp(one, two, embed_dims(e)) == 0;
}

static void
test_words(const struct embed *e)
{
	static const struct { const char *a, *b; } cases[] = {
		{ "Hello, World!", "hello world" },
		{ "caf\xc3\xa9 na\xc3\xafve", "cafe naive" },
		{ "CAF\xc3\x89", "cafe" },
		{ "cafe\xcc\x81", "cafe" },
		{ "don\xe2\x80\x99t", "don't" },
		{ "snake_case", "snake case" },
		{ "one\xe4\xb8\xad\xe6\x96\x87two", "one two" },
		{ "bad \xff\xfe bytes", "bad bytes" },
		{ "b a", "a b" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(same(e, slice_str(cases[i].a), slice_str(cases[i].b)),
		    "\"%s\" reads as \"%s\"", cases[i].a, cases[i].b);
	ok(!same(e, SLICE("unbelievability"), SLICE("believability")),
	    "a word that is not in the table is read by its pieces");
	ok(same(e, SLICE("nul\0here"), SLICE("nul here")),
	    "NUL parts words");
}

static void
test_nothing(const struct embed *e)
{
	static const char *const texts[] = {
		"", " ", "...!?", "\xe4\xb8\xad\xe6\x96\x87",
	};
	int8_t out[EMBED_DIMS_MAX], none[EMBED_DIMS_MAX] = { 0 };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		memset(out, 1, sizeof(out));
		ok(!embed_text(e, slice_str(texts[i]), out) &&
		    memcmp(out, none, embed_dims(e)) == 0,
		    "\"%s\" has no vector", texts[i]);
	}
	ok(!embed_text(e, SLICE_NONE, out), "neither has no text at all");
}

/* Many at once are what each is alone, whatever unit multiplies them. */
static void
test_cosines(void)
{
	enum { ROWS = 37, DIMS = 128 };
	int8_t query[DIMS], rows[ROWS * DIMS];
	int32_t near[ROWS], plain;
	size_t dims, i, k;
	bool same = true;

	for (i = 0; i < DIMS; i++)
		query[i] = (int8_t)(i % 3 == 0 ? -127 : 127 - (int)i);
	for (i = 0; i < ROWS * DIMS; i++)
		rows[i] = (int8_t)(i * 7919 % 255) == -128 ? -127 :
		    (int8_t)(i * 7919 % 255);
	for (dims = 16; dims <= DIMS; dims += 16) {
		embed_cosines(query, rows, ROWS, dims, near);
		for (i = 0; i < ROWS; i++) {
			for (plain = 0, k = 0; k < dims; k++)
				plain += query[k] * rows[i * dims + k];
			same = same && near[i] == plain && plain ==
			    embed_cosine(query, rows + i * dims, dims);
		}
	}
	ok(same, "cosines of many are those of each");
}

/* Rows of the worst numbers: as one sums by hand, few and many, even and odd. */
static void
test_rows(void)
{
	enum { ROWS = 6, DIMS = 48 };
	static int8_t at[ROWS][DIMS];
	struct embed_row rows[ROWS];
	int32_t sum[DIMS], by_hand[DIMS];
	size_t n, i, k;

	for (i = 0; i < ROWS; i++) {
		rows[i] = (struct embed_row){ at[i], i == 3 ? 0 :
			1023 - (int32_t)i * 200 };
		for (k = 0; k < DIMS; k++)
			at[i][k] = (int8_t)(k % 3 == 0 ? -128 : k % 3 == 1 ?
			    127 : (int)(i * 37 + k * 11) % 256 - 128);
	}
	for (n = 0; n <= ROWS; n += 2) {
		for (k = 0; k < DIMS; k++)
			sum[k] = by_hand[k] = (int32_t)k - 20;
		for (i = 0; i < n; i++)
			for (k = 0; k < DIMS; k++)
				by_hand[k] += rows[i].scale * at[i][k];
		embed_rows_add(rows, n, DIMS, sum);
		ok(memcmp(sum, by_hand, sizeof(sum)) == 0, "%zu rows", n);
	}
}

static void
test_together(const struct embed *e)
{
	enum { DIMS = 128 };
	const uint32_t pieces[] = { 5, 1000, 5 };
	int32_t sum[DIMS] = { 0 }, one[DIMS] = { 0 };
	size_t i;

	for (i = 0; i < 3; i++)
		embed_add(e, pieces + i, 1, DIMS, one);
	embed_add(e, pieces, 3, DIMS, sum);
	ok(memcmp(sum, one, sizeof(sum)) == 0, "together as one by one");
	embed_add(e, pieces, 0, DIMS, sum);
	ok(memcmp(sum, one, sizeof(sum)) == 0, "none adds nothing");
}

static void
test_whole_words(const struct embed *e)
{
	int8_t out[EMBED_DIMS_MAX], more[EMBED_DIMS_MAX];

	ok(embed_text(e, SLICE("flurbzig"), out) &&
	    !embed_words(e, SLICE("flurbzig wombelkro"), out),
	    "letters that are no word have pieces, and are no words");
	ok(embed_words(e, SLICE("flurbzig garden"), out) &&
	    embed_text(e, SLICE("garden"), more) &&
	    memcmp(out, more, embed_dims(e)) == 0,
	    "words are what is left without them");
}

/* The longest of everything: no sum may overflow, nothing may be cut badly. */
static void
test_long(const struct embed *e)
{
	size_t len = 4 * EMBED_TEXT_MAX;
	char *text = xmalloc(len);
	int8_t out[EMBED_DIMS_MAX], more[EMBED_DIMS_MAX];

	memset(text, 'a', len);
	ok(!embed_text(e, slice_of(text, len), out), "a word too long is none");
	ok(embed_text(e, slice_of(text, 100), out), "one of 100 letters is");
	for (size_t i = 1; i < len; i += 2)
		text[i] = ' ';
	ok(embed_text(e, slice_of(text, len), out) &&
	    embed_text(e, SLICE("a"), more), "one word very often");
	ok(embed_cosine(out, more, embed_dims(e)) > EMBED_NORM * 9 / 10,
	    "is that word");
	for (size_t i = 0; i + 1 < len; i += 2)
		memcpy(text + i, "\xc3\xa9", 2);
	ok(!embed_text(e, slice_of(text + 1, len - 1), out),
	    "cut at the limit inside a character");
	free(text);
}

/* The same bytes on every machine, or stored vectors would be worthless. */
static void
test_exact(const struct embed *e)
{
	static const char *const texts[] = {
		"When did Caroline go to the support group?",
		"Always include version numbers when I ask about libraries.",
		"ERROR: 0xdeadbeef at /usr/lib/libfoo.so.1",
		"supercalifragilistic",
		"Z\xc3\xbcrich, \xc3\x85ngstr\xc3\xb6m \xe2\x82\xac" "5", "a",
	};
	int8_t all[sizeof(texts) / sizeof(texts[0]) * EMBED_DIMS_MAX];
	size_t dims = embed_dims(e), n = sizeof(texts) / sizeof(texts[0]);
	char sum[32];

	for (size_t i = 0; i < n; i++)
		(void)embed_text(e, slice_str(texts[i]), all + i * dims);
	snprintf(sum, sizeof(sum), "%016llx",
	    (unsigned long long)XXH3_64bits(all, n * dims));
	is(embed_id(e), "skein-static-1/2cf57aff08a35280", "the shipped table");
	is(sum, "9cdecedcd4ada778", "its vectors to the last bit");
}

/* ---- files */

static char *
read_whole(const char *path, size_t *len)
{
	FILE *f = fopen(path, "rb");
	char *data = NULL;

	if (f != NULL && fseek(f, 0, SEEK_END) == 0) {
		*len = (size_t)ftell(f);
		rewind(f);
		data = xmalloc(*len);
		if (fread(data, 1, *len, f) != *len)
			*len = 0;
	}
	if (f != NULL)
		fclose(f);
	return data;
}

static void
refused(const char *data, size_t len, const char *want, const char *what)
{
	char path[] = "/tmp/u-embed.XXXXXX";
	int fd = mkstemp(path);
	struct embed *e;
	struct buf why;

	buf_init(&why, 4096);
	ok(fd >= 0 && write(fd, data, len) == (ssize_t)len, "%s: written",
	    what);
	close(fd);
	e = embed_open(path, &why);
	ok(e == NULL && strstr(buf_cstr(&why), want) != NULL &&
	    strstr(buf_cstr(&why), path) != NULL, "%s: %s", what,
	    buf_cstr(&why));
	embed_close(&e);
	unlink(path);
	buf_release(&why);
}

static void
test_files(void)
{
	size_t len = 0;
	char *data = read_whole(shipped, &len);
	struct embed *e;
	struct buf why;

	buf_init(&why, 4096);
	e = embed_open("/nonexistent/embed.bin", &why);
	ok(e == NULL && why.len > 0, "no file: %s", buf_cstr(&why));
	buf_release(&why);
	refused(data, 0, "empty", "an empty file");
	refused(data, 40, "not a table", "half a header");
	refused(data, len - 8, "cut short", "a file cut short");
	data[8] = 9;
	refused(data, len, "version", "another version");
	data[8] = 1;
	data[len - 100] ^= 1;
	refused(data, len, "checksum", "a flipped bit");
	data[len - 100] ^= 1;
	data[12] = 7;
	refused(data, len, "header", "an odd number of dimensions");
	free(data);
}

/* Not a check: the rate depends on the machine and on the build. */
static void
show_rate(const struct embed *e)
{
	static const char text[] = "The quick brown fox told Melanie about the "
	    "pottery workshop they had visited with the kids last summer, and "
	    "everybody was surprisingly enthusiastic about it. ";
	enum { ROUNDS = 4000, WORDS = 26 };
	int8_t out[EMBED_DIMS_MAX];
	struct timespec from, to;
	double took;

	clock_gettime(CLOCK_MONOTONIC, &from);
	for (int i = 0; i < ROUNDS; i++)
		(void)embed_text(e, slice_str(text), out);
	clock_gettime(CLOCK_MONOTONIC, &to);
	took = (double)(to.tv_sec - from.tv_sec) +
	    (double)(to.tv_nsec - from.tv_nsec) / 1e9;
	printf("# %.2f million words a second\n",
	    ROUNDS * WORDS / took / 1e6);
}

int
main(void)
{
	struct embed *e;
	struct buf why;

	buf_init(&why, 4096);
	e = embed_open(shipped, &why);
	if (!ok(e != NULL, "the shipped table opens %s", buf_cstr(&why)))
		return done();
	is_int((long long)embed_dims(e), 256, "its dimensions");
	test_nearness(e);
	test_words(e);
	test_nothing(e);
	test_cosines();
	test_rows();
	test_together(e);
	test_whole_words(e);
	test_long(e);
	test_exact(e);
	show_rate(e);
	embed_close(&e);
	ok(e == NULL, "closed");
	test_files();
	buf_release(&why);
	return done();
}
