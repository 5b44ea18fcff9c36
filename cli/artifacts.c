/*
 * artifacts - the verbs `artifacts`, `episodes` and `skills`
 */
#include "cli/artifacts.h"

#include <stdio.h>

#include "cli/listing.h"
#include "cli/options.h"
#include "cli/types.h"
#include "common/when.h"

/* What a list can be narrowed by, beside the common options. */
enum {
	BY_TYPE = 1,		/* of artifacts; and --status, --tag, --current */
	BY_EPISODE_TYPE = 2
};

typedef void artifacts_query(const struct artifacts_source *from,
    const struct artifacts_filter *f, const struct query_sink *sink,
    bool *more);

struct artifacts {
	struct listing out;
	struct artifacts_filter filter;
	struct slice thread;
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

static int
read_options(struct artifacts *a, unsigned by, int argc, char **argv)
{
	struct artifacts_filter *f = &a->filter;
	struct option_spec specs[12] = {
		{ "since", OPTION_TIME, &f->since_ms, NULL },
		{ "until", OPTION_UNTIL, &f->until_ms, NULL },
		{ "limit", OPTION_NUMBER, &f->limit, &a->out.limited },
		{ "domain", OPTION_TEXT, &a->out.domain, NULL },
		{ "after", OPTION_NUMBER, &a->out.after, NULL },
		{ "user", OPTION_TEXT, &f->user, NULL },
		{ "thread", OPTION_TEXT, &a->thread, NULL } };
	size_t n = 7;
	int rc;

	if (by != 0)
		specs[n++] = (struct option_spec){ "type", OPTION_TEXT,
			&f->type, NULL };
	if (by & BY_TYPE) {
		specs[n++] = (struct option_spec){ "status", OPTION_TEXT,
			&f->status, NULL };
		specs[n++] = (struct option_spec){ "tag", OPTION_TEXT,
			&f->tag, NULL };
		specs[n++] = (struct option_spec){ "current", OPTION_FLAG,
			&f->current, NULL };
	}
	a->out.domain = SLICE("default");
	f->since_ms = INT64_MIN;
	f->until_ms = INT64_MAX;
	rc = options_read(a->out.cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc == 0)
		rc = options_one_of(a->out.cli, "status", f->status,
		    "open resolved failed expired");
	if (rc == 0 && by & BY_EPISODE_TYPE)
		rc = options_one_of(a->out.cli, "type", f->type,
		    "primary cross_thread");
	return rc != 0 ? rc : listing_check(&a->out, argc, argv, &f->limit);
}

static int
list(struct artifacts *a, const struct artifacts_source *from,
    const struct table_column *columns, artifacts_query *query)
{
	struct query_sink sink = listing_sink(&a->out);
	bool more = false;
	int rc = listing_thread(&a->out, from->shared, from->ingest, a->thread,
	    &a->filter.thread);

	if (rc != 0)
		return rc;
	listing_begin(&a->out, columns);
	query(from, &a->filter, &sink, &more);
	listing_end(&a->out, true, more);
	return 0;
}

static int
artifacts_verb(struct cli *cli, int argc, char **argv, unsigned by,
    const struct table_column *columns, artifacts_query *query)
{
	struct artifacts a = { .out.cli = cli };
	struct artifacts_source from;
	int rc = read_options(&a, by, argc, argv);

	if (rc != 0)
		return rc;
	if (a.out.after > 0 && cli_wait_tables(cli, a.out.after) == -1)
		return 1;
	if (!artifacts_open(cli, a.out.domain, &from))
		return 1;
	rc = list(&a, &from, columns, query);
	if (rc == 0 && a.out.rows == 0 && by & BY_TYPE && a.filter.type.len > 0)
		types_say_unknown(cli, a.filter.type);
	artifacts_close(&from);
	return rc;
}

int
verb_artifacts(struct cli *cli, int argc, char **argv)
{
	static const struct table_column columns[] = {
		{ "key", "KEY", false }, { "type", "TYPE", false },
		{ "state", "STATUS", false }, { "user", "USER", false },
		{ "source_ref", "FROM", false },
		{ "refined_by", "REFINED", false },
		{ "token_count", "TOKENS", true },
		{ "summary", "SUMMARY", false }, { NULL, NULL, false } };

	return artifacts_verb(cli, argc, argv, BY_TYPE, columns,
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

	return artifacts_verb(cli, argc, argv, BY_EPISODE_TYPE, columns,
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
