/*
 * list - the verbs that list: turns, threads, requests, rejects
 *
 * The store's query code finds the rows; here they become JSON lines or a
 * table.  For people a list ends after LIMIT_PEOPLE rows unless they say
 * otherwise, and says that there are more.
 */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/table.h"
#include "store/query.h"

enum { LIMIT_PEOPLE = 50 };

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
	struct cli *cli;
	struct query_filter filter;
	struct slice domain;
	uint64_t after;
	bool limited, domain_given;
	struct table table;
	struct buf lines;	/* JSON, until no transaction is open */
	uint64_t rows;
};

static void
on_row(void *data, const struct row *row)
{
	struct list *l = data;

	l->rows++;
	if (l->cli->json) {
		row_to_json(&l->lines, row);
		buf_addc(&l->lines, '\n');
	} else
		table_add(&l->table, row);
}

static void
on_pause(void *data)
{
	struct list *l = data;

	if (l->lines.len > 0)
		fwrite(l->lines.ptr, 1, l->lines.len, stdout);
	buf_clear(&l->lines);
}

static int
check_options(struct list *l, int argc, char **argv)
{
	struct query_filter *f = &l->filter;

	if (argc > 1)
		return cli_usage(l->cli, "'%s' is not understood: this verb "
		    "takes options only", argv[1]);
	if (l->limited && f->limit == 0)
		return cli_usage(l->cli, "--limit: must be 1 or more");
	if (f->own && f->thread.len == 0)
		return cli_usage(l->cli, "--own goes with --thread");
	if (!l->limited && !l->cli->json)
		f->limit = LIMIT_PEOPLE;
	f->any_domain = !l->domain_given;
	return 0;
}

static int
read_options(struct list *l, unsigned by, int argc, char **argv)
{
	struct query_filter *f = &l->filter;
	struct option_spec specs[10] = {
		{ "since", OPTION_TIME, &f->since_ms, NULL },
		{ "until", OPTION_TIME, &f->until_ms, NULL },
		{ "limit", OPTION_NUMBER, &f->limit, &l->limited },
		{ "domain", OPTION_TEXT, &l->domain, &l->domain_given },
		{ "after", OPTION_NUMBER, &l->after, NULL } };
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
	l->domain = SLICE("default");
	rc = options_read(l->cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	return rc != 0 ? rc : check_options(l, argc, argv);
}

static void
say_rest(const struct list *l, const struct query *q, bool more)
{
	if (l->rows == 0 && !l->cli->json)
		fprintf(stderr, "nothing\n");
	if (more && !l->limited)
		fprintf(stderr, "There are older ones: --limit N shows "
				"more, --json all.\n");
	if (q->unreadable > 0)
		fprintf(stderr, "%llu records cannot be read: see "
				"'skein check'\n",
		    (unsigned long long)q->unreadable);
}

typedef int list_run(struct list *l, struct query *q,
    const struct query_sink *sink, bool *more);

/* Opens what there is, runs the query, prints. */
static int
list_verb(struct cli *cli, int argc, char **argv,
    const struct table_column *columns, unsigned by, list_run *run)
{
	struct list l = { .cli = cli };
	struct query_sink sink = { on_row, on_pause, &l };
	struct db *shared, *ingest = NULL, *classify = NULL;
	struct db *compactor = NULL, *linker = NULL;
	struct db_error why;
	struct query q;
	bool more = false;
	int rc = read_options(&l, by, argc, argv);

	if (rc != 0)
		return rc;
	if (l.after > 0 && cli_wait_tables(cli, l.after) == -1)
		return 1;
	shared = cli_open(cli, ENV_shared);
	if (shared == NULL)
		return 1;
	if (by & NEEDS_INGEST || l.filter.thread.len > 0) {
		ingest = cli_open(cli, ENV_ingest);
		if (ingest == NULL) {
			db_close(&shared);
			return 1;
		}
	}
	buf_init(&l.lines, SIZE_MAX / 4);
	table_init(&l.table, cli, columns);
	if (by & (SHOWS_TALKS | SHOWS_EPISODES)) {
		linker = cli_try_open(cli, ENV_linker, &why);
		cli_settle(shared, linker, STAGE_linker);
	}
	query_open(&q, shared, ingest, l.domain);
	if (by & SHOWS_ACTS) {
		classify = cli_try_open(cli, ENV_classify, &why);
		query_use_classify(&q, classify);
	}
	if (by & SHOWS_TALKS)
		query_use_linker(&q, linker);
	if (by & SHOWS_EPISODES) {
		compactor = cli_try_open(cli, ENV_compactor, &why);
		query_use_compactor(&q, compactor);
		query_use_linker(&q, linker);
	}
	rc = run(&l, &q, &sink, &more);
	query_close(&q);
	on_pause(&l);
	table_print(&l.table);
	if (rc == 0)
		say_rest(&l, &q, more);
	table_release(&l.table);
	buf_release(&l.lines);
	db_close(&linker);
	db_close(&compactor);
	db_close(&classify);
	db_close(&ingest);
	db_close(&shared);
	return rc;
}

/* ---- the verbs ---- */

static int
no_thread(const struct list *l)
{
	return cli_fail(l->cli, "there is no thread '%.*s' in domain %.*s: "
	    "'skein threads' lists them", SLICE_ARG(l->filter.thread),
	    SLICE_ARG(l->domain));
}

static int
run_turns(struct list *l, struct query *q, const struct query_sink *sink,
    bool *more)
{
	return query_turns(q, &l->filter, sink, more) == 0 ? 0 : no_thread(l);
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
		return no_thread(l);
	on_row(l, &row);
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
								no_thread(l);
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
