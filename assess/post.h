/*
 * post - answers on their way to ingest
 *
 * An answer is an entry with an id made of its question, so that sending it
 * twice is harmless.  It stands in the ledger until it is seen in the log.
 */
#ifndef ASSESS_POST_H
#define ASSESS_POST_H

#include "assess/ledger.h"

struct poster;

struct poster *poster_open(const struct conf *conf, struct ledger *ledger,
    struct db *shared);
void poster_close(struct poster **poster);
/* Sends what the ledger has, takes results; never waits. */
void poster_post(struct poster *p);
/* How many have no result yet. */
size_t poster_owed(const struct poster *p);
/* How many ingest has taken. */
uint64_t poster_posted(const struct poster *p);
/* What keeps answers from ingest, or NULL. */
const char *poster_trouble(const struct poster *p);

#endif
