/*
 * context_continuity - what was being discussed when one left off
 *
 * "You were discussing X. Asked: ... Answered: ...  Continuing after a 40
 * minutes' break."  A thread of an implicit channel goes on with those it was
 * linked to; one that was selected goes on with itself.
 */
#include "common/text.h"
#include "common/when.h"
#include "store/context_impl.h"
#include "store/query_artifacts.h"

enum {
	PAIRS_TOLD = 3,
	TURNS_SEARCHED = 24,	/* of the earlier thread, from its end */
	ASKED_BYTES = 200,	/* of a question or an answer that is told */
	BREAK_MS = 10 * WHEN_MINUTE_MS
};

/* What a thread is about, in a line. */
static struct slice
thread_words(struct gather *g, uint64_t thread)
{
	struct msg_episode_digest digest;
	struct msg_episode episode;
	struct key k = key_u64(thread);

	if (g->view->compactor == NULL)
		return SLICE_NONE;
	if (db_get_msg(g->view->compactor, TABLE_episodes, key_slice(&k),
		MSG_episode, g->arena, &episode) && episode.name.len > 0)
		return episode.name;
	if (query_digest(g->view->compactor, thread, g->arena, &digest))
		return digest.name;
	return SLICE_NONE;
}

static struct slice
shorten(struct gather *g, struct slice text)
{
	if (text.len <= ASKED_BYTES)
		return text;
	return arena_printf(g->arena, "%.*s...",
	    (int)text_cut(text, ASKED_BYTES), text.ptr);
}

static bool
is_question(const struct context_turn *t)
{
	return slice_is(t->role, "user") &&
	    memchr(t->text.ptr, '?', t->text.len) != NULL;
}

/* The latest questions of a thread and what they were answered, in order. */
static void
put_pairs(struct gather *g, struct buf *b, const struct msg_thread *from)
{
	struct context_turn t, answer = { 0 }, asked[PAIRS_TOLD], said[PAIRS_TOLD];
	uint64_t thread = from->key, number = from->turn_count;
	size_t n = 0, i;

	for (i = 0; number > 0 && n < PAIRS_TOLD && i < TURNS_SEARCHED; i++) {
		if (context_read_turn(g, thread, number, &t)) {
			if (is_question(&t)) {
				asked[n] = t;
				said[n++] = answer;
				answer = (struct context_turn){ 0 };
			} else if (slice_is(t.role, "assistant")) {
				answer = t;
			}
		}
		if (!context_turn_before(g, &thread, &number))
			break;
	}
	while (n-- > 0) {
		buf_addf(b, " Asked: \"%.*s\"", SLICE_ARG(shorten(g,
		    asked[n].text)));
		if (said[n].text.len > 0)
			buf_addf(b, ", answered: \"%.*s\"%.*s",
			    SLICE_ARG(shorten(g, said[n].text)),
			    SLICE_ARG(context_turn_mark(g, &said[n])));
		buf_addc(b, '.');
	}
}

static bool
ends_sentence(struct slice words)
{
	return words.len > 0 &&
	    strchr(".!?", words.ptr[words.len - 1]) != NULL;
}

static void
add_continuity(struct gather *g, const struct msg_thread *from, int64_t left_ms,
    int64_t back_ms, double rank)
{
	struct slice words = thread_words(g, from->key);
	struct context_part *p;
	struct buf b;

	buf_init(&b, SIZE_MAX / 4);
	if (words.len > 0)
		buf_addf(&b, "You were discussing: %.*s%s", SLICE_ARG(words),
		    ends_sentence(words) ? "" : ".");
	put_pairs(g, &b, from);
	if (back_ms - left_ms >= BREAK_MS)
		buf_addf(&b, "%sContinuing after a break of %.*s.",
		    b.len > 0 ? " " : "",
		    SLICE_ARG(context_span(g->arena, back_ms - left_ms)));
	if (b.len > 0) {
		p = context_add_part(g, PART_CONTINUITY, rank, arena_dup(g->arena,
		    buf_slice(&b)));
		p->thread = from->key;
		p->key = arena_printf(g->arena, "t%llu",
		    (unsigned long long)from->key);
	}
	buf_release(&b);
}

/* The thread's last turns, in case the ones here are few. */
static void
add_linked_turns(struct gather *g, const struct msg_thread *from, double rank)
{
	uint64_t thread = from->key, number = from->turn_count;
	struct context_turn t;
	size_t i;

	for (i = 0; number > 0 && i < TURNS_SEARCHED; i++) {
		if (context_read_turn(g, thread, number, &t))
			context_add_turn(g, PART_LATEST, rank + (double)i, &t);
		if (!context_turn_before(g, &thread, &number))
			break;
	}
}

static bool
read_link(struct gather *g, uint64_t thread, struct msg_link_thread *out)
{
	struct key k = key_u64(thread);

	return g->view->linker != NULL &&
	    db_get_msg(g->view->linker, TABLE_link_threads, key_slice(&k),
		MSG_link_thread, g->arena, out);
}

void
gather_continuity(struct gather *g)
{
	enum { LINKS_FOLLOWED = 3 };
	struct msg_thread before, at = g->thread;
	struct msg_link_thread link;
	size_t i;

	if (g->now_ms - g->thread.last_activity_at >= BREAK_MS)
		add_continuity(g, &g->thread, g->thread.last_activity_at,
		    g->now_ms, 3);
	if (g->thread.explicit_channel)
		return;
	for (i = 0; i < LINKS_FOLLOWED && read_link(g, at.key, &link) &&
	     link.linked_to != 0 && context_read_thread(g, link.linked_to, &before);
	     i++) {
		add_continuity(g, &before, before.last_activity_at,
		    at.created_at, 3.5 + (double)i);
		gather_known(g, before.key, ALL_TURNS, 50 + 20 * (double)i);
		add_linked_turns(g, &before, 80 + 40 * (double)i);
		at = before;
	}
}
