/*
 * msg_pack - records to bytes and back, straight
 *
 * Every stage decodes each entry and what was said of it, and encodes what it
 * says itself: this is where a pipeline's time goes.  So the records of
 * messages.def are written and read without a tree between.  What is written
 * is msgpack, in its shortest forms.  What is read must be a record as it
 * should be; anything else is left to the careful reader in msg.c, which knows
 * what to say of it.
 */
#ifndef COMMON_MSG_PACK_H
#define COMMON_MSG_PACK_H

#include "common/msg.h"

/* Appends the record; what passes the buffer's limit leaves it `over`. */
void pack_record(struct buf *out, enum msg_id id, const void *msg);
void pack_uint(struct buf *out, uint64_t n);

/*
 * The record's fields into `out`, which has room for the message `*id` if that
 * is given, else for any; false: let the careful reader look at it.
 */
bool unpack_record(struct slice record, struct arena *arena,
    struct msg_want want, enum msg_id *id, union msg_any *out);

#endif
