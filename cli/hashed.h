/*
 * hashed - what an exchange's hashes were made of
 */
#ifndef CLI_HASHED_H
#define CLI_HASHED_H

#include "store/query.h"

/*
 * A JSON object: the system text's stable part and its hash, and for each
 * message of the request, and the reply, the bytes of its normal form and the
 * hash of the prefix that ends with it.
 */
void hashed_to_json(struct query *q, const struct stage_entry *e,
    struct buf *out);

#endif
