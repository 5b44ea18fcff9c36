/*
 * episodes_revise - decisions revised by a model or a user; the score tuned
 */
#include "linker/episodes.h"
#include "linker/tuning.h"

/* ---- a decision takes the place of another ---- */

static struct msg_link *
revise(struct threads *t, const struct msg_link *before, struct slice by)
{
	struct msg_link link = *before;

	link.has = 0;
	link.key = threads_name(t->l->arena, 'l', t->l->e->seq);
	link.revises = before->key;
	link.timestamp = t->l->e->entry.as->envelope.ts;
	link.by = by;
	link.outcome = link.outcome_why = SLICE_NONE;
	link.outcome_seq = 0;
	threads_say_link(t, before)->revised_by = link.key;
	return threads_say_link(t, &link);
}

static void
follow(struct threads *t, struct msg_link *link)
{
	struct msg_link_thread *p = threads_get(t, link->thread);

	if (p == NULL)
		return;
	p->link = link->key;
	join_set(t, p, decision_is_link(link->decision) ? link->candidate : 0);
	link->episode = p->episode;
}

/* ---- answers ---- */

void
revise_answer(struct threads *t)
{
	const struct msg_answer *answer = &t->l->e->entry.as->answer;
	const struct msg_link *asked, *before;
	struct opinion model;
	struct msg_link *link;
	struct decision d;
	struct slice why;

	if (!slice_starts(answer->question, "link:"))
		return;		/* another stage's */
	asked = threads_link(t, slice_of(answer->question.ptr + 5,
	    answer->question.len - 5));
	before = asked != NULL ? threads_latest(t, asked) : NULL;
	if (asked == NULL || !asked->asked)
		threads_fail(t, "unknown_question", SLICE("nobody asked this"));
	else if (opinion_parse(answer->answer, t->l->arena, &model, &why) == -1)
		threads_fail(t, "bad_answer", why);
	else if (before->candidate != asked->candidate ||
	    slice_is(before->by, "feedback"))
		threads_fail(t, "overtaken", arena_printf(t->l->arena,
		    "%.*s has decided this meanwhile",
		    SLICE_ARG(before->key)));
	else {
		link = revise(t, before, SLICE("answer"));
		d = decision_make((unsigned)link->algorithmic_score,
		    (unsigned)link->threshold, &model);
		link->decision = decision_name(d.link);
		link->confidence = d.confidence;
		link->agreement = d.agreement;
		link->llm_related = model.related;
		link->llm_confidence = model.confidence;
		link->reasoning = model.reasoning;
		link->key_signals = model.signals;
		link->model = answer->model;
		link->prompt_version = asked->prompt_version;
		follow(t, link);
		t->l->section->result = link->key;
	}
}

/* ---- feedback ---- */

static void
confirm(struct threads *t, struct msg_link *link, bool right)
{
	link->outcome = right ? SLICE("CORRECT") : SLICE("INCORRECT");
	link->outcome_why = SLICE("feedback");
	link->outcome_seq = t->l->e->seq;
}

/* What the user says is so: where the decision was another, it is revised. */
void
revise_feedback(struct threads *t)
{
	const struct msg_feedback *f = &t->l->e->entry.as->feedback;
	const struct msg_link *named = threads_link(t, f->link), *latest;
	struct msg_link *link;
	bool right = slice_is(f->verdict, "right"), related;

	if (named == NULL) {
		threads_fail(t, "unknown_link", arena_printf(t->l->arena,
		    "there is no link '%.*s' in this domain: 'skein links' "
		    "lists them", SLICE_ARG(f->link)));
		return;
	}
	if (!right && !slice_is(f->verdict, "wrong")) {
		threads_fail(t, "bad_verdict",
		    SLICE("verdict: must be right or wrong"));
		return;
	}
	related = decision_is_link(named->decision) == right;
	latest = threads_latest(t, named);
	link = threads_say_link(t, named);
	confirm(t, link, right);
	if (named->candidate == latest->candidate || related) {
		if (named != latest)
			link = threads_say_link(t, latest);
		latest = link;
		if (decision_is_link(latest->decision) != related ||
		    latest->candidate != named->candidate) {
			link = revise(t, latest, SLICE("feedback"));
			link->candidate = named->candidate;
			link->decision = decision_name(related);
			link->confidence = SLICE("high");
			follow(t, link);
		}
		confirm(t, link, true);
		t->l->section->result = link->key;
	} else
		t->l->section->result = named->key;
}

/* ---- tuning ---- */

static void
read_others(const struct msg_link *link, struct tuning_sample *out)
{
	const struct msg_link_candidate *c;
	unsigned *terms;
	size_t i;

	for (i = 0; i < link->n_candidates &&
	     out->n_others < TUNING_OTHERS; i++) {
		c = &link->candidates[i];
		if (c->thread == link->candidate)
			continue;
		terms = out->others[out->n_others++];
		terms[SCORE_keyword] = (unsigned)c->keyword_match;
		terms[SCORE_entity] = (unsigned)c->entity_match;
		terms[SCORE_topic] = (unsigned)c->topic_match;
		terms[SCORE_recency] = (unsigned)c->recency_score;
	}
}

static bool
read_sample(const struct msg_link *link, struct tuning_sample *out)
{
	bool linked;

	if (link == NULL || link->outcome.len == 0)
		return false;
	linked = decision_is_link(link->decision);
	*out = (struct tuning_sample){
		.terms = { (unsigned)link->keyword_match,
		    (unsigned)link->entity_match, (unsigned)link->topic_match,
		    (unsigned)link->recency_score },
		.related = linked == slice_is(link->outcome, "CORRECT"),
		.number = link->number,
		.judged = link->agreement.len > 0,
		.model_related = link->llm_related,
		.score_related = link->algorithmic_score > link->threshold,
		.signals = &link->key_signals,
	};
	read_others(link, out);
	return true;
}

static size_t
read_samples(struct threads *t, struct tuning_sample *out)
{
	uint64_t number = t->domain.decisions, seen;
	size_t n = 0;

	for (seen = 0; seen < TUNING_WINDOW && number > 0; seen++, number--)
		n += read_sample(threads_link_numbered(t, number), &out[n]);
	return n;
}

static struct msg_u64s
weights_of(struct arena *arena, const struct score_rules *rules)
{
	struct msg_u64s out = { arena_array(arena, SCORE_TERMS,
	    sizeof(uint64_t)), SCORE_TERMS };
	size_t i;

	for (i = 0; i < SCORE_TERMS; i++)
		out.at[i] = rules->weights[i];
	return out;
}

static struct msg_tuning
new_tuning(struct threads *t, const struct score_rules *now,
    const struct score_rules *next)
{
	return (struct msg_tuning){
		.number = t->domain.tunings + 1,
		.domain = t->l->e->entry.as->envelope.domain,
		.tuning_date = t->l->e->entry.as->envelope.ts,
		.previous_threshold = now->threshold,
		.new_threshold = next->threshold,
		.previous_weights = weights_of(t->l->arena, now),
		.new_weights = weights_of(t->l->arena, next),
		.previous = t->domain.in_force,
		.prompt_version = t->domain.prompt_version,
		.prompt_signals = t->domain.prompt_signals,
	};
}

static bool
same_strs(const struct msg_strs *a, const struct msg_strs *b)
{
	size_t i;

	for (i = 0; i < a->count && i < b->count; i++)
		if (!slice_eq(a->at[i], b->at[i]))
			return false;
	return a->count == b->count;
}

/* A prompt without anything new to say stays as it is. */
static void
revise_prompt(struct threads *t, const struct tuning_sample *samples, size_t n,
    struct msg_tuning *s)
{
	struct msg_strs signals = tuning_signals(t->l->arena, samples, n);

	s->prompt_version = threads_prompt_version(t);
	if (signals.count == 0 || same_strs(&signals, &s->prompt_signals))
		return;
	s->prompt_signals = signals;
	s->prompt_version++;
}

void
revise_tuning(struct threads *t)
{
	uint64_t every = (uint64_t)t->l->conf->link_tune_every;
	struct score_rules now = threads_rules(t);
	struct tuning_sample *samples;
	struct tuning_result r;
	struct msg_tuning s;
	size_t n;

	if (every == 0 || t->l->section->n_links == 0 ||
	    t->domain.decisions < t->domain.looked_at + every)
		return;
	samples = arena_array(t->l->arena, TUNING_WINDOW + 1,
	    sizeof(*samples));
	n = read_samples(t, samples);
	tuning_fit(&now, samples, n, &r);
	s = new_tuning(t, &now, &r.rules);
	s.reason = tuning_reason(t->l->arena, &r);
	s.kept = r.kept;
	s.decisions = n;
	s.held_back = r.held_back;
	s.accuracy_before = r.before.accuracy;
	s.accuracy_after = r.after.accuracy;
	s.false_positive_rate_before = r.before.false_positives;
	s.false_positive_rate_after = r.after.false_positives;
	s.false_negative_rate_before = r.before.false_negatives;
	s.false_negative_rate_after = r.after.false_negatives;
	s.disagreements = r.disagreements;
	s.model_right = r.model_right;
	s.algorithm_right = r.disagreements - r.model_right;
	revise_prompt(t, samples, n, &s);
	threads_say_tuning(t, &s);
}

/* Back to what was in force before the last tuning that was kept. */
void
revise_undo(struct threads *t)
{
	struct score_rules now = threads_rules(t), before;
	struct msg_tuning undone, older, s;
	struct threads plain = *t;
	size_t i;

	if (t->domain.in_force == 0 ||
	    !threads_tuning(t, t->domain.in_force, &undone)) {
		threads_fail(t, "nothing_to_undo",
		    SLICE("no tuning is in force in this domain"));
		return;
	}
	plain.domain.in_force = 0;
	before = threads_rules(&plain);
	if (undone.previous != 0 &&
	    threads_tuning(t, undone.previous, &older)) {
		for (i = 0; i < SCORE_TERMS && i < older.new_weights.count; i++)
			before.weights[i] = (unsigned)older.new_weights.at[i];
		before.threshold = (unsigned)older.new_threshold;
	}
	s = new_tuning(t, &now, &before);
	s.kept = true;
	s.undoes = t->domain.in_force;
	s.previous = undone.previous;
	s.reason = arena_printf(t->l->arena, "Undone by command: tuning %llu",
	    (unsigned long long)s.undoes);
	threads_say_tuning(t, &s);
	t->l->section->result = arena_printf(t->l->arena, "%llu",
	    (unsigned long long)s.number);
}
