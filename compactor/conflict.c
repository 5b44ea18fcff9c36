/*
 * conflict - artifacts of one subject that disagree name each other
 */
#include "compactor/conflict.h"

#include <xxhash.h>

#include "common/text.h"

enum {
	SUBJECT_MOST = 8,	/* the latest of a subject are compared */
	STATEMENT_WORDS = 64,
};

/* ---- two statements ---- */

struct said {
	struct slice word[STATEMENT_WORDS];
	bool value[STATEMENT_WORDS];	/* a number, a name, a path ... */
	size_t count;
	bool negated;
};

static bool
is_negation(struct slice w)
{
	return text_is_word(w, "not") || text_is_word(w, "no") ||
	    text_is_word(w, "never") || (w.len > 3 &&
		memcmp(w.ptr + w.len - 3, "n't", 3) == 0);
}

static bool
is_light(struct slice w)
{
	static const char *const light[] = { "the", "a", "an", "is", "are",
		"was", "were", "be", "to", "of", "in", "on", "at", "for", "it",
		"its", "it's", "and", "we", "i", "you", "that", "this", "by",
		"now", "with", "will", "has", "have", NULL };
	size_t i;

	for (i = 0; light[i] != NULL; i++)
		if (text_is_word(w, light[i]))
			return true;
	return false;
}

static bool
has_word(const struct said *s, struct slice word)
{
	size_t i;

	for (i = 0; i < s->count; i++)
		if (slice_eq(s->word[i], word))
			return true;
	return false;
}

static void
read_said(struct arena *arena, struct slice text, struct said *out)
{
	struct text_tokens tokens;
	struct text_token token;
	struct slice word, folded;

	out->count = 0;
	out->negated = false;
	text_tokens_init(&tokens, text);
	while (out->count < STATEMENT_WORDS &&
	    text_tokens_next(&tokens, &token)) {
		if (token.kind == TEXT_PUNCT || token.kind == TEXT_EMOJI)
			continue;
		word = text_token_slice(&tokens, &token);
		folded = text_fold(arena, word);
		if (is_negation(folded)) {
			out->negated = true;
			continue;
		}
		if (is_light(folded) || has_word(out, folded))
			continue;
		/* A capital within the sentence is a name's. */
		out->value[out->count] = token.kind != TEXT_WORD ||
		    (token.at > 0 && word.ptr[0] >= 'A' && word.ptr[0] <= 'Z');
		out->word[out->count++] = folded;
	}
}

struct missing {
	size_t words, values;
};

static struct missing
missing_from(const struct said *a, const struct said *b)
{
	struct missing m = { 0 };
	size_t i;

	for (i = 0; i < a->count; i++)
		if (!has_word(b, a->word[i])) {
			m.words++;
			m.values += a->value[i];
		}
	return m;
}

bool
conflict_between(struct arena *arena, struct slice a, struct slice b)
{
	struct said *sa = arena_alloc(arena, 2 * sizeof(*sa)), *sb = sa + 1;
	struct missing in_b, in_a;
	size_t shared;

	read_said(arena, a, sa);
	read_said(arena, b, sb);
	in_b = missing_from(sa, sb);
	in_a = missing_from(sb, sa);
	shared = sa->count - in_b.words;
	if (sa->negated != sb->negated)
		return shared >= in_b.words + in_a.words;
	if (in_b.words == 0 || in_a.words == 0)
		return false;
	if (in_b.values > 0 && in_a.values > 0)
		return true;
	return shared > in_b.words && shared > in_a.words;
}

/* ---- artifacts ---- */

static struct key
subject_key(struct compact *c, const struct msg_artifact *a)
{
	struct key k = key_stream(a->domain, a->user, a->room);
	struct slice folded = text_fold(c->arena, a->subject);

	key_add_u64(&k, XXH3_64bits(folded.ptr, folded.len));
	return k;
}

/* Made by this entry, with a subject, and no effort: efforts do not state. */
static bool
states(const struct compact *c, const struct msg_artifact *a)
{
	uint64_t seq, n;

	return a->subject.len > 0 && !a->checkpoint &&
	    !slice_is(a->type, "effort") &&
	    artifact_parse(a->key, &seq, &n) == 0 && seq == c->seq;
}

static void
name_other(struct compact *c, struct msg_artifact *a, struct slice key)
{
	if (!strs_has(&a->conflicts_with, key))
		strs_add(&a->conflicts_with, c->arena, key);
}

/* Keeps its time: it was named, not touched. */
static void
name_in(struct compact *c, struct slice key, struct slice by)
{
	int64_t updated_at = compact_read(c, key)->updated_at;
	struct msg_artifact *a = compact_change(c, key);

	a->updated_at = updated_at;
	name_other(c, a, by);
}

static void
compare(struct compact *c, struct msg_artifact *a)
{
	struct key k = subject_key(c, a);
	const struct msg_artifact *other;
	struct msg_a_subject subject;
	size_t i;

	if (!compact_get(c, TABLE_kept_subjects, &k, MSG_a_subject, &subject))
		return;
	for (i = 0; i < subject.artifacts.count; i++) {
		other = compact_read(c, subject.artifacts.at[i]);
		if (other == NULL || other->refined_by.count > 0 ||
		    strs_has(&a->source_ids, other->key) ||
		    !slice_eq(other->type, a->type) ||
		    !conflict_between(c->arena, a->summary, other->summary))
			continue;
		name_other(c, a, other->key);
		name_in(c, other->key, a->key);
	}
}

void
conflict_decide(struct compact *c)
{
	struct msg_artifact *a;
	size_t i;

	for (i = 0; (a = compact_changed(c, i)) != NULL; i++)
		if (states(c, a))
			compare(c, a);
}

void
conflict_apply(struct compact *c)
{
	const struct msg_s_compactor *s = c->section;
	struct msg_a_subject subject, grown;
	struct key k;
	size_t i, at;

	for (i = 0; i < s->n_artifacts; i++) {
		if (!states(c, &s->artifacts[i]))
			continue;
		k = subject_key(c, &s->artifacts[i]);
		subject = grown = (struct msg_a_subject){ 0 };
		(void)compact_get(c, TABLE_kept_subjects, &k, MSG_a_subject,
		    &subject);
		strs_add(&grown.artifacts, c->arena, s->artifacts[i].key);
		for (at = 0; at < subject.artifacts.count &&
		     grown.artifacts.count < SUBJECT_MOST; at++)
			strs_add(&grown.artifacts, c->arena,
			    subject.artifacts.at[at]);
		db_put_msg(stage_tables(c->st), TABLE_kept_subjects,
		    key_slice(&k), MSG_a_subject, &grown);
	}
}
