/*
 * u-sentence - where sentences begin and end
 */
#include "classify/sentence.h"

#include "tests/nasty.h"
#include "tests/tap.h"

static struct arena arena;

/* The sentences, '|' between them. */
static void
splits(const char *text, const char *want)
{
	struct slice s = slice_str(text);
	struct sifted f = sift_text(&arena, s, SPEAKER_user);
	struct sentence *list;
	size_t count = sentences_of(&arena, s, &f, &list), end = 0;
	struct buf out;
	bool sound = true;

	buf_init(&out, 1 << 20);
	for (size_t i = 0; i < count; i++) {
		sound = sound && list[i].at >= end && list[i].len > 0;
		end = list[i].at + list[i].len;
		buf_addf(&out, "%s%.*s", i > 0 ? "|" : "", (int)list[i].len,
		    text + list[i].at);
	}
	is(buf_cstr(&out), want, want);
	if (!sound || end > s.len)
		ok(false, "in order, without overlap: %s", text);
	buf_release(&out);
	arena_reset(&arena);
}

static void
test_plain(void)
{
	splits("", "");
	splits("   \n\n ", "");
	splits("Hello", "Hello");
	splits("  trimmed  ", "trimmed");
	splits("One. Two! Three? four", "One.|Two!|Three?|four");
	splits("one. two. three", "one.|two.|three");
	splits("no punctuation here\nnext line too",
	    "no punctuation here|next line too");
	splits("What?! Really?? yes!!!", "What?!|Really??|yes!!!");
	splits("He said \"stop.\" Then he left.",
	    "He said \"stop.\"|Then he left.");
	splits("(It works.) Good.", "(It works.)|Good.");
	splits("that worked!thanks", "that worked!|thanks");
	splits("ok.then", "ok.then");
	splits("I see. I know.", "I see.|I know.");
	splits("It is me and I. You too.", "It is me and I.|You too.");
}

static void
test_dots(void)
{
	splits("Mr. Smith met Dr. Jones. They talked.",
	    "Mr. Smith met Dr. Jones.|They talked.");
	splits("Use e.g. this, i.e. that. Done.",
	    "Use e.g. this, i.e. that.|Done.");
	splits("v1.2 is out. Get file.txt from example.com now.",
	    "v1.2 is out.|Get file.txt from example.com now.");
	splits("It costs 3.50 euros. Cheap.", "It costs 3.50 euros.|Cheap.");
	splits("The U.S. economy grew.", "The U.S. economy grew.");
	splits("J. R. Tolkien wrote it.", "J. R. Tolkien wrote it.");
	splits("logs, traces, etc. are here", "logs, traces, etc. are here");
	splits("logs, traces, etc. We keep all.",
	    "logs, traces, etc.|We keep all.");
	splits("No. That is wrong.", "No.|That is wrong.");
	splits("See no. 5 there.", "See no. 5 there.");
	splits("so... what now", "so... what now");
	splits("so... What now", "so...|What now");
	splits("hm… okay. Well… Then", "hm… okay.|Well…|Then");
	splits("wait...", "wait...");
	splits("...and then", "...and then");
	splits("Das ist z. B. gut, d. h. fertig. Ja.",
	    "Das ist z. B. gut, d. h. fertig.|Ja.");
	splits("It was 1939. Then came 1940.", "It was 1939.|Then came 1940.");
}

static void
test_lists(void)
{
	splits("- one\n- two. three\n* four", "one|two.|three|four");
	splits("1. first thing\n2. second thing", "first thing|second thing");
	splits("1) first\n2) second", "first|second");
	splits("# Title\ntext", "Title|text");
	splits("• a point", "a point");
	splits("-5 degrees", "-5 degrees");
	splits("steps:\n\n1. go", "steps:|go");
}

static void
test_foreign(void)
{
	splits("Run `make test. Now` please. Thanks",
	    "Run `make test. Now` please.|Thanks");
	splits("see https://a.org/x.y?z. It works",
	    "see https://a.org/x.y?z.|It works");
	splits("it fails:\n```\nerror. bad.\n```\nwhy?", "it fails:|why?");
	splits("> quoted. text.\nmy words", "my words");
	splits("<system-reminder>a. b.</system-reminder>", "");
	splits("before <system-reminder>a. b.</system-reminder> after",
	    "before|after");
	splits("use `x`. Then `y`", "use `x`.|Then `y`");
	splits("ERROR: a. b. c\nhelp me", "help me");
	splits("`only code`", "");
}

static void
test_scripts(void)
{
	splits("这是第一句。这是第二句！好吗？ok",
	    "这是第一句。|这是第二句！|好吗？|ok");
	splits("「終わりました。」次です。", "「終わりました。」|次です。");
	splits("Привет. Как дела? Хорошо.", "Привет.|Как дела?|Хорошо.");
	splits("Es geht nicht. Über Nacht lief es.",
	    "Es geht nicht.|Über Nacht lief es.");
	splits("كيف حالك؟ أنا بخير.", "كيف حالك؟|أنا بخير.");
	splits("नमस्ते। आप कैसे हैं?", "नमस्ते।|आप कैसे हैं?");
	splits("Great! 👍 Next one.", "Great! 👍|Next one.");
	splits("Nice. :-) and more", "Nice. :-)|and more");
	splits("👍", "👍");
	splits("love it 😍😍 so much", "love it 😍😍 so much");
}

static void
test_limit(void)
{
	struct slice s = nasty_text("ab. ", 4 * (SENTENCE_MAX + 50));
	struct sifted f = sift_text(&arena, s, SPEAKER_user);
	struct sentence *list;
	size_t count = sentences_of(&arena, s, &f, &list);

	is_int(count, SENTENCE_MAX, "not more than the limit");
	is_int(list[count - 1].at, 4 * (SENTENCE_MAX - 1), "the last begins");
	is_int(list[count - 1].at + list[count - 1].len, s.len - 1,
	    "and takes in all the rest");
	free((char *)s.ptr);
	arena_reset(&arena);
}

static void
test_all(struct slice text)
{
	struct sifted f = sift_text(&arena, text, SPEAKER_user);
	struct sentence *list;

	sentences_of(&arena, text, &f, &list);
	arena_reset(&arena);
}

int
main(void)
{
	arena_init(&arena);
	test_plain();
	test_dots();
	test_lists();
	test_foreign();
	test_scripts();
	test_limit();
	nasty_check(test_all);
	arena_release(&arena);
	return done();
}
