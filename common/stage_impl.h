/*
 * stage_impl - what the files of the skeleton share
 *
 * Included by common/stage*.c, and by ingest, which makes its own batches.
 */
#ifndef COMMON_STAGE_IMPL_H
#define COMMON_STAGE_IMPL_H

#include <ev.h>

#include "common/bus.h"
#include "common/clock.h"
#include "common/process.h"
#include "common/stage.h"

struct filter;

/* Puts into the shared environment, collected before the write lock is held. */
struct batch_put {
	enum table_id table;
	size_t key, key_len;	/* in batch.bytes */
	size_t at, len;		/* likewise */
	bool append;
	bool delete;
};

struct batch {
	struct buf bytes;
	struct batch_put *puts;
	size_t n_puts, cap_puts;
};

enum stage_state {
	STATE_starting,
	STATE_ready,
	STATE_blocked,		/* no room in map or on disk */
	STATE_stopping
};

enum { LATENCY_BUCKETS = 160 };	/* up to 25 days */

struct stage {
	const struct stage_spec *spec;
	struct conf conf;
	const char *log_path;
	void *state;			/* the stage's own */

	struct db *shared;
	struct db *own;
	struct db_txn *tables;		/* own, writing, while a batch is made */
	struct slice store_id;
	char store_id_bytes[16];

	uint64_t cursor;		/* last entry committed */
	uint64_t epoch;
	uint64_t applied;		/* last entry in own tables */
	uint64_t ahead;			/* cursor of the stage before */
	uint64_t told;			/* the same, as the bus has told it */
	ev_tstamp committed_at;		/* by the loop's clock */

	struct arena arena;		/* one entry */
	struct batch batch;
	unsigned shrunk;	/* how often batches were halved for room */

	struct ev_loop *loop;
	struct bus *bus;
	struct bus_socket *pub, *sub;
	struct buf subscriptions;	/* prefixes, each NUL-ended */
	struct buf frame;
	ev_timer beat_timer, retry_timer, status_timer;
	struct process_end ending;
	unsigned beats;			/* since the last announcement */

	enum stage_state at;
	const char *note;
	uint64_t beat;			/* moves while the loop is alive */
	int64_t since_ms;
	int64_t status_ms;		/* steady, as rate_from_ms */
	uint64_t rate_from_seq;
	int64_t rate_from_ms;
	uint64_t rate;
	uint64_t counters[COUNTER_COUNT];
	uint64_t latency[LATENCY_BUCKETS];
	int lock_fd;

	const char *exec_command;	/* --exec */
	struct filter *filter;
	bool shadow;			/* --shadow */
	uint64_t shadow_from, shadow_count;
	char *shadow_dir;
	bool once;			/* --once: pass what is there, then end */
};

/* stage_turn.c */
enum turn { TURN_IDLE, TURN_MORE, TURN_FULL };
enum turn turn_follow(struct stage *st);
/* Where a transaction has read so far: entries are read one after another. */
struct entry_reader {
	struct db_txn *txn;
	struct db_cursor *log, *sections[STAGE_COUNT];
};
/* Loads entry and sections (earlier ones, and own if asked) at st's arena. */
int turn_load(struct stage *st, struct entry_reader *from, uint64_t seq,
    bool with_own, struct stage_entry *out, struct msg_error *why);
void turn_begin(struct stage *st);
/* What apply kept in memory goes into the own tables, with their cursor. */
void turn_flush(struct stage *st);
/* Most entries of a batch, just now. */
uint64_t turn_entries(const struct stage *st);
void batch_put(struct stage *st, enum table_id table, struct slice key,
    struct slice value, bool append);
void batch_put_msg(struct stage *st, enum table_id table, struct slice key,
    enum msg_id id, const void *msg, bool append);
void batch_delete(struct stage *st, enum table_id table, struct slice key);
void batch_release(struct batch *b);
/*
 * Commits the batch and the cursor, then the own tables, then announces.
 * DB_FULL: nothing was kept, own tables are as before the batch.
 */
enum db_result turn_commit(struct stage *st, uint64_t upto);
void turn_abandon(struct stage *st);

/* stage_derived.c */
void derived_open(struct stage *st);
void derived_close(struct stage *st);
/* Own tables, for writing; ends the process if another hand was at them. */
void derived_begin(struct stage *st);
enum db_result derived_commit(struct stage *st)
    __attribute__((warn_unused_result));
void derived_abandon(struct stage *st);
void derived_put_cursor(struct stage *st);
/* Applies sections up to the cursor; false: no room for it now. */
bool derived_catch_up(struct stage *st);
/* After the own tables got a new epoch under the running process. */
void derived_remake(struct stage *st);
void derived_damaged(struct stage *st) __attribute__((noreturn));

/* stage_marks.c: where the own tables are, and a mark beside them. */
char *marks_dir(const struct stage *st);
char *marks_path(const struct stage *st, const char *mark);
/* Whether the file is there and not as the stamp beside it says. */
bool marks_is_changed(struct stage *st);
/* Whether it is there, and as this process stamped it last. */
bool marks_is_as_left(void);
void marks_open_stamp(struct stage *st);
void marks_write_stamp(struct stage *st);
bool marks_is_dirty(struct stage *st);
bool marks_is_torn(struct stage *st);
void marks_set_dirty(struct stage *st);
/* By hand; and by itself, from now on, when a signal ends the process. */
void marks_set_suspect(struct stage *st);
void marks_watch_crashes(struct stage *st);
/* The end; with `synced` tables they are no longer dirty. */
void marks_close(struct stage *st, bool synced);

/* stage_status.c */
void status_init(struct stage *st);
void status_write(struct stage *st);
void status_breathe(struct stage *st);	/* from long work: at most 1/s */
void status_state(struct stage *st, enum stage_state at, const char *note);
/* After a commit: how long its entries took from arrival to here. */
void status_latency(struct stage *st, uint64_t from, uint64_t upto);
void status_publish(struct stage *st);
void status_remove(struct stage *st);

/* stage_bus.c */
void bus_start(struct stage *st);
void bus_stop(struct stage *st);
void announce(struct stage *st);
void announce_entries(struct stage *st, uint64_t from, uint64_t upto);

/* stage_filter.c */
struct filter *filter_start(struct stage *st, const char *command);
void filter_stop(struct filter **filter);
int filter_decide(struct stage *st, const struct stage_entry *e,
    struct msg *section, struct msg_error *why);

/* stage_shadow.c */
/* Before the cursor is read: the copy may then be behind it, never ahead. */
void shadow_copy_tables(struct stage *st);
int shadow_run(struct stage *st);

/* stage.c.  There may be something to do: now, or when the next commit is due. */
void stage_wake(struct stage *st);

#endif
