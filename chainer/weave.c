/*
 * weave - the turns of an entry, brought to their chains
 */
#include "chainer/weave.h"

#include "chainer/cues.h"
#include "common/text.h"

enum {
	SHOWN = 5,		/* candidates kept for --why */
	BRIEF_WORDS = 4,
	CANDIDATES = 1 + WORK_TALK_RECENT + WORK_RECENT,
	LOOKED_UP = 16,
};

/* One turn on its way. */
struct turn {
	size_t i;
	struct slice user, role, text, id, reply_to;
	const struct msg_c_turn *c;
	struct cues cues;
	bool several;		/* people speak here: who answers whom */
	struct window_view heard;
	struct reply_message now;
	struct msg_said before;	/* the turn that it follows */
	bool follows;
	const struct msg_chain *adjacent;	/* its chain, or NULL */
	struct msg_h_turn *out;
};

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

static struct turn
turn_at(const struct weave *v, size_t i)
{
	const union msg_any *entry = v->entry->entry.as;
	struct turn t = { .i = i, .user = entry->envelope.user,
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
is_talk(const struct turn *t)
{
	return !slice_is(t->role, "system");
}

static bool
is_people(const struct turn *t)
{
	return !slice_is(t->role, "assistant") && !slice_is(t->role, "tool");
}

static uint64_t
entity_weight(struct slice kind)
{
	if (slice_is(kind, "mention"))
		return 0;
	if (slice_is(kind, "date") || slice_is(kind, "quantity"))
		return 200;
	return slice_is(kind, "version") ? 500 : 1000;
}

static struct topic
claim_topic(struct arena *arena, const struct msg_c_claim *claim)
{
	struct topic t = { .subject = claim->subject,
		.keywords = claim->keywords, .weights = claim->weights };
	size_t i, n = 0;

	t.entities.at = arena_array(arena, claim->n_entities,
	    sizeof(struct slice));
	t.entity_weights.at = arena_array(arena, claim->n_entities,
	    sizeof(uint64_t));
	for (i = 0; i < claim->n_entities; i++) {
		t.entity_weights.at[n] = entity_weight(claim->entities[i].kind);
		if (t.entity_weights.at[n] == 0)
			continue;
		t.entities.at[n++] = claim->entities[i].normal;
	}
	t.entities.count = t.entity_weights.count = n;
	return t;
}

/* ---- what a turn follows ---- */

static struct slice
speaker(const struct turn *t)
{
	return is_people(t) && t->user.len > 0 ? t->user : t->role;
}

/* Where several speak: the latest turns, and this one as they hear it. */
static void
listen(struct weave *v, struct turn *t)
{
	t->several = v->entry->entry.as->envelope.room.len > 0 ||
	    work_talk(v->work)->many;
	if (!t->several)
		return;
	t->heard = work_heard(v->work);
	reply_read(&t->now, work_arena(v->work), speaker(t), work_ts(v->work),
	    t->text, t->heard.heard, t->heard.n);
}

/* Digits as they are printed, up to `at`, which is moved behind them. */
static bool
read_count(struct slice s, size_t *at, uint64_t *out)
{
	size_t from = *at;

	for (*out = 0; *at < s.len && s.ptr[*at] >= '0' && s.ptr[*at] <= '9' &&
	     *at - from < 19; ++*at)
		*out = *out * 10 + (uint64_t)(s.ptr[*at] - '0');
	return *at == from + 1 || (*at > from && s.ptr[from] != '0');
}

/* By the sender's id, or skein's own key "12.0". */
static bool
find_answered(struct weave *v, struct turn *t)
{
	struct msg_said said;
	uint64_t seq = 0, i = 0;
	size_t back, at = 0;
	bool keyed;

	keyed = read_count(t->reply_to, &at, &seq) && at < t->reply_to.len &&
	    t->reply_to.ptr[at++] == '.' && read_count(t->reply_to, &at, &i) &&
	    at == t->reply_to.len;
	for (back = 0; back < WORK_RING && work_said(v->work, back, &said);
	     back++)
		if (slice_eq(said.id, t->reply_to) ||
		    (keyed && said.seq == seq && said.i == i)) {
			t->before = said;
			return true;
		}
	return false;
}

/* Without weights: whoever is named, else what the speaker said last. */
static int
guess_antecedent(const struct turn *t)
{
	size_t k, m;

	for (k = t->heard.n; k > 0; k--)
		for (m = 0; m < t->now.mention_count; m++)
			if (t->heard.heard[k - 1].speaker == t->now.mentions[m])
				return (int)k - 1;
	for (k = t->heard.n; k > 0; k--)
		if (t->heard.heard[k - 1].speaker == t->now.speaker)
			return (int)k - 1;
	return -1;
}

static bool
find_antecedent(struct weave *v, struct turn *t)
{
	struct reply_verdict verdict = { .antecedent = -1 };

	if (v->model != NULL)
		reply_choose(v->model, t->heard.heard, t->heard.n, &t->now,
		    &verdict);
	else
		verdict.antecedent = guess_antecedent(t);
	return verdict.antecedent >= 0 && work_heard_turn(v->work,
	    &t->heard.turn[verdict.antecedent], &t->before);
}

static void
find_before(struct weave *v, struct turn *t)
{
	listen(v, t);
	if (t->reply_to.len > 0 && find_answered(v, t))
		t->follows = true;
	else if (t->several && t->heard.n > 0 &&
	    v->rules.formula == FORMULA_shipped)
		t->follows = find_antecedent(v, t);
	else
		t->follows = work_said(v->work, 0, &t->before);
	if (!t->follows)
		return;
	t->out->answers_seq = t->before.seq;
	t->out->answers_i = t->before.i;
	t->adjacent = work_follow(v->work, t->before.chain);
}

/* The turn is now part of the talk, in the chain that was found for it. */
static void
speak(struct weave *v, struct turn *t)
{
	struct reply_verdict verdict = { .antecedent = -1 };
	struct msg_said said = {
		.seq = work_seq(v->work),
		.i = t->i,
		.ts = work_ts(v->work),
		.user = t->user,
		.role = t->role,
		.act = t->c->act,
		.closing = t->out->closing,
		.id = t->id,
	};
	size_t k;

	if (t->out->chain.len > 0 &&
	    chain_parse(t->out->chain, &said.chain) == -1)
		said.chain = 0;
	if (t->several) {
		for (k = 0; k < t->heard.n; k++)
			if (t->heard.turn[k].seq == t->out->answers_seq &&
			    t->heard.turn[k].i == t->out->answers_i)
				verdict.antecedent = (int)k;
		reply_settle(&t->now, t->heard.heard, &verdict);
		t->now.chain = said.chain;
		said.heard = arena_dup(work_arena(v->work),
		    slice_of((const char *)&t->now, sizeof(t->now)));
	}
	work_say(v->work, &said);
}

/* ---- signs ---- */

static bool
is_asking(struct slice act)
{
	return slice_is(act, "question") || slice_is(act, "request");
}

static const struct msg_c_sentence *
sentence_of(const struct msg_c_turn *c, const struct msg_c_claim *claim)
{
	size_t i;

	for (i = 0; i < c->n_sentences; i++)
		if (claim->at >= c->sentences[i].at &&
		    claim->at < c->sentences[i].at + c->sentences[i].len)
			return &c->sentences[i];
	return NULL;
}

static bool
has_name(const struct msg_c_claim *claim)
{
	size_t i;

	for (i = 0; claim != NULL && i < claim->n_entities; i++)
		if (entity_weight(claim->entities[i].kind) >= 1000)
			return true;
	return false;
}

static struct chain_signs
read_signs(struct weave *v, const struct turn *t,
    const struct msg_c_claim *claim, size_t nth)
{
	const struct msg_c_sentence *s = claim == NULL ? NULL :
						sentence_of(t->c, claim);
	struct slice act = s != NULL ? s->act : t->c->act;
	struct cues cues = t->cues;
	struct chain_signs signs;

	if (s != NULL && claim->at + claim->len <= t->text.len &&
	    claim->len < t->text.len)
		cues = cues_of(work_arena(v->work),
		    slice_of(t->text.ptr + claim->at, claim->len));
	signs = (struct chain_signs){
		.assistant = !is_people(t),
		.inside = nth > 0,
		.asks = is_asking(act),
		.replies = slice_is(act, "accept") || slice_is(act, "reject") ||
		    slice_is(act, "commit"),
		.brief = t->cues.words <= BRIEF_WORDS,
		.opens = s != NULL ? s->opens : t->c->opens,
		.returns = (s != NULL ? s->returns : t->c->returns) ||
		    cues.returns,
		.leans = cues.leans,
		.shifts = cues.shifts,
		.names = has_name(claim),
		.yes_no = cues.yes_no,
		.asked = t->follows && is_asking(t->before.act),
		.after_end = t->follows && t->before.closing,
	};
	signs.answers = signs.asked && !signs.asks &&
	    !slice_eq(t->before.role, t->role);
	return signs;
}

static struct slice
describe_signs(struct arena *arena, const struct chain_signs *s)
{
	const struct {
		bool is;
		const char *name;
	} all[] = { { s->assistant, "assistant" }, { s->answers, "answers" },
		{ s->asks, "asks" }, { s->replies, "replies" },
		{ s->brief, "brief" }, { s->opens, "opens" },
		{ s->returns, "returns" }, { s->leans, "leans" },
		{ s->shifts, "shifts" }, { s->names, "names" },
		{ s->after_end, "after-end" } };
	char *out, *at;
	size_t i, len = 0;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		len += all[i].is ? strlen(all[i].name) + 1 : 0;
	out = at = arena_room(arena, len);
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (all[i].is) {
			if (at > out)
				*at++ = ' ';
			at = stpcpy(at, all[i].name);
		}
	return slice_of(out, (size_t)(at - out));
}

/* ---- candidates ---- */

struct field {
	struct candidate c[CANDIDATES + LOOKED_UP];
	uint64_t refs[CANDIDATES + LOOKED_UP];	/* theirs, as they came */
	size_t n;
};

static bool
is_there(const struct field *f, uint64_t ref)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (f->refs[i] == ref)
			return true;
	return false;
}

static void
add_candidate(struct weave *v, const struct turn *t, struct field *f,
    uint64_t ref, const struct topic *claim, const struct chain_signs *signs)
{
	struct candidate *c = &f->c[f->n];
	const struct msg_chain *chain;
	struct topic topic;
	int64_t age;

	if (is_there(f, ref))
		return;
	chain = work_candidate(v->work, ref, &topic);
	if (chain == NULL || (chain->ref != ref && is_there(f, chain->ref)))
		return;
	f->refs[f->n] = chain->ref;
	*c = (struct candidate){ .chain = chain,
		.state = work_state(v->work, chain),
		.adjacent = t->adjacent != NULL &&
		    chain->ref == t->adjacent->ref,
		.sketch = topic.sketch };
	age = work_ts(v->work) - chain->last_extended;
	c->terms = distance_terms(v->rules.formula, claim, &topic, age);
	/* What is new in a claim counts against the chain it would follow. */
	distance_add(v->rules.formula, &c->terms,
	    c->adjacent ? c->terms.recency : 0,
	    chain_cue(signs, c->adjacent,
		c->terms.keyword > 0 || c->terms.entity > 0,
		c->adjacent ? fresh_weight(claim, &topic) : 0));
	f->n++;
}

static void
gather(struct weave *v, const struct turn *t, const struct topic *claim,
    const struct chain_signs *signs, struct field *f)
{
	const struct msg_chain_talk *talk = work_talk(v->work);
	const struct msg_chain_stream *stream = work_stream(v->work);
	size_t i;

	f->n = 0;
	if (t->adjacent != NULL)
		add_candidate(v, t, f, t->adjacent->ref, claim, signs);
	for (i = 0; i < talk->recent.count; i++)
		add_candidate(v, t, f, talk->recent.at[i], claim, signs);
	for (i = 0; i < stream->recent.count; i++)
		add_candidate(v, t, f, stream->recent.at[i], claim, signs);
	candidates_sort(f->c, f->n);
}

/* What the index knows of the claim's words, those at hand among them. */
static void
gather_more(struct weave *v, const struct turn *t, const struct topic *claim,
    const struct chain_signs *signs, struct field *f)
{
	uint64_t refs[LOOKED_UP];
	size_t i, n = work_look_up(v->work, claim, refs, LOOKED_UP);

	for (i = 0; i < n; i++)
		add_candidate(v, t, f, refs[i], claim, signs);
	candidates_sort(f->c, f->n);
}

/* ---- the section ---- */

static struct msg_h_update *
add_update(struct weave *v, enum chain_kind kind, uint64_t ref, size_t turn,
    struct slice reason)
{
	struct msg_s_chainer *s = v->section;
	struct arena *arena = work_arena(v->work);
	struct msg_h_update *grown;

	if (s->n_updates == v->cap_updates) {
		v->cap_updates = v->cap_updates == 0 ? 4 : v->cap_updates * 2;
		grown = arena_array(arena, v->cap_updates, sizeof(grown[0]));
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
	uint64_t *grown = arena_array(arena, list->count + 1, sizeof(n));

	if (list->count > 0)
		memcpy(grown, list->at, list->count * sizeof(n));
	grown[list->count] = n;
	*list = (struct msg_u64s){ grown, list->count + 1 };
}

static void
show_candidates(struct arena *arena, const struct field *f,
    struct msg_h_update *u)
{
	const struct candidate *c;
	size_t i;

	u->n_candidates = f->n < SHOWN ? f->n : SHOWN;
	u->candidates = arena_array(arena, u->n_candidates,
	    sizeof(u->candidates[0]));
	for (i = 0; i < u->n_candidates; i++) {
		c = &f->c[i];
		u->candidates[i] = (struct msg_h_candidate){
			.chain = chain_name(arena, c->chain->ref),
			.state = chain_state_name(c->state),
			.distance = c->terms.distance,
			.entity = c->terms.entity,
			.subject = c->terms.subject,
			.keyword = c->terms.keyword,
			.recency = c->terms.recency,
			.adjacency = c->terms.adjacency,
			.cue = c->terms.cue,
		};
	}
}

/* The turn's chains, each once; the last one is the main claim's. */
static void
note_chain(struct weave *v, struct turn *t, uint64_t ref)
{
	struct arena *arena = work_arena(v->work);
	struct msg_strs *chains = &t->out->chains;
	struct slice name = chain_name(arena, ref), *grown;
	size_t i;

	t->out->chain = name;
	for (i = 0; i < chains->count; i++)
		if (slice_eq(chains->at[i], name))
			return;
	grown = arena_array(arena, chains->count + 1, sizeof(grown[0]));
	for (i = 0; i < chains->count; i++)
		grown[i] = chains->at[i];
	grown[i] = name;
	*chains = (struct msg_strs){ grown, i + 1 };
}

/* ---- a claim finds its chain ---- */

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
joins_last(const struct weave *v, const struct turn *t,
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
merge(struct weave *v, struct turn *t, const struct msg_chain *a,
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
	u = add_update(v, KIND_merge, a->ref, t->i, arena_printf(arena,
	    "\"%.*s\" and \"%.*s\" have become one topic", SLICE_ARG(a->topic),
	    SLICE_ARG(b->topic)));
	u->from = chain_name(arena, b->ref);
	(void)work_step(v->work, u, v->section->n_updates - 1);
	t->adjacent = a;
	note_chain(v, t, a->ref);
}

/* Carries a choice out, for a claim or for a turn without any. */
static void
take_step(struct weave *v, struct turn *t, const struct choice *choice,
    const struct topic *claim, size_t nth, const struct field *f)
{
	struct arena *arena = work_arena(v->work);
	bool begins = choice->kind != KIND_extend;
	uint64_t tied = choice->tied != NULL ? choice->tied->chain->ref : 0;
	const struct msg_chain *c;
	struct msg_h_update *u;

	if (joins_last(v, t, choice)) {
		u = &v->section->updates[v->section->n_updates - 1];
		c = work_chain(v->work, choice->to->chain->ref);
	} else {
		u = add_update(v, choice->kind, begins ? next_ref(v) :
		    choice->to->chain->ref, t->i, choice->reason);
		u->revives = choice->revives;
		if (choice->kind == KIND_branch)
			u->from = chain_name(arena, choice->to->chain->ref);
		if (begins)
			u->topic = claim->subject;
		if (f != NULL)
			show_candidates(arena, f, u);
		c = work_step(v->work, u, v->section->n_updates - 1);
	}
	if (c == NULL)		/* the entry began as many as it can */
		return;
	if (nth != SIZE_MAX) {
		add_number(arena, &u->claims, nth);
		work_claim(v->work, c->ref, claim);
	}
	t->adjacent = c;
	note_chain(v, t, c->ref);
	if (tied != 0)
		merge(v, t, c, tied);
}

/* In a room who answers whom decides; topics cross there all the time. */
static bool
follow_answer(struct weave *v, const struct turn *t, struct field *f,
    struct choice *choice)
{
	size_t i;

	if (v->entry->entry.as->envelope.room.len == 0 ||
	    v->rules.formula != FORMULA_shipped || t->adjacent == NULL)
		return false;
	for (i = 0; i < f->n; i++)
		if (f->c[i].chain->ref == t->adjacent->ref)
			break;
	if (i == f->n)
		return false;
	*choice = (struct choice){ KIND_extend, &f->c[i], NULL,
		f->c[i].state == CHAIN_dormant,
		arena_printf(work_arena(v->work),
		    "Answers %.*s, in \"%.*s\"", SLICE_ARG(t->before.user),
		    SLICE_ARG(t->adjacent->topic)) };
	return true;
}

static bool
may_take_up(const struct weave *v, const struct chain_signs *signs)
{
	return v->entry->entry.as->envelope.room.len == 0 ||
	    v->rules.formula != FORMULA_shipped || signs->returns;
}

static void
weave_claim(struct weave *v, struct turn *t, size_t nth)
{
	struct arena *arena = work_arena(v->work);
	const struct msg_c_claim *claim = &t->c->claims[nth];
	struct topic topic = claim_topic(arena, claim);
	struct chain_signs signs = read_signs(v, t, claim,
	    t->out->chains.count);
	struct choice choice;
	struct field f;

	topic.sketch = sketch_topic(arena, &topic);
	if (nth == 0)
		t->out->cues = describe_signs(arena, &signs);
	gather(v, t, &topic, &signs, &f);
	if (follow_answer(v, t, &f, &choice)) {
		take_step(v, t, &choice, &topic, nth, &f);
		return;
	}
	if (may_take_up(v, &signs)) {
		if (choose_active(&v->rules, &signs, &topic, f.c, f.n, arena,
			&choice)) {
			take_step(v, t, &choice, &topic, nth, &f);
			return;
		}
		gather_more(v, t, &topic, &signs, &f);
		if (choose_dormant(&v->rules, &signs, &topic, f.c, f.n, arena,
			&choice)) {
			take_step(v, t, &choice, &topic, nth, &f);
			return;
		}
	}
	choose_new(&topic, arena, &choice);
	take_step(v, t, &choice, &topic, nth, &f);
}

/* ---- a turn without claims ---- */

static bool
says_something(const struct turn *t)
{
	return t->c->act.len > 0 && !slice_is(t->c->act, "greeting") &&
	    !slice_is(t->c->act, "none") && !slice_is(t->role, "tool");
}

static void
begin_with_words(struct weave *v, struct turn *t)
{
	struct topic topic = { .subject = slice_of(t->text.ptr,
	    text_cut(t->text, CHAIN_TOPIC_BYTES / 2)) };
	struct choice choice;

	if (topic.subject.len == 0)
		return;
	choose_new(&topic, work_arena(v->work), &choice);
	take_step(v, t, &choice, &topic, SIZE_MAX, NULL);
}

/* "Yes", "that one", "on Thursday?": the chain of what it answers. */
static void
weave_short(struct weave *v, struct turn *t)
{
	struct candidate c = { .chain = t->adjacent, .adjacent = true };
	struct chain_signs signs = read_signs(v, t, NULL, 0);
	struct choice choice;

	t->out->cues = describe_signs(work_arena(v->work), &signs);
	if (t->adjacent == NULL) {
		if (v->entry->entry.as->envelope.room.len > 0 ||
		    is_asking(t->c->act))
			begin_with_words(v, t);
		return;
	}
	c.state = work_state(v->work, t->adjacent);
	note_chain(v, t, t->adjacent->ref);
	if (!says_something(t))
		return;
	choice = (struct choice){ KIND_extend, &c, NULL,
		c.state == CHAIN_dormant,
		chain_quote(work_arena(v->work), c.state == CHAIN_dormant ?
		    "A short reply revived chain about" :
		    "A short reply within", t->adjacent->topic, "") };
	take_step(v, t, &choice, &(struct topic){ 0 }, SIZE_MAX, NULL);
}

/* ---- turns ---- */

static void
conclude(struct weave *v, size_t turn, uint64_t ref, struct slice how)
{
	const struct msg_chain *c = work_follow(v->work, ref);
	struct msg_h_update *u;

	if (c == NULL || chain_state(c) == CHAIN_concluded)
		return;
	u = add_update(v, KIND_conclude, c->ref, turn,
	    arena_printf(work_arena(v->work), "\"%.*s\" was concluded: %.*s",
		SLICE_ARG(c->topic), SLICE_ARG(how)));
	(void)work_step(v->work, u, v->section->n_updates - 1);
}

/*
 * What a turn concludes is its chain.  One that goes on to ask has not done
 * with that; but what it came from, if it asks about something else, is over.
 */
static void
conclude_turn(struct weave *v, struct turn *t)
{
	uint64_t ref;

	if (!t->c->concludes || !is_people(t) || t->out->chain.len == 0 ||
	    chain_parse(t->out->chain, &ref) == -1)
		return;
	if (is_asking(t->c->act)) {
		if (!t->follows || t->before.chain == ref)
			return;
		ref = t->before.chain;
	}
	conclude(v, t->i, ref, t->c->rule.len > 0 ?
	    arena_printf(work_arena(v->work), "the turn says so (%.*s)",
		SLICE_ARG(t->c->rule)) : SLICE("the turn says so"));
}

static void
decide_turn(struct weave *v, size_t i)
{
	struct turn t = turn_at(v, i);
	size_t nth;

	if (!is_talk(&t))
		return;
	t.cues = cues_of(work_arena(v->work), t.text);
	t.out->closing = t.cues.closing || t.c->concludes;
	find_before(v, &t);
	if (slice_is(t.role, "tool") || t.c->n_claims == 0)
		weave_short(v, &t);
	else
		for (nth = 0; nth < t.c->n_claims; nth++)
			weave_claim(v, &t, nth);
	conclude_turn(v, &t);
	speak(v, &t);
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
	const struct msg_chain *c = work_step(v->work, u, index);
	const struct msg_c_turn *turn = classified(v->entry, u->turn);
	struct topic topic;
	size_t k;

	for (k = 0; c != NULL && k < u->claims.count; k++) {
		if (u->claims.at[k] >= turn->n_claims)
			continue;
		topic = claim_topic(work_arena(v->work),
		    &turn->claims[u->claims.at[k]]);
		work_claim(v->work, c->ref, &topic);
	}
}

void
weave_apply(struct weave *v)
{
	const struct msg_s_chainer *s = v->section;
	size_t i, at = 0;
	struct turn t;

	for (i = 0; i < s->n_turns && i < weave_turn_count(v->entry); i++) {
		t = turn_at(v, i);
		if (!is_talk(&t))
			continue;
		listen(v, &t);
		for (; at < s->n_updates && s->updates[at].turn <= i; at++)
			apply_update(v, &s->updates[at], at);
		speak(v, &t);
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
		conclude(v, 0, effort_chain(v, e->artifact, e->chain),
		    SLICE("its effort was closed"));
	else
		conclude(v, 0, work_thread_chain(v->work, commanded_thread(v)),
		    SLICE("its thread was closed"));
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
	u = add_update(v, KIND_extend, c->ref, 0,
	    arena_printf(work_arena(v->work), "\"%.*s\" was reopened",
		SLICE_ARG(c->topic)));
	u->revives = true;
	(void)work_step(v->work, u, v->section->n_updates - 1);
}
