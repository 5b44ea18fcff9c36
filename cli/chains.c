/*
 * chains - the verbs `chains` and `sessions`, a chain's story, a turn's reasons
 */
#include "cli/chains.h"

#include <stdio.h>

#include "cli/listing.h"
#include "cli/options.h"

struct chains {
	struct listing out;
	struct chains_filter filter;
	struct slice thread;
};

static int
read_options(struct chains *c, bool states, int argc, char **argv)
{
	struct chains_filter *f = &c->filter;
	struct option_spec specs[9] = {
		{ "since", OPTION_TIME, &f->since_ms, NULL },
		{ "until", OPTION_UNTIL, &f->until_ms, NULL },
		{ "limit", OPTION_NUMBER, &f->limit, &c->out.limited },
		{ "domain", OPTION_TEXT, &c->out.domain, NULL },
		{ "after", OPTION_NUMBER, &c->out.after, NULL },
		{ "user", OPTION_TEXT, &f->user, NULL },
		{ "thread", OPTION_TEXT, &c->thread, NULL } };
	int rc;

	if (states)
		specs[7] = (struct option_spec){ "state", OPTION_TEXT,
			&f->state, NULL };
	c->out.domain = SLICE("default");
	f->since_ms = INT64_MIN;
	f->until_ms = INT64_MAX;
	rc = options_read(c->out.cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc == 0)
		rc = options_one_of(c->out.cli, "state", f->state,
		    "active dormant concluded merged");
	return rc != 0 ? rc : listing_check(&c->out, argc, argv, &f->limit);
}

typedef void chains_query(const struct chains_source *from,
    const struct chains_filter *f, const struct query_sink *sink, bool *more);

static int
list(struct chains *c, struct chains_source *from,
    const struct table_column *columns, chains_query *query)
{
	struct query_sink sink = listing_sink(&c->out);
	bool more = false;
	int rc = listing_thread(&c->out, from->shared, from->ingest, c->thread,
	    &c->filter.thread);

	if (rc != 0)
		return rc;
	cli_settle(from->shared, from->chainer, STAGE_chainer);
	listing_begin(&c->out, columns);
	query(from, &c->filter, &sink, &more);
	listing_end(&c->out, true, more);
	return 0;
}

static int
chains_verb(struct cli *cli, int argc, char **argv, bool states,
    const struct table_column *columns, chains_query *query)
{
	struct chains c = { .out.cli = cli };
	struct chains_source from = { 0 };
	struct db_error why;
	int rc = read_options(&c, states, argc, argv);

	if (rc != 0)
		return rc;
	if (c.out.after > 0 && cli_wait_tables(cli, c.out.after) == -1)
		return 1;
	from.domain = c.out.domain;
	from.shared = cli_open(cli, ENV_shared);
	if (from.shared == NULL)
		return 1;
	from.chainer = cli_open(cli, ENV_chainer);
	from.ingest = cli_try_open(cli, ENV_ingest, &why);
	rc = from.chainer == NULL ? 1 : list(&c, &from, columns, query);
	db_close(&from.ingest);
	db_close(&from.chainer);
	db_close(&from.shared);
	return rc;
}

int
verb_chains(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "key", "KEY", false }, { "state", "STATE", false },
		{ "user", "USER", false }, { "room", "ROOM", false },
		{ "last_extended", "LAST", false },
		{ "turns", "TURNS", true }, { "claims", "CLAIMS", true },
		{ "n_threads", "THREADS", true }, { "topic", "TOPIC", false },
		{ NULL, NULL, false } };

	return chains_verb(cli, argc, argv, true, columns, query_chains);
}

int
verb_sessions(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "id", "ID", false }, { "user", "USER", false },
		{ "room", "ROOM", false }, { "started", "STARTED", false },
		{ "ended", "ENDED", false }, { "turns", "TURNS", true },
		{ "n_chains", "CHAINS", true }, { "summary", "SUMMARY", false },
		{ NULL, NULL, false } };

	return chains_verb(cli, argc, argv, false, columns, query_sessions);
}

/* ---- show ---- */

struct story {
	struct buf *out;
	bool json, any;
};

static void
print_cell(struct buf *out, const struct row *row, const char *name)
{
	const struct cell *cell = row_cell(row, name);

	if (cell != NULL)
		cell_print(out, cell);
}

static void
on_step(void *data, const struct row *row)
{
	struct story *s = data;

	if (s->json) {
		buf_adds(s->out, s->any ? "," : "");
		row_to_json(s->out, row);
	} else {
		print_cell(s->out, row, "ts");
		buf_adds(s->out, "  ");
		print_cell(s->out, row, "kind");
		buf_adds(s->out, "  ");
		print_cell(s->out, row, "turn");
		buf_adds(s->out, "  ");
		print_cell(s->out, row, "reason");
		buf_addc(s->out, '\n');
	}
	s->any = true;
}

static void
print_chain(struct buf *out, const struct row *row)
{
	static const char *const names[] = { "state", "created_at",
		"last_extended", "turns", "claims", "threads", "from",
		"merged_into", "keywords", "entities" };
	const struct cell *cell;
	size_t i;

	print_cell(out, row, "key");
	buf_adds(out, "  ");
	print_cell(out, row, "topic");
	buf_addc(out, '\n');
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		cell = row_cell(row, names[i]);
		if (cell == NULL || cell->kind == CELL_NULL)
			continue;
		buf_addf(out, "  %-14s ", names[i]);
		cell_print(out, cell);
		buf_addc(out, '\n');
	}
	buf_addc(out, '\n');
}

bool
chains_show(const struct cli *cli, struct query *q, struct slice name,
    bool json, struct buf *out)
{
	struct story story = { out, json, false };
	struct query_sink sink = { on_step, NULL, &story };
	struct db_error why;
	struct db *db = cli_try_open(cli, ENV_chainer, &why);
	struct msg_cursor cursor;
	struct db_txn *txn;
	struct msg_chain c;
	struct row row;
	bool there;

	if (db == NULL)
		return false;
	if (query_cursor(q, STAGE_chainer, &cursor))
		cli_settle_to(db, STAGE_chainer, cursor.seq);
	txn = db_read(db);
	there = query_chain(q, txn, name, &c);
	if (there) {
		query_chain_row(q, &c, &row);
		if (json) {
			buf_adds(out, "{\"kind\":\"chain\",\"chain\":");
			row_to_json(out, &row);
			buf_adds(out, ",\"history\":[");
		} else
			print_chain(out, &row);
		query_chain_story(q, txn, &c, &sink);
		buf_adds(out, json ? "]}" : "");
	}
	db_abort(&txn);
	db_close(&db);
	return there;
}

/* ---- why ---- */

static void
print_candidate(struct buf *out, const struct msg_h_candidate *c)
{
	buf_addf(out, "    %-10.*s %-9.*s distance %4llu: entity %llu, "
	    "keyword %llu, subject %llu, recency %llu, adjacency %llu, "
	    "cue %lld, meaning %lld, course %lld\n", SLICE_ARG(c->chain),
	    SLICE_ARG(c->state),
	    (unsigned long long)c->distance, (unsigned long long)c->entity,
	    (unsigned long long)c->keyword, (unsigned long long)c->subject,
	    (unsigned long long)c->recency, (unsigned long long)c->adjacency,
	    (long long)c->cue, (long long)c->meaning,
	    (long long)c->course);
}

static void
print_update(struct buf *out, const struct msg_h_update *u)
{
	size_t k;

	buf_addf(out, "  %.*s %.*s: %.*s\n", SLICE_ARG(u->kind),
	    SLICE_ARG(u->chain), SLICE_ARG(u->reason));
	if (u->claims.count > 0) {
		buf_adds(out, "    claims");
		for (k = 0; k < u->claims.count; k++)
			buf_addf(out, " %llu",
			    (unsigned long long)u->claims.at[k]);
		buf_addc(out, '\n');
	}
	for (k = 0; k < u->n_candidates; k++)
		print_candidate(out, &u->candidates[k]);
}

/* Where the talk of one user went, and what spoke for that. */
static void
print_course(struct buf *out, const struct msg_h_turn *t)
{
	size_t k;

	if (t->course.count == 0)
		return;
	buf_addf(out, "  course: %.*s by %lld", SLICE_ARG(t->course.at[0]),
	    (long long)t->lead);
	for (k = 1; k < t->course.count; k++)
		buf_addf(out, "%s%.*s", k == 1 ? ": " : "; ",
		    SLICE_ARG(t->course.at[k]));
	buf_addc(out, '\n');
}

void
chains_why(struct query *q, uint64_t seq, uint64_t i, struct buf *out)
{
	const struct msg_s_chainer *s;
	struct stage_entry e;
	size_t k;

	query_entry(q, seq, &e);
	if (e.sections[STAGE_chainer].id != MSG_s_chainer)
		return;
	s = &e.sections[STAGE_chainer].as->s_chainer;
	if (i >= s->n_turns)
		return;
	buf_addf(out, "\nchain %.*s", SLICE_ARG(s->turns[i].chain.len > 0 ?
	    s->turns[i].chain : SLICE("none")));
	if (s->turns[i].answers_seq != 0)
		buf_addf(out, ", follows %llu.%llu",
		    (unsigned long long)s->turns[i].answers_seq,
		    (unsigned long long)s->turns[i].answers_i);
	buf_addf(out, "\n  cues: %.*s\n", SLICE_ARG(s->turns[i].cues));
	print_course(out, &s->turns[i]);
	if (s->continue_below > 0)
		buf_addf(out, "  %.*s distance: continue below %llu, branch "
		    "below %llu, revive below %llu\n", SLICE_ARG(s->formula),
		    (unsigned long long)s->continue_below,
		    (unsigned long long)s->branch_below,
		    (unsigned long long)s->revive_below);
	for (k = 0; k < s->n_updates; k++)
		if (s->updates[k].turn == i)
			print_update(out, &s->updates[k]);
}
