/*
 * known - what contexts say of artifacts, kept by what it is made of
 *
 * A line about an artifact is made anew only when something that it is made of
 * has changed: the artifact, or whether it is stale by now.  How much it weighs
 * and how often it was used are in no line, and change with every use.  So what
 * was made outlives new turns that change no artifact, and its use.
 *
 * What is kept is bounded, and gone with the process or known_close: a line is
 * given only for an artifact that is in the table as of the view, so that of
 * what was forgotten nothing is ever given again.
 */
#ifndef STORE_KNOWN_H
#define STORE_KNOWN_H

#include "common/conf.h"
#include "common/db.h"

struct known;

struct known *known_open(void);
void known_close(struct known **known);

struct known_view {
	const struct conf *conf;
	struct db_txn *compactor;
	struct slice domain;
	int64_t now_ms;		/* what is stale is so as of then */
};

/* Of an artifact all that the artifact part of a context needs. */
struct known_artifact {
	struct slice key, id, line;
	struct slice refined_by;	/* the newest; empty: it is not superseded */
	struct msg_u64s turns;
	int64_t updated_at, expires_at;
	uint64_t thread;
	uint64_t tokens;	/* of the line */
	bool open, expired, checkpoint, part;	/* part: of another effort */
};

/* By its key, in the arena; false: it is not there. `known` may be NULL. */
bool known_get(struct known *known, const struct known_view *view,
    struct slice key, struct arena *arena, struct known_artifact *out);

/* Lines since it was last asked: given as they were, and made. */
void known_count(struct known *known, uint64_t *kept, uint64_t *made);

/* What must be said of one so that nobody takes it for more than it is. */
void known_put_marks(struct buf *line, const struct known_view *view,
    const struct msg_artifact *a);
/* "2025-11-05" of a time. */
void known_put_day(struct buf *line, int64_t ms);

#endif
