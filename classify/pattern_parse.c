/*
 * pattern_parse - definitions: a pattern's text to the nodes of an automaton
 */
#include <string.h>

#include "classify/pattern_impl.h"
#include "classify/scan.h"

enum {
	DEPTH_MAX = 16,		/* of brackets in a pattern */
	GAP_MAX = 12,		/* words in a bounded gap */
	NODES_MAX = 200000,
	SOURCE_MAX = 65536,	/* bytes of a pattern, macros written out */
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

static const struct named *
named_find(const struct named *list, size_t count, struct slice name)
{
	for (size_t i = 0; i < count; i++)
		if (slice_eq(list[i].name, name))
			return &list[i];
	return NULL;
}

/* ---- nodes and pieces ---- */

static uint32_t
node_add(struct patterns *p, enum node_kind kind, uint32_t set, uint32_t next,
    uint32_t other)
{
	struct group *g = p->group;

	g->nodes = pattern_grow(g->nodes, g->node_count, &g->node_room,
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

	g->rows = pattern_grow(g->rows, g->row_count, &g->row_room, sizeof(*g->rows));
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
		pattern_fail(q->why, what, rest);
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
	set = pattern_set_new(p);
	if (pattern_set_write(p, set, take_word(q), q->lang, q->why) < 0) {
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
	set = pattern_set_new(p);
	for (size_t i = 0; i < p->sets[of].count; i++)
		pattern_set_add(p, set, p->sets[of].words[i]);
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

/* ---- definitions ---- */

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
			return at > 0 ? 0 : pattern_fail(why, "no words", body);
		if (peek(&q) == '%') {
			uint32_t of = parse_set(&q);

			if (of == SET_NONE)
				return -1;
			for (size_t i = 0; i < p->sets[of].count; i++)
				pattern_set_add(p, set, p->sets[of].words[i]);
		} else if (!is_name(peek(&q))) {
			return pattern_fail(why, "not a word", body);
		} else if (pattern_set_write(p, set, take_word(&q), lang,
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
		return pattern_fail(why, "class defined twice", name);
	set = pattern_set_new(p);
	/* What a class holds is English only if an English rule uses it; to
	 * keep that simple, classes are: other languages use alternatives. */
	if (add_words(p, set, body, LANG_english, why) < 0)
		return -1;
	p->classes = pattern_grow(p->classes, p->class_count, &p->class_room,
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
			return pattern_fail(why, "no such macro", name);
		buf_addslice(out, macro->body);
	}
	return out->over ? pattern_fail(why, "pattern too long", source) : 0;
}

int
patterns_macro(struct patterns *p, struct slice name, struct slice body,
    struct buf *why)
{
	struct buf out;
	int rc;

	if (named_find(p->macros, p->macro_count, name) != NULL)
		return pattern_fail(why, "macro defined twice", name);
	buf_init(&out, SOURCE_MAX);
	rc = write_out(p, body, &out, why);
	if (rc == 0) {
		p->macros = pattern_grow(p->macros, p->macro_count, &p->macro_room,
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
			return pattern_fail(why, "not a word", words);
		p->apart = pattern_grow(p->apart, p->apart_count, &p->apart_room,
		    sizeof(*p->apart));
		p->apart[p->apart_count++] = arena_dup(&p->arena, take_name(&q));
	}
}

int
patterns_words(struct patterns *p, enum pattern_lang lang, struct slice words,
    struct buf *why)
{
	uint32_t set = pattern_set_new(p);

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

int
patterns_leaning(struct patterns *p, int leaning, struct slice words,
    struct buf *why)
{
	uint32_t set = pattern_set_new(p);
	int failed;

	p->leaning = true;
	failed = add_words(p, set, words, LANG_neither, why);
	p->leaning = false;
	if (failed < 0)
		return -1;
	for (size_t i = 0; i < p->sets[set].count; i++)
		p->words[p->sets[set].words[i]].leaning = (int8_t)leaning;
	p->sets[set].count = 0;
	return 0;
}

static void
start_add(struct group *g, bool anchored, uint32_t node)
{
	g->starts[anchored] = pattern_grow(g->starts[anchored],
	    g->start_count[anchored], &g->start_room[anchored],
	    sizeof(*g->starts[anchored]));
	g->starts[anchored][g->start_count[anchored]++] = node;
}

static void
group_begin(struct patterns *p, unsigned id)
{
	while (p->group_count <= id) {
		p->groups = pattern_grow(p->groups, p->group_count, &p->group_room,
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
