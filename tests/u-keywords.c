/*
 * u-keywords - terms and keywords of a statement
 */
#include "classify/keywords.h"

#include "tests/tap.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct arena arena;
static struct lexicon *lexicon;

static size_t
terms_in(const char *text, struct term **terms)
{
	struct slice s = slice_str(text);
	struct sifted f = sift_text(&arena, s, SPEAKER_user);

	return terms_of(lexicon, &arena, s, &f, (struct sentence){ 0, s.len },
	    terms);
}

/* The stems, heaviest first. */
static void
weighs(const char *text, const char *want)
{
	struct term *terms;
	struct keyword *list;
	size_t count = terms_in(text, &terms), n;
	struct buf out;
	bool sorted = true;

	buf_init(&out, 1 << 16);
	n = keywords_of(lexicon, &arena, terms, count, &list);
	for (size_t i = 0; i < n; i++) {
		sorted = sorted && list[i].weight > 0 &&
		    (i == 0 || list[i].weight <= list[i - 1].weight);
		buf_addf(&out, "%s%.*s", i > 0 ? " " : "",
		    SLICE_ARG(list[i].stem));
	}
	is(buf_cstr(&out), want, text);
	if (!sorted)
		ok(false, "heaviest first: %s", text);
	buf_release(&out);
	arena_reset(&arena);
}

/* "folded/class" for each term. */
static void
terms_are(const char *text, const char *want)
{
	static const char *const classes[] = { "c", "l", "v", "s" };
	struct term *terms;
	size_t count = terms_in(text, &terms);
	struct buf out;

	buf_init(&out, 1 << 16);
	for (size_t i = 0; i < count; i++)
		buf_addf(&out, "%s%.*s/%s", i > 0 ? " " : "",
		    SLICE_ARG(terms[i].folded), classes[terms[i].class]);
	is(buf_cstr(&out), want, text);
	buf_release(&out);
	arena_reset(&arena);
}

static void
test_terms(void)
{
	terms_are("", "");
	terms_are("I get a weird Error!", "i/s get/l a/s weird/l error/c !/s");
	terms_are("What've you done", "what've/s you/s done/s");
	terms_are("an auth issue", "an/s auth/c issue/v");
	terms_are("say \"we will move the whole thing over to the new cluster "
	    "by the end of the week\" ok", "say/l ok/s");
	terms_are("run `x_y` now", "run/l `/s x_y/c `/s now/s");
	terms_are("Ｆｏｏ’s", "foo's/c");
}

static void
test_weights(void)
{
	struct term *t;

	is_int(terms_in("the service servicing zzyzx 5 zq", &t), 6, "six terms");
	is_int(t[0].weight, 0, "a stop word weighs nothing");
	is_int(t[1].weight, t[2].weight, "words of one stem weigh the same");
	ok(t[1].known && !t[3].known, "some stems are known, some not");
	ok(t[3].weight > t[1].weight, "what was never seen is the rarest");
	ok(t[5].weight < t[1].weight, "but not when it is too short");
	is_int(terms_in("fix fixture", &t), 2, "two terms");
	ok(t[0].weight < 3000, "a light verb weighs half");
	arena_reset(&arena);
}

static void
test_keywords(void)
{
	weighs("", "");
	weighs("ok thanks!", "");
	weighs("The servers were crashing and the server crashed",
	    "crash server");
	weighs("getUserName", "getusername user name get");
	weighs("see src/auth/login.ts:42",
	    "src/auth/login.ts ts auth 42 src login see");
	weighs("https://www.example.com/docs",
	    "https://www.example.com/docs doc exampl");
	weighs("foo_bar and foo_bar", "foo_bar foo bar");
	weighs("version v2.1", "v2.1 version");
	weighs("at 10:30", "");
}

static void
test_languages(void)
{
	weighs("Die Datenbank ist nicht erreichbar", "datenbank erreichbar");
	weighs("Größe und Straße", "grösse strass");
	weighs("я не могу подключиться", "могу подключиться");
	weighs("我买了电脑", "电脑 买");
	weighs("データベースの接続", "データベース 接続");
	weighs("لا أستطيع الاتصال", "أستطيع الاتصال");
	weighs("데이터베이스 연결", "데이터베이스 연결");
	weighs("je ne peux pas", "peux");
}

static void
test_limits(void)
{
	struct term *terms;
	struct keyword *list;
	struct buf text;
	size_t count;

	buf_init(&text, 1 << 20);
	for (int i = 0; i < TERMS_MAX + 500; i++)
		buf_addf(&text, "zq%dx ", i);
	count = terms_in(buf_cstr(&text), &terms);
	is_int(count, TERMS_MAX, "no more terms than the limit");
	is_int(keywords_of(lexicon, &arena, terms, count, &list), KEYWORDS_MAX,
	    "no more keywords either");
	is(arena_cstr(&arena, list[0].stem), "zq0x", "the earlier on a tie");
	buf_clear(&text);
	for (int i = 0; i < 1000; i++)
		buf_adds(&text, "long");
	count = terms_in(buf_cstr(&text), &terms);
	is_int(keywords_of(lexicon, &arena, terms, count, &list), 0,
	    "a word too long for a keyword is none");
	buf_release(&text);
	arena_reset(&arena);
}

static void
write_file(const char *dir, const char *name, const char *content)
{
	struct slice path = arena_printf(&arena, "%s/%s", dir, name);
	FILE *f = fopen(path.ptr, "w");

	if (f == NULL || fputs(content, f) == EOF || fclose(f) == EOF)
		perror(path.ptr);
}

static void
refuses(const char *dir, const char *idf, const char *stop, const char *what)
{
	struct lexicon *l = NULL;

	write_file(dir, "idf.tsv", idf);
	write_file(dir, "stopwords.txt", stop);
	ok(lexicon_open(&l, dir) == -1 && l == NULL, "refused: %s", what);
}

static void
test_broken(void)
{
	char dir[] = "/tmp/u-keywords.XXXXXX";
	struct lexicon *l = NULL;
	const char *good = "#unknown\t9000\nfoo\t5\n";

	if (mkdtemp(dir) == NULL) {
		ok(false, "a scratch folder");
		return;
	}
	ok(lexicon_open(&l, "/nowhere") == -1, "refused: no such folder");
	refuses(dir, "", "[stop]\na\n", "no weight for the unknown");
	refuses(dir, "#unknown\t9000\nfoo 5\n", "[stop]\n", "no tab");
	refuses(dir, "#unknown\t9000\nfoo\tx\n", "[stop]\n", "no number");
	refuses(dir, "#unknown\t9000\nfoo\t1000000\n", "[stop]\n",
	    "a number too large");
	refuses(dir, "#unknown\t9000\n\t5\n", "[stop]\n", "no stem");
	refuses(dir, good, "a b\n", "words before a section");
	refuses(dir, good, "[nonsense]\na\n", "a section that is none");
	write_file(dir, "idf.tsv", good);
	write_file(dir, "stopwords.txt", "# only a comment\n[stop]\na b\n");
	ok(lexicon_open(&l, dir) == 0, "a good one is read");
	lexicon_close(&l);
	ok(l == NULL, "and closed");
	unlink(arena_printf(&arena, "%s/idf.tsv", dir).ptr);
	unlink(arena_printf(&arena, "%s/stopwords.txt", dir).ptr);
	rmdir(dir);
}

int
main(void)
{
	arena_init(&arena);
	if (lexicon_open(&lexicon, "classify/data") < 0)
		return 1;
	test_terms();
	test_weights();
	test_keywords();
	test_languages();
	test_limits();
	test_broken();
	lexicon_close(&lexicon);
	arena_release(&arena);
	return done();
}
