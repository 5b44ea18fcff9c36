/*
 * linker - relate threads and conversations
 *
 * Calls of LLM APIs are joined to conversations, branches, continuations and
 * sub-tasks by exchange.c and its strategies; threads to episodes that go
 * across them by episodes.c.  See skein-linker(8) and docs/LINKING.md.
 */
#include "linker/batch.h"
#include "linker/link.h"

static struct link
link_open(struct stage *st, const struct stage_entry *e,
    struct msg_s_linker *section)
{
	return (struct link){
		.st = st,
		.e = e,
		.section = section,
		.arena = stage_arena(st),
		.conf = stage_conf(st),
	};
}

static bool
is_empty(const struct msg_s_linker *s)
{
	const struct msg_spec *spec = msg_spec(MSG_s_linker);
	size_t i;

	for (i = 0; i < spec->n_fields; i++)
		if (!msg_is_absent(&spec->fields[i], s))
			return false;
	return true;
}

static int
decide(struct stage *st, const struct stage_entry *e, struct msg *section,
    struct msg_error *why)
{
	union msg_any *out = arena_alloc(stage_arena(st), sizeof(*out));
	struct link l = link_open(st, e, &out->s_linker);

	/* Of what was forgotten nothing may be left. */
	if (e->entry.id == MSG_tombstone)
		return 0;
	if (link_place(&l) == NULL) {
		msg_fail(why, "there is no section of ingest");
		return -1;
	}
	exchanges_decide(&l);
	threads_decide(&l);
	if (!is_empty(&out->s_linker))
		*section = (struct msg){ MSG_s_linker, out };
	return 0;
}

static void
apply(struct stage *st, const struct stage_entry *e, const struct msg *section)
{
	struct msg_s_linker none = { 0 }, *s = &none;
	struct link l;

	if (e->entry.id == MSG_tombstone)
		return;
	if (section->id == MSG_s_linker)
		s = (struct msg_s_linker *)&section->as->s_linker;
	l = link_open(st, e, s);
	batch_applies(stage_state(st), e->seq);
	exchanges_apply(&l);
	threads_apply(&l);
}

static void
begin(struct stage *st)
{
	batch_begin(stage_state(st), stage_tables(st));
}

static void
flush(struct stage *st)
{
	batch_flush(stage_state(st), stage_tables(st));
}

static void
start(struct stage *st)
{
	stage_set_state(st, batch_open());
}

static void
stop(struct stage *st)
{
	struct batch *batch = stage_state(st);

	batch_close(&batch);
}

/* Of what earlier stages say, these have nothing to do with linking. */
static const bool unread_lists[MSG_LIMIT] = {
	[MSG_c_sentence] = true,
	[MSG_h_update] = true,
	[MSG_h_check] = true,
	[MSG_h_session] = true,
	[MSG_a_turn] = true,
	[MSG_artifact] = true,
	[MSG_a_touch] = true,
	[MSG_a_weight] = true,
	[MSG_skill] = true,
	[MSG_a_asked] = true,
	[MSG_a_drafts] = true,
};

static const struct stage_spec linker = {
	.id = STAGE_linker,
	.env = ENV_linker,
	.derived = TABLE_linker_derived,
	.unread_lists = unread_lists,
	.last_read = { [STAGE_chainer] = MSGTAG_s_chainer_turns,
	    [STAGE_compactor] = MSGTAG_s_compactor_episodes },
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
	return stage_main(argc, argv, &linker);
}
