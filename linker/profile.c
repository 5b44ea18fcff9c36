/*
 * profile - what is kept of a thread: what it is about, and how it is told
 */
#include "linker/profile.h"

#include <assert.h>
#include <xxhash.h>

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

uint64_t
profile_hash(struct slice word)
{
	return XXH3_64bits(word.ptr, word.len);
}

static void
hash_list(const struct msg_strs *list, uint64_t *out, size_t most)
{
	size_t i;

	assert(list->count <= most);
	for (i = 0; i < list->count; i++)
		out[i] = profile_hash(list->at[i]);
}

void
profile_hash_all(const struct msg_link_thread *p, struct profile_hashes *out)
{
	hash_list(&p->keywords, out->keywords, PROFILE_KEYWORDS);
	hash_list(&p->entities, out->entities, PROFILE_ENTITIES);
	hash_list(&p->chains, out->chains, PROFILE_CHAINS);
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

/* ---- learning ---- */

/* A list of a thread while it learns: words, weights and hashes in step. */
struct learning {
	struct msg_strs *words;
	struct msg_u64s *weights;	/* NULL: it has none */
	uint64_t *hashes;
	size_t most;
	uint64_t fresh;			/* words that it has not had, as bits */
	uint64_t dropped[PROFILE_KEYWORDS];	/* by this turn, had before */
	size_t n_dropped;
};

static size_t
find_hash(const uint64_t *hashes, size_t n, uint64_t hash)
{
	size_t i;

#pragma GCC unroll 4
	for (i = 0; i < n; i++)
		if (hashes[i] == hash)
			break;
	return i;
}

/* The last word of a full list. */
static void
drop_last(struct learning *l)
{
	size_t last = --l->words->count;

	if ((l->fresh >> last & 1) == 0)
		l->dropped[l->n_dropped++] = l->hashes[last];
	l->fresh &= ~(UINT64_C(1) << last);
}

/* It is new to the thread, unless it only fell off and comes again. */
static bool
is_fresh(struct learning *l, uint64_t hash)
{
	size_t i = find_hash(l->dropped, l->n_dropped, hash);

	if (i == l->n_dropped)
		return true;
	l->dropped[i] = l->dropped[--l->n_dropped];
	return false;
}

/* The bit at `at` comes to `to`, those between make room. */
static uint64_t
move_bit(uint64_t bits, size_t at, size_t to)
{
	uint64_t below = (UINT64_C(1) << to) - 1;
	uint64_t upto = (UINT64_C(2) << at) - 1;

	return (bits & ~(upto & ~below)) |
	    (bits << 1 & upto & ~(below << 1 | 1)) | (bits >> at & 1) << to;
}

/* From where it is, or from the end where it is new, to a place before. */
static void
place_word(struct learning *l, size_t at, size_t to, struct slice word,
    uint64_t hash, uint64_t weight)
{
	struct slice *words = l->words->at;

	if (at == l->words->count) {
		l->fresh |= (uint64_t)is_fresh(l, hash) << at;
		l->words->count++;
	} else
		word = words[at];	/* the string that it has already */
	l->fresh = move_bit(l->fresh, at, to);
	memmove(words + to + 1, words + to, (at - to) * sizeof(words[0]));
	words[to] = word;
	memmove(l->hashes + to + 1, l->hashes + to,
	    (at - to) * sizeof(l->hashes[0]));
	l->hashes[to] = hash;
	if (l->weights == NULL)
		return;
	memmove(l->weights->at + to + 1, l->weights->at + to,
	    (at - to) * sizeof(l->weights->at[0]));
	l->weights->at[to] = weight;
	l->weights->count = l->words->count;
}

/* The latest first; the one that was last used longest ago falls off. */
static void
learn_latest(struct learning *l, struct slice word, uint64_t weight)
{
	uint64_t hash = profile_hash(word);
	size_t at = find_hash(l->hashes, l->words->count, hash);

	if (at == l->most) {
		drop_last(l);
		at--;
	}
	place_word(l, at, 0, word, hash, weight);
}

/* Heaviest first, the earlier first on a tie; the lightest falls off. */
static void
learn_heaviest(struct learning *l, struct slice word, uint64_t weight)
{
	uint64_t hash = profile_hash(word), *weights = l->weights->at;
	size_t at = find_hash(l->hashes, l->words->count, hash), to;

	if (at < l->words->count) {
		if (weights[at] >= weight)
			return;
	} else if (at == l->most) {
		if (weights[at - 1] >= weight)
			return;
		drop_last(l);
		at--;
	}
	for (to = at; to > 0 && weights[to - 1] < weight; to--)
		;
	place_word(l, at, to, word, hash, weight);
}

static bool
is_number(struct slice kind)
{
	return slice_is(kind, "date") || slice_is(kind, "quantity");
}

static void
learn_claims(struct learning *keywords, struct learning *entities,
    const struct msg_c_turn *c)
{
	const struct msg_c_claim *claim;
	const struct msg_c_entity *entity;
	size_t i, k;

	for (i = 0; i < c->n_claims; i++) {
		claim = &c->claims[i];
		for (k = 0; k < claim->keywords.count &&
		     k < claim->weights.count; k++)
			learn_heaviest(keywords, claim->keywords.at[k],
			    claim->weights.at[k]);
		for (k = 0; k < claim->n_entities; k++) {
			entity = &claim->entities[k];
			learn_latest(entities, entity->normal,
			    is_number(entity->kind) ? SCORE_NUMBER :
						      SCORE_NAME);
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

/* What the turn is about, by those who have read it. */
static struct profile_fresh
learn_words(struct msg_link_thread *p, struct arena *arena,
    const struct profile_turn *t, struct profile_hashes *hashes)
{
	struct learning keywords = { .words = &p->keywords,
		.weights = &p->weights, .hashes = hashes->keywords,
		.most = PROFILE_KEYWORDS };
	struct learning entities = { .words = &p->entities,
		.weights = &p->entity_weights, .hashes = hashes->entities,
		.most = PROFILE_ENTITIES };
	struct learning chains = { .words = &p->chains,
		.hashes = hashes->chains, .most = PROFILE_CHAINS };
	size_t i;

	make_room(p, arena);
	if (t->c != NULL && !t->c->machine)
		learn_claims(&keywords, &entities, t->c);
	for (i = 0; t->h != NULL && i < t->h->chains.count; i++)
		learn_latest(&chains, t->h->chains.at[i], 0);
	return (struct profile_fresh){ keywords.fresh, entities.fresh };
}

struct profile_fresh
profile_learn(struct msg_link_thread *p, struct arena *arena,
    const struct profile_turn *t, struct profile_hashes *hashes)
{
	bool user = profile_is_user(t->role);
	struct profile_fresh fresh;

	p->has = 0;
	p->turns++;
	if (p->turns == 1 || t->ts > p->last_activity_at)
		p->last_activity_at = t->ts;
	if (p->turns == 1 || t->ts < p->created_at)
		p->created_at = t->ts;
	if (!user && !slice_is(t->role, "assistant"))
		/* What a tool says is no talk. */
		return (struct profile_fresh){ 0, 0 };
	fresh = learn_words(p, arena, t, hashes);
	if (p->opening.len == 0)
		p->opening = profile_cut(arena, t->text,
		    PROFILE_OPENING_BYTES);
	learn_said(p, arena, t);
	if (user)
		learn_lean(p, t);
	return fresh;
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
