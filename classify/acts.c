/*
 * acts - the dialogue act of a turn and of its sentences
 */
#include "classify/acts.h"

#include "classify/model.h"
#include "classify/rules.h"
#include "classify/sentence.h"
#include "classify/sift.h"

enum {
	SURE = 850,		/* thousandths: such a rule asks nobody */
	GUESS = 300,		/* the confidence of a fallback */
	STATEMENT_WORDS = 3,	/* fewer are hardly a statement */
	FIRM = 900,		/* a conclusion that stands whatever follows */
};

static const char *const names[] = {
#define ACT(number, name, what) [number] = #name,
#include "classify/acts.def"
};

static const char *const flag_names[] = {
#define FLAG(bit, name, what) [bit] = #name,
#include "classify/acts.def"
};

/* Which act of several sentences is the turn's: the higher. */
static const int weights[ACT_COUNT] = {
	[ACT_none] = 0, [ACT_greeting] = 1, [ACT_inform] = 2, [ACT_accept] = 3,
	[ACT_commit] = 4, [ACT_reject] = 5, [ACT_question] = 6,
	[ACT_request] = 6,
};

const char *
act_name(enum act act)
{
	return (unsigned)act < ACT_COUNT ? names[act] : "unknown";
}

int
act_parse(struct slice name, enum act *out)
{
	for (unsigned i = 0; i < ACT_COUNT; i++)
		if (name.len > 0 && name.ptr[0] == names[i][0] &&
		    slice_is(name, names[i])) {
			*out = (enum act)i;
			return 0;
		}
	return -1;
}

const char *
act_flag_name(unsigned bit_index)
{
	size_t count = sizeof(flag_names) / sizeof(flag_names[0]);

	return bit_index < count ? flag_names[bit_index] : NULL;
}

static void
ask_model(const struct acts *acts, struct slice text,
    const struct act_context *context, struct act_verdict *v)
{
	model_score(acts->model, text, context, v->scores);
	v->scored = true;
}

/* What the rule says against what the model says: the surer is followed. */
static void
follow_surer(struct act_verdict *v)
{
	enum act best = model_best(v->scores);
	unsigned score = v->scores[best] > 0 ? (unsigned)v->scores[best] : 0;

	if (v->level == LEVEL_rule && score <= v->confidence)
		return;
	if (v->level == LEVEL_rule && best == v->act) {
		v->confidence = score;
		return;
	}
	v->act = best;
	v->confidence = score;
	v->level = LEVEL_model;
	v->rule = SLICE_NONE;
}

static void
fall_back(const struct rules_verdict *r, struct act_verdict *v)
{
	v->act = r->words >= STATEMENT_WORDS ? ACT_inform : ACT_none;
	v->confidence = GUESS;
	v->level = LEVEL_none;
}

void
acts_sentence(const struct acts *acts, struct slice sentence,
    const struct act_context *context, struct act_verdict *out)
{
	struct rules_verdict r;

	rules_apply(acts->rules, sentence, context, &r);
	*out = (struct act_verdict){
		.flags = r.flags, .by = r.decided, .english = r.english,
		.leaning = r.leaning, .together = r.together, .alone = r.alone,
	};
	memcpy(out->flag_by, r.flagged, sizeof(out->flag_by));
	if (r.decided != NULL) {
		out->act = r.decided->act;
		out->confidence = r.room ? r.decided->room_confidence :
		    r.decided->confidence;
		out->level = LEVEL_rule;
		out->rule = r.decided->name;
	} else {
		fall_back(&r, out);
	}
	/* The model knows English only: elsewhere it would force an act. */
	out->foreign = r.foreign;
	if (acts->model == NULL || r.foreign ||
	    (r.decided != NULL && out->confidence >= SURE))
		return;
	ask_model(acts, sentence, context, out);
	follow_surer(out);
}

/*
 * "Perfect." closes; "Perfect. Now book it for two." does not, whereas "That
 * fixed it. Now add a test." does: it depends on how firm the conclusion was.
 */
static bool
is_withdrawn(const struct act_turn *turn, const struct act_verdict *next)
{
	const struct rule_info *by = turn->whole.flag_by[FLAG_BIT_concludes];

	if (next->act == ACT_reject)
		return true;
	return (next->act == ACT_question || next->act == ACT_request) &&
	    by != NULL && by->confidence < FIRM;
}

static bool
is_weightier(enum act act, enum act than)
{
	return weights[act] > weights[than] ||
	    (weights[act] == weights[than] && act != than);
}

static void
turn_join(struct act_turn *turn, size_t i)
{
	const struct act_verdict *v = &turn->sentences[i].verdict;
	struct act_verdict before = turn->whole;

	if (i == 0 || is_weightier(v->act, before.act)) {
		turn->whole = *v;
		turn->deciding = i;
		memcpy(turn->whole.flag_by, before.flag_by,
		    sizeof(before.flag_by));
	}
	turn->whole.flags = before.flags;
	if (is_withdrawn(turn, v)) {
		turn->whole.flags &= ~(unsigned)FLAG_concludes;
		turn->whole.flag_by[FLAG_BIT_concludes] = NULL;
	}
	turn->whole.flags |= v->flags;
	turn->whole.leaning = before.leaning + v->leaning;
	turn->whole.together = before.together || v->together;
	turn->whole.alone = before.alone || v->alone;
	for (unsigned bit = 0; bit < 4; bit++)
		if (v->flag_by[bit] != NULL)
			turn->whole.flag_by[bit] = v->flag_by[bit];
}

/*
 * The model also knows turns of several sentences: it is asked about the whole
 * unless a rule was sure of the sentence that decides.
 */
static void
turn_ask(const struct acts *acts, struct slice own,
    const struct act_context *context, struct act_turn *turn)
{
	struct act_verdict *v = &turn->whole;

	if (v->level == LEVEL_rule && v->confidence >= SURE)
		return;
	ask_model(acts, own, context, v);
	follow_surer(v);
}

void
acts_read(const struct acts *acts, struct arena *arena, struct slice text,
    const struct sifted *sifted, const struct sentence *found, size_t count,
    const struct act_context *context, struct act_turn *out)
{
	struct act_context c = *context;
	bool foreign = false;

	*out = (struct act_turn){ .whole = { .level = LEVEL_none },
		.count = count };
	out->sentences = arena_room(arena, out->count *
	    sizeof(*out->sentences));
	for (size_t i = 0; i < out->count; i++) {
		struct act_sentence *s = &out->sentences[i];
		struct slice own = sift_own(arena, text, sifted, found[i].at,
		    found[i].len);

		s->at = found[i].at;
		s->len = found[i].len;
		acts_sentence(acts, own, &c, &s->verdict);
		turn_join(out, i);
		c.effort_open |= (s->verdict.flags & FLAG_opens) != 0;
		foreign |= s->verdict.foreign;
	}
	if (acts->model != NULL && out->count > 1 && !foreign)
		turn_ask(acts, sift_own(arena, text, sifted, 0, text.len),
		    context, out);
}

void
acts_turn(const struct acts *acts, struct arena *arena, struct slice text,
    const struct act_context *context, struct act_turn *out)
{
	struct sifted sifted = sift_text(arena, text, context->speaker);
	struct sentence *found;
	size_t count = sentences_of(arena, text, &sifted, &found);

	acts_read(acts, arena, text, &sifted, found, count, context, out);
}
