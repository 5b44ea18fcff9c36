/*
 * automaton - a nondeterministic automaton, run through a cache of the
 * deterministic states that texts really reach
 *
 * Symbols are small numbers.  One symbol, the comma, is passed over by every
 * position that does not ask for it.  Memory is bounded: when the cache is full
 * it is emptied and begun again, which changes speed, never results.
 */
#ifndef CLASSIFY_AUTOMATON_H
#define CLASSIFY_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum node_kind { NODE_token, NODE_split, NODE_accept };
enum { NODE_NONE = UINT32_MAX };

struct node {
	enum node_kind kind;
	uint32_t set;		/* token: which symbols, a row of has[] */
	uint32_t next;
	uint32_t other;		/* split: the second way */
};

/*
 * Owned by the caller, unchanged while the automaton lives.  has[] holds a row
 * of row_words 64-bit words for each set: bit s is set when it has symbol s.
 */
struct nfa {
	const struct node *nodes;
	size_t count;
	const uint32_t *anchored;	/* begin only at the begin of a text */
	size_t anchored_count;
	const uint32_t *floating;	/* begin anywhere */
	size_t floating_count;
	const uint64_t *has;
	size_t row_words;
	size_t symbols;
	unsigned comma;
};

/*
 * A place is the number of a state and two marks.  A number is good until the
 * next step, the first one and the idle one for ever.
 */
enum {
	PLACE_START = 1,
	PLACE_IDLE = 2,
	PLACE_STATE = 0x3fff,	/* mask of the number */
	PLACE_FOUND = 0x4000,	/* a pattern is complete */
	PLACE_RESTS = 0x8000,	/* nothing is under way */
};

struct automaton {
	uint16_t *next;		/* by state, then by symbol; 0: not made yet */
	size_t symbols;
	struct cache *cache;
};

void automaton_open(struct automaton *a, const struct nfa *nfa);
void automaton_close(struct automaton *a);

uint16_t automaton_make(struct automaton *a, unsigned place, unsigned symbol);

static inline uint16_t
automaton_step(struct automaton *a, unsigned place, unsigned symbol)
{
	uint16_t to = a->next[(place & PLACE_STATE) * a->symbols + symbol];

	return to != 0 ? to : automaton_make(a, place, symbol);
}

/* Would the symbol lead out of idleness?  And as a text's first? */
bool automaton_wakes(const struct automaton *a, unsigned symbol);
bool automaton_begins(const struct automaton *a, unsigned symbol);

size_t automaton_states(const struct automaton *a);
size_t automaton_made(const struct automaton *a);
size_t automaton_flushes(const struct automaton *a);

#endif
