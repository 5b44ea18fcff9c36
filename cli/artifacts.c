/*
 * artifacts - the verbs `artifacts`, `episodes` and `skills`
 */
#include "cli/artifacts.h"

#include <stdio.h>
#include <time.h>

#include "cli/options.h"
#include "common/when.h"

enum {
	LIMIT_PEOPLE = 50,
};

struct artifacts {
	struct cli *cli;
	struct artifacts_filter filter;
	struct slice domain, thread;
	uint64_t after;
	bool limited;
	struct table table;
	struct buf lines;
	uint64_t rows;
};

bool
artifacts_open(const struct cli *cli, struct slice domain,
    struct artifacts_source *out)
{
	struct db_error why;

	*out = (struct artifacts_source){ .domain = domain,
		.half_life_ms = cli->conf.weight_half_life * WHEN_DAY_MS };
	out->shared = cli_open(cli, ENV_shared);
	if (out->shared == NULL)
		return false;
	out->compactor = cli_open(cli, ENV_compactor);
	if (out->compactor == NULL) {
		db_close(&out->shared);
		return false;
	}
	out->ingest = cli_try_open(cli, ENV_ingest, &why);
	out->linker = cli_try_open(cli, ENV_linker, &why);
	cli_settle(out->shared, out->compactor, STAGE_compactor);
	return true;
}

void
artifacts_close(struct artifacts_source *from)
{
	db_close(&from->linker);
	db_close(&from->ingest);
	db_close(&from->compactor);
	db_close(&from->shared);
}

/* ---- lists ---- */

static void
on_row(void *data, const struct row *row)
{
	struct artifacts *a = data;

	a->rows++;
	if (a->cli->json) {
		row_to_json(&a->lines, row);
		buf_addc(&a->lines, '\n');
	} else
		table_add(&a->table, row);
}

static void
on_pause(void *data)
{
	struct artifacts *a = data;

	if (a->lines.len > 0)
		fwrite(a->lines.ptr, 1, a->lines.len, stdout);
	buf_clear(&a->lines);
}

static int
read_options(struct artifacts *a, unsigned by, int argc, char **argv)
{
	struct artifacts_filter *f = &a->filter;
	struct option_spec specs[12] = {
		{ "since", OPTION_TIME, &f->since_ms, NULL },
		{ "until", OPTION_TIME, &f->until_ms, NULL },
		{ "limit", OPTION_NUMBER, &f->limit, &a->limited },
		{ "domain", OPTION_TEXT, &a->domain, NULL },
		{ "after", OPTION_NUMBER, &a->after, NULL },
		{ "user", OPTION_TEXT, &f->user, NULL },
		{ "thread", OPTION_TEXT, &a->thread, NULL } };
	size_t n = 7;
	int rc;

	if (by & BY_KIND)
		specs[n++] = (struct option_spec){ "type", OPTION_TEXT,
			&f->type, NULL };
	if (by & BY_STATUS) {
		specs[n++] = (struct option_spec){ "status", OPTION_TEXT,
			&f->status, NULL };
		specs[n++] = (struct option_spec){ "tag", OPTION_TEXT,
			&f->tag, NULL };
		specs[n++] = (struct option_spec){ "current", OPTION_FLAG,
			&f->current, NULL };
	}
	a->domain = SLICE("default");
	f->since_ms = INT64_MIN;
	f->until_ms = INT64_MAX;
	rc = options_read(a->cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc > 1)
		return cli_usage(a->cli, "'%s' is not understood: this verb "
		    "takes options only", argv[1]);
	if (a->limited && f->limit == 0)
		return cli_usage(a->cli, "--limit: must be 1 or more");
	if (!a->limited && !a->cli->json)
		f->limit = LIMIT_PEOPLE;
	return 0;
}

/* The thread that was named; 0, or 1 after saying that there is none. */
static int
find_thread(struct artifacts *a, const struct artifacts_source *from)
{
	struct query_thing thing;
	struct query q;
	bool there;

	if (a->thread.len == 0)
		return 0;
	query_open(&q, from->shared, from->ingest, a->domain);
	there = query_find_thread(&q, a->thread, &thing);
	query_close(&q);
	if (!there)
		return cli_fail(a->cli, "there is no thread '%.*s' in domain "
		    "%.*s: 'skein threads' lists them", SLICE_ARG(a->thread),
		    SLICE_ARG(a->domain));
	a->filter.thread = thing.thread;
	return 0;
}

static int
list(struct artifacts *a, const struct artifacts_source *from,
    const struct table_column *columns, artifacts_query *query)
{
	struct query_sink sink = { on_row, on_pause, a };
	bool more = false;
	int rc = find_thread(a, from);

	if (rc != 0)
		return rc;
	buf_init(&a->lines, SIZE_MAX / 4);
	table_init(&a->table, a->cli, columns);
	query(from, &a->filter, &sink, &more);
	on_pause(a);
	table_print(&a->table);
	if (a->rows == 0 && !a->cli->json)
		fprintf(stderr, "nothing\n");
	if (more && !a->limited)
		fprintf(stderr, "There are older ones: --limit N shows "
				"more, --json all.\n");
	table_release(&a->table);
	buf_release(&a->lines);
	return 0;
}

int
artifacts_verb(struct cli *cli, int argc, char **argv, unsigned by,
    const struct table_column *columns, artifacts_query *query)
{
	struct artifacts a = { .cli = cli };
	struct artifacts_source from;
	int rc = read_options(&a, by, argc, argv);

	if (rc != 0)
		return rc;
	if (a.after > 0 && cli_wait_tables(cli, a.after) == -1)
		return 1;
	if (!artifacts_open(cli, a.domain, &from))
		return 1;
	rc = list(&a, &from, columns, query);
	artifacts_close(&from);
	return rc;
}

int
verb_artifacts(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "key", "KEY", false }, { "type", "TYPE", false },
		{ "status", "STATUS", false }, { "user", "USER", false },
		{ "source_ref", "FROM", false },
		{ "refined_by", "REFINED", false },
		{ "token_count", "TOKENS", true },
		{ "summary", "SUMMARY", false }, { NULL, NULL, false } };

	return artifacts_verb(cli, argc, argv, BY_KIND | BY_STATUS, columns,
	    query_artifacts);
}

int
verb_episodes(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "key", "KEY", false }, { "user", "USER", false },
		{ "room", "ROOM", false },
		{ "last_activity_at", "LAST", false },
		{ "turn_count", "TURNS", true }, { "trigger", "WHY", false },
		{ "name", "NAME", false }, { "micro", "SUMMARY", false },
		{ NULL, NULL, false } };

	return artifacts_verb(cli, argc, argv, BY_KIND, columns,
	    query_episodes);
}

int
verb_skills(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "key", "KEY", false }, { "user", "USER", false },
		{ "evidence", "SEEN", true }, { "worked", "WORKED", false },
		{ "when", "WHEN", false }, { "did", "DID", false },
		{ NULL, NULL, false } };

	return artifacts_verb(cli, argc, argv, 0, columns, query_skills);
}
