/*
 * context_pack - what fits a budget, and how it is written down
 */
#include <stdlib.h>
#include <xxhash.h>

#include "common/json.h"
#include "common/when.h"
#include "compactor/tokens.h"
#include "store/context_impl.h"

static const struct {
	const char *name;	/* in JSON */
	const char *heading;	/* above its lines; NULL: none */
} kinds[PART_KINDS] = {
	[PART_CONTINUITY] = { "continuity", NULL },
	[PART_EFFORT] = { "effort", "Current effort:" },
	[PART_OPEN] = { "open", "Open efforts:" },
	[PART_KNOWN] = { "artifact", "What is known:" },
	[PART_EARLIER] = { "episode", "Earlier:" },
	[PART_SAID] = { "said", "What was said:" },
	[PART_LATEST] = { "latest", "Latest turns:" },
};

static const char open_tag[] = "<skein-context>\n";
static const char close_tag[] = "</skein-context>\n";
static const char left_budget[] = "budget";
/* Where turns between two that are given are not: an answer would seem to be
   one to another question. */
static const char gap[] = "[...]\n";

/* ---- choosing ---- */

static int
by_rank(const void *a, const void *b)
{
	const struct context_part *x = *(struct context_part *const *)a;
	const struct context_part *y = *(struct context_part *const *)b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x < y ? -1 : 1;
}

static struct context_part **
order(struct context *c, int (*cmp)(const void *, const void *))
{
	struct context_part **all = arena_array(c->arena, c->n_parts,
	    sizeof(all[0]));
	size_t i;

	for (i = 0; i < c->n_parts; i++)
		all[i] = &c->parts[i];
	if (c->n_parts > 0)
		qsort(all, c->n_parts, sizeof(all[0]), cmp);
	return all;
}

static uint64_t
words_cost(const struct context *c, const char *words)
{
	return words == NULL ? 0 : tokens_of(c->conf, slice_str(words)) + 1;
}

/* Twice: some formats give the stable part and the rest one by one. */
static uint64_t
tags_cost(const struct context *c)
{
	return 2 * (words_cost(c, open_tag) + words_cost(c, close_tag));
}

static bool
has_group(struct context_part *const *in, size_t n,
    const struct context_part *p)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (in[i]->group_hash == p->group_hash &&
		    in[i]->kind == p->kind && slice_eq(in[i]->group, p->group))
			return true;
	return false;
}

/* An artifact whose turns are all given says nothing new. */
static bool
is_covered(struct context_part *const *in, size_t n,
    const struct context_part *a)
{
	uint64_t turns = 0, given = 0;
	size_t i, k;

	for (k = 0; k + 1 < a->covers.count; k += 2)
		turns += a->covers.at[k + 1] - a->covers.at[k] + 1;
	for (i = 0; turns > 0 && i < n; i++)
		for (k = 0; in[i]->turn > 0 && in[i]->thread == a->thread &&
		     k + 1 < a->covers.count; k += 2)
			given += in[i]->turn >= a->covers.at[k] &&
			    in[i]->turn <= a->covers.at[k + 1];
	return turns > 0 && given >= turns;
}

/* Keys that may have been given, a bit each: most were not. */
enum { GIVEN_BITS = 4096 };
struct given {
	uint64_t bits[GIVEN_BITS / 64];
};

static bool
note_given(struct given *g, uint64_t hash)
{
	uint64_t *bits = &g->bits[hash % GIVEN_BITS / 64];
	uint64_t bit = UINT64_C(1) << hash % 64;
	bool maybe = (*bits & bit) != 0;

	*bits |= bit;
	return maybe;
}

/* The same turn may have been found and be among the latest. */
static bool
is_given(struct given *g, struct context_part *const *in, size_t n,
    const struct context_part *p)
{
	size_t i;

	if (!note_given(g, p->key_hash))
		return false;
	for (i = 0; i < n; i++)
		if (in[i]->key_hash == p->key_hash && in[i]->key.len > 0 &&
		    slice_eq(in[i]->key, p->key))
			return true;
	return false;
}

/* Takes parts by rank for as long as they fit; what is left out says why. */
static void
choose(struct context *c)
{
	struct context_part **all = order(c, by_rank);
	struct context_part **in = arena_array(c->arena, c->n_parts,
	    sizeof(in[0]));
	uint64_t total = tags_cost(c);
	bool headed[PART_KINDS] = { false };
	struct given given = { { 0 } };
	size_t i, n = 0;
	uint64_t cost;

	for (i = 0; i < c->n_parts; i++) {
		struct context_part *p = all[i];

		p->key_hash = XXH3_64bits(p->key.ptr, p->key.len);
		p->group_hash = XXH3_64bits(p->group.ptr, p->group.len);
		if (is_given(&given, in, n, p))
			p->left_out = "given already";
		else if (p->artifact && is_covered(in, n, p))
			p->left_out = "its turns are given";
		if (p->left_out != NULL)
			continue;
		cost = p->tokens;
		if (!headed[p->kind])
			cost += words_cost(c, kinds[p->kind].heading);
		if (p->group.len > 0 && !has_group(in, n, p))
			cost += tokens_of(c->conf, p->group) + 1;
		if (total + cost > c->budget) {
			p->left_out = left_budget;
			continue;
		}
		total += cost;
		headed[p->kind] = true;
		in[n++] = p;
	}
}

/* ---- writing ---- */

static int
by_place(const void *a, const void *b)
{
	const struct context_part *x = *(struct context_part *const *)a;
	const struct context_part *y = *(struct context_part *const *)b;
	bool timed = x->kind == PART_SAID || x->kind == PART_LATEST;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (timed && x->ts != y->ts)
		return x->ts < y->ts ? -1 : 1;
	if (timed && x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (timed && x->turn != y->turn)
		return x->turn < y->turn ? -1 : 1;
	return by_rank(a, b);
}

/* Words that were said must not end the tag that they stand in. */
static void
put_tame(struct buf *out, struct slice text)
{
	const char *at = text.ptr, *end = at + text.len, *tag;

	while ((tag = memmem(at, (size_t)(end - at), "skein-", 6)) != NULL) {
		bool opens = tag - text.ptr >= 1 && tag[-1] == '<';
		bool closes = tag - text.ptr >= 2 && tag[-1] == '/' &&
		    tag[-2] == '<';

		buf_add(out, at, (size_t)(tag - at));
		buf_adds(out, opens || closes ? " skein-" : "skein-");
		at = tag + 6;
	}
	buf_add(out, at, (size_t)(end - at));
}

static void
put_parts(struct buf *out, const struct context *c,
    struct context_part *const *all, enum context_kind from,
    enum context_kind to)
{
	const struct context_part *before = NULL;
	bool missing = false;	/* a turn, since the one before */
	size_t i;

	for (i = 0; i < c->n_parts; i++) {
		const struct context_part *p = all[i];

		if (p->kind < from || p->kind > to)
			continue;
		missing = missing || (p->kind == PART_LATEST &&
		    p->left_out == left_budget);
		if (p->left_out != NULL)
			continue;
		if (missing && before != NULL && before->kind == PART_LATEST)
			buf_adds(out, gap);
		missing = false;
		if ((before == NULL || before->kind != p->kind) &&
		    kinds[p->kind].heading != NULL)
			buf_addf(out, "%s\n", kinds[p->kind].heading);
		if (p->group.len > 0 && (before == NULL ||
			before->kind != p->kind ||
			!slice_eq(before->group, p->group)))
			buf_addf(out, "%.*s\n", SLICE_ARG(p->group));
		put_tame(out, p->text);
		buf_addc(out, '\n');
		before = p;
	}
	if (missing && before != NULL && before->kind == PART_LATEST)
		buf_adds(out, gap);
}

/*
 * What changes least comes first, so that a provider's cache of a prompt's
 * beginning holds as long as it can.
 */
static void
write_text(struct context *c)
{
	struct context_part **all = order(c, by_place);
	size_t stable, latest, end;
	struct buf out;

	buf_init(&out, SIZE_MAX / 4);
	buf_adds(&out, open_tag);
	stable = out.len;
	put_parts(&out, c, all, PART_OPEN, PART_EARLIER);
	latest = out.len;
	put_parts(&out, c, all, PART_CONTINUITY, PART_EFFORT);
	put_parts(&out, c, all, PART_SAID, PART_LATEST);
	end = out.len;
	buf_adds(&out, close_tag);
	c->text = c->stable = c->latest = SLICE_NONE;
	if (end > stable) {
		c->text = arena_dup(c->arena, buf_slice(&out));
		c->stable = slice_of(c->text.ptr + stable, latest - stable);
		c->latest = slice_of(c->text.ptr + latest, end - latest);
	}
	buf_release(&out);
	c->tokens = c->text.len == 0 ? 0 : tokens_of(c->conf, c->stable) +
	    tokens_of(c->conf, c->latest) + tags_cost(c);
}

static struct context_part *
least(struct context *c)
{
	struct context_part *worst = NULL;
	size_t i;

	for (i = 0; i < c->n_parts; i++)
		if (c->parts[i].left_out == NULL &&
		    (worst == NULL || c->parts[i].rank >= worst->rank))
			worst = &c->parts[i];
	return worst;
}

void
context_pack(struct context *c)
{
	struct context_part *worst;

	choose(c);
	write_text(c);
	/* The whole may need a little more than its parts one by one. */
	while (c->tokens > c->budget && (worst = least(c)) != NULL) {
		worst->left_out = left_budget;
		write_text(c);
	}
	if (c->tokens > c->budget) {
		c->text = c->stable = c->latest = SLICE_NONE;
		c->tokens = 0;
	}
}

struct msg_strs
context_used(const struct context *c)
{
	struct msg_strs used = { arena_array(c->arena, c->n_parts,
		sizeof(used.at[0])), 0 };
	size_t i, k;

	for (i = 0; i < c->n_parts; i++) {
		if (!c->parts[i].artifact || c->parts[i].left_out != NULL)
			continue;
		for (k = 0; k < used.count; k++)
			if (slice_eq(used.at[k], c->parts[i].key))
				break;
		if (k == used.count)
			used.at[used.count++] = c->parts[i].key;
	}
	return used;
}

/* ---- formats ---- */

int
context_format_named(struct slice name, enum context_format *out)
{
	static const char *const names[] = { "text", "json", "anthropic",
		"openai" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (slice_is(name, names[i])) {
			*out = (enum context_format)i;
			return 0;
		}
	return -1;
}

static void
put_part(struct buf *out, const struct context_part *p)
{
	char stamp[WHEN_TEXT_BYTES];

	buf_adds(out, "{\"kind\":\"");
	buf_adds(out, kinds[p->kind].name);
	buf_adds(out, "\",\"key\":");
	json_put_str(out, p->key);
	buf_adds(out, ",\"id\":");
	if (p->id.len > 0)
		json_put_str(out, p->id);
	else
		buf_adds(out, "null");
	buf_adds(out, ",\"tokens\":");
	buf_addu(out, p->tokens);
	if (p->ts != 0) {
		when_format(p->ts, stamp);
		buf_adds(out, ",\"ts\":\"");
		buf_adds(out, stamp);
		buf_addc(out, '"');
	}
	if (p->superseded)
		buf_adds(out, ",\"superseded\":true");
	if (p->left_out != NULL)
		buf_addf(out, ",\"why\":\"%s\"", p->left_out);
	buf_adds(out, ",\"text\":");
	json_put_str(out, p->text);
	buf_addc(out, '}');
}

static void
put_all_parts(struct buf *out, const struct context *c, bool left_out)
{
	const char *comma = "";
	size_t i;

	for (i = 0; i < c->n_parts; i++) {
		if ((c->parts[i].left_out != NULL) != left_out)
			continue;
		buf_adds(out, comma);
		put_part(out, &c->parts[i]);
		comma = ",";
	}
}

static void
print_json(struct buf *out, const struct context *c)
{
	struct msg_strs used = context_used(c);
	size_t i;

	buf_addf(out, "{\"budget\":%llu,\"tokens\":%llu,\"upto\":%llu,"
	    "\"text\":", (unsigned long long)c->budget,
	    (unsigned long long)c->tokens, (unsigned long long)c->upto);
	json_put_str(out, c->text);
	buf_adds(out, ",\"parts\":[");
	put_all_parts(out, c, false);
	buf_adds(out, "],\"left_out\":[");
	put_all_parts(out, c, true);
	buf_adds(out, "],\"used\":[");
	for (i = 0; i < used.count; i++) {
		buf_adds(out, i > 0 ? "," : "");
		json_put_str(out, used.at[i]);
	}
	buf_adds(out, "]}\n");
}

static void
put_block(struct buf *out, struct slice lines, bool cached)
{
	struct buf text;

	buf_init(&text, SIZE_MAX / 4);
	buf_adds(&text, open_tag);
	buf_addslice(&text, lines);
	buf_adds(&text, close_tag);
	buf_adds(out, "{\"type\":\"text\",\"text\":");
	json_put_str(out, buf_slice(&text));
	buf_adds(out, cached ? ",\"cache_control\":{\"type\":\"ephemeral\"}}" :
			       "}");
	buf_release(&text);
}

static void
print_anthropic(struct buf *out, const struct context *c)
{
	buf_adds(out, "{\"system\":[");
	if (c->stable.len > 0)
		put_block(out, c->stable, true);
	if (c->stable.len > 0 && c->latest.len > 0)
		buf_addc(out, ',');
	if (c->latest.len > 0)
		put_block(out, c->latest, false);
	buf_adds(out, "]}\n");
}

void
context_print(struct buf *out, const struct context *c,
    enum context_format format)
{
	switch (format) {
	case CONTEXT_TEXT:
		buf_addslice(out, c->text);
		break;
	case CONTEXT_JSON:
		print_json(out, c);
		break;
	case CONTEXT_ANTHROPIC:
		print_anthropic(out, c);
		break;
	case CONTEXT_OPENAI:
		buf_adds(out, "{\"messages\":[");
		if (c->text.len > 0) {
			buf_adds(out, "{\"role\":\"system\",\"content\":");
			json_put_str(out, c->text);
			buf_addc(out, '}');
		}
		buf_adds(out, "]}\n");
		break;
	}
}
