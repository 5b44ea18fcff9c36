/*
 * forget_select - which entries a wish to forget means
 */
#include <stdlib.h>

#include "common/xmalloc.h"
#include "ingest/forget_impl.h"
#include "ingest/place.h"

/* ---- what was meant ---- */

/* "12" or "12.3"; an artifact's "a12.3" names the entry that made it. */
static bool
read_key(struct slice s, struct forget_turn *out)
{
	size_t at;

	*out = (struct forget_turn){ 0 };
	at = slice_digits(s, 0, &out->seq);
	if (at == 0)
		return false;
	if (at == s.len)
		return true;
	out->has_i = s.ptr[at++] == '.' && at < s.len;
	return out->has_i && slice_digits(s, at, &out->i) == s.len - at;
}

static bool
find_turn(struct stage *st, uint64_t before, struct slice domain,
    struct slice name, struct forget_turn *out)
{
	struct msg_sent sent;

	if (place_sent(st, domain, name, &sent)) {
		*out = (struct forget_turn){ .seq = sent.seq };
		return true;
	}
	return read_key(name, out) && out->seq < before;
}

static bool
find_artifact(struct slice key, struct forget_turn *out)
{
	if (key.len < 2 || key.ptr[0] != 'a' ||
	    !read_key(slice_of(key.ptr + 1, key.len - 1), out))
		return false;
	out->has_i = false;
	return true;
}

int
forget_check(struct stage *st, uint64_t seq, const struct msg_forget *wish,
    struct refusal *refusal)
{
	struct forget_turn named;
	struct msg_sent sent;

	if (slice_is(wish->what, "turn") &&
	    !find_turn(st, seq, wish->domain, wish->target, &named))
		return refuse(refusal, "TURN_NOT_FOUND",
		    "target: there is no turn '%.*s' in this domain",
		    SLICE_ARG(wish->target));
	if (slice_is(wish->what, "artifact") &&
	    !place_sent(st, wish->domain, wish->target, &sent) &&
	    !find_artifact(wish->target, &named))
		return refuse(refusal, "THOUGHT_NOT_FOUND",
		    "target: there is no artifact '%.*s' in this domain",
		    SLICE_ARG(wish->target));
	if (slice_is(wish->what, "thread") &&
	    place_thread(st, wish->domain, wish->target) == 0)
		return refuse(refusal, "THREAD_NOT_FOUND",
		    "target: there is no thread '%.*s' in this domain",
		    SLICE_ARG(wish->target));
	return 0;
}

/* ---- selecting ---- */

static int
by_seq(const void *a, const void *b)
{
	const struct forget_turn *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* The names of the wish, looked up in the tables as they stand. */
static void
read_wish(struct forget *f)
{
	const struct msg_forget *w = f->wish;
	size_t i;

	if (slice_is(w->what, "user") || slice_is(w->what, "domain")) {
		f->what = w->what.ptr[0] == 'u' ? FORGET_USER : FORGET_DOMAIN;
		return;
	}
	if (slice_is(w->what, "thread")) {
		f->what = FORGET_THREAD;
		f->thread = place_thread(f->st, w->domain, w->target);
		return;
	}
	f->what = FORGET_TURNS;
	f->named = xcalloc(w->turns.count + 1, sizeof(f->named[0]));
	if (find_turn(f->st, f->seq, w->domain, w->target, &f->named[0]) ||
	    find_artifact(w->target, &f->named[0]))
		f->n_named++;
	for (i = 0; i < w->turns.count; i++)
		if (find_turn(f->st, f->seq, w->domain, w->turns.at[i],
			&f->named[f->n_named]))
			f->n_named++;
	qsort(f->named, f->n_named, sizeof(f->named[0]), by_seq);
}

static void
select_entry(struct forget *f, uint64_t seq, bool message_only, uint64_t i)
{
	if (f->n_selected == f->room) {
		f->room = f->room == 0 ? 256 : f->room * 2;
		f->selected = xrealloc(f->selected,
		    f->room * sizeof(f->selected[0]));
	}
	f->selected[f->n_selected++] = (struct forget_selected){ seq, message_only, i };
}

/* Entries are selected in the order of the log. */
static bool
has_selected(const struct forget *f, uint64_t seq)
{
	size_t low = 0, high = f->n_selected, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (f->selected[mid].seq < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low < f->n_selected && f->selected[low].seq == seq;
}

/* A model's answer speaks of the turn whose number is in its question. */
static bool
speaks_of_selected(const struct forget *f, struct slice question)
{
	uint64_t n;
	size_t i, digits;

	for (i = 0; i < question.len; i += digits > 0 ? digits : 1) {
		digits = slice_digits(question, i, &n);
		if (digits > 0 && has_selected(f, n))
			return true;
	}
	return false;
}

static bool
is_selected(struct forget *f, const struct stage_entry *e)
{
	const struct msg_envelope *envelope = &e->entry.as->envelope;
	const struct msg *s = &e->sections[STAGE_ingest];
	size_t i;
	bool whole = false;

	if (!slice_eq(envelope->domain, f->wish->domain))
		return false;
	/* An earlier one may still bear the name. */
	if (e->entry.id == MSG_tombstone)
		return f->what == FORGET_USER &&
		    slice_eq(envelope->user, f->wish->target);
	if (e->entry.id == MSG_answer)
		return f->what == FORGET_DOMAIN ||
		    speaks_of_selected(f, e->entry.as->answer.question);
	switch (f->what) {
	case FORGET_DOMAIN:
		return true;
	case FORGET_USER:
		return slice_eq(envelope->user, f->wish->target);
	case FORGET_THREAD:
		return s->id == MSG_s_ingest &&
		    s->as->s_ingest.thread == f->thread;
	case FORGET_TURNS:
		break;
	}
	for (i = 0; i < f->n_named; i++) {
		if (f->named[i].seq != e->seq)
			continue;
		if (e->entry.id != MSG_exchange || !f->named[i].has_i)
			whole = true;
		else
			select_entry(f, e->seq, true, f->named[i].i);
	}
	return whole;
}

/* One pass over the log; the wish itself and what comes after it stay. */
static void
select_entries(struct forget *f)
{
	const struct msg *s;
	struct stage_entry e;
	uint64_t seq;

	f->last = f->st->cursor;
	f->kept = xcalloc(f->last + 1, sizeof(f->kept[0]));
	for (seq = 1; seq <= f->last; seq++) {
		if (!forget_load(f, seq, &e))
			continue;
		s = &e.sections[STAGE_ingest];
		if (seq < f->seq && is_selected(f, &e))
			select_entry(f, seq, false, 0);
		else if (s->id == MSG_s_ingest && s->as->s_ingest.thread != 0 &&
		    s->as->s_ingest.thread <= f->last &&
		    e.entry.id != MSG_tombstone)
			f->kept[s->as->s_ingest.thread]++;
		status_breathe(f->st);
	}
}

void
forget_select(struct forget *f)
{
	derived_begin(f->st);
	read_wish(f);
	derived_abandon(f->st);
	select_entries(f);
}
