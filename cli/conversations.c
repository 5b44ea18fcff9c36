/*
 * conversations - the verb `conversations`: trees in the terminal
 *
 *   v1  2026-11-15T09:00:00Z  5 calls  "plan a trip to Lisbon"
 *     1  plan a trip to Lisbon
 *     2  which hotel?
 *     ├─ branch_2
 *     │  4  rather Porto
 *     3  book it
 *
 * Calls of one branch stand below each other; what branches off one stands
 * indented between it and the next.
 */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "cli/conversations.h"
#include "cli/options.h"
#include "common/json.h"
#include "common/text.h"
#include "common/when.h"
#include "common/xmalloc.h"

enum {
	LIMIT_PEOPLE = 20,
	WIDTH = 100,
	DEEPEST = 16,		/* levels that are indented */
};

/* ---- one conversation ---- */

struct drawing {
	struct cli *cli;
	struct query *q;
	const struct talk *t;
	size_t *next, *child;	/* siblings and first children, by time */
	struct buf out;
	uint64_t rows;
};

/* Children of each call in the order of time: siblings in a list. */
static void
link_children(struct drawing *d)
{
	const struct talk *t = d->t;
	size_t i, at, *tail;

	d->next = xmalloc((t->n_calls + 1) * sizeof(d->next[0]));
	d->child = xmalloc((t->n_calls + 1) * sizeof(d->child[0]));
	tail = xmalloc((t->n_calls + 1) * sizeof(tail[0]));
	for (i = 0; i < t->n_calls; i++)
		d->next[i] = d->child[i] = tail[i] = TALK_NONE;
	/* They were read in the order of their times, parent by parent. */
	for (i = 1; i < t->n_calls; i++) {
		at = t->calls[i].parent;
		if (tail[at] == TALK_NONE)
			d->child[at] = i;
		else
			d->next[tail[at]] = i;
		tail[at] = i;
	}
	free(tail);
}

struct slice
conversations_said(const struct msg_xmessage *m)
{
	return m->text.len > 0 ? m->text : m->content;
}

struct slice
conversations_text(struct query *q, uint64_t seq, struct slice *id)
{
	const struct msg_exchange *x;
	struct stage_entry e;
	size_t own;

	*id = SLICE_NONE;
	query_entry(q, seq, &e);
	if (e.entry.id != MSG_exchange)
		return SLICE_NONE;
	x = &e.entry.as->exchange;
	*id = x->id;
	own = x->n_added;
	if (own > 0 && x->added[own - 1].reply)
		own--;
	return own > 0 ? conversations_said(&x->added[own - 1]) : SLICE_NONE;
}

void
conversations_line(struct buf *out, struct slice text, size_t room)
{
	size_t len = text_cut(text, room), i;

	for (i = 0; i < len; i++)
		buf_addc(out, (unsigned char)text.ptr[i] < ' ' ? ' ' :
								 text.ptr[i]);
	if (len < text.len)
		buf_adds(out, "…");
}

static void
draw_call(struct drawing *d, size_t i, const struct buf *indent)
{
	const struct talk_call *c = &d->t->calls[i];
	struct slice id, text = conversations_text(d->q, c->seq, &id);
	size_t start = d->out.len, used;

	buf_addslice(&d->out, buf_slice(indent));
	buf_addf(&d->out, "%llu", (unsigned long long)c->seq);
	if (id.len > 0)
		buf_addf(&d->out, " %.*s", SLICE_ARG(id));
	if (d->cli->colour)
		buf_adds(&d->out, "\033[2m");
	buf_addf(&d->out, " %.*s", SLICE_ARG(c->strategy));
	if (c->aside)
		buf_adds(&d->out, ", a summary");
	if (d->cli->colour)
		buf_adds(&d->out, "\033[0m");
	buf_adds(&d->out, "  ");
	used = d->out.len - start;
	conversations_line(&d->out, text,
	    used + 20 < WIDTH ? WIDTH - used : 20);
	buf_addc(&d->out, '\n');
	arena_reset(&d->q->arena);
}

static void
draw_branch_name(struct drawing *d, size_t i, const struct buf *indent)
{
	buf_addslice(&d->out, buf_slice(indent));
	buf_adds(&d->out, "├─ ");
	if (d->cli->colour)
		buf_adds(&d->out, "\033[1;34m");
	buf_addslice(&d->out, d->t->calls[i].branch);
	if (d->cli->colour)
		buf_adds(&d->out, "\033[0m");
	buf_addc(&d->out, '\n');
}

/*
 * A branch from one call on.  Recursion is as deep as branches are nested;
 * beyond DEEPEST they are drawn without further indent, and beyond that named.
 */
static void
draw_branch(struct drawing *d, size_t i, struct buf *indent, unsigned depth)
{
	enum { NESTED = 1000 };
	const struct talk_call *calls = d->t->calls;
	size_t c, on, len = indent->len;

	for (; i != TALK_NONE; i = on) {
		draw_call(d, i, indent);
		on = TALK_NONE;
		for (c = d->child[i]; c != TALK_NONE; c = d->next[c]) {
			if (calls[c].opens && depth < NESTED) {
				draw_branch_name(d, c, indent);
				if (depth < DEEPEST)
					buf_adds(indent, "│  ");
				draw_branch(d, c, indent, depth + 1);
				indent->len = len;
			} else if (calls[c].retry || calls[c].aside ||
			    on != TALK_NONE || calls[c].opens)
				draw_call(d, c, indent);
			else
				on = c;
		}
	}
}

int64_t
conversations_last(const struct talk *t)
{
	int64_t last = t->calls[0].ts;
	size_t i;

	for (i = 1; i < t->n_calls; i++)
		if (t->calls[i].ts > last)
			last = t->calls[i].ts;
	return last;
}

static void
draw(struct drawing *d)
{
	char from[WHEN_TEXT_BYTES], to[WHEN_TEXT_BYTES];
	struct buf indent;

	when_format(d->t->calls[0].ts, from);
	when_format(conversations_last(d->t), to);
	if (d->cli->colour)
		buf_adds(&d->out, "\033[1m");
	buf_addf(&d->out, "v%llu", (unsigned long long)d->t->root);
	if (d->cli->colour)
		buf_adds(&d->out, "\033[0m");
	buf_addf(&d->out, "  %s to %s, %zu %s\n", from, to, d->t->n_calls,
	    d->t->n_calls == 1 ? "call" : "calls");
	buf_init(&indent, 4096);
	buf_adds(&indent, "  ");
	link_children(d);
	draw_branch(d, 0, &indent, 0);
	buf_release(&indent);
	free(d->next);
	free(d->child);
}

/* ---- JSON ---- */

static void
put_call(struct query *q, const struct talk_call *c, struct buf *out)
{
	struct row row;

	row_begin(&row, &q->arena);
	row_number(&row, "seq", c->seq);
	query_talk_cells(q, c->seq, &row);
	row_time(&row, "ts", c->ts);
	row_to_json(out, &row);
	arena_reset(&q->arena);
}

static void
put_branches(const struct talk *t, struct slice branch, struct buf *out)
{
	size_t i, n = 0;

	for (i = 0; i < t->n_calls; i++) {
		if ((i > 0 && !t->calls[i].opens) || (branch.len > 0 &&
			!slice_eq(t->calls[i].branch, branch)))
			continue;
		buf_adds(out, n++ > 0 ? "," : "");
		json_put_str(out, t->calls[i].branch);
	}
}

void
conversations_json(struct query *q, const struct talk *t, struct slice branch,
    struct buf *out)
{
	char when[WHEN_TEXT_BYTES];
	struct slice id;
	size_t i, n = 0;

	(void)conversations_text(q, t->root, &id);
	buf_addf(out, "\"key\":\"v%llu\",\"id\":",
	    (unsigned long long)t->root);
	if (id.len > 0)
		json_put_str(out, id);
	else
		buf_adds(out, "null");
	buf_adds(out, ",\"domain\":");
	json_put_str(out, q->domain);
	when_format(t->calls[0].ts, when);
	buf_addf(out, ",\"started\":\"%s\"", when);
	when_format(conversations_last(t), when);
	buf_addf(out, ",\"last\":\"%s\",\"calls\":%zu,\"branches\":[", when,
	    t->n_calls);
	put_branches(t, branch, out);
	buf_adds(out, "],\"requests\":[");
	for (i = 0; i < t->n_calls; i++) {
		if (branch.len > 0 && !slice_eq(t->calls[i].branch, branch))
			continue;
		buf_adds(out, n++ > 0 ? "," : "");
		put_call(q, &t->calls[i], out);
	}
	buf_adds(out, "]");
}

static void
on_talk(void *data, struct query *q, const struct talk *t)
{
	struct drawing *d = data;

	d->q = q;
	d->t = t;
	d->rows++;
	if (d->cli->json) {
		buf_addc(&d->out, '{');
		conversations_json(q, t, SLICE_NONE, &d->out);
		buf_adds(&d->out, "}\n");
	} else
		draw(d);
	fwrite(d->out.ptr, 1, d->out.len, stdout);
	buf_clear(&d->out);
}

/* ---- the verb ---- */

static int
list(struct cli *cli, struct slice domain, const struct talks_filter *f,
    bool limited)
{
	struct drawing d = { .cli = cli };
	struct db *shared = cli_open(cli, ENV_shared), *linker;
	struct query q;
	bool more = false;

	if (shared == NULL)
		return 1;
	linker = cli_open(cli, ENV_linker);
	if (linker == NULL) {
		db_close(&shared);
		return 1;
	}
	cli_settle(shared, linker, STAGE_linker);
	buf_init(&d.out, SIZE_MAX / 4);
	query_open(&q, shared, NULL, domain);
	query_use_linker(&q, linker);
	query_talks(&q, f, on_talk, &d, &more);
	query_close(&q);
	if (d.rows == 0 && !cli->json)
		fprintf(stderr, "nothing\n");
	if (more && !limited)
		fprintf(stderr, "There are older ones: --limit N shows "
				"more, --json all.\n");
	buf_release(&d.out);
	db_close(&linker);
	db_close(&shared);
	return 0;
}

int
verb_conversations(struct cli *cli, int argc, char **argv)
{
	struct talks_filter f = { .since_ms = INT64_MIN,
		.until_ms = INT64_MAX };
	struct slice domain = SLICE("default");
	uint64_t after = 0;
	bool limited = false;
	const struct option_spec specs[] = {
		{ "since", OPTION_TIME, &f.since_ms, NULL },
		{ "until", OPTION_UNTIL, &f.until_ms, NULL },
		{ "limit", OPTION_NUMBER, &f.limit, &limited },
		{ "domain", OPTION_TEXT, &domain, NULL },
		{ "after", OPTION_NUMBER, &after, NULL },
		{ "user", OPTION_TEXT, &f.user, NULL },
		{ NULL, 0, NULL, NULL } };
	int rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);

	if (rc != 0)
		return rc;
	if (argc > 1)
		return cli_usage(cli, "'%s' is not understood: this verb takes "
		    "options only", argv[1]);
	if (limited && f.limit == 0)
		return cli_usage(cli, "--limit: must be 1 or more");
	if (!limited && !cli->json)
		f.limit = LIMIT_PEOPLE;
	if (after > 0 && cli_wait_tables(cli, after) == -1)
		return 1;
	return list(cli, domain, &f, limited);
}
