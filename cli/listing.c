/*
 * listing - what all list verbs do alike: their common options, and printing
 */
#include "cli/listing.h"

#include <stdio.h>

/* For people a list ends here unless they say otherwise. */
enum { LIMIT_PEOPLE = 50 };

int
listing_check(struct listing *l, int argc, char **argv, uint64_t *limit)
{
	if (argc > 1)
		return cli_usage(l->cli, "'%s' is not understood: this verb "
		    "takes options only", argv[1]);
	if (l->limited && *limit == 0)
		return cli_usage(l->cli, "--limit: must be 1 or more");
	if (!l->limited && !l->cli->json)
		*limit = LIMIT_PEOPLE;
	return 0;
}

int
listing_no_thread(const struct listing *l, struct slice name)
{
	return cli_fail(l->cli, "there is no thread '%.*s' in domain %.*s: "
	    "'skein threads' lists them", SLICE_ARG(name),
	    SLICE_ARG(l->domain));
}

int
listing_thread(struct listing *l, struct db *shared, struct db *ingest,
    struct slice name, uint64_t *out)
{
	struct query_thing thing;
	struct query q;
	bool there;

	if (name.len == 0)
		return 0;
	query_open(&q, shared, ingest, l->domain);
	there = query_find_thread(&q, name, &thing);
	query_close(&q);
	if (!there)
		return listing_no_thread(l, name);
	*out = thing.thread;
	return 0;
}

void
listing_begin(struct listing *l, const struct table_column *columns)
{
	buf_init(&l->lines, SIZE_MAX / 4);
	table_init(&l->table, l->cli, columns);
}

void
listing_row(struct listing *l, const struct row *row)
{
	l->rows++;
	if (l->cli->json) {
		row_to_json(&l->lines, row);
		buf_addc(&l->lines, '\n');
	} else
		table_add(&l->table, row);
}

static void
on_row(void *data, const struct row *row)
{
	listing_row(data, row);
}

static void
on_pause(void *data)
{
	struct listing *l = data;

	if (l->lines.len > 0)
		fwrite(l->lines.ptr, 1, l->lines.len, stdout);
	buf_clear(&l->lines);
}

struct query_sink
listing_sink(struct listing *l)
{
	return (struct query_sink){ on_row, on_pause, l };
}

void
listing_end(struct listing *l, bool said, bool more)
{
	on_pause(l);
	table_print(&l->table);
	if (said && l->rows == 0 && !l->cli->json)
		fprintf(stderr, "nothing\n");
	if (said && more && !l->limited)
		fprintf(stderr, "There are older ones: --limit N shows "
				"more, --json all.\n");
	table_release(&l->table);
	buf_release(&l->lines);
}
