/*
 * lineage - the verb `lineage`: what a thought came from and what came of it
 */
#include <stdio.h>

#include "cli/artifacts.h"
#include "cli/options.h"
#include "common/json.h"

static void
put_json(struct buf *out, struct query *q, const struct lineage *l)
{
	struct slice asked = SLICE_NONE;
	struct row row;
	size_t i;

	for (i = 0; i < l->count; i++)
		if (l->nodes[i].depth == 0)
			asked = l->nodes[i].a.key;
	buf_adds(out, "{\"thought_id\":");
	json_put_str(out, asked);
	buf_adds(out, ",\"chain\":[");
	for (i = 0; i < l->count; i++) {
		buf_adds(out, i > 0 ? "," : "");
		query_lineage_row(q, &l->nodes[i], &row);
		row_to_json(out, &row);
	}
	buf_addf(out, "],\"truncated\":%s}\n",
	    l->truncated ? "true" : "false");
}

static void
print_table(const struct cli *cli, struct query *q, const struct lineage *l)
{
	static const struct table_column columns[] = {
		{ "depth", "DEPTH", true }, { "thought_id", "KEY", false },
		{ "thought_type", "TYPE", false },
		{ "contributor", "BY", false }, { "created_at", "TIME", false },
		{ "content_preview", "TEXT", false }, { NULL, NULL, false } };
	struct table t;
	struct row row;
	size_t i;

	table_init(&t, cli, columns);
	for (i = 0; i < l->count; i++) {
		query_lineage_row(q, &l->nodes[i], &row);
		table_add(&t, &row);
	}
	table_print(&t);
	table_release(&t);
	if (l->truncated)
		fprintf(stderr, "It goes on: ask for the lineage of the last "
				"one shown; 'skein consolidate' makes one of "
				"many.\n");
}

static int
run(struct cli *cli, struct slice domain, struct slice name)
{
	struct artifacts_source from;
	struct db_txn *txn;
	struct lineage l;
	struct query q;
	struct buf out;
	bool there;

	if (!artifacts_open(cli, domain, &from))
		return 1;
	txn = db_read(from.compactor);
	query_open(&q, from.shared, from.ingest, domain);
	there = query_lineage(&q, txn, name, &l);
	if (there && cli->json) {
		buf_init(&out, SIZE_MAX / 4);
		put_json(&out, &q, &l);
		fwrite(out.ptr, 1, out.len, stdout);
		buf_release(&out);
	} else if (there)
		print_table(cli, &q, &l);
	query_close(&q);
	db_abort(&txn);
	artifacts_close(&from);
	return there ? 0 : cli_fail(cli, "there is no artifact '%.*s' in "
	    "domain %.*s: 'skein artifacts' lists them", SLICE_ARG(name),
	    SLICE_ARG(domain));
}

int
verb_lineage(struct cli *cli, int argc, char **argv)
{
	struct slice domain = SLICE("default");
	uint64_t after = 0;
	const struct option_spec specs[] = {
		{ "domain", OPTION_TEXT, &domain, NULL },
		{ "after", OPTION_NUMBER, &after, NULL },
		{ 0 } };
	int rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);

	if (rc != 0)
		return rc;
	if (argc != 2)
		return cli_usage(cli, "takes one artifact: 'skein lineage "
		    "a12.0'");
	if (after > 0 && cli_wait_tables(cli, after) == -1)
		return 1;
	return run(cli, domain, slice_str(argv[1]));
}
