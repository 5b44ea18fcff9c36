/*
 * show - one thing whole: a turn, an entry, a thread, a chain, an artifact, a
 * conversation
 *
 * Everything the store has about it: the entry as journaled, each stage's
 * section, its arrival, its thread.  --why tells each stage's decision field
 * by field, with what the field means, and of a turn how its act came about.
 */
#include <stdio.h>

#include "cli/artifacts.h"
#include "cli/chains.h"
#include "cli/cli.h"
#include "cli/conversations.h"
#include "cli/hashed.h"
#include "cli/links.h"
#include "cli/options.h"
#include "cli/page.h"
#include "cli/why.h"
#include "common/json.h"
#include "store/query.h"

struct shown {
	struct cli *cli;
	struct query *q;
	struct buf out;
	bool why, hash, turns;
	bool page;		/* out is for people as it stands */
};

/* ---- JSON ---- */

static void
put_name(struct buf *out, const char *name)
{
	if (out->ptr[out->len - 1] != '{')
		buf_addc(out, ',');
	buf_addf(out, "\"%s\":", name);
}

static void
put_msg(struct buf *out, const char *name, const struct msg *m)
{
	put_name(out, name);
	if (m->id == MSG_none)
		buf_adds(out, "null");
	else
		msg_to_json(out, m->id, m->as, false);
}

static void
put_arrival(struct shown *s, uint64_t seq)
{
	struct key k = key_u64(seq);
	struct msg_arrival a;

	put_name(&s->out, "arrival");
	if (db_get_msg(s->q->shared, TABLE_arrivals, key_slice(&k),
		MSG_arrival, &s->q->arena, &a))
		msg_to_json(&s->out, MSG_arrival, &a, false);
	else
		buf_adds(&s->out, "null");
}

static void
put_thread(struct shown *s, uint64_t key)
{
	struct row row;

	put_name(&s->out, "thread");
	if (key != 0 && query_thread_row(s->q, key, &row))
		row_to_json(&s->out, &row);
	else
		buf_adds(&s->out, "null");
}

/* Each field that is set, with its meaning: how it was decided. */
static void
put_why(struct shown *s, const struct stage_entry *e)
{
	const struct msg_spec *spec;
	const struct msg *m;
	enum stage_id id;
	size_t i;
	bool first = true;

	put_name(&s->out, "why");
	buf_addc(&s->out, '[');
	for (id = 0; id < STAGE_COUNT; id++) {
		m = &e->sections[id];
		if (m->id == MSG_none)
			continue;
		spec = msg_spec(m->id);
		for (i = 0; i < spec->n_fields; i++) {
			if (msg_is_absent(&spec->fields[i], m->as))
				continue;
			buf_addf(&s->out, "%s{\"stage\":\"%s\",\"field\":"
			    "\"%s\",\"value\":", first ? "" : ",",
			    stage_name(id), spec->fields[i].name);
			msg_json_value(&s->out, &spec->fields[i], m->as);
			buf_adds(&s->out, ",\"means\":");
			json_put_str(&s->out,
			    slice_str(spec->fields[i].what));
			buf_addc(&s->out, '}');
			first = false;
		}
	}
	buf_addc(&s->out, ']');
}

static void
put_explained(struct shown *s, const struct query_thing *thing)
{
	struct why w;

	put_name(&s->out, "explained");
	if (!why_open(&w, s->cli, s->q, thing->seq, thing->i)) {
		buf_adds(&s->out, "null");
		return;
	}
	why_to_json(&w, &s->out);
	why_close(&w);
}

/* What was hashed: each message's normal form, and the system text. */
static void
put_hashed(struct shown *s, const struct stage_entry *e)
{
	const struct msg_exchange *x = &e->entry.as->exchange;
	struct slice text;

	put_name(&s->out, "system");
	if (e->entry.id == MSG_exchange && x->system_hash.len > 0 &&
	    db_get(s->q->shared, TABLE_systems, x->system_hash, &text))
		json_put_str(&s->out, text);
	else
		buf_adds(&s->out, "null");
	put_name(&s->out, "hashed");
	hashed_to_json(s->q, e, &s->out);
}

static void
put_turns(struct shown *s, const struct stage_entry *e)
{
	size_t i, n = query_turn_count(&e->entry);
	struct row row;

	put_name(&s->out, "turns");
	buf_addc(&s->out, '[');
	for (i = 0; i < n; i++) {
		if (i > 0)
			buf_addc(&s->out, ',');
		if (query_turn_row(s->q, e->seq, i, &row))
			row_to_json(&s->out, &row);
		else
			buf_adds(&s->out, "null");
	}
	buf_addc(&s->out, ']');
}

static void
put_entry(struct shown *s, const struct query_thing *thing)
{
	const struct msg *placed;
	struct stage_entry e;
	struct row row;
	enum stage_id id;

	query_entry(s->q, thing->seq, &e);
	placed = &e.sections[STAGE_ingest];
	buf_addf(&s->out, "{\"kind\":\"%s\",\"seq\":%llu,\"key\":\"%llu.%llu\"",
	    e.entry.id == MSG_none ? "unreadable" : msg_spec(e.entry.id)->name,
	    (unsigned long long)thing->seq, (unsigned long long)thing->seq,
	    (unsigned long long)thing->i);
	if (query_turn_row(s->q, thing->seq, thing->i, &row)) {
		put_name(&s->out, "turn");
		row_to_json(&s->out, &row);
	}
	put_msg(&s->out, "entry", &e.entry);
	put_name(&s->out, "sections");
	buf_addc(&s->out, '{');
	for (id = 0; id < STAGE_COUNT; id++)
		put_msg(&s->out, stage_name(id), &e.sections[id]);
	buf_addc(&s->out, '}');
	put_arrival(s, thing->seq);
	put_thread(s, placed->id == MSG_s_ingest ?
	    placed->as->s_ingest.thread : 0);
	if (s->why)
		put_why(s, &e);
	if (s->hash)
		put_hashed(s, &e);
	if (s->turns)
		put_turns(s, &e);
	if (s->why)	/* the last: it gives back what e lies in */
		put_explained(s, thing);
	buf_addc(&s->out, '}');
}

static void
put_thread_turns(struct shown *s, uint64_t key)
{
	struct page_turns page = { &s->out, !s->page, false };
	struct query_sink sink = { page_turn, NULL, &page };
	struct query_filter f = QUERY_ALL;
	bool more;

	f.thread = query_thread_name(s->q, key);
	if (query_turns(s->q, &f, &sink, &more) == -1)
		cli_fail(s->cli, "the thread's turns cannot be found: "
		    "see 'skein check'");
}

static void
put_whole_thread(struct shown *s, uint64_t key)
{
	struct stage_entry e;

	buf_addf(&s->out, "{\"kind\":\"thread\",\"key\":\"t%llu\"",
	    (unsigned long long)key);
	put_thread(s, key);
	if (s->why) {
		query_entry(s->q, key, &e);
		put_why(s, &e);
	}
	if (s->turns) {
		put_name(&s->out, "turns");
		buf_addc(&s->out, '[');
		put_thread_turns(s, key);
		buf_addc(&s->out, ']');
	}
	buf_addc(&s->out, '}');
}

/* ---- for people ---- */

/* The JSON again, a member a line, indented; strings as they are. */
static void
print_lines(struct slice json)
{
	size_t i, depth = 0;
	bool in_string = false;
	char c;

	for (i = 0; i < json.len; i++) {
		c = json.ptr[i];
		if (in_string) {
			putchar(c);
			if (c == '\\')
				putchar(json.ptr[++i]);
			else if (c == '"')
				in_string = false;
			continue;
		}
		if ((c == '}' || c == ']') && depth > 0)
			depth--;
		if ((c == '}' || c == ']') && json.ptr[i - 1] != '{' &&
		    json.ptr[i - 1] != '[')
			printf("\n%*s", (int)(2 * depth), "");
		putchar(c);
		in_string = c == '"';
		if (c == ':')
			putchar(' ');
		if (c == '{' || c == '[')
			depth++;
		if (c == ',' || ((c == '{' || c == '[') &&
			json.ptr[i + 1] != '}' && json.ptr[i + 1] != ']'))
			printf("\n%*s", (int)(2 * depth), "");
	}
	putchar('\n');
}

static void
print_thread(struct shown *s, uint64_t key)
{
	struct row row;

	s->page = true;
	if (query_thread_row(s->q, key, &row))
		page_members(&s->out, &row, "name");
	buf_addc(&s->out, '\n');
	put_thread_turns(s, key);
}

/*
 * The turn, or all turns of an entry where none was named, as pages.  False:
 * there is nothing to say that the JSON would not say better.
 */
static bool
print_pages(struct shown *s, const struct query_thing *thing)
{
	uint64_t i = thing->has_i ? thing->i : 0;
	struct why w;

	while (why_open(&w, s->cli, s->q, thing->seq, i)) {
		if (s->out.len > 0)
			buf_addc(&s->out, '\n');
		why_print(&w, &s->out);
		why_close(&w);
		chains_why(s->q, thing->seq, i, &s->out);
		artifacts_why(s->q, thing->seq, i, &s->out);
		links_why(s->q, thing->seq, &s->out);
		if (thing->has_i)
			break;
		i++;
	}
	s->page = s->out.len > 0;
	return s->page;
}

/* Whether a sender's id is that of something to be remembered. */
static bool
names_memory(struct shown *s, const struct query_thing *thing, struct slice id)
{
	struct stage_entry e;

	if (thing->seq == 0 || (id.ptr[0] >= '0' && id.ptr[0] <= '9'))
		return false;
	query_entry(s->q, thing->seq, &e);
	return e.entry.id == MSG_memory;
}

static bool
show_artifact(struct shown *s, struct slice id)
{
	const struct artifacts_show a = { .q = s->q, .name = id,
		.json = s->cli->json, .why = s->why, .turns = s->turns,
		.out = &s->out };

	s->page = !s->cli->json;
	return artifacts_show(s->cli, &a);
}

static bool
show_link(struct shown *s, struct slice id)
{
	const struct links_show l = { .q = s->q, .name = id,
		.json = s->cli->json, .turns = s->turns, .out = &s->out };

	return links_show(s->cli, &l);
}

/* A conversation of calls; of turns alone it is the thread that began it. */
static bool
show_conversation(struct shown *s, struct slice id)
{
	const struct conversations_show c = { .q = s->q, .name = id,
		.json = s->cli->json, .turns = s->turns, .out = &s->out };
	struct query_thing thing;
	char *thread;

	if (id.len < 2 || id.ptr[0] != 'v')
		return false;
	if (conversations_show(s->cli, &c))
		return true;
	thread = arena_cstr(&s->q->arena, id);
	thread[0] = 't';
	if (!query_find(s->q, slice_str(thread), &thing) || thing.thread == 0)
		return false;
	s->page = false;
	put_whole_thread(s, thing.thread);
	return true;
}

static int
show(struct shown *s, struct slice id)
{
	struct query_thing thing;

	if (!query_find(s->q, id, &thing)) {
		s->page = !s->cli->json;
		if (chains_show(s->cli, s->q, id, s->cli->json, &s->out) ||
		    show_artifact(s, id) || show_link(s, id) ||
		    show_conversation(s, id))
			return 0;
		return cli_fail(s->cli, "there is no '%.*s' in domain %.*s: "
		    "give a turn's key (12.0), an entry's seq (12), a "
		    "thread's key (t12), a chain's (c12.0), an artifact's "
		    "(a12.0), an episode's (p12, x12), a link's (l12), a "
		    "conversation's (v12) or its branch's (v12/branch_2), or "
		    "a sender's id",
		    SLICE_ARG(id), SLICE_ARG(s->q->domain));
	}
	if (names_memory(s, &thing, id) && show_artifact(s, id))
		return 0;
	s->page = false;
	if (thing.thread != 0 && !s->cli->json && !s->why)
		print_thread(s, thing.thread);
	else if (thing.thread != 0)
		put_whole_thread(s, thing.thread);
	else if (!s->why || s->cli->json || !print_pages(s, &thing))
		put_entry(s, &thing);
	return 0;
}

int
verb_show(struct cli *cli, int argc, char **argv)
{
	struct slice domain = SLICE("default");
	struct shown s = { .cli = cli };
	struct db *shared, *ingest, *classify;
	struct query q;
	uint64_t after = 0;
	const struct option_spec specs[] = {
		{ "why", OPTION_FLAG, &s.why, NULL },
		{ "hash", OPTION_FLAG, &s.hash, NULL },
		{ "turns", OPTION_FLAG, &s.turns, NULL },
		{ "domain", OPTION_TEXT, &domain, NULL },
		{ "after", OPTION_NUMBER, &after, NULL },
		{ 0 } };
	struct db_error why;
	int rc;

	rc = options_read(cli, specs, OPERANDS_ANYWHERE, &argc, argv);
	if (rc != 0)
		return rc;
	if (argc != 2)
		return cli_usage(cli, "takes one id or key: 'skein show 12.0'");
	if (after > 0 && cli_wait_tables(cli, after) == -1)
		return 1;
	shared = cli_open(cli, ENV_shared);
	if (shared == NULL)
		return 1;
	ingest = cli_try_open(cli, ENV_ingest, &why);
	buf_init(&s.out, SIZE_MAX / 4);
	classify = cli_try_open(cli, ENV_classify, &why);
	query_open(&q, shared, ingest, domain);
	query_use_classify(&q, classify);
	s.q = &q;
	rc = show(&s, slice_str(argv[1]));
	query_close(&q);
	db_close(&classify);
	db_close(&ingest);
	db_close(&shared);
	if (rc == 0 && s.page)
		fputs(buf_cstr(&s.out), stdout);
	else if (rc == 0 && cli->json)
		puts(buf_cstr(&s.out));
	else if (rc == 0)
		print_lines(buf_slice(&s.out));
	buf_release(&s.out);
	return rc;
}
