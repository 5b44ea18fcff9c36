/*
 * window - the latest messages of a talk where several speak, side by side
 */
#include "chainer/window.h"

/* Its upper half, which is all that is looked at, becomes the lower. */
static void
make_room(struct window *w)
{
	size_t from = w->n - REPLY_WINDOW;

	memcpy(w->turn, w->turn + from, REPLY_WINDOW * sizeof(w->turn[0]));
	memcpy(w->heard, w->heard + from, REPLY_WINDOW * sizeof(w->heard[0]));
	w->n = REPLY_WINDOW;
}

void
window_add(struct window *w, const struct msg_said *said)
{
	uint64_t number = w->turns++;

	if (said->heard.len != sizeof(w->heard[0]))
		return;
	if (w->n == 2 * REPLY_WINDOW)
		make_room(w);
	w->turn[w->n] = (struct window_turn){ number, said->seq, said->i };
	memcpy(&w->heard[w->n], said->heard.ptr, sizeof(w->heard[0]));
	w->n++;
}

struct window_view
window_view(const struct window *w, uint64_t since)
{
	size_t from = w->n > REPLY_WINDOW ? w->n - REPLY_WINDOW : 0;

	while (from < w->n && w->turn[from].number < since)
		from++;
	return (struct window_view){ w->turn + from, w->heard + from,
		w->n - from };
}
