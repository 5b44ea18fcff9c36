/*
 * u-stance - the compactor's small models: wordings that were not learnt,
 * odd texts, damaged files
 */
#include <stdlib.h>
#include <unistd.h>

#include "common/xmalloc.h"
#include "compactor/effort_how.h"
#include "compactor/stance.h"
#include "tests/tap.h"

static const char stance_file[] =
    SKEIN_SOURCE_DIR "/compactor/data/stance.model";
static const char how_file[] = SKEIN_SOURCE_DIR "/compactor/data/how.model";

static enum stance
best(struct linear *m, const char *text, enum stance_after after)
{
	struct stances s = stance_read(m, slice_str(text), after);
	int i, at = 0;

	for (i = 1; i < STANCE_COUNT; i++)
		if (s.lead[i] > s.lead[at])
			at = i;
	return at;
}

static void
test_wordings(struct linear *m)
{
	static const struct {
		const char *text;
		enum stance_after after;
		enum stance stance;
	} cases[] = {
		{ "our scanner jams whenever I feed two pages", AFTER_none,
		    STANCE_opens },
		{ "please write a changelog for the last release", AFTER_none,
		    STANCE_opens },
		{ "after swapping the hose it stopped dripping, thanks",
		    AFTER_propose, STANCE_well },
		{ "looks great, merged it", AFTER_report, STANCE_well },
		{ "no change, it still refuses to start", AFTER_propose,
		    STANCE_bad },
		{ "that broke the sidebar", AFTER_report, STANCE_bad },
		{ "I'll try it after work", AFTER_propose, STANCE_on },
		{ "about forty of them", AFTER_ask, STANCE_on },
		{ "good evening everyone", AFTER_none, STANCE_none },
		{ "what is the capital of Norway?", AFTER_none, STANCE_asks },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(best(m, cases[i].text, cases[i].after) == cases[i].stance,
		    "\"%s\"", cases[i].text);
}

static void
test_how(struct linear *m)
{
	int32_t deed[LINEAR_CLASSES], polite[LINEAR_CLASSES];

	linear_read(m, SLICE("I replaced the broken import in two files"), 0,
	    deed);
	linear_read(m, SLICE("Let me know if you need anything else"), 0,
	    polite);
	ok(deed[0] > polite[0] + 1000, "a deed tells how, courtesy does not");
	ok(deed[0] == -deed[1], "of two classes one leads by what the other "
	    "lacks");
}

static void
test_odd(struct linear *m)
{
	char *many = xmalloc(1000000);
	struct stances a, b;

	a = stance_read(m, SLICE_NONE, AFTER_none);
	ok(a.lead[STANCE_well] < 0, "of nothing nothing is well");
	memset(many, 'x', 1000000);
	a = stance_read(m, slice_of(many, 1000000), AFTER_ask);
	b = stance_read(m, slice_of(many, 1000000), AFTER_ask);
	ok(memcmp(&a, &b, sizeof(a)) == 0, "a megabyte of one letter");
	memset(many, 0xff, 1000000);
	a = stance_read(m, slice_of(many, 1000000), AFTER_ask);
	ok(a.lead[STANCE_opens] < 1000, "a megabyte of no UTF-8");
	free(many);
}

/* Models that share what they read say what each says alone. */
static void
test_join(struct linear *stance, struct linear *how)
{
	static const char *const texts[] = { "it helps now",
		"it fails now", "", "it drips still" };
	int32_t alone[4][LINEAR_CLASSES], joined[4][LINEAR_CLASSES];
	struct stances a[4], b[4];
	bool same = true;
	size_t i;

	for (i = 0; i < 4; i++) {
		a[i] = stance_read(stance, slice_str(texts[i]), AFTER_ask);
		linear_read(how, slice_str(texts[i]), 1, alone[i]);
	}
	linear_join(how, stance);
	for (i = 0; i < 4; i++) {
		b[i] = stance_read(stance, slice_str(texts[i]), AFTER_ask);
		linear_read(how, slice_str(texts[i]), 1, joined[i]);
		same = same && memcmp(&a[i], &b[i], sizeof(a[i])) == 0 &&
		    memcmp(alone[i], joined[i], 2 * sizeof(int32_t)) == 0;
	}
	ok(same, "joined, they say the same");
	ok(memcmp(&a[0], &a[1], sizeof(a[0])) != 0,
	    "and one letter makes a difference");
}

/* A file of so many bytes of the shipped one, and something behind. */
static bool
opens(const char *head, const char *tail)
{
	char path[] = "/tmp/u-stance.XXXXXX";
	int fd = mkstemp(path);
	struct linear *m;
	struct buf why;
	bool good;

	if (fd == -1 || write(fd, head, strlen(head)) != (ssize_t)strlen(head) ||
	    write(fd, tail, strlen(tail)) != (ssize_t)strlen(tail))
		abort();
	close(fd);
	buf_init(&why, 4096);
	m = linear_open(&stance_spec, path, &why);
	good = m != NULL;
	ok(good == (why.len == 0), "  %s",
	    good ? "without a word" : buf_cstr(&why));
	linear_close(&m);
	buf_release(&why);
	unlink(path);
	return good;
}

static void
test_damage(void)
{
	static const char contexts[] =
	    "none\t0\t0\t0\t0\t0\t0\nask\t0\t0\t0\t0\t0\t0\n"
	    "report\t0\t0\t0\t0\t0\t0\npropose\t0\t0\t0\t0\t0\t0\n"
	    "self\t0\t0\t0\t0\t0\t0\n";
	static const char head[] = "skein stance 1 features 1 keys 1\n";
	char *sound = xasprintf("%s%s", head, contexts);

	ok(opens(sound, "ab\t1\t2\t3\t-4\t5\t6\n"), "a sound file");
	ok(!opens(sound, ""), "a key is missing");
	ok(!opens(sound, "ab\t1\t2\t3\t-4\t5\n"), "a weight is missing");
	ok(!opens(sound, "ab\t1\t2\t3\t-4\t5\t6\t7\n"), "one too many");
	ok(!opens(sound, "ab\t1\t2\t3\t-4\t5\t6"), "cut short");
	ok(!opens(sound, "ab\t1\t2\t3\t-4\t5\t99999999\n"), "too heavy");
	ok(!opens(sound, "zz\t1\t2\t3\t-4\t5\t6\n"), "no key");
	ok(!opens(sound, "ab\t1\t2\t3\t4\t5\t6\nac\t1\t2\t3\t4\t5\t6\n"),
	    "a line too many");
	ok(!opens("skein how 1 features 1 keys 0\n", contexts),
	    "another model's");
	ok(!opens("skein stance 2 features 1 keys 0\n", contexts),
	    "another revision");
	ok(!opens("skein stance 1 features 1 keys 99999999999\n", contexts),
	    "more keys than can be");
	ok(!opens("", ""), "an empty file");
	free(sound);
}

int
main(void)
{
	struct linear *stance, *how;
	struct buf why;

	buf_init(&why, 4096);
	stance = linear_open(&stance_spec, stance_file, &why);
	how = linear_open(&how_spec, how_file, &why);
	ok(stance != NULL && how != NULL, "the shipped ones %s",
	    buf_cstr(&why));
	if (stance == NULL || how == NULL)
		return 1;
	test_wordings(stance);
	test_how(how);
	test_odd(stance);
	test_join(stance, how);
	test_damage();
	ok(linear_open(&stance_spec, "/nonexistent", &why) == NULL &&
	    why.len > 0, "a file that is not there: %s", buf_cstr(&why));
	linear_close(&stance);
	linear_close(&how);
	buf_release(&why);
	return done();
}
