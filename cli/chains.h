/*
 * chains - a chain's story, and how a turn came to its chains, for `show`
 */
#ifndef CLI_CHAINS_H
#define CLI_CHAINS_H

#include "cli/cli.h"
#include "store/query_chains.h"

/* The chain as a JSON object, or as a page; false: there is no such chain. */
bool chains_show(const struct cli *cli, struct query *q, struct slice name,
    bool json, struct buf *out);
/* What the chainer's section says of a turn, for people. */
void chains_why(struct query *q, uint64_t seq, uint64_t i, struct buf *out);

#endif
