/*
 * sender - a client's side of sending entries to ingest
 *
 * Numbers every entry, keeps it until its result has come, and sends again
 * what may have been lost.  At most client_window entries are under way:
 * who sends faster than the disk takes waits in sender_post.  Results come in
 * the order of posting, each exactly once.
 *
 * The first entry of an idle sender goes out at once; while some are under
 * way, the next ones gather and go together.  Who is about to wait for
 * something else calls sender_step before.
 */
#ifndef COMMON_SENDER_H
#define COMMON_SENDER_H

#include "common/conf.h"
#include "common/msg.h"

struct sender;

struct sender *sender_open(const struct conf *conf,
    void (*on_result)(void *data, const struct msg_ack *ack), void *data);
/* Waits for what is under way no longer than it takes to say goodbye. */
void sender_close(struct sender **s);
/*
 * An entry as JSON text.  It is sent as a record where it can be read as one,
 * which spares ingest the parsing; what is wrong with it ingest says.
 */
int sender_post_json(struct sender *s, struct slice json)
    __attribute__((warn_unused_result));
/* 0, or -1: ingest has not answered for client_patience. */
int sender_post(struct sender *s, struct slice body)
    __attribute__((warn_unused_result));
/* Sends what has gathered, takes results for at most timeout_ms. */
int sender_step(struct sender *s, int timeout_ms)
    __attribute__((warn_unused_result));
/* How many entries have no result yet. */
uint64_t sender_owed(const struct sender *s);
/* Waits until every entry has its result. */
int sender_flush(struct sender *s) __attribute__((warn_unused_result));

#endif
