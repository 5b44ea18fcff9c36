/*
 * artifacts_show - one artifact, episode or skill whole, for `show`
 */
#include <stdio.h>

#include "cli/artifacts.h"
#include "cli/page.h"
#include "common/when.h"

/* How it came to be what it is: the state, when, by which entry, its words. */
static void
print_history(struct buf *out, const struct msg_artifact *a)
{
	char when[WHEN_TEXT_BYTES];
	size_t i;

	buf_adds(out, "\nhow it came about\n");
	for (i = 0; i < a->n_history; i++) {
		when_format(a->history[i].at, when);
		buf_addf(out, "  %s  %-9.*s entry %llu  %.*s\n", when,
		    SLICE_ARG(a->history[i].status),
		    (unsigned long long)a->history[i].seq,
		    SLICE_ARG(a->history[i].text));
	}
	if (a->package.len > 0)
		buf_addf(out, "  package %.*s, confidence %llu of 1000\n",
		    SLICE_ARG(a->package), (unsigned long long)a->confidence);
}

/* What each entry that gave it a state said of it. */
static void
put_why(const struct artifacts_show *s, const struct msg_artifact *a)
{
	const struct msg_s_compactor *c;
	struct stage_entry e;
	bool any = false;
	size_t i, k;

	buf_adds(s->out, ",\"why\":[");
	for (i = 0; i < a->n_history; i++) {
		query_entry(s->q, a->history[i].seq, &e);
		if (e.sections[STAGE_compactor].id != MSG_s_compactor)
			continue;
		c = &e.sections[STAGE_compactor].as->s_compactor;
		for (k = 0; k < c->n_turns; k++) {
			if (c->turns[k].why.len == 0)
				continue;
			buf_addf(s->out, "%s{\"turn\":\"%llu.%zu\",\"status\":"
			    "\"%.*s\",\"said\":", any ? "," : "",
			    (unsigned long long)e.seq, k,
			    SLICE_ARG(a->history[i].status));
			msg_to_json(s->out, MSG_a_turn, &c->turns[k], false);
			buf_addc(s->out, '}');
			any = true;
		}
	}
	buf_addc(s->out, ']');
}

static void
show_artifact(const struct cli *cli, const struct artifacts_show *s,
    const struct msg_artifact *a)
{
	struct page_turns page = { s->out, s->json, false };
	struct query_sink sink = { page_turn, NULL, &page };
	struct row row;

	query_artifact_row(s->q, a, cli->conf.weight_half_life * WHEN_DAY_MS,
	    &row);
	page_begin(s->out, s->json, "artifact", "summary", &row);
	if (s->turns) {
		buf_adds(s->out, s->json ? ",\"turns\":[" : "\n");
		query_artifact_turns(s->q, a, &sink);
		buf_adds(s->out, s->json ? "]" : "");
	}
	if (s->why && s->json)
		put_why(s, a);
	else if (s->why)
		print_history(s->out, a);
	buf_adds(s->out, s->json ? "}" : "");
}

/* The turns that its summaries stand for: they are all kept. */
static void
show_episode(const struct cli *cli, const struct artifacts_show *s,
    const struct msg_episode *e)
{
	struct row row;

	query_episode_row(s->q, e, &row);
	page_begin(s->out, s->json, "episode", "name", &row);
	if (s->turns && e->linked_threads.count > 0)
		page_thread_turns(cli, s->q, &e->linked_threads, s->json,
		    s->out);
	buf_adds(s->out, s->json ? "}" : "");
}

static bool
show_found(const struct cli *cli, const struct artifacts_show *s,
    struct db_txn *txn)
{
	struct msg_artifact a;
	struct msg_episode e;
	struct msg_skill k;
	struct row row;

	if (query_artifact(s->q, txn, s->name, &a))
		show_artifact(cli, s, &a);
	else if (query_episode(s->q, txn, s->name, &e))
		show_episode(cli, s, &e);
	else if (query_skill(s->q, txn, s->name, &k)) {
		query_skill_row(s->q, &k, &row);
		page_begin(s->out, s->json, "skill", "when", &row);
		buf_adds(s->out, s->json ? "}" : "");
	} else
		return false;
	return true;
}

bool
artifacts_show(const struct cli *cli, const struct artifacts_show *s)
{
	struct db_error why;
	struct db *db = cli_try_open(cli, ENV_compactor, &why);
	struct db_txn *txn;
	bool there;

	if (db == NULL)
		return false;
	txn = db_read(db);
	there = show_found(cli, s, txn);
	db_abort(&txn);
	db_close(&db);
	return there;
}

void
artifacts_why(struct query *q, uint64_t seq, uint64_t i, struct buf *out)
{
	const struct msg_a_turn *t;
	struct stage_entry e;
	size_t k;

	query_entry(q, seq, &e);
	if (e.sections[STAGE_compactor].id != MSG_s_compactor ||
	    i >= e.sections[STAGE_compactor].as->s_compactor.n_turns)
		return;
	t = &e.sections[STAGE_compactor].as->s_compactor.turns[i];
	if (t->effort.len + t->why.len + t->artifacts.count == 0)
		return;
	buf_addf(out, "\neffort %.*s: %.*s\n", SLICE_ARG(t->effort.len > 0 ?
	    t->effort : SLICE("none")), SLICE_ARG(t->why));
	for (k = 0; k < t->artifacts.count; k++)
		buf_addf(out, "  touches %.*s\n",
		    SLICE_ARG(t->artifacts.at[k]));
}
