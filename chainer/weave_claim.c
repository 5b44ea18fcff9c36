/*
 * weave_claim - the chain of each claim, or of a turn without any
 */
#include "chainer/weave_impl.h"
#include "common/text.h"

enum { BRIEF_WORDS = 4 };

static uint64_t
entity_weight(struct slice kind)
{
	if (slice_is(kind, "mention"))
		return 0;
	if (slice_is(kind, "date") || slice_is(kind, "quantity"))
		return 200;
	return slice_is(kind, "version") ? 500 : 1000;
}

struct topic
weave_topic(struct arena *arena, const struct msg_c_claim *claim)
{
	struct topic t = { .subject = claim->subject,
		.keywords = claim->keywords, .weights = claim->weights };
	size_t i, n = 0;

	t.entities.at = arena_room(arena, claim->n_entities *
	    sizeof(struct slice));
	t.entity_weights.at = arena_room(arena, claim->n_entities *
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

/* ---- signs ---- */

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

/* The part of the turn that makes the claim. */
static struct slice
claim_text(const struct weave_turn *t, const struct msg_c_claim *claim)
{
	return claim->at + claim->len <= t->text.len ?
	    slice_of(t->text.ptr + claim->at, claim->len) : t->text;
}

static struct chain_signs
read_signs(struct weave *v, const struct weave_turn *t,
    const struct msg_c_claim *claim, size_t nth)
{
	const struct msg_c_sentence *s = claim == NULL ? NULL :
						sentence_of(t->c, claim);
	struct slice act = s != NULL ? s->act : t->c->act;
	struct cues cues = t->cues;
	struct chain_signs signs;

	if (s != NULL && claim_text(t, claim).len < t->text.len)
		cues = cues_of(work_arena(v->work), claim_text(t, claim));
	/* "New question." says it of what comes next. */
	if (nth == 0 && claim != NULL) {
		cues.shifts |= t->cues.shifts;
		cues.returns |= t->cues.returns;
	}
	signs = (struct chain_signs){
		.assistant = !weave_is_people(t),
		.inside = nth > 0,
		.asks = weave_is_asking(act),
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
		.asked = t->follows && weave_is_asking(t->before.act),
		.after_end = t->follows && t->before.closing,
		.meant = v->meaning != NULL && weave_is_people(t) &&
		    !t->several && v->rules.formula == FORMULA_shipped,
	};
	signs.answers = signs.asked && !signs.asks &&
	    !slice_eq(t->before.role, t->role);
	return signs;
}

/* In words, each but the first behind a space. */
static struct slice
describe_signs(struct arena *arena, const struct chain_signs *s)
{
	static const struct {
		char text[15];
		unsigned char len;
	} words[] = { { " assistant", 10 }, { " answers", 8 }, { " asks", 5 },
		{ " replies", 8 }, { " brief", 6 }, { " opens", 6 },
		{ " returns", 8 }, { " leans", 6 }, { " shifts", 7 },
		{ " names", 6 }, { " after-end", 10 } };
	const bool is[] = { s->assistant, s->answers, s->asks, s->replies,
		s->brief, s->opens, s->returns, s->leans, s->shifts, s->names,
		s->after_end };
	enum { WORDS = sizeof(words) / sizeof(words[0]) };
	char *out = arena_room(arena, sizeof(words));
	size_t i, len = 0;

	_Static_assert(sizeof(is) == WORDS, "a word for each");
	/* All are written, the next one over one that is not meant. */
	for (i = 0; i < WORDS; i++) {
		memcpy(out + len, words[i].text, sizeof(words[i].text));
		len += is[i] ? words[i].len : 0;
	}
	return len == 0 ? SLICE("") : slice_of(out + 1, len - 1);
}

/* ---- candidates ---- */

/* Whether it is the first time; then it no longer is. */
static bool
ask_once(struct weave_field *f, uint64_t ref)
{
	uint64_t bit = UINT64_C(1)
	    << (ref * UINT64_C(0x9e3779b97f4a7c15) >> 58);
	size_t i;

	for (i = 0; (f->seen & bit) != 0 && i < f->n_asked; i++)
		if (f->asked[i] == ref)
			return false;
	f->seen |= bit;
	f->asked[f->n_asked++] = ref;
	return true;
}

/* Few words are near to something or other among all that was spoken of. */
static bool
is_meant(const struct chain_signs *signs, bool here)
{
	return signs->meant && (here || !signs->brief);
}

/* All are found before any is weighed: much of them is far away. */
static void
add_candidate(struct weave *v, const struct weave_turn *t,
    struct weave_field *f, uint64_t ref, const struct topic *claim,
    const struct chain_signs *signs, bool here)
{
	struct work_view view;

	ref = work_merged(ref);
	if (!ask_once(f, ref) || !work_candidate(v->work, ref, &view))
		return;
	/* It may just have been merged into another. */
	if (view.ref != ref && !ask_once(f, view.ref))
		return;
	sketch_approach(view.sketch, claim->sketch, is_meant(signs, here));
	f->age[f->n] = work_ts(v->work) - view.last_extended;
	f->c[f->n++] = (struct candidate){ .chain = view.chain,
		.ref = view.ref,
		.state = view.state,
		.adjacent = t->adjacent != NULL &&
		    view.ref == t->adjacent->ref,
		.here = here,
		.sketch = view.sketch };
}

/* What is asked of a chain here is all in its sketch. */
static void
weigh(struct weave *v, const struct topic *claim,
    const struct chain_signs *signs, struct candidate *c, int64_t age)
{
	struct topic topic = { .sketch = c->sketch };

	c->terms = distance_terms(v->rules.formula, claim, &topic, age);
	/* What is new in a claim counts against the chain it would follow. */
	distance_add(v->rules.formula, &c->terms,
	    c->adjacent ? c->terms.recency : 0,
	    is_meant(signs, c->here) ?
	    meaning_near(v->meaning, claim, &topic) : 0,
	    chain_cue(signs, c,
		c->adjacent ? fresh_weight(claim, &topic) : 0));
}

/* Those that were added since there were `from`. */
static void
weigh_added(struct weave *v, const struct topic *claim,
    const struct chain_signs *signs, struct weave_field *f, size_t from)
{
	size_t i;

	for (i = from; i < f->n; i++)
		weigh(v, claim, signs, &f->c[i], f->age[i]);
	candidates_sort(f->c, f->n);
}

static void
gather(struct weave *v, const struct weave_turn *t, const struct topic *claim,
    const struct chain_signs *signs, struct weave_field *f)
{
	const struct msg_chain_talk *talk = work_talk(v->work);
	const struct msg_chain_stream *stream = work_stream(v->work);
	size_t i;

	f->n = f->n_asked = 0;
	f->seen = 0;
	if (t->adjacent != NULL)
		add_candidate(v, t, f, t->adjacent->ref, claim, signs, true);
	for (i = 0; i < talk->recent.count; i++)
		add_candidate(v, t, f, talk->recent.at[i], claim, signs, true);
	for (i = 0; i < stream->recent.count; i++)
		add_candidate(v, t, f, stream->recent.at[i], claim, signs,
		    false);
	weigh_added(v, claim, signs, f, 0);
}

/* What the index knows of the claim's words, those at hand among them. */
void
weave_look_further(struct weave *v, const struct weave_turn *t,
    const struct topic *claim, const struct chain_signs *signs,
    struct weave_field *f)
{
	uint64_t refs[WEAVE_LOOKED_UP];
	size_t i, n = work_look_up(v->work, claim, refs, WEAVE_LOOKED_UP);
	size_t from = f->n;

	work_approach(v->work, refs, n);
	work_approach_nearer(v->work);
	for (i = 0; i < n; i++)
		add_candidate(v, t, f, refs[i], claim, signs, false);
	weigh_added(v, claim, signs, f, from);
}

/* ---- a claim finds its chain ---- */

/* In a room who answers whom decides; topics cross there all the time. */
static bool
follow_answer(struct weave *v, const struct weave_turn *t,
    struct weave_field *f, struct choice *choice)
{
	size_t i;

	if (v->entry->entry.as->envelope.room.len == 0 ||
	    v->rules.formula != FORMULA_shipped || t->adjacent == NULL)
		return false;
	for (i = 0; i < f->n; i++)
		if (f->c[i].ref == t->adjacent->ref)
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

void
weave_claim(struct weave *v, struct weave_turn *t, size_t nth)
{
	struct arena *arena = work_arena(v->work);
	const struct msg_c_claim *claim = &t->c->claims[nth];
	struct topic topic = weave_topic(arena, claim);
	struct chain_signs signs = read_signs(v, t, claim,
	    t->out->chains.count);
	struct choice choice;
	struct weave_field f;

	topic.sketch = sketch_topic(arena, &topic);
	if (signs.meant)
		meaning_read(v->meaning, claim_text(t, claim),
		    topic.sketch->gist);
	if (nth == 0)
		t->out->cues = describe_signs(arena, &signs);
	gather(v, t, &topic, &signs, &f);
	if (follow_answer(v, t, &f, &choice)) {
		weave_take_step(v, t, &choice, &topic, nth, &f);
		return;
	}
	if (weave_course(v, t, &topic, &signs, &f, &choice)) {
		weave_take_step(v, t, &choice, &topic, nth, &f);
		return;
	}
	if (may_take_up(v, &signs)) {
		if (choose_active(&v->rules, &signs, &topic, f.c, f.n, arena,
			&choice)) {
			weave_take_step(v, t, &choice, &topic, nth, &f);
			return;
		}
		weave_look_further(v, t, &topic, &signs, &f);
		if (choose_dormant(&v->rules, &signs, &topic, f.c, f.n, arena,
			&choice)) {
			weave_take_step(v, t, &choice, &topic, nth, &f);
			return;
		}
	}
	choose_new(&topic, arena, &choice);
	weave_take_step(v, t, &choice, &topic, nth, &f);
}

/* ---- a turn without claims ---- */

static bool
says_something(const struct weave_turn *t)
{
	return t->c->act.len > 0 && !slice_is(t->c->act, "greeting") &&
	    !slice_is(t->c->act, "none") && !slice_is(t->role, "tool");
}

static void
begin_with_words(struct weave *v, struct weave_turn *t)
{
	struct topic topic = { .subject = slice_of(t->text.ptr,
	    text_cut(t->text, CHAIN_TOPIC_BYTES / 2)) };
	struct choice choice;

	if (topic.subject.len == 0)
		return;
	choose_new(&topic, work_arena(v->work), &choice);
	weave_take_step(v, t, &choice, &topic, SIZE_MAX, NULL);
}

/* "Yes", "that one", "on Thursday?": the chain of what it answers. */
void
weave_short(struct weave *v, struct weave_turn *t)
{
	struct candidate c = { .chain = t->adjacent, .adjacent = true };
	struct chain_signs signs = read_signs(v, t, NULL, 0);
	struct choice choice;

	t->out->cues = describe_signs(work_arena(v->work), &signs);
	if (t->adjacent == NULL) {
		if (v->entry->entry.as->envelope.room.len > 0 ||
		    weave_is_asking(t->c->act))
			begin_with_words(v, t);
		return;
	}
	c.ref = t->adjacent->ref;
	c.state = work_state(v->work, t->adjacent);
	weave_note_chain(v, t, t->adjacent->ref);
	if (!says_something(t))
		return;
	choice = (struct choice){ KIND_extend, &c, NULL,
		c.state == CHAIN_dormant,
		chain_quote(work_arena(v->work), c.state == CHAIN_dormant ?
		    "A short reply revived chain about" :
		    "A short reply within", t->adjacent->topic, "") };
	weave_take_step(v, t, &choice, &(struct topic){ 0 }, SIZE_MAX, NULL);
}
