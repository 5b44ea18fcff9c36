/*
 * types - what to say where nothing has the type that was asked for
 *
 * A package may have been taken away and its artifacts kept, so a type that no
 * package has is not refused; but where nothing is found, it is likely a slip.
 */
#include "cli/types.h"

#include <stdio.h>

#include "compactor/package.h"

enum { NAME_MOST = 64, SLIP_MOST = 2 };

/* How many letters have to be added, dropped or changed. */
static size_t
edits(struct slice a, struct slice b)
{
	size_t row[NAME_MOST + 1], i, j, diagonal, above;

	if (a.len > NAME_MOST || b.len > NAME_MOST)
		return NAME_MOST;
	for (j = 0; j <= b.len; j++)
		row[j] = j;
	for (i = 1; i <= a.len; i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= b.len; j++) {
			above = row[j];
			row[j] = diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = above;
		}
	}
	return row[b.len];
}

static struct slice
nearest(const struct packages *set, struct slice type)
{
	struct slice best = SLICE_NONE;
	size_t i, n, least = SLIP_MOST + 1;

	for (i = 0; i < packages_count(set); i++) {
		n = edits(type, packages_at(set, i)->name);
		if (n < least) {
			least = n;
			best = packages_at(set, i)->name;
		}
	}
	return best;
}

void
types_say_unknown(const struct cli *cli, struct slice type)
{
	struct packages *set;
	struct slice meant;
	struct buf why;

	buf_init(&why, 4096);
	set = packages_open(&cli->conf, &why);
	buf_release(&why);
	if (set == NULL)
		return;
	if (packages_find(set, type) == NULL) {
		meant = nearest(set, type);
		fprintf(stderr, "skein %s: no package is called '%.*s'",
		    cli->verb, SLICE_ARG(type));
		if (meant.len > 0)
			fprintf(stderr, "; did you mean '%.*s'?\n",
			    SLICE_ARG(meant));
		else
			fprintf(stderr, ": 'skein packages' lists them\n");
	}
	packages_close(&set);
}
