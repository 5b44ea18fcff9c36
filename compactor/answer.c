/*
 * answer - better wordings, from a model that was asked for them
 */
#include "compactor/answer.h"

#include <jansson.h>
#include <stdio.h>

#include "compactor/tokens.h"

enum {
	SUMMARY_BYTES = 600,	/* longest texts that are taken, by anybody */
	RESOLUTION_BYTES = 800,
	MICRO_BYTES = 1000,
	MESO_BYTES = 3000
};

/* ---- asking ---- */

/* Resolved by this very entry, and made of a conversation. */
static bool
is_worth_asking(const struct compact *c, const struct msg_artifact *a)
{
	return slice_is(a->status, "resolved") && a->thread != 0 &&
	    a->turns.count > 0 && a->refined_by.count == 0 &&
	    slice_is(a->thought_type, "original") && a->n_history > 0 &&
	    a->history[a->n_history - 1].seq == c->seq;
}

void
answer_ask(struct compact *c)
{
	struct msg_s_compactor *s = c->section;
	const struct msg_artifact *a;
	size_t i;

	for (i = 0; i < s->n_episodes; i++)
		s->episodes[i].made_by = c->seq;
	if (strcmp(c->conf->assess, "on") != 0 || c->e->entry.id == MSG_answer)
		return;
	for (i = 0; (a = compact_changed(c, i)) != NULL; i++)
		if (is_worth_asking(c, a))
			strs_add(&s->asks, c->arena, a->key);
	for (i = 0; i < s->n_episodes; i++)
		if (s->episodes[i].micro.len > 0)
			strs_add(&s->asks, c->arena, s->episodes[i].key);
}

/* ---- taking ---- */

static void
refuse(struct compact *c, const char *why)
{
	compact_refuse(c, "VALIDATION_ERROR", "BAD_ANSWER", "%s", why);
}

/* A member's text in the arena; empty: it is none, or too long. */
static struct slice
text_of(struct compact *c, json_t *json, const char *name, size_t most)
{
	json_t *member = json_object_get(json, name);
	struct slice text = slice_of(json_string_value(member),
	    json_string_length(member));

	if (text.len == 0 || text.len > most || memchr(text.ptr, 0, text.len))
		return SLICE_NONE;
	return arena_dup(c->arena, text);
}

/*
 * The older one stays as it was said and is superseded; the refinement has
 * all that it had, in other words.
 */
static void
refine(struct compact *c, struct slice key, struct slice summary,
    struct slice resolution)
{
	struct msg_artifact *old = compact_change(c, key);
	struct msg_artifact *a = compact_new(c, old->type);
	struct slice own = a->key;
	uint64_t made_by = a->made_by;

	*a = *old;
	a->key = own;
	a->made_by = made_by;
	a->id = SLICE_NONE;
	a->summary = summary;
	a->resolution = resolution;
	a->thought_type = SLICE("refinement");
	a->source_ids = (struct msg_strs){ 0 };
	strs_add(&a->source_ids, c->arena, old->key);
	a->refined_by = (struct msg_strs){ 0 };
	a->agent_name = c->e->entry.as->answer.model;
	a->created_at = c->ts;
	a->token_count = tokens_of(c->conf, summary) +
	    tokens_of(c->conf, resolution);
	compact_state(c, a, a->status, SLICE("refinement"), summary);
	strs_add(&old->refined_by, c->arena, own);
	c->section->result = own;
}

static void
take_wording(struct compact *c, struct slice key, uint64_t seq, json_t *json)
{
	const struct msg_artifact *a = compact_read(c, key);
	struct slice summary = text_of(c, json, "summary", SUMMARY_BYTES);
	struct slice resolution = text_of(c, json, "resolution",
	    RESOLUTION_BYTES);

	if (a == NULL)
		refuse(c, "there is no such artifact");
	else if (a->made_by != seq || a->refined_by.count > 0)
		refuse(c, "the artifact has changed since it was asked about");
	else if (summary.len == 0 ||
	    (resolution.len > 0) != (a->resolution.len > 0))
		refuse(c, "needs a summary, and a resolution where there is "
			  "one");
	else if (!slice_eq(summary, a->summary) ||
	    !slice_eq(resolution, a->resolution))
		refine(c, key, summary, resolution);
}

static void
take_summary(struct compact *c, uint64_t thread, uint64_t seq, json_t *json)
{
	struct slice micro = text_of(c, json, "micro", MICRO_BYTES);
	struct slice meso = text_of(c, json, "meso", MESO_BYTES);
	struct msg_episode *episode = arena_alloc(c->arena, sizeof(*episode));
	struct key k = key_u64(thread);

	if (!compact_get(c, TABLE_episodes, &k, MSG_episode, episode) ||
	    !slice_eq(episode->domain, c->envelope->domain))
		refuse(c, "there is no such episode");
	else if (episode->made_by != seq)
		refuse(c, "the episode has changed since it was asked about");
	else if (micro.len == 0 || meso.len == 0)
		refuse(c, "needs micro and meso");
	else {
		episode->micro = micro;
		episode->meso = meso;
		c->section->episodes = episode;
		c->section->n_episodes = 1;
		c->section->result = episode->key;
	}
}

void
answer_decide(struct compact *c)
{
	const struct msg_answer *answer = &c->e->entry.as->answer;
	unsigned long long thread, seq;
	const char *question, *at;
	json_t *json;
	int end = 0;

	if (c->e->entry.id != MSG_answer)
		return;
	question = arena_cstr(c->arena, answer->question);
	at = strrchr(question, '@');
	if (strncmp(question, "word:", 5) != 0 || at == NULL ||
	    sscanf(at, "@%llu%n", &seq, &end) != 1 || at[end] != '\0')
		return;		/* another stage's */
	json = json_loadb(answer->answer.ptr, answer->answer.len, 0, NULL);
	if (!json_is_object(json))
		refuse(c, "is no JSON object");
	else if (sscanf(question, "word:p%llu@%n", &thread, &end) == 1 &&
	    question + end == at + 1)
		take_summary(c, thread, seq, json);
	else
		take_wording(c, slice_of(question + 5,
		    (size_t)(at - question - 5)), seq, json);
	json_decref(json);
}
