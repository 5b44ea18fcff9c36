/*
 * ledger - what assess keeps: its place in the log, the open questions, the
 * day's spending
 *
 * In an environment of its own, every commit synchronous: what was spent is
 * written before a request goes out, and an answer before it goes to ingest,
 * so that a death costs neither budget nor an answer.  Which questions are
 * open follows from the log; it is kept so that a start need not read all of
 * it.  The questions are in memory too, by the entry that asked: at most
 * assess_queue of them, the oldest are dropped.
 */
#ifndef ASSESS_LEDGER_H
#define ASSESS_LEDGER_H

#include "assess/budget.h"
#include "common/conf.h"
#include "common/db.h"

struct question {
	char *domain, *key;
	uint64_t seq;		/* the entry whose section asks */
	uint64_t tries;		/* wrong or slow answers so far */
	int64_t not_before_ms;
	bool given_up;
	char *answer;		/* checked, on its way to ingest; or NULL */
	char *model;		/* who answered */
	unsigned failures;	/* requests without an answer, in this life */
	bool busy;		/* under way, to the endpoint or to ingest */
	bool gone;		/* no longer open: freed when it is not busy */
};

struct ledger {
	struct db *db;
	struct db_txn *txn;	/* while there are changes */
	char store_id[16];
	uint64_t seq, epoch;	/* how far it has read */
	uint64_t kept_seq;	/* the same, as it stands in the table */
	struct budget budget;
	struct question **questions;	/* in the order of seq */
	size_t count, cap, most;
	uint64_t dropped;	/* questions that were too many */
};

/* Ends the process where its tables can be neither read nor made again. */
void ledger_open(struct ledger *l, const struct conf *conf,
    struct slice store_id);
void ledger_close(struct ledger *l);

/* Reads on from the first entry; what is known of questions is kept. */
void ledger_restart(struct ledger *l, uint64_t epoch);
/* Known already: nothing happens. */
void ledger_ask(struct ledger *l, struct slice domain, struct slice key,
    uint64_t seq);
/* It is answered in the log. */
void ledger_answered(struct ledger *l, struct slice domain, struct slice key);
/* Nobody asks it any more. */
void ledger_drop(struct ledger *l, struct question *q);
/* What was changed in q is to be kept. */
void ledger_keep(struct ledger *l, const struct question *q);
/* q is no longer busy; it may be freed by this. */
void ledger_release(struct ledger *l, struct question *q);
void ledger_spend(struct ledger *l, uint64_t requests, uint64_t tokens);
/* Writes what was changed, and the place; ends the process if it cannot. */
void ledger_commit(struct ledger *l);

/*
 * The newest that may be asked now, of those that failed least: one that
 * upsets the endpoint must not stand in the way of all others.  NULL: none.
 */
struct question *ledger_next(const struct ledger *l, int64_t now_ms);
/* The oldest that has an answer and is not busy; NULL: none. */
struct question *ledger_unsent(const struct ledger *l, int64_t now_ms);
/* How many may still be asked, now or later. */
size_t ledger_open_questions(const struct ledger *l);

#endif
