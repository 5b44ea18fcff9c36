/*
 * export_given - what a sender gave of an entry, and what ingest filled in
 */
#ifndef CLI_EXPORT_GIVEN_H
#define CLI_EXPORT_GIVEN_H

#include "common/msg.h"

/*
 * Sets *out to what was given, with its `ts` in any case; all of it where no
 * combination has the hash that ingest kept.  Of an exchange without what was
 * said.  `record` is scratch.  Strings are the entry's.
 */
void export_given(const struct msg *entry, struct slice hash,
    struct buf *record, union msg_any *out);

#endif
