/*
 * u-tokens - the estimate of tokens, and its calibration
 */
#include "compactor/tokens.h"

#include "tests/tap.h"

static uint64_t
count(const char *text)
{
	return tokens_estimate(slice_str(text));
}

/* Within a quarter of what a byte-pair vocabulary gives. */
static void
near(const char *text, unsigned want, const char *what)
{
	uint64_t got = count(text);
	bool good = got * 4 <= want * 5 && got * 4 >= want * 3;

	ok(good, "%s", what);
	if (!good)
		printf("#   got %llu, about %u is right\n",
		    (unsigned long long)got, want);
}

/* bytes / (bytes per token) of formats: the rates that were measured. */
static void
rate(const char *text, unsigned bytes_x10, const char *what)
{
	near(text, (unsigned)(strlen(text) * 10 / bytes_x10), what);
}

static void
test_prose(void)
{
	is_int(count(""), 0, "nothing needs nothing");
	is_int(count("hello"), 1, "a word is a token");
	is_int(count("hello world"), 2, "a space is free");
	is_int(count("1234567"), 3, "digits by threes");
	rate("The token had expired, and after the refresh the request went "
	     "through without any further error in the service.", 54,
	    "English");
	rate("Die Anmeldung schlug fehl, weil das Zertifikat des Servers "
	     "gestern abgelaufen war und niemand es erneuert hatte.", 49,
	    "German");
	rate("Срок действия маркера истёк, и после обновления запрос прошёл "
	     "без каких-либо ошибок.", 80, "Russian");
	rate("令牌已经过期,刷新之后请求成功了,没有出现其他错误。", 36, "Chinese");
	rate("トークンの有効期限が切れていたので更新したら動きました。", 34,
	    "Japanese");
	rate("토큰이 만료되어 갱신한 뒤에 요청이 성공했습니다.", 43, "Korean");
	rate("انتهت صلاحية الرمز وبعد التحديث نجح الطلب دون أي خطأ", 60,
	    "Arabic");
}

static void
test_machine(void)
{
	rate("\t\tfor (size_t i = 0; i < n; i++)\n\t\t\tsum += list[i].weight;\n"
	     "\treturn sum > limit ? limit : sum;\n", 30, "C source");
	rate("{\"resolved\":\"1.2.3\",\"integrity\":\"sha512-ab12CD34ef56GH78"
	     "ij90KL12mn34OP56qr78ST90uv12WX34yz56\",\"dev\":true}", 24,
	    "a lock file");
	rate("dGhlIHRva2VuIGhhZCBleHBpcmVkLCBhbmQgYWZ0ZXIgdGhlIHJlZnJlc2gg"
	     "dGhlIHJlcXVlc3Qgd2VudCB0aHJvdWdo", 21, "base64");
	ok(count("----------------------------------------") <= 8,
	    "a ruler is cheap");
	ok(count("src/common/configuration/settings/loader") <= 16,
	    "a path is not encoded bytes");
	is_int(count("getUserName"), 3, "words of a camel");
	ok(count("\xff\xfe\xff") > 0, "bad bytes cost something");
}

static void
test_linear(void)
{
	static char text[1 << 20];
	uint64_t half;

	memset(text, 'a', sizeof(text) - 1);
	for (size_t i = 0; i + 1 < sizeof(text); i += 3)
		text[i] = i % 2 ? '7' : '/';
	text[sizeof(text) - 1] = '\0';
	half = tokens_estimate(slice_of(text, sizeof(text) / 2));
	ok(half > 0 && count(text) >= half, "a megabyte of one run");
}

static void
factor_is(const char *list, const char *model, unsigned want)
{
	struct buf why;
	uint64_t got = 0;

	buf_init(&why, 1024);
	ok(tokens_factor(slice_str(list), slice_str(model), &got, &why) == 0 &&
	    got == want, "'%s' of '%s' is %u", model, list, want);
	buf_release(&why);
}

static void
refused(const char *list)
{
	struct buf why;
	uint64_t got;
	int rc;

	buf_init(&why, 1024);
	rc = tokens_factor(slice_str(list), SLICE("m"), &got, &why);
	ok(rc == -1 && why.len > 0, "refused: %s", buf_cstr(&why));
	buf_release(&why);
}

static void
set(struct conf *conf, const char *flag)
{
	struct conf_error why;

	ok(conf_read_flag(conf, flag, &why) == 0, "%s", flag);
}

static void
test_calibration(void)
{
	struct conf conf;
	struct buf why;

	factor_is("", "m", 1000);
	factor_is("big=1300 big-2=1100", "big-1", 1300);
	factor_is("big=1300 big-2=1100", "Big-2-mini", 1100);
	factor_is("big-2=1100  big=1300", "big-2", 1100);
	factor_is("big=1300", "other", 1000);
	refused("big");
	refused("big=");
	refused("=1000");
	refused("big=0");
	refused("big=1.3");
	refused("big=99999");
	conf_init(&conf, "/nowhere");
	is_int(tokens_of(&conf, SLICE("one two three four")), 4,
	    "without calibration the estimate");
	set(&conf, "--token-calibration=big=1300");
	set(&conf, "--token-model=big-5");
	is_int(tokens_of(&conf, SLICE("one two three four")), 6,
	    "with it, rounded up");
	buf_init(&why, 1024);
	is_int(tokens_check(&conf, &why), 0, "the settings are good");
	set(&conf, "--token-calibration=nonsense");
	is_int(tokens_check(&conf, &why), -1, "and these are not");
	buf_release(&why);
	conf_release(&conf);
}

int
main(void)
{
	test_prose();
	test_machine();
	test_linear();
	test_calibration();
	return done();
}
