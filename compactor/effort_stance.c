/*
 * effort_stance - what the model says of a turn, where it is sure of it
 *
 * The rules stand: the model speaks where they are silent, and holds them back
 * where it is sure of the contrary.  How sure it has to be was chosen on the
 * dialogues that may be read (compactor/train/README.md).
 */
#include "compactor/effort_choose_impl.h"
#include "compactor/effort_words.h"

/* Thousandths of log odds. */
enum {
	OPENS = 1000,
	WELL = 700,
	WELL_UNASKED = 1500,	/* nobody has proposed or done anything */
	BAD = 1000,
	NEVER = -2500,
	/* Friends wish and praise all day, and nothing is to be done. */
	AMONG_PEOPLE = 1500,
};

static enum stance_after
after_of(const struct compact_turn *t, const struct voices *v)
{
	if (v->answered == NULL)
		return AFTER_none;
	if (slice_is(v->answered->role, "user") &&
	    slice_eq(v->answered->user, t->user))
		return AFTER_self;
	if (slice_is(v->answered->act, "question"))
		return AFTER_ask;
	return v->adjacent != NULL &&
		v->adjacent->report_turn == v->answered->number ?
	    AFTER_report : AFTER_propose;
}

static bool
is_among_people(const struct effort_state *s, const struct compact_turn *t)
{
	size_t i;

	for (i = 0; i < s->thread.n_last; i++)
		if (slice_is(s->thread.last[i].role, "user") &&
		    !slice_eq(s->thread.last[i].user, t->user))
			return true;
	return false;
}

/* Most turns are told by rules: the model is asked when it counts. */
static int32_t
lead_of(const struct voices *v, enum stance stance)
{
	struct linear *m = v->state->c->stance;
	struct heard *h = v->heard;

	if (h->asked || m == NULL)
		return h->says.lead[stance];
	h->asked = true;
	h->says = stance_read(m, v->turn->text, after_of(v->turn, v));
	if (is_among_people(v->state, v->turn)) {
		h->says.lead[STANCE_opens] -= AMONG_PEOPLE;
		h->says.lead[STANCE_well] -= AMONG_PEOPLE;
	}
	return h->says.lead[stance];
}

bool
voices_sound_open(const struct voices *v)
{
	return lead_of(v, STANCE_opens) >= OPENS;
}

bool
voices_sound_shut(const struct voices *v)
{
	return lead_of(v, STANCE_opens) <= NEVER;
}

bool
voices_sound_well(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v)
{
	int32_t least = voices_is_offered(w, t) ? WELL : WELL_UNASKED;

	return effort_is_open(w) && voices_is_owner(w, t) &&
	    lead_of(v, STANCE_well) >= least;
}

bool
voices_sound_unsure(const struct voices *v)
{
	return lead_of(v, STANCE_well) <= NEVER;
}

bool
voices_sound_bad(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v)
{
	return voices_is_offered(w, t) && lead_of(v, STANCE_bad) >= BAD;
}
