/*
 * pattern_needs - words without one of which a text cannot match
 *
 * The patterns of an id name many words, common ones too; but on every way
 * through them there is some word that is less so.  The words that block all
 * ways together are found once: those that cannot be let through without
 * opening a way, when the most common are let through first.  A text that has
 * none of them need not be walked.
 */
#include <stdlib.h>
#include <string.h>

#include "classify/pattern_impl.h"
#include "common/xmalloc.h"

/* A group, as far as it can be walked with the words let through so far. */
struct reach {
	const struct group *group;
	size_t row_words;
	uint64_t *open;		/* the symbols let through */
	bool *reached;		/* by node */
	uint32_t *trail;	/* the nodes reached, in that order */
	size_t count;
	uint32_t *blocked;	/* of these, tokens that were not passed */
	size_t n_blocked;
};

static const uint64_t *
symbols_of(const struct reach *r, uint32_t node)
{
	return r->group->has + r->group->nodes[node].set * r->row_words;
}

static bool
passes(const struct reach *r, uint32_t node)
{
	const uint64_t *row = symbols_of(r, node);

	for (size_t i = 0; i < r->row_words; i++)
		if (row[i] & r->open[i])
			return true;
	return false;
}

static void
reach_node(struct reach *r, uint32_t node)
{
	if (node == NODE_NONE || r->reached[node])
		return;
	r->reached[node] = true;
	r->trail[r->count++] = node;
}

/* From the node on; true: there is a way through. */
static bool
reach_from(struct reach *r, uint32_t node)
{
	size_t at = r->count;

	reach_node(r, node);
	for (; at < r->count; at++) {
		const struct node *n = &r->group->nodes[r->trail[at]];

		if (n->kind == NODE_accept)
			return true;
		if (n->kind == NODE_split) {
			reach_node(r, n->next);
			reach_node(r, n->other);
		} else if (passes(r, r->trail[at])) {
			reach_node(r, n->next);
		} else {
			r->blocked[r->n_blocked++] = r->trail[at];
		}
	}
	return false;
}

/* Those that the symbol passes are blocked no more. */
static void
unblock(struct reach *r, unsigned symbol)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n_blocked; i++)
		if (!pattern_id_in(symbols_of(r, r->blocked[i]), symbol))
			r->blocked[kept++] = r->blocked[i];
	r->n_blocked = kept;
}

/* Lets a symbol through, unless that opens a way. */
static void
reach_more(struct reach *r, unsigned symbol)
{
	size_t count = r->count, n_blocked = r->n_blocked;
	bool through = false, more = false;

	pattern_id_add(r->open, symbol);
	for (size_t i = 0; i < n_blocked && !through; i++)
		if (pattern_id_in(symbols_of(r, r->blocked[i]), symbol)) {
			more = true;
			through = reach_from(r,
			    r->group->nodes[r->blocked[i]].next);
		}
	if (more && !through)
		unblock(r, symbol);
	if (!through)
		return;
	while (r->count > count)
		r->reached[r->trail[--r->count]] = false;
	r->n_blocked = n_blocked;
	r->open[symbol / 64] &= ~(UINT64_C(1) << (symbol % 64));
}

static bool
reach_starts(struct reach *r)
{
	const struct group *g = r->group;

	for (size_t anchored = 0; anchored < 2; anchored++)
		for (size_t i = 0; i < g->start_count[anchored]; i++)
			if (reach_from(r, g->starts[anchored][i]))
				return true;
	return false;
}

/* ---- which words are common: those that are in many sets ---- */

struct common {
	uint32_t symbol;
	uint32_t sets;
};

static int
by_sets(const void *a, const void *b)
{
	const struct common *x = a, *y = b;

	if (x->sets != y->sets)
		return x->sets > y->sets ? -1 : 1;
	return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

static uint32_t *
count_sets(const struct patterns *p)
{
	uint32_t *sets = xcalloc(p->word_count + 1, sizeof(*sets));

	for (size_t s = 0; s < p->set_count; s++)
		for (size_t i = 0; i < p->sets[s].count; i++)
			sets[p->sets[s].words[i]]++;
	return sets;
}

/* The group's symbols, those of the most common words first. */
static struct common *
symbols_by_use(const struct patterns *p, size_t number, const uint32_t *sets)
{
	const struct group *g = &p->groups[number];
	struct common *list = xcalloc(g->symbols + 1, sizeof(*list));

	for (uint32_t i = 0; i < g->symbols; i++)
		list[i].symbol = i;
	for (size_t r = 0; r < g->row_count; r++) {
		const struct set *named = &p->sets[g->rows[r]];

		for (size_t i = 0; i < named->count; i++) {
			uint32_t w = named->words[i];
			struct common *c =
			    &list[p->symbols[w * p->group_count + number]];

			if (sets[w] > c->sets)
				c->sets = sets[w];
		}
	}
	qsort(list, g->symbols, sizeof(*list), by_sets);
	return list;
}

/* ---- the whole ---- */

/* Of any text: words that nobody names, its signs, its end. */
static void
open_signs(struct reach *r, const struct patterns *p, size_t number)
{
	static const uint32_t signs[] = {
		AT_other, AT_number, AT_stop, AT_comma, AT_end,
	};

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		pattern_id_add(r->open, p->symbols[signs[i] * p->group_count +
		    number]);
}

/* Only words that the group names can be other than open. */
static void
needs_fill(struct patterns *p, unsigned number, const uint64_t *open)
{
	const struct group *g = &p->groups[number];

	for (size_t r = 0; r < g->row_count; r++) {
		const struct set *named = &p->sets[g->rows[r]];

		for (size_t i = 0; i < named->count; i++) {
			uint32_t w = named->words[i];

			if (!pattern_id_in(open,
			    p->symbols[w * p->group_count + number]))
				pattern_id_add(p->needs + w * p->id_words,
				    number);
		}
	}
}

static void
group_needs(struct patterns *p, unsigned number, const uint32_t *sets,
    struct reach *r)
{
	struct common *list;

	open_signs(r, p, number);
	if (reach_starts(r)) {
		pattern_id_add(p->always, number);
		return;
	}
	list = symbols_by_use(p, number, sets);
	for (size_t i = 0; i < r->group->symbols; i++)
		if (!pattern_id_in(r->open, list[i].symbol))
			reach_more(r, list[i].symbol);
	free(list);
	needs_fill(p, number, r->open);
}

void
pattern_needs_fill(struct patterns *p)
{
	uint32_t *sets = count_sets(p);

	p->always = xcalloc(p->id_words, sizeof(*p->always));
	p->needs = xcalloc(p->word_count * p->id_words + 1,
	    sizeof(*p->needs));
	for (unsigned g = 0; g < p->group_count; g++) {
		size_t nodes = p->groups[g].node_count + 1;
		size_t words = (p->groups[g].symbols + 63) / 64;
		struct reach r = { .group = &p->groups[g],
			.row_words = words,
			.open = xcalloc(words + 1, sizeof(*r.open)),
			.reached = xcalloc(nodes, sizeof(*r.reached)),
			.trail = xcalloc(nodes, sizeof(*r.trail)),
			.blocked = xcalloc(nodes, sizeof(*r.blocked)) };

		group_needs(p, g, sets, &r);
		free(r.open);
		free(r.reached);
		free(r.trail);
		free(r.blocked);
	}
	free(sets);
}
