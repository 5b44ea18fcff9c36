/*
 * weave - the turns of an entry, brought to their chains
 */
#include "chainer/weave_impl.h"

/* ---- the entry ---- */

size_t
weave_turn_count(const struct stage_entry *e)
{
	if (e->entry.id == MSG_turn)
		return 1;
	return e->entry.id == MSG_exchange ? e->entry.as->exchange.n_added : 0;
}

static const struct msg_c_turn *
classified(const struct stage_entry *e, size_t i)
{
	static const struct msg_c_turn nothing;
	const struct msg *m = &e->sections[STAGE_classify];

	if (m->id != MSG_s_classify || i >= m->as->s_classify.n_turns)
		return &nothing;
	return &m->as->s_classify.turns[i];
}

static struct weave_turn
turn_at(const struct weave *v, size_t i)
{
	const union msg_any *entry = v->entry->entry.as;
	struct weave_turn t = { .i = i, .user = entry->envelope.user,
		.c = classified(v->entry, i) };

	if (v->entry->entry.id == MSG_turn) {
		t.role = entry->turn.role;
		t.text = entry->turn.text;
		t.id = entry->turn.id;
		t.reply_to = entry->turn.reply_to;
	} else {
		t.role = entry->exchange.added[i].role;
		t.text = entry->exchange.added[i].text;
	}
	t.out = &v->section->turns[i];
	return t;
}

/* What a system says is not part of the talk. */
static bool
is_talk(const struct weave_turn *t)
{
	return !slice_is(t->role, "system");
}

/* ---- turns ---- */

/*
 * What a turn concludes is its chain.  One that goes on to ask has not done
 * with that; but what it came from, if it asks about something else, is over.
 */
static void
conclude_turn(struct weave *v, struct weave_turn *t)
{
	uint64_t ref = t->chain;

	if (!t->c->concludes || !weave_is_people(t) || t->out->chain.len == 0)
		return;
	if (weave_is_asking(t->c->act)) {
		if (!t->follows || t->before.chain == ref)
			return;
		ref = t->before.chain;
	}
	weave_conclude(v, t->i, ref, t->c->rule.len > 0 ?
	    arena_printf(work_arena(v->work), "the turn says so (%.*s)",
		SLICE_ARG(t->c->rule)) : SLICE("the turn says so"));
}

static void
decide_turn(struct weave *v, size_t i)
{
	struct weave_turn t = turn_at(v, i);
	size_t nth;

	if (!is_talk(&t))
		return;
	work_approach_nearer(v->work);
	t.cues = cues_of(work_arena(v->work), t.text);
	t.out->closing = t.cues.closing || t.c->concludes;
	weave_find_before(v, &t);
	if (slice_is(t.role, "tool") || t.c->n_claims == 0)
		weave_short(v, &t);
	else
		for (nth = 0; nth < t.c->n_claims; nth++)
			weave_claim(v, &t, nth);
	conclude_turn(v, &t);
	weave_speak(v, &t);
}

void
weave_approach(struct weave *v)
{
	const struct msg_u64s *recent = &work_stream(v->work)->recent;

	work_approach(v->work, recent->at, recent->count);
}

void
weave_decide(struct weave *v)
{
	struct msg_s_chainer *s = v->section;
	size_t i;

	s->n_turns = weave_turn_count(v->entry);
	s->turns = arena_array(work_arena(v->work), s->n_turns,
	    sizeof(s->turns[0]));
	for (i = 0; i < s->n_turns; i++)
		decide_turn(v, i);
	if (s->n_updates == 0)
		return;
	s->formula = slice_str(formula_name(v->rules.formula));
	s->continue_below = v->rules.continue_below;
	s->branch_below = v->rules.branch_below;
	s->revive_below = v->rules.revive_below;
}

static void
apply_update(struct weave *v, const struct msg_h_update *u, size_t index)
{
	const struct msg_c_turn *turn = classified(v->entry, u->turn);
	const struct msg_chain *c = NULL;
	enum chain_kind kind;
	struct topic topic;
	uint64_t ref;
	size_t k;

	if (chain_kind_parse(u->kind, &kind) == 0 &&
	    chain_parse(u->chain, &ref) == 0)
		c = work_step(v->work, kind, ref, u, index);
	for (k = 0; c != NULL && k < u->claims.count; k++) {
		if (u->claims.at[k] >= turn->n_claims)
			continue;
		topic = weave_topic(work_arena(v->work),
		    &turn->claims[u->claims.at[k]]);
		work_claim(v->work, c->ref, &topic);
	}
}

void
weave_apply(struct weave *v)
{
	const struct msg_s_chainer *s = v->section;
	size_t i, at = 0;
	struct weave_turn t;

	for (i = 0; i < s->n_turns && i < weave_turn_count(v->entry); i++) {
		t = turn_at(v, i);
		if (!is_talk(&t))
			continue;
		weave_listen(v, &t);
		for (; at < s->n_updates && s->updates[at].turn <= i; at++)
			apply_update(v, &s->updates[at], at);
		if (chain_parse(t.out->chain, &t.chain) == -1)
			t.chain = 0;
		weave_speak(v, &t);
	}
	/* Of commands: updates without a turn. */
	for (; at < s->n_updates; at++)
		apply_update(v, &s->updates[at], at);
}

/* ---- commands ---- */

static uint64_t
commanded_thread(const struct weave *v)
{
	const struct msg *m = &v->entry->sections[STAGE_ingest];

	return m->id == MSG_s_ingest && m->as->s_ingest.error.len == 0 ?
	    m->as->s_ingest.thread : 0;
}

/*
 * The chain of an effort that was named: the sender's word for it, else the
 * chain that the effort's first turn began.
 */
static uint64_t
effort_chain(const struct weave *v, struct slice effort, struct slice chain)
{
	const struct msg_chain *c;
	uint64_t ref, seq = 0;
	size_t i;

	if (chain.len == 0 || chain_parse(chain, &ref) == -1) {
		for (i = 1; i < effort.len && i < 20 && effort.ptr[i] >= '0' &&
		     effort.ptr[i] <= '9'; i++)
			seq = seq * 10 + (uint64_t)(effort.ptr[i] - '0');
		ref = chain_ref(seq, 0);
	}
	c = work_follow(v->work, ref);
	return c != NULL && slice_eq(c->domain,
		v->entry->entry.as->envelope.domain) ? ref : 0;
}

void
weave_close(struct weave *v)
{
	const struct msg_close *e = &v->entry->entry.as->close;

	if (e->artifact.len > 0)
		weave_conclude(v, 0, effort_chain(v, e->artifact, e->chain),
		    SLICE("its effort was closed"));
	else
		weave_conclude(v, 0,
		    work_thread_chain(v->work, commanded_thread(v)), SLICE("its thread was closed"));
}

void
weave_reopen(struct weave *v)
{
	const struct msg_reopen *e = &v->entry->entry.as->reopen;
	const struct msg_chain *c = work_follow(v->work, e->artifact.len > 0 ?
	    effort_chain(v, e->artifact, e->chain) :
	    work_thread_chain(v->work, commanded_thread(v)));
	struct msg_h_update *u;

	if (c == NULL || work_state(v->work, c) == CHAIN_active)
		return;
	u = weave_add_update(v, KIND_extend, c->ref, 0,
	    arena_printf(work_arena(v->work), "\"%.*s\" was reopened",
		SLICE_ARG(c->topic)));
	u->revives = true;
	(void)work_step(v->work, KIND_extend, c->ref, u,
	    v->section->n_updates - 1);
}
