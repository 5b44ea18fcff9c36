/*
 * query - questions to the store, answered in rows
 *
 * Reads everything and writes nothing.  The only code that may read the tables
 * of more than one stage.  It neither prints nor parses arguments: verbs and
 * query workers do that.
 *
 * A view is one reading transaction per environment.  Own tables are opened
 * first: they are then never ahead of the sections they follow.  A long list
 * gives its transactions back every so often and calls sink.pause while it has
 * none, so that a reader who stops reading does not hold old pages for ever.
 */
#ifndef STORE_QUERY_H
#define STORE_QUERY_H

#include "common/db.h"
#include "common/stage.h"
#include "store/row.h"

struct query {
	struct db *shared_db, *ingest_db;	/* ingest's may be NULL */
	struct db *classify_db, *compactor_db, *linker_db; /* as may these */
	struct db_txn *shared, *ingest, *classify, *compactor, *linker;
	struct talks *talks;		/* see query_conversations.h */
	struct slice domain;
	struct arena arena;		/* one row */
	uint64_t unreadable;		/* records that did not decode */
};

struct query_filter {
	struct slice thread;	/* sender's id or t<seq>; empty: any */
	struct slice user;
	struct slice role;
	int64_t since_ms, until_ms;	/* both inclusive */
	uint64_t limit;		/* the newest so many; 0: all */
	bool own;		/* not what a fork shares with its parents */
	bool any_domain;
};

struct query_sink {
	void (*row)(void *data, const struct row *row);
	void (*pause)(void *data);	/* no transaction is open: may block */
	void *data;
};

/* What a filter starts from: everything. */
#define QUERY_ALL                                                      \
	((struct query_filter){ .since_ms = INT64_MIN,                 \
		.until_ms = INT64_MAX })

void query_open(struct query *q, struct db *shared, struct db *ingest,
    struct slice domain);
/* Also reads classify's tables: acts are then shown as answers revised them. */
void query_use_classify(struct query *q, struct db *classify);
/* Also reads the compactor's: threads are then shown with their episodes. */
void query_use_compactor(struct query *q, struct db *compactor);
/*
 * Also reads the linker's: and with those that go across threads, requests and
 * turns with their conversation.
 */
void query_use_linker(struct query *q, struct db *linker);
void query_close(struct query *q);

/*
 * Each gives rows in the order of seq; *more: the limit left older ones out.
 * 0, or -1: the filter's thread does not exist in the domain.
 */
int query_turns(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
    __attribute__((warn_unused_result));
void query_threads(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more);
int query_requests(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more)
    __attribute__((warn_unused_result));
/* What stages rejected, then what ingest refused, which is of no domain. */
void query_rejects(struct query *q, const struct query_filter *f,
    const struct query_sink *sink, bool *more);

/* What an id or a key names within the domain. */
struct query_thing {
	uint64_t seq;		/* an entry, or 0 */
	uint64_t i;
	bool has_i;		/* a turn was meant: seq.i */
	uint64_t thread;	/* a thread's key, or 0 */
};
bool query_find(struct query *q, struct slice id, struct query_thing *out);
/* A thread alone, when that is meant. */
bool query_find_thread(struct query *q, struct slice id,
    struct query_thing *out);
/* The rows of one thing; false if it is not there. */
bool query_thread_row(struct query *q, uint64_t key, struct row *row);
bool query_turn_row(struct query *q, uint64_t seq, uint64_t i,
    struct row *row);

/*
 * The latest answer that revises a turn, as the section of its entry `by`;
 * false: there is none, or classify's tables are not open.
 */
bool query_revision(struct query *q, uint64_t seq, uint64_t i, uint64_t *by,
    struct msg *section);
/* An entry and its sections; what is missing or unreadable is MSG_none. */
void query_entry(struct query *q, uint64_t seq, struct stage_entry *out);
bool query_cursor(struct query *q, enum stage_id stage,
    struct msg_cursor *out);
/* "t12", or the sender's own id of that thread. */
struct slice query_thread_name(struct query *q, uint64_t key);

/* Keys of ingest's tables. */
/* "t12" gives 12, all else 0. */
uint64_t query_own_thread(struct slice name);
/* How many turns an entry holds. */
size_t query_turn_count(const struct msg *entry);

#endif
