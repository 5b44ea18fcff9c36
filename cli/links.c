/*
 * links - the verbs `links` and `tuning`, and one link or episode whole
 */
#include "cli/links.h"

#include <stdio.h>

#include "cli/command.h"
#include "cli/listing.h"
#include "cli/options.h"
#include "cli/page.h"
#include "store/query_artifacts.h"
#include "store/query_links.h"

struct links {
	struct listing out;
	struct links_filter filter;
	struct slice thread;
	bool undo;
};

static int
read_options(struct links *l, bool tuning, int argc, char **argv)
{
	struct links_filter *f = &l->filter;
	struct option_spec specs[10] = {
		{ "since", OPTION_TIME, &f->since_ms, NULL },
		{ "until", OPTION_UNTIL, &f->until_ms, NULL },
		{ "limit", OPTION_NUMBER, &f->limit, &l->out.limited },
		{ "domain", OPTION_TEXT, &l->out.domain, NULL },
		{ "after", OPTION_NUMBER, &l->out.after, NULL } };
	size_t n = 5;
	int rc;

	if (tuning)
		specs[n++] = (struct option_spec){ "undo", OPTION_FLAG,
			&l->undo, NULL };
	else {
		specs[n++] = (struct option_spec){ "user", OPTION_TEXT,
			&f->user, NULL };
		specs[n++] = (struct option_spec){ "thread", OPTION_TEXT,
			&l->thread, NULL };
		specs[n++] = (struct option_spec){ "all", OPTION_FLAG,
			&f->all, NULL };
	}
	l->out.domain = SLICE("default");
	f->since_ms = INT64_MIN;
	f->until_ms = INT64_MAX;
	rc = options_read(l->out.cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	return rc != 0 ? rc : listing_check(&l->out, argc, argv, &f->limit);
}

typedef void links_query(const struct links_source *from,
    const struct links_filter *f, const struct query_sink *sink, bool *more);

static int
list(struct links *l, const struct links_source *from,
    const struct table_column *columns, links_query *query)
{
	struct query_sink sink = listing_sink(&l->out);
	bool more = false;
	int rc = listing_thread(&l->out, from->shared, from->ingest, l->thread,
	    &l->filter.thread);

	if (rc != 0)
		return rc;
	cli_settle(from->shared, from->linker, STAGE_linker);
	listing_begin(&l->out, columns);
	query(from, &l->filter, &sink, &more);
	listing_end(&l->out, true, more);
	return 0;
}

static int
list_verb(struct links *l, const struct table_column *columns,
    links_query *query)
{
	struct links_source from = { .domain = l->out.domain };
	struct db_error why;
	int rc;

	if (l->out.after > 0 && cli_wait_tables(l->out.cli,
		l->out.after) == -1)
		return 1;
	from.shared = cli_open(l->out.cli, ENV_shared);
	if (from.shared == NULL)
		return 1;
	from.linker = cli_open(l->out.cli, ENV_linker);
	from.ingest = cli_try_open(l->out.cli, ENV_ingest, &why);
	rc = from.linker == NULL ? 1 : list(l, &from, columns, query);
	db_close(&from.ingest);
	db_close(&from.linker);
	db_close(&from.shared);
	return rc;
}

int
verb_links(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "key", "KEY", false }, { "user", "USER", false },
		{ "thread", "THREAD", false },
		{ "candidate", "WITH", false },
		{ "decision", "DECISION", false },
		{ "algorithmic_score", "SCORE", true },
		{ "llm_confidence", "MODEL", true },
		{ "agreement", "AGREE", false },
		{ "outcome", "OUTCOME", false },
		{ "episode", "EPISODE", false },
		{ "timestamp", "WHEN", false }, { NULL, NULL, false } };
	struct links l = { .out.cli = cli };
	int rc = read_options(&l, false, argc, argv);

	return rc != 0 ? rc : list_verb(&l, columns, query_links);
}

static int
undo(struct links *l)
{
	struct command c;
	int rc;

	command_begin(&c, l->out.cli);
	c.domain = l->out.domain;
	command_type(&c, "tuning_undo");
	rc = command_run(&c);
	command_end(&c);
	return rc;
}

int
verb_tuning(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "number", "NO", true }, { "tuning_date", "WHEN", false },
		{ "kept", "KEPT", false }, { "in_force", "IN FORCE", false },
		{ "previous_threshold", "WAS", true },
		{ "new_threshold", "THRESHOLD", true },
		{ "accuracy_before", "BEFORE", true },
		{ "accuracy_after", "AFTER", true },
		{ "decisions", "OF", true }, { "reason", "REASON", false },
		{ NULL, NULL, false } };
	struct links l = { .out.cli = cli };
	int rc = read_options(&l, true, argc, argv);

	if (rc != 0)
		return rc;
	return l.undo ? undo(&l) : list_verb(&l, columns, query_tunings);
}

/* ---- show ---- */

bool
links_show(const struct cli *cli, const struct links_show *s)
{
	struct db_error why;
	struct db *db = cli_try_open(cli, ENV_linker, &why);
	struct msg_cursor cursor;
	struct msg_episode e;
	struct msg_link link;
	struct db_txn *txn;
	struct row row;
	bool there = true;

	if (db == NULL)
		return false;
	if (query_cursor(s->q, STAGE_linker, &cursor))
		cli_settle_to(db, STAGE_linker, cursor.seq);
	txn = db_read(db);
	if (query_link(s->q, txn, s->name, &link)) {
		query_link_row(s->q, &link, &row);
		page_begin(s->out, s->json, "link", "decision", &row);
	} else if (query_cross_episode(s->q, txn, s->name, &e)) {
		query_episode_row(s->q, &e, &row);
		page_begin(s->out, s->json, "episode", "name", &row);
		if (s->turns)
			page_thread_turns(cli, s->q, &e.linked_threads,
			    s->json, s->out);
	} else
		there = false;
	if (there)
		buf_adds(s->out, s->json ? "}" : "");
	db_abort(&txn);
	db_close(&db);
	return there;
}

/* ---- why ---- */

static void
print_terms(struct buf *out, const struct msg_link_candidate *c)
{
	buf_addf(out, "    t%-8llu score %4llu: keyword %llu, entity %llu, "
	    "topic %llu, recency %llu, lean %llu\n",
	    (unsigned long long)c->thread, (unsigned long long)c->score,
	    (unsigned long long)c->keyword_match,
	    (unsigned long long)c->entity_match,
	    (unsigned long long)c->topic_match,
	    (unsigned long long)c->recency_score,
	    (unsigned long long)c->lean);
}

void
links_why(struct query *q, uint64_t seq, struct buf *out)
{
	const struct msg_s_linker *s;
	const struct msg_link *link;
	struct stage_entry e;
	size_t i, k;

	query_entry(q, seq, &e);
	if (e.sections[STAGE_linker].id != MSG_s_linker)
		return;
	s = &e.sections[STAGE_linker].as->s_linker;
	for (i = 0; i < s->n_links; i++) {
		link = &s->links[i];
		buf_addf(out, "\nlink %.*s: t%llu with t%llu: %.*s, threshold "
		    "%llu", SLICE_ARG(link->key),
		    (unsigned long long)link->thread,
		    (unsigned long long)link->candidate,
		    SLICE_ARG(link->decision),
		    (unsigned long long)link->threshold);
		if (link->revised_by.len > 0)
			buf_addf(out, ", revised by %.*s",
			    SLICE_ARG(link->revised_by));
		if (link->outcome.len > 0)
			buf_addf(out, ", %.*s: %.*s", SLICE_ARG(link->outcome),
			    SLICE_ARG(link->outcome_why));
		buf_addc(out, '\n');
		for (k = 0; k < link->n_candidates; k++)
			print_terms(out, &link->candidates[k]);
	}
}
