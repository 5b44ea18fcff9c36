/*
 * recall - all that searches, contexts and beginnings are made of, to be read
 *
 * Opening costs: environments, the index's files, the entries behind its last
 * border.  A process that answers many questions keeps one recall in
 * cli->kept: opening it again then only takes a fresh view of the store.
 */
#ifndef CLI_RECALL_H
#define CLI_RECALL_H

#include "cli/cli.h"
#include "store/context.h"

struct recall {
	struct db *shared, *ingest, *compactor, *linker, *store;
	struct db_txn *compactor_txn, *linker_txn, *store_txn;
	struct query q;
	struct search *search;
	struct known *known;	/* of one that is kept; else NULL */
	struct buf domain;	/* of the view taken last */
	struct context_view view;
	uint64_t epochs;	/* of all stages, when it was opened */
	bool level;	/* the view's own tables hold all that the cursors say */
};

/* For who wants to keep one: nothing is open yet. */
struct recall *recall_new(void);
/* NULL after saying why; what is not there yet is left out of the view. */
struct recall *recall_open(const struct cli *cli, struct slice domain);
/* A fresh view, for who asks often. */
void recall_renew(const struct cli *cli, struct recall *r);
void recall_close(const struct cli *cli, struct recall **r);
/* For who kept one: closes it for good. */
void recall_free(struct recall **r);

/* On standard error, where entries came that are not looked at yet. */
void recall_say_behind(struct recall *r, uint64_t upto);

/* Artifacts were handed out: told at once, or gathered in cli->used. */
void recall_used(const struct cli *cli, struct slice domain,
    const struct msg_strs *used);

#endif
