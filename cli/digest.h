/*
 * digest - a hash over a table's content, page layout aside
 */
#ifndef CLI_DIGEST_H
#define CLI_DIGEST_H

#include "common/db.h"

enum { DIGEST_BYTES = 16 };

/* Hex into `hex`; how many rows there were. */
uint64_t digest_table(struct db_txn *txn, enum table_id table,
    char hex[2 * DIGEST_BYTES + 1]);

#endif
