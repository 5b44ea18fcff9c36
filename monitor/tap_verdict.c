/*
 * tap_verdict - what a stage says of an entry, in a few words
 *
 *   classify   inform 0.90 opens
 *   chainer    create c1.0 (auth issue)
 *   compactor  opened a1.0 effort open (fix the login)
 *   linker     exact on 12; LINK t40 to t12 0.63
 *
 * The words of the entry follow after a bar.  A section that has nothing to
 * tell gives nothing: most turns link to nothing.
 */
#include "monitor/tap.h"

static const char *
separator(const struct buf *out, size_t begin)
{
	return out->len > begin ? ", " : "";
}

static void
put_thousandths(struct buf *out, uint64_t n)
{
	buf_addf(out, " %llu.%02llu", (unsigned long long)n / 1000,
	    (unsigned long long)n % 1000 / 10);
}

static void
put_error(struct buf *out, struct slice error)
{
	if (error.len > 0)
		buf_addf(out, "error=%.*s", SLICE_ARG(error));
}

static void
put_acts(struct buf *out, const struct msg_s_classify *s)
{
	const struct msg_c_turn *t;
	size_t i;

	for (i = 0; i < s->n_turns; i++) {
		t = &s->turns[i];
		buf_addf(out, "%s%.*s", i > 0 ? ", " : "", SLICE_ARG(t->act));
		put_thousandths(out, t->confidence);
		buf_addf(out, "%s%s%s%s", t->concludes ? " concludes" : "",
		    t->decides ? " decides" : "", t->opens ? " opens" : "",
		    t->returns ? " returns" : "");
	}
}

static void
put_steps(struct buf *out, const struct msg_s_chainer *s)
{
	const struct msg_h_update *u;
	size_t i;

	for (i = 0; i < s->n_updates; i++) {
		u = &s->updates[i];
		buf_addf(out, "%s%.*s %.*s", i > 0 ? ", " : "",
		    SLICE_ARG(u->kind), SLICE_ARG(u->chain));
		if (u->topic.len > 0)
			buf_addf(out, " (%.*s)", SLICE_ARG(u->topic));
	}
}

static bool
tells_of(const struct msg_s_compactor *s, struct slice key)
{
	size_t i;

	for (i = 0; i < s->n_artifacts; i++)
		if (slice_eq(s->artifacts[i].key, key))
			return true;
	return false;
}

/* A turn's own effort, unless it is told whole below. */
static void
put_efforts(struct buf *out, const struct msg_s_compactor *s, size_t begin)
{
	const struct msg_a_turn *t;
	size_t i;

	for (i = 0; i < s->n_turns; i++) {
		t = &s->turns[i];
		if (t->why.len == 0 || tells_of(s, t->effort))
			continue;
		buf_addf(out, "%s%.*s", separator(out, begin),
		    SLICE_ARG(t->why));
		if (t->effort.len > 0)
			buf_addf(out, " %.*s", SLICE_ARG(t->effort));
	}
}

/* What was tried in vain is over too; its history says how. */
static struct slice
outcome_of(const struct msg_artifact *a)
{
	return a->parent.len > 0 && a->n_history > 0 &&
	    slice_is(a->history[a->n_history - 1].status, "failed") ?
	    SLICE("failed") : a->status;
}

static void
put_made(struct buf *out, const struct msg_s_compactor *s)
{
	const struct msg_artifact *a;
	size_t begin = out->len, i;

	put_error(out, s->error);
	put_efforts(out, s, begin);
	for (i = 0; i < s->n_artifacts; i++) {
		a = &s->artifacts[i];
		buf_addf(out, "%s%.*s %.*s %.*s (%.*s)", separator(out, begin),
		    SLICE_ARG(a->type), SLICE_ARG(a->key),
		    SLICE_ARG(outcome_of(a)), SLICE_ARG(a->summary));
	}
	for (i = 0; i < s->n_episodes; i++)
		buf_addf(out, "%sepisode %.*s", separator(out, begin),
		    SLICE_ARG(s->episodes[i].key));
	for (i = 0; i < s->n_skills; i++)
		buf_addf(out, "%sskill %.*s", separator(out, begin),
		    SLICE_ARG(s->skills[i].key));
	if (s->result.len > 0)
		buf_addf(out, "%sdone %.*s", separator(out, begin),
		    SLICE_ARG(s->result));
}

static void
put_calls(struct buf *out, const struct msg_s_linker *s, size_t begin)
{
	const struct msg_l_call *c;
	size_t i;

	for (i = 0; i < s->n_calls; i++) {
		c = &s->calls[i];
		buf_addf(out, "%s%.*s", separator(out, begin),
		    SLICE_ARG(c->strategy));
		if (i > 0)
			buf_addf(out, " %llu", (unsigned long long)c->seq);
		if (c->parent > 0)
			buf_addf(out, " on %llu",
			    (unsigned long long)c->parent);
		if (c->opens.len > 0)
			buf_addf(out, " opens %.*s", SLICE_ARG(c->opens));
	}
}

static void
put_places(struct buf *out, const struct msg_s_linker *s)
{
	const struct msg_link *l;
	size_t begin = out->len, i;

	put_error(out, s->error);
	put_calls(out, s, begin);
	for (i = 0; i < s->n_links; i++) {
		l = &s->links[i];
		buf_addf(out, "%s%.*s t%llu to t%llu", separator(out, begin),
		    SLICE_ARG(l->decision), (unsigned long long)l->thread,
		    (unsigned long long)l->candidate);
		put_thousandths(out, l->algorithmic_score);
	}
	for (i = 0; i < s->n_episodes; i++)
		buf_addf(out, "%sepisode %.*s", separator(out, begin),
		    SLICE_ARG(s->episodes[i].key));
	for (i = 0; i < s->n_tunings; i++)
		buf_addf(out, "%stuning %llu", separator(out, begin),
		    (unsigned long long)s->tunings[i].number);
	if (s->result.len > 0)
		buf_addf(out, "%sdone %.*s", separator(out, begin),
		    SLICE_ARG(s->result));
}

void
tap_verdict(struct buf *out, const struct tap_frame *f)
{
	const struct msg *section = &f->sections[f->stage];
	size_t begin = out->len;

	switch (section->id) {
	case MSG_none:
		return;
	case MSG_s_none:
		if (section->as->s_none.rejected)
			buf_adds(out, "rejected");
		break;
	case MSG_s_ingest:	/* the rest of it is in the columns */
		put_error(out, section->as->s_ingest.error);
		break;
	case MSG_s_classify:
		put_acts(out, &section->as->s_classify);
		break;
	case MSG_s_chainer:
		put_steps(out, &section->as->s_chainer);
		break;
	case MSG_s_compactor:
		put_made(out, &section->as->s_compactor);
		break;
	case MSG_s_linker:
		put_places(out, &section->as->s_linker);
		break;
	default:
		msg_print(out, section->id, section->as);
	}
	if (out->len > begin)
		buf_adds(out, " | ");
}
