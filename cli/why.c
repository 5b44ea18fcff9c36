/*
 * why - how classify came to say what it says of a turn
 *
 * Here the turn is read again; why_print.c tells it.
 */
#include "cli/why.h"

#include "classify/model.h"

enum { FEATURES_SHOWN = 8 };

/* ---- what the stage knew of the thread ---- */

static struct slice
turn_text(const struct msg *entry, uint64_t i, struct slice *role)
{
	const struct msg_xmessage *m;

	if (entry->id == MSG_turn) {
		*role = entry->as->turn.role;
		return entry->as->turn.text;
	}
	m = &entry->as->exchange.added[i];
	*role = m->role;
	return m->text;
}

static const struct msg_c_turn *
section_turn(const struct stage_entry *e, uint64_t i)
{
	const struct msg *m = &e->sections[STAGE_classify];

	if (i >= query_turn_count(&e->entry) || m->id != MSG_s_classify ||
	    i >= m->as->s_classify.n_turns)
		return NULL;
	return &m->as->s_classify.turns[i];
}

static bool
find_turn(struct query *q, uint64_t thread, uint64_t number,
    struct msg_place *out)
{
	struct key k = key_pair(thread, number);

	return q->ingest != NULL && db_get_msg(q->ingest, TABLE_thread_turns,
	    key_slice(&k), MSG_place, &q->arena, out);
}

/* Texts stay where they are for as long as the view: in the store's map. */
static void
follow_turns(struct why *w, uint64_t thread, uint64_t before)
{
	const struct msg_c_turn *turn;
	struct stage_entry e;
	struct msg_place p;
	struct slice role, text;
	uint64_t n;

	for (n = 1; n < before && find_turn(w->q, thread, n, &p); n++) {
		query_entry(w->q, p.seq, &e);
		turn = section_turn(&e, p.i);
		if (turn != NULL) {
			text = turn_text(&e.entry, p.i, &role);
			talk_after(&w->talk, e.entry.as->envelope.user, role,
			    text, turn, &w->arena);
		}
		arena_reset(&w->q->arena);
	}
}

/*
 * The thread before its turn number `before`, as the stage came to know it: a
 * branch begins with what its parent was, if it left from the parent's end.
 */
static void
follow_thread(struct why *w, uint64_t thread, uint64_t before)
{
	const struct msg_s_ingest *placed;
	struct msg_place next;
	struct stage_entry e;
	uint64_t parent = 0, turn = 0;

	query_entry(w->q, thread, &e);
	placed = &e.sections[STAGE_ingest].as->s_ingest;
	if (e.sections[STAGE_ingest].id == MSG_s_ingest) {
		parent = placed->parent_thread;
		turn = placed->parent_turn;
	}
	/* A parent is older; anything else would go round. */
	if (parent > 0 && parent < thread &&
	    (!find_turn(w->q, parent, turn + 1, &next) || next.seq >= thread))
		follow_thread(w, parent, turn + 1);
	follow_turns(w, thread, before);
}

/* ---- reading again ---- */

static void
ask_again(struct why *w)
{
	const struct model *model = engine_model(w->engine);
	const struct act_turn *turn = &w->reading.turn;
	size_t at = 0, len = w->text.len;
	struct slice own;

	if (model == NULL || turn->count == 0)
		return;
	if (turn->count == 1) {
		at = turn->sentences[0].at;
		len = turn->sentences[0].len;
	}
	own = sift_own(&w->arena, w->text, &w->reading.sifted, at, len);
	model_score(model, own, &w->context, w->scores);
	model_explain(model, own, &w->context, FEATURES_SHOWN, &w->features);
}

static void
read_again(struct why *w)
{
	const struct act_verdict *whole = &w->reading.turn.whole;

	w->context = talk_context(&w->talk, w->e.entry.as->envelope.user,
	    w->role, &w->arena);
	read_turn(w->engine, &w->arena, w->text, &w->context, &w->reading);
	w->differs = !slice_is(w->stored->act, act_name(whole->act)) ||
	    !slice_eq(w->stored->rule, whole->rule) ||
	    w->stored->confidence != whole->confidence;
	ask_again(w);
}

bool
why_open(struct why *w, const struct cli *cli, struct query *q, uint64_t seq,
    uint64_t i)
{
	const struct msg *placed;
	struct msg revision;

	*w = (struct why){ .q = q, .seq = seq, .i = i };
	arena_init(&w->arena);
	buf_init(&w->trouble, 4096);
	buf_init(&w->features, 1 << 16);
	query_entry(q, seq, &w->e);
	placed = &w->e.sections[STAGE_ingest];
	if (section_turn(&w->e, i) == NULL || placed->id != MSG_s_ingest) {
		why_close(w);
		return false;
	}
	follow_thread(w, placed->as->s_ingest.thread,
	    placed->as->s_ingest.first_turn + i);
	query_entry(q, seq, &w->e);	/* its arena was given back */
	w->stored = section_turn(&w->e, i);
	w->text = turn_text(&w->e.entry, i, &w->role);
	if (query_revision(q, seq, i, &w->revised_by, &revision))
		w->revised = &revision.as->s_classify.turns[0];
	w->engine = engine_open(&cli->conf, &w->trouble);
	if (w->engine != NULL)
		read_again(w);
	return true;
}

void
why_close(struct why *w)
{
	engine_close(&w->engine);
	buf_release(&w->trouble);
	buf_release(&w->features);
	arena_release(&w->arena);
}
