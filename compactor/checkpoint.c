/*
 * checkpoint - a thread that grows without an end is compacted all the same
 */
#include "compactor/checkpoint.h"

#include "compactor/package_decide.h"
#include "compactor/summary.h"
#include "compactor/tokens.h"

enum {
	CHECKPOINT_WORDS = 20,	/* of a line */
};

static uint64_t
uncompacted(const struct effort_state *s)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < s->thread.n_works; i++)
		if (effort_is_open(&s->thread.works[i]))
			sum += s->thread.works[i].tokens;
	if (s->thread.n_loose > 0)
		sum += s->thread.loose[0].tokens;
	return sum;
}

/*
 * Up to which turn: the latest few stay, unless they alone are more than half
 * of what is allowed.  0: there is nothing to take.
 */
static uint64_t
last_to_take(const struct msg_a_work *w, uint64_t allowed)
{
	const uint64_t *at = w->recent.at;
	uint64_t kept = 0, first = UINT64_MAX;
	size_t i;

	for (i = w->recent.count; i >= 2; i -= 2) {
		if (kept > 0 && kept + at[i - 1] > allowed / 2)
			break;
		kept += at[i - 1];
		first = at[i - 2];
	}
	return first == UINT64_MAX || first <= w->from ? 0 : first - 1;
}

/*
 * Of those with turns to take, the one whose turns are the oldest.  Where all
 * hold only their latest ones, these have to go.
 */
static struct msg_a_work *
oldest(struct effort_state *s, uint64_t allowed, uint64_t *to)
{
	struct msg_a_work *best = NULL, *most = NULL, *w;
	uint64_t last;
	size_t i;

	for (i = 0; i < s->thread.n_works + s->thread.n_loose; i++) {
		w = i < s->thread.n_works ? &s->thread.works[i] :
					    &s->thread.loose[0];
		if (!effort_is_open(w) || w->recent.count == 0)
			continue;
		last = last_to_take(w, allowed);
		if (last != 0 && (best == NULL || w->from < best->from)) {
			best = w;
			*to = last;
		}
		if (most == NULL || w->tokens > most->tokens)
			most = w;
	}
	if (best == NULL && most != NULL)
		*to = most->recent.at[most->recent.count - 2];
	return best != NULL ? best : most;
}

/* Its own turns from `from` to `to`. */
static void
take_turns(struct compact *c, const struct msg_u64s *own, uint64_t from,
    uint64_t to, struct msg_u64s *out)
{
	uint64_t first, last;
	size_t i;

	*out = (struct msg_u64s){
		arena_array(c->arena, own->count + 2, sizeof(uint64_t)), 0 };
	for (i = 0; i + 1 < own->count; i += 2) {
		first = own->at[i] > from ? own->at[i] : from;
		last = own->at[i + 1] < to ? own->at[i + 1] : to;
		if (first > last)
			continue;
		out->at[out->count++] = first;
		out->at[out->count++] = last;
	}
}

static struct slice
lines_until(struct compact *c, const struct msg_a_work *w, uint64_t to)
{
	struct slice line, out;
	struct buf b;
	size_t i;

	buf_init(&b, EFFORT_LINES * (EFFORT_LINE_BYTES + 8));
	for (i = 0; i < w->n_lines && w->lines[i].turn <= to; i++) {
		line = summary_shorten(c->arena, w->lines[i].text, CUT_filler,
		    CHECKPOINT_WORDS);
		if (line.len == 0)
			continue;
		if (b.len > 0)
			(void)buf_adds(&b, "; ");
		(void)buf_addslice(&b, line);
	}
	out = arena_dup(c->arena, buf_slice(&b));
	buf_release(&b);
	return out;
}

static void
make_checkpoint(struct effort_state *s, const struct msg_a_work *w,
    uint64_t to, const struct compact_turn *t)
{
	struct compact *c = s->c;
	const struct msg_artifact *parent = compact_read(c, w->key);
	uint64_t range[2] = { w->from, to };
	struct msg_u64s loose = { range, 2 };
	struct msg_artifact *a;

	a = compact_new(c, parent != NULL ? SLICE("effort") : SLICE("note"));
	a->checkpoint = true;
	a->parent = w->key;
	a->chain = w->chain;
	take_turns(c, parent != NULL && parent->thread == c->thread ?
	    &parent->turns : &loose, w->from, to, &a->turns);
	a->summary = lines_until(c, w, to);
	if (a->summary.len == 0)
		a->summary = arena_printf(c->arena, "turns %llu to %llu",
		    (unsigned long long)w->from, (unsigned long long)to);
	a->token_count = tokens_of(c->conf, summary_of(c->arena, a));
	compact_state(c, a, SLICE("resolved"), SLICE("checkpoint"),
	    SLICE_NONE);
	compact_tell(c, t->i, a->key);
	effort_state_checkpoint(s, a);
}

void
checkpoint_decide(struct effort_state *s, const struct compact_turn *t)
{
	uint64_t allowed = (uint64_t)s->c->conf->checkpoint_tokens;
	uint64_t coming = compact_a_turn(s->c, t->i)->tokens, to = 0;
	uint64_t before;
	struct msg_a_work *w;

	/* Each round takes turns away; when none are left it ends. */
	for (before = UINT64_MAX; uncompacted(s) + coming > allowed &&
	     uncompacted(s) < before; make_checkpoint(s, w, to, t)) {
		before = uncompacted(s);
		w = oldest(s, allowed, &to);
		if (w == NULL)
			return;
	}
}
