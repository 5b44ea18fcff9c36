/*
 * u-reply - whom a message names, which earlier one it answers
 */
#include "chainer/reply.h"

#include <stdlib.h>

#include "common/xmalloc.h"
#include "tests/tap.h"

#define WEIGHTS SKEIN_SOURCE_DIR "/chainer/data/reply.model"

enum { ROOM_MAX = 400 };

struct room {
	const struct reply_model *model;
	struct reply_message window[ROOM_MAX];
	size_t n;
	struct arena scratch;
	struct reply_verdict last;
};

static void
room_init(struct room *r, const struct reply_model *model)
{
	r->model = model;
	r->n = 0;
	arena_init(&r->scratch);
}

static struct reply_message
read_one(struct room *r, const char *who, const char *text)
{
	struct reply_message m;

	reply_read(&m, &r->scratch, slice_str(who), 0, slice_str(text),
	    r->window, r->n);
	return m;
}

/* Says it, and returns the conversation it came into. */
static int
say_ms(struct room *r, int64_t ms, const char *who, const char *text)
{
	struct reply_message *m = &r->window[r->n];

	reply_read(m, &r->scratch, slice_str(who), ms, slice_str(text),
	    r->window, r->n);
	reply_choose(r->model, r->window, r->n, m, &r->last);
	reply_turn_away(r->window, r->n, m, &r->last);
	reply_settle(m, r->window, &r->last);
	m->chain = r->last.antecedent < 0 ? r->n + 1 :
	    r->window[r->last.antecedent].chain;
	r->n++;
	return (int)m->chain;
}

static int
say(struct room *r, int seconds, const char *who, const char *text)
{
	return say_ms(r, (int64_t)seconds * 1000, who, text);
}

static uint64_t
id_of(struct room *r, const char *who)
{
	return read_one(r, who, "").speaker;
}

static void
check_mention(struct room *r, const char *text, const char *who, bool first)
{
	struct reply_message m = read_one(r, "writer", text);
	bool good = who == NULL ? m.mention_count == 0 :
	    m.mention_count > 0 && m.mentions[0] == id_of(r, who) &&
	    !(m.flags & REPLY_ADDRESSED) == !first;

	ok(good, "\"%s\" %s %s", text, first ? "addresses" : "names",
	    who == NULL ? "nobody" : who);
}

static void
test_mentions(const struct reply_model *model)
{
	static const char *const people[] = { "karllekko", "Bob_2", "the", "ok",
		"Ada Lovelace", "J\xc3\x96rg", "storm1", "storm2", "writer" };
	static struct room r;
	struct reply_message m;

	room_init(&r, model);
	for (size_t i = 0; i < sizeof(people) / sizeof(people[0]); i++)
		say(&r, (int)i, people[i], "good morning");
	check_mention(&r, "karllekko: it works", "karllekko", true);
	check_mention(&r, "KarlLekko, it works", "karllekko", true);
	check_mention(&r, "@karllekko it works", "karllekko", true);
	check_mention(&r, "karllekko it works", "karllekko", true);
	check_mention(&r, "it works, @karllekko!", "karllekko", true);
	check_mention(&r, "<@karllekko> it works", "karllekko", true);
	check_mention(&r, "what karllekko said", "karllekko", false);
	check_mention(&r, "ask bob_2.", "Bob_2", false);
	check_mention(&r, "karl: it works", "karllekko", true);
	check_mention(&r, "karlekko: it works", "karllekko", true);
	check_mention(&r, "kralekko: two letters wrong", NULL, false);
	check_mention(&r, "storm: which of them?", NULL, false);
	check_mention(&r, "storm2: you", "storm2", true);
	check_mention(&r, "Ada: have you seen it", "Ada Lovelace", true);
	check_mention(&r, "j\xc3\xb6rg: hallo", "J\xc3\x96rg", true);
	check_mention(&r, "the disk of the server", NULL, false);
	check_mention(&r, "ok, thanks", NULL, false);
	check_mention(&r, "that is ok", NULL, false);
	check_mention(&r, "the: hello", "the", true);
	check_mention(&r, "@ok hello", "ok", true);
	check_mention(&r, "writer: talking to myself", NULL, false);
	check_mention(&r, "", NULL, false);
	m = read_one(&r, "writer", "zebedee: hello");
	ok(m.flags & REPLY_STRANGER, "a name that has not spoken is a stranger");
	m = read_one(&r, "writer", "note that http://x.org/a: is down");
	ok(!(m.flags & REPLY_STRANGER), "a colon elsewhere is no address");
	m = read_one(&r, "writer", "storm1, storm2: both");
	is_int(m.mention_count, 2, "two may be addressed");
	arena_release(&r.scratch);
}

static void
test_reading(const struct reply_model *model)
{
	static struct room r;
	struct reply_message a, b;

	room_init(&r, model);
	a = read_one(&r, "x", "how do I mount the disks?");
	b = read_one(&r, "y", "Mounting a DISK");
	ok(a.flags & REPLY_QUESTION, "a question is one");
	is_int(a.word_count, 2, "stop words are left out");
	ok(b.word_count == 2 && a.words[0] == b.words[0] &&
	    a.words[1] == b.words[1], "words are folded and stemmed");
	ok(read_one(&r, "x", "many thanks").flags & REPLY_THANKS, "thanks");
	ok(read_one(&r, "x", "hi all").flags & REPLY_GREETING, "a greeting");
	ok(read_one(&r, "x", "anybody here").flags & REPLY_ALL, "to all");
	ok(read_one(&r, "x", "but why").flags & REPLY_MORE, "goes on");
	ok(read_one(&r, "x", "nope").flags & REPLY_ANSWER, "an answer");
	a = read_one(&r, "x", "\xe6\x9d\xb1\xe4\xba\xac\xe9\xa7\x85");
	is_int(a.word_count, 2, "scripts without spaces give pairs");
	a = read_one(&r, "x", "\xff\xfe broken \xc3");
	ok(a.word_count >= 1, "bytes that are not UTF-8 do no harm");
	arena_release(&r.scratch);
}

/* Two pairs talk across each other; names stand only at the beginning. */
static void
test_alternation(const struct reply_model *model)
{
	static struct room r;
	int printer, cake;

	room_init(&r, model);
	printer = say(&r, 0, "ann", "my printer prints empty pages, any idea?");
	say(&r, 20, "bert", "ann: which printer is it?");
	cake = say(&r, 40, "cleo",
	    "does anyone have a recipe for carrot cake?");
	ok(cake != printer, "another question begins a conversation");
	is_int(say(&r, 60, "ann", "bert: an old laser printer"), printer,
	    "an answer by name goes to its question");
	is_int(say(&r, 80, "dora", "cleo: I do, with nuts or without?"), cake,
	    "so does the other");
	is_int(say(&r, 95, "cleo", "without nuts please"), cake,
	    "the asked one answers without a name");
	is_int(say(&r, 110, "bert", "ann: is the toner empty?"), printer,
	    "back to the first");
	is_int(say(&r, 125, "ann", "no, the toner is new"), printer,
	    "quick alternation holds it together");
	is_int(say(&r, 128, "ann", "I changed it yesterday"), printer,
	    "a speaker goes on");
	is_int(say(&r, 150, "dora",
	    "cleo: take 300 g of carrots and four eggs"), cake,
	    "and the cake too");
	is_int(say(&r, 170, "cleo", "thanks dora"), cake, "thanks follow");
	arena_release(&r.scratch);
}

/* The same talk ten times slower and in whole minutes. */
static void
test_pace(const struct reply_model *model)
{
	static const struct { int at; const char *who, *text; } talk[] = {
		{ 0, "ann", "why does my build fail with error 12?" },
		{ 30, "bob", "ann: show us the log" },
		{ 55, "cid", "hello, is anyone here using the new release?" },
		{ 70, "ann", "bob: it is very long" },
		{ 90, "dan", "cid: yes, since monday" },
		{ 110, "cid", "is it stable?" },
		{ 130, "bob", "ann: then the last lines" },
		{ 140, "dan", "so far it is" },
	};
	static struct room r;
	int chains[3][8];

	for (int p = 0; p < 3; p++) {
		room_init(&r, model);
		for (int i = 0; i < 8; i++)
			chains[p][i] = say(&r, p == 0 ? talk[i].at : p == 1 ?
			    talk[i].at * 10 : talk[i].at / 60 * 60,
			    talk[i].who, talk[i].text);
		arena_release(&r.scratch);
	}
	ok(memcmp(chains[0], chains[1], sizeof(chains[0])) == 0,
	    "ten times slower: the same");
	ok(memcmp(chains[0], chains[2], sizeof(chains[0])) == 0,
	    "in whole minutes: the same");
}

static void
test_determinism(const struct reply_model *model)
{
	static struct room r;
	struct reply_message a, b;
	struct reply_verdict v;
	struct buf why, again;
	size_t n;

	room_init(&r, model);
	for (int i = 0; i < 300; i++) {
		char who[16], text[64];

		snprintf(who, sizeof(who), "user%d", i * i % 7);
		snprintf(text, sizeof(text), "user%d: word%d word%d?", i * 3 % 7,
		    i % 11, i % 5);
		say(&r, i * 10, who, text);
	}
	n = --r.n;
	memset(&a, 0xaa, sizeof(a));
	reply_read(&a, &r.scratch, SLICE("user1"), 5, SLICE("user2: hi word3"),
	    r.window, n);
	memset(&b, 0x55, sizeof(b));
	reply_read(&b, &r.scratch, SLICE("user1"), 5, SLICE("user2: hi word3"),
	    r.window, n);
	ok(memcmp(&a, &b, sizeof(a)) == 0, "the same message gives the same bytes");
	a = r.window[n];
	reply_choose(model, r.window, n, &a, &v);
	ok(memcmp(&v, &r.last, sizeof(v)) == 0, "the same verdict again");
	reply_choose(model, r.window + n - REPLY_WINDOW, REPLY_WINDOW, &a, &v);
	ok(v.antecedent < 0 ? r.last.antecedent < 0 : v.antecedent +
	    (int)n - REPLY_WINDOW == r.last.antecedent,
	    "what lies before the window does not count");
	buf_init(&why, 4096);
	buf_init(&again, 4096);
	reply_explain(model, r.window, n, &a, &r.last, &why);
	reply_explain(model, r.window, n, &a, &r.last, &again);
	ok(why.len > 0 && !why.over, "it says why");
	is(buf_cstr(&again), buf_cstr(&why), "and says the same again");
	buf_release(&why);
	buf_release(&again);
	arena_release(&r.scratch);
}

static void
test_edges(const struct reply_model *model)
{
	static struct room r;
	struct reply_message a, b;
	struct buf text;

	room_init(&r, model);
	is_int(say(&r, 0, "ann", "hello"), 1, "an empty room begins something");
	is_int(r.last.antecedent, -1, "and answers nothing");
	say_ms(&r, INT64_MAX, "bob", "from the end of time");
	say_ms(&r, INT64_MIN, "ann", "from its beginning");
	say_ms(&r, INT64_MAX, "", "");
	ok(r.n == 4, "no time is too strange");
	buf_init(&text, 1 << 21);
	while (text.len < 1 << 20)
		buf_addf(&text, "word%zu ", text.len);
	reply_read(&a, &r.scratch, SLICE("ann"), 0, buf_slice(&text), r.window,
	    r.n);
	reply_read(&b, &r.scratch, SLICE("ann"), 0,
	    slice_of(text.ptr, REPLY_TEXT_BYTES), r.window, r.n);
	ok(memcmp(&a, &b, sizeof(a)) == 0, "of a megabyte the beginning is read");
	buf_clear(&text);
	for (int i = 0; i < 10000; i++)
		buf_addf(&text, "@bob%d ", i);
	reply_read(&a, &r.scratch, SLICE("ann"), 0, buf_slice(&text), r.window,
	    r.n);
	ok(a.mention_count <= REPLY_MENTIONS, "10,000 mentions are bounded");
	buf_clear(&text);
	for (int i = 0; i < 1 << 20; i++)
		buf_addc(&text, "@:, "[i % 3]);
	reply_read(&a, &r.scratch, SLICE("ann"), 0, buf_slice(&text), r.window,
	    r.n);
	reply_choose(model, r.window, r.n, &a, &r.last);
	ok(r.last.antecedent < (int)r.n, "a megabyte of signs is nothing");
	reply_read(&a, &r.scratch, buf_slice(&text), 0, SLICE("hi"), r.window,
	    r.n);
	ok(a.name_len <= REPLY_NAME_BYTES, "a megabyte is cut to a name");
	buf_release(&text);
	arena_release(&r.scratch);
}

static char *
file_text(const char *path, size_t *len)
{
	FILE *f = fopen(path, "r");
	char *text = xmalloc(1 << 20);

	*len = f == NULL ? 0 : fread(text, 1, 1 << 20, f);
	if (f != NULL)
		fclose(f);
	return text;
}

static void
check_refused(const char *text, size_t len, const char *what)
{
	struct reply_model *m;
	struct buf why;

	buf_init(&why, 1024);
	m = reply_model_parse(slice_of(text, len), &why);
	if (!ok(m == NULL && why.len > 0, "%s: refused with a reason", what))
		printf("#   why: %s\n", buf_cstr(&why));
	reply_model_close(&m);
	buf_release(&why);
}

static void
test_damage(void)
{
	size_t len, taken = 0;
	char *text = file_text(WEIGHTS, &len);
	struct reply_model *m;
	struct buf why;

	buf_init(&why, 1024);
	check_refused(text, 0, "nothing");
	check_refused(text, len / 2, "half of it");
	check_refused(text, len - 1, "a byte short");
	for (size_t i = 0; i < len; i += 97) {
		text[i] ^= 1;
		m = reply_model_parse(slice_of(text, len), &why);
		text[i] ^= 1;
		taken += m != NULL;
		reply_model_close(&m);
	}
	is_int(taken, 0, "no flipped bit goes unseen");
	text[len - 3] ^= 1;
	check_refused(text, len, "another sum");
	text[len - 3] ^= 1;
	memcpy(memmem(text, len, "is_new", 6), "is_old", 6);
	check_refused(text, len, "other features");
	buf_clear(&why);
	m = reply_model_open(SKEIN_SOURCE_DIR "/chainer/data", &why);
	ok(m == NULL && why.len > 0, "a folder: refused with a reason");
	buf_clear(&why);
	m = reply_model_open(SKEIN_SOURCE_DIR "/chainer/data/none", &why);
	ok(m == NULL && strstr(buf_cstr(&why), "No such file"),
	    "no file: refused with a reason");
	buf_release(&why);
	free(text);
}

/* Rooms of few: crowded ones teach nothing about them. */
static void
test_few(const struct reply_model *model)
{
	static const char *const talk[][2] = {
		{ "kim", "the boiler in the cellar is dripping" },
		{ "lou", "where exactly, at the valve or under the tank?" },
		{ "kim", "under the tank I think" },
		{ "lou", "looks like the seal, I will order one" },
		{ "kim", "how long does that take" },
		{ "max", "it did that last year as well" },
		{ "lou", "two days" },
	};
	struct room *r = xmalloc(sizeof(*r));
	int first, same = 0;

	room_init(r, model);
	first = say(r, 0, talk[0][0], talk[0][1]);
	for (int i = 1; i < 7; i++)
		same += say(r, i * 300, talk[i][0], talk[i][1]) == first;
	is_int(same, 6, "two who answer slowly, then three: one talk");
	r->n = 0;
	first = say(r, 0, "ann", "my wifi card is not found after the upgrade");
	ok(say(r, 10, "bob",
	    "how can I mount an ntfs partition at boot?") != first,
	    "a second question stands for itself");
	r->n = 0;
	first = say(r, 0, "ann", "did the invoices go out?");
	ok(say(r, 60, "ben", "zoe: lunch at twelve in the garden") != first,
	    "what is said to somebody else is no answer");
	arena_release(&r->scratch);
	free(r);
}

/* What is told of the room and of the speaker's last message. */
static void
test_room(const struct reply_model *model)
{
	int16_t rows[REPLY_CANDIDATES][REPLY_FEATURES];
	struct room *r = xmalloc(sizeof(*r));
	int index[REPLY_CANDIDATES];
	struct reply_message now;

	room_init(r, model);
	say(r, 0, "ann", "hello all");
	say(r, 10, "bob", "ann: hi, what is it?");
	say(r, 20, "cid", "how do I mount a disk");
	say(r, 30, "bob", "cid: with a driver");
	for (size_t i = 0; i < r->n; i++)
		r->window[i].chain = i < 2 ? 1 : 2;
	r->window[3].answered = id_of(r, "cid");
	now = read_one(r, "ann", "bob: the printer");
	is_int(reply_features(r->window, r->n, &now, rows, index), 5,
	    "four messages and a new conversation");
	is_int(rows[0][REPLY_F_room_named], 32, "half of the messages name one");
	is_int(rows[0][REPLY_F_room_speakers], 3, "three speak");
	is_int(rows[0][REPLY_F_room_busiest], 2, "one of them twice");
	is_int(rows[0][REPLY_F_room_chains], 2, "in two chains");
	is_int(rows[0][REPLY_F_own_greeted], 1, "the speaker has greeted");
	is_int(rows[0][REPLY_F_own_thanked], 0, "and not thanked");
	is_int(rows[0][REPLY_F_own_chain_rank], 3, "her chain is 3 back");
	is_int(rows[0][REPLY_F_own_chain_called], 1, "whom she names is in it");
	is_int(rows[1][REPLY_F_they_answered_other], 1,
	    "his last was an answer to somebody else");
	now = read_one(r, "ann", "cid: try lsblk");
	reply_features(r->window, r->n, &now, rows, index);
	is_int(rows[0][REPLY_F_own_chain_called], 0,
	    "another whom she names is not");
	arena_release(&r->scratch);
	free(r);
}

int
main(void)
{
	struct reply_model *model;
	struct buf why;

	buf_init(&why, 1024);
	model = reply_model_open(WEIGHTS, &why);
	if (!ok(model != NULL, "the shipped weights are read"))
		printf("#   why: %s\n", buf_cstr(&why));
	buf_release(&why);
	if (model == NULL)
		return done();
	test_mentions(model);
	test_reading(model);
	test_alternation(model);
	test_pace(model);
	test_determinism(model);
	test_edges(model);
	test_few(model);
	test_room(model);
	test_damage();
	reply_model_close(&model);
	return done();
}
