/*
 * profile - what is kept of a thread: what it is about, and how it is told
 */
#include "linker/profile.h"

#include "common/text.h"
#include "linker/score.h"

bool
profile_is_user(struct slice role)
{
	return role.len == 0 || slice_is(role, "user");
}

struct slice
profile_cut(struct arena *arena, struct slice text, size_t most)
{
	size_t len;
	char *out;

	if (text.len <= most)
		return arena_dup(arena, text);
	len = text_cut(text, most - 3);
	out = arena_room(arena, len + 3);
	memcpy(out, text.ptr, len);
	memcpy(out + len, "...", 3);
	return slice_of(out, len + 3);
}

static size_t
find(const struct msg_strs *list, struct slice word)
{
	char first = word.len > 0 ? word.ptr[0] : '\0';
	const struct slice *at;
	size_t i;

	for (i = 0; i < list->count; i++) {
		at = &list->at[i];
		if (at->len == word.len && (word.len == 0 ||
			(at->ptr[0] == first && slice_eq(*at, word))))
			break;
	}
	return i;
}

/*
 * Moves a word to the front of a bounded list with room for it; the weight
 * goes with it where the list has weights.
 */
static void
to_front(struct msg_strs *list, struct msg_u64s *weights, struct slice word,
    uint64_t weight, size_t most)
{
	size_t at = find(list, word);

	if (at < list->count)
		word = list->at[at];	/* the string that it has already */
	else if (at == most)
		at--;
	else
		list->count++;
	memmove(list->at + 1, list->at, at * sizeof(list->at[0]));
	list->at[0] = word;
	if (weights == NULL)
		return;
	memmove(weights->at + 1, weights->at, at * sizeof(weights->at[0]));
	weights->at[0] = weight;
	weights->count = list->count;
}

static void
make_room_strs(struct msg_strs *list, struct arena *arena, size_t most)
{
	struct slice *at = arena_room(arena, most * sizeof(*at));
	size_t n = list->count < most ? list->count : most;

	if (n > 0)
		memcpy(at, list->at, n * sizeof(*at));
	*list = (struct msg_strs){ at, n };
}

/* As many as there are words; the lists are read by the same places. */
static void
make_room_weights(struct msg_u64s *weights, struct arena *arena, size_t n,
    size_t most)
{
	uint64_t *at = arena_room(arena, most * sizeof(*at));

	if (weights->count < n)
		n = weights->count;
	if (n > 0)
		memcpy(at, weights->at, n * sizeof(*at));
	*weights = (struct msg_u64s){ at, n };
}

/* Room for all that may come; a record that was read has just what it needs. */
static void
make_room(struct msg_link_thread *p, struct arena *arena)
{
	make_room_strs(&p->keywords, arena, PROFILE_KEYWORDS);
	make_room_weights(&p->weights, arena, p->keywords.count,
	    PROFILE_KEYWORDS);
	p->keywords.count = p->weights.count;
	make_room_strs(&p->entities, arena, PROFILE_ENTITIES);
	make_room_weights(&p->entity_weights, arena, p->entities.count,
	    PROFILE_ENTITIES);
	make_room_strs(&p->chains, arena, PROFILE_CHAINS);
}

/* Heaviest first, the earlier first on a tie; the lightest falls off. */
static void
learn_keyword(struct msg_link_thread *p, struct slice word, uint64_t weight)
{
	struct slice *words = p->keywords.at;
	uint64_t *weights = p->weights.at;
	size_t at = find(&p->keywords, word);

	if (at < p->keywords.count) {
		if (weights[at] >= weight)
			return;
		word = words[at];	/* the string that it has already */
	} else if (at == PROFILE_KEYWORDS) {
		if (weights[--at] >= weight)
			return;
	} else
		p->weights.count = ++p->keywords.count;
	for (; at > 0 && weights[at - 1] < weight; at--) {
		words[at] = words[at - 1];
		weights[at] = weights[at - 1];
	}
	words[at] = word;
	weights[at] = weight;
}

static bool
is_number(struct slice kind)
{
	return slice_is(kind, "date") || slice_is(kind, "quantity");
}

static void
learn_claims(struct msg_link_thread *p, const struct msg_c_turn *c)
{
	const struct msg_c_claim *claim;
	const struct msg_c_entity *entity;
	size_t i, k;

	for (i = 0; i < c->n_claims; i++) {
		claim = &c->claims[i];
		for (k = 0; k < claim->keywords.count &&
		     k < claim->weights.count; k++)
			learn_keyword(p, claim->keywords.at[k],
			    claim->weights.at[k]);
		for (k = 0; k < claim->n_entities; k++) {
			entity = &claim->entities[k];
			to_front(&p->entities, &p->entity_weights,
			    entity->normal, is_number(entity->kind) ?
			    SCORE_NUMBER : SCORE_NAME, PROFILE_ENTITIES);
		}
	}
}

uint64_t
profile_turn_weight(const struct profile_turn *t)
{
	uint64_t sum = 0;
	size_t i, k;

	if (t->c == NULL)
		return 0;
	for (i = 0; i < t->c->n_claims; i++)
		for (k = 0; k < t->c->claims[i].weights.count; k++)
			sum += t->c->claims[i].weights.at[k];
	return sum;
}

bool
profile_knows(const struct msg_link_thread *p, const struct profile_turn *t)
{
	const struct msg_c_claim *claim;
	size_t i, k;

	for (i = 0; t->h != NULL && i < t->h->chains.count; i++)
		if (find(&p->chains, t->h->chains.at[i]) < p->chains.count)
			return true;
	for (i = 0; t->c != NULL && i < t->c->n_claims; i++) {
		claim = &t->c->claims[i];
		for (k = 0; k < claim->keywords.count; k++)
			if (find(&p->keywords, claim->keywords.at[k]) <
			    p->keywords.count)
				return true;
		for (k = 0; k < claim->n_entities; k++)
			if (find(&p->entities, claim->entities[k].normal) <
			    p->entities.count)
				return true;
	}
	return false;
}

/* The latest last, as a reader wants them. */
static void
learn_said(struct msg_link_thread *p, struct arena *arena,
    const struct profile_turn *t)
{
	size_t drop = p->said.count >= PROFILE_SAID ?
	    p->said.count - PROFILE_SAID + 1 : 0;
	size_t keep = p->said.count - drop;
	struct slice *said = arena_array(arena, keep + 1, sizeof(*said));
	struct slice role = t->role.len > 0 ? t->role : SLICE("user");
	struct slice text = profile_cut(arena, t->text, PROFILE_SAID_BYTES);
	char *line = arena_alloc(arena, role.len + 2 + text.len);

	if (keep > 0)
		memcpy(said, p->said.at + drop, keep * sizeof(*said));
	memcpy(line, role.ptr, role.len);
	memcpy(line + role.len, ": ", 2);
	memcpy(line + role.len + 2, text.ptr, text.len);
	said[keep] = slice_of(line, role.len + 2 + text.len);
	p->said = (struct msg_strs){ said, keep + 1 };
}

/* Only an opening can lean on another thread; a greeting leans on nothing. */
static void
learn_lean(struct msg_link_thread *p, const struct profile_turn *t)
{
	if (p->turns == 1) {
		if (t->c == NULL || !slice_is(t->c->act, "greeting") ||
		    wording_replies(&t->wording))
			p->lean = wording_lean(&t->wording,
			    profile_turn_weight(t));
	} else
		p->own_weight += profile_turn_weight(t);
}

void
profile_learn(struct msg_link_thread *p, struct arena *arena,
    const struct profile_turn *t)
{
	bool user = profile_is_user(t->role);
	size_t i;

	p->has = 0;
	p->turns++;
	if (p->turns == 1 || t->ts > p->last_activity_at)
		p->last_activity_at = t->ts;
	if (p->turns == 1 || t->ts < p->created_at)
		p->created_at = t->ts;
	if (!user && !slice_is(t->role, "assistant"))
		return;		/* what a tool says is no talk */
	make_room(p, arena);
	if (t->c != NULL && !t->c->machine)
		learn_claims(p, t->c);
	for (i = 0; t->h != NULL && i < t->h->chains.count; i++)
		to_front(&p->chains, NULL, t->h->chains.at[i], 0,
		    PROFILE_CHAINS);
	if (p->opening.len == 0)
		p->opening = profile_cut(arena, t->text,
		    PROFILE_OPENING_BYTES);
	learn_said(p, arena, t);
	if (user)
		learn_lean(p, t);
}

/* The string itself, not only an equal one. */
static inline bool
is_same(const struct slice *a, const struct slice *b)
{
	return a->ptr == b->ptr && a->len == b->len;
}

static bool
has_string(const struct msg_strs *list, const struct slice *word)
{
	const struct slice *at = list->at;
	size_t i;

#pragma GCC unroll 4
	for (i = 0; i < list->count; i++)
		if (is_same(&at[i], word))
			return true;
	return false;
}

/*
 * Most of a list is as it was and in the same order, but for one that moved.
 * A word that stays keeps its string; only one that fell off a full list and
 * came again has another.
 */
static uint64_t
fresh_words(const struct msg_strs *was, const struct msg_strs *is, size_t most)
{
	const struct slice *word = is->at;
	uint64_t fresh = 0;
	size_t i, at = 0;

	for (i = 0; i < is->count; i++, word++) {
		if (at < was->count && is_same(&was->at[at], word))
			at++;
		else if (at + 1 < was->count && is_same(&was->at[at + 1], word))
			at += 2;
		else if (!has_string(was, word) &&
		    (is->count < most || find(was, *word) == was->count))
			fresh |= UINT64_C(1) << i;
	}
	return fresh;
}

struct profile_fresh
profile_fresh(const struct msg_link_thread *was,
    const struct msg_link_thread *is)
{
	if (was == NULL)
		return (struct profile_fresh){ UINT64_MAX, UINT64_MAX };
	return (struct profile_fresh){
		.keywords = fresh_words(&was->keywords, &is->keywords,
		    PROFILE_KEYWORDS),
		.entities = fresh_words(&was->entities, &is->entities,
		    PROFILE_ENTITIES),
	};
}

static bool
cut_count(size_t *count, size_t most)
{
	if (*count <= most)
		return false;
	*count = most;
	return true;
}

bool
profile_bound(struct msg_link_thread *p)
{
	bool cut = cut_count(&p->keywords.count, PROFILE_KEYWORDS);

	cut |= cut_count(&p->weights.count, p->keywords.count);
	cut |= cut_count(&p->entities.count, PROFILE_ENTITIES);
	cut |= cut_count(&p->entity_weights.count, p->entities.count);
	return cut | cut_count(&p->chains.count, PROFILE_CHAINS);
}

static struct msg_strs
latest_keys(struct arena *arena, const struct msg_strs *keys)
{
	size_t drop = keys->count > PROFILE_KEYS ? keys->count - PROFILE_KEYS :
						   0;
	struct msg_strs out;
	size_t i;

	out.count = keys->count - drop;
	out.at = arena_array(arena, out.count, sizeof(*out.at));
	for (i = 0; i < out.count; i++)
		out.at[i] = arena_dup(arena, keys->at[drop + i]);
	return out;
}

void
profile_summarise(struct msg_link_thread *p, struct arena *arena,
    const struct msg_episode *primary)
{
	p->has = 0;
	p->micro = profile_cut(arena, primary->micro, PROFILE_SUMMARY_BYTES);
	p->meso = profile_cut(arena, primary->meso, PROFILE_SUMMARY_BYTES);
	p->macro = profile_cut(arena, primary->macro, PROFILE_SUMMARY_BYTES);
	p->skills = latest_keys(arena, &primary->skills);
	p->artifacts = latest_keys(arena, &primary->artifacts);
}

struct slice
profile_summary(const struct msg_link_thread *p)
{
	return p->micro.len > 0 ? p->micro : p->opening;
}
