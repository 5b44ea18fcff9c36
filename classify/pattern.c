/*
 * pattern - many word patterns, matched in one pass over a text
 *
 * Definitions gather words, sets of words, and the nodes of automata.
 * Compiling sorts the words into symbols: two words that no set tells apart are
 * the same symbol, and all words that no pattern names are one.
 */
#include "classify/pattern.h"

#include <assert.h>
#include <stdlib.h>

#include "classify/pattern_impl.h"
#include "common/xmalloc.h"

struct patterns *
patterns_new(void)
{
	static const enum word_kind fixed[] = {
		W_other, W_number, W_question, W_bang, W_stop, W_comma, W_end,
	};
	struct patterns *p = xcalloc(1, sizeof(*p));

	arena_init(&p->arena);
	pattern_table_grow(p);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		pattern_word_add(p, fixed[i], SLICE_NONE);
	p->any_word = pattern_set_new(p);
	p->sets[p->any_word].inverse = true;
	p->any_number = pattern_set_new(p);
	p->sets[p->any_number].numbers = true;
	pattern_set_add(p, p->any_number, AT_number);
	p->stops = pattern_set_new(p);
	pattern_set_add(p, p->stops, AT_stop);
	pattern_set_add(p, p->stops, AT_bang);
	p->question = pattern_set_of_word(p, AT_question);
	p->bang = pattern_set_of_word(p, AT_bang);
	p->stop = pattern_set_of_word(p, AT_stop);
	p->comma = pattern_set_of_word(p, AT_comma);
	p->end = pattern_set_of_word(p, AT_end);
	return p;
}

static void
group_release(struct group *g)
{
	free(g->nodes);
	free(g->rows);
	free(g->starts[0]);
	free(g->starts[1]);
	free(g->has);
}

void
patterns_free(struct patterns **pp)
{
	struct patterns *p = *pp;

	if (p == NULL)
		return;
	for (size_t i = 0; i < p->group_count; i++)
		group_release(&p->groups[i]);
	for (size_t i = 0; p->walks != NULL && i < p->group_count; i++)
		automaton_close(&p->walks[i].automaton);
	for (size_t i = 0; i < p->set_count; i++)
		free(p->sets[i].words);
	free(p->groups);
	free(p->sets);
	free(p->words);
	free(p->table);
	free(p->classes);
	free(p->macros);
	free(p->apart);
	free(p->symbols);
	free(p->begins);
	free(p->wakes);
	free(p->needs);
	free(p->always);
	free(p->walks);
	free(p->found);
	free(p->all);
	free(p->hits);
	free(p->said);
	arena_release(&p->arena);
	free(p);
	*pp = NULL;
}

/* ---- compiling: words to symbols ---- */

static bool
is_wordly(const struct word *w)
{
	return w->kind <= W_number;
}

/* A prefix stands for unknown words, which longer prefixes also catch. */
static void
set_spread_prefixes(struct patterns *p, uint32_t set)
{
	size_t count = p->sets[set].count;

	for (size_t i = 0; i < count; i++) {
		const struct word *prefix = &p->words[p->sets[set].words[i]];

		if (prefix->kind != W_prefix)
			continue;
		for (uint32_t w = 0; w < p->word_count; w++) {
			struct slice text = p->words[w].text;

			if (p->words[w].kind <= W_prefix &&
			    text.len >= prefix->text.len &&
			    memcmp(text.ptr, prefix->text.ptr,
			    prefix->text.len) == 0)
				pattern_set_add(p, set, w);
		}
	}
}

static void
set_spread_numbers(struct patterns *p, uint32_t set)
{
	for (uint32_t w = 0; w < p->word_count; w++) {
		struct slice text = p->words[w].text;

		if (text.len > 0 && text.ptr[0] >= '0' && text.ptr[0] <= '9')
			pattern_set_add(p, set, w);
	}
}

/* So that each member counts once when symbols are split. */
static void
set_unique(struct set *s, uint32_t *mark, uint32_t number)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++) {
		if (mark[s->words[i]] == number)
			continue;
		mark[s->words[i]] = number;
		s->words[kept++] = s->words[i];
	}
	s->count = kept;
}

/*
 * The words of one group, sorted into symbols.  All arrays are by symbol but
 * of[], which is by word; there are never more symbols than words.
 */
struct sorting {
	uint32_t *of;
	uint32_t *size;		/* members */
	uint32_t *inside;	/* members in the set at hand */
	uint32_t *moved;	/* where those go, 0 if nowhere yet */
	uint32_t count;
};

static void
sorting_begin(struct sorting *t, const struct patterns *p)
{
	t->count = 1;
	t->size[0] = 0;
	for (uint32_t w = 0; w < p->word_count; w++) {
		t->of[w] = is_wordly(&p->words[w]) ? 0 : t->count++;
		if (t->of[w] > 0)
			t->size[t->of[w]] = 0;
		t->size[t->of[w]]++;
	}
}

/* Splits every symbol that the set holds only a part of. */
static void
sorting_split(struct sorting *t, const struct set *s)
{
	for (size_t i = 0; i < s->count; i++)
		t->inside[t->of[s->words[i]]]++;
	for (size_t i = 0; i < s->count; i++) {
		uint32_t *of = &t->of[s->words[i]], from = *of;

		if (t->moved[from] == 0 && t->inside[from] < t->size[from]) {
			t->moved[from] = t->count;
			t->size[t->count++] = 0;
		}
		if (t->moved[from] == 0)
			continue;
		*of = t->moved[from];
		t->size[from]--;
		t->inside[from]--;
		t->size[*of]++;
		if (t->inside[from] == 0)
			t->moved[from] = 0;
	}
	for (size_t i = 0; i < s->count; i++)
		t->inside[t->of[s->words[i]]] = 0;
}

/* The symbols that are words; an inverse set is these without its own. */
static void
row_fill_words(const struct patterns *p, const struct sorting *t,
    uint64_t *row)
{
	for (uint32_t w = 0; w < p->word_count; w++)
		if (is_wordly(&p->words[w]))
			row[t->of[w] / 64] |= UINT64_C(1) << (t->of[w] % 64);
}

static void
row_fill(const struct sorting *t, const struct set *s, uint64_t *row)
{
	for (size_t i = 0; i < s->count; i++) {
		uint32_t symbol = t->of[s->words[i]];
		uint64_t bit = UINT64_C(1) << (symbol % 64);

		if (s->inverse)
			row[symbol / 64] &= ~bit;
		else
			row[symbol / 64] |= bit;
	}
}

static void
rows_fill(const struct patterns *p, const struct sorting *t,
    struct group *g, size_t row_words)
{
	uint64_t *words = xcalloc(row_words + 1, sizeof(*words));

	row_fill_words(p, t, words);
	for (size_t r = 0; r < g->row_count; r++) {
		const struct set *s = &p->sets[g->rows[r]];
		uint64_t *row = g->has + r * row_words;

		if (s->inverse)
			memcpy(row, words, row_words * sizeof(*row));
		row_fill(t, s, row);
	}
	free(words);
}

static int
group_compile(struct patterns *p, size_t number, struct sorting *t,
    struct buf *why)
{
	struct group *g = &p->groups[number];
	struct nfa nfa = { 0 };

	sorting_begin(t, p);
	for (size_t r = 0; r < g->row_count; r++)
		sorting_split(t, &p->sets[g->rows[r]]);
	if (t->count > UINT16_MAX)
		return pattern_fail(why, "too many words", SLICE_NONE);
	g->symbols = t->count;
	nfa.row_words = (g->symbols + 63) / 64;
	g->has = xcalloc(g->row_count * nfa.row_words + 1, sizeof(*g->has));
	rows_fill(p, t, g, nfa.row_words);
	for (uint32_t w = 0; w < p->word_count; w++)
		p->symbols[w * p->group_count + number] = (uint16_t)t->of[w];
	nfa.nodes = g->nodes;
	nfa.count = g->node_count;
	nfa.floating = g->starts[false];
	nfa.floating_count = g->start_count[false];
	nfa.anchored = g->starts[true];
	nfa.anchored_count = g->start_count[true];
	nfa.has = g->has;
	nfa.symbols = g->symbols;
	nfa.comma = t->of[AT_comma];
	automaton_open(&p->walks[number].automaton, &nfa);
	return 0;
}

/* Which groups each word begins and wakes. */
static void
calls_fill(struct patterns *p)
{
	size_t size = p->word_count * p->id_words + 1;

	p->begins = xcalloc(size, sizeof(*p->begins));
	p->wakes = xcalloc(size, sizeof(*p->wakes));
	for (unsigned g = 0; g < p->group_count; g++) {
		const struct automaton *a = &p->walks[g].automaton;

		for (uint32_t w = 0; w < p->word_count; w++) {
			unsigned symbol = p->symbols[w * p->group_count + g];

			if (automaton_begins(a, symbol))
				pattern_id_add(p->begins + w * p->id_words, g);
			if (automaton_wakes(a, symbol))
				pattern_id_add(p->wakes + w * p->id_words, g);
		}
	}
}

static void
sets_finish(struct patterns *p, uint32_t *mark)
{
	for (uint32_t s = 0; s < p->set_count; s++) {
		set_spread_prefixes(p, s);
		if (p->sets[s].numbers)
			set_spread_numbers(p, s);
		set_unique(&p->sets[s], mark, s + 1);
	}
}

int
patterns_compile(struct patterns *p, struct buf *why)
{
	uint32_t *room = xcalloc(p->word_count * 4 + 4, sizeof(*room));
	struct sorting t = {
		.of = room, .size = room + p->word_count + 1,
		.inside = room + 2 * (p->word_count + 1),
		.moved = room + 3 * (p->word_count + 1),
	};
	size_t count = p->group_count + 1;
	int rc = 0;

	assert(!p->compiled);
	p->compiled = true;
	sets_finish(p, room);
	memset(room, 0, (p->word_count * 4 + 4) * sizeof(*room));
	p->symbols = xcalloc(p->word_count * count, sizeof(*p->symbols));
	p->walks = xcalloc(count, sizeof(*p->walks));
	for (size_t g = 0; g < p->group_count && rc == 0; g++)
		rc = group_compile(p, g, &t, why);
	free(room);
	if (rc < 0)
		return -1;
	for (size_t g = 0; g < p->group_count; g++)
		p->walks[g].place = PLACE_IDLE;
	p->id_words = p->group_count / 64 + 1;
	calls_fill(p);
	pattern_needs_fill(p);
	p->found = xcalloc(p->id_words, sizeof(*p->found));
	p->all = xcalloc(p->id_words, sizeof(*p->all));
	memset(p->all, 0xff, p->id_words * sizeof(*p->all));
	p->hits = xcalloc(count, sizeof(*p->hits));
	return 0;
}

void
patterns_stats(const struct patterns *p, struct pattern_stats *out)
{
	*out = (struct pattern_stats){
		.words = p->word_count, .groups = p->group_count,
	};
	for (size_t i = 0; i < p->group_count; i++) {
		const struct automaton *a = &p->walks[i].automaton;

		out->nodes += p->groups[i].node_count;
		out->symbols += p->groups[i].symbols;
		out->states += automaton_states(a);
		out->made += automaton_made(a);
		out->flushes += automaton_flushes(a);
	}
}
