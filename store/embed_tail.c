/*
 * embed_tail - an endpoint's vectors of the entries behind the last border
 */
#include "store/embed_tail.h"

#include <stdlib.h>

#include "common/xmalloc.h"
#include "store/document.h"

enum { ENTRIES_AT_ONCE = 256 };

/* Texts that the pool has not, in memory of the arena. */
struct texts {
	struct slice *at;
	size_t n, room;
	struct arena arena;
};

static void
add_text(struct texts *t, struct slice text)
{
	if (t->n == t->room) {
		t->room = t->room == 0 ? EMBED_MANY : t->room * 2;
		t->at = xrealloc(t->at, t->room * sizeof(t->at[0]));
	}
	t->at[t->n++] = arena_dup(&t->arena, text);
}

/*
 * Of the entries behind `from`, until there are enough for a request; the last
 * one that was looked at.  The view is over before anybody is asked.
 */
static uint64_t
gather(struct db *shared, struct vector_pool *pool, uint64_t from,
    uint64_t upto, struct texts *out)
{
	struct db_txn *txn = db_read(shared);
	struct document *docs;
	struct stage_entry e;
	struct arena arena;
	struct slice text;
	uint64_t seq = from;
	size_t i, n;

	arena_init(&arena);
	while (seq < upto && seq - from < ENTRIES_AT_ONCE &&
	    out->n < EMBED_MANY) {
		n = document_load(txn, ++seq, &arena, &e) ?
		    documents_of(&e, &arena, &docs) : 0;
		for (i = 0; i < n; i++) {
			text = document_meaning(&docs[i], &arena);
			if (vector_pool_find(pool, text) == NULL)
				add_text(out, text);
		}
		arena_reset(&arena);
	}
	arena_release(&arena);
	db_abort(&txn);
	return seq;
}

static int
ask(const struct embed *embed, struct vector_pool *pool,
    const struct texts *t)
{
	int8_t *out = xmalloc(EMBED_MANY * embed_dims(embed));
	size_t at, n;
	int rc = 0;

	for (at = 0; at < t->n && rc == 0; at += n) {
		n = t->n - at < EMBED_MANY ? t->n - at : EMBED_MANY;
		rc = vector_pool_ask(pool, embed, t->at + at, n, out);
	}
	free(out);
	return rc;
}

int
embed_tail_follow(struct embed_tail *t, struct db *shared,
    const struct embed *embed, struct vector_pool *pool, uint64_t border,
    const struct msg_cursor *cursor)
{
	bool whole = !t->begun || t->border != border || t->upto < border;
	struct texts texts = { 0 };
	uint64_t seq;
	int rc = 0;

	if (whole) {
		*t = (struct embed_tail){ .border = border, .upto = border };
		vector_pool_begin(pool);
	}
	arena_init(&texts.arena);
	while (t->upto < cursor->seq && rc == 0) {
		texts.n = 0;
		seq = gather(shared, pool, t->upto, cursor->seq, &texts);
		rc = ask(embed, pool, &texts);
		if (rc == 0)
			t->upto = seq;
		arena_reset(&texts.arena);
	}
	arena_release(&texts.arena);
	free(texts.at);
	/* Only one who has seen all of it knows what is needed no more. */
	if (whole && rc == 0) {
		rc = vector_pool_trim(pool);
		t->begun = rc == 0;
	}
	return rc;
}
