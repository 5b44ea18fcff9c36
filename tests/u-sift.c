/*
 * u-sift - whose words a text is made of
 */
#include "classify/sift.h"

#include "tests/nasty.h"
#include "tests/tap.h"

static struct arena arena;

static bool
covers(struct slice text, const struct sifted *f)
{
	size_t end = 0;

	for (size_t i = 0; i < f->count; i++) {
		if (f->spans[i].at != end || f->spans[i].len == 0)
			return false;
		end += f->spans[i].len;
	}
	return end == text.len;
}

/* "kind{text}" for each span, "kind!{text}" for a block. */
static void
sifts_as(enum speaker speaker, const char *text, const char *want)
{
	struct slice s = slice_str(text);
	struct sifted f = sift_text(&arena, s, speaker);
	struct buf out;

	buf_init(&out, 1 << 20);
	for (size_t i = 0; i < f.count; i++)
		buf_addf(&out, "%s%s{%.*s}", sift_kind_name(f.spans[i].kind),
		    f.spans[i].block ? "!" : "", (int)f.spans[i].len,
		    text + f.spans[i].at);
	is(buf_cstr(&out), want, want);
	if (!covers(s, &f))
		ok(false, "the spans cover the text: %s", text);
	buf_release(&out);
	arena_reset(&arena);
}

static void
sifts(const char *text, const char *want)
{
	sifts_as(SPEAKER_user, text, want);
}

static void
test_plain(void)
{
	sifts("", "");
	sifts("Hello there.", "own{Hello there.}");
	sifts("one\n\ntwo", "own{one\n\ntwo}");
	sifts("Привет! 你好", "own{Привет! 你好}");
	sifts("a < b and c > d", "own{a < b and c > d}");
	sifts("5 > 3 is true", "own{5 > 3 is true}");
	sifts("<b>bold</b> html", "own{<b>bold</b> html}");
	sifts("error: I cannot log in", "own{error: I cannot log in}");
	sifts("the info is in the log", "own{the info is in the log}");
	sifts("- item one\n- item two", "own{- item one\n- item two}");
	sifts("1. first\n    more of it (really)",
	    "own{1. first\n    more of it (really)}");
	sifts("I said: ok; then (maybe) left",
	    "own{I said: ok; then (maybe) left}");
}

static void
test_roles(void)
{
	sifts_as(SPEAKER_tool, "Hello.\nx", "tool!{Hello.\nx}");
	sifts_as(SPEAKER_system, "You are `x`.", "machine!{You are `x`.}");
	sifts_as(SPEAKER_assistant, "Try this.", "own{Try this.}");
	sifts_as(SPEAKER_tool, "", "");
}

static void
test_code(void)
{
	sifts("run `make test` now", "own{run }code{`make test`}own{ now}");
	sifts("``a ` b`` x", "code{``a ` b``}own{ x}");
	sifts("a ` lonely tick", "own{a ` lonely tick}");
	sifts("a `b\nc` d", "own{a `b\nc` d}");
	sifts("look:\n```c\nint x;\n```\nok?",
	    "own{look:\n}code!{```c\nint x;\n```\n}own{ok?}");
	sifts("~~~\nx\n```\ny\n~~~\nz", "code!{~~~\nx\n```\ny\n~~~\n}own{z}");
	sifts("```\nnever closed\nend", "code!{```\nnever closed\nend}");
	sifts("````\n```\n````\nx", "code!{````\n```\n````\n}own{x}");
	sifts("```inline``` too", "code{```inline```}own{ too}");
	sifts("try:\n\n    x = f(1)\n    y = 2\n\nthen",
	    "own{try:\n\n}code!{    x = f(1)\n    y = 2\n}own{\nthen}");
	sifts("    Dear all, hello", "own{    Dear all, hello}");
	sifts("#include <stdio.h>\nwhy?",
	    "code!{#include <stdio.h>\n}own{why?}");
	sifts("int main(void) {\nreturn f(x);\n}\nit fails",
	    "code!{int main(void) {\nreturn f(x);\n}\n}own{it fails}");
	sifts("{\"a\": 1}", "code!{{\"a\": 1}}");
	sifts("`<system-reminder>` is a tag",
	    "code{`<system-reminder>`}own{ is a tag}");
}

static void
test_quotes(void)
{
	sifts("> they said\n> so\nI disagree",
	    "quote!{> they said\n> so\n}own{I disagree}");
	sifts(">> deep\nno", "quote!{>> deep\n}own{no}");
	sifts("On Monday, Bob wrote:\n> hi\nhello",
	    "quote!{On Monday, Bob wrote:\n> hi\n}own{hello}");
	sifts("the \"best\" one", "own{the \"best\" one}");
	sifts("he wrote \"we will move the whole service to the new cluster "
	    "by the end of this week\" today",
	    "own{he wrote }quote{\"we will move the whole service to the new "
	    "cluster by the end of this week\"}own{ today}");
	sifts("“we will move the whole service to the new cluster by the end "
	    "of this week” he said",
	    "quote{“we will move the whole service to the new cluster by the "
	    "end of this week”}own{ he said}");
	sifts("a 5\" disk and a 7\" one", "own{a 5\" disk and a 7\" one}");
	sifts("\"unclosed and long enough to be a quote of somebody else, I "
	    "would say so",
	    "own{\"unclosed and long enough to be a quote of somebody else, I "
	    "would say so}");
}

static void
test_tool(void)
{
	sifts("I get this:\n2023-05-05 10:30:00 ERROR db: timeout\nwhy?",
	    "own{I get this:\n}tool!{2023-05-05 10:30:00 ERROR db: timeout\n}"
	    "own{why?}");
	sifts("[10:30:15] started", "tool!{[10:30:15] started}");
	sifts("May  5 10:30:00 host sshd[1]: x",
	    "tool!{May  5 10:30:00 host sshd[1]: x}");
	sifts("ERROR: no such table\nhelp",
	    "tool!{ERROR: no such table\n}own{help}");
	sifts("[WARN] slow", "tool!{[WARN] slow}");
	sifts("TypeError: x is not a function\n    at f (a.js:1:2)\nhm",
	    "tool!{TypeError: x is not a function\n    at f (a.js:1:2)\n}"
	    "own{hm}");
	sifts("Traceback (most recent call last):\n  File \"x.py\", line 3\n"
	    "    foo()\nValueError: bad\nWhat now?",
	    "tool!{Traceback (most recent call last):\n  File \"x.py\", line 3"
	    "\n    foo()\nValueError: bad\n}own{What now?}");
	sifts("main.c:12:3: error: expected ';'\nso?",
	    "tool!{main.c:12:3: error: expected ';'\n}own{so?}");
	sifts("$ 40 per night", "own{$ 40 per night}");
	sifts("$ ls -la\nworks", "tool!{$ ls -la\n}own{works}");
	sifts("me@host:~/x$ make\nfails", "tool!{me@host:~/x$ make\n}own{fails}");
	sifts("npm ERR! code E404", "tool!{npm ERR! code E404}");
	sifts("diff --git a/x b/x\n@@ -1 +1 @@\n-old\n+new\n\nplease apply",
	    "tool!{diff --git a/x b/x\n@@ -1 +1 @@\n-old\n+new\n}"
	    "own{\nplease apply}");
	sifts("<tool_result>42</tool_result> fine",
	    "tool!{<tool_result>42</tool_result>}own{ fine}");
}

static void
test_machine(void)
{
	sifts("hi <system-reminder>be good</system-reminder> there",
	    "own{hi }machine!{<system-reminder>be good</system-reminder>}"
	    "own{ there}");
	sifts("<skein-context>\nmemory\n</skein-context>\nmy question",
	    "machine!{<skein-context>\nmemory\n</skein-context>}"
	    "own{\nmy question}");
	sifts("a <skein-context id=\"1\">never closed\nb",
	    "own{a }machine!{<skein-context id=\"1\">never closed\nb}");
	sifts("<system-reminder>a<system-reminder>b</system-reminder>c"
	    "</system-reminder>d",
	    "machine!{<system-reminder>a<system-reminder>b</system-reminder>c"
	    "</system-reminder>}own{d}");
	sifts("<system-reminder>says <skein-x> once</system-reminder> own",
	    "machine!{<system-reminder>says <skein-x> once</system-reminder>}"
	    "own{ own}");
	sifts("a </system-reminder> b",
	    "own{a }machine!{</system-reminder>}own{ b}");
	sifts("<skein-mark/>x", "machine!{<skein-mark/>}own{x}");
	sifts("> quoted <skein-a>x\ny</skein-a>z",
	    "quote!{> quoted }machine!{<skein-a>x\ny</skein-a>}own{z}");
	sifts("```\n<skein-a>\n```\nown", "code!{```\n<skein-a>\n```\n}own{own}");
	sifts("This session is being continued from a previous conversation "
	    "that ran out of room.\nThe user asked",
	    "machine!{This session is being continued from a previous "
	    "conversation that ran out of room.\nThe user asked}");
	sifts("[Request interrupted by user]\nstop that",
	    "machine!{[Request interrupted by user]\n}own{stop that}");
	sifts("PromptSubmit hook additional context: x\nhi",
	    "machine!{PromptSubmit hook additional context: x\n}own{hi}");
}

static void
test_urls(void)
{
	sifts("see https://a.org/b. ok",
	    "own{see }url{https://a.org/b}own{. ok}");
	sifts("www.example.com is down", "url{www.example.com}own{ is down}");
	sifts("(http://a.b/c)", "own{(}url{http://a.b/c}own{)}");
	sifts("http://a.b http://c.d",
	    "url{http://a.b}own{ }url{http://c.d}");
	sifts("what:// is", "own{what:// is}");
	sifts("awww. cute", "own{awww. cute}");
}

static void
own_is(const char *text, size_t at, size_t len, const char *want)
{
	struct slice s = slice_str(text);
	struct sifted f = sift_text(&arena, s, SPEAKER_user);

	is(arena_cstr(&arena, sift_own(&arena, s, &f, at, len)), want, want);
}

static void
test_own(void)
{
	const char *text = "run `make` and see https://a.org/b please";

	own_is(text, 0, strlen(text), "run   and see   please");
	own_is(text, 0, 4, "run ");
	own_is(text, 4, 6, " ");
	own_is("plain", 1, 3, "lai");
	own_is("plain", 0, 0, "");
}

static void
test_all(struct slice text)
{
	sift_text(&arena, text, SPEAKER_user);
	arena_reset(&arena);
}

int
main(void)
{
	arena_init(&arena);
	test_plain();
	test_roles();
	test_code();
	test_quotes();
	test_tool();
	test_machine();
	test_urls();
	test_own();
	nasty_check(test_all);
	arena_release(&arena);
	return done();
}
