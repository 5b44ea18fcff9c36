/*
 * describe - what a turn does and what it is about, as a section holds it
 */
#include "classify/describe.h"

#include <stdlib.h>
#include <unistd.h>

#include "classify/claims.h"
#include "classify/model.h"
#include "classify/rules.h"
#include "common/log.h"
#include "common/text.h"
#include "common/xmalloc.h"

struct engine {
	struct acts acts;
	struct model *model;
	struct claims_engine *claims;
};

/* ---- opening ---- */

static struct rules *
open_rules(const struct conf *conf, struct buf *why)
{
	char *shipped = conf_data_path(conf, "acts.rules");
	char *own = conf_path(conf, "acts.rules");
	const char *paths[2] = { shipped, own };
	struct rules *rules = NULL;

	if (shipped == NULL)
		buf_adds(why, "acts.rules: cannot be found; see data_dir");
	else
		rules = rules_open(paths, access(own, F_OK) == 0 ? 2 : 1, why);
	free(shipped);
	free(own);
	return rules;
}

/* Missing weights are a smaller skein; broken ones are a mistake. */
static int
open_model(const struct conf *conf, struct engine *engine, struct buf *why)
{
	char *path = conf_data_path(conf, "acts.model");

	if (path == NULL || access(path, F_OK) == -1) {
		log_info("no weights: rules decide alone");
		free(path);
		return 0;
	}
	engine->model = model_open(path, why);
	engine->acts.model = engine->model;
	free(path);
	return engine->model == NULL ? -1 : 0;
}

static int
open_claims(const struct conf *conf, struct engine *engine, struct buf *why)
{
	char *list = conf_data_path(conf, "idf.tsv"), *slash;
	int rc = -1;

	if (list == NULL) {
		buf_adds(why, "idf.tsv: cannot be found; see data_dir");
		return -1;
	}
	slash = strrchr(list, '/');
	*slash = '\0';
	rc = claims_open(&engine->claims, list);
	if (rc == -1)
		buf_addf(why, "%s: the word lists cannot be read", list);
	free(list);
	return rc;
}

struct engine *
engine_open(const struct conf *conf, struct buf *why)
{
	struct engine *engine = xcalloc(1, sizeof(*engine));

	engine->acts.rules = open_rules(conf, why);
	if (engine->acts.rules == NULL || open_model(conf, engine, why) == -1 ||
	    open_claims(conf, engine, why) == -1)
		engine_close(&engine);
	return engine;
}

void
engine_close(struct engine **engine)
{
	struct engine *e = *engine;

	if (e == NULL)
		return;
	if (e->claims != NULL)
		claims_close(&e->claims);
	if (e->model != NULL)
		model_close(&e->model);
	if (e->acts.rules != NULL)
		rules_close(&e->acts.rules);
	free(e);
	*engine = NULL;
}

const struct model *
engine_model(const struct engine *engine)
{
	return engine->model;
}

/* ---- the section ---- */

static const char *const level_names[] = { [LEVEL_none] = "none",
	[LEVEL_rule] = "rule",
	[LEVEL_model] = "model",
	[LEVEL_answer] = "answer" };

static void
fill_scores(struct arena *arena, const struct act_verdict *v,
    struct msg_c_turn *out)
{
	size_t i;

	if (!v->scored)
		return;
	out->scores.count = ACT_COUNT;
	out->scores.at = arena_room(arena, ACT_COUNT * sizeof(uint64_t));
	for (i = 0; i < ACT_COUNT; i++)
		out->scores.at[i] = v->scores[i] > 0 ? (uint64_t)v->scores[i] : 0;
}

static void
fill_sentences(struct arena *arena, const struct act_turn *turn,
    struct msg_c_turn *out)
{
	const struct act_verdict *v;
	size_t i;

	/* Of a single sentence all is said by the turn itself. */
	if (turn->count < 2)
		return;
	out->n_sentences = turn->count;
	out->sentences = arena_room(arena, turn->count *
	    sizeof(out->sentences[0]));
	for (i = 0; i < turn->count; i++) {
		v = &turn->sentences[i].verdict;
		out->sentences[i] = (struct msg_c_sentence){
			.at = turn->sentences[i].at,
			.len = turn->sentences[i].len,
			.act = slice_str(act_name(v->act)),
			.confidence = v->confidence,
			.level = slice_str(level_names[v->level]),
			.concludes = (v->flags & FLAG_concludes) != 0,
			.decides = (v->flags & FLAG_decides) != 0,
			.opens = (v->flags & FLAG_opens) != 0,
			.returns = (v->flags & FLAG_returns) != 0,
			.rule = v->rule,
		};
	}
}

static void
fill_claim(struct arena *arena, struct slice text, const struct claim *claim,
    struct msg_c_claim *out)
{
	size_t i;

	*out = (struct msg_c_claim){
		.subject = claim->subject,
		.at = (uint64_t)(claim->statement.ptr - text.ptr),
		.len = claim->statement.len,
		.n_entities = claim->n_entities,
		.entities = arena_room(arena, claim->n_entities *
		    sizeof(out->entities[0])),
	};
	for (i = 0; i < claim->n_entities; i++)
		out->entities[i] = (struct msg_c_entity){
			.kind = slice_str(
			    entity_kind_name(claim->entities[i].kind)),
			.normal = claim->entities[i].normal,
			.at = claim->entities[i].at,
			.len = claim->entities[i].len,
		};
	out->keywords.count = out->weights.count = claim->n_keywords;
	out->keywords.at = arena_room(arena, claim->n_keywords *
	    sizeof(struct slice));
	out->weights.at = arena_room(arena, claim->n_keywords *
	    sizeof(uint64_t));
	for (i = 0; i < claim->n_keywords; i++) {
		out->keywords.at[i] = claim->keywords[i].stem;
		out->weights.at[i] = (uint64_t)claim->keywords[i].weight;
	}
}

static bool
has_own_words(const struct sifted *sifted)
{
	size_t i;

	for (i = 0; i < sifted->count; i++)
		if (sifted->spans[i].kind == SIFT_OWN)
			return true;
	return false;
}

void
read_turn(const struct engine *engine, struct arena *arena, struct slice text,
    const struct act_context *context, struct reading *out)
{
	size_t count;

	out->sifted = sift_text(arena, text, context->speaker);
	count = sentences_of(arena, text, &out->sifted, &out->sentences);
	acts_read(&engine->acts, arena, text, &out->sifted, out->sentences,
	    count, context, &out->turn);
}

/* Nothing in it decides but by what was weighed before. */
static bool
decides_by_debate(const struct act_turn *turn)
{
	bool decides = false;

	for (size_t i = 0; i < turn->count; i++) {
		const struct act_verdict *v = &turn->sentences[i].verdict;

		if ((v->flags & FLAG_decides) == 0)
			continue;
		if (!v->flag_by[FLAG_BIT_decides]->by_debate)
			return false;
		decides = true;
	}
	return decides;
}

void
describe_turn(struct engine *engine, struct arena *arena, struct slice text,
    const struct act_context *context, int64_t ts_ms, unsigned ask_below,
    struct msg_c_turn *out)
{
	struct act_verdict *whole;
	struct claim *claims;
	struct reading r;
	size_t i;

	read_turn(engine, arena, text, context, &r);
	whole = &r.turn.whole;
	*out = (struct msg_c_turn){
		.act = slice_str(act_name(whole->act)),
		.confidence = whole->confidence,
		.level = slice_str(level_names[whole->level]),
		.concludes = (whole->flags & FLAG_concludes) != 0,
		.decides = (whole->flags & FLAG_decides) != 0,
		.opens = (whole->flags & FLAG_opens) != 0,
		.returns = (whole->flags & FLAG_returns) != 0,
		.rule = whole->rule,
		.asks = whole->level != LEVEL_rule && r.turn.count > 0 &&
		    whole->confidence < ask_below,
		.machine = !has_own_words(&r.sifted),
		.leaning = whole->leaning,
		.together = whole->together,
		.alone = whole->alone,
		.debated = decides_by_debate(&r.turn),
	};
	fill_scores(arena, whole, out);
	fill_sentences(arena, &r.turn, out);
	claims_of(engine->claims, arena, text, &r.sifted, r.sentences,
	    r.turn.count, ts_ms, &claims, &out->n_claims);
	out->claims = arena_room(arena, out->n_claims *
	    sizeof(out->claims[0]));
	for (i = 0; i < out->n_claims; i++)
		fill_claim(arena, text, &claims[i], &out->claims[i]);
}

/* ---- the thread ---- */

enum speaker
speaker_of(struct slice role)
{
	if (slice_is(role, "assistant"))
		return SPEAKER_assistant;
	if (slice_is(role, "system"))
		return SPEAKER_system;
	return slice_is(role, "tool") ? SPEAKER_tool : SPEAKER_user;
}

/* But for the act: what comes after a turn does not ask for it. */
static struct thread_state
state_of(const struct msg_talk *talk)
{
	struct thread_state state = {
		.begun = talk->role.len > 0,
		.prev_speaker = speaker_of(talk->role),
		.effort_open = talk->effort_open,
		.solution_offered = talk->solution_offered,
		.leaning = { talk->leaning_now, talk->leaning_lately,
		    talk->leaning_long },
		.together = talk->together,
		.alone = talk->alone,
		.others = talk->others,
		.rest = talk->rest,
	};

	return state;
}

struct act_context
talk_context(const struct msg_talk *talk, struct slice user, struct slice role,
    struct arena *arena)
{
	struct thread_state state = state_of(talk);
	struct sifted sifted = sift_text(arena, talk->text, state.prev_speaker);
	struct act_context context;

	if (talk->act.len > 0 && act_parse(talk->act, &state.prev_act) == -1)
		state.prev_act = ACT_none;
	context = thread_context(&state,
	    sift_own(arena, talk->text, &sifted, 0, talk->text.len),
	    speaker_of(role),
	    slice_eq(user, talk->user) && slice_eq(role, talk->role));
	context.together = thread_is_together(&state);
	context.weighed = thread_was_weighed(&state);
	return context;
}

/* The beginning and the end of a long text; the model looks no further. */
static struct slice
shorten(struct arena *arena, struct slice text)
{
	enum { KEPT_BYTES = 512 };
	size_t head = KEPT_BYTES, tail;

	if (text.len <= 2 * KEPT_BYTES)
		return text;
	tail = text.len - KEPT_BYTES;
	while (head > 0 && (text.ptr[head] & 0xc0) == 0x80)
		head--;
	while (tail < text.len && (text.ptr[tail] & 0xc0) == 0x80)
		tail++;
	return arena_printf(arena, "%.*s\n%.*s", (int)head, text.ptr,
	    (int)(text.len - tail), text.ptr + tail);
}

void
talk_after(struct msg_talk *talk, struct slice user, struct slice role,
    struct slice text, const struct msg_c_turn *turn, struct arena *arena)
{
	struct act_verdict verdict = {
		.flags = (turn->concludes ? FLAG_concludes : 0u) |
		    (turn->decides ? FLAG_decides : 0u) |
		    (turn->opens ? FLAG_opens : 0u) |
		    (turn->returns ? FLAG_returns : 0u),
	};
	struct thread_state state = state_of(talk);
	enum speaker speaker = speaker_of(role);

	talk->turns++;
	if (speaker == SPEAKER_system || speaker == SPEAKER_tool ||
	    turn->machine)
		return;
	if (act_parse(turn->act, &verdict.act) == -1)
		verdict.act = ACT_none;
	state = thread_state_after(state, speaker, &verdict);
	thread_weigh(&state, speaker, (struct weighing){ turn->leaning,
	    turn->together, turn->alone,
	    talk->weigher.len > 0 && !slice_eq(user, talk->weigher) });
	if (speaker == SPEAKER_user)
		talk->weigher = user;
	talk->has = 0;	/* false must be written as absent, not as it was */
	talk->user = user;
	talk->role = role;
	talk->text = shorten(arena, text);
	talk->act = turn->act;
	talk->effort_open = state.effort_open;
	talk->solution_offered = state.solution_offered;
	talk->leaning_now = state.leaning[0];
	talk->leaning_lately = state.leaning[1];
	talk->leaning_long = state.leaning[2];
	talk->together = state.together;
	talk->alone = state.alone;
	talk->others = state.others;
	talk->rest = state.rest;
}
