/*
 * list - the verbs that list: turns, threads, requests, rejects
 *
 * The store's query code finds the rows, listing.c prints them.
 */
#include <stdio.h>

#include "cli/listing.h"
#include "cli/options.h"

/* What a list can be narrowed by, beside the domain and a limit. */
enum {
	BY_THREAD = 1,
	BY_USER = 2,
	BY_ROLE = 4,	/* and --own */
	NEEDS_INGEST = 8,	/* its tables, always */
	SHOWS_TALKS = 64,	/* conversations, as the linker's have them */
	SHOWS_EPISODES = 32,	/* as the compactor's tables have them */
	SHOWS_ACTS = 16		/* as classify's tables say they were revised */
};

struct list {
	struct listing out;
	struct query_filter filter;
	bool domain_given;
};

static int
check_options(struct list *l, int argc, char **argv)
{
	struct query_filter *f = &l->filter;
	int rc = listing_check(&l->out, argc, argv, &f->limit);

	if (rc != 0)
		return rc;
	if (f->own && f->thread.len == 0)
		return cli_usage(l->out.cli, "--own goes with --thread");
	f->any_domain = !l->domain_given;
	return 0;
}

static int
read_options(struct list *l, unsigned by, int argc, char **argv)
{
	struct query_filter *f = &l->filter;
	struct option_spec specs[10] = {
		{ "since", OPTION_TIME, &f->since_ms, NULL },
		{ "until", OPTION_UNTIL, &f->until_ms, NULL },
		{ "limit", OPTION_NUMBER, &f->limit, &l->out.limited },
		{ "domain", OPTION_TEXT, &l->out.domain, &l->domain_given },
		{ "after", OPTION_NUMBER, &l->out.after, NULL } };
	size_t n = 5;
	int rc;

	if (by & BY_THREAD)
		specs[n++] = (struct option_spec){ "thread", OPTION_TEXT,
			&f->thread, NULL };
	if (by & BY_USER)
		specs[n++] = (struct option_spec){ "user", OPTION_TEXT,
			&f->user, NULL };
	if (by & BY_ROLE) {
		specs[n++] = (struct option_spec){ "role", OPTION_TEXT,
			&f->role, NULL };
		specs[n++] = (struct option_spec){ "own", OPTION_FLAG,
			&f->own, NULL };
	}
	*f = QUERY_ALL;
	l->out.domain = SLICE("default");
	rc = options_read(l->out.cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc == 0)
		rc = options_one_of(l->out.cli, "role", f->role,
		    "user assistant system tool");
	return rc != 0 ? rc : check_options(l, argc, argv);
}

typedef int list_run(struct list *l, struct query *q,
    const struct query_sink *sink, bool *more);

/* The environments that a list reads; NULL: not needed, or not there. */
struct source {
	struct db *shared, *ingest, *classify, *compactor, *linker;
};

static void
source_close(struct source *from)
{
	db_close(&from->linker);
	db_close(&from->compactor);
	db_close(&from->classify);
	db_close(&from->ingest);
	db_close(&from->shared);
}

/* Log and ingest's tables must be there; of the others what there is. */
static bool
source_open(const struct list *l, unsigned by, struct source *out)
{
	const struct cli *cli = l->out.cli;
	bool needs_ingest = by & NEEDS_INGEST || l->filter.thread.len > 0;
	struct db_error why;

	*out = (struct source){ .shared = cli_open(cli, ENV_shared) };
	if (out->shared != NULL && needs_ingest)
		out->ingest = cli_open(cli, ENV_ingest);
	if (out->shared == NULL || (needs_ingest && out->ingest == NULL)) {
		source_close(out);
		return false;
	}
	if (by & SHOWS_ACTS)
		out->classify = cli_try_open(cli, ENV_classify, &why);
	if (by & SHOWS_EPISODES)
		out->compactor = cli_try_open(cli, ENV_compactor, &why);
	if (by & (SHOWS_TALKS | SHOWS_EPISODES)) {
		out->linker = cli_try_open(cli, ENV_linker, &why);
		cli_settle(out->shared, out->linker, STAGE_linker);
	}
	return true;
}

static int
list_verb(struct cli *cli, int argc, char **argv,
    const struct table_column *columns, unsigned by, list_run *run)
{
	struct list l = { .out.cli = cli };
	struct query_sink sink = listing_sink(&l.out);
	struct source from;
	struct query q;
	bool more = false;
	int rc = read_options(&l, by, argc, argv);

	if (rc != 0)
		return rc;
	if (l.out.after > 0 && cli_wait_tables(cli, l.out.after) == -1)
		return 1;
	if (!source_open(&l, by, &from))
		return 1;
	listing_begin(&l.out, columns);
	query_open(&q, from.shared, from.ingest, l.out.domain);
	query_use_classify(&q, from.classify);
	query_use_compactor(&q, from.compactor);
	if (by & (SHOWS_TALKS | SHOWS_EPISODES))
		query_use_linker(&q, from.linker);
	rc = run(&l, &q, &sink, &more);
	query_close(&q);
	listing_end(&l.out, rc == 0, more);
	if (rc == 0 && q.unreadable > 0)
		fprintf(stderr, "%llu records cannot be read: see "
				"'skein check'\n",
		    (unsigned long long)q.unreadable);
	source_close(&from);
	return rc;
}

/* ---- the verbs ---- */

static int
run_turns(struct list *l, struct query *q, const struct query_sink *sink,
    bool *more)
{
	return query_turns(q, &l->filter, sink, more) == 0 ? 0 :
	    listing_no_thread(&l->out, l->filter.thread);
}

int
verb_turns(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "key", "KEY", true }, { "ts", "TIME", false },
		{ "thread", "THREAD", false }, { "user", "USER", false },
		{ "role", "ROLE", false }, { "act", "ACT", false },
		{ "text", "TEXT", false }, { NULL, NULL, false } };

	return list_verb(cli, argc, argv, columns,
	    BY_THREAD | BY_USER | BY_ROLE | SHOWS_ACTS | SHOWS_TALKS,
	    run_turns);
}

static int
run_threads(struct list *l, struct query *q, const struct query_sink *sink,
    bool *more)
{
	struct query_thing thing;
	struct row row;

	*more = false;
	if (l->filter.thread.len == 0) {
		query_threads(q, &l->filter, sink, more);
		return 0;
	}
	if (!query_find_thread(q, l->filter.thread, &thing) ||
	    !query_thread_row(q, thing.thread, &row))
		return listing_no_thread(&l->out, l->filter.thread);
	listing_row(&l->out, &row);
	return 0;
}

int
verb_threads(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "key", "KEY", false }, { "id", "ID", false },
		{ "user_id", "USER", false }, { "room", "ROOM", false },
		{ "turn_count", "TURNS", true },
		{ "last_activity_at", "LAST", false },
		{ "channels", "CHANNELS", false },
		{ "parent", "PARENT", false }, { "closed", "CLOSED", false },
		{ "name", "NAME", false }, { NULL, NULL, false } };

	return list_verb(cli, argc, argv, columns,
	    BY_THREAD | BY_USER | NEEDS_INGEST | SHOWS_EPISODES, run_threads);
}

static int
run_requests(struct list *l, struct query *q, const struct query_sink *sink,
    bool *more)
{
	return query_requests(q, &l->filter, sink, more) == 0 ? 0 :
	    listing_no_thread(&l->out, l->filter.thread);
}

int
verb_requests(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "key", "KEY", true }, { "id", "ID", false },
		{ "ts", "TIME", false }, { "conversation", "IN", false },
		{ "parent", "AFTER", false }, { "branch", "BRANCH", false },
		{ "known", "KNOWN", true }, { "added", "ADDED", true },
		{ "thread", "THREAD", false }, { "model", "MODEL", false },
		{ NULL, NULL, false } };

	return list_verb(cli, argc, argv, columns,
	    BY_THREAD | BY_USER | SHOWS_TALKS, run_requests);
}

static int
run_rejects(struct list *l, struct query *q, const struct query_sink *sink,
    bool *more)
{
	query_rejects(q, &l->filter, sink, more);
	return 0;
}

int
verb_rejects(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "kind", "KIND", false }, { "seq", "SEQ", true },
		{ "stage", "STAGE", false }, { "at", "TIME", false },
		{ "id", "ID", false }, { "code", "CODE", false },
		{ "message", "WHY", false }, { NULL, NULL, false } };

	return list_verb(cli, argc, argv, columns, 0, run_rejects);
}
