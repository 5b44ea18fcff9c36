/*
 * post - answers on their way to ingest
 */
#include "assess/post.h"

#include <stdlib.h>

#include "assess/question.h"
#include "common/clock.h"
#include "common/json.h"
#include "common/log.h"
#include "common/sender.h"
#include "common/when.h"
#include "common/xmalloc.h"

enum { MOST_OWED = 64, AGAIN_MS = 5000 };

struct poster {
	const struct conf *conf;
	struct ledger *ledger;
	struct db *shared;
	struct sender *sender;
	/* A ring of what is under way, in the order it was sent. */
	struct question *owed[MOST_OWED];
	size_t first, count;
	uint64_t posted;
	const char *trouble;
};

static void
on_result(void *data, const struct msg_ack *ack)
{
	struct poster *p = data;
	struct question *q = p->owed[p->first];

	p->first = (p->first + 1) % MOST_OWED;
	p->count--;
	p->trouble = NULL;
	if (ack->seq != 0) {
		p->posted++;
		/* It is open until it is read from the log, but sent. */
		q->not_before_ms = INT64_MAX;
	} else if (slice_is(ack->code, "id_conflict")) {
		/* Another answer of ours is there: it will be read. */
		q->not_before_ms = INT64_MAX;
	} else if (slice_is(ack->code, "full")) {
		p->trouble = "ingest has no room for answers";
		q->not_before_ms = wall_ms() + AGAIN_MS;
	} else {
		log_warnx("%s: ingest refuses the answer: %.*s", q->key,
		    SLICE_ARG(ack->message));
		free(q->answer);
		q->answer = NULL;
		q->given_up = true;
		ledger_keep(p->ledger, q);
	}
	ledger_release(p->ledger, q);
}

struct poster *
poster_open(const struct conf *conf, struct ledger *ledger, struct db *shared)
{
	struct poster *p = xcalloc(1, sizeof(*p));
	size_t i;

	p->conf = conf;
	p->ledger = ledger;
	p->shared = shared;
	p->sender = sender_open(conf, on_result, p);
	/* An earlier life may have sent these, or not: both are well. */
	for (i = 0; i < ledger->count; i++)
		if (ledger->questions[i]->answer != NULL)
			ledger->questions[i]->not_before_ms = 0;
	return p;
}

/* Nobody will say what became of what was sent. */
static void
release_owed(struct poster *p)
{
	while (p->count > 0) {
		ledger_release(p->ledger, p->owed[p->first]);
		p->first = (p->first + 1) % MOST_OWED;
		p->count--;
	}
}

void
poster_close(struct poster **poster)
{
	struct poster *p = *poster;

	sender_close(&p->sender);
	release_owed(p);
	free(p);
	*poster = NULL;
}

static void
put_member(struct buf *out, const char *name, struct slice value)
{
	if (value.len == 0)
		return;
	(void)buf_addf(out, ",\"%s\":", name);
	json_put_str(out, value);
}

/*
 * The entry bears user, room and time of the one that asked: it belongs to
 * the same stream, goes when that is forgotten, and moves no clock.  -1: the
 * question is no longer asked.
 */
static int
make_entry(struct poster *p, const struct question *q, struct buf *out)
{
	const struct msg_envelope *asked;
	char ts[WHEN_TEXT_BYTES];
	struct stage_entry e;
	struct query query;
	int rc = -1;

	query_open(&query, p->shared, NULL, slice_str(q->domain));
	query_entry(&query, q->seq, &e);
	if (e.entry.id != MSG_none && e.entry.id != MSG_tombstone) {
		asked = &e.entry.as->envelope;
		when_format(asked->ts, ts);
		(void)buf_addf(out, "{\"type\":\"answer\",\"ts\":\"%s\"", ts);
		put_member(out, "domain", asked->domain);
		put_member(out, "user", asked->user);
		put_member(out, "room", asked->room);
		put_member(out, "id", arena_printf(&query.arena, "assess/%s",
		    q->key));
		put_member(out, "question", slice_str(q->key));
		put_member(out, "answer", slice_str(q->answer));
		put_member(out, "model", slice_str(q->model));
		(void)buf_addc(out, '}');
		rc = 0;
	}
	query_close(&query);
	return rc;
}

static bool
send_one(struct poster *p, struct question *q)
{
	struct buf entry;
	bool sent = false;

	buf_init(&entry, SIZE_MAX / 4);
	if (make_entry(p, q, &entry) == -1)
		ledger_drop(p->ledger, q);
	else if (sender_post_json(p->sender, buf_slice(&entry)) == 0) {
		q->busy = sent = true;
		p->owed[(p->first + p->count++) % MOST_OWED] = q;
	}
	buf_release(&entry);
	return sent;
}

/* Ingest has been silent for long: another sender, and all of it again. */
static void
start_anew(struct poster *p)
{
	p->trouble = "ingest does not answer";
	sender_close(&p->sender);
	release_owed(p);
	p->sender = sender_open(p->conf, on_result, p);
}

void
poster_post(struct poster *p)
{
	int64_t now_ms = wall_ms();
	struct question *q;

	while (p->count < MOST_OWED &&
	    (q = ledger_unsent(p->ledger, now_ms)) != NULL)
		if (!send_one(p, q))
			break;
	if (p->count > 0 && sender_step(p->sender, 0) == -1)
		start_anew(p);
}

size_t
poster_owed(const struct poster *p)
{
	return p->count;
}

uint64_t
poster_posted(const struct poster *p)
{
	return p->posted;
}

const char *
poster_trouble(const struct poster *p)
{
	return p->trouble;
}
