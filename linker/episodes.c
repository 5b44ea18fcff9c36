/*
 * episodes - threads that go on with earlier ones, joined to episodes
 *
 * A turn of an implicit thread: what it makes of the decision before, what the
 * thread is about now, whether it goes on with another.  See docs/LINKING.md.
 */
#include "linker/episodes.h"

#include "common/when.h"
#include "linker/batch.h"

enum { FETCH_AHEAD = 4 };	/* threads whose words are on their way */

/* A thread that was compared. */
struct look {
	uint64_t other;
	struct score score;
};

/* ---- the turn ---- */

static bool
is_watched(const struct msg_link_thread *p, struct slice role)
{
	return profile_is_user(role) && p->link.len > 0 &&
	    p->watched < LINK_WATCH;
}

/* Its wording is read where it opens a thread. */
static struct profile_turn
turn_of(const struct link *l, const struct msg_link_thread *p)
{
	const struct msg_turn *turn = &l->e->entry.as->turn;
	const struct msg *c = &l->e->sections[STAGE_classify];
	const struct msg *h = &l->e->sections[STAGE_chainer];

	return (struct profile_turn){
		.role = turn->role,
		.text = turn->text,
		.ts = turn->ts,
		.c = c->id == MSG_s_classify && c->as->s_classify.n_turns > 0 ?
		    &c->as->s_classify.turns[0] : NULL,
		.h = h->id == MSG_s_chainer && h->as->s_chainer.n_turns > 0 ?
		    &h->as->s_chainer.turns[0] : NULL,
		.wording = p->turns == 0 ? wording_of(l->arena, turn->text) :
		    (struct wording){ 0 },
	};
}

/* The thread of a turn, begun where it is new; NULL: it is none of ours. */
static struct msg_link_thread *
find_thread(struct threads *t)
{
	const struct msg_s_ingest *place = link_place(t->l);
	struct msg_link_thread *p;

	if (t->l->e->entry.id != MSG_turn || place->thread == 0)
		return NULL;
	p = threads_get(t, place->thread);
	if (p != NULL || place->explicit_channel)
		return p;
	return threads_begin(t, place->thread);
}

/* ---- what came of the decision before ---- */

/* It brings up something that neither of the two threads knows. */
static bool
is_strange(struct threads *t, const struct msg_link_thread *p,
    const struct msg_link *link, const struct profile_turn *turn,
    const struct wording *w)
{
	enum { MUCH = 12000 };	/* more than one rare word */
	const struct msg_link_thread *other = threads_get(t, link->candidate);

	return profile_turn_weight(turn) >= MUCH && !wording_follows(w) &&
	    !wording_points(w) && !profile_knows(p, turn) &&
	    (other == NULL || !profile_knows(other, turn));
}

static void
judge(struct threads *t, const struct msg_link_thread *p,
    const struct profile_turn *turn)
{
	const struct msg_link *link;
	struct msg_link *changed;
	struct wording w;
	struct verdict v;
	bool linked, told;

	if (!is_watched(p, turn->role))
		return;
	link = threads_link(t, p->link);
	if (link == NULL || slice_is(link->outcome_why, "feedback") ||
	    slice_is(link->outcome, "INCORRECT"))
		return;
	linked = decision_is_link(link->decision);
	told = link->outcome.len > 0;
	w = wording_of(t->l->arena, turn->text);
	v = outcome_of(linked, &w, linked && !told &&
	    is_strange(t, p, link, turn, &w));
	/* The first turn tells; a later one only if it says so in words. */
	if (told && v.right)
		return;
	changed = threads_say_link(t, link);
	changed->outcome = v.right ? SLICE("CORRECT") : SLICE("INCORRECT");
	changed->outcome_why = slice_str(v.why);
	changed->outcome_seq = t->l->e->seq;
}

/* ---- looking ---- */

/* Best first; of equal ones the later thread. */
static void
sort_looks(struct look *looks, size_t n)
{
	struct look moved;
	size_t i, k;

	for (i = 1; i < n; i++) {
		moved = looks[i];
		for (k = i; k > 0 &&
		     looks[k - 1].score.value < moved.score.value; k--)
			looks[k] = looks[k - 1];
		looks[k] = moved;
	}
}

static size_t
compare(struct threads *t, const struct msg_link_thread *p,
    const struct batch_learned *learned, bool returns, struct look *looks)
{
	struct score_rules rules = threads_rules(t);
	uint64_t others[LINK_CANDIDATES];
	size_t n = threads_candidates(t, p, others), i, found = 0;
	int64_t window = t->l->conf->link_window * WHEN_HOUR_MS;
	const struct score_card *card;
	struct score_self self;

	if (n == 0)
		return 0;
	for (i = 0; i < n && i < FETCH_AHEAD; i++)
		batch_fetch_card(t->l, others[i]);
	threads_self(t, p, learned->fresh, &learned->hashes, &self);
	self.returns = returns;
	for (i = 0; i < n; i++) {
		if (i + FETCH_AHEAD < n)
			batch_fetch_card(t->l, others[i + FETCH_AHEAD]);
		card = batch_card(t->l, others[i]);
		if (card == NULL)
			continue;
		looks[found] = (struct look){ others[i], score_of(&rules,
		    &self, card, p->created_at - card->last_activity_at,
		    window, found == 0) };
		found++;
	}
	sort_looks(looks, found);
	return found;
}

/* A link stays with its thread unless another is clearly better. */
static const struct look *
choose(const struct look *looks, size_t n, const struct msg_link *before)
{
	size_t i;

	if (before == NULL || !decision_is_link(before->decision))
		return &looks[0];
	for (i = 0; i < n; i++)
		if (looks[i].other == before->candidate)
			break;
	if (i == n || (before->agreement.len == 0 && looks[0].score.value >
		looks[i].score.value + LINK_MARGIN))
		return &looks[0];
	return &looks[i];
}

static void
show_candidates(struct threads *t, struct msg_link *link,
    const struct look *looks, size_t n)
{
	const unsigned *terms;
	size_t i;

	n = n < LINK_SHOWN ? n : LINK_SHOWN;
	link->candidates = arena_array(t->l->arena, n,
	    sizeof(link->candidates[0]));
	link->n_candidates = n;
	for (i = 0; i < n; i++) {
		terms = looks[i].score.terms;
		link->candidates[i] = (struct msg_link_candidate){
			.thread = looks[i].other,
			.score = looks[i].score.value,
			.keyword_match = terms[SCORE_keyword],
			.entity_match = terms[SCORE_entity],
			.topic_match = terms[SCORE_topic],
			.recency_score = terms[SCORE_recency],
			.lean = looks[i].score.lean };
	}
}

static void
fill_score(struct threads *t, struct msg_link *link,
    const struct msg_link_thread *p, const struct look *look)
{
	struct score_rules rules = threads_rules(t);
	size_t i;

	link->algorithmic_score = look->score.value;
	link->threshold = rules.threshold;
	link->keyword_match = look->score.terms[SCORE_keyword];
	link->entity_match = look->score.terms[SCORE_entity];
	link->topic_match = look->score.terms[SCORE_topic];
	link->recency_score = look->score.terms[SCORE_recency];
	link->lean = look->score.lean;
	link->weights.at = arena_array(t->l->arena, SCORE_TERMS,
	    sizeof(uint64_t));
	link->weights.count = SCORE_TERMS;
	for (i = 0; i < SCORE_TERMS; i++)
		link->weights.at[i] = rules.weights[i];
	link->turn = p->turns;
	link->tuning = t->domain.in_force;
}

/* A new decision, or one that takes the place of another. */
static struct msg_link *
new_link(struct threads *t, const struct msg_link_thread *p,
    const struct look *look, const struct msg_link *before)
{
	struct msg_link link = {
		.key = threads_name(t->l->arena, 'l', t->l->e->seq),
		.domain = p->domain,
		.user = p->user,
		.room = p->room,
		.thread = p->key,
		.candidate = look->other,
		.number = t->domain.decisions + 1,
		.timestamp = t->l->e->entry.as->envelope.ts,
		.by = SLICE("score"),
	};

	if (before != NULL) {
		link.number = before->number;
		link.revises = before->key;
		threads_say_link(t, before)->revised_by = link.key;
		if (before->candidate == link.candidate) {
			link.llm_related = before->llm_related;
			link.llm_confidence = before->llm_confidence;
			link.reasoning = before->reasoning;
			link.key_signals = before->key_signals;
			link.model = before->model;
			link.prompt_version = before->prompt_version;
			link.asked = before->asked;
		}
	} else
		t->domain.decisions++;
	return threads_say_link(t, &link);
}

static void
ask(struct threads *t, struct msg_link *link, const struct msg_link_thread *p)
{
	const struct msg_link_thread *other;
	struct msg_q_link q;

	if (strcmp(t->l->conf->assess, "on") != 0 || link->asked ||
	    link->algorithmic_score < (uint64_t)t->l->conf->link_ask_from)
		return;
	other = threads_get(t, link->candidate);
	if (other == NULL)
		return;
	link->asked = true;
	link->prompt_version = threads_prompt_version(t);
	q = (struct msg_q_link){
		.key = arena_printf(t->l->arena, "link:%.*s",
		    SLICE_ARG(link->key)),
		.prompt = decision_prompt(t->l->arena,
		    &t->domain.prompt_signals),
		.summary = profile_summary(other),
		.previous = other->said,
		.current = p->said,
		.prompt_version = link->prompt_version,
		.thread = p->key,
		.candidate = other->key,
	};
	threads_say_question(t, &q);
}

/* The same decision with a newer score, or another one? */
static bool
is_same(const struct msg_link *before, const struct decision *d,
    uint64_t candidate)
{
	if (before == NULL || decision_is_link(before->decision) != d->link)
		return false;
	return before->candidate == candidate || (!d->link && !before->asked);
}

/* Said once it holds for the thread: the decision keeps it. */
static bool
is_return(const struct profile_turn *turn, const struct msg_link *before)
{
	return (before != NULL && before->returns) ||
	    (turn->c != NULL && turn->c->returns &&
		profile_is_user(turn->role));
}

static void
look(struct threads *t, struct msg_link_thread *p,
    const struct batch_learned *learned)
{
	struct look looks[LINK_CANDIDATES];
	const struct msg_link *before = p->link.len > 0 ?
	    threads_link(t, p->link) : NULL;
	bool returns = is_return(&learned->turn, before);
	size_t n = compare(t, p, learned, returns, looks);
	const struct look *at;
	struct opinion model, *verdict = NULL;
	struct msg_link *link;
	struct decision d;

	if (n == 0 || (before != NULL && slice_is(before->by, "feedback")))
		return;
	at = choose(looks, n, before);
	if (before != NULL && before->agreement.len > 0 &&
	    before->candidate == at->other) {
		model = (struct opinion){ .related = before->llm_related,
			.confidence = (unsigned)before->llm_confidence };
		verdict = &model;
	}
	d = decision_make(at->score.value, threads_rules(t).threshold, verdict);
	if (is_same(before, &d, at->other))
		link = threads_say_link(t, before);
	else
		link = new_link(t, p, at, before);
	link->candidate = at->other;
	link->returns = returns;
	fill_score(t, link, p, at);
	link->decision = decision_name(d.link);
	link->confidence = d.confidence;
	link->agreement = d.agreement;
	show_candidates(t, link, looks, n);
	p->link = link->key;
	join_set(t, p, d.link ? link->candidate : 0);
	link->episode = p->episode;
	ask(t, link, p);
}

/* ---- summaries that compaction made ---- */

static void
take_summaries(struct threads *t, bool deciding)
{
	const struct msg *m = &t->l->e->sections[STAGE_compactor];
	const struct msg_s_compactor *s = &m->as->s_compactor;
	struct msg_link_thread *p;
	size_t i;

	if (m->id != MSG_s_compactor)
		return;
	for (i = 0; i < s->n_episodes; i++) {
		if (s->episodes[i].linked_threads.count == 0)
			continue;
		p = threads_get(t, s->episodes[i].linked_threads.at[0]);
		if (p == NULL)
			continue;
		profile_summarise(p, t->l->arena, &s->episodes[i]);
		if (deciding && p->episode.len > 0)
			join_refresh(t, p);
	}
}

/* ---- deciding and applying ---- */

/* The thread as it was, NULL where the turn began it. */
static const struct msg_link_thread *
was_there(const struct batch_learned *learned)
{
	return learned->was.turns > 0 ? &learned->was : NULL;
}

static const struct batch_learned *
learn(struct threads *t, struct msg_link_thread *p)
{
	const struct score_card *card = batch_card(t->l, p->key);
	struct batch_learned *out = batch_learning(t->l);

	out->was = *p;
	out->turn = turn_of(t->l, p);
	if (card != NULL)
		out->hashes = card->hashes;
	out->fresh = profile_learn(p, t->l->arena, &out->turn, &out->hashes);
	out->is = *p;
	return out;
}

void
threads_decide(struct link *l)
{
	const struct batch_learned *learned;
	struct msg_link_thread *p;
	struct threads t;

	if (link_place(l)->error.len > 0)
		return;
	threads_open(&t, l);
	take_summaries(&t, true);
	p = find_thread(&t);
	if (p != NULL) {
		learned = learn(&t, p);
		judge(&t, &learned->was, &learned->turn);
		if (!link_place(l)->explicit_channel &&
		    p->turns <= (uint64_t)l->conf->link_turns)
			look(&t, p, learned);
		revise_tuning(&t);
	} else if (l->e->entry.id == MSG_answer)
		revise_answer(&t);
	else if (l->e->entry.id == MSG_feedback)
		revise_feedback(&t);
	else if (l->e->entry.id == MSG_tuning_undo)
		revise_undo(&t);
}

/* An episode that the section does not hold grows by the turn alone. */
static void
grow_episode(struct threads *t, const struct msg_link_thread *p)
{
	const struct msg_s_linker *s = t->l->section;
	uint64_t seq, n;
	size_t i;

	for (i = 0; i < s->n_episodes; i++)
		if (slice_eq(s->episodes[i].key, p->episode))
			return;
	if (threads_key(p->episode, 'x', &seq, &n) == 0)
		batch_grow_episode(t->l, seq, n, p->last_activity_at);
}

void
threads_apply(struct link *l)
{
	const struct batch_learned *learned = batch_recall(l);
	struct msg_link_thread *p;
	struct threads t;
	size_t i;

	if (link_place(l) == NULL || link_place(l)->error.len > 0)
		return;
	threads_open(&t, l);
	take_summaries(&t, false);
	if (learned != NULL)
		p = threads_set(&t, &learned->is);
	else if ((p = find_thread(&t)) != NULL)
		learned = learn(&t, p);
	if (p != NULL) {
		if (profile_is_user(learned->turn.role) && p->link.len > 0)
			p->watched++;
		threads_write(&t, p, was_there(learned), &learned->hashes,
		    learned->fresh);
	}
	threads_write_links(&t);
	threads_write_episodes(&t);
	threads_write_domain(&t);
	if (p != NULL && p->episode.len > 0)
		grow_episode(&t, p);
	for (i = 0; i < t.n_known; i++) {
		t.known[i]->has = 0;
		batch_put_thread(l, t.known[i]);
	}
}
