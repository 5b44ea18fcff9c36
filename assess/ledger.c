/*
 * ledger - what assess keeps
 */
#include "assess/ledger.h"

#include <stdlib.h>

#include "common/log.h"
#include "common/stage.h"
#include "common/xmalloc.h"

enum { MAP_MIB = 16 };

/* ---- questions in memory ---- */

static void
question_free(struct question *q)
{
	free(q->domain);
	free(q->key);
	free(q->answer);
	free(q->model);
	free(q);
}

static char *
slice_copy(struct slice s)
{
	return s.len == 0 ? NULL : xasprintf("%.*s", SLICE_ARG(s));
}

/* Where a question of that entry would go: behind all of earlier ones. */
static size_t
place_of(const struct ledger *l, uint64_t seq)
{
	size_t low = 0, high = l->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (l->questions[mid]->seq < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool
is_named(const struct question *q, struct slice domain, struct slice key)
{
	return slice_is(key, q->key) && slice_is(domain, q->domain);
}

static bool
is_known(const struct ledger *l, struct slice domain, struct slice key,
    uint64_t seq)
{
	size_t i;

	for (i = place_of(l, seq);
	     i < l->count && l->questions[i]->seq == seq; i++)
		if (is_named(l->questions[i], domain, key))
			return true;
	return false;
}

static void
insert(struct ledger *l, struct question *q)
{
	size_t at = place_of(l, q->seq + 1);

	if (l->count == l->cap) {
		l->cap = l->cap == 0 ? 64 : l->cap * 2;
		l->questions = xrealloc(l->questions,
		    l->cap * sizeof(l->questions[0]));
	}
	memmove(&l->questions[at + 1], &l->questions[at],
	    (l->count - at) * sizeof(l->questions[0]));
	l->questions[at] = q;
	l->count++;
}

/* ---- the tables ---- */

static struct db_txn *
change(struct ledger *l)
{
	if (l->txn == NULL)
		l->txn = db_write(l->db);
	return l->txn;
}

static struct key
question_key(const struct question *q)
{
	struct key k;

	key_init(&k);
	key_add_text(&k, slice_str(q->domain));
	key_add_bytes(&k, slice_str(q->key));
	return k;
}

void
ledger_keep(struct ledger *l, const struct question *q)
{
	struct msg_question m = {
		.key = slice_str(q->key),
		.domain = slice_str(q->domain),
		.seq = q->seq,
		.tries = q->tries,
		.not_before = q->not_before_ms,
		.given_up = q->given_up,
		.answer = slice_str(q->answer),
		.model = slice_str(q->model),
	};
	struct key k = question_key(q);

	if (!q->gone)
		db_put_msg(change(l), TABLE_questions, key_slice(&k),
		    MSG_question, &m);
}

static void
remove_at(struct ledger *l, size_t i)
{
	struct question *q = l->questions[i];
	struct key k = question_key(q);

	db_delete(change(l), TABLE_questions, key_slice(&k));
	l->count--;
	memmove(&l->questions[i], &l->questions[i + 1],
	    (l->count - i) * sizeof(l->questions[0]));
	q->gone = true;
	if (!q->busy)
		question_free(q);
}

static void
put_place(struct ledger *l)
{
	struct msg_assess_place place = {
		.seq = l->seq,
		.epoch = l->epoch,
		.store_id = slice_of(l->store_id, sizeof(l->store_id)),
		.day = l->budget.day,
		.requests = l->budget.requests,
		.tokens = l->budget.tokens,
	};

	db_put_msg(change(l), TABLE_assess_place, SLICE("place"),
	    MSG_assess_place, &place);
	l->kept_seq = l->seq;
}

void
ledger_commit(struct ledger *l)
{
	if (l->txn == NULL && l->kept_seq == l->seq)
		return;
	put_place(l);
	if (db_commit(&l->txn) == DB_DONE)
		return;
	/* It is read again from where it stood before. */
	(void)db_grow(l->db);
	fatalx(EX_RETRY, "%s: %s", db_dir(l->db), db_reason(l->db));
}

/* ---- opening ---- */

static int
open_tables(struct ledger *l, const struct conf *conf, const char *dir,
    struct db_error *why)
{
	struct db_options options = stage_db_options(conf);

	options.map_bytes = (size_t)MAP_MIB << 20;
	return db_open(&l->db, dir, ENV_assess, &options, why);
}

/* Tables of another store say nothing about this one, spending apart. */
static void
read_place(struct ledger *l)
{
	struct db_txn *txn = db_read(l->db);
	struct msg_assess_place place = { 0 };
	struct arena arena;

	arena_init(&arena);
	(void)db_get_msg(txn, TABLE_assess_place, SLICE("place"),
	    MSG_assess_place, &arena, &place);
	l->budget.day = place.day;
	l->budget.requests = place.requests;
	l->budget.tokens = place.tokens;
	if (slice_eq(place.store_id,
		slice_of(l->store_id, sizeof(l->store_id)))) {
		l->seq = l->kept_seq = place.seq;
		l->epoch = place.epoch;
		db_abort(&txn);
	} else {
		db_abort(&txn);
		db_clear(change(l), TABLE_questions);
		put_place(l);
		ledger_commit(l);
	}
	arena_release(&arena);
}

static void
read_questions(struct ledger *l)
{
	struct db_txn *txn = db_read(l->db);
	struct db_cursor *c = db_cursor(txn, TABLE_questions);
	struct msg_question m;
	struct msg_error why;
	struct question *q;
	struct arena arena;
	struct db_entry e;

	arena_init(&arena);
	while (db_next(c, &e)) {
		if (msg_decode_as(e.value, &arena, MSG_question, &m, &why) ==
		    -1) {
			log_warnx("a question cannot be read: %s", why.text);
			continue;
		}
		q = xcalloc(1, sizeof(*q));
		*q = (struct question){ .domain = slice_copy(m.domain),
			.key = slice_copy(m.key), .seq = m.seq,
			.tries = m.tries, .not_before_ms = m.not_before,
			.given_up = m.given_up,
			.answer = slice_copy(m.answer),
			.model = slice_copy(m.model) };
		insert(l, q);
		arena_reset(&arena);
	}
	db_cursor_close(&c);
	db_abort(&txn);
	arena_release(&arena);
}

void
ledger_open(struct ledger *l, const struct conf *conf, struct slice store_id)
{
	char *dir = conf_path(conf, "db/assess");
	struct db_error why;

	*l = (struct ledger){ .most = (size_t)conf->assess_queue };
	l->budget.requests_a_day = (uint64_t)conf->assess_budget;
	l->budget.tokens_a_day = (uint64_t)conf->assess_token_budget;
	memcpy(l->store_id, store_id.ptr, sizeof(l->store_id));
	if (open_tables(l, conf, dir, &why) == -1) {
		if (!why.damaged)
			fatalx(why.full ? EX_RETRY : EX_REFUSE, "%s", why.text);
		/* All but the day's spending follows from the log. */
		log_warnx("%s: made again from the log", why.text);
		if (db_wipe(dir) == -1 || open_tables(l, conf, dir, &why) == -1)
			fatalx(EX_REFUSE, "%s: cannot be made again", dir);
	}
	free(dir);
	read_place(l);
	read_questions(l);
}

void
ledger_close(struct ledger *l)
{
	size_t i;

	ledger_commit(l);
	for (i = 0; i < l->count; i++)
		question_free(l->questions[i]);
	free(l->questions);
	db_close(&l->db);
}

/* ---- what happens to questions ---- */

void
ledger_restart(struct ledger *l, uint64_t epoch)
{
	l->seq = 0;
	l->epoch = epoch;
	put_place(l);
}

void
ledger_ask(struct ledger *l, struct slice domain, struct slice key,
    uint64_t seq)
{
	struct question *q;

	if (is_known(l, domain, key, seq))
		return;
	q = xcalloc(1, sizeof(*q));
	q->domain = slice_copy(domain);
	q->key = slice_copy(key);
	q->seq = seq;
	insert(l, q);
	ledger_keep(l, q);
	if (l->count > l->most) {
		remove_at(l, 0);
		l->dropped++;
	}
}

void
ledger_answered(struct ledger *l, struct slice domain, struct slice key)
{
	size_t i;

	/* From the newest: answers come soon after their questions. */
	for (i = l->count; i-- > 0;) {
		if (is_named(l->questions[i], domain, key)) {
			remove_at(l, i);
			return;
		}
	}
}

void
ledger_drop(struct ledger *l, struct question *q)
{
	size_t i;

	for (i = place_of(l, q->seq); i < l->count; i++) {
		if (l->questions[i] == q) {
			remove_at(l, i);
			return;
		}
	}
}

void
ledger_release(struct ledger *l, struct question *q)
{
	(void)l;
	q->busy = false;
	if (q->gone)
		question_free(q);
}

void
ledger_spend(struct ledger *l, uint64_t requests, uint64_t tokens)
{
	l->budget.requests += requests;
	l->budget.tokens += tokens;
	put_place(l);
}

struct question *
ledger_next(const struct ledger *l, int64_t now_ms)
{
	struct question *q, *best = NULL;
	size_t i;

	for (i = l->count; i-- > 0;) {
		q = l->questions[i];
		if (!q->busy && !q->given_up && q->answer == NULL &&
		    q->not_before_ms <= now_ms &&
		    (best == NULL || q->failures < best->failures))
			best = q;
		if (best != NULL && best->failures == 0)
			break;
	}
	return best;
}

struct question *
ledger_unsent(const struct ledger *l, int64_t now_ms)
{
	struct question *q;
	size_t i;

	for (i = 0; i < l->count; i++) {
		q = l->questions[i];
		if (!q->busy && q->answer != NULL && q->not_before_ms <= now_ms)
			return q;
	}
	return NULL;
}

size_t
ledger_open_questions(const struct ledger *l)
{
	size_t i, n = 0;

	for (i = 0; i < l->count; i++)
		n += !l->questions[i]->given_up &&
		    l->questions[i]->answer == NULL;
	return n;
}
