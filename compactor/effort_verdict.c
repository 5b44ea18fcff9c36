/*
 * effort_verdict - what the owner's turn says of what was proposed or done
 */
#include "compactor/effort_choose_impl.h"
#include "compactor/effort_how.h"
#include "compactor/effort_words.h"
#include "compactor/effort_words_impl.h"

bool
voices_is_owner(const struct msg_a_work *w, const struct compact_turn *t)
{
	return w != NULL && slice_is(t->role, "user") && !effort_is_other(w, t);
}

bool
voices_is_reported(const struct msg_a_work *w, const struct compact_turn *t)
{
	return effort_is_open(w) && voices_is_owner(w, t) && w->report.len > 0;
}

bool
voices_answer_question(const struct voices *v)
{
	return v->answered != NULL && slice_is(v->answered->act, "question");
}

bool
voices_confirm(const struct voices *v)
{
	return v->answered != NULL && v->answered->confirms;
}

bool
voices_is_offered(const struct msg_a_work *w, const struct compact_turn *t)
{
	return effort_is_open(w) && voices_is_owner(w, t) &&
	    (w->report.len > 0 || w->trying.len > 0);
}

bool
voices_is_given(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v)
{
	return voices_is_offered(w, t) && w->asked && !v->room &&
	    v->answered != NULL &&
	    !slice_is(v->answered->act, "question") &&
	    !slice_is(v->answered->act, "commit") &&
	    (v->answered->number == w->trying_turn ||
		v->answered->number == w->report_turn);
}

size_t
effort_word_count(const struct msg_c_turn *does)
{
	enum { LIGHT = 2200 };
	size_t i, at, n = 0;

	for (i = 0; i < does->n_claims; i++)
		for (at = 0; at < does->claims[i].weights.count; at++)
			n += does->claims[i].weights.at[at] >= LIGHT;
	return n;
}

bool
voices_tell_outcome(const struct compact_turn *t, const struct msg_a_work *w)
{
	return slice_is(t->does->act, "inform") && w->trying.len > 0 &&
	    voices_is_owner(w, t);
}

bool
voices_tell_failure(const struct compact_turn *t, const struct msg_a_work *w,
    const struct voices *v)
{
	if (!voices_is_offered(w, t) || v->answered == NULL || effort_shifts(t) ||
	    slice_is(t->does->act, "accept") ||
	    slice_is(t->does->act, "commit") ||
	    (voices_answer_question(v) && effort_declines(t)))
		return false;
	/* "npm says: no such file": after a report that is how it went. */
	if (v->answered->number == w->report_turn && effort_names_error(t) &&
	    slice_is(t->does->act, "inform"))
		return true;
	if (v->answered->number != w->report_turn &&
	    (v->answered->number != w->trying_turn ||
		(voices_answer_question(v) && !w->suggested &&
		    !effort_did(t))))
		return false;
	return effort_tells_failure(t);
}

/* The other side has told how it is, or does it: nothing is left to do. */
static bool
is_seen_to(const struct msg_a_work *w, const struct voices *v)
{
	return !v->room && v->answered != NULL && !w->suggested &&
	    !voices_answer_question(v) &&
	    v->answered->number == w->trying_turn &&
	    (w->told || effort_promises(w->trying));
}

/*
 * Praise is enough for what was reported or given; what was only proposed has
 * to be said to have helped.
 */
static bool
is_well(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v)
{
	enum { SHORT = 120 };	/* bytes; who tells more tells how it goes on */
	bool done = voices_is_given(w, t, v) || (voices_is_reported(w, t) &&
	    w->report_turn + 1 >= w->last);
	struct effort_mood m;

	if (t->text.len > SHORT || slice_is(t->does->act, "question") ||
	    slice_is(t->does->act, "commit") ||
	    (voices_answer_question(v) &&
		v->answered->number != w->report_turn))
		return false;
	m = effort_mood(t);
	if (m.bad || m.waits)
		return false;
	/* "That works" agrees to what was told, and books nothing. */
	if (w->asked && w->told && !voices_is_reported(w, t))
		m.well = false;
	return m.well || (done && (m.praise || m.used));
}

/*
 * "Stopped it and compose is happy": what was proposed was done, and what is
 * told after that is nothing bad.
 */
static bool
is_carried_out(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v)
{
	enum { SHORT = 160, WORDS = 4 };
	/* "Did it, it asks for a password" */
	WORD_LIST(reports, "says", "asks", "shows", "shown", "prompts", "wants",
	    "gives", "returns", "throws", "complains", "tells", "prints",
	    "said", "gave", "asked", "showed", "see", "sees", "get", "getting",
	    "lists", "only");
	WORD_LIST(later, "will", "i'll", "we'll", "try", "trying", "later",
	    "tomorrow", "tonight", "if", "should", "need", "what", "how", "why",
	    "where", "hm", "hmm", "maybe");
	struct effort_mood m;
	struct words room;

	if (t->text.len > SHORT || effort_surely(t, "question") ||
	    effort_surely(t, "request") || effort_surely(t, "commit") ||
	    w->told || v->answered == NULL ||
	    v->answered->number != w->trying_turn ||
	    (voices_answer_question(v) && !w->suggested) ||
	    effort_tells_failure(t) || !effort_did(t) ||
	    turn_words(t, &room)->count < WORDS ||
	    turn_says(t, &reports) || !effort_how_is_echoed(w, t))
		return false;
	m = effort_mood(t);
	return !m.bad && (!m.waits || !turn_says(t, &later));
}

bool
voices_accept(const struct msg_a_work *w, const struct compact_turn *t,
    const struct voices *v)
{
	if (!voices_is_offered(w, t) || voices_confirm(v) ||
	    (v->answered != NULL && v->answered->fails) ||
	    (!v->room && effort_affirms(t) && v->answered != NULL &&
		(slice_is(v->answered->act, "commit") ||
		    (w->told && !voices_is_reported(w, t)))))
		return false;
	if (voices_is_reported(w, t) && (effort_is_thanks(t) ||
		(!voices_answer_question(v) && w->report_turn == w->last &&
		    (slice_is(t->does->act, "accept") || effort_is_praise(t)))))
		return true;
	if (effort_is_thanks(t) && (voices_is_given(w, t, v) ||
		(v->answered != NULL && v->answered->more) ||
		is_seen_to(w, v)))
		return true;
	if (v->room && effort_has_thanks(t) && effort_tells_deed(w->trying))
		return true;
	/* "Shall I add a new one?" - "No, that's fine" */
	if (voices_is_reported(w, t) && voices_answer_question(v) &&
	    v->answered->number == w->report_turn && effort_declines(t))
		return true;
	if (voices_sound_unsure(v))
		return false;
	if (is_well(w, t, v) || is_carried_out(w, t, v))
		return true;
	return (effort_is_praise(t) && !voices_answer_question(v)) ||
	    effort_thanks_for_outcome(t);
}
