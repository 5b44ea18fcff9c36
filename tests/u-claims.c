/*
 * u-claims - from the text of a turn to its claims
 *
 * The turns are said on Wednesday, 10 May 2023, at noon UTC.
 */
#include "classify/claims.h"

#include "common/when.h"
#include "tests/nasty.h"
#include "tests/tap.h"

static struct arena arena;
static struct claims_engine *engine;
static int64_t said_ms;

static size_t
claims_in(struct slice text, enum speaker speaker, struct claim **claims)
{
	struct sifted f = sift_text(&arena, text, speaker);
	struct sentence *sentences;
	size_t n = sentences_of(&arena, text, &f, &sentences), count;

	claims_of(engine, &arena, text, &f, sentences, n, said_ms, claims,
	    &count);
	return count;
}

/* The subjects, '|' between them. */
static void
subjects(const char *text, const char *want)
{
	struct claim *claims;
	size_t n = claims_in(slice_str(text), SPEAKER_user, &claims);
	struct buf out;

	buf_init(&out, 1 << 16);
	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s%.*s", i > 0 ? "|" : "",
		    SLICE_ARG(claims[i].subject));
	is(buf_cstr(&out), want, text);
	buf_release(&out);
	arena_reset(&arena);
}

static void
add_claim(struct buf *out, const struct claim *c)
{
	buf_addf(out, "[%.*s] %.*s", SLICE_ARG(c->subject),
	    SLICE_ARG(c->statement));
	for (size_t i = 0; i < c->n_entities; i++)
		buf_addf(out, " {%s %.*s}",
		    entity_kind_name(c->entities[i].kind),
		    SLICE_ARG(c->entities[i].normal));
	for (size_t i = 0; i < c->n_keywords; i++)
		buf_addf(out, " %.*s:%u", SLICE_ARG(c->keywords[i].stem),
		    c->keywords[i].weight);
	buf_addc(out, '\n');
}

/* All of every claim. */
static void
claims_are(const char *text, const char *want)
{
	struct claim *claims;
	size_t n = claims_in(slice_str(text), SPEAKER_user, &claims);
	struct buf out;

	buf_init(&out, 1 << 16);
	for (size_t i = 0; i < n; i++)
		add_claim(&out, &claims[i]);
	is(buf_cstr(&out), want, text);
	buf_release(&out);
	arena_reset(&arena);
}

static void
test_subjects(void)
{
	subjects("I'm getting a 401 error from the auth service",
	    "401 error auth service");
	subjects("lets debug this auth issue", "auth issue");
	subjects("I want to learn about WW2", "WW2");
	subjects("i want to learn about ww2", "ww2");
	subjects("WW2 started in 1939", "WW2");
	subjects("what's the capital of France?", "capital France");
	subjects("I want to work on the payment integration",
	    "payment integration");
	subjects("can you help me implement refund logic?", "refund logic");
	subjects("The payment integration with Stripe is broken",
	    "payment integration Stripe");
	subjects("also, remind me to call mom later", "mom");
	subjects("I had a weird experience yesterday", "experience");
	subjects("token was expired, refresh fixed it", "token");
	subjects("pls fix the docker compose build", "docker compose");
	subjects("my sister Anna moved to Tokyo", "sister Anna");
	subjects("Hey John, the printer is jammed again", "printer");
	subjects("bob: the printer is jammed", "printer");
	subjects("Great work, Anna!", "Anna");
	subjects("it works", "works");
	subjects("src/main.c does not compile", "src/main.c");
	subjects("the build takes 30 minutes", "30 minutes");
}

static void
test_none(void)
{
	subjects("", "");
	subjects("ok", "");
	subjects("thanks!", "");
	subjects("hello how are you?", "");
	subjects("yes", "");
	subjects("👍", "");
	subjects("...", "");
	subjects("```\nint x = 5;\n```", "");
	subjects("> the server crashed", "");
	subjects("<system-reminder>the server crashed</system-reminder>", "");
	subjects("ERROR: the server crashed", "");
}

static void
test_several(void)
{
	subjects("The server crashed. I restarted nginx! Why did it happen?",
	    "server crashed|nginx|happen");
	subjects("- buy milk\n- clean kitchen", "milk|clean kitchen");
	subjects("hi! the invoice is missing. thanks", "invoice");
}

static void
test_languages(void)
{
	subjects("Die Datenbank ist nicht erreichbar", "Datenbank");
	subjects("Сервер упал вчера", "Сервер упал");
	subjects("我昨天在北京买了电脑", "北京买");
	subjects("データベースの接続が失敗しました", "データベース 接続");
	subjects("لا أستطيع الاتصال بالخادم", "أستطيع الاتصال بالخادم");
	subjects("le serveur est en panne", "serveur");
}

static void
test_whole(void)
{
	claims_are("I'm getting a 401 error from the auth service",
	    "[401 error auth service] I'm getting a 401 error from the auth "
	    "service {error 401} auth:8784 servic:5611 error:5002 401:5000 "
	    "get:1659\n");
	claims_are("Ok. I'll meet Bob in Berlin next Thursday at 3pm.",
	    "[Bob Berlin] I'll meet Bob in Berlin next Thursday at 3pm. "
	    "{person bob} {place berlin} {date 2023-05-18T15:00} "
	    "berlin:10954 bob:8205 meet:2767\n");
	claims_are("see `foo_bar` in https://a.example.org/x please",
	    "[foo_bar https://a.example.org/x] see `foo_bar` in "
	    "https://a.example.org/x please {identifier foo_bar} "
	    "{url https://a.example.org/x} foo_bar:11934 "
	    "https://a.example.org/x:11934 foo:8279 bar:5146 exampl:3083 "
	    "see:2007\n");
	claims_are("gestern", "[gestern] gestern {date 2023-05-09}\n");
}

static void
test_roles(void)
{
	struct claim *claims;

	is_int(claims_in(SLICE("The server crashed."), SPEAKER_tool, &claims),
	    0, "a tool claims nothing");
	is_int(claims_in(SLICE("The server crashed."), SPEAKER_system,
	    &claims), 0, "nor does the system");
	is_int(claims_in(SLICE("The server crashed."), SPEAKER_assistant,
	    &claims), 1, "an assistant does");
	is_int(claims_in(SLICE("ok. The server crashed."), SPEAKER_user,
	    &claims), 1, "one claim");
	is_int(claims[0].sentence, 1, "of the second sentence");
	arena_reset(&arena);
}

/* A turn may hold anything; what it gives must not depend on the run. */
static void
test_same_again(void)
{
	struct slice text = SLICE("Bob's API at /x/y.c broke 2 days ago: E1234 "
	    "\xff\xfe 你好 \xcc\x81 <b> `c` $5 foo_bar\0baz.");
	struct buf first, second;
	struct claim *claims;
	size_t n;

	buf_init(&first, 1 << 16);
	buf_init(&second, 1 << 16);
	n = claims_in(text, SPEAKER_user, &claims);
	for (size_t i = 0; i < n; i++)
		add_claim(&first, &claims[i]);
	n = claims_in(text, SPEAKER_user, &claims);
	for (size_t i = 0; i < n; i++)
		add_claim(&second, &claims[i]);
	ok(n > 0 && slice_eq(buf_slice(&first), buf_slice(&second)),
	    "the same claims again");
	buf_release(&first);
	buf_release(&second);
	arena_reset(&arena);
}

static void
test_all(struct slice text)
{
	struct claim *claims;

	claims_in(text, SPEAKER_user, &claims);
	arena_reset(&arena);
}

int
main(void)
{
	arena_init(&arena);
	if (claims_open(&engine, "classify/data") < 0 ||
	    when_parse(SLICE("2023-05-10T12:00:00Z"), &said_ms) < 0)
		return 1;
	test_subjects();
	test_none();
	test_several();
	test_languages();
	test_whole();
	test_roles();
	test_same_again();
	nasty_check(test_all);
	claims_close(&engine);
	arena_release(&arena);
	return done();
}
