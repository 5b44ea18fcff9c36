/*
 * assess - ask a model for a second opinion
 *
 * Reads what stages ask, from its place in the log to the linker's, and asks
 * an endpoint at the head of the log only, and only what has no answer in the
 * log yet.  An answer goes to ingest as an entry: so no stage ever waits for a
 * model, and a replay never calls one.  Off unless the setting assess is on.
 *
 *   open ──► asked ──► answered ──► in the log: forgotten here
 *     ▲         │ wrong, slow                (any client may answer)
 *     └─ later ◄┴─► given up, after assess_retries
 *
 * What a question is made of is in question.c, what fits as an answer in
 * answer.c, when it may be asked in budget.c, what is kept in ledger.c.  See
 * skein-assess(8).
 */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "assess/answer.h"
#include "assess/http.h"
#include "assess/ledger.h"
#include "assess/post.h"
#include "assess/question.h"
#include "common/bus.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/service.h"
#include "common/when.h"
#include "common/xmalloc.h"

enum {
	READ_ENTRIES = 256,	/* of the log, in one turn of the loop */
	KEEP_EVERY = 10000,	/* entries without a question, then the place */
	AGAIN_MS = 30 * 1000	/* after a wrong answer, the first time */
};

struct assess {
	struct service service;
	const struct conf *conf;
	struct db *shared;
	struct ledger ledger;
	struct http *http;
	struct poster *poster;
	struct pace pace;
	struct bus *bus;
	struct bus_socket *sub;
	ev_timer again;		/* there is more to read, or to ask */
	bool at_head;
	uint64_t given_up;
	char trouble[SERVICE_NOTE_BYTES];	/* of the endpoint, the latest */
};

/* A request under way. */
struct errand {
	struct assess *assess;
	struct question *question;
	struct asking asking;
};

/* ---- reading ---- */

struct found_in {
	struct assess *assess;
	const struct stage_entry *entry;
};

static void
on_found(void *data, struct slice key)
{
	struct found_in *in = data;

	if (key.len <= QUESTION_KEY_BYTES &&
	    question_is_wanted(in->assess->conf->assess_kinds, key))
		ledger_ask(&in->assess->ledger,
		    in->entry->entry.as->envelope.domain, key,
		    in->entry->seq);
}

static void
read_entry(struct assess *a, struct query *q, uint64_t seq)
{
	struct found_in in = { .assess = a };
	struct stage_entry e;

	query_entry(q, seq, &e);
	in.entry = &e;
	if (e.entry.id == MSG_answer)
		ledger_answered(&a->ledger, e.entry.as->answer.domain,
		    e.entry.as->answer.question);
	if (e.entry.id != MSG_none && e.entry.id != MSG_tombstone)
		question_find(&e, &q->arena, on_found, &in);
	arena_reset(&q->arena);
}

/* Reads on; true: there is more. */
static bool
read_on(struct assess *a)
{
	struct ledger *l = &a->ledger;
	struct msg_cursor linker, ingest;
	struct query q;
	uint64_t upto;

	query_open(&q, a->shared, NULL, SLICE_NONE);
	(void)query_cursor(&q, STAGE_linker, &linker);
	(void)query_cursor(&q, STAGE_ingest, &ingest);
	/* Sections that are made again may ask other questions. */
	if (linker.epoch != l->epoch || linker.seq < l->seq)
		ledger_restart(l, linker.epoch);
	upto = l->seq + READ_ENTRIES;
	if (upto > linker.seq)
		upto = linker.seq;
	while (l->seq < upto)
		read_entry(a, &q, ++l->seq);
	a->at_head = l->seq == ingest.seq;
	query_close(&q);
	if (l->txn != NULL || l->seq - l->kept_seq >= KEEP_EVERY)
		ledger_commit(l);
	a->service.cursor = l->seq;
	return l->seq < linker.seq;
}

/* ---- asking ---- */

static void
set_trouble(struct assess *a, const char *what)
{
	if (strcmp(a->trouble, what) != 0 && what[0] != '\0')
		log_warnx("%s", what);
	snprintf(a->trouble, sizeof(a->trouble), "%s", what);
}

static void
count(struct assess *a, enum counter counter)
{
	a->service.counters[counter]++;
}

/* A wrong or slow answer: later again, or not at all. */
static void
try_later(struct assess *a, struct question *q)
{
	q->tries++;
	q->given_up = q->tries > (uint64_t)a->conf->assess_retries;
	q->not_before_ms = wall_ms() + AGAIN_MS * (int64_t)q->tries;
	if (q->given_up) {
		a->given_up++;
		log_info("%s: not asked again", q->key);
	}
	ledger_keep(&a->ledger, q);
}

/* What a status other than 200 means; true: the question is to blame. */
static bool
judge_status(struct assess *a, const struct http_reply *reply)
{
	char what[SERVICE_NOTE_BYTES];
	const char *hint = "";
	int status = reply->status;

	if (status == 0)
		snprintf(what, sizeof(what), "the endpoint does not answer: %s",
		    reply->error);
	else {
		if (status == 401 || status == 403)
			hint = ": see assess_key_file";
		else if (status == 404)
			hint = ": see assess_endpoint and assess_model";
		snprintf(what, sizeof(what), "the endpoint says %d%s", status,
		    hint);
	}
	set_trouble(a, what);
	return reply->excessive || status == 400 || status == 413 || status == 422;
}

static void
take_answer(struct assess *a, struct errand *errand,
    const struct http_reply *reply)
{
	struct question *q = errand->question;
	struct answer answer;

	answer_init(&answer);
	if (answer_read(&answer, reply->body, &errand->asking) == 0) {
		set_trouble(a, "");
		q->answer = xstrdup(buf_cstr(&answer.json));
		q->model = xstrdup(answer.model.len > 0 ?
		    buf_cstr(&answer.model) : a->conf->assess_model);
		ledger_keep(&a->ledger, q);
	} else {
		count(a, COUNTER_bad);
		log_info("%s: wrong answer: %s", q->key, answer.why);
		set_trouble(a, "the model's latest answer was wrong: see the "
			       "log");
		try_later(a, q);
	}
	ledger_spend(&a->ledger, 0, answer.tokens);
	answer_release(&answer);
}

static void go_on(struct assess *a);
static void tell(struct assess *a);

static void
on_reply(void *data, const struct http_reply *reply)
{
	struct errand *errand = data;
	struct assess *a = errand->assess;

	if (reply->status == 200) {
		pace_success(&a->pace);
		take_answer(a, errand, reply);
	} else {
		count(a, COUNTER_failed);
		pace_failure(&a->pace, wall_ms(), reply->retry_after_ms);
		errand->question->failures++;
		if (judge_status(a, reply))
			try_later(a, errand->question);
	}
	ledger_release(&a->ledger, errand->question);
	ledger_commit(&a->ledger);
	asking_release(&errand->asking);
	free(errand);
	go_on(a);
	tell(a);
	service_write(&a->service);
}

/* Ingest's own tables may be made again at any time: opened for each. */
static struct db *
open_ingest(struct assess *a)
{
	struct db_options options = stage_db_options(a->conf);
	char *dir = conf_path(a->conf, "db/%s", env_name(ENV_ingest));
	struct db *db = NULL;
	struct db_error why;

	options.read_only = true;
	options.durable = false;
	if (db_open(&db, dir, ENV_ingest, &options, &why) == -1)
		db = NULL;
	free(dir);
	return db;
}

static int
make_asking(struct assess *a, const struct question *q, struct asking *out)
{
	struct db *ingest = open_ingest(a);
	struct query query;
	int rc;

	query_open(&query, a->shared, ingest, slice_str(q->domain));
	rc = question_make(&query, a->conf, slice_str(q->key), q->seq, out);
	query_close(&query);
	db_close(&ingest);
	return rc;
}

static void
ask(struct assess *a, struct question *q)
{
	struct errand *errand = xcalloc(1, sizeof(*errand));

	errand->assess = a;
	errand->question = q;
	asking_init(&errand->asking);
	if (make_asking(a, q, &errand->asking) == -1) {
		log_debug("%s: no longer asked", q->key);
		ledger_drop(&a->ledger, q);
	} else {
		/* Spent before it goes out: a death must not make it free. */
		ledger_spend(&a->ledger, 1, 0);
		ledger_commit(&a->ledger);
		if (http_post(a->http, buf_slice(&errand->asking.body),
			on_reply, errand) == 0) {
			q->busy = true;
			count(a, COUNTER_asked);
			return;
		}
		fatalx(EX_RETRY, "libcurl takes no request");
	}
	asking_release(&errand->asking);
	free(errand);
}

static void
ask_more(struct assess *a)
{
	int64_t now_ms = wall_ms();
	struct question *q;

	budget_day(&a->ledger.budget, now_ms);
	while (a->at_head && pace_allows(&a->pace, now_ms) &&
	    !budget_is_spent(&a->ledger.budget) &&
	    http_under_way(a->http) < (size_t)a->conf->assess_parallel &&
	    (q = ledger_next(&a->ledger, now_ms)) != NULL)
		ask(a, q);
}

/* ---- the loop ---- */

/* Does what can be done now; what comes later wakes us. */
static void
go_on(struct assess *a)
{
	bool more = read_on(a);

	a->service.counters[COUNTER_answered] = poster_posted(a->poster);
	a->service.counters[COUNTER_given_up] = a->given_up +
	    a->ledger.dropped;
	if (!more)
		ask_more(a);
	poster_post(a->poster);
	if (a->ledger.txn != NULL)
		ledger_commit(&a->ledger);
	ev_timer_stop(a->service.loop, &a->again);
	if (more || poster_owed(a->poster) > 0) {
		ev_timer_set(&a->again, more ? 0. : 0.02, 0.);
		ev_timer_start(a->service.loop, &a->again);
	}
}

static void
on_again(struct ev_loop *loop, ev_timer *w, int events)
{
	(void)loop;
	(void)events;
	go_on(w->data);
}

static void
on_wake(struct bus_socket *socket, void *data)
{
	struct bus_message m;

	while (bus_receive(socket, &m))
		continue;	/* only a hint: the cursors are in the store */
	go_on(data);
}

/* What people should know, the gravest first. */
static void
tell(struct assess *a)
{
	const struct budget *b = &a->ledger.budget;
	int64_t wait_ms = a->pace.until_ms - wall_ms();
	char day[WHEN_TEXT_BYTES];

	when_format_date(b->day + 1, day);
	if (poster_trouble(a->poster) != NULL)
		service_note(&a->service, "%s", poster_trouble(a->poster));
	else if (budget_is_spent(b))
		service_note(&a->service, "budget spent until %s", day);
	else if (a->trouble[0] != '\0' && wait_ms > 0)
		service_note(&a->service, "%s; next try in %lld s", a->trouble,
		    (long long)(wait_ms + 999) / 1000);
	else
		service_note(&a->service, "%s", a->trouble);
	buf_clear(&a->service.more);
	(void)buf_addf(&a->service.more, "open %zu\nbudget %llu\n"
	    "budget_left %llu\ntokens_today %llu\n",
	    ledger_open_questions(&a->ledger),
	    (unsigned long long)b->requests_a_day,
	    (unsigned long long)budget_left(b),
	    (unsigned long long)b->tokens);
}

static void
on_second(void *data)
{
	struct assess *a = data;

	go_on(a);
	tell(a);
	if (a->service.beat % 10 == 0)
		(void)db_reap_readers(a->shared);
}

/* ---- its life ---- */

static void
read_store_id(struct assess *a)
{
	struct db_txn *txn = db_read(a->shared);
	struct msg_meta meta;
	struct arena arena;

	arena_init(&arena);
	if (!db_get_msg(txn, TABLE_meta, SLICE("store"), MSG_meta, &arena,
		&meta) || meta.store_id.len != sizeof(a->ledger.store_id))
		fatalx(EX_REFUSE, "%s is no store of skein",
		    db_dir(a->shared));
	if (meta.schema != TABLES_SCHEMA)
		fatalx(EX_REFUSE, "the store has schema %llu, this program %d",
		    (unsigned long long)meta.schema, TABLES_SCHEMA);
	ledger_open(&a->ledger, a->conf, meta.store_id);
	db_abort(&txn);
	arena_release(&arena);
}

static void
open_all(struct assess *a)
{
	struct buf why;

	buf_init(&why, 4096);
	a->http = http_open(a->service.loop, a->conf, &why);
	if (a->http == NULL)
		fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	buf_release(&why);
	a->shared = stage_open_shared(a->conf, false);
	read_store_id(a);
	budget_day(&a->ledger.budget, wall_ms());
	a->pace.longest_ms = a->conf->assess_backoff_max * 1000;
	a->poster = poster_open(a->conf, &a->ledger, a->shared);
	a->bus = bus_open();
	a->sub = bus_socket(a->bus, BUS_SUB);
	if (bus_subscribe(a->sub, "linker.cursor") == -1 ||
	    bus_connect(a->sub, a->conf->home, "linker.pub") == -1)
		fatal(EX_REFUSE, "cannot connect to %s/run/linker.pub",
		    a->conf->home);
	bus_watch(a->sub, a->service.loop, on_wake, a);
	ev_init(&a->again, on_again);
	a->again.data = a;
}

static void
close_all(struct assess *a)
{
	bus_close(&a->bus);
	http_close(&a->http);
	poster_close(&a->poster);
	ledger_close(&a->ledger);
	db_close(&a->shared);
	service_release(&a->service);
}

int
main(int argc, char **argv)
{
	struct assess a = { 0 };

	service_init(&a.service, "assess", "Asks a model for second opinions",
	    argc, argv);
	a.conf = &a.service.conf;
	if (strcmp(a.conf->assess, "on") != 0) {
		log_info("off: the setting assess is not on");
		service_release(&a.service);
		return EX_OFF;
	}
	if (!question_kinds_valid(a.conf->assess_kinds))
		fatalx(EX_REFUSE, "assess_kinds: '%s' names more than act, "
		    "link and word", a.conf->assess_kinds);
	if (a.conf->assess_model[0] == '\0')
		fatalx(EX_REFUSE, "assess_model: name the model to ask");
	if (sodium_init() == -1)
		fatalx(EX_RETRY, "libsodium cannot start");
	a.service.on_second = on_second;
	a.service.data = &a;
	service_start(&a.service);
	open_all(&a);
	go_on(&a);
	tell(&a);
	service_run(&a.service);
	close_all(&a);
	return 0;
}
