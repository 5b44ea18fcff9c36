/*
 * summary_tags - words that tell a topic, and artifacts in one line
 */
#include "compactor/summary.h"

#include "common/text.h"
#include "common/when.h"

enum {
	TAG_BYTES = 32,
	TAG_LEAST = 3,		/* letters of a plain word */
	STATEMENT_BYTES = 4096,	/* of a statement that are searched for words */
};

/* The tag itself, or a name that it is a part of. */
static bool
has_tag(const struct msg_strs *tags, struct slice tag)
{
	for (size_t i = 0; i < tags->count; i++)
		if (memmem(tags->at[i].ptr, tags->at[i].len, tag.ptr,
		    tag.len) != NULL)
			return true;
	return false;
}

static bool
is_wordly(struct slice tag)
{
	size_t at = 0;
	int32_t cp;

	return text_next(tag, &at, &cp) && text_class(cp) != TEXT_SIGN &&
	    text_class(cp) != TEXT_SPACE;
}

static void
add_tag(struct arena *a, struct slice tag, size_t most, struct msg_strs *tags)
{
	struct slice *grown;

	if (tag.len > TAG_BYTES || tags->count >= most || !is_wordly(tag) ||
	    has_tag(tags, tag))
		return;
	grown = arena_array(a, tags->count + 1, sizeof(*grown));
	for (size_t i = 0; i < tags->count; i++)
		grown[i] = tags->at[i];
	grown[tags->count++] = arena_dup(a, tag);
	tags->at = grown;
}

static bool
is_tag_kind(struct slice kind)
{
	static const char *const kinds[] = { "product", "file", "error",
		"identifier", "place", "name", "person" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (slice_is(kind, kinds[i]))
			return true;
	return false;
}

static size_t
common_prefix(struct slice a, struct slice b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	return n;
}

/* A statement's words that may be tags, small; read when first asked for. */
struct statement {
	struct msg_strs words;
	bool is_read;
};

static void
read_words(struct arena *a, struct slice text, struct statement *out)
{
	struct text_tokens tokens;
	struct text_token token;
	struct slice word;

	out->is_read = true;
	out->words.at = arena_room(a, (text.len + 1) * sizeof(word));
	text_tokens_init(&tokens, text);
	while (text_tokens_next(&tokens, &token)) {
		if (token.kind != TEXT_WORD)
			continue;
		word = text_fold(a, text_token_slice(&tokens, &token));
		if (word.len >= TAG_LEAST)
			out->words.at[out->words.count++] = word;
	}
}

/*
 * The word of the statement that has this stem, as it is written, small; a
 * stem may end in i where the word has y.  Of several the shortest.
 */
static struct slice
word_of_stem(const struct msg_strs *words, struct slice stem)
{
	struct slice best = SLICE_NONE, word;
	size_t prefix;

	for (size_t i = 0; i < words->count; i++) {
		word = words->at[i];
		prefix = common_prefix(word, stem);
		if (prefix + 1 < stem.len || prefix < TAG_LEAST)
			continue;
		if (best.len == 0 || word.len < best.len)
			best = word;
	}
	return best;
}

static struct slice
part(struct slice text, uint64_t at, uint64_t len)
{
	if (at >= text.len)
		return SLICE_NONE;
	len = len < STATEMENT_BYTES ? len : STATEMENT_BYTES;
	return slice_of(text.ptr + at, len < text.len - at ? len :
	    text.len - at);
}

/* A few words name a thing; a sentence does not. */
static bool
is_short(struct slice s)
{
	size_t spaces = 0;

	for (size_t i = 0; i < s.len; i++) {
		spaces += s.ptr[i] == ' ';
		if (s.ptr[i] == '\n')
			return false;
	}
	return spaces <= 1;
}

static void
add_entities(struct arena *a, const struct summary_turn *t,
    const struct msg_c_claim *claim, size_t most, struct msg_strs *tags)
{
	for (size_t i = 0; i < claim->n_entities; i++) {
		const struct msg_c_entity *e = &claim->entities[i];
		struct slice text = part(t->text, e->at, e->len);

		if (is_tag_kind(e->kind) && is_short(text))
			add_tag(a, text_fold(a, text), most, tags);
	}
}

/* "Hey Anna", "thanks in advance": no topic. */
static bool
is_greeting(const struct msg_c_turn *does, const struct msg_c_claim *c)
{
	for (size_t i = 0; i < does->n_sentences; i++)
		if (c->at >= does->sentences[i].at &&
		    c->at < does->sentences[i].at + does->sentences[i].len)
			return slice_is(does->sentences[i].act, "greeting");
	return slice_is(does->act, "greeting");
}

static uint64_t
heaviest(const struct msg_c_turn *does)
{
	uint64_t most = 0;

	for (size_t i = 0; i < does->n_claims; i++)
		if (does->claims[i].weights.count > 0 &&
		    !is_greeting(does, &does->claims[i]) &&
		    does->claims[i].weights.at[0] > most)
			most = does->claims[i].weights.at[0];
	return most;
}

/* Half as heavy as the heaviest is too light: "get", "want", "later". */
static bool
is_heavy(const struct msg_c_claim *c, size_t rank, uint64_t heaviest_weight)
{
	return !summary_is_empty(c->keywords.at[rank]) &&
	    rank < c->weights.count &&
	    c->weights.at[rank] * 2 > heaviest_weight;
}

/* The heaviest keyword of each claim, then the next of each. */
static void
add_keywords(struct arena *a, const struct summary_turn *t, size_t most,
    struct msg_strs *tags)
{
	const struct msg_c_turn *does = t->does;
	struct statement *read = arena_array(a, does->n_claims,
	    sizeof(*read));
	uint64_t limit = heaviest(does);
	bool any = true;

	for (size_t rank = 0; any && tags->count < most; rank++) {
		any = false;
		for (size_t i = 0; i < does->n_claims; i++) {
			const struct msg_c_claim *c = &does->claims[i];

			if (rank >= c->keywords.count)
				continue;
			any = true;
			if (!is_heavy(c, rank, limit) || is_greeting(does, c))
				continue;
			if (!read[i].is_read)
				read_words(a, part(t->text, c->at, c->len),
				    &read[i]);
			add_tag(a, word_of_stem(&read[i].words,
			    c->keywords.at[rank]), most, tags);
		}
	}
}

void
summary_tags(struct arena *a, const struct summary_turn *t, size_t most,
    struct msg_strs *tags)
{
	for (size_t i = 0; i < t->does->n_claims; i++)
		if (!is_greeting(t->does, &t->does->claims[i]))
			add_entities(a, t, &t->does->claims[i],
			    tags->count + 2 < most ? tags->count + 2 : most,
			    tags);
	add_keywords(a, t, most, tags);
}

struct slice
summary_date(struct arena *a, int64_t ts_ms)
{
	char text[WHEN_TEXT_BYTES];

	when_format_date(when_day_of(ts_ms), text);
	return arena_dup(a, slice_str(text));
}

struct slice
summary_of(struct arena *a, const struct msg_artifact *artifact)
{
	struct slice date = summary_date(a, artifact->created_at);

	return arena_printf(a, "%.*s [%.*s%s] %.*s%s%.*s", SLICE_ARG(date),
	    SLICE_ARG(artifact->type),
	    slice_is(artifact->status, "open") ? ":open" :
	    slice_is(artifact->status, "expired") ? ":expired" : "",
	    SLICE_ARG(artifact->summary),
	    artifact->resolution.len > 0 ? " => " : "",
	    SLICE_ARG(artifact->resolution));
}
