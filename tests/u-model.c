/*
 * u-model - the trained model: verdicts, odd texts, damaged weights
 */
#include <fcntl.h>
#include <unistd.h>

#include "classify/features.h"
#include "classify/model.h"
#include "common/xmalloc.h"
#include "tests/tap.h"

static const char weights[] = "classify/data/acts.model";

static const char *const names[] = {
#define ACT(number, name, what) [number] = #name,
#include "classify/acts.def"
};

/* ---- verdicts */

static void
test_verdicts(const struct model *m)
{
	static const struct { const char *act, *text, *prev; } cases[] = {
		{ "greeting", "Good morning!", "" },
		{ "greeting", "thx a lot", "here you go" },
		{ "question", "What time does it start?", "" },
		{ "question", "how do i fix the login bug", "" },
		{ "request", "Can you help me with this?", "" },
		{ "request", "pls fix the tests", "" },
		{ "inform", "I had a weird experience yesterday", "" },
		{ "inform", "WW2 started in 1939", "" },
		{ "commit", "I'll send you the report tomorrow.", "" },
		{ "accept", "yes", "do you want me to deploy?" },
		{ "reject", "no", "do you want me to deploy?" },
		{ "none", "hmm", "" },
		{ "none", "Um so", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct act_context ctx = { .prev_text = slice_str(cases[i].prev) };
		int scores[ACT_COUNT], sum = 0;
		bool whole = true;

		model_score(m, slice_str(cases[i].text), &ctx, scores);
		is(names[model_best(scores)], cases[i].act, cases[i].text);
		for (int a = 0; a < ACT_COUNT; a++) {
			sum += scores[a];
			whole = whole && scores[a] >= 0 && scores[a] <= 1000;
		}
		ok(whole && sum >= 996 && sum <= 1004,
		    "scores are thousandths of a whole (%d)", sum);
	}
}

static bool
same_scores(const struct model *m, struct slice a, struct slice b)
{
	int one[ACT_COUNT], two[ACT_COUNT];

	model_score(m, a, NULL, one);
	model_score(m, b, NULL, two);
	return memcmp(one, two, sizeof(one)) == 0;
}

static void
test_spelling(const struct model *m)
{
	ok(same_scores(m, SLICE("THANK YOU"), SLICE("thank you")),
	    "case does not matter");
	ok(same_scores(m, SLICE("thx"), SLICE("thanks")), "thx is thanks");
	ok(same_scores(m, SLICE("can u pls"), SLICE("can you please")),
	    "u and pls are words");
	ok(same_scores(m, SLICE("yup"), SLICE("yep")),
	    "the last of the spellings is found");
	ok(same_scores(m, SLICE("abt"), SLICE("about")),
	    "the first of the spellings is found");
	ok(same_scores(m, SLICE("i don\xe2\x80\x99t"), SLICE("I don't")),
	    "a curly apostrophe is an apostrophe");
	ok(same_scores(m, SLICE("soooooo good"), SLICE("so good")),
	    "a letter held down counts once");
	ok(same_scores(m, SLICE("see http://a.b/c?d=e"),
	    SLICE("see https://example.org/")), "one address is as good as another");
	ok(same_scores(m, SLICE("call foo_bar() now"),
	    SLICE("call std::sort(a) now")), "code is code");
}

static void
test_context(const struct model *m)
{
	struct act_context asked = { .prev_text = SLICE("Shall we go on?") };
	struct act_context told = { .prev_text = SLICE("and then it rained."),
		.prev_same_speaker = true };
	int one[ACT_COUNT], two[ACT_COUNT];

	model_score(m, SLICE("yeah"), &asked, one);
	model_score(m, SLICE("yeah"), &told, two);
	ok(one[ACT_accept] > two[ACT_accept],
	    "a yeah to a question accepts more than one to oneself");
	model_score(m, SLICE("yeah"), NULL, one);
	model_score(m, SLICE("yeah"), &(struct act_context){ .effort_open = true },
	    two);
	ok(memcmp(one, two, sizeof(one)) == 0,
	    "no context is a context with no text before");
}

/* To the digit, whatever the machine.  New weights bring new numbers here. */
static void
test_exact(const struct model *m)
{
	static const int want[ACT_COUNT] = { 49, 8, 722, 160, 17, 13, 21, 10 };
	struct act_context ctx = { .prev_text = SLICE("It crashed again.") };
	int scores[ACT_COUNT];

	model_score(m, SLICE("Right, could we look at the parser next?"), &ctx,
	    scores);
	for (int a = 0; a < ACT_COUNT; a++)
		is_int(scores[a], want[a], names[a]);
}

/* ---- odd texts */

static char *
repeated(const char *unit, size_t len)
{
	char *text = xmalloc(len + 1);
	size_t n = strlen(unit);

	for (size_t i = 0; i < len; i++)
		text[i] = unit[i % n];
	text[len] = '\0';
	return text;
}

static void
test_odd_texts(const struct model *m)
{
	static const char *const units[] = { "a", " ", "(", "\xcc\x81", "?",
		"a ", "a.", ":)", "http://", "\xff", "aaa b_c ", "'-'", "\xe2\x80\x99" };
	const size_t len = 1 << 20;
	int scores[ACT_COUNT];

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		char *text = repeated(units[i], len);
		struct act_context ctx = { .prev_text = slice_of(text, len) };
		int sum = 0;

		model_score(m, slice_of(text, len), &ctx, scores);
		for (int a = 0; a < ACT_COUNT; a++)
			sum += scores[a];
		ok(sum >= 996 && sum <= 1004, "1 MB of \"%s\"",
		    (unsigned char)units[i][0] < 0x80 ? units[i] : "bytes");
		free(text);
	}
	model_score(m, SLICE_NONE, NULL, scores);
	ok(true, "nothing at all is a text, too");
	model_score(m, slice_of("a\0b", 3), NULL, scores);
	ok(true, "so is one with a NUL in it");
}

static void
test_bounded_look(const struct model *m)
{
	const size_t len = 1 << 16;
	char *a = repeated("some words here ", len), *b;

	b = repeated("some words here ", len);
	memcpy(b + len / 2, "HELP", 4);
	ok(same_scores(m, slice_of(a, len), slice_of(b, len)),
	    "the middle of a long text does not count");
	memcpy(b + len - 6, " why ?", 6);
	ok(!same_scores(m, slice_of(a, len), slice_of(b, len)),
	    "its end does");
	memcpy(a + len - 6, " why ?", 6);
	memcpy(b, "hi", 2);
	ok(!same_scores(m, slice_of(a, len), slice_of(b, len)),
	    "its beginning does");
	free(a);
	free(b);
}

/* ---- what words give by themselves */

static int
key_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* The keys of all words, behind those that f has; gives how many there are. */
static unsigned
add_word_keys(const struct features *f, uint32_t *keys, unsigned count)
{
	struct word_keys w;

	for (unsigned i = 0; i < f->prev.clean_count; i++) {
		feature_word_keys(&f->prev, f->prev.clean[i], &w);
		keys[count++] = w.before;
	}
	for (unsigned i = 0; i < f->text.clean_count; i++) {
		feature_word_keys(&f->text, f->text.clean[i], &w);
		keys[count++] = w.word;
		memcpy(keys + count, w.pieces, w.n_pieces * sizeof(*keys));
		count += w.n_pieces;
	}
	return count;
}

static bool
same_features(struct slice text, struct slice prev)
{
	static struct features whole, parts;
	static uint32_t a[FEATURES_MAX], b[FEATURES_MAX];
	unsigned count;

	features_extract(&whole, text, prev, true);
	if (!features_but_words(&parts, text, prev, true))
		return false;
	for (unsigned i = 0; i < whole.count; i++)
		a[i] = whole.list[i].key;
	for (unsigned i = 0; i < parts.count; i++)
		b[i] = parts.list[i].key;
	count = add_word_keys(&parts, b, parts.count);
	qsort(a, whole.count, sizeof(*a), key_order);
	qsort(b, count, sizeof(*b), key_order);
	return count == whole.count && memcmp(a, b, count * sizeof(*a)) == 0;
}

static void
test_words(const struct model *m)
{
	struct slice odd = SLICE("k um the The THE dont, don't soooo it's "
	    "www.x.org ok?? :) 12 a_b f() incomprehensibilities-and-more x");
	int before[ACT_COUNT], after[ACT_COUNT];
	char *many = repeated("a bc ", 700), word[16];
	static struct features f;

	ok(same_features(SLICE("could you look at it?"), SLICE("It broke.")),
	    "what words give and the rest are all features");
	ok(same_features(odd, odd), "whatever the words are");
	ok(same_features(SLICE_NONE, SLICE_NONE), "and if there are none");
	ok(!features_but_words(&f, slice_of(many, 700), SLICE_NONE, false),
	    "not where some have no room");
	model_score(m, odd, NULL, before);
	for (unsigned i = 0; i < 20000; i++) {
		snprintf(word, sizeof(word), "q%c%c%cz", 'a' + i % 26,
		    'a' + i / 26 % 26, 'a' + i / 676 % 26);
		model_score(m, slice_str(word), NULL, after);
	}
	model_score(m, odd, NULL, after);
	ok(memcmp(before, after, sizeof(before)) == 0,
	    "scores are the same after twenty thousand other words");
	free(many);
}

static void
test_explain(const struct model *m)
{
	struct act_context ctx = { .prev_text = SLICE("it crashed again") };
	unsigned lines = 0;
	struct buf out;

	buf_init(&out, 1 << 16);
	model_explain(m, SLICE("could you look at the parser please?"), &ctx, 5,
	    &out);
	for (size_t i = 0; i < out.len; i++)
		lines += out.ptr[i] == '\n';
	is_int(lines, 5, "five reasons when five are wanted");
	ok(strchr("+-", *buf_cstr(&out)) != NULL, "a reason begins with its weight");
	ok(strstr(buf_cstr(&out), "\"") != NULL, "and quotes what it saw");
	buf_clear(&out);
	model_explain(m, SLICE_NONE, NULL, 1000, &out);
	ok(out.len > 0, "even nothing has reasons");
	buf_release(&out);
}

/* ---- damaged weights */

struct file {
	unsigned char *bytes;
	size_t len;
};

static struct file
file_read(const char *path)
{
	FILE *in = fopen(path, "rb");
	struct file f = { NULL, 0 };

	if (in == NULL || fseek(in, 0, SEEK_END) != 0)
		return f;
	f.len = (size_t)ftell(in);
	f.bytes = xmalloc(f.len + 1);
	rewind(in);
	if (fread(f.bytes, 1, f.len, in) != f.len)
		f.len = 0;
	fclose(in);
	return f;
}

static void
put_u32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

/* So that a check behind the checksum is reached. */
static void
sign_again(struct file f)
{
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < f.len; i++)
		if (i < 40 || i >= 48)
			h = (h ^ f.bytes[i]) * 1099511628211u;
	put_u32(f.bytes + 40, (uint32_t)h);
	put_u32(f.bytes + 44, (uint32_t)(h >> 32));
}

static void
refused(const unsigned char *bytes, size_t len, const char *reason,
    const char *what)
{
	char path[] = "/tmp/u-model-XXXXXX";
	int fd = mkstemp(path);
	struct model *m;
	struct buf why;
	bool written;

	buf_init(&why, 4096);
	written = fd >= 0 && write(fd, bytes, len) == (ssize_t)len;
	if (fd >= 0)
		close(fd);
	m = model_open(path, &why);
	ok(written && m == NULL && strstr(buf_cstr(&why), reason) != NULL,
	    "%s is refused: %s", what, buf_cstr(&why));
	model_close(&m);
	buf_release(&why);
	unlink(path);
}

static void
refused_change(struct file f, size_t at, uint32_t value, const char *reason,
    const char *what)
{
	unsigned char *copy = xmalloc(f.len);

	memcpy(copy, f.bytes, f.len);
	put_u32(copy + at, value);
	sign_again((struct file){ copy, f.len });
	refused(copy, f.len, reason, what);
	free(copy);
}

static void
test_damage(void)
{
	static const size_t cuts[] = { 1, 8, 47, 48, 1000 };
	struct file f = file_read(weights);
	struct model *m;
	struct buf why;

	buf_init(&why, 4096);
	m = model_open("/nowhere/acts.model", &why);
	ok(m == NULL && why.len > 0, "a missing file is refused: %s",
	    buf_cstr(&why));
	buf_clear(&why);
	m = model_open("/tmp", &why);
	ok(m == NULL && why.len > 0, "a folder is refused: %s", buf_cstr(&why));
	buf_release(&why);

	refused(f.bytes, 0, "not a weights file", "an empty file");
	for (size_t i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++)
		refused(f.bytes, cuts[i], cuts[i] < 48 ? "not a weights" : "bytes",
		    "a file cut short");
	refused(f.bytes, f.len - 1, "bytes", "a file short of one byte");
	refused(f.bytes, f.len + 1, "bytes", "a file with a byte too many");

	refused_change(f, 0, 0, "not a weights file", "another kind of file");
	refused_change(f, 8, 2, "version is 2", "a later version");
	refused_change(f, 12, 99, "feature revision", "another extractor");
	refused_change(f, 16, 9, "acts", "another set of acts");
	refused_change(f, 24, 128, "width", "another width");
	refused_change(f, 32, 0xffffffffu, "sizes", "an absurd size");
	refused_change(f, 48, 0xffffffffu, "order", "keys out of order");
	refused_change(f, f.len - 4, 0x7fffffff, "range", "a weight too large");

	f.bytes[f.len / 2] ^= 1;
	refused(f.bytes, f.len, "damaged", "one flipped bit");
	free(f.bytes);
}

int
main(void)
{
	struct buf why;
	struct model *m;

	buf_init(&why, 4096);
	m = model_open(weights, &why);
	if (!ok(m != NULL, "the shipped weights open %s", buf_cstr(&why)))
		return done();
	test_verdicts(m);
	test_exact(m);
	test_spelling(m);
	test_context(m);
	test_odd_texts(m);
	test_bounded_look(m);
	test_words(m);
	test_explain(m);
	test_damage();
	model_close(&m);
	ok(m == NULL, "closing forgets the model");
	buf_release(&why);
	return done();
}
