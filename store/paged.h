/*
 * paged - a stage's own table as a list of rows, a view at a time
 *
 * As query.h says: a long list gives its transactions back every so often and
 * calls sink.pause while it has none.
 */
#ifndef STORE_PAGED_H
#define STORE_PAGED_H

#include "store/query.h"

struct paged {
	struct db *shared, *ingest;	/* ingest's may be NULL */
	struct db *own;			/* the stage's */
	struct slice domain;
	enum table_id table;
	uint64_t limit;			/* the newest so many; 0: all */
	const struct query_sink *sink;
	/* Makes the row of a record; false: the filter leaves it out. */
	bool (*make)(const struct paged *p, struct query *q,
	    struct slice value, struct row *row);
	const void *filter;
};

/* In the order of keys; *more: the limit left older ones out. */
void paged_run(const struct paged *p, bool *more);

#endif
