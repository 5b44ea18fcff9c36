/*
 * u-entities - what a statement names
 *
 * The turn is said on Wednesday, 10 May 2023, at noon UTC.
 */
#include "classify/entities.h"

#include "classify/dates.h"
#include "common/when.h"
#include "tests/tap.h"

static struct arena arena;
static struct lexicon *lexicon;
static int64_t said_ms;

/* "kind(text=normal)" for each; "=normal" only where it differs. */
static void
names(const char *text, const char *want)
{
	struct slice s = slice_str(text);
	struct sifted f = sift_text(&arena, s, SPEAKER_user);
	struct term *terms;
	struct entity *list;
	size_t count, n;
	struct buf out;
	bool sound = true;

	buf_init(&out, 1 << 16);
	count = terms_of(lexicon, &arena, s, &f,
	    (struct sentence){ 0, s.len }, &terms);
	n = entities_of(&arena, s, terms, count, said_ms, &list);
	for (size_t i = 0; i < n; i++) {
		sound = sound && list[i].text.ptr == s.ptr + list[i].at &&
		    list[i].text.len == list[i].len;
		buf_addf(&out, "%s%s(%.*s", i > 0 ? " " : "",
		    entity_kind_name(list[i].kind), SLICE_ARG(list[i].text));
		if (!slice_eq(list[i].text, list[i].normal))
			buf_addf(&out, "=%.*s", SLICE_ARG(list[i].normal));
		buf_addc(&out, ')');
	}
	is(buf_cstr(&out), want, text);
	if (!sound)
		ok(false, "at and len point to the words: %s", text);
	buf_release(&out);
	arena_reset(&arena);
}

static void
test_shapes(void)
{
	names("look at src/main.c:42 and README.md",
	    "file(src/main.c:42=src/main.c) file(README.md)");
	names("call getUserName() in user_service",
	    "identifier(getUserName) identifier(user_service)");
	names("it throws TypeError and ENOENT",
	    "error(TypeError=typeerror) error(ENOENT=enoent)");
	names("HTTP 500 from https://api.example.com/v1",
	    "error(HTTP 500=http 500) url(https://api.example.com/v1)");
	names("mail me@example.com or ask @bob",
	    "email(me@example.com) mention(@bob)");
	names("since v2.1 and version 7", "version(v2.1) version(7)");
	names("run `make_all` in `/opt/x`", "identifier(make_all) file(/opt/x)");
	names("nothing here at all", "");
	names("", "");
}

static void
test_errors(void)
{
	names("I'm getting a 401 error from the auth service", "error(401)");
	names("it says error 5 and status 404", "error(5) error(404)");
	names("exit code: 137", "error(137)");
	names("there were 200 people", "");
	names("I have 401 apples", "");
}

static void
test_quantities(void)
{
	names("it needs 10GB of memory", "quantity(10GB=10 gb)");
	names("about 30 seconds or 5 minutes",
	    "quantity(30 seconds=30 second) quantity(5 minutes=5 minute)");
	names("it costs $1,200 or 15%",
	    "quantity($1,200=1200 usd) quantity(15%=15 %)");
	names("20 euros, €20", "quantity(20 euros=20 eur) quantity(€20=20 eur)");
	names("a 3.5 km walk", "quantity(3.5 km)");
	names("we have 5 dogs", "");
}

static void
test_people(void)
{
	names("I met Bob Smith there", "person(Bob Smith=bob smith)");
	names("my sister Zorana called", "person(Zorana=zorana)");
	names("ask Dr. Jones about it", "person(Jones=jones)");
	names("Mr. Brown is here", "person(Brown=brown)");
	names("Anna likes it", "person(Anna=anna)");
	names("that was Bob's idea", "person(Bob's=bob)");
	names("Kazimir said no", "person(Kazimir=kazimir)");
	names("Hey John, look", "person(John=john)");
	names("xyzzy: try again", "mention(xyzzy)");
	names("note: try again", "");
}

static void
test_places(void)
{
	names("we live in Berlin now", "place(Berlin=berlin)");
	names("she moved to Ulaanbaatar", "place(Ulaanbaatar=ulaanbaatar)");
	names("a trip to germany", "place(germany)");
	names("in Options you see it", "name(Options=options)");
	names("they are in Zwolle", "place(Zwolle=zwolle)");
}

static void
test_names(void)
{
	names("we use Stripe and postgres 15",
	    "product(Stripe=stripe) product(postgres 15)");
	names("docker on ubuntu 22.04", "product(docker) product(ubuntu 22.04)");
	names("I react to that", "");
	names("written in Rust", "product(Rust=rust)");
	names("node.js and GitHub",
	    "product(node.js) product(GitHub=github)");
	names("the Bank of Elbonia called",
	    "name(Bank of Elbonia=bank of elbonia)");
	names("he works for Acme Widgets now",
	    "name(Acme Widgets=acme widgets)");
	names("the JWT and the API", "product(JWT=jwt) name(API=api)");
	names("WW2 started in 1939", "name(WW2=ww2) date(1939)");
	names("Maybe it works", "");
	names("Please restart it", "");
	names("THIS IS ALL SHOUTING NOW", "");
	names("OK I AM here", "");
}

static void
test_dates(void)
{
	names("meet Bob in Berlin next Thursday at 3pm",
	    "person(Bob=bob) place(Berlin=berlin) "
	    "date(next Thursday at 3pm=2023-05-18T15:00)");
	names("in May we ship", "date(May=2023-05)");
	names("call me in 2 weeks", "date(in 2 weeks=2023-05-24)");
}

static void
test_languages(void)
{
	names("Die Datenbank ist seit gestern nicht da und Frau Müller wartet",
	    "date(gestern=2023-05-09) person(Frau Müller=frau müller)");
	names("Вчера я поехал в Москву", "date(Вчера=2023-05-09) "
	    "place(Москву=москву)");
	names("我昨天用docker", "date(昨天=2023-05-09) product(docker)");
	names("نستخدم postgres هنا", "product(postgres)");
}

static void
test_limit(void)
{
	struct slice s;
	struct sifted f;
	struct term *terms;
	struct entity *list;
	struct buf text;
	size_t count;

	buf_init(&text, 1 << 16);
	for (int i = 0; i < 100; i++)
		buf_addf(&text, "a_%d ", i);
	s = buf_slice(&text);
	f = sift_text(&arena, s, SPEAKER_user);
	count = terms_of(lexicon, &arena, s, &f,
	    (struct sentence){ 0, s.len }, &terms);
	is_int(count, 100, "a hundred terms");
	is_int(entities_of(&arena, s, terms, count, 0, &list), ENTITIES_MAX,
	    "no more entities than the limit");
	buf_release(&text);
}

int
main(void)
{
	arena_init(&arena);
	if (lexicon_open(&lexicon, "classify/data") < 0 ||
	    when_parse(SLICE("2023-05-10T12:00:00Z"), &said_ms) < 0)
		return 1;
	dates_teach(lexicon);
	entities_teach(lexicon);
	test_shapes();
	test_errors();
	test_quantities();
	test_people();
	test_places();
	test_names();
	test_dates();
	test_languages();
	test_limit();
	lexicon_close(&lexicon);
	arena_release(&arena);
	return done();
}
