/*
 * weave_step - steps in the lives of chains, noted in the section
 */
#include "chainer/weave_impl.h"

enum { SHOWN = 5 };	/* candidates kept for --why */

struct msg_h_update *
weave_add_update(struct weave *v, enum chain_kind kind, uint64_t ref,
    size_t turn, struct slice reason)
{
	struct msg_s_chainer *s = v->section;
	struct arena *arena = work_arena(v->work);
	struct msg_h_update *grown;

	if (s->n_updates == v->cap_updates) {
		v->cap_updates = v->cap_updates == 0 ? 4 : v->cap_updates * 2;
		grown = arena_room(arena, v->cap_updates * sizeof(grown[0]));
		if (s->n_updates > 0)
			memcpy(grown, s->updates,
			    s->n_updates * sizeof(grown[0]));
		s->updates = grown;
	}
	s->updates[s->n_updates] = (struct msg_h_update){
		.kind = chain_kind_name(kind),
		.chain = chain_name(arena, ref),
		.turn = turn,
		.reason = reason,
	};
	return &s->updates[s->n_updates++];
}

static void
add_number(struct arena *arena, struct msg_u64s *list, uint64_t n)
{
	uint64_t *grown = arena_room(arena, (list->count + 1) * sizeof(n));

	if (list->count > 0)
		memcpy(grown, list->at, list->count * sizeof(n));
	grown[list->count] = n;
	*list = (struct msg_u64s){ grown, list->count + 1 };
}

static void
show_candidates(struct arena *arena, const struct weave_field *f,
    struct msg_h_update *u)
{
	const struct candidate *c;
	size_t i;

	u->n_candidates = f->n < SHOWN ? f->n : SHOWN;
	u->candidates = arena_room(arena, u->n_candidates *
	    sizeof(u->candidates[0]));
	for (i = 0; i < u->n_candidates; i++) {
		c = &f->c[i];
		u->candidates[i] = (struct msg_h_candidate){
			.chain = chain_name(arena, c->ref),
			.state = chain_state_name(c->state),
			.distance = c->terms.distance,
			.entity = c->terms.entity,
			.subject = c->terms.subject,
			.keyword = c->terms.keyword,
			.recency = c->terms.recency,
			.adjacency = c->terms.adjacency,
			.cue = c->terms.cue,
			.meaning = c->terms.meaning,
			.course = c->terms.course,
		};
	}
}

/* The turn's chains, each once; the last one is the main claim's. */
void
weave_note_chain(struct weave *v, struct weave_turn *t, uint64_t ref)
{
	struct arena *arena = work_arena(v->work);
	struct msg_strs *chains = &t->out->chains;
	struct slice name = chain_name(arena, ref), *grown;
	size_t i;

	t->chain = ref;
	t->out->chain = name;
	for (i = 0; i < chains->count; i++)
		if (slice_eq(chains->at[i], name))
			return;
	grown = arena_room(arena, (chains->count + 1) * sizeof(grown[0]));
	for (i = 0; i < chains->count; i++)
		grown[i] = chains->at[i];
	grown[i] = name;
	*chains = (struct msg_strs){ grown, i + 1 };
}

/* ---- steps ---- */

/* An exchange of more chains than a ref can count goes on with the last. */
static uint64_t
next_ref(struct weave *v)
{
	uint64_t n = v->n_begun;

	if (n + 1 < 1u << CHAIN_N_BITS)
		v->n_begun++;
	return chain_ref(work_seq(v->work), n);
}

/* Goes on with the turn's last step where that is the same chain. */
static bool
joins_last(const struct weave *v, const struct weave_turn *t,
    const struct choice *choice)
{
	const struct msg_h_update *last;
	uint64_t ref;

	if (choice->kind != KIND_extend || choice->revives ||
	    choice->tied != NULL || v->section->n_updates == 0)
		return false;
	last = &v->section->updates[v->section->n_updates - 1];
	return last->turn == t->i && last->claims.count > 0 &&
	    chain_parse(last->chain, &ref) == 0 &&
	    ref == choice->to->chain->ref;
}

static void
merge(struct weave *v, struct weave_turn *t, const struct msg_chain *a,
    uint64_t other)
{
	struct arena *arena = work_arena(v->work);
	const struct msg_chain *b = work_chain(v->work, other), *hold;
	struct msg_h_update *u;

	if (b == NULL || b->ref == a->ref)
		return;
	if (b->ref < a->ref) {
		hold = a;
		a = b;
		b = hold;
	}
	u = weave_add_update(v, KIND_merge, a->ref, t->i, arena_printf(arena,
	    "\"%.*s\" and \"%.*s\" have become one topic", SLICE_ARG(a->topic),
	    SLICE_ARG(b->topic)));
	u->from = chain_name(arena, b->ref);
	(void)work_step(v->work, KIND_merge, a->ref, u,
	    v->section->n_updates - 1);
	t->adjacent = a;
	weave_note_chain(v, t, a->ref);
}

/* Carries a choice out, for a claim or for a turn without any. */
void
weave_take_step(struct weave *v, struct weave_turn *t,
    const struct choice *choice, const struct topic *claim, size_t nth,
    const struct weave_field *f)
{
	struct arena *arena = work_arena(v->work);
	bool begins = choice->kind != KIND_extend;
	uint64_t tied = choice->tied != NULL ? choice->tied->chain->ref : 0;
	uint64_t ref;
	const struct msg_chain *c;
	struct msg_h_update *u;

	if (joins_last(v, t, choice)) {
		u = &v->section->updates[v->section->n_updates - 1];
		c = work_chain(v->work, choice->to->chain->ref);
	} else {
		ref = begins ? next_ref(v) : choice->to->chain->ref;
		u = weave_add_update(v, choice->kind, ref, t->i,
		    choice->reason);
		u->revives = choice->revives;
		if (choice->kind == KIND_branch)
			u->from = chain_name(arena, choice->to->chain->ref);
		if (begins)
			u->topic = claim->subject;
		if (f != NULL)
			show_candidates(arena, f, u);
		c = work_step(v->work, choice->kind, ref, u,
		    v->section->n_updates - 1);
	}
	if (c == NULL)		/* the entry began as many as it can */
		return;
	if (nth != SIZE_MAX) {
		add_number(arena, &u->claims, nth);
		work_claim(v->work, c->ref, claim);
	}
	t->adjacent = c;
	weave_note_chain(v, t, c->ref);
	if (tied != 0)
		merge(v, t, c, tied);
}

void
weave_conclude(struct weave *v, size_t turn, uint64_t ref, struct slice how)
{
	const struct msg_chain *c = work_follow(v->work, ref);
	struct msg_h_update *u;

	if (c == NULL || chain_state(c) == CHAIN_concluded)
		return;
	u = weave_add_update(v, KIND_conclude, c->ref, turn,
	    arena_printf(work_arena(v->work), "\"%.*s\" was concluded: %.*s",
		SLICE_ARG(c->topic), SLICE_ARG(how)));
	(void)work_step(v->work, KIND_conclude, c->ref, u,
	    v->section->n_updates - 1);
}
