/*
 * compactor - turn what was concluded into artifacts
 *
 * What time has done comes first, then the turns: which effort each works on,
 * what it leaves, and whether the thread has grown too long; then commands;
 * then what hangs on the artifacts made: conflicts, episodes.  See effort.h
 * for efforts, kept.h for all else that is kept, package.h for the types,
 * lineage.h for what is remembered by command, and skein-compactor(8).
 */
#include <stdlib.h>

#include "common/log.h"
#include "common/xmalloc.h"
#include "compactor/answer.h"
#include "compactor/checkpoint.h"
#include "compactor/conflict.h"
#include "compactor/digests.h"
#include "compactor/due_times.h"
#include "compactor/effort.h"
#include "compactor/effort_how.h"
#include "compactor/effort_late.h"
#include "compactor/effort_rank.h"
#include "compactor/episode.h"
#include "compactor/kept.h"
#include "compactor/lineage.h"
#include "compactor/package_decide.h"
#include "compactor/similar.h"
#include "compactor/stance.h"
#include "compactor/tokens.h"

static bool
is_command(const struct compact *c)
{
	return c->e->entry.id == MSG_close || c->e->entry.id == MSG_reopen;
}

static void
decide_turn(struct effort_state *s, const struct compact_turn *t)
{
	struct compact *c = s->c;
	struct msg_a_turn *is = compact_a_turn(c, t->i);
	struct effort_signs signs = { 0 };

	is->tokens = tokens_of(c->conf, t->text) + TOKENS_MESSAGE;
	if (slice_is(t->role, "user") && !t->does->machine) {
		signs.opens = package_opens(c, t, "effort");
		signs.concludes = package_concludes(c, t, "effort");
		signs.decides = package_opens(c, t, "decision");
		signs.dated = package_opens(c, t, "event");
		signs.aside = kept_is_aside(c, t);
	}
	checkpoint_decide(s, t);
	effort_decide(s, t, &signs);
	kept_decide(s, t, signs.decides);
	effort_late_note(s, t);
	effort_state_take(s, t, is);
}

static void
decide_turns(struct compact *c)
{
	struct msg_a_thread before;
	struct effort_state s;
	struct compact_turn t;
	size_t i, n = compact_turn_count(c);

	effort_state_read(&s, c);
	before = s.thread;
	for (i = 0; i < n; i++) {
		t = compact_turn(c, i);
		decide_turn(&s, &t);
	}
	if (n == 1)
		effort_state_keep(&s, &before, compact_a_turn(c, 0));
	package_decide(c);
}

static int
decide(struct stage *st, const struct stage_entry *e, struct msg *section,
    struct msg_error *why)
{
	union msg_any *out = arena_alloc(stage_arena(st), sizeof(*out));
	struct compact c;

	/* Of what was forgotten nothing may be left, its time neither. */
	if (e->entry.id == MSG_tombstone)
		return 0;
	if (e->sections[STAGE_ingest].id != MSG_s_ingest) {
		msg_fail(why, "there is no section of ingest");
		return -1;
	}
	compact_open(&c, st, e, &out->s_compactor);
	kept_expire(&c);
	effort_raise(&c);
	if (compact_turn_count(&c) > 0)
		decide_turns(&c);
	else if (is_command(&c)) {
		effort_command(&c);
		package_decide(&c);
	} else {
		lineage_decide(&c);
		answer_decide(&c);
	}
	conflict_decide(&c);
	episode_decide(&c);
	answer_ask(&c);
	if (compact_finish(&c))
		*section = (struct msg){ MSG_s_compactor, out };
	return 0;
}

/* An effort's own thread where a command names the effort. */
static uint64_t
changed_thread(const struct compact *c)
{
	if (c->thread != 0 || c->section->n_artifacts == 0)
		return c->thread;
	return is_command(c) ? c->section->artifacts[0].thread : 0;
}

static void
take_turns(struct effort_state *s, struct compact *c)
{
	const struct msg_s_compactor *section = c->section;
	size_t i, n = compact_turn_count(c);
	struct compact_turn t;

	effort_state_read(s, c);
	for (i = 0; i < n && i < section->n_turns; i++) {
		t = compact_turn(c, i);
		effort_state_take(s, &t, &section->turns[i]);
	}
}

static void
apply_turns(struct compact *c)
{
	size_t n = compact_turn_count(c);
	uint64_t thread = changed_thread(c);
	struct effort_state s;

	if (n == 0 && !is_command(c))
		return;
	if (n == 0)
		effort_state_read_thread(&s, c, thread);
	else if (!effort_state_kept(&s, c))
		take_turns(&s, c);
	effort_state_settle(&s);
	effort_state_write(&s, thread);
}

static void
apply(struct stage *st, const struct stage_entry *e, const struct msg *section)
{
	struct msg_s_compactor s = { 0 };
	struct compact c;

	if (e->entry.id == MSG_tombstone) {
		lineage_forgotten(st, e->entry.as->envelope.domain, e->seq);
		return;
	}
	if (section->id == MSG_s_compactor)
		s = section->as->s_compactor;
	compact_open(&c, st, e, &s);
	compact_apply(&c);
	apply_turns(&c);
	kept_apply(&c);
	conflict_apply(&c);
	package_apply(&c);
	lineage_apply(&c);
	episode_apply(&c);
}

static void
begin(struct stage *st)
{
	struct compact_tools *tools = stage_state(st);
	size_t i;

	for (i = 0; i < TABLE_COUNT; i++)
		if (tools->rows[i] != NULL)
			rows_resume(tools->rows[i], stage_tables(st));
	due_times_resume(tools->kept_times, stage_tables(st));
	due_times_resume(tools->episode_times, stage_tables(st));
	due_times_resume(tools->idle_times, stage_tables(st));
	digests_resume(tools->digests, stage_tables(st));
}

static void
flush(struct stage *st)
{
	struct compact_tools *tools = stage_state(st);
	size_t i;

	for (i = 0; i < TABLE_COUNT; i++)
		if (tools->rows[i] != NULL)
			rows_flush(tools->rows[i], stage_tables(st));
	digests_flush(tools->digests, stage_tables(st));
}

static void
open_rows(struct rows **rows)
{
	rows[TABLE_effort_threads] = rows_open(TABLE_effort_threads,
	    MSG_a_thread);
	rows[TABLE_effort_streams] = rows_open(TABLE_effort_streams,
	    MSG_a_stream);
	rows[TABLE_artifacts] = rows_open(TABLE_artifacts, MSG_artifact);
	rows[TABLE_similar_words] = rows_open(TABLE_similar_words,
	    MSG_similar_refs);
}

/* ---- weights: missing ones are a smaller skein, broken ones a mistake ---- */

static struct linear *
open_linear(struct stage *st, const struct linear_spec *spec,
    const char *without)
{
	char *name = xasprintf("%s.model", spec->name);
	char *path = stage_data_path(st, name, without);
	struct linear *m = NULL;
	struct buf why;

	buf_init(&why, 4096);
	if (path != NULL) {
		m = linear_open(spec, path, &why);
		if (m == NULL)
			fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	}
	buf_release(&why);
	free(path);
	free(name);
	return m;
}

static struct effort_rank *
open_rank(struct stage *st)
{
	char *path = stage_data_path(st, "rank.model",
	    "the latest sentence that may tell how an effort ended does");
	struct effort_rank *rank = NULL;
	struct buf why;

	buf_init(&why, 4096);
	if (path != NULL) {
		rank = effort_rank_open(path, &why);
		if (rank == NULL)
			fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	}
	buf_release(&why);
	free(path);
	return rank;
}

static void
open_models(struct stage *st, struct compact_tools *tools)
{
	tools->stance = open_linear(st, &stance_spec,
	    "what a turn does to an effort is told by rules alone");
	tools->how = open_linear(st, &how_spec,
	    "how an effort ended is not told by words");
	linear_join(tools->how, tools->stance);
	tools->rank = open_rank(st);
}

/* A setting that cannot be read is a mistake; so is a home without types. */
static void
start(struct stage *st)
{
	struct compact_tools *tools = xcalloc(1, sizeof(*tools));
	struct buf why;

	buf_init(&why, 4096);
	if (tokens_check(stage_conf(st), &why) == -1)
		fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	tools->packages = packages_open(stage_conf(st), &why);
	if (tools->packages == NULL)
		fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	packages_report(tools->packages);
	tools->similar = similar_open(stage_conf(st), &why);
	if (tools->similar == NULL)
		fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	buf_release(&why);
	open_models(st, tools);
	open_rows(tools->rows);
	tools->kept_times = due_times_open();
	tools->episode_times = due_times_open();
	tools->idle_times = due_times_open();
	tools->digests = digests_open();
	stage_set_state(st, tools);
}

static void
stop(struct stage *st)
{
	struct compact_tools *tools = stage_state(st);
	size_t i;

	for (i = 0; i < TABLE_COUNT; i++)
		rows_close(&tools->rows[i]);
	due_times_close(&tools->kept_times);
	due_times_close(&tools->episode_times);
	due_times_close(&tools->idle_times);
	digests_close(&tools->digests);
	similar_close(&tools->similar);
	linear_close(&tools->stance);
	linear_close(&tools->how);
	effort_rank_close(&tools->rank);
	packages_close(&tools->packages);
	free(tools);
}

/* Of what earlier stages say, these make no artifact. */
static const bool unread_lists[MSG_LIMIT] = {
	[MSG_h_candidate] = true,
	[MSG_h_check] = true,
};

static const struct stage_spec compactor = {
	.id = STAGE_compactor,
	.env = ENV_compactor,
	.derived = TABLE_compactor_derived,
	.unread_lists = unread_lists,
	.decide = decide,
	.apply = apply,
	.begin = begin,
	.flush = flush,
	.start = start,
	.stop = stop,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &compactor);
}
