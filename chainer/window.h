/*
 * window - the latest messages of a talk where several speak, side by side
 *
 * reply.h wants them in one piece.  To read and copy a hundred records for
 * each message would cost more than to choose among them; so a window is kept
 * with the talk's row and grows by a message at a time.
 */
#ifndef CHAINER_WINDOW_H
#define CHAINER_WINDOW_H

#include "chainer/reply.h"
#include "common/msg.h"

/* Which turn a message is. */
struct window_turn {
	uint64_t number;	/* of the talk, from 0 */
	uint64_t seq, i;	/* its entry, and its place there */
};

struct window {
	uint64_t turns;		/* of the talk: all before were heard */
	size_t n;
	struct window_turn turn[2 * REPLY_WINDOW];
	struct reply_message heard[2 * REPLY_WINDOW];
};

/* The last messages of it, oldest first. */
struct window_view {
	const struct window_turn *turn;
	const struct reply_message *heard;
	size_t n;
};

/* The next turn of the talk; one that was not listened to is only counted. */
void window_add(struct window *w, const struct msg_said *said);
/* No more than reply.h looks at, none from before turn `since`. */
struct window_view window_view(const struct window *w, uint64_t since);

#endif
