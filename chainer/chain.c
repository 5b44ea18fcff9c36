/*
 * chain - what a chain is and how it grows
 */
#include "chainer/chain.h"

#include "chainer/sketch.h"

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
	enum { MOST = 32 };	/* c, 14 digits, a dot, 7 digits */
	char *end = (char *)arena_room(arena, MOST) + MOST - 1, *at = end;

	*end = '\0';
	at = write_digits(at, ref & ((1u << CHAIN_N_BITS) - 1));
	*--at = '.';
	at = write_digits(at, ref >> CHAIN_N_BITS);
	*--at = 'c';
	return slice_of(at, (size_t)(end - at));
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

#define NAME(word) { word, sizeof(word) - 1 }
static const struct slice state_names[] = { [CHAIN_active] = NAME("active"),
	[CHAIN_dormant] = NAME("dormant"),
	[CHAIN_concluded] = NAME("concluded"),
	[CHAIN_merged] = NAME("merged") };

struct slice
chain_state_name(enum chain_state state)
{
	return state_names[state];
}

/*
 * Asked of every chain that is looked at, of which most are active: that is
 * seen without going to the letters.  No two begin alike.
 */
enum chain_state
chain_state(const struct msg_chain *c)
{
	if (c->state.len == sizeof("active") - 1 && c->merged_into == 0)
		return CHAIN_active;
	switch (c->state.len > 0 ? c->state.ptr[0] : '\0') {
	case 'd':
		return slice_is(c->state, "dormant") ? CHAIN_dormant :
						       CHAIN_active;
	case 'c':
		return slice_is(c->state, "concluded") ? CHAIN_concluded :
							 CHAIN_active;
	case 'm':
		return slice_is(c->state, "merged") ? CHAIN_merged :
						      CHAIN_active;
	}
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
	uint64_t hash;		/* 0 where hashes are not known */
};

/* A weighed list; its hashes are not known where there are none. */
struct weighed_list {
	const struct msg_strs *words;
	const struct msg_u64s *weights;
	const struct hashes *hashes;
};

static size_t
length_of(const struct weighed_list *l)
{
	return l->words->count < l->weights->count ? l->words->count :
						     l->weights->count;
}

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
		if (!is_before(&all[i], &all[i - 1]))
			continue;
		hold = all[i];
		for (k = i; k > 0 && is_before(&hold, &all[k - 1]); k--)
			all[k] = all[k - 1];
		all[k] = hold;
	}
}

/* Those before `from` do not have it. */
static size_t
add_weighed(struct weighed *all, size_t from, size_t n, struct weighed more)
{
	uint64_t most = more.weight * WEIGHT_MOST;
	size_t i;

	for (i = from; i < n; i++)
		if (all[i].hash == more.hash &&
		    slice_eq(all[i].word, more.word)) {
			all[i].weight += more.weight;
			if (all[i].weight > most)
				all[i].weight = most;
			return n;
		}
	all[n] = more;
	return n + 1;
}

/* Two lists in one, both parts of it in order. */
struct joined {
	struct weighed *all;	/* the first one's, then what is only new */
	size_t n_first, n_new;
	bool forgets;		/* one of the first's has faded away */
	size_t n;		/* of all, the heaviest … */
	size_t n_kept;		/* … and of those the first one's */
};

/* The first one's weights faded or not. */
static void
join(struct joined *j, const struct weighed_list *list,
    const struct weighed_list *more, bool fades, size_t most)
{
	bool known = list->hashes != NULL && more->hashes != NULL;
	size_t i, n = 0, old, here = length_of(list), there = length_of(more);
	const uint64_t *hashes = known ? list->hashes->at : NULL;
	const uint64_t *weights = list->weights->at;
	const struct slice *words = list->words->at;
	struct weighed *all = j->all;
	uint64_t w, hash = 0;

	for (i = 0; i < here; i++) {
		w = weights[i];
		if (fades)
			w -= (w + FADE_PARTS - 1) / FADE_PARTS;
		if (w > 0)
			all[n++] = (struct weighed){ words[i], w,
				known ? hashes[i] : 0 };
	}
	j->forgets = n < here;
	old = n;
	for (i = 0; i < there; i++) {
		w = more->weights->at[i];
		if (known)
			hash = more->hashes->at[i];
		if (w > 0)
			n = add_weighed(all, known &&
			    !seen_has(&list->hashes->seen, hash) ? old : 0, n,
			    (struct weighed){ more->words->at[i], w, hash });
	}
	sort_weighed(all, old);
	sort_weighed(all + old, n - old);
	j->n_first = old;
	j->n_new = n - old;
	j->n = n < most ? n : most;
}

/*
 * The heaviest become the list; and their hashes, where there is a sketch to
 * hold them.  Their weight.
 */
static uint64_t
set_list(struct arena *arena, struct msg_strs *words, struct msg_u64s *weights,
    struct hashes *hashes, struct joined *j)
{
	const struct weighed *a = j->all, *end = a + j->n_first, *heavier;
	const struct weighed *b = end, *last = b + j->n_new;
	struct slice *word = arena_room(arena, j->n * sizeof(*word));
	uint64_t *weight = arena_room(arena, j->n * sizeof(*weight)), sum = 0;
	size_t i;

	for (i = 0; i < j->n; i++) {
		heavier = b == last || (a < end && is_before(a, b)) ? a++ :
								      b++;
		word[i] = heavier->word;
		weight[i] = heavier->weight;
		sum += heavier->weight;
		if (hashes != NULL) {
			hashes->at[i] = heavier->hash;
			hashes->weights[i] = heavier->weight;
			seen_add(&hashes->seen, heavier->hash);
		}
	}
	j->n_kept = (size_t)(a - j->all);
	*words = (struct msg_strs){ word, j->n };
	*weights = (struct msg_u64s){ weight, j->n };
	return sum;
}

/* Those that were only new have come, of the others the lightest have gone. */
static void
tell_change(struct change *c, const struct joined *j)
{
	const struct weighed *new = j->all + j->n_first;
	size_t i;

	for (i = 0; i < j->n - j->n_kept; i++)
		change_add(c, new[i].hash);
	for (i = j->n_kept; i < j->n_first; i++)
		change_take_off(c, j->all[i].hash);
	if (j->forgets)
		c->since = 0;
}

static struct weighed *
room_for(struct arena *arena, const struct weighed_list *a,
    const struct weighed_list *b)
{
	return arena_room(arena, (length_of(a) + length_of(b)) *
	    sizeof(struct weighed));
}

static const struct sketch *
learn(struct msg_chain *c, struct arena *arena, const struct topic *claim,
    const struct sketch *known, bool fades)
{
	const struct sketch *new = known == NULL ? NULL : claim->sketch;
	struct weighed_list a = { &c->keywords, &c->weights,
		new == NULL ? NULL : &known->keywords };
	struct weighed_list b = { &c->entities, &c->entity_weights,
		new == NULL ? NULL : &known->entities };
	struct weighed_list x = { &claim->keywords, &claim->weights,
		new == NULL ? NULL : &new->keywords };
	struct weighed_list y = { &claim->entities, &claim->entity_weights,
		new == NULL ? NULL : &new->entities };
	struct joined words, names;
	struct sketch *again = NULL;
	uint64_t weight;

	words.all = room_for(arena, &a, &x);
	names.all = room_for(arena, &b, &y);
	join(&words, &a, &x, fades, CHAIN_KEYWORDS);
	join(&names, &b, &y, fades, CHAIN_ENTITIES);
	if (new != NULL)
		again = sketch_again(arena, known, words.n, names.n);
	weight = set_list(arena, &c->keywords, &c->weights,
	    again == NULL ? NULL : &again->keywords, &words);
	(void)set_list(arena, &c->entities, &c->entity_weights,
	    again == NULL ? NULL : &again->entities, &names);
	if (again != NULL) {
		again->weight = weight;
		tell_change(&again->change, &words);
	}
	return again;
}

const struct sketch *
chain_learn(struct msg_chain *c, struct arena *arena,
    const struct topic *claim, const struct sketch *known)
{
	return learn(c, arena, claim, known, true);
}

const struct sketch *
chain_take_in(struct msg_chain *c, struct arena *arena,
    const struct sketch *known, const struct msg_chain *other,
    const struct sketch *others)
{
	struct topic all = chain_topic(other);
	const struct sketch *again;
	size_t i;

	all.sketch = others;
	again = learn(c, arena, &all, known, false);
	for (i = other->threads.count; i > 0; i--)
		chain_touch_thread(c, arena, other->threads.at[i - 1]);
	c->turns += other->turns;
	c->claims += other->claims;
	if (other->last_extended > c->last_extended)
		c->last_extended = other->last_extended;
	return again;
}

uint64_t
refs_to_front(struct msg_u64s *list, struct arena *arena, uint64_t n,
    size_t most)
{
	uint64_t *grown, lost = 0;
	size_t i, at = 1;

	if (list->count > 0 && list->at[0] == n)
		return 0;
	grown = arena_room(arena, (list->count + 1) * sizeof(grown[0]));
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
