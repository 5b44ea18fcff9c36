/*
 * paged - a stage's own table as a list of rows, a view at a time
 */
#include "store/paged.h"

enum { ROWS_A_VIEW = 1000 };

/* What is done with a row; false: enough. */
typedef bool paged_each(const struct paged *p, const struct row *row,
    struct slice key, void *data);

/* The record after `at`, or before it; an empty `at` is before all of them. */
static bool
seek(struct db_cursor *c, const struct key *at, bool backwards,
    struct db_entry *e)
{
	if (at->len == 0)
		return backwards ? db_last(c, e) : db_first(c, e);
	if (backwards)
		return db_seek_back(c, key_slice(at), e) &&
		    (!slice_eq(e->key, key_slice(at)) || db_prev(c, e));
	return db_seek(c, key_slice(at), e) &&
	    (!slice_eq(e->key, key_slice(at)) || db_next(c, e));
}

/* The rows from `at` on until one view is over; false at the end. */
static bool
view(const struct paged *p, struct key *at, bool backwards, paged_each *each,
    void *data)
{
	struct db_txn *txn = db_read(p->own);
	struct db_cursor *c = db_cursor(txn, p->table);
	struct db_entry e;
	struct query q;
	struct row row;
	size_t n = 0;
	bool there, go_on = true;

	query_open(&q, p->shared, p->ingest, p->domain);
	there = seek(c, at, backwards, &e);
	for (; there && go_on && n < ROWS_A_VIEW; n++) {
		key_init(at);
		key_add_bytes(at, e.key);
		if (p->make(p, &q, e.value, &row))
			go_on = each(p, &row, e.key, data);
		arena_reset(&q.arena);
		there = backwards ? db_prev(c, &e) : db_next(c, &e);
	}
	query_close(&q);
	db_cursor_close(&c);
	db_abort(&txn);
	if (p->sink->pause != NULL)
		p->sink->pause(p->sink->data);
	return there && go_on;
}

static bool
give(const struct paged *p, const struct row *row, struct slice key,
    void *data)
{
	(void)key;
	(void)data;
	p->sink->row(p->sink->data, row);
	return true;
}

/* Where the newest `limit` begin. */
struct start {
	uint64_t left;
	struct key first;
	bool more;
};

static bool
count_back(const struct paged *p, const struct row *row, struct slice key,
    void *data)
{
	struct start *s = data;

	(void)p;
	(void)row;
	if (s->left == 0) {
		key_init(&s->first);
		key_add_bytes(&s->first, key);
		s->more = true;
		return false;
	}
	s->left--;
	return true;
}

void
paged_run(const struct paged *p, bool *more)
{
	struct start s = { .left = p->limit };
	struct key at;

	key_init(&at);
	key_init(&s.first);
	if (p->limit > 0)
		while (view(p, &at, true, count_back, &s))
			;
	*more = s.more;
	at = s.first;
	while (view(p, &at, false, give, NULL))
		;
}
