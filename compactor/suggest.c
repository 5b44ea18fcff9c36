/*
 * suggest - types of artifacts that nobody has written a package for yet
 */
#include "compactor/suggest.h"

#include <stdlib.h>
#include <xxhash.h>

#include "classify/entities.h"
#include "common/xmalloc.h"
#include "compactor/package_impl.h"
#include "compactor/phrase.h"

enum {
	LEAD_WORDS = 4,
	WORD_BYTES = 24,
	SENTENCES = 8,		/* of a turn */
	EXAMPLES = 3,
	EXAMPLE_WORDS = 20,
	LEADS_MAX = 1 << 16,	/* then those seen once are forgotten */
	CANDIDATES = 400,
};

/* Sentences of one act that begin with the same words. */
struct lead {
	struct slice act, words;
	size_t n_words;
	bool sign;		/* a colon or comma followed the words */
	uint64_t count, threads, last_thread;
	uint64_t kinds[ENTITY_KINDS];	/* sentences that name such a thing */
	struct slice keys[EXAMPLES], texts[EXAMPLES];
	size_t n_examples;
};

struct suggest {
	struct packages *packages;
	struct arena arena;	/* what is kept */
	struct arena turn;	/* reset after each */
	struct lead *leads;
	size_t count, room;
	uint32_t *table;	/* place + 1 */
	size_t mask;
};

struct suggest *
suggest_open(struct packages *packages)
{
	struct suggest *s = xcalloc(1, sizeof(*s));

	s->packages = packages;
	arena_init(&s->arena);
	arena_init(&s->turn);
	s->mask = LEADS_MAX * 2 - 1;
	s->table = xcalloc(s->mask + 1, sizeof(*s->table));
	return s;
}

void
suggest_close(struct suggest **suggest)
{
	struct suggest *s = *suggest;

	if (s == NULL)
		return;
	arena_release(&s->arena);
	arena_release(&s->turn);
	free(s->leads);
	free(s->table);
	free(s);
	*suggest = NULL;
}

/* ---- counting ---- */

static size_t
slot_of(const struct suggest *s, struct slice act, struct slice words)
{
	XXH64_hash_t h = XXH3_64bits_withSeed(words.ptr, words.len,
	    XXH3_64bits(act.ptr, act.len));
	size_t at = (size_t)h & s->mask;

	while (s->table[at] != 0) {
		const struct lead *l = &s->leads[s->table[at] - 1];

		if (slice_eq(l->words, words) && slice_eq(l->act, act))
			break;
		at = (at + 1) & s->mask;
	}
	return at;
}

/* Bounded: what was seen once is forgotten when there is no more room. */
static void
forget_rare(struct suggest *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->leads[i].count > 1)
			s->leads[kept++] = s->leads[i];
	/* All of them recur: no new ones are taken any more. */
	s->count = kept;
	memset(s->table, 0, (s->mask + 1) * sizeof(*s->table));
	for (size_t i = 0; i < kept; i++)
		s->table[slot_of(s, s->leads[i].act, s->leads[i].words)] =
		    (uint32_t)i + 1;
}

static struct lead *
lead_of(struct suggest *s, struct slice act, struct slice words)
{
	size_t at = slot_of(s, act, words);

	if (s->table[at] != 0)
		return &s->leads[s->table[at] - 1];
	if (s->count == LEADS_MAX) {
		forget_rare(s);
		at = slot_of(s, act, words);
		if (s->count == LEADS_MAX)
			return NULL;
	}
	if (s->count == s->room) {
		s->room = s->room == 0 ? 256 : s->room * 2;
		s->leads = xrealloc(s->leads, s->room * sizeof(*s->leads));
	}
	s->leads[s->count] = (struct lead){ .act = arena_dup(&s->arena, act),
		.words = arena_dup(&s->arena, words) };
	s->table[at] = (uint32_t)++s->count;
	return &s->leads[s->count - 1];
}

/* ---- a sentence ---- */

static bool
is_plain(struct slice w)
{
	if (w.len == 0 || w.len > WORD_BYTES)
		return false;
	for (size_t i = 0; i < w.len; i++)
		if (!(w.ptr[i] >= 'a' && w.ptr[i] <= 'z') &&
		    !(w.ptr[i] == '\'' && i > 0))
			return false;
	return true;
}

/* Words that begin anything. */
static bool
is_common(const struct phrase_word *w)
{
	PHRASE_LIST(common, "a", "about", "after", "all", "also", "am", "an",
	    "and", "any", "are", "as", "at", "be", "because", "been", "before",
	    "but", "by", "can", "can't", "could", "did", "didn't", "do", "does",
	    "doesn't", "don't", "even", "feel", "for", "from", "get", "go",
	    "going", "good", "got", "great", "guess", "had", "has", "have",
	    "he", "he's", "her", "here", "his", "hope", "how", "i", "i'd",
	    "i'll", "i'm", "i've", "if", "in", "into", "is", "isn't", "it",
	    "it's", "its", "just", "know", "let", "let's", "like", "looks",
	    "love", "made", "make", "may", "maybe", "mean", "might", "more",
	    "most", "must", "my", "need", "no", "not", "now", "of", "oh", "ok",
	    "okay", "on", "one", "only", "or", "our", "please", "really",
	    "right", "said", "say", "see", "seems", "she", "she's", "should",
	    "so", "some", "sounds", "still", "sure", "than", "thank", "thanks",
	    "that", "that's", "the", "their", "then", "there", "there's",
	    "these", "they", "they're", "thing", "things", "think", "this",
	    "those", "to", "too", "two", "uh", "um", "very", "want", "was",
	    "wasn't", "we", "we're", "we've", "well", "went", "were", "what",
	    "what's", "when", "where", "which", "while", "who", "why", "will",
	    "with", "won't", "would", "yeah", "yes", "you", "you're", "your");

	return phrase_at(w, 1, 0, &common) > 0;
}

static void
count_kinds(struct lead *l, const struct trigger_turn *t,
    const struct summary_sentence *at)
{
	const struct msg_c_turn *does = t->said.does;
	unsigned seen = 0;

	for (size_t i = 0; i < does->n_claims; i++) {
		const struct msg_c_claim *c = &does->claims[i];

		if (c->at < at->at || c->at >= at->at + at->len)
			continue;
		for (size_t k = 0; k < c->n_entities; k++)
			for (int kind = 0; kind < ENTITY_KINDS; kind++)
				if (slice_is(c->entities[k].kind,
				    entity_kind_name((enum entity_kind)kind)))
					seen |= 1u << kind;
	}
	for (int kind = 0; kind < ENTITY_KINDS; kind++)
		l->kinds[kind] += (seen >> kind) & 1;
}

static void
count_lead(struct suggest *s, struct lead *l, const struct trigger_turn *t,
    const struct summary_sentence *at, struct slice key, uint64_t thread)
{
	struct slice text = slice_of(t->said.text.ptr + at->at, at->len);

	l->count++;
	/* Threads come and go: a return may count twice, which is harmless. */
	if (l->threads == 0 || l->last_thread != thread)
		l->threads++;
	l->last_thread = thread;
	count_kinds(l, t, at);
	if (l->n_examples == EXAMPLES)
		return;
	l->keys[l->n_examples] = arena_dup(&s->arena, key);
	l->texts[l->n_examples++] = arena_dup(&s->arena,
	    slice_of(text.ptr, text.len < 400 ? text.len : 400));
}

static void
take_sentence(struct suggest *s, const struct trigger_turn *t,
    const struct summary_sentence *at, struct slice key, uint64_t thread)
{
	struct slice act = at->does != NULL ? at->does->act : t->said.does->act;
	struct phrase_word *words;
	size_t count = phrase_words(&s->turn, slice_of(t->said.text.ptr +
	    at->at, at->len), &words);
	bool says = false;
	struct buf lead;

	if (slice_is(act, "greeting") || slice_is(act, "none"))
		return;
	buf_init(&lead, 1024);
	for (size_t n = 0; n < LEAD_WORDS && n + 1 < count &&
	     is_plain(words[n].folded); n++) {
		struct lead *l;

		buf_adds(&lead, n > 0 ? " " : "");
		buf_addslice(&lead, words[n].folded);
		says |= !is_common(&words[n]);
		/* One word alone is a mark only with a sign behind it. */
		if (!says || (n == 0 && !words[0].clause))
			continue;
		l = lead_of(s, act, buf_slice(&lead));
		if (l != NULL) {
			l->n_words = n + 1;
			l->sign |= words[n].clause;
			count_lead(s, l, t, at, key, thread);
		}
		if (words[n].clause)
			break;
	}
	buf_release(&lead);
}

void
suggest_take(struct suggest *s, const struct trigger_turn *turn,
    struct slice key, uint64_t thread)
{
	struct trigger_result r;

	arena_reset(&s->turn);
	if (!slice_is(turn->said.role, "user") || turn->said.does->machine)
		return;
	triggers_match(s->packages, &s->turn, turn, &r);
	for (size_t i = 0; i < s->packages->count; i++)
		if (r.fires[i].opens > 0)
			return;
	for (size_t i = 0; i < r.n_sentences && i < SENTENCES; i++)
		take_sentence(s, turn, &r.sentences[i], key, thread);
}

/* ---- choosing ---- */

static bool
extends(const struct lead *longer, const struct lead *shorter)
{
	return longer->n_words > shorter->n_words &&
	    slice_eq(longer->act, shorter->act) &&
	    longer->words.len > shorter->words.len &&
	    memcmp(longer->words.ptr, shorter->words.ptr,
		shorter->words.len) == 0 &&
	    longer->words.ptr[shorter->words.len] == ' ';
}

/* The longer one says it better if nearly all go on so; else the shorter. */
static bool
is_weaker(const struct lead *a, const struct lead *b)
{
	if (extends(b, a))
		return b->count * 4 >= a->count * 3;
	return extends(a, b) && a->count * 4 < b->count * 3;
}

static int
by_worth(const void *x, const void *y)
{
	const struct lead *a = *(struct lead *const *)x;
	const struct lead *b = *(struct lead *const *)y;
	uint64_t left = a->count * a->threads * a->n_words;
	uint64_t right = b->count * b->threads * b->n_words;

	if (left != right)
		return left < right ? 1 : -1;
	return slice_cmp(a->words, b->words) != 0 ?
	    slice_cmp(a->words, b->words) : slice_cmp(a->act, b->act);
}

static size_t
candidates(struct suggest *s, uint64_t least, struct lead ***out)
{
	struct lead **list = arena_array(&s->arena, s->count, sizeof(*list));
	size_t n = 0, kept = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->leads[i].count >= least && s->leads[i].threads >= 2)
			list[n++] = &s->leads[i];
	if (n > 0)
		qsort(list, n, sizeof(*list), by_worth);
	n = n < CANDIDATES ? n : CANDIDATES;
	*out = arena_array(&s->arena, n, sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		bool weak = false;

		for (size_t k = 0; k < n && !weak; k++)
			weak = is_weaker(list[i], list[k]);
		if (!weak)
			(*out)[kept++] = list[i];
	}
	return kept;
}

/* ---- drafting ---- */

static struct slice
name_of(struct suggest *s, const struct lead *l,
    const struct suggestion *others, size_t n_others)
{
	struct phrase_word *words;
	size_t count = phrase_words(&s->arena, l->words, &words);
	struct slice base = l->words, name;
	unsigned more = 2;
	bool taken = true;

	for (size_t i = 0; i < count; i++)
		if (!is_common(&words[i]) &&
		    memchr(words[i].folded.ptr, '\'', words[i].folded.len) ==
		    NULL) {
			base = words[i].folded;
			break;
		}
	for (name = base; taken; ) {
		taken = packages_find(s->packages, name) != NULL;
		for (size_t i = 0; i < n_others; i++)
			taken |= slice_eq(others[i].name, name);
		if (taken)
			name = arena_printf(&s->arena, "%.*s-%u",
			    SLICE_ARG(base), more++);
	}
	return name;
}

static void
draft_fields(struct buf *out, const struct lead *l)
{
	buf_adds(out, "field text text required\n  by sentence\n");
	for (int kind = 0; kind < ENTITY_KINDS; kind++) {
		const char *name = entity_kind_name((enum entity_kind)kind);

		if (l->kinds[kind] * 2 < l->count)
			continue;
		if (kind == ENTITY_DATE)
			buf_adds(out, "field time time\n  by time\n");
		else
			buf_addf(out, "field %s list\n  by entities %s\n",
			    name, name);
	}
}

static struct slice
draft_of(struct suggest *s, const struct lead *l, struct slice name)
{
	struct slice draft;
	struct buf out;

	buf_init(&out, SIZE_MAX / 4);
	buf_addf(&out, "# %llu turns in %llu threads begin so and are in no "
	    "artifact, among them:\n", (unsigned long long)l->count,
	    (unsigned long long)l->threads);
	for (size_t i = 0; i < l->n_examples; i++) {
		struct slice text = summary_shorten(&s->arena, l->texts[i],
		    CUT_filler, EXAMPLE_WORDS);

		buf_addf(&out, "#   %-8.*s %.*s\n", SLICE_ARG(l->keys[i]),
		    SLICE_ARG(text));
	}
	buf_addf(&out, "package %.*s\nversion 1\nabout what begins with "
	    "\"%.*s\"\nlife turn\n\nopens lead\n  acts %.*s\n  match ^ %.*s%s "
	    "...\n  confidence 700\n\n", SLICE_ARG(name), SLICE_ARG(l->words),
	    SLICE_ARG(l->act), SLICE_ARG(l->words), l->n_words == 1 &&
	    l->sign ? " ," : "");
	draft_fields(&out, l);
	buf_adds(&out, "\nsummary {text}\n");
	draft = arena_dup(&s->arena, buf_slice(&out));
	buf_release(&out);
	return draft;
}

size_t
suggest_make(struct suggest *s, uint64_t least, size_t most,
    struct suggestion **out)
{
	struct lead **list;
	size_t n = candidates(s, least, &list);

	n = n < most ? n : most;
	*out = arena_array(&s->arena, n, sizeof(**out));
	for (size_t i = 0; i < n; i++) {
		struct suggestion *x = &(*out)[i];

		x->name = name_of(s, list[i], *out, i);
		x->lead = list[i]->words;
		x->act = list[i]->act;
		x->turns = list[i]->count;
		x->threads = list[i]->threads;
		x->draft = draft_of(s, list[i], x->name);
	}
	return n;
}
