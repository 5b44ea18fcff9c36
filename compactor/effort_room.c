/*
 * effort_room - whose effort a turn is about, among several people
 */
#include "compactor/effort_choose_impl.h"
#include "compactor/effort_words.h"

struct msg_a_work *
voices_latest_open(const struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_work *but)
{
	struct msg_a_work *w;
	size_t i;

	for (i = 0; i < s->thread.n_works; i++) {
		w = &s->thread.works[i];
		if (w != but && effort_is_open(w) && voices_is_owner(w, t))
			return w;
	}
	return NULL;
}

bool
room_is_recent(const struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_work *w)
{
	enum { RECENT = 12 };

	return w->last + RECENT >= t->number && voices_latest_open(s, t, w) == NULL;
}

bool
room_is_advice(const struct effort_state *s, const struct compact_turn *t,
    const struct voices *v)
{
	if (!v->room || v->answered == NULL ||
	    (effort_speaks_of_self(t) && !effort_speaks_of_other(t)))
		return false;
	if (slice_is(t->does->act, "request"))
		return !slice_eq(v->answered->user, t->user) ||
		    (v->adjacent == NULL &&
			!slice_is(v->answered->act, "greeting"));
	return !slice_eq(v->answered->user, t->user) &&
	    effort_unaddressed(s, t->text).len < t->text.len;
}

/* The speaker's latest turn was about this effort of another. */
static bool
is_helping(const struct effort_state *s, const struct compact_turn *t,
    const struct msg_a_work *w)
{
	size_t i;

	for (i = 0; i < s->thread.n_last; i++)
		if (slice_eq(s->thread.last[i].user, t->user))
			return slice_eq(s->thread.last[i].effort, w->key);
	return false;
}

struct msg_a_work *
room_remarked_on(const struct effort_state *s, const struct compact_turn *t,
    const struct effort_signs *signs, const struct voices *v)
{
	enum { RECENT = 4, TOLD = 720 };
	struct msg_a_work *w;
	size_t i;

	if (!v->room || signs->opens == 0 || signs->opens > TOLD ||
	    (v->answered != NULL && !slice_eq(v->answered->user, t->user)) ||
	    !slice_is(t->does->act, "inform"))
		return NULL;
	for (i = 0; i < s->thread.n_works; i++) {
		w = &s->thread.works[i];
		if (effort_is_open(w) && !voices_is_owner(w, t) &&
		    w->last + RECENT >= t->number &&
		    (!effort_speaks_of_self(t) || is_helping(s, t, w)))
			return w;
	}
	return NULL;
}

struct msg_a_work *
room_talked_of(const struct effort_state *s, const struct compact_turn *t,
    const struct voices *v)
{
	const struct msg_a_said *last = s->thread.last;
	struct msg_a_work *w;

	if (s->thread.n_last == 0 || effort_shifts(t) ||
	    slice_eq(last[0].user, t->user) ||
	    (v->answered != NULL && !slice_eq(v->answered->user, t->user)))
		return NULL;
	w = effort_work(s, last[0].effort);
	return effort_is_open(w) ? w : NULL;
}

struct msg_a_work *
room_settled_in(const struct effort_state *s, const struct compact_turn *t,
    struct msg_a_work *w)
{
	enum { RECENT = 8 };
	const struct msg_artifact *a;
	size_t i;

	for (i = 0; w == NULL && i < s->thread.n_works; i++) {
		a = compact_read(s->c, s->thread.works[i].key);
		if (effort_is_open(&s->thread.works[i]) && a != NULL &&
		    s->thread.works[i].last + RECENT >= t->number &&
		    effort_is_choice(a->summary))
			w = &s->thread.works[i];
	}
	return w;
}
