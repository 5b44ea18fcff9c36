/*
 * fuzz-claims - any bytes through sift, sentences and claims
 *
 * A libFuzzer target: build with -fsanitize=fuzzer,address,undefined and run
 * from the root of the tree.  The first byte chooses who speaks.  Checks what
 * later stages rely on: spans that cover the text, sentences and entities
 * inside it, limits that hold.
 */
#include <assert.h>
#include <stdlib.h>

#include "classify/claims.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct {
	struct claims_engine *engine;
	struct arena arena;
} fuzz;

static void
check_spans(struct slice text, const struct sifted *f)
{
	size_t end = 0;

	for (size_t i = 0; i < f->count; i++) {
		assert(f->spans[i].at == end && f->spans[i].len > 0);
		end += f->spans[i].len;
	}
	assert(end == text.len);
}

static void
check_sentences(struct slice text, const struct sentence *list, size_t n)
{
	size_t end = 0;

	assert(n <= SENTENCE_MAX);
	for (size_t i = 0; i < n; i++) {
		assert(list[i].at >= end && list[i].len > 0);
		end = list[i].at + list[i].len;
	}
	assert(end <= text.len);
}

static void
check_claim(struct slice text, const struct claim *c)
{
	size_t end = 0;

	assert(c->subject.len > 0 && c->statement.len > 0);
	assert(c->n_entities <= ENTITIES_MAX && c->n_keywords <= KEYWORDS_MAX);
	for (size_t i = 0; i < c->n_entities; i++) {
		assert(c->entities[i].at >= end && c->entities[i].len > 0);
		end = c->entities[i].at + c->entities[i].len;
	}
	assert(end <= text.len);
	for (size_t i = 0; i < c->n_keywords; i++)
		assert(c->keywords[i].weight > 0 && c->keywords[i].stem.len > 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sentence *sentences;
	struct claim *claims;
	struct sifted sifted;
	struct slice text;
	size_t n, count;

	if (size < 9)
		return 0;
	if (fuzz.engine == NULL &&
	    claims_open(&fuzz.engine, "classify/data") < 0)
		abort();
	text = slice_of((const char *)data + 9, size - 9);
	sifted = sift_text(&fuzz.arena, text,
	    data[0] < 224 ? SPEAKER_user : data[0] % 4);
	check_spans(text, &sifted);
	n = sentences_of(&fuzz.arena, text, &sifted, &sentences);
	check_sentences(text, sentences, n);
	claims_of(fuzz.engine, &fuzz.arena, text, &sifted, sentences, n,
	    /* any time at all of the years that can be written */
	    (int64_t)((uint64_t)data[1] << 40 | (uint64_t)data[2] << 32 |
	    (uint64_t)data[3] << 24 | data[4]) - (data[5] & 1) *
	    INT64_C(62167219200000), &claims, &count);
	for (size_t i = 0; i < count; i++)
		check_claim(text, &claims[i]);
	arena_reset(&fuzz.arena);
	return 0;
}
