/*
 * clients - the numbering of every client
 */
#include "ingest/clients.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/log.h"
#include "common/when.h"
#include "common/xmalloc.h"

enum { BUCKETS = 1024, CLIENTS_IN_MEMORY = 4096 };

struct clients {
	struct stage *st;
	struct client *buckets[BUCKETS];
	size_t count;			/* in all buckets */
	struct client *touched;		/* have results in this batch */
	struct refusal refusal;		/* of the last batch without room */
	struct buf out;
};

struct clients *
clients_open(struct stage *st)
{
	struct clients *cs = xcalloc(1, sizeof(*cs));

	cs->st = st;
	buf_init(&cs->out, SIZE_MAX / 4);
	return cs;
}

static void
client_free(struct client *c)
{
	buf_release(&c->route);
	free(c->acks);
	free(c->rows);
	free(c);
}

static void
forget_all(struct clients *cs)
{
	struct client *c, *next;
	size_t i;

	for (i = 0; i < BUCKETS; i++) {
		for (c = cs->buckets[i]; c != NULL; c = next) {
			next = c->next_hash;
			client_free(c);
		}
		cs->buckets[i] = NULL;
	}
	cs->count = 0;
}

void
clients_close(struct clients **clients)
{
	if (*clients == NULL)
		return;
	forget_all(*clients);
	buf_release(&(*clients)->out);
	free(*clients);
	*clients = NULL;
}

static struct slice
nonce_of(const struct client *c)
{
	return slice_of(c->nonce, NONCE_BYTES);
}

static struct key
row_key(const struct client *c, uint64_t first)
{
	struct key k;

	key_init(&k);
	key_add_bytes(&k, nonce_of(c));
	key_add_u64(&k, first);
	return k;
}

static void
add_row(struct client *c, uint64_t first)
{
	if (c->n_rows == c->cap_rows) {
		c->cap_rows = c->cap_rows == 0 ? 8 : c->cap_rows * 2;
		c->rows = xrealloc(c->rows, c->cap_rows * sizeof(c->rows[0]));
	}
	c->rows[c->n_rows++] = first;
}

static void
load(struct clients *cs, struct client *c)
{
	struct db_txn *txn = db_read(cs->st->shared);
	struct key from = row_key(c, 0);
	struct msg_client known = { .next = 1 };
	struct db_cursor *cursor;
	struct db_entry e;
	bool more;

	(void)db_get_msg(txn, TABLE_clients, nonce_of(c), MSG_client,
	    &cs->st->arena, &known);
	c->next = known.next;
	cursor = db_cursor(txn, TABLE_client_acks);
	more = db_seek(cursor, key_slice(&from), &e);
	while (more && e.key.len == NONCE_BYTES + 8 &&
	    memcmp(e.key.ptr, c->nonce, NONCE_BYTES) == 0) {
		add_row(c, key_read_u64(e.key, NONCE_BYTES));
		more = db_next(cursor, &e);
	}
	db_abort(&txn);
}

static struct client **
bucket_of(struct clients *cs, struct slice nonce)
{
	uint64_t h;

	memcpy(&h, nonce.ptr, sizeof(h));	/* it is random already */
	return &cs->buckets[h % BUCKETS];
}

struct client *
clients_find(struct clients *cs, struct slice nonce)
{
	struct client *c, **bucket = bucket_of(cs, nonce);

	for (c = *bucket; c != NULL; c = c->next_hash)
		if (slice_eq(nonce_of(c), nonce))
			return c;
	c = xcalloc(1, sizeof(*c));
	memcpy(c->nonce, nonce.ptr, NONCE_BYTES);
	buf_init(&c->route, 1024);
	load(cs, c);
	c->next_hash = *bucket;
	*bucket = c;
	cs->count++;
	return c;
}

/*
 * A row is needed until all of its numbers are settled, which the next row's
 * first number tells; the last row stays until more comes or the client goes.
 */
void
clients_settle(struct clients *cs, struct client *c, uint64_t settled)
{
	struct key k;
	size_t done = 0;

	if (settled > c->settled)
		c->settled = settled;
	/* Refused entries leave no trace; the client knows it is past them. */
	if (c->next <= settled)
		c->next = settled + 1;
	while (done + 1 < c->n_rows && c->rows[done + 1] <= c->settled + 1) {
		k = row_key(c, c->rows[done++]);
		batch_delete(cs->st, TABLE_client_acks, key_slice(&k));
	}
	if (done > 0) {
		c->n_rows -= done;
		memmove(c->rows, c->rows + done, c->n_rows * sizeof(c->rows[0]));
	}
}

struct msg_ack *
clients_result(struct clients *cs, struct client *c)
{
	struct msg_ack *ack;

	if (c->n_acks == c->cap_acks) {
		c->cap_acks = c->cap_acks == 0 ? 64 : c->cap_acks * 2;
		c->acks = xrealloc(c->acks, c->cap_acks * sizeof(c->acks[0]));
	}
	if (c->n_acks == 0) {
		c->first = c->next;
		c->next_touched = cs->touched;
		cs->touched = c;
	}
	c->told_expect = false;
	ack = &c->acks[c->n_acks++];
	*ack = (struct msg_ack){ .number = c->next++ };
	return ack;
}

static void
batch_client(struct clients *cs, struct client *c, int64_t now_ms)
{
	struct msg_client row = { .next = c->next, .seen = now_ms };
	struct msg_client_batch b = { .first = c->first };
	struct arena arena;
	struct key k;
	size_t i;

	arena_init(&arena);
	b.seqs.count = c->n_acks;
	b.seqs.at = arena_array(&arena, c->n_acks, sizeof(b.seqs.at[0]));
	b.errors = arena_array(&arena, c->n_acks, sizeof(b.errors[0]));
	for (i = 0; i < c->n_acks; i++) {
		b.seqs.at[i] = c->acks[i].seq;
		if (c->acks[i].code.len > 0)
			b.errors[b.n_errors++] = c->acks[i];
	}
	k = row_key(c, c->first);
	batch_put_msg(cs->st, TABLE_client_acks, key_slice(&k),
	    MSG_client_batch, &b, false);
	batch_put_msg(cs->st, TABLE_clients, nonce_of(c), MSG_client, &row,
	    false);
	add_row(c, c->first);
	arena_release(&arena);
}

void
clients_batch(struct clients *cs, int64_t now_ms)
{
	struct client *c;

	for (c = cs->touched; c != NULL; c = c->next_touched)
		batch_client(cs, c, now_ms);
}

static void
fail_uncommitted(struct msg_ack *ack, const struct refusal *refusal)
{
	ack->seq = 0;
	ack->key = SLICE_NONE;
	ack->repeated = false;
	ack->code = slice_str(refusal->code);
	ack->message = slice_str(refusal->why.text);
}

void
clients_uncommitted(struct clients *cs, uint64_t cursor,
    const struct refusal *refusal)
{
	struct client *c;
	size_t i;

	cs->refusal = *refusal;
	for (c = cs->touched; c != NULL; c = c->next_touched) {
		if (c->n_rows > 0 && c->rows[c->n_rows - 1] == c->first)
			c->n_rows--;
		for (i = 0; i < c->n_acks; i++)
			if (c->acks[i].seq > cursor)
				fail_uncommitted(&c->acks[i], &cs->refusal);
		if (c->refused_upto + 1 != c->first)
			c->refused_from = c->first;
		c->refused_upto = c->next - 1;
	}
}

static void
send_reply(struct clients *cs, const struct client *c,
    struct bus_socket *router, const struct msg_reply *reply)
{
	struct slice parts[2];

	buf_clear(&cs->out);
	if (msg_encode(&cs->out, MSG_reply, reply) == -1)
		return;
	parts[0] = buf_slice(&c->route);
	parts[1] = buf_slice(&cs->out);
	/* A client that went away asks again when it is back. */
	(void)bus_send(router, parts, 2);
}

void
clients_reply(struct clients *cs, struct bus_socket *router)
{
	struct msg_reply reply = { 0 };
	struct client *c;

	for (c = cs->touched; c != NULL; c = c->next_touched) {
		reply.acks = c->acks;
		reply.n_acks = c->n_acks;
		send_reply(cs, c, router, &reply);
		c->n_acks = 0;
	}
	cs->touched = NULL;
	if (cs->count > CLIENTS_IN_MEMORY)
		forget_all(cs);
}

struct slice
clients_key(struct arena *arena, enum msg_id type, uint64_t seq)
{
	enum { LONGEST = sizeof("18446744073709551615.0") };
	char *text = arena_alloc(arena, LONGEST);
	struct buf b = { .ptr = text, .cap = LONGEST, .limit = LONGEST };

	if (type == MSG_fork)
		buf_addc(&b, 't');
	buf_addu(&b, seq);
	if (type != MSG_fork)
		buf_adds(&b, ".0");
	return buf_slice(&b);
}

static void
fill_repeated(struct clients *cs, struct db_txn *txn, uint64_t seq,
    struct msg_ack *ack)
{
	struct key k = key_u64(seq);
	struct msg_error why;
	struct msg entry = { MSG_none, NULL };
	struct slice record;

	ack->seq = seq;
	ack->repeated = true;
	if (db_get(txn, TABLE_log, key_slice(&k), &record) &&
	    msg_decode(record, &cs->st->arena, &entry, &why) == 0 &&
	    msg_is_entry(entry.id))
		ack->id = entry.as->envelope.id;
	ack->key = clients_key(&cs->st->arena, entry.id, seq);
}

static void
repeat_row(struct clients *cs, struct db_txn *txn,
    const struct msg_client_batch *b, struct client *c, uint64_t from,
    struct bus_socket *router)
{
	struct msg_reply reply = { 0 };
	size_t i, errors = 0;
	struct msg_ack *ack;

	reply.acks = arena_array(&cs->st->arena, b->seqs.count,
	    sizeof(reply.acks[0]));
	for (i = 0; i < b->seqs.count; i++) {
		ack = &reply.acks[reply.n_acks];
		*ack = (struct msg_ack){ .number = b->first + i };
		if (b->seqs.at[i] != 0)
			fill_repeated(cs, txn, b->seqs.at[i], ack);
		else if (errors < b->n_errors)
			*ack = b->errors[errors++];
		if (b->first + i >= from)
			reply.n_acks++;
	}
	if (reply.n_acks > 0)
		send_reply(cs, c, router, &reply);
}

static void
repeat_refused(struct clients *cs, struct client *c, uint64_t from,
    struct bus_socket *router)
{
	struct msg_reply reply = { 0 };
	struct msg_ack *ack;

	reply.acks = arena_array(&cs->st->arena, c->refused_upto + 1 - from,
	    sizeof(reply.acks[0]));
	for (; from <= c->refused_upto; from++) {
		ack = &reply.acks[reply.n_acks++];
		ack->number = from;
		fail_uncommitted(ack, &cs->refusal);
	}
	send_reply(cs, c, router, &reply);
}

void
clients_repeat(struct clients *cs, struct client *c, uint64_t from,
    struct bus_socket *router)
{
	struct db_txn *txn = db_read(cs->st->shared);
	struct msg_client_batch b;
	struct key k;
	size_t i;

	if (from >= c->refused_from && from <= c->refused_upto)
		repeat_refused(cs, c, from, router);
	for (i = 0; i < c->n_rows; i++) {
		k = row_key(c, c->rows[i]);
		if (db_get_msg(txn, TABLE_client_acks, key_slice(&k),
			MSG_client_batch, &cs->st->arena, &b))
			repeat_row(cs, txn, &b, c, from, router);
	}
	db_abort(&txn);
}

void
clients_expect(struct client *c, struct bus_socket *router)
{
	struct msg_reply reply = { .expect = c->next };
	struct slice parts[2];
	struct buf out;

	if (c->told_expect)
		return;
	c->told_expect = true;
	buf_init(&out, 4096);
	if (msg_encode(&out, MSG_reply, &reply) == 0) {
		parts[0] = buf_slice(&c->route);
		parts[1] = buf_slice(&out);
		(void)bus_send(router, parts, 2);
	}
	buf_release(&out);
}

void
clients_again(struct clients *cs, struct bus_socket *router)
{
	struct client *c;

	for (c = cs->touched; c != NULL; c = c->next_touched) {
		c->next = c->first;
		c->n_acks = 0;
		c->told_expect = false;
		clients_expect(c, router);
	}
	cs->touched = NULL;
}

void
clients_bye(struct clients *cs, struct client *c)
{
	struct client **at = bucket_of(cs, nonce_of(c));
	struct key k;
	size_t i;

	if (c->n_acks > 0)	/* it has results under way: not the end yet */
		return;
	for (i = 0; i < c->n_rows; i++) {
		k = row_key(c, c->rows[i]);
		batch_delete(cs->st, TABLE_client_acks, key_slice(&k));
	}
	batch_delete(cs->st, TABLE_clients, nonce_of(c));
	for (; *at != c; at = &(*at)->next_hash)
		;
	*at = c->next_hash;
	cs->count--;
	client_free(c);
}

void
clients_expire(struct clients *cs, int64_t now_ms)
{
	int64_t oldest = now_ms - cs->st->conf.client_keep * WHEN_DAY_MS;
	struct db_txn *txn = db_read(cs->st->shared);
	struct db_cursor *c = db_cursor(txn, TABLE_clients), *rows;
	struct msg_client row;
	struct msg_error why;
	struct db_entry e, r;
	bool more;

	while (db_next(c, &e)) {
		if (msg_decode_as(e.value, &cs->st->arena, MSG_client, &row,
			&why) == 0 && row.seen >= oldest)
			continue;
		batch_delete(cs->st, TABLE_clients, e.key);
		rows = db_cursor(txn, TABLE_client_acks);
		more = db_seek(rows, e.key, &r);
		while (more && r.key.len > e.key.len &&
		    memcmp(r.key.ptr, e.key.ptr, e.key.len) == 0) {
			batch_delete(cs->st, TABLE_client_acks, r.key);
			more = db_next(rows, &r);
		}
		db_cursor_close(&rows);
	}
	db_abort(&txn);
}
