/*
 * recall - all that searches, contexts and beginnings are made of, to be read
 */
#include "cli/recall.h"

#include <stdio.h>
#include <stdlib.h>

#include "common/json.h"
#include "common/sender.h"
#include "common/xmalloc.h"

/* ---- the store ---- */

/* Own tables first: they are then never ahead of what they follow. */
static void
begin(const struct cli *cli, struct recall *r, struct slice domain)
{
	buf_clear(&r->domain);
	buf_addslice(&r->domain, domain);
	if (r->store != NULL)
		r->store_txn = db_read(r->store);
	if (r->linker != NULL)
		r->linker_txn = db_read(r->linker);
	if (r->compactor != NULL)
		r->compactor_txn = db_read(r->compactor);
	query_open(&r->q, r->shared, r->ingest, domain);
	r->view = (struct context_view){ .conf = &cli->conf, .q = &r->q,
		.compactor = r->compactor_txn, .linker = r->linker_txn,
		.search = r->search, .known = r->known,
		.found = { r->q.shared, r->q.ingest, r->compactor_txn,
			r->store_txn } };
}

static void
end(struct recall *r)
{
	if (r->q.shared == NULL)
		return;
	query_close(&r->q);
	r->q = (struct query){ 0 };
	db_abort(&r->compactor_txn);
	db_abort(&r->linker_txn);
	db_abort(&r->store_txn);
}

static void
close_files(struct recall *r)
{
	end(r);
	search_close(&r->search);
	known_close(&r->known);
	db_close(&r->store);
	db_close(&r->linker);
	db_close(&r->compactor);
	db_close(&r->ingest);
	db_close(&r->shared);
}

/* Own tables are committed a moment after the cursor. */
static bool
is_applied(struct recall *r, enum stage_id id, const struct msg_cursor *c)
{
	const struct {
		struct db_txn *txn;
		enum table_id derived;
	} own[STAGE_COUNT] = {
		[STAGE_ingest] = { r->q.ingest, TABLE_ingest_derived },
		[STAGE_compactor] = { r->compactor_txn,
			TABLE_compactor_derived },
		[STAGE_linker] = { r->linker_txn, TABLE_linker_derived },
		[STAGE_store] = { r->store_txn, TABLE_store_derived },
	};
	struct msg_derived d;

	return own[id].txn == NULL || (db_get_msg(own[id].txn,
		own[id].derived, SLICE("follows"), MSG_derived, &r->q.arena,
		&d) && d.epoch == c->epoch && d.seq >= c->seq);
}

/* After a rebuild or a wish to forget own tables are other files. */
static uint64_t
read_epochs(struct recall *r)
{
	struct msg_cursor c;
	uint64_t epochs = 0;
	enum stage_id id;

	r->level = true;
	for (id = 0; id < STAGE_COUNT; id++)
		if (query_cursor(&r->q, id, &c)) {
			epochs += c.epoch;
			r->level = r->level && is_applied(r, id, &c);
		}
	arena_reset(&r->q.arena);
	return epochs;
}

static bool
open_files(const struct cli *cli, struct recall *r, struct slice domain)
{
	struct db_error why;

	r->shared = cli_open(cli, ENV_shared);
	if (r->shared == NULL)
		return false;
	r->ingest = cli_try_open(cli, ENV_ingest, &why);
	r->compactor = cli_try_open(cli, ENV_compactor, &why);
	r->linker = cli_try_open(cli, ENV_linker, &why);
	r->store = cli_try_open(cli, ENV_store, &why);
	r->search = search_open(&cli->conf);
	if (r == cli->kept)
		r->known = known_open();
	cli_settle(r->shared, r->compactor, STAGE_compactor);
	cli_settle(r->shared, r->linker, STAGE_linker);
	cli_settle(r->shared, r->store, STAGE_store);
	begin(cli, r, domain);
	r->epochs = read_epochs(r);
	return true;
}

static bool
is_complete(const struct recall *r)
{
	return r->ingest != NULL && r->compactor != NULL &&
	    r->linker != NULL && r->store != NULL;
}

static bool
reopen(const struct cli *cli, struct recall *r, struct slice domain)
{
	if (r->shared != NULL && is_complete(r)) {
		begin(cli, r, domain);
		if (read_epochs(r) == r->epochs)
			return true;
	}
	close_files(r);
	return open_files(cli, r, domain);
}

struct recall *
recall_new(void)
{
	struct recall *r = xcalloc(1, sizeof(*r));

	buf_init(&r->domain, SIZE_MAX / 4);
	return r;
}

struct recall *
recall_open(const struct cli *cli, struct slice domain)
{
	struct recall *r = cli->kept;

	if (r != NULL)
		return reopen(cli, r, domain) ? r : NULL;
	r = recall_new();
	if (!open_files(cli, r, domain))
		recall_free(&r);
	return r;
}

void
recall_renew(const struct cli *cli, struct recall *r)
{
	struct slice domain = r->q.domain;

	end(r);
	begin(cli, r, domain);
}

void
recall_close(const struct cli *cli, struct recall **r)
{
	if (*r == NULL)
		return;
	if (*r == cli->kept)
		end(*r);
	else
		recall_free(r);
	*r = NULL;
}

void
recall_free(struct recall **r)
{
	if (*r == NULL)
		return;
	close_files(*r);
	buf_release(&(*r)->domain);
	free(*r);
	*r = NULL;
}

void
recall_say_behind(struct recall *r, uint64_t upto)
{
	struct msg_cursor c;

	if (query_cursor(&r->q, STAGE_ingest, &c) && upto < c.seq)
		fprintf(stderr, "the store stands at %llu of %llu: what came "
		    "later is not looked at yet\n", (unsigned long long)upto,
		    (unsigned long long)c.seq);
}

/* ---- use ---- */

static void
on_result(void *data, const struct msg_ack *ack)
{
	(void)data;
	(void)ack;
}

static void
put_entry(struct buf *out, struct slice domain, const struct msg_strs *used)
{
	size_t i;

	buf_adds(out, "{\"type\":\"used\",\"domain\":");
	json_put_str(out, domain);
	buf_adds(out, ",\"artifacts\":[");
	for (i = 0; i < used->count; i++) {
		buf_adds(out, i > 0 ? "," : "");
		json_put_str(out, used->at[i]);
	}
	buf_adds(out, "]}\n");
}

void
recall_used(const struct cli *cli, struct slice domain,
    const struct msg_strs *used)
{
	struct sender *sender;
	struct buf entry;

	if (used->count == 0)
		return;
	if (cli->used != NULL) {
		put_entry(cli->used, domain, used);
		return;
	}
	if (cli_supervisor(cli) == 0)
		return;
	buf_init(&entry, SIZE_MAX / 4);
	put_entry(&entry, domain, used);
	sender = sender_open(&cli->conf, on_result, NULL);
	/* If ingest is busy the weights stay as they are: no answer waits. */
	if (sender_post_json(sender, buf_slice(&entry)) == -1 ||
	    sender_step(sender, 100) == -1)
		fprintf(stderr, "skein %s: ingest does not answer: that "
		    "artifacts were used is not kept\n", cli->verb);
	sender_close(&sender);
	buf_release(&entry);
}
