/*
 * weave_course - where the talk of one user goes
 *
 * Asked for the claims of a user's turn in a talk that has chains.  For the
 * first the whole turn decides, and the others mostly stay with it.  To go on
 * and to return is settled here; what is new to the talk may still belong to a
 * chain of another one.
 */
#include "chainer/weave_impl.h"
#include "common/when.h"

enum {
	CONTINUE_LEARNT = 610,	/* chain_continue when the weights were made */
	ODDS_A_POINT = 10,
};

/* The talk's chains among the candidates; the chain at hand comes first. */
struct course_field {
	struct candidate *c[COURSE_CHAINS];
	struct course_chain chains[COURSE_CHAINS];
	struct topic topics[COURSE_CHAINS];
	size_t n;
};

static struct candidate *
candidate_of(struct weave_field *f, uint64_t ref)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->c[i].ref == ref)
			return &f->c[i];
	return NULL;
}

static void
add_chain(struct course_field *cf, struct weave_field *f, uint64_t ref)
{
	struct candidate *c = candidate_of(f, ref);
	size_t i;

	for (i = 0; i < cf->n; i++)
		if (cf->c[i] == c)
			return;
	if (c == NULL || cf->n == COURSE_CHAINS)
		return;
	cf->topics[cf->n] = chain_topic(c->chain);
	cf->topics[cf->n].sketch = c->sketch;
	cf->c[cf->n++] = c;
}

/* A turn of several claims is compared as a whole, one has been already. */
static void
compare(struct weave *v, const struct weave_turn *t, struct course_field *cf,
    struct topic *topic)
{
	struct arena *arena = work_arena(v->work);
	bool whole = t->c->n_claims > 1;
	struct terms terms;
	size_t k;

	if (whole) {
		*topic = course_topic(arena, t->c);
		topic->sketch = sketch_topic(arena, topic);
		meaning_read(v->meaning, course_text(t->c, t->text),
		    topic->sketch->gist);
	}
	for (k = 0; k < cf->n; k++) {
		terms = cf->c[k]->terms;
		if (whole) {
			terms = distance_terms(v->rules.formula, topic,
			    &cf->topics[k], 0);
			terms.meaning = meaning_near(v->meaning, topic,
			    &cf->topics[k]);
		}
		cf->chains[k] = (struct course_chain){ (int)terms.keyword,
			(int)terms.entity, terms.meaning, (int)k };
	}
}

static struct slice
course_name(struct arena *arena, const struct course_field *cf,
    const struct course_verdict *verdict)
{
	return verdict->to == cf->n ? SLICE("new") :
	    verdict->to == 0 ? SLICE("on") :
	    chain_name(arena, cf->c[verdict->to]->ref);
}

/* A setting that calls less near, or more, weighs here too. */
static int
known_by_setting(const struct chain_rules *rules)
{
	return ((int)rules->continue_below - CONTINUE_LEARNT) * ODDS_A_POINT;
}

/* For --why. */
static void
note_verdict(struct weave *v, struct weave_turn *t, struct course_field *cf,
    const struct course_verdict *verdict)
{
	struct arena *arena = work_arena(v->work);
	struct slice *said = arena_room(arena, (1 + verdict->n_said) *
	    sizeof(said[0]));
	size_t i;

	said[0] = course_name(arena, cf, verdict);
	for (i = 0; i < verdict->n_said; i++)
		said[1 + i] = slice_str(verdict->said[i]);
	t->out->course = (struct msg_strs){ said, 1 + verdict->n_said };
	t->out->lead = verdict->lead;
	for (i = 0; i < cf->n; i++)
		cf->c[i]->terms.course = verdict->scores[i];
}

/* What is new to the talk: a chain of another talk's, or a new one. */
static void
choose_elsewhere(struct weave *v, const struct weave_turn *t,
    const struct topic *claim, const struct chain_signs *signs,
    struct weave_field *f, struct choice *out)
{
	struct arena *arena = work_arena(v->work);
	struct candidate *others = arena_room(arena,
	    WEAVE_CANDIDATES * sizeof(others[0]));
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		if (!f->c[i].here)
			others[n++] = f->c[i];
	if (choose_active(&v->rules, signs, claim, others, n, arena, out))
		return;
	weave_look_further(v, t, claim, signs, f);
	for (i = n = 0; i < f->n; i++)
		if (!f->c[i].here)
			others[n++] = f->c[i];
	if (!choose_dormant(&v->rules, signs, claim, others, n, arena, out) &&
	    !choose_branch(&v->rules, f->c, f->n, arena, out))
		choose_new(claim, arena, out);
}

/* A turn's later claims stay with its first, unless they say otherwise. */
static bool
stay_inside(struct weave *v, const struct weave_turn *t,
    const struct topic *claim, const struct chain_signs *signs,
    struct weave_field *f, struct choice *out)
{
	struct candidate *c = candidate_of(f, t->adjacent->ref);

	if (signs->shifts || signs->returns || c == NULL)
		return false;
	choose_course(&v->rules, signs, claim, c, f->c, f->n,
	    work_arena(v->work), out);
	return true;
}

bool
weave_course(struct weave *v, struct weave_turn *t, const struct topic *claim,
    const struct chain_signs *signs, struct weave_field *f,
    struct choice *out)
{
	const struct msg_chain_talk *talk = work_talk(v->work);
	struct course_verdict verdict;
	struct course_field cf;
	struct topic topic = *claim;
	struct course_turn turn = { .c = t->c, .cues = t->cues,
		.asked = signs->asked && slice_is(t->before.role, "assistant"),
		.prompted = t->before.asks && !signs->after_end &&
		    slice_is(t->before.role, "assistant"),
		.closed = signs->after_end,
		.turned = t->before.turned,
		.paused = work_ts(v->work) - t->before.ts >= WHEN_HOUR_MS };
	size_t i;

	if (v->course == NULL || !signs->meant || t->adjacent == NULL)
		return false;
	if (signs->inside)
		return stay_inside(v, t, claim, signs, f, out);
	cf.n = 0;
	add_chain(&cf, f, t->adjacent->ref);
	for (i = 0; i < talk->recent.count; i++)
		add_chain(&cf, f, talk->recent.at[i]);
	if (cf.n == 0 || !cf.c[0]->adjacent)
		return false;
	compare(v, t, &cf, &topic);
	course_weigh(&turn, &topic, cf.topics, cf.n);
	course_choose(v->course, &turn, t->text, cf.chains, cf.n,
	    known_by_setting(&v->rules), &verdict);
	note_verdict(v, t, &cf, &verdict);
	if (verdict.to < cf.n)
		choose_course(&v->rules, signs, claim, cf.c[verdict.to], f->c,
		    f->n, work_arena(v->work), out);
	else
		choose_elsewhere(v, t, claim, signs, f, out);
	return true;
}
