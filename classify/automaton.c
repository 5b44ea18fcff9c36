/*
 * automaton - a nondeterministic automaton, run through a cache of the
 * deterministic states that texts really reach
 *
 * A deterministic state is a set of positions (token nodes that may come next)
 * and whether something was found on arriving in it.  The positions of patterns
 * that begin anywhere are in every state, so they are kept in none: what they
 * give for a symbol is computed once, when a text first has it.
 */
#include "classify/automaton.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "common/buf.h"
#include "common/xmalloc.h"

enum {
	STATES_MAX = 1024,
	STATES_FIRST = 16,	/* room at the begin: most need few */
	SLOTS = 2048,		/* of the hash table; a power of two */
};

struct list {
	uint32_t *items;
	size_t count;
};

struct state {
	struct list at;		/* ascending */
	uint32_t hash;
	bool found;
};

struct beginning {		/* what patterns that begin anywhere do */
	struct list at;		/* ascending */
	bool found;
	bool known;
};

struct cache {
	struct nfa nfa;
	struct list floating;	/* where patterns that begin anywhere do */
	struct beginning *after;	/* by symbol */
	/* Bits of symbols: those they take, and those anything takes at first. */
	uint64_t *wakes, *begins;
	struct state states[STATES_MAX];
	size_t count, room;
	uint16_t slots[SLOTS];
	struct arena arena;	/* the states' lists */
	struct arena fixed;	/* what outlives a clearing */
	uint32_t *seen;		/* by node: stamp of the closure at work */
	uint32_t stamp;
	uint32_t *stack;
	struct list at;		/* the set being built */
	bool found;
	struct list spare;	/* a state that outlives a clearing */
	size_t made, flushes;
};

static void
closure_begin(struct cache *c)
{
	c->at.count = 0;
	c->found = false;
	if (++c->stamp == 0) {
		memset(c->seen, 0, c->nfa.count * sizeof(*c->seen));
		c->stamp = 1;
	}
}

/* Every node enters the stack at most once per closure: it cannot overflow. */
static void
closure_push(struct cache *c, uint32_t node, size_t *depth)
{
	if (node == NODE_NONE || c->seen[node] == c->stamp)
		return;
	c->seen[node] = c->stamp;
	c->stack[(*depth)++] = node;
}

static void
closure_add(struct cache *c, uint32_t from)
{
	size_t depth = 0;

	closure_push(c, from, &depth);
	while (depth > 0) {
		uint32_t at = c->stack[--depth];
		const struct node *n = &c->nfa.nodes[at];

		if (n->kind == NODE_token) {
			c->at.items[c->at.count++] = at;
		} else if (n->kind == NODE_accept) {
			c->found = true;
		} else {
			closure_push(c, n->next, &depth);
			closure_push(c, n->other, &depth);
		}
	}
}

static bool
node_takes(const struct cache *c, uint32_t node, unsigned symbol)
{
	size_t row = c->nfa.nodes[node].set * c->nfa.row_words;

	return c->nfa.has[row + symbol / 64] >> (symbol % 64) & 1;
}

static void
closure_move(struct cache *c, struct list from, unsigned symbol)
{
	for (size_t i = 0; i < from.count; i++)
		if (node_takes(c, from.items[i], symbol))
			closure_add(c, c->nfa.nodes[from.items[i]].next);
}

/* What an unasked comma does: nothing. */
static void
closure_stay(struct cache *c, struct list at)
{
	for (size_t i = 0; i < at.count; i++)
		if (!node_takes(c, at.items[i], c->nfa.comma))
			closure_add(c, at.items[i]);
}

/* A few, and those of one pattern come in order: insertion. */
static void
list_sort(uint32_t *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint32_t hold = items[i];
		size_t k = i;

		for (; k > 0 && items[k - 1] > hold; k--)
			items[k] = items[k - 1];
		items[k] = hold;
	}
}

/* The first so many and those behind them are in order: now all are. */
static void
list_merge(struct list *l, size_t first, uint32_t *room)
{
	size_t more = l->count - first, at = l->count;

	if (more > 0)
		memcpy(room, l->items + first, more * sizeof(*room));
	while (more > 0)
		l->items[--at] = first > 0 &&
		    l->items[first - 1] > room[more - 1] ?
		    l->items[--first] : room[--more];
}

static struct list
list_keep(struct arena *arena, struct list l)
{
	struct list copy = { NULL, l.count };

	if (l.count > 0) {
		copy.items = arena_array(arena, l.count, sizeof(*l.items));
		memcpy(copy.items, l.items, l.count * sizeof(*l.items));
	}
	return copy;
}

static uint32_t
list_hash(struct list l, bool found)
{
	uint32_t hash = 2166136261u + found;

	for (size_t i = 0; i < l.count; i++)
		hash = (hash ^ l.items[i]) * 16777619u;
	return hash ^ (hash >> 15);
}

static bool
list_eq(struct list a, struct list b)
{
	return a.count == b.count && (a.count == 0 ||
	    memcmp(a.items, b.items, a.count * sizeof(*a.items)) == 0);
}

static uint16_t
place_of(const struct cache *c, size_t number)
{
	return (uint16_t)(number | (c->states[number].found ? PLACE_FOUND : 0));
}

/*
 * The state for the set just built, in order, made if there is none such.  From
 * nothing under way all goes on as from idleness, whatever was found.
 */
static uint16_t
state_intern(struct cache *c)
{
	uint32_t hash = list_hash(c->at, c->found);
	size_t slot;

	if (c->at.count == 0)
		return PLACE_IDLE | PLACE_RESTS | (c->found ? PLACE_FOUND : 0);
	for (slot = hash % SLOTS; c->slots[slot] != 0; slot = (slot + 1) % SLOTS) {
		const struct state *s = &c->states[c->slots[slot]];

		if (s->hash == hash && s->found == c->found &&
		    list_eq(s->at, c->at))
			return place_of(c, c->slots[slot]);
	}
	assert(c->count < STATES_MAX);
	c->states[c->count] = (struct state){
		.at = list_keep(&c->arena, c->at), .hash = hash,
		.found = c->found,
	};
	c->slots[slot] = (uint16_t)c->count;
	c->made++;
	return place_of(c, c->count++);
}

/* The first two states have fixed numbers, even when they are alike. */
static void
cache_clear(struct automaton *a)
{
	struct cache *c = a->cache;

	arena_reset(&c->arena);
	memset(c->slots, 0, sizeof(c->slots));
	memset(a->next, 0, c->room * a->symbols * sizeof(*a->next));
	c->count = PLACE_IDLE + 1;
	c->states[PLACE_IDLE].at.count = 0;
	closure_begin(c);
	for (size_t i = 0; i < c->nfa.anchored_count; i++)
		closure_add(c, c->nfa.anchored[i]);
	c->states[PLACE_START].at = list_keep(&c->arena, c->at);
}

/* The symbols that one of the positions takes, as bits. */
static uint64_t *
symbols_taken(struct cache *c, struct list at)
{
	uint64_t *bits = arena_array(&c->fixed, c->nfa.row_words,
	    sizeof(*bits));

	for (size_t i = 0; i < at.count; i++) {
		const uint64_t *row = c->nfa.has +
		    c->nfa.nodes[at.items[i]].set * c->nfa.row_words;

		for (size_t w = 0; w < c->nfa.row_words; w++)
			bits[w] |= row[w];
	}
	return bits;
}

static bool
has_symbol(const uint64_t *bits, unsigned symbol)
{
	return bits[symbol / 64] >> (symbol % 64) & 1;
}

static void
floating_prepare(struct cache *c)
{
	closure_begin(c);
	for (size_t i = 0; i < c->nfa.floating_count; i++)
		closure_add(c, c->nfa.floating[i]);
	c->floating = list_keep(&c->fixed, c->at);
	c->after = arena_array(&c->fixed, c->nfa.symbols, sizeof(*c->after));
	c->wakes = symbols_taken(c, c->floating);
}

/* A comma that none of them takes leaves them where they are. */
static void
begins_prepare(struct cache *c)
{
	struct list start = c->states[PLACE_START].at;

	c->begins = symbols_taken(c, start);
	for (size_t w = 0; w < c->nfa.row_words; w++)
		c->begins[w] |= c->wakes[w];
	if (start.count > 0)
		c->begins[c->nfa.comma / 64] |= UINT64_C(1)
		    << (c->nfa.comma % 64);
}

/* Where the patterns that begin anywhere are after the symbol as the first. */
static const struct beginning *
beginning_of(struct cache *c, unsigned symbol)
{
	struct beginning *b = &c->after[symbol];

	if (b->known)
		return b;
	closure_begin(c);
	closure_move(c, c->floating, symbol);
	list_sort(c->at.items, c->at.count);
	*b = (struct beginning){ list_keep(&c->fixed, c->at), c->found, true };
	return b;
}

void
automaton_open(struct automaton *a, const struct nfa *nfa)
{
	struct cache *c = xcalloc(1, sizeof(*c));
	size_t room = nfa->count + 1;

	a->cache = c;
	a->symbols = nfa->symbols;
	c->room = STATES_FIRST;
	a->next = xcalloc(c->room * a->symbols, sizeof(*a->next));
	c->nfa = *nfa;
	c->seen = xcalloc(room, sizeof(*c->seen));
	c->stack = xcalloc(room, sizeof(*c->stack));
	c->at.items = xcalloc(room, sizeof(*c->at.items));
	c->spare.items = xcalloc(room, sizeof(*c->spare.items));
	arena_init(&c->arena);
	arena_init(&c->fixed);
	floating_prepare(c);
	cache_clear(a);
	begins_prepare(c);
}

void
automaton_close(struct automaton *a)
{
	struct cache *c = a->cache;

	if (c == NULL)
		return;
	arena_release(&c->arena);
	arena_release(&c->fixed);
	free(c->seen);
	free(c->stack);
	free(c->at.items);
	free(c->spare.items);
	free(c);
	free(a->next);
	*a = (struct automaton){ 0 };
}

/* Small tables lie close together, which is most of their speed. */
static void
table_grow(struct automaton *a)
{
	struct cache *c = a->cache;
	size_t cells = c->room * a->symbols;

	a->next = xrealloc(a->next, 2 * cells * sizeof(*a->next));
	memset(a->next + cells, 0, cells * sizeof(*a->next));
	c->room *= 2;
}

uint16_t
automaton_make(struct automaton *a, unsigned place, unsigned symbol)
{
	struct cache *c = a->cache;
	unsigned number = place & PLACE_STATE;
	struct list from = c->states[number].at;
	const struct beginning *more = beginning_of(c, symbol);
	size_t moved;
	bool full = c->count == STATES_MAX;
	uint16_t to;

	if (full) {
		if (from.count > 0)
			memcpy(c->spare.items, from.items,
			    from.count * sizeof(*from.items));
		c->spare.count = from.count;
		from = c->spare;
		cache_clear(a);
		c->flushes++;
	}
	if (c->count == c->room)
		table_grow(a);
	closure_begin(c);
	closure_move(c, from, symbol);
	if (symbol == c->nfa.comma)
		closure_stay(c, from);
	moved = c->at.count;
	list_sort(c->at.items, moved);
	for (size_t i = 0; i < more->at.count; i++)
		closure_add(c, more->at.items[i]);
	list_merge(&c->at, moved, c->stack);
	c->found |= more->found;
	to = state_intern(c);
	/* After a clearing the old number means nothing, or something else. */
	if (!full || number <= PLACE_IDLE)
		a->next[number * a->symbols + symbol] = to;
	return to;
}

bool
automaton_wakes(const struct automaton *a, unsigned symbol)
{
	return has_symbol(a->cache->wakes, symbol);
}

bool
automaton_begins(const struct automaton *a, unsigned symbol)
{
	return has_symbol(a->cache->begins, symbol);
}

size_t
automaton_states(const struct automaton *a)
{
	return a->cache->count - 1;
}

size_t
automaton_made(const struct automaton *a)
{
	return a->cache->made;
}

size_t
automaton_flushes(const struct automaton *a)
{
	return a->cache->flushes;
}
