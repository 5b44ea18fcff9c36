/*
 * chain - what a chain is and how it grows
 */
#include "chainer/chain.h"

enum {
	/* What a word keeps of its weight with each claim: 15/16. */
	FADE_PARTS = 16,
	/* It can be said often, but not weigh more than this many times once. */
	WEIGHT_MOST = 4,
};

uint64_t
chain_ref(uint64_t seq, uint64_t n)
{
	return seq << CHAIN_N_BITS | n;
}

/* Backwards from `at`; where they begin. */
static char *
write_digits(char *at, uint64_t n)
{
	do
		*--at = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	return at;
}

struct slice
chain_name(struct arena *arena, uint64_t ref)
{
	char digits[48], *end = digits + sizeof(digits), *at = end;

	at = write_digits(at, ref & ((1u << CHAIN_N_BITS) - 1));
	*--at = '.';
	at = write_digits(at, ref >> CHAIN_N_BITS);
	*--at = 'c';
	return arena_dup(arena, slice_of(at, (size_t)(end - at)));
}

/* Digits up to something else; how many, at most as a ref can hold. */
static size_t
read_digits(struct slice s, size_t at, uint64_t *out)
{
	size_t n = 0;

	for (*out = 0; at + n < s.len && n < 14 && s.ptr[at + n] >= '0' &&
	     s.ptr[at + n] <= '9'; n++)
		*out = *out * 10 + (uint64_t)(s.ptr[at + n] - '0');
	return n;
}

int
chain_parse(struct slice name, uint64_t *ref)
{
	uint64_t seq, n;
	size_t at = 1, digits;

	if (name.len < 4 || name.ptr[0] != 'c')
		return -1;
	digits = read_digits(name, at, &seq);
	at += digits;
	if (digits == 0 || at >= name.len || name.ptr[at++] != '.')
		return -1;
	digits = read_digits(name, at, &n);
	if (digits == 0 || at + digits != name.len ||
	    n >= 1u << CHAIN_N_BITS || seq >= UINT64_C(1) << 44)
		return -1;
	*ref = chain_ref(seq, n);
	return 0;
}

static const char *const state_names[] = { [CHAIN_active] = "active",
	[CHAIN_dormant] = "dormant",
	[CHAIN_concluded] = "concluded",
	[CHAIN_merged] = "merged" };

struct slice
chain_state_name(enum chain_state state)
{
	return slice_str(state_names[state]);
}

enum chain_state
chain_state(const struct msg_chain *c)
{
	enum chain_state s;

	for (s = CHAIN_merged; s > CHAIN_active; s--)
		if (slice_is(c->state, state_names[s]))
			return s;
	return CHAIN_active;
}

struct topic
chain_topic(const struct msg_chain *c)
{
	return (struct topic){ c->topic, c->keywords, c->weights, c->entities,
		c->entity_weights, NULL };
}

/* ---- growing ---- */

struct weighed {
	struct slice word;
	uint64_t weight;
};

/* The heavier first; on a tie by the bytes, so that no order is by chance. */
static bool
is_before(const struct weighed *a, const struct weighed *b)
{
	if (a->weight != b->weight)
		return a->weight > b->weight;
	return slice_cmp(a->word, b->word) < 0;
}

/* By insertion: what a chain has learned is in this order all but always. */
static void
sort_weighed(struct weighed *all, size_t n)
{
	struct weighed hold;
	size_t i, k;

	for (i = 1; i < n; i++) {
		hold = all[i];
		for (k = i; k > 0 && is_before(&hold, &all[k - 1]); k--)
			all[k] = all[k - 1];
		all[k] = hold;
	}
}

static size_t
add_weighed(struct weighed *all, size_t n, struct slice word, uint64_t weight)
{
	uint64_t most = weight * WEIGHT_MOST;
	size_t i;

	for (i = 0; i < n; i++)
		if (slice_eq(all[i].word, word)) {
			all[i].weight += weight;
			if (all[i].weight > most)
				all[i].weight = most;
			return n;
		}
	all[n] = (struct weighed){ word, weight };
	return n + 1;
}

/* Joins two weighed lists; the first one's weights fade by 1/fade (0: not). */
static void
join(struct arena *arena, struct msg_strs *words, struct msg_u64s *weights,
    const struct msg_strs *more, const struct msg_u64s *more_weights,
    unsigned fade, size_t most)
{
	struct weighed *all = arena_array(arena, words->count + more->count + 1,
	    sizeof(all[0]));
	size_t i, n = 0;
	uint64_t w;

	for (i = 0; i < words->count && i < weights->count; i++) {
		w = weights->at[i];
		if (fade > 0)
			w -= (w + fade - 1) / fade;
		if (w > 0)
			all[n++] = (struct weighed){ words->at[i], w };
	}
	for (i = 0; i < more->count && i < more_weights->count; i++)
		if (more_weights->at[i] > 0)
			n = add_weighed(all, n, more->at[i],
			    more_weights->at[i]);
	sort_weighed(all, n);
	if (n > most)
		n = most;
	words->at = arena_array(arena, n, sizeof(struct slice));
	weights->at = arena_array(arena, n, sizeof(uint64_t));
	words->count = weights->count = n;
	for (i = 0; i < n; i++) {
		words->at[i] = all[i].word;
		weights->at[i] = all[i].weight;
	}
}

void
chain_learn(struct msg_chain *c, struct arena *arena,
    const struct topic *claim)
{
	join(arena, &c->keywords, &c->weights, &claim->keywords,
	    &claim->weights, FADE_PARTS, CHAIN_KEYWORDS);
	join(arena, &c->entities, &c->entity_weights, &claim->entities,
	    &claim->entity_weights, FADE_PARTS, CHAIN_ENTITIES);
}

void
chain_take_in(struct msg_chain *c, struct arena *arena,
    const struct msg_chain *other)
{
	size_t i;

	join(arena, &c->keywords, &c->weights, &other->keywords,
	    &other->weights, 0, CHAIN_KEYWORDS);
	join(arena, &c->entities, &c->entity_weights, &other->entities,
	    &other->entity_weights, 0, CHAIN_ENTITIES);
	for (i = other->threads.count; i > 0; i--)
		chain_touch_thread(c, arena, other->threads.at[i - 1]);
	c->turns += other->turns;
	c->claims += other->claims;
	if (other->last_extended > c->last_extended)
		c->last_extended = other->last_extended;
}

uint64_t
refs_to_front(struct msg_u64s *list, struct arena *arena, uint64_t n,
    size_t most)
{
	uint64_t *grown, lost = 0;
	size_t i, at = 1;

	if (list->count > 0 && list->at[0] == n)
		return 0;
	grown = arena_array(arena, list->count + 1, sizeof(grown[0]));
	grown[0] = n;
	for (i = 0; i < list->count; i++)
		if (list->at[i] != n)
			grown[at++] = list->at[i];
	if (at > most) {
		at = most;
		lost = grown[at];
	}
	*list = (struct msg_u64s){ grown, at };
	return lost;
}

void
chain_touch_thread(struct msg_chain *c, struct arena *arena, uint64_t thread)
{
	size_t i;

	if (thread == 0)
		return;
	for (i = 0; i < c->threads.count; i++)
		if (c->threads.at[i] == thread)
			break;
	/* Of one that fell off the list it is not known that it was there. */
	if (i == c->threads.count)
		c->n_threads++;
	(void)refs_to_front(&c->threads, arena, thread, CHAIN_THREADS);
}
