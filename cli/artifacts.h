/*
 * artifacts - what artifacts, episodes and skills have in common for people
 */
#ifndef CLI_ARTIFACTS_H
#define CLI_ARTIFACTS_H

#include "cli/cli.h"
#include "cli/table.h"
#include "store/query_artifacts.h"

/* The databases; false after saying what is missing. */
bool artifacts_open(const struct cli *cli, struct slice domain,
    struct artifacts_source *out);
void artifacts_close(struct artifacts_source *from);

struct artifacts_show {
	struct query *q;
	struct slice name;
	bool json, why, turns;
	struct buf *out;
};

/*
 * An artifact, an episode or a skill as a JSON object, or as a page; false:
 * there is none of that name.
 */
bool artifacts_show(const struct cli *cli, const struct artifacts_show *s);
/* What the compactor's section says of a turn, for people. */
void artifacts_why(struct query *q, uint64_t seq, uint64_t i, struct buf *out);

#endif
