/*
 * msg_rows - lines of JSON as an array of msgpack maps, straight
 *
 * What the reading verbs print is large and of our own making, and somebody
 * waits for it: no tree is built between the one form and the other.  JSON
 * that others made is jansson's to read.
 */
#ifndef COMMON_MSG_ROWS_H
#define COMMON_MSG_ROWS_H

#include "common/buf.h"

/* Appends; empty lines are none.  0, or -1: something is not JSON. */
int msg_rows_pack(struct slice lines, struct buf *out)
    __attribute__((warn_unused_result));

#endif
