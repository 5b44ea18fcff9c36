/*
 * tail - the entries behind the last segment, indexed in memory
 */
#include "store/tail.h"

#include <stdlib.h>

#include "common/xmalloc.h"
#include "store/merge.h"

void
tail_init(struct tail *t, struct tokeniser *tokeniser)
{
	*t = (struct tail){ .tokeniser = tokeniser };
	t->index = index_new(tokeniser);
}

void
tail_reset(struct tail *t, uint64_t border)
{
	while (t->n_pieces > 0)
		segment_close(&t->pieces[--t->n_pieces]);
	t->partial = false;
	t->border = t->upto = border;
	index_clear(t->index, border);
}

void
tail_release(struct tail *t)
{
	tail_reset(t, 0);
	free(t->pieces);
	index_free(&t->index);
}

static void
push(struct tail *t, struct segment *piece)
{
	if (t->n_pieces == t->room) {
		t->room = t->room == 0 ? 16 : t->room * 2;
		t->pieces = xrealloc(t->pieces, t->room *
		    sizeof(t->pieces[0]));
	}
	t->pieces[t->n_pieces++] = piece;
}

static uint64_t
span(const struct segment *s)
{
	return segment_last(s) - segment_first(s) + 1;
}

/* The last eight pieces, if they are of one size, become one. */
static void
join(struct tail *t)
{
	struct segment **last = t->pieces + t->n_pieces - SEGMENT_FAN;
	struct buf bytes;
	size_t i;

	if (t->n_pieces < SEGMENT_FAN)
		return;
	for (i = 0; i < SEGMENT_FAN; i++)
		if (span(last[i]) != span(last[0]))
			return;
	buf_init(&bytes, SIZE_MAX / 4);
	if (merge_segments(last, SEGMENT_FAN, &bytes) == -1)
		abort();	/* we have made them ourselves */
	for (i = 0; i < SEGMENT_FAN; i++)
		segment_close(&last[i]);
	t->n_pieces -= SEGMENT_FAN;
	push(t, segment_take(&bytes));
}

static void
write_piece(struct tail *t, uint64_t last)
{
	uint64_t first = t->border + (t->upto - t->border) / TAIL_PIECE *
	    TAIL_PIECE + 1;
	struct buf bytes;

	if (t->partial)
		segment_close(&t->pieces[--t->n_pieces]);
	t->partial = (last - t->border) % TAIL_PIECE != 0;
	buf_init(&bytes, SIZE_MAX / 4);
	index_write(t->index, first, last, &bytes);
	push(t, segment_take(&bytes));
	if (t->partial)
		return;
	index_clear(t->index, last);
	join(t);
}

void
tail_follow(struct tail *t, struct db_txn *shared, uint64_t upto)
{
	struct document *docs;
	struct stage_entry e;
	struct arena arena;
	uint64_t seq;
	size_t n;

	arena_init(&arena);
	for (seq = t->upto + 1; seq <= upto; seq++) {
		if (document_load(shared, seq, &arena, &e)) {
			n = documents_of(&e, &arena, &docs);
			index_add(t->index, seq, docs, n);
		}
		arena_reset(&arena);
		if ((seq - t->border) % TAIL_PIECE == 0 || seq == upto) {
			write_piece(t, seq);
			t->upto = seq;
		}
	}
	arena_release(&arena);
}
