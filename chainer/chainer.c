/*
 * chainer - assign claims to thought chains
 *
 * For each turn the chains of its claims, each step with its reason, and what
 * time did meanwhile: chains that fell asleep, sessions that are over.  The
 * topic distance is distance.c's, the choice choose.c's, who answers whom in a
 * room reply.c's; weave.c brings them together on the tables of work.c.  See
 * skein-chainer(8) and docs/CHAINS.md.
 */
#include <stdlib.h>

#include "chainer/memo.h"
#include "chainer/session.h"
#include "common/log.h"
#include "common/xmalloc.h"

struct chainer {
	struct reply_model *model;	/* or NULL */
	struct meaning *meaning;	/* or NULL */
	struct course_model *course;	/* or NULL */
	/*
	 * Applying takes the steps that deciding has just taken, on the same
	 * tables: what was decided last is kept until it is applied.
	 */
	struct weave decided;
	const union msg_any *section;	/* what it came to, or NULL */
};

static struct weave
weave_open(struct stage *st, const struct stage_entry *e,
    struct msg_s_chainer *section)
{
	const struct chainer *c = stage_state(st);
	const struct conf *conf = stage_conf(st);

	memo_trim(st);
	return (struct weave){
		.work = work_open(st, e),
		.entry = e,
		.model = c->model,
		.meaning = c->meaning,
		.course = c->course,
		.section = section,
		.rules = {
			.formula = formula_named(conf->chain_formula),
			.continue_below = (unsigned)conf->chain_continue,
			.branch_below = (unsigned)conf->chain_branch,
			.revive_below = (unsigned)conf->chain_revive,
			.merge_below = (unsigned)conf->chain_merge,
		},
	};
}

static int
decide(struct stage *st, const struct stage_entry *e, struct msg *section,
    struct msg_error *why)
{
	union msg_any *out = arena_alloc(stage_arena(st), sizeof(*out));
	struct msg_s_chainer *s = &out->s_chainer;
	struct chainer *c = stage_state(st);
	struct weave v;

	c->section = NULL;
	/* Of what was forgotten nothing may be left, its time neither. */
	if (e->entry.id == MSG_tombstone)
		return 0;
	if (e->sections[STAGE_ingest].id != MSG_s_ingest) {
		msg_fail(why, "there is no section of ingest");
		return -1;
	}
	v = weave_open(st, e, s);
	weave_approach(&v);
	time_decide(&v);
	if (e->entry.id == MSG_session_end)
		session_end_decide(&v);
	else if (e->entry.id == MSG_close)
		weave_close(&v);
	else if (e->entry.id == MSG_reopen)
		weave_reopen(&v);
	else if (weave_turn_count(e) > 0) {
		session_decide(&v);
		weave_decide(&v);
	}
	if (s->n_turns + s->n_updates + s->n_checks + s->n_sessions == 0)
		return 0;
	*section = (struct msg){ MSG_s_chainer, out };
	c->decided = v;
	c->section = out;
	return 0;
}

static void
apply(struct stage *st, const struct stage_entry *e, const struct msg *section)
{
	struct chainer *c = stage_state(st);
	struct msg_s_chainer s = { 0 };
	struct weave v;

	memo_follow(e->seq);
	if (e->entry.id == MSG_tombstone)
		return;
	if (c->section != NULL && c->section == section->as)
		v = c->decided;
	else {
		if (section->id == MSG_s_chainer)
			s = section->as->s_chainer;
		v = weave_open(st, e, &s);
		time_apply(&v);
		weave_apply(&v);
	}
	c->section = NULL;
	if (weave_turn_count(e) > 0)
		session_apply(&v);
	work_write(v.work);
}

/* Missing weights are a smaller skein; broken ones are a mistake. */
static void
start(struct stage *st)
{
	struct chainer *c = xcalloc(1, sizeof(*c));
	struct buf why;
	char *path;

	stage_set_state(st, c);
	buf_init(&why, 4096);
	path = stage_data_path(st, "reply.model",
	    "who answers whom goes by names alone");
	if (path != NULL) {
		c->model = reply_model_open(path, &why);
		if (c->model == NULL)
			fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	}
	free(path);
	path = stage_data_path(st, "embed.bin",
	    "topics are compared by their words alone");
	if (path != NULL) {
		c->meaning = meaning_open(path, &why);
		if (c->meaning == NULL)
			fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	}
	free(path);
	path = stage_data_path(st, "course.model",
	    "where a turn goes is told by distance alone");
	if (path != NULL) {
		c->course = course_open(path, &why);
		if (c->course == NULL)
			fatalx(EX_REFUSE, "%s", buf_cstr(&why));
	}
	free(path);
	buf_release(&why);
}

static void
stop(struct stage *st)
{
	struct chainer *c = stage_state(st);

	if (c->model != NULL)
		reply_model_close(&c->model);
	meaning_close(&c->meaning);
	course_close(&c->course);
	free(c);
	stage_set_state(st, NULL);
	memo_release();
}

static const struct stage_spec chainer = {
	.id = STAGE_chainer,
	.env = ENV_chainer,
	.derived = TABLE_chainer_derived,
	.decide = decide,
	.apply = apply,
	.begin = memo_begin,
	.flush = memo_flush,
	.start = start,
	.stop = stop,
};

int
main(int argc, char **argv)
{
	return stage_main(argc, argv, &chainer);
}
