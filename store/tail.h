/*
 * tail - the entries behind the last segment, indexed in memory
 *
 * Made from the log by who reads, and kept up to date a few entries at a time:
 * TAIL_PIECE entries make a piece, eight pieces one of the next size, as
 * segments do; what is left over is written anew when it grows.
 */
#ifndef STORE_TAIL_H
#define STORE_TAIL_H

#include "common/db.h"
#include "store/index.h"
#include "store/segment.h"

enum {
	TAIL_PIECE = 64,
	/*
	 * The store lists a segment a moment after it has passed the border;
	 * if it is further behind than this it is making its tables again.
	 */
	TAIL_MOST = 4 * SEGMENT_SPAN,
};

struct tail {
	struct tokeniser *tokeniser;	/* the owner's */
	struct index *index;
	struct segment **pieces;	/* in order; the last may be partial */
	size_t n_pieces, room;
	bool partial;
	uint64_t border, upto;
};

void tail_init(struct tail *t, struct tokeniser *tokeniser);
void tail_release(struct tail *t);
/* Forgets all; it then begins behind `border`. */
void tail_reset(struct tail *t, uint64_t border);
/* Brings it from the border, which must be as before, up to an entry. */
void tail_follow(struct tail *t, struct db_txn *shared, uint64_t upto);

#endif
