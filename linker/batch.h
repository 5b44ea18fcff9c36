/*
 * batch - what the linker keeps in memory for the length of a batch
 *
 * The threads that a batch touches, how common their words are, when they
 * were last active, and how their domain is tuned: read once a batch, written
 * once, by begin and flush of common/stage.h.  It is the stage's state.
 */
#ifndef LINKER_BATCH_H
#define LINKER_BATCH_H

#include "linker/link.h"
#include "linker/profile.h"

struct batch;

struct batch *batch_open(void);
void batch_close(struct batch **batch);
void batch_begin(struct batch *batch);
void batch_flush(struct batch *batch, struct db_txn *txn);

/* A thread's record, as rows_get and rows_put have it. */
bool batch_thread(const struct link *l, uint64_t key,
    struct msg_link_thread *out);
void batch_put_thread(const struct link *l, const struct msg_link_thread *p);

/* Of the entry's domain; zeroed where nothing is kept. */
void batch_domain(const struct link *l, struct msg_link_domain *out);
void batch_put_domain(const struct link *l, const struct msg_link_domain *d);

/* What is counted in a stream; a name is not the word of the same spelling. */
enum batch_kind { BATCH_THREADS, BATCH_WORD, BATCH_NAME };
struct batch_stream;
/* The stream that a thread is in, until the next flush. */
struct batch_stream *batch_stream(const struct link *l,
    const struct msg_link_thread *p);
/* How many threads of the stream there are, or have the word. */
uint64_t batch_count(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, struct slice word);
void batch_count_up(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, struct slice word);

/* When a thread was last active, and in the table still is: `was`, or NULL. */
void batch_active(const struct link *l, const struct msg_link_thread *p,
    const struct msg_link_thread *was);
/* Before the table of these times is read for others of a thread's stream. */
void batch_write_others(const struct link *l, const struct msg_link_thread *p);

/*
 * What deciding made of the turn and of its thread: it is what applying would
 * make of them.  Applying alone, after a crash, finds nothing here.
 */
void batch_learned(const struct link *l, const struct profile_turn *turn,
    const struct msg_link_thread *p);
bool batch_recall(const struct link *l, struct profile_turn *turn,
    struct msg_link_thread *p);

#endif
