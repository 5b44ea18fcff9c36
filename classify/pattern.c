/*
 * pattern - many word patterns, matched in one pass over a text
 *
 * Definitions gather words, sets of words, and the nodes of one automaton.
 * Compiling sorts the words into symbols: two words that no set tells apart are
 * the same symbol, and all words that no pattern names are one.
 */
#include "classify/pattern.h"

#include <assert.h>
#include <stdlib.h>

#include "classify/automaton.h"
#include "classify/scan.h"
#include "common/xmalloc.h"

enum {
	DEPTH_MAX = 16,		/* of brackets in a pattern */
	GAP_MAX = 12,		/* words in a bounded gap */
	NODES_MAX = 200000,
	SOURCE_MAX = 65536,	/* bytes of a pattern, macros written out */
};

enum word_kind {
	W_word, W_prefix, W_other, W_number,	/* these four are words */
	W_question, W_bang, W_stop, W_comma, W_end,
};

enum {				/* fixed places in the list of words */
	AT_other, AT_number, AT_question, AT_bang, AT_stop, AT_comma, AT_end,
};

struct word {
	struct slice text;
	enum word_kind kind;
	uint32_t hash;
	bool english, foreign, neither;
	uint32_t set;		/* the set of just this word, or SET_NONE */
};

enum { SET_NONE = UINT32_MAX };

struct set {
	uint32_t *words;
	size_t count, room;
	bool inverse;		/* every word but these */
	bool numbers;		/* and every word that begins with a digit */
};

struct named {
	struct slice name;
	struct slice body;	/* of a macro, written out */
	uint32_t set;		/* of a class */
};

/*
 * All patterns of one id: an automaton of their own, over symbols of their own.
 * One automaton for everything would need a state for every combination of
 * things under way, and every text would bring new ones.
 */
struct group {
	struct node *nodes;
	size_t node_count, node_room;
	uint32_t *rows;		/* by row of has[]: the set */
	size_t row_count, row_room;
	uint32_t *starts[2];	/* floating, anchored */
	size_t start_count[2], start_room[2];
	uint64_t *has;
	size_t symbols;
	struct automaton automaton;
};

/* For each word a list of groups: those of w lie from at[w] to at[w + 1]. */
struct roll {
	uint32_t *groups;
	uint32_t *at;
	size_t count, room;
};

struct patterns {
	struct arena arena;
	struct word *words;
	size_t word_count, word_room;
	uint32_t *table;	/* hash table: word number + 1 */
	size_t table_mask;
	struct set *sets;
	size_t set_count, set_room;
	struct named *classes, *macros;
	size_t class_count, class_room, macro_count, macro_room;
	struct slice *apart;
	size_t apart_count, apart_room;
	struct group *groups;	/* by id */
	size_t group_count, group_room;
	struct group *group;	/* the one being added to */
	uint32_t any_word, any_number, comma, stops, end;	/* sets */
	uint32_t question, bang, stop;
	bool prefix_first[256];	/* there are prefixes that begin so */
	bool compiled;
	uint16_t *symbols;	/* by word, then by group */
	struct roll begins;	/* groups that go on when a text begins so */
	struct roll wakes;	/* groups that a word wakes anywhere */
	/* The match at work; seen and stepped hold the number of one. */
	uint16_t *place;	/* by group: where its automaton is */
	unsigned *active;	/* groups that are under way */
	size_t active_count;
	bool fresh;		/* nothing was read yet but commas */
	uint64_t *stepped;	/* by group */
	uint64_t step;
	unsigned *seen;		/* by id */
	unsigned *hits;
	unsigned match;
};

/* A piece of automaton: entered at `in`, left through the open split `out`. */
struct piece {
	uint32_t in, out;
};

struct parser {
	struct patterns *set;
	struct slice text;
	size_t pos;
	unsigned depth;
	enum pattern_lang lang;
	struct buf *why;
	bool failed;
};

static void *
grow(void *items, size_t count, size_t *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room == 0 ? 16 : *room * 2;
	return xrealloc(items, *room * size);
}

static int
fail(struct buf *why, const char *what, struct slice about)
{
	/* A reason too long for its buffer is still a refusal. */
	if (buf_addf(why, "%s: '%.*s'", what, SLICE_ARG(about)) < 0)
		why->over = true;
	return -1;
}

static void
table_put(struct patterns *p, uint32_t number)
{
	size_t slot = p->words[number].hash & p->table_mask;

	while (p->table[slot] != 0)
		slot = (slot + 1) & p->table_mask;
	p->table[slot] = number + 1;
}

static void
table_grow(struct patterns *p)
{
	size_t slots = p->table_mask == 0 ? 1024 : (p->table_mask + 1) * 2;

	free(p->table);
	p->table = xcalloc(slots, sizeof(*p->table));
	p->table_mask = slots - 1;
	for (uint32_t i = 0; i < p->word_count; i++)
		if (p->words[i].kind <= W_prefix)
			table_put(p, i);
}

static uint32_t
word_find(const struct patterns *p, enum word_kind kind, struct slice text,
    uint32_t hash)
{
	size_t slot = hash & p->table_mask;

	for (; p->table[slot] != 0; slot = (slot + 1) & p->table_mask) {
		const struct word *w = &p->words[p->table[slot] - 1];

		if (w->hash == hash && w->kind == kind &&
		    slice_eq(w->text, text))
			return p->table[slot] - 1;
	}
	return UINT32_MAX;
}

static uint32_t
word_add(struct patterns *p, enum word_kind kind, struct slice text)
{
	uint32_t hash = scan_hash(text), at = UINT32_MAX;

	if (kind <= W_prefix)
		at = word_find(p, kind, text, hash);
	if (at != UINT32_MAX)
		return at;
	p->words = grow(p->words, p->word_count, &p->word_room,
	    sizeof(*p->words));
	at = (uint32_t)p->word_count++;
	p->words[at] = (struct word){
		.text = arena_dup(&p->arena, text), .kind = kind,
		.hash = hash, .set = SET_NONE,
	};
	if (kind == W_prefix && text.len > 0)
		p->prefix_first[(unsigned char)text.ptr[0]] = true;
	if (kind <= W_prefix) {
		if (p->word_count * 2 > p->table_mask)
			table_grow(p);
		else
			table_put(p, at);
	}
	return at;
}

static uint32_t
set_new(struct patterns *p)
{
	p->sets = grow(p->sets, p->set_count, &p->set_room, sizeof(*p->sets));
	p->sets[p->set_count] = (struct set){ 0 };
	return (uint32_t)p->set_count++;
}

static void
set_add(struct patterns *p, uint32_t set, uint32_t word)
{
	struct set *s = &p->sets[set];

	s->words = grow(s->words, s->count, &s->room, sizeof(*s->words));
	s->words[s->count++] = word;
}

static uint32_t
set_of_word(struct patterns *p, uint32_t word)
{
	if (p->words[word].set == SET_NONE) {
		uint32_t set = set_new(p);

		set_add(p, set, word);
		p->words[word].set = set;
	}
	return p->words[word].set;
}

struct patterns *
patterns_new(void)
{
	static const enum word_kind fixed[] = {
		W_other, W_number, W_question, W_bang, W_stop, W_comma, W_end,
	};
	struct patterns *p = xcalloc(1, sizeof(*p));

	arena_init(&p->arena);
	table_grow(p);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		word_add(p, fixed[i], SLICE_NONE);
	p->any_word = set_new(p);
	p->sets[p->any_word].inverse = true;
	p->any_number = set_new(p);
	p->sets[p->any_number].numbers = true;
	set_add(p, p->any_number, AT_number);
	p->stops = set_new(p);
	set_add(p, p->stops, AT_stop);
	set_add(p, p->stops, AT_bang);
	p->question = set_of_word(p, AT_question);
	p->bang = set_of_word(p, AT_bang);
	p->stop = set_of_word(p, AT_stop);
	p->comma = set_of_word(p, AT_comma);
	p->end = set_of_word(p, AT_end);
	return p;
}

static void
group_release(struct group *g)
{
	automaton_close(&g->automaton);
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
	free(p->begins.groups);
	free(p->begins.at);
	free(p->wakes.groups);
	free(p->wakes.at);
	free(p->place);
	free(p->active);
	free(p->stepped);
	free(p->seen);
	free(p->hits);
	arena_release(&p->arena);
	free(p);
	*pp = NULL;
}

static const struct named *
named_find(const struct named *list, size_t count, struct slice name)
{
	for (size_t i = 0; i < count; i++)
		if (slice_eq(list[i].name, name))
			return &list[i];
	return NULL;
}

/*
 * Words as they are written in a pattern: forms and spellings.
 */

static void
set_add_spelt(struct patterns *p, uint32_t set, struct slice text,
    enum pattern_lang lang)
{
	uint32_t at = word_add(p, W_word, text);

	if (lang == LANG_english)
		p->words[at].english = true;
	set_add(p, set, at);
}

static bool
is_apart(const struct patterns *p, struct slice word)
{
	for (size_t i = 0; i < p->apart_count; i++)
		if (slice_eq(p->apart[i], word))
			return true;
	return false;
}

static void
set_add_word(struct patterns *p, uint32_t set, struct slice text,
    enum pattern_lang lang)
{
	char bare[SCAN_WORD_MAX];
	size_t len = 0;

	set_add_spelt(p, set, text, lang);
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] != '\'')
			bare[len++] = text.ptr[i];
	if (len < text.len && len > 0 && !is_apart(p, text))
		set_add_spelt(p, set, slice_of(bare, len), lang);
}

static bool
is_vowel(char c)
{
	return c != '\0' && strchr("aeiou", c) != NULL;
}

static void
set_add_ending(struct patterns *p, uint32_t set, struct slice stem,
    const char *ending, enum pattern_lang lang)
{
	struct slice form = arena_printf(&p->arena, "%.*s%s", SLICE_ARG(stem),
	    ending);

	if (form.len <= SCAN_WORD_MAX)
		set_add_spelt(p, set, form, lang);
}

/* The regular forms of an English verb or noun; a form too many does no harm. */
static void
set_add_forms(struct patterns *p, uint32_t set, struct slice w,
    enum pattern_lang lang)
{
	char last = w.ptr[w.len - 1], before = w.len > 1 ? w.ptr[w.len - 2] : 0;
	char third = w.len > 2 ? w.ptr[w.len - 3] : 0;
	struct slice cut = slice_of(w.ptr, w.len - 1), twice;

	set_add_word(p, set, w, lang);
	if (last == 'y' && !is_vowel(before)) {
		set_add_ending(p, set, cut, "ies", lang);
		set_add_ending(p, set, cut, "ied", lang);
		set_add_ending(p, set, w, "ing", lang);
		return;
	}
	if (strchr("sxz", last) != NULL || (last == 'h' && strchr("cs", before)))
		set_add_ending(p, set, w, "es", lang);
	else
		set_add_ending(p, set, w, "s", lang);
	if (last == 'e') {
		set_add_ending(p, set, w, "d", lang);
		set_add_ending(p, set, cut, "ing", lang);
		return;
	}
	set_add_ending(p, set, w, "ed", lang);
	set_add_ending(p, set, w, "ing", lang);
	if (is_vowel(last) || strchr("wxy", last) != NULL || !is_vowel(before) ||
	    is_vowel(third))
		return;
	twice = arena_printf(&p->arena, "%.*s%c", SLICE_ARG(w), last);
	set_add_ending(p, set, twice, "ed", lang);
	set_add_ending(p, set, twice, "ing", lang);
}

static void
set_add_prefix(struct patterns *p, uint32_t set, struct slice text,
    enum pattern_lang lang)
{
	uint32_t at = word_add(p, W_prefix, text);

	if (lang == LANG_english)
		p->words[at].english = true;
	set_add(p, set, at);
}

/* "word", "word~" or "word*" into a set. */
static int
set_add_written(struct patterns *p, uint32_t set, struct slice written,
    enum pattern_lang lang, struct buf *why)
{
	char mark = written.len > 0 ? written.ptr[written.len - 1] : 0;
	struct slice bare = written, word;
	struct scan s;

	if (mark == '~' || mark == '*')
		bare.len--;
	scan_init(&s, bare);
	if (scan_next(&s) > SCAN_number || s.len == 0)
		return fail(why, "not a word", written);
	word = arena_dup(&p->arena, slice_of(s.word, s.len));
	if (scan_next(&s) != SCAN_end)
		return fail(why, "not one word", written);
	if (mark == '~')
		set_add_forms(p, set, word, lang);
	else if (mark == '*')
		set_add_prefix(p, set, word, lang);
	else
		set_add_word(p, set, word, lang);
	return 0;
}

/*
 * The parser: text to nodes.
 */

static uint32_t
node_add(struct patterns *p, enum node_kind kind, uint32_t set, uint32_t next,
    uint32_t other)
{
	struct group *g = p->group;

	g->nodes = grow(g->nodes, g->node_count, &g->node_room,
	    sizeof(*g->nodes));
	g->nodes[g->node_count] = (struct node){ kind, set, next, other };
	return (uint32_t)g->node_count++;
}

static struct piece
piece_set(struct patterns *p, uint32_t set)
{
	struct group *g = p->group;
	uint32_t out = node_add(p, NODE_split, 0, NODE_NONE, NODE_NONE);
	uint32_t in = node_add(p, NODE_token, (uint32_t)g->row_count, out,
	    NODE_NONE);

	g->rows = grow(g->rows, g->row_count, &g->row_room, sizeof(*g->rows));
	g->rows[g->row_count++] = set;
	return (struct piece){ in, out };
}

static struct piece
piece_empty(struct patterns *p)
{
	uint32_t out = node_add(p, NODE_split, 0, NODE_NONE, NODE_NONE);

	return (struct piece){ out, out };
}

static struct piece
piece_join(struct patterns *p, struct piece a, struct piece b)
{
	p->group->nodes[a.out].next = b.in;
	return (struct piece){ a.in, b.out };
}

static struct piece
piece_either(struct patterns *p, struct piece a, struct piece b)
{
	uint32_t in = node_add(p, NODE_split, 0, a.in, b.in);
	uint32_t out = node_add(p, NODE_split, 0, NODE_NONE, NODE_NONE);

	p->group->nodes[a.out].next = p->group->nodes[b.out].next = out;
	return (struct piece){ in, out };
}

static struct piece
piece_loop(struct patterns *p, uint32_t set)
{
	struct piece one = piece_set(p, set);
	uint32_t out = node_add(p, NODE_split, 0, NODE_NONE, NODE_NONE);
	uint32_t again = node_add(p, NODE_split, 0, one.in, out);

	p->group->nodes[one.out].next = again;
	return (struct piece){ again, out };
}

static struct piece
piece_gap(struct patterns *p, unsigned most)
{
	struct piece gap = piece_empty(p);

	while (most-- > 0)
		gap = piece_either(p, piece_empty(p),
		    piece_join(p, piece_set(p, p->any_word), gap));
	return gap;
}

static struct piece
parse_fail(struct parser *q, const char *what)
{
	struct slice rest = slice_of(q->text.ptr + q->pos, q->text.len - q->pos);

	if (!q->failed)
		fail(q->why, what, rest);
	q->failed = true;
	q->pos = q->text.len;
	return piece_empty(q->set);
}

static char
peek(const struct parser *q)
{
	return q->pos < q->text.len ? q->text.ptr[q->pos] : '\0';
}

static void
skip_space(struct parser *q)
{
	while (peek(q) == ' ' || peek(q) == '\t')
		q->pos++;
}

static bool
is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '\'' || c == '_' || c == '-' ||
	    (unsigned char)c >= 0x80;
}

static struct slice
take_name(struct parser *q)
{
	size_t begin = q->pos;

	while (is_name(peek(q)))
		q->pos++;
	return slice_of(q->text.ptr + begin, q->pos - begin);
}

/* A word, with its mark; the dot of "node.js" belongs to it. */
static struct slice
take_word(struct parser *q)
{
	size_t begin = q->pos;

	while (is_name(peek(q)) || (peek(q) == '.' && q->pos > begin &&
	    q->pos + 1 < q->text.len && is_name(q->text.ptr[q->pos + 1])))
		q->pos++;
	if (peek(q) == '~' || peek(q) == '*')
		q->pos++;
	return slice_of(q->text.ptr + begin, q->pos - begin);
}

/* The set that "%class", "word", "<num>" stands for; SET_NONE after an error. */
static uint32_t
parse_set(struct parser *q)
{
	struct patterns *p = q->set;
	const struct named *class;
	struct slice name;
	uint32_t set;

	if (peek(q) == '%') {
		q->pos++;
		name = take_name(q);
		class = named_find(p->classes, p->class_count, name);
		if (class != NULL)
			return class->set;
		parse_fail(q, "no such class before");
		return SET_NONE;
	}
	if (!is_name(peek(q))) {
		parse_fail(q, "a word or class was expected before");
		return SET_NONE;
	}
	set = set_new(p);
	if (set_add_written(p, set, take_word(q), q->lang, q->why) < 0) {
		q->failed = true;
		return SET_NONE;
	}
	return set;
}

static struct piece
parse_inverse(struct parser *q)
{
	struct patterns *p = q->set;
	uint32_t of, set;

	q->pos++;
	of = parse_set(q);
	if (of == SET_NONE)
		return piece_empty(p);
	set = set_new(p);
	for (size_t i = 0; i < p->sets[of].count; i++)
		set_add(p, set, p->sets[of].words[i]);
	p->sets[set].inverse = true;
	return piece_set(p, set);
}

static struct piece
parse_dots(struct parser *q)
{
	struct slice rest = slice_of(q->text.ptr + q->pos, q->text.len - q->pos);
	unsigned most = 0;

	if (slice_starts(rest, "...")) {
		q->pos += 3;
		return piece_join(q->set, piece_loop(q->set, q->set->any_word),
		    piece_empty(q->set));
	}
	if (!slice_starts(rest, "..")) {
		q->pos++;
		return piece_set(q->set, q->set->stop);
	}
	q->pos += 2;
	while (peek(q) >= '0' && peek(q) <= '9' && most <= GAP_MAX)
		most = most * 10 + (unsigned)(q->text.ptr[q->pos++] - '0');
	if (most == 0 || most > GAP_MAX)
		return parse_fail(q, "a gap is 1 to 12 words before");
	return piece_gap(q->set, most);
}

static struct piece parse_either(struct parser *q);

static struct piece
parse_group(struct parser *q, char close)
{
	struct piece inner;

	q->pos++;
	if (++q->depth > DEPTH_MAX)
		return parse_fail(q, "brackets too deep at");
	inner = parse_either(q);
	q->depth--;
	skip_space(q);
	if (peek(q) != close)
		return parse_fail(q, "a bracket is not closed before");
	q->pos++;
	if (close == ']')
		return piece_either(q->set, inner, piece_empty(q->set));
	return inner;
}

static struct piece
parse_kind(struct parser *q)
{
	struct slice rest = slice_of(q->text.ptr + q->pos, q->text.len - q->pos);

	if (slice_starts(rest, "<num>")) {
		q->pos += 5;
		return piece_set(q->set, q->set->any_number);
	}
	if (slice_starts(rest, "<word>")) {
		q->pos += 6;
		return piece_set(q->set, q->set->any_word);
	}
	return parse_fail(q, "only <num> and <word> are known, not");
}

static struct piece
parse_sign(struct parser *q, uint32_t set)
{
	q->pos++;
	return piece_set(q->set, set);
}

static struct piece
parse_item(struct parser *q)
{
	struct patterns *p = q->set;
	uint32_t set;

	switch (peek(q)) {
	case '(':
		return parse_group(q, ')');
	case '[':
		return parse_group(q, ']');
	case '<':
		return parse_kind(q);
	case '.':
		return parse_dots(q);
	case '-':
		return parse_inverse(q);
	case '?':
		return parse_sign(q, p->question);
	case '!':
		return parse_sign(q, p->bang);
	case ',':
		return parse_sign(q, p->comma);
	case '$':
		q->pos++;
		return piece_join(p, piece_loop(p, p->stops),
		    piece_set(p, p->end));
	case '^':
		return parse_fail(q, "'^' stands only at the begin, not at");
	default:
		set = parse_set(q);
		return set == SET_NONE ? piece_empty(p) : piece_set(p, set);
	}
}

static struct piece
parse_sequence(struct parser *q)
{
	struct piece all = piece_empty(q->set);
	bool empty = true;

	for (;;) {
		skip_space(q);
		if (q->failed || peek(q) == '\0' || peek(q) == '|' ||
		    peek(q) == ')' || peek(q) == ']')
			break;
		all = piece_join(q->set, all, parse_item(q));
		empty = false;
	}
	if (empty && !q->failed)
		return parse_fail(q, "nothing to match before");
	return all;
}

static struct piece
parse_either(struct parser *q)
{
	struct piece all = parse_sequence(q);

	while (!q->failed && peek(q) == '|') {
		q->pos++;
		all = piece_either(q->set, all, parse_sequence(q));
	}
	return all;
}

/*
 * Definitions.
 */

static int
add_words(struct patterns *p, uint32_t set, struct slice body,
    enum pattern_lang lang, struct buf *why)
{
	struct parser q = { .set = p, .text = body, .lang = lang, .why = why };
	size_t at = 0;

	for (;;) {
		while (peek(&q) == ' ' || peek(&q) == '\t' || peek(&q) == '|')
			q.pos++;
		if (q.pos >= body.len)
			return at > 0 ? 0 : fail(why, "no words", body);
		if (peek(&q) == '%') {
			uint32_t of = parse_set(&q);

			if (of == SET_NONE)
				return -1;
			for (size_t i = 0; i < p->sets[of].count; i++)
				set_add(p, set, p->sets[of].words[i]);
		} else if (!is_name(peek(&q))) {
			return fail(why, "not a word", body);
		} else if (set_add_written(p, set, take_word(&q), lang,
		    why) < 0) {
			return -1;
		}
		at++;
	}
}

int
patterns_class(struct patterns *p, struct slice name, struct slice body,
    struct buf *why)
{
	uint32_t set;

	if (named_find(p->classes, p->class_count, name) != NULL)
		return fail(why, "class defined twice", name);
	set = set_new(p);
	/* What a class holds is English only if an English rule uses it; to
	 * keep that simple, classes are: other languages use alternatives. */
	if (add_words(p, set, body, LANG_english, why) < 0)
		return -1;
	p->classes = grow(p->classes, p->class_count, &p->class_room,
	    sizeof(*p->classes));
	p->classes[p->class_count++] = (struct named){
		.name = arena_dup(&p->arena, name), .set = set,
	};
	return 0;
}

/* Macros are written out before parsing; their bodies already are. */
static int
write_out(struct patterns *p, struct slice source, struct buf *out,
    struct buf *why)
{
	struct parser q = { .set = p, .text = source, .why = why };
	const struct named *macro;

	while (q.pos < source.len) {
		if (peek(&q) != '@') {
			buf_addc(out, source.ptr[q.pos++]);
			continue;
		}
		q.pos++;
		struct slice name = take_name(&q);

		macro = named_find(p->macros, p->macro_count, name);
		if (macro == NULL)
			return fail(why, "no such macro", name);
		buf_addslice(out, macro->body);
	}
	return out->over ? fail(why, "pattern too long", source) : 0;
}

int
patterns_macro(struct patterns *p, struct slice name, struct slice body,
    struct buf *why)
{
	struct buf out;
	int rc;

	if (named_find(p->macros, p->macro_count, name) != NULL)
		return fail(why, "macro defined twice", name);
	buf_init(&out, SOURCE_MAX);
	rc = write_out(p, body, &out, why);
	if (rc == 0) {
		p->macros = grow(p->macros, p->macro_count, &p->macro_room,
		    sizeof(*p->macros));
		p->macros[p->macro_count++] = (struct named){
			.name = arena_dup(&p->arena, name),
			.body = arena_dup(&p->arena, buf_slice(&out)),
		};
	}
	buf_release(&out);
	return rc;
}

int
patterns_apart(struct patterns *p, struct slice words, struct buf *why)
{
	struct parser q = { .set = p, .text = words, .why = why };

	for (;;) {
		skip_space(&q);
		if (q.pos >= words.len)
			return 0;
		if (!is_name(peek(&q)))
			return fail(why, "not a word", words);
		p->apart = grow(p->apart, p->apart_count, &p->apart_room,
		    sizeof(*p->apart));
		p->apart[p->apart_count++] = arena_dup(&p->arena, take_name(&q));
	}
}

int
patterns_words(struct patterns *p, enum pattern_lang lang, struct slice words,
    struct buf *why)
{
	uint32_t set = set_new(p);

	if (add_words(p, set, words, LANG_neither, why) < 0)
		return -1;
	for (size_t i = 0; i < p->sets[set].count; i++) {
		struct word *w = &p->words[p->sets[set].words[i]];

		w->english |= lang == LANG_english;
		w->foreign |= lang == LANG_foreign;
		w->neither |= lang == LANG_neither;
	}
	/* The list itself tells no words apart. */
	p->sets[set].count = 0;
	return 0;
}

static void
start_add(struct group *g, bool anchored, uint32_t node)
{
	g->starts[anchored] = grow(g->starts[anchored],
	    g->start_count[anchored], &g->start_room[anchored],
	    sizeof(*g->starts[anchored]));
	g->starts[anchored][g->start_count[anchored]++] = node;
}

static void
group_begin(struct patterns *p, unsigned id)
{
	while (p->group_count <= id) {
		p->groups = grow(p->groups, p->group_count, &p->group_room,
		    sizeof(*p->groups));
		p->groups[p->group_count++] = (struct group){ 0 };
	}
	p->group = &p->groups[id];
}

/*
 * "a b ..." finds what "a b" finds, but would stay alive to the end of the
 * text, in every combination with others that do: states without number.
 */
static struct slice
trim_end(struct slice s)
{
	for (;;) {
		if (s.len > 0 && strchr(" \t", s.ptr[s.len - 1]) != NULL)
			s.len--;
		else if (s.len > 3 &&
		    memcmp(s.ptr + s.len - 3, "...", 3) == 0)
			s.len -= 3;
		else
			return s;
	}
}

int
patterns_add(struct patterns *p, struct slice source, unsigned id,
    enum pattern_lang lang, struct buf *why)
{
	struct parser q = { .set = p, .lang = lang, .why = why };
	struct piece all;
	struct buf out;
	uint32_t found;
	bool anchored;

	buf_init(&out, SOURCE_MAX);
	if (write_out(p, source, &out, why) < 0) {
		buf_release(&out);
		return -1;
	}
	group_begin(p, id);
	q.text = trim_end(buf_slice(&out));
	skip_space(&q);
	anchored = peek(&q) == '^';
	q.pos += anchored;
	all = parse_either(&q);
	if (!q.failed && q.pos < q.text.len)
		parse_fail(&q, "a bracket too many at");
	if (!q.failed && p->group->node_count > NODES_MAX)
		parse_fail(&q, "too many patterns, from");
	buf_release(&out);
	if (q.failed)
		return -1;
	found = node_add(p, NODE_accept, id, NODE_NONE, NODE_NONE);
	p->group->nodes[all.out].next = found;
	start_add(p->group, anchored, all.in);
	return 0;
}

/*
 * Compiling: words to symbols.
 */

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
				set_add(p, set, w);
		}
	}
}

static void
set_spread_numbers(struct patterns *p, uint32_t set)
{
	for (uint32_t w = 0; w < p->word_count; w++) {
		struct slice text = p->words[w].text;

		if (text.len > 0 && text.ptr[0] >= '0' && text.ptr[0] <= '9')
			set_add(p, set, w);
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

static void
row_fill(const struct patterns *p, const struct sorting *t,
    const struct set *s, uint64_t *row)
{
	for (uint32_t w = 0; s->inverse && w < p->word_count; w++)
		if (is_wordly(&p->words[w]))
			row[t->of[w] / 64] |= UINT64_C(1) << (t->of[w] % 64);
	for (size_t i = 0; i < s->count; i++) {
		uint32_t symbol = t->of[s->words[i]];
		uint64_t bit = UINT64_C(1) << (symbol % 64);

		if (s->inverse)
			row[symbol / 64] &= ~bit;
		else
			row[symbol / 64] |= bit;
	}
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
		return fail(why, "too many words", SLICE_NONE);
	g->symbols = t->count;
	nfa.row_words = (g->symbols + 63) / 64;
	g->has = xcalloc(g->row_count * nfa.row_words + 1, sizeof(*g->has));
	for (size_t r = 0; r < g->row_count; r++)
		row_fill(p, t, &p->sets[g->rows[r]], g->has + r * nfa.row_words);
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
	automaton_open(&g->automaton, &nfa);
	return 0;
}

static void
roll_add(struct roll *r, uint32_t group)
{
	r->groups = grow(r->groups, r->count, &r->room, sizeof(*r->groups));
	r->groups[r->count++] = group;
}

static bool
group_begins(struct group *g, unsigned symbol)
{
	unsigned to;

	if (g->start_count[true] == 0)
		return automaton_wakes(&g->automaton, symbol);
	to = automaton_step(&g->automaton, PLACE_START, symbol);
	return !(to & PLACE_RESTS) || (to & PLACE_FOUND);
}

static void
rolls_fill(struct patterns *p)
{
	size_t size = p->word_count + 1;

	p->begins.at = xcalloc(size, sizeof(*p->begins.at));
	p->wakes.at = xcalloc(size, sizeof(*p->wakes.at));
	for (uint32_t w = 0; w < p->word_count; w++) {
		for (uint32_t g = 0; g < p->group_count; g++) {
			struct group *group = &p->groups[g];
			unsigned symbol = p->symbols[w * p->group_count + g];

			if (automaton_wakes(&group->automaton, symbol))
				roll_add(&p->wakes, g);
			if (group_begins(group, symbol))
				roll_add(&p->begins, g);
		}
		p->begins.at[w + 1] = (uint32_t)p->begins.count;
		p->wakes.at[w + 1] = (uint32_t)p->wakes.count;
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
	for (size_t g = 0; g < p->group_count && rc == 0; g++)
		rc = group_compile(p, g, &t, why);
	free(room);
	if (rc < 0)
		return -1;
	rolls_fill(p);
	p->place = xcalloc(count, sizeof(*p->place));
	p->active = xcalloc(count, sizeof(*p->active));
	p->stepped = xcalloc(count, sizeof(*p->stepped));
	p->seen = xcalloc(count, sizeof(*p->seen));
	p->hits = xcalloc(count, sizeof(*p->hits));
	return 0;
}

/*
 * Matching.
 */

/* Words outside the list: the longest prefix that fits speaks for them. */
static uint32_t
word_by_prefix(const struct patterns *p, const struct scan *s)
{
	uint32_t at = UINT32_MAX;

	if (s->len == 0 || !p->prefix_first[(unsigned char)s->word[0]])
		return at;
	for (size_t len = s->len; len > 0 && at == UINT32_MAX; len--) {
		struct slice head = slice_of(s->word, len);

		at = word_find(p, W_prefix, head, scan_hash(head));
	}
	return at;
}

static uint32_t
word_known(const struct patterns *p, const struct scan *s,
    struct pattern_hits *out)
{
	uint32_t at = word_find(p, W_word, slice_of(s->word, s->len), s->hash);
	const struct word *w;

	if (s->kind == SCAN_word)
		out->words++;
	out->strange += !s->ascii;
	if (at == UINT32_MAX)
		at = word_by_prefix(p, s);
	if (at == UINT32_MAX) {
		out->unknown += s->kind == SCAN_word;
		return s->kind == SCAN_number ? AT_number : AT_other;
	}
	w = &p->words[at];
	if (!w->neither && w->english != w->foreign) {
		out->english += w->english;
		out->foreign += w->foreign;
	}
	return at;
}

static void
hit_add(struct patterns *p, unsigned g, struct pattern_hits *out)
{
	if (p->seen[g] == p->match)
		return;
	p->seen[g] = p->match;
	p->hits[out->count++] = g;
}

/* One group goes on by one word; true if it is still under way. */
static inline bool
group_step(struct patterns *p, unsigned g, unsigned place,
    const uint16_t *symbols, struct pattern_hits *out)
{
	unsigned to = automaton_step(&p->groups[g].automaton, place,
	    symbols[g]);

	if (to & PLACE_FOUND)
		hit_add(p, g, out);
	p->place[g] = (uint16_t)to;
	return !(to & PLACE_RESTS);
}

static void
match_begin(struct patterns *p)
{
	p->active_count = 0;
	p->fresh = true;
}

static void
match_first(struct patterns *p, uint32_t word, struct pattern_hits *out)
{
	const uint16_t *symbols = p->symbols + word * p->group_count;

	p->fresh = false;
	for (uint32_t i = p->begins.at[word]; i < p->begins.at[word + 1]; i++) {
		unsigned g = p->begins.groups[i];

		if (group_step(p, g, PLACE_START, symbols, out))
			p->active[p->active_count++] = g;
	}
}

static void
match_next(struct patterns *p, uint32_t word, struct pattern_hits *out)
{
	const uint16_t *symbols = p->symbols + word * p->group_count;
	const uint32_t *wake = p->wakes.groups + p->wakes.at[word];
	const uint32_t *last = p->wakes.groups + p->wakes.at[word + 1];
	unsigned *active = p->active;
	uint64_t *stepped = p->stepped, step = ++p->step;
	size_t count = p->active_count, kept = 0;

	for (size_t i = 0; i < count; i++) {
		unsigned g = active[i];

		stepped[g] = step;
		if (group_step(p, g, p->place[g], symbols, out))
			active[kept++] = g;
	}
	for (; wake < last; wake++)
		if (stepped[*wake] != step &&
		    group_step(p, *wake, PLACE_IDLE, symbols, out))
			active[kept++] = *wake;
	p->active_count = kept;
}

static void
match_word(struct patterns *p, uint32_t word, struct pattern_hits *out)
{
	if (!p->fresh)
		match_next(p, word, out);
	else if (word != AT_comma)
		match_first(p, word, out);
}

void
patterns_match(struct patterns *p, struct slice text, struct pattern_hits *out)
{
	static const uint32_t sign[] = {
		[SCAN_question] = AT_question, [SCAN_bang] = AT_bang,
		[SCAN_stop] = AT_stop, [SCAN_comma] = AT_comma,
		[SCAN_end] = AT_end,
	};
	uint32_t word = AT_end;
	struct scan s;

	*out = (struct pattern_hits){ .ids = p->hits };
	if (++p->match == 0) {
		memset(p->seen, 0, p->group_count * sizeof(*p->seen));
		p->match = 1;
	}
	match_begin(p);
	scan_init(&s, text);
	for (unsigned at = 0; s.kind != SCAN_end || at == 0; at++) {
		uint32_t before = word;

		word = scan_next(&s) <= SCAN_number ? word_known(p, &s, out) :
		    sign[s.kind];
		/* "anna: it works" begins behind the name. */
		if (at == 1 && before == AT_other && word == AT_comma)
			match_begin(p);
		else
			match_word(p, word, out);
	}
}

void
patterns_stats(const struct patterns *p, struct pattern_stats *out)
{
	*out = (struct pattern_stats){
		.words = p->word_count, .groups = p->group_count,
	};
	for (size_t i = 0; i < p->group_count; i++) {
		const struct automaton *a = &p->groups[i].automaton;

		out->nodes += p->groups[i].node_count;
		out->symbols += p->groups[i].symbols;
		out->states += automaton_states(a);
		out->made += automaton_made(a);
		out->flushes += automaton_flushes(a);
	}
}
