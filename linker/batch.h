/*
 * batch - what the linker keeps in memory from entry to entry
 *
 * The threads that entries touch, the decisions about them, how common their
 * words are, when they were last active, and how their domain is tuned: read
 * once, written once a batch, by begin and flush of common/stage.h.  It is the
 * stage's state.  What was written and committed is kept for the next batch,
 * up to a limit; after a batch that was given up nothing is.
 */
#ifndef LINKER_BATCH_H
#define LINKER_BATCH_H

#include "linker/link.h"
#include "linker/profile.h"
#include "linker/score.h"

struct batch;

struct batch *batch_open(void);
void batch_close(struct batch **batch);
void batch_begin(struct batch *batch, struct db_txn *txn);
void batch_flush(struct batch *batch, struct db_txn *txn);
/* An entry is applied: what is kept from here on holds it. */
void batch_applies(struct batch *batch, uint64_t seq);

/* A thread's record, as rows_share_at, rows_put and rows_peek have it. */
bool batch_thread(const struct link *l, uint64_t key,
    struct msg_link_thread *out);
void batch_put_thread(const struct link *l, const struct msg_link_thread *p);
const struct msg_link_thread *batch_peek_thread(const struct link *l,
    uint64_t key);
/* A decision by its seq, likewise. */
bool batch_link(const struct link *l, uint64_t seq, struct msg_link *out);
const struct msg_link *batch_peek_link(const struct link *l, uint64_t seq);
void batch_put_link(const struct link *l, uint64_t seq,
    const struct msg_link *link);

/* An episode across threads, by the two numbers of its key. */
bool batch_episode(const struct link *l, uint64_t seq, uint64_t n,
    struct msg_episode *out);
/* One without threads is removed. */
void batch_put_episode(const struct link *l, uint64_t seq, uint64_t n,
    const struct msg_episode *e);
/* One turn more. */
void batch_grow_episode(const struct link *l, uint64_t seq, uint64_t n,
    int64_t at);

/* Of the entry's domain; zeroed where nothing is kept. */
void batch_domain(const struct link *l, struct msg_link_domain *out);
void batch_put_domain(const struct link *l, const struct msg_link_domain *d);

/* ---- cards: batch_cards.c ---- */

struct cards;
struct cards *cards_open(void);
void cards_close(struct cards **cards);
void cards_forget(struct cards *cards);
struct cards *batch_cards(const struct link *l);

/* A thread's as it is, until the next is asked for; NULL: it is not known. */
const struct score_card *batch_card(const struct link *l, uint64_t thread);
/* Of a thread that learned; nothing else changes what is on it. */
void batch_put_card(const struct link *l, const struct msg_link_thread *p,
    const struct profile_hashes *hashes);
/* It will be asked for soon: so that it comes from far memory by then. */
void batch_fetch_card(const struct link *l, uint64_t thread);

/* ---- streams: batch_streams.c, batch_words.c, batch_recent.c ---- */

struct streams;
struct streams *streams_open(void);
void streams_close(struct streams **streams);
void streams_forget(struct streams *streams);
/* Forgets too, where there is more than a process should keep. */
void streams_flush(struct streams *streams, struct db_txn *txn);
struct streams *batch_streams(const struct link *l);

/* What is counted in a stream; a name is not the word of the same spelling. */
enum batch_kind { BATCH_THREADS, BATCH_WORD, BATCH_NAME };
struct batch_stream;
/* The stream that a thread is in, until the call returns. */
struct batch_stream *batch_stream(const struct link *l,
    const struct msg_link_thread *p);
/* How many threads of the stream there are, or have the word: profile_hash. */
uint64_t batch_count(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash);
/* It will be asked for soon. */
void batch_fetch_count(const struct link *l, const struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash);
void batch_count_up(const struct link *l, struct batch_stream *stream,
    enum batch_kind kind, uint64_t hash);

/* When a thread was last active, and in the table still is: `was`, or NULL. */
void batch_active(const struct link *l, const struct msg_link_thread *p,
    const struct msg_link_thread *was);
/*
 * The stream's threads but one that were last active between two times, the
 * latest first; how many, of at most `most`.
 */
size_t batch_recent(const struct link *l, struct batch_stream *stream,
    int64_t from, int64_t upto, uint64_t except, uint64_t *out, size_t most);

/* ---- from deciding to applying ---- */

/*
 * What deciding made of the turn and of its thread: it is what applying would
 * make of them.  Applying alone, after a crash, finds nothing here.
 */
struct batch_learned {
	struct profile_turn turn;
	struct msg_link_thread was, is;
	struct profile_hashes hashes;	/* of `is` */
	struct profile_fresh fresh;
};
/* Where it is put; who asks has learned from the entry in hand. */
struct batch_learned *batch_learning(const struct link *l);
/* As it was put for the entry, or NULL. */
const struct batch_learned *batch_recall(const struct link *l);

#endif
