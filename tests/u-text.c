/*
 * u-text - UTF-8, folding, tokens
 */
#include "common/text.h"

#include "tests/nasty.h"
#include "tests/tap.h"

static struct arena arena;

static void
valid(const char *bytes, const char *what)
{
	size_t bad = 99;

	ok(text_valid_utf8(slice_str(bytes), &bad) && bad == 99, "valid: %s",
	    what);
}

static void
invalid(const char *bytes, size_t want, const char *what)
{
	size_t bad = 99;

	ok(!text_valid_utf8(slice_str(bytes), &bad), "invalid: %s", what);
	is_int(bad, want, what);
}

static void
test_utf8(void)
{
	valid("", "nothing");
	valid("plain", "ASCII");
	valid("\xc2\x80\xdf\xbf", "two bytes");
	valid("\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf",
	    "three bytes up to the surrogates and behind them");
	valid("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "four bytes");
	invalid("ab\x80", 2, "a continuation alone");
	invalid("\xc0\xaf", 0, "overlong slash");
	invalid("\xc1\xbf", 0, "overlong of two");
	invalid("x\xe0\x9f\xbf", 1, "overlong of three");
	invalid("\xf0\x8f\xbf\xbf", 0, "overlong of four");
	invalid("\xed\xa0\x80", 0, "a surrogate");
	invalid("\xed\xbf\xbf", 0, "the last surrogate");
	invalid("\xf4\x90\x80\x80", 0, "past U+10FFFF");
	invalid("\xf5\x80\x80\x80", 0, "a lead byte that is none");
	invalid("\xff", 0, "0xff");
	invalid("abc\xe4\xbd", 3, "cut short");
	invalid("\xe4\x41\x41", 0, "a letter where a continuation belongs");
	ok(text_valid_utf8(slice_of("a\0b", 3), NULL), "NUL is valid");
	ok(text_has_nul(slice_of("a\0b", 3)), "and is told");
	ok(!text_has_nul(slice_str("ab")), "where there is one");
	ok(!text_has_nul(SLICE_NONE), "also in nothing");
}

static void
test_next(void)
{
	struct slice s = slice_str("a\xc3\xa9\xe4\xbd\xa0\xf0\x9f\x98\x80\xff" "b");
	static const int32_t want[] = { 'a', 0xe9, 0x4f60, 0x1f600, TEXT_BAD,
		'b' };
	size_t pos = 0, i = 0;
	int32_t cp;

	while (text_next(s, &pos, &cp)) {
		is_int(cp, want[i], "code point");
		i++;
	}
	is_int(i, 6, "all of them");
	is_int(pos, s.len, "to the end");
	is_int(text_cut(s, 2), 1, "not inside two bytes");
	is_int(text_cut(s, 3), 3, "behind them");
	is_int(text_cut(s, 5), 3, "not inside three");
	is_int(text_cut(s, 9), 6, "not inside four");
	is_int(text_cut(s, 99), s.len, "all if it fits");
	is_int(text_cut(slice_str("\x80\x80\x80\x80\x80\x80"), 5), 5,
	    "gives up on what is no UTF-8");
}

static void
folds(const char *text, const char *want)
{
	struct slice s = text_fold(&arena, slice_str(text));

	is(arena_cstr(&arena, s), want, text);
}

static void
test_fold(void)
{
	struct slice lower = slice_str("already folded");

	folds("", "");
	folds("Hello World", "hello world");
	folds("HTTP 401!", "http 401!");
	folds("Straße", "strasse");
	folds("ÜBER", "über");
	folds("u\xcc\x88" "ber", "über");
	folds("ПРИВЕТ", "привет");
	folds("Ｆｕｌｌ　ｗｉｄｔｈ", "full width");
	folds("ﬁle", "file");
	folds("O’Brien", "o'brien");
	folds("soft\xc2\xadhyphen", "softhyphen");
	folds("zero\xe2\x80\x8bwidth", "zerowidth");
	folds("①", "1");
	folds("你好", "你好");
	folds("ΣΊΣΥΦΟΣ", "σίσυφοσ");
	folds("q\xcc\x87\xcc\xa3", "q\xcc\xa3\xcc\x87");
	folds("a\xff" "b", "a\xef\xbf\xbd" "b");
	ok(text_fold(&arena, lower).ptr == lower.ptr, "no copy without need");
	ok(text_is_word(slice_str("ThIs"), "this"), "a word whatever its case");
	ok(!text_is_word(slice_str("thi"), "this"), "not a prefix");
	ok(!text_is_word(slice_str("thiss"), "this"), "not longer");
}

/* "kind:text" for each token, '|' between them. */
static void
cuts(const char *text, const char *want)
{
	struct text_tokens t;
	struct text_token token;
	struct buf out;
	size_t end = 0;
	bool ordered = true;

	buf_init(&out, 1 << 20);
	text_tokens_init(&t, slice_str(text));
	while (text_tokens_next(&t, &token)) {
		ordered = ordered && token.len > 0 && token.at >= end;
		end = token.at + token.len;
		buf_addf(&out, "%s%s:%.*s", out.len > 0 ? "|" : "",
		    text_kind_name(token.kind), (int)token.len,
		    text + token.at);
	}
	is(buf_cstr(&out), want, text);
	if (!ordered)
		ok(false, "in order, none empty: %s", text);
	buf_release(&out);
}

/* Bytes are looked at several at once: wherever one stands, and what it is. */
static void
test_ascii(void)
{
	char text[20], want[20];
	size_t at, len, wrong = 0, wide = 0;
	int c;

	for (len = 1; len <= sizeof(text); len++)
		for (at = 0; at < len; at++) {
			memset(text, '@', len);
			for (c = 0; c < 0x80; c++) {
				text[at] = (char)c;
				memcpy(want, text, len);
				if (c >= 'A' && c <= 'Z')
					want[at] = (char)(c + 'a' - 'A');
				wrong += !slice_eq(text_fold(&arena,
				    slice_of(text, len)), slice_of(want, len));
				wrong += !text_is_ascii(slice_of(text, len));
			}
			text[at] = (char)0xc3;
			wide += text_is_ascii(slice_of(text, len));
			arena_reset(&arena);
		}
	is_int((long long)wrong, 0, "capitals are folded, nothing else is");
	is_int((long long)wide, 0, "what is no ASCII is seen");
}

static void
test_words(void)
{
	cuts("", "");
	cuts("   \t\n ", "");
	cuts("Hello, world!", "word:Hello|punct:,|word:world|punct:!");
	cuts("don't can’t O'Brien's", "word:don't|word:can’t|word:O'Brien's");
	cuts("'quoted'", "punct:'|word:quoted|punct:'");
	cuts("dogs' tails", "word:dogs|punct:'|word:tails");
	cuts("so...what", "word:so|punct:...|word:what");
	cuts("what?!?", "word:what|punct:?|punct:!|punct:?");
	cuts("no!!!", "word:no|punct:!!!");
	cuts("well-known", "word:well|punct:-|word:known");
	cuts("and/or", "word:and|punct:/|word:or");
	cuts("TCP/IP he/she/it", "word:TCP|punct:/|word:IP|word:he|punct:/|"
	    "word:she|punct:/|word:it");
	cuts("ok.then", "word:ok|punct:.|word:then");
	cuts("e.g. this", "word:e.g|punct:.|word:this");
	cuts("the U.S. is", "word:the|word:U.S|punct:.|word:is");
	cuts("George R.R. Martin, d.h. x.h",
	    "word:George|word:R.R|punct:.|word:Martin|punct:,|word:d.h|"
	    "punct:.|path:x.h");
	cuts("utf8 WW2 2fa", "word:utf8|word:WW2|word:2fa");
	cuts("C++ and C# or F#", "word:C++|word:and|word:C#|word:or|word:F#");
	cuts("(a)", "punct:(|word:a|punct:)");
	cuts("((", "punct:(|punct:(");
	cuts("a—b", "word:a|punct:—|word:b");
}

static void
test_numbers(void)
{
	cuts("5 1,000 3.14 1,000.50",
	    "number:5|number:1,000|number:3.14|number:1,000.50");
	cuts("-5 +3 2-3", "number:-5|number:+3|number:2|punct:-|number:3");
	cuts("10GB 5ms 20% 3x 2nd 21st",
	    "number:10GB|number:5ms|number:20%|number:3x|number:2nd|"
	    "number:21st");
	cuts("$5.99 €20 £3", "number:$5.99|number:€20|number:£3");
	cuts("1, 2", "number:1|punct:,|number:2");
	cuts("in 1939.", "word:in|number:1939|punct:.");
	cuts("24/7 1/2", "number:24|punct:/|number:7|number:1|punct:/|number:2");
	cuts("٣ أيام", "number:٣|word:أيام");
	cuts("2023-05-05 5/5/2023 5.5.2023",
	    "when:2023-05-05|when:5/5/2023|when:5.5.2023");
	cuts("10:30 10:30:15 10:30pm 3pm 11AM",
	    "when:10:30|when:10:30:15|when:10:30pm|when:3pm|when:11AM");
	cuts("2023-05-05T10:30:00Z.", "when:2023-05-05T10:30:00Z|punct:.");
	cuts("v2 v1.2 1.2.3 2.0.0-rc1 V3.x 1.2-beta",
	    "version:v2|version:v1.2|version:1.2.3|version:2.0.0-rc1|"
	    "version:V3.x|version:1.2-beta");
	cuts("1.2", "number:1.2");
	is_int(text_number_len(slice_str("10GB")), 2, "the digits of 10GB");
	is_int(text_number_len(slice_str("1,000")), 5, "all of 1,000");
	is_int(text_number_len(slice_str("abc")), 0, "none of abc");
	is_int(text_path_len(slice_str("a.c:42:7")), 3, "a.c of a.c:42:7");
	is_int(text_path_len(slice_str("a.c")), 3, "all of a.c");
}

static void
test_names(void)
{
	cuts("foo_bar camelCase HttpServer std::vector<int>",
	    "identifier:foo_bar|identifier:camelCase|identifier:HttpServer|"
	    "identifier:std::vector|punct:<|word:int|punct:>");
	cuts("a.b() foo() fs.readFile os.path.join",
	    "identifier:a.b|punct:(|punct:)|identifier:foo|punct:(|punct:)|"
	    "identifier:fs.readFile|identifier:os.path.join");
	cuts("__init__ $HOME --force -v #123",
	    "identifier:__init__|identifier:$HOME|identifier:--force|"
	    "identifier:-v|identifier:#123");
	cuts("10.0.0.1 192.168.0.1:8080 localhost:3000",
	    "identifier:10.0.0.1|identifier:192.168.0.1:8080|"
	    "identifier:localhost:3000");
	cuts("a1b2c3d 550e8400-e29b-41d4-a716-446655440000",
	    "identifier:a1b2c3d|"
	    "identifier:550e8400-e29b-41d4-a716-446655440000");
	cuts("x86_64", "identifier:x86_64");
	cuts("/etc/hosts ~/.bashrc ./run.sh ../a .gitignore",
	    "path:/etc/hosts|path:~/.bashrc|path:./run.sh|path:../a|"
	    "path:.gitignore");
	cuts("src/main.c file.txt README.md, node.js",
	    "path:src/main.c|path:file.txt|path:README.md|punct:,|"
	    "path:node.js");
	cuts("src/main.c:42:7: boom",
	    "path:src/main.c:42:7|punct::|word:boom");
	cuts("C:\\Users\\me", "path:C:\\Users\\me");
	cuts("(see a/b/c.py)", "punct:(|word:see|path:a/b/c.py|punct:)");
	cuts("@scope/pkg", "path:@scope/pkg");
}

static void
test_addresses(void)
{
	cuts("see https://example.com/a?b=c&d#e.",
	    "word:see|url:https://example.com/a?b=c&d#e|punct:.");
	cuts("(https://en.example.org/wiki/C_(lang))",
	    "punct:(|url:https://en.example.org/wiki/C_(lang)|punct:)");
	cuts("www.example.com, example.com docs.example.org/3/x",
	    "url:www.example.com|punct:,|url:example.com|"
	    "url:docs.example.org/3/x");
	cuts("postgres://u:p@h:5432/db", "url:postgres://u:p@h:5432/db");
	cuts("看https://a.cn/b这里", "cjk:看|url:https://a.cn/b|cjk:这|cjk:里");
	cuts("http://", "word:http|punct::|punct://");
	cuts("me@example.com. @bob, foo@bar",
	    "email:me@example.com|punct:.|mention:@bob|punct:,|word:foo|"
	    "punct:@|word:bar");
	cuts("first.last+tag@mail.example.co.uk",
	    "email:first.last+tag@mail.example.co.uk");
	cuts("done.it works", "word:done|punct:.|word:it|word:works");
}

static void
test_errors(void)
{
	cuts("ENOENT EOF SIGSEGV E0382 TS2345",
	    "error:ENOENT|error:EOF|error:SIGSEGV|error:E0382|error:TS2345");
	cuts("HTTP 401 http 401", "error:HTTP 401|word:http|number:401");
	cuts("0xdeadbeef ORA-00942 CVE-2021-44228",
	    "error:0xdeadbeef|error:ORA-00942|error:CVE-2021-44228");
	cuts("TypeError: NullPointerException ERR_CONNECTION_REFUSED",
	    "error:TypeError|punct::|error:NullPointerException|"
	    "error:ERR_CONNECTION_REFUSED");
	cuts("MP3 A4 H264", "word:MP3|word:A4|word:H264");
}

static void
test_scripts(void)
{
	cuts("Привет, мир!", "word:Привет|punct:,|word:мир|punct:!");
	cuts("Größenänderung für Fußgänger",
	    "word:Größenänderung|word:für|word:Fußgänger");
	cuts("你好世界", "cjk:你|cjk:好|cjk:世|cjk:界");
	cuts("テスト。", "cjk:テ|cjk:ス|cjk:ト|punct:。");
	cuts("안녕 세계", "word:안녕|word:세계");
	cuts("مرحبا بالعالم؟", "word:مرحبا|word:بالعالم|punct:؟");
	cuts("नमस्ते दुनिया", "word:नमस्ते|word:दुनिया");
	cuts("สวัสดี", "cjk:ส|cjk:วั|cjk:ส|cjk:ดี");
	cuts("שלום", "word:שלום");
	cuts("می‌خواهم", "word:می‌خواهم");
	cuts("👍🏽 👨‍👩‍👧 🇩🇪🇫🇷 ❤️",
	    "emoji:👍🏽|emoji:👨‍👩‍👧|emoji:🇩🇪|emoji:🇫🇷|emoji:❤️");
	cuts("ok :-) :D ;) <3", "word:ok|emoji::-)|emoji::D|emoji:;)|emoji:<3");
	cuts("a:b note:this", "word:a|punct::|word:b|word:note|punct::|word:this");
	cuts("\xff\xff x", "punct:\xff\xff|word:x");
	cuts("\xcc\x81", "");
}

static void
test_all(struct slice text)
{
	struct text_tokens t;
	struct text_token token;

	text_tokens_init(&t, text);
	while (text_tokens_next(&t, &token))
		;
	text_fold(&arena, text);
	arena_reset(&arena);
}

int
main(void)
{
	arena_init(&arena);
	test_utf8();
	test_next();
	test_fold();
	test_ascii();
	test_words();
	test_numbers();
	test_names();
	test_addresses();
	test_errors();
	test_scripts();
	nasty_check(test_all);
	arena_release(&arena);
	return done();
}
