/*
 * decision - link or not, from the score and a model's verdict
 */
#include "linker/decision.h"

#include <jansson.h>

#include "linker/profile.h"
#include "linker/score.h"

struct slice
decision_name(bool link)
{
	return link ? SLICE("LINK") : SLICE("DON'T_LINK");
}

bool
decision_is_link(struct slice name)
{
	return slice_is(name, "LINK");
}

struct decision
decision_make(unsigned score, unsigned threshold, const struct opinion *model)
{
	bool link = score > threshold;
	unsigned sure = link ? score : SCORE_FULL - score;

	if (model == NULL)
		return (struct decision){ link, SLICE("single"), SLICE_NONE };
	if (model->related == link)
		return (struct decision){ link, SLICE("high"), SLICE("YES") };
	return (struct decision){ model->confidence > sure ? !link : link,
		SLICE("uncertain"), SLICE("NO") };
}

static int
read_signals(json_t *list, struct arena *arena, struct msg_strs *out)
{
	size_t n = json_array_size(list), i;
	json_t *item;

	if (!json_is_array(list))
		return -1;
	for (i = 0; i < n; i++)
		if (!json_is_string(json_array_get(list, i)))
			return -1;
	if (n > DECISION_SIGNALS)
		n = DECISION_SIGNALS;
	out->at = arena_array(arena, n, sizeof(*out->at));
	out->count = n;
	for (i = 0; i < n; i++) {
		item = json_array_get(list, i);
		out->at[i] = profile_cut(arena, slice_of(
		    json_string_value(item), json_string_length(item)),
		    DECISION_SIGNAL_BYTES);
	}
	return 0;
}

static int
read_opinion(json_t *json, struct arena *arena, struct opinion *out,
    struct slice *why)
{
	json_t *related = json_object_get(json, "related");
	json_t *sure = json_object_get(json, "confidence");
	json_t *reasoning = json_object_get(json, "reasoning");
	double confidence = json_number_value(sure);

	*out = (struct opinion){ 0 };
	*why = SLICE("needs related, confidence, reasoning and key_signals");
	if (!json_is_boolean(related) || !json_is_number(sure) ||
	    !json_is_string(reasoning) ||
	    read_signals(json_object_get(json, "key_signals"), arena,
		&out->signals) == -1)
		return -1;
	*why = SLICE("its confidence must be from 0 to 1");
	if (!(confidence >= 0.0 && confidence <= 1.0))
		return -1;
	out->related = json_is_true(related);
	out->confidence = (unsigned)(confidence * SCORE_FULL + 0.5);
	out->reasoning = profile_cut(arena, slice_of(
	    json_string_value(reasoning), json_string_length(reasoning)),
	    DECISION_REASONING_BYTES);
	return 0;
}

int
opinion_parse(struct slice text, struct arena *arena, struct opinion *out,
    struct slice *why)
{
	json_t *json = json_loadb(text.ptr, text.len, JSON_REJECT_DUPLICATES,
	    NULL);
	int rc = -1;

	*why = SLICE("is no JSON object");
	if (json_is_object(json))
		rc = read_opinion(json, arena, out, why);
	json_decref(json);
	return rc;
}

struct slice
decision_prompt(struct arena *arena, const struct msg_strs *signals)
{
	struct slice out;
	struct buf b;
	size_t i;

	buf_init(&b, 64 * 1024);
	buf_adds(&b, "You read how an earlier thread of a conversation went, "
	    "and the first turns of a new thread of the same people. Assess "
	    "if these are semantically related: whether the new thread goes "
	    "on with the earlier one, so that what was said there helps to "
	    "understand or to answer it. Threads that merely share a broad "
	    "subject are not related. Answer with related (true or false), "
	    "confidence (from 0 to 1), reasoning (one sentence) and "
	    "key_signals (what made you decide, a few words each).");
	for (i = 0; i < signals->count; i++)
		buf_addf(&b, "%s%.*s", i == 0 ?
		    " Signals that decided earlier cases, and were missed: " :
		    "; ", SLICE_ARG(signals->at[i]));
	if (signals->count > 0)
		buf_addc(&b, '.');
	out = arena_dup(arena, buf_slice(&b));
	buf_release(&b);
	return out;
}
