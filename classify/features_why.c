/*
 * features_why - features to words, for people
 */
#include <assert.h>

#include "classify/features_impl.h"

static void
describe_tokens(const struct tokens *t, unsigned first, unsigned count,
    struct buf *out)
{
	buf_adds(out, " \"");
	for (unsigned i = first; i < first + count && i < t->count; i++) {
		if (i > first)
			buf_addc(out, ' ');
		buf_addslice(out, token_text(t, i));
	}
	buf_addc(out, '"');
}

static void
describe_shape(const struct tokens *t, enum shape shape, struct buf *out)
{
	switch (shape) {
	case SHAPE_length:
		buf_addf(out, " about %u words", t->clean_count);
		break;
	case SHAPE_end:
		if (t->end == '\0')
			buf_adds(out, " no punctuation at the end");
		else
			buf_addf(out, " ends in %c", t->end);
		break;
	case SHAPE_questions:
		buf_addf(out, " question marks: %u", t->questions);
		break;
	case SHAPE_fillers:
		buf_addf(out, " hesitations: %u", t->fillers);
		break;
	case SHAPE_repeats:
		buf_addf(out, " repeated words: %u", t->repeats);
		break;
	case SHAPE_sentences:
		buf_addf(out, " sentences before the last: %u", t->sentences);
		break;
	case SHAPE_gap:
		buf_adds(out, " long");
		break;
	case SHAPE_none:
		buf_adds(out, " nothing");
		break;
	}
}

static void
describe_pair(enum pair which, struct buf *out)
{
	static const char *const what[] = {
		[PAIR_same] = "who spoke before",
		[PAIR_same_whole] = "who spoke before, the whole text",
		[PAIR_same_end] = "who spoke before, end of the text",
		[PAIR_same_start] = "who spoke before, first word",
		[PAIR_same_length] = "who spoke before, length",
		[PAIR_end_whole] = "its end, the whole text",
		[PAIR_end_start] = "its end, first words",
		[PAIR_start_whole] = "its first words, the whole text",
		[PAIR_start_start] = "both first words",
		[PAIR_last_whole] = "its last word, the whole text",
		[PAIR_length_whole] = "its length, the whole text",
		[PAIR_whole_whole] = "both whole texts",
		[PAIR_overlap] = "words in common",
		[PAIR_echo] = "all words in common",
	};

	buf_addf(out, ": %s", what[which]);
}

void
feature_describe(const struct features *f, const struct feature *one,
    struct buf *out)
{
	static const char *const what[] = {
#define KIND(name, group, words) words,
		FEATURE_KINDS(KIND)
#undef KIND
	};

	assert(one->kind < FEATURE_KINDS_COUNT);
	buf_adds(out, what[one->kind]);
	switch ((enum feature_kind)one->kind) {
	case FEATURE_shape:
		describe_shape(&f->text, one->detail, out);
		break;
	case FEATURE_pshape:
		describe_shape(&f->prev, one->detail, out);
		break;
	case FEATURE_pair:
		describe_pair(one->detail, out);
		break;
	case FEATURE_pword:
	case FEATURE_prun:
		describe_tokens(&f->prev, one->first, one->count, out);
		break;
	case FEATURE_piece:
		describe_tokens(&f->text, one->first, 1, out);
		buf_addf(out, " at %u, %u letters", one->count, one->detail);
		break;
	default:
		describe_tokens(&f->text, one->first, one->count, out);
	}
}
