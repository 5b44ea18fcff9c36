/*
 * tap - what the files of the monitor share
 *
 * The monitor only listens: it takes no lock, sends nothing, and whoever is
 * slow here loses frames of its own, never a stage's time.
 */
#ifndef MONITOR_TAP_H
#define MONITOR_TAP_H

#include <ev.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/bus.h"
#include "common/conf.h"
#include "common/db.h"
#include "common/stage.h"

enum tap_kind { KIND_entry, KIND_cursor, KIND_stats, KIND_COUNT };

/* One frame, off the bus or remade from the store; lives in an arena. */
struct tap_frame {
	enum stage_id stage;
	enum tap_kind kind;
	uint64_t seq;
	int64_t arrived, at;			/* 0: not known */
	struct msg record;			/* entry, beat or stats */
	struct msg sections[STAGE_COUNT];	/* MSG_none where none is */
};

struct tap_term {
	bool part;		/* ~: the value contains it */
	int stage;		/* -1: the entry's field, or any section's */
	char *field;
	char *value;
};

struct tap_where {
	struct tap_term *terms;
	size_t count;
};

struct tap_options {
	bool stages[STAGE_COUNT];
	bool kinds[KIND_COUNT];
	struct tap_where where;
	bool json;
	bool colour;
	unsigned columns;	/* lines are cut to this; 0: not at all */
	bool from_given;
	uint64_t from;
	uint64_t until;		/* 0: none */
	uint64_t count;		/* 0: no end */
	int receive_limit;	/* frames waiting here; past it they are lost */
	bool no_wait;
	bool top;
};

/* What is to be written, and whether anybody still wants it. */
struct tap_out {
	struct buf text;
	int signal_fd;		/* SIGINT, SIGTERM, SIGWINCH */
	bool ended;		/* the reader went away, or a signal came */
	bool resized;
};

struct tap {
	struct conf conf;
	struct tap_options options;
	struct tap_out out;
	struct ev_loop *loop;
	struct bus *bus;
	struct bus_socket *sub;
	struct arena arena;	/* one frame */
	int64_t heard_ms;	/* the last frame, or the start */
	int64_t checked_ms;	/* when silence was last asked about */
	bool said_silent;
	int rc;
};

/* skein-tap.c */
int tap_fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* tap_frame.c */
const char *tap_kind_name(enum tap_kind kind);
int tap_frame_read(struct tap_frame *f, const struct bus_message *m,
    struct arena *arena, struct msg_error *why)
    __attribute__((warn_unused_result));
int tap_frame_load(struct tap_frame *f, struct db_txn *txn,
    enum stage_id stage, uint64_t seq, struct arena *arena,
    struct msg_error *why) __attribute__((warn_unused_result));

/* tap_where.c: 0, or -1 with the reason. */
int tap_where_add(struct tap_where *w, const char *text,
    struct msg_error *why) __attribute__((warn_unused_result));
void tap_where_release(struct tap_where *w);
bool tap_where_matches(const struct tap_where *w, const struct tap_frame *f);

/* tap_verdict.c: what the frame's stage says, and a bar; or nothing. */
void tap_verdict(struct buf *out, const struct tap_frame *f);

/* tap_line.c */
void tap_line(struct buf *out, const struct tap_options *o,
    const struct tap_frame *f);
void tap_line_lost(struct buf *out, const struct tap_options *o,
    enum stage_id stage, uint64_t lost, int64_t at);
/* Bytes fit for a terminal, padded or cut to `width` columns (0: as is). */
void tap_cell(struct buf *out, struct slice text, unsigned width, bool pad);

/* tap_out.c */
void tap_out_open(struct tap_out *out);
void tap_out_close(struct tap_out *out);
/* Writes all of it, waiting as long as it takes; false when it is the end. */
bool tap_out_flush(struct tap_out *out);
/* Takes what signals came. */
void tap_out_signals(struct tap_out *out);

/* tap_follow.c, tap_top.c: run until the end; the exit code. */
int tap_follow(struct tap *tap);
int tap_top(struct tap *tap);
/* Ends the loop. */
void tap_end(struct tap *tap, int rc);
/* Says once that nothing is heard; from a timer. */
void tap_check_silence(struct tap *tap);

#endif
