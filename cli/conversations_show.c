/*
 * conversations_show - the story of one conversation: what was said on each of
 * its branches, and why each of them is there
 *
 *   v1  2026-11-15T09:00:00Z to 2026-11-15T09:02:00Z, 3 calls, 2 branches
 *
 *   main
 *     1 a  2026-11-15T09:00:00Z
 *          plan a trip to Lisbon
 *        > For how long?
 *     2 b  2026-11-15T09:01:00Z
 *          two nights
 *        > Here is a plan.
 *
 *   branch_2, from 1: 2 of its 3 messages are those of 1, system text too
 *     3 c  2026-11-15T09:02:00Z
 *          rather Porto
 *        > Porto it is.
 */
#include <stdlib.h>

#include "cli/conversations.h"
#include "common/when.h"

enum { WIDTH = 100, TURN_WIDTH = 2000 };

struct story {
	const struct conversations_show *s;
	const struct talk *t;
	struct slice branch;	/* the one that is told; empty: all */
};

/* "v12" or "v12/branch_2": 0, or -1. */
static int
read_name(struct slice name, uint64_t *seq, struct slice *branch)
{
	size_t i;

	*branch = SLICE_NONE;
	*seq = 0;
	if (name.len > 512 || !slice_starts(name, "v"))
		return -1;
	i = 1 + slice_digits(name, 1, seq);
	if (i == 1)
		return -1;
	if (i == name.len)
		return 0;
	*branch = slice_of(name.ptr + i + 1, name.len - i - 1);
	return name.ptr[i] == '/' && branch->len > 0 ? 0 : -1;
}

static bool
has_branch(const struct talk *t, struct slice name)
{
	size_t i;

	for (i = 0; i < t->n_calls; i++)
		if (slice_eq(t->calls[i].branch, name))
			return true;
	return name.len == 0;
}

static size_t
count_branches(const struct talk *t)
{
	size_t i, n = 1;

	for (i = 1; i < t->n_calls; i++)
		n += t->calls[i].opens;
	return n;
}

static bool
is_told(const struct story *y, size_t i)
{
	return y->branch.len == 0 ||
	    slice_eq(y->t->calls[i].branch, y->branch);
}

/* ---- for people ---- */

/* What the call added, all of it or what was asked last; then the reply. */
static void
tell_messages(const struct story *y, const struct msg_exchange *x)
{
	struct buf *out = y->s->out;
	size_t i, last = x->n_added, room;
	bool reply;

	if (last > 0 && x->added[last - 1].reply)
		last--;
	room = y->s->turns ? TURN_WIDTH : WIDTH;
	for (i = y->s->turns || last == 0 ? 0 : last - 1; i < x->n_added;
	     i++) {
		reply = slice_is(x->added[i].role, "assistant");
		buf_adds(out, reply ? "     > " : "       ");
		conversations_line(out, conversations_said(&x->added[i]), room);
		buf_addc(out, '\n');
	}
}

static void
tell_call(const struct story *y, size_t i)
{
	const struct talk_call *c = &y->t->calls[i];
	struct query *q = y->s->q;
	struct buf *out = y->s->out;
	char when[WHEN_TEXT_BYTES];
	struct stage_entry e;

	when_format(c->ts, when);
	query_entry(q, c->seq, &e);
	buf_addf(out, "  %llu", (unsigned long long)c->seq);
	if (e.entry.id == MSG_exchange && e.entry.as->exchange.id.len > 0)
		buf_addf(out, " %.*s", SLICE_ARG(e.entry.as->exchange.id));
	buf_addf(out, "  %s%s%s\n", when, c->retry ? ", the same again" : "",
	    c->aside ? ", asks for a summary" : "");
	if (e.entry.id == MSG_exchange)
		tell_messages(y, &e.entry.as->exchange);
	arena_reset(&q->arena);
}

static void
tell_branch(const struct story *y, size_t opening)
{
	const struct talk_call *calls = y->t->calls, *c = &calls[opening];
	struct buf *out = y->s->out;
	size_t i;

	buf_addf(out, "\n%.*s", SLICE_ARG(c->branch));
	if (c->parent != TALK_NONE)
		buf_addf(out, ", from %llu: %.*s",
		    (unsigned long long)calls[c->parent].seq,
		    SLICE_ARG(c->why));
	buf_addc(out, '\n');
	for (i = opening; i < y->t->n_calls; i++)
		if (slice_eq(calls[i].branch, c->branch))
			tell_call(y, i);
}

static void
tell(const struct story *y)
{
	const struct talk *t = y->t;
	char from[WHEN_TEXT_BYTES], to[WHEN_TEXT_BYTES];
	size_t i, n = count_branches(t);

	when_format(t->calls[0].ts, from);
	when_format(conversations_last(t), to);
	buf_addf(y->s->out, "v%llu  %s to %s, %zu %s, %zu %s\n",
	    (unsigned long long)t->root, from, to, t->n_calls,
	    t->n_calls == 1 ? "call" : "calls", n,
	    n == 1 ? "branch" : "branches");
	for (i = 0; i < t->n_calls; i++)
		if ((i == 0 || t->calls[i].opens) && is_told(y, i))
			tell_branch(y, i);
}

/* ---- JSON ---- */

static void
put_turns(const struct story *y)
{
	struct query *q = y->s->q;
	struct buf *out = y->s->out;
	struct stage_entry e;
	struct row row;
	size_t i, k, n, any = 0;

	buf_adds(out, ",\"turns\":[");
	for (i = 0; i < y->t->n_calls; i++) {
		if (!is_told(y, i))
			continue;
		query_entry(q, y->t->calls[i].seq, &e);
		n = query_turn_count(&e.entry);
		for (k = 0; k < n; k++) {
			arena_reset(&q->arena);
			if (!query_turn_row(q, y->t->calls[i].seq, k, &row))
				continue;
			buf_adds(out, any++ > 0 ? "," : "");
			row_to_json(out, &row);
		}
	}
	buf_addc(out, ']');
}

static void
put_story(const struct story *y)
{
	buf_adds(y->s->out, "{\"kind\":\"conversation\",");
	conversations_json(y->s->q, y->t, y->branch, y->s->out);
	if (y->s->turns)
		put_turns(y);
	buf_addc(y->s->out, '}');
}

static bool
is_ours(struct query *q, uint64_t seq)
{
	struct stage_entry e;

	query_entry(q, seq, &e);
	return e.entry.id == MSG_exchange &&
	    slice_eq(e.entry.as->exchange.domain, q->domain);
}

bool
conversations_show(const struct cli *cli, const struct conversations_show *s)
{
	struct story y = { .s = s };
	struct msg_cursor cursor;
	struct db_error why;
	struct db *linker;
	uint64_t seq;
	size_t at;
	bool there;

	if (read_name(s->name, &seq, &y.branch) == -1 || !is_ours(s->q, seq) ||
	    (linker = cli_try_open(cli, ENV_linker, &why)) == NULL)
		return false;
	if (query_cursor(s->q, STAGE_linker, &cursor))
		cli_settle_to(linker, STAGE_linker, cursor.seq);
	query_use_linker(s->q, linker);
	y.t = query_talk(s->q, seq, &at);
	there = y.t != NULL && has_branch(y.t, y.branch);
	if (there && s->json)
		put_story(&y);
	else if (there)
		tell(&y);
	query_use_linker(s->q, NULL);
	db_close(&linker);
	return there;
}
